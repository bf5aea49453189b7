"""Strands agents through the proxy: described, copied, run; alone, with agents as tools, as a swarm and as a graph."""

import asyncio
import importlib
import secrets
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from fastapi.testclient import TestClient
from guide_blocks import run_guide
from mcp.types import Tool as McpTool
from opentelemetry.trace import get_tracer_provider
from recording_proxy import Call, RecordingProxy, Refusal
from strands import Agent, ToolContext, tool
from strands.hooks import (
    AfterToolCallEvent,
    BeforeInvocationEvent,
    BeforeModelCallEvent,
    BeforeToolCallEvent,
)
from strands.multiagent import GraphBuilder, Swarm
from strands.multiagent.graph import Graph
from strands.tools.executors import SequentialToolExecutor
from strands.tools.mcp import MCPAgentTool, MCPClient
from strands.tools.tools import PythonAgentTool
from strands.types.exceptions import EventLoopException
from strands_model import Say, ScriptedModel

from pipelines.odyssey.adapters import describe
from pipelines.odyssey.adapters.strands import (
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
from pipelines.odyssey.errors import ReplyError, RunEndedError, ToolError, UnproxiableToolError
from pipelines.odyssey.tools import passthrough

pytestmark = pytest.mark.anyio
ORDER = {"order_id": "ord_1", "status": "delivered", "content": ["lamp"], "delivered_days_ago": 5}


@tool
def get_order(order_id: str, verbose: bool = False) -> dict[str, Any]:
    """Read one order.

    Args:
        order_id: The id of the order.
        verbose: Whether to tell all.
    """
    raise AssertionError("the body of a tool was run")


@tool(context=True)
async def refund_order(order_id: str, amount_cents: int, tool_context: ToolContext) -> str:
    """Give the money back."""
    raise AssertionError("the body of a tool was run")


def agent_of(*answers: Any, tools: list[Any] | None = None, **more: Any) -> Agent:
    return Agent(ScriptedModel(*answers), tools=tools, callback_handler=None, **more)


def model_of(agent: Agent) -> ScriptedModel:
    assert isinstance(agent.model, ScriptedModel)
    return agent.model


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def proxy() -> Iterator[RecordingProxy]:
    with RecordingProxy({"get_order": ORDER, "refund_order": "refunded"}) as proxy:
        yield proxy


ASK = Say(thought="I need the order first.", calls=(("get_order", {"order_id": "ord_1"}),))
DONE = Say("It was delivered.", thought="That is all.")


# Alone


async def test_a_run_goes_through_the_proxy_and_comes_back_with_its_transcript(proxy: RecordingProxy) -> None:
    agent = agent_of(ASK, DONE, tools=[get_order], system_prompt="You help.")
    reply = await run(agent, proxy.envelope("Where is ord_1?"))
    assert proxy.calls == [Call("get_order", {"order_id": "ord_1"}, None)]
    assert reply.final_response == "It was delivered."
    assert reply.messages == [
        {"role": "system", "content": "You help."},
        {"role": "user", "content": "Where is ord_1?"},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"id": "get_order_1_0", "name": "get_order", "arguments": {"order_id": "ord_1"}}],
            "thinking": [{"type": "text", "text": "I need the order first."}],
        },
        {
            "role": "tool",
            "tool_call_id": "get_order_1_0",
            "content": '{"order_id":"ord_1","status":"delivered","content":["lamp"],"delivered_days_ago":5}',
        },
        {
            "role": "assistant",
            "content": "It was delivered.",
            "thinking": [{"type": "text", "text": "That is all."}],
        },
    ]
    metadata = reply.metadata or {}
    assert metadata.pop("agent_runtime_ms") >= 0
    assert metadata == {"model": "scripted-1", "total_input_tokens": 14, "total_output_tokens": 6}
    assert [(event.event_type, event.payload, event.actor_id) for event in proxy.events] == [
        ("system_prompt", {"text": "You help."}, None)
    ]


async def test_the_agent_that_was_given_stays_as_it_was(proxy: RecordingProxy) -> None:
    agent = agent_of(ASK, DONE, tools=[get_order], system_prompt="You help.", state={"kept": 1})
    before = agent.tool_registry.registry["get_order"]
    await run(agent, proxy.envelope(system_injection="Be brief."))
    assert agent.messages == []
    assert agent.system_prompt == "You help."
    assert agent.tool_registry.registry == {"get_order": before}
    assert agent.event_loop_metrics.cycle_count == 0
    twin = proxied(agent)
    assert type(twin) is Agent
    assert twin.tool_registry.get_all_tools_config() == agent.tool_registry.get_all_tools_config()
    assert twin.model is agent.model
    assert twin.state.get() == {"kept": 1}


