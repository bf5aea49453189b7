"""A model that follows the desk's rules without any provider: the real client, with the API played by this file."""

import json
import re
from typing import Any, NamedTuple

import httpx2
from anthropic import AsyncAnthropic, DefaultAsyncHttpxClient


class Step(NamedTuple):
    thought: str
    text: str = ""
    call: tuple[str, dict[str, Any]] | None = None


def rule_follower() -> AsyncAnthropic:
    api = DefaultAsyncHttpxClient(transport=httpx2.MockTransport(answer))
    return AsyncAnthropic(api_key="none is needed", http_client=api)


def answer(request: httpx2.Request) -> httpx2.Response:
    """Play `POST /v1/messages`: read what was said so far, and decide."""
    asked = json.loads(request.content)
    tools = {tool["name"] for tool in asked.get("tools", [])}
    rules = lead if "orders" in tools else look_up if "get_order" in tools else refund
    step = rules(asked["messages"][0]["content"], results_of(asked["messages"]))
    return httpx2.Response(200, json=message(step, asked))


def lead(task: str, results: dict[str, str]) -> Step:
    if "orders" not in results:
        return Step("I cannot decide without the order.", call=("orders", {"message": task}))
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
        return Step("It is within 30 days.", call=("refunds", {"message": f"Refund {json.dumps(order)}"}))
    return Step("The refunds agent has spoken.", results["refunds"])


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


def results_of(messages: list[dict[str, Any]]) -> dict[str, str]:
    """What each tool answered last."""
    blocks = [block for each in messages if isinstance(each["content"], list) for block in each["content"]]
    names = {block["id"]: block["name"] for block in blocks if block["type"] == "tool_use"}
    results = (block for block in blocks if block["type"] == "tool_result")
    return {names[block["tool_use_id"]]: block["content"] for block in results}


def json_in(text: str) -> dict[str, Any] | None:
    start = text.find("{")
    return None if start < 0 else json.JSONDecoder().raw_decode(text, start)[0]


def message(step: Step, asked: dict[str, Any]) -> dict[str, Any]:
    """One answer, as the API gives it."""
    content: list[dict[str, Any]] = [{"type": "thinking", "thinking": step.thought, "signature": "played"}]
    if step.text:
        content.append({"type": "text", "text": step.text})
    if step.call is not None:
        name, arguments = step.call
        call_id = f"toolu_{len(asked['messages'])}_{name}"
        content.append({"type": "tool_use", "id": call_id, "name": name, "input": arguments})
    words = len(step.thought.split()) + len(step.text.split())
    return {
        "id": "msg_played",
        "type": "message",
        "role": "assistant",
        "model": asked["model"],
        "content": content,
        "stop_reason": "end_turn" if step.call is None else "tool_use",
        "stop_sequence": None,
        "usage": {"input_tokens": 10, "output_tokens": words},
    }
