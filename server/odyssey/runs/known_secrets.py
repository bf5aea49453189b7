"""The secrets of an org that no reply of its agents may show: opened once, and kept in memory for a moment.

An agent gets none of them from Odyssey, but it may have the same key of a model or a service from elsewhere.
"""

import logging
from collections.abc import AsyncIterator
from datetime import datetime, timedelta

from sqlalchemy.ext.asyncio import AsyncSession

from odyssey.core.database import Database
from odyssey.identity.credentials import open_credential
from odyssey.identity.repository import all_credentials
from odyssey.identity.vault import UnsealError, Vault
from odyssey.kit.caches import Recent
from odyssey.kit.clock import Clock
from odyssey.models.settings import all_keys, open_stored_key

log = logging.getLogger(__name__)

KEPT_FOR = timedelta(seconds=10)
"""So a new secret may be shown in replies to what was sent in the ten seconds after it was saved."""


class KnownSecrets:
    def __init__(self, database: Database, vault: Vault, clock: Clock) -> None:
        self._database = database
        self._vault = vault
        self._clock = clock
        self._known: Recent[int, tuple[datetime, tuple[str, ...]]] = Recent()

    async def of(self, org_id: int) -> tuple[str, ...]:
        """Credentials and keys of models, at most some seconds old."""
        now = self._clock()
        known = self._known.get(org_id)
        if known is not None and timedelta(0) <= now - known[0] < KEPT_FOR:
            return known[1]
        async with self._database.read() as session:
            found = tuple([secret async for secret in self._open(session, org_id)])
        self._known.keep(org_id, (now, found))
        return found

    async def _open(self, session: AsyncSession, org_id: int) -> AsyncIterator[str]:
        opening = [
            *(open_credential(session, self._vault, row) for row in await all_credentials(session, org_id)),
            *(open_stored_key(session, self._vault, row) for row in await all_keys(session, org_id)),
        ]
        for each in opening:
            try:
                yield await each
            except UnsealError as error:  # said to whoever needs it; runs that do not go on
                log.warning("a secret stays closed", extra={"org_id": org_id, "why": str(error)})
