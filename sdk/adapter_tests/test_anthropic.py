"""Agents on the Anthropic SDK: its real clients and its tool runner, a played API, a proxy on the loopback."""

import asyncio
import json
from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Any

import httpx
import pytest
from anthropic import BadRequestError, beta_async_tool, beta_tool
from anthropic.lib.tools import BetaAsyncFunctionTool, BetaFunctionTool
from anthropic_api import PlayedApi, text, thinking, turn, use
from guide_blocks import run_guide
from recording_proxy import Call, RecordingProxy, Refusal

from pipelines.odyssey import Reply, passthrough
from pipelines.odyssey.adapters import describe
from pipelines.odyssey.adapters.anthropic import (
    SubAgent,
    answer_tool_uses,
    answer_tool_uses_async,
    dump_sub_agents,
    dump_tools_schema,
    dump_tools_schema_json,
    proxied,
    reply_of,
    run,
    run_sync,
)
from pipelines.odyssey.context import set_current
from pipelines.odyssey.envelope import Session
from pipelines.odyssey.errors import (
    NoEnvelopeError,
    ReplyError,
    RunEndedError,
    ToolError,
    UnproxiableToolError,
)

ORDER = {"order_id": "ord_1", "status": "delivered", "payment_id": "pay_1", "delivered_days_ago": 5}
GET_ORDER: dict[str, Any] = {
    "name": "get_order",
    "description": "Read one order.",
    "input_schema": {
        "type": "object",
        "properties": {"order_id": {"type": "string"}},
        "required": ["order_id"],
    },
}
ASKING: dict[str, Any] = {"model": "claude-played-1", "max_tokens": 1000}
Running = Callable[..., Reply]


@beta_tool
def get_payment(payment_id: str) -> str:
    """Read one payment.

    Args:
        payment_id: As the order names it.
    """
    raise AssertionError("the tool itself must not be called")


@beta_async_tool
async def refund_order(order_id: str, amount_cents: int) -> str:
    """Give the money back."""
    raise AssertionError("the tool itself must not be called")


@pytest.fixture
def proxy() -> Iterator[RecordingProxy]:
    with RecordingProxy({"get_order": ORDER, "get_payment": "paid", "refund_order": {"ok": True}}) as proxy:
        yield proxy


def waiting(api: PlayedApi, **options: Any) -> Reply:
    return run_sync(api.client(), **{**ASKING, **options})


def not_waiting(api: PlayedApi, **options: Any) -> Reply:
    async def running() -> Reply:
        async with api.async_client() as client:
            return await run(client, **{**ASKING, **options})

    return asyncio.run(running())


@pytest.fixture(params=[waiting, not_waiting], ids=["sync", "async"])
def running(request: pytest.FixtureRequest) -> Running:
    chosen: Running = request.param
    return chosen


def results(asked: dict[str, Any]) -> list[dict[str, Any]]:
    last: list[dict[str, Any]] = asked["messages"][-1]["content"]
    return last


# What is registered.


def test_the_dump_takes_the_array_of_messages_create() -> None:
    cached = {**GET_ORDER, "type": "custom", "cache_control": {"type": "ephemeral"}, "strict": True}
    dumped = dump_tools_schema([cached, get_payment, refund_order])
    assert dumped[0] == GET_ORDER
    assert [entry["name"] for entry in dumped] == ["get_order", "get_payment", "refund_order"]
    assert dumped[1]["description"] == "Read one payment."
    properties = dumped[1]["input_schema"]["properties"]
    assert properties["payment_id"]["description"] == "As the order names it."
    assert dumped[2]["input_schema"]["required"] == ["order_id", "amount_cents"]
    assert json.loads(dump_tools_schema_json([cached, get_payment, refund_order])) == dumped


def test_the_dump_says_who_answers_a_tool() -> None:
    live = {"get_order": passthrough("shop")}
    (entry,) = dump_tools_schema([GET_ORDER], executions=live)
    assert entry["passthrough_binding"] == {"endpoint_name": "shop", "tool_name": "get_order"}
    with pytest.raises(ToolError, match="no tool called 'get_order'"):
        dump_tools_schema([get_payment], executions=live)


