"""The embedded executor: claims runs, keeps their leases, and gives them back when it has to stop."""

import asyncio
import contextlib
import logging
from datetime import timedelta

from odyssey.core.database import Database
from odyssey.core.scheduling import Claim, Command, Release
from odyssey.core.signals import Signals
from odyssey.kit.clock import Clock
from odyssey.kit.ids import new_uuid
from odyssey.runs.attempt import Parts, perform
from odyssey.runs.repository import claimable_runs, renew_leases
from odyssey.runs.states import RunStates
from odyssey.runs.topics import OWNERSHIP_TOPIC, RUNS_TOPIC

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
        self._held: dict[tuple[int, int], asyncio.Task[None]] = {}
        self._loops: list[asyncio.Task[None]] = []
        self._giving_back = False

    def start(self) -> None:
        self._loops = [
            asyncio.create_task(self._claim_for_ever(), name="executor claims"),
            asyncio.create_task(self._renew_for_ever(), name="executor renews"),
        ]

    async def stop(self) -> None:
        """Stop claiming, wait for what runs, then give back what is left."""
        if not self._loops:
            return
        claims, renews = self._loops
        await _cancel(claims)
        if self._held:
            await asyncio.wait(self._held.values(), timeout=self._drain_s)
        self._giving_back = True
        for task in list(self._held.values()):
            task.cancel()
        if self._held:
            await asyncio.wait(self._held.values())
        await _cancel(renews)
        self._loops = []

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
            task = asyncio.create_task(self._hold(run_id, attempt), name=f"run {run_id} attempt {attempt}")
            self._held[run_id, attempt] = task
        return len(started)

    async def _hold(self, run_id: int, attempt: int) -> None:
        """Perform an attempt; being cancelled means that the run was lost, or must be given back."""
        try:
            await perform(self._parts, run_id, self.owner, attempt)
        except asyncio.CancelledError:
            if self._giving_back:
                await self._release(run_id, attempt)
        finally:
            self._held.pop((run_id, attempt), None)
            self._signals.notify(RUNS_TOPIC)

    async def _renew_for_ever(self) -> None:
        """Keep every lease with one write a beat; break off what is no longer ours."""
        while True:
            await self._signals.wait(OWNERSHIP_TOPIC, self._lease.total_seconds() / 3)
            if not self._held:
                continue
            before = set(self._held)
            try:
                async with self._database.write() as session:
                    ours = await renew_leases(session, self.owner, self._clock() + self._lease)
            except Exception:
                log.exception(
                    "leases not renewed"
                )  # the next beat tries again; only their end takes runs away
                continue
            for key in before - ours:
                if key in self._held:
                    self._held[key].cancel()

    async def _release(self, run_id: int, attempt: int) -> None:
        async with self._database.write() as session:
            await self._states.take(session, run_id, Release(owner=self.owner, attempt=attempt))
        log.info("run given back", extra={"run_id": run_id, "attempt": attempt})


async def _cancel(task: asyncio.Task[None]) -> None:
    task.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await task
