"""The shim of the SDK before a real platform: a run's tools listed and called through its process."""

import asyncio
import json
from typing import Any

import pytest
from mcp import Client, stdio_client
from mcp.shared.exceptions import MCPError
from support.calls import OpenRun, StartAgent, open_run
from support.gateway import BOTH, text_of
from support.platform import TOOLS, WORLD, Org

from pipelines.odyssey.context import acting_as
from pipelines.odyssey.envelope import Envelope
from pipelines.odyssey.mcp_sessions import stdio_parameters


def envelope(run: OpenRun) -> Envelope:
    return Envelope(proxy_url=run.url, run_token=run.token)


@pytest.mark.parametrize("mode", BOTH)
def test_a_runs_tools_are_listed_and_called_through_the_shim(
    org: Org, agent_server: StartAgent, mode: str
) -> None:
    async def conversation(run: OpenRun) -> list[Any]:
        with acting_as("supervisor/orders"):
            parameters = stdio_parameters(envelope(run))
        async with Client(stdio_client(parameters), mode=mode) as client:
            return [
                await client.list_tools(),
                await client.call_tool("get_order", {"order_id": "ord_1"}),
                await client.call_tool("get_order", {"order_id": "nobody"}),
                await client.call_tool("get_order", {"number": 5}),
                await client.call_tool("get_ordr"),
            ]

    with open_run(org, agent_server) as run:
        listed, order, missing, invalid, unknown = asyncio.run(conversation(run))
        listings, calls = run.events("trace_event"), run.events("tool_call")
    assert [tool.name for tool in listed.tools] == [tool["name"] for tool in TOOLS]
    assert listed.tools[0].input_schema == TOOLS[0]["input_schema"]
    assert order.structured_content == WORLD["order"]["ord_1"] == json.loads(text_of(order))
    assert json.loads(text_of(missing))["error"]["code"] == "not_found"
    assert "order_id" in text_of(invalid)
    assert "get_ordr" in text_of(unknown)
    assert [result.is_error for result in (order, missing, invalid, unknown)] == [False, True, True, True]
    assert [call["data"]["tool_name"] for call in calls] == ["get_order"] * 3 + ["get_ordr"]
    assert [event["data"]["payload"]["method"] for event in listings] == ["tools/list"]
    assert {event["actor_id"] for event in (*listings, *calls)} == {"supervisor/orders"}


def test_after_the_end_of_the_run_the_shim_says_so(org: Org, agent_server: StartAgent) -> None:
    with open_run(org, agent_server) as run:
        pass

    async def conversation() -> tuple[Any, MCPError]:
        async with Client(stdio_client(stdio_parameters(envelope(run)))) as client:
            called = await client.call_tool("list_orders")
            with pytest.raises(MCPError) as refused:
                await client.list_tools()
            return called, refused.value

    org.wait(run.id)
    called, refused = asyncio.run(conversation())
    assert called.is_error
    assert text_of(called) == refused.message
    assert "run" in refused.message
    assert run.token not in refused.message
