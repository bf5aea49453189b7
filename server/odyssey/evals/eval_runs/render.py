"""Eval runs as the API shows them."""

import asyncio
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from odyssey.evals.behaviour import Behaviour
from odyssey.evals.distance import Explained, explain_shift
from odyssey.evals.eval_runs.observe import stored_behaviour
from odyssey.evals.eval_runs.repository import Found, group_of, observed_baselines
from odyssey.evals.eval_runs.schemas import (
    DiffersOut,
    EvalRunOut,
    EvalRunSummary,
    MovedPartOut,
    ShiftExplained,
)
from odyssey.evals.models import EvalRun
from odyssey.evals.parts import Differs

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
    "replaces",
    "delivered",
    "matched",
    "raw_shift",
    "flagged",
    "observed_at",
)
_OF_RUN = ("id", "status", "error_class", "random_seed", "created_at", "finished_at")


def summary(found: Found) -> EvalRunSummary:
    return EvalRunSummary.model_validate(_members(found))


async def whole(session: AsyncSession, found: Found) -> EvalRunOut:
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
    if eval_run.variation_type is None or eval_run.behaviour is None:
        return None
    rows = await observed_baselines(session, group_of(eval_run))
    if not rows:
        return None
    baselines: list[Behaviour] = [stored_behaviour(row) for row in rows]
    found = await asyncio.to_thread(explain_shift, stored_behaviour(eval_run), baselines)
    return shift_out(found, [row.run_id for row in rows])


def shift_out(found: Explained, baselines: list[int]) -> ShiftExplained:
    return ShiftExplained(
        raw_shift=found.raw_shift,
        baselines=baselines,
        compared_with=baselines[found.typical],
        moved=found.moved,
        parts=[
            MovedPartOut(
                part=part.part,
                contribution=part.contribution,
                first_difference=differs_out(part.first_difference),
            )
            for part in found.parts
        ],
    )


def differs_out(differs: Differs | None) -> DiffersOut | None:
    """Show a difference of a baseline, on the left, to a variation."""
    if differs is None:
        return None
    return DiffersOut(where=differs.where, baseline=differs.left, variation=differs.right)


def _members(found: Found) -> dict[str, Any]:
    return (
        {name: getattr(found.eval_run, name) for name in _OWN}
        | {name: getattr(found.run, name) for name in _OF_RUN}
        | {"scenario_id": found.scenario.id, "scenario_name": found.scenario.name}
    )
