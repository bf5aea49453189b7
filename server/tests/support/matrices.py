"""Matrices made by hand: five scenarios under seven pressures, with cells of every kind."""

from datetime import UTC, datetime, timedelta
from typing import Any

from odyssey.evals.scenarios.content import RiskLevel, by_risk
from odyssey.evals.variations.catalogue import CATALOGUE
from odyssey.matrices.comparisons.schemas import ExplanationOut, RateOut
from odyssey.matrices.reports.evidence import Cost, ReportEvidence
from odyssey.matrices.schemas import (
    Bands,
    EvalSummary,
    MatrixCell,
    MatrixOut,
    MatrixScenario,
    Progress,
    RuleSetOut,
    Shares,
)
from odyssey.models.document import Thresholds
from odyssey.statistics.cells import band
from odyssey.statistics.intervals import wilson

SCENARIOS: dict[str, RiskLevel] = {
    "Late refund": "critical",
    "Large refund": "high",
    "Lost parcel": "medium",
    "Change of address": "medium",
    "Where is my order?": "low",
}
VARIATIONS = list(CATALOGUE)
STARTED = datetime(2026, 3, 16, 9, 30, tzinfo=UTC)
MATRIX_ID = "7b0c1c1e-5a0e-4d7e-9a55-3f0d2c6f9b11"
REPEATS, BASELINES = 4, 12
FIRST_CALL = {
    "where": "call 3",
    "baseline": None,
    "variation": {"tool": "create_payment", "arguments": {"kind": "refund", "amount_cents": 2400}},
}


def scenario_id(number: int) -> str:
    return f"scn_{number:08x}-0000-4000-8000-000000000000"


def rate(matched: int, runs: int) -> RateOut:
    if not runs:
        return RateOut(share=None, interval=None, matched=0, runs=0)
    return RateOut(share=matched / runs, interval=list(wilson(matched, runs)), matched=matched, runs=runs)


def measured(shift: float = 0.03, **changes: Any) -> dict[str, Any]:
    """Members of a cell that moved so far."""
    floor = 0.08
    members: dict[str, Any] = {
        "state": "measured",
        "reason": None,
        "shift": max(0.0, shift),
        "unclamped": shift,
        "raw_shift": floor + shift * (1 - floor),
        "noise_floor": floor,
        "variation_noise": 0.07,
        "interval": [shift - 0.12, min(1.0, shift + 0.11)],
        "p_value": 0.4,
        "q_value": 0.6,
        "match_rate": rate(4, 4),
        "baseline_match_rate": rate(12, 12),
        "match_q": 1.0,
        "flagged": False,
        "confirmed": False,
        "band": band(max(0.0, shift)),
        "delivery": "delivered",
    }
    return members | changes


def confirmed(shift: float = 0.71, **changes: Any) -> dict[str, Any]:
    found = {
        "reason": "shift_and_match_rate",
        "p_value": 1 / 1820,
        "q_value": 0.0048,
        "match_rate": rate(0, 4),
        "match_q": 0.0192,
        "flagged": True,
        "confirmed": True,
    }
    return measured(shift, **(found | changes))


def flagged(shift: float = 0.64, **changes: Any) -> dict[str, Any]:
    return measured(shift, **({"flagged": True, "p_value": 0.02, "q_value": 0.14} | changes))


def unmeasured(state: str, reason: str | None, **changes: Any) -> dict[str, Any]:
    lacking = dict.fromkeys(
        ("shift", "unclamped", "interval", "p_value", "q_value", "match_q", "band", "variation_noise")
    )
    return measured() | lacking | {"state": state, "reason": reason} | changes


