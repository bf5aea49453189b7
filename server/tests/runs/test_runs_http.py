"""Runs from the outside: created, dispatched, recorded, cancelled, streamed."""

import json
import threading
from collections.abc import Callable
from typing import Any

import httpx
import pytest
from support.agents import Answer, Behaviour, Dispatched, RefusesPings, ScriptedAgent, final, hangs_up
from support.platform import WORLD, Org

StartAgent = Callable[[Behaviour], ScriptedAgent]


def test_a_dispatch_is_what_the_contract_says(org: Org, agent_server: StartAgent) -> None:
    server = agent_server(lambda d: final("All good."))
    config = {"auth_header_name": "Authorization", "auth_header_value": "Bearer agent-secret-123"}
    agent = org.agent(server.url, config=config)
    run = org.run(agent, user_instruction="Refund it.", input={"customer": "c1"}, initial_state=WORLD)
    assert (run["status"], run["verdict"], run["final_response"]) == (
        "completed",
        "NOT APPLICABLE",
        "All good.",
    )
    (got,) = server.received
    assert list(got.body) == ["task_id", "run_id", "agent_id", "input", "odyssey_proxy_url", "run_token_jti"]
    assert got.body["run_id"] == run["id"]
    assert got.body["agent_id"] == agent["id"]
    assert got.body["input"] == {
        "task_id": run["task_id"], "user_instruction": "Refund it.", "input": {"customer": "c1"},
    }  # fmt: skip
    assert got.body["odyssey_proxy_url"] == f"{org.platform.url}/api/odyssey-proxy/runs/{run['id']}"
    assert got.headers["authorization"] == "Bearer agent-secret-123"
    assert got.headers["content-type"] == "application/json"
    assert got.headers["x-pipelines-run-id"] == str(run["id"])
    assert got.headers["x-pipelines-task-id"] == str(run["task_id"])
    assert got.headers["x-pipelines-odyssey-proxy-url"] == got.body["odyssey_proxy_url"]
    assert got.headers["x-pipelines-run-token-jti"] == got.body["run_token_jti"]
    assert got.headers["x-pipelines-attempt"] == "1"
    trace = org.get(f"/api/runs/{run['id']}/trace").text
    assert got.token not in trace
    assert "agent-secret-123" not in trace
    assert [event["kind"] for event in org.trace(run["id"])] == ["dispatch", "reply"]
    assert org.trace(run["id"])[0]["data"]["body"] == got.body
    assert [a["outcome"] for a in run["attempts"]] == ["completed"]


def test_a_rich_reply_is_kept_and_a_malformed_part_is_a_soft_warning(
    org: Org, agent_server: StartAgent
) -> None:
    messages = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Done\u0000."}]
    server = agent_server(
        lambda d: {
            "final_response": "x" * 50_001,
            "messages": messages,
            "metadata": {"total_input_tokens": "NaN"},
        }
    )
    run = org.run(org.agent(server.url), behavior_instructions="refunds take a day")
    assert run["status"] == "completed"
    assert run["messages"] == messages
    assert run["metadata"] is None
    assert len(run["final_response"]) == 50_000
    codes = [warning.partition(":")[0] for warning in run["soft_warnings"]]
    assert sorted(codes) == ["behavior_not_understood", "final_response_truncated", "metadata_malformed"]


@pytest.mark.both_databases
def test_half_a_character_in_a_reply_is_kept_and_marked(org: Org, agent_server: StartAgent) -> None:
    body = (
        rb'{"final_response": "It is done \ud83d", "messages": [{"role": "assistant", "content": "caf'
        + b'\xe9"}]}'
    )
    run = org.run(org.agent(agent_server(lambda _: Answer(200, body)).url))
    assert (run["status"], run["final_response"]) == ("completed", "It is done \ufffd")
    assert run["messages"] == [{"role": "assistant", "content": "caf\ufffd"}]
    assert [warning.partition(":")[0] for warning in run["soft_warnings"]] == ["reply_invalid_text"]
    (reply,) = org.trace(run["id"], "reply")
    assert reply["data"]["body"]["final_response"] == "It is done \ufffd"


