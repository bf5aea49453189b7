"""Worlds of several shapes, and calls of them that the world engine answers: from one seed, the same ones."""

import json
import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from odyssey.records.ledger import Add, Update
from odyssey.records.tools import EntityField, EntityType, LedgerSchema, Tool
from odyssey.simulation.engine import Answer, ToolCall
from odyssey.simulation.world.engine import WorldEngine
from odyssey.worlds.ledger import Ledger
from odyssey.worlds.operations import apply

DESK = Path(__file__).resolve().parents[3] / "examples" / "support-desk"
State = dict[str, dict[str, dict[str, Any]]]

_TYPES = {str: "string", int: "integer", bool: "boolean"}


class Id(NamedTuple):
    """An argument that gives the id of an entity of this type."""

    entity_type: str


Arguments = dict[str, Id | list[Any]]


class Spec(NamedTuple):
    """A tool and how its arguments are drawn: an id, or one of some values. `?` at the end: now and then."""

    name: str
    arguments: Arguments
    description: str = ""
    output: dict[str, Any] | None = None

    def tool(self) -> Tool:
        properties: dict[str, Any] = {}
        for name, drawn in self.arguments.items():
            sample = "" if isinstance(drawn, Id) else drawn[0]
            properties[name.removesuffix("?")] = {"type": _TYPES.get(type(sample), "string")}
        required = [name for name in self.arguments if not name.endswith("?")]
        inputs = {"type": "object", "properties": properties, "required": required}
        return Tool(self.name, inputs, self.description, self.output)


class Place(NamedTuple):
    name: str
    state: State
    tools: Sequence[Spec]
    schema: LedgerSchema | None = None


class Honest(NamedTuple):
    """A call of a world, answered as it should be."""

    place: Place
    call: ToolCall
    world: Ledger
    answer: Answer

    @property
    def after(self) -> Ledger:
        return apply(self.world, self.answer.operations, "off").ledger


def honest_calls(place: Place, count: int, chance: random.Random) -> Iterator[Honest]:
    """A walk through a world: each call meets what the ones before have left."""
    world = Ledger.boot(place.state)
    tools = {spec.name: spec.tool() for spec in place.tools}
    served = 0
    while served < count:
        spec = chance.choice(place.tools)
        call = ToolCall(tools[spec.name], _draw(spec, world, chance), place.schema, 7, served + 1)
        answer = WorldEngine().answer(call, world)
        if answer.certainty <= 0.3:
            raise AssertionError(f"{place.name}: {spec.name}{call.arguments} is not understood")
        served += 1
        yield Honest(place, call, world, answer)
        world = apply(world, answer.operations, "off").ledger
        if any(len(world.entities(name)) < 2 for name in place.state):
            world = Ledger.boot(place.state)


def in_other_words(honest: Honest, chance: random.Random) -> Honest:
    """The same answer as a model may give it: wrapped, with less or more in it, and more written than has changed."""
    answer = honest.answer
    if honest.call.tool.output_schema is not None or answer.refused:
        return honest
    response: Any = _retold(answer.response, honest, chance)
    if isinstance(response, dict) and chance.random() < 0.3:
        response = {chance.choice(["result", "data"]): response}
    operations = tuple(
        Update(
            each.entity_type,
            each.id,
            {**(honest.world.entity(each.entity_type, each.id) or {}), **each.fields},
        )
        if isinstance(each, Update) and chance.random() < 0.3
        else each
        for each in answer.operations
    )
    told = msgspec.structs.replace(answer, response=response, operations=operations)
    return honest._replace(answer=told)


def _retold(response: Any, honest: Honest, chance: random.Random) -> Any:
    if isinstance(response, list):
        return [_retold(each, honest, chance) for each in response]
    if not isinstance(response, dict):
        return response
    written = {
        name for each in honest.answer.operations if isinstance(each, Add | Update) for name in each.fields
    }
    kept = {
        name: value
        for name, value in response.items()
        if name in written or name.endswith(("id", "code")) or chance.random() < 0.8
    }
    return kept | ({"summary": "as asked", "score": 3} if chance.random() < 0.3 else {})


def _draw(spec: Spec, world: Ledger, chance: random.Random) -> dict[str, Any]:
    arguments: dict[str, Any] = {}
    for name, drawn in spec.arguments.items():
        if name.endswith("?") and chance.random() < 0.4:
            continue
        if not isinstance(drawn, Id):
            value = chance.choice(drawn)
        else:
            value = chance.choice(list(world.entities(drawn.entity_type)))
            value = value if chance.random() < 0.95 else "nobody-1"
        arguments[name.removesuffix("?")] = value
    return arguments


