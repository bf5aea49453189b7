"""The proxy as an agent sees it: over a real socket, with the token of a real dispatch."""

from collections.abc import Callable
from typing import Any

import httpx
import pytest
from support.agents import Behaviour, Dispatched, ScriptedAgent, final
from support.platform import WORLD, Org, Platform

StartAgent = Callable[[Behaviour], ScriptedAgent]


class Calls:
    """An agent that makes the given requests during its run and keeps the answers."""

    def __init__(self, *steps: Callable[[Dispatched], Any]) -> None:
        self.steps = steps
        self.answers: list[Any] = []

    def __call__(self, dispatched: Dispatched) -> Any:
        self.answers += [step(dispatched) for step in self.steps]
        return final()


def serve(
    org: Org, start: StartAgent, *steps: Callable[[Dispatched], Any], **seed: Any
) -> tuple[list[Any], int]:
    calls = Calls(*steps)
    agent = org.agent(start(calls).url)
    run = org.run(agent, initial_state=WORLD, **seed)
    assert run["status"] == "completed", run
    return calls.answers, run["id"]


def post(dispatched: Dispatched, path: str, **options: Any) -> httpx.Response:
    base = dispatched.body["odyssey_proxy_url"]
    headers = {"Authorization": f"Bearer {dispatched.token}"} | options.pop("headers", {})
    return httpx.post(base + path, headers=headers, trust_env=False, timeout=30, **options)


def test_a_read_is_answered_from_the_world(org: Org, agent_server: StartAgent) -> None:
    (answer,), run_id = serve(org, agent_server, lambda d: d.call("get_order", {"order_id": "ord_1"}))
    body = answer.json()
    assert answer.status_code == 200
    assert list(body) == ["tool_name", "response", "source", "latency_ms", "matched_rule_index", "validation"]
    assert body["tool_name"] == "get_order"
    assert body["response"] == WORLD["order"]["ord_1"]
    assert body["source"] == "odyssey"
    assert body["matched_rule_index"] is None
    assert type(body["latency_ms"]) is int
    assert body["validation"] | {"confidence": 1} == {
        "valid": True, "schema": "output_schema", "attempts": 1, "errors": [], "engine": "world", "confidence": 1,
        "evidence": "world",
    }  # fmt: skip
    (event,) = org.trace(run_id, "tool_call")
    told = {name: event["data"]["validation"].pop(name) for name in ("reading", "explanation")}
    assert told["reading"]["operation"] == "read"
    assert event["data"] | body == event["data"]
    assert event["data"]["arguments"] == {"order_id": "ord_1"}
    assert event["data"]["operations"] == []
    assert event["data"]["http_status"] == 200


@pytest.mark.both_databases
def test_writes_are_seen_by_later_reads_and_by_the_ledger(org: Org, agent_server: StartAgent) -> None:
    answers, run_id = serve(
        org,
        agent_server,
        lambda d: d.call("update_order", {"order_id": "ord_2", "status": "cancelled"}),
        lambda d: d.call("get_order", {"order_id": "ord_2"}),
        lambda d: d.call("create_order", {"status": "new", "total": 3}),
        lambda d: d.call("list_orders"),
        lambda d: d.call("delete_order", {"order_id": "ord_1"}),
        lambda d: d.call("get_order", {"order_id": "ord_1"}),
    )
    responses = [answer.json()["response"] for answer in answers]
    assert responses[1]["status"] == "cancelled"
    listed = responses[3] if isinstance(responses[3], list) else next(iter(responses[3].values()))
    assert len(listed) == 3
    assert responses[5]["error"]["code"] == "not_found"

    first_call = org.trace(run_id, "tool_call")[0]["sequence"]
    at_first = org.ok(org.get(f"/api/runs/{run_id}/ledger", params={"at": first_call}))
    assert at_first["state"]["order"]["ord_2"]["status"] == "cancelled"
    assert len(at_first["state"]["order"]) == 2
    assert org.ok(org.get(f"/api/runs/{run_id}/ledger", params={"at": 0}))["state"] == WORLD
    now = org.ok(org.get(f"/api/runs/{run_id}/ledger"))
    assert "ord_1" not in now["state"]["order"]
    diff = org.ok(org.get(f"/api/runs/{run_id}/ledger/diff"))
    kinds = {(change["kind"], change["id"]) for change in diff["changes"]}
    assert {("changed", "ord_2"), ("removed", "ord_1")} <= kinds
    assert len(kinds) == 3
    step = org.ok(org.get(f"/api/runs/{run_id}/ledger/diff", params={"from": first_call, "to": first_call}))
    assert step["changes"] == []


