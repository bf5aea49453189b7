"""Claiming runs and opening their attempts, as many as there is room for: work for one transaction."""

import logging
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from types import MappingProxyType
from typing import Any, NamedTuple

import msgspec
from sqlalchemy import Connection

from odyssey.agents.repository import sealed_secrets
from odyssey.core.scheduling import Claim, Command
from odyssey.dispatch import envelope
from odyssey.dispatch.classify import Failure
from odyssey.dispatch.envelope import Dispatch
from odyssey.identity.keys import MintedToken, mint_run_token, store_run_tokens
from odyssey.journal.events import NewEvent, append_events, heads_of
from odyssey.journal.injections import read_injection
from odyssey.runs.attempt import FAILED, OpenedAttempt, Parts
from odyssey.runs.claimable import Candidate, claimable_runs
from odyssey.runs.repository import seeds_of
from odyssey.runs.states import Move, MoveResult
from odyssey.runs.targets import NotReady, Sealed, Targets, Way

log = logging.getLogger(__name__)

TOKEN_GRACE = timedelta(seconds=30)


class Opening(NamedTuple):
    opened: Sequence[OpenedAttempt] = ()
    moved: Sequence[MoveResult] = ()
    unready: frozenset[NotReady] = frozenset()
    """Runs of these are left to wait until the way is known."""
    sealed: Sealed = MappingProxyType({})
    is_crowded: bool = False


def open_runs(
    connection: Connection, parts: Parts, targets: Targets, owner: str, most: int, *, lost: bool
) -> Opening:
    """Claim runs, mint their tokens and write down what is about to be sent, before it is sent."""
    now = parts.clock()
    claim = Claim(owner=owner, now=parts.clock.lease_moment(connection))
    candidates, is_crowded = claimable_runs(connection, claim, most, lost=lost)
    if not candidates:
        return Opening(is_crowded=is_crowded)
    seeds = seeds_of(connection, {run.task_id for run in candidates})
    sealed = sealed_secrets(connection, {run.agent_id for run in candidates})
    found = [(run, targets.find(run, seeds[run.task_id], sealed)) for run in candidates]
    ready = {run.run_id: (run, way) for run, way in found if not isinstance(way, NotReady)}
    heads = heads_of(connection, [run_id for run_id, (run, _) in ready.items() if run.work.attempt > 0])
    moves = (
        Move(run_id, run.org_id, run.work, claim, _first(run, way, now))
        for run_id, (run, way) in ready.items()
    )
    moved = parts.states.apply(connection, moves)
    opened: list[OpenedAttempt] = []
    begun: list[tuple[Dispatch, MintedToken]] = []
    for each in moved:
        if Command.START in each.commands:
            run, way = ready[each.run_id]
            attempt = each.work.attempt
            made = way if isinstance(way, Failure) else _begin(parts, claim, run, seeds, way, attempt)
            if isinstance(made, Failure):
                dispatch: Dispatch | Failure = made
            else:
                begun.append(made)
                dispatch, _ = made
            opened.append(OpenedAttempt(run.org_id, run.run_id, attempt, dispatch))
    store_run_tokens(connection, [token for _, token in begun])
    append_events(connection, [_event(dispatch, heads, now) for dispatch, _ in begun])
    unready = frozenset(way for _, way in found if isinstance(way, NotReady))
    return Opening(opened, moved, unready, sealed, is_crowded)


def _first(run: Candidate, way: Way | Failure, now: datetime) -> dict[str, Any]:
    return {"started_at": run.started_at or now} if isinstance(way, Way) else {}


def _begin(
    parts: Parts, claim: Claim, run: Candidate, seeds: Mapping[int, dict[str, Any]], way: Way, attempt: int
) -> tuple[Dispatch, MintedToken] | Failure:
    try:
        return _compose(parts, claim, run, seeds[run.task_id], way, attempt)
    except Exception:
        log.exception("attempt failed", extra={"run_id": run.run_id, "attempt": attempt})
        return FAILED


def _compose(
    parts: Parts, claim: Claim, run: Candidate, seed: Mapping[str, Any], way: Way, attempt: int
) -> tuple[Dispatch, MintedToken]:
    config = way.config
    lasting = timedelta(seconds=config.run_timeout_s) + TOKEN_GRACE
    token = mint_run_token(
        org_id=run.org_id, run_id=run.run_id, attempt=attempt, expires_at=claim.now + lasting
    )
    dispatch = Dispatch(
        task_id=run.task_id,
        run_id=run.run_id,
        agent_id=run.agent_id,
        attempt=attempt,
        user_instruction=seed["user_instruction"],
        input=seed["input"],
        odyssey_proxy_url=f"{parts.proxy_base}/runs/{run.run_id}",
        run_token=token.token,
        run_token_jti=token.jti,
        endpoint_url=way.endpoint_url,
        auth_header=way.auth_header,
        run_timeout_s=config.run_timeout_s,
        answers_pings=run.was_pinged,
        response_contract_guard=config.response_contract is not None,
        system_injection=_system_injection(run),
    )
    return dispatch, token


def _system_injection(run: Candidate) -> str | None:
    injection = read_injection(run.injection)
    return injection.text if injection is not None and injection.delivery == "system" else None


def _event(dispatch: Dispatch, heads: Mapping[int, int], now: datetime) -> NewEvent:
    sent = {
        "url": dispatch.endpoint_url,
        "header_names": envelope.header_names(dispatch),
        "body": msgspec.Raw(envelope.body(dispatch)),
    }
    sequence = heads.get(dispatch.run_id, 0) + 1
    return NewEvent(dispatch.run_id, sequence, dispatch.attempt, "dispatch", now, sent)
