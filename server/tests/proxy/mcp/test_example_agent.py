"""The example of an agent that is an MCP client: a run, a trace and a verdict."""

from collections.abc import Iterator

import pytest
from support.asgi import Served
from support.example_agents import load_example
from support.platform import WORLD, Org

AGENT_TOKEN = "inbound-token-of-the-tests"


@pytest.fixture
def example() -> Iterator[str]:
    with Served(load_example("mcp-client-agent/mcp_agent.py", AGENT_TOKEN).app) as served:
        yield f"{served.url}/dispatch"


def test_an_agent_that_only_knows_mcp_comes_to_a_verdict(org: Org, example: str) -> None:
    config = {"auth_header_name": "Authorization", "auth_header_value": f"Bearer {AGENT_TOKEN}"}
    agent = org.agent(example, config=config)
    seed = {
        "user_instruction": "What became of ord_1?",
        "initial_state": WORLD,
        "checks": [{"called": {"tool": "get_order"}}],
    }
    (run_id,) = org.start(agent, seed)
    run = org.graded(run_id)
    assert (run["status"], run["verdict"]) == ("completed", "PASS"), run
    assert "shipped" in run["final_response"]
    kinds = [event["kind"] for event in org.trace(run_id)]
    assert kinds == ["dispatch", "trace_event", "trace_event", "tool_call", "reply", "grade"]
    (call,) = org.trace(run_id, "tool_call")
    assert (call["data"]["tool_name"], call["data"]["arguments"]) == ("get_order", {"order_id": "ord_1"})
