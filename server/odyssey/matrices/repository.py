"""All SQL of matrices. Every look-up on behalf of a caller names the org."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Text, and_, case, func, literal_column, or_, select, type_coerce, update
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import undefer

from odyssey.agents.models import Agent
from odyssey.core.errors import NotFoundError
from odyssey.core.paging import ListOrder, PageRequest
from odyssey.evals.models import EvalRun
from odyssey.kit.pagination import Page
from odyssey.matrices.models import Matrix
from odyssey.runs.models import Run
from odyssey.runs.repository import end_of_run

MATRIX_ORDER = ListOrder(
    Matrix.number,
    {
        "name": Matrix.name,
        "agent_id": Matrix.agent_id,
        "scenarios": Matrix.scenarios,
        "variations": Matrix.variations,
        "created_at": Matrix.created_at,
        "finished_at": Matrix.finished_at,
    },
)

_IS_PENDING = Run.status == literal_column("'pending'")  # as the index of waiting runs says it


class MatrixFilter(NamedTuple):
    """Which matrices of an org are wanted; what is not given does not matter."""

    agent_id: int | None = None
    states: Sequence[str] = ()


async def get_matrix(session: AsyncSession, org_id: int, matrix_id: str, *, lock: bool = False) -> Matrix:
    """Read one with its snapshot and what came of it."""
    statement = select(Matrix).where(Matrix.id == matrix_id, Matrix.org_id == org_id)
    statement = statement.options(undefer(Matrix.snapshot), undefer(Matrix.cells))
    if lock:
        statement = statement.with_for_update().execution_options(populate_existing=True)
    matrix = (await session.scalars(statement)).first()
    if matrix is None:
        raise NotFoundError
    return matrix


async def find_matrix(session: AsyncSession, org_id: int, matrix_id: str) -> Matrix:
    """Read one without its large members."""
    statement = select(Matrix).where(Matrix.id == matrix_id, Matrix.org_id == org_id)
    matrix = (await session.scalars(statement)).first()
    if matrix is None:
        raise NotFoundError
    return matrix


async def list_matrices(
    session: AsyncSession, org_id: int, page: PageRequest, wanted: MatrixFilter
) -> Page[Matrix]:
    statement = select(Matrix).where(Matrix.org_id == org_id)
    if wanted.agent_id is not None:
        statement = statement.where(Matrix.agent_id == wanted.agent_id)
    if wanted.states:
        statement = statement.where(Matrix.state.in_(wanted.states))
    return await MATRIX_ORDER.page(session, statement, page)


async def newest_completed(session: AsyncSession, org_id: int, agent_id: int | None) -> Sequence[Matrix]:
    """Read the newest completed matrix of each version of each agent, oldest first."""
    conditions = [Matrix.org_id == org_id, Matrix.state == "completed"]
    if agent_id is not None:
        conditions.append(Matrix.agent_id == agent_id)
    newest = select(func.max(Matrix.number)).where(*conditions)
    newest = newest.group_by(Matrix.agent_id, Matrix.agent_version)
    statement = select(Matrix).where(Matrix.number.in_(newest)).order_by(Matrix.number)
    return (await session.scalars(statement)).all()


async def published_versions(
    session: AsyncSession, org_id: int, agent_ids: Collection[int]
) -> dict[int, int]:
    """Return which version of each agent is published; deleted agents and drafts are left out."""
    statement = select(Agent.id, Agent.published_version).where(
        Agent.org_id == org_id, Agent.id.in_(agent_ids), Agent.deleted_at.is_(None)
    )
    rows = await session.execute(statement.order_by(Agent.id))
    return {agent_id: version for agent_id, version in rows if version is not None}


async def unchecked_matrices(session: AsyncSession, now: datetime, limit: int) -> Sequence[str]:
    statement = select(Matrix.id).where(*_free_to_check(now)).order_by(Matrix.number).limit(limit)
    return (await session.scalars(statement)).all()


async def take_check(session: AsyncSession, matrix_id: str, now: datetime, until: datetime) -> Matrix | None:
    """Take the ping of a matrix upon oneself; None if somebody else was quicker."""
    statement = update(Matrix).where(Matrix.id == matrix_id, *_free_to_check(now)).values(lease_until=until)
    return (await session.scalars(statement.returning(Matrix))).first()


async def drop_check(session: AsyncSession, matrix_id: str, until: datetime) -> None:
    """Give a ping back that was taken until then."""
    held = and_(Matrix.id == matrix_id, Matrix.state == "checking", Matrix.lease_until == until)
    await session.execute(update(Matrix).where(held).values(lease_until=None))


async def end_check(session: AsyncSession, matrix_id: str, state: str, **values: Any) -> bool:
    """Let a matrix go on as the ping says, once; False if it was cancelled or somebody else has pinged."""
    statement = update(Matrix).where(Matrix.id == matrix_id, Matrix.state == "checking")
    ended = await session.execute(
        statement.values(state=state, lease_until=None, **values).returning(Matrix.id)
    )
    return ended.first() is not None


async def shorten_checks(session: AsyncSession, longest: datetime) -> None:
    """Let none wait longer than that for a process that is gone and meant to ping."""
    held = (Matrix.state == "checking", Matrix.lease_until > longest)
    await session.execute(update(Matrix).where(*held).values(lease_until=longest))


def _free_to_check(now: datetime) -> tuple[ColumnElement[bool], ...]:
    return (Matrix.state == "checking", or_(Matrix.lease_until.is_(None), Matrix.lease_until <= now))


class Running(NamedTuple):
    id: str
    is_whole: bool
    """Whether all its runs were made."""


async def running_matrices(session: AsyncSession) -> list[Running]:
    columns = select(Matrix.id, Matrix.made_runs, Matrix.planned_runs, Matrix.again)
    rows = await session.execute(columns.where(Matrix.state == "running").order_by(Matrix.number))
    return [Running(matrix_id, made == planned and not again) for matrix_id, made, planned, again in rows]


async def find_running(session: AsyncSession, matrix_id: str) -> Matrix | None:
    """Read one that goes on, with its snapshot."""
    statement = select(Matrix).where(Matrix.id == matrix_id, Matrix.state == "running")
    return (await session.scalars(statement.options(undefer(Matrix.snapshot)))).first()


async def waiting_runs(session: AsyncSession, matrix_id: str, most: int) -> int:
    """Count the matrix's runs that nobody has claimed, as far as `most`."""
    some = select(Run.id).where(_IS_PENDING, Run.lane == matrix_id).limit(most)
    return await session.scalar(select(func.count()).select_from(some.subquery())) or 0


