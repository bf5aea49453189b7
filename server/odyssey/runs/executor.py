"""The embedded executor: claims runs, keeps their leases, and gives them back when it has to stop."""

import asyncio
import contextlib
import logging
from datetime import timedelta

from odyssey.core.database import Database
from odyssey.core.scheduling import Claim, Command, Release, Renew
from odyssey.core.signals import Signals
from odyssey.kit.clock import Clock
from odyssey.kit.ids import new_uuid
from odyssey.runs.attempt import Parts, perform
from odyssey.runs.create import RUNS_TOPIC
from odyssey.runs.repository import claimable_runs
from odyssey.runs.states import RunStates, ownership_topic

log = logging.getLogger(__name__)

_LOOK_AGAIN_S = 1.0


class Executor:
    def __init__(self, parts: Parts, *, max_runs: int, lease: timedelta, drain_s: float) -> None:
        self.owner = new_uuid()
        self._parts = parts
        self._database: Database = parts.database
        self._states: RunStates = parts.states
        self._signals: Signals = parts.signals
        self._clock: Clock = parts.clock
        self._max_runs = max_runs
        self._lease = lease
        self._drain_s = drain_s
        self._held: dict[int, asyncio.Task[None]] = {}
        self._loop: asyncio.Task[None] | None = None

    def start(self) -> None:
        self._loop = asyncio.create_task(self._claim_for_ever(), name="executor")

    async def stop(self) -> None:
        """Stop claiming, wait for what runs, then give back what is left."""
        if self._loop is not None:
            self._loop.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._loop
        if self._held:
            await asyncio.wait(self._held.values(), timeout=self._drain_s)
        for task in list(self._held.values()):
            task.cancel()
        if self._held:
            await asyncio.wait(self._held.values())

    async def _claim_for_ever(self) -> None:
        while True:
            try:
                claimed = await self._claim()
            except Exception:
                log.exception("claiming failed")
                claimed = 0
            if claimed == 0 or len(self._held) >= self._max_runs:
                await self._signals.wait(RUNS_TOPIC, _LOOK_AGAIN_S)

    async def _claim(self) -> int:
        free = self._max_runs - len(self._held)
        if free <= 0:
            return 0
        started: list[tuple[int, int]] = []
        async with self._database.read() as session:
            if not await claimable_runs(session, self._clock(), 1, lock=False):
                return 0
        async with self._database.write() as session:
            for run_id in await claimable_runs(session, self._clock(), free):
                taken = await self._states.take(session, run_id, Claim(owner=self.owner, now=self._clock()))
                if taken is not None and Command.START in taken.commands:
                    started.append((run_id, taken.work.attempt))
        for run_id, attempt in started:
            self._held[run_id] = asyncio.create_task(self._hold(run_id, attempt), name=f"run {run_id}")
        return len(started)

    async def _hold(self, run_id: int, attempt: int) -> None:
        """Perform an attempt while its lease is kept; losing the lease or a cancel breaks it off."""
        performing = asyncio.create_task(perform(self._parts, run_id, self.owner, attempt))
        keeping = asyncio.create_task(self._keep_lease(run_id, attempt))
        try:
            await asyncio.wait({performing, keeping}, return_when=asyncio.FIRST_COMPLETED)
        except asyncio.CancelledError:
            await _cancel(performing)
            await self._release(run_id, attempt)
        finally:
            await _cancel(keeping)
            await _cancel(performing)
            self._held.pop(run_id, None)
            self._signals.notify(RUNS_TOPIC)

    async def _keep_lease(self, run_id: int, attempt: int) -> None:
        """Renew until the run is no longer ours; then return."""
        while True:
            await self._signals.wait(ownership_topic(run_id), self._lease.total_seconds() / 3)
            try:
                async with self._database.write() as session:
                    renew = Renew(owner=self.owner, attempt=attempt, now=self._clock())
                    taken = await self._states.take(session, run_id, renew)
            except Exception:
                log.exception("lease not renewed", extra={"run_id": run_id})
                continue
            if taken is not None and Command.ABORT in taken.commands:
                return

    async def _release(self, run_id: int, attempt: int) -> None:
        async with self._database.write() as session:
            await self._states.take(session, run_id, Release(owner=self.owner, attempt=attempt))
        log.info("run given back", extra={"run_id": run_id, "attempt": attempt})


async def _cancel(task: asyncio.Task[None]) -> None:
    task.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await task
