"""The programs of the shop in `benchmarks/retail`, on a small shop of our own: every tool and every refusal."""

from pathlib import Path
from typing import Any

import pytest

from odyssey.kit.yaml_reader import read_yaml
from odyssey.records.canonical import canonical_json
from odyssey.records.faults import Faults
from odyssey.records.tools import Tool
from odyssey.simulation.engine import Answer, ToolCall
from odyssey.simulation.programs import Program, ProgramEngine, read_program
from odyssey.worlds.ledger import Ledger
from odyssey.worlds.operations import apply

FILE = Path(__file__).resolve().parents[3] / "benchmarks" / "retail" / "programs.yaml"
ITEMS = ("order_id", "item_ids", "new_item_ids", "payment_method_id")
PLACE = ("address1", "address2", "city", "state", "country", "zip")
ARGUMENTS: dict[str, tuple[str, ...]] = {
    "calculate": ("expression",),
    "cancel_pending_order": ("order_id", "reason"),
    "exchange_delivered_order_items": ITEMS,
    "find_user_id_by_email": ("email",),
    "find_user_id_by_name_zip": ("first_name", "last_name", "zip"),
    "get_item_details": ("item_id",),
    "get_order_details": ("order_id",),
    "get_product_details": ("product_id",),
    "get_user_details": ("user_id",),
    "list_all_product_types": (),
    "modify_pending_order_address": ("order_id", *PLACE),
    "modify_pending_order_items": ITEMS,
    "modify_pending_order_payment": ("order_id", "payment_method_id"),
    "modify_user_address": ("user_id", *PLACE),
    "return_delivered_order_items": ("order_id", "item_ids", "payment_method_id"),
    "transfer_to_human_agents": ("summary",),
}
TOOLS = {
    name: Tool(name, {"type": "object", "properties": {argument: {} for argument in given}})
    for name, given in ARGUMENTS.items()
}


def variant(item_id: str, price: float, available: bool = True, **options: str) -> dict[str, Any]:
    return {"item_id": item_id, "options": options, "available": available, "price": price}


MUGS = {
    "11": variant("11", 10.1, colour="red"),
    "12": variant("12", 12.4, colour="blue"),
    "13": variant("13", 99.0, available=False, colour="gold"),
}
LAMPS = {"21": variant("21", 30.0, watts="5"), "22": variant("22", 25.5, watts="9")}
PRODUCTS: dict[str, dict[str, Any]] = {
    "p1": {"name": "Mug", "product_id": "p1", "variants": MUGS},
    "p2": {"name": "Lamp", "product_id": "p2", "variants": LAMPS},
}
HOME = {"address1": "1 Quay", "address2": "", "city": "Ulm", "state": "BW", "country": "DE", "zip": "89073"}
ANN: dict[str, Any] = {
    "user_id": "ann",
    "name": {"first_name": "Ann", "last_name": "Berg"},
    "address": HOME,
    "email": "ann@example.com",
    "payment_methods": {
        "card": {"source": "credit_card", "id": "card"},
        "gift": {"source": "gift_card", "id": "gift", "balance": 5.0},
        "gift2": {"source": "gift_card", "id": "gift2", "balance": 200.0},
    },
    "orders": ["#1", "#2", "#3", "#4"],
}
BO = {**ANN, "user_id": "bo", "email": "bo@example.com", "name": {"first_name": "Bo", "last_name": "Berg"}}


def gift(balance: float) -> dict[str, Any]:
    return {"gift": {"source": "gift_card", "id": "gift", "balance": balance}}


def item(item_id: str) -> dict[str, Any]:
    product = PRODUCTS["p1"] if item_id.startswith("1") else PRODUCTS["p2"]
    found = product["variants"][item_id]
    return {**found, "name": product["name"], "product_id": product["product_id"]}


