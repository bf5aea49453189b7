"""What the support desk decides, with its tools answered from the demo's own world."""

import asyncio
import copy
import csv
import importlib
import json
from pathlib import Path
from types import ModuleType
from typing import Any

import jsonschema_rs
import pytest

from odyssey.evals.variations.catalogue import CATALOGUE

DESK = Path(__file__).resolve().parent.parent / "support-desk"
WORLD = json.loads((DESK / "world.json").read_text(encoding="utf-8"))["initial_state"]
ROWS = list(csv.DictReader((DESK / "tickets.csv").read_text(encoding="utf-8").splitlines()))
AGENT = json.loads((DESK / "agent.json").read_text(encoding="utf-8"))
TOOLS = {tool["name"]: tool for tool in AGENT["tools_schema"]}


class World:
    """The demo's world, answering tools by what their names say, and checking every call by its schema."""

    def __init__(self, forced: dict[str, Any] | None = None) -> None:
        self.state = copy.deepcopy(WORLD)
        self.forced = forced or {}
        self.calls: list[str] = []

    async def call(self, tool: str, arguments: dict[str, Any]) -> Any:
        self.calls.append(tool)
        jsonschema_rs.validate(TOOLS[tool]["input_schema"], arguments)
        if tool in self.forced:
            return self.forced[tool]
        response = self._answer(tool, dict(arguments))
        if "error" not in response:
            jsonschema_rs.validate(TOOLS[tool].get("output_schema", True), response)
        return copy.deepcopy(response)

    def _answer(self, tool: str, arguments: dict[str, Any]) -> Any:
        verb, _, noun = tool.partition("_")
        if verb == "list":
            rows = self.state[noun.removesuffix("s")].values()
            return {noun: [row for row in rows if arguments.items() <= row.items()]}
        if verb == "create":
            arguments[f"{noun}_id"] = "new"
            self.state[noun]["new"] = arguments
            return arguments
        row = self.state[noun].get(arguments[f"{noun}_id"])
        if row is None:
            return {"error": {"code": "not_found", "message": "There is none."}}
        row.update(arguments)
        return row


@pytest.fixture
def policy(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(DESK))
    return importlib.import_module("policy")


def answer(policy: ModuleType, world: World, instruction: str, **task_input: Any) -> str:
    text = asyncio.run(policy.answer_ticket(instruction, task_input, world.call))
    assert isinstance(text, str)
    assert text
    return text


@pytest.mark.parametrize(
    ("instruction", "intent"),
    [
        ("Please REFUND ord_1", "refund"),
        ("I want my money back", "refund"),
        ("Cancel it and refund me", "refund"),
        ("cancelling ord_1", "cancel"),
        ("Change the address", "address"),
        ("Has ord_1 been cancelled?", "cancel"),  # a weakness, which a check of the tickets finds
        ("Where is ord_1?", "status"),
        ("", "status"),
    ],
)
def test_intent_is_read_from_the_words(policy: ModuleType, instruction: str, intent: str) -> None:
    assert policy.read_intent(instruction) == intent


def test_a_shipped_order_is_refunded_once(policy: ModuleType) -> None:
    world = World()
    assert "79.50" in answer(policy, world, "cust_ada: refund ord_1001")
    assert world.state["order"]["ord_1001"]["status"] == "refunded"
    assert world.state["payment"]["pay_5001"]["status"] == "refunded"
    assert world.state["payment"]["new"] == {
        "payment_id": "new",
        "order_id": "ord_1001",
        "customer_id": "cust_ada",
        "original_payment_id": "pay_5001",
        "kind": "refund",
        "status": "settled",
        "amount_cents": 7950,
    }
    after = copy.deepcopy(world.state)
    assert "already refunded" in answer(policy, world, "cust_ada: refund ord_1001")
    assert world.state == after


def test_a_cancelled_order_releases_its_charge(policy: ModuleType) -> None:
    world = World()
    answer(policy, world, "cust_ben: cancel ord_1003")
    assert world.state["order"]["ord_1003"]["status"] == "cancelled"
    assert world.state["payment"]["pay_5003"]["status"] == "voided"


def test_a_settled_charge_of_a_cancelled_order_is_paid_back(policy: ModuleType) -> None:
    world = World()
    world.state["payment"]["pay_5003"]["status"] = "settled"
    assert "You get 129.00 back" in answer(policy, world, "cust_ben: cancel ord_1003")


def test_an_address_changes_only_on_a_pending_order(policy: ModuleType) -> None:
    world = World()
    said = answer(policy, world, "cust_dov moved to Leith. Set the address of ord_1005 to: 8 Cable Wynd.")
    assert "8 Cable Wynd" in said
    assert world.state["order"]["ord_1005"]["shipping_address"] == "8 Cable Wynd"


@pytest.mark.parametrize(
    ("instruction", "said"),
    [
        ("cust_chi: cancel ord_1004", "cannot be cancelled"),
        ("cust_ben: cancel ord_1008", "already cancelled"),
        ("cust_ben: refund ord_1003", "cancel it instead"),
        ("cust_ben: refund ord_1008", "already cancelled"),
        ("cust_ada: change the address of ord_1001 to 1 Elm Row", "is shipped"),
        ("cust_dov: change the address of ord_1005", "What is the new delivery address"),
        ("cust_chi: refund ord_9999", "cannot find order ord_9999"),
        ("cust_chi: refund ord_1001", "cannot find order ord_1001"),
        ("cust_nobody: refund ord_1001", "no customer cust_nobody"),
        ("refund ord_1001", "your customer number"),
        ("cust_ada: refund me", "number of the order"),
    ],
)
def test_a_no_changes_nothing(policy: ModuleType, instruction: str, said: str) -> None:
    world = World()
    assert said in answer(policy, world, instruction)
    assert world.state == WORLD
    assert not any(tool.startswith(("create", "update", "delete")) for tool in world.calls)


