"""Cassettes over HTTP: recorded, listed, read, compared with what is live, deleted."""

import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from support.agents import Behaviour, Dispatched, ScriptedAgent, final
from support.cassettes import READING, keep_cassette
from support.order_service import OrderService, do_as_told
from support.platform import Org

StartAgent = Callable[[Behaviour], ScriptedAgent]
NOTHING = "6f0e4b0e-3a1c-4d2f-9b0a-0123456789ab"


@pytest.fixture
def service() -> Iterator[OrderService]:
    service = OrderService()
    yield service
    service.close()


@pytest.fixture
def agent(org: Org, service: OrderService, agent_server: StartAgent) -> dict[str, Any]:
    return org.agent(agent_server(do_as_told).url, tools_schema=service.bind(org))


def recorded(org: Org, agent: dict[str, Any], *story: str) -> dict[str, Any]:
    run = org.run(agent, user_instruction="\n".join(story))
    made: dict[str, Any] = org.ok(org.post("/api/cassettes", {"name": "orders", "run_id": run["id"]}))
    return made


def interactions(org: Org, cassette: dict[str, Any]) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = org.ok(org.get(f"/api/cassettes/{cassette['id']}/interactions"))["items"]
    return items


def diff(org: Org, cassette: dict[str, Any], **body: Any) -> dict[str, Any]:
    found: dict[str, Any] = org.ok(org.post(f"/api/cassettes/{cassette['id']}/diff", body))
    return found


def test_a_cassette_holds_the_passthrough_calls_of_a_run(org: Org, agent: dict[str, Any]) -> None:
    cassette = recorded(org, agent, "get_order ord_1", "refund_order ord_2", "get_order ord_9")
    assert (cassette["name"], cassette["attempt"], cassette["interactions"]) == ("orders", 1, 3)
    assert (cassette["agent_id"], cassette["agent_version"]) == (agent["id"], agent["version"])
    assert org.ok(org.get(f"/api/cassettes/{cassette['id']}")) == cassette
    assert org.ok(org.get("/api/cassettes")) == {"items": [cassette], "next_cursor": None}
    held = interactions(org, cassette)
    binding = agent["tools_schema"][0]["passthrough_binding"]
    assert {one["endpoint_id"] for one in held} == {binding["endpoint_id"]}
    assert {(one["endpoint"], one["type"]) for one in held} == {("orders", "http_openapi")}
    assert [(one["tool_name"], one["upstream_tool"]) for one in held] == [
        ("get_order", "readOrder"),
        ("refund_order", "refundOrder"),
        ("get_order", "readOrder"),
    ]
    assert [(one["status"], one["is_error"], one["read_only"]) for one in held] == [
        (200, False, True),
        (200, False, False),
        (404, True, True),
    ]
    trace = org.trace(cassette["run_id"], "tool_call")
    for member in ("arguments", "response", "source"):
        assert [one[member] for one in held] == [event["data"][member] for event in trace]
    assert [one["sequence"] for one in held] == [event["sequence"] for event in trace]
    assert [one["occurred_at"] for one in held] == [event["occurred_at"] for event in trace]
    audit = [entry["action"] for entry in org.ok(org.get("/api/audit-log"))["items"]]
    assert audit.count("cassette.create") == 1


def test_recording_twice_under_one_key_is_recording_once(org: Org, agent: dict[str, Any]) -> None:
    run = org.run(agent, user_instruction="get_order ord_1")
    body, key = {"name": "orders", "run_id": run["id"]}, {"Idempotency-Key": "record-once"}
    made = [org.ok(org.post("/api/cassettes", body, headers=key))["id"] for _ in range(2)]
    assert [one["id"] for one in org.ok(org.get("/api/cassettes"))["items"]] == made[:1] == made[1:]


@pytest.mark.both_databases
def test_lists_have_pages(org: Org, agent: dict[str, Any]) -> None:
    run = org.run(agent, user_instruction="get_order ord_1")
    made = [keep_cassette(org, run["id"], *[READING] * 3) for _ in range(3)]
    first = org.ok(org.get("/api/cassettes", params={"limit": 2}))
    rest = org.ok(org.get("/api/cassettes", params={"limit": 2, "cursor": first["next_cursor"]}))
    assert [one["id"] for one in first["items"] + rest["items"]] == made[::-1]
    path = f"/api/cassettes/{made[0]}/interactions"
    page = org.ok(org.get(path, params={"limit": 2}))
    last = org.ok(org.get(path, params={"limit": 2, "cursor": page["next_cursor"]}))
    numbers = [one["number"] for one in page["items"] + last["items"]]
    assert (len(numbers), numbers) == (3, sorted(numbers))
    assert last["next_cursor"] is None


