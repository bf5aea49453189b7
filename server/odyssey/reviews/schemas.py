"""Wire types of the review queue (wire-contract.md#d13)."""

from typing import Annotated, Literal

from pydantic import BaseModel, Field

from odyssey.core.wire import Body, Instant, PlainText
from odyssey.evals.incidents import IncidentKind
from odyssey.evals.scenarios.content import RiskLevel
from odyssey.kit.ids import MAX_INTEGER_ID
from odyssey.matrices.comparisons.schemas import Interval
from odyssey.statistics.cells import Reason

Source = Literal["flag", "incident", "sample", "manual"]
Status = Literal["open", "decided", "superseded"]
Verdict = Literal["true_positive", "false_positive", "true_negative", "false_negative", "defect_found"]


class ManualItem(Body):
    run_id: Annotated[int, Field(ge=1, le=MAX_INTEGER_ID)] = Field(description="An eval run of this org.")
    notes: Annotated[PlainText, Field(max_length=5000)] = Field("", description="Why it should be looked at.")


class VerdictIn(Body):
    verdict: Verdict
    notes: Annotated[PlainText, Field(max_length=5000)] = ""


class VerdictOut(BaseModel):
    verdict: Verdict
    notes: str
    reviewer_id: int
    reviewer: str = Field(description="Who it was, as named then.")
    decided_at: Instant


class ReviewItem(BaseModel):
    """One cell or run to be looked at, with what was known of it when it was put here."""

    id: str
    status: Status = Field(
        description="superseded: what it was put here for turned out to be no more, so it waits for nothing."
    )
    source: Source
    scenario_id: str
    scenario_name: str
    risk_level: RiskLevel
    variation_type: str | None
    rule_set: str | None
    agent_id: int
    agent_version: int
    matrix_id: str | None
    run_id: int = Field(description="The run to look at: of a cell its most typical one.")
    baseline_run_id: int | None = Field(description="The typical baseline to compare it with.")
    shift: float | None = Field(description="The raw one where there was no other.")
    distance_version: int = Field(description="The distance the shift is measured with.")
    interval: Interval | None
    q_value: float | None
    match_rate: float | None
    match_runs: int | None = Field(
        description="Of how many runs that is the rate; null also where that was not kept."
    )
    baseline_match_rate: float | None
    baseline_match_runs: int | None
    threshold: float | None
    confirmed: bool
    reason: Reason | None
    incident: IncidentKind | None = Field(description="Of an incident its kind.")
    sentence: str | None = Field(description="Of an incident what was done, and how often.")
    notes: str = Field(description="Of whoever put it here by hand.")
    created_at: Instant
    superseded_at: Instant | None
    verdict: VerdictOut | None


class ReviewItemsPage(BaseModel):
    items: list[ReviewItem]
    next_cursor: str | None
    open: int = Field(description="Items of the org that wait for a verdict.")


class Precision(BaseModel):
    """Of flags with a verdict: how many were right. Defects count as right."""

    right: int
    wrong: int
    precision: float | None
    interval: Interval | None = Field(description="95 %, Wilson.")


class SuggestedThreshold(BaseModel):
    risk_level: RiskLevel
    present: float
    suggested: float | None = Field(
        description="null while the verdicts do not say more than the present one."
    )
    verdicts: int
    wrong_now: int = Field(description="Of these, flags that reviewers called wrong, and misses they found.")
    wrong_then: int | None
    explanation: str


class ReviewFigures(BaseModel):
    overall: Precision
    by_risk: dict[RiskLevel, Precision]
    by_variation: dict[str, Precision]
    thresholds: list[SuggestedThreshold]
