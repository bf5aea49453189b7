import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.distances import FloatArray, matrices

from odyssey.statistics.shift import Comparison, measure, significance_of


@given(matrices(5))
def test_a_variation_that_repeats_the_baseline_run_by_run_has_no_shift(baseline: FloatArray) -> None:
    """Every variation run is drawn evenly from the baseline runs; the pairs of a run with itself are not compared."""
    twice = np.block([[baseline, baseline], [baseline, baseline]])
    found = measure(Comparison(twice, 5))
    assert found.raw is not None
    assert found.floor is not None
    assert found.raw * 5 / 4 == pytest.approx(found.floor)
    assert found.clamped == 0
    assert found.variation_noise == pytest.approx(found.floor)


@given(st.integers(1, 5), st.integers(2, 6))
def test_the_same_behaviour_in_all_runs_is_a_shift_of_zero(variations: int, baselines: int) -> None:
    found = measure(Comparison(np.zeros((variations + baselines,) * 2), variations))
    assert (found.raw, found.floor, found.unclamped, found.clamped) == (0, 0, 0, 0)


@given(matrices(6, most=63), st.integers(1, 4))
def test_completely_different_behaviour_is_a_shift_of_one_whatever_the_noise(
    baseline: FloatArray, variations: int
) -> None:
    runs = variations + 6
    distances = np.ones((runs, runs)) - np.eye(runs)
    distances[variations:, variations:] = baseline
    assert measure(Comparison(distances, variations)).clamped == pytest.approx(1)


@given(matrices(7), st.permutations(range(3)), st.permutations(range(4)))
def test_the_order_of_runs_within_a_group_changes_nothing(
    distances: FloatArray, first: list[int], second: list[int]
) -> None:
    order = [*first, *(3 + place for place in second)]
    shuffled = Comparison(distances[np.ix_(order, order)], 3)
    assert measure(shuffled) == pytest.approx(measure(Comparison(distances, 3)))
    p_values = [each.p_value for each in significance_of([shuffled, Comparison(distances, 3)], seed=1)]
    assert p_values[0] == p_values[1]


def test_a_shift_may_be_below_zero_and_is_clamped() -> None:
    """The variation sits in the middle of a spread baseline: nearer to it than it is to itself."""
    distances = np.ones((6, 6)) - np.eye(6)
    distances[:2, :] = distances[:, :2] = 0.5
    np.fill_diagonal(distances, 0)
    distances[2:, 2:] = 0.8 * (1 - np.eye(4))
    found = measure(Comparison(distances, 2))
    assert found.unclamped == pytest.approx(-1.5)
    assert found.clamped == 0


@pytest.mark.parametrize(
    ("variations", "baselines", "known"),
    [
        (0, 3, (False, True, False, False)),
        (1, 1, (True, False, False, False)),
        (2, 0, (False, False, False, True)),
    ],
)
def test_what_too_few_runs_do_not_tell_is_none(
    variations: int, baselines: int, known: tuple[bool, ...]
) -> None:
    distances = np.full((variations + baselines,) * 2, 0.5)
    np.fill_diagonal(distances, 0)
    found = measure(Comparison(distances, variations))
    assert tuple(value is not None for value in found) == known
    assert (found.clamped is not None) == (found.unclamped is not None)


def test_no_room_above_the_floor_is_no_shift() -> None:
    assert measure(Comparison(np.ones((6, 6)) - np.eye(6), 2)).unclamped == 0


@pytest.mark.parametrize(
    ("distances", "variations"),
    [
        (np.zeros((2, 3)), 1),
        (np.zeros((3, 3)), 4),
        (np.zeros((3, 3)), -1),
        (np.array([[0.0, 0.5], [0.4, 0.0]]), 1),
        (np.ones((3, 3)), 1),
    ],
)
def test_what_are_no_distances_between_runs_is_refused(distances: FloatArray, variations: int) -> None:
    with pytest.raises(ValueError, match=r"distances|runs"):
        measure(Comparison(distances, variations))


def test_cells_of_different_shapes_keep_their_places() -> None:
    random = np.random.default_rng(5)
    cells = []
    for variations, baselines in ((3, 5), (4, 4), (3, 5)):
        upper = np.triu(random.random((variations + baselines,) * 2), 1)
        cells.append(Comparison(upper + upper.T, variations))
    together = significance_of(cells, seed=2)
    assert together == [significance_of([cell], seed=2)[0] for cell in cells]
