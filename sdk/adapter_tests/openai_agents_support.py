"""Agents of the OpenAI Agents SDK with the framework's own scripted model, and what such a model can say."""

import asyncio
import json
from typing import Any

from agents import Agent, FunctionTool, RunConfig, RunContextWrapper, Usage, function_tool, handoff
from agents.testing import ScriptedModel
from openai.types.responses import (
    ResponseFunctionToolCall,
    ResponseOutputMessage,
    ResponseOutputText,
    ResponseReasoningItem,
)
from openai.types.responses.response_reasoning_item import Summary
from pydantic import BaseModel
from recording_proxy import Event

from pipelines.odyssey.adapters.openai_agents import run
from pipelines.odyssey.envelope import Envelope
from pipelines.odyssey.reply import Reply

QUIET = RunConfig(tracing_disabled=True)
ORDER = {"order_id": "ord_1", "status": "delivered", "payment_id": "pay_1", "delivered_days_ago": 3}
PAYMENT = {"payment_id": "pay_1", "status": "captured", "amount_cents": 4200}
ANSWERS: dict[str, Any] = {"get_order": ORDER, "get_payment": PAYMENT, "refund_order": "refunded"}


@function_tool
def get_order(order_id: str) -> str:
    """Look up an order.

    Args:
        order_id: The order's id.
    """
    raise AssertionError(f"the real tool was called for {order_id}")


@function_tool(strict_mode=False)
def get_payment(payment_id: str, currency: str = "EUR") -> str:
    """Look up a payment."""
    raise AssertionError(f"the real tool was called for {payment_id} in {currency}")


@function_tool
def refund_order(order_id: str, amount_cents: int) -> str:
    """Give the money back."""
    raise AssertionError(f"the real tool was called for {order_id}: {amount_cents}")


def says(text: str, *, thought: str | None = None) -> list[Any]:
    words = ResponseOutputText(type="output_text", text=text, annotations=[])
    message = ResponseOutputMessage(
        id="msg_1", type="message", role="assistant", status="completed", content=[words]
    )
    return [*([] if thought is None else [thinks(thought)]), message]


def calls(name: str, *, id: str = "call_1", **arguments: Any) -> ResponseFunctionToolCall:
    return ResponseFunctionToolCall(
        type="function_call", name=name, call_id=id, arguments=json.dumps(arguments)
    )


def thinks(thought: str) -> ResponseReasoningItem:
    return ResponseReasoningItem(
        id="rs_1", type="reasoning", summary=[Summary(type="summary_text", text=thought)]
    )


def scripted(*steps: list[Any]) -> ScriptedModel:
    return ScriptedModel(steps, default_usage=Usage(requests=1, input_tokens=10, output_tokens=4))


def agent(name: str, *steps: list[Any], tools: list[Any] | None = None, **more: Any) -> Agent[Any]:
    more.setdefault("instructions", f"You are {name}.")
    return Agent(name=name, tools=tools or [], model=scripted(*steps), **more)


def model_of(one: Agent[Any]) -> ScriptedModel:
    assert isinstance(one.model, ScriptedModel)
    return one.model


def tool_named(one: Agent[Any], name: str) -> FunctionTool:
    return next(tool for tool in one.tools if isinstance(tool, FunctionTool) and tool.name == name)


def go(one: Agent[Any], envelope: Envelope, **options: Any) -> Reply:
    return asyncio.run(run(one, envelope, run_config=QUIET, **options))


def shapes(events: list[Event]) -> list[tuple[str, str, str | None]]:
    return [
        (event.event_type, str(event.payload.get("text")), event.actor_id)
        for event in events
        if event.event_type != "system_prompt"
    ]


def looks_up_an_order() -> Agent[Any]:
    return agent(
        "desk",
        [thinks("I need the order."), *says("Let me look."), calls("get_order", order_id="ord_1")],
        says("It was delivered.", thought="Three days ago."),
        tools=[get_order],
    )


class Why(BaseModel):
    reason: str


def _heard(context: RunContextWrapper[Any], why: Why) -> None:
    if isinstance(context.context, list):
        context.context.append(why.reason)


def supervised(hands_back: bool = False) -> Agent[Any]:
    """A supervisor that asks `orders` as a tool and hands over to `refunds`."""
    orders = agent(
        "orders",
        [thinks("Look it up."), *says("One moment."), calls("get_order", order_id="ord_1")],
        says("Delivered."),
        tools=[get_order],
    )
    end = [calls("transfer_to_supervisor", id="call_4")] if hands_back else says("Refunded 42 euros.")
    refunds = agent(
        "refunds",
        [*says("Checking."), calls("get_payment", id="call_3", payment_id="pay_1")],
        [calls("refund_order", id="call_5", order_id="ord_1", amount_cents=4200)],
        end,
        tools=[get_payment, refund_order],
    )
    supervisor = agent(
        "supervisor",
        [calls("ask_orders", input="Which state?")],
        [calls("transfer_to_refunds", id="call_2", reason="it is due")],
        says("All done."),
        tools=[orders.as_tool("ask_orders", "Ask about orders.")],
        handoffs=[handoff(refunds, on_handoff=_heard, input_type=Why)],
    )
    if hands_back:
        refunds.handoffs = [supervisor]
    return supervisor


class Decision(BaseModel):
    refund: bool
    cents: int