def test_rules_come_before_the_world(org: Org, agent_server: StartAgent) -> None:
    rules = [
        {"tool": "get_*", "args": {"order_id": "ord_2"}, "error": {"code": "down", "message": "Try later."}},
        {"tool": ["list_orders"], "response": "plain text"},
        {"response": None, "tool": "create_order"},
    ]
    answers, _ = serve(
        org,
        agent_server,
        lambda d: d.call("get_order", {"order_id": "ord_2"}),
        lambda d: d.call("get_order", {"order_id": "ord_1"}),
        lambda d: d.call("list_orders"),
        lambda d: d.call("create_order", {"status": "new"}),
        failure_rules=rules,
    )
    bodies = [answer.json() for answer in answers]
    assert [body["source"] for body in bodies] == ["injected", "odyssey", "injected", "injected"]
    assert [body["matched_rule_index"] for body in bodies] == [0, None, 1, 2]
    assert bodies[0]["response"] == {"error": {"code": "down", "message": "Try later."}}
    assert bodies[2]["response"] == "plain text"
    assert bodies[3]["response"] is None
    assert "validation" not in bodies[0]


def test_both_addresses_and_both_headers_are_served(
    org: Org, platform: Platform, agent_server: StartAgent
) -> None:
    def short(d: Dispatched, **headers: str) -> httpx.Response:
        url = f"{platform.url}/api/odyssey-proxy/tools/list_orders"
        return httpx.post(url, json={}, headers=headers, trust_env=False, verify=False, timeout=60)

    answers, _ = serve(
        org,
        agent_server,
        lambda d: short(d, Authorization=f"Bearer {d.token}"),
        lambda d: short(d, **{"X-Pipelines-Run-Token": d.token}),
        lambda d: short(d, **{"X-Pipelines-Run-Token": d.token, "Authorization": f"Bearer {d.token}"}),
        lambda d: short(d, **{"X-Pipelines-Run-Token": d.token, "Authorization": "Bearer other"}),
        lambda d: short(d, Authorization=f"Basic {d.token}"),
    )
    assert [answer.status_code for answer in answers] == [200, 200, 200, 401, 401]


@pytest.mark.parametrize(
    "token", ["fake-token", "' OR 1=1--", "x" * 7000, "é", None], ids=["fake", "sql", "long", "latin", "none"]
)
def test_a_bad_token_is_401_before_anything_else(platform: Platform, token: str | None) -> None:
    headers = {} if token is None else {b"Authorization": f"Bearer {token}".encode("latin-1")}
    for path, body in (
        ("tools/__reachability_probe__", b"{}"),
        ("runs/1/tools/x", b"not json"),
        ("tools/a%2Fb", b""),
    ):
        answer = httpx.post(
            f"{platform.url}/api/odyssey-proxy/{path}",
            content=body,
            headers=headers,
            trust_env=False,
            timeout=60,
        )
        assert answer.status_code == 401
        assert answer.headers["content-type"] == "application/problem+json"
        problem = answer.json()
        assert (problem["code"], problem["retryable"]) == ("run_token_invalid", False)


def test_a_token_opens_only_its_own_run(org: Org, agent_server: StartAgent, platform: Platform) -> None:
    def at(run: object) -> Callable[[Dispatched], httpx.Response]:
        return lambda d: httpx.post(
            f"{platform.url}/api/odyssey-proxy/runs/{run}/tools/list_orders",
            json={},
            headers={"Authorization": f"Bearer {d.token}"},
            trust_env=False,
            timeout=60,
        )

    answers, _ = serve(
        org, agent_server, at(10**7), at(10**6), at("abc"), at("%31"), lambda d: at(d.body["run_id"])(d)
    )
    assert [answer.status_code for answer in answers[:-1]] == [401] * 4
    assert len({answer.text for answer in answers[1:-1]}) == 1
    assert answers[-1].status_code == 200


def test_a_token_is_revoked_when_its_run_ends(org: Org, agent_server: StartAgent) -> None:
    server = agent_server(lambda d: final())
    run = org.run(org.agent(server.url))
    before = org.trace(run["id"])
    answer = server.received[0].call("list_orders")
    assert (answer.status_code, answer.json()["code"]) == (401, "run_token_revoked")
    assert org.trace(run["id"]) == before


def test_checks_come_in_their_order_and_each_is_recorded(org: Org, agent_server: StartAgent) -> None:
    bad_actor = {"X-Pipelines-Actor-Id": "a//b"}
    answers, run_id = serve(
        org,
        agent_server,
        lambda d: post(d, "/tools/nothing", content=b"{", headers=bad_actor),
        lambda d: post(d, "/tools/nothing", content=b"{"),
        lambda d: post(d, "/tools/nothing", content=b"[]"),
        lambda d: post(d, "/tools/get_order", content=b"[]"),
        lambda d: post(d, "/tools/get_order", content=b"{}"),
        lambda d: post(d, "/tools/get_order", content=b'{"order_id": 5}'),
        lambda d: post(d, "/tools/get_order", content=b'{"order_id": "a", "order_id": "b"}'),
        lambda d: post(d, "/tools/get_order", content=b'{"order_id": "x", "more": 1}'),
        failure_rules=[{"response": "every call"}],
    )
    found = [(answer.status_code, answer.json()["code"]) for answer in answers]
    assert found == [
        (400, "actor_id_invalid"),
        (400, "json_invalid"),
        (404, "tool_unknown"),
        (422, "arguments_invalid"),
        (422, "arguments_invalid"),
        (422, "arguments_invalid"),
        (400, "json_invalid"),
        (422, "arguments_invalid"),
    ]
    assert answers[4].json()["errors"][0]["tool"] == "get_order"
    events = org.trace(run_id, "tool_call")
    assert [event["data"]["http_status"] for event in events] == [status for status, _ in found]
    assert [event["data"]["code"] for event in events] == [code for _, code in found]


