"""Wire types of agents. Tools, config and ledger schema are read by hand, so that one answer names every fault."""

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, Field, WithJsonSchema

from odyssey.core.depends import existing_id
from odyssey.core.wire import Body, Instant, PlainText

Name = Annotated[PlainText, Field(min_length=1, max_length=255)]
Description = Annotated[PlainText, Field(max_length=5000)]
Mode = Literal["http", "code"]
Publication = Literal["draft", "published"]

ToolsSchema = Annotated[
    Any,
    WithJsonSchema(
        {
            "type": "array",
            "maxItems": 256,
            "items": {"type": "object", "properties": {"name": {"type": "string"}}},
            "description": "Tools in our shape, OpenAI's (flat or nested `function`) or Anthropic's.",
        }
    ),
]
Config = Annotated[
    Any,
    WithJsonSchema(
        {"type": "object", "description": "Address, auth header, time-out and behaviour of the agent."}
    ),
]
LedgerSchemaIn = Annotated[
    Any,
    WithJsonSchema(
        {
            "anyOf": [{"type": "object"}, {"type": "null"}],
            "description": "Declared entity types; null is an open ledger.",
        }
    ),
]


class AgentIn(Body):
    name: Name
    description: Description = ""
    mode: Mode = "http"
    config: Config
    tools_schema: ToolsSchema = Field(default_factory=list)
    ledger_schema: LedgerSchemaIn = None
    org_id: int | None = Field(None, description="May be given; must then be the caller's own.")


class AgentChange(Body):
    """Omitted members, and omitted keys of `config`, stay as they are."""

    name: Name | None = None
    description: Description | None = None
    mode: Mode | None = None
    config: Config = Field(default_factory=dict)
    tools_schema: ToolsSchema = None
    ledger_schema: LedgerSchemaIn = None
    org_id: int | None = None


class AgentContent(BaseModel):
    name: str
    description: str
    mode: Mode
    config: dict[str, Any] = Field(
        description="Without the secret; `auth_header_set` says whether there is one."
    )
    tools_schema: list[dict[str, Any]]
    ledger_schema: dict[str, Any] | None


class HealthOut(BaseModel):
    """What the last ping found: one goes before every batch, and one with every test of the connection."""

    ok: bool
    status: int | None = Field(description="HTTP status of the answer; null when there was none.")
    error_class: str | None
    latency_ms: int
    detail: str
    checked_at: Instant


class AgentOut(AgentContent):
    id: int
    version: int = Field(description="The newest version.")
    published_version: int | None = Field(description="The version that is dispatched; null for a draft.")
    status: Publication
    auth_header_set: bool
    health: HealthOut | None = Field(description="null until it was pinged")
    created_at: Instant
    updated_at: Instant


class AgentsPage(BaseModel):
    items: list[AgentOut]
    next_cursor: str | None


class AgentVersionOut(AgentContent):
    version: int
    content_hash: str
    published: bool
    created_at: Instant
    created_by: int = Field(description="Id of the person.")


class VersionsPage(BaseModel):
    items: list[AgentVersionOut]
    next_cursor: str | None


class ValidatedAgent(BaseModel):
    valid: Literal[True] = True
    agent: AgentContent = Field(description="The registration as it would be stored.")


ToolIn = Annotated[
    Any,
    WithJsonSchema(
        {
            "anyOf": [{"type": "object"}, {"type": "string"}],
            "description": "The tool as in a tools_schema; or its name, with the agent_id of whom has it.",
        }
    ),
]


class ProgramBody(Body):
    program: dict[str, Any] = Field(
        description="What a tool does: let, require, operations, after, response."
    )
    tool: ToolIn
    agent_id: Annotated[int, Field(ge=1), AfterValidator(existing_id)] | None = None


class ProgramFault(BaseModel):
    loc: list[str | int] = Field(description="Where in the program, from the outside in.")
    msg: str


class ReadProgramOut(BaseModel):
    valid: bool
    errors: list[ProgramFault]
    program: dict[str, Any] | None = Field(description="As it would be stored; null when it is not valid.")
