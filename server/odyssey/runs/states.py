"""The scheduler's decisions made durable, many runs at a time: each group in one transaction that holds its runs."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from types import MappingProxyType
from typing import Any, NamedTuple

from sqlalchemy import Connection
from sqlalchemy.ext.asyncio import AsyncSession

from odyssey.core.database import after_commit
from odyssey.core.scheduling import TERMINAL, Cancel, Claim, Command, Event, Release, Work, step
from odyssey.core.signals import Listener, Signals
from odyssey.identity.keys import revoke_run_tokens
from odyssey.journal.events import count_calls, run_topic
from odyssey.kit.clock import Clock
from odyssey.runs.repository import Swap, end_attempts, load_works, start_attempts, swap_works
from odyssey.runs.topics import OWNERSHIP_TOPIC, runs_changed

_ALL_LOST = "Every attempt was lost: the process that executed it ended or fell silent."
_NOTHING: Mapping[str, Any] = MappingProxyType({})


class Move(NamedTuple):
    """Something that happens to a run whose state was read in this transaction, and is held by it."""

    run_id: int
    org_id: int
    before: Work
    event: Event
    result: Mapping[str, Any] = _NOTHING
    """What is stored, by column, if the attempt begins or its result counts."""


class MoveResult(NamedTuple):
    move: Move
    work: Work
    """As it is after the move."""
    commands: tuple[Command, ...]

    @property
    def run_id(self) -> int:
        return self.move.run_id

    @property
    def is_change(self) -> bool:
        return self.work != self.move.before

    @property
    def is_over(self) -> bool:
        """Whether the run will not be attempted any more."""
        return self.work.status in TERMINAL

    @property
    def last_attempt(self) -> tuple[int, int]:
        return self.run_id, self.work.attempt

    @property
    def ends_attempt(self) -> bool:
        """Whether there was an attempt before, whose token is no longer good."""
        return Command.REVOKE_TOKENS in self.commands and self.move.before.attempt > 0


class RunStates:
    """Moves runs through their states for one process."""

    def __init__(
        self, clock: Clock, signals: Signals, lease: timedelta, on_revoked: Callable[[int], None]
    ) -> None:
        self._clock = clock
        self._signals = signals
        self._lease = lease
        self._on_revoked = on_revoked

    async def take(self, session: AsyncSession, run_id: int, event: Event) -> None:
        """Apply one event to one run; whoever waits for it is told when that is durable."""
        connection = await session.connection()
        (moved,) = await connection.run_sync(self._take, run_id, event)
        after_commit(session, lambda: self.tell([moved]))

    def apply(self, connection: Connection, moves: Iterable[Move]) -> list[MoveResult]:
        """Decide and store. Call `tell` with what comes back once it is durable."""
        now = self._clock()
        every = [MoveResult(move, *step(move.before, move.event, self._lease)) for move in moves]
        changed = [moved for moved in every if moved.is_change]
        counts = count_calls(connection, [moved.last_attempt for moved in changed if moved.is_over])
        swap_works(
            connection,
            (
                Swap(
                    moved.run_id,
                    moved.move.before,
                    moved.work,
                    _values(moved, now, counts.get(moved.last_attempt)),
                )
                for moved in changed
            ),
        )
        ended = {moved.run_id: _outcome(moved) for moved in changed if moved.ends_attempt}
        revoke_run_tokens(connection, ended, now)
        end_attempts(connection, ended, now)
        started = [moved for moved in changed if Command.START in moved.commands]
        owners = {(moved.run_id, moved.work.attempt): moved.work.owner or "" for moved in started}
        start_attempts(connection, owners, now)
        return every

    def tell(self, every: Sequence[MoveResult], *, apart_from: Listener | None = None) -> None:
        changed = [moved for moved in every if moved.is_change]
        for moved in changed:
            if moved.ends_attempt:
                self._on_revoked(moved.run_id)
            self._signals.announce(run_topic(moved.run_id))
        if changed:
            orgs = {moved.move.org_id for moved in changed}
            runs_changed(self._signals, *orgs, apart_from=apart_from)
        if any(isinstance(moved.move.event, Cancel) for moved in changed):
            self._signals.notify(OWNERSHIP_TOPIC)

    def _take(self, connection: Connection, run_id: int, event: Event) -> list[MoveResult]:
        held = load_works(connection, [run_id])[run_id]
        return self.apply(connection, [Move(run_id, held.org_id, held.work, event)])


def _values(moved: MoveResult, now: datetime, counts: dict[str, int] | None) -> dict[str, Any]:
    commands = moved.commands
    is_stored = Command.RECORD in commands or Command.START in commands
    values = dict(moved.move.result) if is_stored else {}
    if counts is not None:
        values |= {"finished_at": now, **counts}
    if Command.GIVE_UP in commands:
        values |= {"error_class": "internal_error", "error_json": {"detail": _ALL_LOST}}
    return values


def _outcome(moved: MoveResult) -> str:
    match moved.move.event:
        case Claim():
            return "lost"
        case Release(because=because):
            return because
        case _:
            return moved.work.status