def test_a_tool_of_several_agents_is_dumped_once_and_agents_are_no_tools() -> None:
    refunds = SubAgent("refunds", "Refunds.", tools=[GET_ORDER, refund_order])
    assert [entry["name"] for entry in dump_tools_schema([refunds, GET_ORDER])] == [
        "get_order",
        "refund_order",
    ]
    other = {**GET_ORDER, "description": "Read another order."}
    with pytest.raises(ToolError, match="Two different tools are called 'get_order'"):
        dump_tools_schema([refunds, other])


@pytest.mark.parametrize(
    ("tool", "name", "why"),
    [
        ({"type": "web_search_20260318", "name": "web_search"}, "web_search", "Anthropic's servers"),
        ({"type": "code_execution_20260521", "name": "code_execution"}, "code_execution", "servers"),
        ({"type": "mcp_toolset", "mcp_server_name": "shop"}, "shop", "Anthropic's servers"),
        ({"type": "bash_20250124", "name": "bash"}, "bash", "inside the model"),
        ({"type": "computer_toolset_20260801"}, "computer_toolset_20260801", "inside the model"),
    ],
)
def test_a_tool_that_no_proxy_can_answer_is_named(
    proxy: RecordingProxy, tool: dict[str, Any], name: str, why: str
) -> None:
    api = PlayedApi()
    refused: list[UnproxiableToolError] = []
    for attempt in (
        lambda: dump_tools_schema([SubAgent("searcher", "Searches.", tools=[tool])]),
        lambda: proxied([tool]),
        lambda: waiting(api, tools=[GET_ORDER, tool], envelope=proxy.envelope()),
    ):
        with pytest.raises(UnproxiableToolError, match=why) as error:
            attempt()
        refused.append(error.value)
    assert {error.name for error in refused} == {name}
    assert api.asked == []


@pytest.mark.parametrize(
    ("tool", "words"),
    [
        (print, "builtin_function_or_method is no tool of the Anthropic SDK"),
        ({"name": "get_order"}, "'get_order' lacks its name or its input_schema"),
        ({**GET_ORDER, "name": "get order"}, "'get order' is no name of a tool"),
    ],
)
def test_what_is_no_tool_is_said(tool: Any, words: str) -> None:
    with pytest.raises(ToolError, match=words):
        dump_tools_schema([tool])


def test_sub_agents_are_named_by_their_paths() -> None:
    clerk = SubAgent("clerk", "Looks up payments.", tools=[get_payment])
    refunds = SubAgent("refunds", "Refunds.", tools=[refund_order, clerk])
    assert dump_sub_agents([GET_ORDER]) is None
    expected = {
        "sub_agents": [
            {"actor_id": "desk", "tools": ["get_order"], "talks_to": ["desk/refunds"]},
            {"actor_id": "desk/refunds", "tools": ["refund_order"], "talks_to": ["desk/refunds/clerk"]},
            {"actor_id": "desk/refunds/clerk", "tools": ["get_payment"]},
        ],
        "topology": {"entry": "desk"},
    }
    assert dump_sub_agents([GET_ORDER, refunds], name="desk") == expected
    desk = SubAgent("desk", "All of it.", tools=[GET_ORDER, refunds])
    assert dump_sub_agents(desk) == expected
    assert describe(lambda: desk) == (dump_tools_schema(desk), expected)
    assert describe([GET_ORDER, refunds]) == (dump_tools_schema(desk), dump_sub_agents([GET_ORDER, refunds]))
    with pytest.raises(ToolError, match="'re funds' is no name of a sub-agent"):
        SubAgent("re funds", "Refunds.")


# The tool runner.


def test_proxied_tools_keep_their_definitions_and_the_originals_their_bodies() -> None:
    cached = {**GET_ORDER, "cache_control": {"type": "ephemeral"}, "strict": True}
    made = proxied([cached, get_payment, refund_order])
    assert [tool.to_dict() for tool in made] == [cached, get_payment.to_dict(), refund_order.to_dict()]
    assert [type(tool) for tool in made] == [BetaFunctionTool, BetaFunctionTool, BetaAsyncFunctionTool]
    assert {type(tool) for tool in proxied([cached, get_payment], is_async=True)} == {BetaAsyncFunctionTool}
    with pytest.raises(AssertionError):
        get_payment.call({"payment_id": "pay_1"})
    with pytest.raises(UnproxiableToolError, match="use `run`"):
        proxied([SubAgent("refunds", "Refunds.")])


