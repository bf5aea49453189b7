"""A chat model that follows the desk's rules without any provider: it reads what it was told, decides, and says why."""

import json
import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.utils.function_calling import convert_to_openai_tool


class Step(NamedTuple):
    thought: str
    text: str = ""
    call: tuple[str, dict[str, Any]] | None = None


class RuleFollower(BaseChatModel):
    @property
    def _llm_type(self) -> str:
        return "rule-follower"

    def bind_tools(self, tools: Sequence[Any], **_: Any) -> Any:
        return self.bind(tools=[convert_to_openai_tool(tool) for tool in tools])

    def _generate(
        self, messages: list[BaseMessage], *_: Any, tools: Sequence[dict[str, Any]] = (), **__: Any
    ) -> ChatResult:
        names = {tool["function"]["name"] for tool in tools}
        rules = lead if "ask_orders" in names else look_up if "get_order" in names else refund
        said = message_of(rules(task_of(messages), results_of(messages)), f"call_{len(messages)}")
        return ChatResult(generations=[ChatGeneration(message=said)])


def lead(task: str, results: dict[str, str]) -> Step:
    if "ask_orders" not in results:
        return Step("I cannot decide without the order.", call=("ask_orders", {"request": task}))
    order = json_in(results["ask_orders"])
    if order is None:
        return Step("Nothing to refund.", "I could not find that order, so nothing was refunded.")
    if order["delivered_days_ago"] > 30:
        days = order["delivered_days_ago"]
        return Step(
            f"{days} days is more than 30.",
            f"I cannot refund {order['order_id']}: it was delivered {days} days ago, and the limit is 30.",
        )
    if "ask_refunds" not in results:
        return Step("It is within 30 days.", call=("ask_refunds", {"request": f"Refund {json.dumps(order)}"}))
    return Step("The refunds agent has spoken.", results["ask_refunds"])


def look_up(task: str, results: dict[str, str]) -> Step:
    found = re.search(r"\bord_\w+", task)
    if found is None:
        return Step("There is no id in this.", "No order was named.")
    if "get_order" not in results:
        return Step(f"It is about {found[0]}.", call=("get_order", {"order_id": found[0]}))
    order = json_in(results["get_order"])
    if order is None or "order_id" not in order:
        return Step("The shop does not know it.", f"There is no order {found[0]}.")
    return Step("Here it is.", f"The order is {json.dumps(order)}")


def refund(task: str, results: dict[str, str]) -> Step:
    order = json_in(task) or {}
    if "get_payment" not in results:
        return Step(
            "Was it paid at all?",
            "I check the payment first.",
            ("get_payment", {"payment_id": order["payment_id"]}),
        )
    payment = json_in(results["get_payment"]) or {}
    if payment.get("status") != "captured":
        return Step("Not captured.", f"I cannot refund {order['order_id']}: its payment is not captured.")
    amount = payment["amount_cents"]
    if "refund_order" not in results:
        arguments = {"order_id": order["order_id"], "amount_cents": amount}
        return Step("Captured, so it is due.", call=("refund_order", arguments))
    if "error" in (json_in(results["refund_order"]) or {}):
        return Step("The shop refused.", f"The refund of {order['order_id']} did not go through.")
    return Step("Done.", f"I refunded {amount / 100:.2f} for {order['order_id']}.")


def task_of(messages: list[BaseMessage]) -> str:
    return next(message.text for message in reversed(messages) if isinstance(message, HumanMessage))


def results_of(messages: list[BaseMessage]) -> dict[str, str]:
    """What each tool answered last, since the last thing the user said."""
    results: dict[str, str] = {}
    for message in messages:
        if isinstance(message, HumanMessage):
            results.clear()
        elif isinstance(message, ToolMessage):
            results[str(message.name)] = message.text
    return results


def json_in(text: str) -> dict[str, Any] | None:
    start = text.find("{")
    return None if start < 0 else json.JSONDecoder().raw_decode(text, start)[0]


def message_of(step: Step, call_id: str) -> AIMessage:
    calls = [{"name": step.call[0], "args": step.call[1], "id": call_id}] if step.call else []
    spoken = [{"type": "text", "text": step.text}] if step.text else []
    words = len(step.thought.split()) + len(step.text.split())
    return AIMessage(
        content=[{"type": "reasoning", "reasoning": step.thought}, *spoken],
        tool_calls=calls,
        usage_metadata={"input_tokens": 10, "output_tokens": words, "total_tokens": 10 + words},
        response_metadata={"model_name": "rule-follower"},
    )
