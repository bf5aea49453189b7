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


UngradableReason = Literal["nothing_to_grade_by", "no_judge_model"]


class UngradableRowOut(BaseModel):
    row: int
    task_id: int | None = Field(description="null if the rows were only looked at.")
    user_instruction: str = Field(description="The first 300 characters, followed by … when there are more.")
    reason: UngradableReason = Field(
        description="`nothing_to_grade_by`: no checks, no rubric, no refusal to expect and no judge model, so its runs "
        "get no verdict. `no_judge_model`: a rubric and nobody to ask, so its runs are NOT APPLICABLE unless a check "
        "fails."
    )


class UngradableOut(BaseModel):
    ungradable_rows: int = Field(
        description="How many rows can never get a PASS as the organisation is set up now."
    )
    ungradable: list[UngradableRowOut] = Field(description="Those rows, the first 1000.")


class LintOut(BaseModel):
    valid: bool
    rows: int
    errors: list[NoteOut] = Field(description="The first 1000.")
    warnings: list[NoteOut] = Field(description="The first 1000.")
    hints: list[NoteOut] = Field(
        description="What would make sound rows stricter, such as what their checks do not notice. The first 1000."
    )
    ungradable: UngradableOut = Field(description="Of the rows that are without fault.")


StrawAgent = Literal[
    "no_op",
    "refuse_all",
    "claims_done",
    "past_tense",
    "lists_numbers",
    "answers_empty",
    "answers_yes",
    "answers_no",
    "reads_only",
    "calls_everything",
]


class PassedRowOut(BaseModel):
    row: int
    task_id: int | None = Field(description="null if the rows were only looked at.")
    user_instruction: str = Field(description="The first 300 characters, followed by … when there are more.")
    agents: list[StrawAgent] = Field(description="Useless agents that pass by the checks all the same.")
    rubric: bool = Field(description="The row also asks a judge, who may see it otherwise.")
    note: str | None = Field(description="What else there is to say, for people.")


class ImpossibleRowOut(BaseModel):
    row: int
    task_id: int | None = Field(description="null if the rows were only looked at.")
    user_instruction: str = Field(description="The first 300 characters, followed by … when there are more.")
    check: int = Field(description="The check that cannot hold, from 0.")
    reason: str = Field(description="What it goes against, for people; it counts checks from 1.")


class AuditOut(BaseModel):
    rows: int
    judged_only: int = Field(description="Rows with a rubric and no checks: only a judge can tell.")
    nothing_to_grade: int = Field(
        description="Rows with neither: never a PASS, unless the organisation has a judge for every run."
    )
    passed_rows: int = Field(description="How many rows a useless agent passes.")
    passed: list[PassedRowOut] = Field(description="Those rows, the first 10000.")
    impossible_rows: int = Field(description="How many rows nobody can pass, as far as that can be proved.")
    impossible: list[ImpossibleRowOut] = Field(description="Those rows, the first 10000.")
    ungradable: UngradableOut
