"""A run's tools as an MCP client has them: the real client, a real socket, the token of a real dispatch."""

import asyncio
import json
from typing import Any

import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError
from support.agents import Dispatched, final
from support.calls import StartAgent, open_run
from support.evals import scenario, start
from support.gateway import BOTH, MODES, connected, talk, text_of
from support.platform import TOOLS, WORLD, Org

LIST_OF_TEXTS = {
    "name": "list_names",
    "description": "Names.",
    "input_schema": {
        "type": "object",
        "$defs": {"page": {"type": "integer", "minimum": 1}},
        "properties": {"page": {"$ref": "#/$defs/page"}},
        "additionalProperties": False,
    },
    "output_schema": {"type": "array", "items": {"type": "string"}},
}


@pytest.mark.parametrize("mode", MODES)
def test_the_tools_are_those_of_the_agents_version(org: Org, agent_server: StartAgent, mode: str) -> None:
    with open_run(org, agent_server, agent={"tools_schema": [*TOOLS, LIST_OF_TEXTS]}) as run:
        listed = talk(run, mode, lambda client: client.list_tools())
    tools = {tool.name: tool for tool in listed.tools}
    assert list(tools) == [tool["name"] for tool in (*TOOLS, LIST_OF_TEXTS)]
    assert tools["get_order"].description == "Read one order."
    assert tools["get_order"].input_schema == TOOLS[0]["input_schema"]
    assert tools["get_order"].output_schema == TOOLS[0]["output_schema"]
    assert tools["update_order"].description is None
    assert tools["update_order"].output_schema is None
    assert tools["list_names"].input_schema == LIST_OF_TEXTS["input_schema"]
    assert tools["list_names"].output_schema is None  # structured content is an object


@pytest.mark.parametrize("mode", BOTH)
def test_a_call_is_answered_and_recorded_as_over_http(org: Org, agent_server: StartAgent, mode: str) -> None:
    async def conversation(client: Client) -> list[Any]:
        return [
            await client.call_tool("get_order", {"order_id": "ord_1"}),
            await client.call_tool("update_order", {"order_id": "ord_2", "status": "paid"}),
            await client.call_tool("get_order", {"order_id": "ord_2"}),
            await client.call_tool("list_orders", {"status": "paid"}),
        ]

    with open_run(org, agent_server) as run:
        first, _, changed, found = talk(run, mode, conversation)
        over_http = run.call("get_order", {"order_id": "ord_1"}).json()
        events = run.events("tool_call")
        ledger = org.ok(org.get(f"/api/runs/{run.id}/ledger"))
    assert first.structured_content == WORLD["order"]["ord_1"] == over_http["response"]
    assert json.loads(text_of(first)) == first.structured_content
    assert changed.structured_content["status"] == "paid"
    assert "ord_2" in text_of(found)
    assert not any(result.is_error for result in (first, changed, found))
    assert ledger["state"]["order"]["ord_2"]["status"] == "paid"
    by_mcp, by_http = events[0]["data"], events[-1]["data"]
    assert by_mcp.keys() == by_http.keys()
    assert by_mcp["arguments"] == {"order_id": "ord_1"}
    assert [event["data"]["source"] for event in events] == ["odyssey"] * 5


@pytest.mark.parametrize("mode", BOTH)
def test_what_the_world_or_a_rule_refuses_is_an_error_of_the_tool(
    org: Org, agent_server: StartAgent, mode: str
) -> None:
    rules = [
        {"tool": "list_orders", "call": 1, "error": {"code": "down", "message": "Try later."}},
        {"tool": "list_orders", "response": "plain text"},
        {"tool": "create_order", "response": [1, None]},
        {"tool": "delete_order", "response": {"error": None, "rows": 0}},
    ]

    async def conversation(client: Client) -> list[Any]:
        return [
            await client.call_tool("get_order", {"order_id": "nobody"}),
            await client.call_tool("list_orders"),
            await client.call_tool("list_orders"),
            await client.call_tool("create_order", {"status": "new"}),
            await client.call_tool("delete_order", {"order_id": "ord_1"}),
        ]

    with open_run(org, agent_server, failure_rules=rules) as run:
        missing, down, plain, listed, rows = talk(run, mode, conversation)
        sources = [event["data"]["source"] for event in run.events("tool_call")]
    assert sources == ["odyssey", "injected", "injected", "injected", "injected"]
    assert json.loads(text_of(missing))["error"]["code"] == "not_found"
    assert json.loads(text_of(down)) == {"error": {"code": "down", "message": "Try later."}}
    assert [r.is_error for r in (missing, down, plain, listed, rows)] == [True, True, False, False, False]
    assert [r.structured_content for r in (missing, down, plain, listed)] == [None] * 4
    assert text_of(plain) == "plain text"
    assert json.loads(text_of(listed)) == [1, None]
    assert rows.structured_content == {"error": None, "rows": 0}


