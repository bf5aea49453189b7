"""Canaries in everything a task says beside its world: none of them reaches the model that answers for its tools."""

import json
from collections.abc import Callable
from typing import Any

from support.agents import Behaviour, Dispatched, ScriptedAgent, final
from support.evals import observed, scenario, start
from support.model_server import Asked, ModelServer
from support.platform import TOOLS, WORLD, Org

StartAgent = Callable[[Behaviour], ScriptedAgent]

PONDER = {
    "name": "ponder_order",
    "description": "Thinks about an order. WORLD-description",
    "input_schema": {
        "type": "object",
        "properties": {"order_id": {"type": "string"}},
        "required": ["order_id"],
    },
}
NOTED = {"order": {"ord_1": {**WORLD["order"]["ord_1"], "note": "WORLD-entity"}}}
SEED: dict[str, Any] = {
    "user_instruction": "Do it. CANARY-user-instruction",
    "input": {"secret": "CANARY-input"},
    "initial_state": NOTED,
    "behavior_instructions": "ponder_order answers WORLD-behaviour",
    "failure_rules": [
        {
            "tool": "ponder_order",
            "when": "args.order_id == 'CANARY-rule'",
            "error": {"code": "down", "message": "CANARY-failure-rule"},
        }
    ],
    "expected_outcome": "refusal",
    "checks": [{"final_response": {"contains": "CANARY-check"}}],
    "rubric": [{"id": "done", "question": "Is it CANARY-rubric?", "answer": "yes_no"}],
    "random_seed": 3,
}


def ponder(dispatched: Dispatched) -> Any:
    answer = dispatched.call("ponder_order", {"order_id": "ord_1"}).json()
    assert answer["source"] == "odyssey", answer
    assert answer["validation"]["engine"] == "llm"
    return final("CANARY-check")


def answering(asked: Asked) -> Any:
    return {"response": {"thought": "deep"}, "operations": []}


def all_said(server: ModelServer) -> str:
    """Everything the model was sent, headers and schema included."""
    return json.dumps([[asked.path, asked.headers, asked.body] for asked in server.asked])


def assert_only_the_world(server: ModelServer) -> None:
    said = all_said(server)
    for text in ("canary", "refusal", "expected", "rubric", "verdict", "scenario"):
        assert text not in said.lower()
    assert "WORLD-entity" in said
    assert "WORLD-description" in said


def test_a_seed_shows_its_world_and_behaviour_and_nothing_else(org: Org, agent_server: StartAgent) -> None:
    with ModelServer(answering) as server, ModelServer(answering) as judge:
        org.ok(org.put("/api/settings", server.settings(role="simulator")))
        org.ok(org.put("/api/settings", judge.settings()))
        agent = org.agent(agent_server(ponder).url, tools_schema=[*TOOLS, PONDER], name="CANARY-agent")
        run = org.run(agent, **SEED)
        assert run["status"] == "completed", run
        org.graded(run["id"])
    assert_only_the_world(server)
    assert "WORLD-behaviour" in all_said(server)
    assert "CANARY-rubric" in all_said(judge)  # the canaries are alive
    (event,) = org.trace(run["id"], "tool_call")
    assert event["data"]["model"]["model"] == "scripted"
    assert event["data"]["model"]["cached"] is False


def test_a_scenario_shows_nothing_of_what_it_expects(org: Org, agent_server: StartAgent) -> None:
    with ModelServer(answering) as server:
        org.ok(org.put("/api/settings", server.settings(role="simulator")))
        agent = org.agent(agent_server(ponder).url, tools_schema=[*TOOLS, PONDER])
        world = org.ok(org.post("/api/worlds", {"name": "CANARY-name-of-the-world", "initial_state": NOTED}))
        made = scenario(
            org,
            name="CANARY-name",
            description="CANARY-description",
            input_context={"order_id": "CANARY-context"},
            expected_behavior={"decision": "CANARY-expected"},
            user_instruction="CANARY-instruction",
            tags=["canary-tag"],
            world_id=world["id"],
        )
        (run_id,) = start(org, made, agent_id=agent["id"])
        assert observed(org, run_id)["observed_at"]
    assert server.asked
    assert_only_the_world(server)
