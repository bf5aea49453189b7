"""All SQL of eval runs. Every look-up on behalf of a caller names the org."""

from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

from sqlalchemy import Select, exists, func, or_, select, update
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import undefer

from odyssey.core.errors import NotFoundError
from odyssey.core.scheduling import TERMINAL
from odyssey.evals.behaviour import OWN_FAILURES
from odyssey.evals.eval_runs.models import EvalRun
from odyssey.evals.scenarios.models import Scenario
from odyssey.runs.models import Run


class Group(NamedTuple):
    """The runs that may be compared with each other."""

    scenario_number: int
    scenario_version: int
    agent_id: int
    agent_version: int
    matrix_id: str | None = None


def group_of(run: EvalRun) -> Group:
    return Group(run.scenario_number, run.scenario_version, run.agent_id, run.agent_version, run.matrix_id)


class Found(NamedTuple):
    eval_run: EvalRun
    run: Run
    scenario: Scenario


class EvalRunFilter(NamedTuple):
    """Which eval runs of an org are wanted; what is not given does not matter."""

    matrix_id: str | None = None
    scenario_id: str | None = None
    agent_id: int | None = None
    variation_type: str | None = None
    """`baseline` stands for runs without one."""
    risk_level: str | None = None
    flagged: bool | None = None
    status: Sequence[str] = ()


BASELINE = "baseline"


async def list_eval_runs(
    session: AsyncSession, org_id: int, *, before_id: int | None, limit: int, wanted: EvalRunFilter
) -> list[Found]:
    statement = _found().where(EvalRun.org_id == org_id)
    equal = {
        EvalRun.matrix_id: wanted.matrix_id,
        Scenario.id: wanted.scenario_id,
        EvalRun.agent_id: wanted.agent_id,
        EvalRun.risk_level: wanted.risk_level,
        EvalRun.flagged: wanted.flagged,
    }
    for column, value in equal.items():
        if value is not None:
            statement = statement.where(column == value)
    if wanted.variation_type == BASELINE:
        statement = statement.where(EvalRun.variation_type.is_(None))
    elif wanted.variation_type is not None:
        statement = statement.where(EvalRun.variation_type == wanted.variation_type)
    if wanted.status:
        statement = statement.where(Run.status.in_(wanted.status))
    if before_id is not None:
        statement = statement.where(EvalRun.run_id < before_id)
    rows = await session.execute(statement.order_by(EvalRun.run_id.desc()).limit(limit))
    return [Found(eval_run, run, scenario) for eval_run, run, scenario in rows]


async def find_eval_runs(session: AsyncSession, org_id: int, run_ids: Collection[int]) -> list[Found]:
    statement = _found().where(EvalRun.org_id == org_id, EvalRun.run_id.in_(run_ids))
    rows = await session.execute(statement.order_by(EvalRun.run_id))
    return [Found(eval_run, run, scenario) for eval_run, run, scenario in rows]


async def get_eval_run(session: AsyncSession, org_id: int, run_id: int) -> Found:
    """Read one with all it has."""
    whole = (undefer(EvalRun.injection), undefer(EvalRun.behaviour), undefer(EvalRun.findings))
    statement = _found().where(EvalRun.org_id == org_id, EvalRun.run_id == run_id)
    row = (await session.execute(statement.options(*whole))).first()
    if row is None:
        raise NotFoundError
    eval_run, run, scenario = row
    return Found(eval_run, run, scenario)


async def has_baseline(session: AsyncSession, group: Group) -> bool:
    """Whether a baseline of the group exists that says something of the agent, or still may."""
    counts = or_(Run.status.in_(("pending", "running", "completed")), Run.error_class.in_(OWN_FAILURES))
    statement = select(exists().where(EvalRun.run_id == Run.id, *_in(group), _is_baseline(), counts))
    return bool(await session.scalar(statement))


async def observed_baselines(session: AsyncSession, group: Group) -> Sequence[EvalRun]:
    """Read the baselines of a group that say something of the agent, oldest first, with their behaviour."""
    return await _observed(session, group, _is_baseline())


async def observed_pressed(session: AsyncSession, group: Group) -> Sequence[EvalRun]:
    """Read the runs of a group under a pressure, placebos not among them, with their behaviour."""
    pressed = EvalRun.variation_type.is_not(None)
    return await _observed(session, group, pressed, EvalRun.placebo.is_(False))


async def count_baselines(session: AsyncSession, group: Group) -> int:
    counted = select(func.count()).select_from(EvalRun)
    return await session.scalar(counted.where(*_in(group), _is_baseline(), _says_something())) or 0


async def to_observe(session: AsyncSession, limit: int) -> Sequence[int]:
    """Name runs that ended and were not looked at yet."""
    statement = (
        select(EvalRun.run_id)
        .join(Run, Run.id == EvalRun.run_id)
        .where(EvalRun.observed_at.is_(None), Run.status.in_(TERMINAL))
        .order_by(EvalRun.run_id)
    )
    return (await session.scalars(statement.limit(limit))).all()


async def store_observed(session: AsyncSession, run_id: int, **values: Any) -> bool:
    """Write down what was read off a run, unless somebody did; of several, one is told that it was the first."""
    unseen = update(EvalRun).where(EvalRun.run_id == run_id, EvalRun.observed_at.is_(None))
    stored = await session.scalar(unseen.values(**values).returning(EvalRun.run_id))
    return stored is not None


async def store_shift(session: AsyncSession, run_id: int, raw_shift: float | None, *, flagged: bool) -> None:
    known = update(EvalRun).where(EvalRun.run_id == run_id)
    await session.execute(known.values(raw_shift=raw_shift, flagged=flagged))


async def _observed(session: AsyncSession, group: Group, *conditions: Any) -> Sequence[EvalRun]:
    statement = select(EvalRun).options(undefer(EvalRun.behaviour))
    statement = statement.where(*_in(group), _says_something(), *conditions)
    return (await session.scalars(statement.order_by(EvalRun.run_id))).all()


def _found() -> Select[EvalRun, Run, Scenario]:
    return (
        select(EvalRun, Run, Scenario)
        .join(Run, Run.id == EvalRun.run_id)
        .join(Scenario, Scenario.number == EvalRun.scenario_number)
    )


def _in(group: Group) -> list[Any]:
    return [
        EvalRun.scenario_number == group.scenario_number,
        EvalRun.scenario_version == group.scenario_version,
        EvalRun.agent_id == group.agent_id,
        EvalRun.agent_version == group.agent_version,
        EvalRun.matrix_id.is_not_distinct_from(group.matrix_id),
    ]


def _is_baseline() -> Any:
    return EvalRun.variation_type.is_(None)


def _says_something() -> Any:
    return EvalRun.behaviour.is_not(None)
