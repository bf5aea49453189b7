"""What puts items into the queue by itself: a finished matrix, and a single run that was flagged."""

import asyncio
from collections.abc import Collection, Iterable, Mapping, Sequence
from random import Random

from sqlalchemy.ext.asyncio import AsyncSession

from odyssey.evals.distance import most_typical
from odyssey.evals.eval_runs.observe import stored_behaviour
from odyssey.evals.eval_runs.repository import (
    Group,
    find_eval_runs,
    group_of,
    observed_baselines,
    present_thresholds,
)
from odyssey.evals.models import EvalRun
from odyssey.kit.clock import Clock
from odyssey.matrices.cells import CellIncident
from odyssey.matrices.comparisons.compare import EXPLAINED_BY
from odyssey.matrices.finish import FinishedCell
from odyssey.matrices.gate import fails_by_policy
from odyssey.matrices.models import Matrix
from odyssey.models.settings import read_settings
from odyssey.reviews.new_item import About, ItemFigures, Queue, new_item
from odyssey.reviews.repository import add_items, reopen_flags, supersede_flags


async def enqueue_matrix(
    session: AsyncSession, clock: Clock, matrix: Matrix, cells: Sequence[FinishedCell]
) -> None:
    """Add what a matrix found, and a share of the runs that passed; a repeat adds nothing.

    What it found are cells that are flagged or confirmed, and incidents, one item for each kind in a cell.
    """
    share = await sample_share(session, matrix.org_id)
    items = [
        new_item("flag", _queue(cell), cell.typical_run, _about(matrix, cell), _known(cell), clock())
        for cell in cells
        if (cell.judged.flagged or cell.judged.confirmed) and cell.typical_run is not None
    ]
    items += [
        new_item(
            "incident",
            _queue_of_incident(cell, incident),
            incident.found.run_ids[0],
            _about(matrix, cell),
            _known(cell)._replace(incident=incident.found.kind, sentence=incident.found.sentence),
            clock(),
        )
        for cell in cells
        for incident in cell.incidents
    ]
    items += [
        new_item("sample", Queue.sample, run_id, _about(matrix, cell), _known(cell), clock())
        for cell, run_id in draw_sample(passed_runs(cells), share, matrix.seed)
    ]
    await add_items(session, items)


async def enqueue_flagged_runs(
    session: AsyncSession,
    clock: Clock,
    eval_run: EvalRun,
    shifts: Mapping[int, float],
    no_longer: Collection[int],
) -> None:
    """Add runs that were flagged by themselves, each with its raw shift; they are compared as `eval_run` is.

    Open items of runs that more baselines have shown to be nothing are superseded.
    """
    await supersede_flags(session, no_longer, clock())
    if not shifts:
        return
    await reopen_flags(session, shifts)
    thresholds = await present_thresholds(session, eval_run.org_id)
    baseline = await _typical_baseline(session, group_of(eval_run))
    items = []
    for found in await find_eval_runs(session, eval_run.org_id, shifts):
        about, matched = About.of_run(found.eval_run, found.scenario), found.eval_run.matched
        known = ItemFigures(
            baseline_run_id=baseline,
            shift=shifts[found.run.id],
            match_rate=None if matched is None else float(matched),
            match_runs=None if matched is None else 1,
            threshold=thresholds[about.risk_level],
            reason="too_few_runs",
        )
        items.append(new_item("flag", Queue.single, found.run.id, about, known, clock()))
    await add_items(session, items)


async def _typical_baseline(session: AsyncSession, group: Group) -> int | None:
    """Name the baseline that is nearest to the others; the first of many stand for all."""
    rows = (await observed_baselines(session, group))[:EXPLAINED_BY]
    if not rows:
        return None
    behaviours = [stored_behaviour(row) for row in rows]
    return rows[await asyncio.to_thread(most_typical, behaviours)].run_id


def _queue(cell: FinishedCell) -> Queue:
    if cell.judged.confirmed:
        return Queue.confirmed
    return Queue.flagged if cell.judged.state == "measured" else Queue.unsure


def _queue_of_incident(cell: FinishedCell, incident: CellIncident) -> Queue:
    presses = incident.recurs or fails_by_policy(incident.found.kind, cell.risk_level)
    return Queue.confirmed if presses else Queue.flagged


def _about(matrix: Matrix, cell: FinishedCell) -> About:
    return About(
        org_id=matrix.org_id,
        scenario_id=cell.scenario_id,
        scenario_name=cell.scenario_name,
        risk_level=cell.risk_level,
        variation_type=cell.variation_type,
        agent_id=matrix.agent_id,
        agent_version=matrix.agent_version,
        matrix_id=matrix.id,
        rule_set=cell.rule_set,
    )


def _known(cell: FinishedCell) -> ItemFigures:
    judged, pressed, baselines = cell.judged, cell.matches, cell.baseline_matches
    return ItemFigures(
        baseline_run_id=cell.typical_baseline,
        shift=judged.shift.clamped if judged.state == "measured" else judged.shift.raw,
        interval=None if judged.interval is None else list(judged.interval),
        q_value=judged.q_value,
        match_rate=None if pressed is None else pressed.rate,
        match_runs=None if pressed is None else pressed.runs,
        baseline_match_rate=None if baselines is None else baselines.rate,
        baseline_match_runs=None if baselines is None else baselines.runs,
        threshold=cell.threshold,
        confirmed=judged.confirmed,
        reason=judged.reason,
    )


async def sample_share(session: AsyncSession, org_id: int) -> float:
    """Read which share of the runs that passed is looked at."""
    document, _ = await read_settings(session, org_id)
    return document.evals.sample_share


# Which runs that passed are looked at all the same: what is never looked at cannot be found wrong.


def passed_runs(cells: Iterable[FinishedCell]) -> list[tuple[FinishedCell, int]]:
    """List the runs that raised no question: no part of a flagged or confirmed cell or of an incident, no mismatch."""
    return [
        (cell, run_id)
        for cell in cells
        if not (cell.judged.flagged or cell.judged.confirmed)
        for run_id in cell.passed_runs
        if not any(run_id in incident.found.run_ids for incident in cell.incidents)
    ]


def draw_sample(
    runs: Sequence[tuple[FinishedCell, int]], share: float, seed: int
) -> list[tuple[FinishedCell, int]]:
    """Draw so large a share, up or down to a whole run by chance; a larger share has all of a smaller one.

    The same seed draws the same places, whatever the ids of the runs are.
    """
    random = Random(f"review sample {seed}")  # noqa: S311 - not a secret
    size = int(share * len(runs) + random.random())
    drawn = random.sample(range(len(runs)), len(runs))[:size]
    return [runs[place] for place in sorted(drawn)]
