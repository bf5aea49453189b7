"""All SQL of runs. Every look-up on behalf of a caller names the org."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from functools import cache
from typing import Any, NamedTuple

from sqlalchemy import (
    BindParameter,
    ColumnElement,
    Connection,
    Text,
    Update,
    bindparam,
    func,
    insert,
    literal,
    literal_column,
    select,
    update,
)
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import defer

from odyssey.core.errors import NotFoundError
from odyssey.core.paging import ListOrder, PageRequest
from odyssey.core.scheduling import Work
from odyssey.core.tables import (
    IntegerId,
    UtcDateTime,
    json_member,
    microseconds_between,
    not_before,
    table_of,
)
from odyssey.kit.pagination import Page
from odyssey.library.models import Task
from odyssey.runs.models import Batch, Run, RunAttempt

WITHOUT_LARGE = tuple(
    defer(column, raiseload=True) for column in (Run.messages, Run.reply_metadata, Run.error_json)
)
"""For lists: an agent may send a megabyte in each, and no summary shows them."""
_RUNS, _ATTEMPTS, _TASKS = table_of(Run), table_of(RunAttempt), table_of(Task)
_WORKS = (
    select(
        _RUNS.c.id,
        _RUNS.c.org_id,
        _RUNS.c.status,
        _RUNS.c.attempt,
        _RUNS.c.owner,
        _RUNS.c.lease_until,
        _RUNS.c.soft_warnings,
    )
    .where(_RUNS.c.id.in_(bindparam("run_ids", expanding=True)))
    .order_by(_RUNS.c.id)
    .with_for_update()
)
_OURS = (
    select(_RUNS.c.id, _RUNS.c.attempt)
    .where(_RUNS.c.owner == bindparam("of_owner"), _RUNS.c.status == "running")
    .order_by(_RUNS.c.id)
    .with_for_update()
)
_RENEW = update(_RUNS).where(_RUNS.c.id == bindparam("of_run")).values(lease_until=bindparam("until"))
_IS_UNGRADED = Run.verdict == literal_column("'PENDING'")  # as the index says it
_START = insert(_ATTEMPTS)
_END = (
    update(_ATTEMPTS)
    .where(_ATTEMPTS.c.run_id == bindparam("of_run"), _ATTEMPTS.c.outcome.is_(None))
    .values(
        outcome=bindparam("how"),
        ended_at=not_before(_ATTEMPTS.c.started_at, bindparam("now", type_=UtcDateTime)),
    )
)
_SEEDS = select(_TASKS.c.id, _TASKS.c.seed).where(_TASKS.c.id.in_(bindparam("task_ids", expanding=True)))

INSTRUCTION_SHOWN = 300
"""So many characters of an instruction are in a list, and sort it."""


def _start_of_instruction(length: int) -> ColumnElement[str]:
    return func.substr(json_member(Task.seed, "user_instruction"), 1, length, type_=Text)


RUN_ORDER = ListOrder(
    Run.id,
    {
        "id": Run.id,
        "status": Run.status,
        "verdict": Run.verdict,
        "failure_mode": Run.failure_mode,
        "error_class": Run.error_class,
        "score": Run.score,
        "cost_usd": Run.cost_usd,
        "agent_id": Run.agent_id,
        "user_instruction": select(_start_of_instruction(INSTRUCTION_SHOWN))
        .where(Task.id == Run.task_id)
        .correlate(Run)
        .scalar_subquery(),
        "created_at": Run.created_at,
        "started_at": Run.started_at,
        "finished_at": Run.finished_at,
        "duration": microseconds_between(Run.started_at, Run.finished_at),
    },
)


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
    start = _start_of_instruction(length)
    columns = select(Task.id, start, Task.dataset_id, Task.position)
    found = await session.execute(columns.where(Task.id.in_(task_ids)))
    return {task_id: TaskHead(text, dataset, position) for task_id, text, dataset, position in found}


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
    session: AsyncSession, org_id: int, page: PageRequest, wanted: RunFilter = EVERY_RUN
) -> Page[Run]:
    statement = select(Run).where(Run.org_id == org_id).options(*WITHOUT_LARGE)
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
    return await RUN_ORDER.page(session, statement, page)


async def newest_states(session: AsyncSession, org_id: int, limit: int) -> dict[int, tuple[str, int, str]]:
    """Read what of a run, when it changes, is told to those who watch the list: status, attempt and verdict."""
    statement = select(Run.id, Run.status, Run.attempt, Run.verdict).where(Run.org_id == org_id)
    rows = await session.execute(statement.order_by(Run.id.desc()).limit(limit))
    return {run_id: (status, attempt, verdict) for run_id, status, attempt, verdict in rows}


async def runs_by_id(session: AsyncSession, org_id: int, run_ids: Collection[int]) -> Sequence[Run]:
    """Read runs as lists show them, oldest first."""
    statement = select(Run).where(Run.org_id == org_id, Run.id.in_(run_ids)).options(*WITHOUT_LARGE)
    return (await session.scalars(statement.order_by(Run.id))).all()


async def list_attempts(session: AsyncSession, run_ids: Sequence[int]) -> Sequence[RunAttempt]:
    statement = select(RunAttempt).where(RunAttempt.run_id.in_(run_ids))
    return (await session.scalars(statement.order_by(RunAttempt.run_id, RunAttempt.attempt))).all()


class CallCounts(NamedTuple):
    """What the ended runs of one version of an agent come to."""

    version: int
    runs: int
    tool_calls: int
    violations: int


async def call_counts(session: AsyncSession, org_id: int, agent_id: int) -> list[CallCounts]:
    """Add up the runs of an agent that had a call answered, by version, newest first."""
    sums = (func.count(), func.sum(Run.tool_calls), func.sum(Run.violations))
    statement = select(Run.agent_version, *sums).where(
        Run.org_id == org_id,
        Run.agent_id == agent_id,
        Run.tool_calls > literal_column("0"),  # written out, or the partial index is not used
    )
    rows = await session.execute(statement.group_by(Run.agent_version).order_by(Run.agent_version.desc()))
    return [CallCounts(*map(int, row)) for row in rows]


class HeldWork(NamedTuple):
    """A run's state, read while nobody else can change it."""

    org_id: int
    work: Work
    soft_warnings: list[str]


