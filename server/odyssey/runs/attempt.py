"""One attempt at one run: what it needs, what is sent, and how it ends. Nothing here decides who owns the run."""

import logging
from dataclasses import replace
from typing import Literal, NamedTuple

from odyssey.agents.compiled import CompiledAgents
from odyssey.core.clock import PlatformClock
from odyssey.core.database import Database, StorageUnavailableError
from odyssey.core.group_commit import GroupWriter
from odyssey.core.signals import Signals
from odyssey.dispatch.classify import Failure
from odyssey.dispatch.envelope import Dispatch
from odyssey.dispatch.reply import AgentReply
from odyssey.dispatch.transport import PingTarget, RecentPings, Transport
from odyssey.identity.vault import Vault
from odyssey.journal.platform_faults import PlatformFaults
from odyssey.records.error_classes import INTERNAL_ERROR
from odyssey.runs.known_secrets import KnownSecrets
from odyssey.runs.states import RunStates
from odyssey.runs.verdicts.grade_run import Judge

log = logging.getLogger(__name__)

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


class Opened(NamedTuple):
    """An attempt that has begun: what is to be sent, or why nothing can be."""

    org_id: int
    run_id: int
    attempt: int
    dispatch: Dispatch | Failure


class Ended(NamedTuple):
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


async def perform(parts: Parts, opened: Opened) -> AgentReply | Failure:
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
            dispatch = replace(dispatch, answers_pings=await parts.pings.answers(target))
        return await parts.transport.dispatch(dispatch)
    except StorageUnavailableError:
        raise  # nothing was sent yet
    except Exception:
        log.exception("attempt failed", extra={"run_id": opened.run_id, "attempt": opened.attempt})
        return FAILED