@pytest.mark.parametrize(
    ("answer", "error_class"),
    [
        (Answer(401), "agent_bad_response"),
        (Answer(403), "agent_bad_response"),
        (Answer(408), "agent_timeout"),
        (Answer(504), "agent_timeout"),
        (Answer(500, b"boom"), "agent_5xx"),
        (Answer(503), "agent_5xx"),
        (Answer(404), "agent_4xx"),
        (Answer(429), "agent_4xx"),
        (Answer(302, Location="http://127.0.0.1:9/"), "agent_bad_response"),
        (Answer(204), "agent_bad_response"),
        (Answer(200, b"<html>", "text/html"), "agent_bad_response"),
        (Answer(200, b'{"final_response": "' + b"x" * 1_100_000 + b'"}'), "agent_bad_response"),
        (Answer(200, b"{}"), "contract_error"),
        (Answer(200, b"[]"), "contract_error"),
        (Answer(200, b'{"final_response": ""}'), "contract_error"),
        (Answer(200, b'{"final_response": 5}'), "contract_error"),
    ],
)
def test_every_failure_of_the_agent_has_its_class(
    org: Org, agent_server: StartAgent, answer: Answer, error_class: str
) -> None:
    run = org.run(org.agent(agent_server(lambda d: answer).url))
    assert (run["status"], run["error_class"], run["verdict"]) == ("failed", error_class, "NOT APPLICABLE")
    assert run["error_json"]["detail"]
    assert [a["outcome"] for a in run["attempts"]] == ["failed"]
    assert org.trace(run["id"])[-1]["data"]["error_class"] == error_class


@pytest.mark.parametrize(
    ("behaviour", "own", "before_a_ping"),
    [
        (hangs_up, "agent_disconnected", "transport_error"),
        (lambda d: Answer(401), "agent_bad_response", "auth_failed"),
    ],
)
def test_who_has_answered_a_ping_cannot_escape_by_hanging_up(
    org: Org, agent_server: StartAgent, behaviour: Behaviour, own: str, before_a_ping: str
) -> None:
    checks = [{"final_response": {"contains": "refund"}}]
    pinged, refusing = agent_server(behaviour), agent_server(RefusesPings(behaviour))
    agent = org.agent(pinged.url)
    for _ in range(2):
        run = org.graded(org.run(agent, checks=checks)["id"])
        assert (run["error_class"], run["verdict"], run["failure_mode"]) == (own, "FAIL", own)
    assert len(pinged.pings) == 1, "a ping that was answered counts for ten minutes"
    unknown = org.agent(refusing.url)
    for _ in range(2):
        run = org.graded(org.run(unknown, checks=checks)["id"])
        assert (run["error_class"], run["verdict"]) == (before_a_ping, "NOT APPLICABLE")
    assert len(refusing.pings) == 2
    another = org.agent(pinged.url)
    org.run(another, checks=checks)
    assert len(pinged.pings) == 2, "what one agent has answered says nothing of another at its address"


def test_nobody_there_and_too_slow(org: Org, agent_server: StartAgent) -> None:
    assert org.run(org.agent("http://127.0.0.1:9/dispatch"))["error_class"] == "agent_unreachable"
    release = threading.Event()
    server = agent_server(lambda d: release.wait(20) and final())
    run = org.run(org.agent(server.url, config={"run_timeout_s": 1}))
    release.set()
    assert run["error_class"] == "agent_timeout"


def test_the_rich_contract_guard(org: Org, agent_server: StartAgent) -> None:
    guard = {"response_contract": {"response_mode": "rich", "strictness": "strict"}}
    thin = org.run(org.agent(agent_server(lambda d: final("thin")).url, config=guard))
    assert (thin["status"], thin["error_class"]) == ("failed", "response_contract_violation")
    assert thin["final_response"] == "thin"
    rich = {"final_response": "ok", "messages": [{"role": "assistant", "content": "ok"}]}
    assert org.run(org.agent(agent_server(lambda d: rich).url, config=guard))["status"] == "completed"


def test_the_same_seed_gives_the_same_world(org: Org, agent_server: StartAgent) -> None:
    def create(d: Dispatched) -> Any:
        return final(json.dumps(d.call("create_order", {"status": "new"}).json()["response"]))

    agent = org.agent(agent_server(create).url)
    one, two = (org.run(agent, initial_state=WORLD, random_seed=42) for _ in range(2))
    assert one["final_response"] == two["final_response"]
    assert one["random_seed"] == 42
    drawn = org.run(agent, initial_state=WORLD)
    assert isinstance(drawn["random_seed"], int)
    hashes = {org.ok(org.get(f"/api/runs/{run['id']}/ledger"))["hash"] for run in (one, two)}
    assert len(hashes) == 1


