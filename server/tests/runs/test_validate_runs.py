"""Checking a request for runs before it is made: the answers of making it, and no effect."""

from typing import Any

import httpx
from support.platform import WORLD, Org

URL = "http://127.0.0.1:9/dispatch"
VALID = {"valid": True, "runs": 1, "publish_first": False, "behavior_problems": []}
SCHEMA = {"entities": [{"type": "order", "id_field": "order_id"}]}


def validate(org: Org, agent: dict[str, Any], *seeds: Any) -> httpx.Response:
    return org.post("/api/runs/validate", {"agent_id": agent["id"], "seeds": list(seeds)})


def test_a_good_request_is_counted_and_leaves_no_trace(org: Org) -> None:
    agent = org.agent(URL)
    before = org.ok(org.get("/api/audit-log"))
    seeds = [{"user_instruction": str(n), "initial_state": WORLD} for n in range(3)]
    assert org.ok(validate(org, agent, *seeds)) == VALID | {"runs": 3}
    assert org.ok(org.get("/api/runs"))["items"] == []
    assert org.ok(org.get("/api/audit-log")) == before


def test_a_draft_is_checked_by_its_newest_version(org: Org) -> None:
    agent = org.agent(URL, publish=False)
    other = {"user_instruction": "x", "initial_state": {"invoice": {}}}
    assert org.ok(validate(org, agent, other)) == VALID | {"publish_first": True}
    org.ok(org.put(f"/api/agents/{agent['id']}", {"ledger_schema": SCHEMA}))
    answer = validate(org, agent, other)
    assert (answer.status_code, answer.json()["code"]) == (422, "validation_failed")
    assert "invoice" in answer.json()["detail"]


def test_a_published_agent_is_checked_by_the_version_that_would_run(org: Org) -> None:
    agent = org.agent(URL, ledger_schema=SCHEMA)
    org.ok(org.put(f"/api/agents/{agent['id']}", {"ledger_schema": None}, params={"draft": "true"}))
    other = {"user_instruction": "x", "initial_state": {"invoice": {}}}
    answer = validate(org, agent, other)
    body = {"agent_id": agent["id"], "seeds": [other]}
    assert (answer.status_code, answer.json()) == (422, org.post("/api/runs", body).json())
    assert org.ok(validate(org, agent, {"user_instruction": "x"}))["publish_first"] is False


def test_what_is_wrong_with_any_request_is_said_of_drafts_too(org: Org) -> None:
    agent, draft = org.agent(URL), org.agent(URL, publish=False)
    seeds = [{"user_instruction": "x"}]
    for members, code in (
        ({"seeds": seeds, "dataset_id": 1}, "validation_failed"),
        ({}, "validation_failed"),
        ({"seeds": seeds, "repeats": 0}, "validation_failed"),
        ({"seeds": seeds, "repeats": 101}, "validation_failed"),
        ({"seeds": [{"user_instruction": "x", "turn_mode": "single_shot"}]}, "not_available_yet"),
    ):
        made = org.post("/api/runs", {"agent_id": agent["id"], **members})
        assert (made.status_code, made.json()["code"]) == (422, code)
        for one in (agent, draft):
            answer = org.post("/api/runs/validate", {"agent_id": one["id"], **members})
            assert (answer.status_code, answer.json()) == (422, made.json())
    org.ok(org.client.delete(f"/api/agents/{draft['id']}"))
    answer = validate(org, draft, *seeds)
    assert (answer.status_code, answer.json()["code"]) == (404, "not_found")
