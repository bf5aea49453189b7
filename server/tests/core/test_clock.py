"""The platform's clock beside a wall clock that jumps: steady while work is under way, right again afterwards."""

import asyncio
from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from odyssey.core.clock import PlatformClock
from odyssey.core.database import Database

NOON = datetime(2031, 1, 31, 12, tzinfo=UTC)
years = st.timedeltas(timedelta(days=-9000), timedelta(days=9000))


class Machine:
    """The two clocks of a machine: one that somebody sets, one that counts."""

    def __init__(self) -> None:
        self.wall, self.counted = NOON, 1000.0

    def clock(self) -> PlatformClock:
        return PlatformClock(lambda: self.wall, lambda: self.counted)


@given(st.lists(st.tuples(years, st.integers(0, 3600))))
def test_moments_are_as_far_apart_as_time_has_passed_however_the_wall_clock_jumps(
    history: list[tuple[timedelta, int]],
) -> None:
    machine = Machine()
    clock, passed = machine.clock(), 0
    for jump, seconds in history:
        machine.wall = NOON + jump
        machine.counted += seconds
        passed += seconds
        assert clock() == clock.steady() == NOON + timedelta(seconds=passed)


@given(years)
def test_what_is_written_down_follows_the_wall_clock_once_nothing_is_under_way(jump: timedelta) -> None:
    machine = Machine()
    clock = machine.clock()
    machine.wall = NOON + jump
    asyncio.run(clock.correct(Database("sqlite+aiosqlite:///nowhere.db")))
    assert clock() == NOON + jump
    assert clock.steady() == NOON, "leases and deadlines know nothing of it"
    machine.counted += 60
    assert clock() == NOON + jump + timedelta(minutes=1)


@given(st.lists(st.tuples(st.integers(0, 1000), st.integers(0, 1000)), min_size=3, max_size=3))
def test_a_clock_that_answers_late_is_known_as_well_as_the_quickest_answer_allows(
    ways: list[tuple[int, int]],
) -> None:
    """Milliseconds that each question and each answer take, of which nobody knows more than the sum."""
    counted, left = 1000.0, list(ways)

    def time_there() -> datetime:
        return NOON + timedelta(seconds=counted - 1000)

    def ask() -> datetime:
        nonlocal counted
        there, back = left.pop()
        counted += there / 1000
        said = time_there()
        counted += back / 1000
        return said

    clock = PlatformClock(ask, lambda: counted)
    assert clock.uncertainty <= timedelta(milliseconds=min(map(sum, ways)) / 2, microseconds=1)
    assert abs(clock() - time_there()) <= clock.uncertainty + timedelta(microseconds=2)
