"""The review queue over HTTP (wire-contract.md#d13)."""

from typing import Annotated
from uuid import UUID

from fastapi import Depends, Query

from odyssey.core.depends import ClockDep, Cursor, Limit, ReadAhead, ReadSession, WriteSession
from odyssey.core.paging import start_of
from odyssey.evals.eval_runs.repository import present_thresholds
from odyssey.evals.scenarios.content import RiskLevel
from odyssey.identity.guard import GuardedRouter, Member, Viewer
from odyssey.kit.ids import MAX_INTEGER_ID
from odyssey.kit.pagination import DEFAULT_LIMIT, cut_page
from odyssey.reviews.figures import figures
from odyssey.reviews.models import ReviewRow
from odyssey.reviews.repository import ItemFilter, count_open, decided_items, get_item, list_items
from odyssey.reviews.schemas import (
    ManualItem,
    ReviewFigures,
    ReviewItem,
    ReviewItemsPage,
    Source,
    Status,
    Verdict,
    VerdictIn,
)
from odyssey.reviews.submit import give_verdict, look_up, submit_run

router = GuardedRouter(prefix="/api/v1/review", tags=["review"])

_Id = Annotated[int | None, Query(ge=1, le=MAX_INTEGER_ID)]


def _filter(
    status: Status | None = None,
    source: Source | None = None,
    risk_level: RiskLevel | None = None,
    variation_type: Annotated[
        str | None,
        Query(
            pattern=r"^[a-z][a-z0-9_]{2,63}$", description="A variation, or `baseline` for runs without one."
        ),
    ] = None,
    verdict: Verdict | None = None,
    matrix_id: UUID | None = None,
    agent_id: _Id = None,
    run_id: _Id = None,
    confirmed: bool | None = None,
) -> ItemFilter:
    return ItemFilter(
        status=status,
        source=source,
        risk_level=risk_level,
        variation_type=variation_type,
        verdict=verdict,
        matrix_id=None if matrix_id is None else str(matrix_id),
        agent_id=agent_id,
        run_id=run_id,
        confirmed=confirmed,
    )


FilterDep = Annotated[ItemFilter, Depends(_filter)]


@router.get("/items")
async def get_items(
    caller: Viewer,
    session: ReadSession,
    wanted: FilterDep,
    cursor: Cursor = None,
    limit: Limit = DEFAULT_LIMIT,
) -> ReviewItemsPage:
    """List what should be looked at, the most pressing first; of decided items the newest verdict first."""
    rows = await list_items(session, caller.org_id, after=start_of(cursor), limit=limit + 1, wanted=wanted)
    page = cut_page(rows, limit, lambda item: item.number)
    return ReviewItemsPage(
        items=[_item_out(item) for item in page.items],
        next_cursor=page.next_cursor,
        open=await count_open(session, caller.org_id),
    )


@router.post("/items", status_code=201)
async def submit(
    body: ManualItem, caller: Member, session: WriteSession, read_ahead: ReadAhead, clock: ClockDep
) -> ReviewItem:
    """Have an eval run looked at. One that waits for its verdict already is refused; its item is named."""
    async with read_ahead() as ahead:
        about, known = await look_up(ahead, caller.org_id, body.run_id)
    return _item_out(await submit_run(session, clock, caller, about, known, body))


@router.get("/items/{item_id}")
async def get_one_item(item_id: UUID, caller: Viewer, session: ReadSession) -> ReviewItem:
    return _item_out(await get_item(session, caller.org_id, str(item_id)))


@router.post("/items/{item_id}/verdict")
async def decide(
    item_id: UUID, body: VerdictIn, caller: Member, session: WriteSession, clock: ClockDep
) -> ReviewItem:
    """Say what an item really is. A verdict stays as it is, under the name of whoever gave it; a second is refused."""
    return _item_out(await give_verdict(session, clock, caller, str(item_id), body))


@router.get("/figures")
async def get_figures(caller: Viewer, session: ReadSession) -> ReviewFigures:
    """Read how often flags were right so far, and the thresholds that the verdicts suggest."""
    decided = await decided_items(session, caller.org_id)
    return figures(decided, await present_thresholds(session, caller.org_id))


_GIVEN = tuple(name for name in ReviewItem.model_fields if name not in ("verdict", "status"))


def _item_out(item: ReviewRow) -> ReviewItem:
    members = {name: getattr(item, name) for name in _GIVEN}
    return ReviewItem.model_validate(members | {"verdict": _verdict(item), "status": _status(item)})


def _status(item: ReviewRow) -> Status:
    if item.verdict is not None:
        return "decided"
    return "open" if item.superseded_at is None else "superseded"


def _verdict(item: ReviewRow) -> dict[str, object] | None:
    if item.verdict is None:
        return None
    return {
        "verdict": item.verdict,
        "notes": item.verdict_notes,
        "reviewer_id": item.reviewer_id,
        "reviewer": item.reviewer,
        "decided_at": item.decided_at,
    }
