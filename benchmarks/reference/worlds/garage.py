"""A car repair garage: repair orders from booking to collection, with bays, mechanics and spare parts."""

import re
from collections import Counter
from contextlib import suppress
from copy import deepcopy
from datetime import date, timedelta
from random import Random
from typing import Any

from benchmarks.reference.back_end import Call, RefusedError, State

Json = dict[str, Any]
STATUSES = ["BOOKED", "CHECKED_IN", "IN_REPAIR", "AWAITING_APPROVAL", "READY", "COLLECTED", "CANCELLED"]
OPEN, ACTIVE = STATUSES[:5], STATUSES[1:4]
WORK, ON_LIFT = ["BRAKES", "ENGINE", "ELECTRICAL", "EXHAUST", "TYRES"], ["BRAKES", "EXHAUST", "TYRES"]
MODELS = ["Norvik Alta", "Norvik Fjell", "Castelo Brio", "Tamaru Kite", "Halden Trek", "Ovelia 3"]
FIRST = ["Marta", "Olek", "Priya", "Tomas", "Wanda", "Yusuf", "Greta", "Silas"]
FAMILY = ["Brandvold", "Okafor", "Pellier", "Szabo", "Quint", "Marlowe", "Ferrante"]
TROUBLES = ["Rattling noise", "Warning light on", "Will not start when cold", "Pulls to the left"]
PARTS = """BRK-101 58.4 Front brake pads; BRK-102 49.9 Rear brake pads; BRK-140 12.9 Brake fluid 1 l
ENG-201 9.8 Oil filter; ENG-202 44.5 Engine oil 5 l; ENG-210 212 Timing belt kit; ENG-215 11.2 Spark plug
ENG-230 96.3 Water pump; ELC-301 129 Battery 70 Ah; ELC-305 318 Alternator; ELC-320 8.6 Headlight bulb
EXH-401 174 Rear silencer; EXH-410 6.4 Exhaust clamp; TYR-501 88 Summer tyre; TYR-502 97.5 Winter tyre"""

