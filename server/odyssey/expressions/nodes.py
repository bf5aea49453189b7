"""The parts of an expression that was read. Each works out its value in a scope, and counts what it does."""

from collections.abc import Callable
from dataclasses import dataclass
from operator import ge, gt, le, lt
from typing import Any, Protocol

from odyssey.expressions.arithmetic import MAX_ELEMENTS, OPERATORS, negate
from odyssey.expressions.facts import Facts
from odyssey.expressions.functions import Function
from odyssey.expressions.values import (
    EvaluationError,
    TooMuchError,
    check_order,
    described,
    equal,
    has_key,
    is_key,
    is_list,
    is_map,
    is_within,
    item_at,
    member_of,
    order_of_keys,
    truth,
)


class Scope:
    """The facts of a call, and what the walks around this place call their elements."""

    __slots__ = ("elements", "facts", "meter")

    def __init__(self, facts: Facts, elements: dict[str, Any]) -> None:
        self.facts = facts
        self.meter = facts.meter
        self.elements = elements


class Node(Protocol):
    def evaluate(self, scope: Scope) -> Any: ...


class Step(Protocol):
    """What is done to the value before it: `.name`, `[key]`, `.name(…)`."""

    def apply(self, value: Any, scope: Scope) -> Any: ...


@dataclass(frozen=True, slots=True)
class Literal:
    value: Any

    def evaluate(self, _scope: Scope) -> Any:
        return self.value


@dataclass(frozen=True, slots=True)
class Name:
    name: str

    def evaluate(self, scope: Scope) -> Any:
        return scope.facts.value(self.name)


@dataclass(frozen=True, slots=True)
class Element:
    """The name a walk around gives to what it is at."""

    name: str

    def evaluate(self, scope: Scope) -> Any:
        return scope.elements[self.name]


@dataclass(frozen=True, slots=True)
class Operand:
    start: Node
    steps: tuple[Step, ...]

    def evaluate(self, scope: Scope) -> Any:
        value = self.start.evaluate(scope)
        for step in self.steps:
            value = step.apply(value, scope)
        return value


@dataclass(frozen=True, slots=True)
class Member:
    name: str

    def apply(self, value: Any, _scope: Scope) -> Any:
        return member_of(value, self.name)


@dataclass(frozen=True, slots=True)
class Item:
    key: Node

    def apply(self, value: Any, scope: Scope) -> Any:
        return item_at(value, self.key.evaluate(scope))


@dataclass(frozen=True, slots=True)
class FunctionCall:
    function: Function
    arguments: tuple[Node, ...]

    def evaluate(self, scope: Scope) -> Any:
        return self.function.call(scope.facts, [each.evaluate(scope) for each in self.arguments])

    def apply(self, value: Any, scope: Scope) -> Any:
        return self.function.call(scope.facts, [value, *(each.evaluate(scope) for each in self.arguments)])


@dataclass(frozen=True, slots=True)
class Has:
    of: Node
    member: str

    def evaluate(self, scope: Scope) -> bool:
        value = self.of.evaluate(scope)
        if not is_map(value):
            raise EvaluationError(f"has asks a map for a member, not {described(value)}")
        return self.member in value


@dataclass(frozen=True, slots=True)
class ListOf:
    items: tuple[Node, ...]

    def evaluate(self, scope: Scope) -> list[Any]:
        return [item.evaluate(scope) for item in self.items]


@dataclass(frozen=True, slots=True)
class MapOf:
    members: tuple[tuple[Node, Node], ...]

    def evaluate(self, scope: Scope) -> dict[Any, Any]:
        made: dict[Any, Any] = {}
        for key_node, value_node in self.members:
            key = key_node.evaluate(scope)
            if not is_key(key):
                raise EvaluationError(f"{described(key)} is no key of a map")
            if key in made and not has_key(made, key):
                raise EvaluationError("a map cannot have a boolean beside 0 or 1 as keys")
            made[key] = value_node.evaluate(scope)
        return made


@dataclass(frozen=True, slots=True)
class Not:
    of: Node

    def evaluate(self, scope: Scope) -> bool:
        return not truth(self.of.evaluate(scope), "!")


