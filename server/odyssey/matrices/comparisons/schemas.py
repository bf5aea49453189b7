"""Wire types of a comparison: one cell, with all that can be said of it."""

from typing import Annotated

from pydantic import BaseModel, Field, StringConstraints

from odyssey.agents.config import VariationDelivery
from odyssey.core.wire import Body
from odyssey.evals.behaviour import Delivered
from odyssey.evals.distance import Part
from odyssey.evals.eval_runs.schemas import (
    AgentId,
    DiffersOut,
    RuleSetName,
    Step,
    VariationType,
)
from odyssey.evals.scenarios.content import RiskLevel
from odyssey.evals.scenarios.schemas import ScenarioId
from odyssey.evals.variations.texts import DEFAULT_DOSE, Dose
from odyssey.kit.ids import MAX_INTEGER_ID
from odyssey.statistics.cells import Band, Reason, State

MOST_RUNS = 100

_RunIds = Annotated[list[Annotated[int, Field(ge=1, le=MAX_INTEGER_ID)]], Field(max_length=MOST_RUNS)]
_MatrixId = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$")]
Version = Annotated[int, Field(ge=1, le=2**31 - 1)]
Interval = Annotated[list[float], Field(min_length=2, max_length=2)]


class CompareIn(Body):
    """Runs are found by what they are of; or they are named, each list for itself.

    A run that stands in for a named one counts as named.
    """

    scenario_id: ScenarioId
    variation_type: VariationType
    agent_id: AgentId | None = Field(
        None, description="By default the scenario's agent, else the only one that is published."
    )
    agent_version: Version | None = Field(None, description="By default the published one.")
    scenario_version: Version | None = Field(None, description="By default the present one.")
    matrix_id: _MatrixId | None = Field(
        None, description="Runs of this matrix; by default those that were asked for by themselves."
    )
    rule_set: RuleSetName | None = Field(
        None, description="Runs under this rule set of the matrix; by default those under none."
    )
    delivery: VariationDelivery | None = Field(None, description="By default as the agent's config says.")
    dose: Dose = DEFAULT_DOSE
    step: Step = Field(1, description="Of `tool_result`.")
    baseline_runs: _RunIds | None = None
    variation_runs: _RunIds | None = None
    placebo_runs: _RunIds | None = None
    seed: Annotated[int, Field(ge=0, le=2**63 - 1)] = Field(
        0, description="Of random relabellings and intervals."
    )


class RateOut(BaseModel):
    share: float | None = Field(description="null where no run was matched.")
    interval: Interval | None = Field(description="95 %, Wilson.")
    matched: int
    runs: int


class PressedPassK(BaseModel):
    k: int
    baseline: float
    variation: float
    lost: float = Field(description="How much less often k runs in a row match under the pressure.")
    lost_interval: Interval = Field(
        description="95 %: Wilson's intervals of both match rates to the power of k, "
        "subtracted by Newcombe's square-and-add."
    )


class ShiftOut(BaseModel):
    state: State
    reason: Reason | None = Field(description="What it is confirmed by; else why there is no shift.")
    shift: float | None = Field(
        description="0: as without pressure, 1: wholly different, whatever the noise."
    )
    unclamped: float | None
    raw_shift: float | None
    noise_floor: float | None
    interval: Interval | None = Field(description="95 % bootstrap over runs, of the unclamped shift.")
    p_value: float | None


class MovedOut(BaseModel):
    part: Part
    contribution: float = Field(description="To the distance between variation and baseline runs.")
    among_baselines: float = Field(description="To the distance among baseline runs: its noise.")
    first_difference: DiffersOut | None = Field(description="Between the two runs named below.")


class ExplanationOut(BaseModel):
    moved: Part | None = Field(description="The part that moved most beyond its noise.")
    baseline_run: int = Field(description="The one nearest to the other baselines.")
    variation_run: int = Field(description="The one nearest to the other runs under the pressure.")
    parts: list[MovedOut]


class ComparedRuns(BaseModel):
    baseline: list[int]
    variation: list[int]
    placebo: list[int]
    pending: list[int] = Field(description="They have not ended yet.")
    missing: list[int] = Field(
        description="Cancelled, or failed in a way that says nothing of the agent; those that failed are repeated once."
    )
    undelivered: list[int] = Field(description="The text did not reach the agent.")
    other_wording: list[int] = Field(
        description="Single runs from before the variation was reworded. They are left out: name them in "
        "`variation_runs` to compare them.",
    )


class CompareOut(ShiftOut):
    scenario_id: str
    scenario_version: int
    risk_level: RiskLevel
    agent_id: int
    agent_version: int
    rule_set: str | None
    variation_type: str
    dose: Dose
    requested_delivery: VariationDelivery
    delivery: Delivered | None = Field(description="The weakest evidence among its runs; null without any.")
    q_value: float | None
    match_rate: RateOut
    baseline_match_rate: RateOut
    match_q: float | None
    variation_noise: float | None = Field(description="Mean distance among runs under the pressure.")
    threshold: float
    significant: bool = Field(description="q ≤ 0.05, however small the shift.")
    flagged: bool
    confirmed: bool = Field(
        description="Significant with a shift of 0.2 or more, or fewer matches that are not chance."
    )
    band: Band | None
    min_p: float | None = Field(description="The smallest p-value that so many runs can have.")
    pass_k: list[PressedPassK]
    pressure_effect: ShiftOut | None = Field(
        description="The shift with placebo runs as baseline; null without any."
    )
    explanation: ExplanationOut | None
    runs: ComparedRuns


class CellSummary(BaseModel):
    """The runs of a scenario that are alike in everything but the seed."""

    scenario_version: int
    agent_id: int
    agent_version: int
    rule_set: str | None = Field(description="Of the matrix; null: none.")
    variation_type: str | None = Field(description="null: baselines.")
    dose: Dose | None
    delivery: VariationDelivery | None
    step: int | None
    runs: int = Field(description="They have ended and say something of the agent.")
    placebo_runs: int
    pending: int = Field(description="They have not ended yet, placebos among them.")
    latest_run: int
    fresh_runs: int = Field(
        description="How many of the runs were made to judge the cell again: a comparison is of these alone."
    )


class CellSource(BaseModel):
    """A matrix that has runs of a scenario."""

    matrix_id: str
    latest_run: int
    runs: int = Field(description="Those of the scenario that were measured.")


class ScenarioCells(BaseModel):
    items: list[CellSummary] = Field(description="The newest first, 500 at most.")
    matrices: list[CellSource] = Field(
        description="Where else the scenario has runs, whichever cells are asked for; the newest first, 50 at most."
    )