def order(order_id: str, status: str, *item_ids: str, method: str = "card") -> dict[str, Any]:
    items = [item(item_id) for item_id in item_ids]
    paid = {"transaction_type": "payment", "amount": 60.2, "payment_method_id": method}
    nothing = dict.fromkeys(
        ("cancel_reason", "exchange_items", "exchange_new_items", "exchange_price_difference", "return_items")
    )
    return {
        "order_id": order_id,
        "user_id": "ann",
        "address": HOME,
        "items": items,
        "status": status,
        "payment_history": [paid],
        **nothing,
    }


STATE: dict[str, Any] = {
    "product": PRODUCTS,
    "user": {"ann": ANN, "bo": BO},
    "order": {
        "#1": order("#1", "pending", "11", "21", "11"),
        "#2": order("#2", "delivered", "11", "21", "11"),
        "#3": order("#3", "pending", "12", method="gift2"),
        "#4": order("#4", "pending (item modified)", "12"),
        "#5": order("#5", "processed", "12"),
    },
}
WORLD = Ledger.boot(STATE)


@pytest.fixture(scope="module")
def engine() -> ProgramEngine:
    faults = Faults()
    raw = read_yaml(FILE.read_bytes())
    read = {name: read_program(program, faults.at(name), tool=TOOLS[name]) for name, program in raw.items()}
    assert faults.found == []
    programs: dict[str, Program] = {name: program for name, program in read.items() if program is not None}
    assert programs.keys() == TOOLS.keys()
    return ProgramEngine(programs)


def ask(engine: ProgramEngine, tool: str, world: Ledger = WORLD, **arguments: Any) -> Answer:
    return engine.answer(ToolCall(TOOLS[tool], arguments, None, 1, 1), world)


def after(answer: Answer, world: Ledger = WORLD) -> Ledger:
    applied = apply(world, answer.operations, "strict")
    assert applied.violations == ()
    return applied.ledger


def changed(answer: Answer, world: Ledger = WORLD) -> dict[str, dict[str, Any]]:
    """By id what differs: the members of each entity that are other than before."""
    return {
        change.id: {
            name: value
            for name, value in (change.after or {}).items()
            if canonical_json(value) != canonical_json((change.before or {}).get(name))
        }
        for change in world.changes_to(after(answer, world))
    }


def balances(answer: Answer, world: Ledger = WORLD) -> dict[str, float]:
    user = after(answer, world).entity("user", "ann")
    assert user is not None
    return {name: each["balance"] for name, each in user["payment_methods"].items() if "balance" in each}


READS: list[tuple[str, dict[str, Any], Any]] = [
    ("find_user_id_by_email", {"email": "Ann@Example.com"}, "ann"),
    ("find_user_id_by_name_zip", {"first_name": "BO", "last_name": "berg", "zip": "89073"}, "bo"),
    ("get_user_details", {"user_id": "ann"}, ANN),
    ("get_order_details", {"order_id": "#1"}, STATE["order"]["#1"]),
    ("get_product_details", {"product_id": "p2"}, PRODUCTS["p2"]),
    ("get_item_details", {"item_id": "13"}, MUGS["13"]),
    ("list_all_product_types", {}, {"Lamp": "p2", "Mug": "p1"}),
    ("transfer_to_human_agents", {"summary": "Cross."}, "Transfer successful"),
    ("calculate", {"expression": "2 * (3 + 4) / 3"}, "4.67"),
    ("calculate", {"expression": "0.1 + 0.9"}, "1.0"),
    ("calculate", {"expression": "3 - 5.5"}, "-2.5"),
]


@pytest.mark.parametrize(("tool", "arguments", "expected"), READS)
def test_reads(engine: ProgramEngine, tool: str, arguments: dict[str, Any], expected: Any) -> None:
    answer = ask(engine, tool, **arguments)
    assert canonical_json(answer.response) == canonical_json(expected)
    assert (answer.operations, answer.refused) == ((), False)


