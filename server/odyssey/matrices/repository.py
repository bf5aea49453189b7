"""All SQL of matrices. Every look-up on behalf of a caller names the org."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Text, case, exists, func, select, type_coerce, update
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import undefer

from odyssey.agents.models import Agent
from odyssey.campaigns.repository import held_state, hold_campaign
from odyssey.core.errors import NotFoundError
from odyssey.core.paging import ListOrder, PageRequest
from odyssey.evals.models import EvalRun
from odyssey.kit.pagination import Page
from odyssey.matrices.models import Matrix
from odyssey.runs.models import Campaign, Run

MATRIX_ORDER = ListOrder(
    Matrix.number,
    {
        "name": Matrix.name,
        "agent_id": Matrix.agent_id,
        "scenarios": Matrix.scenarios,
        "variations": Matrix.variations,
        "created_at": Matrix.created_at,
        "finished_at": Matrix.finished_at,
    },
)


async def get_matrix(session: AsyncSession, org_id: int, matrix_id: str, *, lock: bool = False) -> Matrix:
    """Read one with its snapshot and what came of it; `lock` holds its campaign, and by that the matrix."""
    its = (Matrix.id == matrix_id, Matrix.org_id == org_id)
    statement = select(Matrix).where(*its).options(undefer(Matrix.snapshot), undefer(Matrix.cells))
    if lock:
        await hold_campaign(session, select(Matrix.campaign_id).where(*its))
        statement = statement.execution_options(populate_existing=True)
    matrix = (await session.scalars(statement)).first()
    if matrix is None:
        raise NotFoundError
    return matrix


async def find_matrix(session: AsyncSession, org_id: int, matrix_id: str) -> Matrix:
    """Read one without its large members."""
    statement = select(Matrix).where(Matrix.id == matrix_id, Matrix.org_id == org_id)
    matrix = (await session.scalars(statement)).first()
    if matrix is None:
        raise NotFoundError
    return matrix


async def matrix_of_campaign(session: AsyncSession, campaign_id: int) -> Matrix:
    """Read one with its snapshot, on behalf of its campaign."""
    statement = select(Matrix).where(Matrix.campaign_id == campaign_id).options(undefer(Matrix.snapshot))
    return (await session.scalars(statement)).one()


async def list_matrices(
    session: AsyncSession, org_id: int, page: PageRequest, agent_id: int | None, states: Sequence[str]
) -> Page[Matrix]:
    """List the matrices of an org, or of one agent; without states those in any."""
    statement = select(Matrix).where(Matrix.org_id == org_id)
    if agent_id is not None:
        statement = statement.where(Matrix.agent_id == agent_id)
    if states:
        statement = statement.where(_is_in(states))
    return await MATRIX_ORDER.page(session, statement, page)


def _is_in(states: Sequence[str]) -> ColumnElement[bool]:
    return exists().where(Campaign.id == Matrix.campaign_id, Campaign.state.in_(states))


async def newest_completed(session: AsyncSession, org_id: int, agent_id: int | None) -> Sequence[Matrix]:
    """Read the newest completed matrix of each version of each agent, oldest first."""
    conditions = [Matrix.org_id == org_id, _is_in(["completed"])]
    if agent_id is not None:
        conditions.append(Matrix.agent_id == agent_id)
    newest = select(func.max(Matrix.number)).where(*conditions)
    newest = newest.group_by(Matrix.agent_id, Matrix.agent_version)
    statement = select(Matrix).where(Matrix.number.in_(newest)).order_by(Matrix.number)
    return (await session.scalars(statement)).all()


async def published_versions(
    session: AsyncSession, org_id: int, agent_ids: Collection[int]
) -> dict[int, int]:
    """Return which version of each agent is published; deleted agents and drafts are left out."""
    statement = select(Agent.id, Agent.published_version).where(
        Agent.org_id == org_id, Agent.id.in_(agent_ids), Agent.deleted_at.is_(None)
    )
    rows = await session.execute(statement.order_by(Agent.id))
    return {agent_id: version for agent_id, version in rows if version is not None}


async def may_repeat(session: AsyncSession, matrix_id: str) -> bool:
    """Hold a matrix as it is, and say whether it may make one more run for one that is missing."""
    matrix = (await session.scalars(select(Matrix).where(Matrix.id == matrix_id))).first()
    if matrix is None or await held_state(session, matrix.campaign_id) != "running":
        return False
    planned, budget = matrix.campaign.planned_runs, matrix.budget_runs
    return budget is None or planned + await count_stand_ins(session, matrix_id) < budget


async def count_stand_ins(session: AsyncSession, matrix_id: str) -> int:
    """Count the runs that repeat a missing one: they come on top of the plan."""
    counted = select(func.count()).select_from(EvalRun)
    statement = counted.where(EvalRun.matrix_id == matrix_id, EvalRun.replaces.is_not(None))
    return await session.scalar(statement) or 0


class RunKey(NamedTuple):
    """What tells the runs of a matrix apart; one that was repeated has the key of the first."""

    scenario_number: int
    rule_set: str | None
    variation_type: str | None
    placebo: bool
    repeat: int


_KEY = (EvalRun.scenario_number, EvalRun.rule_set, EvalRun.variation_type, EvalRun.placebo, EvalRun.repeat)


async def last_cancelled(session: AsyncSession, matrix_id: str) -> list[RunKey]:
    """Name the runs whose last try was cancelled."""
    newest = select(func.max(EvalRun.run_id)).where(EvalRun.matrix_id == matrix_id).group_by(*_KEY)
    statement = select(*_KEY).join(Run, Run.id == EvalRun.run_id)
    statement = statement.where(EvalRun.run_id.in_(newest), Run.status == "cancelled")
    return [RunKey(*row) for row in await session.execute(statement.order_by(EvalRun.run_id))]


class RunRow(NamedTuple):
    """What is known of a run of a matrix; its behaviour is JSON that is not read yet."""

    run_id: int
    key: RunKey
    observed_at: datetime | None
    behaviour: str | None
    matched: bool | None
    delivered: Any
    findings: str | None
    """JSON that is not read yet."""


async def runs_of(session: AsyncSession, matrix_id: str) -> list[RunRow]:
    behaviour = type_coerce(EvalRun.behaviour, Text)
    findings = type_coerce(EvalRun.findings, Text)
    columns = select(
        EvalRun.run_id, EvalRun.observed_at, behaviour, EvalRun.matched, EvalRun.delivered, findings, *_KEY
    )
    rows = await session.execute(columns.where(EvalRun.matrix_id == matrix_id).order_by(EvalRun.run_id))
    return [
        RunRow(run_id, RunKey(*key), observed_at, text, matched, delivered, told)
        for run_id, observed_at, text, matched, delivered, told, *key in rows
    ]


async def store_confirmation(session: AsyncSession, matrix_id: str, stored: dict[str, Any]) -> None:
    """Write down which cells get fresh runs, in the transaction that plans these."""
    await session.execute(update(Matrix).where(Matrix.id == matrix_id).values(confirmation=stored))


async def store_shifts(session: AsyncSession, raw_shifts: Mapping[int, float]) -> None:
    """Write down each run's own shift; runs without baselines have none."""
    rows = [{"run_id": run_id, "raw_shift": raw} for run_id, raw in raw_shifts.items()]
    if rows:
        await session.execute(update(EvalRun), rows)


