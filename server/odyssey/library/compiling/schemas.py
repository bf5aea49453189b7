"""Wire types of compiling: recorded calls and programs in, what a program got right and wrong out."""

from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, Field

from odyssey.agents.schemas import ProgramFault
from odyssey.core.depends import existing_id
from odyssey.core.wire import Body

MOST_CALLS = 20_000
"""Of one request, all tasks together."""
MOST_MISMATCHES = 5

Name = Annotated[str, Field(min_length=1, max_length=256)]
Least = Annotated[float, Field(ge=0.9, le=1)]


class RecordedChangeIn(Body):
    entity_type: Name
    id: Annotated[str, Field(min_length=1)]
    before: dict[str, Any] | None = None
    after: dict[str, Any] | None = Field(None, description="null: it was removed.")


class RecordedCallIn(Body):
    tool: Name
    args: dict[str, Any]
    response: Any = None
    error: str | None = Field(None, description="The text it refused with; null for an answer.")
    changes: list[RecordedChangeIn] = Field(default_factory=list)


class RecordedTaskIn(Body):
    task: Any = Field(None, description="What to call it in the report.")
    calls: Annotated[list[RecordedCallIn], Field(max_length=MOST_CALLS)]


class RecordedCallsIn(Body):
    """What both routes take."""

    tool: Annotated[str, Field(min_length=1, max_length=128)]
    world_id: Annotated[int, Field(ge=1), AfterValidator(existing_id)] = Field(
        description="Every task starts from its state."
    )
    calls: Annotated[list[RecordedTaskIn], Field(min_length=1, max_length=MOST_CALLS)] = Field(
        description="Whole tasks: of the calls of other tools only the changes matter."
    )
    accept_at: Least = Field(1.0, description="The least share of equal responses, and of equal changes.")


class ReplayProgramIn(RecordedCallsIn):
    program: dict[str, Any]


class ProposeProgramIn(RecordedCallsIn):
    attempts: Annotated[int, Field(ge=1, le=3)] = Field(
        3, description="How often the model may try, each time told what was wrong."
    )
    examples: Annotated[int, Field(ge=0, le=50)] = Field(
        12, description="How many recorded calls the model is shown."
    )


class ProgramShareOut(BaseModel):
    share: float | None = Field(description="null when there was nothing to compare.")
    interval: list[float] = Field(description="95 %, low and high.")
    equal: int
    of: int


class ProgramChangeOut(BaseModel):
    entity_type: str
    id: str
    before: Any
    after: Any


class MismatchOut(BaseModel):
    """A recorded call that the program answers otherwise.

    A value whose text is longer than 20,000 characters is how that text begins; of the changes the first 20 are there.
    """

    task: Any
    call: int = Field(description="Its place in the task, from 1.")
    args: Any
    problem: str = Field(description="What differs, in words.")
    expected: Any = Field(description="The recorded response, or `{error}` with the recorded refusal.")
    got: Any
    expected_changes: list[ProgramChangeOut]
    got_changes: list[ProgramChangeOut]


class ProgramAttemptOut(BaseModel):
    errors: list[ProgramFault] = Field(description="Why it could not be replayed, or not to the end.")
    equal: int = Field(description="Calls with equal response and equal changes.")
    of: int
    mismatches: list[MismatchOut] = Field(description=f"The first {MOST_MISMATCHES}.")


class ProgramReportOut(BaseModel):
    tool: str
    accepted: bool
    program: dict[str, Any] | None = Field(
        description="The accepted program, else the one that got most calls right; null when none could be read."
    )
    attempts: list[ProgramAttemptOut]
    responses: ProgramShareOut
    changes: ProgramShareOut = Field(description="Of the calls by which either side changed the world.")
    refusal_texts: ProgramShareOut = Field(
        description="Refusals in the same words, of those that are refusals in both; not needed to be accepted."
    )
    shown: int = Field(
        description="How many of the recorded calls the model had seen by its last attempt; others it could not copy."
    )
    model: str | None = Field(description="Which model proposed it; null for a program that was given.")
    input_tokens: int
    output_tokens: int
    cost_usd: float