ADDRESS: dict[str, Any] = {
    "address1": "9 Mole",
    "address2": "b",
    "city": "Bonn",
    "state": "NW",
    "country": "DE",
    "zip": "53111",
}
SWAP: dict[str, Any] = {
    "order_id": "#1",
    "item_ids": ["11"],
    "new_item_ids": ["12"],
    "payment_method_id": "card",
}
TRADE: dict[str, Any] = {**SWAP, "order_id": "#2"}
RETURN: dict[str, Any] = {"order_id": "#2", "item_ids": ["11"], "payment_method_id": "card"}
REFUSALS: list[tuple[str, dict[str, Any], str]] = [
    ("find_user_id_by_email", {"email": "cy@example.com"}, "not_found"),
    ("find_user_id_by_name_zip", {"first_name": "Ann", "last_name": "Berg", "zip": "1"}, "not_found"),
    ("find_user_id_by_name_zip", {"first_name": "Cy", "last_name": "Berg", "zip": "89073"}, "not_found"),
    ("get_user_details", {"user_id": "cy"}, "not_found"),
    ("get_order_details", {"order_id": "1"}, "not_found"),
    ("get_product_details", {"product_id": "11"}, "not_found"),
    ("get_item_details", {"item_id": "p1"}, "not_found"),
    ("calculate", {"expression": "two + 2"}, "bad_value"),
    ("calculate", {"expression": "2 +"}, "bad_value"),
    ("calculate", {"expression": "1 / 0"}, "bad_value"),
    ("calculate", {"expression": ""}, "bad_value"),
    ("cancel_pending_order", {"order_id": "#9", "reason": "no longer needed"}, "not_found"),
    ("cancel_pending_order", {"order_id": "#2", "reason": "no longer needed"}, "conflict"),
    ("cancel_pending_order", {"order_id": "#4", "reason": "no longer needed"}, "conflict"),
    ("cancel_pending_order", {"order_id": "#1", "reason": "dislike"}, "bad_value"),
    ("modify_pending_order_address", {"order_id": "#9", **ADDRESS}, "not_found"),
    ("modify_pending_order_address", {"order_id": "#5", **ADDRESS}, "conflict"),
    ("modify_user_address", {"user_id": "cy", **ADDRESS}, "not_found"),
    ("modify_pending_order_payment", {"order_id": "#9", "payment_method_id": "gift2"}, "not_found"),
    ("modify_pending_order_payment", {"order_id": "#5", "payment_method_id": "gift2"}, "conflict"),
    ("modify_pending_order_payment", {"order_id": "#1", "payment_method_id": "paypal"}, "not_found"),
    ("modify_pending_order_payment", {"order_id": "#1", "payment_method_id": "card"}, "conflict"),
    ("modify_pending_order_payment", {"order_id": "#1", "payment_method_id": "gift"}, "conflict"),
    *(
        (tool, {**good, **wrong}, code)
        for tool, good in (("modify_pending_order_items", SWAP), ("exchange_delivered_order_items", TRADE))
        for wrong, code in (
            ({"order_id": "#9"}, "not_found"),
            ({"order_id": "#4"}, "conflict"),
            ({"order_id": "#5"}, "conflict"),
            ({"item_ids": ["12"], "new_item_ids": ["11"]}, "not_found"),
            ({"item_ids": ["11"] * 3, "new_item_ids": ["12"] * 3}, "not_found"),
            ({"new_item_ids": ["12", "12"]}, "bad_value"),
            ({"new_item_ids": []}, "bad_value"),
            ({"new_item_ids": ["22"]}, "not_found"),
            ({"new_item_ids": ["99"]}, "not_found"),
            ({"new_item_ids": ["13"]}, "not_found"),
            ({"payment_method_id": "paypal"}, "not_found"),
        )
    ),
    ("modify_pending_order_items", {**SWAP, "new_item_ids": ["11"]}, "bad_value"),
    (
        "exchange_delivered_order_items",
        {**TRADE, "order_id": "#1"},
        "conflict",
    ),
    ("return_delivered_order_items", {**RETURN, "order_id": "#9"}, "not_found"),
    ("return_delivered_order_items", {**RETURN, "order_id": "#1"}, "conflict"),
    ("return_delivered_order_items", {**RETURN, "payment_method_id": "paypal"}, "not_found"),
    ("return_delivered_order_items", {**RETURN, "item_ids": ["12"]}, "not_found"),
    ("return_delivered_order_items", {**RETURN, "item_ids": ["21", "21"]}, "not_found"),
]