async def take_turn(session: AsyncSession, matrix: Matrix, *, made_runs: int, again: Sequence[int]) -> bool:
    """Count runs as made, if nobody else has made any meanwhile and it still goes on; this is the fence."""
    unchanged = (Matrix.id == matrix.id, Matrix.state == "running", Matrix.turn == matrix.turn)
    statement = update(Matrix).where(*unchanged)
    values = {"made_runs": made_runs, "again": list(again), "turn": matrix.turn + 1}
    return (await session.execute(statement.values(values).returning(Matrix.id))).first() is not None


async def end_waiting_runs(session: AsyncSession, matrix_id: str, now: datetime) -> Sequence[int]:
    """Cancel every run of a matrix that was never claimed, and name them."""
    statement = update(Run).where(Run.lane == matrix_id, _IS_PENDING)
    statement = statement.values(status="cancelled", verdict="NOT APPLICABLE", finished_at=end_of_run(now))
    return (await session.scalars(statement.returning(Run.id))).all()


class RunToEnd(NamedTuple):
    id: int
    matrix_id: str


async def runs_to_end(session: AsyncSession) -> list[RunToEnd]:
    """Find the runs that go on although their matrix was cancelled."""
    statement = select(Run.id, Matrix.id).join(Matrix, Matrix.id == Run.lane)
    statement = statement.where(Run.status == "running", Matrix.state == "cancelled")
    return [RunToEnd(run_id, matrix_id) for run_id, matrix_id in await session.execute(statement)]


async def is_cancelled(session: AsyncSession, matrix_id: str) -> bool:
    """Hold a matrix as it is, and say whether it was cancelled."""
    return await _held_state(session, matrix_id) == "cancelled"


async def may_repeat(session: AsyncSession, matrix_id: str) -> bool:
    """Hold a matrix as it is, and say whether it may make one more run for one that is missing."""
    if await _held_state(session, matrix_id) != "running":
        return False
    matrix = select(Matrix.budget_runs, Matrix.planned_runs).where(Matrix.id == matrix_id)
    budget, planned = (await session.execute(matrix)).one()
    return budget is None or planned + await _stand_ins(session, matrix_id) < budget


async def _held_state(session: AsyncSession, matrix_id: str) -> str | None:
    state = select(Matrix.state).where(Matrix.id == matrix_id).with_for_update()
    return (await session.scalars(state)).first()


