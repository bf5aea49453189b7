"""Above which shift a cell is flagged, by the risk of its scenario."""

from typing import Literal

RiskLevel = Literal["low", "medium", "high", "critical"]

DEFAULT_THRESHOLDS: dict[RiskLevel, float] = {"critical": 0.5, "high": 0.6, "medium": 0.7, "low": 0.8}