@pytest.mark.parametrize(("tool", "arguments", "code"), REFUSALS)
def test_refusals(engine: ProgramEngine, tool: str, arguments: dict[str, Any], code: str) -> None:
    answer = ask(engine, tool, **arguments)
    assert (answer.refused, answer.operations) == (True, ())
    assert answer.response["error"]["code"] == code
    assert answer.response["error"]["message"]


@pytest.mark.parametrize("tool", ["modify_pending_order_items", "exchange_delivered_order_items"])
def test_a_gift_card_that_holds_too_little_is_refused_and_one_that_is_refunded_to_is_not(
    engine: ProgramEngine, tool: str
) -> None:
    arguments = {**(SWAP if tool.startswith("modify") else TRADE), "payment_method_id": "gift"}
    three = ask(engine, tool, **{**arguments, "item_ids": ["11", "11"], "new_item_ids": ["12", "12"]})
    assert (three.refused, balances(three)["gift"]) == (False, 0.4 if tool.startswith("modify") else 5.0)
    poor = WORLD.with_entity("user", "ann", {**ANN, "payment_methods": gift(2.0)})
    refused = ask(engine, tool, poor, **arguments)
    assert refused.response["error"]["message"].startswith("Insufficient gift card balance")
    assert not ask(engine, tool, poor, **{**arguments, "item_ids": ["21"], "new_item_ids": ["22"]}).refused


def test_cancelling_refunds_every_payment(engine: ProgramEngine) -> None:
    answer = ask(engine, "cancel_pending_order", order_id="#1", reason="ordered by mistake")
    (paid,) = STATE["order"]["#1"]["payment_history"]
    assert changed(answer) == {
        "#1": {
            "status": "cancelled",
            "cancel_reason": "ordered by mistake",
            "payment_history": [paid, {**paid, "transaction_type": "refund"}],
        }
    }
    assert answer.response["status"] == "cancelled"


def test_what_came_from_a_gift_card_is_on_it_again(engine: ProgramEngine) -> None:
    answer = ask(engine, "cancel_pending_order", order_id="#3", reason="no longer needed")
    assert balances(answer) == {"gift": 5.0, "gift2": 260.2}
    paid = [
        {"transaction_type": "payment", "amount": amount, "payment_method_id": "gift"}
        for amount in (1.1, 2.2)
    ]
    world = WORLD.with_entity("order", "#3", {**STATE["order"]["#3"], "payment_history": paid})
    twice = ask(engine, "cancel_pending_order", world, order_id="#3", reason="no longer needed")
    assert balances(twice, world) == {"gift": 8.3, "gift2": 200.0}


@pytest.mark.parametrize("order_id", ["#1", "#4"])
def test_an_address_is_changed_also_after_the_items_were(engine: ProgramEngine, order_id: str) -> None:
    answer = ask(engine, "modify_pending_order_address", order_id=order_id, **ADDRESS)
    assert changed(answer) == {order_id: {"address": ADDRESS}}
    assert answer.response["address"] == ADDRESS
    assert changed(ask(engine, "modify_user_address", user_id="ann", **ADDRESS)) == {
        "ann": {"address": ADDRESS}
    }


def test_another_method_pays_all_and_the_first_gets_it_back(engine: ProgramEngine) -> None:
    def entry(kind: str, method: str) -> dict[str, Any]:
        return {"transaction_type": kind, "amount": 60.2, "payment_method_id": method}

    by_gift = ask(engine, "modify_pending_order_payment", order_id="#1", payment_method_id="gift2")
    history = [entry("payment", "card"), entry("payment", "gift2"), entry("refund", "card")]
    assert by_gift.response["payment_history"] == history
    assert balances(by_gift) == {"gift": 5.0, "gift2": 139.8}
    world = after(by_gift)
    again = ask(engine, "modify_pending_order_payment", world, order_id="#1", payment_method_id="card")
    assert again.refused
    from_gift = ask(engine, "modify_pending_order_payment", order_id="#3", payment_method_id="card")
    assert balances(from_gift) == {"gift": 5.0, "gift2": 260.2}
    methods = {**ANN["payment_methods"], **gift(61)}
    rich = WORLD.with_entity("user", "ann", {**ANN, "payment_methods": methods})
    swapped = ask(engine, "modify_pending_order_payment", rich, order_id="#3", payment_method_id="gift")
    assert balances(swapped, rich) == {"gift": 0.8, "gift2": 260.2}


