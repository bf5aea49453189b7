"""The loop behind matrices: it pings their agents, makes their runs while they go on, and judges them in the end."""

import asyncio
import contextlib
import logging
import time
from collections.abc import Awaitable, Callable
from datetime import datetime

from odyssey.core.database import Database
from odyssey.core.scheduling import Cancel
from odyssey.core.signals import Listener, Signals
from odyssey.journal.events import lock_run
from odyssey.kit.clock import Clock
from odyssey.matrices.check import check_agent
from odyssey.matrices.feed import CHUNK, feed
from odyssey.matrices.finish import Enqueue, finish
from odyssey.matrices.models import Matrix
from odyssey.matrices.repository import (
    drop_check,
    is_cancelled,
    running_matrices,
    runs_to_end,
    take_check,
    unchecked_matrices,
    waiting_runs,
)
from odyssey.matrices.topics import MATRICES_TOPIC
from odyssey.runs.attempt import Parts
from odyssey.runs.batches.check import CHECK_LEASE

log = logging.getLogger(__name__)

Act = Callable[[Database, Signals, Clock, str], Awaitable[int]]

_WHILE_RUNNING_S = 0.2
_TRY_AGAIN_S = 1.0
_LET_ALONE_S = 5.0
"""A matrix that failed to go on."""
_PINGS_AT_ONCE = 16
_ENOUGH_WAITING = 2 * CHUNK
"""Runs of one matrix that wait at most: those of others come between them, and the queue stays short."""


class MatrixFeeder:
    """Several processes may run one each: what they do is fenced in the database."""

    def __init__(self, parts: Parts, enqueue: Enqueue) -> None:
        self._parts = parts
        self._enqueue = enqueue
        self._loop: asyncio.Task[None] | None = None
        self._pings: dict[str, asyncio.Task[None]] = {}
        self._resting: dict[str, float] = {}
        """Matrices that failed to go on, and until when they are let alone."""

    def start(self) -> None:
        self._loop = asyncio.create_task(self._work_for_ever(), name="matrix feeder")

    async def stop(self) -> None:
        """What is not pinged, made or judged yet is left to whoever comes next."""
        tasks = [*([self._loop] if self._loop else []), *self._pings.values()]
        for task in tasks:
            task.cancel()
        for task in tasks:
            with contextlib.suppress(asyncio.CancelledError):
                await task
        self._loop = None

    async def _work_for_ever(self) -> None:
        news = Listener()
        with self._parts.signals.listen(MATRICES_TOPIC, news):
            while True:
                try:
                    pause = await self._work()
                except Exception:
                    log.exception("feeding matrices failed")
                    pause = _TRY_AGAIN_S
                if pause:
                    await news.wait(pause)

    async def _work(self) -> float:
        """Do a little for every matrix; returns after how many seconds there may be more to do."""
        async with self._parts.database.read() as session:
            room = _PINGS_AT_ONCE - len(self._pings)
            now = await self._parts.clock.lease_moment_in(session)
            unchecked = await unchecked_matrices(session, now, room) if room > 0 else ()
            running = [each for each in await running_matrices(session) if not self._rests(each.id)]
            hungry = [
                matrix.id
                for matrix in running
                if not matrix.is_whole
                and await waiting_runs(session, matrix.id, _ENOUGH_WAITING) < _ENOUGH_WAITING
            ]
            cancelled = await runs_to_end(session)
        for run in cancelled:
            await self._end_run(run.id, run.matrix_id)
        for matrix_id in unchecked:
            await self._take_check(matrix_id)
        done = [await self._try(feed, matrix_id) for matrix_id in hungry]
        done += [await self._try(self._finish, matrix.id) for matrix in running if matrix.is_whole]
        if any(done):
            return 0.0
        return _WHILE_RUNNING_S if running else self._parts.database.look_again_s

    async def _try(self, act: Act, matrix_id: str) -> bool:
        """Do something for a matrix; returns whether there was something to do."""
        parts = self._parts
        try:
            return bool(await act(parts.database, parts.signals, parts.clock, matrix_id))
        except Exception:
            # The other matrices are not to suffer.
            log.exception("a matrix does not go on", extra={"matrix_id": matrix_id, "act": act.__name__})
            self._resting[matrix_id] = time.monotonic() + _LET_ALONE_S
            return False

    async def _finish(self, database: Database, signals: Signals, clock: Clock, matrix_id: str) -> bool:
        return await finish(database, signals, clock, matrix_id, self._enqueue)

    def _rests(self, matrix_id: str) -> bool:
        if self._resting.get(matrix_id, 0.0) > time.monotonic():
            return True
        self._resting.pop(matrix_id, None)
        return False

    async def _end_run(self, run_id: int, matrix_id: str) -> None:
        """End one run of a cancelled matrix, unless the matrix was resumed meanwhile."""
        async with self._parts.database.write() as session:
            if await is_cancelled(session, matrix_id):
                await lock_run(session, run_id)
                await self._parts.states.take(session, run_id, Cancel())

    async def _take_check(self, matrix_id: str) -> None:
        async with self._parts.database.write() as session:
            now = await self._parts.clock.lease_moment_in(session)
            until = now + CHECK_LEASE
            matrix = await take_check(session, matrix_id, now, until)
        if matrix is not None:
            check = self._check(matrix, until)
            self._pings[matrix_id] = asyncio.create_task(check, name=f"ping for matrix {matrix_id}")

    async def _check(self, matrix: Matrix, until: datetime) -> None:
        try:
            await check_agent(self._parts, matrix)
        except asyncio.CancelledError:
            async with self._parts.database.write() as session:
                await drop_check(session, matrix.id, until)
            raise
        except Exception:
            # The lease ends, then it is done again.
            log.exception("ping not recorded", extra={"matrix_id": matrix.id})
        finally:
            self._pings.pop(matrix.id, None)
