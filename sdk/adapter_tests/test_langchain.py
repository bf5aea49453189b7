"""LangChain agents and LangGraph graphs, run as the platform runs them: real graphs, a scripted model, a real proxy."""

import asyncio
import secrets
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from guide_blocks import run_guide
from langchain.agents import create_agent
from langchain.agents.middleware import (
    HumanInTheLoopMiddleware,
    ModelRequest,
    ToolRetryMiddleware,
    dynamic_prompt,
)
from langchain.tools import tool
from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.messages import AIMessage, BaseMessage, SystemMessage
from langchain_model import FunctionModel, calling, one_call
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.errors import GraphRecursionError
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode, tools_condition
from pydantic import BaseModel
from recording_proxy import RecordingProxy, Refusal

from pipelines.odyssey.adapters import describe
from pipelines.odyssey.adapters.langchain import (
    OdysseyMiddleware,
    dump_sub_agents,
    dump_tools_schema,
    proxied,
    reply_of,
    run,
    run_sync,
)
from pipelines.odyssey.context import set_current
from pipelines.odyssey.envelope import Envelope, Session
from pipelines.odyssey.errors import ReplyError, RunEndedError, UnproxiableToolError
from pipelines.odyssey.reply import Reply

EXAMPLE = Path(__file__).parents[2] / "examples" / "langgraph"
SHIPPED = {"get_order": {"status": "shipped"}}


@tool
def get_order(order_id: str) -> str:
    """Read one order."""
    return f"{order_id} from the body"


def desk(model: FunctionModel | None = None, **more: Any) -> Any:
    options = {"system_prompt": "You are a desk.", **more}
    return create_agent(
        model or one_call("get_order", {"order_id": "ord_1"}, thought="Look first."), [get_order], **options
    )


def hand_made(model: FunctionModel, *, handle_tool_errors: Any = None, **compiled: Any) -> Any:
    """A graph of a model node and a tool node, without create_agent."""
    bound = model.bind_tools([get_order])

    def llm(state: MessagesState) -> dict[str, Any]:
        return {"messages": [bound.invoke([SystemMessage("You are made by hand."), *state["messages"]])]}

    options = {} if handle_tool_errors is None else {"handle_tool_errors": handle_tool_errors}
    graph = StateGraph(MessagesState)
    graph.add_node("llm", llm)
    graph.add_node("tools", ToolNode([get_order], **options))
    graph.add_edge(START, "llm")
    graph.add_conditional_edges("llm", tools_condition)
    graph.add_edge("tools", "llm")
    return graph.compile(**compiled)


def run_either(how: str, agent: Any, envelope: Envelope) -> Reply:
    return asyncio.run(run(agent, envelope)) if how == "async" else run_sync(agent, envelope)


@pytest.mark.parametrize("how", ["async", "sync"])
def test_one_agent_is_run_with_its_tools_answered_by_the_proxy(how: str) -> None:
    agent = desk()
    with RecordingProxy(SHIPPED) as proxy:
        reply = run_either(how, agent, proxy.envelope())
    assert reply.final_response == 'The tool said: {"status": "shipped"}'
    assert reply.messages == [
        {"role": "system", "content": "You are a desk."},
        {"role": "user", "content": "Refund order ord_1."},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"id": "call_get_order", "name": "get_order", "arguments": {"order_id": "ord_1"}}],
            "thinking": [{"type": "text", "text": "Look first."}],
        },
        {"role": "tool", "tool_call_id": "call_get_order", "content": '{"status": "shipped"}'},
        {"role": "assistant", "content": 'The tool said: {"status": "shipped"}'},
    ]
    assert reply.metadata is not None
    assert reply.metadata["agent_runtime_ms"] >= 0
    assert reply.metadata | {"agent_runtime_ms": 0} == {
        "model": "function-1",
        "total_input_tokens": 5,
        "total_output_tokens": 2,
        "agent_runtime_ms": 0,
    }


def test_a_single_agent_names_no_actor_anywhere() -> None:
    with RecordingProxy(SHIPPED) as proxy:
        run_sync(desk(name="desk"), proxy.envelope())
    assert [(call.tool, call.actor_id) for call in proxy.calls] == [("get_order", None)]
    assert [(event.event_type, event.actor_id) for event in proxy.events] == [("system_prompt", None)]
    assert dump_sub_agents(desk(name="desk")) is None