def _declare(state: State, id_fields: dict[str, str], enums: dict[str, list[str]]) -> LedgerSchema:
    names = {str: "string", bool: "boolean", int: "integer", float: "number", list: "array", dict: "object"}
    entities = []
    for entity_type, found in state.items():
        kinds: dict[str, str] = {}
        for fields in found.values():
            kinds |= {name: names[type(value)] for name, value in fields.items() if value is not None}
        declared = [
            msgspec.convert({"name": name, "type": kind, "enum": enums.get(name)}, EntityField)
            for name, kind in kinds.items()
        ]
        entities.append(EntityType(entity_type, id_fields[entity_type], fields=declared))
    return LedgerSchema(entities)


def _done(*members: str) -> dict[str, Any]:
    properties = {"success": {"type": "boolean"}, **{name: {"type": "string"} for name in members}}
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _wrapped(noun: str, *, many: bool = False) -> dict[str, Any]:
    inner = {"type": "array", "items": {"type": "object"}} if many else {"type": "object"}
    return {"type": "object", "properties": {noun: inner}, "required": [noun], "additionalProperties": False}


def _desk() -> tuple[Place, Place]:
    agent = json.loads((DESK / "agent.json").read_text())
    state = json.loads((DESK / "world.json").read_text())["initial_state"]
    outputs = {tool["name"]: tool.get("output_schema") for tool in agent["tools_schema"]}
    statuses = ["pending", "shipped", "delivered", "cancelled", "refunded"]
    order, payment, customer = Id("order"), Id("payment"), Id("customer")
    new: Arguments = {
        "order_id": order,
        "customer_id": customer,
        "kind": ["charge", "refund"],
        "status": ["settled"],
    }
    tools = [
        Spec("get_customer", {"customer_id": customer}),
        Spec("get_order", {"order_id": order}),
        Spec("list_orders", {"customer_id": customer}),
        Spec("get_payment", {"payment_id": payment}),
        Spec("create_payment", {**new, "amount_cents": [100, 2500]}),
        Spec("update_payment", {"payment_id": payment, "status": ["voided", "settled", "refunded"]}),
        Spec(
            "update_order",
            {"order_id": order, "status": statuses, "shipping_address?": ["1 Elm St", "2 Oak Rd"]},
        ),
    ]
    specs = [each._replace(output=outputs[each.name]) for each in tools]
    schema = msgspec.convert(agent["ledger_schema"], LedgerSchema)
    return Place("desk, declared", state, specs, schema), Place("desk, open", state, specs)


def _library() -> tuple[Place, Place]:
    def person(number: int, first: str, town: str) -> dict[str, Any]:
        return {
            "member_id": f"M-00{number}",
            "name": {"first": first, "last": "Moor"},
            "home": {"town": town, "postcode": f"AB{number}"},
            "email": f"{first.lower()}@example.com",
            "active": True,
        }

    people = [
        person(1, "Ida", "Leeds"),
        person(2, "Olu", "York"),
        person(3, "Ben", "Hull"),
        person(4, "Chi", "York"),
    ]
    state: State = {
        "member": {each["member_id"]: each for each in people},
        "title": {
            f"tt{number}": {
                "title_id": f"tt{number}",
                "name": name,
                "genre": genre,
                "year": 1990 + number,
                "tags": ["new", genre],
                "copies": {f"cp{number}": {"copy_id": f"cp{number}", "shelf": "A", "lost": False}},
            }
            for number, (name, genre) in enumerate(
                [("The Tide", "novel"), ("Birds", "nature"), ("Pools", "nature"), ("Ash", "novel")], start=1
            )
        },
        "loan": {
            f"loan{number}": {
                "loan_id": f"loan{number}",
                "member_id": f"M-00{number}",
                "status": status,
                "due_on": f"2024-03-0{number}",
                "lines": [{"title_id": f"tt{number}", "fee": 1.5}],
            }
            for number, status in enumerate(["active", "overdue", "returned"], start=1)
        },
    }
    member, title, loan = Id("member"), Id("title"), Id("loan")
    tools = [
        Spec("get_member", {"member_id": member}),
        Spec("find_member_id_by_email", {"email": [each["email"] for each in people]}),
        Spec("search_titles", {"genre?": ["novel", "nature"], "min_year?": [1991, 1993]}),
        Spec("get_title", {"title_id": title}, output=_wrapped("title")),
        Spec("list_loans", {"member_id?": member}, output=_wrapped("loans", many=True)),
        Spec("get_loan", {"loan_id": loan}),
        Spec("get_loan_status", {"loan_id": loan}),
        Spec("get_member_home", {"member_id": member}),
        Spec("count_titles", {"genre": ["novel", "nature"]}),
        Spec(
            "create_loan", {"member_id": member, "status": ["active"], "due_on": ["2024-05-01", "2024-06-01"]}
        ),
        Spec("update_loan", {"loan_id": loan, "due_on": ["2024-07-01", "2024-08-01"], "member_id?": member}),
        Spec("set_loan_status", {"loan_id": loan, "status": ["active", "overdue"]}, output=_done("loan_id")),
        Spec("update_member", {"member_id": member, "town": ["Leith", "Ayr"], "postcode": ["ZZ1", "ZZ2"]}),
        Spec("delete_loan", {"loan_id": loan}),
    ]
    schema = _declare(
        state,
        {"member": "member_id", "title": "title_id", "loan": "loan_id"},
        {"status": ["active", "overdue", "returned"], "genre": ["novel", "nature"]},
    )
    return Place("library, declared", state, tools, schema), Place("library, open", state, tools)


