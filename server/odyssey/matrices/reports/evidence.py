"""What a report tells beyond the matrix itself: which part of a behaviour moved, and what the runs cost."""

from collections.abc import Mapping
from typing import NamedTuple

from odyssey.matrices.comparisons.schemas import ExplanationOut
from odyssey.matrices.schemas import CellKey


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


class ReportEvidence(NamedTuple):
    explanations: Mapping[CellKey, ExplanationOut]
    cost: Cost | None


NOTHING = ReportEvidence({}, None)
