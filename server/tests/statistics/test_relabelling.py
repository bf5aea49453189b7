from collections.abc import Callable
from fractions import Fraction
from itertools import combinations
from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.distances import STEPS, FloatArray, matrices, on_a_line

from odyssey.statistics.significance import min_p, permutation_p


def raw_less_floor(distances: FloatArray, variation: set[int]) -> Fraction:
    baseline = [run for run in range(len(distances)) if run not in variation]
    between = [_exact(distances[a, b]) for a in variation for b in baseline]
    among = [_exact(distances[a, b]) for a, b in combinations(baseline, 2)]
    return sum(between, Fraction()) / len(between) - sum(among, Fraction()) / len(among)


def _exact(distance: float) -> Fraction:
    return Fraction(round(distance * STEPS), STEPS)


@settings(max_examples=60)
@given(st.data(), st.integers(1, 4), st.integers(2, 4))
def test_all_relabellings_equal_brute_force(data: st.DataObject, variations: int, baselines: int) -> None:
    distances = data.draw(matrices(variations + baselines))
    seen = raw_less_floor(distances, set(range(variations)))
    others = [
        raw_less_floor(distances, set(chosen))
        for chosen in combinations(range(variations + baselines), variations)
        if chosen != tuple(range(variations))
    ]
    expected = Fraction(1 + sum(other >= seen for other in others), 1 + len(others))
    assert permutation_p([distances], variations, seed=0)[0] == pytest.approx(float(expected), abs=1e-12)


@pytest.mark.parametrize(("variations", "baselines"), [(3, 4), (4, 12), (6, 12)])
def test_the_clearest_shift_has_the_smallest_p(variations: int, baselines: int) -> None:
    positions = np.concatenate([np.ones(variations), np.zeros(baselines)])
    p_value = permutation_p([on_a_line(positions)], variations, seed=0)[0]
    assert p_value == pytest.approx(min_p(variations, baselines))
    assert min_p(variations, baselines) == 1 / comb(variations + baselines, variations)


def test_runs_that_are_all_the_same_have_a_p_of_one() -> None:
    assert permutation_p([np.zeros((9, 9))], 3, seed=0)[0] == 1


def test_random_relabellings_count_what_was_seen_among_them() -> None:
    positions = np.concatenate([np.ones(20), np.zeros(20)])
    assert permutation_p([on_a_line(positions)], 20, seed=0)[0] == 1 / 10_000


def test_random_relabellings_depend_on_the_seed_alone() -> None:
    distances = on_a_line(np.random.default_rng(1).random(30))
    first, again, other = (permutation_p([distances], 12, seed=seed)[0] for seed in (7, 7, 8))
    assert first == again != other
    assert first == pytest.approx(other, abs=0.03)


def test_random_relabellings_agree_with_all_of_them(monkeypatch: pytest.MonkeyPatch) -> None:
    distances = on_a_line(np.random.default_rng(3).random(18))
    exact = permutation_p([distances], 6, seed=0)[0]
    monkeypatch.setattr("odyssey.statistics.significance.MOST_RELABELLINGS", 10)
    assert permutation_p([distances], 6, seed=0)[0] == pytest.approx(exact, abs=0.02)


@pytest.mark.parametrize("shape", [(4, 12), (12, 24)])
@pytest.mark.parametrize(
    "draw",
    [lambda random, size: random.random(size), lambda random, size: random.integers(0, 3, size) / 2],
    ids=["continuous", "with ties"],
)
def test_p_values_are_uniform_or_larger_when_nothing_was_changed(
    shape: tuple[int, int], draw: Callable[[np.random.Generator, int], FloatArray]
) -> None:
    random = np.random.default_rng(11)
    cells = [on_a_line(draw(random, sum(shape))) for _ in range(600)]
    p_values = permutation_p(cells, shape[0], seed=5)
    for level in (0.01, 0.05, 0.2, 0.5):
        error = 3 * (level * (1 - level) / len(cells)) ** 0.5
        assert (p_values <= level).mean() <= level + error


def test_continuous_p_values_reach_their_level() -> None:
    random = np.random.default_rng(12)
    p_values = permutation_p([on_a_line(random.random(16)) for _ in range(2000)], 4, seed=5)
    assert (p_values <= 0.5).mean() == pytest.approx(0.5, abs=0.04)
    assert (p_values <= 0.05).mean() == pytest.approx(0.05, abs=0.015)
