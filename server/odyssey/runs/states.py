"""The scheduler's decisions made durable: each happens in one transaction, fenced by compare-and-swap."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from odyssey.core.database import after_commit
from odyssey.core.scheduling import TERMINAL, Cancel, Claim, Command, Event, Release, Step, step
from odyssey.core.signals import Signals
from odyssey.identity.run_tokens import revoke_run_tokens
from odyssey.journal.events import run_topic
from odyssey.kit.clock import Clock
from odyssey.runs.models import RunAttempt
from odyssey.runs.repository import end_attempts, load_work, swap_work
from odyssey.runs.topics import OWNERSHIP_TOPIC, RUNS_TOPIC

_ALL_LOST = "Every attempt was lost: the process that executed it ended or fell silent."


class RunStates:
    """Moves runs through their states for one process."""

    def __init__(
        self, clock: Clock, signals: Signals, lease: timedelta, on_revoked: Callable[[int], None]
    ) -> None:
        self._clock = clock
        self._signals = signals
        self._lease = lease
        self._on_revoked = on_revoked

    async def take(self, session: AsyncSession, run_id: int, event: Event, **result: Any) -> Step | None:
        """Apply one event; None means somebody else was quicker and nothing changed."""
        before = await load_work(session, run_id)
        taken = step(before, event, self._lease)
        if taken.work == before:
            return taken
        now = self._clock()
        values = dict(result) if Command.RECORD in taken.commands else {}
        if taken.work.status in TERMINAL:
            values["finished_at"] = now
        if Command.GIVE_UP in taken.commands:
            values |= {"error_class": "internal_error", "error_json": {"detail": _ALL_LOST}}
        if not await swap_work(session, run_id, before, taken.work, **values):
            return None
        if Command.REVOKE_TOKENS in taken.commands:
            await revoke_run_tokens(session, run_id, now)
            after_commit(session, lambda: self._on_revoked(run_id))
            await end_attempts(session, run_id, _outcome(event, taken), now)
        if Command.START in taken.commands:
            assert taken.work.owner is not None
            session.add(
                RunAttempt(run_id=run_id, attempt=taken.work.attempt, owner=taken.work.owner, started_at=now)
            )
        if taken.work.status != before.status:
            after_commit(session, lambda: self._tell(run_id))
        if isinstance(event, Cancel):
            after_commit(session, lambda: self._signals.notify(OWNERSHIP_TOPIC))
        return taken

    def _tell(self, run_id: int) -> None:
        self._signals.notify(RUNS_TOPIC)
        self._signals.notify(run_topic(run_id))


def _outcome(event: Event, taken: Step) -> str:
    match event:
        case Claim():
            return "lost"
        case Release():
            return "released"
        case _:
            return taken.work.status
