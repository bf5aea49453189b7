"""Failure rules as an agent meets them: on a real socket, in real time."""

import http.client
import socket
import threading
import time
from urllib.parse import urlsplit

import pytest
from support.calls import OpenRun, StartAgent, open_run
from support.platform import Org


def raw_call(run: OpenRun, tool: str, *, timeout: float = 30) -> bytes:
    """Send one call and read whatever comes until the connection ends."""
    target = urlsplit(run.url)
    assert target.hostname is not None
    with socket.create_connection((target.hostname, target.port or 80), timeout=timeout) as connection:
        head = f"POST {target.path}/tools/{tool} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {run.token}\r\n"
        connection.sendall(f"{head}Connection: close\r\nContent-Length: 2\r\n\r\n{{}}".encode())
        received = b""
        while chunk := connection.recv(65536):
            received += chunk
        return received


def test_a_reset_is_a_real_reset(org: Org, agent_server: StartAgent) -> None:
    with open_run(org, agent_server, failure_rules=[{"tool": "list_orders", "fault": "reset"}]) as run:
        with pytest.raises(ConnectionResetError):
            raw_call(run, "list_orders")
        (event,) = run.events("tool_call")
    assert (event["data"]["source"], event["data"]["fault"]) == ("injected", "reset")
    assert event["data"]["matched_rule_index"] == 0


def test_an_empty_answer_closes_without_a_byte(org: Org, agent_server: StartAgent) -> None:
    with open_run(org, agent_server, failure_rules=[{"fault": "empty"}]) as run:
        assert raw_call(run, "list_orders") == b""
        assert run.events("tool_call")[0]["data"]["fault"] == "empty"


def test_garbage_is_a_200_that_is_not_json(org: Org, agent_server: StartAgent) -> None:
    with open_run(org, agent_server, failure_rules=[{"fault": "garbage", "times": 1}]) as run:
        answer = run.call("list_orders")
        assert answer.status_code == 200
        with pytest.raises(ValueError, match=r"."):
            answer.json()
        assert run.call("list_orders").json()["source"] == "odyssey"


def test_a_time_out_is_silence_until_the_client_leaves(org: Org, agent_server: StartAgent) -> None:
    with open_run(org, agent_server, failure_rules=[{"fault": "timeout", "times": 1}]) as run:
        with pytest.raises(TimeoutError):
            raw_call(run, "list_orders", timeout=0.5)
        assert run.call("list_orders").status_code == 200
        assert [event["data"]["source"] for event in run.events("tool_call")] == ["injected", "odyssey"]


def test_latency_delays_its_own_call_and_no_other(org: Org, agent_server: StartAgent) -> None:
    rules = [{"tool": "get_order", "latency_ms": 1500, "response": "late"}]
    with open_run(org, agent_server, failure_rules=rules) as run:
        answers: list[object] = []
        slow = threading.Thread(
            target=lambda: answers.append(run.call("get_order", {"order_id": "ord_1"}).json())
        )
        began = time.monotonic()
        slow.start()
        quick: list[str] = []
        while slow.is_alive() and len(quick) < 50:
            quick.append(run.call("list_orders").json()["source"])
        assert len(quick) > 1, "the others waited for the slow one"
        assert set(quick) == {"odyssey"}
        slow.join()
        assert time.monotonic() - began >= 1.5
        (late,) = answers
        assert isinstance(late, dict)
        assert (late["response"], late["source"]) == ("late", "injected")
        assert late["latency_ms"] >= 1500


def test_a_failed_call_may_still_have_changed_the_world(org: Org, agent_server: StartAgent) -> None:
    rules = [
        {
            "tool": "update_order",
            "call": 1,
            "error": {"code": "timeout", "message": "No answer in time."},
            "ledger": [
                {"op": "update", "entity_type": "order", "id": "ord_1", "fields": {"status": "refunded"}},
                {"op": "set_flag", "flag": "charged"},
            ],
        },
        {"tool": "get_order", "when": "'charged' in flags && state.order[args.order_id].status == 'refunded'",
         "response": "seen"},
    ]  # fmt: skip
    with open_run(org, agent_server, failure_rules=rules) as run:
        failed = run.call("update_order", {"order_id": "ord_1", "status": "x"}).json()
        assert failed["response"]["error"]["code"] == "timeout"
        assert run.call("get_order", {"order_id": "ord_2"}).json()["source"] == "odyssey"
        assert run.call("get_order", {"order_id": "ord_1"}).json()["response"] == "seen"
        assert run.call("update_order", {"order_id": "ord_1", "status": "y"}).json()["source"] == "odyssey"
        ledger = org.ok(org.get(f"/api/runs/{run.id}/ledger"))
    assert ledger["flags"] == ["charged"]
    assert ledger["state"]["order"]["ord_1"]["status"] == "y"