SCRIPT = (
    turn(use("t1", "get_order", order_id="ord_1"), use("t2", "get_payment", payment_id="p")),
    turn(text("Done.")),
)


def test_the_tool_runner_runs_proxied_tools(proxy: RecordingProxy) -> None:
    api = PlayedApi(*SCRIPT)
    proxy.answers["get_payment"] = Refusal(404, "tool_unknown", "There is no such tool.")
    with set_current(proxy.envelope()):
        runner = api.client().beta.messages.tool_runner(
            **ASKING,
            tools=proxied([GET_ORDER, get_payment]),
            messages=[{"role": "user", "content": "Go."}],
            thread=False,
        )
        final = runner.until_done()
    first, second = results(api.asked[1])
    assert (json.loads(first["content"]), first.get("is_error")) == (ORDER, None)
    assert (second["content"], second["is_error"]) == ("There is no such tool.", True)
    assert reply_of(final).final_response == "Done."


def test_the_asynchronous_tool_runner_runs_them_too(proxy: RecordingProxy) -> None:
    api = PlayedApi(*SCRIPT)

    async def conversation() -> None:
        async with api.async_client() as client:
            runner = client.beta.messages.tool_runner(
                **ASKING,
                tools=proxied([GET_ORDER, get_payment], is_async=True),
                messages=[{"role": "user", "content": "Go."}],
                thread=False,
            )
            await runner.until_done()

    with set_current(proxy.envelope()):
        asyncio.run(conversation())
    assert [block["content"] for block in results(api.asked[1])] == [
        json.dumps(ORDER, separators=(",", ":")),
        "paid",
    ]
    assert {call.tool for call in proxy.calls} == {"get_order", "get_payment"}


# A loop of one's own.


@pytest.mark.parametrize("is_async", [False, True])
def test_the_tool_uses_of_a_message_are_answered(proxy: RecordingProxy, is_async: bool) -> None:
    proxy.answers["refund_order"] = Refusal(
        422,
        "arguments_invalid",
        "The arguments do not fit.",
        errors=[{"loc": ["amount_cents"], "msg": "is missing"}],
    )
    api = PlayedApi(
        turn(
            text("I look."),
            use("t1", "get_order", order_id="ord_1"),
            use("t2", "get_payment", payment_id="pay_1"),
            use("t3", "refund_order", order_id="ord_1"),
        )
    )
    message = api.client().messages.create(**ASKING, messages=[{"role": "user", "content": "Go."}])
    with set_current(proxy.envelope()):
        answered = (
            asyncio.run(answer_tool_uses_async(message)) if is_async else answer_tool_uses(message.to_dict())
        )
    assert answered == {
        "role": "user",
        "content": [
            {
                "type": "tool_result",
                "tool_use_id": "t1",
                "content": json.dumps(ORDER, separators=(",", ":")),
            },
            {"type": "tool_result", "tool_use_id": "t2", "content": "paid"},
            {
                "type": "tool_result",
                "tool_use_id": "t3",
                "content": "The arguments do not fit.\n  amount_cents: is missing",
                "is_error": True,
            },
        ],
    }


def test_a_reply_is_made_of_ones_own_messages(proxy: RecordingProxy) -> None:
    api = PlayedApi(*SCRIPT)
    client = api.client()
    messages: list[Any] = [{"role": "user", "content": "Go."}]
    message = client.messages.create(**ASKING, messages=messages)
    with set_current(proxy.envelope()):
        messages += [{"role": "assistant", "content": message.content}, answer_tool_uses(message)]
    reply = reply_of(client.messages.create(**ASKING, messages=messages), messages, system="Be kind.")
    assert reply.final_response == "Done."
    assert reply.messages is not None
    assert [said["role"] for said in reply.messages] == [
        "system",
        "user",
        "assistant",
        "tool",
        "tool",
        "assistant",
    ]
    assert reply.metadata is not None
    assert (reply.metadata["model"], reply.metadata["total_output_tokens"]) == ("claude-played-1", 5)


