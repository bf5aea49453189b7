"""Wire types of a batch's rows, and of two batches side by side."""

from typing import Literal

from pydantic import BaseModel, Field

from odyssey.batches.schemas import BatchOut, EstimateOut, PassKOut
from odyssey.runs.schemas import Status, Verdict


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