async def flag_runs(session: AsyncSession, run_ids: Sequence[int]) -> None:
    for start in range(0, len(run_ids), 500):
        some = run_ids[start : start + 500]
        await session.execute(update(EvalRun).where(EvalRun.run_id.in_(some)).values(flagged=True))


async def store_result(session: AsyncSession, matrix_id: str, **values: Any) -> None:
    """Store what came of a matrix that was completed in this transaction."""
    await session.execute(update(Matrix).where(Matrix.id == matrix_id).values(**values))


class ObservedCounts(NamedTuple):
    unobserved: int
    telling: int
    """Those that say something of the agent."""
    last_observed_at: datetime | None


NO_RUNS = ObservedCounts(0, 0, None)


async def run_counts(session: AsyncSession, matrix_ids: Collection[str]) -> dict[str, ObservedCounts]:
    if not matrix_ids:
        return {}
    statement = select(
        EvalRun.matrix_id,
        func.sum(case((EvalRun.observed_at.is_(None), 1), else_=0)),
        func.sum(case((EvalRun.behaviour.is_not(None), 1), else_=0)),
        func.max(EvalRun.observed_at),
    )
    rows = await session.execute(
        statement.where(EvalRun.matrix_id.in_(matrix_ids)).group_by(EvalRun.matrix_id)
    )
    return {matrix_id: ObservedCounts(*counts) for matrix_id, *counts in rows if matrix_id is not None}


async def spoilt_by_world(session: AsyncSession, matrix_id: str) -> int:
    """Count the runs that were completed and yet say nothing of the agent: faulty answers of the world spoilt them."""
    statement = select(func.count()).select_from(EvalRun).join(Run, Run.id == EvalRun.run_id)
    statement = statement.where(
        EvalRun.matrix_id == matrix_id,
        EvalRun.observed_at.is_not(None),
        EvalRun.behaviour.is_(None),
        Run.status == "completed",
    )
    return await session.scalar(statement) or 0


async def has_unobserved(session: AsyncSession, matrix_id: str) -> bool:
    statement = select(EvalRun.run_id).where(EvalRun.matrix_id == matrix_id, EvalRun.observed_at.is_(None))
    return (await session.scalars(statement.limit(1))).first() is not None
