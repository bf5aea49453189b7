"""The progress of a matrix as server-sent events."""

import asyncio
from collections.abc import AsyncIterator
from typing import NamedTuple
from uuid import UUID

from fastapi import Request

from odyssey.core.database import Database
from odyssey.core.depends import DatabaseDep, ReadSession, SignalsDep
from odyssey.core.signals import Signals
from odyssey.evals.matrices.progress import progress_of, status_of
from odyssey.evals.matrices.render import summary
from odyssey.evals.matrices.repository import NO_RUNS, find_matrix, run_counts
from odyssey.evals.matrices.schemas import MatrixSummary, Progress
from odyssey.evals.matrices.topics import MATRICES_TOPIC
from odyssey.identity.guard import GuardedRouter, Viewer
from odyssey.runs.stream import HEADERS, EventStream, beating, event_message, to_its_end

router = GuardedRouter(prefix="/api/v1/eval/matrix", tags=["evals"])

_LOOK_AGAIN_S = 0.5


class _News(NamedTuple):
    progress: Progress
    ended: MatrixSummary | None


@router.get("/{matrix_id}/stream", response_class=EventStream)
async def stream_matrix(
    matrix_id: UUID,
    caller: Viewer,
    session: ReadSession,
    database: DatabaseDep,
    signals: SignalsDep,
    request: Request,
) -> EventStream:
    """Read how far a matrix is, whenever that changes: `event: progress`, and in the end `event: end` with its summary.

    Nothing is replayed: the first event says all that there is to say.
    """
    await find_matrix(session, caller.org_id, str(matrix_id))
    messages = _progress(database, signals, caller.org_id, str(matrix_id))
    return EventStream(beating(request, caller, messages), headers=HEADERS)


async def _progress(
    database: Database, signals: Signals, org_id: int, matrix_id: str
) -> AsyncIterator[bytes | None]:
    async def look() -> _News:
        async with database.read() as session:
            matrix = await find_matrix(session, org_id, matrix_id)
            counts = (await run_counts(session, [matrix_id])).get(matrix_id, NO_RUNS)
            is_over = status_of(matrix) != "running"
            ended = await summary(session, matrix) if is_over else None
            return _News(progress_of(matrix, counts), ended)

    told: Progress | None = None
    while not signals.closed:
        woken = asyncio.ensure_future(signals.wait(MATRICES_TOPIC, _LOOK_AGAIN_S))
        try:
            news = await to_its_end(look())
            if news.progress != told:
                told = news.progress
                yield event_message(told.model_dump_json().encode(), event="progress")
            if news.ended is not None:
                yield event_message(news.ended.model_dump_json().encode(), event="end")
                return
            yield None
            await woken
        finally:
            woken.cancel()
