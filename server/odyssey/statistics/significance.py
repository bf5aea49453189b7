"""How often chance alone would make as much of a difference."""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import combinations
from math import comb
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

# How often chance alone would tell two groups of runs this far apart: the permutation test of raw − floor.
#
# If the pressure does nothing, which runs are called "variation" is arbitrary. So the labels are dealt anew,
# in every possible way where there are few enough and at random where not, and the share of deals that look
# at least as shifted as what was seen is the p-value. Nothing is assumed about the shape of the distances.
#
# One variation run V and the baselines A and B, with the distances VA 0.8, VB 0.6 and AB 0.2. What was seen is
# raw − floor = (0.8 + 0.6) / 2 − 0.2 = 0.5. Calling A the variation gives (0.8 + 0.2) / 2 − 0.6 = −0.1, calling B it
# (0.6 + 0.2) / 2 − 0.8 = −0.4. One of three deals, the one seen, is as far: p = 1/3, the least three runs allow.

FloatArray = npt.NDArray[np.float64]
Labels = npt.NDArray[np.int8]

MOST_RELABELLINGS = 20_000
RANDOM_RELABELLINGS = 9_999

_TIE = 1e-10  # sums of the same distances in another order differ by rounding; they are ties
_CHUNK = 4_000_000


def min_p(variations: int, baselines: int) -> float:
    """Tell the smallest p-value such a cell can have if every relabelling is tried."""
    return 1 / comb(variations + baselines, variations)


def permutation_p(distances: Sequence[FloatArray], variations: int, *, seed: int) -> FloatArray:
    """Test cells of one shape, each a distance matrix with the variation runs first; one-sided.

    The statistic is a weighted sum of distances, so all relabellings of all cells are one matrix product. Cells share
    the relabellings: each one's p-value is what it would be alone.
    """
    runs = len(distances[0])
    first, second = np.triu_indices(runs, 1)
    pairs = np.stack([cell[first, second] for cell in distances], axis=1)
    labels = _labels(variations, runs - variations, seed)
    seen = _weights(labels[:1], variations, first, second) @ pairs - _TIE
    as_far = np.zeros(len(distances), dtype=np.int64)
    for some in _chunks(labels, len(first) + len(distances)):
        as_far += (_weights(some, variations, first, second) @ pairs >= seen).sum(axis=0)
    return as_far / len(labels)


def _labels(variations: int, baselines: int, seed: int) -> Labels:
    """Deal the labels, the ones seen first: one row a relabelling, 1 where a run is called a variation."""
    if comb(variations + baselines, variations) <= MOST_RELABELLINGS:
        return _all_labels(variations, baselines)
    runs = variations + baselines
    draw = np.random.default_rng((seed, variations, baselines)).random((RANDOM_RELABELLINGS, runs))
    labels = np.zeros((RANDOM_RELABELLINGS + 1, runs), dtype=np.int8)
    labels[0, :variations] = 1  # what was seen is one of the deals, so that p is never 0
    np.put_along_axis(labels[1:], draw.argsort(axis=1)[:, :variations], np.int8(1), axis=1)
    return labels


@lru_cache(maxsize=64)
def _all_labels(variations: int, baselines: int) -> Labels:
    runs = variations + baselines
    chosen = np.array(list(combinations(range(runs), variations)))
    labels = np.zeros((len(chosen), runs), dtype=np.int8)
    np.put_along_axis(labels, chosen, np.int8(1), axis=1)
    labels.flags.writeable = False
    return labels


def _weights(
    labels: Labels, variations: int, first: npt.NDArray[np.intp], second: npt.NDArray[np.intp]
) -> FloatArray:
    """Give what each pair counts for in raw − floor: by how many of the two are called variations."""
    baselines = labels.shape[1] - variations
    by_kind = np.array([-2 / (baselines * (baselines - 1)), 1 / (variations * baselines), 0.0])
    weights: FloatArray = by_kind[labels[:, first] + labels[:, second]]
    return weights


def _chunks(labels: Labels, width: int) -> Iterator[Labels]:
    """Keep what is in memory at a time to some tens of megabytes."""
    rows = max(1, _CHUNK // width)
    for start in range(0, len(labels), rows):
        yield labels[start : start + rows]


# Whether fewer runs match under a pressure than without it: Fisher's exact test, one-sided.


class Matches(NamedTuple):
    matched: int
    runs: int

    @property
    def rate(self) -> float:
        return self.matched / self.runs


def fewer_matches_p(variation: Matches, baseline: Matches) -> float:
    """How likely that few of the matches or fewer fall to the variation runs if they were dealt to all runs alike."""
    # 1 of 4 against 4 of 4: five matches and three misses fall to eight runs. In 5 of the 70 ways to choose the four
    # variation runs these get one match, and they cannot get fewer: p = 5/70 = 0.071.
    for each in (variation, baseline):
        if not 0 <= each.matched <= each.runs:
            raise ValueError(f"{each.matched} matches in {each.runs} runs")
    matched, missed = variation.matched + baseline.matched, variation.runs + baseline.runs
    missed -= matched
    fewest = max(0, variation.runs - missed)
    ways = sum(
        comb(matched, to_variation) * comb(missed, variation.runs - to_variation)
        for to_variation in range(fewest, variation.matched + 1)
    )
    return ways / comb(matched + missed, variation.runs)
