"""What the verdicts so far say: how often flags were right, and whether other thresholds would do better."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import get_args

from odyssey.evals.eval_runs.repository import BASELINE
from odyssey.evals.scenarios.content import RiskLevel
from odyssey.reviews.repository import DecidedItem
from odyssey.reviews.schemas import Precision, ReviewFigures, SuggestedThreshold
from odyssey.statistics.intervals import wilson
from odyssey.statistics.thresholds import ShiftVerdict, suggest_threshold

_SHOULD_BE_FLAGGED = {"true_positive", "false_negative", "defect_found"}
_RISKS: tuple[RiskLevel, ...] = get_args(RiskLevel)[::-1]


def figures(decided: Sequence[DecidedItem], thresholds: dict[RiskLevel, float]) -> ReviewFigures:
    flags = [item for item in decided if item.source == "flag"]
    by_variation: dict[str, list[DecidedItem]] = defaultdict(list)
    for item in flags:
        by_variation[item.variation_type or BASELINE].append(item)
    return ReviewFigures(
        overall=_precision(flags),
        by_risk={risk: _precision(item for item in flags if item.risk_level == risk) for risk in _RISKS},
        by_variation={name: _precision(by_variation[name]) for name in sorted(by_variation)},
        thresholds=[_suggested(decided, risk, thresholds[risk]) for risk in _RISKS],
    )


def _precision(flags: Iterable[DecidedItem]) -> Precision:
    calls = [item.verdict in _SHOULD_BE_FLAGGED for item in flags]
    right = sum(calls)
    return Precision(
        right=right,
        wrong=len(calls) - right,
        precision=right / len(calls) if calls else None,
        interval=list(wilson(right, len(calls))) if calls else None,
    )


def _suggested(decided: Sequence[DecidedItem], risk: RiskLevel, present: float) -> SuggestedThreshold:
    verdicts = [
        ShiftVerdict(item.shift, item.verdict in _SHOULD_BE_FLAGGED)
        for item in decided
        if item.risk_level == risk and item.shift is not None and _tells_of_thresholds(item)
    ]
    found = suggest_threshold(verdicts, present)
    return SuggestedThreshold(risk_level=risk, **found._asdict(), explanation=found.explanation)


def _tells_of_thresholds(item: DecidedItem) -> bool:
    """Leave out raw shifts, which have the agent's noise in them, and what is here whatever the threshold is.

    That are incidents, cells confirmed by their matches, and confirmed cells whose shift is not above their threshold.
    """
    if not item.is_measured or item.source == "incident" or item.reason == "match_rate":
        return False
    return not item.confirmed or _is_flagged(item)


def _is_flagged(item: DecidedItem) -> bool:
    return item.shift is not None and item.threshold is not None and item.shift > item.threshold