# The whole loop.


def test_a_dispatch_is_done_and_told(proxy: RecordingProxy, running: Running) -> None:
    first = [
        thinking("Which order?", "signed-1"),
        {"type": "redacted_thinking", "data": "sealed"},
        text("I look it up."),
        use("t1", "get_order", order_id="ord_1"),
        use("t2", "get_payment", payment_id="pay_1"),
    ]
    api = PlayedApi(
        turn(*first, cache_creation_input_tokens=100), turn(text("Refunded."), cache_read_input_tokens=90)
    )
    reply = running(
        api,
        tools=[GET_ORDER, get_payment],
        system="You refund.",
        envelope=proxy.envelope("Refund ord_1."),
        thinking={"type": "enabled", "budget_tokens": 1024},
    )
    assert reply.final_response == "Refunded."
    order = json.dumps(ORDER, separators=(",", ":"))
    assert reply.messages == [
        {"role": "system", "content": "You refund."},
        {"role": "user", "content": "Refund ord_1."},
        {
            "role": "assistant",
            "content": "I look it up.",
            "thinking": [{"type": "text", "text": "Which order?"}],
            "tool_calls": [
                {"id": "t1", "name": "get_order", "arguments": {"order_id": "ord_1"}},
                {"id": "t2", "name": "get_payment", "arguments": {"payment_id": "pay_1"}},
            ],
        },
        {"role": "tool", "tool_call_id": "t1", "content": order},
        {"role": "tool", "tool_call_id": "t2", "content": "paid"},
        {"role": "assistant", "content": "Refunded."},
    ]
    assert reply.metadata is not None
    assert reply.metadata.pop("agent_runtime_ms") >= 0
    assert reply.metadata == {
        "model": "claude-played-1",
        "total_input_tokens": 210,
        "total_output_tokens": 10,
        "cache_creation_input_tokens": 100,
        "cache_read_input_tokens": 90,
        "stop_reason": "end_turn",
    }
    assert api.asked[1]["messages"][1]["content"] == first
    assert api.asked[0]["thinking"] == {"type": "enabled", "budget_tokens": 1024}
    assert [tool["name"] for tool in api.asked[0]["tools"]] == ["get_order", "get_payment"]
    assert sorted(proxy.calls) == [
        Call("get_order", {"order_id": "ord_1"}, None),
        Call("get_payment", {"payment_id": "pay_1"}, None),
    ]
    assert [(event.event_type, event.payload["text"], event.actor_id) for event in proxy.events] == [
        ("system_prompt", "You refund.", None),
    ]


def test_a_refusal_is_for_the_model_to_see_and_the_end_of_the_run_is_not(
    proxy: RecordingProxy, running: Running
) -> None:
    proxy.answers["get_order"] = Refusal(404, "tool_unknown", "There is no get_order here.")
    api = PlayedApi(turn(use("t1", "get_order", order_id="ord_1")), turn(text("I cannot.")))
    assert running(api, tools=[GET_ORDER], envelope=proxy.envelope()).final_response == "I cannot."
    (result,) = results(api.asked[1])
    assert (result["content"], result["is_error"]) == ("There is no get_order here.", True)

    proxy.answers["get_order"] = Refusal(401, "run_token_revoked", "The run has ended.")
    api = PlayedApi(turn(use("t1", "get_order", order_id="ord_1"), use("t2", "get_payment", payment_id="p")))
    with pytest.raises(RunEndedError, match="The run has ended"):
        running(api, tools=[GET_ORDER, get_payment], envelope=proxy.envelope())


@pytest.mark.parametrize(
    ("system", "used"),
    [
        (None, "Hurry."),
        ("Be kind.", "Be kind.\n\nHurry."),
        (
            [{"type": "text", "text": "Be kind.", "cache_control": {"type": "ephemeral"}}],
            "Be kind.\n\nHurry.",
        ),
    ],
)
def test_the_injection_stands_in_the_prompt_the_transcript_and_the_trace(
    proxy: RecordingProxy, system: Any, used: str
) -> None:
    api = PlayedApi(turn(text("Done.")))
    reply = waiting(api, tools=[], system=system, envelope=proxy.envelope(system_injection="Hurry."))
    sent = api.asked[0]["system"]
    if isinstance(system, list):
        assert sent == [*system, {"type": "text", "text": "Hurry."}]
    else:
        assert sent == used
    assert reply.messages is not None
    assert reply.messages[0] == {"role": "system", "content": used}
    assert [event.payload for event in proxy.events_of("system_prompt")] == [{"text": used}]
    assert "tools" not in api.asked[0]