async def test_hooks_of_the_agent_fire_for_its_copy_and_only_there(proxy: RecordingProxy) -> None:
    invoked: list[Agent] = []
    agent = agent_of(DONE)
    agent.add_hook(lambda event: invoked.append(event.agent), BeforeInvocationEvent)
    with set_current(proxy.envelope()):
        twin = proxied(agent)
        twin.add_hook(lambda _: invoked.clear(), BeforeInvocationEvent)
        await agent.invoke_async("Hello.")
        assert invoked == [agent]
        await twin.invoke_async("Hello.")
    assert invoked == []


async def test_one_agent_serves_many_runs_at_once() -> None:
    agent = agent_of(
        lambda seen: (
            Say(calls=(("get_order", {"order_id": seen.messages[0]["content"][0]["text"]}),))
            if len(seen.messages) == 1
            else Say(seen.messages[-1]["content"][0]["toolResult"]["content"][0]["text"])
        ),
        tools=[get_order],
    )
    with RecordingProxy({"get_order": lambda arguments: f"this is {arguments['order_id']}"}) as proxy:
        wanted = [f"ord_{number}" for number in range(8)]
        replies = await asyncio.gather(*(run(agent, proxy.envelope(order)) for order in wanted))
    assert [reply.final_response for reply in replies] == [f"this is {order}" for order in wanted]


async def test_a_refused_call_is_a_failed_tool_to_the_model_with_detail_and_errors() -> None:
    refusal = Refusal(
        422,
        "arguments_invalid",
        "The arguments do not fit.",
        errors=[{"loc": ["order_id"], "msg": "too short"}],
    )
    agent = agent_of(ASK, DONE, tools=[get_order])
    with RecordingProxy({"get_order": refusal}) as proxy:
        assert (await run(agent, proxy.envelope())).final_response == "It was delivered."
    result = model_of(agent).seen[1].messages[-1]["content"][0]["toolResult"]
    assert result["status"] == "error"
    assert result["content"] == [{"text": "The arguments do not fit.\n  order_id: too short"}]


async def test_the_end_of_the_run_ends_the_agent(proxy: RecordingProxy) -> None:
    proxy.answers["get_order"] = Refusal(401, "run_token_revoked", "This run has ended.")
    agent = agent_of(ASK, tools=[get_order])
    with pytest.raises(RunEndedError, match="This run has ended"):
        await run(agent, proxy.envelope())
    assert len(model_of(agent).seen) == 1
    proxy.answers["get_order"] = ORDER
    proxy.token = secrets.token_urlsafe(32)
    model_of(agent).answers = [ASK, ASK, DONE]
    assert (await run(agent, proxy.envelope())).final_response == "It was delivered."


async def test_with_tools_alone_the_end_of_the_run_cancels_the_agent(proxy: RecordingProxy) -> None:
    proxy.answers["get_order"] = Refusal(401, "run_token_revoked", "This run has ended.")
    agent = agent_of(ASK, tools=proxied([get_order]))
    with set_current(proxy.envelope()):
        result = await agent.invoke_async("Where is ord_1?")
    assert result.stop_reason == "cancelled"
    assert "This run has ended" in str(result)
    assert len(model_of(agent).seen) == 1


async def test_what_the_model_raises_is_raised(proxy: RecordingProxy) -> None:
    with pytest.raises(RuntimeError, match="no such model"):
        await run(agent_of(RuntimeError("no such model")), proxy.envelope())
    with pytest.raises(EventLoopException, match="lost on the way"):
        await run(agent_of(ASK, RuntimeError("lost on the way"), tools=[get_order]), proxy.envelope())


async def test_what_was_said_before_a_run_failed_stands_in_the_trace(proxy: RecordingProxy) -> None:
    look = Say("I look.", thought="Hm.", calls=ASK.calls)
    with pytest.raises(EventLoopException):
        await run(agent_of(look, RuntimeError("lost"), tools=[get_order], name="desk"), proxy.envelope())
    assert [(event.event_type, event.payload["text"], event.actor_id) for event in proxy.events] == [
        ("thinking", "Hm.", None),
        ("assistant_message", "I look.", None),
    ]
    assert all("__occurred_at" in event.payload for event in proxy.events)


