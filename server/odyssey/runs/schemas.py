"""Wire types of runs."""

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, Field, WithJsonSchema

from odyssey.core.depends import existing_id
from odyssey.core.wire import Body, Instant, pack
from odyssey.endpoints.cassettes.schemas import ReplayIn, ReplayOut
from odyssey.journal.events import EventKind
from odyssey.library.behaviours import BEHAVIOR_SCHEMA, RowProblemOut
from odyssey.library.fidelity import FidelityOut
from odyssey.library.named_worlds.schemas import EntityChangeOut
from odyssey.records.tools import CacheUse
from odyssey.runs.batches.schemas import BatchOut

Status = Literal["pending", "running", "completed", "failed", "cancelled"]
Verdict = Literal["PASS", "FAIL", "PENDING", "NOT APPLICABLE"]

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
        "rubric": {"type": "array", "items": {"type": "object"}, "description": "Questions for the judge."},
        "random_seed": {"type": "integer"},
        "world_id": {
            "type": "integer",
            "description": "A named world, instead of initial_state, behavior_instructions and failure_rules.",
        },
    },
}


DEFAULT_MAX_UNMEASURED = 0.1
MaxUnmeasured = Annotated[
    float,
    Field(
        ge=0,
        le=1,
        allow_inf_nan=False,
        description="The share of runs that may say nothing of the agent before a gate cannot tell.",
    ),
]


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


class AttemptOut(BaseModel):
    attempt: int
    outcome: Literal["completed", "failed", "cancelled", "lost", "released", "platform_fault"] | None = Field(
        description="null while it runs. `platform_fault`: our database was away during it, so it was made again."
    )
    started_at: Instant
    ended_at: Instant | None


class RunSummary(BaseModel):
    id: int
    status: Status
    verdict: Verdict
    failure_mode: str | None = Field(
        description="Why it failed, in one word; null unless it did or grading did."
    )
    score: float | None = Field(description="Share of checks and of the rubric that it passed, 0 to 1.")
    cost_usd: float = Field(description="What models cost that simulated its tools or graded it.")
    error_class: str | None
    agent_id: int
    agent_version: int
    agent_name: str = Field(description="The name in the version that ran.")
    task_id: int
    batch_id: int | None
    repeat: int = Field(description="Which of the task's repeats in its batch, from 1.")
    dataset_id: int | None
    row: int | None = Field(description="Position of the task in its dataset, from 0.")
    user_instruction: str = Field(description="The first 300 characters, followed by … when there are more.")
    random_seed: int
    final_response: str | None
    soft_warnings: list[str]
    tool_calls: int = Field(description="Answered calls of the last attempt; 0 until it is over.")
    violations: int = Field(description="What of its simulated answers contradicted the world.")
    attempts: list[AttemptOut]
    created_at: Instant
    started_at: Instant | None
    finished_at: Instant | None


class CheckOut(BaseModel):
    index: int | None = Field(description="Position in the row's checks; null for one that is built in.")
    kind: str
    check: dict[str, Any] | None = Field(description="As it was given.")
    state: Literal["passed", "failed", "error"] = Field(description="`error`: the check itself broke.")
    reason: str
    sequence: int | None = Field(description="The step of the trace that decided it.")


class ClaimOut(BaseModel):
    tool: str
    claimed: int
    observed: int


class AnswerOut(BaseModel):
    id: str
    question: str
    answer: Any
    passed: bool
    score: float
    reason: str


class JudgeOut(BaseModel):
    state: Literal["answered", "skipped", "failed"]
    passed: bool | None
    score: float | None
    answers: list[AnswerOut]
    claimed_actions: list[str]
    reason: str
    provider: str | None
    model: str | None
    input_tokens: int
    output_tokens: int
    cost_usd: float
    raw_answer: str | None
    version: str


class GradeOut(BaseModel):
    number: int
    attempt: int
    verdict: Verdict
    score: float | None
    failure_mode: str | None
    reason: str
    checks: list[CheckOut]
    claims: list[ClaimOut] = Field(description="Calls the transcript claims and the proxy never saw.")
    judge: JudgeOut | None
    graders: dict[str, str] = Field(description="Versions of the graders.")
    cost_usd: float
    created_at: Instant


class RunOut(RunSummary):
    grades: list[GradeOut] = Field(description="Every verdict it was given, newest last.")
    error_json: dict[str, Any] | None
    messages: list[dict[str, Any]] | None
    metadata: dict[str, Any] | None
    odyssey_seed: dict[str, Any] = Field(
        description="What the task was seeded with, by axis. With `world_id` the world as it was then."
    )
    fidelity: FidelityOut | None = Field(
        description="How faithful the engine was found to be on the state this run began with."
    )
    cassette: ReplayOut | None = Field(
        description="What its passthrough tools are played from; null where they are asked."
    )
    simulator_cache: CacheUse = Field(
        description="Whether a model's earlier answers may, must or must not serve."
    )


class RunsCreated(BaseModel):
    runs: list[RunSummary] = Field(
        description="Those that are made at once: one of each seed, or of the first 200 rows. The batch tells of all."
    )
    batch: BatchOut | None = Field(description="null for a single run of a seed, which goes alone.")


class RunsPage(BaseModel):
    items: list[RunSummary]
    next_cursor: str | None


class EventOut(BaseModel):
    sequence: int
    attempt: int
    kind: EventKind = Field(
        description="`forward`: a call went out to a live service. The `tool_call` with its answer follows and names "
        "the forward's sequence as `forward`; without one, the call was sent and nothing is known of its outcome. "
        "`platform_fault`: our database was away or too slow during the attempt, so that it does not count."
    )
    occurred_at: str
    actor_id: str | None
    data: dict[str, Any] = Field(
        description="Of a `tool_call`, `started_at` and `ended_at` say when it arrived and when it was answered. Calls "
        "that an earlier version recorded have `latency_ms` only; counted refusals have neither."
    )


class TracePage(BaseModel):
    items: list[EventOut]
    next_cursor: str | None


class LedgerOut(BaseModel):
    sequence: int
    attempt: int
    hash: str
    state: dict[str, dict[str, dict[str, Any]]]
    flags: list[str]


class LedgerDiffOut(BaseModel):
    attempt: int
    from_sequence: int = Field(serialization_alias="from")
    to_sequence: int = Field(serialization_alias="to")
    changes: list[EntityChangeOut]
    flags_set: list[str]
    flags_cleared: list[str]
