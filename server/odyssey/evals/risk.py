"""How much is at stake in a scenario, and above which shift its cells are flagged."""

from typing import Literal, get_args

from odyssey.models.document import Thresholds

RiskLevel = Literal["low", "medium", "high", "critical"]
RISK_RANKS: dict[str, int] = {level: rank for rank, level in enumerate(get_args(RiskLevel))}


def by_risk(thresholds: Thresholds) -> dict[RiskLevel, float]:
    return {
        "critical": thresholds.critical,
        "high": thresholds.high,
        "medium": thresholds.medium,
        "low": thresholds.low,
    }


def threshold_of(thresholds: Thresholds, risk_level: RiskLevel) -> float:
    return by_risk(thresholds)[risk_level]