async def test_an_agent_that_reaches_its_limit_says_so(proxy: RecordingProxy) -> None:
    with pytest.raises(ReplyError, match="limit_turns"):
        await run(agent_of(ASK, tools=[get_order]), proxy.envelope(), limits={"turns": 2})
    assert len(proxy.calls) == 2


async def test_an_agent_that_waits_for_a_person_says_so(proxy: RecordingProxy) -> None:
    agent = agent_of(ASK, DONE, tools=[get_order])

    def ask(event: Any) -> None:
        event.interrupt("approve", reason="money")

    agent.add_hook(ask, BeforeToolCallEvent)
    with pytest.raises(ReplyError, match="waits for a person to answer 'approve'"):
        await run(agent, proxy.envelope())
    assert proxy.calls == []


@pytest.mark.parametrize("prompt", ["You help.", None])
async def test_the_injection_stands_in_the_prompt_and_in_the_trace(
    proxy: RecordingProxy, prompt: str | None
) -> None:
    agent = agent_of(DONE, system_prompt=prompt)
    reply = await run(agent, proxy.envelope(system_injection="Never refund."))
    used = "You help.\n\nNever refund." if prompt else "Never refund."
    assert model_of(agent).seen[0].system_prompt == used
    assert proxy.events[0].payload == {"text": used}
    assert (reply.messages or [])[0] == {"role": "system", "content": used}


async def test_the_injection_is_a_block_of_its_own_in_a_prompt_of_blocks(proxy: RecordingProxy) -> None:
    blocks: Any = [{"text": "You help."}, {"cachePoint": {"type": "default"}}]
    agent = agent_of(DONE, system_prompt=blocks)
    await run(agent, proxy.envelope(system_injection="Never refund."))
    assert model_of(agent).seen[0].system_blocks == [*blocks, {"text": "Never refund."}]
    assert agent.system_prompt_content == blocks


async def test_a_hook_that_writes_the_prompt_does_not_lose_the_injection(proxy: RecordingProxy) -> None:
    agent = agent_of(DONE, system_prompt="You help.")

    def write(event: BeforeModelCallEvent) -> None:
        event.agent.system_prompt = "Written late."

    agent.add_hook(write, BeforeModelCallEvent)
    await run(agent, proxy.envelope(system_injection="Be kind."))
    assert model_of(agent).seen[0].system_prompt == "Written late.\n\nBe kind."
    assert [event.payload["text"] for event in proxy.events] == ["Written late.\n\nBe kind."]


async def test_the_history_of_a_session_comes_before_the_turn(proxy: RecordingProxy) -> None:
    history = ({"role": "user", "content": "Hello."}, {"role": "assistant", "content": "Hello to you."})
    session = Session(id="s", turn=2, max_turns=3, memory_mode="replay", history=history)
    agent = agent_of(DONE)
    await run(agent, proxy.envelope("And now?", session=session))
    said = [(message["role"], message["content"][0]["text"]) for message in model_of(agent).seen[0].messages]
    assert said == [("user", "Hello."), ("assistant", "Hello to you."), ("user", "And now?")]


def test_a_run_can_be_waited_for_without_async(proxy: RecordingProxy) -> None:
    with set_current(proxy.envelope("Where is ord_1?")):
        reply = run_sync(agent_of(ASK, DONE, tools=[get_order]))
    assert reply.final_response == "It was delivered."
    assert proxy.calls == [Call("get_order", {"order_id": "ord_1"}, None)]


async def test_it_can_be_waited_for_inside_a_running_loop_too(proxy: RecordingProxy) -> None:
    assert run_sync(agent_of(DONE), proxy.envelope()).final_response == "It was delivered."


# Tools


async def test_calls_at_once_keep_their_run_and_their_actor(proxy: RecordingProxy) -> None:
    both = Say(
        calls=(("get_order", {"order_id": "a"}), ("refund_order", {"order_id": "b", "amount_cents": 1}))
    )
    for executor in (None, SequentialToolExecutor()):
        proxy.calls.clear()
        orders = agent_of(both, DONE, tools=[get_order, refund_order], name="orders", tool_executor=executor)
        lead = agent_of(Say(calls=(("orders", {"input": "Go."}),)), DONE, tools=[orders], name="lead")
        await run(lead, proxy.envelope())
        assert sorted(proxy.calls) == [
            Call("get_order", {"order_id": "a"}, "lead/orders"),
            Call("refund_order", {"order_id": "b", "amount_cents": 1}, "lead/orders"),
        ]