def test_without_an_injection_the_prompt_is_as_it_was(proxy: RecordingProxy) -> None:
    for system in (None, "Be kind.", [text("Be kind.")]):
        api = PlayedApi(turn(text("Done.")))
        waiting(api, tools=[], system=system, envelope=proxy.envelope())
        assert api.asked[0].get("system") == system
    assert len(proxy.events_of("system_prompt")) == 2


@pytest.mark.parametrize(("mode", "is_replayed"), [("replay", True), ("stateful", False)])
def test_what_was_said_in_earlier_turns_comes_first(
    proxy: RecordingProxy, mode: str, is_replayed: bool
) -> None:
    history = ({"role": "user", "content": "Hello."}, {"role": "assistant", "content": "Which order?"})
    session = Session(id="s", turn=2, max_turns=3, memory_mode=mode, history=history)
    api = PlayedApi(turn(text("Done.")))
    waiting(api, tools=[], envelope=proxy.envelope("ord_1.", session=session))
    said = {"role": "user", "content": "ord_1."}
    assert api.asked[0]["messages"] == ([*history, said] if is_replayed else [said])


def test_a_paused_turn_is_sent_back_as_it_is(proxy: RecordingProxy, running: Running) -> None:
    api = PlayedApi(turn(text("So far."), stop="pause_turn"), turn(text("The rest.")))
    reply = running(api, tools=[GET_ORDER], envelope=proxy.envelope("Go."))
    assert reply.final_response == "The rest."
    assert api.asked[1]["messages"] == [
        {"role": "user", "content": "Go."},
        {"role": "assistant", "content": [text("So far.")]},
    ]


def test_an_answer_cut_off_is_an_answer_only_if_it_says_something(proxy: RecordingProxy) -> None:
    envelope = proxy.envelope()
    reply = waiting(PlayedApi(turn(text("The order was"), stop="max_tokens")), tools=[], envelope=envelope)
    assert reply.final_response == "The order was"
    assert reply.metadata is not None
    assert reply.metadata["stop_reason"] == "max_tokens"
    for blocks in (
        [thinking("Hm.")],
        [text("I look."), use("t1", "get_order", order_id="o")],
    ):
        with pytest.raises(ReplyError, match=r"cut off \(max_tokens, max_tokens=1000\)"):
            waiting(PlayedApi(turn(*blocks, stop="max_tokens")), tools=[GET_ORDER], envelope=envelope)
    assert proxy.calls == []


@pytest.mark.parametrize(
    ("blocks", "details", "said"),
    [
        ([text("I will not.")], None, "I will not."),
        (
            [],
            {"type": "refusal", "category": None, "explanation": "Against the policy."},
            "Against the policy.",
        ),
        ([], None, "The model declined to answer."),
    ],
)
def test_what_the_model_declines_is_the_answer(
    proxy: RecordingProxy, blocks: list[Any], details: Any, said: str
) -> None:
    declined = {**turn(*blocks, stop="refusal"), "stop_details": details}
    reply = waiting(PlayedApi(declined), tools=[], envelope=proxy.envelope())
    assert reply.final_response == said
    assert reply.metadata is not None
    assert reply.metadata["stop_reason"] == "refusal"


def test_a_model_without_end_or_without_words_is_said_to_be_so(
    proxy: RecordingProxy, running: Running
) -> None:
    api = PlayedApi(*[turn(use(f"t{i}", "get_order", order_id="ord_1")) for i in range(3)])
    with pytest.raises(ReplyError, match=r"no answer after 2 turns.*max_turns="):
        running(api, tools=[GET_ORDER], envelope=proxy.envelope(), max_turns=2)
    assert api.left() == 1
    with pytest.raises(ReplyError, match="without a word"):
        running(PlayedApi(turn()), tools=[], envelope=proxy.envelope())