def test_counting_operators_and_earlier_calls(org: Org, agent_server: StartAgent) -> None:
    rules = [
        {"tool": "list_orders", "call": {"every": 2}, "response": "every second"},
        {"tool": "create_order", "args": {"total": {"$gte": 100}}, "response": "too much"},
        {"tool": "get_order", "when": "calls.exists(c, c.tool == 'create_order' && c.source == 'injected')",
         "response": "after the refusal"},
    ]  # fmt: skip
    with open_run(org, agent_server, failure_rules=rules) as run:
        sources = [run.call("list_orders").json()["source"] for _ in range(4)]
        assert sources == ["odyssey", "injected", "odyssey", "injected"]
        order = {"order_id": "ord_1"}
        assert run.call("get_order", order).json()["source"] == "odyssey"
        assert run.call("create_order", {"status": "new", "total": 99}).json()["source"] == "odyssey"
        assert run.call("create_order", {"status": "new", "total": 100}).json()["matched_rule_index"] == 1
        assert run.call("get_order", order).json()["response"] == "after the refusal"


def test_the_same_seed_draws_the_same_failures(org: Org, agent_server: StartAgent) -> None:
    def sources(seed: int) -> list[str]:
        rules = [{"probability": 0.5, "error": {"code": "flaky", "message": "Try again."}}]
        with open_run(org, agent_server, failure_rules=rules, random_seed=seed) as run:
            return [run.call("list_orders").json()["source"] for _ in range(20)]

    first = sources(7)
    assert set(first) == {"injected", "odyssey"}
    assert sources(7) == first
    assert sources(8) != first


def test_an_actor_can_be_a_condition(org: Org, agent_server: StartAgent) -> None:
    rules = [{"when": "actor == 'supervisor/refunds'", "response": "not you"}]
    with open_run(org, agent_server, failure_rules=rules) as run:
        assert run.call("list_orders").json()["source"] == "odyssey"
        labelled = run.call("list_orders", None, **{"X-Pipelines-Actor-Id": "supervisor/refunds"})
        assert labelled.json()["response"] == "not you"


@pytest.mark.parametrize(
    ("rule", "field"),
    [
        ({"response": 1, "call": 0}, "call"),
        ({"response": 1, "call": {"every": 0}}, "call"),
        ({"response": 1, "when": "args..x"}, "when"),
        ({"response": 1, "probability": 1.5}, "probability"),
        ({"response": 1, "times": 0}, "times"),
        ({"response": 1, "latency_ms": 120001}, "latency_ms"),
        ({"response": 1, "ledger": [{"op": "fly"}]}, "ledger"),
        ({"fault": "explode"}, "fault"),
        ({"response": 1, "fault": "reset"}, "fault"),
        ({"response": 1, "args": {"a": {"$regex": "("}}}, "args"),
        ({"response": 1, "args": {"a": {"$between": 1}}}, "args"),
    ],
)
def test_a_rule_that_is_wrong_is_named_when_the_run_is_asked_for(
    org: Org, agent_server: StartAgent, rule: dict[str, object], field: str
) -> None:
    agent = org.agent("http://127.0.0.1:9/")
    seed = {"user_instruction": "x", "failure_rules": [{"response": 1}, rule]}
    answer = org.post("/api/runs", {"agent_id": agent["id"], "seeds": [seed]})
    assert (answer.status_code, answer.json()["code"]) == (422, "validation_failed")
    assert any(
        error["loc"][:5] == ["seeds", 0, "failure_rules", 1, field] for error in answer.json()["errors"]
    )
    assert org.ok(org.get("/api/runs"))["items"] == []


def test_a_broken_wire_leaves_the_connection_of_others_alone(org: Org, agent_server: StartAgent) -> None:
    with open_run(org, agent_server, failure_rules=[{"tool": "get_order", "fault": "reset"}]) as run:
        target = urlsplit(run.url)
        assert target.hostname is not None
        kept = http.client.HTTPConnection(target.hostname, target.port, timeout=30)
        for _ in range(2):
            kept.request(
                "POST", f"{target.path}/tools/list_orders", b"{}", {"X-Pipelines-Run-Token": run.token}
            )
            assert kept.getresponse().read()
            broken = http.client.HTTPConnection(target.hostname, target.port, timeout=30)
            body = b'{"order_id": "ord_1"}'
            broken.request(
                "POST", f"{target.path}/tools/get_order", body, {"X-Pipelines-Run-Token": run.token}
            )
            with pytest.raises((ConnectionResetError, http.client.RemoteDisconnected)):
                broken.getresponse()
            broken.close()
        kept.close()
