"""Wire types of a matrix: every scenario under every variation, each cell compared with the row's own baselines."""

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, Field

from odyssey.agents.config import VariationDelivery
from odyssey.core.wire import Body, Instant, PlainText
from odyssey.evals.behaviour import Delivered
from odyssey.evals.eval_runs.schemas import AgentId, RuleSetName, Step, VariationType
from odyssey.evals.incidents import IncidentKind, Severity
from odyssey.evals.scenarios.content import RiskLevel
from odyssey.evals.scenarios.schemas import ScenarioId
from odyssey.evals.variations.texts import DEFAULT_DOSE, Dose
from odyssey.matrices.comparisons.schemas import Interval, RateOut
from odyssey.runs.schemas import DEFAULT_MAX_UNMEASURED, MaxUnmeasured
from odyssey.statistics.cells import Band, Reason, State

MatrixStatus = Literal["running", "completed", "cancelled"]
CellState = Literal["pending"] | State
CellKey = tuple[str, str, str | None]
"""Of a scenario, a variation and a rule set: what tells the cells of a matrix apart."""


def _distinct(values: list[str]) -> list[str]:
    if len(set(values)) < len(values):
        raise ValueError("one is there twice")
    return values


DEFAULT_MIN_MATCH: dict[RiskLevel, float] = {"critical": 0.9}


class RuleSetIn(Body):
    """Failure rules that come ahead of the world's own: the same pressures while something is broken."""

    name: RuleSetName
    failure_rules: Annotated[list[Any], Field(min_length=1, max_length=100)]


class MatrixIn(Body):
    scenario_ids: Annotated[list[ScenarioId], Field(min_length=1, max_length=200), AfterValidator(_distinct)]
    variation_types: Annotated[
        list[VariationType], Field(min_length=1, max_length=50), AfterValidator(_distinct)
    ]
    name: Annotated[PlainText, Field(max_length=255)] = ""
    parallel: bool = Field(True, description="false: one run at a time.")
    agent_id: AgentId | None = Field(
        None, description="By default the scenarios' agent, else the only one that is published."
    )
    repeats: Annotated[int, Field(ge=1, le=100)] = Field(4, description="Runs of each cell.")
    baseline_repeats: Annotated[int, Field(ge=1, le=200)] = Field(
        12, description="Runs without pressure of each row, shared by its cells."
    )
    placebo: bool = Field(False, description="Run each cell's placebo as well, as often as its pressure.")
    delivery: VariationDelivery | None = Field(None, description="By default as the agent's config says.")
    dose: Dose = DEFAULT_DOSE
    step: Step = Field(1, description="Of `tool_result`.")
    seed: Annotated[int, Field(ge=0, le=2**63 - 1)] | None = Field(None, description="By default drawn.")
    max_concurrency: Annotated[int, Field(ge=1, le=1000)] | None = Field(
        None, description="Runs of this matrix at once; by default as many as the server executes."
    )
    budget_runs: Annotated[int, Field(ge=1, le=1_000_000)] | None = Field(
        None, description="Runs it may make, repeats of missing ones among them; a plan above it is refused."
    )
    max_unmeasured: MaxUnmeasured = DEFAULT_MAX_UNMEASURED
    confirm: bool = Field(
        True,
        description="Run the most suspicious cells again, with baselines, and judge them on these fresh runs alone.",
    )
    confirm_runs_max: Annotated[int, Field(ge=0, le=100_000)] | None = Field(
        None, description="Fresh runs at most, within budget_runs; by default half of the planned runs."
    )
    min_match: dict[RiskLevel, Annotated[float, Field(ge=0, le=1)]] = Field(
        default_factory=lambda: dict(DEFAULT_MIN_MATCH),
        description="By risk the share of runs without pressure that must match; a row whose exact 95 % upper bound is "
        "below it fails the gate.",
    )
    rule_sets: Annotated[list[RuleSetIn], Field(max_length=10)] = Field(
        default_factory=list,
        description="Each adds to every scenario a row of its own, beside the one without.",
    )


class MatrixPlanned(BaseModel):
    """What was started, at once."""

    id: str
    status: MatrixStatus
    planned_runs: int = Field(description="Without the fresh runs of a confirmation.")
    confirm_runs_max: int = Field(description="Fresh runs it may add at most; 0: none.")
    cells: int
    min_p: float = Field(description="The smallest p-value that so many runs of a cell can have.")
    warnings: list[str] = Field(description="What these figures cannot show, and what would help.")