def test_the_original_graph_is_not_changed() -> None:
    agent = desk()
    with RecordingProxy(SHIPPED) as proxy:
        run_sync(agent, proxy.envelope())
    state = agent.invoke({"messages": [("user", "Refund order ord_1.")]})
    assert state["messages"][-1].text == "The tool said: ord_1 from the body"
    assert len(proxy.calls) == 1


def test_the_model_is_asked_with_the_same_tools_and_prompt() -> None:
    model = one_call("get_order", {"order_id": "ord_1"})
    agent = desk(model)
    agent.invoke({"messages": [("user", "Refund order ord_1.")]})
    with RecordingProxy(SHIPPED) as proxy:
        run_sync(agent, proxy.envelope())
    assert model.offered == [["get_order"]] * 4
    assert [[message.text for message in asked] for asked in (model.asked[0], model.asked[2])] == [
        ["You are a desk.", "Refund order ord_1."]
    ] * 2


@pytest.mark.parametrize("how", ["async", "sync"])
def test_the_injection_ends_the_system_message_the_model_sees(how: str) -> None:
    model = one_call("get_order", {"order_id": "ord_1"})
    with RecordingProxy(SHIPPED) as proxy:
        reply = run_either(how, desk(model), proxy.envelope(system_injection="Be quick."))
    told = "You are a desk.\n\nBe quick."
    assert [[message.text for message in asked if message.type == "system"] for asked in model.asked] == [
        [told]
    ] * 2
    assert [event.payload for event in proxy.events_of("system_prompt")] == [{"text": told}]
    assert reply.messages is not None
    assert reply.messages[0] == {"role": "system", "content": told}


@pytest.mark.parametrize(
    ("prompt", "told"),
    [
        (None, ["Be quick."]),
        (SystemMessage([{"type": "text", "text": "Blocks."}]), ["Blocks.", "Be quick."]),
    ],
)
def test_it_does_so_without_a_prompt_and_with_one_in_blocks(prompt: Any, told: list[str]) -> None:
    model = one_call("get_order", {"order_id": "ord_1"})
    with RecordingProxy(SHIPPED) as proxy:
        run_sync(desk(model, system_prompt=prompt), proxy.envelope(system_injection="Be quick."))
    content: Any = model.asked[0][0].content
    assert ([content] if isinstance(content, str) else [block["text"] for block in content]) == told


def test_middleware_that_writes_the_prompt_does_not_lose_the_injection() -> None:
    @dynamic_prompt
    def written(_: ModelRequest[Any]) -> str:
        return "Written late."

    model = one_call("get_order", {"order_id": "ord_1"})
    with RecordingProxy(SHIPPED) as proxy:
        run_sync(desk(model, middleware=[written]), proxy.envelope(system_injection="Be quick."))
    assert model.asked[0][0].text == "Written late.\n\nBe quick."


def test_in_a_graph_made_by_hand_the_injection_ends_the_system_message_too() -> None:
    model = one_call("get_order", {"order_id": "ord_1"})
    with RecordingProxy(SHIPPED) as proxy:
        reply = run_sync(hand_made(model), proxy.envelope(system_injection="Be quick."))
    assert [message.text for message in model.asked[0]] == [
        "You are made by hand.\n\nBe quick.",
        "Refund order ord_1.",
    ]
    assert proxy.events_of("system_prompt")[0].payload == {"text": "You are made by hand.\n\nBe quick."}
    assert [message["role"] for message in reply.messages or []] == [
        "system",
        "user",
        "assistant",
        "tool",
        "assistant",
    ]
    assert [call.tool for call in proxy.calls] == ["get_order"]


def test_the_history_of_a_replayed_session_stands_before_the_instruction() -> None:
    model = FunctionModel(says=lambda messages: AIMessage(" | ".join(message.text for message in messages)))
    history = ({"role": "user", "content": "Hello"}, {"role": "assistant", "content": "Hi"})
    session = Session(id="s1", turn=2, max_turns=3, memory_mode="replay", history=history)
    with RecordingProxy() as proxy:
        reply = run_sync(desk(model), proxy.envelope(session=session))
    assert reply.final_response == "You are a desk. | Hello | Hi | Refund order ord_1."
    assert [message.type for message in model.asked[0]] == ["system", "human", "ai", "human"]


def test_a_stateful_session_goes_on_in_the_thread_of_its_checkpoints() -> None:
    model = FunctionModel(says=lambda messages: AIMessage(str(len(messages))))
    agent = desk(model, checkpointer=InMemorySaver())
    with RecordingProxy() as proxy:
        turns = [
            Session(id=name, turn=turn, max_turns=3, memory_mode="stateful")
            for name, turn in (("s1", 1), ("s1", 2), ("s2", 1))
        ]
        said = [run_sync(agent, proxy.envelope(session=turn)).final_response for turn in turns]
        alone = [run_sync(agent, proxy.envelope()).final_response for _ in range(2)]
    assert said == ["2", "4", "2"]
    assert alone == ["2", "2"]


