"""Eval runs as the API shows them."""

import asyncio
from collections.abc import Sequence
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from odyssey.evals.behaviour import DISTANCE_VERSION, Behaviour
from odyssey.evals.distance import explain, mean_contributions, most_typical
from odyssey.evals.eval_runs.observe import stored_behaviour
from odyssey.evals.eval_runs.repository import EvalRunRow, group_of, observed_baselines
from odyssey.evals.eval_runs.schemas import (
    DiffersOut,
    EvalRunOut,
    EvalRunSummary,
    MovedPartOut,
    ShiftExplained,
)
from odyssey.evals.models import EvalRun
from odyssey.evals.parts import FirstDifference

_OWN = (
    "scenario_version",
    "risk_level",
    "agent_id",
    "agent_version",
    "matrix_id",
    "rule_set",
    "variation_type",
    "dose",
    "delivery",
    "step",
    "placebo",
    "paraphrase",
    "repeat",
    "fresh",
    "replaces",
    "delivered",
    "matched",
    "raw_shift",
    "distance_version",
    "flagged",
    "observed_at",
)
_OF_RUN = ("id", "status", "error_class", "random_seed", "created_at", "finished_at")


def summary(found: EvalRunRow) -> EvalRunSummary:
    return EvalRunSummary.model_validate(_members(found))


async def whole(session: AsyncSession, found: EvalRunRow) -> EvalRunOut:
    """Show one with its behaviour and how it differs from the baselines there are now."""
    eval_run = found.eval_run
    shift = await _shift(session, eval_run)
    members = _members(found) | {
        "injection": eval_run.injection,
        "behaviour": eval_run.behaviour,
        "findings": eval_run.findings or [],
        "shift": shift,
    }
    if shift is not None:
        members["raw_shift"] = shift.raw_shift
    return EvalRunOut.model_validate(members)


async def _shift(session: AsyncSession, eval_run: EvalRun) -> ShiftExplained | None:
    if eval_run.variation_type is None or eval_run.distance_version != DISTANCE_VERSION:
        return None
    rows = await observed_baselines(session, group_of(eval_run))
    if not rows:
        return None
    baselines: list[Behaviour] = [stored_behaviour(row) for row in rows]
    run_ids = [row.run_id for row in rows]
    return await asyncio.to_thread(_explain_shift, stored_behaviour(eval_run), baselines, run_ids)


def _explain_shift(
    behaviour: Behaviour, baselines: Sequence[Behaviour], run_ids: list[int]
) -> ShiftExplained:
    """Compare a run with its baselines: the mean over all of them, and the first difference to a typical one."""
    explanations = [explain(baseline, behaviour) for baseline in baselines]
    typical = most_typical(baselines)
    shares = mean_contributions(explanations)
    first = {part.part: part.first_difference for part in explanations[typical].parts}
    most = max(shares, default=None, key=lambda part: shares[part])
    return ShiftExplained(
        raw_shift=sum(shares.values()),
        baselines=run_ids,
        compared_with=run_ids[typical],
        moved=most if most is not None and shares[most] > 0 else None,
        parts=[
            MovedPartOut(part=part, contribution=share, first_difference=differs_out(first.get(part)))
            for part, share in shares.items()
        ],
    )


def differs_out(differs: FirstDifference | None) -> DiffersOut | None:
    """Show a difference of a baseline, on the left, to a variation."""
    if differs is None:
        return None
    return DiffersOut(where=differs.where, baseline=differs.left, variation=differs.right)


def _members(found: EvalRunRow) -> dict[str, Any]:
    return (
        {name: getattr(found.eval_run, name) for name in _OWN}
        | {name: getattr(found.run, name) for name in _OF_RUN}
        | {"scenario_id": found.scenario.id, "scenario_name": found.scenario.name}
    )
