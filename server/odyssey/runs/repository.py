"""All SQL of runs. Every look-up on behalf of a caller names the org."""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any, NamedTuple

import msgspec
from sqlalchemy import exists, func, literal, literal_column, or_, select, update
from sqlalchemy.ext.asyncio import AsyncSession

from odyssey.core.errors import NotFoundError
from odyssey.core.scheduling import Work
from odyssey.core.tables import IntegerId, json_member
from odyssey.runs.batches.models import Batch
from odyssey.runs.models import Run, RunAttempt, Task


async def get_run(session: AsyncSession, org_id: int, run_id: int) -> Run:
    run = (await session.scalars(select(Run).where(Run.id == run_id, Run.org_id == org_id))).first()
    if run is None:
        raise NotFoundError
    return run


async def get_task(session: AsyncSession, task_id: int) -> Task:
    return await session.get_one(Task, task_id)


class TaskHead(NamedTuple):
    """What lists show of a task."""

    instruction: str
    """Its first characters; the rest stays in the database."""
    dataset_id: int | None
    position: int | None


async def task_heads(session: AsyncSession, task_ids: Collection[int], length: int) -> dict[int, TaskHead]:
    start = func.substr(json_member(Task.seed, "user_instruction"), 1, length)
    columns = select(Task.id, start, Task.dataset_id, Task.position)
    found = await session.execute(columns.where(Task.id.in_(task_ids)))
    return {task_id: TaskHead(*head) for task_id, *head in found}


class RunFilter(NamedTuple):
    """Which runs of an org are wanted; what is not given does not matter."""

    status: Sequence[str] = ()
    verdict: str | None = None
    error_class: str | None = None
    agent_id: int | None = None
    agent_version: int | None = None
    task_id: int | None = None
    batch_id: int | None = None
    dataset_id: int | None = None
    q: str | None = None
    """Part of the instruction."""


EVERY_RUN = RunFilter()


async def list_runs(
    session: AsyncSession,
    org_id: int,
    *,
    before_id: int | None,
    limit: int,
    wanted: RunFilter = EVERY_RUN,
) -> Sequence[Run]:
    statement = select(Run).where(Run.org_id == org_id).order_by(Run.id.desc()).limit(limit)
    equal = {
        Run.verdict: wanted.verdict,
        Run.error_class: wanted.error_class,
        Run.agent_id: wanted.agent_id,
        Run.task_id: wanted.task_id,
        Run.batch_id: wanted.batch_id,
    }
    for column, value in equal.items():
        if value is not None:
            statement = statement.where(column == value)
    if wanted.dataset_id is not None:
        of_dataset = select(Batch.id).where(Batch.dataset_id == wanted.dataset_id, Batch.org_id == org_id)
        statement = statement.where(Run.batch_id.in_(of_dataset))
    if wanted.agent_version is not None:  # it may exceed what the column can hold
        statement = statement.where(Run.agent_version == literal(wanted.agent_version, IntegerId))
    if wanted.status:
        statement = statement.where(Run.status.in_(wanted.status))
    if wanted.q:
        instruction = json_member(Task.seed, "user_instruction")
        statement = statement.join(Task, Task.id == Run.task_id)
        statement = statement.where(instruction.icontains(wanted.q, autoescape=True))
    if before_id is not None:
        statement = statement.where(Run.id < before_id)
    return (await session.scalars(statement)).all()


async def list_attempts(session: AsyncSession, run_ids: Sequence[int]) -> Sequence[RunAttempt]:
    statement = select(RunAttempt).where(RunAttempt.run_id.in_(run_ids))
    return (await session.scalars(statement.order_by(RunAttempt.run_id, RunAttempt.attempt))).all()


async def claimable_runs(
    session: AsyncSession, now: datetime, limit: int, *, lock: bool = True
) -> Sequence[int]:
    """Find runs to start: lost ones first, then those that wait, but for batches whose agent is not known to be there.

    These are two questions because each has an index of its own.
    """
    lost = select(Run.id).where(Run.status == "running", Run.lease_until <= now)
    may_go = exists().where(Batch.id == Run.batch_id, Batch.state == "running")
    waiting = select(Run.id).where(
        Run.status == literal_column("'pending'"), or_(Run.batch_id.is_(None), may_go)
    )
    found: list[int] = []
    for statement in (lost, waiting):
        statement = statement.order_by(Run.id).limit(limit - len(found))
        if lock:
            statement = statement.with_for_update(skip_locked=True)
        found += await session.scalars(statement)
        if len(found) == limit:
            break
    return found


async def load_work(session: AsyncSession, run_id: int) -> Work:
    """Read the state and hold its row, so that no renewal comes between reading and storing it."""
    columns = (
        select(Run.status, Run.attempt, Run.owner, Run.lease_until).where(Run.id == run_id).with_for_update()
    )
    status, attempt, owner, lease_until = (await session.execute(columns)).one()
    return msgspec.convert(
        {"status": status, "attempt": attempt, "owner": owner, "lease_until": lease_until}, Work
    )


async def swap_work(session: AsyncSession, run_id: int, before: Work, after: Work, **values: Any) -> bool:
    """Store the new state if nobody changed the old one meanwhile; this is the fence."""
    unchanged = (
        Run.id == run_id,
        Run.status == before.status,
        Run.attempt == before.attempt,
        Run.owner.is_not_distinct_from(before.owner),
        Run.lease_until.is_not_distinct_from(before.lease_until),
    )
    statement = (
        update(Run)
        .where(*unchanged)
        .values(
            status=after.status,
            attempt=after.attempt,
            owner=after.owner,
            lease_until=after.lease_until,
            **values,
        )
    )
    result = await session.execute(statement.returning(Run.id))
    return result.first() is not None


async def renew_leases(session: AsyncSession, owner: str, until: datetime) -> set[tuple[int, int]]:
    """Take the step `Renew` for all of an owner's runs at once; returns those it still holds, with their attempt."""
    statement = update(Run).where(Run.owner == owner, Run.status == "running").values(lease_until=until)
    renewed = await session.execute(statement.returning(Run.id, Run.attempt))
    return {(run_id, attempt) for run_id, attempt in renewed}


async def end_attempts(session: AsyncSession, run_id: int, outcome: str, now: datetime) -> None:
    open_ones = update(RunAttempt).where(RunAttempt.run_id == run_id, RunAttempt.outcome.is_(None))
    await session.execute(open_ones.values(outcome=outcome, ended_at=now))


async def find_run_unscoped(session: AsyncSession, run_id: int) -> Run:
    """For the executor, which works for every org."""
    return await session.get_one(Run, run_id)
