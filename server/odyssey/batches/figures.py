"""What became of the runs of batches, counted in the database: one query for states, one for pass^k."""

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass, field
from datetime import datetime

from sqlalchemy import ColumnElement, case, func, select
from sqlalchemy.ext.asyncio import AsyncSession

from odyssey.runs.models import Run
from odyssey.statistics.reliability import Trials


@dataclass
class Figures:
    """The counts of one batch."""

    statuses: Counter[str] = field(default_factory=Counter)
    verdicts: Counter[str] = field(default_factory=Counter)
    failure_modes: Counter[str] = field(default_factory=Counter)
    trials: Counter[Trials] = field(default_factory=Counter)
    """How many tasks had such results."""
    cost_usd: float = 0.0
    last_finished_at: datetime | None = None


async def figures_of(session: AsyncSession, batch_ids: Collection[int]) -> dict[int, Figures]:
    found = {batch_id: Figures() for batch_id in batch_ids}
    kinds = (Run.batch_id, Run.status, Run.verdict, Run.failure_mode)
    counts = select(*kinds, func.count(), func.sum(Run.cost_usd), func.max(Run.finished_at))
    rows = await session.execute(counts.where(Run.batch_id.in_(batch_ids)).group_by(*kinds))
    for batch_id, status, verdict, failure_mode, runs, cost, last in rows:
        assert batch_id is not None
        figures = found[batch_id]
        figures.statuses[status] += runs
        figures.verdicts[verdict] += runs
        if failure_mode is not None:
            figures.failure_modes[failure_mode] += runs
        figures.cost_usd += cost
        if last is not None:
            figures.last_finished_at = max(last, figures.last_finished_at or last)
    await _count_trials(session, found)
    return found


async def _count_trials(session: AsyncSession, found: dict[int, Figures]) -> None:
    tasks = (
        select(Run.batch_id, _sum_of("PASS").label("passes"), _sum_of("PASS", "FAIL").label("runs"))
        .where(Run.batch_id.in_(found))
        .group_by(Run.batch_id, Run.task_id)
        .subquery()
    )
    alike = (tasks.c.batch_id, tasks.c.passes, tasks.c.runs)
    for batch_id, passes, runs, count in await session.execute(select(*alike, func.count()).group_by(*alike)):
        found[batch_id].trials[Trials(passes, runs)] += count


async def trials_by_task(session: AsyncSession, batch_id: int) -> dict[int, Trials]:
    """Return what became of each task of a batch."""
    statement = select(Run.task_id, _sum_of("PASS"), _sum_of("PASS", "FAIL")).where(Run.batch_id == batch_id)
    rows = await session.execute(statement.group_by(Run.task_id))
    return {task_id: Trials(passes, runs) for task_id, passes, runs in rows}


def _sum_of(*verdicts: str) -> ColumnElement[int]:
    counted: ColumnElement[int] = func.sum(case((Run.verdict.in_(verdicts), 1), else_=0))
    return counted