def test_a_refusal_of_the_proxy_is_shown_to_the_model() -> None:
    refusal = Refusal(
        422, "arguments_invalid", "No such order.", errors=[{"loc": ["order_id"], "msg": "bad"}]
    )
    with RecordingProxy({"get_order": refusal}) as proxy:
        reply = asyncio.run(run(desk(), proxy.envelope()))
    assert reply.final_response == "The tool said: No such order.\n  order_id: bad"


def test_the_handling_of_errors_of_a_tool_node_stays_as_it_was() -> None:
    refusal = Refusal(404, "tool_unknown", "Unknown.")
    model = one_call("get_order", {"order_id": "ord_1"})
    with RecordingProxy({"get_order": refusal}) as proxy:
        reply = run_sync(hand_made(model, handle_tool_errors="Try later."), proxy.envelope())
    assert reply.final_response == "The tool said: Try later."


def test_middleware_that_tries_again_sees_the_failure_first() -> None:
    answers = iter([Refusal(404, "tool_unknown", "Unknown."), "found"])
    retry = ToolRetryMiddleware(max_retries=1, initial_delay=0, jitter=False)
    with RecordingProxy({"get_order": lambda _: next(answers)}) as proxy:
        reply = asyncio.run(run(desk(middleware=[retry]), proxy.envelope()))
    assert reply.final_response == "The tool said: found"
    assert len(proxy.calls) == 2


@pytest.mark.parametrize("how", ["async", "sync"])
@pytest.mark.parametrize("handling", [None, True])
def test_a_run_that_has_ended_ends_the_agent_whatever_it_does_with_errors(
    handling: bool | None, how: str
) -> None:
    model = one_call("get_order", {"order_id": "ord_1"})
    with RecordingProxy(SHIPPED) as proxy:
        envelope = proxy.envelope()
        proxy.token = secrets.token_urlsafe(8)
        with pytest.raises(RunEndedError):
            run_either(how, hand_made(model, handle_tool_errors=handling), envelope)
    assert len(model.asked) == 1


def test_a_recursion_limit_is_the_callers_to_see() -> None:
    model = FunctionModel(says=lambda _: calling("get_order", {"order_id": "ord_1"}))
    with RecordingProxy(SHIPPED) as proxy, pytest.raises(GraphRecursionError):
        run_sync(desk(model), proxy.envelope(), config={"recursion_limit": 5})


@pytest.mark.parametrize("how", ["async", "sync"])
def test_what_was_said_before_a_run_failed_stands_in_the_trace(how: str) -> None:
    def says(messages: list[BaseMessage]) -> AIMessage:
        if len(messages) > 2:
            raise RuntimeError("lost on the way")
        return calling("get_order", {"order_id": "ord_1"}, text="I look.", thought="Hm.")

    with RecordingProxy(SHIPPED) as proxy, pytest.raises(RuntimeError, match="lost on the way"):
        run_either(how, desk(FunctionModel(says=says)), proxy.envelope())
    assert [(event.event_type, event.payload["text"], event.actor_id) for event in proxy.events] == [
        ("system_prompt", "You are a desk.", None),
        ("thinking", "Hm.", None),
        ("assistant_message", "I look.", None),
    ]
    assert all("__occurred_at" in event.payload for event in proxy.events[1:])


@pytest.mark.parametrize("how", ["async", "sync"])
def test_a_tool_that_was_not_found_is_stopped_before_its_body_runs(how: str) -> None:
    ran: list[str] = []

    @tool
    def hidden(text: str) -> str:
        """Sit deep in an object."""
        ran.append(text)
        return text

    class Box:
        tool = hidden

    box = Box()

    def step(state: MessagesState) -> dict[str, Any]:
        return {"messages": [AIMessage(box.tool.invoke({"text": "x"}))]}

    graph = StateGraph(MessagesState).add_node("step", step).add_edge(START, "step").compile()
    with RecordingProxy() as proxy, pytest.raises(UnproxiableToolError, match="'hidden'"):
        run_either(how, graph, proxy.envelope())
    assert ran == []


