"""Trying a call on a world: the answer is a run's answer, and nothing is left of it."""

from collections.abc import Callable
from typing import Any

import httpx
import pytest
from support.agents import Behaviour, ScriptedAgent
from support.calls import open_run
from support.platform import TOOLS, WORLD, Org
from support.worlds import errors, new_world, read_world

URL = "http://127.0.0.1:9/dispatch"

StartAgent = Callable[[Behaviour], ScriptedAgent]


def attempt(
    org: Org, world: dict[str, Any], tool: str, arguments: Any = None, **members: Any
) -> httpx.Response:
    body = {"tool": tool, "arguments": arguments or {}, **members}
    return org.post(f"/api/worlds/{world['id']}/try", body)


def test_a_change_is_shown_and_not_kept(org: Org) -> None:
    world, agent = new_world(org), org.agent(URL)
    log = org.ok(org.get("/api/audit-log"))
    arguments = {"order_id": "ord_1", "status": "lost"}
    told = org.ok(attempt(org, world, "update_order", arguments, agent_id=agent["id"]))
    assert (told["source"], told["matched_rule_index"], told["fault"]) == ("odyssey", None, None)
    assert told["response"]["status"] == "lost"
    assert told["operations"] == [
        {"op": "update", "entity_type": "order", "id": "ord_1", "fields": {"status": "lost"}}
    ]
    assert told["difference"] == {
        "changes": [
            {
                "kind": "changed",
                "entity_type": "order",
                "id": "ord_1",
                "before": WORLD["order"]["ord_1"],
                "after": WORLD["order"]["ord_1"] | {"status": "lost"},
                "fields": ["status"],
            }
        ],
        "flags_set": [],
        "flags_cleared": [],
    }
    assert told["reading"]["operation"] == "update"
    assert told["reading"]["entity_type"] == "order"
    assert told["explanation"]
    assert told["validation"].keys() == {
        "valid",
        "schema",
        "attempts",
        "errors",
        "engine",
        "confidence",
        "evidence",
    }
    assert told["violations"] == []
    assert read_world(org, world) == world
    assert org.ok(org.get("/api/audit-log")) == log
    assert org.ok(org.get("/api/runs"))["items"] == []


def test_the_answer_is_the_one_a_run_gets(org: Org, agent_server: StartAgent) -> None:
    rules = [{"tool": "get_order", "probability": 0.5, "response": "drawn"}]
    world = new_world(org, failure_rules=rules)
    for random_seed in range(6):
        seed = {"initial_state": None, "world_id": world["id"], "random_seed": random_seed}
        for tool, arguments in (("get_order", {"order_id": "ord_1"}), ("create_order", {"status": "new"})):
            told = org.ok(attempt(org, world, tool, arguments, tools_schema=TOOLS, random_seed=random_seed))
            with open_run(org, agent_server, **seed) as run:
                answered = run.call(tool, arguments).json()
            assert told["source"] == answered["source"]
            assert told["matched_rule_index"] == answered["matched_rule_index"]
            if tool == "get_order":
                assert told["response"] == answered["response"]


def test_rules_come_first_and_their_delay_is_told_not_waited_for(org: Org) -> None:
    rules = [
        {"tool": "get_order", "call": 2, "response": "never"},
        {
            "tool": "get_order",
            "latency_ms": 90_000,
            "fault": "reset",
            "ledger": [
                {"op": "set_flag", "flag": "charged"},
                {"op": "add", "entity_type": "order", "id": "ord_1", "fields": {"total": 0}},
            ],
        },
        {"tool": "list_orders", "error": {"code": "down", "message": "Try later."}},
    ]
    world = new_world(org, failure_rules=rules)
    told = org.ok(attempt(org, world, "get_order", {"order_id": "ord_1"}, tools_schema=TOOLS))
    assert (told["source"], told["matched_rule_index"], told["fault"]) == ("injected", 1, "reset")
    assert 90_000 <= told["latency_ms"] < 95_000
    assert (told["validation"], told["reading"], told["explanation"]) == (None, None, "")
    assert told["difference"]["flags_set"] == ["charged"]
    assert told["difference"]["changes"][0]["fields"] == ["total"]
    assert [violation["kind"] for violation in told["violations"]] == ["add_existing"]
    listed = org.ok(attempt(org, world, "list_orders", tools_schema=TOOLS))
    assert listed["response"] == {"error": {"code": "down", "message": "Try later."}}