# What the API below refers to: `name:kind`, `name?:kind` if it may be left out, `kind*` for an array.
KINDS: Json = {one: {"type": one} for one in ("string", "integer", "number", "boolean")} | {
    "text": {"type": ["string", "null"]},
    "km": {"type": ["integer", "null"]},
    "day": {"type": "string", "format": "date", "description": "YYYY-MM-DD"},
    "status": {"type": "string", "enum": STATUSES},
    "work": {"type": "string", "enum": WORK},
    "query": {"type": "string", "minLength": 2},
    "order": {"type": "string", "description": "Repair order, e.g. RO-3107"},
    "mechanic": {"type": "string", "description": "e.g. M-05"},
    "limit": {"type": "integer", "minimum": 1, "maximum": 50, "default": 20},
    "mileage": {"type": "integer", "minimum": 0, "description": "Kilometres"},
    "hours": {"type": "number", "minimum": 0.25, "maximum": 12, "multipleOf": 0.25},
    "pieces": {"type": "integer", "minimum": 1, "maximum": 20},
    "euros": {"type": "number", "minimum": 0, "description": "Net amount in euros"},
    "percent": {"type": "integer", "minimum": 0, "maximum": 25},
    "payment": {"type": "string", "enum": ["CASH", "CARD", "ACCOUNT"]},
}
RECORDS = """LABOUR: line:integer task hours:number
FITTED: line:integer sku quantity:integer unitPrice:number
ORDER: id vehicleId customerId workType:work complaint status:status dropOffDate:day mileage:km mechanicId:text \
bayId:text labour:LABOUR* parts:FITTED* netTotal:number approvedUpTo:number discountPercent:integer \
invoiceNumber:text cancelReason:text
BRIEF: id status:status vehicleId workType:work dropOffDate:day mechanicId:text
VEHICLE: id plate model year:integer mileage:integer ownerId ownerName openOrderId:text
CUSTOMER: id name phone creditAccount:boolean blocked:boolean vehicleIds:string*
BAY: id kind orderId:text
MECHANIC: id name skills:work* onShift:boolean activeOrders:integer
FLOOR: today:day hourlyRate:number bays:BAY* mechanics:MECHANIC*
PART: sku name unitPrice:number onHand:integer
BALANCE: orderId status:status netTotal:number approvedUpTo:number
INVOICE: orderId invoiceNumber net:number discount:number vat:number total:number"""
API = """@ getRepairOrder orderId:order > ORDER
Get one repair order with its labour and part lines, the net total so far (hours at the workshop's hourly rate plus
parts, before discount and VAT) and the amount the customer has approved.
@ listRepairOrders status?:status mechanicId?:mechanic dropOffDate?:day limit?:limit > BRIEF*
List repair orders in brief, by drop-off date, then id. Filters are combined with AND; `limit` cuts the list off.
@ findVehicle plate > VEHICLE
Find a vehicle by number plate; upper or lower case and blanks make no difference. Also answers who owns it and the
open repair order, if there is one (open: neither COLLECTED nor CANCELLED).
@ searchCustomers query:query > CUSTOMER*
Search customers by part of their name or phone number. An empty array means nobody was found.
@ getShopFloor workType?:work > FLOOR
What goes on in the workshop: today's date, the hourly rate, every bay with the order that stands in it, and the
mechanics with their skills and how many active orders they have (CHECKED_IN, IN_REPAIR or AWAITING_APPROVAL). With
`workType`, only mechanics who can do that work and bays it can be done in.
@ searchParts query:query inStockOnly?:boolean > PART*
Search the parts store by the start of the SKU or of a word in the name. `inStockOnly` leaves out what has run out.
@ bookRepair vehicleId workType:work complaint dropOffDate:day approvedUpTo?:euros > ORDER
Book a vehicle in for drop-off today or within 30 days, Sundays excepted; the workshop takes no more than four cars
a day. A vehicle can have only one open order, and customers who are blocked for unpaid bills cannot book.
`approvedUpTo` is what may be spent without asking again, 250 by default.
@ checkInVehicle orderId:order mileage:mileage > ORDER
Take over the car of a BOOKED order, not before its drop-off date. The mileage on the dashboard is stored with the
order and the vehicle; it cannot be lower than what we have on file.
@ assignMechanic orderId:order mechanicId:mechanic > ORDER
Put a mechanic on an active order, in place of whoever had it. The mechanic must be on shift, have the skill for the
order's work type and have fewer than three active orders.
@ startRepair orderId:order bayId > ORDER
Drive a CHECKED_IN car into a free bay and start work (IN_REPAIR). A mechanic must be assigned. Brakes, exhaust and
tyres are only done in a LIFT bay, everything else in any.
@ addLabour orderId:order task hours:hours > BALANCE
Book working time, in quarters of an hour, on an order that is IN_REPAIR. If the net total then exceeds what the
customer approved, the order becomes AWAITING_APPROVAL and nothing can be added until more is approved.
@ fitPart orderId:order sku quantity:pieces
Take parts from the store and charge them, at today's price, to an order that is IN_REPAIR. Fails if there are not
enough on hand. Going over the approved amount has the same effect as with addLabour. Answers what is left on hand.
@ recordApproval orderId:order approvedUpTo:euros > BALANCE
Note that the customer agreed to a higher net amount for an active order. It must be more than approved before and
cover the net total so far; an order AWAITING_APPROVAL then goes back to IN_REPAIR.
@ completeRepair orderId:order > ORDER
Finish an order that is IN_REPAIR: it is READY for collection and its bay is free. Needs at least one labour line.
@ applyDiscount orderId:order percent:percent managerPin? > ORDER
Set the discount on a READY order, in whole percent (replaces an earlier one). More than 10 percent is up to the
workshop manager and needs the manager's PIN.
@ collectVehicle orderId:order paymentMethod:payment > INVOICE
Hand a READY car back and issue the invoice (20 percent VAT on the net total after discount). ACCOUNT is for customers
with a credit account; CASH is taken up to a total of 1000.
@ cancelRepair orderId:order reason
Cancel an order before work has begun, i.e. while BOOKED or CHECKED_IN. This cannot be undone."""


def _kind(kind: str) -> Json:
    schema: Json = KINDS[kind.rstrip("*") or "string"]
    return {"type": "array", "items": schema} if kind.endswith("*") else schema


