"""How much two structured answers differ."""

from typing import Any

from odyssey.evals.parts.differs import Differs
from odyssey.evals.parts.json_overlap import first_json_difference, overlap_distance


def structured_distance(left: dict[str, Any] | None, right: dict[str, Any] | None) -> float:
    """An answer without a structure has nothing in common with one that has it."""
    if left is None or right is None:
        return 0.0 if left is right else 1.0
    return overlap_distance(left, right)


def first_structured_difference(left: dict[str, Any] | None, right: dict[str, Any] | None) -> Differs | None:
    return first_json_difference(left, right)
