"""An agent of the OpenAI Agents SDK, run by the framework against a proxy on the loopback."""

import asyncio
import json
import threading
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from agents import (
    Agent,
    MaxTurnsExceeded,
    RunConfig,
    RunContextWrapper,
    Runner,
    set_tracing_disabled,
)
from agents.testing import ScriptedModel
from guide_blocks import run_guide
from openai_agents_support import (
    ANSWERS,
    ORDER,
    QUIET,
    agent,
    calls,
    get_order,
    go,
    looks_up_an_order,
    model_of,
    says,
    tool_named,
)
from recording_proxy import Call, Event, RecordingProxy

from pipelines.odyssey.adapters.openai_agents import (
    proxied,
    reply_of,
    run,
    run_sync,
)
from pipelines.odyssey.context import acting_as, set_current
from pipelines.odyssey.envelope import Session
from pipelines.odyssey.errors import (
    NoEnvelopeError,
)
from pipelines.odyssey.reply import Reply


@pytest.fixture
def proxy() -> Iterator[RecordingProxy]:
    with RecordingProxy(dict(ANSWERS)) as proxy:
        yield proxy


def test_the_model_sees_the_answer_of_the_proxy_and_the_tool_itself_is_not_called(
    proxy: RecordingProxy,
) -> None:
    desk = looks_up_an_order()
    reply = go(desk, proxy.envelope("Where is ord_1?"))

    assert reply.final_response == "It was delivered."
    assert proxy.calls == [Call("get_order", {"order_id": "ord_1"}, None)]
    seen = model_of(desk).calls[1].input
    assert json.loads(seen[-1]["output"]) == ORDER


def test_the_transcript_holds_prompt_words_thoughts_calls_and_answers(proxy: RecordingProxy) -> None:
    reply = go(looks_up_an_order(), proxy.envelope("Where is ord_1?"))

    assert reply.messages == [
        {"role": "system", "content": "You are desk."},
        {"role": "user", "content": "Where is ord_1?"},
        {
            "role": "assistant",
            "content": "Let me look.",
            "tool_calls": [{"id": "call_1", "name": "get_order", "arguments": '{"order_id": "ord_1"}'}],
            "thinking": [{"type": "text", "text": "I need the order."}],
        },
        {"role": "tool", "tool_call_id": "call_1", "content": json.dumps(ORDER, separators=(",", ":"))},
        {
            "role": "assistant",
            "content": "It was delivered.",
            "thinking": [{"type": "text", "text": "Three days ago."}],
        },
    ]


def test_the_metadata_count_tokens_and_time(proxy: RecordingProxy) -> None:
    metadata = go(looks_up_an_order(), proxy.envelope()).metadata

    assert metadata is not None
    assert metadata.pop("agent_runtime_ms") >= 0
    assert metadata == {"model": "ScriptedModel", "total_input_tokens": 20, "total_output_tokens": 8}


def test_what_a_single_agent_says_is_in_the_reply_and_not_again_in_the_trace(proxy: RecordingProxy) -> None:
    go(looks_up_an_order(), proxy.envelope())

    assert proxy.events[0] == Event("system_prompt", {"text": "You are desk."}, None)
    assert len(proxy.events) == 1


def test_a_text_from_the_proxy_reaches_the_model_as_it_is(proxy: RecordingProxy) -> None:
    proxy.answers["get_order"] = "order;delivered\n"
    desk = looks_up_an_order()
    go(desk, proxy.envelope())
    assert model_of(desk).calls[1].input[-1]["output"] == "order;delivered\n"


def test_the_original_agent_is_left_as_it_was(proxy: RecordingProxy) -> None:
    desk = looks_up_an_order()
    before = (desk.tools, list(desk.tools), desk.instructions, get_order.on_invoke_tool)
    go(desk, proxy.envelope(system_injection="Be brief."))
    assert (desk.tools, list(desk.tools), desk.instructions, get_order.on_invoke_tool) == before


def test_a_proxied_agent_shows_the_model_the_same_tools() -> None:
    copied = proxied(looks_up_an_order())
    tool = tool_named(copied, "get_order")
    assert tool is not get_order
    assert (tool.name, tool.description) == (get_order.name, get_order.description)
    assert tool.params_json_schema == get_order.params_json_schema
    assert tool.strict_json_schema is get_order.strict_json_schema


def test_proxied_tools_serve_a_loop_of_ones_own(proxy: RecordingProxy) -> None:
    desk = looks_up_an_order()
    with set_current(proxy.envelope()):
        result = asyncio.run(Runner.run(proxied(desk), "Where is ord_1?", run_config=QUIET))
    reply = reply_of(result)
    assert proxy.calls == [Call("get_order", {"order_id": "ord_1"}, None)]
    assert reply.final_response == "It was delivered."
    assert [message["role"] for message in reply.messages or []] == [
        "system",
        "user",
        "assistant",
        "tool",
        "assistant",
    ]


def test_a_label_that_the_user_gave_to_a_single_agent_stays(proxy: RecordingProxy) -> None:
    with acting_as("desks/first"):
        go(looks_up_an_order(), proxy.envelope())
    assert {call.actor_id for call in proxy.calls} | {event.actor_id for event in proxy.events} == {
        "desks/first"
    }
    with acting_as("desks/first"), pytest.raises(MaxTurnsExceeded):
        go(looks_up_an_order(), proxy.envelope(), max_turns=1)
    assert [event.actor_id for event in proxy.events_of("assistant_message")] == ["desks/first"]


