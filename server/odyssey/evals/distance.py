"""How differently two runs behaved, from 0 (the same) to 1 (nothing in common), and which part of it moved.

The distance is the weighted mean of the distances of the parts. A part that neither run has (no structured answer, no
call, no change of the world, no text) is left out and the weights of the others are scaled up to 1. By default what the
agent decided and did weighs more than how it put it.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Literal, NamedTuple

import msgspec
import numpy as np
import numpy.typing as npt

from odyssey.evals.behaviour import Behaviour
from odyssey.evals.parts import (
    FirstDifference,
    Known,
    ReadCalls,
    as_tree,
    calls_distance,
    first_call_difference,
    first_ledger_difference,
    first_structured_difference,
    first_text_difference,
    ledger_distance,
    read_calls,
    structured_distance,
    words,
    words_distance,
)

Part = Literal["structured", "calls", "ledger", "text"]
Moved = Literal["structured", "calls", "ledger", "text", "failure"]

PARTS: tuple[Part, ...] = ("structured", "calls", "ledger", "text")


class Weights(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What the parts count for; only their ratios matter."""

    structured: float = 0.4
    calls: float = 0.3
    ledger: float = 0.2
    text: float = 0.1

    def __post_init__(self) -> None:
        given = [self.of(part) for part in PARTS]
        if not all(0 <= weight < float("inf") for weight in given) or not any(given):
            raise ValueError("weights are numbers from 0 up, and one at least is above 0")

    def of(self, part: Part) -> float:
        weight: float = getattr(self, part)
        return weight


DEFAULT_WEIGHTS = Weights()


class PartDistance(NamedTuple):
    part: Moved
    weight: float
    """Its share of the whole, after parts that neither run has were left out."""
    distance: float
    first_difference: FirstDifference | None

    @property
    def contribution(self) -> float:
        return self.weight * self.distance


class Explanation(NamedTuple):
    distance: float
    parts: tuple[PartDistance, ...]
    """Their contributions add up to the distance."""

    @property
    def moved(self) -> PartDistance | None:
        """The part that contributed most; None where nothing differs."""
        most = max(self.parts, key=lambda part: part.contribution, default=None)
        return most if most is not None and most.contribution > 0 else None


class _ReadBehaviour(NamedTuple):
    """A behaviour prepared to be compared with many others."""

    behaviour: Behaviour
    calls: ReadCalls
    ledger: dict[str, Any]
    words: list[str]

    def has(self, part: Part) -> bool:
        if part == "structured":
            return self.behaviour.structured is not None
        if part == "calls":
            return bool(self.behaviour.calls)
        return bool(self.ledger) if part == "ledger" else bool(self.behaviour.text.strip())


def distance(left: Behaviour, right: Behaviour, weights: Weights = DEFAULT_WEIGHTS) -> float:
    return _distance(_read(left), _read(right), weights, {})


def distance_matrix(
    behaviours: Sequence[Behaviour],
    weights: Weights = DEFAULT_WEIGHTS,
    wanted: npt.NDArray[np.bool_] | None = None,
) -> npt.NDArray[np.float64]:
    """Compare all runs, or the wanted pairs of them, with each other: symmetric, 0 on the diagonal and elsewhere."""
    read = [_read(behaviour) for behaviour in behaviours]
    known: Known = {}
    matrix = np.zeros((len(read), len(read)))
    for row, left in enumerate(read):
        for column in range(row) if wanted is None else np.flatnonzero(wanted[row, :row]):
            matrix[row, column] = matrix[column, row] = _distance(left, read[column], weights, known)
    return matrix


def explain(left: Behaviour, right: Behaviour, weights: Weights = DEFAULT_WEIGHTS) -> Explanation:
    """Say what each part contributed to the distance and where it first differs."""
    if left.failure is not None or right.failure is not None:
        return _explain_failure(left.failure, right.failure)
    ours, theirs = _read(left), _read(right)
    parts = tuple(
        PartDistance(part, weight, _DISTANCES[part](ours, theirs, {}), _FIRST[part](ours, theirs))
        for part, weight in _present(ours, theirs, weights)
    )
    return Explanation(_sum(part.contribution for part in parts), parts)


def _explain_failure(left: str | None, right: str | None) -> Explanation:
    if left == right:
        return Explanation(0.0, (PartDistance("failure", 1.0, 0.0, None),))
    return Explanation(1.0, (PartDistance("failure", 1.0, 1.0, FirstDifference("error_class", left, right)),))


def _read(behaviour: Behaviour) -> _ReadBehaviour:
    return _ReadBehaviour(
        behaviour, read_calls(behaviour.calls), as_tree(behaviour.ledger), words(behaviour.text)
    )


def _distance(left: _ReadBehaviour, right: _ReadBehaviour, weights: Weights, known: Known) -> float:
    if left.behaviour.failure is not None or right.behaviour.failure is not None:
        return float(left.behaviour.failure != right.behaviour.failure)
    present = _present(left, right, weights)
    return _sum(weight * _DISTANCES[part](left, right, known) for part, weight in present)


def _present(left: _ReadBehaviour, right: _ReadBehaviour, weights: Weights) -> list[tuple[Part, float]]:
    """List the parts that either run has with their weights, scaled to add up to 1."""
    # Two runs with structured answers and texts, but without calls or changes: 0.4 and 0.1 become 0.8 and 0.2. If
    # half of the answers is the same and the texts are equal, the distance is 0.8 · 0.5 + 0.2 · 0 = 0.4.
    parts = [part for part in PARTS if weights.of(part) > 0 and (left.has(part) or right.has(part))]
    total = sum(weights.of(part) for part in parts)
    return [(part, weights.of(part) / total) for part in parts]


def _sum(contributions: Iterable[float]) -> float:
    return min(1.0, float(sum(contributions)))


def _compare_words(left: _ReadBehaviour, right: _ReadBehaviour, known: Known) -> float:
    return words_distance(left.words, right.words, left.behaviour.text, right.behaviour.text)


_DISTANCES: dict[Part, Callable[[_ReadBehaviour, _ReadBehaviour, Known], float]] = {
    "structured": lambda a, b, _: structured_distance(a.behaviour.structured, b.behaviour.structured),
    "calls": lambda a, b, known: calls_distance(a.calls, b.calls, known),
    "ledger": lambda a, b, _: ledger_distance(a.ledger, b.ledger),
    "text": _compare_words,
}

_FIRST: dict[Part, Callable[[_ReadBehaviour, _ReadBehaviour], FirstDifference | None]] = {
    "structured": lambda a, b: first_structured_difference(a.behaviour.structured, b.behaviour.structured),
    "calls": lambda a, b: first_call_difference(a.calls, b.calls),
    "ledger": lambda a, b: first_ledger_difference(a.ledger, b.ledger),
    "text": lambda a, b: first_text_difference(a.behaviour.text, b.behaviour.text),
}


def most_typical(behaviours: Sequence[Behaviour], weights: Weights = DEFAULT_WEIGHTS) -> int:
    """Find the one nearest to all others; of equals the first."""
    return int(distance_matrix(behaviours, weights).sum(axis=1).argmin())


def mean_contributions(explanations: Sequence[Explanation]) -> dict[Moved, float]:
    """Average what each part adds to the distance."""
    total: dict[Moved, float] = {}
    for explanation in explanations:
        for part in explanation.parts:
            total[part.part] = total.get(part.part, 0.0) + part.contribution
    return {part: share / len(explanations) for part, share in total.items()}
