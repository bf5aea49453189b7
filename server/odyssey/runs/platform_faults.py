"""Writing down faults of ours, and what they mean for an attempt: it is made again, or it says nothing of the agent.

Such a fault is an outage of our database, or one of the simulator model (`simulator_outages.py`). An attempt is not
made again once it has reached a live tool that may write (what it did there stays done, and a second attempt would do
it twice), nor after the last of three. It then ends as `platform_fault`, which is NOT APPLICABLE. Where the database
was merely slow, the third attempt counts as it is: its answers came late, but they were right, and an agent that found
out how to slow us down would gain nothing by it.
"""

import asyncio
import logging
from collections import defaultdict
from collections.abc import Collection, Mapping
from datetime import datetime
from functools import partial
from typing import Any

import msgspec
from sqlalchemy import BindParameter, Connection, and_, bindparam, or_, select, update

from odyssey.core.database import StorageUnavailableError
from odyssey.core.group_commit import GroupWriter
from odyssey.core.signals import Signals
from odyssey.core.tables import table_of
from odyssey.dispatch.classify import Failure
from odyssey.identity.models import RunToken
from odyssey.journal.events import NewEvent, append_events, heads_of, lock_runs, run_topic
from odyssey.journal.models import Event
from odyssey.journal.platform_faults import PlatformFault, PlatformFaults, Reason
from odyssey.kit.tasks import end_tasks
from odyssey.records.error_classes import PLATFORM_FAULT
from odyssey.runs.models import Run
from odyssey.runs.simulator_outages import REFUSED, AttemptCalls, ModelCallRecord, read_call
from odyssey.runs.topics import RUNS_TOPIC

log = logging.getLogger(__name__)

_PAUSE_S = 0.2
"""Between two tries to write while the database is away."""

_SENTENCES = {
    "storage_unavailable": "Odyssey's database was not available, and a request of this attempt was refused.",
    "slow_storage": "A request of this attempt waited too long for Odyssey's database.",
    "simulator_unavailable": "The simulator model was not available, and a call of this attempt was refused.",
    "simulator_timeout": "The simulator model took too long, and a call of this attempt was refused.",
}
_WHAT_WAS_AWAY: Mapping[Reason, str] = {
    "storage_unavailable": "Odyssey's database",
    "slow_storage": "Odyssey's database",
    "simulator_unavailable": "The simulator model",
    "simulator_timeout": "The simulator model",
}
_KNOWN_LATE = "Odyssey's database was away during this run, which became known only after the run had ended."

_TOKENS, _EVENTS, _RUNS = table_of(RunToken), table_of(Event), table_of(Run)
_RUN_IDS: BindParameter[Any] = bindparam("run_ids", expanding=True)
_BY_TOKENS = select(_TOKENS.c.token_hash, _TOKENS.c.run_id, _TOKENS.c.attempt).where(
    _TOKENS.c.token_hash.in_(bindparam("hashes", expanding=True))
)
_OF_KIND = select(_EVENTS.c.run_id, _EVENTS.c.attempt, _EVENTS.c.data).where(
    _EVENTS.c.run_id.in_(_RUN_IDS), _EVENTS.c.kind == bindparam("of_kind")
)
_DISTURBANCES = select(_EVENTS.c.run_id, _EVENTS.c.attempt, _EVENTS.c.kind, _EVENTS.c.data).where(
    _EVENTS.c.run_id.in_(_RUN_IDS),
    or_(
        _EVENTS.c.kind == "platform_fault",
        and_(_EVENTS.c.kind == "tool_call", _EVENTS.c.http_status.in_(REFUSED)),
    ),
)
_CALLS = (
    select(_EVENTS.c.run_id, _EVENTS.c.attempt, _EVENTS.c.sequence, _EVENTS.c.data)
    .where(_EVENTS.c.run_id.in_(_RUN_IDS), _EVENTS.c.kind == "tool_call", _EVENTS.c.repeats.is_(None))
    .order_by(_EVENTS.c.sequence)
)
_END_LATE = (
    update(_RUNS)
    .where(
        _RUNS.c.id == bindparam("of_run"),
        _RUNS.c.attempt == bindparam("of_attempt"),
        _RUNS.c.status.in_(("completed", "failed")),
        _RUNS.c.error_class.is_distinct_from(PLATFORM_FAULT),
    )
    .values(
        status="failed",
        error_class=PLATFORM_FAULT,
        error_json={"detail": _KNOWN_LATE, "http_status": None},
        verdict="PENDING",
    )
)

Attempt = tuple[int, int]


def record_faults(
    connection: Connection, pending: Mapping[str, PlatformFault], among: Collection[int] | None = None
) -> tuple[Mapping[str, PlatformFault], Mapping[Attempt, Reason]]:
    """Append one event to each attempt, of all runs or some, that has none yet. Faults without a run are forgotten.

    Returns the faults that are durable once the transaction is, and the attempts that the journal did not have yet.

    Whoever holds runs already names them in `among`: taking others as well could end in a circle of waiting.
    """
    faults = dict(pending)
    if not faults:
        return {}, {}
    found = {
        (run_id, attempt): faults[token_hash]
        for token_hash, run_id, attempt in connection.execute(_BY_TOKENS, {"hashes": list(faults)})
        if among is None or run_id in among
    }
    run_ids = sorted({run_id for run_id, _ in found})
    if not run_ids:
        return faults, {}
    lock_runs(connection, run_ids)
    known, _ = disturbed_attempts(connection, run_ids)
    new = {attempt: fault for attempt, fault in found.items() if attempt not in known}
    _append_faults(connection, new)
    return faults, {attempt: fault.reason for attempt, fault in new.items()}


