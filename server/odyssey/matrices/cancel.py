"""Ending a matrix before it is over.

Runs that wait end with the request. Those that go on are ended afterwards, each in a transaction of its own: one that
held many runs would wait for their owners while these wait for it.
"""

from sqlalchemy.ext.asyncio import AsyncSession

from odyssey.core.database import after_commit
from odyssey.core.signals import Signals
from odyssey.identity.caller import Caller, record_change
from odyssey.kit.clock import Clock
from odyssey.matrices.errors import MatrixEndedError
from odyssey.matrices.models import Matrix
from odyssey.matrices.progress import end_of_matrix, status_of
from odyssey.matrices.repository import end_waiting_runs, get_matrix
from odyssey.matrices.topics import matrix_changed
from odyssey.runs.topics import runs_ended


async def cancel_matrix(
    session: AsyncSession, signals: Signals, clock: Clock, caller: Caller, matrix_id: str
) -> Matrix:
    """Make no more runs and end those that wait. While the matrix is held nobody can make new ones."""
    matrix = await get_matrix(session, caller.org_id, matrix_id, lock=True)
    status = status_of(matrix)
    if status != "running":
        raise MatrixEndedError(matrix_id, status)
    matrix.state, matrix.lease_until, matrix.finished_at = "cancelled", None, end_of_matrix(matrix, clock())
    await session.flush()
    ended = await end_waiting_runs(session, matrix_id, clock())
    record_change(
        session, caller, clock, "matrix.cancel", object_type="matrix", object_id=matrix_id, before=status
    )
    after_commit(session, lambda: runs_ended(signals, caller.org_id, ended))
    after_commit(session, lambda: matrix_changed(signals, matrix_id))
    return matrix