@pytest.mark.both_databases
def test_what_cannot_be_recorded_is_refused(
    org: Org, other_org: Org, agent: dict[str, Any], agent_server: StartAgent
) -> None:
    def record(by: Org, run_id: int) -> Any:
        answer = by.post("/api/cassettes", {"name": "x", "run_id": run_id})
        return answer.status_code, answer.json()["code"], answer.json()["detail"]

    release = threading.Event()
    waiting = org.agent(agent_server(lambda _: release.wait(60) and final()).url)
    (going_on,) = org.start(waiting)
    org.wait(going_on, "running")
    status, code, detail = record(org, going_on)
    release.set()
    assert (status, code) == (409, "run_not_ended")
    assert "is running" in detail
    without = org.wait(going_on)
    status, code, detail = record(org, without["id"])
    assert (status, code) == (422, "validation_failed")
    assert detail == (
        f"run {without['id']} made no passthrough call in its last attempt; there is nothing to keep"
    )
    live = org.run(agent, user_instruction="get_order ord_1")
    assert record(other_org, live["id"])[:2] == record(org, 2**62)[:2] == (404, "not_found")
    assert org.ok(org.get("/api/cassettes"))["items"] == []


def test_refused_and_injected_calls_are_not_recorded(org: Org, agent: dict[str, Any]) -> None:
    rules = [
        {"tool": "get_order", "args": {"order_id": "ord_2"}, "error": {"code": "down", "message": "No."}}
    ]
    run = org.run(agent, user_instruction="get_order ord_1\nget_order ord_2\nno_tool x", failure_rules=rules)
    cassette = org.ok(org.post("/api/cassettes", {"name": "one", "run_id": run["id"]}))
    assert [one["arguments"] for one in interactions(org, cassette)] == [{"order_id": "ord_1"}]


def test_a_miss_is_no_answer_to_keep(org: Org, agent: dict[str, Any]) -> None:
    cassette = recorded(org, agent, "get_order ord_1")
    body = {
        "agent_id": agent["id"],
        "seeds": [{"user_instruction": "get_order ord_1\nget_order ord_2"}],
        "cassette": {"id": cassette["id"]},
    }
    (replayed,) = org.ok(org.post("/api/runs", body))["runs"]
    org.wait(replayed["id"])
    copy = org.ok(org.post("/api/cassettes", {"name": "copy", "run_id": replayed["id"]}))
    members = ("tool_name", "arguments", "response", "endpoint_id", "upstream_tool", "status", "read_only")
    kept = [[one[name] for name in members] for one in interactions(org, copy)]
    assert kept == [[one[name] for name in members] for one in interactions(org, cassette)]


def test_diff_says_where_a_live_answer_has_changed(
    org: Org, agent: dict[str, Any], service: OrderService
) -> None:
    cassette = recorded(org, agent, "get_order ord_1", "refund_order ord_2", "get_order ord_9")
    before = list(service.asked)
    same = diff(org, cassette)
    counts = {name: value for name, value in same.items() if name != "interactions"}
    assert counts == {"compared": 2, "same": 2, "changed": 0, "skipped": 1, "failed": 0, "left_out": 0}
    assert [one["state"] for one in same["interactions"]] == ["same", "skipped", "same"]
    assert service.asked == [*before, "GET /orders/ord_1", "GET /orders/ord_9"]
    service.orders["ord_1"] |= {"state": 3, "lines": [{"sku": "A", "price": 13}], "note": "late"}
    service.orders["ord_9"] = {"id": "ord_9"}
    changed = diff(org, cassette)
    first, _, last = changed["interactions"]
    assert (changed["compared"], changed["changed"]) == (2, 2)
    assert first["changes"] == [
        {"path": "$.state", "kind": "type_changed", "before": "shipped", "after": 3},
        {"path": "$.lines[0].price", "kind": "changed", "before": 12.5, "after": 13},
        {"path": "$.note", "kind": "added", "before": None, "after": "late"},
    ]
    assert last["detail"] == "The status was 404 and is 200."
    assert [change["path"] for change in last["changes"]] == ["$.error", "$.id"]


@pytest.mark.both_databases
def test_what_may_change_something_is_asked_only_on_demand(
    org: Org, agent: dict[str, Any], service: OrderService
) -> None:
    cassette = recorded(org, agent, "refund_order ord_2", "get_order ord_1")
    (refund, _) = interactions(org, cassette)
    asked = service.asked.count("POST /orders/ord_2/refunds")
    skipped = diff(org, cassette, numbers=[refund["number"]])
    assert (skipped["skipped"], skipped["left_out"]) == (1, 1)
    assert service.asked.count("POST /orders/ord_2/refunds") == asked
    done = diff(org, cassette, numbers=[refund["number"]], include_changing=True)
    assert service.asked.count("POST /orders/ord_2/refunds") == asked + 1
    (only,) = done["interactions"]
    assert [(one["path"], one["before"], one["after"]) for one in only["changes"]] == [("$.refunds", 1, 2)]
    audit = [entry["action"] for entry in org.ok(org.get("/api/audit-log"))["items"]]
    assert audit.count("cassette.ask_again") == 1


def test_a_service_that_is_gone_or_an_endpoint_that_is_deleted_cannot_tell(
    org: Org, agent: dict[str, Any], service: OrderService
) -> None:
    cassette = recorded(org, agent, "get_order ord_1")
    foreign = {"id": keep_cassette(org, cassette["run_id"])}
    (gone,) = diff(org, foreign)["interactions"]
    assert (gone["state"], gone["detail"].split(":")[0]) == ("failed", "endpoint_missing")
    service.stop()
    service.close()
    (unreachable,) = diff(org, cassette)["interactions"]
    assert (unreachable["state"], unreachable["changes"]) == ("failed", [])
    assert unreachable["detail"].startswith("upstream_unreachable: ")


