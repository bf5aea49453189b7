from hypothesis import given
from hypothesis import strategies as st
from support.reviews import cell

from odyssey.matrices.finish import FinishedCell
from odyssey.reviews.enqueue import draw_sample, passed_runs

QUIET = cell(1, 0.1)
RUNS = st.integers(0, 100).map(lambda count: [(QUIET, run_id) for run_id in range(count)])
SHARES = st.floats(0, 1)
SEEDS = st.integers(0, 2**63 - 1)


@given(RUNS, SHARES, SEEDS)
def test_the_same_seed_draws_the_same_share(
    runs: list[tuple[FinishedCell, int]], share: float, seed: int
) -> None:
    drawn = draw_sample(runs, share, seed)
    assert drawn == draw_sample(runs, share, seed)
    assert abs(len(drawn) - share * len(runs)) < 1
    places = [run_id for _, run_id in drawn]
    assert places == sorted(set(places))


@given(RUNS, SHARES, SHARES, SEEDS)
def test_a_larger_share_has_all_of_a_smaller_one(
    runs: list[tuple[FinishedCell, int]], one: float, other: float, seed: int
) -> None:
    smaller, larger = (draw_sample(runs, share, seed) for share in sorted((one, other)))
    assert {run_id for _, run_id in smaller} <= {run_id for _, run_id in larger}


@given(RUNS, SHARES, SEEDS, st.integers(1, 10**6))
def test_places_are_drawn_whatever_the_ids_are(
    runs: list[tuple[FinishedCell, int]], share: float, seed: int, later: int
) -> None:
    moved = [(one, run_id + later) for one, run_id in runs]
    drawn = [(one, run_id + later) for one, run_id in draw_sample(runs, share, seed)]
    assert draw_sample(moved, share, seed) == drawn


def test_every_run_may_be_drawn_and_the_share_is_right_on_average() -> None:
    runs = [(QUIET, run_id) for run_id in range(30)]
    drawn = [run_id for seed in range(2000) for _, run_id in draw_sample(runs, 0.05, seed)]
    assert set(drawn) == set(range(30))
    assert 2700 < len(drawn) < 3300
    assert max(map(drawn.count, range(30))) < 2 * min(map(drawn.count, range(30)))


def test_runs_that_raised_a_question_have_not_passed() -> None:
    cells = [
        cell(10, 0.1, matched=(True, False, None)),
        cell(20, 0.9, matched=(True, True)),
        cell(30, 0.1, confirmed=True, reason="match_rate", matched=(True,)),
        cell(40, 0.9, risk="low", state="insufficient", flagged=False, matched=(True,)),
    ]
    assert [run_id for _, run_id in passed_runs(cells)] == [10, 12, 40]
