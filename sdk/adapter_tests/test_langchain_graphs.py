"""Graphs of several agents: who acts, who hands over to whom, and that every tool below is found and proxied."""

import asyncio
from typing import Annotated, Any

import pytest
from langchain.agents import create_agent
from langchain.tools import InjectedState, InjectedToolCallId, ToolRuntime, tool
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.runnables import RunnableConfig
from langchain_core.tools import BaseTool
from langchain_model import FunctionModel, calling, one_call
from langgraph.func import entrypoint, task
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.pregel.remote import RemoteGraph
from langgraph.types import Command, Send
from recording_proxy import Event, RecordingProxy

from pipelines.odyssey.adapters.langchain import dump_sub_agents, dump_tools_schema, run, run_sync
from pipelines.odyssey.errors import ToolError, UnproxiableToolError

ANSWERS = {"get_order": {"status": "shipped"}, "refund_order": {"ok": True}}


@tool
def get_order(order_id: str) -> str:
    """Read one order."""
    raise AssertionError("the body of a proxied tool ran")


@tool
def refund_order(order_id: str) -> str:
    """Give the money back."""
    raise AssertionError("the body of a proxied tool ran")


def orders(**more: Any) -> Any:
    model = one_call("get_order", {"order_id": "ord_1"}, thought="Which order?")
    return create_agent(model, [get_order], system_prompt="You look up.", **more)


def refunds(**more: Any) -> Any:
    return create_agent(one_call("refund_order", {"order_id": "ord_1"}), [refund_order], **more)


def in_turn(*calls: AIMessage) -> FunctionModel:
    """A model that makes one call after the other, and then says that it is done."""

    def says(messages: list[BaseMessage]) -> AIMessage:
        done = {message.name for message in messages if isinstance(message, ToolMessage)}
        return next(
            (call for call in calls if call.tool_calls[0]["name"] not in done), AIMessage("All done.")
        )

    return FunctionModel(says=says)


def handoffs(proxy: RecordingProxy) -> list[tuple[str, str]]:
    return [(event.payload["from"], event.payload["to"]) for event in proxy.events_of("handoff")]


def acted(proxy: RecordingProxy) -> list[tuple[str | None, str]]:
    return [(call.actor_id, call.tool) for call in proxy.calls]


CLERK = orders(name="clerk")
"""An agent that functions below name as a global."""


def ask_clerk(text: str) -> str:
    state = CLERK.invoke({"messages": [("user", text)]})
    return str(state["messages"][-1].text)


def test_agents_behind_tools_act_under_the_path_of_who_asked_them() -> None:
    inner = refunds(name="cashier")

    @tool
    def ask_cashier(text: str, config: RunnableConfig) -> str:
        """Have it refunded."""
        return str(inner.invoke({"messages": [("user", text)]}, config)["messages"][-1].text)

    @tool
    def clerk_by_helper(text: str) -> str:
        """Have it looked up."""
        return ask_clerk(text)

    model = in_turn(
        calling("clerk_by_helper", {"text": "Look."}), calling("ask_cashier", {"text": "Refund."})
    )
    lead = create_agent(model, [clerk_by_helper, ask_cashier], system_prompt="You lead.", name="the lead")
    with RecordingProxy(ANSWERS) as proxy:
        reply = run_sync(lead, proxy.envelope())
    assert reply.final_response == "All done."
    assert acted(proxy) == [("the_lead/clerk", "get_order"), ("the_lead/cashier", "refund_order")]
    assert handoffs(proxy) == [("the_lead", "the_lead/clerk"), ("the_lead", "the_lead/cashier")]
    assert [event.payload.get("message") for event in proxy.events_of("handoff")] == ["Look.", "Refund."]
    assert proxy.events_of("thinking") == [Event("thinking", {"text": "Which order?"}, "the_lead/clerk")]
    assert [event.actor_id for event in proxy.events_of("subagent_final")] == [
        "the_lead/clerk",
        "the_lead/cashier",
    ]
    assert [event.actor_id for event in proxy.events_of("system_prompt")] == ["the_lead", "the_lead/clerk"]
    assert reply.metadata is not None
    assert reply.metadata["total_input_tokens"] == 20
    assert dump_sub_agents(lead) == {
        "sub_agents": [
            {"actor_id": "the_lead", "tools": [], "talks_to": ["the_lead/clerk", "the_lead/cashier"]},
            {"actor_id": "the_lead/clerk", "tools": ["get_order"]},
            {"actor_id": "the_lead/cashier", "tools": ["refund_order"]},
        ],
        "topology": {"entry": "the_lead"},
    }
    assert [entry["name"] for entry in dump_tools_schema(lead)] == ["get_order", "refund_order"]


