"""Cassettes of tools behind an MCP server: recorded, compared and replayed like any other."""

from collections.abc import Callable
from typing import Any

import mcp_types as types
from support.agents import Behaviour, Dispatched, ScriptedAgent
from support.mcp_peers import SdkPeer, text, tool
from support.platform import Org

StartAgent = Callable[[Behaviour], ScriptedAgent]

LOOK = tool("look_up", annotations=types.ToolAnnotations(read_only_hint=True))


def look(dispatched: Dispatched) -> dict[str, Any]:
    answers = [dispatched.call("look", {"city": city}).json()["response"] for city in ("Oslo", "Rome")]
    return {"final_response": str(answers)}


def test_an_mcp_tool_is_recorded_compared_and_replayed(org: Org, agent_server: StartAgent) -> None:
    weather = {"Oslo": '{"sky": "grey", "wind": 4}', "Rome": "sunny"}
    peer = SdkPeer({"look_up": lambda _, asked: text(weather[asked["city"]])}, listed=[LOOK])
    served = {"name": "weather", "type": "mcp_server", "config": {"url": peer.url}}
    endpoint = org.ok(org.post("/api/tool-endpoints", served))
    bound = {
        "name": "look",
        "input_schema": {"type": "object"},
        "default_execution_mode": "passthrough",
        "passthrough_binding": {"endpoint_id": endpoint["id"], "tool_name": "look_up"},
    }
    agent = org.agent(agent_server(look).url, tools_schema=[bound])
    live = org.run(agent)
    cassette = org.ok(org.post("/api/cassettes", {"name": "weather", "run_id": live["id"]}))
    path = f"/api/cassettes/{cassette['id']}"
    held = org.ok(org.get(f"{path}/interactions"))["items"]
    assert [(one["type"], one["status"], one["read_only"]) for one in held] == [
        ("mcp_server", None, True)
    ] * 2
    assert [one["response"] for one in held] == [{"sky": "grey", "wind": 4}, "sunny"]
    weather["Oslo"] = '{"sky": "blue", "wind": 4}'
    first, second = org.ok(org.post(f"{path}/diff", {}))["interactions"]
    assert [(one["path"], one["after"]) for one in first["changes"]] == [("$.sky", "blue")]
    assert second["state"] == "same"
    asked = len(peer.calls)
    body = {"agent_id": agent["id"], "seeds": [{"user_instruction": "x"}], "cassette": {"id": cassette["id"]}}
    replayed = org.wait(org.ok(org.post("/api/runs", body))["runs"][0]["id"])
    assert replayed["final_response"] == live["final_response"]
    assert len(peer.calls) == asked
    peer.stop()
