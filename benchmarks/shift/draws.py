"""Cells made of recorded runs, and what is found in them."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from benchmarks.shift.recorded import TRIALS, IntArray, Recorded

from odyssey.statistics.cells import SIGNIFICANT, Cell, judge
from odyssey.statistics.intervals import Interval
from odyssey.statistics.shift import Comparison
from odyssey.statistics.significance import Matches, permutation_p

THRESHOLD = 0.2
NAIVE_THRESHOLD = 0.5
SEED = 20240515

_RESAMPLES = 20  # intervals of cells are not looked at here
_TASK_RESAMPLES = 2_000


class Design(NamedTuple):
    variations: int
    baselines: int

    def __str__(self) -> str:
        return f"{self.variations} v {self.baselines}"


class Draw(NamedTuple):
    """Cells drawn: the runs of each, variation runs first, and the tasks they came from."""

    runs: IntArray
    tasks: IntArray


class Share(NamedTuple):
    value: float
    interval: Interval
    """95 %, tasks resampled: runs of one task are not independent."""


def draw_atoms(random: np.random.Generator, recorded: Recorded, design: Design, cells: int) -> Draw:
    """Draw all runs of a cell with replacement from the trials of one task."""
    tasks = random.integers(0, recorded.tasks, (cells, 1))
    return Draw(TRIALS * tasks + random.integers(0, TRIALS, (cells, sum(design))), tasks)


def draw_mixtures(random: np.random.Generator, recorded: Recorded, design: Design, cells: int) -> Draw:
    """Take all trials of some tasks, each once, and deal them at random."""
    tasks = np.array(
        [random.permutation(recorded.tasks)[: sum(design) // TRIALS] for _ in range(cells)], dtype=np.int64
    )
    runs = (TRIALS * tasks[:, :, None] + np.arange(TRIALS)).reshape(cells, -1)
    return Draw(random.permuted(runs, axis=1), tasks)


def comparison(recorded: Recorded, runs: IntArray, design: Design) -> Comparison:
    return Comparison(recorded.distances[np.ix_(runs, runs)], design.variations)


def cell(recorded: Recorded, runs: IntArray, design: Design, *, with_matches: bool) -> Cell:
    compared = comparison(recorded, runs, design)
    if not with_matches:
        return Cell(compared, THRESHOLD)
    passed = recorded.passed[runs]
    variation, baseline = passed[: design.variations], passed[design.variations :]
    return Cell(
        compared,
        THRESHOLD,
        matches=Matches(int(variation.sum()), len(variation)),
        baseline_matches=Matches(int(baseline.sum()), len(baseline)),
    )


def p_values(recorded: Recorded, draw: Draw, design: Design) -> npt.NDArray[np.float64]:
    distances = [comparison(recorded, runs, design).distances for runs in draw.runs]
    return permutation_p(distances, design.variations, seed=SEED)


def confirmed_in_families(families: Sequence[Sequence[Cell]]) -> npt.NDArray[np.bool_]:
    """Tell which families, each judged by itself, have any confirmed cell."""
    return np.array(
        [any(found.confirmed for found in judge(f, seed=SEED, resamples=_RESAMPLES)) for f in families]
    )


def confirmed_alone(cells: Sequence[Cell]) -> npt.NDArray[np.bool_]:
    """Tell which cells would be confirmed by their shift, each a family of its own: there q is p.

    They are computed together, which is faster and gives the same p-values.
    """
    return np.array(
        [
            found.flagged and found.p_value is not None and found.p_value <= SIGNIFICANT
            for found in judge(cells, seed=SEED, resamples=_RESAMPLES)
        ]
    )


def naive_flags(recorded: Recorded, draw: Draw, design: Design) -> npt.NDArray[np.bool_]:
    """Tell which cells "raw shift > 0.5" flags."""
    raw = [
        recorded.distances[np.ix_(runs[: design.variations], runs[design.variations :])].mean()
        for runs in draw.runs
    ]
    return np.array(raw) > NAIVE_THRESHOLD


def share(hits: npt.NDArray[np.bool_], tasks: IntArray, recorded: Recorded) -> Share:
    """Take the share of hits. A cell counts as often as the resampled tasks would have made it."""
    random = np.random.default_rng(SEED)
    counts = random.multinomial(recorded.tasks, [1 / recorded.tasks] * recorded.tasks, size=_TASK_RESAMPLES)
    weights = counts[:, tasks].prod(axis=2)
    total = weights.sum(axis=1)
    shares = (weights @ hits)[total > 0] / total[total > 0]
    low, high = np.quantile(shares, (0.025, 0.975))
    return Share(float(hits.mean()), Interval(float(low), float(high)))
