"""Programs over HTTP: stored with their agent, and read for an editor before that."""

from typing import Any

import pytest
from support.platform import TOOLS, Org

URL = "http://127.0.0.1:9/dispatch"
READ = {
    "let": {"order": 'entity("order", args.order_id)'},
    "require": [
        {"that": "order != null", "else": {"code": "not_found", "message": "No {args.order_id}\u0000"}}
    ],
    "response": "= order",
}


def agent_with(org: Org, **config: Any) -> dict[str, Any]:
    body = {"name": "agent", "config": {"endpoint_url": URL, **config}, "tools_schema": TOOLS}
    agent: dict[str, Any] = org.ok(org.post("/api/agents", body))
    return agent


def read(org: Org, body: dict[str, Any]) -> dict[str, Any]:
    answer: dict[str, Any] = org.ok(org.post("/api/programs/read", body))
    return answer


def test_engines_and_programs_are_stored_as_they_were_written(org: Org) -> None:
    config = {"engine": "world", "engines": {"get_order": "program"}, "programs": {"get_order": READ}}
    agent = agent_with(org, **config)
    assert agent["config"] == {"endpoint_url": URL, **config}
    path = f"/api/agents/{agent['id']}"
    assert org.ok(org.get(path))["config"] == agent["config"]
    changed = org.ok(org.put(path, {"config": {"engine": "auto", "engines": {}}}))
    assert changed["config"] == {"endpoint_url": URL, "programs": {"get_order": READ}}
    assert changed["version"] == 2
    assert org.ok(org.put(path, {"config": {"programs": None}}))["config"] == {"endpoint_url": URL}


def test_a_tool_does_not_go_while_its_program_stays(org: Org) -> None:
    agent = agent_with(org, programs={"get_order": READ})
    answer = org.put(f"/api/agents/{agent['id']}", {"tools_schema": TOOLS[1:]})
    assert answer.status_code == 422
    (fault,) = answer.json()["errors"]
    assert fault["loc"] == ["config", "programs", "get_order"]


@pytest.mark.parametrize("by_agent", [True, False], ids=["by the agent", "by the tool"])
def test_a_program_is_read_with_every_fault_at_its_place(org: Org, by_agent: bool) -> None:
    tool = {"agent_id": agent_with(org)["id"], "tool": "get_order"} if by_agent else {"tool": TOOLS[0]}
    assert read(org, {**tool, "program": READ}) == {"valid": True, "errors": [], "program": READ}
    found = read(org, {**tool, "program": {"let": {"a": "args.oder_id"}, "response": ["= b"]}})
    assert (found["valid"], found["program"]) == (False, None)
    assert [fault["loc"] for fault in found["errors"]] == [["response", 0], ["let", "a"]]
    assert found["errors"][1]["msg"] == "the tool has no argument 'oder_id'; did you mean 'order_id'?"


def test_of_many_faults_the_first_hundred_are_told(org: Org) -> None:
    found = read(org, {"tool": TOOLS[0], "program": {"response": ["= nobody"] * 200}})
    assert (found["valid"], len(found["errors"])) == (False, 100)


def test_a_program_that_is_too_large_is_told_so(org: Org) -> None:
    found = read(org, {"tool": TOOLS[0], "program": {"response": "x" * 70_000}})
    assert (found["valid"], [fault["loc"] for fault in found["errors"]]) == (False, [[]])


def test_a_tool_that_cannot_be_meant_is_named(org: Org) -> None:
    agent_id = agent_with(org)["id"]
    wrong: list[tuple[dict[str, Any], list[str], str]] = [
        ({"tool": "get_order"}, ["tool"], "agent_id"),
        ({"tool": "get_oder", "agent_id": agent_id}, ["tool"], "did you mean 'get_order'?"),
        ({"tool": TOOLS[0], "agent_id": agent_id}, ["tool"], "the name of one of its tools"),
        (
            {"tool": {"name": "x", "input_schema": {"type": "array"}}},
            ["tool", "input_schema", "type"],
            "object",
        ),
        ({"tool": 5}, ["tool"], "must be an object"),
    ]
    for body, place, words in wrong:
        answer = org.post("/api/programs/read", {"program": {}, **body})
        assert answer.status_code == 422, answer.text
        (fault,) = answer.json()["errors"]
        assert fault["loc"] == place
        assert words in fault["msg"]
