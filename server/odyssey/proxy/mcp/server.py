"""The MCP server that a run's tools make: listed as the agent's version declares them, called as over HTTP."""

import asyncio
from collections.abc import Mapping
from typing import Any

import msgspec
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel.server import Server
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INTERNAL_ERROR,
    CallToolRequestParams,
    CallToolResult,
    ListToolsResult,
    PaginatedRequestParams,
    TextContent,
    Tool,
)

from odyssey.agents.compiled import CompiledAgent
from odyssey.core.errors import OdysseyError, problem
from odyssey.proxy.call import call_tool
from odyssey.proxy.errors import ArgumentsInvalidError
from odyssey.proxy.mcp.messages import CURRENT, McpExchange, code_of
from odyssey.proxy.parts import ProxyAddress, ProxyRequest

_Context = ServerRequestContext[Any]


def build_server() -> Server[Any]:
    """Make the server of every run; it says nothing of itself that could tell a model where it is."""
    return Server(
        "tools",
        on_list_tools=_list_tools,
        on_call_tool=_call_tool,
        get_tool_input_schema=_input_schema,
    )


async def _list_tools(context: _Context, params: PaginatedRequestParams | None) -> ListToolsResult:
    return tools_of(CURRENT.get().run.agent)


async def _call_tool(context: _Context, params: CallToolRequestParams) -> CallToolResult:
    exchange = CURRENT.get()
    exchange.was_called = True
    try:
        return await _call(exchange, params.name)
    except ArgumentsInvalidError as refusal:
        return refused(refusal)
    except OdysseyError as refusal:
        exchange.refusal = refusal
        raise MCPError(code_of(refusal), refusal.detail, problem(refusal)) from refusal
    except Exception as failure:  # the gateway raises it again: the SDK would put its text on the wire
        exchange.failure = failure
        raise MCPError(INTERNAL_ERROR, "Odyssey failed to serve this call.") from failure


async def _call(exchange: McpExchange, name: str) -> CallToolResult:
    arrived = exchange.arrived
    address = ProxyAddress(arrived.address.run, "tools", name)
    served = await call_tool(exchange.parts, ProxyRequest(address, arrived.headers, exchange.read_arguments))
    if served.wait_ms:
        await asyncio.sleep(served.wait_ms / 1000)
    exchange.fault = served.fault
    return result_of(served.body, is_error=served.is_error)


def _input_schema(name: str) -> Mapping[str, Any] | None:
    tool = CURRENT.get().run.agent.tools.get(name)
    return None if tool is None else tool.tool.input_schema


# What a tool answered, as MCP says it: the JSON as a text, an object also as structured content.
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
