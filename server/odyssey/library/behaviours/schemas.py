"""Wire types of behaviours."""

from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, Field, WithJsonSchema

from odyssey.agents.schemas import ToolsSchema
from odyssey.core.depends import existing_id
from odyssey.core.wire import Body

BEHAVIOR_SCHEMA: dict[str, Any] = {
    "anyOf": [
        {"type": "string", "description": "One act a line."},
        {"type": "array", "maxItems": 500, "items": {"type": "object"}},
    ],
    "description": "How tools behave: lines, or the same as a list of rules, which is kept as lines.",
}
BehaviorIn = Annotated[Any, WithJsonSchema(BEHAVIOR_SCHEMA)]
_Id = Annotated[int, Field(ge=1), AfterValidator(existing_id)]


class BehaviorProblemOut(BaseModel):
    """A line that is not understood; it is left to the model, where there is one."""

    line: int = Field(description="From 1.")
    text: str
    problem: str
    hint: str | None


class RowProblemOut(BehaviorProblemOut):
    row: int = Field(description="Position of the seed, or of the dataset's row, from 0.")


class BehaviorsIn(Body):
    behavior_instructions: BehaviorIn
    agent_id: _Id | None = Field(
        None, description="Whose tools and types there are: its published version, or its newest."
    )
    tools_schema: ToolsSchema = Field(None, description="Instead of `agent_id`.")
    world_id: _Id | None = Field(None, description="Whose types there are.")


class BehaviorLineOut(BaseModel):
    number: int = Field(description="From 1.")
    text: str
    rule: dict[str, Any] | None = Field(description="What the line says; null if it is not understood.")
    problem: str | None
    hint: str | None
    column: int | None = Field(description="Where in the line the problem is.")


class BehaviorsOut(BaseModel):
    text: str = Field(description="The lines, also of rules.")
    lines: list[BehaviorLineOut] = Field(description="Those that say something, in their order.")
    rules: list[dict[str, Any]] = Field(description="The lines that are understood, as rules.")
    understood: bool = Field(description="Whether all are.")
