"""What is looked at first: why an item is in the queue, then the risk of its scenario, then how far it moved."""

from enum import IntEnum

from odyssey.evals.scenarios.content import RiskLevel


class Queue(IntEnum):
    """Each comes before the ones below it."""

    confirmed = 0
    asked = 1
    """Somebody wants it looked at."""
    flagged = 2
    unsure = 3
    """A flagged cell of which too little is known to measure it."""
    single = 4
    """A run that was flagged by itself."""
    sample = 5


_RISKS: tuple[RiskLevel, ...] = ("critical", "high", "medium", "low")
_STEPS = 1_000_000
"""What is told apart of a shift from 0 to 1."""


def rank(queue: Queue, risk_level: RiskLevel, shift: float | None) -> int:
    """Give its place; lower ones come first."""
    near = _STEPS - round(min(1.0, max(0.0, shift or 0.0)) * _STEPS)
    return (queue * len(_RISKS) + _RISKS.index(risk_level)) * (_STEPS + 1) + near
