"""Events an agent adds to its trace, and the injection it shows to have applied."""

import asyncio
from datetime import UTC, datetime

import pytest
from support.scripted_proxy import Scripted, refused, scripted_proxy

from pipelines.odyssey import (
    ProxyError,
    acting_as,
    post_trace_event,
    post_trace_event_async,
    safe_assistant_message,
    safe_handoff,
    safe_subagent_final,
    safe_subagent_message_async,
    safe_thinking,
    safe_trace_event,
    set_current,
    with_system_injection,
    with_system_injection_async,
)

TAKEN = Scripted(200, {"accepted": True, "sequence": 7, "event_type": "thinking"})


def test_an_event_is_posted_and_its_place_returned() -> None:
    at = datetime(2026, 4, 1, 12, tzinfo=UTC)
    with scripted_proxy(TAKEN) as proxy, set_current(proxy.envelope()):
        receipt = post_trace_event("thinking", {"text": "Hm."}, occurred_at=at)
    assert receipt == (7, "thinking")
    [asked] = proxy.asked
    assert asked.path == "/api/odyssey-proxy/runs/17/traces/thinking"
    assert asked.body == {"text": "Hm.", "__occurred_at": "2026-04-01T12:00:00+00:00"}


def test_the_async_twin_does_the_same() -> None:
    async def work() -> None:
        await post_trace_event_async("custom", {"n": 1}, actor_id="a/b")
        await safe_subagent_message_async("Done.", actor_id="a/c")

    with scripted_proxy(TAKEN) as proxy, set_current(proxy.envelope()):
        asyncio.run(work())
    assert [(asked.body, asked.headers["x-pipelines-actor-id"]) for asked in proxy.asked] == [
        ({"n": 1}, "a/b"),
        ({"text": "Done."}, "a/c"),
    ]


def test_a_refused_event_is_an_error() -> None:
    refusal = refused(400, "trace_event_type_invalid")
    with scripted_proxy(refusal) as proxy, set_current(proxy.envelope()), pytest.raises(ProxyError) as caught:
        post_trace_event("surprise")
    assert caught.value.code == "trace_event_type_invalid"


def test_the_safe_ones_never_disturb_the_agent() -> None:
    assert safe_thinking("outside of any run") is None
    with scripted_proxy(refused(400, "x")) as proxy, set_current(proxy.envelope()):
        assert safe_trace_event("surprise") is None
        assert safe_trace_event("custom", {"no json": object()}) is None
        assert safe_assistant_message("Hello") is None
    with scripted_proxy(Scripted(200, b"garbage")) as proxy, set_current(proxy.envelope()):
        assert safe_subagent_final("Hello") is None


def test_a_handoff_says_from_whom_to_whom_and_nothing_it_does_not_know() -> None:
    with scripted_proxy(TAKEN) as proxy, set_current(proxy.envelope()), acting_as("desk"):
        safe_handoff("desk", "desk/refunds")
        safe_handoff("desk", "desk/refunds", reason="money", message="Please.")
    assert [asked.body for asked in proxy.asked] == [
        {"from": "desk", "to": "desk/refunds"},
        {"from": "desk", "to": "desk/refunds", "reason": "money", "message": "Please."},
    ]
    assert {asked.headers["x-pipelines-actor-id"] for asked in proxy.asked} == {"desk"}


@pytest.mark.parametrize(
    ("prompt", "injection", "used"),
    [
        ("You are kind.", "Hurry.", "You are kind.\n\nHurry."),
        ("", "Hurry.", "Hurry."),
        ("You are kind.", None, "You are kind."),
    ],
)
def test_the_prompt_as_used_is_shown(prompt: str, injection: str | None, used: str) -> None:
    with scripted_proxy(TAKEN) as proxy, set_current(proxy.envelope(system_injection=injection)):
        assert with_system_injection(prompt) == used
        assert asyncio.run(with_system_injection_async(prompt)) == used
    assert [(asked.path.rpartition("/")[2], asked.body) for asked in proxy.asked] == [
        ("system_prompt", {"text": used}),
        ("system_prompt", {"text": used}),
    ]
