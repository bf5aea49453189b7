"""A refunds desk on the Anthropic SDK: a supervisor with two sub-agents, and the few lines that let Odyssey test it."""

import os

from anthropic import AsyncAnthropic, beta_tool
from fastapi import FastAPI
from scripted_model import rule_follower

from pipelines.odyssey import Envelope, Reply, register_dispatch_route
from pipelines.odyssey.adapters.anthropic import SubAgent, run

RULES = "A refund is due when the order was delivered at most 30 days ago and its payment is captured."


@beta_tool
def get_order(order_id: str) -> str:
    """Read one order.

    Args:
        order_id: The id of the order, ord_ and a number.
    """
    raise NotImplementedError("here the shop's own system would be asked")


@beta_tool
def get_payment(payment_id: str) -> str:
    """Read one payment.

    Args:
        payment_id: The id of the payment, as the order names it.
    """
    raise NotImplementedError("here the shop's own system would be asked")


@beta_tool
def refund_order(order_id: str, amount_cents: int) -> str:
    """Give the money for one order back; its status becomes 'refunded'.

    Args:
        order_id: The id of the order.
        amount_cents: How much, in cents.
    """
    raise NotImplementedError("here the shop's own system would be asked")


ORDERS = SubAgent(
    "orders",
    "Looks up an order by its id.",
    system="You look up orders. Answer with the order as JSON, or say that there is none.",
    tools=[get_order],
)
REFUNDS = SubAgent(
    "refunds",
    "Refunds an order, given as JSON.",
    system=f"You refund orders. {RULES} Check the payment first.",
    tools=[get_payment, refund_order],
)
SUPERVISOR = SubAgent(
    "supervisor",
    "Leads a refunds desk.",
    system=f"You lead a refunds desk. {RULES} Ask orders first, then have refunds do it, or say why not.",
    tools=[ORDERS, REFUNDS],
)

client = AsyncAnthropic() if "ANTHROPIC_API_KEY" in os.environ else rule_follower()
app = FastAPI()


@register_dispatch_route(app)
async def handle(envelope: Envelope) -> Reply:
    return await run(
        client,
        model="claude-sonnet-5-5",
        name=SUPERVISOR.name,
        system=SUPERVISOR.system,
        tools=SUPERVISOR.tools,
        max_tokens=4096,
        thinking={"type": "adaptive"},
    )
