"""Cells drawn from a sample of runs in which nothing was changed, and what is found in them."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from benchmarks.shift.matrices import RISK, THRESHOLDS, Design
from benchmarks.shift.runs import IntArray, Sample

from odyssey.statistics.cells import SIGNIFICANT, Cell, CellJudgement, judge
from odyssey.statistics.intervals import Interval
from odyssey.statistics.shift import Comparison
from odyssey.statistics.significance import Matches

NAIVE_THRESHOLD = 0.5
SEED = 20240515

_RESAMPLES = 20  # intervals of cells are not looked at here
_TASK_RESAMPLES = 2_000


class Draw(NamedTuple):
    """Cells drawn: the runs of each, variation runs first, and the tasks they came from."""

    runs: IntArray
    tasks: IntArray


class Share(NamedTuple):
    value: float
    interval: Interval
    """95 %, tasks resampled: runs of one task are not independent."""


def draw_atoms(random: np.random.Generator, sample: Sample, design: Design, cells: int) -> Draw:
    """Draw all runs of a cell with replacement from the trials of one task."""
    tasks = random.integers(0, sample.tasks, (cells, 1))
    return Draw(sample.trials * tasks + random.integers(0, sample.trials, (cells, sum(design))), tasks)


def draw_mixtures(random: np.random.Generator, sample: Sample, design: Design, cells: int) -> Draw:
    """Take all trials of some tasks, each once, and deal them at random."""
    tasks = np.array(
        [random.permutation(sample.tasks)[: sum(design) // sample.trials] for _ in range(cells)],
        dtype=np.int64,
    )
    runs = (sample.trials * tasks[:, :, None] + np.arange(sample.trials)).reshape(cells, -1)
    return Draw(random.permuted(runs, axis=1), tasks)


def cell(sample: Sample, runs: IntArray, design: Design, *, with_matches: bool) -> Cell:
    compared = Comparison(sample.distances[np.ix_(runs, runs)], design.variations)
    if not with_matches:
        return Cell(compared, THRESHOLDS[RISK], critical=RISK == "critical")
    matched = [bool(sample.runs[run].matched) for run in runs]
    return Cell(
        compared,
        THRESHOLDS[RISK],
        critical=RISK == "critical",
        matches=Matches(sum(matched[: design.variations]), design.variations),
        baseline_matches=Matches(sum(matched[design.variations :]), design.baselines),
    )


def judge_alone(cells: Sequence[Cell]) -> list[CellJudgement]:
    """Judge each cell as a family of its own: there q is p."""
    return [judge([each], seed=SEED, resamples=_RESAMPLES)[0] for each in cells]


def are_significant(judged: Sequence[CellJudgement]) -> npt.NDArray[np.bool_]:
    """Tell where p ≤ 0.05, whether or not the shift is large enough to be confirmed."""
    return np.array([each.p_value is not None and each.p_value <= SIGNIFICANT for each in judged])


def are_confirmed(judged: Sequence[CellJudgement]) -> npt.NDArray[np.bool_]:
    return np.array([each.confirmed for each in judged])


def naive_flags(sample: Sample, draw: Draw, design: Design) -> npt.NDArray[np.bool_]:
    """Tell which cells "raw shift > 0.5" flags."""
    raw = [
        sample.distances[np.ix_(runs[: design.variations], runs[design.variations :])].mean()
        for runs in draw.runs
    ]
    return np.array(raw) > NAIVE_THRESHOLD


def share(hits: npt.NDArray[np.bool_], tasks: IntArray, sample: Sample) -> Share:
    """Take the share of hits. A cell counts as often as the resampled tasks would have made it."""
    random = np.random.default_rng(SEED)
    counts = random.multinomial(sample.tasks, [1 / sample.tasks] * sample.tasks, size=_TASK_RESAMPLES)
    weights = counts[:, tasks].prod(axis=2)
    total = weights.sum(axis=1)
    shares = (weights @ hits)[total > 0] / total[total > 0]
    low, high = np.quantile(shares, (0.025, 0.975))
    return Share(float(hits.mean()), Interval(float(low), float(high)))
