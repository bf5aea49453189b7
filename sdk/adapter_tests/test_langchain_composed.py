"""Nodes composed of runnables, such as `ToolNode(…).with_fallbacks(…)` of LangGraph's tutorial, are looked into."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain.tools import tool
from langchain_core.messages import HumanMessage, ToolMessage
from langchain_core.runnables import RunnableBranch, RunnableLambda
from langchain_model import one_call
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode, tools_condition
from recording_proxy import RecordingProxy

from pipelines.odyssey.adapters.langchain import dump_sub_agents, dump_tools_schema, run, run_sync

Compose = Callable[[Any], Any]


@tool
def get_order(order_id: str) -> str:
    """Read one order."""
    raise AssertionError("the body of a proxied tool ran")


def handle_tool_error(state: dict[str, Any]) -> dict[str, Any]:
    """Tell the model what went wrong, as the tutorial does."""
    calls = state["messages"][-1].tool_calls
    return {"messages": [ToolMessage(repr(state["error"]), tool_call_id=call["id"]) for call in calls]}


def with_fallbacks(node: Any) -> Any:
    return node.with_fallbacks([RunnableLambda(handle_tool_error)], exception_key="error")


def unchanged(state: Any) -> Any:
    return state


COMPOSED: dict[str, Compose] = {
    "with_fallbacks": with_fallbacks,
    "with_retry": lambda node: node.with_retry(stop_after_attempt=2),
    "with_config": lambda node: node.with_config(tags=["tools"]),
    "sequence": lambda node: RunnableLambda(unchanged) | node,
    "branch": lambda node: RunnableBranch((lambda state: not state, RunnableLambda(unchanged)), node),
    "all at once": lambda node: with_fallbacks(
        (RunnableLambda(unchanged) | node.with_retry()).with_config({})
    ),
    "in a function": lambda node: _calling(with_fallbacks(node)),
}


def _calling(inner: Any) -> Any:
    def tools(state: MessagesState) -> Any:
        return inner.invoke(state)

    return tools


def assistant(tools: Any) -> Any:
    """The graph of the tutorial: a model, its tools, and back."""
    model = one_call("get_order", {"order_id": "ord_1"}).bind_tools([get_order])

    def chatbot(state: MessagesState) -> Any:
        return {"messages": [model.invoke(state["messages"])]}

    builder = StateGraph(MessagesState)
    builder.add_node("assistant", chatbot)
    builder.add_node("tools", tools)
    builder.add_edge(START, "assistant")
    builder.add_conditional_edges("assistant", tools_condition)
    builder.add_edge("tools", "assistant")
    return builder.compile()


@pytest.mark.parametrize("way", COMPOSED)
def test_a_tool_node_inside_another_runnable_asks_the_proxy(way: str) -> None:
    graph = assistant(COMPOSED[way](ToolNode([get_order])))
    with RecordingProxy({"get_order": {"status": "shipped"}}) as proxy:
        reply = run_sync(graph, proxy.envelope())
        again = asyncio.run(run(graph, proxy.envelope()))
    assert [call.tool for call in proxy.calls] == ["get_order", "get_order"]
    assert reply.final_response == again.final_response == 'The tool said: {"status": "shipped"}'
    assert [entry["name"] for entry in dump_tools_schema(graph)] == ["get_order"]


def test_a_tool_that_is_a_node_itself_asks_the_proxy() -> None:
    def answer(state: Any) -> Any:
        return {"messages": [("assistant", str(state))]}

    builder = StateGraph(MessagesState)
    whose: Any = RunnableLambda(lambda state: {"order_id": state["messages"][-1].text})
    builder.add_node("look", whose | get_order | RunnableLambda(answer))
    builder.add_edge(START, "look")
    with RecordingProxy({"get_order": {"status": "shipped"}}) as proxy:
        reply = run_sync(builder.compile(), proxy.envelope("ord_1"))
    assert [call.arguments for call in proxy.calls] == [{"order_id": "ord_1"}]
    assert reply.final_response == "{'status': 'shipped'}"


@pytest.mark.parametrize("way", ["with_fallbacks", "with_retry", "sequence"])
def test_an_agent_inside_another_runnable_acts_under_its_own_path(way: str) -> None:
    clerk = create_agent(one_call("get_order", {"order_id": "ord_1"}), [get_order], name="clerk")
    builder = StateGraph(MessagesState)
    builder.add_node("front", unchanged)
    builder.add_node("clerk", COMPOSED[way](clerk))
    builder.add_edge(START, "front")
    builder.add_edge("front", "clerk")
    graph = builder.compile()
    with RecordingProxy({"get_order": {"status": "shipped"}}) as proxy:
        run_sync(graph, proxy.envelope())
    assert [call.actor_id for call in proxy.calls] == ["front/clerk"]
    described = dump_sub_agents(graph)
    assert described is not None
    assert [agent["actor_id"] for agent in described["sub_agents"]] == ["front", "front/clerk"]


def test_a_tool_may_ask_an_agent_that_is_retried() -> None:
    clerk = create_agent(one_call("get_order", {"order_id": "ord_1"}), [get_order], name="clerk").with_retry()

    @tool
    def ask(text: str) -> str:
        """Ask the clerk."""
        return str(clerk.invoke({"messages": [HumanMessage(text)]})["messages"][-1].text)

    lead = create_agent(one_call("ask", {"text": "x"}), [ask], name="lead")
    with RecordingProxy({"get_order": {"status": "shipped"}}) as proxy:
        run_sync(lead, proxy.envelope())
    assert [(call.actor_id, call.tool) for call in proxy.calls] == [("lead/clerk", "get_order")]
