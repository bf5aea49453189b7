"""Looking at the world: one entity by its id or by its fields, a part of one, or all that pass the filters."""

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from odyssey.kit.words import id_noun, is_id_list, listed, same_nouns, tokens
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
from odyssey.simulation.world.defaults import without_idle
from odyssey.simulation.world.described import as_described, fields_left_out
from odyssey.simulation.world.finding import find, in_order
from odyssey.simulation.world.kinds import know, known_types
from odyssey.simulation.world.meaning import Intent, arguments_of
from odyssey.simulation.world.naming import as_map, attribute, attribute_of, listed_fields, wants_id
from odyssey.simulation.world.ownership import join_filter, own_filters
from odyssey.simulation.world.promised import id_name, promises_totals, totals, with_related
from odyssey.simulation.world.refusals import missing_reference, not_theirs
from odyssey.simulation.world.relations import belongs, home, listed_by_owner, part_in, places, pointed_at
from odyssey.simulation.world.roles import (
    Selection,
    page,
    select,
)
from odyssey.simulation.world.shape import fits
from odyssey.simulation.world.status import status_filters
from odyssey.worlds.ledger import Ledger
from odyssey.worlds.schema import id_text


def read(question: WorldQuestion) -> Answer:
    """One entity by its id; without an id, the one that has the given fields; without either, a list."""
    entity_id = question.entity_id
    if entity_id is None or (question.intent.only_one and select(question.kind, question.others()).by()):
        return _read_by_fields(question)
    fields = question.kind.entities.get(entity_id)
    if fields is None or _is_somebody_elses(question, entity_id):
        return not_found(question, entity_id, "read")
    theirs = not_theirs(question, "read")
    if theirs is not None:
        return theirs
    part = _show_part(question, entity_id, fields)
    if part is not None:
        return part
    unused = [name for name in question.others() if not id_noun(name)]
    by = [question.intent.id_argument or "id"]
    return _show(question, entity_id, dict(fields), by=by, certainty=LIKELY if unused else CERTAIN)


def list_entities(question: WorldQuestion) -> Answer:
    lost = _nothing_given(question) or missing_reference(question, "list")
    if lost is not None:
        return lost
    entity_id = id_text(question.given(question.intent.id_argument))
    if entity_id is not None and entity_id not in question.kind.entities:
        return not_found(question, entity_id, "list")
    selection, by, found = search(question)
    wanted = page(
        question.kind,
        question.call.arguments,
        question.call.tool.description,
        arguments_of(question.call),
    )
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
    elif promises_totals(question.kind, question.call):
        value = totals(question.kind, question.call, [question.kind.entities[each] for each in found])
    elif question.call.tool.output_schema is None and _COUNTED.search(question.call.tool.description):
        value = {question.kind.name: shown, "total": len(ordered)}
    more = end is not None and end < len(ordered)
    facts = {"has_more": more, "next_cursor": str(end) if more else "", "total": len(ordered)}
    return respond(
        question,
        value,
        question.reading("list", fields, by),
        certainty=LIKELY if selection.ignored or fields else CERTAIN,
        facts=facts,
    )


_COUNTED = re.compile(r"(?:`total`|\btotal) (?:counts|is the number|says how many|includes) ", re.IGNORECASE)
"""An answer that has a `total` beside what it lists is no bare list."""


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
            return refuse("not_found", f"No {noun} with id {given!r} exists.", reading, LIKELY)
        question = WorldQuestion(call, intent._replace(naming=intent.naming._replace(after=())), found.kind)
        reading = question.reading("read", (found.collection.field,), (argument,))
        return respond(question, found.value, reading, certainty=CERTAIN, identity={argument: given})
    return None


_ONE_OF_THEM = re.compile(
    r"\bby\b[^.;]{2,60}?\bor(?: by)?\b|\b(?:give|at least|exactly) one\b|\beither\b[^.;]{1,120}\bor\b",
    re.IGNORECASE,
)
"""`Find a customer by e-mail address or by licence number`: nothing of both is a mistake."""


