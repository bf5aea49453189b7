"""Appending on the hot path: one guarded unit of the group writer per event.

An event is appended only while its token is good and its sequence is free: whoever moved the run on meanwhile makes
the unit fail, and its author looks again.
"""

from collections.abc import Sequence
from datetime import datetime

import msgspec

from odyssey.core.group_commit import Statement, Unit
from odyssey.journal.events import EventKind
from odyssey.records.ledger import Violation

_LOCK = "SELECT CAST(pg_current_xact_id() AS text) FROM run_contexts WHERE run_id = :run_id FOR UPDATE"
_TOKEN_IS_GOOD = "SELECT 1 FROM run_tokens WHERE token_hash = :token_hash AND revoked_at IS NULL"  # noqa: S105 - SQL
_APPEND = (
    "INSERT INTO events (run_id, sequence, attempt, kind, occurred_at, actor_id, http_status, repeats, data) "
    "VALUES (:run_id, :sequence, :attempt, :kind, :occurred_at, :actor_id, :http_status, :repeats, :data) "
    "ON CONFLICT (run_id, sequence) DO NOTHING"
)
_APPEND_AFTER = (
    "INSERT INTO events (run_id, sequence, attempt, kind, occurred_at, actor_id, data) "
    "SELECT run_id, sequence + :place, attempt, 'violation', occurred_at, actor_id, :data "
    "FROM events WHERE run_id = :run_id AND sequence = :sequence"
)
_COUNT_ONE_MORE = "UPDATE events SET repeats = repeats + 1 WHERE run_id = :run_id AND sequence = :sequence"


def append_unit(
    *,
    token_hash: str,
    run_id: int,
    sequence: int,
    attempt: int,
    kind: EventKind,
    occurred_at: datetime,
    data: bytes,
    actor_id: str | None = None,
    http_status: int | None = None,
    repeats: int | None = None,
    rest: Sequence[Statement] = (),
) -> Unit:
    event = Statement(
        _APPEND,
        {
            "run_id": run_id,
            "sequence": sequence,
            "attempt": attempt,
            "kind": kind,
            "occurred_at": occurred_at,
            "actor_id": actor_id,
            "http_status": http_status,
            "repeats": repeats,
            "data": data.decode("utf-8"),
        },
    )
    return _unit(token_hash, run_id, event, rest)


def violation_statements(*, run_id: int, sequence: int, violations: Sequence[Violation]) -> list[Statement]:
    """Say how the violations of one call are written, each as an event after it: for the unit that writes the call."""
    return [
        Statement(
            _APPEND_AFTER,
            {
                "run_id": run_id,
                "sequence": sequence,
                "place": place,
                "data": msgspec.json.encode(violation).decode("utf-8"),
            },
        )
        for place, violation in enumerate(violations, start=1)
    ]


def count_unit(*, token_hash: str, run_id: int, sequence: int) -> Unit:
    """Let a counting event stand for one refusal more."""
    return _unit(token_hash, run_id, Statement(_COUNT_ONE_MORE, {"run_id": run_id, "sequence": sequence}))


def _unit(token_hash: str, run_id: int, guard: Statement, rest: Sequence[Statement] = ()) -> Unit:
    return Unit(
        key=run_id,
        lock=Statement(_LOCK, {"run_id": run_id}),
        condition=Statement(_TOKEN_IS_GOOD, {"token_hash": token_hash}),
        guard=guard,
        rest=rest,
    )
