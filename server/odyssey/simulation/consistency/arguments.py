"""Whether what is written is what the call asks for: its arguments, the status that it names, the amount it moves."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from odyssey.kit.words import id_noun, same_name, stem, tokens, word_set
from odyssey.records.ledger import Add, Update, Violation
from odyssey.simulation.consistency.knowledge import CallMeaning, WorldKnowledge
from odyssey.simulation.consistency.notation import (
    is_among,
    is_number,
    may_say_the_same,
    same_number,
    share_a_stem,
)
from odyssey.simulation.engine import Answer, ToolCall
from odyssey.simulation.world.answer import LIKELY
from odyssey.worlds.ledger import Ledger, json_equal
from odyssey.worlds.schema import brief, id_text

_DEPTH = 4
_PARTS = 100
"""Parts of a field that are looked at."""
_SCALARS = frozenset({str, int, float, bool})
_VOCABULARY = 100
_OTHER_AMOUNTS = re.compile(
    r"fee|rate|percent|%|interest|tax|bonus|conver|at most|up to|capp|limited|minimum|maximum|round|discount"
    r"|commission|remain|available|less\b|minus|surcharge|tip\b",
    re.IGNORECASE,
)
"""What a description says of a tool that does not take an amount as it is given."""
_OTHER_TEXTS = re.compile(
    r"normali|saniti|trunc|shorten|translat|summar|generat|mask|redact|hash", re.IGNORECASE
)


class _Namesake(NamedTuple):
    """A written value that is called as an argument is."""

    write: Add | Update
    path: tuple[str, ...]
    value: Any

    @property
    def field(self) -> str:
        return ".".join(self.path)


def check_arguments(
    call: ToolCall, answer: Answer, known: WorldKnowledge, meant: CallMeaning, before: Ledger
) -> list[Violation]:
    """Name arguments whose namesake is written with another value, or left out, while theirs is written nowhere.

    Where an argument is to be found as it was given, which is nearly everywhere, that is all that is asked.
    """
    writes = [each for each in answer.operations if isinstance(each, Add | Update)]
    found: list[Violation] = []
    if not writes:
        return found
    first = writes[0]
    for name, value in call.arguments.items():
        if first.id == value or first.fields.get(name) == value or type(value) not in _SCALARS:
            continue
        found += _check_argument(name, value, writes, call, known, meant, before)
    return found


def _check_argument(
    name: str,
    value: Any,
    writes: list[Add | Update],
    call: ToolCall,
    known: WorldKnowledge,
    meant: CallMeaning,
    before: Ledger,
) -> Iterator[Violation]:
    is_licensed = _OTHER_AMOUNTS if is_number(value) else _OTHER_TEXTS
    if is_licensed.search(call.tool.description) or _is_recorded(value, writes, before):
        return
    namesakes = [each for write in writes for each in _namesakes(name, write, known, before)]
    for each in namesakes:
        if may_say_the_same(value, each.value) or _is_a_choice(value, each, before):
            continue
        message = (
            f"{name} is {brief(value)}, but {each.field} of {each.write.entity_type} {each.write.id!r} "
            f"is written as {brief(each.value)}"
        )
        place = (each.write.entity_type, each.write.id, each.field)
        yield Violation("wrong_value", *place, message, call.sequence)
        return
    if not namesakes:
        yield from _check_left_out(name, value, writes, call, known, meant, before)


def _is_recorded(value: Any, writes: list[Add | Update], before: Ledger) -> bool:
    """Whether a value is anywhere in what is written, or is what a number rises or falls by."""
    if any(each.id == id_text(value) or is_among(value, each.fields) for each in writes):
        return True
    if not is_number(value):
        return False
    for each in writes:
        stood = before.entity(each.entity_type, each.id) or {}
        for name, number in each.fields.items():
            held = stood.get(name)
            if is_number(number) and is_number(held) and same_number(value, number - held):
                return True
    return False


def _namesakes(name: str, write: Add | Update, known: WorldKnowledge, before: Ledger) -> Iterator[_Namesake]:
    """What this write changes under the name of an argument, in a field, in a record or in a part."""
    stood = before.entity(write.entity_type, write.id) or {}
    path = _path_of(name, write.entity_type, known)
    if path is not None and path[0] in write.fields:
        value, held = _inside(write.fields, path), _inside(stood, path)
        is_there = value is not None and not json_equal(value, held)
        yield from [_Namesake(write, path, value)] if is_there else []
        return
    for field, value in write.fields.items():
        if isinstance(value, dict | list):
            yield from _in_parts(name, write, (field,), value, stood.get(field))


def _path_of(name: str, entity_type: str, known: WorldKnowledge) -> tuple[str, ...] | None:
    knowledge = known.types.get(entity_type)
    if knowledge is None:
        return (name,)
    return knowledge.anatomy.path_of(name, entity_type)


def _inside(fields: Mapping[str, Any], path: tuple[str, ...]) -> Any:
    value: Any = fields
    for name in path:
        value = value.get(name) if isinstance(value, Mapping) else None
    return value


def _in_parts(
    name: str, write: Add | Update, path: tuple[str, ...], value: Any, stood: Any
) -> Iterator[_Namesake]:
    """What is called so in parts that were not there before: those that stay are nobody's affair."""
    if len(path) > _DEPTH:
        return
    there = [each for _, each in _members(stood)]
    for key, inner in _members(value):
        if isinstance(inner, dict | list):
            if not any(json_equal(inner, each) for each in there):
                yield from _in_parts(name, write, (*path, str(key)), inner, None)
        elif isinstance(key, str) and inner is not None and same_name(key, name):
            yield _Namesake(write, (*path, key), inner)