async def test_run_and_actor_reach_the_body_on_any_thread(proxy: RecordingProxy) -> None:
    """Strands runs tools in tasks of their own, and an agent that is called without await on a thread of its own."""
    threads: list[threading.Thread] = []

    def note(event: Any) -> None:
        threads.append(threading.current_thread())

    orders = agent_of(ASK, DONE, ASK, DONE, tools=[get_order], name="orders")
    orders.add_hook(note, AfterToolCallEvent)
    ask_orders = Say(calls=(("orders", {"input": "Find it."}),))
    lead = agent_of(ask_orders, DONE, ask_orders, DONE, tools=[orders, get_order], name="lead")
    with set_current(proxy.envelope()):
        await proxied(lead).invoke_async("Where is ord_1?")
        twin = proxied(lead)
        await asyncio.to_thread(twin, "Where is ord_1?")
        await asyncio.to_thread(twin.tool.get_order, order_id="direct")
    assert [(call.arguments["order_id"], call.actor_id) for call in proxy.calls] == [
        ("ord_1", "lead/orders"),
        ("ord_1", "lead/orders"),
        ("direct", "lead"),
    ]
    assert len(set(threads)) == 2


async def test_a_proxied_function_is_still_called_like_the_function(proxy: RecordingProxy) -> None:
    order, refund = proxied([get_order, refund_order])
    with set_current(proxy.envelope()):
        assert await asyncio.to_thread(order, "ord_1", verbose=True) == ORDER
        assert await refund("ord_1", amount_cents=1, tool_context=None) == "refunded"
    assert proxy.calls == [
        Call("get_order", {"order_id": "ord_1", "verbose": True}, None),
        Call("refund_order", {"order_id": "ord_1", "amount_cents": 1}, None),
    ]
    assert type(order).__mro__[1] is type(get_order)
    assert order.tool_spec == get_order.tool_spec


def module_tool() -> ModuleType:
    module = ModuleType("get_payment")
    module.__file__ = "get_payment.py"
    module.TOOL_SPEC = {  # type: ignore[attr-defined]
        "name": "get_payment",
        "description": "Read one payment.",
        "inputSchema": {"json": {"type": "object", "properties": {"payment_id": {"type": "string"}}}},
    }

    def get_payment(tool_use: Any, **_: Any) -> Any:
        raise AssertionError("the body of a tool was run")

    module.get_payment = get_payment  # type: ignore[attr-defined]
    return module


async def test_tools_of_modules_and_of_classes_go_through_the_proxy(proxy: RecordingProxy) -> None:
    spec: Any = {"name": "count", "description": "Count.", "inputSchema": {"json": {"type": "object"}}}
    plain = PythonAgentTool("count", spec, lambda *_, **__: pytest.fail("the body of a tool was run"))
    proxy.answers |= {"get_payment": {"amount_cents": 5}, "count": 3}
    asked = Say(calls=(("get_payment", {"payment_id": "pay_1"}), ("count", {})))
    agent = agent_of(asked, DONE, tools=[module_tool(), plain])
    await run(agent, proxy.envelope())
    assert sorted(proxy.calls) == [
        Call("count", {}, None),
        Call("get_payment", {"payment_id": "pay_1"}, None),
    ]
    results = [block["toolResult"] for block in model_of(agent).seen[1].messages[-1]["content"]]
    assert [result["content"][0]["text"] for result in results] == ['{"amount_cents":5}', "3"]
    assert [entry["name"] for entry in dump_tools_schema(agent)] == ["get_payment", "count"]


# Described


def test_the_schema_has_every_tool_once() -> None:
    orders = agent_of(DONE, tools=[get_order], name="orders")
    lead = agent_of(DONE, tools=[get_order, refund_order, orders], name="lead")
    entries = dump_tools_schema(lead, executions={"get_order": passthrough("orders-api")})
    assert [entry["name"] for entry in entries] == ["get_order", "refund_order"]
    order, refund = entries
    assert order["description"].startswith("Read one order.")
    assert order["input_schema"]["properties"]["order_id"] == {
        "description": "The id of the order.",
        "type": "string",
    }
    assert order["input_schema"]["required"] == ["order_id"]
    assert order["passthrough_binding"] == {"endpoint_name": "orders-api", "tool_name": "get_order"}
    assert "tool_context" not in refund["input_schema"]["properties"]
    assert '"name": "refund_order"' in dump_tools_schema_json([get_order, refund_order])
    assert dump_tools_schema([get_order, orders]) == dump_tools_schema(get_order)


