"""Appending to a run's journal and reading it back, always in the order of its sequence."""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from typing import Any, Literal, NamedTuple

import msgspec
from sqlalchemy import BindParameter, Connection, bindparam, func, insert, or_, select
from sqlalchemy.ext.asyncio import AsyncSession

from odyssey.core.database import after_commit
from odyssey.core.group_commit import Statement, Unit
from odyssey.core.signals import Signals
from odyssey.core.tables import table_of
from odyssey.journal.models import Event, RunContext
from odyssey.kit.clock import rfc3339
from odyssey.records.ledger import Violation

EventKind = Literal[
    "dispatch", "forward", "tool_call", "trace_event", "reply", "violation", "grade", "platform_fault"
]
"""`forward`: a call went out to a live service. The `tool_call` with its answer names it; without one none is known.
`platform_fault`: something of ours was away while the attempt went on, so that it does not count."""


_EVENTS, _CONTEXTS = table_of(Event), table_of(RunContext)
_OF_RUNS: BindParameter[Any] = bindparam("run_ids", expanding=True)
_LOCK = (
    select(_CONTEXTS.c.run_id)
    .where(_CONTEXTS.c.run_id.in_(_OF_RUNS))
    .order_by(_CONTEXTS.c.run_id)
    .with_for_update()
)
_HEADS = (
    select(_EVENTS.c.run_id, func.max(_EVENTS.c.sequence))
    .where(_EVENTS.c.run_id.in_(_OF_RUNS))
    .group_by(_EVENTS.c.run_id)
)
_APPEND = insert(_EVENTS)


def run_topic(run_id: int) -> str:
    """Name what is shown of one run, in every process."""
    return f"run:{run_id}"


class EventRecord(msgspec.Struct, frozen=True):
    """An event as the API gives it out: `data` is passed on byte for byte."""

    sequence: int
    attempt: int
    kind: str
    occurred_at: str
    actor_id: str | None
    data: msgspec.Raw


async def lock_run(session: AsyncSession, run_id: int) -> RunContext | None:
    """Take the run for this transaction: appends to one run happen one after another."""
    return (
        await session.scalars(select(RunContext).where(RunContext.run_id == run_id).with_for_update())
    ).first()


def lock_runs(connection: Connection, run_ids: Collection[int]) -> None:
    """Take several runs for this transaction, always in the same order, so that nobody waits in a circle."""
    if connection.dialect.name != "sqlite":  # whose one writer has them all
        connection.execute(_LOCK, {"run_ids": list(run_ids)})


def heads_of(connection: Connection, run_ids: Collection[int]) -> dict[int, int]:
    """Return the last sequence number of each run that has events."""
    if not run_ids:
        return {}
    return dict(connection.execute(_HEADS, {"run_ids": list(run_ids)}).all())


async def head_of(session: AsyncSession, run_id: int) -> int:
    """Return the last sequence number in use, 0 for an empty journal. Call it under `lock_run`."""
    return await session.scalar(select(func.max(Event.sequence)).where(Event.run_id == run_id)) or 0


class NewEvent(NamedTuple):
    run_id: int
    sequence: int
    attempt: int
    kind: EventKind
    occurred_at: datetime
    data: Any


def append_events(connection: Connection, events: Sequence[NewEvent]) -> None:
    """Append to several runs at once. Whoever waits for news of them is to be told when it is durable."""
    rows = [event._asdict() | {"data": msgspec.json.encode(event.data).decode("utf-8")} for event in events]
    if rows:
        connection.execute(_APPEND, rows)


def append_event(
    session: AsyncSession,
    signals: Signals,
    *,
    run_id: int,
    sequence: int,
    attempt: int,
    kind: EventKind,
    occurred_at: datetime,
    data: Any,
    actor_id: str | None = None,
    http_status: int | None = None,
) -> None:
    session.add(
        Event(
            run_id=run_id,
            sequence=sequence,
            attempt=attempt,
            kind=kind,
            occurred_at=occurred_at,
            actor_id=actor_id,
            http_status=http_status,
            data=msgspec.json.encode(data).decode("utf-8"),
        )
    )
    after_commit(session, lambda: signals.announce(run_topic(run_id)))


async def read_events(session: AsyncSession, run_id: int, *, after: int, limit: int) -> Sequence[EventRecord]:
    statement = select(Event).where(Event.run_id == run_id, Event.sequence > after)
    rows = await session.scalars(statement.order_by(Event.sequence).limit(limit))
    return [as_record(row) for row in rows]


def as_record(row: Event) -> EventRecord:
    data = row.data.encode("utf-8")
    if row.repeats is not None:
        data = msgspec.json.encode(msgspec.json.decode(data) | {"count": row.repeats})
    return EventRecord(
        sequence=row.sequence,
        attempt=row.attempt,
        kind=row.kind,
        occurred_at=rfc3339(row.occurred_at),
        actor_id=row.actor_id,
        data=msgspec.Raw(data),
    )