_AT_LEAST_ONE = re.compile(
    r"\bat least one\b[^.;]{0,80}\b(?:needed|required|necessary|given)\b|\bgive at least one\b", re.IGNORECASE
)


def _nothing_given(question: WorldQuestion, demand: re.Pattern[str] = _AT_LEAST_ONE) -> Answer | None:
    if question.others() or not demand.search(question.call.tool.description):
        return None
    names = listed(arguments_of(question.call), "or")
    return refuse("bad_value", f"Give {names}.", question.reading("read"))


def _read_by_fields(question: WorldQuestion) -> Answer:
    selection = select(question.kind, question.others())
    wrong = _nothing_given(question, _ONE_OF_THEM)
    if wrong is not None:
        return wrong
    if promises_totals(question.kind, question.call):
        return list_entities(question)
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
        return refuse("not_found", message, question.reading("read", by=by), LIKELY)
    sure = len(found) == 1 and by and set(selection.ignored) <= set(by)
    row = _row(question, found[0], selection)
    return _show(question, found[0], row, by=by, certainty=CERTAIN if sure else UNSURE)


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
    arguments = without_idle(question.call, question.others())
    owner, among = listed_by_owner(question.kind, arguments) or (None, None)
    chosen = next((name for name, value in arguments.items() if _are_ids(question, name, value)), None)
    by = [] if owner is None else [owner]
    by += [] if chosen is None else [chosen]
    selection = select(question.kind, {name: arguments[name] for name in arguments if name not in by})
    for argument in [*selection.ignored]:
        joined = join_filter(question.kind, argument, arguments[argument])
        if joined is not None:
            selection.filters.append(joined)
            selection.ignored.remove(argument)
    selection.filters.extend(status_filters(question.kind, question.intent.naming))
    selection = as_described(question, selection)
    owned_by = question.intent.owner
    if owned_by is not None and owned_by.pointer not in by:
        selection.filters.extend(own_filters(question.kind, owned_by))
    entity_id = question.entity_id
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
    row = with_related(question.kind, question.call, row)
    for name in fields_left_out(question.kind, question.call.tool.description):
        row.pop(name, None)
    for part in selection.parts:
        held = {key.casefold(): value for key, value in row.pop(part.collection.field).items()}
        row |= held[part.key.casefold()]
    return row


def _show(
    question: WorldQuestion, entity_id: str, shown: dict[str, Any], *, by: list[str], certainty: float
) -> Answer:
    naming, kind = question.intent.naming, question.kind
    shown = with_related(kind, question.call, shown)
    identity = identity_of(kind, entity_id)
    fields: list[str] = []
    value: Any = shown
    named = attribute(naming)
    if wants_id(naming) and fits(identity["id"], question.call.tool.output_schema):
        value, fields = identity["id"], [kind.id_field or "id"]
    elif named is not None:
        inside = attribute_of(shown, kind, named)
        if inside and fits(inside[0], question.call.tool.output_schema):
            value, fields, certainty = inside[0], [named], min(certainty, LIKELY)
    return respond(
        question, value, question.reading("read", fields, by), certainty=certainty, identity=identity
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
        elif (record := _record_with(question, given)) is not None:
            inner = fields.get(record) or {}
            return respond(
                question, inner.get(given), question.reading("read", [record], by), certainty=LIKELY
            )
        else:
            continue
        if not isinstance(value, dict):
            message = f"{question.noun.capitalize()} {entity_id} has no {argument} {given!r}."
            return refuse("not_found", message, question.reading("read", [field], by), LIKELY)
        return _show(question, entity_id, value, by=by, certainty=CERTAIN)
    return None


def _record_with(question: WorldQuestion, member: Any) -> str | None:
    """`get_opening_hours(branch_id, day="monday")` where branches have `hours` with a monday."""
    naming = question.intent.naming
    said = (*naming.before, *naming.noun, *naming.after)
    for record in question.kind.anatomy.records():
        is_said = any(same_nouns((word,), tokens(record)[-1:]) for word in said)
        if is_said and isinstance(member, str) and member in question.kind.anatomy.members(record):
            return record
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
    return {id_name(question.kind, question.call): identity_of(question.kind, entity_id)["id"], **fields}
