"""Eval runs over HTTP (wire-contract.md#d12)."""

from typing import Annotated
from uuid import UUID

from fastapi import Query

from odyssey.agents.compiled import AgentsDep
from odyssey.core.depends import (
    ClockDep,
    Limit,
    ObjectId,
    ReadAhead,
    ReadSession,
    SignalsDep,
    SortedCursor,
    WriteSession,
)
from odyssey.core.paging import PageRequest
from odyssey.evals.eval_runs.render import summary, whole
from odyssey.evals.eval_runs.repository import EVAL_RUN_ORDER, EvalRunFilter, get_eval_run, list_eval_runs
from odyssey.evals.eval_runs.schemas import EvalRunOut, EvalRunsCreated, EvalRunsIn, EvalRunsPage
from odyssey.evals.eval_runs.start import plan_eval_runs, start_eval_runs
from odyssey.evals.scenarios.content import RiskLevel
from odyssey.evals.scenarios.schemas import ScenarioId
from odyssey.identity.guard import GuardedRouter, Member, Viewer
from odyssey.kit.pagination import DEFAULT_LIMIT
from odyssey.runs.schemas import Status

router = GuardedRouter(prefix="/api/v1/eval/runs", tags=["evals"])


@router.post("", status_code=202)
async def start(
    body: EvalRunsIn,
    caller: Member,
    session: WriteSession,
    read_ahead: ReadAhead,
    agents: AgentsDep,
    signals: SignalsDep,
    clock: ClockDep,
) -> EvalRunsCreated:
    """Run a scenario, without a pressure or under one. A pressure without a baseline of this agent runs one first."""
    async with read_ahead() as ahead:
        plan = await plan_eval_runs(ahead, agents, caller, body)
    made = await start_eval_runs(session, signals, clock, caller, plan, body)
    return EvalRunsCreated(runs=[summary(found) for found in made])


@router.get("")
async def get_eval_runs(
    caller: Viewer,
    session: ReadSession,
    cursor: SortedCursor = None,
    limit: Limit = DEFAULT_LIMIT,
    sort: Annotated[str | None, EVAL_RUN_ORDER] = None,
    matrix_id: UUID | None = None,
    scenario_id: Annotated[ScenarioId | None, Query()] = None,
    agent_id: Annotated[int | None, Query(ge=1, le=2**63 - 1)] = None,
    variation_type: Annotated[
        str | None,
        Query(
            pattern=r"^[a-z][a-z0-9_]{2,63}$", description="A variation, or `baseline` for runs without one."
        ),
    ] = None,
    risk_level: RiskLevel | None = None,
    flagged: bool | None = None,
    status: Annotated[
        list[Status] | None, Query(max_length=5, description="May be given several times: any of them.")
    ] = None,
) -> EvalRunsPage:
    """List eval runs, newest first or sorted."""
    wanted = EvalRunFilter(
        matrix_id=None if matrix_id is None else str(matrix_id),
        scenario_id=scenario_id,
        agent_id=agent_id,
        variation_type=variation_type,
        risk_level=risk_level,
        flagged=flagged,
        status=status or (),
    )
    page = await list_eval_runs(session, caller.org_id, PageRequest(limit, cursor, sort), wanted)
    return EvalRunsPage(items=[summary(each) for each in page.items], next_cursor=page.next_cursor)


@router.get("/{eval_run_id}")
async def get_one_eval_run(eval_run_id: ObjectId, caller: Viewer, session: ReadSession) -> EvalRunOut:
    """Read what a run did, whether it matched, whether the text arrived, and what differs from the baselines."""
    return await whole(session, await get_eval_run(session, caller.org_id, eval_run_id))
