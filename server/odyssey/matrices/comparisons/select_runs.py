"""Which runs are compared: found by what they are of, or named one by one."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from sqlalchemy import or_, select
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import undefer

from odyssey.agents.config import VariationDelivery
from odyssey.core.errors import ValidationFailedError
from odyssey.core.scheduling import TERMINAL
from odyssey.evals.eval_runs.repository import Group
from odyssey.evals.models import EvalRun
from odyssey.evals.variations.texts import Dose, Variation, is_worded
from odyssey.matrices.comparisons.schemas import MOST_RUNS, CompareIn
from odyssey.records.problems import FieldError
from odyssey.runs.models import Run


class Side(NamedTuple):
    """The runs of one kind, oldest first."""

    observed: list[EvalRun]
    """They say something of the agent; with their behaviour."""
    pending: list[int]
    missing: list[int]


class Sides(NamedTuple):
    baseline: Side
    variation: Side
    placebo: Side
    other_wording: list[int]
    """Runs that got a text which is no wording of the variation any more: another pressure of the same name."""

    @property
    def all(self) -> tuple[Side, ...]:
        return self.baseline, self.variation, self.placebo


async def select_runs(
    session: AsyncSession,
    org_id: int,
    body: CompareIn,
    group: Group,
    delivery: VariationDelivery,
    variation: Variation | None,
) -> Sides:
    """Find the runs. Of single ones that are not named, only those count that got the variation as it is worded now.

    Those of a matrix all got the wordings that it keeps; and a variation that was deleted has none to go by.
    """
    same = (
        EvalRun.org_id == org_id,
        EvalRun.scenario_number == group.scenario_number,
    )
    version = (
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
    return Sides(baseline, pressed_side, placebo, others)


def _worded(side: Side, variation: Variation, dose: Dose) -> tuple[Side, list[int]]:
    other = [row.run_id for row in side.observed if not is_worded(variation, dose, row.injection or "")]
    return side._replace(observed=[row for row in side.observed if row.run_id not in other]), other


async def _named(session: AsyncSession, member: str, run_ids: Sequence[int], *conditions: Any) -> Side:
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


async def _load(session: AsyncSession, most: int, *conditions: Any) -> Side:
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
    return Side(observed, pending, missing)
