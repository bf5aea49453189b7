"""Which runs are compared: found by what they are of, or named one by one."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, exists, func, or_, select
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import undefer

from odyssey.agents.config import VariationDelivery
from odyssey.core.errors import ValidationFailedError
from odyssey.core.scheduling import TERMINAL
from odyssey.evals.eval_runs.repository import Group
from odyssey.evals.models import EvalRun
from odyssey.evals.scenarios.repository import get_scenario
from odyssey.evals.variations.texts import Dose, Variation, is_worded
from odyssey.identity.caller import Caller
from odyssey.matrices.comparisons.schemas import MOST_RUNS, CellSource, CellSummary, CompareIn, ScenarioCells
from odyssey.records.problems import FieldError
from odyssey.runs.models import Run


class ComparedSide(NamedTuple):
    """The runs of one kind, oldest first."""

    observed: list[EvalRun]
    """They say something of the agent; with their behaviour."""
    pending: list[int]
    missing: list[int]


class ComparedSides(NamedTuple):
    baseline: ComparedSide
    variation: ComparedSide
    placebo: ComparedSide
    other_wording: list[int]
    """Runs that got a text which is no wording of the variation any more: another pressure of the same name."""

    @property
    def all(self) -> tuple[ComparedSide, ...]:
        return self.baseline, self.variation, self.placebo


async def select_runs(
    session: AsyncSession,
    org_id: int,
    body: CompareIn,
    group: Group,
    delivery: VariationDelivery,
    variation: Variation | None,
) -> ComparedSides:
    """Find the runs. Of single ones that are not named, only those count that got the variation as it is worded now.

    Those of a matrix all got the wordings that it keeps; and a variation that was deleted has none to go by. Of a cell
    that its matrix ran again only the fresh runs are compared.
    """
    same = (
        EvalRun.org_id == org_id,
        EvalRun.scenario_number == group.scenario_number,
    )
    version: tuple[ColumnElement[bool], ...] = (
        EvalRun.scenario_version == group.scenario_version,
        EvalRun.agent_id == group.agent_id,
        EvalRun.agent_version == group.agent_version,
        EvalRun.matrix_id.is_not_distinct_from(body.matrix_id),
        EvalRun.rule_set.is_not_distinct_from(body.rule_set),
    )
    pressed = (
        EvalRun.variation_type == body.variation_type,
        EvalRun.dose == body.dose,
        EvalRun.delivery == delivery,
        EvalRun.step.is_not_distinct_from(body.step if delivery == "tool_result" else None),
    )
    of_type = (EvalRun.variation_type == body.variation_type,)
    if body.matrix_id is not None:
        was_run_again = select(exists().where(*same, *version, *pressed, EvalRun.fresh))
        version = (*version, EvalRun.fresh.is_(bool(await session.scalar(was_run_again))))
    kinds: dict[str, tuple[Sequence[int] | None, tuple[Any, ...], tuple[Any, ...]]] = {
        "baseline_runs": (body.baseline_runs, (EvalRun.variation_type.is_(None),), ()),
        "variation_runs": (body.variation_runs, (*of_type, EvalRun.placebo.is_(False)), pressed),
        "placebo_runs": (body.placebo_runs, (*of_type, EvalRun.placebo.is_(True)), pressed),
    }
    sides = []
    for member, (named, kind, cell) in kinds.items():
        if named is None:
            sides.append(await _load(session, MOST_RUNS, *same, *kind, *version, *cell))
        else:
            sides.append(await _named(session, member, named, *same, *kind))
    baseline, pressed_side, placebo = sides
    others: list[int] = []
    if variation is not None and body.matrix_id is None and body.variation_runs is None:
        pressed_side, others = _worded(pressed_side, variation, body.dose)
    return ComparedSides(baseline, pressed_side, placebo, others)


def _worded(side: ComparedSide, variation: Variation, dose: Dose) -> tuple[ComparedSide, list[int]]:
    other = [row.run_id for row in side.observed if not is_worded(variation, dose, row.injection or "")]
    return side._replace(observed=[row for row in side.observed if row.run_id not in other]), other


async def _named(
    session: AsyncSession, member: str, run_ids: Sequence[int], *conditions: Any
) -> ComparedSide:
    """Load the runs that are named, and whichever stands in for a missing one of them."""
    named = or_(EvalRun.run_id.in_(run_ids), EvalRun.replaces.in_(run_ids))
    side = await _load(session, 2 * MOST_RUNS, named, *conditions)
    found = {row.run_id for row in side.observed} | {*side.pending, *side.missing}
    faults = [
        FieldError((member, index), f"run {run_id} is not such a run of this scenario")
        for index, run_id in enumerate(run_ids)
        if run_id not in found
    ]
    if len(set(run_ids)) < len(run_ids):
        faults.append(FieldError((member,), "a run is there twice"))
    if faults:
        raise ValidationFailedError(faults)
    return side


async def _load(session: AsyncSession, most: int, *conditions: Any) -> ComparedSide:
    statement = (
        select(EvalRun, Run.status)
        .join(Run, Run.id == EvalRun.run_id)
        .options(undefer(EvalRun.behaviour), undefer(EvalRun.injection))
        .where(*conditions)
        .order_by(EvalRun.run_id.desc())
        .limit(most)
    )
    observed: list[EvalRun] = []
    pending: list[int] = []
    missing: list[int] = []
    for row, status in reversed((await session.execute(statement)).all()):
        if row.observed_at is None or status not in TERMINAL:
            pending.append(row.run_id)
        elif row.behaviour is None:
            missing.append(row.run_id)
        else:
            observed.append(row)
    return ComparedSide(observed, pending, missing)


# Which cells of a scenario have runs, so that somebody can choose one to look at.

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
            func.count().filter(tells, EvalRun.fresh).label("fresh_runs"),
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