def test_the_model_named_is_the_one_that_was_asked(proxy: RecordingProxy) -> None:
    class Named(ScriptedModel):
        model = "gpt-of-the-run"

    config = RunConfig(model=Named([says("Yes.")]), tracing_disabled=True)
    reply = asyncio.run(run(agent("desk"), proxy.envelope(), run_config=config))
    assert (reply.metadata or {})["model"] == "gpt-of-the-run"


def test_a_list_of_tools_is_proxied_as_a_list(proxy: RecordingProxy) -> None:
    desk = agent("desk", [calls("get_order", order_id="x")], says("Done."), tools=proxied([get_order]))
    with set_current(proxy.envelope()):
        asyncio.run(Runner.run(desk, "Go.", run_config=QUIET))
    assert proxy.calls == [Call("get_order", {"order_id": "x"}, None)]


def test_outside_a_run_nothing_is_called() -> None:
    with pytest.raises(NoEnvelopeError, match="set_current"):
        asyncio.run(run(looks_up_an_order()))


async def _answered(context: RunContextWrapper[Any], one: Agent[Any]) -> str:
    return f"{one.name} serves {context.context}."


@pytest.mark.parametrize(
    ("instructions", "prompt"),
    [
        ("You are desk.", "You are desk.\n\nHurry."),
        (_answered, "desk serves Ada.\n\nHurry."),
        (lambda context, one: f"{one.name}, {context.context}", "desk, Ada\n\nHurry."),
        (None, "Hurry."),
    ],
)
def test_the_injection_follows_every_kind_of_instructions(
    proxy: RecordingProxy, instructions: Any, prompt: str
) -> None:
    desk = agent("desk", says("Yes."), instructions=instructions)
    reply = go(desk, proxy.envelope(system_injection="Hurry."), context="Ada")

    assert model_of(desk).calls[0].system_instructions == prompt
    assert proxy.events_of("system_prompt") == [Event("system_prompt", {"text": prompt}, None)]
    assert (reply.messages or [])[0] == {"role": "system", "content": prompt}


def test_an_agent_without_instructions_still_has_none(proxy: RecordingProxy) -> None:
    desk = agent("desk", says("Yes."), instructions=None)
    reply = go(desk, proxy.envelope("Hello"))
    assert model_of(desk).calls[0].system_instructions is None
    assert proxy.events_of("system_prompt") == []
    assert [message["role"] for message in reply.messages or []] == ["user", "assistant"]


@pytest.mark.parametrize(("memory_mode", "told"), [("replay", 3), ("stateful", 1)])
def test_a_replayed_history_comes_before_the_message(
    proxy: RecordingProxy, memory_mode: str, told: int
) -> None:
    history = ({"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Yes?"})
    session = Session(id="s", turn=2, max_turns=5, memory_mode=memory_mode, history=history)
    desk = agent("desk", says("It came."))
    reply = go(desk, proxy.envelope("Where is it?", session=session))

    given = [(item["role"], item["content"]) for item in model_of(desk).calls[0].input]
    assert given == [("user", "Hi"), ("assistant", "Yes?"), ("user", "Where is it?")][-told:]
    spoken = [(message["role"], message["content"]) for message in reply.messages or []]
    assert spoken[1:-1] == given


def test_run_sync_works_where_a_loop_is_running(proxy: RecordingProxy) -> None:
    async def kernel() -> Reply:
        with set_current(proxy.envelope("Where is ord_1?")):
            return run_sync(looks_up_an_order(), run_config=QUIET)

    assert asyncio.run(kernel()).final_response == "It was delivered."
    assert len(proxy.calls) == 1


def test_run_sync_works_without_a_loop_and_leaves_no_thread(proxy: RecordingProxy) -> None:
    reply = run_sync(looks_up_an_order(), proxy.envelope("Where is ord_1?"), run_config=QUIET)
    assert reply.final_response == "It was delivered."
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("odyssey-run")]


def test_the_guide_runs(proxy: RecordingProxy, monkeypatch: pytest.MonkeyPatch) -> None:
    guide = run_guide("port-openai-agents.md")
    assert [entry["name"] for entry in guide["schema"]] == ["get_order"]
    as_written, scripted_one = guide["build_agent"], looks_up_an_order()
    guide["build_agent"] = lambda: as_written().clone(model=scripted_one.model)

    monkeypatch.setenv("AGENT_TOKEN", "inbound")
    set_tracing_disabled(True)
    body = {"input": {"user_instruction": "Where is ord_1?"}, "odyssey_proxy_url": proxy.url}
    headers = {**proxy.dispatch_headers(), "Authorization": "Bearer inbound"}
    answer = asyncio.run(posted(guide["app"], body, headers))
    assert answer["final_response"] == "It was delivered."
    assert proxy.calls == [Call("get_order", {"order_id": "ord_1"}, None)]


async def posted(app: Any, body: dict[str, Any], headers: dict[str, str]) -> Any:
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://agent") as client:
        return (await client.post("/dispatch", json=body, headers=headers)).json()
