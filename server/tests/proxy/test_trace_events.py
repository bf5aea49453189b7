"""What agents tell of themselves: seven types, ordered by sequence, kept byte for byte."""

import threading
from typing import Any

import httpx
import pytest
from support.calls import StartAgent, open_run
from support.platform import Org, Platform

TYPES = (
    "assistant_message", "thinking", "system_prompt", "custom", "handoff", "subagent_message", "subagent_final",
)  # fmt: skip


def test_the_seven_types_are_kept_in_sequence_with_the_calls(org: Org, agent_server: StartAgent) -> None:
    with open_run(org, agent_server) as run:
        for event_type in TYPES:
            answer = run.post(f"/traces/{event_type}", {"text": event_type})
            assert answer.status_code == 200
            assert answer.json()["accepted"] is True
            assert answer.json()["event_type"] == event_type
            assert run.call("list_orders").status_code == 200
        events = [event for event in run.events() if event["kind"] in ("tool_call", "trace_event")]
    assert [event["kind"] for event in events] == ["trace_event", "tool_call"] * 7
    kept = [event["data"] for event in events if event["kind"] == "trace_event"]
    assert kept == [{"event_type": name, "payload": {"text": name}} for name in TYPES]
    assert [event["sequence"] for event in events] == list(range(2, 16))


def test_both_addresses_and_the_actor(org: Org, agent_server: StartAgent, platform: Platform) -> None:
    with open_run(org, agent_server) as run:
        short = run.post("/traces/custom", {}, base=f"{platform.url}/api/odyssey-proxy")
        assert short.status_code == 200
        handoff = {"from": "supervisor", "to": "refunds", "reason": "money"}
        run.post("/traces/handoff", handoff, **{"X-Pipelines-Actor-Id": "supervisor"})
        bad = run.post("/traces/handoff", handoff, **{"X-Pipelines-Actor-Id": "a//b"})
        assert (bad.status_code, bad.json()["code"]) == (400, "actor_id_invalid")
        events = run.events("trace_event")
    assert [event["actor_id"] for event in events] == [None, "supervisor", None]
    assert events[1]["data"]["payload"] == handoff


def test_an_event_may_say_when_it_happened(org: Org, agent_server: StartAgent) -> None:
    with open_run(org, agent_server) as run:
        run.post("/traces/thinking", {"__occurred_at": "2026-01-31T12:00:00.5+02:00", "text": "hm"})
        event = run.events("trace_event")[0]
        assert event["occurred_at"] == "2026-01-31T10:00:00.500000Z"
        for moment in (
            "yesterday",
            5,
            "2026-01-31T12:00:00",
            "9999-99-99T00:00:00Z",
            "0001-01-01T00:00:00+14:00",
        ):
            answer = run.post("/traces/thinking", {"__occurred_at": moment})
            assert (answer.status_code, answer.json()["code"]) == (422, "validation_failed"), moment


@pytest.mark.parametrize(
    ("path", "body", "status", "code"),
    [
        ("/traces/message", b"{}", 400, "trace_event_type_invalid"),
        ("/traces/custom%20", b"{}", 400, "trace_event_type_invalid"),
        ("/traces/custom", b"{", 400, "json_invalid"),
        ("/traces/custom", b'{"a":1,"a":2}', 400, "json_invalid"),
        ("/traces/custom", b"[]", 422, "validation_failed"),
        ("/traces/custom", b'"text"', 422, "validation_failed"),
    ],
)
def test_what_is_refused_is_recorded(
    org: Org, agent_server: StartAgent, path: str, body: bytes, status: int, code: str
) -> None:
    with open_run(org, agent_server) as run:
        headers = {"X-Pipelines-Run-Token": run.token}
        answer = httpx.post(run.url + path, content=body, headers=headers, trust_env=False, timeout=60)
        assert (answer.status_code, answer.json()["code"]) == (status, code)
        (event,) = run.events("trace_event")
    assert event["data"]["code"] == code
    assert event["data"]["body"] == body.decode()


def test_payloads_come_back_byte_for_byte(org: Org, agent_server: StartAgent) -> None:
    raw = '{ "text":"a\\u0000b\\ud83d\\ude00é",  "n": 1.50, "e": 1E2 }'.encode()
    with open_run(org, agent_server) as run:
        headers = {"X-Pipelines-Run-Token": run.token}
        httpx.post(f"{run.url}/traces/custom", content=raw, headers=headers, trust_env=False, timeout=60)
        assert raw in org.get(f"/api/runs/{run.id}/trace").content


def test_trace_events_have_a_limit_of_their_own(org: Org, agent_server: StartAgent) -> None:
    with open_run(org, agent_server) as run:
        statuses: list[int] = []

        def post_many(count: int) -> None:
            with httpx.Client(
                headers={"X-Pipelines-Run-Token": run.token}, trust_env=False, timeout=60
            ) as client:
                statuses.extend(
                    client.post(f"{run.url}/traces/custom", json={}).status_code for _ in range(count)
                )

        threads = [threading.Thread(target=post_many, args=(76,)) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(statuses) == [200] * 600 + [429] * 8
        assert run.call("list_orders").status_code == 200
        posted: list[dict[str, Any]] = [event["data"] for event in run.events("trace_event")]
    assert sum(data["count"] for data in posted if data.get("code") == "rate_limited") == 8


def test_tools_of_one_sub_agent_are_attributed_to_it(org: Org, agent_server: StartAgent) -> None:
    sub_agents = [
        {"actor_id": "orders", "tools": ["get_order", "list_orders"]},
        {"actor_id": "clerk", "tools": ["list_orders", "create_order"]},
    ]
    with open_run(org, agent_server, agent={"config": {"sub_agents": sub_agents}}) as run:
        run.call("get_order", {"order_id": "ord_1"})
        run.call("list_orders")
        run.call("create_order", {"status": "new"}, **{"X-Pipelines-Actor-Id": "somebody/else"})
        assert [event["actor_id"] for event in run.events("tool_call")] == ["orders", None, "somebody/else"]
