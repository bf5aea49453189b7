"""A refunds desk in the OpenAI Agents SDK: one agent as a tool, one by handoff, and the port to Odyssey at the end."""

import os

from agents import Agent, Model, RunContextWrapper, function_tool, handoff, set_tracing_disabled
from fastapi import FastAPI
from pydantic import BaseModel
from scripted_model import RuleFollower

from pipelines.odyssey import Envelope, Reply, register_dispatch_route
from pipelines.odyssey.adapters.openai_agents import run

RULES = "A refund is due when the order was delivered at most 30 days ago and its payment is captured."
HAS_KEY = "OPENAI_API_KEY" in os.environ

if not HAS_KEY:
    set_tracing_disabled(True)  # the framework would send its own traces to OpenAI


@function_tool
def get_order(order_id: str) -> dict[str, object]:
    """Read one order.

    Args:
        order_id: The id of the order, ord_ and a number.
    """
    raise NotImplementedError("here the shop's own system would be asked")


@function_tool
def get_payment(payment_id: str) -> dict[str, object]:
    """Read one payment.

    Args:
        payment_id: The id of the payment, as the order names it.
    """
    raise NotImplementedError("here the shop's own system would be asked")


@function_tool
def refund_order(order_id: str, amount_cents: int) -> dict[str, object]:
    """Give the money for one order back; its status becomes 'refunded'.

    Args:
        order_id: The id of the order.
        amount_cents: How much, in cents.
    """
    raise NotImplementedError("here the shop's own system would be asked")


class Why(BaseModel):
    reason: str


def note(context: RunContextWrapper[None], why: Why) -> None:
    """Here a desk would write down why it passes the customer on."""


def build_agent() -> Agent[None]:
    model: Model | None = None if HAS_KEY else RuleFollower()
    orders = Agent[None](
        name="orders",
        instructions="You look up orders. Answer with the order as JSON, or say that there is none.",
        tools=[get_order],
        model=model,
    )
    refunds = Agent[None](
        name="refunds",
        handoff_description="Refunds an order that was found and is not too old.",
        instructions=f"You refund orders. {RULES} Check the payment first.",
        tools=[get_payment, refund_order],
        model=model,
    )
    return Agent[None](
        name="supervisor",
        instructions=f"You lead a refunds desk. {RULES} Ask about the order, then hand over to refunds or say why not.",
        tools=[orders.as_tool("ask_orders", "Ask about an order.")],
        handoffs=[handoff(refunds, on_handoff=note, input_type=Why)],
        model=model,
    )


app = FastAPI()


@register_dispatch_route(app)
async def handle(envelope: Envelope) -> Reply:
    return await run(build_agent(), envelope)
