"""Wire types of scenarios. What is expected is read by hand, so that one answer names every fault of it."""

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, Field, StringConstraints

from odyssey.core.wire import Body, Instant, PlainText
from odyssey.evals.scenarios.content import MAX_RENDERED, RiskLevel, render_input
from odyssey.grading.checks import LATEST_VERSION, ChecksVersion
from odyssey.kit.ids import MAX_INTEGER_ID

TAG = r"^[a-z0-9][a-z0-9_.:/-]{0,63}$"
PROTECTED = r"^[^.\s]{1,128}(\.[^.\s]{1,128})?$"
SCENARIO_ID = r"^scn_[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$"


def _is_short_enough(input_context: dict[str, Any]) -> dict[str, Any]:
    length = len(render_input(None, input_context))
    if length > MAX_RENDERED:
        raise ValueError(f"has {length} characters as an agent reads it; at most {MAX_RENDERED} are allowed")
    return input_context


def _distinct(values: list[str]) -> list[str]:
    if len(set(values)) < len(values):
        raise ValueError("one is there twice")
    return values


_Name = Annotated[PlainText, Field(min_length=1, max_length=255)]
_Description = Annotated[PlainText, Field(max_length=5000)]
_Input = Annotated[dict[str, Any], AfterValidator(_is_short_enough)]
_Id = Annotated[int, Field(ge=1, le=MAX_INTEGER_ID)]
Tag = Annotated[str, StringConstraints(pattern=TAG)]
_Tags = Annotated[list[Tag], Field(max_length=20), AfterValidator(_distinct)]
_Protected = Annotated[
    list[Annotated[str, StringConstraints(pattern=PROTECTED)]],
    Field(
        max_length=100,
        description="What must not be touched, each `type` or `type.field` of the ledger. A change of it weighs more, "
        "is an incident, and on a critical scenario fails a gate.",
    ),
    AfterValidator(_distinct),
]
_Instruction = Annotated[PlainText, Field(min_length=1, max_length=20_000)]
_Expected = Annotated[
    dict[str, Any],
    Field(
        description="What the JSON object of the final response must have: values, or operators such as "
        '`{"$lte": 100}`. `$calls`, `$ledger` and `$text` take lists of checks.'
    ),
]
ScenarioId = Annotated[str, StringConstraints(pattern=SCENARIO_ID)]


class ScenarioIn(Body):
    name: _Name
    description: _Description = ""
    risk_level: RiskLevel
    input_context: _Input = Field(
        description="The agent gets it as `input.input` and, rendered, as its instruction."
    )
    expected_behavior: _Expected
    user_instruction: _Instruction | None = Field(None, description="Words ahead of the rendered input.")
    world_id: _Id | None = Field(None, description="The world its runs begin with.")
    agent_id: _Id | None = Field(None, description="The agent it is run on, unless a run names another.")
    tags: _Tags = Field(default_factory=list)
    protected: _Protected = Field(default_factory=list)
    checks_version: ChecksVersion = Field(
        LATEST_VERSION,
        description="Of the meaning of checks in expected_behavior; 1: a call that failed counts as done.",
    )


class ScenarioChange(Body):
    """Omitted members stay as they are; null takes `user_instruction`, `world_id` and `agent_id` away."""

    name: _Name = ""
    description: _Description = ""
    risk_level: RiskLevel = "low"
    input_context: _Input = Field(default_factory=dict)
    expected_behavior: _Expected = Field(default_factory=dict)
    user_instruction: _Instruction | None = None
    world_id: _Id | None = None
    agent_id: _Id | None = None
    tags: _Tags = Field(default_factory=list)
    protected: _Protected = Field(default_factory=list)
    checks_version: ChecksVersion = LATEST_VERSION


class ScenarioSummary(BaseModel):
    id: str
    version: int
    name: str
    description: str
    risk_level: RiskLevel
    tags: list[str]
    created_at: Instant
    updated_at: Instant


class ScenarioOut(ScenarioSummary):
    input_context: dict[str, Any]
    expected_behavior: dict[str, Any]
    user_instruction: str | None
    world_id: int | None
    agent_id: int | None
    protected: list[str] = Field([], description="What must not be touched: types, and fields of types.")
    checks_version: ChecksVersion = Field(
        description="Of the meaning of its checks; 2 where it has none that mean something else in 1."
    )
    rendered: str = Field(description="The instruction an agent gets.")


class ScenariosPage(BaseModel):
    items: list[ScenarioSummary]
    next_cursor: str | None


class ImportedScenario(BaseModel):
    id: str
    name: str
    version: int
    outcome: Literal["created", "changed", "unchanged"]


class ImportedScenarios(BaseModel):
    created: int
    changed: int
    unchanged: int
    items: list[ImportedScenario] = Field(description="In the order of the file.")
    warnings: list[str] = Field([], description="What is odd about the file.")
