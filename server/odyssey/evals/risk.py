"""How much is at stake in a scenario, and above which shift its cells are flagged."""

from typing import Literal

from odyssey.models.document import Thresholds

RiskLevel = Literal["low", "medium", "high", "critical"]


def threshold_of(thresholds: Thresholds, risk_level: RiskLevel) -> float:
    by_risk: dict[RiskLevel, float] = {
        "critical": thresholds.critical,
        "high": thresholds.high,
        "medium": thresholds.medium,
        "low": thresholds.low,
    }
    return by_risk[risk_level]
