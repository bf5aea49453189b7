"""Repeating a run that says nothing of the agent: once, with all that it was asked (contract D12)."""

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
from odyssey.runs.topics import RUNS_TOPIC

_SAME = (
    "org_id",
    "scenario_number",
    "scenario_version",
    "agent_id",
    "agent_version",
    "risk_level",
    "matrix_id",
    "variation_type",
    "dose",
    "delivery",
    "step",
    "placebo",
    "paraphrase",
    "repeat",
    "injection",
)


async def replacement_allowed(session: AsyncSession, eval_run: EvalRun, run: Run) -> bool:
    """Whether a missing run is repeated: not what somebody cancelled, nor what stands in for another already."""
    return run.status == "failed" and eval_run.replaces is None


async def replace_missing(
    session: AsyncSession, signals: Signals, clock: Clock, eval_run: EvalRun, run: Run
) -> None:
    """Make the run that stands in for a missing one. Whoever asks is the only one that wrote it down as missing."""
    if not await replacement_allowed(session, eval_run, run):
        return
    context = await session.get_one(RunContext, run.id)
    maker = Maker(run.org_id, run.agent_id, run.agent_version, batch_id=None, judged=False)
    injection = read_injection(context.injection)
    wanted = Wanted(await get_task(session, run.task_id), run.repeat, run.random_seed, injection)
    (made,) = await make_runs(session, clock, maker, [wanted])
    same = {name: getattr(eval_run, name) for name in _SAME}
    session.add(EvalRun(run_id=made.id, replaces=run.id, flagged=False, **same))
    after_commit(session, lambda: signals.notify(RUNS_TOPIC))
