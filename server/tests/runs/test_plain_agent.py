"""The agent without the SDK, which people are told to copy, on a real platform: only `run_agent` is somebody's own."""

from collections.abc import Iterator
from typing import Any

import pytest
from support.asgi import Served
from support.example_agents import load_example
from support.platform import WORLD, Org

TOKEN = "token-of-the-plain-agent"


async def refund(instruction: str, call_tool: Any) -> str:
    """Somebody's own agent, where the example has its own."""
    order = await call_tool("get_order", {"order_id": "ord_1"})
    refused = await call_tool("get_order", {"wrong": "argument"})
    changed = await call_tool("update_order", {"order_id": order["order_id"], "status": "refunded"})
    return f"{instruction} {order['status']}, {refused['error']['code']}, {changed['status']}"


@pytest.fixture
def agent_url(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    example = load_example("plain-python/agent.py", TOKEN)
    monkeypatch.setattr(example, "run_agent", refund)
    with Served(example.app) as served:
        yield f"{served.url}/dispatch"


def test_the_plain_agent_is_tested_dispatched_to_and_refused_like_any_other(org: Org, agent_url: str) -> None:
    config = {"auth_header_name": "Authorization", "auth_header_value": f"Bearer {TOKEN}"}
    agent = org.agent(agent_url, config=config)
    tested = org.ok(org.post(f"/api/agents/{agent['id']}/test-connection"))
    assert (tested["ok"], tested["status"]) == (True, 200)
    wrong = {"config": {"auth_header_value": "Bearer wrong"}}
    tested = org.ok(org.post(f"/api/agents/{agent['id']}/test-connection", wrong))
    assert (tested["ok"], tested["status"]) == (False, 401)
    run = org.run(agent, user_instruction="Refund it:", initial_state=WORLD)
    assert run["status"] == "completed", run["error_json"]
    assert run["final_response"] == "Refund it: shipped, arguments_invalid, refunded"
    statuses = [event["data"]["http_status"] for event in org.trace(run["id"], "tool_call")]
    assert statuses == [200, 422, 200]
