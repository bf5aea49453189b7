"""One attempt at one run: what it needs, what is sent, and how it ends. Nothing here decides who owns the run."""

import logging
from dataclasses import replace
from typing import NamedTuple

from odyssey.agents.compiled import CompiledAgents
from odyssey.core.clock import PlatformClock
from odyssey.core.database import Database
from odyssey.core.group_commit import GroupWriter
from odyssey.core.signals import Signals
from odyssey.dispatch.classify import Failure
from odyssey.dispatch.envelope import Dispatch
from odyssey.dispatch.pings import RecentPings
from odyssey.dispatch.reply import AgentReply
from odyssey.dispatch.transport import PingTarget, Transport
from odyssey.identity.vault import Vault
from odyssey.records.error_classes import INTERNAL_ERROR
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
    pings: RecentPings
    states: RunStates
    judge: Judge
    signals: Signals
    clock: PlatformClock
    proxy_base: str


class Opened(NamedTuple):
    """An attempt that has begun: what is to be sent, or why nothing can be."""

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


async def perform(parts: Parts, opened: Opened) -> AgentReply | Failure:
    """Send it and wait for its end. A run that belongs to nothing that was pinged is preceded by a ping."""
    dispatch = opened.dispatch
    if isinstance(dispatch, Failure):
        return dispatch
    try:
        if not dispatch.answers_pings:
            target = PingTarget(dispatch.endpoint_url, dispatch.auth_header)
            dispatch = replace(dispatch, answers_pings=await parts.pings.answers(target))
        return await parts.transport.dispatch(dispatch)
    except Exception:
        log.exception("attempt failed", extra={"run_id": opened.run_id, "attempt": opened.attempt})
        return FAILED
