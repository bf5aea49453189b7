"""What a report tells beyond the matrix itself: which part of a behaviour moved, and what the runs cost."""

from collections.abc import Mapping
from typing import NamedTuple

from odyssey.matrices.comparisons.schemas import ExplanationOut
from odyssey.matrices.schemas import MatrixCell


class CellKey(NamedTuple):
    scenario_id: str
    rule_set: str | None
    variation_type: str


def key_of(cell: MatrixCell) -> CellKey:
    return CellKey(cell.scenario_id, cell.rule_set, cell.variation_type)


class Cost(NamedTuple):
    runs: int
    """That were made, repeats of missing ones among them."""
    agent_s: float
    """From dispatch to answer, of all runs together."""
    wall_s: float | None
    """From the first dispatch to the last answer."""
    input_tokens: int | None
    """As the agent says; None where it never does."""
    output_tokens: int | None
    usd: float | None
    models: tuple[str, ...]
    """As the agent names them."""


class Evidence(NamedTuple):
    explanations: Mapping[CellKey, ExplanationOut]
    cost: Cost | None


NOTHING = Evidence({}, None)
