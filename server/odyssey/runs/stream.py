"""Server-sent events: a run as it happens, and the list of runs as it moves."""

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Coroutine, Hashable
from typing import Annotated, Any, TypeVar

import msgspec
from fastapi import Header
from sqlalchemy.ext.asyncio import AsyncSession

from odyssey.core.database import Database
from odyssey.core.depends import DatabaseDep, FeedsDep, ObjectId
from odyssey.core.errors import NotFoundError, ValidationFailedError
from odyssey.core.feeds import EventStream, event_message, event_stream
from odyssey.core.scheduling import TERMINAL
from odyssey.identity.guard import GuardedRouter, OpenStreamDep, Viewer
from odyssey.journal.events import EventRecord, head_of, read_events, run_topic
from odyssey.records.problems import FieldError
from odyssey.runs.render import summaries, summary
from odyssey.runs.repository import newest_states, runs_by_id
from odyssey.runs.topics import org_runs_topic

router = GuardedRouter(prefix="/api/runs", tags=["runs"])

_BATCH = 200
_MOST_KEPT = 1_000_000
"""Bytes of a trace that are kept for those who follow it; who is further behind reads for himself."""

Result = TypeVar("Result")

LastEventId = Annotated[str | None, Header(alias="Last-Event-ID")]


@router.get("/events", response_class=EventStream)
async def stream_runs(caller: Viewer, feeds: FeedsDep, opened: OpenStreamDep) -> EventStream:
    """Summaries of runs as they change. Nothing is replayed: after a reconnect, read the list again."""
    return event_stream(feeds, opened, _OrgRuns(caller.org_id), _tell_runs)


@router.get("/{run_id}/events", response_class=EventStream)
async def stream_run(
    run_id: ObjectId,
    caller: Viewer,
    database: DatabaseDep,
    feeds: FeedsDep,
    opened: OpenStreamDep,
    last_event_id: LastEventId = None,
) -> EventStream:
    """Read the trace of one run as it grows; resume with `Last-Event-ID`.

    It ends with `event: end` when the run has ended and has its verdict.
    """
    after = _sequence(last_event_id)
    trace = _Trace(caller.org_id, run_id)
    return event_stream(feeds, opened, trace, lambda shared: _tell_trace(database, shared, after))


def _sequence(last_event_id: str | None) -> int:
    if last_event_id is None:
        return 0
    if not last_event_id.isdecimal() or len(last_event_id) > 18:
        fault = FieldError(
            loc=("header", "Last-Event-ID"), msg="Last-Event-ID is the id of an event: a sequence number"
        )
        raise ValidationFailedError([fault])
    return int(last_event_id)


class _OrgRuns:
    """The newest runs of an org: of each that has changed, the summary and in which reading that was found."""

    pause_s = 0.25
    is_over = False

    def __init__(self, org_id: int) -> None:
        self._org_id = org_id
        self.key: Hashable = (_OrgRuns, org_id)
        self.topic = org_runs_topic(org_id)
        self.reading = 0
        self.changed: dict[int, tuple[int, bytes]] = {}
        self._known: dict[int, tuple[str, int, str]] | None = None

    async def look(self, session: AsyncSession) -> bool:
        now = await newest_states(session, self._org_id, _BATCH)
        known, self._known = self._known, now
        different = [] if known is None else [run_id for run_id in now if known.get(run_id) != now[run_id]]
        if not different:
            return False
        news = await summaries(session, await runs_by_id(session, self._org_id, different))
        # From here on without a pause: a stream that looks in between would take the reading for told.
        self.reading += 1
        self.changed = {run_id: told for run_id, told in self.changed.items() if run_id in now}
        for one in news:
            message = event_message(one.model_dump_json().encode(), event="run")
            self.changed[one.id] = (self.reading, message)
        return True


def _tell_runs(runs: _OrgRuns) -> AsyncGenerator[bytes]:
    """Send each run as it is now: a slow reader misses states in between, never the newest."""
    return _changes_after(runs.reading, runs)


async def _changes_after(told: int, runs: _OrgRuns) -> AsyncGenerator[bytes]:
    while True:
        before, told = told, runs.reading
        yield b"".join(message for reading, message in runs.changed.values() if reading > before)


class _Trace:
    """One run: how far its journal goes, the last of its events, and its summary once it has ended."""

    pause_s = 0.1

    def __init__(self, org_id: int, run_id: int) -> None:
        self.org_id, self.run_id = org_id, run_id
        self.key: Hashable = (_Trace, org_id, run_id)
        self.topic = run_topic(run_id)
        self.head: int | None = None
        self.ended: bytes | None = None
        self._kept: deque[tuple[int, bytes]] = deque()
        self._size = 0

    @property
    def is_over(self) -> bool:
        return self.ended is not None

    async def look(self, session: AsyncSession) -> bool:
        found = await runs_by_id(session, self.org_id, [self.run_id])
        if not found:
            raise NotFoundError
        run = found[0]
        before = self.head
        if before is None:
            self.head = await head_of(session, self.run_id)
        else:
            await self._read_on(session, before)
        if run.status in TERMINAL and run.verdict != "PENDING":
            ended = await summary(session, run)
            self.ended = event_message(ended.model_dump_json().encode(), event="end")
        return self.head != before or self.is_over

    async def _read_on(self, session: AsyncSession, head: int) -> None:
        events = None
        while events is None or len(events) == _BATCH:
            events = await read_events(session, self.run_id, after=head, limit=_BATCH)
            for event in events:
                head = event.sequence
                self._keep(head, _message(event))
        self.head = head

    def _keep(self, sequence: int, message: bytes) -> None:
        self._kept.append((sequence, message))
        self._size += len(message)
        while self._size > _MOST_KEPT:
            self._size -= len(self._kept.popleft()[1])

    def kept_after(self, sequence: int) -> list[tuple[int, bytes]] | None:
        """Return the events after this one; None if some of them are no longer here."""
        if self.head is not None and sequence >= self.head:
            return []
        if not self._kept or self._kept[0][0] > sequence + 1:
            return None
        return [event for event in self._kept if event[0] > sequence]


async def _tell_trace(database: Database, trace: _Trace, after: int) -> AsyncGenerator[bytes]:
    while True:
        ended = trace.ended  # before the events: none comes after it
        events = trace.kept_after(after)
        if events is None:
            events = await _to_its_end(_read(database, trace.run_id, after))
        if events:
            after = events[-1][0]
            yield b"".join(message for _, message in events)
        elif ended is not None:
            yield ended
            return
        else:
            yield b""


async def _read(database: Database, run_id: int, after: int) -> list[tuple[int, bytes]]:
    async with database.read() as session:
        events = await read_events(session, run_id, after=after, limit=_BATCH)
    return [(event.sequence, _message(event)) for event in events]


async def _to_its_end(look: Coroutine[Any, Any, Result]) -> Result:
    """Let a read finish although its listener has just left: a connection cut in the middle cannot be used again."""
    return await asyncio.shield(asyncio.ensure_future(look))


def _message(event: EventRecord) -> bytes:
    return event_message(msgspec.json.encode(event), event=event.kind, event_id=event.sequence)