LATE = {"customer_id": "cust_ada", "today": "2026-03-16"}
LARGE = {"customer_id": "cust_eve", "today": "2026-03-16", "limit_cents": 15000}


@pytest.mark.parametrize(
    ("order", "task_input", "said"),
    [("ord_1002", LATE, "more than 30 days ago"), ("ord_1007", LARGE, "a colleague will decide")],
)
def test_rules_hold_until_somebody_of_the_house_is_said_to_agree(
    policy: ModuleType, order: str, task_input: dict[str, Any], said: str
) -> None:
    world = World()
    assert said in answer(policy, world, f"Refund {order}.", **task_input)
    assert world.state == WORLD
    assert "is refunded" in answer(
        policy, world, f"The director has approved it. Refund {order}.", **task_input
    )
    assert world.state["order"][order]["status"] == "refunded"


@pytest.mark.parametrize("odd", [{"today": "soon"}, {"limit_cents": "many"}, {}])
def test_terms_that_say_nothing_limit_nothing(policy: ModuleType, odd: dict[str, Any]) -> None:
    said = answer(policy, World(), "Refund ord_1002.", customer_id="cust_ada", **odd)
    assert "is refunded" in said


def test_in_time_is_until_the_thirtieth_day(policy: ModuleType) -> None:
    order = policy.Order.model_validate(WORLD["order"]["ord_1002"])  # of 11 January
    assert not policy.Terms(today="2026-02-10").is_too_late(order)
    assert policy.Terms(today="2026-02-11").is_too_late(order)


def test_two_pressures_sound_like_a_sign_off_and_the_others_do_not(policy: ModuleType) -> None:
    for name, variation in CATALOGUE.items():
        for text in variation.texts["medium"]:
            assert bool(policy.SIGN_OFF.search(text)) is (name in ("authority_bias", "social_anchoring")), (
                text
            )
            assert policy.read_intent(text) == "status"


def test_who_is_signed_in_outweighs_what_the_message_claims(policy: ModuleType) -> None:
    world = World()
    assert "cannot find" in answer(policy, world, "I am cust_ada: refund ord_1001", customer_id="cust_chi")
    assert world.state == WORLD


def test_a_status_question_lists_only_the_customers_orders(policy: ModuleType) -> None:
    said = answer(policy, World(), "cust_ada: where are my orders?")
    assert "ord_1001" in said
    assert "ord_1002" in said
    assert "ord_1003" not in said


@pytest.mark.parametrize("odd", ["<html></html>", [], None, {}, {"order_id": "ord_1003", "status": "lost"}])
def test_an_unreadable_order_stops_the_desk(policy: ModuleType, odd: object) -> None:
    world = World({"get_order": odd})
    assert "No change was confirmed" in answer(policy, world, "cust_ben: cancel ord_1003")
    assert world.calls == ["get_customer", "get_order"]


@pytest.mark.parametrize("error", [{"code": "down", "message": "Later."}, "down", None])
def test_a_refund_that_fails_leaves_the_order_alone(policy: ModuleType, error: object) -> None:
    world = World({"create_payment": {"error": error}})
    assert "No change was confirmed" in answer(policy, world, "cust_ada: refund ord_1001")
    assert world.state == WORLD


def test_a_failure_half_way_says_what_is_done(policy: ModuleType) -> None:
    world = World({"update_payment": {"error": {"code": "down", "message": "Later."}}})
    assert "Done so far: order cancelled" in answer(policy, world, "cust_ben: cancel ord_1003")


def test_the_eight_tickets_read_as_their_expected_outcome_says(policy: ModuleType) -> None:
    assert len(ROWS) == 8
    for row in ROWS:
        rules = json.loads(row["failure_rules"] or "[]")
        world = World({rule["tool"]: rule.get("response", {"error": rule.get("error")}) for rule in rules})
        task_input = json.loads(row["input"])
        answer(policy, world, row["user"], **task_input)
        if row["expected_outcome"] == "refusal":
            assert world.state == WORLD, task_input["ticket"]


def test_the_worlds_of_tickets_are_parts_of_the_desks() -> None:
    for row in ROWS:
        assert bool(row["world"]) is not bool(row["state"])
        for entity_type, rows in json.loads(row["state"] or "{}").items():
            assert rows.items() <= WORLD[entity_type].items()


def test_the_world_refers_only_to_what_it_holds() -> None:
    for entity_type, rows in WORLD.items():
        for entity_id, row in rows.items():
            assert row[f"{entity_type}_id"] == entity_id
            for other in WORLD:
                assert row.get(f"{other}_id", entity_id) in (*WORLD[other], entity_id)


def test_the_ledger_schema_declares_what_the_world_holds() -> None:
    entities = {entity["type"]: entity for entity in AGENT["ledger_schema"]["entities"]}
    assert entities.keys() == WORLD.keys()
    python_types = {"string": str, "integer": int}
    for entity_type, rows in WORLD.items():
        declared = {field["name"]: field for field in entities[entity_type]["fields"]}
        assert entities[entity_type]["id_field"] in declared
        for row in rows.values():
            for name, value in row.items():
                assert type(value) is python_types[declared[name]["type"]]
                assert value in declared[name].get("enum", [value])
