"""The one ping before a matrix goes on: either its runs may go, or it is cancelled and says why."""

import logging

from odyssey.agents.repository import store_health
from odyssey.core.database import after_commit
from odyssey.dispatch.transport import PingResult
from odyssey.matrices.models import Matrix
from odyssey.matrices.progress import end_of_matrix, ended_runs
from odyssey.matrices.repository import NO_RUNS, end_check, run_counts
from odyssey.matrices.topics import matrix_changed
from odyssey.runs.attempt import Parts
from odyssey.runs.batches.check import ping_agent

log = logging.getLogger(__name__)


async def check_agent(parts: Parts, matrix: Matrix) -> None:
    """Ping the agent of a matrix and let the matrix go on, or end."""
    found = await ping_agent(parts, matrix)
    async with parts.database.write() as session:
        now = parts.clock()
        await store_health(session, matrix.agent_id, found, now)
        if found.ok:
            counts = (await run_counts(session, [matrix.id])).get(matrix.id, NO_RUNS)
            values = {"began_at": now, "ended_before": ended_runs(matrix, counts)}
            await end_check(session, matrix.id, "running", **values)
        else:
            finished_at = end_of_matrix(matrix, now)
            await end_check(session, matrix.id, "cancelled", reason=_reason(found), finished_at=finished_at)
        after_commit(session, lambda: matrix_changed(parts.signals, matrix.id))
    log.info("agent pinged", extra={"matrix_id": matrix.id, "ok": found.ok, "error_class": found.error_class})


def _reason(found: PingResult) -> str:
    return (
        f"Nothing was run: the agent did not answer a ping ({found.error_class}). {found.detail} "
        "When it does, resume the matrix."
    )
