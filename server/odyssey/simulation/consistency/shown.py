"""Whether a response shows entities as the ledger has them after the call: what was written can be read at once."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from odyssey.records.ledger import Add, Update, Violation
from odyssey.simulation.consistency.comparing import (
    SCALARS,
    Contradiction,
    check_invented,
    contradictions,
    invented,
)
from odyssey.simulation.consistency.knowledge import CallMeaning, WorldKnowledge
from odyssey.simulation.consistency.lists import check_listed_ids
from odyssey.simulation.engine import Answer
from odyssey.worlds.ledger import Ledger
from odyssey.worlds.schema import brief, id_text


class Moments(NamedTuple):
    """The world on both sides of a call, and the number of the call."""

    before: Ledger
    after: Ledger
    sequence: int | None


class _Entity(NamedTuple):
    """An entity an object of the response may be."""

    entity_type: str
    id: str
    fields: Mapping[str, Any]

    def shares(self, shown: dict[str, Any]) -> int:
        return sum(name in self.fields for name in shown)


_ShownEntity = tuple[_Entity, list[Contradiction]]
"""The entity an object is, and what the object says otherwise of it than the ledger.

What the ledger does not have, the tool may have worked out.
"""


def check_shown(
    answer: Answer, known: WorldKnowledge, meant: CallMeaning, moments: Moments, *, at_most: int
) -> list[Violation]:
    """Compare every object that gives the id of an entity in that entity's own id field.

    Inside an entity nothing is looked for that is a part of it: an order keeps the price a product once had.
    """
    check = _Check(answer, known, meant, moments)
    found: list[Violation] = []
    waiting: list[Any] = [answer.response]
    while waiting and len(found) < at_most:
        value = waiting.pop()
        if isinstance(value, list):
            if value and type(value[0]) is str and value is answer.response:
                found += check.listed(None, value)
            waiting.extend(each for each in reversed(value) if isinstance(each, dict | list))
        elif isinstance(value, dict):
            shown = check.identify(value)
            inside = [name for name, each in value.items() if isinstance(each, dict | list)]
            for name in inside:
                if type(value[name]) is list and value[name] and type(value[name][0]) is str:
                    found += check.listed(name, value[name], shown)
            waiting.extend(value[name] for name in reversed(inside) if not _is_part_of(shown, name))
            found += check.violations(value, shown)
    return found + check.wrong_one()


class _Check:
    def __init__(self, answer: Answer, known: WorldKnowledge, meant: CallMeaning, moments: Moments) -> None:
        self._known = known
        self._meant = meant
        self._moments = moments
        self._response = answer.response
        self._id_names = known.id_names
        self._written = {
            (each.entity_type, each.id) for each in answer.operations if isinstance(each, Add | Update)
        }
        self._shown: dict[tuple[str, str], None] = {}
        for operation in answer.operations:
            knowledge = known.types.get(operation.entity_type) if isinstance(operation, Add) else None
            if isinstance(operation, Add) and (knowledge is None or knowledge.anatomy.id_field is None):
                self._learn(operation)

    def _learn(self, operation: Add) -> None:
        """Take the field that repeats the id of the first entity of a type for the type's id field."""
        for name, value in operation.fields.items():
            if name.lower().endswith("id") and id_text(value) == operation.id:
                self._add_name(name, operation.entity_type)
        if operation.entity_type not in self._known.types:
            self._add_name("id", operation.entity_type)

    def _add_name(self, name: str, entity_type: str) -> None:
        types = self._id_names.get(name, ())
        if entity_type not in types:
            self._id_names = {**self._id_names, name: (*types, entity_type)}

    def identify(self, value: dict[str, Any]) -> _ShownEntity | None:
        """The entity an object shows; None if it shows none, or if that cannot be told."""
        candidates = self._candidates(value) or self._the_one_asked_for(value)
        if len(candidates) > 1:
            most = max(each.shares(value) for each in candidates)
            candidates = [each for each in candidates if each.shares(value) == most]
        shown = [(each, self._contradicted(each, value)) for each in candidates]
        if len(shown) > 1:
            agreeing = [(entity, found) for entity, found in shown if not found]
            about = self._meant.entity_type
            shown = agreeing or [(entity, found) for entity, found in shown if entity.entity_type == about]
        if not shown or (shown[0][1] and self._known.is_a_part(value)):
            return None
        return shown[0]

    def listed(
        self, name: str | None, texts: list[Any], shown: _ShownEntity | None = None
    ) -> list[Violation]:
        """Ids in a list of texts; what the entity shown around it keeps under that name is compared with it."""
        if shown is not None and name in shown[0].fields:
            return []
        return check_listed_ids(
            name, texts, self._known, self._meant, self._moments.before, self._moments.after
        )

    def violations(self, value: dict[str, Any], shown: _ShownEntity | None) -> Iterator[Violation]:
        if shown is None:
            yield from check_invented(value, self._id_names, self._known, self._meant, *self._moments)
            return
        entity, contradicted = shown
        self._shown[entity.entity_type, entity.id] = None
        yield from _mismatches(entity, contradicted, self._moments.sequence)
        if (entity.entity_type, entity.id) in self._written:
            yield from self._unwritten(value, entity)

    def wrong_one(self) -> list[Violation]:
        """`get_thing` of one id that shows things, but not that one."""
        if self._meant.act != "look" or any(each in self._meant.given for _, each in self._shown):
            return []
        one = self._meant.one if self._shown and not self._meant.is_a_list() else None
        others = [] if one is None else [each for each in self._shown if each[0] == one[0]]
        if one is None or not others or not self._meant.is_that_one_alone():
            return []
        entity_type, entity_id = others[0]
        message = f"{entity_type} {one[1]!r} was asked for, and {entity_type} {entity_id!r} is shown"
        return [Violation("wrong_entity", entity_type, entity_id, None, message, self._moments.sequence)]

    def _candidates(self, value: dict[str, Any]) -> list[_Entity]:
        """The entities whose ids it gives, unless it has more of a type that has no such id than of any of them."""
        found: list[_Entity] = []
        missing: list[str] = []
        for name in value:
            for entity_type in self._id_names.get(name, ()):
                entity_id = id_text(value[name])
                fields = self._moments.after.entity(entity_type, entity_id) if entity_id else None
                if fields is not None and entity_id is not None:
                    found.append(_Entity(entity_type, entity_id, fields))
                elif entity_id:
                    missing.append(entity_type)
        if found and missing:
            there = max(self._known.likeness(each.entity_type, value) for each in found)
            return found if max(self._known.likeness(each, value) for each in missing) <= there else []
        return found

    def _the_one_asked_for(self, value: dict[str, Any]) -> list[_Entity]:
        """An object without an id, in answer to a call about one entity, with that entity's members."""
        about = self._meant.entity_type
        if about is None or not self._is_all_of_the_answer(value) or self._known.likeness(about, value) < 2:
            return []
        one = self._meant.one if self._meant.act in ("look", "update") else None
        if one is None or any(name in value for name in self._known.names_of_id(one[0])):
            return []
        fields = self._moments.after.entity(*one)
        entity = _Entity(*one, fields or {})
        shares = entity.shares(value)
        return [entity] if fields is not None and shares >= 2 and 2 * shares > len(value) else []

    def _is_all_of_the_answer(self, value: dict[str, Any]) -> bool:
        """Whether it is the response, or the only object in it: `{"thing": {…}}`."""
        response = self._response
        if value is response or not isinstance(response, dict):
            return value is response
        inside = [each for each in response.values() if isinstance(each, dict | list)]
        return len(inside) == 1 and value is inside[0]

    def _contradicted(self, entity: _Entity, value: dict[str, Any]) -> list[Contradiction]:
        whole = (entity.entity_type, entity.id) in self._written
        found: list[Contradiction] = []
        for name, shown in value.items():
            if name not in entity.fields:
                continue
            held = entity.fields[name]
            if type(shown) is not type(held) or shown != held or type(shown) not in SCALARS:
                found += contradictions(shown, held, name, whole=whole)
        return found

    def _unwritten(self, value: dict[str, Any], entity: _Entity) -> Iterator[Violation]:
        """What others of the type keep, the response claims of an entity just written, and nobody wrote."""
        knowledge = self._known.types.get(entity.entity_type)
        for name in knowledge.anatomy.fields if knowledge is not None else ():
            claimed = value.get(name)
            is_id = knowledge is not None and name == knowledge.anatomy.id_field
            if claimed is None or name in entity.fields or is_id:
                continue
            message = (
                f"the response says {name} of {entity.entity_type} {entity.id!r} is {brief(claimed)}; "
                "this call writes the entity and leaves that out"
            )
            yield Violation(
                "forgotten_write", entity.entity_type, entity.id, name, message, self._moments.sequence
            )


