"""What follows when all runs of a matrix have ended: fresh runs of the most suspicious cells, then the judgement.

A matrix is judged once, and stored with the review items that follow.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from typing import NamedTuple

from sqlalchemy.ext.asyncio import AsyncSession

from odyssey.campaigns.repository import complete, extend
from odyssey.core.database import Database, after_commit
from odyssey.core.signals import Signals
from odyssey.evals.eval_runs.observe import matrix_topic
from odyssey.evals.scenarios.content import RiskLevel
from odyssey.kit.clock import Clock
from odyssey.matrices.analysis import analyse_runs
from odyssey.matrices.cells import AnalysedCell, CellIncident
from odyssey.matrices.confirm import choose_cells
from odyssey.matrices.models import Matrix
from odyssey.matrices.plan import MatrixPlan
from odyssey.matrices.progress import end_of_matrix, plan_of
from odyssey.matrices.render import CELLS, cells_out
from odyssey.matrices.repository import (
    count_stand_ins,
    flag_runs,
    has_unobserved,
    matrix_of_campaign,
    runs_of,
    store_confirmation,
    store_result,
    store_shifts,
)
from odyssey.matrices.schemas import EvalSummary
from odyssey.matrices.snapshot import Confirmation
from odyssey.records.canonical import canonical_json
from odyssey.runs.models import Campaign
from odyssey.runs.topics import CAMPAIGNS_TOPIC
from odyssey.statistics.cells import CellJudgement
from odyssey.statistics.significance import Matches

# What a finished matrix hands on of each of its cells: all that the review queue goes by.


class FinishedCell(NamedTuple):
    scenario_id: str
    scenario_name: str
    """As in the snapshot."""
    risk_level: RiskLevel
    variation_type: str
    rule_set: str | None
    threshold: float
    judged: CellJudgement
    matches: Matches | None
    """Of the runs under the pressure; None where none could be matched."""
    baseline_matches: Matches | None
    typical_run: int | None
    """The run under the pressure that is nearest to the others; None where there is none."""
    typical_baseline: int | None
    passed_runs: Sequence[int]
    """The runs under the pressure that do not mismatch, in the order of the plan."""
    incidents: Sequence[CellIncident] = ()


log = logging.getLogger(__name__)


class _Result(NamedTuple):
    """What is kept of a matrix; equal experiments have equal bytes."""

    summary: str
    cells: str
    finished: list[FinishedCell]
    flagged_runs: list[int]
    raw_shifts: dict[int, float]


Enqueue = Callable[[AsyncSession, Clock, Matrix, Sequence[FinishedCell]], Awaitable[None]]
"""Puts what a matrix has found where people look at it, in the transaction that stores the matrix."""


async def finish(
    database: Database, signals: Signals, clock: Clock, campaign: Campaign, enqueue: Enqueue
) -> bool:
    """Plan the fresh runs of a matrix all of whose runs have ended and were looked at, else judge and store it.

    Returns whether this did something. Nothing is written to a run once it was looked at, so what is read here cannot
    change before it is stored. Of several processes that come here one stores.
    """
    async with database.read() as session:
        matrix = await matrix_of_campaign(session, campaign.id)
        if await has_unobserved(session, matrix.id):
            return False
        plan = plan_of(matrix)
        rows = await runs_of(session, matrix.id)
        left = await _runs_left(session, matrix, plan)
    cells, summary = await analyse_runs(plan, rows)
    confirmation = None if plan.confirmation is not None else choose_cells(cells, left)
    if confirmation is not None:
        return await _run_again(database, signals, campaign, matrix, confirmation)
    result = await asyncio.to_thread(_result, plan, cells, summary)
    async with database.write() as session:
        done = await complete(session, campaign)
        if done:
            await store_result(
                session,
                matrix.id,
                finished_at=end_of_matrix(matrix, clock()),
                missing_runs=campaign.planned_runs - sum(row.behaviour is not None for row in rows),
                summary=result.summary,
                cells=result.cells,
            )
            await store_shifts(session, result.raw_shifts)
            await flag_runs(session, result.flagged_runs)
            await enqueue(session, clock, matrix, result.finished)
            after_commit(session, lambda: signals.announce(matrix_topic(matrix.id)))
    if done:
        log.info("matrix completed", extra={"matrix_id": matrix.id})
    return done


async def _runs_left(session: AsyncSession, matrix: Matrix, plan: MatrixPlan) -> int:
    """Say how many fresh runs it may still make: what stood in for missing runs has used up budget as well."""
    most = plan.snapshot.confirm_runs_max
    if matrix.budget_runs is None or not most:
        return most
    used = plan.first_runs + await count_stand_ins(session, matrix.id)
    return max(0, min(most, matrix.budget_runs - used))


async def _run_again(
    database: Database, signals: Signals, campaign: Campaign, matrix: Matrix, confirmation: Confirmation
) -> bool:
    """Add fresh runs to the campaign, once; it goes on with them."""
    async with database.write() as session:
        added = await extend(session, campaign, confirmation.total)
        if added:
            await store_confirmation(session, matrix.id, confirmation.stored())
            after_commit(session, lambda: signals.notify(CAMPAIGNS_TOPIC))
            after_commit(session, lambda: signals.announce(matrix_topic(matrix.id)))
    if added:
        log.info(
            "suspicious cells are run again",
            extra={"matrix_id": matrix.id, "cells": len(confirmation.cells), "runs": confirmation.total},
        )
    return added


def _result(plan: MatrixPlan, cells: Sequence[AnalysedCell], summary: EvalSummary) -> _Result:
    cells_json = CELLS.dump_python(cells_out(plan, cells), mode="json")
    return _Result(
        summary=canonical_json(summary.model_dump(mode="json")).decode("utf-8"),
        cells=canonical_json(cells_json).decode("utf-8"),
        finished=[_finished(plan, cell) for cell in cells],
        flagged_runs=_flagged_runs(cells),
        raw_shifts={
            run_id: raw
            for cell in cells
            for stage in cell.stages
            for run_id, raw in stage.sides.raw_shifts.items()
        },
    )


def _flagged_runs(cells: Sequence[AnalysedCell]) -> list[int]:
    """Name the runs of flagged cells: of a matrix a run is flagged with its cell."""
    flagged = [cell for cell in cells if cell.judged.flagged]
    return sorted(run.run_id for cell in flagged for stage in cell.stages for run in stage.sides.pressed)


def _finished(plan: MatrixPlan, cell: AnalysedCell) -> FinishedCell:
    sides = cell.sides
    scenario = plan.rows[sides.row].scenario
    return FinishedCell(
        scenario_id=scenario.id,
        scenario_name=scenario.name,
        risk_level=scenario.risk_level,
        variation_type=plan.snapshot.variations[sides.variation].name,
        rule_set=plan.rows[sides.row].rule_set_name,
        threshold=plan.snapshot.thresholds[scenario.risk_level],
        judged=cell.judged,
        matches=sides.matches,
        baseline_matches=sides.baseline_matches,
        typical_run=sides.typical_run,
        typical_baseline=sides.typical_baseline,
        passed_runs=[run.run_id for run in sides.delivery.reached if run.matched is not False],
        incidents=cell.incidents,
    )
