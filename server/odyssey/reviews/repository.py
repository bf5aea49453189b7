"""All SQL of the review queue. Every look-up names the org."""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, func, select, tuple_, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import InstrumentedAttribute

from odyssey.core.errors import NotFoundError
from odyssey.evals.eval_runs.repository import BASELINE
from odyssey.evals.scenarios.content import RiskLevel
from odyssey.reviews.models import ReviewRow
from odyssey.reviews.schemas import Source, Verdict
from odyssey.statistics.cells import Reason


class ItemFilter(NamedTuple):
    """Which items of an org are wanted; what is not given does not matter."""

    status: str | None = None
    """open, decided or superseded."""
    source: str | None = None
    risk_level: str | None = None
    variation_type: str | None = None
    """`baseline` stands for runs without one."""
    verdict: str | None = None
    matrix_id: str | None = None
    agent_id: int | None = None
    run_id: int | None = None
    confirmed: bool | None = None


class DecidedItem(NamedTuple):
    """What the figures need of an item with a verdict."""

    source: Source
    risk_level: RiskLevel
    variation_type: str | None
    verdict: Verdict
    shift: float | None
    is_measured: bool
    """Whether that is no raw one."""
    reason: Reason | None
    confirmed: bool
    threshold: float | None


_IS_OPEN = (ReviewRow.verdict.is_(None), ReviewRow.superseded_at.is_(None))


async def supersede_flags(session: AsyncSession, run_ids: Collection[int], now: datetime) -> None:
    """Close the open items of runs that are no longer flagged by themselves; verdicts stay as they are."""
    if run_ids:
        statement = update(ReviewRow).where(
            ReviewRow.run_id.in_(run_ids), ReviewRow.source == "flag", *_IS_OPEN
        )
        await session.execute(statement.values(superseded_at=now))


async def reopen_flags(session: AsyncSession, run_ids: Collection[int]) -> None:
    """Have items wait again whose runs are flagged after all."""
    if run_ids:
        statement = update(ReviewRow).where(ReviewRow.run_id.in_(run_ids), ReviewRow.source == "flag")
        await session.execute(statement.values(superseded_at=None))


async def add_items(session: AsyncSession, rows: Sequence[dict[str, Any]]) -> None:
    """Add what is not there yet."""
    if rows:
        insert = sqlite.insert if session.get_bind().dialect.name == "sqlite" else postgresql.insert
        await session.execute(insert(ReviewRow).on_conflict_do_nothing(), rows)


async def list_items(
    session: AsyncSession, org_id: int, *, after: int | None, limit: int, wanted: ItemFilter
) -> Sequence[ReviewRow]:
    """Read the queue from its front, or what is decided from the newest verdict on."""
    statement = select(ReviewRow).where(ReviewRow.org_id == org_id, *_conditions(wanted))
    decided = wanted.status == "decided"
    order = (ReviewRow.decided_at, ReviewRow.number) if decided else (ReviewRow.rank, ReviewRow.number)
    if after is not None:
        last = select(*order).where(ReviewRow.org_id == org_id, ReviewRow.number == after).scalar_subquery()
        statement = statement.where(tuple_(*order) < last if decided else tuple_(*order) > last)
    ordered = [column.desc() for column in order] if decided else order
    return (await session.scalars(statement.order_by(*ordered).limit(limit))).all()


async def count_open(session: AsyncSession, org_id: int) -> int:
    counted = select(func.count()).select_from(ReviewRow)
    return await session.scalar(counted.where(ReviewRow.org_id == org_id, *_IS_OPEN)) or 0


async def get_item(session: AsyncSession, org_id: int, item_id: str, *, lock: bool = False) -> ReviewRow:
    statement = select(ReviewRow).where(ReviewRow.id == item_id, ReviewRow.org_id == org_id)
    if lock:
        statement = statement.with_for_update().execution_options(populate_existing=True)
    item = (await session.scalars(statement)).first()
    if item is None:
        raise NotFoundError
    return item


async def find_open(session: AsyncSession, org_id: int, run_id: int) -> ReviewRow | None:
    """Find the item in which a run waits for a verdict."""
    statement = select(ReviewRow).where(ReviewRow.org_id == org_id, ReviewRow.run_id == run_id, *_IS_OPEN)
    return (await session.scalars(statement.order_by(ReviewRow.rank).limit(1))).first()


async def decided_items(session: AsyncSession, org_id: int) -> list[DecidedItem]:
    columns = select(
        ReviewRow.source,
        ReviewRow.risk_level,
        ReviewRow.variation_type,
        ReviewRow.verdict,
        ReviewRow.shift,
        ReviewRow.interval.is_not(None),
        ReviewRow.reason,
        ReviewRow.confirmed,
        ReviewRow.threshold,
    )
    statement = columns.where(ReviewRow.org_id == org_id, ReviewRow.verdict.is_not(None))
    return [DecidedItem._make(row) for row in await session.execute(statement)]


def _conditions(wanted: ItemFilter) -> list[ColumnElement[bool]]:
    equal: dict[InstrumentedAttribute[Any], Any] = {
        ReviewRow.source: wanted.source,
        ReviewRow.risk_level: wanted.risk_level,
        ReviewRow.verdict: wanted.verdict,
        ReviewRow.matrix_id: wanted.matrix_id,
        ReviewRow.agent_id: wanted.agent_id,
        ReviewRow.run_id: wanted.run_id,
        ReviewRow.confirmed: wanted.confirmed,
    }
    conditions = [column == value for column, value in equal.items() if value is not None]
    match wanted.status:
        case "open":
            conditions += _IS_OPEN
        case "decided":
            conditions.append(ReviewRow.verdict.is_not(None))
        case "superseded":
            conditions.append(ReviewRow.superseded_at.is_not(None))
    if wanted.variation_type == BASELINE:
        conditions.append(ReviewRow.variation_type.is_(None))
    elif wanted.variation_type is not None:
        conditions.append(ReviewRow.variation_type == wanted.variation_type)
    return conditions
