"""How many calls of an attempt were answered, and how often an answer contradicted the world."""

from collections import Counter
from collections.abc import Collection, Iterable
from typing import Any, NamedTuple

from sqlalchemy import BindParameter, Connection, bindparam, func, or_, select

from odyssey.core.tables import table_of
from odyssey.journal.models import Event

_EVENTS = table_of(Event)
_OF_RUNS: BindParameter[Any] = bindparam("run_ids", expanding=True)
_COUNTS = (
    select(_EVENTS.c.run_id, _EVENTS.c.attempt, _EVENTS.c.kind, func.count())
    .where(
        _EVENTS.c.run_id.in_(_OF_RUNS),
        _EVENTS.c.kind.in_(("tool_call", "violation")),
        or_(_EVENTS.c.kind == "violation", _EVENTS.c.http_status == 200),
    )
    .group_by(_EVENTS.c.run_id, _EVENTS.c.attempt, _EVENTS.c.kind)
)


class Counts(NamedTuple):
    tool_calls: int
    violations: int


def count_calls(
    connection: Connection, attempts: Collection[tuple[int, int]]
) -> dict[tuple[int, int], Counts]:
    """Count for each run and attempt that is named, by one statement."""
    if not attempts:
        return {}
    rows: Iterable[Any] = connection.execute(_COUNTS, {"run_ids": sorted({run_id for run_id, _ in attempts})})
    found: Counter[tuple[int, int, str]] = Counter({tuple(key): count for *key, count in rows})
    return {
        (run_id, attempt): Counts(
            found[run_id, attempt, "tool_call"],
            found[run_id, attempt, "violation"],
        )
        for run_id, attempt in attempts
    }
