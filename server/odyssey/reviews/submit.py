"""Putting a run into the queue by hand."""

import asyncio
from typing import NamedTuple

from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncSession

from odyssey.evals.eval_runs.render import whole
from odyssey.evals.eval_runs.repository import Found, get_eval_run, present_thresholds
from odyssey.identity.caller import Caller, record_change
from odyssey.kit.clock import Clock
from odyssey.matrices.render import CELLS
from odyssey.matrices.repository import get_matrix
from odyssey.matrices.schemas import MatrixCell
from odyssey.reviews.errors import InReviewError
from odyssey.reviews.models import ReviewRow
from odyssey.reviews.new_item import About, Known, new_item
from odyssey.reviews.priority import Queue
from odyssey.reviews.repository import find_open
from odyssey.reviews.schemas import ManualItem


class Submitted(NamedTuple):
    about: About
    known: Known


async def look_up(session: AsyncSession, org_id: int, run_id: int) -> Submitted:
    """Gather what is known of an eval run now: what its matrix found of its cell, else what can be said of it alone."""
    found = await get_eval_run(session, org_id, run_id)
    about = About.of_run(found.eval_run, found.scenario)
    shown = await whole(session, found)
    baseline = None if shown.shift is None else shown.shift.compared_with
    cell = await _cell_of(session, found)
    if cell is not None:
        return Submitted(about, _known(cell, baseline))
    known = Known(
        baseline_run_id=baseline,
        shift=shown.raw_shift,
        match_rate=None if shown.matched is None else float(shown.matched),
        match_runs=None if shown.matched is None else 1,
        threshold=(await present_thresholds(session, org_id))[about.risk_level],
    )
    return Submitted(about, known)


async def _cell_of(session: AsyncSession, found: Found) -> MatrixCell | None:
    """Find the cell that a run was counted in; None where its matrix has not ended."""
    eval_run = found.eval_run
    if eval_run.matrix_id is None:
        return None
    matrix = await get_matrix(session, eval_run.org_id, eval_run.matrix_id)
    if matrix.cells is None:
        return None
    cells = await asyncio.to_thread(CELLS.validate_json, matrix.cells)
    return next((cell for cell in cells if eval_run.run_id in cell.runs.variation), None)


def _known(cell: MatrixCell, baseline_run_id: int | None) -> Known:
    return Known(
        baseline_run_id=baseline_run_id,
        shift=cell.raw_shift if cell.shift is None else cell.shift,
        interval=cell.interval,
        q_value=cell.q_value,
        match_rate=cell.match_rate.share,
        match_runs=cell.match_rate.runs or None,
        baseline_match_rate=cell.baseline_match_rate.share,
        baseline_match_runs=cell.baseline_match_rate.runs or None,
        threshold=cell.threshold,
        confirmed=cell.confirmed,
        reason=cell.reason,
    )


async def submit_run(
    session: AsyncSession, clock: Clock, caller: Caller, submitted: Submitted, body: ManualItem
) -> ReviewRow:
    """Add a run that somebody wants looked at, unless it waits already."""
    waiting = await find_open(session, caller.org_id, body.run_id)
    if waiting is not None:
        raise InReviewError(body.run_id, waiting.id)
    about, known = submitted
    item = ReviewRow(**new_item("manual", Queue.asked, body.run_id, about, known, clock(), body.notes))
    session.add(item)
    try:
        await session.flush()
    except IntegrityError as error:  # somebody submitted it in the same moment
        raise InReviewError(body.run_id) from error
    record_change(
        session,
        caller,
        clock,
        "review.submit",
        object_type="review_item",
        object_id=item.id,
        after=body.model_dump(),
    )
    return item
