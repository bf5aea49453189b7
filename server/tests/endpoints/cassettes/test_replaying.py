"""A passthrough run is recorded, its service goes away, and other runs replay it."""

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from support.agents import Behaviour, ScriptedAgent
from support.order_service import ORDERS, OrderService, do_as_told
from support.platform import Org

StartAgent = Callable[[Behaviour], ScriptedAgent]

STORY = ["get_order ord_1", "refund_order ord_2", "get_order ord_2", "get_order ord_9"]
CHECKS = [{"called": "refund_order"}]


@pytest.fixture
def service() -> Iterator[OrderService]:
    service = OrderService()
    yield service
    service.close()


class Desk:
    """An org whose agent does as it is told, with tools that lead to a live service."""

    def __init__(self, org: Org, service: OrderService, agent_server: StartAgent, **members: Any) -> None:
        self.org = org
        url, tools = agent_server(do_as_told).url, service.bind(org, **members)
        order = {"type": "order", "id_field": "id", "fields": [{"name": "status", "type": "string"}]}
        self.agent = org.agent(url, tools_schema=tools, ledger_schema={"entities": [order]})

    def run(self, story: list[str], cassette: dict[str, Any] | None = None) -> dict[str, Any]:
        seed = {"user_instruction": "\n".join(story), "checks": CHECKS}
        body = {"agent_id": self.agent["id"], "seeds": [seed]}
        if cassette is not None:
            body["cassette"] = cassette
        made = self.org.ok(self.org.post("/api/runs", body))
        return self.org.wait(made["runs"][0]["id"])

    def record(self, run: dict[str, Any]) -> dict[str, Any]:
        body = {"name": "orders of today", "run_id": run["id"]}
        made: dict[str, Any] = self.org.ok(self.org.post("/api/cassettes", body))
        return made

    def held(self, cassette: dict[str, Any]) -> list[dict[str, Any]]:
        page = self.org.ok(self.org.get(f"/api/cassettes/{cassette['id']}/interactions"))
        items: list[dict[str, Any]] = page["items"]
        return items

    def calls(self, run: dict[str, Any]) -> list[dict[str, Any]]:
        return [event["data"] for event in self.org.trace(run["id"], "tool_call")]

    def misses(self, run: dict[str, Any]) -> list[bool]:
        codes = [call["response"].get("error") for call in self.calls(run)]
        return [isinstance(error, dict) and error["code"] == "cassette_miss" for error in codes]


@pytest.fixture
def desk(org: Org, service: OrderService, agent_server: StartAgent) -> Desk:
    return Desk(org, service, agent_server)


def test_a_strict_replay_is_the_run_without_the_network(desk: Desk, service: OrderService) -> None:
    live = desk.run(STORY)
    cassette = desk.record(live)
    service.stop()
    again = desk.run(STORY, {"id": cassette["id"]})
    assert again["final_response"] == live["final_response"]
    assert [desk.org.graded(run["id"])["verdict"] for run in (live, again)] == ["PASS", "PASS"]
    assert service.connects_since_stopped() == 0
    first, second = desk.calls(live), desk.calls(again)
    for member in ("tool_name", "arguments", "response", "source", "upstream", "operations"):
        assert [call[member] for call in second] == [call[member] for call in first], member
    assert [call["response"].get("state") for call in second] == ["shipped", "open", "open", None]
    numbers = [one["number"] for one in desk.held(cassette)]
    assert [call["cassette"] for call in second] == [
        {"id": cassette["id"], "number": number} for number in numbers
    ]
    assert desk.org.trace(again["id"], "forward") == []
    assert len(desk.org.trace(live["id"], "forward")) == len(STORY)
    assert again["cassette"] == {
        "id": cassette["id"],
        "match": "strict",
        "on_miss": "fail",
        "last_number": numbers[-1],
    }
    assert live["cassette"] is None


def test_strict_order_is_kept_and_what_is_out_of_turn_misses(desk: Desk, service: OrderService) -> None:
    cassette = desk.record(desk.run(STORY))
    service.stop()
    swapped = [STORY[1], STORY[0], STORY[1], STORY[1]]
    strict = desk.run(swapped, {"id": cassette["id"]})
    assert desk.misses(strict) == [True, False, False, True]
    missed = desk.calls(strict)[0]
    assert missed["source"] == "transport_error"
    assert missed["response"]["error"]["outcome"] == "not_sent"
    lenient = desk.run([*swapped, STORY[3], STORY[3]], {"id": cassette["id"], "match": "lenient"})
    assert desk.misses(lenient) == [False] * 6
    assert desk.misses(desk.run(["get_order ord_3"], {"id": cassette["id"], "match": "lenient"})) == [True]
    assert service.connects_since_stopped() == 0


def test_lenient_plays_equal_calls_in_turn_and_then_the_last_again(desk: Desk, service: OrderService) -> None:
    story = ["get_order ord_2", "refund_order ord_2", "get_order ord_2"]
    cassette = desk.record(desk.run(story))
    service.stop()
    looked = desk.run(["get_order ord_2"] * 4, {"id": cassette["id"], "match": "lenient"})
    refunds = [call["response"].get("refunds") for call in desk.calls(looked)]
    assert refunds == [None, 1, 1, 1]