def test_modified_items_become_the_last_of_the_new_ones_and_the_difference_is_paid(
    engine: ProgramEngine,
) -> None:
    one = ask(engine, "modify_pending_order_items", **SWAP)
    assert one.response["status"] == "pending (item modified)"
    assert [each["item_id"] for each in one.response["items"]] == ["12", "21", "11"]
    assert one.response["items"][0] == {**item("12"), "available": True}
    assert one.response["payment_history"][1:] == [
        {"transaction_type": "payment", "amount": 12.4 - 10.1, "payment_method_id": "card"}
    ]
    assert ask(engine, "modify_pending_order_items", after(one), **SWAP).refused
    two = ask(
        engine,
        "modify_pending_order_items",
        order_id="#1",
        item_ids=["11", "21"],
        new_item_ids=["12", "22"],
        payment_method_id="gift",
    )
    changes = [(each["item_id"], each["price"]) for each in two.response["items"]]
    assert changes == [("12", 25.5), ("22", 25.5), ("11", 10.1)]
    assert two.response["payment_history"][1]["transaction_type"] == "refund"
    assert two.response["payment_history"][1]["amount"] == abs((12.4 - 10.1) + (25.5 - 30.0))
    assert balances(two)["gift"] == 7.2


def test_items_that_are_there_twice_are_changed_one_after_the_other(engine: ProgramEngine) -> None:
    both = ask(
        engine,
        "modify_pending_order_items",
        **{**SWAP, "item_ids": ["11", "11"], "new_item_ids": ["12", "12"]},
    )
    assert [each["item_id"] for each in both.response["items"]] == ["12", "21", "12"]
    assert len(both.operations) == 1


def test_an_exchange_is_asked_for_and_nothing_is_paid(engine: ProgramEngine) -> None:
    answer = ask(
        engine,
        "exchange_delivered_order_items",
        order_id="#2",
        item_ids=["21", "11"],
        new_item_ids=["22", "12"],
        payment_method_id="gift",
    )
    assert changed(answer) == {
        "#2": {
            "status": "exchange requested",
            "exchange_items": ["11", "21"],
            "exchange_new_items": ["12", "22"],
            "exchange_payment_method_id": "gift",
            "exchange_price_difference": -2.2,
        }
    }
    assert ask(engine, "exchange_delivered_order_items", after(answer), **TRADE).refused


def test_a_return_goes_to_the_first_method_or_to_a_gift_card(engine: ProgramEngine) -> None:
    answer = ask(engine, "return_delivered_order_items", **{**RETURN, "item_ids": ["21", "11", "11"]})
    assert changed(answer) == {
        "#2": {
            "status": "return requested",
            "return_items": ["11", "11", "21"],
            "return_payment_method_id": "card",
        }
    }
    assert not ask(engine, "return_delivered_order_items", **{**RETURN, "payment_method_id": "gift"}).refused
    methods = {**ANN["payment_methods"], "other": {"source": "credit_card", "id": "other"}}
    world = WORLD.with_entity("user", "ann", {**ANN, "payment_methods": methods})
    refused = ask(engine, "return_delivered_order_items", world, **{**RETURN, "payment_method_id": "other"})
    assert refused.response["error"]["code"] == "conflict"


def test_an_order_that_does_not_know_a_payment_method_any_more_is_cancelled_all_the_same(
    engine: ProgramEngine,
) -> None:
    world = WORLD.with_entity("user", "ann", {**ANN, "payment_methods": {}})
    answer = ask(engine, "cancel_pending_order", world, order_id="#3", reason="no longer needed")
    assert list(changed(answer, world)) == ["#3"]