def test_the_users_callbacks_are_called_too() -> None:
    class Mine(BaseCallbackHandler):
        def __init__(self) -> None:
            self.tools: list[str] = []

        def on_tool_start(self, serialized: dict[str, Any], *_: Any, **__: Any) -> None:
            self.tools.append(serialized["name"])

    mine = Mine()
    with RecordingProxy(SHIPPED) as proxy:
        asyncio.run(run(desk(), proxy.envelope(), config={"callbacks": [mine]}))
    assert mine.tools == ["get_order"]


def test_a_tool_of_the_provider_is_refused_by_the_dump_of_an_agent() -> None:
    agent = create_agent(one_call("get_order", {}), [get_order, {"type": "web_search"}])
    with pytest.raises(UnproxiableToolError, match="web_search"):
        dump_tools_schema(agent)


def test_a_structured_answer_is_the_final_response() -> None:
    class Verdict(BaseModel):
        due: bool

    model = FunctionModel(says=lambda _: calling("Verdict", {"due": True}))
    with RecordingProxy() as proxy:
        reply = run_sync(desk(model, response_format=Verdict), proxy.envelope())
    assert reply.final_response == '{"due": true}'


def test_a_graph_that_waits_for_a_person_is_refused_with_a_sentence() -> None:
    waiting = HumanInTheLoopMiddleware(interrupt_on={"get_order": True})
    agent = desk(middleware=[waiting], checkpointer=InMemorySaver())
    with RecordingProxy(SHIPPED) as proxy, pytest.raises(ReplyError, match="stopped to ask a person"):
        run_sync(agent, proxy.envelope())
    assert proxy.calls == []


@pytest.mark.parametrize("how", ["async", "sync"])
def test_the_middleware_ports_an_agent_that_is_called_by_hand(how: str) -> None:
    model = one_call("get_order", {"order_id": "ord_1"})
    agent = desk(model, middleware=[OdysseyMiddleware()])
    asked: Any = {"messages": [("user", "Refund order ord_1.")]}
    with RecordingProxy(SHIPPED) as proxy, set_current(proxy.envelope(system_injection="Be quick.")):
        state = asyncio.run(agent.ainvoke(asked)) if how == "async" else agent.invoke(asked)
    assert reply_of(state).final_response == 'The tool said: {"status": "shipped"}'
    assert model.asked[0][0].text == "You are a desk.\n\nBe quick."
    assert [event.payload["text"] for event in proxy.events] == ["You are a desk.\n\nBe quick."]
    with RecordingProxy(SHIPPED) as proxy:
        run_sync(agent, proxy.envelope(system_injection="Be quick."))
    assert model.asked[-1][0].text == "You are a desk.\n\nBe quick."
    assert len(proxy.calls) == 1


def test_a_proxied_graph_is_called_like_any_other() -> None:
    with RecordingProxy(SHIPPED) as proxy, set_current(proxy.envelope()):
        state = proxied(desk()).invoke({"messages": [("user", "Refund order ord_1.")]})
    assert reply_of(state).final_response == 'The tool said: {"status": "shipped"}'


ORDER = {"order_id": "ord_1", "status": "delivered", "payment_id": "pay_1", "delivered_days_ago": 5}


def test_the_example_refunds_what_is_due(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    monkeypatch.syspath_prepend(str(EXAMPLE))
    for name in ("agent", "scripted_model"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    answers = {
        "get_order": ORDER,
        "get_payment": {"payment_id": "pay_1", "status": "captured", "amount_cents": 7950},
        "refund_order": {"ok": True},
    }
    build_agent = import_module("agent").build_agent
    with RecordingProxy(answers) as proxy:
        reply = asyncio.run(run(build_agent(), proxy.envelope()))
    assert reply.final_response == "I refunded 79.50 for ord_1."
    assert [(call.actor_id, call.tool) for call in proxy.calls] == [
        ("supervisor/orders", "get_order"),
        ("supervisor/refunds", "get_payment"),
        ("supervisor/refunds", "refund_order"),
    ]
    described = describe(build_agent)
    assert [entry["name"] for entry in described.tools_schema] == ["get_order", "get_payment", "refund_order"]
    assert described.sub_agents == dump_sub_agents(build_agent())
    for name in ("agent", "scripted_model"):
        monkeypatch.delitem(sys.modules, name)


def test_the_guide_runs_as_written() -> None:
    with RecordingProxy(SHIPPED) as proxy:
        left = run_guide(
            "port-langchain.md",
            {"model": one_call("get_order", {"order_id": "ord_1"}), "envelope": proxy.envelope()},
        )
    assert left["reply"].final_response == 'The tool said: {"status": "shipped"}'
