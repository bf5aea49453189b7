"""Requests for runs over HTTP: one run, or a batch of them (wire-contract.md#d10)."""

from itertools import islice

from fastapi import Request
from sqlalchemy.ext.asyncio import AsyncSession

from odyssey.agents.compiled import CompiledAgents
from odyssey.batches.create import Plan, create_runs, plan_runs
from odyssey.batches.render import batch_out
from odyssey.batches.schemas import RunsCreated, RunsIn, ValidatedRuns
from odyssey.core.depends import ClockDep, ReadAhead, ReadSession, SignalsDep, WorkerDep, WriteSession
from odyssey.identity.guard import GuardedRouter, Member
from odyssey.library.behaviours import RowProblemOut
from odyssey.library.datasets.repository import first_tasks
from odyssey.library.unclear import unclear_of_seeds, unclear_of_tasks
from odyssey.runs.render import summaries
from odyssey.runs.verdicts.grade_run import Judge

router = GuardedRouter(prefix="/api/runs", tags=["runs"])

_MOST_ROWS_LOOKED_AT = 1000
_MOST_PROBLEMS = 100


@router.post("", status_code=202)
async def start_runs(
    body: RunsIn,
    caller: Member,
    session: WriteSession,
    read_ahead: ReadAhead,
    signals: SignalsDep,
    clock: ClockDep,
    worker: WorkerDep,
    request: Request,
) -> RunsCreated:
    """Start one run per seed, or per row of a dataset, each `repeats` times.

    More than one run, and any dataset, make a batch. Its agent is pinged once before anything is dispatched; if that
    fails, all its runs fail at once. Each run is then dispatched as soon as there is room.
    """
    agents: CompiledAgents = request.app.state.agents
    judge: Judge = request.app.state.judge
    async with read_ahead() as ahead:
        plan = await plan_runs(ahead, agents, worker, caller, body)
        judged = await judge.is_set(ahead, caller.org_id)
    created = await create_runs(session, signals, clock, caller, plan, judged=judged)
    return RunsCreated(
        runs=await summaries(session, created.runs),
        batch=None if created.batch is None else await batch_out(session, created.batch),
    )


@router.post("/validate")
async def validate_runs(
    body: RunsIn, caller: Member, session: ReadSession, worker: WorkerDep, request: Request
) -> ValidatedRuns:
    """Check a request for runs exactly as starting them would, but let the agent be a draft; nothing is saved."""
    agents: CompiledAgents = request.app.state.agents
    plan = await plan_runs(session, agents, worker, caller, body, may_be_draft=True)
    problems = await _unclear(session, caller.org_id, plan)
    return ValidatedRuns(runs=plan.runs, publish_first=plan.is_draft, behavior_problems=problems)


async def _unclear(session: AsyncSession, org_id: int, plan: Plan) -> list[RowProblemOut]:
    """Name lines of behaviours that would not be understood; of a dataset of its first rows, as it is asked often."""
    agent = (plan.agent_id, plan.agent_version)
    if plan.dataset is None:
        found = await unclear_of_seeds(session, agent, plan.seeds)
    else:
        tasks = await first_tasks(session, plan.dataset.id, plan.dataset.revision, _MOST_ROWS_LOOKED_AT)
        found = await unclear_of_tasks(session, org_id, agent, tasks)
    problems = (RowProblemOut(row=row, **line._asdict()) for row, lines in enumerate(found) for line in lines)
    return list(islice(problems, _MOST_PROBLEMS))
