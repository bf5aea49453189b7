"""Wire types of runs."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field

from odyssey.core.wire import Instant
from odyssey.endpoints.cassettes.schemas import ReplayOut
from odyssey.journal.events import EventKind
from odyssey.library.fidelity import FidelityOut
from odyssey.library.named_worlds.schemas import EntityChangeOut
from odyssey.records.tools import CacheUse

Status = Literal["pending", "running", "completed", "failed", "cancelled"]
Verdict = Literal["PASS", "FAIL", "PENDING", "NOT APPLICABLE"]

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


class AttemptOut(BaseModel):
    attempt: int
    outcome: Literal["completed", "failed", "cancelled", "lost", "released", "platform_fault"] | None = Field(
        description="null while it runs. `platform_fault`: our database or the simulator was away; it was made again."
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


class WorldNoteOut(BaseModel):
    sequence: int = Field(description="The step of the trace.")
    tool: str
    kind: Literal["contradiction", "no_answer", "not_understood", "guessed"] = Field(
        description="`contradiction`: the answer contradicts the world. `no_answer`: the world gave none. "
        "`not_understood`: no engine knew what the call means. `guessed`: the answer rests on nothing in the world."
    )
    message: str


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
    world_warning: str | None = Field(
        None,
        description="What the world did badly in this run, in one sentence; null where nothing is to be said. The "
        "verdict is not changed by it.",
    )
    world_notes: list[WorldNoteOut] = Field(
        [], description="The calls of which the warning speaks, the first 20. Older grades have none."
    )
    world_notes_left_off: int = Field(0, description="How many more there are.")
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


class RunsPage(BaseModel):
    items: list[RunSummary]
    next_cursor: str | None


class EventOut(BaseModel):
    sequence: int
    attempt: int
    kind: EventKind = Field(
        description="`forward`: a call went out to a live service. The `tool_call` with its answer follows and names "
        "the forward's sequence as `forward`; without one, the call was sent and nothing is known of its outcome. "
        "`platform_fault`: our database or the simulator model was away or too slow during the attempt, so that it "
        "does not count."
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
