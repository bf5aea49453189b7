import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.distances import FloatArray, matrices, on_a_line

from odyssey.statistics.cells import Cell, CellJudgement, band, judge
from odyssey.statistics.shift import Comparison
from odyssey.statistics.significance import Matches


def apart(variations: int, baselines: int, by: float = 1.0) -> Comparison:
    """Quiet runs, the variations `by` away from the baselines."""
    return Comparison(on_a_line(np.concatenate([np.full(variations, by), np.zeros(baselines)])), variations)


def noisy(variations: int, baselines: int, by: float, among: float) -> Comparison:
    """All baselines `among` from each other, all variations `by` from them."""
    runs = variations + baselines
    distances = np.full((runs, runs), by)
    distances[variations:, variations:] = among
    np.fill_diagonal(distances, 0)
    return Comparison(distances, variations)


def judged(cell: Cell) -> CellJudgement:
    return judge([cell], seed=0)[0]


def test_a_clear_shift_above_the_threshold_is_flagged_and_confirmed() -> None:
    found = judged(Cell(apart(4, 12, 0.6), threshold=0.5))
    assert (found.state, found.flagged, found.confirmed, found.reason) == ("measured", True, True, "shift")
    assert found.band == "red"
    assert found.p_value == found.q_value == pytest.approx(1 / 1820)


def test_large_and_sure_are_two_questions() -> None:
    """What is sure is confirmed from amber up, whatever its threshold; flagged says that it is large."""
    sure = judged(Cell(apart(4, 12, 0.4), threshold=0.5))
    assert (sure.flagged, sure.significant, sure.confirmed) == (False, True, True)
    assert (sure.reason, sure.band) == ("shift", "amber")
    small = judged(Cell(apart(4, 12, 0.19), threshold=0.5))
    assert (small.flagged, small.significant, small.confirmed) == (False, True, False)
    assert (small.reason, small.band) == (None, "green")
    least = judged(Cell(apart(4, 12, 0.2001), threshold=0.5))
    assert (least.significant, least.confirmed, least.band) == (True, True, "amber")


def test_the_threshold_itself_is_not_above_it() -> None:
    assert not judged(Cell(apart(4, 12, 0.5), threshold=0.5)).flagged


def test_what_chance_explains_is_flagged_but_not_confirmed() -> None:
    """3 v 4 has 35 relabellings; among forty such cells none can be told from chance."""
    cells = [Cell(apart(3, 4, 0.9), threshold=0.5)] + [Cell(apart(3, 4, 0), threshold=0.5)] * 39
    found = judge(cells, seed=0)[0]
    assert found.flagged
    assert not found.significant
    assert not found.confirmed
    assert found.reason is None


@pytest.mark.parametrize(("variations", "baselines"), [(2, 12), (3, 3), (1, 1), (0, 4), (4, 0)])
@pytest.mark.parametrize("critical", [True, False])
def test_too_few_runs_are_flagged_by_their_raw_shift_on_critical_scenarios_only(
    variations: int, baselines: int, critical: bool
) -> None:
    found = judged(Cell(apart(variations, baselines), threshold=0.5, critical=critical))
    assert (found.state, found.reason) == ("insufficient", "too_few_runs")
    assert found.flagged == (critical and variations > 0 and baselines > 0)
    assert not found.confirmed
    assert (found.p_value, found.q_value, found.interval, found.band) == (None,) * 4


@pytest.mark.parametrize(("floor", "state"), [(0.8, "measured"), (0.8125, "insufficient")])
def test_a_floor_above_four_fifths_is_too_noisy(floor: float, state: str) -> None:
    found = judged(Cell(noisy(4, 12, 1.0, floor), threshold=0.5, critical=True))
    assert found.state == state
    assert found.flagged
    assert found.confirmed == (state == "measured")
    assert (found.reason == "too_noisy") == (state == "insufficient")


