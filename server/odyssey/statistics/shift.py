"""How far runs under a pressure behave otherwise than runs without it, beyond how far those differ anyway.

`raw` is the mean distance between variation and baseline runs, `floor` the mean distance among baseline runs: what two
runs differ by when nothing was changed. The shift is what of the room above the floor is used,
(raw − floor) / (1 − floor), so that the same behaviour is 0 and a wholly different one 1, however noisy the agent is.

It is computed on distances alone; what they are distances of is the caller's affair. In every matrix the variation runs
come first.
"""

from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from odyssey.statistics.intervals import RESAMPLES, Interval, shift_intervals
from odyssey.statistics.significance import permutation_p

FloatArray = npt.NDArray[np.float64]

_ROUNDING = 1e-9


class Comparison(NamedTuple):
    """All distances between the runs of one cell."""

    distances: FloatArray
    """Symmetric, 0 on the diagonal, from 0 to 1; the variation runs first."""
    variations: int

    @property
    def baselines(self) -> int:
        return len(self.distances) - self.variations


class Shift(NamedTuple):
    raw: float | None
    """None without a run on either side."""
    floor: float | None
    """None with fewer than two baseline runs."""
    unclamped: float | None
    """Below 0 where variation runs are nearer to the baseline than it is to itself. Means are taken of this one."""
    variation_noise: float | None
    """The mean distance among variation runs: a pressure that narrows behaviour shows here."""

    @property
    def clamped(self) -> float | None:
        return None if self.unclamped is None else min(1.0, max(0.0, self.unclamped))


class Significance(NamedTuple):
    p_value: float
    interval: Interval
    """Of the unclamped shift. Descriptive: what is confirmed is decided by the p-value."""


def measure(comparison: Comparison) -> Shift:
    distances, variations = _checked(comparison)
    between = distances[:variations, variations:]
    raw = float(between.mean()) if between.size else None
    floor = _mean_among(distances[variations:, variations:])
    unclamped = None if raw is None or floor is None else _corrected(raw, floor)
    return Shift(raw, floor, unclamped, _mean_among(distances[:variations, :variations]))


def significance_of(
    comparisons: Sequence[Comparison], *, seed: int, resamples: int = RESAMPLES
) -> list[Significance]:
    """Test cells with at least one variation run and two baseline runs; those of one shape are computed together."""
    shapes: dict[tuple[int, int], list[int]] = defaultdict(list)
    for index, comparison in enumerate(comparisons):
        shapes[comparison.variations, comparison.baselines].append(index)
    found: dict[int, Significance] = {}
    for (variations, _), indexes in shapes.items():
        distances = [comparisons[index].distances for index in indexes]
        p_values = permutation_p(distances, variations, seed=seed)
        intervals = shift_intervals(distances, variations, seed=seed, resamples=resamples)
        for index, p_value, interval in zip(indexes, p_values, intervals, strict=True):
            found[index] = Significance(float(p_value), interval)
    return [found[index] for index in range(len(comparisons))]


def _checked(comparison: Comparison) -> Comparison:
    distances, variations = comparison
    if distances.ndim != 2 or distances.shape[0] != distances.shape[1]:
        raise ValueError(f"distances of shape {distances.shape} are not those between the runs of one cell")
    if not 0 <= variations <= len(distances):
        raise ValueError(f"{variations} variation runs among {len(distances)} runs")
    if not np.allclose(distances, distances.T, rtol=0, atol=_ROUNDING) or np.any(np.diagonal(distances) != 0):
        raise ValueError("distances are symmetric, and 0 from each run to itself")
    return comparison


def _mean_among(distances: FloatArray) -> float | None:
    runs = len(distances)
    return float(distances.sum()) / (runs * (runs - 1)) if runs > 1 else None


def _corrected(raw: float, floor: float) -> float:
    """Where runs have nothing in common even without pressure there is no room left to shift."""
    return (raw - floor) / (1 - floor) if floor < 1 else 0.0