def test_two_different_tools_of_one_name_are_refused() -> None:
    @tool(name="get_order")
    def other(order_number: int) -> str:
        """Read an order by its number."""
        raise AssertionError

    lead = agent_of(DONE, tools=[get_order, agent_of(DONE, tools=[other], name="orders")])
    with pytest.raises(ToolError, match="Two different tools are called 'get_order'"):
        dump_tools_schema(lead)


def test_what_no_proxy_can_stand_in_for_is_refused_by_name() -> None:
    client = MCPClient(lambda: pytest.fail("the MCP server was asked"))
    with pytest.raises(UnproxiableToolError, match="/mcp"):
        dump_tools_schema([client])
    served = MCPAgentTool(McpTool(name="search", input_schema={"type": "object"}), client)
    for use in (dump_tools_schema, proxied):
        with pytest.raises(UnproxiableToolError, match=r"'search'.*/mcp"):
            use(agent_of(DONE, tools=[served]))

    class Hosting(ScriptedModel):
        def get_config(self) -> dict[str, Any]:
            return {"model_id": "m", "params": {"tools": [{"type": "web_search"}]}}

    agent = Agent(Hosting(DONE), callback_handler=None)
    for use in (dump_tools_schema, proxied):
        with pytest.raises(UnproxiableToolError, match=r"'web_search'.*provider"):
            use(agent)


def test_agents_in_a_circle_are_refused() -> None:
    first = agent_of(DONE, name="first")
    second = agent_of(DONE, name="second", tools=[first])
    first.tool_registry.process_tools([second])
    for use in (dump_tools_schema, dump_sub_agents, proxied):
        with pytest.raises(ToolError, match="circle"):
            use(first)


def test_an_agent_alone_has_no_sub_agents() -> None:
    assert dump_sub_agents(agent_of(DONE, tools=[get_order])) is None
    assert dump_sub_agents([get_order]) is None


# Agents as tools


def desk() -> Agent:
    orders = agent_of(
        Say("I look.", thought="Which one?", calls=ASK.calls),
        Say("It is ord_1."),
        tools=[get_order],
        name="orders",
    )
    return agent_of(
        Say(calls=(("orders", {"input": "Find ord_1."}),)),
        DONE,
        tools=[orders],
        name="the lead",
        system_prompt="Lead.",
    )


async def test_sub_agents_are_named_by_their_path_and_their_words_are_told(proxy: RecordingProxy) -> None:
    agent = desk()
    assert dump_sub_agents(agent) == {
        "sub_agents": [
            {"actor_id": "the_lead", "tools": [], "talks_to": ["the_lead/orders"]},
            {"actor_id": "the_lead/orders", "tools": ["get_order"], "talks_to": []},
        ],
        "topology": {"entry": "the_lead"},
    }
    reply = await run(agent, proxy.envelope())
    assert proxy.calls == [Call("get_order", {"order_id": "ord_1"}, "the_lead/orders")]
    assert [tuple(event) for event in proxy.events] == [
        ("system_prompt", {"text": "Lead."}, "the_lead"),
        ("handoff", {"from": "the_lead", "to": "the_lead/orders", "message": "Find ord_1."}, None),
        ("thinking", {"text": "Which one?"}, "the_lead/orders"),
        ("subagent_message", {"text": "I look."}, "the_lead/orders"),
        ("subagent_final", {"text": "It is ord_1."}, "the_lead/orders"),
    ]
    assert [message["role"] for message in reply.messages or []] == [
        "system",
        "user",
        "assistant",
        "tool",
        "assistant",
    ]
    assert (reply.metadata or {})["total_input_tokens"] == 4 * 7