def test_a_failure_that_is_still_the_same_has_not_changed(
    org: Org, agent: dict[str, Any], service: OrderService
) -> None:
    run = org.run(agent, user_instruction="get_order ord_1")
    upstream = org.trace(run["id"], "tool_call")[0]["data"]["upstream"] | {"status": None}
    failed = {"error": {"code": "upstream_unreachable", "message": "No.", "outcome": "not_sent"}}
    recorded_failure = READING | {"response": failed, "source": "transport_error", "upstream": upstream}
    cassette = {"id": keep_cassette(org, run["id"], recorded_failure)}
    (answered,) = diff(org, cassette)["interactions"]
    assert (answered["state"], answered["detail"]) == (
        "changed",
        "There was no answer then; now there is one.",
    )
    service.stop()
    service.close()
    (still,) = diff(org, cassette)["interactions"]
    assert (still["state"], still["changes"]) == ("same", [])


def test_large_values_and_long_lists_of_changes_are_cut(
    org: Org, agent: dict[str, Any], service: OrderService
) -> None:
    cassette = recorded(org, agent, "get_order ord_1")
    service.orders["ord_1"] = {"text": "x" * 5000, **{f"n{place}": place for place in range(300)}}
    (one,) = diff(org, cassette)["interactions"]
    assert len(one["changes"]) == 200
    assert one["detail"] == "There are more changes; the first 200 are listed."
    (text,) = (change for change in one["changes"] if change["path"] == "$.text")
    assert text["after"] == '"' + "x" * 1999 + "…"


def test_numbers_the_cassette_does_not_have_are_named(org: Org, agent: dict[str, Any]) -> None:
    cassette = recorded(org, agent, "get_order ord_1")
    (one,) = interactions(org, cassette)
    answer = org.post(f"/api/cassettes/{cassette['id']}/diff", {"numbers": [one["number"], 2**40]})
    assert answer.status_code == 422
    assert answer.json()["errors"] == [
        {"loc": ["numbers", 1], "msg": f"the cassette has no interaction {2**40}"}
    ]


def test_without_numbers_the_first_twenty_are_asked(org: Org, agent: dict[str, Any]) -> None:
    run = org.run(agent, user_instruction="get_order ord_1")
    cassette = {"id": keep_cassette(org, run["id"], *[READING] * 23)}
    found = diff(org, cassette)
    assert (found["failed"], found["left_out"], len(found["interactions"])) == (20, 3, 20)


def test_a_cassette_that_is_replayed_is_not_deleted(
    org: Org, agent: dict[str, Any], service: OrderService, agent_server: StartAgent
) -> None:
    cassette = recorded(org, agent, "get_order ord_1")
    path = f"/api/cassettes/{cassette['id']}"
    release, arrived = threading.Event(), threading.Event()

    def wait(dispatched: Dispatched) -> Any:
        arrived.set()
        release.wait(60)
        return do_as_told(dispatched)

    slow = org.agent(agent_server(wait).url, tools_schema=agent["tools_schema"])
    body = {
        "agent_id": slow["id"],
        "seeds": [{"user_instruction": "get_order ord_1"}],
        "cassette": {"id": cassette["id"]},
    }
    (run,) = org.ok(org.post("/api/runs", body))["runs"]
    assert arrived.wait(60)
    refused = org.client.delete(path)
    assert (refused.status_code, refused.json()["code"]) == (409, "in_use")
    assert f"Run {run['id']} " in refused.json()["detail"]
    service.stop()
    release.set()
    played = org.wait(run["id"])
    assert '"source": "passthrough"' in played["final_response"]
    assert org.client.delete(path).status_code == 204
    assert org.get(path).status_code == org.client.delete(path).status_code == 404
    assert org.get(f"{path}/interactions").status_code == 404
    assert org.ok(org.get(f"/api/runs/{run['id']}"))["cassette"]["id"] == cassette["id"]
    assert org.post("/api/runs", body).status_code == 404


def test_only_a_cassette_of_ones_own_can_be_replayed(
    org: Org, other_org: Org, agent: dict[str, Any], agent_server: StartAgent
) -> None:
    cassette = recorded(org, agent, "get_order ord_1")
    stranger = other_org.agent(agent_server(do_as_told).url)
    for path in ("/api/runs", "/api/runs/validate"):
        answers = [
            other_org.post(
                path,
                {
                    "agent_id": stranger["id"],
                    "seeds": [{"user_instruction": "x"}],
                    "cassette": {"id": cassette_id},
                },
            )
            for cassette_id in (cassette["id"], NOTHING)
        ]
        assert answers[0].json() == answers[1].json()
        assert {answer.status_code for answer in answers} == {404}
    assert other_org.ok(other_org.get("/api/runs"))["items"] == []