def test_what_was_said_before_a_run_failed_stands_in_the_trace(
    proxy: RecordingProxy, running: Running
) -> None:
    asked = use("t1", "refunds", message="Refund ord_1.")
    api = PlayedApi(turn(thinking("Hm."), text("I ask."), asked), REFUNDS=[turn(text("No."))])
    with pytest.raises(ReplyError):
        running(api, tools=[REFUNDS], system="DESK you are.", envelope=proxy.envelope(), max_turns=1)
    said = [event for event in proxy.events if event.event_type in ("thinking", "assistant_message")]
    assert [(event.payload["text"], event.actor_id) for event in said] == [
        ("Hm.", "agent"),
        ("I ask.", "agent"),
    ]
    assert all(datetime.fromisoformat(event.payload["__occurred_at"]).tzinfo for event in said)


def test_betas_go_to_the_beta_api_and_faults_of_the_api_are_raised(proxy: RecordingProxy) -> None:
    api = PlayedApi(turn(text("Done.")))
    waiting(api, tools=[], envelope=proxy.envelope(), betas=["interleaved-thinking-2025-05-14"])
    assert api.headers[0]["anthropic-beta"] == "interleaved-thinking-2025-05-14"
    with pytest.raises(BadRequestError, match="tool names must be unique"):
        waiting(PlayedApi(), tools=[GET_ORDER, GET_ORDER], envelope=proxy.envelope())


def test_the_wrong_client_is_named(proxy: RecordingProxy) -> None:
    async def swapped() -> None:
        with pytest.raises(TypeError, match="call run_sync"):
            await run(api.client(), **ASKING, tools=[], envelope=proxy.envelope())
        async with api.async_client() as client:
            with pytest.raises(TypeError, match="await run"):
                run_sync(client, **ASKING, tools=[], envelope=proxy.envelope())

    api = PlayedApi(turn(text("Done.")), turn(text("Done.")))
    asyncio.run(swapped())
    with pytest.raises(TypeError, match="leave out stream"):
        waiting(api, tools=[], envelope=proxy.envelope(), stream=True)


def test_outside_a_run_nothing_is_asked() -> None:
    api = PlayedApi(turn(text("Done.")))
    with pytest.raises(NoEnvelopeError):
        waiting(api, tools=[])
    assert api.asked == []


# Sub-agents.


CLERK = SubAgent("clerk", "Looks up payments.", system="CLERK you are.", tools=[get_payment], model="small")
REFUNDS = SubAgent("refunds", "Refunds.", system="REFUNDS you do.", tools=[refund_order, CLERK])


def test_sub_agents_are_loops_of_their_own_under_their_own_names(
    proxy: RecordingProxy, running: Running
) -> None:
    api = PlayedApi(
        turn(use("t1", "get_order", order_id="ord_1")),
        turn(thinking("It is due."), use("t2", "refunds", message="Refund ord_1.")),
        turn(text("All done.")),
        REFUNDS=[
            turn(text("First the payment."), use("r1", "clerk", message="Is pay_1 paid?")),
            turn(use("r2", "refund_order", order_id="ord_1", amount_cents=100)),
            turn(thinking("Good."), text("Refunded 1.00.")),
        ],
        CLERK=[turn(use("c1", "get_payment", payment_id="pay_1")), turn(text("It is paid."))],
    )
    tool_choice = {"type": "auto"}
    reply = running(
        api,
        tools=[GET_ORDER, REFUNDS],
        system="DESK you are.",
        name="desk",
        envelope=proxy.envelope("Refund ord_1.", system_injection="Hurry."),
        tool_choice=tool_choice,
    )
    assert reply.final_response == "All done."
    assert proxy.calls == [
        Call("get_order", {"order_id": "ord_1"}, "desk"),
        Call("get_payment", {"payment_id": "pay_1"}, "desk/refunds/clerk"),
        Call("refund_order", {"order_id": "ord_1", "amount_cents": 100}, "desk/refunds"),
    ]
    told = [(event.event_type, event.payload.get("text"), event.actor_id) for event in proxy.events]
    assert told == [
        ("system_prompt", "DESK you are.\n\nHurry.", "desk"),
        ("handoff", None, "desk"),
        ("system_prompt", "REFUNDS you do.\n\nHurry.", "desk/refunds"),
        ("subagent_message", "First the payment.", "desk/refunds"),
        ("handoff", None, "desk/refunds"),
        ("system_prompt", "CLERK you are.\n\nHurry.", "desk/refunds/clerk"),
        ("subagent_final", "It is paid.", "desk/refunds/clerk"),
        ("thinking", "Good.", "desk/refunds"),
        ("subagent_final", "Refunded 1.00.", "desk/refunds"),
    ]
    assert [event.payload for event in proxy.events_of("handoff")] == [
        {"from": "desk", "to": "desk/refunds", "message": "Refund ord_1."},
        {"from": "desk/refunds", "to": "desk/refunds/clerk", "message": "Is pay_1 paid?"},
    ]
    offered = {asked["system"].split(" ")[0]: asked for asked in api.asked}
    assert [tool["name"] for tool in offered["DESK"]["tools"]] == ["get_order", "refunds"]
    assert (offered["DESK"]["model"], offered["CLERK"]["model"]) == ("claude-played-1", "small")
    assert ("tool_choice" in offered["DESK"], "tool_choice" in offered["REFUNDS"]) == (True, False)
    assert results(offered["DESK"])[0]["content"] == "Refunded 1.00."
    assert reply.metadata is not None
    assert reply.metadata["total_output_tokens"] == 8 * 5
    assert reply.messages is not None
    assert reply.messages[-2] == {"role": "tool", "tool_call_id": "t2", "content": "Refunded 1.00."}


