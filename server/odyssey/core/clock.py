"""The time of one process, which a jump of its wall clock does not touch while work is under way.

Example: a server starts at 12:00 and the wall clock is set to 17:00 while a run is executed. The run still began at
12:01 and ended at 12:02, nobody's lease is over, and its token is good. Once nothing is under way, new moments are
those of 17:00.
"""

import time
from collections.abc import Callable
from datetime import datetime, timedelta
from functools import partial

from sqlalchemy import Connection, func, select
from sqlalchemy.ext.asyncio import AsyncSession

from odyssey.core.database import Database
from odyssey.core.tables import UtcDateTime
from odyssey.kit.clock import Clock, utc_now

_NOW = select(func.clock_timestamp(type_=UtcDateTime))
# These go on while the machine sleeps: Linux has a clock of that name, on macOS the other one does.
_COUNTER = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)


seconds_since_boot: Callable[[], float] = partial(time.clock_gettime, _COUNTER)


class PlatformClock:
    """Moments to write down (`clock()`), moments that deadlines are measured by (`steady`), and moments of leases."""

    def __init__(self, wall: Clock = utc_now, counter: Callable[[], float] = seconds_since_boot) -> None:
        self._wall = wall
        self._counter = counter
        self._boot = self._shown_boot = wall() - timedelta(seconds=counter())
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
            outside = await self._outside(database)
            self._boot = self._shown_boot = outside - timedelta(seconds=self._counter())

    async def correct(self, database: Database) -> None:
        """Follow the clock outside again. Call it while nothing is under way that a jump could lengthen."""
        outside = await self._outside(database)
        self._shown_boot = outside - timedelta(seconds=self._counter())

    def lease_moment(self, connection: Connection) -> datetime:
        """Return the moment leases are taken, renewed and found over by: the same for all on one database."""
        if connection.dialect.name == "sqlite":
            return self.steady()
        return connection.execute(_NOW).scalar_one()

    async def lease_moment_in(self, session: AsyncSession) -> datetime:
        return await (await session.connection()).run_sync(self.lease_moment)

    async def _outside(self, database: Database) -> datetime:
        if database.is_sqlite:
            return self._wall()
        async with database.engine.connect() as connection:
            return (await connection.execute(_NOW)).scalar_one()
