"""Grading stored runs again over HTTP."""

from odyssey.core.database import after_commit
from odyssey.core.depends import ClockDep, ObjectId, SignalsDep, WriteSession
from odyssey.core.scheduling import TERMINAL
from odyssey.identity.caller import record_change
from odyssey.identity.guard import GuardedRouter, Member
from odyssey.journal.events import lock_run
from odyssey.runs.errors import RunNotGradableError
from odyssey.runs.render import summary
from odyssey.runs.repository import get_run
from odyssey.runs.schemas import RunSummary
from odyssey.runs.topics import runs_changed

router = GuardedRouter(prefix="/api/runs", tags=["runs"])


@router.post("/{run_id}/grade", status_code=202)
async def grade_again(
    run_id: ObjectId, caller: Member, session: WriteSession, clock: ClockDep, signals: SignalsDep
) -> RunSummary:
    """Grade a run that ended by the graders of today; the verdicts it has had are kept."""
    await lock_run(session, (await get_run(session, caller.org_id, run_id)).id)
    run = await get_run(session, caller.org_id, run_id)
    await session.refresh(run)
    if run.status not in TERMINAL:
        raise RunNotGradableError(run_id, run.status)
    if run.verdict != "PENDING":
        record_change(
            session, caller, clock, "run.grade", object_type="run", object_id=run_id, before=run.verdict
        )
        run.verdict, run.failure_mode, run.score = "PENDING", None, None
        await session.flush()
    after_commit(session, lambda: runs_changed(signals, caller.org_id))
    return await summary(session, run)
