"""Whether a list shows what was asked for: nothing left out, nothing foreign, nothing twice, no id of nothing."""

from collections.abc import Iterator
from typing import Any

import msgspec

from odyssey.kit.words import id_noun, is_id_list, is_plural, phrase, same_nouns, tokens, word_set
from odyssey.records.ledger import Violation
from odyssey.simulation.consistency.comparing import invented, points_out_of_the_world
from odyssey.simulation.consistency.knowledge import CallMeaning, WorldKnowledge
from odyssey.simulation.consistency.searches import Search, find_search, is_gone
from odyssey.simulation.engine import ToolCall
from odyssey.worlds.ledger import Ledger
from odyssey.worlds.schema import id_text

_MORE = word_set(
    "has_more more next next_cursor next_page next_token cursor truncated page pages total total_count"
)
_MOST_NAMED = 5
_ENOUGH = 2
"""Members by which an object is an entity and not what holds a list of them."""


def check_lists(
    call: ToolCall, response: Any, known: WorldKnowledge, meant: CallMeaning, before: Ledger
) -> list[Violation]:
    """Hold the rows of a list, or a count of them, against what the world engine finds by the same arguments."""
    rows = find_rows(response)
    is_count = isinstance(response, int) and not isinstance(response, bool) and meant.word == "count"
    if rows is None and not is_count:
        return []
    search = find_search(call, meant, before)
    if search is None or not (meant.is_plural() or meant.intent.verb == "list" or meant.is_an_id()):
        return []
    if rows is None:
        return _check_count(response, search, call)
    if isinstance(response, dict) and known.likeness(search.kind.name, response) >= _ENOUGH:
        return []  # one entity, and the list is a field of it
    named = "_".join((*tokens(phrase(search.kind.name)), "id"))
    names = (*known.names_of_id(search.kind.name), named)
    ids = [_id_of(each, names) for each in rows]
    found = [*_check_foreign(ids, rows, search, call)]
    if None not in ids and not found and not _tells_of_more(response, len(rows)):
        found += _check_left_out(ids, search, call)
    return found[:_MOST_NAMED]


def find_rows(response: Any) -> list[Any] | None:
    """The list that a response is, or the only one in it: `{"things": […]}`, `{"data": {"things": […]}}`."""
    for _ in range(3):
        if isinstance(response, list):
            return response
        inside = (
            [each for each in response.values() if isinstance(each, dict | list)]
            if isinstance(response, dict)
            else []
        )
        if len(inside) != 1:
            return None
        response = inside[0]
    return None


def _id_of(row: Any, names: tuple[str, ...]) -> str | None:
    if not isinstance(row, dict):
        return id_text(row)
    return next((text for name in names if (text := id_text(row.get(name)))), None)


def _tells_of_more(response: Any, shown: int) -> bool:
    if not isinstance(response, dict):
        return False
    told = {name: response[name] for name in response if "_".join(tokens(name)) in _MORE}
    return any(
        value is True or isinstance(value, str) or (isinstance(value, int) and value > shown)
        for value in told.values()
    )


def _check_foreign(
    ids: list[str | None], rows: list[Any], search: Search, call: ToolCall
) -> Iterator[Violation]:
    kind, limit = search.kind, search.page.limit
    seen: set[bytes] = set()
    for place, (entity_id, row) in enumerate(zip(ids, rows, strict=True)):
        if entity_id is None or entity_id not in kind.entities:
            continue
        named = f"{kind.name} {entity_id!r}"
        if not search.passes(entity_id):
            message = (
                f"the response lists {named}, which is none of those that {call.tool.name} was asked for"
            )
            yield Violation("foreign_entity", kind.name, entity_id, None, message, call.sequence)
        elif msgspec.json.encode(row) in seen:
            message = f"the response lists {named} twice"
            yield Violation("foreign_entity", kind.name, entity_id, None, message, call.sequence)
        elif limit is not None and place >= limit:
            message = f"the response lists {len(rows)} where at most {limit} were asked for"
            yield Violation("foreign_entity", kind.name, entity_id, None, message, call.sequence)
            return
        seen.add(msgspec.json.encode(row))


def _check_left_out(ids: list[str | None], search: Search, call: ToolCall) -> Iterator[Violation]:
    if not search.shows_all(call):
        return
    kind, shown = search.kind, set(ids)
    for entity_id in search.found.ids:
        if entity_id in shown or not search.fits(entity_id):
            continue
        if not is_gone(kind.entities[entity_id], call.arguments):
            message = (
                f"{call.tool.name} asks for {kind.name} {entity_id!r} too, and the response leaves it out"
            )
            yield Violation("left_out", kind.name, entity_id, None, message, call.sequence)


def _check_count(count: int, search: Search, call: ToolCall) -> list[Violation]:
    kind, ids = search.kind, search.found.ids
    gone = sum(is_gone(kind.entities[each], call.arguments) for each in ids)
    if not search.shows_all(call) or len(ids) - gone <= count <= len(ids):
        return []
    message = (
        f"the response counts {count}; the ledger has {len(ids)} of the type {kind.name} that are asked for"
    )
    return [Violation("response_mismatch", kind.name, None, None, message, call.sequence)]


# Ids that stand in a list as texts, and that no entity has.


def check_listed_ids(
    name: str | None,
    texts: list[Any],
    known: WorldKnowledge,
    meant: CallMeaning,
    before: Ledger,
    after: Ledger,
) -> list[Violation]:
    """`name`: the member that holds the list; None for the response itself."""
    entity_type = _type_of(name, known, meant)
    if entity_type is None:
        return []
    ids = [text for each in texts if (text := id_text(each))]
    lost = [
        each
        for each in ids
        if after.entity(entity_type, each) is None and before.entity(entity_type, each) is None
    ]
    is_certain = meant.is_an_id() is not None if name is None else is_id_list(name)
    if not lost or (not is_certain and 2 * len(lost) >= len(ids)):
        return []  # what is called after a type may as well hold names
    id_name = next(iter(known.names_of_id(entity_type)), "id")
    if points_out_of_the_world(id_name, (entity_type,), known, after):
        return []
    unknown = [each for each in lost if each not in meant.given]
    return [invented(entity_type, each, name, meant.sequence) for each in unknown[:_MOST_NAMED]]


def _type_of(name: str | None, known: WorldKnowledge, meant: CallMeaning) -> str | None:
    if name is None:
        return meant.is_an_id() or meant.entity_type
    noun = id_noun(name) if is_id_list(name) else tokens(name)
    if noun == ():
        return meant.entity_type
    if noun is None or not (is_id_list(name) or is_plural(noun[-1])):
        return None
    return next((each for each in known.types if same_nouns(noun, tokens(each))), None)
