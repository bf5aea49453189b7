"""How far a share seen in a few trials may be from the true one."""

from math import sqrt
from typing import NamedTuple

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
