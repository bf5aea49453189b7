"""A model that follows the desk's rules without any provider: it reads what it was told, decides, and says why."""

import json
import re
from collections.abc import AsyncIterator
from typing import Any, NamedTuple

from agents import ItemHelpers, Model, ModelResponse, Usage
from openai.types.responses import (
    ResponseFunctionToolCall,
    ResponseOutputMessage,
    ResponseOutputText,
    ResponseReasoningItem,
)
from openai.types.responses.response_reasoning_item import Summary


class Step(NamedTuple):
    thought: str
    text: str = ""
    call: tuple[str, dict[str, Any]] | None = None


class RuleFollower(Model):
    model = "rule-follower"

    async def get_response(self, *_: Any, **given: Any) -> ModelResponse:
        items = ItemHelpers.input_to_new_input_list(given["input"])
        offered = {tool.name for tool in given["tools"]}
        rules = lead if "ask_orders" in offered else look_up if "get_order" in offered else refund
        step = rules(task_of(items), results_of(items))
        spent = Usage(requests=1, input_tokens=len(items), output_tokens=len(step.thought.split()))
        return ModelResponse(output_of(step, f"call_{len(items)}"), spent, response_id=None)

    def stream_response(self, *_: Any, **__: Any) -> AsyncIterator[Any]:
        raise NotImplementedError("The desk does not stream.")


def lead(task: str, results: dict[str, str]) -> Step:
    if "ask_orders" not in results:
        return Step("I cannot decide without the order.", call=("ask_orders", {"input": task}))
    order = json_in(results["ask_orders"])
    if "order_id" not in order:
        return Step("Nothing to refund.", "I could not find that order, so nothing was refunded.")
    days = order.get("delivered_days_ago")
    if not isinstance(days, int) or days > 30:
        return Step(
            f"{days} days is not within 30.",
            f"I cannot refund {order['order_id']}: it was delivered {days} days ago, and the limit is 30.",
        )
    return Step(
        "The payment is for refunds to judge.", call=("transfer_to_refunds", {"reason": f"{days} days"})
    )


def look_up(task: str, results: dict[str, str]) -> Step:
    found = re.search(r"\bord_\w+", task)
    if found is None:
        return Step("There is no id in this.", "No order was named.")
    if "get_order" not in results:
        return Step(f"It is about {found[0]}.", call=("get_order", {"order_id": found[0]}))
    order = json_in(results["get_order"])
    if "order_id" not in order:
        return Step("The shop does not know it.", f"There is no order {found[0]}.")
    return Step("Here it is.", f"The order is {json.dumps(order)}")


def refund(task: str, results: dict[str, str]) -> Step:
    order = json_in(results.get("ask_orders", ""))
    if "get_payment" not in results:
        payment_id = str(order.get("payment_id", ""))
        return Step("Was it paid?", "I check the payment.", ("get_payment", {"payment_id": payment_id}))
    payment = json_in(results["get_payment"])
    amount = payment.get("amount_cents")
    if payment.get("status") != "captured" or not isinstance(amount, int):
        return Step("Not captured.", f"I cannot refund {order['order_id']}: its payment is not captured.")
    if "refund_order" not in results:
        arguments = {"order_id": order["order_id"], "amount_cents": amount}
        return Step("Captured, so it is due.", call=("refund_order", arguments))
    if "error" in json_in(results["refund_order"]):
        return Step("The shop refused.", f"The refund of {order['order_id']} did not go through.")
    return Step("Done.", f"I refunded {amount / 100:.2f} for {order['order_id']}.")


def task_of(items: list[Any]) -> str:
    return "\n".join(str(item["content"]) for item in items if item.get("role") == "user")


def results_of(items: list[Any]) -> dict[str, str]:
    """What each tool answered last."""
    names = {item["call_id"]: item["name"] for item in items if item.get("type") == "function_call"}
    answers = [item for item in items if item.get("type") == "function_call_output"]
    return {names[item["call_id"]]: str(item["output"]) for item in answers}


def json_in(text: str) -> dict[str, Any]:
    """The first JSON object in a text; empty when there is none."""
    start = text.find("{")
    try:
        found = json.JSONDecoder().raw_decode(text, start)[0] if start >= 0 else {}
    except ValueError:
        found = {}
    return found if isinstance(found, dict) else {}


def output_of(step: Step, call_id: str) -> list[Any]:
    output: list[Any] = [
        ResponseReasoningItem(
            id=f"rs_{call_id}", type="reasoning", summary=[Summary(type="summary_text", text=step.thought)]
        )
    ]
    if step.text:
        words = ResponseOutputText(type="output_text", text=step.text, annotations=[])
        output.append(
            ResponseOutputMessage(
                id=f"msg_{call_id}", type="message", role="assistant", status="completed", content=[words]
            )
        )
    if step.call is not None:
        name, arguments = step.call
        output.append(
            ResponseFunctionToolCall(
                type="function_call", name=name, call_id=call_id, arguments=json.dumps(arguments)
            )
        )
    return output
