"""Agents of the OpenAI Agents SDK that hand over to others, or use them as tools."""

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest
from agents import (
    Agent,
    Handoff,
    RunContextWrapper,
    RunHooks,
    Runner,
)
from agents.testing import ModelStep, ScriptedModel
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
    shapes,
    supervised,
)
from recording_proxy import Call, RecordingProxy

from pipelines.odyssey.adapters.openai_agents import (
    dump_tools_schema,
    proxied,
    run,
)
from pipelines.odyssey.context import set_current
from pipelines.odyssey.errors import (
    ToolError,
)
from pipelines.odyssey.reply import Reply


@pytest.fixture
def proxy() -> Iterator[RecordingProxy]:
    with RecordingProxy(dict(ANSWERS)) as proxy:
        yield proxy


def test_calls_bear_the_path_of_the_acting_agent(proxy: RecordingProxy) -> None:
    heard: list[str] = []
    reply = go(supervised(), proxy.envelope(), context=heard)

    assert [(call.tool, call.actor_id) for call in proxy.calls] == [
        ("get_order", "supervisor/orders"),
        ("get_payment", "supervisor/refunds"),
        ("refund_order", "supervisor/refunds"),
    ]
    assert reply.final_response == "Refunded 42 euros."
    assert heard == ["it is due"]


def test_the_trace_shows_handoffs_and_the_words_of_sub_agents(proxy: RecordingProxy) -> None:
    go(supervised(), proxy.envelope())

    assert [event.payload for event in proxy.events_of("handoff")] == [
        {"from": "supervisor", "to": "supervisor/orders", "message": "Which state?"},
        {"from": "supervisor", "to": "supervisor/refunds", "reason": "it is due"},
    ]
    assert {event.actor_id for event in proxy.events_of("handoff")} == {"supervisor"}
    assert [shape for shape in shapes(proxy.events) if shape[0] != "handoff"] == [
        ("thinking", "Look it up.", "supervisor/orders"),
        ("subagent_message", "One moment.", "supervisor/orders"),
        ("subagent_final", "Delivered.", "supervisor/orders"),
        ("subagent_message", "Checking.", "supervisor/refunds"),
        ("subagent_final", "Refunded 42 euros.", "supervisor/refunds"),
    ]
    assert [(event.payload["text"], event.actor_id) for event in proxy.events_of("system_prompt")] == [
        ("You are supervisor.", "supervisor"),
        ("You are orders.", "supervisor/orders"),
        ("You are refunds.", "supervisor/refunds"),
    ]


def test_the_transcript_of_several_says_who_spoke(proxy: RecordingProxy) -> None:
    messages = go(supervised(), proxy.envelope("Refund it.")).messages or []

    assert [(message["role"], message.get("actor_id")) for message in messages] == [
        ("system", "supervisor"),
        ("user", None),
        ("assistant", "supervisor"),
        ("tool", "supervisor"),
        ("assistant", "supervisor"),
        ("tool", "supervisor"),
        ("system", "supervisor/refunds"),
        ("assistant", "supervisor/refunds"),
        ("tool", "supervisor/refunds"),
        ("assistant", "supervisor/refunds"),
        ("tool", "supervisor/refunds"),
        ("assistant", "supervisor/refunds"),
    ]
    assert messages[3]["content"] == "Delivered."


def test_an_agent_that_hands_back_leads_back_to_the_first(proxy: RecordingProxy) -> None:
    reply = go(supervised(hands_back=True), proxy.envelope())

    assert reply.final_response == "All done."
    assert [(event.payload["from"], event.payload["to"]) for event in proxy.events_of("handoff")][1:] == [
        ("supervisor", "supervisor/refunds"),
        ("supervisor/refunds", "supervisor"),
    ]
    last = (reply.messages or [])[-1]
    assert (last["content"], last["actor_id"]) == ("All done.", "supervisor")
    assert proxy.events_of("assistant_message") == []


def test_the_injection_reaches_every_agent(proxy: RecordingProxy) -> None:
    go(supervised(), proxy.envelope(system_injection="Hurry."))
    prompts = [event.payload["text"] for event in proxy.events_of("system_prompt")]
    assert prompts == [f"You are {name}.\n\nHurry." for name in ("supervisor", "orders", "refunds")]


def test_the_prompt_of_an_agent_that_is_asked_twice_is_told_once(proxy: RecordingProxy) -> None:
    clerk = agent("clerk", says("One."), says("Two."))
    boss = agent(
        "boss",
        [calls("ask", input="First?")],
        [calls("ask", id="call_2", input="Second?")],
        says("Done."),
        tools=[clerk.as_tool("ask", "Ask the clerk.")],
    )
    go(boss, proxy.envelope())
    assert len(proxy.events_of("subagent_final")) == 2
    assert [event.actor_id for event in proxy.events_of("system_prompt")] == ["boss", "boss/clerk"]