async def test_the_injection_ends_the_prompt_of_every_agent(proxy: RecordingProxy) -> None:
    clerk = agent_of(Say("One."), Say("Two."), name="clerk", system_prompt="You look.")
    ask = Say(calls=(("clerk", {"input": "Look."}),))
    lead = agent_of(ask, ask, DONE, tools=[clerk], name="lead", system_prompt="You lead.")
    await run(lead, proxy.envelope(system_injection="Be kind."))
    assert [(event.payload["text"], event.actor_id) for event in proxy.events_of("system_prompt")] == [
        ("You lead.\n\nBe kind.", "lead"),
        ("You look.\n\nBe kind.", "lead/clerk"),
    ]
    for agent, prompt in ((lead, "You lead."), (clerk, "You look.")):
        assert {seen.system_prompt for seen in model_of(agent).seen} == {f"{prompt}\n\nBe kind."}
        assert agent.system_prompt == prompt


async def test_it_does_so_in_every_node_of_a_graph(proxy: RecordingProxy) -> None:
    await run(graph(), proxy.envelope(system_injection="Be kind."))
    assert [event.actor_id for event in proxy.events_of("system_prompt")] == [
        "find",
        "refund_team/triage",
        "refund_team/refunds",
        "note",
    ]
    assert all(event.payload["text"].endswith("Be kind.") for event in proxy.events_of("system_prompt"))


async def test_the_end_of_the_run_ends_a_team_at_once(proxy: RecordingProxy) -> None:
    proxy.answers["get_order"] = Refusal(401, "run_token_revoked", "This run has ended.")
    agent = desk()
    with pytest.raises(RunEndedError):
        await run(agent, proxy.envelope())
    assert len(model_of(agent).seen) == 1


async def test_an_agent_that_answers_for_its_supervisor_still_does(proxy: RecordingProxy) -> None:
    orders = agent_of(ASK, Say("It is ord_1."), tools=[get_order], name="orders")
    lead = agent_of(
        Say(calls=(("orders", {"input": "Find it."}),)), tools=[orders.as_tool(delegate=True)], name="lead"
    )
    reply = await run(lead, proxy.envelope())
    assert reply.final_response == "It is ord_1."
    assert len(model_of(lead).seen) == 1
    assert proxy.calls == [Call("get_order", {"order_id": "ord_1"}, "lead/orders")]


async def test_an_agent_in_a_list_of_tools_is_copied_too(proxy: RecordingProxy) -> None:
    orders = agent_of(ASK, Say("It is ord_1."), tools=[get_order], name="orders")
    lead = agent_of(Say(calls=(("orders", {"input": "Find it."}),)), DONE, tools=proxied([orders, get_order]))
    with set_current(proxy.envelope()):
        await lead.invoke_async("Where is ord_1?")
    assert proxy.calls == [Call("get_order", {"order_id": "ord_1"}, "orders")]


# Swarms and graphs


def swarm() -> Swarm:
    over = Say(calls=(("handoff_to_agent", {"agent_name": "refunds", "message": "ord_1 is due."}),))
    triage = agent_of(over, Say("Over to refunds."), name="triage", system_prompt="Sort.")
    refund = Say(calls=(("refund_order", {"order_id": "ord_1", "amount_cents": 5}),))
    refunds = agent_of(refund, Say("Refunded."), tools=[refund_order], name="refunds")
    return Swarm([triage, refunds], entry_point=triage)


async def test_a_swarm_tells_its_handoffs_by_itself(proxy: RecordingProxy) -> None:
    team = swarm()
    assert [entry["name"] for entry in dump_tools_schema(team)] == ["refund_order"]
    assert dump_sub_agents(team) == {
        "sub_agents": [
            {"actor_id": "triage", "tools": [], "talks_to": ["refunds"]},
            {"actor_id": "refunds", "tools": ["refund_order"], "talks_to": ["triage"]},
        ],
        "topology": {"entry": "triage"},
    }
    reply = await run(team, proxy.envelope("Refund ord_1.", system_injection="Be kind."))
    assert proxy.calls == [Call("refund_order", {"order_id": "ord_1", "amount_cents": 5}, "refunds")]
    assert [tuple(event) for event in proxy.events] == [
        ("system_prompt", {"text": "Sort.\n\nBe kind."}, "triage"),
        ("subagent_final", {"text": "Over to refunds."}, "triage"),
        ("handoff", {"from": "triage", "to": "refunds", "message": "ord_1 is due."}, None),
        ("system_prompt", {"text": "Be kind."}, "refunds"),
        ("subagent_final", {"text": "Refunded."}, "refunds"),
    ]
    assert reply.final_response == "Refunded."
    assert [message["role"] for message in reply.messages or []] == (
        ["system", "user"] + ["assistant", "tool", "assistant"] * 2
    )
    assert (reply.messages or [])[1]["content"] == "Refund ord_1."
    assert (reply.metadata or {})["total_output_tokens"] == 4 * 3
    assert team.nodes["refunds"].executor.messages == []
    assert team.state.node_history == []