@dataclass(frozen=True, slots=True)
class Negative:
    of: Node

    def evaluate(self, scope: Scope) -> Any:
        return negate(self.of.evaluate(scope))


@dataclass(frozen=True, slots=True)
class Chain:
    """Operands with operators of one precedence between them, from left to right."""

    first: Node
    rest: tuple[tuple[str, Node], ...]

    def evaluate(self, scope: Scope) -> Any:
        value = self.first.evaluate(scope)
        for operator, operand in self.rest:
            value = OPERATORS[operator](value, operand.evaluate(scope), scope.meter)
        return value


@dataclass(frozen=True, slots=True)
class Relation:
    first: Node
    rest: tuple[tuple[str, Node], ...]

    def evaluate(self, scope: Scope) -> Any:
        value = self.first.evaluate(scope)
        for relation, operand in self.rest:
            other = operand.evaluate(scope)
            if relation == "in":
                value = is_within(value, other, scope.meter)
            elif relation in ("==", "!="):
                value = equal(value, other, scope.meter) is (relation == "==")
            else:
                check_order(value, other)
                value = _ORDERS[relation](value, other)
        return value


_ORDERS: dict[str, Callable[[Any, Any], bool]] = {"<": lt, "<=": le, ">": gt, ">=": ge}


@dataclass(frozen=True, slots=True)
class Junction:
    """`&&` or `||`. One operand that decides is enough: what another one raises does not matter then."""

    operands: tuple[Node, ...]
    decisive: bool

    def evaluate(self, scope: Scope) -> bool:
        failed: EvaluationError | None = None
        for operand in self.operands:
            try:
                if truth(operand.evaluate(scope), "||" if self.decisive else "&&") is self.decisive:
                    return self.decisive
            except TooMuchError:
                raise  # or `expensive || expensive || …` could go on with an empty meter
            except EvaluationError as error:
                failed = failed or error
        if failed is not None:
            raise failed
        return not self.decisive


@dataclass(frozen=True, slots=True)
class Choice:
    test: Node
    then: Node
    otherwise: Node

    def evaluate(self, scope: Scope) -> Any:
        chosen = self.then if truth(self.test.evaluate(scope), "? :") else self.otherwise
        return chosen.evaluate(scope)


@dataclass(frozen=True, slots=True)
class Walk:
    """`map`, `filter`, `all`, `exists` or `exists_one`: a map is walked through by its keys."""

    macro: str
    element: str
    test: Node | None
    result: Node | None
    """Of `map`: what is made of each element."""
    work: int
    """What one step costs without what it calls."""

    def apply(self, value: Any, scope: Scope) -> Any:
        elements = self._elements(value)
        scope.meter.spend(len(elements))
        inner = Scope(scope.facts, dict(scope.elements))
        match self.macro:
            case "map":
                return self._mapped(elements, inner)
            case "filter":
                return [element for element in elements if self._holds(element, inner)]
            case "all":
                return all(self._holds(element, inner) for element in elements)
            case "exists":
                return any(self._holds(element, inner) for element in elements)
        return sum(self._holds(element, inner) for element in elements) == 1

    def _mapped(self, elements: list[Any], inner: Scope) -> list[Any]:
        assert self.result is not None
        made = []
        for element in elements:
            if self.test is not None and not self._holds(element, inner):
                continue
            inner.meter.spend(self.work)
            inner.elements[self.element] = element
            made.append(self.result.evaluate(inner))
        return made

    def _holds(self, element: Any, inner: Scope) -> bool:
        assert self.test is not None
        inner.meter.spend(self.work)
        inner.elements[self.element] = element
        return truth(self.test.evaluate(inner), self.macro)

    def _elements(self, value: Any) -> list[Any]:
        if not (is_list(value) or is_map(value)):
            raise EvaluationError(
                f"{self.macro} goes through a list or a map, not through {described(value)}"
            )
        if len(value) > MAX_ELEMENTS:
            raise TooMuchError(
                f"{self.macro} would go through {len(value)} elements; it may through {MAX_ELEMENTS}"
            )
        return order_of_keys(value) if is_map(value) else list(value)