def test_an_agent_in_a_field_of_a_tool_is_found() -> None:
    class Ask(BaseTool):
        name: str = "ask"
        description: str = "Ask the agent."
        agent: Any

        def _run(self, text: str) -> str:
            return str(self.agent.invoke({"messages": [("user", text)]})["messages"][-1].text)

    lead = create_agent(one_call("ask", {"text": "x"}), [Ask(agent=orders())], name="lead")
    with RecordingProxy(ANSWERS) as proxy:
        asyncio.run(run(lead, proxy.envelope()))
    assert acted(proxy) == [("lead/ask", "get_order")]


def transfer_to(agent: str) -> BaseTool:
    @tool(f"transfer_to_{agent}")
    def transfer(call_id: Annotated[str, InjectedToolCallId]) -> Command[Any]:
        """Hand over."""
        said = ToolMessage("Handed over.", tool_call_id=call_id)
        asked = HumanMessage("Please go on.", name="front")
        return Command(goto=agent, graph=Command.PARENT, update={"messages": [said, asked]})

    return transfer


@pytest.mark.parametrize("how", ["async", "sync"])
def test_agents_in_nodes_hand_over_by_command_and_by_edge(how: str) -> None:
    first = in_turn(
        calling("get_order", {"order_id": "ord_1"}), calling("transfer_to_refunds", {}, text="Over to you.")
    )
    graph = StateGraph(MessagesState)
    graph.add_node("front", create_agent(first, [get_order, transfer_to("refunds")], name="front"))
    graph.add_node("refunds", refunds(name="refunds", system_prompt="You refund."))
    graph.add_node(
        "closing", create_agent(FunctionModel(says=lambda _: AIMessage("Goodbye.")), name="closing")
    )
    graph.add_edge(START, "front")
    graph.add_edge("refunds", "closing")
    graph.add_edge("closing", END)
    team = graph.compile()
    with RecordingProxy(ANSWERS) as proxy:
        reply = (
            asyncio.run(run(team, proxy.envelope())) if how == "async" else run_sync(team, proxy.envelope())
        )
    assert reply.final_response == "Goodbye."
    assert acted(proxy) == [("front", "get_order"), ("front/refunds", "refund_order")]
    assert handoffs(proxy) == [("front", "front/refunds"), ("front/refunds", "front/closing")]
    assert [(event.payload["text"], event.actor_id) for event in proxy.events_of("subagent_final")] == [
        ('The tool said: {"ok": true}', "front/refunds"),
        ("Goodbye.", "front/closing"),
    ]
    assert [entry["name"] for entry in dump_tools_schema(team)] == ["get_order", "refund_order"]
    assert dump_sub_agents(team) == {
        "sub_agents": [
            {"actor_id": "front", "tools": ["get_order"], "talks_to": ["front/refunds", "front/closing"]},
            {"actor_id": "front/refunds", "tools": ["refund_order"], "talks_to": ["front/closing"]},
            {"actor_id": "front/closing", "tools": []},
        ],
        "topology": {"entry": "front"},
    }


def test_control_that_comes_back_is_a_hand_over_too() -> None:
    graph = StateGraph(MessagesState)
    lead = in_turn(calling("transfer_to_orders", {}))
    graph.add_node("lead", create_agent(lead, [transfer_to("orders")], name="lead"))
    graph.add_node("orders", orders(name="orders"))
    graph.add_edge(START, "lead")
    graph.add_edge("orders", "lead")
    with RecordingProxy(ANSWERS) as proxy:
        run_sync(graph.compile(), proxy.envelope())
    assert handoffs(proxy) == [("lead", "lead/orders"), ("lead/orders", "lead")]


