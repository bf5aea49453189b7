"""The time of one process, which a jump of its wall clock does not touch while work is under way.

Example: a server starts at 12:00 and the wall clock is set to 17:00 while a run is executed. The run still began at
12:01 and ended at 12:02, nobody's lease is over, and its token is good. Once nothing is under way, new moments are
those of 17:00.
"""

import time
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from functools import partial
from typing import NamedTuple

from sqlalchemy import Connection, func, select
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncSession

from odyssey.core.database import Database
from odyssey.core.tables import UtcDateTime
from odyssey.kit.clock import Clock, utc_now

_NOW = select(func.clock_timestamp(type_=UtcDateTime))
# These go on while the machine sleeps: Linux has a clock of that name, on macOS the other one does.
_COUNTER = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)


seconds_since_boot: Callable[[], float] = partial(time.clock_gettime, _COUNTER)

_READINGS = 3


class _Reading(NamedTuple):
    """What a clock outside said, by our counter."""

    boot: datetime
    """When the counter was 0."""
    uncertainty: timedelta

    @classmethod
    def between(cls, asked: float, outside: datetime, answered: float) -> "_Reading":
        """The clock was looked at in the middle between question and answer, give or take half of that."""
        half = timedelta(seconds=(answered - asked) / 2)
        return cls(outside - timedelta(seconds=asked) - half, half)


class PlatformClock:
    """Moments to write down (`clock()`), moments that deadlines are measured by (`steady`), and moments of leases."""

    def __init__(self, wall: Clock = utc_now, counter: Callable[[], float] = seconds_since_boot) -> None:
        self._wall = wall
        self._counter = counter
        self.uncertainty = timedelta(0)
        """By how much it may differ from the clock outside at most, when that was last taken over."""
        self._boot = self._shown_boot = self._best([self._look_at_wall() for _ in range(_READINGS)])
        """When the counter was 0, for deadlines and as people are shown it: every call of an agent asks for both."""

    def __call__(self) -> datetime:
        """Return the moment to write down; of two readings while work is under way the later is never smaller."""
        return self._shown_boot + timedelta(seconds=self._counter())

    def steady(self) -> datetime:
        """Return the time of the start and what has passed since: good for comparisons, not for people."""
        return self._boot + timedelta(seconds=self._counter())

    async def begin(self, database: Database) -> None:
        """Take the database's time where several processes share one, whatever their own clocks say."""
        if not database.is_sqlite:
            self._boot = self._shown_boot = await self._boot_by(database)

    async def correct(self, database: Database) -> None:
        """Follow the clock outside again. Call it while nothing is under way that a jump could lengthen."""
        self._shown_boot = await self._boot_by(database)

    def lease_moment(self, connection: Connection) -> datetime:
        """Return the moment leases are taken, renewed and found over by: the same for all on one database."""
        if connection.dialect.name == "sqlite":
            return self.steady()
        return connection.execute(_NOW).scalar_one()

    async def lease_moment_in(self, session: AsyncSession) -> datetime:
        return await (await session.connection()).run_sync(self.lease_moment)

    async def _boot_by(self, database: Database) -> datetime:
        """Say when the counter was 0 by the clock outside: the database's, or the machine's own beside SQLite."""
        if database.is_sqlite:
            return self._best([self._look_at_wall() for _ in range(_READINGS)])
        async with database.engine.connect() as connection:
            return self._best([await self._ask(connection) for _ in range(_READINGS)])

    def _best(self, readings: Sequence[_Reading]) -> datetime:
        best = min(readings, key=lambda reading: reading.uncertainty)
        self.uncertainty = best.uncertainty
        return best.boot

    def _look_at_wall(self) -> _Reading:
        return _Reading.between(self._counter(), self._wall(), self._counter())

    async def _ask(self, connection: AsyncConnection) -> _Reading:
        asked = self._counter()
        outside = (await connection.execute(_NOW)).scalar_one()
        return _Reading.between(asked, outside, self._counter())
