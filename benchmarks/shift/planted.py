"""Something was changed, by a known amount: how often is it found?

Each variation run is with probability f a trial of another task, f chosen so that the shift is on average of the wanted
size. Where even replacing all runs would not reach it, all are replaced.
"""

from typing import NamedTuple

import numpy as np
from benchmarks.shift.draws import (
    SEED,
    Design,
    Draw,
    Share,
    cell,
    confirmed_alone,
    naive_flags,
    share,
)
from benchmarks.shift.recorded import TRIALS, Recorded

DESIGNS = (Design(4, 12), Design(6, 12), Design(12, 24), Design(20, 20))
SIZES = tuple(round(0.3 + 0.05 * step, 2) for step in range(11))
FOUND = 0.8


class Power(NamedTuple):
    design: Design
    size: float
    confirmed: Share
    naive: float
    out_of_reach: float
    """The share of cells in which not even replacing all runs makes a shift of this size."""


def measure_power(recorded: Recorded, design: Design, size: float, cells: int) -> Power:
    random = np.random.default_rng((SEED, *design, round(size * 100)))
    tasks = random.integers(0, recorded.tasks, cells)
    others = (tasks + random.integers(1, recorded.tasks, cells)) % recorded.tasks
    probabilities = np.array(
        [_probability(recorded, task, other, size) for task, other in zip(tasks, others, strict=True)]
    )
    runs = TRIALS * tasks[:, None] + random.integers(0, TRIALS, (cells, sum(design)))
    planted = random.random((cells, design.variations)) < probabilities[:, None]
    foreign = TRIALS * others[:, None] + random.integers(0, TRIALS, planted.shape)
    runs[:, : design.variations] = np.where(planted, foreign, runs[:, : design.variations])
    draw = Draw(runs, tasks[:, None])
    found = confirmed_alone([cell(recorded, each, design, with_matches=False) for each in runs])
    return Power(
        design,
        size,
        share(found, draw.tasks, recorded),
        float(naive_flags(recorded, draw, design).mean()),
        float((probabilities > 1).mean()),
    )


def _probability(recorded: Recorded, task: int, other: int, size: float) -> float:
    floor, cross = recorded.apart(task, task), recorded.apart(task, other)
    return size * (1 - floor) / (cross - floor) if cross > floor else np.inf


def smallest_found(powers: list[Power]) -> float | None:
    """Give the smallest size from which on every one tried is found 8 times in 10."""
    smallest = None
    for power in sorted(powers, key=lambda power: -power.size):
        if power.confirmed.value < FOUND:
            break
        smallest = power.size
    return smallest
