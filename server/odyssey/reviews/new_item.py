"""An item as it is made: what it is of, and what is known of it at that moment."""

from datetime import datetime
from enum import IntEnum
from typing import Any, NamedTuple, cast

from odyssey.evals.behaviour import DISTANCE_VERSION
from odyssey.evals.incidents import IncidentKind
from odyssey.evals.models import EvalRun, Scenario
from odyssey.evals.scenarios.content import RiskLevel
from odyssey.kit.ids import new_uuid
from odyssey.reviews.schemas import Source
from odyssey.statistics.cells import Reason

# What is looked at first: why an item is in the queue, then the risk of its scenario, then how far it moved.


class Queue(IntEnum):
    """Each comes before the ones below it."""

    confirmed = 0
    """Also an incident that fails a gate by policy or came back on fresh runs."""
    asked = 1
    """Somebody wants it looked at."""
    flagged = 2
    """Also any other incident."""
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


class About(NamedTuple):
    org_id: int
    scenario_id: str
    scenario_name: str
    risk_level: RiskLevel
    variation_type: str | None
    agent_id: int
    agent_version: int
    matrix_id: str | None = None
    rule_set: str | None = None

    @staticmethod
    def of_run(eval_run: EvalRun, scenario: Scenario) -> "About":
        return About(
            org_id=eval_run.org_id,
            scenario_id=scenario.id,
            scenario_name=scenario.name,
            risk_level=cast(RiskLevel, eval_run.risk_level),
            variation_type=eval_run.variation_type,
            agent_id=eval_run.agent_id,
            agent_version=eval_run.agent_version,
            matrix_id=eval_run.matrix_id,
            rule_set=eval_run.rule_set,
        )


class ItemFigures(NamedTuple):
    baseline_run_id: int | None = None
    shift: float | None = None
    interval: list[float] | None = None
    q_value: float | None = None
    match_rate: float | None = None
    """Of a single run 0 or 1."""
    match_runs: int | None = None
    """Of how many runs that is the rate."""
    baseline_match_rate: float | None = None
    baseline_match_runs: int | None = None
    threshold: float | None = None
    confirmed: bool = False
    reason: Reason | None = None
    incident: IncidentKind | None = None
    sentence: str | None = None


def new_item(
    source: Source,
    queue: Queue,
    run_id: int,
    about: About,
    known: ItemFigures,
    created_at: datetime,
    notes: str = "",
) -> dict[str, Any]:
    """Give the row of an item."""
    return {
        **about._asdict(),
        **known._asdict(),
        "id": new_uuid(),
        "source": source,
        "distance_version": DISTANCE_VERSION,
        "rank": rank(queue, about.risk_level, known.shift),
        "run_id": run_id,
        "notes": notes,
        "created_at": created_at,
    }
