"""What of a run differs from the baselines: the mean over all of them, and the first difference to a typical one."""

from collections.abc import Sequence
from typing import NamedTuple

from odyssey.evals.behaviour import Behaviour
from odyssey.evals.distance import DEFAULT_WEIGHTS, Explanation, Moved, Weights, distance_matrix, explain
from odyssey.evals.parts.differs import Differs


class MovedPart(NamedTuple):
    part: Moved
    contribution: float
    """To the mean distance."""
    first_difference: Differs | None
    """Left is the baseline."""


class Explained(NamedTuple):
    raw_shift: float
    typical: int
    """Which baseline the differences are told against, by its place."""
    parts: tuple[MovedPart, ...]

    @property
    def moved(self) -> Moved | None:
        most = max(self.parts, key=lambda part: part.contribution, default=None)
        return most.part if most is not None and most.contribution > 0 else None


def most_typical(behaviours: Sequence[Behaviour], weights: Weights = DEFAULT_WEIGHTS) -> int:
    """Find the one nearest to all others; of equals the first."""
    return int(distance_matrix(behaviours, weights).sum(axis=1).argmin())


def explain_shift(
    behaviour: Behaviour, baselines: Sequence[Behaviour], weights: Weights = DEFAULT_WEIGHTS
) -> Explained:
    """Compare one run with one baseline or more."""
    explanations = [explain(baseline, behaviour, weights) for baseline in baselines]
    typical = most_typical(baselines, weights)
    shares = mean_contributions(explanations)
    told = {part.part: part.first_difference for part in explanations[typical].parts}
    parts = tuple(MovedPart(part, share, told.get(part)) for part, share in shares.items())
    return Explained(sum(shares.values()), typical, parts)


def mean_contributions(explanations: Sequence[Explanation]) -> dict[Moved, float]:
    """Average what each part adds to the distance."""
    total: dict[Moved, float] = {}
    for explanation in explanations:
        for part in explanation.parts:
            total[part.part] = total.get(part.part, 0.0) + part.contribution
    return {part: share / len(explanations) for part, share in total.items()}