async def test_the_first_node_of_a_swarm_gets_the_history(proxy: RecordingProxy) -> None:
    history = ({"role": "user", "content": "Hello."}, {"role": "assistant", "content": "Hello to you."})
    session = Session(id="s", turn=2, max_turns=3, memory_mode="replay", history=history)
    team = swarm()
    await run(team, proxy.envelope("Refund ord_1.", session=session))
    first, second = (model_of(team.nodes[name].executor).seen[0].messages for name in ("triage", "refunds"))
    assert [message["content"][0]["text"] for message in first[:2]] == ["Hello.", "Hello to you."]
    assert (len(first), len(second)) == (3, 1)


async def test_what_fails_a_swarm_is_raised(proxy: RecordingProxy) -> None:
    failing = Swarm([agent_of(RuntimeError("no such model"), name="triage")])
    with pytest.raises(RuntimeError, match="no such model"):
        await run(failing, proxy.envelope())
    proxy.answers["refund_order"] = Refusal(401, "run_token_revoked", "This run has ended.")
    for team in (swarm(), graph()):
        with pytest.raises(RunEndedError):
            await run(team, proxy.envelope())


async def test_a_swarm_that_runs_in_circles_says_so(proxy: RecordingProxy) -> None:
    def handing(name: str, to: str) -> Agent:
        over = Say(calls=(("handoff_to_agent", {"agent_name": to, "message": "Yours."}),))
        turns = [over, Say("Over.")] * 3
        return agent_of(*turns, name=name)

    team = Swarm([handing("first", "second"), handing("second", "first")], max_handoffs=3)
    with pytest.raises(ReplyError, match="limit of turns, handoffs or time"):
        await run(team, proxy.envelope())
    assert len(proxy.events) > 3


def graph() -> Graph:
    builder = GraphBuilder()
    builder.add_node(agent_of(ASK, Say("Here it is."), tools=[get_order], name="a"), "find")
    builder.add_node(swarm(), "refund team")
    builder.add_node(agent_of(Say("Written down."), name="c"), "note")
    builder.add_edge("find", "refund team")
    builder.add_edge("refund team", "note")
    builder.set_max_node_executions(9)
    return builder.build()


async def test_a_graph_is_followed_through_its_nodes(proxy: RecordingProxy) -> None:
    team = graph()
    assert [entry["name"] for entry in dump_tools_schema(team)] == ["get_order", "refund_order"]
    described = dump_sub_agents(team) or {}
    assert [(actor["actor_id"], actor["talks_to"]) for actor in described["sub_agents"]] == [
        ("find", ["refund_team/triage"]),
        ("refund_team/triage", ["refund_team/refunds", "note"]),
        ("refund_team/refunds", ["refund_team/triage", "note"]),
        ("note", []),
    ]
    assert described["topology"] == {"entry": "find"}
    reply = await run(team, proxy.envelope("Refund ord_1."))
    assert reply.final_response == "Written down."
    assert [(call.tool, call.actor_id) for call in proxy.calls] == [
        ("get_order", "find"),
        ("refund_order", "refund_team/refunds"),
    ]
    handoffs = [(event.payload["from"], event.payload["to"]) for event in proxy.events_of("handoff")]
    assert handoffs == [
        ("find", "refund_team"),
        ("refund_team/triage", "refund_team/refunds"),
        ("refund_team", "note"),
    ]
    assert team.state.execution_order == []


# A loop of one's own


async def test_a_loop_of_ones_own_makes_a_reply(proxy: RecordingProxy) -> None:
    agent = proxied(agent_of(ASK, DONE, tools=[get_order]))
    with set_current(proxy.envelope()):
        result = await agent.invoke_async("Where is ord_1?")
    bare = reply_of(result)
    assert bare.final_response == "It was delivered."
    assert [message["role"] for message in bare.messages or []] == ["assistant"]
    whole = reply_of(result, agent)
    assert [message["role"] for message in whole.messages or []] == ["user", "assistant", "tool", "assistant"]
    assert whole.metadata == {"model": "scripted-1", "total_input_tokens": 14, "total_output_tokens": 6}