async def _stand_ins(session: AsyncSession, matrix_id: str) -> int:
    """Count the runs that repeat a missing one: they come on top of the plan."""
    counted = select(func.count()).select_from(EvalRun)
    statement = counted.where(EvalRun.matrix_id == matrix_id, EvalRun.replaces.is_not(None))
    return await session.scalar(statement) or 0


class RunKey(NamedTuple):
    """What tells the runs of a matrix apart; one that was repeated has the key of the first."""

    scenario_number: int
    rule_set: str | None
    variation_type: str | None
    placebo: bool
    repeat: int


_KEY = (EvalRun.scenario_number, EvalRun.rule_set, EvalRun.variation_type, EvalRun.placebo, EvalRun.repeat)


async def last_cancelled(session: AsyncSession, matrix_id: str) -> list[RunKey]:
    """Name the runs whose last try was cancelled."""
    newest = select(func.max(EvalRun.run_id)).where(EvalRun.matrix_id == matrix_id).group_by(*_KEY)
    statement = select(*_KEY).join(Run, Run.id == EvalRun.run_id)
    statement = statement.where(EvalRun.run_id.in_(newest), Run.status == "cancelled")
    return [RunKey(*row) for row in await session.execute(statement.order_by(EvalRun.run_id))]


class RunRow(NamedTuple):
    """What is known of a run of a matrix; its behaviour is JSON that is not read yet."""

    run_id: int
    key: RunKey
    observed_at: datetime | None
    behaviour: str | None
    matched: bool | None
    delivered: Any


async def runs_of(session: AsyncSession, matrix_id: str) -> list[RunRow]:
    behaviour = type_coerce(EvalRun.behaviour, Text)
    columns = select(
        EvalRun.run_id, EvalRun.observed_at, behaviour, EvalRun.matched, EvalRun.delivered, *_KEY
    )
    rows = await session.execute(columns.where(EvalRun.matrix_id == matrix_id).order_by(EvalRun.run_id))
    return [
        RunRow(run_id, RunKey(*key), observed_at, text, matched, delivered)
        for run_id, observed_at, text, matched, delivered, *key in rows
    ]


async def store_shifts(session: AsyncSession, raw_shifts: Mapping[int, float]) -> None:
    """Write down each run's own shift; runs without baselines have none."""
    rows = [{"run_id": run_id, "raw_shift": raw} for run_id, raw in raw_shifts.items()]
    if rows:
        await session.execute(update(EvalRun), rows)


async def flag_runs(session: AsyncSession, run_ids: Sequence[int]) -> None:
    for start in range(0, len(run_ids), 500):
        some = run_ids[start : start + 500]
        await session.execute(update(EvalRun).where(EvalRun.run_id.in_(some)).values(flagged=True))


async def complete(session: AsyncSession, matrix: Matrix, **values: Any) -> bool:
    """Store what came of a matrix, once; False if somebody else did, or it was cancelled meanwhile."""
    unchanged = (Matrix.id == matrix.id, Matrix.state == "running", Matrix.turn == matrix.turn)
    statement = update(Matrix).where(*unchanged)
    ended = await session.execute(statement.values(state="completed", **values).returning(Matrix.id))
    return ended.first() is not None


class RunCounts(NamedTuple):
    unobserved: int
    telling: int
    """Those that say something of the agent."""
    last_observed_at: datetime | None


NO_RUNS = RunCounts(0, 0, None)


async def run_counts(session: AsyncSession, matrix_ids: Collection[str]) -> dict[str, RunCounts]:
    if not matrix_ids:
        return {}
    statement = select(
        EvalRun.matrix_id,
        func.sum(case((EvalRun.observed_at.is_(None), 1), else_=0)),
        func.sum(case((EvalRun.behaviour.is_not(None), 1), else_=0)),
        func.max(EvalRun.observed_at),
    )
    rows = await session.execute(
        statement.where(EvalRun.matrix_id.in_(matrix_ids)).group_by(EvalRun.matrix_id)
    )
    return {matrix_id: RunCounts(*counts) for matrix_id, *counts in rows if matrix_id is not None}


async def has_unobserved(session: AsyncSession, matrix_id: str) -> bool:
    statement = select(EvalRun.run_id).where(EvalRun.matrix_id == matrix_id, EvalRun.observed_at.is_(None))
    return (await session.scalars(statement.limit(1))).first() is not None