def _record(fields: str) -> Json:
    known = [one.partition(":")[::2] for one in fields.split()]
    required = [name for name, _ in known if not name.endswith("?")]
    properties = {name.rstrip("?"): _kind(kind) for name, kind in known}
    return {"type": "object", "properties": properties, "required": required}


def _operation(text: str) -> Json:
    head, about = text.split("\n", 1)
    asks, _, answer = head.partition(" > ")
    name, _, fields = asks.partition(" ")
    tool: Json = {"name": name, "description": about.replace("\n", " "), "input_schema": _record(fields)}
    return {**tool, "output_schema": _kind(answer)} if answer else tool


for _line in RECORDS.splitlines():
    KINDS[_line.split(": ")[0]] = _record(_line.split(": ")[1])
TOOLS = [_operation(_text) for _text in API.removeprefix("@ ").split("\n@ ")]
INPUTS: dict[str, Json] = {_tool["name"]: _tool["input_schema"] for _tool in TOOLS}


def _snake(name: str) -> str:
    return re.sub("([A-Z])", r"_\1", name).lower()


def _need(fulfilled: Any, problem: str) -> None:
    if not fulfilled:
        raise RefusedError(problem)


def _check(schema: Json, body: Json) -> None:
    types: dict[str, Any] = {"string": str, "integer": int, "number": (int, float), "boolean": bool}
    for name in schema["required"]:
        _need(name in body, f"INVALID: {name} is missing")
    for name, value in body.items():
        rule = schema["properties"].get(name, {"type": "boolean", "enum": []})
        fits = isinstance(value, types[rule["type"]]) and value in rule.get("enum", [value])
        if fits and isinstance(value, str):
            fits = len(value.strip()) >= rule.get("minLength", 1)
        elif fits:
            fits = rule.get("minimum", value) <= value <= rule.get("maximum", value)
        _need(fits, f"INVALID: {name} cannot be {value!r}")