@pytest.mark.both_databases
def test_cancel_revokes_closes_and_drops_the_late_reply(org: Org, agent_server: StartAgent) -> None:
    arrived, release = threading.Event(), threading.Event()

    def wait(d: Dispatched) -> Any:
        arrived.set()
        release.wait(30)
        return final("too late")

    server = agent_server(wait)
    (run_id,) = org.start(org.agent(server.url))
    assert arrived.wait(30)
    cancelled = org.ok(org.post(f"/api/runs/{run_id}/cancel"))
    assert cancelled["status"] == "cancelled"
    answer = server.received[0].call("list_orders")
    assert (answer.status_code, answer.json()["code"]) == (401, "run_token_revoked")
    release.set()
    run = org.wait(run_id)
    assert (run["status"], run["final_response"]) == ("cancelled", None)
    assert [a["outcome"] for a in run["attempts"]] == ["cancelled"]
    again = org.post(f"/api/runs/{run_id}/cancel")
    assert (again.status_code, again.json()["code"]) == (409, "conflict")


def test_a_draft_is_not_dispatched(org: Org, agent_server: StartAgent) -> None:
    agent = org.agent(agent_server(lambda d: final()).url, publish=False)
    answer = org.post("/api/runs", {"agent_id": agent["id"], "seeds": [{"user_instruction": "x"}]})
    assert (answer.status_code, answer.json()["code"]) == (409, "agent_not_published")


@pytest.mark.both_databases
def test_lists_page_and_filter(org: Org, agent_server: StartAgent) -> None:
    good = org.agent(agent_server(lambda d: final()).url)
    bad = org.agent(agent_server(lambda d: {}).url)
    ids = org.start(good, *[{"user_instruction": str(n)} for n in range(5)]) + org.start(bad)
    for run_id in ids:
        org.wait(run_id)
    seen: list[int] = []
    cursor = None
    while True:
        page = org.ok(org.get("/api/runs", params={"limit": 2} | ({"cursor": cursor} if cursor else {})))
        seen += [run["id"] for run in page["items"]]
        cursor = page["next_cursor"]
        if cursor is None:
            break
    assert seen == sorted(ids, reverse=True)
    failed = org.ok(org.get("/api/runs", params={"status": "failed"}))["items"]
    assert [run["id"] for run in failed] == ids[-1:]
    mine = org.ok(org.get("/api/runs", params={"agent_id": good["id"]}))["items"]
    assert len(mine) == 5


def read_stream(org: Org, path: str, **headers: str) -> list[dict[str, str]]:
    """Read a stream to its end as a list of messages."""
    messages: list[dict[str, str]] = []
    with httpx.stream(
        "GET",
        org.platform.url + path,
        headers={"X-API-Key": org.api_key, **headers},
        timeout=60,
        trust_env=False,
    ) as response:
        assert response.status_code == 200
        assert response.headers["content-type"].startswith("text/event-stream")
        current: dict[str, str] = {}
        for line in response.iter_lines():
            if not line and current:
                messages.append(current)
                current = {}
            elif line and not line.startswith(":"):
                name, _, value = line.partition(": ")
                current[name] = value
    return messages


def test_a_run_streams_until_its_end_and_resumes(org: Org, agent_server: StartAgent) -> None:
    def slow(d: Dispatched) -> Any:
        for _ in range(3):
            d.call("list_orders")
        return final()

    (run_id,) = org.start(org.agent(agent_server(slow).url))
    messages = read_stream(org, f"/api/runs/{run_id}/events")
    assert [message["event"] for message in messages] == ["dispatch", *["tool_call"] * 3, "reply", "end"]
    assert [message.get("id") for message in messages] == ["1", "2", "3", "4", "5", None]
    assert json.loads(messages[-1]["data"])["status"] == "completed"
    rest = read_stream(org, f"/api/runs/{run_id}/events", **{"Last-Event-ID": "4"})
    assert [message["event"] for message in rest] == ["reply", "end"]
    bad = org.get(f"/api/runs/{run_id}/events", headers={"Last-Event-ID": "x"})
    assert bad.status_code == 422


@pytest.mark.both_databases
def test_the_list_of_runs_streams(org: Org, agent_server: StartAgent) -> None:
    agent = org.agent(agent_server(lambda d: final()).url)
    with httpx.stream(
        "GET",
        f"{org.platform.url}/api/runs/events",
        headers={"X-API-Key": org.api_key},
        timeout=60,
        trust_env=False,
    ) as response:
        lines = response.iter_lines()
        started = threading.Timer(0.3, lambda: org.start(agent))
        started.start()
        seen: dict[str, Any] = {}
        for line in lines:
            if line.startswith("data: "):
                run = json.loads(line[6:])
                seen[run["status"]] = run
            if "completed" in seen:
                break
        started.join()
    assert org.ok(org.get("/api/runs"))["items"] == [seen["completed"]]