def record_simulator_outages(
    connection: Connection, attempts: Mapping[Attempt, bool], now: datetime
) -> dict[Attempt, Reason]:
    """Append an event to each attempt that the simulator model has spoilt; its runs are locked.

    Each attempt comes with whether it is the last that there will be.
    """
    calls: defaultdict[Attempt, list[ModelCallRecord]] = defaultdict(list)
    rows = connection.execute(_CALLS, {"run_ids": sorted({run_id for run_id, _ in attempts})})
    for run_id, attempt, sequence, data in rows:
        if (run_id, attempt) in attempts:
            call = read_call(sequence, msgspec.json.decode(data))
            calls[run_id, attempt] += [] if call is None else [call]
    found = {key: AttemptCalls(calls[key]).outage(is_last=is_last) for key, is_last in attempts.items()}
    spoilt = {key: reason for key, reason in found.items() if reason is not None}
    _append_faults(connection, {key: PlatformFault(reason, now) for key, reason in spoilt.items()})
    return spoilt


def _append_faults(connection: Connection, faults: Mapping[Attempt, PlatformFault]) -> None:
    heads = heads_of(connection, sorted({run_id for run_id, _ in faults}))
    events = []
    for (run_id, attempt), fault in faults.items():
        heads[run_id] = heads.get(run_id, 0) + 1
        data = {"reason": fault.reason, "detail": _SENTENCES[fault.reason]}
        events.append(NewEvent(run_id, heads[run_id], attempt, "platform_fault", fault.noticed_at, data))
    append_events(connection, events)


def disturbed_attempts(
    connection: Connection, run_ids: Collection[int]
) -> tuple[dict[Attempt, Reason], set[Attempt]]:
    """Find the attempts that the journal says were disturbed by a fault of ours, and by which.

    Also returns those in which the simulator model was away for a call: whether that is a fault is not decided yet.
    """
    faulted: dict[Attempt, Reason] = {}
    refused: set[Attempt] = set()
    for run_id, attempt, kind, data in connection.execute(_DISTURBANCES, {"run_ids": list(run_ids)}):
        if kind == "platform_fault":
            faulted[run_id, attempt] = msgspec.json.decode(data)["reason"]
        else:
            refused.add((run_id, attempt))
    return faulted, refused


def not_repeated(reason: Reason) -> Failure:
    return Failure(
        PLATFORM_FAULT,
        f"{_WHAT_WAS_AWAY[reason]} was away during this attempt, which had already reached a live tool that may "
        "write, so it was not made again.",
    )


def none_left(reason: Reason) -> Failure:
    return Failure(
        PLATFORM_FAULT, f"{_WHAT_WAS_AWAY[reason]} was away during the last of three attempts at this run."
    )


def attempts_that_may_have_written(connection: Connection, run_ids: Collection[int]) -> set[Attempt]:
    """Find the attempts that sent a call to a live tool which is not declared read-only."""
    rows = connection.execute(_OF_KIND, {"run_ids": list(run_ids), "of_kind": "forward"})
    return {
        (run_id, attempt)
        for run_id, attempt, data in rows
        if not msgspec.json.decode(data)["endpoint"]["read_only"]
    }


class FaultRecorder:
    """The loop that writes faults down as soon as the database takes them."""

    def __init__(self, faults: PlatformFaults, writer: GroupWriter, signals: Signals) -> None:
        self._faults = faults
        self._writer = writer
        self._signals = signals
        self._tasks: list[asyncio.Task[None]] = []

    def start(self) -> None:
        self._tasks = [asyncio.create_task(self._record_for_ever(), name="platform faults")]

    async def stop(self) -> None:
        await end_tasks(self._tasks)
        self._tasks = []

    async def _record_for_ever(self) -> None:
        while True:
            await self._faults.news.wait(None)
            while self._faults.pending:
                try:
                    await self.record()
                except StorageUnavailableError:
                    await asyncio.sleep(_PAUSE_S)
                except Exception:
                    log.exception("platform faults are not recorded")
                    await asyncio.sleep(_PAUSE_S)

    async def record(self) -> None:
        faults, new = await self._writer.do(partial(_record_late, pending=self._faults.pending))
        self._faults.forget(faults)
        for run_id, _ in new:
            self._signals.announce(run_topic(run_id))
        if new:
            log.warning("attempts were disturbed by an outage of ours", extra={"attempts": len(new)})
            self._signals.notify(RUNS_TOPIC)


def _record_late(
    connection: Connection, pending: Mapping[str, PlatformFault]
) -> tuple[Mapping[str, PlatformFault], Mapping[Attempt, Reason]]:
    """Record faults; a run that another process closed before it could know of one is not measured after all."""
    faults, new = record_faults(connection, pending)
    refused = [
        {"of_run": run_id, "of_attempt": attempt}
        for (run_id, attempt), reason in new.items()
        if reason == "storage_unavailable"
    ]
    if refused:
        connection.execute(_END_LATE, refused)
    return faults, new
