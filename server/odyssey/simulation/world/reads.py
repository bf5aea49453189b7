"""Looking at the world: one entity by its id or by its fields, a part of one, or all that pass the filters."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from odyssey.kit.words import id_noun, is_id_list, listed
from odyssey.records.canonical import canonical_json
from odyssey.simulation.engine import Answer, Reading, ToolCall
from odyssey.simulation.world.answer import (
    CERTAIN,
    LIKELY,
    UNSURE,
    WorldQuestion,
    identity_of,
    not_found,
    not_understood,
    refuse,
    respond,
)
from odyssey.simulation.world.kinds import Kind, know, known_types
from odyssey.simulation.world.meaning import Intent, arguments_of
from odyssey.simulation.world.naming import as_map, attribute, attribute_of, listed_fields, wants_id
from odyssey.simulation.world.relations import belongs, home, listed_by_owner, part_in, places, pointed_at
from odyssey.simulation.world.roles import Filter, Order, RangeBound, Selection, TextSearch, page, select
from odyssey.simulation.world.shape import fits
from odyssey.simulation.world.status import status_filters
from odyssey.worlds.field_index import PathStep, values_at
from odyssey.worlds.ledger import Ledger
from odyssey.worlds.schema import id_text

# Finding the entities a selection asks for: through indexes where values are given, by looking otherwise.


def find(kind: Kind, selection: Selection, among: list[str] | None = None) -> list[str]:
    """The ids of the entities that pass, oldest first; `among` says which come into question."""
    # Filters for one value are looked up in indexes. Of those for several values ("open" or "paid") one is, if nothing
    # else has narrowed the search; all others are checked entity by entity, like bounds and texts.
    filters = [*selection.filters, *_by_key(selection)]
    single = [each for each in filters if len(each.values) == 1]
    rest = [each for each in filters if len(each.values) != 1]
    ids = among
    if single:
        found = _indexed(kind, single)
        ids = found if among is None else [each for each in among if each in set(found)]
    elif rest and ids is None:
        first = rest.pop()
        unique = {each for value in first.values for each in kind.world.having(kind.name, first.path, value)}
        ids = kind.world.oldest_first(kind.name, unique)
    if not (rest or selection.bounds or selection.texts):
        return list(kind.entities) if ids is None else ids
    entities = kind.entities
    return [
        each
        for each in (entities if ids is None else ids)
        if _passes(entities[each], rest, selection.bounds, selection.texts)
    ]


def in_order(kind: Kind, ids: list[str], order: Order | None) -> list[str]:
    """Sorted by one field; what lacks it comes last, what is equal stays in its place."""
    if order is None:
        return ids
    entities = kind.entities
    keyed = [(each, next(iter(values_at(entities[each], order.path)), None)) for each in ids]
    known = [(each, value) for each, value in keyed if isinstance(value, str | int | float)]
    # Numbers and texts do not compare; a field that has both keeps them apart.
    known.sort(key=lambda pair: (isinstance(pair[1], str), pair[1]), reverse=order.descending)
    lacking = [each for each, value in keyed if not isinstance(value, str | int | float)]
    return [each for each, _ in known] + lacking


def _by_key(selection: Selection) -> Iterator[Filter]:
    for part in selection.parts:
        yield Filter(part.argument, (part.collection.field, PathStep.KEY), (part.key,))


def _indexed(kind: Kind, filters: list[Filter]) -> list[str]:
    """By the very values; if nothing has them, without regard to case, as look-ups of names mostly are."""
    exact = kind.world.having_all(kind.name, [(each.path, each.values[0]) for each in filters])
    if exact or not any(isinstance(each.values[0], str) for each in filters):
        return exact
    return kind.world.having_all(
        kind.name, [((*each.path, PathStep.FOLDED), each.values[0]) for each in filters]
    )


def _passes(
    fields: Mapping[str, Any], filters: list[Filter], bounds: list[RangeBound], texts: list[TextSearch]
) -> bool:
    return (
        all(_has_any(fields, each) for each in filters)
        and all(is_within(fields, each) for each in bounds)
        and all(_contains(fields, each) for each in texts)
    )


def _has_any(fields: Mapping[str, Any], wanted: Filter) -> bool:
    values = {canonical_json(value) for value in wanted.values}
    return any(canonical_json(value) in values for value in values_at(fields, wanted.path))


def is_within(fields: Mapping[str, Any], bound: RangeBound) -> bool:
    for value in values_at(fields, bound.path):
        if isinstance(value, str) and isinstance(bound.value, str):
            # "until 2024-05-01" includes that day, whatever the hour; "before 2024-05-01" excludes all of it
            left: Any = value[: len(bound.value)]
        elif _is_number(value) and _is_number(bound.value):
            left = value
        else:
            continue
        if left == bound.value:
            return not bound.strict
        return bool(left > bound.value) == (bound.side == "low")
    return False


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _contains(fields: Mapping[str, Any], wanted: TextSearch) -> bool:
    inside: Any = fields if wanted.path is None else list(values_at(fields, wanted.path))
    text = wanted.text.casefold()
    if wanted.whole:
        return " ".join(_texts(inside)).casefold() == text
    found = [each.casefold() for each in _texts(inside)]
    return any(text in each for each in found) or _has_words(found, text.split())


def _has_words(found: list[str], words: list[str]) -> bool:
    return len(words) > 1 and all(any(word in each for each in found) for word in words)


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from _texts(item)
    elif isinstance(value, list):
        for item in value:
            yield from _texts(item)


def read(question: WorldQuestion) -> Answer:
    """One entity by its id; without an id, the one that has the given fields; without either, a list."""
    entity_id = id_text(question.given(question.intent.id_argument))
    if entity_id is None:
        return _read_by_fields(question)
    fields = question.kind.entities.get(entity_id)
    if fields is None or _is_somebody_elses(question, entity_id):
        return not_found(question, entity_id, "read")
    part = _show_part(question, entity_id, fields)
    if part is not None:
        return part
    unused = [name for name in question.others() if not id_noun(name)]
    by = [question.intent.id_argument or "id"]
    return _show(question, entity_id, dict(fields), by=by, confidence=LIKELY if unused else CERTAIN)


def list_entities(question: WorldQuestion) -> Answer:
    selection, by, found = search(question)
    wanted = page(question.kind, question.call.arguments)
    ordered = in_order(question.kind, found, wanted.order)
    end = None if wanted.limit is None else wanted.offset + wanted.limit
    shown = [_row(question, each, selection) for each in ordered[wanted.offset : end]]
    fields = listed_fields(question.call.tool, question.kind)
    value: Any = shown
    if fields:
        value = [{name: row.get(name) for name in fields} for row in shown]
        named = as_map(value, fields, question.kind)
        if named is not None and fits(named, question.call.tool.output_schema):
            value = named
    elif question.intent.naming.word == "count":
        value = len(ordered)
    elif wants_id(question.intent.naming):
        value = [identity_of(question.kind, each)["id"] for each in ordered[wanted.offset : end]]
    more = end is not None and end < len(ordered)
    facts = {"has_more": more, "next_cursor": str(end) if more else "", "total": len(ordered)}
    return respond(
        question,
        value,
        question.reading("list", fields, by),
        confidence=LIKELY if selection.ignored or fields else CERTAIN,
        facts=facts,
    )


def read_part(call: ToolCall, world: Ledger, intent: Intent) -> Answer | None:
    """One part of some entity, by an id of its own: `get_part(part_id)` where parts are kept inside things."""
    names = known_types(world, call.ledger_schema)
    for argument in arguments_of(call):
        given = call.arguments.get(argument)
        if id_noun(argument) is None or id_text(given) is None:
            continue
        candidates = places([know(name, world, call.ledger_schema) for name in names], argument)
        if not candidates:
            continue
        found = home(candidates, given)
        if found is None:
            noun = " ".join(id_noun(argument) or ("part",))
            reading = Reading("read", candidates[0].kind.name, (candidates[0].collection.field,), (argument,))
            return refuse("not_found", f"No {noun} with id {given!r} exists.", reading)
        question = WorldQuestion(call, intent._replace(naming=intent.naming._replace(after=())), found.kind)
        reading = question.reading("read", (found.collection.field,), (argument,))
        return respond(question, found.value, reading, confidence=CERTAIN, identity={argument: given})
    return None


def _read_by_fields(question: WorldQuestion) -> Answer:
    selection = select(question.kind, question.others())
    if not (question.intent.naming.plural or selection.by()):
        pointed = pointed_at(question.kind, question.others())
        if pointed is not None:
            argument, entity_id = pointed
            found = [entity_id] if entity_id in question.kind.entities else []
            return _one_of(question, found, [argument], selection)
        if selection.ignored:
            unused = listed(selection.ignored)
            return not_understood(question.call, f"{unused} names nothing that a {question.noun} has")
    if question.intent.naming.plural or not selection.by():
        return list_entities(question)
    return _one_of(question, find(question.kind, selection), selection.by(), selection)


def _one_of(question: WorldQuestion, found: list[str], by: list[str], selection: Selection) -> Answer:
    if not found:
        wanted = " and ".join(f"{name} {question.call.arguments[name]!r}" for name in by)
        message = f"No {question.noun} with {wanted} exists."
        return refuse("not_found", message, question.reading("read", by=by))
    sure = len(found) == 1 and by and set(selection.ignored) <= set(by)
    row = _row(question, found[0], selection)
    return _show(question, found[0], row, by=by, confidence=CERTAIN if sure else UNSURE)


def _are_ids(question: WorldQuestion, argument: str, value: Any) -> bool:
    """Whether `thing_ids` lists the things that are asked for."""
    kind = question.kind
    listing = isinstance(value, list) and kind.path_of(argument) is None
    return listing and is_id_list(argument) and (not id_noun(argument) or kind.is_meant_by(argument))


class SearchResult(NamedTuple):
    selection: Selection
    by: list[str]
    ids: list[str]


def search(question: WorldQuestion) -> SearchResult:
    """Find all that a list is to show, before it is cut to a page."""
    arguments = question.others()
    owner, among = listed_by_owner(question.kind, arguments) or (None, None)
    chosen = next((name for name, value in arguments.items() if _are_ids(question, name, value)), None)
    by = [] if owner is None else [owner]
    by += [] if chosen is None else [chosen]
    selection = select(question.kind, {name: arguments[name] for name in arguments if name not in by})
    selection.filters.extend(status_filters(question.kind, question.intent.naming))
    entity_id = id_text(question.given(question.intent.id_argument))
    if entity_id is not None:
        among = [entity_id] if entity_id in question.kind.entities else []
        by.append(question.intent.id_argument or "id")
    if chosen is not None:
        wanted = [id_text(each) or "" for each in arguments[chosen]]
        among = [
            each for each in wanted if each in question.kind.entities and (among is None or each in among)
        ]
    ids = find(question.kind, selection, among)
    if not ids and question.intent.naming.word == "search":
        # Who searches for a name writes a part of it.
        ids = find(question.kind, selection.as_texts(), among)
    return SearchResult(selection, [*by, *selection.by()], ids)


def _row(question: WorldQuestion, entity_id: str, selection: Selection) -> dict[str, Any]:
    """An entity among others; where one of its parts was asked for, that part in place of all of them."""
    row = _with_id(question, entity_id, question.kind.entities[entity_id])
    for part in selection.parts:
        held = {key.casefold(): value for key, value in row.pop(part.collection.field).items()}
        row |= held[part.key.casefold()]
    return row


def _show(
    question: WorldQuestion, entity_id: str, shown: dict[str, Any], *, by: list[str], confidence: float
) -> Answer:
    naming, kind = question.intent.naming, question.kind
    identity = identity_of(kind, entity_id)
    fields: list[str] = []
    value: Any = shown
    named = attribute(naming)
    if wants_id(naming) and fits(identity["id"], question.call.tool.output_schema):
        value, fields = identity["id"], [kind.id_field or "id"]
    elif named is not None:
        inside = attribute_of(shown, kind, named)
        if inside and fits(inside[0], question.call.tool.output_schema):
            value, fields, confidence = inside[0], [named], min(confidence, LIKELY)
    return respond(
        question, value, question.reading("read", fields, by), confidence=confidence, identity=identity
    )


def _show_part(question: WorldQuestion, entity_id: str, fields: Mapping[str, Any]) -> Answer | None:
    """`get_part(thing_id, part_id)`: a part of the entity, if another argument names one."""
    for argument, given in question.others().items():
        selection = select(question.kind, {argument: given})
        by = [question.intent.id_argument or "id", argument]
        if selection.parts:
            field, key = selection.parts[0].collection.field, selection.parts[0].key
            held = fields.get(field)
            value = held.get(key) if isinstance(held, dict) else None
        elif id_noun(argument) and (candidates := places([question.kind], argument)):
            field, value = candidates[0].collection.field, part_in(fields, candidates[0], given)
        else:
            continue
        if not isinstance(value, dict):
            message = f"{question.noun.capitalize()} {entity_id} has no {argument} {given!r}."
            return refuse("not_found", message, question.reading("read", [field], by))
        return _show(question, entity_id, value, by=by, confidence=CERTAIN)
    return None


def _is_somebody_elses(question: WorldQuestion, entity_id: str) -> bool:
    """`get_thing(owner_id, thing_id)`: whose it is must be true."""
    return not all(
        belongs(question.kind, entity_id, argument, given)
        for argument, given in question.others().items()
        if id_noun(argument)
    )


def _with_id(question: WorldQuestion, entity_id: str, fields: Mapping[str, Any]) -> dict[str, Any]:
    """An entity among others needs its id to be told apart, also where the world keeps it only as the key."""
    if any(id_text(value) == entity_id for value in fields.values()):
        return dict(fields)
    name = question.kind.id_field or "id"
    return {name: identity_of(question.kind, entity_id)[name], **fields}
