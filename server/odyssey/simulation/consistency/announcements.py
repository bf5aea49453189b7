"""What a response says was done, where it shows no entity: a status alone, a list of changes, the names of fields."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from odyssey.kit.words import same_nouns, tokens, word_set
from odyssey.records.ledger import Add, Update, Violation
from odyssey.simulation.consistency.knowledge import CallMeaning, WorldKnowledge
from odyssey.simulation.consistency.notation import is_number, may_say_the_same
from odyssey.simulation.engine import Answer, ToolCall
from odyssey.worlds.ledger import Ledger, json_equal
from odyssey.worlds.schema import brief

_WRAPPERS = word_set("result data")
_CHANGES = word_set("changes changed updates updated new_values applied applied_changes")
_FIELDS = word_set(
    "updated_fields changed_fields modified_fields fields_updated fields_changed updated changed modified"
)
_NEW = frozenset({"new", "updated", "current"})
_BECAME = ("to", "new", "after")
_VOCABULARY = 100


class _Target(NamedTuple):
    """The one entity that the call wrote."""

    write: Add | Update
    stood: Mapping[str, Any]
    held: Mapping[str, Any]
    fields: tuple[str, ...]
    """What entities of its type have."""


def check_announcements(
    call: ToolCall, answer: Answer, known: WorldKnowledge, meant: CallMeaning, before: Ledger, after: Ledger
) -> Iterator[Violation]:
    target = _target(answer, known, meant, before, after)
    for said in _objects(answer.response) if target is not None else ():
        assert target is not None
        is_shown = any(name in said for name in known.names_of_id(target.write.entity_type))
        for name, value in said.items():
            if isinstance(value, list):
                yield from _check_names(name, value, target, call)
            elif isinstance(value, dict) and name in _CHANGES:
                for field, each in value.items():
                    yield from _check_change(field, each, target, call)
            elif value is not None:
                yield from _check_member(name, value, target, call, before, is_shown=is_shown)


def _target(
    answer: Answer, known: WorldKnowledge, meant: CallMeaning, before: Ledger, after: Ledger
) -> _Target | None:
    writes = [each for each in answer.operations if isinstance(each, Add | Update)]
    about = [each for each in writes if (each.entity_type, each.id) == meant.one]
    write = about[0] if about else writes[0] if len(writes) == 1 else None
    held = None if write is None else after.entity(write.entity_type, write.id)
    if write is None or held is None:
        return None
    knowledge = known.types.get(write.entity_type)
    fields = tuple(write.fields) if knowledge is None else knowledge.anatomy.fields
    return _Target(write, before.entity(write.entity_type, write.id) or {}, held, fields)


def _objects(response: Any) -> Iterator[dict[str, Any]]:
    if isinstance(response, dict):
        yield response
        yield from (response[name] for name in _WRAPPERS if isinstance(response.get(name), dict))


def _check_member(
    name: str, value: Any, target: _Target, call: ToolCall, before: Ledger, *, is_shown: bool
) -> Iterator[Violation]:
    """A member that says what a written field became: `new_seat`, `order_status`, or `status` without an id."""
    field = _field(name, target)
    if field is None or (field == name and is_shown):
        return  # of an entity that is shown, members of the fields' own names are compared elsewhere
    held = target.held.get(field)
    if held is None or may_say_the_same(value, held):
        return
    if isinstance(value, str):
        # "status" may as well be that of the answer: "accepted" is one, and no booking ever was that.
        choices = before.vocabulary(target.write.entity_type, (field,), at_most=_VOCABULARY)
        is_meant = value in choices or value in call.arguments.values()
    else:
        is_meant = call.arguments.get(name) == held or (field != name and is_number(value))
    if is_meant:
        yield _mismatch(field, value, held, target, call)


def _field(name: str, target: _Target) -> str | None:
    words = tokens(name)
    is_status = name in target.fields and words[-1:] in (("status",), ("state",))
    if name in target.write.fields or is_status:
        return name
    for length in range(1, len(words)):
        first, rest = words[:length], words[length:]
        if (length == 1 and first[0] in _NEW) or same_nouns(first, tokens(target.write.entity_type)):
            return next((each for each in target.write.fields if tokens(each) == rest), None)
    return None


def _check_change(field: str, value: Any, target: _Target, call: ToolCall) -> Iterator[Violation]:
    if isinstance(value, dict):
        value = next((value[name] for name in _BECAME if name in value), None)
    held = target.held.get(field)
    if field not in target.fields or value is None or isinstance(value, dict | list):
        return
    if held is None or not may_say_the_same(value, held):
        yield _mismatch(field, value, held, target, call)


def _check_names(name: str, value: list[Any], target: _Target, call: ToolCall) -> Iterator[Violation]:
    """`updated_fields` names what is not so already and was not written."""
    if name not in _FIELDS or not value or not all(each in target.fields for each in value):
        return
    for field in value:
        is_so = field in call.arguments and json_equal(call.arguments[field], target.held.get(field))
        if field in target.write.fields or is_so:
            continue
        place = (target.write.entity_type, target.write.id, field)
        message = (
            f"the response says that {field} of {place[0]} {place[1]!r} has changed; nothing is written to it"
        )
        yield Violation("forgotten_write", *place, message, call.sequence)


def _mismatch(field: str, value: Any, held: Any, target: _Target, call: ToolCall) -> Violation:
    place = (target.write.entity_type, target.write.id, field)
    said = f"the response says {field} of {place[0]} {place[1]!r} is {brief(value)}"
    message = f"{said}; in the ledger it is {brief(held)}"
    return Violation("response_mismatch", *place, message, call.sequence)
