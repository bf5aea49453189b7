"""The progress of a matrix as server-sent events."""

from collections.abc import AsyncGenerator, Hashable
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from odyssey.core.depends import FeedsDep
from odyssey.core.feeds import EventStream, event_message, event_stream
from odyssey.evals.eval_runs.observe import matrix_topic
from odyssey.identity.guard import GuardedRouter, OpenStreamDep, Viewer
from odyssey.matrices.progress import progress_of, status_of
from odyssey.matrices.render import summary
from odyssey.matrices.repository import NO_RUNS, find_matrix, run_counts

router = GuardedRouter(prefix="/api/v1/eval/matrix", tags=["evals"])


@router.get("/{matrix_id}/stream", response_class=EventStream)
async def stream_matrix(
    matrix_id: UUID, caller: Viewer, feeds: FeedsDep, opened: OpenStreamDep
) -> EventStream:
    """Read how far a matrix is, whenever that changes: `event: progress`, and in the end `event: end` with its summary.

    Nothing is replayed: the first event says all that there is to say.
    """
    return event_stream(feeds, opened, _MatrixProgress(caller.org_id, str(matrix_id)), _tell_progress)


class _MatrixProgress:
    """How far a matrix is, and its summary once it is over."""

    pause_s = 0.25

    def __init__(self, org_id: int, matrix_id: str) -> None:
        self._org_id, self._matrix_id = org_id, matrix_id
        self.key: Hashable = (_MatrixProgress, org_id, matrix_id)
        self.topic = matrix_topic(matrix_id)
        self.progress = b""
        self.ended = b""

    @property
    def is_over(self) -> bool:
        return self.ended != b""

    async def look(self, session: AsyncSession) -> bool:
        matrix = await find_matrix(session, self._org_id, self._matrix_id)
        counts = (await run_counts(session, [self._matrix_id])).get(self._matrix_id, NO_RUNS)
        before = self.progress
        progress = progress_of(matrix, counts)
        self.progress = event_message(progress.model_dump_json().encode(), event="progress")
        if status_of(matrix) != "running":
            ended = await summary(session, matrix)
            self.ended = event_message(ended.model_dump_json().encode(), event="end")
        return self.progress != before or self.is_over


async def _tell_progress(matrix: _MatrixProgress) -> AsyncGenerator[bytes]:
    told = b""
    while True:
        if told != matrix.progress:
            told = matrix.progress
            yield told
        elif matrix.is_over:
            yield matrix.ended
            return
        else:
            yield b""
