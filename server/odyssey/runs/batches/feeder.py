"""The loop behind batches: it pings agents of new batches and makes their runs while they go on."""

import asyncio
import contextlib
import logging
from datetime import datetime

from odyssey.core.signals import Listener
from odyssey.runs.attempt import Parts
from odyssey.runs.batches.cancel import end_running_run
from odyssey.runs.batches.check import CHECK_LEASE, check_agent
from odyssey.runs.batches.feed import CHUNK, feed
from odyssey.runs.batches.models import Batch
from odyssey.runs.batches.repository import (
    drop_check,
    runs_to_end,
    take_check,
    unchecked_batches,
    unfed_batches,
    waiting_runs,
)
from odyssey.runs.topics import BATCHES_TOPIC

log = logging.getLogger(__name__)

_WHILE_RUNNING_S = 1.0
_TRY_AGAIN_S = 1.0
_PINGS_AT_ONCE = 16
_ENOUGH_WAITING = 2 * CHUNK
"""Runs of one batch that wait at most: those of others come between them, and the queue stays short."""


class Feeder:
    """Several processes may run one each: what they do is fenced in the database."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._loop: asyncio.Task[None] | None = None
        self._pings: dict[int, asyncio.Task[None]] = {}

    def start(self) -> None:
        self._loop = asyncio.create_task(self._work_for_ever(), name="feeder")

    async def stop(self) -> None:
        """What is not pinged or made yet is left to whoever comes next."""
        tasks = [*([self._loop] if self._loop else []), *self._pings.values()]
        for task in tasks:
            task.cancel()
        for task in tasks:
            with contextlib.suppress(asyncio.CancelledError):
                await task
        self._loop = None

    async def _work_for_ever(self) -> None:
        news = Listener()
        with self._parts.signals.listen(BATCHES_TOPIC, news):
            while True:
                try:
                    pause = await self._work()
                except Exception:
                    log.exception("feeding failed")
                    pause = _TRY_AGAIN_S
                if pause:
                    await news.wait(pause)

    async def _work(self) -> float:
        """Do a little for every batch; returns after how many seconds there may be more to do."""
        async with self._parts.database.read() as session:
            room = _PINGS_AT_ONCE - len(self._pings)
            now = await self._parts.clock.lease_moment_in(session)
            unchecked = await unchecked_batches(session, now, room) if room > 0 else ()
            unfed = await unfed_batches(session)
            hungry = [
                batch_id
                for batch_id in unfed
                if await waiting_runs(session, batch_id, _ENOUGH_WAITING) < _ENOUGH_WAITING
            ]
            cancelled = await runs_to_end(session)
        for run_id in cancelled:
            async with self._parts.database.write() as session:
                await end_running_run(session, self._parts.states, run_id)
        for batch_id in unchecked:
            await self._take_check(batch_id)
        if sum([await self._feed(batch_id) for batch_id in hungry]) > 0:
            return 0.0
        return _WHILE_RUNNING_S if unfed else self._parts.database.look_again_s

    async def _feed(self, batch_id: int) -> int:
        parts = self._parts
        try:
            async with parts.database.write() as session:
                return await feed(session, parts.signals, parts.clock, parts.judge, batch_id)
        except Exception:
            log.exception(
                "runs not made", extra={"batch_id": batch_id}
            )  # the other batches are not to suffer
            return 0

    async def _take_check(self, batch_id: int) -> None:
        async with self._parts.database.write() as session:
            now = await self._parts.clock.lease_moment_in(session)
            until = now + CHECK_LEASE
            batch = await take_check(session, batch_id, now, until)
        if batch is not None:
            self._pings[batch_id] = asyncio.create_task(self._check(batch, until), name=f"ping {batch_id}")

    async def _check(self, batch: Batch, until: datetime) -> None:
        try:
            await check_agent(self._parts, batch)
        except asyncio.CancelledError:
            async with self._parts.database.write() as session:
                await drop_check(session, batch.id, until)
            raise
        except Exception:
            log.exception(
                "ping not recorded", extra={"batch_id": batch.id}
            )  # the lease ends, then it is done again
        finally:
            self._pings.pop(batch.id, None)
