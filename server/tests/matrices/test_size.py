"""What is said of a plan before anything is run."""

import pytest

from odyssey.matrices.plan import MatrixSize, warnings_of
from odyssey.statistics.significance import min_p


def warned(
    cells: int = 35,
    repeats: int = 4,
    baselines: int = 12,
    *,
    budget_runs: int | None = None,
    without_expectation: int = 0,
    confirm_runs_max: int | None = None,
) -> list[str]:
    size = MatrixSize(cells, 200, repeats, baselines)
    return warnings_of(
        size,
        budget_runs=budget_runs,
        without_expectation=without_expectation,
        confirm_runs_max=confirm_runs_max,
    )


def test_the_default_plan_of_five_by_seven_is_fine() -> None:
    assert warned() == []


def test_so_few_relabellings_that_one_cell_cannot_stand_out() -> None:
    (told,) = warned(cells=200)
    assert told.startswith(
        "With 4 runs against 12 baselines no p-value can be below 0.00055; among 200 cells"
    )
    assert "Set repeats to at least 5" in told
    assert min_p(5, 12) * 200 <= 0.05 < min_p(4, 12) * 200
    assert warned(cells=91) == []
    assert warned(cells=92) != []


@pytest.mark.parametrize(("repeats", "baselines", "said"), [(2, 12, "repeats"), (4, 3, "baseline_repeats")])
def test_too_few_runs_to_measure_anything(repeats: int, baselines: int, said: str) -> None:
    told = warned(cells=1, repeats=repeats, baselines=baselines)[0]
    assert "every cell will be insufficient" in told
    assert f"Set {said} to at least" in told


def test_a_remedy_that_no_number_of_repeats_gives() -> None:
    told = warned(cells=5000, repeats=3, baselines=1)[-1]
    assert told.endswith("Set repeats and baseline_repeats higher, or run fewer cells.")


def test_a_budget_without_room_and_scenarios_that_expect_nothing() -> None:
    assert warned(budget_runs=201) == []
    (exact,) = warned(budget_runs=200)
    assert "will not be repeated" in exact
    assert warned(without_expectation=1)[0].startswith("1 scenario expects nothing")
    assert warned(without_expectation=2)[0].startswith("2 scenarios expect nothing")


def test_fresh_runs_make_up_for_few_runs_and_too_few_of_them_are_told() -> None:
    assert warned(cells=200, confirm_runs_max=16) == []
    coarse, told = warned(cells=200, confirm_runs_max=15)
    assert "among 200 cells" in coarse
    assert told == (
        "To look at one cell again takes 16 fresh runs, and 15 are allowed: cells will be judged on their first runs "
        "alone. Set confirm_runs_max to 16 or more, or confirm to false."
    )
    assert warned(confirm_runs_max=None) == []
