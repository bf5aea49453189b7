"""Whether a response shows entities as the ledger has them after the call: what was written can be read at once."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from odyssey.records.ledger import Add, Violation
from odyssey.simulation.consistency.knowledge import WorldKnowledge
from odyssey.simulation.engine import Answer
from odyssey.worlds.ledger import Ledger, json_equal
from odyssey.worlds.schema import brief, id_text

_SCALARS = frozenset({str, int, float, bool, type(None)})


class _Entity(NamedTuple):
    """An entity an object of the response may be, and what the object says otherwise of it."""

    entity_type: str
    id: str
    fields: Mapping[str, Any]
    contradicted: list[str]
    """The shown scalars that the ledger has otherwise. What it does not have, the tool may have worked out."""

    def shares(self, shown: dict[str, Any]) -> int:
        return sum(name in self.fields for name in shown)


def check_shown(
    answer: Answer, known: WorldKnowledge, after: Ledger, sequence: int | None, *, at_most: int
) -> list[Violation]:
    """Compare every object that gives the id of an entity in that entity's own id field.

    Inside an entity nothing is looked for that is a part of it: an order keeps the price a product once had.
    """
    check = _Check(answer, known, after)
    found: list[Violation] = []
    waiting: list[Any] = [answer.response]
    while waiting and len(found) < at_most:
        value = waiting.pop()
        if isinstance(value, list):
            waiting.extend(each for each in reversed(value) if isinstance(each, dict | list))
        elif isinstance(value, dict):
            entity = check.identify(value)
            inside = [name for name, each in value.items() if isinstance(each, dict | list)]
            waiting.extend(value[name] for name in reversed(inside) if not (entity and name in entity.fields))
            if entity is not None:
                found += _violations(entity, value, sequence)
    return found


class _Check:
    def __init__(self, answer: Answer, known: WorldKnowledge, after: Ledger) -> None:
        self._known = known
        self._after = after
        self._meant = None if answer.reading is None else answer.reading.entity_type
        self._id_fields = known.by_id_field
        for operation in answer.operations:
            knowledge = known.types.get(operation.entity_type) if isinstance(operation, Add) else None
            if isinstance(operation, Add) and (knowledge is None or knowledge.anatomy.id_field is None):
                self._learn(operation)

    def _learn(self, operation: Add) -> None:
        """Take the field that repeats the id of the first entity of a type for the type's id field."""
        for name, value in operation.fields.items():
            if name.lower().endswith("id") and id_text(value) == operation.id:
                types = self._id_fields.get(name, ())
                self._id_fields = {**self._id_fields, name: (*types, operation.entity_type)}

    def identify(self, shown: dict[str, Any]) -> _Entity | None:
        """The entity an object shows; None if it shows none, or if that cannot be told."""
        candidates = list(self._candidates(shown))
        if len(candidates) > 1:
            most = max(each.shares(shown) for each in candidates)
            candidates = [each for each in candidates if each.shares(shown) == most]
        if len(candidates) > 1:
            agreeing = [each for each in candidates if not each.contradicted]
            candidates = agreeing or [each for each in candidates if each.entity_type == self._meant]
        if not candidates or (candidates[0].contradicted and self._is_a_part(shown)):
            return None
        return candidates[0]

    def _candidates(self, shown: dict[str, Any]) -> Iterator[_Entity]:
        for name in shown:
            for entity_type in self._id_fields.get(name, ()):
                entity_id = id_text(shown[name])
                fields = None if entity_id is None else self._after.entity(entity_type, entity_id)
                if fields is not None and entity_id is not None:
                    yield _Entity(entity_type, entity_id, fields, _contradicted(shown, fields))

    def _is_a_part(self, shown: dict[str, Any]) -> bool:
        """Whether an object has the members of a part, which may point at an entity without being it."""
        return any(
            shown.keys() <= set(parts.members)
            for knowledge in self._known.types.values()
            for parts in knowledge.anatomy.collections
        )


def _contradicted(shown: dict[str, Any], held: Mapping[str, Any]) -> list[str]:
    return [
        name
        for name, value in shown.items()
        if type(value) in _SCALARS and name in held and _differs(value, held[name])
    ]


def _violations(entity: _Entity, shown: dict[str, Any], sequence: int | None) -> Iterator[Violation]:
    for name in entity.contradicted:
        message = (
            f"the response says {name} of {entity.entity_type} {entity.id!r} is {brief(shown[name])}; "
            f"in the ledger it is {brief(entity.fields[name])}"
        )
        yield Violation("response_mismatch", entity.entity_type, entity.id, name, message, sequence)


def _differs(shown: Any, held: Any) -> bool:
    if type(shown) is type(held):
        return bool(shown != held)
    return type(held) in _SCALARS and not json_equal(shown, held)
