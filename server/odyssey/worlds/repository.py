"""A run's world in the database: its first moment by content hash, then its entries."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Annotated, Any, TypeVar

import msgspec
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from odyssey.core.depends import part
from odyssey.core.group_commit import Statement
from odyssey.journal.contents import load_text
from odyssey.journal.models import RunContext
from odyssey.kit.caches import SharedCache
from odyssey.records.ledger import Entry
from odyssey.worlds.ledger import Ledger
from odyssey.worlds.models import LedgerEntry
from odyssey.worlds.operations import fold
from odyssey.worlds.stored_state import Catalogue

# First moments of worlds: booted once in this process, then shared by all who begin with the same content.
#
# A ledger is immutable, and what it finds out when asked (indexes, digests) it keeps for its successors: runs
# that begin with one ledger share all of that. An org sees only its own, also where two have equal content.

_IN_PASSING = 64 * 1024
"""Texts up to this size are read on the spot; longer ones get a thread, so that nobody else waits for them."""

ContentKey = tuple[int, str]
Made = TypeVar("Made")


class SharedWorlds:
    def __init__(self, capacity: int) -> None:
        """Keep ledgers of up to `capacity` bytes of text; in memory they take several times that."""
        self._ledgers: SharedCache[ContentKey, Ledger] = SharedCache(capacity)
        self._catalogues: SharedCache[ContentKey, Catalogue] = SharedCache(capacity)

    async def boot(self, session: AsyncSession, org_id: int, digest: str) -> Ledger:
        """Return the world that begins with this content.

        The session must have been used already: whoever waits here holds a connection, so the one that is waited for
        must not need another.
        """
        return await self._ledgers.get((org_id, digest), lambda: _made(session, org_id, digest, _boot))

    async def catalogue(self, session: AsyncSession, org_id: int, digest: str) -> Catalogue:
        """Return the entities of this content, to be leafed through. As above, the session is one in use."""
        return await self._catalogues.get((org_id, digest), lambda: _made(session, org_id, digest, Catalogue))


WorldsDep = Annotated[SharedWorlds, part(SharedWorlds)]


async def _made(
    session: AsyncSession, org_id: int, digest: str, make: Callable[[str], Made]
) -> tuple[Made, int]:
    text = await load_text(session, org_id, digest)
    made = make(text) if len(text) <= _IN_PASSING else await asyncio.to_thread(make, text)
    return made, len(text)


def _boot(text: str) -> Ledger:
    return Ledger.adopt(msgspec.json.decode(text))


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
) -> Sequence[Entry]:
    placed = await load_placed_entries(session, run_id, attempt, after=after, up_to=up_to)
    return [entry for _, entry in placed]


async def load_placed_entries(
    session: AsyncSession, run_id: int, attempt: int, *, after: int = 0, up_to: int | None = None
) -> list[tuple[int, Entry]]:
    """Return the entries of an attempt in order, each with the sequence of the call that left it."""
    statement = select(LedgerEntry).where(
        LedgerEntry.run_id == run_id, LedgerEntry.attempt == attempt, LedgerEntry.sequence > after
    )
    if up_to is not None:
        statement = statement.where(LedgerEntry.sequence <= up_to)
    rows = await session.scalars(statement.order_by(LedgerEntry.sequence, LedgerEntry.position))
    return [(row.sequence, _entry(row)) for row in rows]


async def load_ledger(
    session: AsyncSession, worlds: SharedWorlds, context: RunContext, attempt: int, *, up_to: int
) -> Ledger:
    """Return the world of one attempt as it was after the call with sequence `up_to`."""
    initial = await worlds.boot(session, context.org_id, context.initial_state_hash)
    entries = await load_entries(session, context.run_id, attempt, up_to=up_to)
    return fold(initial, entries)


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