def test_a_sub_agent_that_fails_is_a_tool_that_fails(proxy: RecordingProxy, running: Running) -> None:
    api = PlayedApi(
        turn(use("t1", "refunds", message="Refund it."), use("t2", "refunds", message=" ")),
        turn(text("I could not.")),
        REFUNDS=[turn(thinking("Hm."), stop="max_tokens")],
    )
    reply = running(api, tools=[REFUNDS], system="DESK you are.", envelope=proxy.envelope())
    assert reply.final_response == "I could not."
    cut, silent = results(api.asked[-1])
    assert (cut["is_error"], silent["is_error"]) == (True, True)
    assert "cut off" in cut["content"]
    assert silent["content"] == "Say in 'message' what refunds is to do."


def test_sub_agents_of_one_message_keep_apart(proxy: RecordingProxy) -> None:
    agents = [
        SubAgent(name, "Does it.", system=f"{name} you are.", tools=[GET_ORDER]) for name in ("east", "west")
    ]
    own = {
        name: [turn(use("t", "get_order", order_id=name)), turn(text(f"{name} done."))]
        for name in ("east", "west")
    }
    api = PlayedApi(
        turn(use("t1", "east", message="Go."), use("t2", "west", message="Go.")), turn(text("Both.")), **own
    )
    not_waiting(api, tools=agents, envelope=proxy.envelope())
    assert {(call.arguments["order_id"], call.actor_id) for call in proxy.calls} == {
        ("east", "agent/east"),
        ("west", "agent/west"),
    }
    assert [block["content"] for block in results(api.asked[-1])] == ["east done.", "west done."]


# The guide.


def test_the_guide_runs(proxy: RecordingProxy, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AGENT_TOKEN", "secret")
    api = PlayedApi(turn(thinking("Look."), use("t1", "get_order", order_id="ord_1")), turn(text("Shipped.")))
    left = run_guide("port-anthropic.md", {"client": api.async_client()})

    async def dispatched() -> httpx.Response:
        transport = httpx.ASGITransport(app=left["app"])
        body = {"input": {"user_instruction": "Where is ord_1?"}, "odyssey_proxy_url": proxy.url}
        headers = {**proxy.dispatch_headers(), "Authorization": "Bearer secret"}
        async with httpx.AsyncClient(transport=transport, base_url="http://agent") as caller:
            return await caller.post("/dispatch", json=body, headers=headers)

    reply = asyncio.run(dispatched()).json()
    assert reply["final_response"] == "Shipped."
    assert [call.tool for call in proxy.calls] == ["get_order"]
    assert describe(left["TOOLS"]).tools_schema == dump_tools_schema(left["TOOLS"])
