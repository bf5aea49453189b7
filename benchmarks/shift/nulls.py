"""Nothing was changed: how often is something found all the same?

Atoms and mixtures are exchangeable by construction: which runs are called variations is decided by dice. They test the
code and the rule; they do not show how typical this agent is.
"""

from collections.abc import Callable
from itertools import combinations
from typing import NamedTuple

import numpy as np
from benchmarks.shift.draws import (
    NAIVE_THRESHOLD,
    SEED,
    Design,
    Draw,
    Share,
    cell,
    confirmed_in_families,
    draw_atoms,
    draw_mixtures,
    naive_flags,
    p_values,
    share,
)
from benchmarks.shift.recorded import TRIALS, FloatArray, Recorded, deeds_alone, words_alone

from odyssey.statistics.cells import SIGNIFICANT, TOO_NOISY_ABOVE, judge
from odyssey.statistics.shift import measure

ROWS, COLUMNS = 5, 7
MATRIX_DESIGN = Design(4, 12)

_WAYS: dict[str, Callable[[np.random.Generator, Recorded, Design, int], Draw]] = {
    "atoms": draw_atoms,
    "mixture": draw_mixtures,
}
NULLS = tuple((way, Design(*sizes)) for way in _WAYS for sizes in ((4, 12), (6, 6)))

_MEASURES: dict[str, Callable[[Recorded], FloatArray]] = {
    "as the product measures": lambda recorded: recorded.distances,
    "deeds alone": deeds_alone,
    "words alone": words_alone,
}


class Halves(NamedTuple):
    """2 v 2 splits of the trials of each task, by one way to tell runs apart."""

    measure: str
    mean_distance: float
    flagged_tasks: int
    """Tasks of which the first two trials against the last two are above 0.5."""
    flagged_splits: float
    """The share of all splits of all tasks."""


class Null(NamedTuple):
    way: str
    design: Design
    significant: Share
    confirmed: Share
    """By the shift: the recorded runs have no expected behaviour."""
    confirmed_with_matches: Share
    """By the shift or by fewer matches, with `passed` in the place of a match: two tests, each of which may err."""
    naive: Share
    too_noisy: float


class Matrices(NamedTuple):
    matrices: int
    any_confirmed: float
    any_naive: float


def measure_halves(recorded: Recorded) -> tuple[list[Halves], int]:
    """Count what the naive rule flags; and in how many of the splits our rule says anything but `insufficient`."""
    found = [_halves(name, distances(recorded)) for name, distances in _MEASURES.items()]
    design = Design(2, 2)
    cells = [
        cell(recorded, recorded.trials(task), design, with_matches=True) for task in range(recorded.tasks)
    ]
    return found, sum(judged.state != "insufficient" for judged in judge(cells, seed=SEED))


def _halves(name: str, distances: FloatArray) -> Halves:
    tasks = len(distances) // TRIALS
    splits = [set(half) for half in combinations(range(TRIALS), TRIALS // 2) if 0 in half]
    raw = np.zeros((tasks, len(splits)))
    for task in range(tasks):
        for place, half in enumerate(splits):
            ours = [TRIALS * task + trial for trial in half]
            theirs = [TRIALS * task + trial for trial in range(TRIALS) if trial not in half]
            raw[task, place] = distances[np.ix_(ours, theirs)].mean()
    flagged = raw > NAIVE_THRESHOLD
    # Every pair of trials stands across in two of the three splits: the mean over splits is that over pairs.
    return Halves(name, float(raw.mean()), int(flagged[:, 0].sum()), float(flagged.mean()))


def measure_null(recorded: Recorded, way: str, design: Design, cells: int) -> Null:
    random = np.random.default_rng((SEED, *way.encode(), *design))
    draw = _WAYS[way](random, recorded, design, cells)
    plain = [cell(recorded, runs, design, with_matches=False) for runs in draw.runs]
    matched = [cell(recorded, runs, design, with_matches=True) for runs in draw.runs]
    floors = np.array([measure(each.comparison).floor for each in plain], dtype=float)
    hits = (
        p_values(recorded, draw, design) <= SIGNIFICANT,
        confirmed_in_families([[each] for each in plain]),
        confirmed_in_families([[each] for each in matched]),
        naive_flags(recorded, draw, design),
    )
    significant, confirmed, with_matches, naive = (share(each, draw.tasks, recorded) for each in hits)
    too_noisy = float((floors > TOO_NOISY_ABOVE).mean())
    return Null(way, design, significant, confirmed, with_matches, naive, too_noisy)


def measure_matrices(recorded: Recorded, count: int) -> Matrices:
    """Judge matrices in which no pressure does anything; the cells of a row share their baselines."""
    random = np.random.default_rng((SEED, count))
    naive, families = 0, []
    for _ in range(count):
        rows = [_row(random, task) for task in random.permutation(recorded.tasks)[:ROWS]]
        runs = np.concatenate(rows)
        families.append([cell(recorded, each, MATRIX_DESIGN, with_matches=False) for each in runs])
        naive += bool(naive_flags(recorded, Draw(runs, runs[:, :1]), MATRIX_DESIGN).any())
    return Matrices(count, float(confirmed_in_families(families).mean()), naive / count)


def _row(random: np.random.Generator, task: int) -> np.ndarray[tuple[int, int], np.dtype[np.int64]]:
    baselines = random.integers(0, TRIALS, MATRIX_DESIGN.baselines)
    variations = random.integers(0, TRIALS, (COLUMNS, MATRIX_DESIGN.variations))
    return TRIALS * task + np.hstack([variations, np.tile(baselines, (COLUMNS, 1))])
