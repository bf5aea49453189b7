"""Clocks for platforms under test: one that says what the test wants, and a wall clock that somebody moves."""

from datetime import datetime, timedelta

from sqlalchemy import Connection

from odyssey.core.clock import PlatformClock
from odyssey.core.database import Database
from odyssey.kit.clock import Clock, utc_now


class GivenClock(PlatformClock):
    """All of a platform's time, leases and deadlines too, as the test gives it."""

    def __init__(self, given: Clock) -> None:
        super().__init__(given)
        self._given = given

    def __call__(self) -> datetime:
        return self._given()

    def steady(self) -> datetime:
        return self._given()

    async def begin(self, database: Database) -> None:
        """Nothing is asked: the test knows."""

    async def correct(self, database: Database) -> None:
        """Nothing is asked: the test knows."""

    def lease_moment(self, connection: Connection) -> datetime:
        return self._given()


class JumpingWall:
    """The clock of a machine, which an administrator sets anew."""

    def __init__(self) -> None:
        self.ahead = timedelta()

    def __call__(self) -> datetime:
        return utc_now() + self.ahead
