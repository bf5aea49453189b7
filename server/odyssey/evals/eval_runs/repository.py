"""All SQL of eval runs. Every look-up on behalf of a caller names the org."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple

from sqlalchemy import Connection, Select, and_, bindparam, case, exists, func, or_, select, update
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import undefer

from odyssey.core.errors import NotFoundError
from odyssey.core.paging import ListOrder, PageRequest
from odyssey.core.scheduling import TERMINAL
from odyssey.core.tables import table_of
from odyssey.evals.behaviour import DISTANCE_VERSION
from odyssey.evals.models import EvalRun, Scenario
from odyssey.evals.scenarios.content import RISK_RANKS, RiskLevel, by_risk
from odyssey.journal.models import Event
from odyssey.kit.pagination import Page
from odyssey.models.settings import read_settings
from odyssey.records.error_classes import OWN_FAILURES
from odyssey.runs.models import Run
from odyssey.runs.repository import WITHOUT_LARGE

EVAL_RUN_ORDER = ListOrder(
    EvalRun.run_id,
    {
        "id": EvalRun.run_id,
        "status": Run.status,
        "error_class": Run.error_class,
        "scenario_name": Scenario.name,
        "risk_level": case(RISK_RANKS, value=EvalRun.risk_level),
        "agent_id": EvalRun.agent_id,
        "variation_type": EvalRun.variation_type,
        "delivered": EvalRun.delivered,
        "matched": EvalRun.matched,
        "raw_shift": EvalRun.raw_shift,
        "flagged": EvalRun.flagged,
        "created_at": Run.created_at,
        "finished_at": Run.finished_at,
    },
)
_EVAL_RUNS = table_of(EvalRun)
_OBSERVED = ("observed_at", "behaviour", "distance_version", "matched", "findings", "delivered")
_STORE_OBSERVED = (
    update(_EVAL_RUNS)
    .where(_EVAL_RUNS.c.run_id == bindparam("of_run"), _EVAL_RUNS.c.observed_at.is_(None))
    .values({name: bindparam(f"new_{name}") for name in _OBSERVED})
)


class Group(NamedTuple):
    """The runs that may be compared with each other."""

    scenario_number: int
    scenario_version: int
    agent_id: int
    agent_version: int
    matrix_id: str | None = None
    rule_set: str | None = None
    fresh: bool = False


def group_of(run: EvalRun) -> Group:
    return Group(
        run.scenario_number,
        run.scenario_version,
        run.agent_id,
        run.agent_version,
        run.matrix_id,
        run.rule_set,
        run.fresh,
    )


class EvalRunRow(NamedTuple):
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
    session: AsyncSession, org_id: int, page: PageRequest, wanted: EvalRunFilter
) -> Page[EvalRunRow]:
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
    rows = await EVAL_RUN_ORDER.rows(session, statement, page)
    return Page([EvalRunRow(*row) for row in rows.items], rows.next_cursor)


async def find_eval_runs(session: AsyncSession, org_id: int, run_ids: Collection[int]) -> list[EvalRunRow]:
    statement = _found().where(EvalRun.org_id == org_id, EvalRun.run_id.in_(run_ids))
    rows = await session.execute(statement.order_by(EvalRun.run_id))
    return [EvalRunRow(eval_run, run, scenario) for eval_run, run, scenario in rows]


async def get_eval_run(session: AsyncSession, org_id: int, run_id: int) -> EvalRunRow:
    """Read one with all it has."""
    whole = (undefer(EvalRun.injection), undefer(EvalRun.behaviour), undefer(EvalRun.findings))
    statement = _found().where(EvalRun.org_id == org_id, EvalRun.run_id == run_id)
    row = (await session.execute(statement.options(*whole))).first()
    if row is None:
        raise NotFoundError
    eval_run, run, scenario = row
    return EvalRunRow(eval_run, run, scenario)


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


TELLING = ("tool_call", "forward", "trace_event")
"""Events that say more of a run than its answer."""


async def ended_runs(session: AsyncSession, run_ids: Collection[int]) -> list[tuple[EvalRun, Run]]:
    """Read ended runs with the text each got."""
    statement = select(EvalRun, Run).join(Run, Run.id == EvalRun.run_id).where(EvalRun.run_id.in_(run_ids))
    rows = await session.execute(statement.order_by(EvalRun.run_id).options(undefer(EvalRun.injection)))
    return [(eval_run, run) for eval_run, run in rows]


async def kinds_told(session: AsyncSession, run_ids: Collection[int]) -> dict[int, frozenset[str]]:
    """Say of each run which kinds of telling events its last attempt has."""
    last = and_(Run.id == Event.run_id, Run.attempt == Event.attempt)
    statement = select(Event.run_id, Event.kind).join(Run, last).distinct()
    found: defaultdict[int, set[str]] = defaultdict(set)
    wanted = statement.where(Event.run_id.in_(run_ids), Event.kind.in_(TELLING))
    for run_id, kind in await session.execute(wanted):
        found[run_id].add(kind)
    return {run_id: frozenset(kinds) for run_id, kinds in found.items()}


def store_all_observed(connection: Connection, rows: Mapping[int, Mapping[str, Any]]) -> None:
    """Write down what was read off several runs, but for those that somebody else has looked at meanwhile."""
    parameters = [
        {"of_run": run_id} | {f"new_{name}": value for name, value in values.items()}
        for run_id, values in sorted(rows.items())
    ]
    connection.execute(_STORE_OBSERVED, parameters)


async def store_observed(session: AsyncSession, run_id: int, **values: Any) -> bool:
    """Write down what was read off a run, unless somebody did; of several, one is told that it was the first."""
    unseen = update(EvalRun).where(EvalRun.run_id == run_id, EvalRun.observed_at.is_(None))
    stored = await session.scalar(unseen.values(**values).returning(EvalRun.run_id))
    return stored is not None


class SingleRunCounts(NamedTuple):
    """Of eval runs that stand alone and were read off, placebos left out."""

    runs: int
    matched: int
    expecting: int
    """Those of which it is known whether they matched."""
    flagged: int


async def count_single_runs(session: AsyncSession, org_id: int, agent_id: int | None) -> SingleRunCounts:
    of_org = [
        EvalRun.org_id == org_id,
        EvalRun.matrix_id.is_(None),
        EvalRun.behaviour.is_not(None),
        EvalRun.placebo.is_(False),
    ]
    if agent_id is not None:
        of_org.append(EvalRun.agent_id == agent_id)
    counts = select(
        func.count(),
        func.count(case((EvalRun.matched.is_(True), 1))),
        func.count(EvalRun.matched),
        func.count(case((EvalRun.flagged.is_(True), 1))),
    ).where(*of_org)
    return SingleRunCounts(*(await session.execute(counts)).one())


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
        .options(*WITHOUT_LARGE)
    )


def _in(group: Group) -> list[Any]:
    return [
        EvalRun.scenario_number == group.scenario_number,
        EvalRun.scenario_version == group.scenario_version,
        EvalRun.agent_id == group.agent_id,
        EvalRun.agent_version == group.agent_version,
        EvalRun.matrix_id.is_not_distinct_from(group.matrix_id),
        EvalRun.rule_set.is_not_distinct_from(group.rule_set),
        EvalRun.fresh.is_(group.fresh),
    ]


def _is_baseline() -> Any:
    return EvalRun.variation_type.is_(None)


def _says_something() -> Any:
    """Whether its behaviour was read, and so that it can be compared."""
    return EvalRun.distance_version == DISTANCE_VERSION


# Above which shift something is flagged, as an organisation has set it.


async def present_thresholds(session: AsyncSession, org_id: int) -> dict[RiskLevel, float]:
    document, _ = await read_settings(session, org_id)
    return by_risk(document.evals.thresholds)
