"""How far what was seen in a few trials may be from the truth."""

from collections.abc import Callable, Sequence
from math import comb, fsum, sqrt
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

# How far a share seen in a few trials may be from the true one.

_Z_95 = 1.959963984540054


class Interval(NamedTuple):
    low: float
    high: float


def wilson(successes: int, trials: int, z: float = _Z_95) -> Interval:
    """The Wilson score interval: it stays within 0 and 1 and says something at 0 and at 100 %."""
    if not 0 <= successes <= trials:
        raise ValueError(f"{successes} successes in {trials} trials")
    if trials == 0:
        return Interval(0.0, 1.0)
    return wilson_of_share(successes / trials, trials, z)


def wilson_of_share(share: float, trials: float, z: float = _Z_95) -> Interval:
    """Give the same interval for a share that stands for as much as `trials` independent trials, whole or not."""
    spread = z * z / trials
    centre = (share + spread / 2) / (1 + spread)
    half = z * sqrt(share * (1 - share) / trials + spread / (4 * trials)) / (1 + spread)
    # At the ends the bound is exact; rounding must not put the share outside its own interval.
    low = 0.0 if share == 0 else min(share, max(0.0, centre - half))
    high = 1.0 if share == 1 else max(share, min(1.0, centre + half))
    return Interval(low, high)


_TAIL_95 = 0.025


def clopper_pearson(successes: int, trials: int) -> Interval:
    """The exact two-sided 95 % interval: the shares at which so many successes or more, or so few or fewer, are 2.5 %.

    It is wider than Wilson's and never claims too much, so it decides where a build fails by it.
    """
    # 7 of 12: at a share of 0.848 so few or fewer have a chance of 2.5 %, so a floor of 0.9 is broken. 8 of 12 reach
    # 0.901, so it is not.
    if not 0 <= successes <= trials:
        raise ValueError(f"{successes} successes in {trials} trials")
    low = 0.0 if successes == 0 else _share_at(lambda share: 1 - _at_most(successes - 1, trials, share))
    high = 1.0 if successes == trials else 1 - _share_at(lambda miss: _at_most(successes, trials, 1 - miss))
    return Interval(low, high)


def _at_most(successes: int, trials: int, share: float) -> float:
    """How likely that few successes or fewer are at this share."""
    return fsum(comb(trials, k) * share**k * (1 - share) ** (trials - k) for k in range(successes + 1))


def _share_at(rising: Callable[[float], float]) -> float:
    """Find by halving where a chance that rises with the share reaches 2.5 %."""
    low, high = 0.0, 1.0
    while high - low > 1e-12:
        middle = (low + high) / 2
        low, high = (middle, high) if rising(middle) < _TAIL_95 else (low, middle)
    return low


# How far the shift might be from what was seen: a percentile bootstrap over runs, never over pairs of them.
#
# The runs of each group are drawn again with replacement, apart from the other group. A run drawn twice would
# be at distance 0 to itself, which says nothing about how much runs differ: such pairs are left out of the floor.
#
# Baselines A, B and C may be drawn as A, A, B: `again` is (2, 1, 0). Of the 9 ordered pairs 2² + 1² = 5 are of a
# run with itself, so `floor_pairs` is 4, all of them A with B: the floor of this draw is the distance of A and B.
# With counts instead of copied rows all draws of a cell are one matrix product.

FloatArray = npt.NDArray[np.float64]

RESAMPLES = 2_000
_ENDS = (0.025, 0.975)


def shift_intervals(
    distances: Sequence[FloatArray], variations: int, *, seed: int, resamples: int = RESAMPLES
) -> list[Interval]:
    """Give 95 % intervals of the unclamped shift of cells of one shape, the variation runs first in each matrix."""
    baselines = len(distances[0]) - variations
    # The shape is part of the seed: what a cell gets does not depend on which other cells there are.
    random = np.random.default_rng((seed, variations, baselines))
    drawn = random.multinomial(variations, [1 / variations] * variations, size=resamples).astype(float)
    again = random.multinomial(baselines, [1 / baselines] * baselines, size=resamples).astype(float)
    floor_pairs = baselines**2 - (again**2).sum(axis=1)
    usable = floor_pairs > 0  # else every draw was one and the same run: no floor
    drawn, again, floor_pairs = drawn[usable], again[usable], floor_pairs[usable]
    intervals = []
    for cell in distances:
        raw = ((drawn @ cell[:variations, variations:]) * again).sum(axis=1) / (variations * baselines)
        floor = ((again @ cell[variations:, variations:]) * again).sum(axis=1) / floor_pairs
        intervals.append(_percentiles(raw, floor))
    return intervals


def _percentiles(raw: FloatArray, floor: FloatArray) -> Interval:
    room = 1 - floor
    shifts = (raw - floor)[room > 0] / room[room > 0]
    if not len(shifts):
        return Interval(0.0, 0.0)
    low, high = np.quantile(shifts, _ENDS)
    return Interval(float(low), float(high))
