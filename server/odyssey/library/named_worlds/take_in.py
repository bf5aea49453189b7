"""Taking rows of one type into a world."""

from collections.abc import Sequence
from typing import Literal, NamedTuple

from odyssey.library.named_worlds.rows import Row
from odyssey.worlds.stored_state import StoredState

Mode = Literal["merge", "replace"]


class ImportCounts(NamedTuple):
    added: int
    changed: int
    removed: int


def take_in(state: StoredState, entity_type: str, rows: Sequence[Row], mode: Mode) -> ImportCounts:
    """Merge: known entities keep the fields a row does not have. Replace: the rows are all there is of the type."""
    known = state.ids(entity_type)
    added = changed = 0
    state.declare(entity_type)
    for row in rows:
        kept = state.get(entity_type, row.id) if mode == "merge" else None
        is_other = state.put(entity_type, row.id, {**(kept or {}), **row.fields})
        if row.id not in known:
            added += 1
        elif is_other:
            changed += 1
    surplus = known.difference(row.id for row in rows) if mode == "replace" else set()
    for entity_id in surplus:
        state.remove(entity_type, entity_id)
    return ImportCounts(added, changed, len(surplus))
