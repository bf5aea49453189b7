"""How large a matrix is, and what its figures will not be able to show: said before anything is run."""

from collections.abc import Iterator
from typing import NamedTuple

from odyssey.statistics.cells import FEWEST_BASELINES, FEWEST_VARIATIONS, SIGNIFICANT
from odyssey.statistics.significance import min_p

MOST_RUNS = 100_000
MOST_CELLS = 5_000
_MOST_REPEATS = 100


class Size(NamedTuple):
    cells: int
    runs: int
    repeats: int
    baseline_repeats: int

    @property
    def min_p(self) -> float:
        return min_p(self.repeats, self.baseline_repeats)


def warnings_of(size: Size, *, budget_runs: int | None, without_expectation: int) -> list[str]:
    """Say in plain words what such a plan cannot show, and what would help."""
    return [
        *_too_few(size),
        *_too_coarse(size),
        *_budget(size, budget_runs),
        *_nothing_expected(without_expectation),
    ]


def _too_few(size: Size) -> Iterator[str]:
    if size.repeats < FEWEST_VARIATIONS:
        yield (
            f"A cell needs {FEWEST_VARIATIONS} runs to be measured and has {size.repeats}: every cell will be "
            f"insufficient. Set repeats to at least {FEWEST_VARIATIONS}."
        )
    if size.baseline_repeats < FEWEST_BASELINES:
        yield (
            f"A row needs {FEWEST_BASELINES} baselines and has {size.baseline_repeats}: every cell will be "
            f"insufficient. Set baseline_repeats to at least {FEWEST_BASELINES}."
        )


def _too_coarse(size: Size) -> Iterator[str]:
    """The smallest p-value there is, over all cells, has to leave room for one that stands out alone."""
    if size.min_p * size.cells <= SIGNIFICANT:
        return
    runs = f"{_count(size.repeats, 'run')} against {_count(size.baseline_repeats, 'baseline')}"
    among = f"among {_count(size.cells, 'cell')} " if size.cells > 1 else ""
    yield (
        f"With {runs} no p-value can be below {size.min_p:.2g}; {among}that is too coarse to confirm the shift of "
        f"a single cell. {_remedy(size)}"
    )


def _remedy(size: Size) -> str:
    for repeats in range(size.repeats + 1, _MOST_REPEATS + 1):
        if min_p(repeats, size.baseline_repeats) * size.cells <= SIGNIFICANT:
            return f"Set repeats to at least {repeats}, or run fewer cells."
    return "Set repeats and baseline_repeats higher, or run fewer cells."


def _budget(size: Size, budget_runs: int | None) -> Iterator[str]:
    if budget_runs is not None and budget_runs == size.runs:
        yield (
            "The budget is exactly the plan: a run that fails for a reason that is not the agent's will not be "
            "repeated. Leave budget_runs a little room."
        )


def _nothing_expected(scenarios: int) -> Iterator[str]:
    if scenarios:
        yield (
            f"{_count(scenarios, 'scenario')} {'expects' if scenarios == 1 else 'expect'} nothing: shifts will be "
            "measured, but there is no match rate. Give expected_behavior to have one."
        )


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