def _members(value: Any) -> list[tuple[str | int, Any]]:
    if isinstance(value, list):
        return list(enumerate(value[:_PARTS]))
    return list(value.items())[:_PARTS] if isinstance(value, Mapping) else []


def _is_a_choice(asked: Any, namesake: _Namesake, before: Ledger) -> bool:
    """Whether a word was asked for that others do not have there, and one that they have was put for it."""
    if not isinstance(asked, str) or id_noun(namesake.path[-1]) is not None:
        return False
    choices = before.vocabulary(namesake.write.entity_type, namesake.path, at_most=_VOCABULARY)
    return namesake.value in choices and not any(
        isinstance(each, str) and may_say_the_same(asked, each) for each in choices
    )


def _check_left_out(
    name: str,
    value: Any,
    writes: list[Add | Update],
    call: ToolCall,
    known: WorldKnowledge,
    meant: CallMeaning,
    before: Ledger,
) -> Iterator[Violation]:
    """The entity that the call is about is written, and one of the fields that it asks for is not."""
    for write in writes:
        knowledge = known.types.get(write.entity_type)
        path = None if knowledge is None else knowledge.anatomy.path_of(name, write.entity_type)
        if path is None or not _is_owed(name, path, write, meant):
            continue
        held = _inside(before.entity(write.entity_type, write.id) or {}, path)
        if held is not None and may_say_the_same(value, held):
            continue
        field = ".".join(path)
        named = f"{write.entity_type} {write.id!r}"
        message = f"{name} is {brief(value)}, but {field} of {named}, which is written, is left out"
        yield Violation("forgotten_write", write.entity_type, write.id, field, message, call.sequence)
        return


def _is_owed(name: str, path: tuple[str, ...], write: Add | Update, meant: CallMeaning) -> bool:
    """Whether a field of this entity is what an argument is about."""
    if isinstance(write, Add):
        return meant.act == "create" and write.entity_type == meant.entity_type
    if id_noun(name) is not None:
        # Whose it is may be all that an id says; where the field is written as it was, it says more.
        return write.id in meant.given and path[0] in write.fields
    return (write.entity_type, write.id) == meant.one


# What the call changes by itself, as the world engine reads it: a status that it names, both sides of a transfer.


