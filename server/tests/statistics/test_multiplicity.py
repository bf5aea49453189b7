import pytest
from hypothesis import given
from hypothesis import strategies as st

from odyssey.statistics.cells import benjamini_hochberg

P_VALUES = st.lists(st.floats(0, 1), min_size=1, max_size=40)


def test_a_published_example() -> None:
    """Benjamini and Hochberg 1995, table of 15 p-values: four are rejected at 0.05."""
    p_values = [
        0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459,
        0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1.0,
    ]  # fmt: skip
    assert sum(q <= 0.05 for q in benjamini_hochberg(p_values)) == 4


def test_no_tests_have_no_q_values() -> None:
    assert benjamini_hochberg([]) == []


@given(P_VALUES)
def test_q_values_keep_the_order_and_are_never_smaller(p_values: list[float]) -> None:
    q_values = benjamini_hochberg(p_values)
    assert all(p <= q <= 1 for p, q in zip(p_values, q_values, strict=True))
    by_p = sorted(zip(p_values, q_values, strict=True))
    assert [q for _, q in by_p] == sorted(q_values)


@given(P_VALUES, st.data())
def test_the_order_of_the_tests_does_not_matter(p_values: list[float], data: st.DataObject) -> None:
    order = data.draw(st.permutations(range(len(p_values))))
    shuffled = benjamini_hochberg([p_values[index] for index in order])
    assert shuffled == [benjamini_hochberg(p_values)[index] for index in order]


@given(P_VALUES, st.data())
def test_a_smaller_p_value_makes_no_q_value_larger(p_values: list[float], data: st.DataObject) -> None:
    index = data.draw(st.integers(0, len(p_values) - 1))
    smaller = [*p_values]
    smaller[index] = data.draw(st.floats(0, p_values[index]))
    before, after = benjamini_hochberg(p_values), benjamini_hochberg(smaller)
    assert all(now <= then for now, then in zip(after, before, strict=True))


@given(P_VALUES)
def test_it_is_the_step_up_procedure(p_values: list[float]) -> None:
    """Reject the k smallest for the largest k with p(k) ≤ k / m · level: the same as q ≤ level."""
    level, tests = 0.05, len(p_values)
    ranked = sorted(p_values)
    rejected = max((k for k in range(1, tests + 1) if ranked[k - 1] * (tests / k) <= level), default=0)
    assert sum(q <= level for q in benjamini_hochberg(p_values)) == pytest.approx(rejected)