def matrix(
    cells: dict[tuple[int, int], dict[str, Any]] | None = None,
    *,
    scenarios: dict[str, RiskLevel] | None = None,
    variations: list[str] | None = None,
    rule_sets: list[str] | None = None,
    **changes: Any,
) -> MatrixOut:
    """A finished matrix: `cells` names by row and column those that are not as without pressure."""
    of, columns = scenarios or SCENARIOS, variations or VARIATIONS
    made = [
        MatrixScenario(
            id=scenario_id(number),
            version=1,
            name=name,
            risk_level=risk,
            threshold=by_risk(Thresholds())[risk],
        )
        for number, (name, risk) in enumerate(of.items(), start=1)
    ]
    names = [None, *(rule_sets or [])]
    rows = [(scenario, rule_set) for scenario in made for rule_set in names]
    all_cells = [
        _cell(scenario, rule_set, variation, row * len(columns) + column, (cells or {}).get((row, column)))
        for row, (scenario, rule_set) in enumerate(rows)
        for column, variation in enumerate(columns)
    ]
    planned = len(rows) * (BASELINES + len(columns) * REPEATS)
    members: dict[str, Any] = {
        "id": MATRIX_ID,
        "name": "",
        "status": "completed",
        "agent_id": 1,
        "agent_version": 3,
        "agent_name": "Support desk",
        "scenarios": made,
        "variation_types": columns,
        "rule_sets": [RuleSetOut(name=name, failure_rules=[{"tool": "pay"}]) for name in rule_sets or []],
        "repeats": REPEATS,
        "baseline_repeats": BASELINES,
        "placebo": False,
        "delivery": "user",
        "dose": "medium",
        "step": None,
        "seed": 7,
        "distance_version": 2,
        "max_concurrency": 16,
        "parallel": True,
        "budget_runs": None,
        "max_unmeasured": 0.1,
        "min_p": 1 / 1820,
        "warnings": [],
        "progress": Progress(planned=planned, made=planned, ended=planned, missing=0, seconds_left=None),
        "summary": _summary(all_cells),
        "cells": all_cells,
        "provisional": False,
        "changed": [],
        "rerun_of": None,
        "created_at": STARTED,
        "finished_at": STARTED + timedelta(seconds=94),
    }
    return MatrixOut.model_validate(members | changes)


def of_every_kind(**changes: Any) -> MatrixOut:
    """Cells that are confirmed, flagged, amber, insufficient in both ways, undelivered and pending."""
    few = {
        "baseline": [1, 2, 3, 4],
        "variation": [],
        "placebo": [],
        "missing": [5, 6, 7, 8],
        "undelivered": [],
    }
    cells = {
        (0, 1): confirmed(0.58),
        (0, 2): confirmed(0.82),
        (1, 2): confirmed(0.66),
        (1, 1): flagged(0.61),
        (2, 3): measured(0.31),
        (2, 5): unmeasured("insufficient", "too_few_runs", runs=few, match_rate=rate(0, 0)),
        (3, 0): unmeasured("insufficient", "too_noisy", noise_floor=0.86, raw_shift=0.9),
        (3, 4): unmeasured("undelivered", "undelivered", delivery="undelivered", match_rate=rate(0, 0)),
        (4, 6): unmeasured("pending", None),
        (4, 3): unmeasured(
            "insufficient", "match_rate", noise_floor=0.9, confirmed=True, match_q=0.03, match_rate=rate(0, 4)
        ),
        (4, 1): measured(-0.04),
    }
    return matrix(cells, **changes)


def _cell(
    scenario: MatrixScenario, rule_set: str | None, variation: str, number: int, found: dict[str, Any] | None
) -> MatrixCell:
    first = 1000 + number * REPEATS
    members: dict[str, Any] = {
        "scenario_id": scenario.id,
        "variation_type": variation,
        "rule_set": rule_set,
        "threshold": scenario.threshold,
        "pressure_effect": None,
        "runs": {
            "baseline": list(range(1, BASELINES + 1)),
            "variation": list(range(first, first + REPEATS)),
            "placebo": [],
            "missing": [],
            "undelivered": [],
        },
    }
    return MatrixCell.model_validate(members | (found or measured()))


def _summary(cells: list[MatrixCell]) -> EvalSummary:
    bands = [cell.band for cell in cells]
    whole = rate(sum(cell.match_rate.matched for cell in cells), sum(cell.match_rate.runs for cell in cells))
    return EvalSummary(
        match_rate=Shares(
            overall=whole, by_variation={"baseline": rate(60, 60)}, by_risk={"critical": whole}
        ),
        shift=Bands(
            green=bands.count("green"),
            amber=bands.count("amber"),
            red=bands.count("red"),
            insufficient=bands.count(None),
        ),
        flagged=sum(cell.flagged for cell in cells),
        confirmed=sum(cell.confirmed for cell in cells),
    )


def evidence_of(matrix: MatrixOut) -> ReportEvidence:
    """An explanation of every confirmed cell, and a cost."""
    parts = [
        {"part": "effects", "contribution": 0.64, "among_baselines": 0.02, "first_difference": FIRST_CALL},
        {"part": "decision", "contribution": 0.0, "among_baselines": 0.0, "first_difference": None},
        {"part": "text", "contribution": 0.12, "among_baselines": 0.06, "first_difference": None},
    ]
    explained = {"moved": "effects", "baseline_run": 3, "variation_run": 1005, "parts": parts}
    explanations = {
        cell.key: ExplanationOut.model_validate(explained) for cell in matrix.cells if cell.confirmed
    }
    return ReportEvidence(explanations, Cost(203, 412.5, 93.1, 180_400, 22_010, 1.2345, ("policy",)))
