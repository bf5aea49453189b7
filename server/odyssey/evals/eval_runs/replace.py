"""Repeating a run that says nothing of the agent: once, with all that it was asked (wire-contract.md#d12)."""

from collections.abc import Awaitable, Callable

from sqlalchemy.ext.asyncio import AsyncSession

from odyssey.core.database import after_commit
from odyssey.core.signals import Signals
from odyssey.evals.eval_runs.models import EvalRun
from odyssey.journal.injections import read_injection
from odyssey.journal.models import RunContext
from odyssey.kit.clock import Clock
from odyssey.runs.making import Maker, Wanted, make_runs
from odyssey.runs.models import Run
from odyssey.runs.repository import get_task
from odyssey.runs.topics import runs_changed

_SAME = (
    "org_id",
    "scenario_number",
    "scenario_version",
    "agent_id",
    "agent_version",
    "risk_level",
    "matrix_id",
    "rule_set",
    "variation_type",
    "dose",
    "delivery",
    "step",
    "placebo",
    "paraphrase",
    "repeat",
    "injection",
)


MayRepeat = Callable[[AsyncSession, str], Awaitable[bool]]
"""Holds a matrix as it is, and says whether it may make one more run for one that is missing."""


async def _may_replace(session: AsyncSession, may_repeat: MayRepeat, eval_run: EvalRun, run: Run) -> bool:
    """Whether a missing run is repeated: not what somebody cancelled, nor what stands in for another already.

    Of a matrix only while it goes on and its budget has room.
    """
    if run.status != "failed" or eval_run.replaces is not None:
        return False
    return eval_run.matrix_id is None or await may_repeat(session, eval_run.matrix_id)


async def replace_missing(
    session: AsyncSession,
    signals: Signals,
    clock: Clock,
    may_repeat: MayRepeat,
    eval_run: EvalRun,
    run: Run,
) -> None:
    """Make the run that stands in for a missing one. Whoever asks is the only one that wrote it down as missing."""
    if not await _may_replace(session, may_repeat, eval_run, run):
        return
    context = await session.get_one(RunContext, run.id)
    maker = Maker(
        org_id=run.org_id,
        agent_id=run.agent_id,
        agent_version=run.agent_version,
        judged=False,
        campaign_id=run.campaign_id,
        lane=run.lane,
    )
    injection = read_injection(context.injection)
    wanted = Wanted(await get_task(session, run.task_id), run.repeat, run.random_seed, injection)
    (made,) = await make_runs(session, clock, maker, [wanted])
    same = {name: getattr(eval_run, name) for name in _SAME}
    session.add(EvalRun(run_id=made.id, replaces=run.id, flagged=False, **same))
    after_commit(session, lambda: runs_changed(signals, run.org_id))