@pytest.mark.parametrize(
    ("seed", "code", "where"),
    [
        ({}, "validation_failed", "user_instruction"),
        ({"user_instruction": "  "}, "validation_failed", "user_instruction"),
        ({"user_instruction": 5}, "validation_failed", "user_instruction"),
        ({"user_instruction": "x", "input": []}, "validation_failed", "input"),
        ({"user_instruction": "x", "inital_state": {}}, "validation_failed", "inital_state"),
        ({"user_instruction": "x", "initial_state": {"order": []}}, "validation_failed", "initial_state"),
        (
            {"user_instruction": "x", "initial_state": {"order": {"1": 5}}},
            "validation_failed",
            "initial_state",
        ),
        ({"user_instruction": "x", "failure_rules": [{}]}, "validation_failed", "failure_rules"),
        ({"user_instruction": "x", "failure_rules": {}}, "validation_failed", "failure_rules"),
        ({"user_instruction": "x", "expected_outcome": "win"}, "validation_failed", "expected_outcome"),
        ({"user_instruction": "x", "checks": [{"a": 1}]}, "validation_failed", "checks"),
        ({"user_instruction": "x", "random_seed": 1.5}, "validation_failed", "random_seed"),
        ({"user_instruction": "x", "random_seed": True}, "validation_failed", "random_seed"),
        ({"user_instruction": "x", "world_id": 2**62}, "validation_failed", "world_id"),
        ({"user_instruction": "x", "world_id": True}, "validation_failed", "world_id"),
        ({"user_instruction": "x", "world_id": "1"}, "validation_failed", "world_id"),
        ({"user_instruction": "x", "turn_mode": "model_as_user"}, "not_available_yet", "turn_mode"),
        (5, "validation_failed", "seeds"),
    ],
)
def test_a_bad_seed_is_named_and_starts_nothing(
    org: Org, agent_server: StartAgent, seed: Any, code: str, where: str
) -> None:
    agent = org.agent(agent_server(lambda d: final()).url)
    body = {"agent_id": agent["id"], "seeds": [{"user_instruction": "good"}, seed]}
    answer = org.post("/api/runs", body)
    assert (answer.status_code, answer.json()["code"]) == (422, code)
    assert where in json.dumps(answer.json()["errors"])
    assert org.post("/api/runs/validate", body).json() == answer.json()
    assert org.ok(org.get("/api/runs"))["items"] == []


def test_initial_state_is_checked_against_the_ledger_schema(org: Org, agent_server: StartAgent) -> None:
    schema = {"entities": [{"type": "order", "id_field": "order_id"}]}
    agent = org.agent(agent_server(lambda d: final()).url, ledger_schema=schema)
    body = {"agent_id": agent["id"], "seeds": [{"user_instruction": "x", "initial_state": {"ordr": {}}}]}
    answer = org.post("/api/runs", body)
    assert answer.status_code == 422
    assert "ordr" in answer.json()["detail"]


@pytest.mark.both_databases
def test_stored_members_come_back(org: Org, agent_server: StartAgent) -> None:
    seed = {
        "checks": [{"called": {"tool": "get_order"}}],
        "expected_outcome": "refusal",
        "failure_rules": [{"tool": "x", "response": {"a": 1.0}}],
        "initial_state": WORLD,
        "input": {"a": ["\u0000"]},
    }
    run = org.run(org.agent(agent_server(lambda d: final()).url), **seed)
    assert run["odyssey_seed"] | seed == run["odyssey_seed"]


def test_a_silent_stream_says_it_is_there_and_ends_with_its_key(
    org: Org, agent_server: StartAgent, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("odyssey.core.feeds.COMMENT_EVERY_S", 0.2)
    made = org.ok(org.post("/api/keys", {"name": "short-lived"}))
    url = f"{org.platform.url}/api/runs/events"
    with httpx.stream(
        "GET", url, headers={"X-API-Key": made["key"]}, timeout=60, trust_env=False
    ) as response:
        lines = response.iter_lines()
        assert next(line for line in lines if line).startswith(":")
        org.ok(org.client.delete(f"/api/keys/{made['id']}"))
        assert all(not line or line.startswith(":") for line in lines)
