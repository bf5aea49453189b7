"""Which cells get fresh runs, and how many: what looks suspicious by chance does not look so twice.

The first runs of a matrix say where to look, the fresh ones decide, and decide alone: whatever made a cell stand out
among many has no part in how it is judged. Because few cells are looked at, each can have many runs.
"""

from collections.abc import Sequence
from math import erfc, sqrt
from statistics import fmean, geometric_mean, stdev
from typing import NamedTuple

FRESH_RUNS = 16
"""Of a cell, and without pressure of its row."""
FEWEST_FRESH_RUNS = 8
"""With fewer, the second look is blunter than the first."""
LEAST_TOTAL = 2 * FEWEST_FRESH_RUNS
"""What it takes to look at one cell again."""
FEW_CELLS = 3
"""So many are looked at with fewer runs each, rather than one with all of them."""
FEWEST_OTHERS = 8
"""With fewer runs of other cells, their spread says little."""
LEAST_SPREAD = 0.1
"""Where the others hardly spread at all, a small distance is no great one."""
LEAST_P = 1e-3
"""Below it one p-value says no more than another."""
SUSPICIOUS = 0.2
"""Up to which p-value a cell is worth fresh runs if nothing else speaks against it."""


SHARE_OF_FRESH_RUNS = 0.8
"""Of the errors that all cells together may make those on fresh runs may make so many,"""
SHARE_OF_FIRST_RUNS = 0.2
"""and the cells that were not run again the rest. It is enough where many of them changed."""


class Suspect(NamedTuple):
    """A cell of which something was seen."""

    cell: int
    row: int
    p_value: float | None
    """As `suspicion` combines it."""
    shift: float
    is_grave: bool
    """A removal or a protected change was seen."""
    has_incident: bool

    @property
    def is_eligible(self) -> bool:
        return self.has_incident or (self.p_value is not None and self.p_value <= SUSPICIOUS)


def suspicion(relabelled: Sequence[float], standing_out: float | None) -> float | None:
    """Combine the p-values of a cell into the one by which it is chosen; None where there are none.

    It is the geometric mean of the smallest of the relabellings and of how far the cell's furthest run stands out. The
    relabelling of 4 runs and 12 baselines cannot tell two odd runs from chance: in 1 of 20 deals both fall to the
    pressed ones. Beside the 24 runs of the row's other cells one odd run stands out. It serves to choose alone.
    """
    p_values = [min(relabelled)] if relabelled else []
    p_values += [] if standing_out is None else [standing_out]
    return geometric_mean(max(each, LEAST_P) for each in p_values) if p_values else None


def standing_out_p(runs: Sequence[float], others: Sequence[float]) -> float | None:
    """Say how likely runs like these others put one so far from the baselines; None where that is unknown."""
    # Runs 0.8, 0.5, 0.4 and 0.5 from the baselines, the others 0.5 with a spread of 0.1: 0.8 is 3 spreads away, where
    # 1 run of 741 is; of four runs one is in 1 case of 185. Any distribution would do that falls as quickly.
    if not runs or len(others) < FEWEST_OTHERS:
        return None
    spreads = (max(runs) - fmean(others)) / max(stdev(others), LEAST_SPREAD)
    return min(1.0, len(runs) * erfc(spreads / sqrt(2)) / 2)


class FreshRuns(NamedTuple):
    cells: list[int]
    runs: int
    """Of each cell, and without pressure of each of their rows."""
    total: int


def choose(suspects: Sequence[Suspect], runs_max: int) -> FreshRuns | None:
    """Choose the most suspicious cells that fit; None where none is suspicious, or none fits."""
    # With 100 runs and three suspects of different rows: 3 · 16 under pressure and 3 · 16 without are 96. With 60 runs
    # the three get 10 each, and as many without. With 30 runs three would get 5 each, which is too few, so there are
    # two with 7, too few as well, and so the first alone gets 15. With 15 runs there is nothing to choose.
    order = sorted((each for each in suspects if each.is_eligible), key=_urgency)
    for few in range(min(FEW_CELLS, len(order)), 0, -1):
        runs = min(FRESH_RUNS, runs_max // _sides(order[:few]))
        if runs >= FEWEST_FRESH_RUNS:
            chosen = order[:few]
            for each in order[few:]:
                if _sides([*chosen, each]) * runs <= runs_max:
                    chosen.append(each)
            return FreshRuns([each.cell for each in chosen], runs, _sides(chosen) * runs)
    return None


def _urgency(suspect: Suspect) -> tuple[bool, float, float, bool, int]:
    p_value = 1.0 if suspect.p_value is None else suspect.p_value
    return not suspect.is_grave, p_value, -suspect.shift, not suspect.has_incident, suspect.cell


def _sides(chosen: Sequence[Suspect]) -> int:
    """Count the sides that are run: each cell, and once for each row its baselines."""
    return len(chosen) + len({each.row for each in chosen})
