"""The MCP server that a run's tools make: listed as the agent's version declares them, called as over HTTP."""

import asyncio
from collections.abc import Mapping
from typing import Any

from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel.server import Server
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INTERNAL_ERROR,
    CallToolRequestParams,
    CallToolResult,
    ListToolsResult,
    PaginatedRequestParams,
)

from odyssey.core.errors import OdysseyError, problem
from odyssey.proxy.address import ProxyAddress
from odyssey.proxy.call import call_tool
from odyssey.proxy.errors import ArgumentsInvalidError
from odyssey.proxy.mcp.answers import code_of
from odyssey.proxy.mcp.exchange import CURRENT, Exchange
from odyssey.proxy.mcp.results import refused, result_of, tools_of
from odyssey.proxy.parts import Arrived

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


async def _call(exchange: Exchange, name: str) -> CallToolResult:
    arrived = exchange.arrived
    address = ProxyAddress(arrived.address.run, "tools", name)
    served = await call_tool(exchange.parts, Arrived(address, arrived.headers, exchange.read_arguments))
    if served.wait_ms:
        await asyncio.sleep(served.wait_ms / 1000)
    exchange.fault = served.fault
    return result_of(served.body, is_error=served.is_error)


def _input_schema(name: str) -> Mapping[str, Any] | None:
    tool = CURRENT.get().run.agent.tools.get(name)
    return None if tool is None else tool.tool.input_schema
