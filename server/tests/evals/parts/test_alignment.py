from itertools import combinations, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from odyssey.evals.parts import best_pairs, best_total

TABLES = st.tuples(st.integers(0, 4), st.integers(0, 4)).flatmap(
    lambda size: st.tuples(
        st.lists(
            st.lists(st.sampled_from([0, 0.25, 0.5, 1]), min_size=size[1], max_size=size[1]),
            min_size=size[0],
            max_size=size[0],
        ),
        st.just(size[1]),
    )
)


def brute_force(table: list[list[float]], width: int) -> float:
    return max(
        sum(table[row][column] for row, column in zip(rows, columns, strict=True))
        for count in range(min(len(table), width) + 1)
        for rows in combinations(range(len(table)), count)
        for columns in combinations(range(width), count)
    )


@given(TABLES)
def test_it_finds_the_best_of_all_alignments(given: tuple[list[list[float]], int]) -> None:
    table, width = given
    assert best_total(table, width) == pytest.approx(brute_force(table, width))


@given(TABLES)
def test_the_pairs_reach_the_total_and_do_not_cross(given: tuple[list[list[float]], int]) -> None:
    table, width = given
    pairs = best_pairs(table, width)
    assert sum(table[row][column] for row, column in pairs) == pytest.approx(best_total(table, width))
    for (row, column), (next_row, next_column) in pairwise(pairs):
        assert row < next_row
        assert column < next_column
