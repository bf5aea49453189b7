"""The loop that grades: it takes runs that ended without a verdict, whoever executed them."""

import asyncio
import logging
from datetime import datetime, timedelta

from sqlalchemy import Select, literal_column, or_, select, update

from odyssey.core.scheduling import TERMINAL
from odyssey.core.signals import Listener
from odyssey.kit.tasks import end_tasks
from odyssey.runs.models import Run
from odyssey.runs.topics import RUNS_TOPIC
from odyssey.runs.verdicts.grade_run import GradingParts, grade_run

log = logging.getLogger(__name__)

_AT_ONCE = 8
_PAUSE_S = 0.1
"""Between two looks of a busy server, most of whose runs need no verdict."""


class Graders:
    """Takes a run for the length of a lease, so that two processes do not pay the judge twice for it."""

    def __init__(self, parts: GradingParts, *, lease: timedelta) -> None:
        self._parts = parts
        self._lease = lease
        self._held: dict[int, asyncio.Task[None]] = {}
        self._loops: list[asyncio.Task[None]] = []

    def start(self) -> None:
        self._loops = [
            asyncio.create_task(self._take_for_ever(), name="graders take"),
            asyncio.create_task(self._renew_for_ever(), name="graders renew"),
        ]

    async def stop(self) -> None:
        """What is not graded yet stays PENDING, for whoever comes next."""
        await end_tasks([*self._loops, *self._held.values()])
        self._loops = []

    async def _take_for_ever(self) -> None:
        news = Listener(_PAUSE_S)
        with self._parts.signals.listen(RUNS_TOPIC, news):
            while True:
                try:
                    taken = await self._take()
                except Exception:
                    log.exception("taking runs to grade failed")
                    taken = 0
                if taken == 0 or len(self._held) >= _AT_ONCE:
                    await news.wait(self._parts.database.look_again_s)

    async def _take(self) -> int:
        clock, free = self._parts.clock, _AT_ONCE - len(self._held)
        if free <= 0:
            return 0
        async with self._parts.database.read() as session:
            now = await clock.lease_moment_in(session)
            if not (await session.scalars(self._waiting(now).limit(1))).all():
                return 0
        async with self._parts.database.write() as session:
            some = self._waiting(now).limit(free).with_for_update(skip_locked=True)
            take = update(Run).where(Run.id.in_(some)).values(grading_until=now + self._lease)
            taken = (await session.scalars(take.returning(Run.id))).all()
        for run_id in taken:
            self._held[run_id] = asyncio.create_task(self._grade(run_id), name=f"grade run {run_id}")
        return len(taken)

    def _waiting(self, now: datetime) -> Select[int]:
        """Find runs that nobody grades; what is held here is graded, even if its lease could not be renewed in time."""
        free = or_(Run.grading_until.is_(None), Run.grading_until <= now)
        is_pending = Run.verdict == literal_column("'PENDING'")  # as the index says it
        statement = select(Run.id).where(is_pending, Run.status.in_(TERMINAL), free)
        return statement.where(Run.id.not_in(list(self._held))).order_by(Run.id)

    async def _grade(self, run_id: int) -> None:
        try:
            await grade_run(self._parts, run_id)
        except Exception:
            log.exception(
                "grade not stored", extra={"run_id": run_id}
            )  # its lease ends, then it is taken again
        finally:
            self._held.pop(run_id, None)
            self._parts.signals.notify(RUNS_TOPIC)

    async def _renew_for_ever(self) -> None:
        while True:
            await asyncio.sleep(self._lease.total_seconds() / 3)
            if not self._held:
                continue
            renewed = update(Run).where(Run.id.in_(list(self._held)), Run.verdict == "PENDING")
            try:
                async with self._parts.database.write() as session:
                    until = await self._parts.clock.lease_moment_in(session) + self._lease
                    await session.execute(renewed.values(grading_until=until))
            except Exception:
                log.exception("grading leases not renewed")  # the next beat tries again
