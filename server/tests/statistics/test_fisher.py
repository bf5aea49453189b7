from fractions import Fraction
from itertools import combinations
from math import comb

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from odyssey.statistics.significance import Matches, fewer_matches_p

COUNTS = st.integers(0, 7).flatmap(lambda runs: st.builds(Matches, st.integers(0, runs), st.just(runs)))


def hypergeometric_tail(variation: Matches, baseline: Matches) -> Fraction:
    matched = variation.matched + baseline.matched
    runs = variation.runs + baseline.runs
    ways = comb(runs, variation.runs)
    return sum(
        (
            Fraction(comb(matched, k) * comb(runs - matched, variation.runs - k), ways)
            for k in range(variation.matched + 1)
            if k <= matched and 0 <= variation.runs - k <= runs - matched
        ),
        Fraction(),
    )


@given(COUNTS, COUNTS)
def test_it_is_the_tail_of_the_hypergeometric_distribution(variation: Matches, baseline: Matches) -> None:
    expected = hypergeometric_tail(variation, baseline)
    assert fewer_matches_p(variation, baseline) == float(expected)


@settings(max_examples=40)
@given(COUNTS, COUNTS)
def test_it_is_the_share_of_ways_to_deal_the_matches(variation: Matches, baseline: Matches) -> None:
    matched = variation.matched + baseline.matched
    deals = list(combinations(range(variation.runs + baseline.runs), variation.runs))
    as_few = sum(sum(run < matched for run in deal) <= variation.matched for deal in deals)
    assert fewer_matches_p(variation, baseline) == float(Fraction(as_few, len(deals)))


def test_a_published_value() -> None:
    """The lady tasting tea: all four cups told apart."""
    assert fewer_matches_p(Matches(0, 4), Matches(4, 4)) == pytest.approx(1 / 70)


def test_all_alike_says_nothing() -> None:
    assert fewer_matches_p(Matches(4, 4), Matches(12, 12)) == 1
    assert fewer_matches_p(Matches(0, 4), Matches(0, 12)) == 1


@pytest.mark.parametrize("counts", [Matches(3, 2), Matches(-1, 2)])
def test_what_cannot_be_counted_is_refused(counts: Matches) -> None:
    with pytest.raises(ValueError, match="matches"):
        fewer_matches_p(counts, Matches(1, 2))
