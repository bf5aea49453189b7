"""Whether fewer runs match under a pressure than without it: Fisher's exact test, one-sided."""

from math import comb
from typing import NamedTuple


class Matches(NamedTuple):
    matched: int
    runs: int

    @property
    def rate(self) -> float:
        return self.matched / self.runs


def fewer_matches_p(variation: Matches, baseline: Matches) -> float:
    """How likely that few of the matches or fewer fall to the variation runs if they were dealt to all runs alike."""
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
