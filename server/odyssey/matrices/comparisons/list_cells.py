"""Which cells of a scenario have runs, so that somebody can choose one to look at."""

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncSession

from odyssey.evals.models import EvalRun
from odyssey.evals.scenarios.repository import get_scenario
from odyssey.identity.caller import Caller
from odyssey.matrices.comparisons.schemas import CellSource, CellSummary, ScenarioCells

MOST_CELLS = 500
MOST_MATRICES = 50

_CELL = (
    EvalRun.scenario_version,
    EvalRun.agent_id,
    EvalRun.agent_version,
    EvalRun.rule_set,
    EvalRun.variation_type,
    EvalRun.dose,
    EvalRun.delivery,
    EvalRun.step,
)


async def list_cells(
    session: AsyncSession, caller: Caller, scenario_id: str, matrix_id: str | None
) -> ScenarioCells:
    """List the cells, the one with the newest run first; those without a variation are baselines."""
    scenario = await get_scenario(session, caller.org_id, scenario_id)
    tells = EvalRun.behaviour.is_not(None)
    latest = func.max(EvalRun.run_id)
    statement = (
        select(
            *_CELL,
            func.count().filter(tells, EvalRun.placebo.is_(False)).label("runs"),
            func.count().filter(tells, EvalRun.placebo.is_(True)).label("placebo_runs"),
            func.count().filter(EvalRun.observed_at.is_(None)).label("pending"),
            latest.label("latest_run"),
        )
        .where(
            EvalRun.org_id == caller.org_id,
            EvalRun.scenario_number == scenario.number,
            EvalRun.matrix_id.is_not_distinct_from(matrix_id),
        )
        .group_by(*_CELL)
        .order_by(latest.desc())
        .limit(MOST_CELLS)
    )
    rows = (await session.execute(statement)).mappings()
    return ScenarioCells(
        items=[CellSummary.model_validate(dict(row)) for row in rows],
        matrices=await _matrices(session, caller.org_id, scenario.number),
    )


async def _matrices(session: AsyncSession, org_id: int, scenario_number: int) -> list[CellSource]:
    latest = func.max(EvalRun.run_id)
    statement = (
        select(EvalRun.matrix_id, latest.label("latest_run"), func.count(EvalRun.behaviour).label("runs"))
        .where(
            EvalRun.org_id == org_id,
            EvalRun.scenario_number == scenario_number,
            EvalRun.matrix_id.is_not(None),
        )
        .group_by(EvalRun.matrix_id)
        .order_by(latest.desc())
        .limit(MOST_MATRICES)
    )
    rows = (await session.execute(statement)).mappings()
    return [CellSource.model_validate(dict(row)) for row in rows]
