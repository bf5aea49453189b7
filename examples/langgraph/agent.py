"""A refunds desk in LangChain: a supervisor, two agents behind tools, and the few lines that let Odyssey test it."""

import os
from typing import Any

from fastapi import FastAPI
from langchain.agents import create_agent
from langchain.chat_models import init_chat_model
from langchain.messages import HumanMessage
from langchain.tools import tool
from langchain_core.language_models import BaseChatModel
from scripted_model import RuleFollower

from pipelines.odyssey import Envelope, Reply, register_dispatch_route
from pipelines.odyssey.adapters.langchain import run

RULES = "A refund is due when the order was delivered at most 30 days ago and its payment is captured."


@tool
def get_order(order_id: str) -> dict[str, Any]:
    """Read one order by its id, ord_ and a number."""
    raise NotImplementedError("here the shop's own system would be asked")


@tool
def get_payment(payment_id: str) -> dict[str, Any]:
    """Read one payment by its id, as the order names it."""
    raise NotImplementedError("here the shop's own system would be asked")


@tool
def refund_order(order_id: str, amount_cents: int) -> dict[str, Any]:
    """Give the money for one order back."""
    raise NotImplementedError("here the shop's own system would be asked")


def model() -> BaseChatModel:
    if "ANTHROPIC_API_KEY" not in os.environ:
        return RuleFollower()
    return init_chat_model("anthropic:claude-sonnet-4-5")


def build_agent() -> Any:
    orders = create_agent(
        model(),
        [get_order],
        system_prompt="You look up orders. Answer with the order as JSON, or say that there is none.",
        name="orders",
    )
    refunds = create_agent(
        model(),
        [get_payment, refund_order],
        system_prompt=f"You refund orders. {RULES} Check the payment first.",
        name="refunds",
    )

    @tool
    async def ask_orders(request: str) -> str:
        """Have an order looked up by its id."""
        state = await orders.ainvoke({"messages": [HumanMessage(request)]})
        return str(state["messages"][-1].text)

    @tool
    async def ask_refunds(request: str) -> str:
        """Have an order refunded, given as JSON."""
        state = await refunds.ainvoke({"messages": [HumanMessage(request)]})
        return str(state["messages"][-1].text)

    return create_agent(
        model(),
        [ask_orders, ask_refunds],
        system_prompt=f"You lead a refunds desk. {RULES} Ask orders first, then have refunds do it, or say why not.",
        name="supervisor",
    )


app = FastAPI()


@register_dispatch_route(app)
async def handle(envelope: Envelope) -> Reply:
    return await run(build_agent(), envelope)
