"""A model that follows the desk's rules without any provider: it reads what it was told and decides, and says why."""

import json
import re
from collections.abc import AsyncGenerator, AsyncIterable
from typing import Any, NamedTuple

from strands.models import Model
from strands.types.content import Messages
from strands.types.streaming import StreamEvent
from strands.types.tools import ToolSpec


class Step(NamedTuple):
    thought: str
    text: str = ""
    call: tuple[str, dict[str, Any]] | None = None


class RuleFollower(Model):
    def update_config(self, **model_config: Any) -> None:
        raise NotImplementedError("There is nothing to configure.")

    def get_config(self) -> dict[str, Any]:
        return {"model_id": "rule-follower"}

    def structured_output(self, *_: Any, **__: Any) -> AsyncGenerator[dict[str, Any], None]:
        raise NotImplementedError("The desk answers in words.")

    async def stream(
        self, messages: Messages, tool_specs: list[ToolSpec] | None = None, *_: Any, **__: Any
    ) -> AsyncIterable[StreamEvent]:
        tools = {spec["name"] for spec in tool_specs or []}
        rules = lead if "orders" in tools else look_up if "get_order" in tools else refund
        step = rules(task_of(messages), results_of(messages))
        for event in events(step, f"call_{len(messages)}"):
            yield event


def lead(task: str, results: dict[str, str]) -> Step:
    if "orders" not in results:
        return Step("I cannot decide without the order.", call=("orders", {"input": task}))
    order = json_in(results["orders"])
    if order is None:
        return Step("Nothing to refund.", "I could not find that order, so nothing was refunded.")
    if order["delivered_days_ago"] > 30:
        days = order["delivered_days_ago"]
        return Step(
            f"{days} days is more than 30.",
            f"I cannot refund {order['order_id']}: it was delivered {days} days ago, and the limit is 30.",
        )
    if "refunds" not in results:
        return Step("It is within 30 days.", call=("refunds", {"input": f"Refund {json.dumps(order)}"}))
    return Step("The refunds agent has spoken.", results["refunds"].strip())


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


def task_of(messages: Messages) -> str:
    return "\n".join(block["text"] for block in messages[0]["content"] if "text" in block)


def results_of(messages: Messages) -> dict[str, str]:
    """What each tool answered last."""
    names: dict[str, str] = {}
    results: dict[str, str] = {}
    for block in (block for message in messages for block in message["content"]):
        if "toolUse" in block:
            names[block["toolUse"]["toolUseId"]] = block["toolUse"]["name"]
        elif "toolResult" in block:
            said = [part["text"] for part in block["toolResult"]["content"] if "text" in part]
            results[names[block["toolResult"]["toolUseId"]]] = "\n".join(said)
    return results


def json_in(text: str) -> dict[str, Any] | None:
    start = text.find("{")
    try:
        found: dict[str, Any] = json.JSONDecoder().raw_decode(text, max(start, 0))[0]
    except ValueError:
        return None
    return found if start >= 0 else None


def events(step: Step, call_id: str) -> list[StreamEvent]:
    """One answer, streamed the way a provider does it."""
    streamed: list[StreamEvent] = [
        {"messageStart": {"role": "assistant"}},
        {"contentBlockDelta": {"delta": {"reasoningContent": {"text": step.thought}}}},
        {"contentBlockStop": {}},
    ]
    if step.text:
        streamed += [{"contentBlockDelta": {"delta": {"text": step.text}}}, {"contentBlockStop": {}}]
    if step.call is not None:
        name, arguments = step.call
        streamed += [
            {"contentBlockStart": {"start": {"toolUse": {"name": name, "toolUseId": call_id}}}},
            {"contentBlockDelta": {"delta": {"toolUse": {"input": json.dumps(arguments)}}}},
            {"contentBlockStop": {}},
        ]
    words = len(step.thought.split()) + len(step.text.split())
    usage: Any = {"inputTokens": 10, "outputTokens": words, "totalTokens": 10 + words}
    streamed += [
        {"messageStop": {"stopReason": "tool_use" if step.call else "end_turn"}},
        {"metadata": {"usage": usage, "metrics": {"latencyMs": 0}}},
    ]
    return streamed
