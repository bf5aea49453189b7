"""Recording how attempts ended, all that are over at once: work for one transaction."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any

import msgspec
from sqlalchemy import Connection

from odyssey.core.scheduling import MAX_ATTEMPTS, Command, Finish, Release
from odyssey.dispatch.classify import Failure
from odyssey.dispatch.reply import AgentReply
from odyssey.journal.events import NewEvent, append_events, heads_of, lock_runs
from odyssey.journal.platform_faults import Reason
from odyssey.runs.attempt import EndedAttempt, Parts
from odyssey.runs.platform_faults import (
    attempts_that_may_have_written,
    disturbed_attempts,
    none_left,
    not_repeated,
    record_faults,
    record_simulator_outages,
)
from odyssey.runs.repository import load_works
from odyssey.runs.states import Move, MoveResult

_NOT_ENOUGH = (None, "slow_storage")
"""Faults that do not settle what becomes of an attempt: a slow database alone does not spoil the last."""


def close_runs(
    connection: Connection, parts: Parts, owner: str, ended: Sequence[EndedAttempt]
) -> Sequence[MoveResult]:
    """Record each result whose attempt still holds its run, and give back what did not end; a late one is dropped."""
    if not ended:
        return ()
    run_ids = [each.run_id for each in ended]
    # Locked first: a fault that the recorder writes meanwhile is either seen below or finds the run closed already.
    lock_runs(connection, run_ids)
    ended = _unmeasured(connection, parts, ended)
    held = load_works(connection, run_ids)
    heads = heads_of(connection, run_ids)
    moves = (
        Move(
            each.run_id,
            held[each.run_id].org_id,
            held[each.run_id].work,
            _event_of(owner, each),
            {} if each.outcome is None else _result(held[each.run_id].soft_warnings, each.outcome),
        )
        for each in ended
    )
    moved = parts.states.apply(connection, moves)
    now = parts.clock()
    append_events(
        connection,
        [
            NewEvent(
                each.run_id, heads.get(each.run_id, 0) + 1, each.attempt, "reply", now, _reply(each.outcome)
            )
            for each, one in zip(ended, moved, strict=True)
            if each.outcome is not None and Command.RECORD in one.commands
        ],
    )
    return moved


def _unmeasured(
    connection: Connection, parts: Parts, ended: Sequence[EndedAttempt]
) -> Sequence[EndedAttempt]:
    """Take away the outcome of attempts that met a fault of ours: they are made again, or end as `platform_fault`."""
    run_ids = [each.run_id for each in ended]
    if parts.faults.pending:
        record_faults(connection, parts.faults.pending, among=run_ids)  # the recorder finds and forgets them
    faulted, refused = disturbed_attempts(connection, run_ids)
    if not faulted and not refused:
        return ended
    may_have_written = attempts_that_may_have_written(connection, run_ids)
    in_question = {
        each.key: each.attempt >= MAX_ATTEMPTS or each.key in may_have_written
        for each in ended
        if each.outcome is not None and each.key in refused and faulted.get(each.key) in _NOT_ENOUGH
    }
    if in_question:
        faulted |= record_simulator_outages(connection, in_question, parts.clock())
    return [
        _without_outcome(each, faulted[each.key], may_have_written) if each.key in faulted else each
        for each in ended
    ]


def _without_outcome(
    ended: EndedAttempt, reason: Reason, may_have_written: Collection[tuple[int, int]]
) -> EndedAttempt:
    if ended.outcome is None:
        return ended
    reply = ended.outcome if isinstance(ended.outcome, AgentReply) else ended.outcome.reply
    if ended.key in may_have_written:
        return ended._replace(outcome=replace(not_repeated(reason), reply=reply))
    if ended.attempt >= MAX_ATTEMPTS:
        if reason == "slow_storage":
            return ended
        return ended._replace(outcome=replace(none_left(reason), reply=reply))
    return ended._replace(outcome=None, because="platform_fault")


def _event_of(owner: str, ended: EndedAttempt) -> Finish | Release:
    if ended.outcome is None:
        return Release(owner=owner, attempt=ended.attempt, because=ended.because)
    status = "failed" if isinstance(ended.outcome, Failure) else "completed"
    return Finish(owner=owner, attempt=ended.attempt, status="failed" if status == "failed" else "completed")


def _result(soft_warnings: list[str], outcome: AgentReply | Failure) -> dict[str, Any]:
    reply, failure = (outcome.reply, outcome) if isinstance(outcome, Failure) else (outcome, None)
    values: dict[str, Any] = {}
    if reply is not None:
        values |= {
            "final_response": reply.final_response,
            "messages": reply.messages,
            "metadata": reply.metadata,
            "soft_warnings": [*soft_warnings, *reply.soft_warnings],
        }
    if failure is not None:
        error = {"detail": failure.detail, "http_status": failure.http_status}
        values |= {"error_class": failure.error_class, "error_json": error}
    return values


def _reply(outcome: AgentReply | Failure) -> dict[str, Any]:
    if isinstance(outcome, AgentReply):
        return {"body": msgspec.Raw(outcome.raw.encode("utf-8")), "soft_warnings": outcome.soft_warnings}
    data: dict[str, Any] = {
        "error_class": outcome.error_class,
        "detail": outcome.detail,
        "http_status": outcome.http_status,
    }
    if outcome.evidence is not None:
        data["evidence"] = outcome.evidence
    if outcome.reply is not None:
        data["body"] = msgspec.Raw(outcome.reply.raw.encode("utf-8"))
    return data
