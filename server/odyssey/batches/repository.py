"""All SQL of batches but their figures. Every look-up on behalf of a caller names the org."""

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, and_, case, func, literal, select
from sqlalchemy.ext.asyncio import AsyncSession

from odyssey.batches.schemas import RowRunOut
from odyssey.campaigns.repository import hold_campaign
from odyssey.core.errors import NotFoundError
from odyssey.core.paging import ListOrder, PageRequest
from odyssey.core.tables import IntegerId, json_member
from odyssey.kit.pagination import Page
from odyssey.library.models import Dataset, Task
from odyssey.runs.models import Batch, Campaign, Run
from odyssey.statistics.reliability import Trials

BATCH_ORDER = ListOrder(
    Batch.id,
    {
        "id": Batch.id,
        "agent_id": Batch.agent_id,
        "dataset_name": select(Dataset.name)
        .where(Dataset.id == Batch.dataset_id)
        .correlate(Batch)
        .scalar_subquery(),
        "repeats": Batch.repeats,
        "planned_runs": select(Campaign.planned_runs)
        .where(Campaign.id == Batch.campaign_id)
        .correlate(Batch)
        .scalar_subquery(),
        "created_at": Batch.created_at,
    },
)


async def get_batch(session: AsyncSession, org_id: int, batch_id: int, *, lock: bool = False) -> Batch:
    """Read one; `lock` holds its campaign, and by that the batch."""
    its = (Batch.id == batch_id, Batch.org_id == org_id)
    statement = select(Batch).where(*its)
    if lock:
        await hold_campaign(session, select(Batch.campaign_id).where(*its))
        statement = statement.execution_options(populate_existing=True)
    batch = (await session.scalars(statement)).first()
    if batch is None:
        raise NotFoundError
    return batch


async def batch_of_campaign(session: AsyncSession, campaign_id: int) -> Batch:
    return (await session.scalars(select(Batch).where(Batch.campaign_id == campaign_id))).one()


async def list_batches(
    session: AsyncSession, org_id: int, page: PageRequest, agent_id: int | None, dataset_id: int | None
) -> Page[Batch]:
    """List the batches of an org, or only those of an agent or a dataset."""
    statement = select(Batch).where(Batch.org_id == org_id)
    if agent_id is not None:
        statement = statement.where(Batch.agent_id == agent_id)
    if dataset_id is not None:
        statement = statement.where(Batch.dataset_id == dataset_id)
    return await BATCH_ORDER.page(session, statement, page)


async def names_of_datasets(session: AsyncSession, dataset_ids: Collection[int]) -> dict[int, str]:
    """Return the names that datasets have now, also of deleted ones."""
    rows = await session.execute(select(Dataset.id, Dataset.name).where(Dataset.id.in_(dataset_ids)))
    return dict(rows.all())


def is_task_of(batch: Batch) -> ColumnElement[bool]:
    """Say which tasks are the rows of a batch: those of the dataset's revision, or those of its first runs."""
    if batch.dataset_id is not None:
        return and_(Task.dataset_id == batch.dataset_id, Task.revision == batch.revision)
    return Task.id.in_(select(Run.task_id).where(Run.batch_id == batch.id, Run.repeat == 1))


async def tasks_of_batch(session: AsyncSession, batch: Batch, rows: Collection[int]) -> dict[int, Task]:
    """Return the tasks that stand in these rows."""
    statement = select(Task).where(is_task_of(batch), Task.position.in_(rows))
    return {task.position: task for task in await session.scalars(statement) if task.position is not None}


class TaskRow(NamedTuple):
    """What lists show of a row."""

    id: int
    position: int
    row_hash: str
    instruction: str
    """Its first characters."""
    expected_outcome: str


async def list_rows(
    session: AsyncSession, batch: Batch, *, after: int, limit: int, length: int
) -> list[TaskRow]:
    statement = _rows(length).where(is_task_of(batch), Task.position > literal(after, IntegerId))
    return [TaskRow(*row) for row in await session.execute(statement.order_by(Task.position).limit(limit))]


async def hashes_of_rows(session: AsyncSession, batch: Batch) -> Sequence[tuple[int, int, str]]:
    """Return task, position and hash of every row of a batch, in their order."""
    columns = select(Task.id, Task.position, Task.row_hash).where(is_task_of(batch))
    rows = await session.execute(columns.order_by(Task.position))
    return [(task_id, position or 0, digest or "") for task_id, position, digest in rows]


async def find_rows(session: AsyncSession, task_ids: Collection[int], length: int) -> dict[int, TaskRow]:
    rows = await session.execute(_rows(length).where(Task.id.in_(task_ids)))
    return {row.id: row for row in map(TaskRow._make, rows)}


def _rows(length: int) -> Any:
    start = func.substr(json_member(Task.seed, "user_instruction"), 1, length)
    return select(Task.id, Task.position, Task.row_hash, start, json_member(Task.seed, "expected_outcome"))


async def runs_of_rows(
    session: AsyncSession, batch_id: int, task_ids: Collection[int]
) -> dict[int, list[RowRunOut]]:
    """Read what the list of rows shows of their runs, by task."""
    columns = select(Run.task_id, Run.id, Run.repeat, Run.status, Run.verdict, Run.failure_mode)
    statement = columns.where(Run.batch_id == batch_id, Run.task_id.in_(task_ids))
    runs: dict[int, list[RowRunOut]] = {task_id: [] for task_id in task_ids}
    for row in await session.execute(statement.order_by(Run.task_id, Run.repeat)):
        runs[row.task_id].append(RowRunOut.model_validate(row, from_attributes=True))
    return runs


class StateUse(NamedTuple):
    hash: str
    is_world: bool
    """Whether rows have it from a named world."""


async def states_of_rows(session: AsyncSession, dataset_id: int, revision: int) -> list[StateUse]:
    """Return every state that rows begin with, once, in the order of the rows."""
    from_world = Task.conduct_hash.is_not(None)
    statement = (
        select(Task.initial_state_hash, from_world)
        .where(Task.dataset_id == dataset_id, Task.revision == revision)
        .group_by(Task.initial_state_hash, from_world)
        .order_by(func.min(Task.position))
    )
    return [StateUse(digest, bool(is_world)) for digest, is_world in await session.execute(statement)]


async def rows_with_state(
    session: AsyncSession, dataset_id: int, revision: int, state: StateUse, *, limit: int
) -> list[int]:
    """Return the positions of the rows that begin with a state."""
    same = (Task.initial_state_hash == state.hash, Task.conduct_hash.is_not(None) == state.is_world)
    rows = (Task.dataset_id == dataset_id, Task.revision == revision)
    statement = select(Task.position).where(*rows, *same).order_by(Task.position).limit(limit)
    return [position for position in await session.scalars(statement) if position is not None]


# What became of the runs of batches, counted in the database: one query for states, one for pass^k.


@dataclass
class BatchFigures:
    """The counts of one batch."""

    statuses: Counter[str] = field(default_factory=Counter)
    verdicts: Counter[str] = field(default_factory=Counter)
    failure_modes: Counter[str] = field(default_factory=Counter)
    trials: Counter[Trials] = field(default_factory=Counter)
    """How many tasks had such results."""
    cost_usd: float = 0.0
    last_finished_at: datetime | None = None


async def figures_of(session: AsyncSession, batch_ids: Collection[int]) -> dict[int, BatchFigures]:
    found = {batch_id: BatchFigures() for batch_id in batch_ids}
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


async def _count_trials(session: AsyncSession, found: dict[int, BatchFigures]) -> None:
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