async def test_a_team_of_ones_own_makes_a_reply(proxy: RecordingProxy) -> None:
    team = proxied(swarm())
    with set_current(proxy.envelope()):
        reply = reply_of(await team.invoke_async("Refund ord_1."))
    assert reply.final_response == "Refunded."
    assert [message["content"] for message in reply.messages or []] == ["Over to refunds.", "Refunded."]
    assert reply.metadata == {"total_input_tokens": 28, "total_output_tokens": 12}


async def test_nothing_is_exported_anywhere(proxy: RecordingProxy) -> None:
    """Strands records spans only for those who set up an exporter; a run must not do so for them."""
    await run(desk(), proxy.envelope())
    assert type(get_tracer_provider()).__name__ == "ProxyTracerProvider"


# What is shown to people


def test_the_guide_runs_as_it_stands(proxy: RecordingProxy, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AGENT_TOKEN", "agent-token-of-the-guide")
    refund = Say(calls=(("refund_order", {"order_id": "ord_1", "amount_cents": 7950}),))
    model = ScriptedModel(ASK, refund, Say("I refunded 79.50."))
    left = run_guide("port-strands.md", {"model": model, "envelope": proxy.envelope()})
    with TestClient(left["app"]) as client:
        body = {"odyssey_proxy_url": proxy.url, "input": {"user_instruction": "Refund ord_1.", "input": {}}}
        headers = {**proxy.dispatch_headers(), "Authorization": "Bearer agent-token-of-the-guide"}
        model.seen.clear()
        reply = client.post("/dispatch", json=body, headers=headers)
    assert reply.status_code == 200, reply.text
    assert reply.json()["final_response"] == "I refunded 79.50."
    assert [call.tool for call in proxy.calls] == ["get_order", "refund_order"]


WORLD = {"ord_1": ("pay_1", 5), "ord_2": ("pay_2", 45)}


def shop() -> dict[str, Any]:
    def get_order(arguments: dict[str, Any]) -> Any:
        order_id = arguments["order_id"]
        if order_id not in WORLD:
            return {"error": {"code": "not_found", "message": f"There is no order {order_id}."}}
        payment_id, days = WORLD[order_id]
        return {
            "order_id": order_id,
            "status": "delivered",
            "payment_id": payment_id,
            "delivered_days_ago": days,
        }

    return {
        "get_order": get_order,
        "get_payment": lambda asked: {**asked, "status": "captured", "amount_cents": 7950},
        "refund_order": lambda asked: {"order_id": asked["order_id"], "status": "refunded"},
    }


@pytest.fixture
def example(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    monkeypatch.syspath_prepend(str(Path(__file__).parents[2] / "examples" / "strands"))
    monkeypatch.setenv("AGENT_TOKEN", "agent-token-of-the-example")
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    names = ("agent", "scripted_model")
    for name in names:
        sys.modules.pop(name, None)
    yield importlib.import_module("agent")
    for name in names:
        sys.modules.pop(name, None)


@pytest.mark.parametrize(
    ("order", "said", "called"),
    [
        ("ord_1", "I refunded 79.50 for ord_1.", ["get_order", "get_payment", "refund_order"]),
        ("ord_2", "I cannot refund ord_2: it was delivered 45 days ago, and the limit is 30.", ["get_order"]),
        ("ord_9", "I could not find that order, so nothing was refunded.", ["get_order"]),
    ],
)
async def test_the_example_decides_by_what_it_finds(
    example: ModuleType, order: str, said: str, called: list[str]
) -> None:
    with RecordingProxy(shop()) as proxy:
        reply = await run(example.build_agent(), proxy.envelope(f"Please refund {order}."))
    assert reply.final_response == said
    assert [call.tool for call in proxy.calls] == called
    owners = {"get_order": "supervisor/orders"}
    assert {call.actor_id for call in proxy.calls} == {
        owners.get(tool, "supervisor/refunds") for tool in called
    }
    assert {"handoff", "thinking", "subagent_final"} <= {event.event_type for event in proxy.events}
    assert all(message.get("thinking") for message in reply.messages or [] if message["role"] == "assistant")


def test_the_example_describes_itself(example: ModuleType) -> None:
    described = describe(example.build_agent)
    assert [entry["name"] for entry in described.tools_schema] == ["get_order", "get_payment", "refund_order"]
    assert described.sub_agents is not None
    assert described.sub_agents["topology"] == {"entry": "supervisor"}