class _Workshop:
    """One request on the state; the methods are the operations."""

    def __init__(self, state: State) -> None:
        self.state, self.desk = state, state["workshop"]["main"]
        self.cars, self.bays, self.parts = state["vehicles"], state["bays"], state["parts"]

    def find(self, kind: str, key: str) -> Json:
        _need(key in self.state[kind], f"NOT_FOUND: there is no {key} in {kind}")
        return self.state[kind][key]

    def order(self, key: str, *statuses: str) -> Json:
        order = self.find("orders", key)
        _need(order["status"] in (statuses or STATUSES), f"CONFLICT: {key} is {order['status']}")
        return order

    def orders(self, statuses: list[str], **equal: Any) -> list[Json]:
        every = sorted(self.state["orders"].values(), key=lambda one: (one["dropOffDate"], one["id"]))
        every = [one for one in every if one["status"] in statuses]
        return [one for one in every if all(one[name] == value for name, value in equal.items())]

    def net(self, order: Json) -> float:
        hours = sum(one["hours"] for one in order["labour"])
        parts = sum(one["quantity"] * one["unitPrice"] for one in order["parts"])
        return float(round(hours * self.desk["hourlyRate"] + parts, 2))

    def view(self, order: Json, **changes: Any) -> Json:
        order.update(changes)
        return {**deepcopy(order), "netTotal": self.net(order)}

    def balance(self, order: Json) -> Json:
        """Set an order in a bay to the status that its total asks for."""
        net, approved = self.net(order), order["approvedUpTo"]
        if order["bayId"]:
            order["status"] = "AWAITING_APPROVAL" if net > approved else "IN_REPAIR"
        return {"orderId": order["id"], "status": order["status"], "netTotal": net, "approvedUpTo": approved}

    def free_days(self) -> list[str]:
        days = [date.fromisoformat(self.desk["today"]) + timedelta(one) for one in range(31)]
        taken = Counter(one["dropOffDate"] for one in self.orders(STATUSES[:-1]))
        return [str(one) for one in days if one.weekday() != 6 and taken[str(one)] < 4]

    def get_repair_order(self, order_id: str) -> Any:
        return self.view(self.order(order_id))

    def list_repair_orders(self, status: str = "", limit: int = 20, **more: str) -> Any:
        names = {"mechanic_id": "mechanicId", "drop_off_date": "dropOffDate"}
        equal = {names[name]: value for name, value in more.items()}
        found = self.orders([status] if status else STATUSES, **equal)[:limit]
        return [{name: one[name] for name in KINDS["BRIEF"]["required"]} for one in found]

    def find_vehicle(self, plate: str) -> Any:
        wanted = plate.replace(" ", "").upper()
        found = [one for one in self.cars.values() if one["plate"].replace(" ", "") == wanted]
        _need(found, f"NOT_FOUND: no vehicle with number plate {plate}")
        opened = [one["id"] for one in self.orders(OPEN, vehicleId=found[0]["id"])]
        owner = self.state["customers"][found[0]["ownerId"]]["name"]
        return {**found[0], "ownerName": owner, "openOrderId": opened[0] if opened else None}

    def search_customers(self, query: str) -> Any:
        found = [{**one, "vehicleIds": []} for one in self.state["customers"].values()]
        found = [one for one in found if query.lower() in f"{one['name']}\n{one['phone']}".lower()]
        for one in found:
            one["vehicleIds"] += [car["id"] for car in self.cars.values() if car["ownerId"] == one["id"]]
        return found

    def get_shop_floor(self, work_type: str = "") -> Any:
        kinds, inside = ["LIFT", "FLAT"], {one["bayId"]: one["id"] for one in self.orders(OPEN)}
        bays = [one for one in self.bays.values() if one["kind"] in kinds[: 1 if work_type in ON_LIFT else 2]]
        staff = [one for one in self.state["mechanics"].values() if work_type in ("", *one["skills"])]
        busy = Counter(one["mechanicId"] for one in self.orders(ACTIVE))
        floor: Json = {"today": self.desk["today"], "hourlyRate": self.desk["hourlyRate"]}
        floor["bays"] = [{**one, "orderId": inside.get(one["id"])} for one in bays]
        return {**floor, "mechanics": [{**deepcopy(one), "activeOrders": busy[one["id"]]} for one in staff]}

    def search_parts(self, query: str, in_stock_only: bool = False) -> Any:
        every = [dict(one) for _, one in sorted(self.parts.items()) if one["onHand"] or not in_stock_only]
        return [one for one in every if f" {query}".lower() in f" {one['sku']} {one['name']}".lower()]

    def book_repair(self, vehicle_id: str, work_type: str, complaint: str, **more: Any) -> Any:
        owner = self.state["customers"][self.find("vehicles", vehicle_id)["ownerId"]]
        _need(not self.orders(OPEN, vehicleId=vehicle_id), f"CONFLICT: {vehicle_id} has an open repair order")
        _need(not owner["blocked"], f"FORBIDDEN: {owner['name']} is blocked")
        day = more["drop_off_date"]
        _need(day in self.free_days(), f"CONFLICT: {day} is fully booked or no day for drop-off")
        number = max((int(one[3:]) for one in self.state["orders"]), default=3100) + 1
        order: Json = {name: None for name in KINDS["ORDER"]["required"] if name != "netTotal"}
        order |= {"id": f"RO-{number}", "vehicleId": vehicle_id, "customerId": owner["id"]}
        order |= {"workType": work_type, "complaint": complaint, "dropOffDate": day}
        order |= {"status": "BOOKED", "labour": [], "parts": [], "discountPercent": 0}
        self.state["orders"][order["id"]] = order
        return self.view(order, approvedUpTo=more.get("approved_up_to", 250))

    def check_in_vehicle(self, order_id: str, mileage: int) -> Any:
        order = self.order(order_id, "BOOKED")
        car, day = self.cars[order["vehicleId"]], order["dropOffDate"]
        _need(day <= self.desk["today"], f"CONFLICT: {order_id} is booked for {day}")
        _need(mileage >= car["mileage"], f"INVALID: the mileage on file is {car['mileage']}")
        car["mileage"] = mileage
        return self.view(order, mileage=mileage, status="CHECKED_IN")

    def assign_mechanic(self, order_id: str, mechanic_id: str) -> Any:
        order, one = self.order(order_id, *ACTIVE), self.find("mechanics", mechanic_id)
        _need(one["onShift"], f"CONFLICT: {mechanic_id} is off shift")
        _need(order["workType"] in one["skills"], f"CONFLICT: {mechanic_id} is not trained for this work")
        others = self.orders(ACTIVE, mechanicId=mechanic_id)
        _need(order in others or len(others) < 3, f"CONFLICT: {one['name']} has three active orders")
        return self.view(order, mechanicId=mechanic_id)

    def start_repair(self, order_id: str, bay_id: str) -> Any:
        order, bay = self.order(order_id, "CHECKED_IN"), self.find("bays", bay_id)
        _need(order["mechanicId"], f"CONFLICT: {order_id} has no mechanic")
        _need(not self.orders(OPEN, bayId=bay_id), f"CONFLICT: {bay_id} is occupied")
        _need(bay["kind"] == "LIFT" or order["workType"] not in ON_LIFT, f"CONFLICT: {bay_id} has no lift")
        return self.view(order, status="IN_REPAIR", bayId=bay_id)

    def add_labour(self, order_id: str, task: str, hours: float) -> Any:
        order = self.order(order_id, "IN_REPAIR")
        _need(hours % 0.25 == 0, "INVALID: hours must be a multiple of 0.25")
        order["labour"].append({"line": len(order["labour"]) + 1, "task": task, "hours": hours})
        return self.balance(order)

    def fit_part(self, order_id: str, sku: str, quantity: int) -> Any:
        order, part = self.order(order_id, "IN_REPAIR"), self.find("parts", sku)
        _need(part["onHand"] >= quantity, f"CONFLICT: only {part['onHand']} of {sku} on hand")
        part["onHand"] -= quantity
        line: Json = {"line": len(order["parts"]) + 1, "sku": sku, "quantity": quantity}
        order["parts"] += [{**line, "unitPrice": part["unitPrice"]}]
        return {**line, "leftOnHand": part["onHand"], "order": self.balance(order)}

    def record_approval(self, order_id: str, approved_up_to: float) -> Any:
        order = self.order(order_id, *ACTIVE)
        least = f"more than {order['approvedUpTo']} and no less than {self.net(order)}"
        _need(order["approvedUpTo"] < approved_up_to >= self.net(order), f"INVALID: must be {least}")
        order["approvedUpTo"] = approved_up_to
        return self.balance(order)

    def complete_repair(self, order_id: str) -> Any:
        order = self.order(order_id, "IN_REPAIR")
        _need(order["labour"], f"CONFLICT: no labour has been booked on {order_id}")
        return self.view(order, status="READY", bayId=None)

    def apply_discount(self, order_id: str, percent: int, manager_pin: str = "") -> Any:
        order = self.order(order_id, "READY")
        _need(percent <= 10 or manager_pin == self.desk["managerPin"], "FORBIDDEN: needs the manager's PIN")
        return self.view(order, discountPercent=percent)

    def collect_vehicle(self, order_id: str, payment_method: str) -> Any:
        order = self.order(order_id, "READY")
        net, owner = self.net(order), self.state["customers"][order["customerId"]]
        discount = round(net * order["discountPercent"] / 100, 2)
        vat = round((net - discount) * 0.2, 2)
        total = round(net - discount + vat, 2)
        _need(payment_method != "CASH" or total <= 1000, f"INVALID: {total} is too much for cash")
        _need(payment_method != "ACCOUNT" or owner["creditAccount"], "FORBIDDEN: not a credit customer")
        self.desk["lastInvoice"] += 1
        order.update(status="COLLECTED", invoiceNumber=f"INV-{self.desk['lastInvoice']}")
        bill = {"orderId": order_id, "invoiceNumber": order["invoiceNumber"], "net": net}
        return {**bill, "discount": discount, "vat": vat, "total": total}

    def cancel_repair(self, order_id: str, reason: str) -> Any:
        order = self.order(order_id, "BOOKED", "CHECKED_IN")
        order.update(status="CANCELLED", cancelReason=reason)
        return {"orderId": order_id, "status": "CANCELLED"}


