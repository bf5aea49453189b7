"""Looking at the world: one entity by its id or by its fields, or all that pass the filters."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from odyssey.records.canonical import canonical_json
from odyssey.simulation.engine import Answer
from odyssey.simulation.world.answer import (
    CERTAIN,
    LIKELY,
    UNSURE,
    Question,
    identity_of,
    not_found,
    refuse,
    respond,
)
from odyssey.simulation.world.words import tokens
from odyssey.worlds.schema import id_text

_LIMITS = frozenset({"limit", "max_results", "page_size", "per_page", "top", "max_items", "num_results"})
_OFFSETS = frozenset({"offset", "skip"})


class _Selection(NamedTuple):
    filters: dict[str, Any]
    """Field names and the values they must have."""
    limit: int | None
    offset: int
    ignored: list[str]
    """Arguments that name no field."""


def read(question: Question) -> Answer:
    """One entity by its id; without an id, the one that has the given fields; without either, a list."""
    entity_id = id_text(question.given(question.intent.id_argument))
    if entity_id is None:
        return _read_by_fields(question)
    fields = question.kind.entities.get(entity_id)
    if fields is None:
        return not_found(question, entity_id)
    return respond(
        question,
        dict(fields),
        f"read {question.kind.name} by {question.intent.id_argument}",
        confidence=CERTAIN,
        identity=identity_of(question.kind, entity_id),
    )


def list_entities(question: Question) -> Answer:
    selection = _select(question)
    found = _matching(question, selection.filters)
    end = None if selection.limit is None else selection.offset + selection.limit
    page = found[selection.offset : end]
    items = [_with_id(question, entity_id, fields) for entity_id, fields in page]
    return respond(
        question,
        items,
        f"list {question.kind.name}{_by(selection.filters)}",
        confidence=LIKELY if selection.ignored else CERTAIN,
    )


def _read_by_fields(question: Question) -> Answer:
    selection = _select(question)
    if question.intent.plural or not selection.filters:
        return list_entities(question)
    found = _matching(question, selection.filters)
    explanation = f"read {question.kind.name}{_by(selection.filters)}"
    if not found:
        wanted = " and ".join(f"{name} {value!r}" for name, value in selection.filters.items())
        return refuse("not_found", f"No {question.noun} with {wanted} exists.", explanation)
    entity_id, fields = found[0]
    return respond(
        question,
        _with_id(question, entity_id, fields),
        explanation,
        confidence=CERTAIN if len(found) == 1 and not selection.ignored else UNSURE,
        identity=identity_of(question.kind, entity_id),
    )


def _select(question: Question) -> _Selection:
    selection = _Selection({}, _number(question, _LIMITS), _number(question, _OFFSETS) or 0, [])
    for argument, value in question.call.arguments.items():
        field = question.kind.field_named(argument)
        if value is None or argument == question.intent.id_argument:
            continue
        if field is not None:
            selection.filters[field] = value
        elif "_".join(tokens(argument)) not in _LIMITS | _OFFSETS:
            selection.ignored.append(argument)
    return selection


def _number(question: Question, names: frozenset[str]) -> int | None:
    for argument, value in question.call.arguments.items():
        is_count = isinstance(value, int) and not isinstance(value, bool) and value >= 0
        if is_count and "_".join(tokens(argument)) in names and question.kind.field_named(argument) is None:
            return int(value)
    return None


def _matching(question: Question, filters: Mapping[str, Any]) -> list[tuple[str, Mapping[str, Any]]]:
    wanted_id = id_text(question.given(question.intent.id_argument))
    wanted = {name: canonical_json(value) for name, value in filters.items()}
    return [
        (entity_id, fields)
        for entity_id, fields in question.kind.entities.items()
        if wanted_id in (None, entity_id)
        and all(name in fields and canonical_json(fields[name]) == value for name, value in wanted.items())
    ]


def _with_id(question: Question, entity_id: str, fields: Mapping[str, Any]) -> dict[str, Any]:
    """An entity among others needs its id to be told apart, also where the world keeps it only as the key."""
    if any(id_text(value) == entity_id for value in fields.values()):
        return dict(fields)
    name = question.kind.id_field or "id"
    return {name: identity_of(question.kind, entity_id)[name], **fields}


def _by(filters: Mapping[str, Any]) -> str:
    return f" by {', '.join(filters)}" if filters else ""
