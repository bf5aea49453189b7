"""What a tool answered, as MCP says it: the JSON as a text, an object also as structured content."""

from typing import Any

import msgspec
from mcp_types import CallToolResult, ListToolsResult, TextContent, Tool

from odyssey.agents.compiled import CompiledAgent
from odyssey.core.errors import OdysseyError, problem

_FAILED = ("error", "transport_error")
_OUR_WORLD = ("odyssey", "injected")


class _Envelope(msgspec.Struct):
    response: msgspec.Raw
    source: str


def result_of(envelope: bytes, *, is_error: bool) -> CallToolResult:
    """Say what an envelope holds; `is_error` is what the live service said of its own answer."""
    read = msgspec.json.decode(envelope, type=_Envelope)
    response = msgspec.json.decode(read.response)
    failed = is_error or read.source in _FAILED or (read.source in _OUR_WORLD and _refuses(response))
    text = response if isinstance(response, str) else bytes(read.response).decode("utf-8")
    # A client may hold what is structured against the tool's output schema, and a failure need not fit it.
    structured = response if isinstance(response, dict) and not failed else None
    return CallToolResult(
        content=[TextContent(type="text", text=text)], structured_content=structured, is_error=failed
    )


def refused(refusal: OdysseyError) -> CallToolResult:
    """Give a refusal to the model, which can do better the next time."""
    text = msgspec.json.encode(problem(refusal)).decode("utf-8")
    return CallToolResult(content=[TextContent(type="text", text=text)], is_error=True)


def tools_of(agent: CompiledAgent) -> ListToolsResult:
    return ListToolsResult(
        tools=[
            Tool(
                name=tool.name,
                description=tool.description or None,
                input_schema=tool.input_schema | {"type": "object"},
                output_schema=_output_schema(tool.output_schema),
            )
            for tool, _, _ in agent.tools.values()
        ]
    )


def _output_schema(schema: dict[str, Any] | None) -> dict[str, Any] | None:
    """Only an object can be structured content in every version of the protocol."""
    return schema if schema is not None and schema.get("type") == "object" else None


def _refuses(response: Any) -> bool:
    return isinstance(response, dict) and response.keys() == {"error"} and isinstance(response["error"], dict)