def _points(order: Json, today: str) -> set[str]:
    """Say where an order is: its status, and whether the car is DUE, has been STAFFED, or its job is DONE."""
    status = order["status"]
    more = {"DUE": status == "BOOKED" and order["dropOffDate"] <= today}
    more["STAFFED"] = status == "CHECKED_IN" and order["mechanicId"]
    more["DONE"] = status == "IN_REPAIR" and len(order["labour"]) > 1
    return {"ANY", status, *(point for point in more if more[point])}


def _values(shop: _Workshop, order: Json, random: Random) -> dict[str, tuple[list[Any], Any]]:
    """Give, for each parameter there is, values that fit an order, and one that is a mistake."""
    floor, today = shop.get_shop_floor(order["workType"]), shop.desk["today"]
    busy = {one["vehicleId"] for one in shop.orders(OPEN)}
    owners = shop.state["customers"]
    idle = [one for one in shop.cars if one not in busy and not owners[shop.cars[one]["ownerId"]]["blocked"]]
    able = [one["id"] for one in floor["mechanics"] if one["onShift"] and one["activeOrders"] < 3]
    bays = {one["id"]: one["orderId"] is None for one in floor["bays"]}
    credit = owners[order["customerId"]]["creditAccount"]
    asked = int(max(shop.net(order), order["approvedUpTo"]))
    mileage = shop.cars[order["vehicleId"]]["mileage"]
    return {
        "orderId": ([order["id"]], f"RO-9{order['id'][4:]}"),
        "status": ([order["status"]], "DONE"),
        "limit": ([5, 10, 20], 500),
        "plate": ([one["plate"] for one in shop.cars.values()], "ZZ 100"),
        "query": ([*FIRST, *FAMILY, "0555"], "o"),
        "workType": (WORK, "PAINT"),
        "inStockOnly": ([True], "yes"),
        "vehicleId": (idle, random.choice(["V-990", *sorted(busy)])),
        "complaint": (TROUBLES, ""),
        "dropOffDate": (shop.free_days()[:7], random.choice(["2030-12-30", "tomorrow", today[:8] + "32"])),
        "approvedUpTo": ([asked + 20, asked + 150], asked // 3),
        "mileage": ([mileage + 350, mileage + 8040], mileage - 900),
        "mechanicId": (able, "M-31"),
        "bayId": ([one for one in bays if bays[one]], random.choice(["BAY-12", *bays])),
        "task": (["Diagnosis", "Replace worn parts", "Test drive", "Strip and clean"], ""),
        "hours": ([0.5, 0.75, 1, 1.5, 2.5], 1.1),
        "sku": ([one["sku"] for one in shop.parts.values() if one["onHand"] > 3], "BRK-999"),
        "quantity": ([1, 1, 2, 4], 20),
        "percent": ([5, 10], random.choice([15, 40])),
        "managerPin": ([shop.desk["managerPin"]], "0000"),
        "paymentMethod": (["CARD", "ACCOUNT" if credit else "CARD"], "CASH" if asked > 1000 else "CHEQUE"),
        "reason": (["Customer called off", "Sold the car"], ""),
    }


def _draft(state: State, random: Random, tools: list[str], mistake: bool) -> Call:
    """Make the call of a service advisor; a mistake is an order at another point or one wrong value."""
    shop = _Workshop(state)
    orders = {one["id"]: _points(one, shop.desk["today"]) for one in shop.orders(STATUSES)}
    tools = [one for one in tools if any(USES[one][1] in points for points in orders.values())]
    tool = random.choices(tools, [USES[one][0] for one in tools])[0]
    others = [one for one in orders if USES[tool][1] not in orders[one]]
    astray = mistake and others and random.random() < 0.4
    key = random.choice(others if astray else [one for one in orders if one not in others])
    order, schema = state["orders"][key], INPUTS[tool]
    values = _values(shop, order, random)
    if tool == "searchParts":
        values["query"] = (["brake", "oil", "TYR", "ELC-3", "Exhaust"], "")
    elif tool == "listRepairOrders":
        values["dropOffDate"] = ([order["dropOffDate"]], "")
        values["mechanicId"] = ([order["mechanicId"] or "M-04"], "")
    kept = [one for one in schema["properties"] if one in schema["required"] or random.random() < 0.4]
    body = {name: random.choice(values[name][0] or [values[name][1]]) for name in kept}
    if mistake and not astray and kept:
        wrong = random.choice(kept)
        body[wrong] = values[wrong][1]
    return Call(tool, body)


# How often each tool is used, and at which points of an order.
_USED = """getRepairOrder 16 ANY, listRepairOrders 9 ANY, findVehicle 9 ANY, searchCustomers 5 ANY, getShopFloor 7 ANY,
searchParts 6 ANY, bookRepair 7 ANY, checkInVehicle 7 DUE, assignMechanic 6 CHECKED_IN, startRepair 7 STAFFED,
addLabour 9 IN_REPAIR, fitPart 8 IN_REPAIR, recordApproval 9 AWAITING_APPROVAL, completeRepair 8 DONE,
applyDiscount 3 READY, collectVehicle 3 READY, cancelRepair 3 BOOKED"""
USES = {one.split()[0]: (int(one.split()[1]), one.split()[2]) for one in _USED.split(",")}


class Garage:
    name = "garage"
    tools = TOOLS

    def begin(self, random: Random) -> State:
        kinds = ("orders", "vehicles", "customers", "mechanics", "bays", "parts", "workshop")
        state: State = {kind: {} for kind in kinds}
        monday = date(2031, 1, 6) + timedelta(7 * random.randrange(110))
        desk: Json = {"today": str(monday), "hourlyRate": random.choice([78, 84, 92.5])}
        desk |= {"lastInvoice": random.randint(200, 900), "managerPin": str(random.randint(1000, 9999))}
        state["workshop"]["main"] = desk
        names = random.sample([f"{first} {last}" for first in FIRST for last in FAMILY], 30)
        for i, name in enumerate(names[:8]):
            skills = sorted({WORK[i % 5], *random.sample(WORK, 2)})
            one: Json = {"id": f"M-{i + 1:02}", "name": name, "skills": skills, "onShift": i % 4 != 3}
            state["mechanics"][one["id"]] = one
            state["bays"][f"BAY-{i + 1}"] = {"id": f"BAY-{i + 1}", "kind": "LIFT" if i < 5 else "FLAT"}
        for i, name in enumerate(names[8:]):
            one = {"id": f"C-{i + 501}", "name": name, "phone": f"0555 {random.randint(100000, 999999)}"}
            one |= {"creditAccount": random.random() < 0.3, "blocked": False}
            state["customers"][one["id"]] = one
        for i in range(random.randint(50, 58)):
            one = {"id": f"V-{i + 201}", "model": random.choice(MODELS), "year": random.randint(2012, 2029)}
            one |= {"plate": f"KR {i + 11} {random.randint(100, 999)}", "mileage": random.randrange(99999)}
            state["vehicles"][one["id"]] = {**one, "ownerId": random.choice(list(state["customers"]))}
        for part in PARTS.replace("\n", "; ").split("; "):
            sku, price, name = part.split(" ", 2)
            state["parts"][sku] = {"sku": sku, "name": name, "unitPrice": float(price)}
            state["parts"][sku]["onHand"] = random.randint(0, 24)
        shop = _Workshop(state)
        for car in list(shop.cars)[:8]:
            shop.book_repair(car, random.choice(WORK), TROUBLES[0], drop_off_date=shop.free_days()[0])
        for i in range(random.randint(200, 270)):  # some days of work, so that orders are at all points
            desk["today"] = str(monday + timedelta(i // 22))
            with suppress(RefusedError):
                self.call(state, *_draft(state, random, list(USES)[6 : 17 - (i % 9 > 0)], False))
        for customer in state["customers"].values():
            customer["blocked"] = not shop.orders(OPEN, customerId=customer["id"]) and random.random() < 0.6
        return state

    def call(self, state: State, tool: str, arguments: dict[str, Any]) -> Any:
        _need(tool in INPUTS, f"NOT_FOUND: no operation {tool}")
        _check(INPUTS[tool], arguments)
        values = {_snake(name): value for name, value in arguments.items()}
        return getattr(_Workshop(state), _snake(tool))(**values)

    def next_call(self, state: State, random: Random) -> Call:
        return _draft(state, random, list(USES), random.random() < 0.21)
