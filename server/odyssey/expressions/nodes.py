"""The parts of an expression that was read: functions that work out a value in a scope and count what they do."""

from collections.abc import Callable
from dataclasses import dataclass
from operator import ge, gt, le, lt
from typing import Any

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


Node = Callable[[Scope], Any]
"""A part of an expression: gives its value in a scope."""
Step = Callable[[Any, Scope], Any]
"""What is done to the value before it: `.name`, `[key]`, `.name(…)`."""


def literal(value: Any) -> Node:
    return lambda _scope: value


def name(called: str) -> Node:
    return lambda scope: scope.facts.value(called)


def element(called: str) -> Node:
    """The name a walk around gives to what it is at."""
    return lambda scope: scope.elements[called]


def operand(start: Node, steps: tuple[Step, ...]) -> Node:
    if not steps:
        return start

    def evaluate(scope: Scope) -> Any:
        value = start(scope)
        for step in steps:
            value = step(value, scope)
        return value

    return evaluate


def member(called: str) -> Step:
    return lambda value, _scope: member_of(value, called)


def item(key: Node) -> Step:
    return lambda value, scope: item_at(value, key(scope))


def function_call(function: Function, arguments: tuple[Node, ...]) -> Node:
    return lambda scope: function.call(scope.facts, [each(scope) for each in arguments])


def method_call(function: Function, arguments: tuple[Node, ...]) -> Step:
    """`value.name(…)`: the same function with the value as its first argument."""
    return lambda value, scope: function.call(scope.facts, [value, *(each(scope) for each in arguments)])


def has(of: Node, called: str) -> Node:
    def evaluate(scope: Scope) -> bool:
        value = of(scope)
        if not is_map(value):
            raise EvaluationError(f"has asks a map for a member, not {described(value)}")
        return called in value

    return evaluate


def list_of(items: tuple[Node, ...]) -> Node:
    return lambda scope: [each(scope) for each in items]


def map_of(members: tuple[tuple[Node, Node], ...]) -> Node:
    def evaluate(scope: Scope) -> dict[Any, Any]:
        made: dict[Any, Any] = {}
        for key_node, value_node in members:
            key = key_node(scope)
            if not is_key(key):
                raise EvaluationError(f"{described(key)} is no key of a map")
            if key in made and not has_key(made, key):
                raise EvaluationError("a map cannot have a boolean beside 0 or 1 as keys")
            made[key] = value_node(scope)
        return made

    return evaluate


def negation(of: Node) -> Node:
    return lambda scope: not truth(of(scope), "!")


def negative(of: Node) -> Node:
    return lambda scope: negate(of(scope))


def chain(first: Node, rest: tuple[tuple[str, Node], ...]) -> Node:
    """Operands with operators of one precedence between them, from left to right."""

    def evaluate(scope: Scope) -> Any:
        value = first(scope)
        for operator, other in rest:
            value = OPERATORS[operator](value, other(scope), scope.meter)
        return value

    return evaluate


_ORDERS: dict[str, Callable[[Any, Any], bool]] = {"<": lt, "<=": le, ">": gt, ">=": ge}


def relation(first: Node, rest: tuple[tuple[str, Node], ...]) -> Node:
    def evaluate(scope: Scope) -> Any:
        value = first(scope)
        for sign, other_node in rest:
            other = other_node(scope)
            if sign == "in":
                value = is_within(value, other, scope.meter)
            elif sign in ("==", "!="):
                value = equal(value, other, scope.meter) is (sign == "==")
            else:
                check_order(value, other)
                value = _ORDERS[sign](value, other)
        return value

    return evaluate


def junction(operands: tuple[Node, ...], *, decisive: bool) -> Node:
    """`&&` or `||`. One operand that decides is enough: what another one raises does not matter then."""

    def evaluate(scope: Scope) -> bool:
        failed: EvaluationError | None = None
        for each in operands:
            try:
                if truth(each(scope), "||" if decisive else "&&") is decisive:
                    return decisive
            except TooMuchError:
                raise  # or `expensive || expensive || …` could go on with an empty meter
            except EvaluationError as error:
                failed = failed or error
        if failed is not None:
            raise failed
        return not decisive

    return evaluate


def choice(test: Node, then: Node, otherwise: Node) -> Node:
    return lambda scope: (then if truth(test(scope), "? :") else otherwise)(scope)


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

    def __call__(self, value: Any, scope: Scope) -> Any:
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
            made.append(self.result(inner))
        return made

    def _holds(self, element: Any, inner: Scope) -> bool:
        assert self.test is not None
        inner.meter.spend(self.work)
        inner.elements[self.element] = element
        return truth(self.test(inner), self.macro)

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
