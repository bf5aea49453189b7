"""Server-sent events: a run as it happens, and the list of runs as it moves."""

import asyncio
import time
from collections.abc import AsyncIterator, Coroutine, Sequence
from typing import Annotated, Any, NamedTuple, TypeVar

import msgspec
from fastapi import Header, Request
from fastapi.responses import StreamingResponse

from odyssey.core.database import Database
from odyssey.core.depends import DatabaseDep, ObjectId, ReadSession, SignalsDep
from odyssey.core.errors import OdysseyError, ValidationFailedError
from odyssey.core.paging import PageRequest
from odyssey.core.scheduling import TERMINAL
from odyssey.core.signals import Listener, Signals
from odyssey.identity.authenticate import authenticate
from odyssey.identity.caller import Caller
from odyssey.identity.guard import GuardedRouter, Viewer
from odyssey.journal.events import EventRecord, read_events, run_topic
from odyssey.records.problems import FieldError
from odyssey.runs.render import summaries, summary
from odyssey.runs.repository import get_run, list_runs
from odyssey.runs.schemas import RunSummary
from odyssey.runs.topics import RUNS_TOPIC

router = GuardedRouter(prefix="/api/runs", tags=["runs"])

COMMENT_EVERY_S = 15.0
AUTHENTICATE_EVERY_S = 30.0
LOOK_AGAIN_S = 1.0
_PAUSE_S = 0.25
"""Between two looks at the list of runs, while a busy server changes it all the time."""
_BATCH = 200
HEADERS = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}

_ON_ONE_LINE = bytes.maketrans(b"\r\n", b"  ")

Result = TypeVar("Result")

LastEventId = Annotated[str | None, Header(alias="Last-Event-ID")]


class EventStream(StreamingResponse):
    media_type = "text/event-stream"


@router.get("/events", response_class=EventStream)
async def stream_runs(
    caller: Viewer, database: DatabaseDep, signals: SignalsDep, request: Request
) -> EventStream:
    """Summaries of runs as they change. Nothing is replayed: after a reconnect, read the list again."""
    return EventStream(beating(request, caller, _run_changes(database, signals, caller)), headers=HEADERS)


@router.get("/{run_id}/events", response_class=EventStream)
async def stream_run(
    run_id: ObjectId,
    caller: Viewer,
    session: ReadSession,
    database: DatabaseDep,
    signals: SignalsDep,
    request: Request,
    last_event_id: LastEventId = None,
) -> EventStream:
    """Read the trace of one run as it grows; resume with `Last-Event-ID`.

    It ends with `event: end` when the run has ended and has its verdict.
    """
    await get_run(session, caller.org_id, run_id)
    after = _sequence(last_event_id)
    messages = _run_events(database, signals, caller, run_id, after)
    return EventStream(beating(request, caller, messages), headers=HEADERS)


def _sequence(last_event_id: str | None) -> int:
    if last_event_id is None:
        return 0
    if not last_event_id.isdecimal() or len(last_event_id) > 18:
        fault = FieldError(
            loc=("header", "Last-Event-ID"), msg="Last-Event-ID is the id of an event: a sequence number"
        )
        raise ValidationFailedError([fault])
    return int(last_event_id)


async def beating(
    request: Request, caller: Caller, messages: AsyncIterator[bytes | None]
) -> AsyncIterator[bytes]:
    """Pass messages on, say something in silence, and end when the caller may no longer listen."""
    yield b": open\n\n"  # or a quiet stream would not even show its headers
    said = checked = time.monotonic()
    async for message in messages:
        now = time.monotonic()
        if now - checked >= AUTHENTICATE_EVERY_S:
            checked = now
            if not await _still_allowed(request, caller):
                return
        if message is not None:
            said = now
            yield message
        elif now - said >= COMMENT_EVERY_S:
            said = now
            yield b": still here\n\n"


async def _still_allowed(request: Request, caller: Caller) -> bool:
    try:
        return (await authenticate(request)).org_id == caller.org_id
    except OdysseyError:
        return False


class _News(NamedTuple):
    events: Sequence[EventRecord]
    ended: RunSummary | None


async def _run_events(
    database: Database, signals: Signals, caller: Caller, run_id: int, after: int
) -> AsyncIterator[bytes | None]:
    async def look() -> _News:
        async with database.read() as session:
            run = await get_run(session, caller.org_id, run_id)
            events = await read_events(session, run_id, after=after, limit=_BATCH)
            is_over = run.status in TERMINAL and run.verdict != "PENDING" and len(events) < _BATCH
            return _News(events, await summary(session, run) if is_over else None)

    while not signals.closed:
        woken = asyncio.ensure_future(signals.wait(run_topic(run_id), LOOK_AGAIN_S))
        try:
            news = await to_its_end(look())
            if news.events:
                after = news.events[-1].sequence
                yield b"".join(_event(event) for event in news.events)
            if news.ended is not None:
                yield event_message(news.ended.model_dump_json().encode(), event="end")
                return
            if len(news.events) < _BATCH:
                yield None
                await woken
        finally:
            woken.cancel()


async def _run_changes(database: Database, signals: Signals, caller: Caller) -> AsyncIterator[bytes | None]:
    known: dict[int, tuple[str, int, str]] | None = None

    async def look() -> tuple[dict[int, tuple[str, int, str]], list[RunSummary]]:
        async with database.read() as session:
            runs = (await list_runs(session, caller.org_id, PageRequest(_BATCH))).items
            now = {run.id: (run.status, run.attempt, run.verdict) for run in runs}
            changed = [run for run in runs if known is not None and known.get(run.id) != now[run.id]]
            return now, await summaries(session, changed[::-1])

    news = Listener(_PAUSE_S)
    with signals.listen(RUNS_TOPIC, news):
        while not signals.closed:
            known, changed = await to_its_end(look())
            for one in changed:
                yield event_message(one.model_dump_json().encode(), event="run")
            yield None
            await news.wait(LOOK_AGAIN_S)


async def to_its_end(look: Coroutine[Any, Any, Result]) -> Result:
    """Let a read finish although its listener has just left: a connection cut in the middle cannot be used again."""
    return await asyncio.shield(asyncio.ensure_future(look))


def _event(event: EventRecord) -> bytes:
    return event_message(msgspec.json.encode(event), event=event.kind, event_id=event.sequence)


def event_message(data: bytes, *, event: str, event_id: int | None = None) -> bytes:
    r"""Write an event with JSON as its data.

    A line break would end the `data:` line. In JSON one stands only between values, never inside a string, so a space
    says the same: an agent's reply `{"final_response": "ok"}\n` becomes `{"final_response": "ok"} `.
    """
    identity = b"" if event_id is None else b"id: %d\n" % event_id
    head = identity + b"event: " + event.encode("ascii")
    return head + b"\ndata: " + data.translate(_ON_ONE_LINE) + b"\n\n"
