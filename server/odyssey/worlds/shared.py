"""First moments of worlds: booted once in this process, then shared by all who begin with the same content.

A ledger is immutable, and what it finds out when asked (indexes, digests) it keeps for its successors: runs that begin
with one ledger share all of that. An org sees only its own, also where two have equal content.
"""

import asyncio
from collections.abc import Callable
from typing import TypeVar

import msgspec
from sqlalchemy.ext.asyncio import AsyncSession

from odyssey.journal.contents import load_text
from odyssey.kit.caches import SharedCache, Sized
from odyssey.worlds.ledger import Ledger
from odyssey.worlds.stored_state import Catalogue

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


async def _made(session: AsyncSession, org_id: int, digest: str, make: Callable[[str], Made]) -> Sized[Made]:
    text = await load_text(session, org_id, digest)
    made = make(text) if len(text) <= _IN_PASSING else await asyncio.to_thread(make, text)
    return Sized(made, len(text))


def _boot(text: str) -> Ledger:
    return Ledger.adopt(msgspec.json.decode(text))
