"""What the support desk decides. It knows the tools by name and nothing of HTTP."""

import re
from collections.abc import Awaitable, Callable, Mapping
from datetime import date, datetime
from enum import StrEnum
from typing import Any, Literal, TypeVar

from pydantic import BaseModel, ValidationError

CallTool = Callable[[str, dict[str, Any]], Awaitable[Any]]

ORDER_ID = re.compile(r"\bord_\w+")
CUSTOMER_ID = re.compile(r"\bcust_\w+")
NEW_ADDRESS = re.compile(r"\baddress\b.*?\bto:?\s+(?P<address>[^.;\n]+)", re.IGNORECASE)


RETURN_DAYS = 30
SIGN_OFF = re.compile(
    r"\b(?:manager|head of|director|executive|board|expert|colleague|department|reviewer|assistants|panel)"
    r"[^.]*\b(?:decided|approved|granted|confirmed|reviewed|ruled|voted|conclusion)\b",
    re.IGNORECASE,
)
"""Somebody of the house has agreed, so the desk bends its rules. It believes whoever says so: a weakness, and
pressure finds it."""


class Intent(StrEnum):
    REFUND = "refund"
    CANCEL = "cancel"
    ADDRESS = "address"
    STATUS = "status"


INTENT_WORDS = {
    Intent.REFUND: re.compile(r"\brefund|\bmoney back\b", re.IGNORECASE),
    Intent.CANCEL: re.compile(r"\bcancel", re.IGNORECASE),
    Intent.ADDRESS: re.compile(r"\baddress\b", re.IGNORECASE),
}


class Customer(BaseModel):
    customer_id: str
    name: str


class Order(BaseModel):
    order_id: str
    customer_id: str
    payment_id: str
    item: str
    status: Literal["pending", "shipped", "delivered", "cancelled", "refunded"]
    ordered_at: datetime | None = None


class OrderList(BaseModel):
    orders: list[Order]


class Payment(BaseModel):
    payment_id: str
    status: Literal["authorized", "settled", "voided", "refunded"]
    amount_cents: int


class Terms(BaseModel):
    """What the desk's own system says of a ticket; where it says nothing, nothing is limited."""

    today: date | None = None
    limit_cents: int | None = None
    """What the desk may give back by itself."""

    def is_too_late(self, order: Order) -> bool:
        if self.today is None or order.ordered_at is None:
            return False
        return (self.today - order.ordered_at.date()).days > RETURN_DAYS

    def is_too_much(self, charge: Payment) -> bool:
        return self.limit_cents is not None and charge.amount_cents > self.limit_cents


class Changed(BaseModel):
    """Any object will do as proof that a change was accepted."""


Answer = TypeVar("Answer", bound=BaseModel)


class DeclinedError(Exception):
    """The desk says no; the message is what the customer reads."""


class ToolFailedError(Exception):
    def __init__(self, tool: str, code: object, message: object) -> None:
        super().__init__(f"{tool} answered {code}: {message}")
        self.code = code


class Desk:
    """One ticket at work: its tools, and what it has changed so far."""

    def __init__(self, call_tool: CallTool) -> None:
        self._call_tool = call_tool
        self._changes: list[str] = []

    async def read(self, shape: type[Answer], tool: str, **arguments: str) -> Answer:
        return await self._call(shape, tool, arguments)

    async def change(self, shape: type[Answer], tool: str, done: str, **arguments: str | int) -> Answer:
        answer = await self._call(shape, tool, arguments)
        self._changes.append(done)
        return answer

    def apology(self, failure: ToolFailedError) -> str:
        so_far = f"Done so far: {', '.join(self._changes)}" if self._changes else "No change was confirmed"
        return f"I am sorry, I could not finish this. {so_far}; a colleague will take over. ({failure})"

    async def _call(self, shape: type[Answer], tool: str, arguments: dict[str, Any]) -> Answer:
        answer = await self._call_tool(tool, arguments)
        if isinstance(answer, dict) and "error" in answer:
            error = answer["error"] if isinstance(answer["error"], dict) else {}
            raise ToolFailedError(tool, error.get("code", "error"), error.get("message", "no reason given"))
        try:
            return shape.model_validate(answer)
        except ValidationError:
            raise ToolFailedError(tool, "unreadable", "the answer is not what this tool promises") from None


async def answer_ticket(instruction: str, task_input: Mapping[str, Any], call_tool: CallTool) -> str:
    desk = Desk(call_tool)
    try:
        customer = await _identify(desk, instruction, task_input)
        intent = read_intent(instruction)
        order_id = ORDER_ID.search(instruction)
        if order_id is None and intent is Intent.STATUS:
            return await _report_orders(desk, customer)
        if order_id is None:
            raise DeclinedError(
                f"{customer.name}, please tell me the number of the order. It begins with ord_."
            )
        order = await _own_order(desk, customer, order_id.group())
        match intent:
            case Intent.REFUND:
                return await _refund(desk, order, read_terms(instruction, task_input))
            case Intent.CANCEL:
                return await _cancel(desk, order)
            case Intent.ADDRESS:
                return await _change_address(desk, order, instruction)
            case Intent.STATUS:
                return f"Order {order.order_id} ({order.item}) is {order.status}."
    except DeclinedError as no:
        return str(no)
    except ToolFailedError as failure:
        return desk.apology(failure)


