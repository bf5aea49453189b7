"""One attempt at one run: what it needs, what is sent, and how it ends. Nothing here decides who owns the run."""

import logging
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Literal, NamedTuple

from sqlalchemy.ext.asyncio import AsyncSession

from odyssey.agents.compiled import CompiledAgents
from odyssey.core.clock import PlatformClock
from odyssey.core.database import Database, StorageUnavailableError
from odyssey.core.group_commit import GroupWriter
from odyssey.core.signals import Signals
from odyssey.dispatch.classify import Failure
from odyssey.dispatch.envelope import Dispatch
from odyssey.dispatch.reply import AgentReply
from odyssey.dispatch.transport import PingTarget, RecentPings, Transport
from odyssey.identity.credentials import open_credential
from odyssey.identity.repository import all_credentials
from odyssey.identity.vault import UnsealError, Vault
from odyssey.journal.platform_faults import PlatformFaults
from odyssey.kit.caches import Recent
from odyssey.kit.clock import Clock
from odyssey.models.settings import all_keys, open_stored_key
from odyssey.records.error_classes import INTERNAL_ERROR
from odyssey.runs.states import RunStates
from odyssey.runs.verdicts.grade_run import Judge

# The secrets of an org that no reply of its agents may show: opened once, and kept in memory for a moment.
#
# An agent gets none of them from Odyssey, but it may have the same key of a model or a service from
# elsewhere.

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


FAILED = Failure(INTERNAL_ERROR, "Odyssey failed while executing this run; the log has the place.")


class Parts(NamedTuple):
    """What performing attempts needs; made once by the composition root."""

    database: Database
    writer: GroupWriter
    agents: CompiledAgents
    vault: Vault
    transport: Transport
    secrets: KnownSecrets
    pings: RecentPings
    states: RunStates
    faults: PlatformFaults
    judge: Judge
    signals: Signals
    clock: PlatformClock
    proxy_base: str


class OpenedAttempt(NamedTuple):
    """An attempt that has begun: what is to be sent, or why nothing can be."""

    org_id: int
    run_id: int
    attempt: int
    dispatch: Dispatch | Failure


class EndedAttempt(NamedTuple):
    """An attempt that is over. Without an outcome the run is given back."""

    run_id: int
    attempt: int
    outcome: AgentReply | Failure | None
    refused: int = 0
    """How often the database would not take it."""
    because: Literal["released", "platform_fault"] = "released"
    """Why it has no outcome."""

    @property
    def key(self) -> tuple[int, int]:
        return self.run_id, self.attempt


async def perform(parts: Parts, opened: OpenedAttempt) -> AgentReply | Failure:
    """Send it and wait for its end. A run that belongs to nothing that was pinged is preceded by a ping.

    Raises StorageUnavailableError where what has to be looked up before it is sent cannot be.
    """
    dispatch = opened.dispatch
    if isinstance(dispatch, Failure):
        return dispatch
    try:
        dispatch = replace(dispatch, org_secrets=await parts.secrets.of(opened.org_id))
        if not dispatch.answers_pings:
            target = PingTarget(dispatch.endpoint_url, dispatch.auth_header)
            dispatch = replace(dispatch, answers_pings=await parts.pings.answers(dispatch.agent_id, target))
        return await parts.transport.dispatch(dispatch)
    except StorageUnavailableError:
        raise  # nothing was sent yet
    except Exception:
        log.exception("attempt failed", extra={"run_id": opened.run_id, "attempt": opened.attempt})
        return FAILED