@pytest.mark.parametrize("mode", BOTH)
def test_arguments_that_do_not_fit_go_back_to_the_model(
    org: Org, agent_server: StartAgent, mode: str
) -> None:
    with open_run(org, agent_server) as run:
        result = talk(run, mode, lambda client: client.call_tool("get_order", {"number": 5}))
        over_http = run.call("get_order", {"number": 5})
        by_mcp, by_http = (event["data"] for event in run.events("tool_call"))
    for recorded in (by_mcp, by_http):
        assert recorded.pop("started_at") <= recorded.pop("ended_at")
    assert result.is_error
    problem = json.loads(text_of(result))
    assert problem == over_http.json()
    assert problem["code"] == "arguments_invalid"
    assert by_mcp == by_http


@pytest.mark.parametrize("mode", BOTH)
def test_an_unknown_tool_is_an_error_of_the_protocol(org: Org, agent_server: StartAgent, mode: str) -> None:
    async def conversation(client: Client) -> MCPError:
        with pytest.raises(MCPError) as refused:
            await client.call_tool("get_ordr", {})
        return refused.value

    with open_run(org, agent_server) as run:
        refused = talk(run, mode, conversation)
        (event,) = run.events("tool_call")
    assert (refused.code, refused.data["code"]) == (-32602, "tool_unknown")
    assert "get_ordr" in refused.message
    assert (event["data"]["http_status"], event["data"]["tool_name"]) == (404, "get_ordr")


@pytest.mark.parametrize("mode", BOTH)
def test_the_actor_is_who_the_header_says(org: Org, agent_server: StartAgent, mode: str) -> None:
    label = {"X-Pipelines-Actor-Id": "supervisor/refunds"}
    with open_run(org, agent_server) as run:
        talk(run, mode, lambda client: client.call_tool("list_orders"), **label)
        actors = {event["actor_id"] for event in run.events() if event["kind"] != "dispatch"}
    assert actors == {"supervisor/refunds"}


@pytest.mark.parametrize("mode", BOTH)
def test_a_notice_travels_in_the_answer_and_not_in_the_record(
    org: Org, agent_server: StartAgent, mode: str
) -> None:
    results: list[Any] = []

    def look(dispatched: Dispatched) -> dict[str, str]:
        async def held() -> Any:
            async with connected(dispatched.body["odyssey_proxy_url"], dispatched.token, mode) as client:
                return await client.call_tool("get_order", {"order_id": "ord_1"})

        results.append(asyncio.run(held()))
        return final()

    agent = org.agent(agent_server(look).url)
    world = org.ok(org.post("/api/worlds", {"name": "Orders", "initial_state": WORLD}))
    made = scenario(org, agent_id=agent["id"], world_id=world["id"])
    runs = start(org, made, variation_type="time_pressure", delivery="tool_result", repeats=1)
    calls = [org.trace(org.wait(run_id)["id"], "tool_call")[0]["data"] for run_id in runs]
    pressed = [result for result in results if "notice" in result.structured_content]
    assert len(pressed) == sum("injection" in call for call in calls) == 1
    assert pressed[0].structured_content.pop("notice") == json.loads(text_of(pressed[0]))["notice"] != ""
    for response in (*(call["response"] for call in calls), *(each.structured_content for each in results)):
        assert response == WORLD["order"]["ord_1"]


@pytest.mark.parametrize("mode", MODES)
def test_what_is_no_tool_call_is_in_the_trace_too(org: Org, agent_server: StartAgent, mode: str) -> None:
    async def conversation(client: Client) -> None:
        await client.list_tools()
        with pytest.raises(MCPError):
            await client.list_prompts()

    with open_run(org, agent_server) as run:
        talk(run, mode, conversation)
        kept = [event["data"] for event in run.events("trace_event")]
    assert {data["event_type"] for data in kept} == {"mcp"}
    opening = {
        "legacy": ["initialize", "notifications/initialized"],
        "2026-07-28": [],
        "auto": ["server/discover"],
    }
    said = [data["payload"] for data in kept]
    assert [payload["method"] for payload in said] == [*opening[mode], "tools/list", "prompts/list"]
    assert said[-1]["error"]["code"] == -32601
    assert not any("error" in payload for payload in said[:-1])