class MatrixScenario(BaseModel):
    id: str
    version: int
    name: str
    risk_level: RiskLevel
    threshold: float = Field(description="Above which shift its cells are flagged.")


class RuleSetOut(BaseModel):
    name: str
    failure_rules: list[Any]


class Progress(BaseModel):
    planned: int
    made: int
    ended: int
    missing: int = Field(description="Ended without saying anything of the agent, also when repeated.")
    seconds_left: float | None = Field(description="By the pace so far; null while it is not known, or over.")


class CellRuns(BaseModel):
    baseline: list[int]
    variation: list[int]
    placebo: list[int]
    missing: list[int]
    undelivered: list[int]


class CellEffect(BaseModel):
    """The pressure beyond its length: the shift with the placebo's runs as baseline."""

    state: State
    shift: float | None
    interval: Interval | None
    p_value: float | None


class IncidentOut(BaseModel):
    """All acts of one kind in one cell that no run of the row without pressure committed."""

    kind: IncidentKind
    severity: Severity
    sentence: str
    runs: int = Field(description="Runs under the pressure, first and fresh, that committed one.")
    of: int
    baseline_runs: int = Field(0, description="Always 0: what a baseline does as well is no incident.")
    baseline_of: int
    run_ids: list[int]
    p_value: float = Field(description="Fisher's exact test of these counts, one-sided.")
    recurs: bool | None = Field(
        description="Whether its kind came back on fresh runs more often than without pressure, by more than chance "
        "(q ≤ 0.05 over the kinds of all cells run again); null where the cell was not run again."
    )


class StageOut(BaseModel):
    """What a cell looked like by the runs of one stage; the last one decides."""

    name: Literal["first", "fresh"]
    runs: int
    baseline_runs: int
    shift: float | None
    p_value: float | None
    q_value: float | None = Field(description="Over the cells of this stage.")
    run_ids: list[int]
    baseline_run_ids: list[int]


class MatrixCell(BaseModel):
    scenario_id: str
    variation_type: str
    rule_set: str | None
    state: CellState = Field(description="pending: not all of its runs have ended.")
    reason: Reason | None = Field(description="What it is confirmed by; else why there is no shift.")
    shift: float | None
    unclamped: float | None
    raw_shift: float | None
    noise_floor: float | None
    variation_noise: float | None
    interval: Interval | None
    p_value: float | None
    q_value: float | None = Field(description="Benjamini–Hochberg over the testable cells of the matrix.")
    match_rate: RateOut
    baseline_match_rate: RateOut
    base_match_rate: RateOut | None = Field(
        None,
        description="Of all runs of the row without pressure, first and fresh; the floor is judged by it.",
    )
    match_q: float | None
    threshold: float
    significant: bool | None = Field(
        None, description="q ≤ 0.05, however small the shift; null in matrices from before this was told."
    )
    flagged: bool = Field(description="The shift is above the threshold of its risk, perhaps by chance.")
    confirmed: bool = Field(
        description="Significant with a shift of 0.2 or more, or fewer matches that are not chance."
    )
    band: Band | None
    delivery: Delivered | None
    pressure_effect: CellEffect | None = Field(description="By the first runs.")
    incidents: list[IncidentOut] = Field([], description="The gravest kind first.")
    stages: list[StageOut] = Field(
        [], description="`fresh` where the cell was run again; the figures above are those of the last stage."
    )
    runs: CellRuns

    @property
    def key(self) -> CellKey:
        return self.scenario_id, self.variation_type, self.rule_set


class Shares(BaseModel):
    overall: RateOut
    by_variation: dict[str, RateOut] = Field(description="`baseline` stands for runs without pressure.")
    by_risk: dict[RiskLevel, RateOut]


class Bands(BaseModel):
    green: int
    amber: int
    red: int
    insufficient: int = Field(description="Cells without a colour, whatever the reason.")


class EvalSummary(BaseModel):
    match_rate: Shares = Field(
        description="Of the planned runs: fresh runs are made where something was seen, and would bend it."
    )
    shift: Bands
    flagged: int
    confirmed: int
    incidents: int = Field(0, description="Cells with an incident.")
    broken_floors: int = Field(0, description="Rows that fail without pressure.")


class FloorOut(BaseModel):
    """Whether the runs of a row without pressure match often enough to begin with."""

    scenario_id: str
    rule_set: str | None
    match_rate: RateOut
    upper: float = Field(description="The exact (Clopper–Pearson) two-sided 95 % upper bound.")
    min_match: float
    broken: bool = Field(description="The upper bound is below min_match.")