def test_capture_asks_what_is_missing_and_a_later_run_has_it(desk: Desk, service: OrderService) -> None:
    cassette = desk.record(desk.run(["get_order ord_1"]))
    replay = {"id": cassette["id"], "match": "lenient", "on_miss": "capture"}
    asked = len(service.asked)
    story = ["get_order ord_1", "get_order ord_2", "get_order ord_2"]
    capturing = desk.run(story, replay)
    assert service.asked[asked:] == ["GET /orders/ord_2"] * 2
    assert len(desk.org.trace(capturing["id"], "forward")) == 2
    held = desk.held(cassette)
    assert [(one["arguments"]["order_id"], one["captured"], one["run_id"]) for one in held] == [
        ("ord_1", False, cassette["run_id"]),
        ("ord_2", True, capturing["id"]),
        ("ord_2", True, capturing["id"]),
    ]
    steps = [event["sequence"] for event in desk.org.trace(capturing["id"], "tool_call")]
    assert [one["sequence"] for one in held[1:]] == steps[1:]
    service.stop()
    again = desk.run(story, replay)
    assert again["final_response"] == capturing["final_response"]
    assert service.connects_since_stopped() == 0
    assert desk.held(cassette) == held


def test_a_failure_of_the_way_is_replayed_as_well(desk: Desk, service: OrderService) -> None:
    service.stop()
    service.close()
    live = desk.run(["get_order ord_1", "get_order ord_1"])
    assert [call["source"] for call in desk.calls(live)] == ["transport_error"] * 2
    cassette = desk.record(live)
    again = desk.run(["get_order ord_1", "get_order ord_1"], {"id": cassette["id"]})
    assert again["final_response"] == live["final_response"]
    assert [call["source"] for call in desk.calls(again)] == ["transport_error"] * 2
    codes = {one["response"]["error"]["code"] for one in desk.held(cassette)}
    assert codes == {"upstream_unreachable"}


def test_a_replayed_answer_is_written_to_the_ledger_as_a_live_one(
    org: Org, service: OrderService, agent_server: StartAgent
) -> None:
    adapter = {
        "op": "add",
        "entity_type": "order",
        "id_from": "$.id",
        "field_map": {"status": "$.state"},
    }
    desk = Desk(org, service, agent_server, ledger_write_policy="adapter", ledger_adapter=adapter)
    live = desk.run(["get_order ord_1"])
    cassette = desk.record(live)
    service.stop()
    again = desk.run(["get_order ord_1"], {"id": cassette["id"]})
    ledgers = [org.ok(org.get(f"/api/runs/{run['id']}/ledger")) for run in (live, again)]
    assert ledgers[1]["state"] == ledgers[0]["state"] != {}
    assert ledgers[1]["hash"] == ledgers[0]["hash"]
    assert ledgers[0]["state"]["order"]["ord_1"]["status"] == ORDERS["ord_1"]["state"]


def test_every_run_of_a_batch_replays_from_the_start(desk: Desk, service: OrderService) -> None:
    live = desk.run(STORY)
    cassette = desk.record(live)
    service.stop()
    seed = {"user_instruction": "\n".join(STORY), "checks": CHECKS}
    body = {"agent_id": desk.agent["id"], "seeds": [seed], "repeats": 3, "cassette": {"id": cassette["id"]}}
    made = desk.org.ok(desk.org.post("/api/runs", body))
    rows = desk.org.ok(desk.org.get("/api/runs", params={"batch_id": made["batch"]["id"]}))["items"]
    while len(rows) < 3:
        rows = desk.org.ok(desk.org.get("/api/runs", params={"batch_id": made["batch"]["id"]}))["items"]
    for row in rows:
        run = desk.org.graded(row["id"])
        assert (run["final_response"], run["verdict"]) == (live["final_response"], "PASS")
        assert run["cassette"]["id"] == cassette["id"]
    assert service.connects_since_stopped() == 0


def test_a_dataset_is_replayed_too(desk: Desk, service: OrderService) -> None:
    live = desk.run(STORY)
    cassette = desk.record(live)
    service.stop()
    row = {"user_instruction": "\n".join(STORY)}
    dataset = desk.org.ok(desk.org.post("/api/datasets", [row], params={"name": "rows"}))
    body = {"agent_id": desk.agent["id"], "dataset_id": dataset["id"], "cassette": {"id": cassette["id"]}}
    made = desk.org.ok(desk.org.post("/api/runs", body))
    run = desk.org.wait(made["runs"][0]["id"])
    assert run["final_response"] == live["final_response"]
    assert service.connects_since_stopped() == 0


def test_the_story_of_the_run_is_what_the_agent_was_told(desk: Desk) -> None:
    told = json.loads(desk.run(["get_order ord_1"])["final_response"])
    assert told == [{"response": ORDERS["ord_1"], "source": "passthrough"}]
