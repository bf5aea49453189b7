"""A refunds desk in Strands: a supervisor with two agents as tools, and the few lines that let Odyssey test it."""

import os

from fastapi import FastAPI
from scripted_model import RuleFollower
from strands import Agent, tool
from strands.models import Model

from pipelines.odyssey import Envelope, Reply, register_dispatch_route
from pipelines.odyssey.adapters.strands import run

RULES = "A refund is due when the order was delivered at most 30 days ago and its payment is captured."


@tool
def get_order(order_id: str) -> dict[str, object]:
    """Read one order.

    Args:
        order_id: The id of the order, ord_ and a number.
    """
    raise NotImplementedError("here the shop's own system would be asked")


@tool
def get_payment(payment_id: str) -> dict[str, object]:
    """Read one payment.

    Args:
        payment_id: The id of the payment, as the order names it.
    """
    raise NotImplementedError("here the shop's own system would be asked")


@tool
def refund_order(order_id: str, amount_cents: int) -> dict[str, object]:
    """Give the money for one order back.

    Args:
        order_id: The id of the order.
        amount_cents: How much, in cents.
    """
    raise NotImplementedError("here the shop's own system would be asked")


def model() -> Model:
    if "ANTHROPIC_API_KEY" not in os.environ:
        return RuleFollower()
    from strands.models.anthropic import AnthropicModel

    return AnthropicModel(model_id="claude-sonnet-4-5", max_tokens=4096)


def build_agent() -> Agent:
    orders = Agent(
        model(),
        name="orders",
        description="Looks up an order by its id.",
        system_prompt="You look up orders. Answer with the order as JSON, or say that there is none.",
        tools=[get_order],
        callback_handler=None,
    )
    refunds = Agent(
        model(),
        name="refunds",
        description="Refunds an order, given as JSON.",
        system_prompt=f"You refund orders. {RULES} Check the payment first.",
        tools=[get_payment, refund_order],
        callback_handler=None,
    )
    return Agent(
        model(),
        name="supervisor",
        system_prompt=f"You lead a refunds desk. {RULES} Ask orders first, then have refunds do it, or say why not.",
        tools=[orders, refunds],
        callback_handler=None,
    )


app = FastAPI()


@register_dispatch_route(app)
async def handle(envelope: Envelope) -> Reply:
    return await run(build_agent(), envelope)