# How many calls of an attempt were answered, and how often an answer contradicted the world.

_COUNTS = (
    select(_EVENTS.c.run_id, _EVENTS.c.attempt, _EVENTS.c.kind, func.count())
    .where(
        _EVENTS.c.run_id.in_(_OF_RUNS),
        _EVENTS.c.kind.in_(("tool_call", "violation")),
        or_(_EVENTS.c.kind == "violation", _EVENTS.c.http_status == 200),
    )
    .group_by(_EVENTS.c.run_id, _EVENTS.c.attempt, _EVENTS.c.kind)
)


def count_calls(
    connection: Connection, attempts: Collection[tuple[int, int]]
) -> dict[tuple[int, int], dict[str, int]]:
    """Count `tool_calls` and `violations` for each run and attempt that is named, by one statement."""
    if not attempts:
        return {}
    rows: Iterable[Any] = connection.execute(_COUNTS, {"run_ids": sorted({run_id for run_id, _ in attempts})})
    found: Counter[tuple[int, int, str]] = Counter({tuple(key): count for *key, count in rows})
    return {
        (run_id, attempt): {
            "tool_calls": found[run_id, attempt, "tool_call"],
            "violations": found[run_id, attempt, "violation"],
        }
        for run_id, attempt in attempts
    }


# Appending on the hot path: one guarded unit of the group writer per event.
#
# An event is appended only while its token is good and its sequence is free: whoever moved the run on
# meanwhile makes the unit fail, and its author looks again.

_LOCK_RUN = "SELECT CAST(pg_current_xact_id() AS text) FROM run_contexts WHERE run_id = :run_id FOR UPDATE"
_TOKEN_IS_GOOD = "SELECT 1 FROM run_tokens WHERE token_hash = :token_hash AND revoked_at IS NULL"  # noqa: S105 - SQL
_APPEND_UNIT = (
    "INSERT INTO events (run_id, sequence, attempt, kind, occurred_at, actor_id, http_status, repeats, data) "
    "VALUES (:run_id, :sequence, :attempt, :kind, :occurred_at, :actor_id, :http_status, :repeats, :data) "
    "ON CONFLICT (run_id, sequence) DO NOTHING"
)
_APPEND_AFTER = (
    "INSERT INTO events (run_id, sequence, attempt, kind, occurred_at, actor_id, data) "
    "SELECT run_id, sequence + :place, attempt, 'violation', occurred_at, actor_id, :data "
    "FROM events WHERE run_id = :run_id AND sequence = :sequence"
)
_COUNT_ONE_MORE = "UPDATE events SET repeats = repeats + 1 WHERE run_id = :run_id AND sequence = :sequence"


def append_unit(
    *,
    token_hash: str,
    run_id: int,
    sequence: int,
    attempt: int,
    kind: EventKind,
    occurred_at: datetime,
    data: bytes,
    actor_id: str | None = None,
    http_status: int | None = None,
    repeats: int | None = None,
    rest: Sequence[Statement] = (),
) -> Unit:
    event = Statement(
        _APPEND_UNIT,
        {
            "run_id": run_id,
            "sequence": sequence,
            "attempt": attempt,
            "kind": kind,
            "occurred_at": occurred_at,
            "actor_id": actor_id,
            "http_status": http_status,
            "repeats": repeats,
            "data": data.decode("utf-8"),
        },
    )
    return _unit(token_hash, run_id, event, rest)


def violation_statements(*, run_id: int, sequence: int, violations: Sequence[Violation]) -> list[Statement]:
    """Say how the violations of one call are written, each as an event after it: for the unit that writes the call."""
    return [
        Statement(
            _APPEND_AFTER,
            {
                "run_id": run_id,
                "sequence": sequence,
                "place": place,
                "data": msgspec.json.encode(violation).decode("utf-8"),
            },
        )
        for place, violation in enumerate(violations, start=1)
    ]


def count_unit(*, token_hash: str, run_id: int, sequence: int) -> Unit:
    """Let a counting event stand for one refusal more."""
    return _unit(token_hash, run_id, Statement(_COUNT_ONE_MORE, {"run_id": run_id, "sequence": sequence}))


def _unit(token_hash: str, run_id: int, guard: Statement, rest: Sequence[Statement] = ()) -> Unit:
    return Unit(
        key=run_id,
        lock=Statement(_LOCK_RUN, {"run_id": run_id}),
        condition=Statement(_TOKEN_IS_GOOD, {"token_hash": token_hash}),
        guard=guard,
        rest=rest,
    )
