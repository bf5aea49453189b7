"""Which cells get fresh runs: examples counted by hand, and what holds for any of them."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from odyssey.statistics.confirmation import (
    FEWEST_FRESH_RUNS,
    FEWEST_OTHERS,
    FRESH_RUNS,
    LEAST_TOTAL,
    Suspect,
    choose,
    standing_out_p,
    suspicion,
)


def suspect(
    cell: int,
    p_value: float | None = 0.01,
    shift: float = 0.5,
    *,
    row: int | None = None,
    grave: bool = False,
    incident: bool = False,
) -> Suspect:
    return Suspect(cell, cell if row is None else row, p_value, shift, grave, grave or incident)


OTHERS = [0.4, 0.6] * 12
"""24 runs, 0.5 on average, with a standard deviation of √(24 · 0.01 / 23) = 0.1022."""


@pytest.mark.parametrize(
    ("runs", "others", "wanted"),
    [
        # Tables of the normal distribution: 0.3 / 0.1022 = 2.936, beyond which lie 0.00166.
        ([0.8, 0.5, 0.4, 0.5], OTHERS, 4 * 0.00166),
        ([0.5] * 4, OTHERS, 1.0),
        ([0.6], [0.5] * 24, 0.1587),  # a deterministic agent: one tenth counts as one spread
        ([0.9], [0.5] * (FEWEST_OTHERS - 1), None),
        ([], OTHERS, None),
    ],
)
def test_how_far_one_run_stands_out_of_the_others_of_its_row(
    runs: list[float], others: list[float], wanted: float | None
) -> None:
    assert standing_out_p(runs, others) == (None if wanted is None else pytest.approx(wanted, abs=2e-4))


@pytest.mark.parametrize(
    ("relabelled", "standing_out", "wanted"),
    [
        ([0.09], 0.01, 0.03),
        ([0.5, 0.09], 0.01, 0.03),
        ([0.09], None, 0.09),
        ([], 0.01, 0.01),
        ([], None, None),
        ([0.1], 0.0, 0.01),  # nothing is less likely than a thousandth
    ],
)
def test_what_makes_a_cell_suspicious_is_combined(
    relabelled: list[float], standing_out: float | None, wanted: float | None
) -> None:
    assert suspicion(relabelled, standing_out) == (None if wanted is None else pytest.approx(wanted))


@pytest.mark.parametrize(
    ("runs_max", "cells", "runs"),
    [
        (100, [0, 1, 2], 16),  # three cells and three rows: six sides of 16 are 96
        (60, [0, 1, 2], 10),
        (48, [0, 1, 2], 8),
        (47, [0, 1], 11),  # three would get 7 each, too few
        (30, [0], 15),
        (16, [0], 8),
        (15, [], 0),
        (0, [], 0),
    ],
)
def test_few_cells_get_many_runs_rather_than_many_cells_few(
    runs_max: int, cells: list[int], runs: int
) -> None:
    found = choose([suspect(cell) for cell in range(3)], runs_max)
    assert (found.cells if found else []) == cells
    if found is not None:
        assert (found.runs, found.total) == (runs, 2 * len(cells) * runs)


def test_a_row_gets_fresh_baselines_once() -> None:
    found = choose([suspect(cell, row=0) for cell in range(4)], 80)
    assert found is not None
    assert (found.cells, found.runs, found.total) == ([0, 1, 2, 3], 16, 5 * 16)


def test_what_fits_beside_the_first_three_is_taken_as_well() -> None:
    """A fourth of a row of its own takes 32 more, a fifth of a row that is there 16."""
    suspects = [suspect(0), suspect(1), suspect(2), suspect(3), suspect(4, row=0)]
    found = choose(suspects, 6 * 16 + 16)
    assert found is not None
    assert found.cells == [0, 1, 2, 4]


def test_removals_first_then_the_least_likely_then_the_largest_and_other_incidents_break_ties() -> None:
    suspects = [
        suspect(0, 0.01, 0.3),
        suspect(1, 0.01, 0.3, incident=True),
        suspect(2, 0.01, 0.9),
        suspect(3, 0.001, 0.1),
        suspect(4, 0.9, 0.0, grave=True),
        suspect(5, None, 0.0, grave=True),
        suspect(6, 0.2, 0.9),
    ]
    found = choose(suspects, 1000)
    assert found is not None
    assert found.cells == [4, 5, 3, 2, 1, 0, 6]


def test_what_nothing_speaks_against_is_not_run_again() -> None:
    quiet = [suspect(0, 0.21, 0.9), suspect(1, None, 1.0)]
    assert choose(quiet, 1000) is None
    assert choose([], 1000) is None
    found = choose([*quiet, suspect(2, 0.9, 0.0, incident=True)], 1000)
    assert found is not None
    assert found.cells == [2]


SUSPECTS = st.lists(
    st.builds(
        Suspect,
        cell=st.integers(0, 50),
        row=st.integers(0, 5),
        p_value=st.none() | st.floats(0, 1),
        shift=st.floats(-1, 1),
        is_grave=st.booleans(),
        has_incident=st.booleans(),
    ),
    unique_by=lambda each: each.cell,
    max_size=20,
)


@given(SUSPECTS, st.integers(0, 400))
def test_it_stays_within_what_is_allowed(suspects: list[Suspect], runs_max: int) -> None:
    found = choose(suspects, runs_max)
    eligible = {each.cell for each in suspects if each.is_eligible}
    if found is None:
        assert not eligible or runs_max < LEAST_TOTAL
        return
    rows = {each.row for each in suspects if each.cell in found.cells}
    assert found.total == found.runs * (len(found.cells) + len(rows)) <= runs_max
    assert FEWEST_FRESH_RUNS <= found.runs <= FRESH_RUNS
    assert len(set(found.cells)) == len(found.cells)
    assert set(found.cells) <= eligible
    graves = {each.cell for each in suspects if each.is_grave and each.is_eligible}
    assert found.cells[0] in (graves or eligible)


@given(SUSPECTS, st.integers(0, 400), st.randoms())
def test_the_order_in_which_they_are_told_does_not_matter(
    suspects: list[Suspect], runs_max: int, random: Random
) -> None:
    shuffled = random.sample(suspects, len(suspects))
    assert choose(shuffled, runs_max) == choose(suspects, runs_max)