def _clinic() -> Place:
    state: State = {
        "nurse": {
            f"n{number}": {
                "nurse_code": f"n{number}",
                "ward": "east" if number < 3 else "west",
                "beds": number,
                "days": {"2024-05-01": {"status": "free", "beds": 4}},
            }
            for number in range(1, 5)
        },
        "visit": {
            key: {"visit_id": key, "patient_id": patient, "status": status, "slot": slot, "urgent": False}
            for key, patient, status, slot in [
                ("VQ7K2M", "p1", "booked", "09:00"),
                ("ZP4R9C", "p2", "done", "10:00"),
                ("KK2P0B", "p2", "booked", "11:00"),
            ]
        },
        "patient": {
            "p1": {"patient_id": "p1", "allergies": ["nuts"], "visits": ["VQ7K2M"]},
            "p2": {"patient_id": "p2", "allergies": ["dust", "milk"], "visits": ["ZP4R9C", "KK2P0B"]},
        },
    }
    visit, patient, nurse = Id("visit"), Id("patient"), Id("nurse")
    booking: Arguments = {"patient_id": patient, "slot": ["12:00", "13:00"], "urgent": [True, False]}
    tools = [
        Spec("get_visit", {"visit_id": visit}),
        Spec("get_patient", {"patient_id": patient}),
        Spec("search_nurses", {"ward": ["east", "west"]}),
        Spec("list_visits", {"patient_id": patient}),
        Spec("book_visit", booking, "Books a visit with status 'booked'."),
        Spec("update_visit", {"visit_id": visit, "slot": ["15:00", "16:00"], "urgent?": [True, False]}),
        Spec("cancel_visit", {"visit_id": visit}, output=_done()),
        Spec("add_patient_allergy", {"patient_id": patient, "allergy": ["cats", "rye", "wool"]}),
        Spec("set_nurse_ward", {"nurse_code": nurse, "value": ["north", "south"]}),
        Spec("remove_visit", {"visit_id": visit}, output=_done("visit_id")),
    ]
    return Place("clinic", state, tools)


def _depot() -> Place:
    """Ids are keys alone, entities are called `id` or nothing, and tools change numbers and switches."""
    state: State = {
        "bay": {
            f"b{number}": {"load": number * 5, "locked": False, "zone": "north"} for number in range(1, 5)
        },
        "parcel": {
            f"PX{number}": {"id": f"PX{number}", "status": "queued", "weight": number * 1.5, "note": None}
            for number in range(100, 105)
        },
        "driver": {
            str(number): {"id": number, "name": name, "status": "free", "weight": 80}
            for number, name in enumerate(["Ann", "Bob", "Cy"], start=1)
        },
    }
    bay, parcel, driver = Id("bay"), Id("parcel"), Id("driver")
    tools = [
        Spec("get_bay", {"bay_id": bay}),
        Spec("list_bays", {"zone": ["north", "south"]}),
        Spec("get_parcel", {"parcel_id": parcel}, output=_wrapped("parcel")),
        Spec("search_parcels", {"status": ["queued", "shipped"]}),
        Spec("get_driver", {"driver_id": driver}),
        Spec("update_bay", {"bay_id": bay, "load": [1, 2, 3], "zone": ["south", "north"]}),
        Spec("transfer_load", {"from_bay_id": bay, "to_bay_id": bay, "amount": [1, 2]}),
        Spec("lock_bay", {"bay_id": bay}),
        Spec("ship_parcel", {"parcel_id": parcel}, "The parcel status will be changed to 'shipped'."),
        Spec("update_parcel", {"parcel_id": parcel, "weight": [4, 9.5], "note": ["fragile", "heavy"]}),
        Spec("create_parcel", {"status": ["queued"], "weight": [2.5, 3.5]}),
        Spec("create_bay", {"load": [0, 1], "locked": [True, False], "zone": ["east"]}),
        Spec("delete_parcel", {"parcel_id": parcel}),
        Spec("rename_driver", {"driver_id": driver, "name": ["Dee", "Eve"]}, output=_wrapped("driver")),
    ]
    return Place("depot", state, tools)


PLACES: tuple[Place, ...] = (*_desk(), *_library(), _clinic(), _depot())
