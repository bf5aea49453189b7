"""The world at one moment of a call, as the expressions of its lines see it."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

from odyssey.expressions import EvaluationError, Expression, Facts, Text
from odyssey.kit.words import phrase, same_name
from odyssey.records.ledger import Add, Operation
from odyssey.simulation.behaviours.behaviours import Let
from odyssey.simulation.consistency.knowledge import know_world
from odyssey.simulation.engine import Answer, Reading, ToolCall
from odyssey.simulation.world.kinds import Kind, know, known_types
from odyssey.simulation.world.meaning import Intent, find_id_argument, understand
from odyssey.worlds.ledger import Ledger
from odyssey.worlds.schema import id_text

# Which entity the name of a type means for a call: the one an argument gives the id of, or one that it leads to.

_LONGEST_WAY = 3
"""How many references lead from an argument to an entity at most."""


class BoundEntity(NamedTuple):
    """The entity that is meant; without fields there is none of this id."""

    entity_type: str
    id: str
    argument: str | None
    """The one that gives the id; None if a reference does."""
    fields: Mapping[str, Any] | None


class Binding:
    """What the names of types mean for one call, each found out when first asked for."""

    def __init__(self, call: ToolCall, world: Ledger, operations: Sequence[Operation] = ()) -> None:
        """`operations` are those of the call, if they have been applied: what it added can be meant too."""
        self._call = call
        self._world = world
        self._added = [each for each in operations if isinstance(each, Add)]
        self._found: dict[str, BoundEntity | None] = {}
        self._intent: Intent | None = None

    def find(self, entity_type: str) -> BoundEntity | None:
        """The entity of this type that the call is about; None if nothing says which."""
        if entity_type not in self._found:
            by_argument = self._by_argument(entity_type)
            if by_argument is not None and by_argument.fields is not None:
                self._found[entity_type] = by_argument
            else:
                found = self._by_addition(entity_type) or by_argument or self._by_reference(entity_type)
                self._found[entity_type] = found
        return self._found[entity_type]

    def fields(self, entity_type: str) -> dict[str, Any] | None:
        """What a bare type stands for in an expression."""
        found = self.find(entity_type)
        return None if found is None or found.fields is None else dict(found.fields)

    def missing(self, types: Iterable[str]) -> BoundEntity | None:
        """The first of these types of which the call names an entity that does not exist."""
        for entity_type in types:
            found = self.find(entity_type)
            if found is not None and found.fields is None:
                return found
        return None

    def _by_argument(self, entity_type: str) -> BoundEntity | None:
        arguments = self._call.arguments
        argument = self._argument_for(know(entity_type, self._world, self._call.ledger_schema))
        entity_id = None if argument is None else id_text(arguments.get(argument))
        if entity_id is None:
            return None
        return BoundEntity(entity_type, entity_id, argument, self._world.entity(entity_type, entity_id))

    def _argument_for(self, kind: Kind) -> str | None:
        given = [name for name, value in self._call.arguments.items() if id_text(value) is not None]
        for argument in given:
            if kind.is_meant_by(argument):
                return argument
        for argument in given:
            if same_name(argument, kind.name):
                return argument
        if self._intent is None:
            self._intent = understand(self._call, self._world)
        intent = self._intent
        if intent.entity_type == kind.name:
            return intent.id_argument
        is_named = intent.naming.entity_type == kind.name
        return find_id_argument(self._call, kind, intent.naming) if is_named else None

    def _by_addition(self, entity_type: str) -> BoundEntity | None:
        added = [each for each in self._added if each.entity_type == entity_type]
        if not added:
            return None
        return BoundEntity(entity_type, added[-1].id, None, self._world.entity(entity_type, added[-1].id))

    def _by_reference(self, entity_type: str) -> BoundEntity | None:
        """Follow references outward from what the arguments name: the nearest counts, and the first of them."""
        schema = self._call.ledger_schema
        known = know_world(self._world, schema)
        others = [name for name in known_types(self._world, schema) if name != entity_type]
        found = [bound for name in others if (bound := self._by_argument(name)) is not None]
        reached = [bound for bound in found if bound.fields is not None]
        seen = {(bound.entity_type, bound.id) for bound in reached}
        for _ in range(_LONGEST_WAY):
            further: list[BoundEntity] = []
            for start in reached:
                for field, value in (start.fields or {}).items():
                    entity_id = id_text(value)
                    for target in known.pointed_at(start.entity_type, field) if entity_id else ():
                        fields = self._world.entity(target, entity_id or "")
                        if fields is not None and (target, entity_id) not in seen:
                            seen.add((target, entity_id or ""))
                            further.append(BoundEntity(target, entity_id or "", None, fields))
            for bound in further:
                if bound.entity_type == entity_type:
                    return bound
            reached = further
        return None


# How a call ends when its lines say so, or when they cannot be carried out.


class BehaviourFailedError(Exception):
    """A line could not be carried out: a fault of the line, not a refusal of the tool."""

    def __init__(self, line: int, reason: str) -> None:
        super().__init__(f"line {line}: {reason}")
        self.line = line
        self.reason = reason


class UnsaidError(BehaviourFailedError):
    """Nothing in the call says which entity a line means. A line for all tools is not about such a call."""


class CallRefusedError(Exception):
    """The call is refused; nothing changes. Raised and caught inside the layer only."""

    def __init__(self, line: int, code: str, message: str) -> None:
        super().__init__(message)
        self.line = line
        self.response: dict[str, Any] = {"error": {"code": code, "message": message}}

    def answer(self, reading: Reading, certainty: float) -> Answer:
        return Answer(
            response=self.response,
            certainty=certainty,
            refused=True,
            explanation=f"{reading.in_words()}: refused by behaviour line {self.line}",
            reading=reading,
            by_own_rules=True,
            evidence="behaviour",
        )


Found = TypeVar("Found")


class Moment(NamedTuple):
    facts: Facts
    binding: Binding
    first: Binding
    """What types meant before the call: only what was not there then was never found."""
    lets: Mapping[str, Let]

    def value(self, line: int, expression: Expression) -> Any:
        """Raises CallRefusedError if the call names an entity that is not there, else BehaviourFailedError."""
        return self._evaluate(line, expression.names, lambda: expression.evaluate(self.facts))

    def holds(self, line: int, expression: Expression | None) -> bool:
        if expression is None:
            return True
        condition = expression
        return self._evaluate(line, condition.names, lambda: condition.holds(self.facts))

    def text(self, line: int, text: Text) -> str:
        return self._evaluate(line, text.names, lambda: text.render(self.facts))

    def _evaluate(self, line: int, names: frozenset[str], act: Callable[[], Found]) -> Found:
        try:
            return act()
        except EvaluationError as error:
            types = sorted(set(self._types(names)))
            missing = self.first.missing(types)
            if missing is not None:
                raise not_found(line, missing) from None
            unsaid = next((name for name in types if self.first.find(name) is None), None)
            if unsaid is not None:
                raise unsaid_error(line, unsaid) from None
            raise BehaviourFailedError(line, str(error)) from None

    def _types(self, names: frozenset[str]) -> Iterator[str]:
        """The types among these names, and among those that their lets use in turn."""
        for name in names:
            let = self.lets.get(name)
            if let is None:
                yield name
            else:
                yield from self._types(let.value.names)


def unsaid_error(line: int, entity_type: str) -> UnsaidError:
    return UnsaidError(line, f"nothing in the call says which {phrase(entity_type)} is meant")


def not_found(line: int, missing: BoundEntity) -> CallRefusedError:
    message = f"No {phrase(missing.entity_type)} with id {missing.id!r} exists."
    return CallRefusedError(line, "not_found", message)
