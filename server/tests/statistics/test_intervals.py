from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

from odyssey.statistics.intervals import clopper_pearson, wilson


@pytest.mark.parametrize(
    ("successes", "trials", "low", "high"),
    [
        (0, 0, 0, 1),
        (0, 10, 0, 0.2775),
        (10, 10, 0.7225, 1),
        (5, 10, 0.2366, 0.7634),
        (81, 263, 0.2553, 0.3662),
    ],
)
def test_published_values(successes: int, trials: int, low: float, high: float) -> None:
    assert wilson(successes, trials) == pytest.approx((low, high), abs=5e-5)


@given(st.integers(1, 10_000).flatmap(lambda trials: st.tuples(st.integers(0, trials), st.just(trials))))
def test_it_holds_the_share_and_mirrors_it(counts: tuple[int, int]) -> None:
    successes, trials = counts
    low, high = wilson(successes, trials)
    assert 0 <= low <= successes / trials <= high <= 1
    assert wilson(trials - successes, trials) == pytest.approx((1 - high, 1 - low))


@pytest.mark.parametrize(("successes", "trials"), [(-1, 3), (4, 3)])
def test_what_cannot_be_counted_is_refused(successes: int, trials: int) -> None:
    with pytest.raises(ValueError, match="successes"):
        wilson(successes, trials)


@pytest.mark.parametrize(
    ("successes", "trials", "low", "high"),
    [
        (0, 0, 0, 1),
        (81, 263, 0.2527, 0.3676),
        (15, 148, 0.0578, 0.1617),
        (0, 20, 0, 0.1684),
        (1, 29, 0.0009, 0.1776),
        (7, 12, 0.2767, 0.8483),
        (8, 12, 0.3489, 0.9008),
    ],
)
def test_published_exact_values(successes: int, trials: int, low: float, high: float) -> None:
    """Newcombe, Statistics in Medicine 17 (1998), table I, and binomial tables."""
    assert clopper_pearson(successes, trials) == pytest.approx((low, high), abs=6e-5)


@given(st.integers(1, 300).flatmap(lambda trials: st.tuples(st.integers(0, trials), st.just(trials))))
def test_the_exact_one_holds_the_share_and_mirrors_it(counts: tuple[int, int]) -> None:
    successes, trials = counts
    low, high = clopper_pearson(successes, trials)
    assert 0 <= low <= successes / trials <= high <= 1
    assert clopper_pearson(trials - successes, trials) == pytest.approx((1 - high, 1 - low))


@given(st.integers(1, 60), st.floats(0.01, 0.99))
def test_the_exact_one_covers_the_true_share_at_least_as_often_as_it_says(trials: int, share: float) -> None:
    """Added up over all that could be seen: that is what exact means."""
    covered = sum(
        comb(trials, seen) * share**seen * (1 - share) ** (trials - seen)
        for seen in range(trials + 1)
        if clopper_pearson(seen, trials).low <= share <= clopper_pearson(seen, trials).high
    )
    assert covered >= 0.95 - 1e-9