def test_the_agents_consistency_mode_counts(org: Org) -> None:
    contradiction = [{"op": "remove", "entity_type": "order", "id": "nobody"}]
    world = new_world(org, failure_rules=[{"tool": "get_order", "response": 1, "ledger": contradiction}])
    for mode, kinds in (("off", []), ("warn", ["remove_missing"]), ("strict", ["remove_missing"])):
        agent = org.agent(URL, config={"consistency_mode": mode})
        told = org.ok(attempt(org, world, "get_order", {"order_id": "x"}, agent_id=agent["id"]))
        assert [violation["kind"] for violation in told["violations"]] == kinds
        assert told["operations"] == ([] if mode == "strict" else contradiction)


def test_a_published_version_answers_and_a_draft_by_its_newest(org: Org) -> None:
    world = new_world(org)
    agent = org.agent(URL, publish=False)
    path = f"/api/agents/{agent['id']}"
    renamed = [{**TOOLS[0], "name": "read_order"}]
    org.ok(org.put(path, {"tools_schema": renamed}))
    org.ok(attempt(org, world, "read_order", {"order_id": "ord_1"}, agent_id=agent["id"]))
    org.ok(org.post(f"{path}/publish"))
    org.ok(org.put(f"{path}?draft=true", {"tools_schema": TOOLS}))
    org.ok(attempt(org, world, "read_order", {"order_id": "ord_1"}, agent_id=agent["id"]))
    (fault,) = errors(attempt(org, world, "get_order", {"order_id": "ord_1"}, agent_id=agent["id"]))
    assert fault[0] == ["tool"]
    assert "get_order" in fault[1]


def test_what_the_agent_declares_is_checked_as_in_a_registration(org: Org) -> None:
    world = new_world(org)
    bad = [{"name": "get order"}, {"name": "x", "input_schema": {}, "default_execution_mode": "passthrough"}]
    tried = attempt(org, world, "x", tools_schema=bad, ledger_schema={"entities": 5})
    registration = {"name": "x", "config": {"endpoint_url": URL}, "tools_schema": bad}
    registered = org.post("/api/agents", registration | {"ledger_schema": {"entities": 5}})
    assert errors(tried) == errors(registered)


@pytest.mark.parametrize(
    ("tool", "arguments", "place"),
    [
        ("get_order", {}, ["arguments"]),
        ("get_order", {"order_id": 5}, ["arguments", "order_id"]),
        ("get_ordr", {"order_id": "x"}, ["tool"]),
    ],
)
def test_a_wrong_call_is_named(org: Org, tool: str, arguments: Any, place: list[str]) -> None:
    answer = attempt(org, new_world(org), tool, arguments, tools_schema=TOOLS)
    assert errors(answer)[0][0][: len(place)] == place
    code = "arguments_invalid" if place[0] == "arguments" else "validation_failed"
    assert answer.json()["code"] == code


def test_anothers_agent_does_not_exist(org: Org, other_org: Org) -> None:
    foreign = other_org.agent(URL)
    world = new_world(org)
    answers = [
        attempt(org, world, "get_order", {"order_id": "x"}, agent_id=agent_id)
        for agent_id in (foreign["id"], 2**62)
    ]
    assert [(answer.status_code, answer.json()["code"]) for answer in answers] == [(404, "not_found")] * 2


def test_an_answer_beyond_the_limit_is_the_error_a_run_gets(org: Org) -> None:
    world = new_world(org, initial_state={"order": {"big": {"order_id": "big", "status": "x" * 1_100_000}}})
    told = org.ok(attempt(org, world, "get_order", {"order_id": "big"}, tools_schema=TOOLS))
    assert told["source"] == "error"
    assert told["response"]["error"]["code"] == "response_too_large"


def test_the_trace_says_why_and_the_agent_is_not_told(org: Org, agent_server: StartAgent) -> None:
    with open_run(org, agent_server) as run:
        answered = run.call("get_order", {"order_id": "ord_1"}).json()
        (recorded,) = [event["data"] for event in run.events("tool_call")]
    told = answered["validation"]
    assert told.keys() == {"valid", "schema", "attempts", "errors", "engine", "confidence", "evidence"}
    assert recorded["validation"].keys() - told.keys() == {"reading", "explanation"}
    assert recorded["validation"]["reading"]["entity_type"] == "order"
    assert "order" in recorded["validation"]["explanation"]
