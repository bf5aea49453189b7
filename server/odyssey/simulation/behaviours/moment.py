"""The world at one moment of a call, as the expressions of its lines see it."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple, TypeVar

from odyssey.expressions import EvaluationError, Expression, Facts, Text
from odyssey.kit.words import phrase
from odyssey.simulation.behaviours.binding import Binding, BoundEntity
from odyssey.simulation.behaviours.failing import BehaviourFailedError, RefusedError, UnsaidError
from odyssey.simulation.behaviours.parts import Let

Found = TypeVar("Found")


class Moment(NamedTuple):
    facts: Facts
    binding: Binding
    first: Binding
    """What types meant before the call: only what was not there then was never found."""
    lets: Mapping[str, Let]

    def value(self, line: int, expression: Expression) -> Any:
        """Raises RefusedError if the call names an entity that is not there, else BehaviourFailedError."""
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


def not_found(line: int, missing: BoundEntity) -> RefusedError:
    message = f"No {phrase(missing.entity_type)} with id {missing.id!r} exists."
    return RefusedError(line, "not_found", message)