def check_effects(
    call: ToolCall, answer: Answer, meant: CallMeaning, before: Ledger, after: Ledger
) -> Iterator[Violation]:
    expected = meant.expected
    if expected.certainty < LIKELY or expected.refused:
        return
    touched = {(each.entity_type, each.id) for each in answer.operations if isinstance(each, Update)}
    if not any(
        (each.entity_type, each.id) in touched for each in expected.operations if isinstance(each, Update)
    ):
        return  # made elsewhere altogether, which is another fault or the tool's own affair
    is_moved = not _OTHER_AMOUNTS.search(call.tool.description)
    for operation in expected.operations:
        place = (operation.entity_type, operation.id) if isinstance(operation, Update) else None
        stood, held = (before.entity(*place), after.entity(*place)) if place else (None, None)
        if stood is None or held is None or not isinstance(operation, Update):
            continue
        for field, value in operation.fields.items():
            became = held.get(field)
            if type(value) not in _SCALARS or (became is not None and may_say_the_same(value, became)):
                continue
            if json_equal(became, stood.get(field)):
                if not _is_said_otherwise(answer, operation, value, meant):
                    yield _forgotten(call, operation, field, value)
            elif (is_number(value) and is_moved) or f"'{value}'" in call.tool.description:
                message = (
                    f"{call.tool.name} makes {field} of {operation.entity_type} {operation.id!r} {brief(value)}, "
                    f"but it is written as {brief(became)}"
                )
                yield Violation(
                    "wrong_value", operation.entity_type, operation.id, field, message, call.sequence
                )


def _forgotten(call: ToolCall, operation: Update, field: str, value: Any) -> Violation:
    message = (
        f"{call.tool.name} makes {field} of {operation.entity_type} {operation.id!r} {brief(value)}, "
        "but what is written leaves that out"
    )
    return Violation("forgotten_write", operation.entity_type, operation.id, field, message, call.sequence)


def _is_said_otherwise(answer: Answer, expected: Update, value: Any, meant: CallMeaning) -> bool:
    """Whether the entity keeps what happened to it under another name: `cancelled_at` in place of a status."""
    for each in answer.operations:
        if not isinstance(each, Update) or (each.entity_type, each.id) != (expected.entity_type, expected.id):
            continue
        texts = [*each.fields, *(text for text in each.fields.values() if isinstance(text, str))]
        if any(share_a_stem(text, meant.word) for text in texts) or is_among(value, each.fields):
            return True
    return False


# An amount that is added to a number of one entity, or taken from it: `deposit`, `withdraw`.

_ADDING = frozenset(stem(each) for each in word_set("deposit credit add adds increase top load restock"))
_TAKING = frozenset(stem(each) for each in word_set("withdraw debit take takes deduct subtract decrease"))
_AMOUNTS = word_set("amount quantity value sum units")
_STOCKS = word_set("balance stock inventory funds quantity")


def check_amount(call: ToolCall, answer: Answer, meant: CallMeaning, before: Ledger) -> Iterator[Violation]:
    """What a number of the entity rises or falls by must be the amount, unless the description says of more."""
    sign = _sign(call)
    amounts = [
        value for name, value in call.arguments.items() if is_number(value) and _ends_in(name, _AMOUNTS)
    ]
    if not sign or len(amounts) != 1 or _OTHER_AMOUNTS.search(call.tool.description):
        return
    for each in answer.operations:
        if not isinstance(each, Update) or each.id not in meant.given:
            continue
        stood = before.entity(each.entity_type, each.id) or {}
        for field, value in each.fields.items():
            held = stood.get(field)
            if not (_ends_in(field, _STOCKS) and is_number(value) and is_number(held)) or value == held:
                continue
            wanted = held + sign * amounts[0]
            if abs(wanted - value) >= 0.01:
                message = (
                    f"{call.tool.name} makes {field} of {each.entity_type} {each.id!r} {brief(wanted)}, "
                    f"but it is written as {brief(value)}"
                )
                yield Violation("wrong_value", each.entity_type, each.id, field, message, call.sequence)


def _sign(call: ToolCall) -> int:
    first = [stem(each) for each in (*tokens(call.tool.name)[:1], *tokens(call.tool.description)[:1])]
    rises, falls = any(each in _ADDING for each in first), any(each in _TAKING for each in first)
    return rises - falls


def _ends_in(name: str, words: frozenset[str]) -> bool:
    return tokens(name)[-1:] != () and tokens(name)[-1] in words
