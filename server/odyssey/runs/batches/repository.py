"""All SQL of batches but their figures. Every look-up on behalf of a caller names the org."""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, and_, func, literal, literal_column, or_, select, update
from sqlalchemy.ext.asyncio import AsyncSession

from odyssey.core.errors import NotFoundError
from odyssey.core.paging import ListOrder, PageRequest
from odyssey.core.tables import IntegerId, json_member
from odyssey.kit.pagination import Page
from odyssey.library.models import Dataset, Task
from odyssey.runs.batches.models import Batch
from odyssey.runs.models import Run

_IS_PENDING = Run.status == literal_column("'pending'")  # as the index of waiting runs says it

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
        "planned_runs": Batch.planned_runs,
        "created_at": Batch.created_at,
    },
)


class BatchFilter(NamedTuple):
    """Which batches of an org are wanted; what is not given does not matter."""

    agent_id: int | None = None
    dataset_id: int | None = None


async def get_batch(session: AsyncSession, org_id: int, batch_id: int, *, lock: bool = False) -> Batch:
    statement = select(Batch).where(Batch.id == batch_id, Batch.org_id == org_id)
    if lock:
        statement = statement.with_for_update().execution_options(populate_existing=True)
    batch = (await session.scalars(statement)).first()
    if batch is None:
        raise NotFoundError
    return batch


async def list_batches(
    session: AsyncSession, org_id: int, page: PageRequest, wanted: BatchFilter
) -> Page[Batch]:
    statement = select(Batch).where(Batch.org_id == org_id)
    if wanted.agent_id is not None:
        statement = statement.where(Batch.agent_id == wanted.agent_id)
    if wanted.dataset_id is not None:
        statement = statement.where(Batch.dataset_id == wanted.dataset_id)
    return await BATCH_ORDER.page(session, statement, page)


async def names_of_datasets(session: AsyncSession, dataset_ids: Collection[int]) -> dict[int, str]:
    """Return the names that datasets have now, also of deleted ones."""
    rows = await session.execute(select(Dataset.id, Dataset.name).where(Dataset.id.in_(dataset_ids)))
    return dict(rows.all())


async def unchecked_batches(session: AsyncSession, now: datetime, limit: int) -> Sequence[int]:
    statement = select(Batch.id).where(*_free_to_check(now)).order_by(Batch.id).limit(limit)
    return (await session.scalars(statement)).all()


async def take_check(session: AsyncSession, batch_id: int, now: datetime, until: datetime) -> Batch | None:
    """Take the ping of a batch upon oneself; None if somebody else was quicker."""
    statement = update(Batch).where(Batch.id == batch_id, *_free_to_check(now)).values(lease_until=until)
    return (await session.scalars(statement.returning(Batch))).first()


async def drop_check(session: AsyncSession, batch_id: int, until: datetime) -> None:
    """Give a ping back that was taken until then."""
    held = and_(Batch.id == batch_id, Batch.state == "checking", Batch.lease_until == until)
    await session.execute(update(Batch).where(held).values(lease_until=None))


async def end_check(session: AsyncSession, batch_id: int, state: str, **values: Any) -> bool:
    """Let a batch go on as the ping says, once; False if it was cancelled or somebody else has pinged."""
    statement = update(Batch).where(Batch.id == batch_id, Batch.state == "checking")
    ended = await session.execute(
        statement.values(state=state, lease_until=None, **values).returning(Batch.id)
    )
    return ended.first() is not None


async def shorten_checks(session: AsyncSession, longest: datetime) -> None:
    """Let none wait longer than that for a process that is gone and meant to ping."""
    held = (Batch.state == "checking", Batch.lease_until > longest)
    await session.execute(update(Batch).where(*held).values(lease_until=longest))


def _free_to_check(now: datetime) -> tuple[ColumnElement[bool], ...]:
    return (Batch.state == "checking", or_(Batch.lease_until.is_(None), Batch.lease_until <= now))


async def unfed_batches(session: AsyncSession) -> Sequence[int]:
    statement = select(Batch.id).where(Batch.state == "running", Batch.made_runs < Batch.planned_runs)
    return (await session.scalars(statement.order_by(Batch.id))).all()


async def waiting_runs(session: AsyncSession, batch_id: int, most: int) -> int:
    """Count the batch's runs that nobody has claimed, as far as `most`."""
    some = select(Run.id).where(_IS_PENDING, Run.batch_id == batch_id).limit(most)
    return await session.scalar(select(func.count()).select_from(some.subquery())) or 0


async def lock_feedable(session: AsyncSession, batch_id: int) -> Batch | None:
    """Hold a batch whose runs are being made; None if somebody else holds it."""
    statement = select(Batch).where(Batch.id == batch_id, Batch.state == "running")
    return (await session.scalars(statement.with_for_update(skip_locked=True))).first()


async def advance(session: AsyncSession, batch_id: int, *, made: int, by: int) -> bool:
    """Count runs as made, if nobody else has made them meanwhile; this is the fence."""
    unchanged = (Batch.id == batch_id, Batch.state == "running", Batch.made_runs == made)
    statement = update(Batch).where(*unchanged).values(made_runs=made + by)
    return (await session.execute(statement.returning(Batch.id))).first() is not None


async def end_waiting_runs(session: AsyncSession, batch_id: int, status: str, **values: Any) -> Sequence[int]:
    """End every run of a batch that was never claimed, and name them."""
    statement = update(Run).where(Run.batch_id == batch_id, _IS_PENDING)
    values |= {"status": status, "verdict": "NOT APPLICABLE"}
    return (await session.scalars(statement.values(values).returning(Run.id))).all()


async def runs_to_end(session: AsyncSession) -> Sequence[int]:
    """Find the runs that go on although their batch was cancelled."""
    cancelled = select(Batch.id).where(Batch.state == "cancelled")
    statement = select(Run.id).where(Run.status == "running", Run.batch_id.in_(cancelled))
    return (await session.scalars(statement.order_by(Run.id))).all()


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


class RowRun(NamedTuple):
    """What the list of rows shows of a run."""

    id: int
    task_id: int
    repeat: int
    status: str
    verdict: str
    failure_mode: str | None


async def runs_of_rows(session: AsyncSession, batch_id: int, task_ids: Collection[int]) -> list[RowRun]:
    columns = select(Run.id, Run.task_id, Run.repeat, Run.status, Run.verdict, Run.failure_mode)
    statement = columns.where(Run.batch_id == batch_id, Run.task_id.in_(task_ids))
    return [RowRun(*row) for row in await session.execute(statement.order_by(Run.task_id, Run.repeat))]


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