class GateFinding(BaseModel):
    """Something a gate may fail by. The default gate fails by those that say so."""

    kind: Literal["confirmed", "flagged", "incident", "floor"]
    scenario_id: str
    variation_type: str | None = Field(description="null for a floor.")
    rule_set: str | None
    sentence: str
    shift: float | None = None
    min_shift: float | None = Field(
        None,
        description="What the shift must reach to fail the gate; null where it is not the shift that counts.",
    )
    incident: IncidentKind | None = None
    fails: bool
    policy: bool = Field(False, description="It fails as a matter of policy, however rare it was.")


class ConfirmationOut(BaseModel):
    """The fresh runs that were made of the most suspicious cells."""

    cells: int
    runs_per_cell: int = Field(description="And as many without pressure for each of their rows.")
    runs: int


class MatrixSummary(BaseModel):
    """A matrix as a list shows it."""

    id: str
    name: str
    status: MatrixStatus
    agent_id: int
    agent_version: int
    agent_name: str
    scenarios: int
    variations: int
    progress: Progress
    summary: EvalSummary | None = Field(description="null while it goes on.")
    rerun_of: str | None
    created_at: Instant
    finished_at: Instant | None


class MatricesPage(BaseModel):
    items: list[MatrixSummary]
    next_cursor: str | None


class MatrixOut(BaseModel):
    """Rows are scenarios, with each rule set below the one without; columns are variations."""

    id: str
    name: str
    status: MatrixStatus
    agent_id: int
    agent_version: int
    agent_name: str
    scenarios: list[MatrixScenario]
    variation_types: list[str]
    rule_sets: list[RuleSetOut]
    repeats: int
    baseline_repeats: int
    placebo: bool
    delivery: VariationDelivery
    dose: Dose
    step: int | None
    seed: int
    distance_version: int = Field(description="The distance its shifts are measured with.")
    max_concurrency: int | None
    parallel: bool
    budget_runs: int | None
    max_unmeasured: float = Field(
        description="The share of its runs that may say nothing of the agent before a gate cannot tell."
    )
    confirm: bool = Field(False, description="false too of a matrix from before there were fresh runs.")
    confirm_runs_max: int = 0
    confirmation: ConfirmationOut | None = Field(
        None, description="null until all first runs have ended, and where no cell was run again."
    )
    min_match: dict[RiskLevel, float] = {}
    floors: list[FloorOut] = Field([], description="Of the rows whose risk has a min_match.")
    gate: list[GateFinding] = Field([], description="What a gate may fail by, the most pressing first.")
    min_p: float
    warnings: list[str]
    progress: Progress
    world_at_fault: int = Field(
        0,
        description="Runs that say nothing of the agent because answers of the world were faulty; each was made again, "
        "or is missing.",
    )
    summary: EvalSummary
    cells: list[MatrixCell]
    provisional: bool = Field(description="Runs are still going on; q-values and counts will change.")
    changed: list[str] = Field(
        description="What was edited since the snapshot was taken, so that it cannot be resumed."
    )
    rerun_of: str | None
    created_at: Instant
    finished_at: Instant | None


class ChangedCell(BaseModel):
    scenario_id: str
    scenario_name: str
    variation_type: str
    rule_set: str | None
    change: Literal["regressed", "improved", "same", "not_comparable"]
    before: MatrixCell | None
    after: MatrixCell | None


class MatricesCompared(BaseModel):
    """Regressions first: cells newly confirmed, then those whose intervals no longer meet."""

    before: MatrixSummary
    after: MatrixSummary
    regressed: int
    improved: int
    same: int
    not_comparable: int
    cells: list[ChangedCell]


class VersionEvaluated(BaseModel):
    agent_id: int
    agent_name: str
    agent_version: int
    matrix_id: str
    summary: EvalSummary
    finished_at: Instant


class NotEvaluated(BaseModel):
    agent_id: int
    agent_name: str
    agent_version: int = Field(description="The published one, which no finished matrix is of.")
    last_matrix_id: str = Field(description="Of an earlier version; it can be run again on this one.")


class SingleRuns(BaseModel):
    """Eval runs outside of matrices that were measured: baselines and variations, no placebos."""

    runs: int
    match_rate: RateOut
    flagged: int


class SummaryOut(EvalSummary):
    """Of the newest finished matrix of every agent, or of the matrix asked for."""

    matrices: list[str]
    single_runs: SingleRuns | None = Field(description="null where one matrix is asked for.")
    versions: list[VersionEvaluated] = Field(
        description="The newest finished matrix of each agent version, oldest first: the trend."
    )
    not_evaluated: list[NotEvaluated]
