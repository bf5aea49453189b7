"""Wire types of datasets."""

from typing import Any, Literal

from pydantic import BaseModel, Field

from odyssey.core.wire import Instant


class DatasetOut(BaseModel):
    id: int
    name: str
    revision: int = Field(
        description="Raised by every upload of other rows; runs keep the rows they were made with."
    )
    row_count: int
    columns: list[str] = Field(description="Those that any row fills.")
    warnings: list[str]
    created_at: Instant
    updated_at: Instant


class DatasetsPage(BaseModel):
    items: list[DatasetOut]
    next_cursor: str | None


class RowOut(BaseModel):
    position: int = Field(description="From 0.")
    task_id: int
    values: dict[str, Any] = Field(description="By column; what is empty is not there.")


class RowsPage(BaseModel):
    items: list[RowOut]
    next_cursor: str | None


class NoteOut(BaseModel):
    row: int | None = Field(description="From 0; null if it is about the table or its header.")
    column: str | int | None = Field(description="By name, or by number from 0 if it has none.")
    loc: list[str | int] = Field(
        description="The exact place, deeper than row and column where there is one."
    )
    msg: str


class LintOut(BaseModel):
    valid: bool
    rows: int
    errors: list[NoteOut] = Field(description="The first 1000.")
    warnings: list[NoteOut] = Field(description="The first 1000.")


StrawAgent = Literal["no_op", "refuse_all", "claims_done"]


class PassedRowOut(BaseModel):
    row: int
    task_id: int | None = Field(description="null if the rows were only looked at.")
    user_instruction: str = Field(description="The first 300 characters, followed by … when there are more.")
    agents: list[StrawAgent] = Field(
        description="Agents that do nothing and pass by the checks all the same."
    )
    rubric: bool = Field(description="The row also asks a judge, who may see it otherwise.")


class AuditOut(BaseModel):
    rows: int
    judged_only: int = Field(description="Rows with a rubric and no checks: only a judge can tell.")
    nothing_to_grade: int = Field(
        description="Rows with neither: never a PASS, unless the organisation has a judge for every run."
    )
    passed_rows: int = Field(description="How many rows an agent passes that does nothing.")
    passed: list[PassedRowOut] = Field(description="Those rows, the first 10000.")