def load_works(connection: Connection, run_ids: Collection[int]) -> dict[int, HeldWork]:
    """Read states and hold their rows, so that no renewal comes between reading and storing them."""
    rows = connection.execute(_WORKS, {"run_ids": list(run_ids)})
    return {run_id: HeldWork(org_id, Work(*work), warnings) for run_id, org_id, *work, warnings in rows}


class Swap(NamedTuple):
    """A new state for a run, and what else changes with it, by column."""

    run_id: int
    before: Work
    after: Work
    values: Mapping[str, Any]


def swap_works(connection: Connection, swaps: Iterable[Swap]) -> None:
    """Store new states. Their authors hold the rows; the comparison with the old state is the second fence."""
    alike: defaultdict[tuple[str, ...], list[dict[str, Any]]] = defaultdict(list)
    for run_id, before, after, values in swaps:
        members = {**values, "status": after.status, "attempt": after.attempt}
        members |= {"owner": after.owner, "lease_until": after.lease_until}
        was = (before.status, before.attempt, before.owner)
        alike[tuple(sorted(members))].append(
            {f"new_{name}": value for name, value in members.items()}
            | dict(zip(("of_run", "was_status", "was_attempt", "was_owner"), (run_id, *was), strict=True))
        )
    for names, rows in alike.items():
        connection.execute(_swap(names), rows)


@cache
def _swap(names: tuple[str, ...]) -> Update:
    return (
        update(_RUNS)
        .where(
            _RUNS.c.id == bindparam("of_run"),
            _RUNS.c.status == bindparam("was_status"),
            _RUNS.c.attempt == bindparam("was_attempt"),
            _RUNS.c.owner.is_not_distinct_from(bindparam("was_owner", type_=_RUNS.c.owner.type)),
        )
        .values({name: _new_value(name) for name in names})
    )


_NO_EARLIER: Mapping[str, ColumnElement[Any]] = {
    "started_at": _RUNS.c.created_at,
    "finished_at": func.coalesce(_RUNS.c.started_at, _RUNS.c.created_at),
}
"""What a moment of a run follows. The process that writes it may have a clock behind that of the one before."""


def _new_value(name: str) -> ColumnElement[Any]:
    value: BindParameter[Any] = bindparam(f"new_{name}", type_=_RUNS.c[name].type)
    return not_before(_NO_EARLIER[name], value) if name in _NO_EARLIER else value


def renew_leases(
    connection: Connection,
    owner: str,
    held: Collection[tuple[int, int]],
    moment: Callable[[Connection], datetime],
    lease: timedelta,
) -> set[tuple[int, int]]:
    """Take the step `Renew` for what an owner holds, by run and attempt, at once; returns what is still its own.

    A claim whose commit nobody knew to have happened is the owner's by the table, but held by nobody: it ends.
    The moment is read once the rows are held: waiting for them is no part of the lease.
    """
    rows = connection.execute(_OURS, {"of_owner": owner})
    ours = [(run_id, attempt) for run_id, attempt in rows if (run_id, attempt) in held]
    if ours:
        until = moment(connection) + lease
        connection.execute(_RENEW, [{"of_run": run_id, "until": until} for run_id, _ in ours])
    return set(ours)


async def shorten_run_leases(session: AsyncSession, longest: datetime) -> None:
    """Let no run wait longer than a lease for an owner that is gone, nor one that has ended for its grader."""
    for column, is_held in ((Run.lease_until, Run.status == "running"), (Run.grading_until, _IS_UNGRADED)):
        await session.execute(update(Run).where(is_held, column > longest).values({column: longest}))


def start_attempts(connection: Connection, owners: Mapping[tuple[int, int], str], now: datetime) -> None:
    """List new attempts, by run and number."""
    rows = [
        {"run_id": run_id, "attempt": attempt, "owner": owner, "started_at": now}
        for (run_id, attempt), owner in owners.items()
    ]
    if rows:
        connection.execute(_START, rows)


def end_attempts(connection: Connection, outcomes: Mapping[int, str], now: datetime) -> None:
    """Say how the open attempts of runs ended."""
    if outcomes:
        rows = [{"of_run": run_id, "how": how, "now": now} for run_id, how in outcomes.items()]
        connection.execute(_END, rows)


def seeds_of(connection: Connection, task_ids: Collection[int]) -> dict[int, dict[str, Any]]:
    rows = connection.execute(_SEEDS, {"task_ids": list(task_ids)})
    return dict(rows.all())


def end_of_run(now: datetime) -> ColumnElement[Any]:
    """Give the moment a run ends that is ended from outside: now, but not before it began."""
    return not_before(_NO_EARLIER["finished_at"], literal(now, UtcDateTime))


async def charge_run(session: AsyncSession, run_id: int, cost_usd: float) -> None:
    """Add what a model did cost that simulated a tool of the run, or graded it."""
    await session.execute(update(Run).where(Run.id == run_id).values(cost_usd=Run.cost_usd + cost_usd))


async def find_run_unscoped(session: AsyncSession, run_id: int) -> Run:
    """For the executor, which works for every org."""
    return await session.get_one(Run, run_id)