def _is_part_of(shown: _ShownEntity | None, name: str) -> bool:
    """Whether a member is the entity's own, and not others shown in place of their ids."""
    if shown is None or name not in shown[0].fields:
        return False
    held = shown[0].fields[name]
    return isinstance(held, dict) or (isinstance(held, list) and any(isinstance(each, dict) for each in held))


def _mismatches(
    entity: _Entity, contradicted: list[Contradiction], sequence: int | None
) -> Iterator[Violation]:
    entity_type, entity_id, _ = entity
    for field, claimed, held in contradicted:
        message = (
            f"the response says {field} of {entity_type} {entity_id!r} is {brief(claimed)}; "
            f"in the ledger it is {brief(held)}"
        )
        yield Violation("response_mismatch", entity_type, entity_id, field, message, sequence)


# An answer that is no entity: the id of one, or the field of one that the name of the tool says.


def check_answered(response: Any, meant: CallMeaning, after: Ledger, sequence: int | None) -> list[Violation]:
    """A sentence says anything; a single word, a number or a record says what the ledger has, or the wrong thing."""
    if meant.act != "look" or meant.is_all_of_it() or isinstance(response, list) or response is None:
        return []
    if isinstance(response, str) and len(response.split()) != 1:
        return []
    return _check_id(response, meant, after, sequence) or _check_field(response, meant, after, sequence)


def _check_id(response: Any, meant: CallMeaning, after: Ledger, sequence: int | None) -> list[Violation]:
    """`find_thing_id` answers with an id, which a thing must have."""
    entity_id = id_text(response)
    entity_type = meant.is_an_id() if entity_id else None
    if entity_type is None or not entity_id or after.entity(entity_type, entity_id) is not None:
        return []
    return [invented(entity_type, entity_id, None, sequence)]


def _check_field(response: Any, meant: CallMeaning, after: Ledger, sequence: int | None) -> list[Violation]:
    """`get_thing_status` of one thing answers with its status; what a text may be, the other things tell."""
    path = meant.field()
    if path is None or meant.one is None:
        return []
    entity_type, entity_id = meant.one
    held: Any = after.entity(entity_type, entity_id)
    for name in path:
        held = held.get(name) if hasattr(held, "get") else None
    if type(held) is not type(response) or (isinstance(response, str) and response not in meant.texts(path)):
        return []
    field = ".".join(path)
    return [
        Violation(
            "response_mismatch",
            entity_type,
            entity_id,
            each.field,
            f"the response says {each.field} of {entity_type} {entity_id!r} is {brief(each.shown)}; "
            f"in the ledger it is {brief(each.held)}",
            sequence,
        )
        for each in contradictions(response, held, field, whole=False)
    ]