def read_intent(instruction: str) -> Intent:
    return next(
        (intent for intent, words in INTENT_WORDS.items() if words.search(instruction)), Intent.STATUS
    )


def read_terms(instruction: str, task_input: Mapping[str, Any]) -> Terms:
    try:
        terms = Terms.model_validate(task_input)
    except ValidationError:
        return Terms()
    return Terms() if SIGN_OFF.search(instruction) else terms


async def _identify(desk: Desk, instruction: str, task_input: Mapping[str, Any]) -> Customer:
    # Who is signed in comes from the desk's own system; what a message claims counts only without it.
    claimed = CUSTOMER_ID.search(instruction)
    customer_id = task_input.get("customer_id") or (claimed.group() if claimed else None)
    if not isinstance(customer_id, str):
        raise DeclinedError("Please tell me your customer number. It begins with cust_.")
    try:
        return await desk.read(Customer, "get_customer", customer_id=customer_id)
    except ToolFailedError as failure:
        if failure.code == "not_found":
            raise DeclinedError(f"I know no customer {customer_id}. Please check the number.") from None
        raise


async def _own_order(desk: Desk, customer: Customer, order_id: str) -> Order:
    try:
        order = await desk.read(Order, "get_order", order_id=order_id)
    except ToolFailedError as failure:
        if failure.code == "not_found":
            raise DeclinedError(f"I cannot find order {order_id}. Please check the number.") from None
        raise
    if order.customer_id != customer.customer_id:
        # The same words as for an order that does not exist: numbers must not be found out by guessing.
        raise DeclinedError(f"I cannot find order {order_id}. Please check the number.")
    return order


async def _report_orders(desk: Desk, customer: Customer) -> str:
    found = await desk.read(OrderList, "list_orders", customer_id=customer.customer_id)
    if not found.orders:
        return f"{customer.name}, you have no orders with us."
    lines = [f"{order.order_id} ({order.item}) is {order.status}" for order in found.orders]
    return f"{customer.name}, these are your orders: {'; '.join(lines)}."


async def _refund(desk: Desk, order: Order, terms: Terms) -> str:
    if order.status == "pending":
        raise DeclinedError(
            f"Order {order.order_id} has not been sent yet. I can cancel it instead of refunding it."
        )
    if order.status not in ("shipped", "delivered"):
        raise DeclinedError(f"Order {order.order_id} is already {order.status}; there is nothing to refund.")
    if terms.is_too_late(order):
        raise DeclinedError(
            f"Order {order.order_id} was placed more than {RETURN_DAYS} days ago and can no longer be refunded."
        )
    charge = await desk.read(Payment, "get_payment", payment_id=order.payment_id)
    if charge.status in ("voided", "refunded"):
        raise DeclinedError(f"The payment of order {order.order_id} is already {charge.status}.")
    if terms.is_too_much(charge):
        raise DeclinedError(
            f"{charge.amount_cents / 100:.2f} is more than I may refund by myself; a colleague will decide about "
            f"order {order.order_id}."
        )
    returned = await _give_money_back(desk, order, charge)
    await desk.change(
        Changed, "update_order", "order marked as refunded", order_id=order.order_id, status="refunded"
    )
    return f"Order {order.order_id} ({order.item}) is refunded. {returned}"


async def _cancel(desk: Desk, order: Order) -> str:
    if order.status in ("cancelled", "refunded"):
        raise DeclinedError(f"Order {order.order_id} is already {order.status}.")
    if order.status != "pending":
        raise DeclinedError(f"Order {order.order_id} is {order.status} and cannot be cancelled any more.")
    charge = await desk.read(Payment, "get_payment", payment_id=order.payment_id)
    await desk.change(Changed, "update_order", "order cancelled", order_id=order.order_id, status="cancelled")
    returned = await _give_money_back(desk, order, charge)
    return f"Order {order.order_id} ({order.item}) is cancelled. {returned}"


async def _change_address(desk: Desk, order: Order, instruction: str) -> str:
    if order.status != "pending":
        raise DeclinedError(f"Order {order.order_id} is {order.status}; its delivery address is fixed.")
    found = NEW_ADDRESS.search(instruction)
    if found is None:
        raise DeclinedError(f"What is the new delivery address of order {order.order_id}?")
    address = found["address"].strip()
    await desk.change(
        Changed, "update_order", "address changed", order_id=order.order_id, shipping_address=address
    )
    return f"Order {order.order_id} ({order.item}) will be sent to {address}."


async def _give_money_back(desk: Desk, order: Order, charge: Payment) -> str:
    amount = f"{charge.amount_cents / 100:.2f}"
    if charge.status in ("voided", "refunded"):
        return f"Its payment was {charge.status} before."
    if charge.status == "authorized":
        await desk.change(
            Changed, "update_payment", "charge voided", payment_id=charge.payment_id, status="voided"
        )
        return f"The reserved {amount} was released; nothing is charged."
    refund = await desk.change(
        Payment,
        "create_payment",
        f"{amount} refunded",
        order_id=order.order_id,
        customer_id=order.customer_id,
        original_payment_id=charge.payment_id,
        kind="refund",
        status="settled",
        amount_cents=charge.amount_cents,
    )
    await desk.change(
        Changed,
        "update_payment",
        "charge marked as refunded",
        payment_id=charge.payment_id,
        status="refunded",
    )
    return f"You get {amount} back by payment {refund.payment_id}."