def test_agents_that_work_side_by_side_were_both_asked_by_the_one_before() -> None:
    def route(state: MessagesState) -> Command[Any]:
        return Command(goto=[Send("orders", state), Send("refunds", state)])

    graph = StateGraph(MessagesState)
    graph.add_node("route", route, destinations=("orders", "refunds"))
    graph.add_node("orders", orders())
    graph.add_node("refunds", refunds())
    graph.add_edge(START, "route")
    with RecordingProxy(ANSWERS) as proxy:
        asyncio.run(run(graph.compile(), proxy.envelope()))
    assert sorted(handoffs(proxy)) == [("route", "route/orders"), ("route", "route/refunds")]
    assert sorted(acted(proxy)) == [("route/orders", "get_order"), ("route/refunds", "refund_order")]


def test_nodes_that_are_functions_may_name_agents_and_tools() -> None:
    tools_by_name = {"get_order": get_order}
    inner = refunds(name="anything")

    def look(state: MessagesState) -> dict[str, Any]:
        found = [each.invoke({"order_id": "ord_1"}) for each in tools_by_name.values()]
        return {"messages": [AIMessage(found[0]["status"])]}

    async def pay(state: MessagesState) -> dict[str, Any]:
        done = await inner.ainvoke({"messages": [HumanMessage(state["messages"][-1].text)]})
        return {"messages": done["messages"][-1:]}

    graph = StateGraph(MessagesState)
    graph.add_node("look", look)
    graph.add_node("pay", pay)
    graph.add_edge(START, "look")
    graph.add_edge("look", "pay")
    with RecordingProxy(ANSWERS) as proxy:
        reply = asyncio.run(run(graph.compile(), proxy.envelope()))
    assert reply.final_response == 'The tool said: {"ok": true}'
    assert acted(proxy) == [("look", "get_order"), ("look/pay", "refund_order")]
    assert handoffs(proxy) == [("look", "look/pay")]
    assert tools_by_name == {"get_order": get_order}


def test_a_graph_of_functions_and_tasks_is_ported_as_well() -> None:
    @task
    def look(order_id: str) -> Any:
        return get_order.invoke({"order_id": order_id})

    @entrypoint()
    def workflow(state: dict[str, Any]) -> dict[str, Any]:
        return {"messages": [*state["messages"], AIMessage(look("ord_1").result()["status"])]}

    with RecordingProxy(ANSWERS) as proxy:
        reply = run_sync(workflow, proxy.envelope())
    assert reply.final_response == "shipped"
    assert acted(proxy) == [(None, "get_order")]


def test_what_a_graph_injects_into_its_tools_is_not_sent() -> None:
    @tool
    def look(
        order_id: str,
        state: Annotated[dict[str, Any], InjectedState],
        call_id: Annotated[str, InjectedToolCallId],
        runtime: ToolRuntime,
        config: RunnableConfig,
    ) -> str:
        """Read one order."""
        raise AssertionError("the body of a proxied tool ran")

    agent = create_agent(one_call("look", {"order_id": "ord_1"}), [look])
    with RecordingProxy({"look": "seen"}) as proxy:
        assert run_sync(agent, proxy.envelope()).final_response == "The tool said: seen"
        assert asyncio.run(run(agent, proxy.envelope())).final_response == "The tool said: seen"
    assert [call.arguments for call in proxy.calls] == [{"order_id": "ord_1"}] * 2


def test_a_tool_named_as_local_keeps_its_body() -> None:
    @tool
    def add(a: int, b: int) -> int:
        """Add."""
        return a + b

    agent = create_agent(one_call("add", {"a": 1, "b": 2}), [add, get_order])
    with RecordingProxy() as proxy:
        reply = run_sync(agent, proxy.envelope(), local=["add"])
    assert reply.final_response == "The tool said: 3"
    assert proxy.calls == []
    assert [entry["name"] for entry in dump_tools_schema(agent, local=["add"])] == ["get_order"]


def test_a_tool_may_end_the_run_with_its_own_answer() -> None:
    direct = get_order.model_copy(update={"return_direct": True})
    agent = create_agent(one_call("get_order", {"order_id": "ord_1"}), [direct])
    with RecordingProxy({"get_order": "It is on its way."}) as proxy:
        assert run_sync(agent, proxy.envelope()).final_response == "It is on its way."


