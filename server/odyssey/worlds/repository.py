"""A run's world in the database: its first moment by content hash, then its entries."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import msgspec
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from odyssey.core.group_commit import Statement
from odyssey.journal.models import RunContext
from odyssey.records.ledger import Entry
from odyssey.worlds.ledger import Ledger
from odyssey.worlds.models import LedgerEntry
from odyssey.worlds.operations import fold
from odyssey.worlds.shared import SharedWorlds


class PlacedEntry(NamedTuple):
    sequence: int
    entry: Entry


_INSERT = (
    "INSERT INTO ledger_entries (run_id, sequence, position, attempt, op, entity_type, entity_id, flag, before, after) "
    "VALUES (:run_id, :sequence, :position, :attempt, :op, :entity_type, :entity_id, :flag, :before, :after)"
)


def entry_statements(
    *, run_id: int, attempt: int, sequence: int, entries: Sequence[Entry]
) -> list[Statement]:
    """Say how the entries of one call are written, for the unit that writes the call."""
    return [
        Statement(
            _INSERT,
            {
                "run_id": run_id,
                "sequence": sequence,
                "position": position,
                "attempt": attempt,
                "op": entry.op,
                "entity_type": _json(entry.entity_type),
                "entity_id": _json(entry.id),
                "flag": _json(entry.flag),
                "before": _json(entry.before),
                "after": _json(entry.after),
            },
        )
        for position, entry in enumerate(entries)
    ]


async def load_entries(
    session: AsyncSession, run_id: int, attempt: int, *, after: int = 0, up_to: int | None = None
) -> Sequence[PlacedEntry]:
    statement = select(LedgerEntry).where(
        LedgerEntry.run_id == run_id, LedgerEntry.attempt == attempt, LedgerEntry.sequence > after
    )
    if up_to is not None:
        statement = statement.where(LedgerEntry.sequence <= up_to)
    rows = await session.scalars(statement.order_by(LedgerEntry.sequence, LedgerEntry.position))
    return [PlacedEntry(row.sequence, _entry(row)) for row in rows]


async def load_ledger(
    session: AsyncSession, worlds: SharedWorlds, context: RunContext, attempt: int, *, up_to: int
) -> Ledger:
    """Return the world of one attempt as it was after the call with sequence `up_to`."""
    initial = await worlds.boot(session, context.org_id, context.initial_state_hash)
    entries = await load_entries(session, context.run_id, attempt, up_to=up_to)
    return fold(initial, (placed.entry for placed in entries))


def _json(value: Any) -> str | None:
    return None if value is None else msgspec.json.encode(value).decode("utf-8")


def _entry(row: LedgerEntry) -> Entry:
    values = {
        "op": row.op,
        "entity_type": row.entity_type,
        "id": row.entity_id,
        "flag": row.flag,
        "before": row.before,
        "after": row.after,
    }
    return msgspec.convert(values, Entry)
