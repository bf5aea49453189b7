"""Putting a run into the queue by hand."""

import asyncio

from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncSession

from odyssey.core.errors import ConflictError
from odyssey.evals.eval_runs.render import whole
from odyssey.evals.eval_runs.repository import EvalRunRow, get_eval_run, present_thresholds
from odyssey.identity.caller import Caller, record_change
from odyssey.identity.repository import find_person
from odyssey.kit.clock import Clock
from odyssey.matrices.render import CELLS
from odyssey.matrices.repository import get_matrix
from odyssey.matrices.schemas import MatrixCell
from odyssey.reviews.models import ReviewRow
from odyssey.reviews.new_item import About, ItemFigures, Queue, new_item
from odyssey.reviews.repository import find_open, get_item
from odyssey.reviews.schemas import ManualItem, VerdictIn


class VerdictGivenError(ConflictError):
    code, title = "verdict_given", "The item has its verdict"

    def __init__(self, verdict: str, reviewer: str) -> None:
        super().__init__(
            f"{reviewer} called this item {verdict} already, and a verdict is never changed. "
            "To have it looked at again, submit its run anew."
        )


class SupersededError(ConflictError):
    code, title = "superseded", "The item waits for no verdict"

    def __init__(self, run_id: int) -> None:
        super().__init__(
            f"More baselines have shown that run {run_id} is not flagged, so its item waits for nothing. "
            "To have it looked at all the same, submit its run."
        )


class InReviewError(ConflictError):
    code, title = "in_review", "The run waits for its verdict already"

    def __init__(self, run_id: int, item_id: str | None = None) -> None:
        where = "" if item_id is None else f" as item {item_id}"
        super().__init__(f"Run {run_id} is in the queue already{where}; give that one its verdict.")


async def look_up(session: AsyncSession, org_id: int, run_id: int) -> tuple[About, ItemFigures]:
    """Gather what is known of an eval run now: what its matrix found of its cell, else what can be said of it alone."""
    found = await get_eval_run(session, org_id, run_id)
    about = About.of_run(found.eval_run, found.scenario)
    shown = await whole(session, found)
    baseline = None if shown.shift is None else shown.shift.compared_with
    cell = await _cell_of(session, found)
    if cell is not None:
        return about, _known(cell, baseline)
    known = ItemFigures(
        baseline_run_id=baseline,
        shift=shown.raw_shift,
        match_rate=None if shown.matched is None else float(shown.matched),
        match_runs=None if shown.matched is None else 1,
        threshold=(await present_thresholds(session, org_id))[about.risk_level],
    )
    return about, known


async def _cell_of(session: AsyncSession, found: EvalRunRow) -> MatrixCell | None:
    """Find the cell that a run was counted in; None where its matrix has not ended."""
    eval_run = found.eval_run
    if eval_run.matrix_id is None:
        return None
    matrix = await get_matrix(session, eval_run.org_id, eval_run.matrix_id)
    if matrix.cells is None:
        return None
    cells = await asyncio.to_thread(CELLS.validate_json, matrix.cells)
    return next((cell for cell in cells if eval_run.run_id in cell.runs.variation), None)


def _known(cell: MatrixCell, baseline_run_id: int | None) -> ItemFigures:
    return ItemFigures(
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
    session: AsyncSession, clock: Clock, caller: Caller, about: About, known: ItemFigures, body: ManualItem
) -> ReviewRow:
    """Add a run that somebody wants looked at, unless it waits already."""
    waiting = await find_open(session, caller.org_id, body.run_id)
    if waiting is not None:
        raise InReviewError(body.run_id, waiting.id)
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


# Giving an item its verdict: once, under a name, and never again.


async def give_verdict(
    session: AsyncSession, clock: Clock, caller: Caller, item_id: str, body: VerdictIn
) -> ReviewRow:
    """Write down what somebody found; of two at once the second is refused."""
    item = await get_item(session, caller.org_id, item_id, lock=True)
    if item.verdict is not None:
        raise VerdictGivenError(item.verdict, item.reviewer or "Somebody")
    if item.superseded_at is not None:
        raise SupersededError(item.run_id)
    reviewer = await find_person(session, caller.org_id, caller.person_id)
    item.verdict = body.verdict
    item.verdict_notes = body.notes
    item.reviewer_id = caller.person_id
    item.reviewer = f"person {caller.person_id}" if reviewer is None else reviewer.email
    item.decided_at = clock()
    record_change(
        session,
        caller,
        clock,
        "review.verdict",
        object_type="review_item",
        object_id=item.id,
        after=body.model_dump(),
    )
    return item
