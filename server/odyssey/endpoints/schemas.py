"""Wire types of tool endpoints. A config is read by hand, so that one answer names every fault."""

from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import BaseModel, Field, WithJsonSchema

from odyssey.core.wire import Body, Instant, PlainText

EndpointType = Literal["mcp_server", "http_openapi", "code"]
AuthType = Literal["none", "bearer", "api_key"]
Name = Annotated[PlainText, Field(min_length=1, max_length=255)]
Description = Annotated[PlainText, Field(max_length=5000)]

Config = Annotated[
    Any,
    WithJsonSchema(
        {
            "type": "object",
            "description": (
                "`mcp_server`: `url`, `auth`. `http_openapi`: `spec` (an object, or JSON or YAML as text) or "
                "`spec_url`, `base_url`, `auth`. `auth`: `{type: none | bearer | api_key, header, credential, "
                "secret}`; `secret` is write-only."
            ),
        }
    ),
]


class EndpointIn(Body):
    name: Name
    description: Description = ""
    type: EndpointType
    config: Config
    org_id: int | None = Field(None, description="May be given; must then be the caller's own.")


class EndpointChange(Body):
    """Omitted members, and omitted keys of `config` and of its `auth`, stay as they are."""

    name: Name | None = None
    description: Description | None = None
    type: EndpointType | None = Field(None, description="Cannot be changed.")
    config: Config = Field(default_factory=dict)
    org_id: int | None = None


class AuthOut(BaseModel):
    type: AuthType
    header: str | None = Field(description="Of an API key; null for the other types.")
    credential: str | None = Field(description="The name of the credential; null where none is needed.")
    secret_set: bool = Field(description="Whether there is a secret for the address the calls go to.")
    shown: str | None = Field(description="The last characters of a long secret, such as `****abcd`.")


class ConfigOut(BaseModel):
    """A config as written, without the secret and without the document."""

    url: str | None = Field(description="Of an MCP server.")
    base_url: str | None = Field(description="Where it was given; see the endpoint's own `base_url`.")
    spec_url: str | None
    spec_bytes: int | None = Field(description="The size of the OpenAPI document, pasted or fetched.")
    auth: AuthOut


class ToolOut(BaseModel):
    name: str
    description: str
    input_schema: dict[str, Any]
    output_schema: dict[str, Any] | None
    read_only: bool
    method: str | None = Field(description="Of an OpenAPI operation.")
    path: str | None


class DiscoveryErrorOut(BaseModel):
    code: str
    message: str


class ChangedTool(BaseModel):
    name: str
    paths: list[str] = Field(description="JSON paths into the tool that differ.")


class DriftOut(BaseModel):
    """How the list of tools differs from the one before; kept until it changes again."""

    at: Instant
    added: list[str]
    removed: list[str]
    changed: list[ChangedTool]


class AgentUse(BaseModel):
    agent_id: int
    agent_name: str
    tools: list[str] = Field(description="The agent's tools that name this endpoint.")


class EndpointListed(BaseModel):
    id: UUID
    name: str
    description: str
    type: EndpointType
    config: ConfigOut
    base_url: str | None = Field(description="Where calls go; null until that is known.")
    tool_count: int
    notes: list[str] = Field(description="What could not be offered as a tool, and why.")
    discovered_at: Instant | None = Field(description="When the tools were last listed.")
    discovery_error: DiscoveryErrorOut | None = Field(
        description="Why the last discovery failed; the tools are then those of the one before."
    )
    drift: DriftOut | None
    used_by: list[AgentUse]
    created_at: Instant
    updated_at: Instant


class EndpointOut(EndpointListed):
    tools: list[ToolOut]


class EndpointsPage(BaseModel):
    items: list[EndpointListed]
    next_cursor: str | None


class CallIn(Body):
    tool_name: Annotated[PlainText, Field(min_length=1, max_length=256)]
    arguments: dict[str, Any] = Field(default_factory=dict)


class CalledOut(BaseModel):
    source: Literal["passthrough", "transport_error"]
    response: Any = Field(description="As an agent would get it.")
    latency_ms: int
    status: int | None = Field(description="Of HTTP; null for MCP and where there was no answer.")
    is_error: bool = Field(
        description="Whether the service calls its own answer an error: `isError` of MCP, HTTP 4xx."
    )