def test_two_different_tools_of_one_name_are_refused() -> None:
    @tool("get_order")
    def other(number: int) -> str:
        """Read another kind of order."""
        raise AssertionError("the body of a proxied tool ran")

    graph = StateGraph(MessagesState)
    graph.add_node("a", orders())
    graph.add_node("b", create_agent(one_call("get_order", {}), [other]))
    graph.add_edge(START, "a")
    with pytest.raises(ToolError, match="Two different tools are called 'get_order'"):
        dump_tools_schema(graph.compile())


def test_agents_that_ask_each_other_in_a_circle_are_refused() -> None:
    @tool
    def ask(text: str) -> str:
        """Ask oneself."""
        return str(myself.invoke({"messages": [HumanMessage(text)]}))

    myself = create_agent(one_call("ask", {"text": "x"}), [ask], name="me")
    with pytest.raises(ToolError, match="in a circle: me → me"):
        dump_tools_schema(myself)


def test_a_graph_on_another_server_is_refused_before_it_runs() -> None:
    graph = StateGraph(MessagesState)
    graph.add_node("far", RemoteGraph("far", url="http://127.0.0.1:9"))
    graph.add_edge(START, "far")
    with RecordingProxy() as proxy, pytest.raises(UnproxiableToolError, match="on another server"):
        run_sync(graph.compile(), proxy.envelope())


def echo() -> FunctionModel:
    """A model that says its system prompt."""
    return FunctionModel(
        says=lambda messages: AIMessage(
            "|".join(message.text for message in messages if message.type == "system")
        )
    )


def prompts(proxy: RecordingProxy) -> list[tuple[str, str | None]]:
    return [(event.payload["text"], event.actor_id) for event in proxy.events_of("system_prompt")]


@pytest.mark.parametrize("how", ["async", "sync"])
def test_the_injection_ends_the_prompt_of_every_agent(how: str) -> None:
    asked, below, named = echo(), echo(), echo()
    clerk: Any = create_agent(asked, system_prompt="You look.", name="clerk")

    @tool
    def ask(text: str) -> str:
        """Ask the clerk."""
        return str(clerk.invoke({"messages": [("user", text)]})["messages"][-1].text)

    def by_hand(state: MessagesState) -> dict[str, Any]:
        return {"messages": [below.invoke([SystemMessage("You check."), *state["messages"]])]}

    agent = create_agent(named, name="any")

    def by_name(state: MessagesState) -> dict[str, Any]:
        return {"messages": agent.invoke({"messages": [HumanMessage("Close.")]})["messages"][-1:]}

    checking = StateGraph(MessagesState).add_node("by_hand", by_hand).add_edge(START, "by_hand").compile()
    lead = create_agent(one_call("ask", {"text": "Look."}), [ask], system_prompt="You lead.")
    graph = StateGraph(MessagesState).add_node("lead", lead).add_node("checking", checking)
    graph.add_node("closing", by_name)
    graph.add_edge(START, "lead").add_edge("lead", "checking").add_edge("checking", "closing")
    team = graph.compile()
    with RecordingProxy(ANSWERS) as proxy:
        envelope = proxy.envelope(system_injection="Be quick.")
        reply = asyncio.run(run(team, envelope)) if how == "async" else run_sync(team, envelope)
    assert prompts(proxy) == [
        ("You lead.\n\nBe quick.", "lead"),
        ("You look.\n\nBe quick.", "lead/clerk"),
        ("You check.\n\nBe quick.", "lead/checking"),
        ("Be quick.", "lead/closing"),
    ]
    assert [message.text for message in below.asked[0] if message.type == "system"] == [
        "You check.\n\nBe quick."
    ]
    assert reply.final_response == "Be quick."


