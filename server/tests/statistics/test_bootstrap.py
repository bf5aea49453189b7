import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.distances import FloatArray, matrices, on_a_line

from odyssey.statistics.intervals import Interval, shift_intervals


@settings(max_examples=30)
@given(matrices(9), st.integers(0, 2**63))
def test_a_seed_decides_the_interval(distances: FloatArray, seed: int) -> None:
    first = shift_intervals([distances], 4, seed=seed, resamples=200)
    assert first == shift_intervals([distances], 4, seed=seed, resamples=200)
    assert first[0].low <= first[0].high


def test_a_cell_has_the_same_interval_alone_and_among_others() -> None:
    random = np.random.default_rng(0)
    cells = [on_a_line(random.random(12)) for _ in range(3)]
    assert shift_intervals(cells, 4, seed=1)[2] == shift_intervals(cells[2:], 4, seed=1)[0]


def test_it_is_what_resampling_run_by_run_gives() -> None:
    random = np.random.default_rng(2)
    distances = on_a_line(np.concatenate([random.random(5) / 2 + 0.5, random.random(8)]))
    shifts = []
    for _ in range(4000):
        variation, baseline = random.integers(0, 5, 5), random.integers(5, 13, 8)
        raw = distances[np.ix_(variation, baseline)].mean()
        first, second = np.triu_indices(8, 1)
        apart = baseline[first] != baseline[second]
        floor = distances[baseline[first], baseline[second]][apart].mean()
        shifts.append((raw - floor) / (1 - floor))
    expected = np.quantile(shifts, (0.025, 0.975))
    assert shift_intervals([distances], 5, seed=3, resamples=4000)[0] == pytest.approx(expected, abs=0.03)


def test_a_clear_shift_has_a_point_for_an_interval() -> None:
    distances = on_a_line(np.concatenate([np.ones(4), np.zeros(6)]))
    assert shift_intervals([distances], 4, seed=0) == [Interval(1, 1)]


def test_a_run_drawn_twice_does_not_lower_the_floor() -> None:
    """All runs are equally far apart: every resample must find the same floor, and so the same shift."""
    assert shift_intervals([0.5 * (1 - np.eye(9))], 4, seed=0) == [Interval(0, 0)]


def test_it_is_not_clamped() -> None:
    distances = np.where(np.eye(9, dtype=bool), 0, 0.2)
    distances[4:, 4:] = 0.6 * (1 - np.eye(5))
    assert shift_intervals([distances], 4, seed=0)[0] == pytest.approx((-1, -1))


def test_without_room_above_the_floor_there_is_nothing_to_shift() -> None:
    assert shift_intervals([1 - np.eye(8)], 3, seed=0) == [Interval(0, 0)]