def test_a_handoff_that_chooses_its_agent_late_is_proxied_too(proxy: RecordingProxy) -> None:
    orders = looks_up_an_order()

    async def choose(context: RunContextWrapper[Any], input_json: str) -> Agent[Any]:
        return orders

    later = Handoff(
        tool_name="go_on",
        tool_description="Go on.",
        input_json_schema={"type": "object", "properties": {}, "additionalProperties": False, "required": []},
        on_invoke_handoff=choose,
        agent_name="desk",
    )
    boss = agent("boss", [calls("go_on", id="call_0")], handoffs=[later])
    assert go(boss, proxy.envelope()).final_response == "It was delivered."
    assert proxy.calls == [Call("get_order", {"order_id": "ord_1"}, "boss/desk")]
    with pytest.raises(ToolError, match=r"'go_on' of 'boss' chooses its agent only when it is made"):
        dump_tools_schema(boss)


def test_an_agent_as_a_tool_keeps_the_settings_of_its_owner(proxy: RecordingProxy) -> None:
    class Counting(RunHooks[Any]):
        tools: list[str]

        async def on_tool_end(self, *given: Any, **_: Any) -> None:
            self.tools.append(given[2].name)

    async def shout(result: Any) -> str:
        return str(result.final_output).upper()

    inner, outer = Counting(), Counting()
    inner.tools, outer.tools = [], []
    asked = looks_up_an_order().as_tool("ask", "Ask.", custom_output_extractor=shout, hooks=inner)
    boss = agent("boss", [calls("ask", input="Where is it?")], says("Done."), tools=[asked])
    go(boss, proxy.envelope(), hooks=outer)

    assert model_of(boss).calls[1].input[-1]["output"] == "IT WAS DELIVERED."
    assert (inner.tools, outer.tools) == (["get_order"], ["ask"])


def test_agents_as_tools_may_be_nested_and_run_at_once(proxy: RecordingProxy) -> None:
    def clerk(name: str) -> Agent[Any]:
        return agent(name, [calls("get_order", order_id=name)], says(name), tools=[get_order])

    lead = agent(
        "lead",
        [calls("ask_a", input="?", id="call_a"), calls("ask_b", input="?", id="call_b")],
        says("Both."),
        tools=[clerk("a").as_tool("ask_a", "A."), clerk("b").as_tool("ask_b", "B.")],
    )
    boss = agent(
        "boss", [calls("ask_lead", input="?")], says("Done."), tools=[lead.as_tool("ask_lead", "Lead.")]
    )
    go(boss, proxy.envelope())
    assert sorted((call.arguments["order_id"], call.actor_id) for call in proxy.calls) == [
        ("a", "boss/lead/a"),
        ("b", "boss/lead/b"),
    ]


def test_an_agent_whose_name_is_no_actor_id_gets_one(proxy: RecordingProxy) -> None:
    clerk = agent("Zahlungs-Büro 2", [calls("get_order", order_id="x")], says("Ok."), tools=[get_order])
    boss = agent("Boss", [calls("ask", input="?")], says("Done."), tools=[clerk.as_tool("ask", "Ask.")])
    go(boss, proxy.envelope())
    assert proxy.calls[0].actor_id == "Boss/Zahlungs-B_ro_2"


def test_in_a_loop_of_ones_own_each_agent_bears_its_name(proxy: RecordingProxy) -> None:
    with set_current(proxy.envelope()):
        asyncio.run(Runner.run(proxied(supervised()), "Refund it.", run_config=QUIET))
    assert [(call.tool, call.actor_id) for call in proxy.calls] == [
        ("get_order", "supervisor/orders"),
        ("get_payment", "refunds"),
        ("refund_order", "refunds"),
    ]


def test_two_runs_of_one_agent_at_once_stay_apart(proxy: RecordingProxy) -> None:
    async def asked(call: Any) -> list[Any]:
        order = call.input[0]["content"]
        if call.input[-1].get("call_id") == "call_1":
            return says(f"{order} is there.")
        return [calls("get_order", order_id=order)]

    clerk = Agent(name="clerk", tools=[get_order], model=ScriptedModel([ModelStep.respond(asked)] * 4))
    boss = agent("boss", [calls("transfer_to_clerk", id="call_0")], [calls("transfer_to_clerk", id="call_0")])
    boss.handoffs = [clerk]

    async def both() -> list[Reply]:
        with RecordingProxy({"get_order": ORDER}) as other:
            runs = (
                run(boss, each.envelope(name), run_config=QUIET)
                for each, name in ((proxy, "a"), (other, "b"))
            )
            replies = await asyncio.gather(*runs)
            assert other.calls == [Call("get_order", {"order_id": "b"}, "boss/clerk")]
            return list(replies)

    assert [reply.final_response for reply in asyncio.run(both())] == ["a is there.", "b is there."]
    assert proxy.calls == [Call("get_order", {"order_id": "a"}, "boss/clerk")]