@pytest.mark.parametrize("how", ["async", "sync"])
def test_a_model_is_found_bound_composed_and_streamed(how: str) -> None:
    plain, composed, other, streamed = echo(), echo(), echo(), echo()
    prompt = ChatPromptTemplate([("system", "You compose."), ("placeholder", "{messages}")])
    chain: Any = prompt | composed.with_fallbacks([other]) | (lambda message: {"messages": [message]})

    async def late(state: MessagesState) -> dict[str, Any]:
        return {"messages": [await plain.bind_tools([get_order]).ainvoke(state["messages"])]}

    def sync_late(state: MessagesState) -> dict[str, Any]:
        return {"messages": [plain.bind_tools([get_order]).invoke(state["messages"])]}

    def stream(state: MessagesState) -> dict[str, Any]:
        return {"messages": list(streamed.stream([SystemMessage("You stream."), HumanMessage("Go.")]))}

    graph = StateGraph(MessagesState).add_node("late", late if how == "async" else sync_late)
    graph.add_node("chain", chain).add_node("stream", stream)
    graph.add_edge(START, "late").add_edge("late", "chain").add_edge("chain", "stream")
    team = graph.compile()
    with RecordingProxy() as proxy:
        envelope = proxy.envelope(system_injection="Be quick.")
        reply = asyncio.run(run(team, envelope)) if how == "async" else run_sync(team, envelope)
        told = [message["content"] for message in reply.messages or [] if message["role"] == "assistant"]
        before = [len(model.asked) for model in (plain, composed, other, streamed)]
        asyncio.run(run(team, proxy.envelope()))
    assert told == ["Be quick.", "You compose.\n\nBe quick.", "You stream.\n\nBe quick."]
    assert before == [1, 1, 0, 1]
    assert [message.text for message in composed.asked[-1]][:2] == ["You compose.", "Refund order ord_1."]


def test_a_model_out_of_sight_is_told_by_a_message_and_nobody_twice() -> None:
    class Desk:
        model = echo()

        def __call__(self, state: MessagesState) -> dict[str, Any]:
            return {"messages": [self.model.invoke([SystemMessage("You hide."), *state["messages"]])]}

    beside = echo()
    graph = StateGraph(MessagesState).add_node("desk", Desk())
    graph.add_node("beside", create_agent(beside, system_prompt="You stand beside."))
    graph.add_edge(START, "desk").add_edge("desk", "beside")
    with RecordingProxy() as proxy:
        run_sync(graph.compile(), proxy.envelope(system_injection="Be quick."))
    assert prompts(proxy) == [
        ("You hide.\n\nBe quick.", "desk"),
        ("You stand beside.\n\nBe quick.", "desk/beside"),
    ]


def test_runs_of_one_agent_at_the_same_time_do_not_meet() -> None:
    @tool
    async def ask(text: str) -> str:
        """Ask the clerk."""
        return str((await CLERK.ainvoke({"messages": [("user", text)]}))["messages"][-1].text)

    lead = create_agent(one_call("ask", {"text": "Look."}), [ask], name="lead")

    async def both(one: RecordingProxy, other: RecordingProxy) -> list[str]:
        replies = await asyncio.gather(run(lead, one.envelope()), run(lead, other.envelope()))
        return [reply.final_response for reply in replies]

    with RecordingProxy({"get_order": "first"}) as one, RecordingProxy({"get_order": "second"}) as other:
        said = asyncio.run(both(one, other))
    assert [text.rpartition(" ")[2] for text in said] == ["first", "second"]
    assert acted(one) == acted(other) == [("lead/clerk", "get_order")]
    assert handoffs(one) == handoffs(other) == [("lead", "lead/clerk")]


def test_an_agent_below_an_agent_below_an_agent_has_the_whole_path() -> None:
    @tool
    def ask_clerk_below(text: str) -> str:
        """Ask the clerk."""
        return ask_clerk(text)

    middle = create_agent(one_call("ask_clerk_below", {"text": "Look."}), [ask_clerk_below], name="middle")

    @tool
    def ask_middle(text: str) -> str:
        """Ask the one between."""
        return str(middle.invoke({"messages": [HumanMessage(text)]})["messages"][-1].text)

    top = create_agent(one_call("ask_middle", {"text": "Look."}), [ask_middle], name="top")
    with RecordingProxy(ANSWERS) as proxy:
        run_sync(top, proxy.envelope())
    assert acted(proxy) == [("top/middle/clerk", "get_order")]
    assert handoffs(proxy) == [("top", "top/middle"), ("top/middle", "top/middle/clerk")]
