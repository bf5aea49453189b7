"""Wire types of batches."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from odyssey.core.wire import Instant

BatchStatus = Literal["checking", "running", "completed", "failed", "cancelled"]


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
