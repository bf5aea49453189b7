from typing import Any

import pytest
import yaml
from support.evals import SCENARIO, SCENARIOS, refusal, scenario
from support.platform import WORLD, Org

CHECKS = [{"called": {"tool": "get_order"}}, {"not_called": "delete_order"}]


@pytest.mark.both_databases
def test_a_scenario_is_made_read_changed_and_deleted(org: Org, other_org: Org) -> None:
    made = scenario(org)
    url = f"{SCENARIOS}/{made['id']}"
    assert made["id"].startswith("scn_")
    assert made["version"] == 1
    assert {name: made[name] for name in SCENARIO} == SCENARIO
    assert made["rendered"] == '{\n  "order_id": "ord_1",\n  "days": 40\n}'
    assert org.ok(org.get(url)) == made
    assert refusal(other_org.get(url)) == (404, "not_found")
    same = org.ok(org.put(url, {"name": SCENARIO["name"]}))
    assert (same["version"], same["updated_at"]) == (1, made["updated_at"])
    changed = org.ok(org.put(url, {"user_instruction": "Decide.", "risk_level": "low"}))
    assert (changed["version"], changed["risk_level"], changed["tags"]) == (2, "low", SCENARIO["tags"])
    assert changed["rendered"].startswith('Decide.\n\n{\n  "order_id"')
    assert org.ok(org.get(url, params={"version": 1}))["risk_level"] == "critical"
    assert refusal(org.get(url, params={"version": 3})) == (404, "not_found")
    assert org.ok(org.put(url, {"user_instruction": None}))["rendered"] == made["rendered"]
    assert org.client.delete(url).status_code == 204
    assert refusal(org.get(url)) == refusal(org.put(url, {})) == (404, "not_found")
    assert org.ok(org.get(SCENARIOS))["items"] == []
    actions = [entry["action"] for entry in org.ok(org.get("/api/audit-log"))["items"]]
    assert actions == ["scenario.delete", "scenario.change", "scenario.change", "scenario.create"]


@pytest.mark.both_databases
def test_scenarios_are_found_by_words_tag_and_risk(org: Org) -> None:
    scenario(org, name="First", tags=["a"], description="about kettles")
    scenario(org, name="Second 100%", tags=["a", "ab"], risk_level="low")
    scenario(org, name="Third", tags=["ab"])

    def found(**query: str) -> list[str]:
        return [item["name"] for item in org.ok(org.get(SCENARIOS, params=query))["items"]]

    assert found() == ["Third", "Second 100%", "First"]
    assert found(q="KETTLE") == ["First"]
    assert found(q="0%") == ["Second 100%"]
    assert found(q="_") == []
    assert found(tag="a") == ["Second 100%", "First"]
    assert found(tag="ab", risk_level="critical") == ["Third"]
    page = org.ok(org.get(SCENARIOS, params={"limit": 2}))
    assert [item["name"] for item in page["items"]] == ["Third", "Second 100%"]
    assert found(cursor=page["next_cursor"]) == ["First"]
    assert org.get(SCENARIOS, params={"tag": "A"}).status_code == 422


def test_every_field_that_is_wrong_is_named_at_once(org: Org) -> None:
    body = {"name": "x" * 10_000, "risk_level": "CRITICAL", "input_context": {"text": "x" * 2_000_000}}
    answer = org.post(SCENARIOS, body)
    assert refusal(answer) == (422, "validation_failed")
    assert len(answer.content) < 5000
    assert {error["loc"][0] for error in answer.json()["errors"]} == {
        "name",
        "risk_level",
        "input_context",
        "expected_behavior",
    }
    assert org.ok(org.get(SCENARIOS))["items"] == []


def test_every_fault_of_what_is_expected_is_told_at_once(org: Org) -> None:
    wrong = {"amount": {"$above": 1}, "$calls": [{"caled": "x"}], "$text": 5}
    errors = org.post(SCENARIOS, SCENARIO | {"expected_behavior": wrong}).json()["errors"]
    assert [error["loc"][1:] for error in errors] == [["amount", "$above"], ["$calls", 0, "caled"], ["$text"]]