def test_a_refusal_keeps_every_fault_with_its_place(org: Org, agent_server: StartAgent) -> None:
    (answer,), run_id = serve(
        org, agent_server, lambda d: post(d, "/tools/get_order", content=b'{"order_id": 5, "more": 1}')
    )
    (event,) = org.trace(run_id, "tool_call")
    places = [fault["loc"] for fault in event["data"]["errors"]]
    assert event["data"]["errors"] == answer.json()["errors"]
    assert len(places) == 2
    assert ["order_id"] in places


@pytest.mark.parametrize("label", ["a//b", "/a", "a/", "x" * 65, "a b", "/".join("abcdefghi")])
def test_a_malformed_actor_is_refused(org: Org, agent_server: StartAgent, label: str) -> None:
    (answer,), _ = serve(
        org,
        agent_server,
        lambda d: post(d, "/tools/list_orders", json={}, headers={"X-Pipelines-Actor-Id": label}),
    )
    assert answer.json()["code"] == "actor_id_invalid"


def test_an_actor_is_recorded_and_a_body_key_is_only_an_argument(org: Org, agent_server: StartAgent) -> None:
    labelled = {"X-Pipelines-Actor-Id": "supervisor/refunds"}
    answers, run_id = serve(
        org,
        agent_server,
        lambda d: post(d, "/tools/list_orders", json={"actor_id": "somebody"}, headers=labelled),
        lambda d: post(d, "/tools/list_orders", json={"actor_id": "somebody"}),
    )
    events = org.trace(run_id, "tool_call")
    assert [event["actor_id"] for event in events] == ["supervisor/refunds", None]
    assert events[0]["data"]["arguments"] == {"actor_id": "somebody"}
    with_label, without = (answer.json() | {"latency_ms": 0} for answer in answers)
    assert with_label == without


@pytest.mark.both_databases
def test_a_body_over_one_mebibyte_is_413_and_counted_once(org: Org, agent_server: StartAgent) -> None:
    too_large = b'{"status": "' + b"x" * (1024 * 1024) + b'"}'
    fits = b'{"status": "' + b"x" * (1024 * 1024 - 14) + b'"}'

    def chunked(d: Dispatched) -> httpx.Response:
        return post(d, "/tools/list_orders", content=iter([too_large[:500_000], too_large[500_000:]]))

    answers, run_id = serve(
        org,
        agent_server,
        lambda d: post(d, "/tools/list_orders", content=too_large),
        chunked,
        lambda d: post(d, "/tools/list_orders", content=fits),
    )
    assert [answer.status_code for answer in answers] == [413, 413, 200]
    assert answers[0].json()["code"] == "body_too_large"
    counting = [event for event in org.trace(run_id, "tool_call") if event["data"]["http_status"] == 413]
    assert sum(event["data"]["count"] for event in counting) == 2
    assert len(counting) <= 2  # two only if the minute turned in between


@pytest.mark.both_databases
def test_the_sixty_first_call_in_a_minute_is_429(org: Org, agent_server: StartAgent) -> None:
    answers, run_id = serve(org, agent_server, *[lambda d: d.call("list_orders")] * 63)
    statuses = [answer.status_code for answer in answers]
    assert statuses == [200] * 60 + [429] * 3
    refused = answers[60]
    assert (refused.json()["code"], refused.json()["retryable"]) == ("rate_limited", True)
    assert 1 <= int(refused.headers["retry-after"]) <= 60
    counting = [event for event in org.trace(run_id, "tool_call") if event["data"]["http_status"] == 429]
    assert sum(event["data"]["count"] for event in counting) == 3


@pytest.mark.both_databases
def test_what_came_in_is_given_back_byte_for_byte(org: Org, agent_server: StartAgent) -> None:
    raw = '{ "status":"a\\u0000b\\u00e9é 😀\\/",  "n": [1.0, 1e2, -0, 9223372036854775807] }'.encode()
    (answer,), run_id = serve(org, agent_server, lambda d: post(d, "/tools/list_orders", content=raw))
    assert answer.status_code == 200
    page = org.get(f"/api/runs/{run_id}/trace").content
    assert raw in page


def test_other_methods_and_paths(org: Org, agent_server: StartAgent, platform: Platform) -> None:
    base = f"{platform.url}/api/odyssey-proxy"
    answer = httpx.get(f"{base}/tools/get_order", trust_env=False, verify=False, timeout=60)
    assert (answer.status_code, answer.headers["allow"]) == (405, "POST")
    for path in ("", "/", "/tools", "/tools/", "/tools/a/b", "/runs/1", "/runs/1/tools/", "/nothing/x"):
        answer = httpx.post(base + path, json={}, trust_env=False, verify=False, timeout=60)
        assert (answer.status_code, answer.json()["code"]) == (404, "not_found"), path