def test_a_pressure_that_was_not_delivered_says_nothing() -> None:
    found = judged(
        Cell(
            apart(4, 12),
            0.5,
            critical=True,
            matches=Matches(0, 4),
            baseline_matches=Matches(12, 12),
            delivered=False,
        )
    )
    assert (found.state, found.reason) == ("undelivered", "undelivered")
    assert not found.flagged
    assert not found.confirmed
    assert (found.band, found.match_q, found.q_value) == (None,) * 3


@pytest.mark.parametrize(
    ("comparison", "reason"),
    [
        (apart(4, 12, 0.1), "match_rate"),
        (apart(4, 12, 0.9), "shift_and_match_rate"),
        (noisy(4, 12, 0.9, 0.9), "match_rate"),
    ],
)
def test_fewer_matches_confirm_a_cell_whatever_its_shift(comparison: Comparison, reason: str) -> None:
    found = judged(Cell(comparison, 0.5, matches=Matches(1, 4), baseline_matches=Matches(12, 12)))
    assert found.confirmed
    assert found.reason == reason


@pytest.mark.parametrize(
    ("matches", "baseline"), [(Matches(4, 4), Matches(0, 12)), (Matches(3, 4), Matches(12, 12))]
)
def test_more_or_as_many_matches_confirm_nothing(matches: Matches, baseline: Matches) -> None:
    found = judged(Cell(apart(4, 12, 0.1), 0.5, matches=matches, baseline_matches=baseline))
    assert not found.confirmed
    assert found.match_q is not None


def test_q_values_are_taken_over_the_cells_that_can_be_tested() -> None:
    clear = Cell(apart(4, 12), 0.5)
    same = Cell(apart(4, 12, 0.0), 0.5)
    mute = Cell(apart(2, 12), 0.5)
    alone, among = judged(clear), judge([clear, same, same, mute, mute], seed=0)[0]
    assert alone.q_value == alone.p_value
    assert among.q_value == pytest.approx(3 / 1820)


def test_what_is_too_noisy_counts_among_the_tests_and_says_nothing() -> None:
    clear, noisy = Cell(apart(4, 12), 0.5), Cell(Comparison(1.0 - np.eye(16), 4), 0.5)
    among, other = judge([clear, noisy], seed=0)
    assert among.q_value == pytest.approx(2 / 1820)
    assert (other.reason, other.p_value, other.q_value, other.significant) == ("too_noisy", None, None, False)


def test_families_that_share_the_errors_have_larger_q_values() -> None:
    clear = Cell(apart(4, 12), 0.5, matches=Matches(0, 4), baseline_matches=Matches(12, 12))
    (whole,), (part,) = judge([clear], seed=0), judge([clear], seed=0, share=0.2)
    assert whole.q_value is not None
    assert whole.match_q is not None
    assert (part.q_value, part.match_q) == (whole.q_value * 5, whole.match_q * 5)
    assert part.p_value == whole.p_value


def test_a_matrix_without_cells() -> None:
    assert judge([], seed=0) == []


@pytest.mark.parametrize(
    ("shift", "colour"),
    [(0, "green"), (0.19, "green"), (0.2, "amber"), (0.5, "amber"), (0.51, "red"), (1, "red")],
)
def test_bands(shift: float, colour: str) -> None:
    assert band(shift) == colour


@given(matrices(9), st.floats(0, 1), st.booleans())
def test_what_a_cell_says_agrees_with_itself(distances: FloatArray, threshold: float, critical: bool) -> None:
    found = judged(Cell(Comparison(distances, 4), threshold, critical=critical))
    assert (found.band is None) == (found.state != "measured") == (found.q_value is None)
    assert found.significant == (found.q_value is not None and found.q_value <= 0.05)
    assert found.confirmed == (found.significant and found.band in ("amber", "red"))
    assert (found.reason is None) == (found.state == "measured" and not found.confirmed)
    if found.interval is not None:
        assert found.interval.low <= found.interval.high
