"""Wire types of requests for runs, and of the batches they make."""

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, WithJsonSchema

from odyssey.core.depends import existing_id
from odyssey.core.wire import Body, Instant, pack
from odyssey.endpoints.cassettes.schemas import ReplayIn
from odyssey.library.behaviours import BEHAVIOR_SCHEMA, RowProblemOut
from odyssey.records.tools import CacheUse
from odyssey.runs.schemas import DEFAULT_MAX_UNMEASURED, MaxUnmeasured, RunSummary, Status, Verdict

_SEED_SCHEMA = {
    "type": "object",
    "required": ["user_instruction"],
    "properties": {
        "user_instruction": {"type": "string", "minLength": 1},
        "behavior_instructions": BEHAVIOR_SCHEMA,
        "initial_state": {"type": "object"},
        "failure_rules": {"type": "array", "items": {"type": "object"}},
        "expected_outcome": {"enum": ["completion", "refusal"]},
        "input": {"type": "object"},
        "checks": {"type": "array", "items": {"type": "object"}},
        "checks_version": {
            "enum": [1, 2],
            "description": "Of the meaning of checks; 1: a call that failed counts as done. Default 2.",
        },
        "rubric": {"type": "array", "items": {"type": "object"}, "description": "Questions for the judge."},
        "random_seed": {"type": "integer"},
        "world_id": {
            "type": "integer",
            "description": "A named world, instead of initial_state, behavior_instructions and failure_rules.",
        },
    },
}

BatchStatus = Literal["checking", "running", "completed", "failed", "cancelled"]


class RunsIn(Body):
    agent_id: Annotated[int, Field(ge=1), AfterValidator(existing_id)]
    seeds: Annotated[
        list[Any],
        Field(min_length=1, max_length=1000),
        AfterValidator(pack),
        WithJsonSchema({"type": "array", "minItems": 1, "maxItems": 1000, "items": _SEED_SCHEMA}),
    ] = Field(default_factory=list)
    dataset_id: Annotated[int, Field(ge=1), AfterValidator(existing_id)] | None = Field(
        None, description="Run every row of a dataset, instead of seeds."
    )
    repeats: Annotated[int, Field(ge=1, le=100)] = Field(
        1,
        description="How often each seed or row is run; repeats share the task and draw their own random seeds.",
    )
    cassette: ReplayIn | None = Field(
        None, description="Play the passthrough tools of all these runs from a cassette, without the network."
    )
    max_unmeasured: MaxUnmeasured = DEFAULT_MAX_UNMEASURED
    simulator_cache: CacheUse = Field(
        "use",
        description="Whether answers that a model gave to the same call on the same world may, must or must not be "
        "given again.",
    )


class ValidatedRuns(BaseModel):
    valid: Literal[True] = True
    runs: int = Field(description="How many runs the request would start.")
    publish_first: bool = Field(
        description="The agent is a draft: its newest version was checked, and it must be published before it runs."
    )
    behavior_problems: list[RowProblemOut] = Field(
        description="Lines of behaviours that this agent's version would not understand: the first 100, of a dataset "
        "those of its first 1000 rows."
    )


class PingOut(BaseModel):
    ok: bool
    status: int | None = Field(description="HTTP status of the answer; null when there was none.")
    error_class: str | None
    latency_ms: int
    detail: str


class RunCounts(BaseModel):
    pending: int = Field(description="Those that are still to be made are among them.")
    running: int
    completed: int
    failed: int
    cancelled: int


class VerdictCounts(BaseModel):
    model_config = ConfigDict(populate_by_name=True)

    passed: int = Field(0, alias="PASS")
    failed: int = Field(0, alias="FAIL")
    pending: int = Field(0, alias="PENDING")
    not_applicable: int = Field(0, alias="NOT APPLICABLE")


class EstimateOut(BaseModel):
    share: float
    interval: tuple[float, float] = Field(description="95 % of such intervals hold the true value.")


class PassKOut(EstimateOut):
    """The share of tasks of which k runs in a row pass, without bias."""

    k: int
    tasks: int = Field(description="Tasks with at least k runs that passed or failed.")
    left_out: int = Field(description="Tasks with fewer, none, or no run made at all.")


class BatchOut(BaseModel):
    id: int
    agent_id: int
    agent_version: int
    agent_name: str = Field(description="The name in the version that ran.")
    dataset_id: int | None
    dataset_name: str | None
    revision: int | None = Field(description="Of the dataset, when the batch was made.")
    repeats: int
    status: BatchStatus = Field(description="`checking`: the agent is pinged; nothing is dispatched yet.")
    error_class: str | None = Field(description="Why the ping failed, and all the runs with it.")
    ping: PingOut | None
    planned_runs: int
    made_runs: int = Field(description="Runs are made while the batch goes on.")
    runs: RunCounts
    verdicts: VerdictCounts
    failure_modes: dict[str, int]
    pass_rate: EstimateOut | None = Field(
        description="The share of runs that passed among those that passed or failed, every task weighing the same."
    )
    pass_k: list[PassKOut]
    max_unmeasured: float = Field(
        description="The share of its runs that may say nothing of the agent before a gate cannot tell."
    )
    cost_usd: float
    created_at: Instant
    finished_at: Instant | None


class BatchesPage(BaseModel):
    items: list[BatchOut]
    next_cursor: str | None


class RunsCreated(BaseModel):
    runs: list[RunSummary] = Field(
        description="Those that are made at once: one of each seed, or of the first 200 rows. The batch tells of all."
    )
    batch: BatchOut | None = Field(description="null for a single run of a seed, which goes alone.")


# Wire types of a batch's rows, and of two batches side by side.


class RowRunOut(BaseModel):
    id: int
    repeat: int
    status: Status
    verdict: Verdict
    failure_mode: str | None


class BatchRowOut(BaseModel):
    row: int = Field(description="Position in the dataset or in the request's seeds, from 0.")
    task_id: int
    user_instruction: str = Field(description="The first 300 characters, followed by … when there are more.")
    expected_outcome: str
    passes: int
    fails: int
    pending: int
    not_applicable: int
    runs: list[RowRunOut] = Field(description="Those that were made, by repeat.")


class BatchRowsPage(BaseModel):
    items: list[BatchRowOut]
    next_cursor: str | None


class SideOut(BaseModel):
    """One of two batches, in the rows that both have graded."""

    batch: BatchOut
    pass_rate: EstimateOut | None
    pass_k: list[PassKOut]


class RowResultOut(BaseModel):
    task_id: int
    row: int
    passes: int
    runs: int = Field(description="Those that passed or failed.")


RowKind = Literal["regression", "improvement", "same", "ungraded"]


class ComparedRowOut(BaseModel):
    row: int = Field(description="Position in the first batch.")
    user_instruction: str
    a: RowResultOut
    b: RowResultOut
    difference: float | None = Field(description="Pass rate of b less that of a; null where either has none.")
    kind: RowKind


class ComparisonOut(BaseModel):
    a: SideOut
    b: SideOut
    difference: EstimateOut | None = Field(
        description="Pass rate of b less that of a over the rows that both have graded, paired by row."
    )
    rows: list[ComparedRowOut] = Field(description="Regressions first, the greatest first.")
    next_cursor: str | None
    regressions: int
    improvements: int
    same: int
    ungraded: int = Field(description="Rows of both that one of them has not graded.")
    only_in_a: int
    only_in_b: int