@pytest.mark.parametrize(
    ("change", "loc"),
    [
        ({"expected_behavior": {"amount": {"$above": 1}}}, ["expected_behavior", "amount", "$above"]),
        ({"expected_behavior": {"$call": []}}, ["expected_behavior", "$call"]),
        ({"expected_behavior": {"$calls": 5}}, ["expected_behavior", "$calls"]),
        (
            {"expected_behavior": {"$calls": [{"caled": "x"}]}},
            ["expected_behavior", "$calls", 0, "caled"],
        ),
        (
            {"expected_behavior": {"$ledger": [{"ledger": {"$.[": 1}}]}},
            ["expected_behavior", "$ledger", 0, "ledger", "$.["],
        ),
        (
            {"expected_behavior": {"$text": [{"final_response": {"regex": "("}}]}},
            ["expected_behavior", "$text", 0, "final_response", "regex"],
        ),
        ({"agent_id": 2**62}, ["agent_id"]),
        ({"world_id": 2**62}, ["world_id"]),
        ({"world_id": 2**63}, ["world_id"]),
        ({"input_context": {}}, ["input_context"]),
        ({"tags": ["Not Lower"]}, ["tags", 0]),
        ({"tags": ["a", "a"]}, ["tags"]),
        ({"protected": ["customer.credit.limit"]}, ["protected", 0]),
        ({"protected": ["customer", "customer"]}, ["protected"]),
        ({"protected": "customer"}, ["protected"]),
        ({"name": "a\x00b"}, ["name"]),
        ({"user_instruction": ""}, ["user_instruction"]),
    ],
)
def test_what_is_wrong_is_told_at_its_place(org: Org, change: dict[str, Any], loc: list[str | int]) -> None:
    answer = org.post(SCENARIOS, SCENARIO | change)
    assert refusal(answer) == (422, "validation_failed")
    assert [error["loc"] for error in answer.json()["errors"]] == [loc]
    made = scenario(org)
    changed = org.put(f"{SCENARIOS}/{made['id']}", change)
    assert [error["loc"] for error in changed.json()["errors"]] == [loc]
    assert org.ok(org.get(f"{SCENARIOS}/{made['id']}"))["version"] == 1


@pytest.mark.both_databases
def test_what_is_protected_is_kept_with_each_version(org: Org) -> None:
    made = scenario(org)
    assert made["protected"] == []
    url = f"{SCENARIOS}/{made['id']}"
    changed = org.ok(org.put(url, {"protected": ["customer", "order.total"]}))
    assert (changed["version"], changed["protected"]) == (2, ["customer", "order.total"])
    assert org.ok(org.put(url, {"protected": ["customer", "order.total"]}))["version"] == 2
    assert org.ok(org.get(url, params={"version": 1}))["protected"] == []
    exported = yaml.safe_load(org.get(f"{SCENARIOS}/export", params={"format": "yaml"}).text)
    assert exported["scenarios"][0]["protected"] == ["customer", "order.total"]


def test_a_scenario_may_name_a_world_an_agent_and_checks(org: Org) -> None:
    world = org.ok(org.post("/api/worlds", {"name": "shop", "initial_state": WORLD}))
    agent = org.agent("http://127.0.0.1:9/dispatch")
    expected = {"decision": {"$in": ["refuse", "escalate"]}, "$calls": CHECKS, "$text": []}
    made = scenario(org, world_id=world["id"], agent_id=agent["id"], expected_behavior=expected)
    assert (made["world_id"], made["agent_id"], made["expected_behavior"]) == (
        world["id"],
        agent["id"],
        expected,
    )


def test_an_instruction_alone_is_enough(org: Org) -> None:
    made = scenario(org, input_context={}, user_instruction="What is the deadline?")
    assert made["rendered"] == "What is the deadline?"
