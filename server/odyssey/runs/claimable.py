"""Which runs may start now: lost ones first, then those that wait, oldest first; of a lane only as many as it has room.

Every question has an index of its own, and full lanes are not looked into: however many runs wait in one, those of
others are found as quickly. On Postgres what somebody else holds is passed over, so that nobody ever waits here.
"""

from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import (
    BindParameter,
    Connection,
    Select,
    bindparam,
    exists,
    func,
    literal_column,
    or_,
    select,
)
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.functions import FunctionElement
from sqlalchemy.types import NullType

from odyssey.core.scheduling import Claim, Work
from odyssey.core.tables import table_of
from odyssey.journal.models import RunContext
from odyssey.runs.models import Campaign, Lane, Run

_RUNS, _CONTEXTS, _LANES = table_of(Run), table_of(RunContext), table_of(Lane)
_WAITS = _RUNS.c.status == literal_column("'pending'")  # as the index says it


class _Usual(FunctionElement[Any]):
    """A condition that most rows fulfil. Without the hint SQLite takes the index of states, and reads every one."""

    inherit_cache = True
    type = NullType()  # or SQLite would be asked whether it is 1


@compiles(_Usual)
def _condition(element: _Usual, compiler: SQLCompiler, **options: Any) -> str:
    return compiler.process(element.clauses, **options)


@compiles(_Usual, "sqlite")
def _likely_condition(element: _Usual, compiler: SQLCompiler, **options: Any) -> str:
    return f"likely({compiler.process(element.clauses, **options)})"


class Candidate(NamedTuple):
    """A run that may be claimed, held by this transaction together with its journal."""

    run_id: int
    org_id: int
    task_id: int
    agent_id: int
    agent_version: int
    started_at: datetime | None
    injection: dict[str, Any] | None
    was_pinged: bool
    """Whether it is of a campaign, which goes on only once its agent has answered a ping."""
    work: Work


def claimable_runs(
    connection: Connection, claim: Claim, most: int, *, lost: bool
) -> tuple[list[Candidate], bool]:
    """Find up to `most` runs to start; with `lost` also those whose owner, another process, fell silent.

    Also returns whether somebody else was claiming from a lane at the same time: it is worth looking again soon.
    """
    # Run 7 was lost. Lane A lets two go at once: run 1 goes, runs 2 and 3 wait in it. Runs 4 and 6 wait in no lane,
    # run 5 in lane B, which has no limit. With `most` 10 that gives 7, then 2, 4, 5 and 6, since lane A has room for
    # one. With `most` 3 it gives 7, 2 and 4.
    asked = {"most": most, "now": claim.now, "claimer": claim.owner}
    found = _candidates(connection, _LOST, asked) if lost else []
    most -= len(found)
    if most == 0:
        return found, False
    waiting = _candidates(connection, _IN_NO_LANE, {"most": most})
    rooms, is_crowded = _rooms(connection, most)
    for lane, room in rooms.items():
        waiting += _candidates(connection, _IN_LANE, {"most": min(room, most), "of_lane": lane})
    waiting.sort(key=lambda candidate: candidate.run_id)
    return [*found, *waiting[:most]], is_crowded


def _candidates(
    connection: Connection, statement: Select[Any], parameters: dict[str, Any]
) -> list[Candidate]:
    rows = connection.execute(statement, parameters)
    return [Candidate._make((*row[:8], Work(*row[8:]))) for row in rows]


def _rooms(connection: Connection, most: int) -> tuple[dict[str, int], bool]:
    """Say how many runs may start in each lane in which some wait."""
    limits: dict[str, int | None] = dict(connection.execute(_LANES_IN_USE).all())
    limited = [lane for lane, limit in limits.items() if limit is not None]
    if not limited:
        return dict.fromkeys(limits, most), False
    # Held before its runs are counted: otherwise two processes would both see room for one, and both take it.
    held = set(connection.scalars(_HOLD_LANES, {"lanes": limited}))
    running: dict[str, int] = dict(connection.execute(_RUNNING, {"lanes": limited}).all())
    rooms = {
        lane: most if limit is None else limit - running.get(lane, 0)
        for lane, limit in limits.items()
        if limit is None or lane in held
    }
    return {lane: room for lane, room in rooms.items() if room > 0}, len(held) < len(limited)


def _select() -> Select[Any]:
    return (
        select(
            _RUNS.c.id,
            _RUNS.c.org_id,
            _RUNS.c.task_id,
            _RUNS.c.agent_id,
            _RUNS.c.agent_version,
            _RUNS.c.started_at,
            _CONTEXTS.c.injection,
            _RUNS.c.campaign_id.is_not(None),
            _RUNS.c.status,
            _RUNS.c.attempt,
            _RUNS.c.owner,
            _RUNS.c.lease_until,
        )
        .join(_CONTEXTS, _CONTEXTS.c.run_id == _RUNS.c.id)
        .order_by(_RUNS.c.id)
        .limit(bindparam("most"))
        .with_for_update(skip_locked=True)
    )


_LOST = _select().where(
    _RUNS.c.status == "running",
    _RUNS.c.lease_until <= bindparam("now"),
    _RUNS.c.owner != bindparam("claimer"),
)
_MAY_GO = or_(
    _RUNS.c.campaign_id.is_(None),
    exists().where(Campaign.id == _RUNS.c.campaign_id, Campaign.state == "running"),
)
"""But for campaigns whose agent is not known to be there."""
_IN_NO_LANE = _select().where(_WAITS, _RUNS.c.lane.is_(None), _MAY_GO)
_IN_LANE = _select().where(_WAITS, _RUNS.c.lane == bindparam("of_lane"), _MAY_GO)


def _lanes_in_use() -> Select[Any]:
    """Go from one lane to the next by the index, whatever number of runs waits in each."""
    # 10,000 runs wait in lane A, 3 in lane B. The smallest lane is A, the smallest above A is B, above B there is none:
    # three look-ups in the index. SELECT DISTINCT would read 10,003 entries.
    waits = _Usual(_WAITS)
    first = select(func.min(_RUNS.c.lane).label("lane")).where(waits)
    known = first.cte("known", recursive=True)
    following = select(func.min(_RUNS.c.lane)).where(waits, _RUNS.c.lane > known.c.lane).scalar_subquery()
    known = known.union_all(select(following).where(known.c.lane.is_not(None)))
    columns = select(known.c.lane, _LANES.c.most_at_once)
    return columns.outerjoin(_LANES, _LANES.c.id == known.c.lane).where(known.c.lane.is_not(None))


_LANES_IN_USE = _lanes_in_use()
_IN_THESE: BindParameter[Any] = bindparam("lanes", expanding=True)
_HOLD_LANES = (
    select(_LANES.c.id).where(_LANES.c.id.in_(_IN_THESE)).with_for_update(skip_locked=True, key_share=True)
)
_RUNNING = (
    select(_RUNS.c.lane, func.count())
    .where(_RUNS.c.status == "running", _RUNS.c.lane.in_(_IN_THESE))
    .group_by(_RUNS.c.lane)
)
