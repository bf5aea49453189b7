"""What contradicts the world stands in the trace as events of its own, written with the call."""

from collections.abc import Callable
from typing import Any

import pytest
from support.agents import Behaviour, ScriptedAgent
from support.calls import OpenRun, open_run
from support.platform import TOOLS, WORLD, Org

StartAgent = Callable[[Behaviour], ScriptedAgent]

LEDGER_SCHEMA = {
    "entities": [
        {
            "type": "order",
            "id_field": "order_id",
            "fields": [{"name": "status", "type": "string", "enum": ["shipped", "pending", "lost"]}],
        },
        {"type": "customer", "id_field": "customer_id"},
    ],
    "flags": {"policy": "closed", "values": ["urgent"]},
}
CREATE = {
    "name": "create_order",
    "input_schema": {
        "type": "object",
        "properties": {"status": {"type": "string"}, "customer_id": {"type": "string"}},
        "required": ["status"],
    },
}
TOOLS_WITH_CUSTOMERS = [tool for tool in TOOLS if tool["name"] != "create_order"] + [CREATE]


def agent(mode: str | None) -> dict[str, Any]:
    config = {} if mode is None else {"consistency_mode": mode}
    return {"tools_schema": TOOLS_WITH_CUSTOMERS, "ledger_schema": LEDGER_SCHEMA, "config": config}


def order_for_nobody(run: OpenRun) -> dict[str, Any]:
    answer = run.call("create_order", {"status": "pending", "customer_id": "cus_9"})
    assert answer.status_code == 200
    body: dict[str, Any] = answer.json()
    return body


def ledger(run: OpenRun) -> dict[str, Any]:
    found: dict[str, Any] = run.org.ok(run.org.get(f"/api/runs/{run.id}/ledger"))
    return found


def test_a_violation_is_an_event_after_its_call(org: Org, agent_server: StartAgent) -> None:
    with open_run(org, agent_server, agent=agent(None)) as run:
        assert order_for_nobody(run)["source"] == "odyssey"
        assert run.call("get_order", {"order_id": "ord_1"}).status_code == 200
        first, violation, second = run.events()[1:4]
    assert [each["kind"] for each in (first, violation, second)] == ["tool_call", "violation", "tool_call"]
    assert [violation["sequence"], second["sequence"]] == [first["sequence"] + 1, first["sequence"] + 2]
    assert (violation["attempt"], violation["occurred_at"]) == (first["attempt"], first["occurred_at"])
    assert violation["data"] == {
        "kind": "dangling_reference",
        "entity_type": "order",
        "entity_id": "ord_3",
        "field": "customer_id",
        "message": "customer_id is 'cus_9', but no customer with this id exists",
        "sequence": first["sequence"],
    }
    assert first["data"]["violations"] == [violation["data"]]
    assert "violations" not in second["data"]
    assert len(ledger(run)["state"]["order"]) == 3


def test_strict_refuses_and_says_why(org: Org, agent_server: StartAgent) -> None:
    with open_run(org, agent_server, agent=agent("strict")) as run:
        body = order_for_nobody(run)
        assert body["source"] == "error"
        assert body["response"]["error"]["code"] == "simulation_failed"
        assert "no customer with this id exists" in body["response"]["error"]["message"]
        assert [each["data"]["kind"] for each in run.events("violation")] == ["dangling_reference"]
        assert ledger(run)["state"] == WORLD


def test_off_looks_at_nothing(org: Org, agent_server: StartAgent) -> None:
    with open_run(org, agent_server, agent=agent("off")) as run:
        assert order_for_nobody(run)["source"] == "odyssey"
        assert run.events("violation") == []
        assert len(ledger(run)["state"]["order"]) == 3


RULE = {
    "tool": "delete_order",
    "error": {"code": "timeout", "message": "late"},
    "ledger": [
        {"op": "add", "entity_type": "order", "id": "ord_1", "fields": {"status": "gone"}},
        {"op": "set_flag", "flag": "strange"},
    ],
}


@pytest.mark.parametrize(
    ("mode", "kinds", "status"),
    [
        ("warn", ["outside_enum", "undeclared_flag", "add_existing"], "gone"),
        ("strict", ["outside_enum", "undeclared_flag", "add_existing"], "shipped"),
        ("off", [], "gone"),
    ],
)
def test_what_rules_write_is_held_to_the_declarations(
    org: Org, agent_server: StartAgent, mode: str, kinds: list[str], status: str
) -> None:
    with open_run(org, agent_server, agent=agent(mode), failure_rules=[RULE]) as run:
        assert run.call("delete_order", {"order_id": "ord_1"}).json()["source"] == "injected"
        assert [each["data"]["kind"] for each in run.events("violation")] == kinds
        assert ledger(run)["state"]["order"]["ord_1"]["status"] == status
        assert run.call("get_order", {"order_id": "ord_2"}).status_code == 200
        sequences = [each["sequence"] for each in run.events()]
        assert sequences == list(range(1, len(sequences) + 1))
