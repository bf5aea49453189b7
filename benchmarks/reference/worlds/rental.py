"""A car rental at its counter: vehicles, customers, rentals with extras, inspections, rates, who is signed in."""

import re
from collections.abc import Callable
from copy import deepcopy
from datetime import date, timedelta
from inspect import cleandoc, signature
from random import Random
from typing import Any

from benchmarks.reference.back_end import Call, RefusedError, State

Entity = dict[str, Any]
Maybe = str | None
Rows = list[Entity] | None

CLASSES = ["ECONOMY", "COMPACT", "SUV", "VAN", "LUXURY"]
CITIES = {"LIS": "Lisbon", "OPO": "Porto", "FAO": "Faro", "MAD": "Madrid", "SVQ": "Seville", "AGP": "Málaga"}
MODELS = ["Toyota Yaris", "Fiat 500", "Renault Clio", "VW Golf", "Skoda Octavia", "Ford Transit"]
EXTRAS = {"GPS": "Navigation", "CHILD_SEAT": "Child seat", "ADD_DRIVER": "Additional driver"}
FIRST = ["Ana", "Bruno", "Clara", "Diego", "Eva", "Filipe", "Gina", "Henrik", "Inês", "Jorge"]
LAST = ["Almeida", "Barros", "Costa", "Duarte", "Esteves", "Ferrer", "Gomes", "Holm", "Iglesias", "Lopes"]
PARTS = ["front bumper", "rear bumper", "left door", "right door", "windscreen", "left mirror", "roof"]
ROLES = ["AGENT", "MANAGER", "MANAGER"]
LOYALTY = {"NONE": 0, "SILVER": 5, "GOLD": 10}
STATUSES = ["RESERVED", "ACTIVE", "COMPLETED", "CANCELLED"]
EXTRA: Entity = {"code": {"type": "string"}, "quantity": {"type": "integer", "minimum": 1, "default": 1}}
FINDING: Entity = {"part": {"type": "string"}, "severity": {"type": "string", "enum": ["MINOR", "MAJOR"]}}
PARAMETERS: dict[str, Entity] = {
    "vehicle_class": {"type": "string", "enum": CLASSES},
    "status": {"type": "string", "enum": STATUSES},
    "branch": {"type": "string", "description": "Three-letter branch code; this desk's branch when left out"},
    "code": {"type": "string", "description": "Code of the extra, like GPS"},
    "start_date": {"type": "string", "format": "date", "description": "YYYY-MM-DD, not before today"},
    "days": {"type": "integer", "minimum": 1, "maximum": 30},
    "extra_days": {"type": "integer", "minimum": 1, "maximum": 14},
    "limit": {"type": "integer", "minimum": 1, "maximum": 50},
    "quantity": {"type": "integer", "minimum": 1, "maximum": 4},
    "odometer": {"type": "integer"},
    "fuel_level": {"type": "integer", "minimum": 0, "maximum": 100, "description": "Percent of a full tank"},
    "daily_rate": {"type": "number", "minimum": 10, "maximum": 500},
    "extras": {"type": "array", "items": {"type": "object", "properties": EXTRA, "required": ["code"]}},
    "findings": {"type": "array", "items": {"type": "object", "properties": FINDING, "required": [*FINDING]}},
}


def _camel(name: str) -> str:
    return re.sub(r"_(\w)", lambda match: match[1].upper(), name)


def _declare(function: Callable[..., Any]) -> dict[str, Any]:
    """Declare a plain function as a tool by its docstring and its parameters, in camel case."""
    properties: Entity = {}
    parameters = list(signature(function).parameters.values())[1:]
    for each in parameters:
        properties[_camel(each.name)] = dict(PARAMETERS.get(each.name, {"type": "string"}))
        if each.default not in (each.empty, None):
            properties[_camel(each.name)]["default"] = each.default
    required = [_camel(each.name) for each in parameters if each.default is each.empty]
    schema: Entity = {"type": "object", "properties": properties, "required": required}
    description = cleandoc(function.__doc__ or "").replace("\n", " ")
    return {"name": _camel(function.__name__), "description": description, "input_schema": schema}


def _refuse_if(wrong: bool, message: str) -> None:
    if wrong:
        raise RefusedError(message)


def _get(state: State, kind: str, entity_id: str) -> Entity:
    _refuse_if(entity_id not in state[kind], f"'{entity_id}' not found in {kind}.")
    return state[kind][entity_id]


def _rental(state: State, rental_id: str, *statuses: str) -> Entity:
    _employee(state)
    rental = _get(state, "rentals", rental_id)
    _refuse_if(rental["status"] not in statuses, f"Rental {rental_id} is {rental['status']}.")
    return rental


def _employee(state: State) -> Entity:
    employee_id = state["session"]["desk"]["employeeId"]
    _refuse_if(employee_id is None, "Nobody is signed in at this desk.")
    return state["employees"][employee_id]


def _next_id(entities: dict[str, Entity], prefix: str) -> str:
    return f"{prefix}{max(int(each[len(prefix) :]) for each in entities) + 1}"


def _after(day: str, days: int) -> str:
    return str(date.fromisoformat(day) + timedelta(days=days))


def _discount(state: State, vehicle_class: str, days: int, customer: Entity | None) -> int:
    weekly = state["rates"][vehicle_class]["weeklyDiscountPercent"] if days >= 7 else 0
    return int(weekly + (LOYALTY[customer["loyaltyTier"]] if customer else 0))


def _order(state: State, wanted: list[Entity]) -> list[Entity]:
    """Turn wanted codes and quantities into lines with prices."""
    lines = []
    for each in wanted:
        extra, quantity = _get(state, "extras", each["code"]), each.get("quantity", 1)
        most = extra["maxQuantity"]
        _refuse_if(not 1 <= quantity <= most, f"Between 1 and {most} of {each['code']} can be rented.")
        lines.append({"code": each["code"], "quantity": quantity, "pricePerDay": extra["pricePerDay"]})
    return lines


def _total(rental: Entity) -> float:
    extras = sum(each["pricePerDay"] * each["quantity"] for each in rental["extras"])
    per_day = rental["dailyRate"] * (100 - rental["discountPercent"]) / 100 + extras
    return float(round(per_day * rental["days"], 2))


class Rental:
    """Rules of the counter; the desk's session says which day it is, so that nothing depends on a clock."""

    name = "rental"

    def __init__(self) -> None:
        others = ("name", "begin", "call", "next_call")
        names = [each for each in vars(Rental) if not each.startswith("_") and each not in others]
        self.tools = [_declare(getattr(self, each)) for each in names]

    def begin(self, random: Random) -> State:
        today = str(date(2024, 3, 4) + timedelta(days=random.randrange(400)))
        kinds = ["session", "employees", "branches", "rates", "extras", "vehicles", "customers", "rentals"]
        state: State = {kind: {} for kind in [*kinds, "inspections"]}
        codes = random.sample(list(CITIES), 4)
        state["branches"] = {code: {"code": code, "city": CITIES[code]} for code in codes}
        for number in range(11, 19):
            employee = {"name": f"{random.choice(FIRST)} {random.choice(LAST)}", "role": random.choice(ROLES)}
            state["employees"][f"E-{number}"] = employee | {"pin": str(random.randint(1000, 9999))}
        signed_in, branch = random.choice([*state["employees"], None]), random.choice(codes)
        state["session"]["desk"] = {"employeeId": signed_in, "branch": branch, "date": today}
        for rank, each in enumerate(CLASSES, 1):
            rate = round(random.randint(24, 36) + 17 * rank - random.choice([0.1, 0.5]), 2)
            discount = {"weeklyDiscountPercent": random.choice([5, 10])}
            state["rates"][each] = {"dailyRate": rate, "deposit": 100 * rank} | discount
        for code, label in EXTRAS.items():
            extra = {"name": label, "pricePerDay": random.choice([3.5, 5, 6.5, 8])}
            state["extras"][code] = extra | {"maxQuantity": random.randint(1, 3)}
        self._begin_vehicles(state, random, today)
        self._begin_customers(state, random, today)
        self._begin_rentals(state, random, today)
        return state

    def _begin_vehicles(self, state: State, random: Random, today: str) -> None:
        inspections = random.randint(300, 800)
        for number in range(random.randint(101, 400), 1000)[: random.randint(36, 44)]:
            make, model = random.choice(MODELS).split(" ", 1)
            vehicle: Entity = {"vehicleId": f"V-{number}", "make": make, "model": model, "damages": []}
            vehicle["plate"] = f"{random.randint(10, 99)}-{''.join(random.sample('ABCDEFGHJK', 2))}-{number}"
            vehicle |= {"vehicleClass": random.choice(CLASSES), "branch": random.choice([*state["branches"]])}
            vehicle |= {"odometer": random.randint(4000, 90000), "fuelLevel": random.choice([60, 75, 100])}
            status = "AVAILABLE" if random.random() < 0.9 else "MAINTENANCE"
            state["vehicles"][f"V-{number}"] = vehicle | {"status": status}
        for number, vehicle_id in enumerate(random.choices(list(state["vehicles"]), k=20), inspections):
            found = [{"part": random.choice(PARTS), "severity": random.choice(["MINOR", "MAJOR"])}]
            found = random.choice([[], found])
            state["vehicles"][vehicle_id]["damages"].extend(deepcopy(found))
            inspection: Entity = {"inspectionId": f"INS-{number}", "vehicleId": vehicle_id, "findings": found}
            inspection |= {"date": _after(today, -random.randint(2, 90)), "fuelLevel": random.randint(9, 99)}
            employee_id = random.choice(list(state["employees"]))
            state["inspections"][f"INS-{number}"] = inspection | {"employeeId": employee_id}

    def _begin_customers(self, state: State, random: Random, today: str) -> None:
        names = random.sample([(first, last) for first in FIRST for last in LAST], random.randint(24, 32))
        for number, (first, last) in enumerate(names, random.randint(5000, 8000)):
            customer: Entity = {"customerId": f"C-{number}", "name": f"{first} {last}"}
            customer["email"] = f"{first}.{last}@inbox.example".lower()
            customer["licence"] = {"number": f"{last[:2].upper()}{random.randint(100000, 999999)}"}
            customer["licence"]["expires"] = _after(today, random.choice([-40, 12, 300, 900, 1500]))
            customer["loyaltyTier"] = random.choice(["NONE", "NONE", "SILVER", "GOLD"])
            state["customers"][f"C-{number}"] = customer | {"blocked": random.random() < 0.12}

    def _begin_rentals(self, state: State, random: Random, today: str) -> None:
        free = [each for each in state["vehicles"].values() if each["status"] == "AVAILABLE"]
        offsets = {"RESERVED": (-1, 2), "ACTIVE": (-9, -1), "COMPLETED": (-70, -20), "CANCELLED": (-30, 10)}
        for number, status in enumerate(random.sample(STATUSES * 9, 36), random.randint(20000, 30000)):
            vehicle = random.choice(free)
            if status in ("RESERVED", "ACTIVE"):
                free.remove(vehicle)
                vehicle["status"] = "RENTED" if status == "ACTIVE" else "RESERVED"
            start, days = _after(today, random.randint(*offsets[status])), random.randint(1, 12)
            wanted = [{"code": code} for code in random.sample(list(EXTRAS), random.choice([0, 1, 1, 2]))]
            customer = random.choice(list(state["customers"].values()))
            rental = self._new_rental(state, customer, vehicle, start, days, _order(state, wanted))
            rental["status"], rental["deposit"]["held"] = status, status == "ACTIVE"
            if status == "COMPLETED":
                rental["returnedOn"] = rental["endDate"]
                rental["charges"] = {"late": 0, "fuel": random.choice([0, 0, 12.0, 30.0])}
            state["rentals"][f"RA-{number}"] = {"rentalId": f"RA-{number}"} | rental

    def _new_rental(
        self, state: State, customer: Entity, vehicle: Entity, start: str, days: int, extras: list[Entity]
    ) -> Entity:
        rate = state["rates"][vehicle["vehicleClass"]]
        rental: Entity = {"customerId": customer["customerId"], "vehicleId": vehicle["vehicleId"]}
        rental |= {"status": "RESERVED", "pickupBranch": vehicle["branch"], "startDate": start, "days": days}
        rental |= {"endDate": _after(start, days), "dailyRate": rate["dailyRate"], "extras": extras}
        rental["discountPercent"] = _discount(state, vehicle["vehicleClass"], days, customer)
        rental |= {"deposit": {"amount": rate["deposit"], "held": False}, "returnedOn": None, "charges": None}
        return rental | {"total": _total(rental), "cancelReason": None}

    def call(self, state: State, tool: str, arguments: dict[str, Any]) -> Any:
        schemas = {each["name"]: each["input_schema"] for each in self.tools}
        _refuse_if(tool not in schemas, f"Unknown tool {tool}.")
        for key in schemas[tool]["required"]:
            _refuse_if(key not in arguments, f"{key} is required.")
        for key, value in arguments.items():
            limits = schemas[tool]["properties"].get(key, {})
            _refuse_if(value not in limits.get("enum", [value]), f"'{value}' is not a valid {key}.")
            _refuse_if("minimum" in limits and value < limits["minimum"], f"{key} is too small.")
            _refuse_if("maximum" in limits and value > limits["maximum"], f"{key} is too large.")
        snake = {re.sub(r"([A-Z])", r"_\1", key).lower(): value for key, value in arguments.items()}
        return deepcopy(getattr(self, re.sub(r"([A-Z])", r"_\1", tool).lower())(state, **snake))

    def get_session(self, state: State) -> Any:
        """Who is signed in at this desk, at which branch, and today's business date."""
        return state["session"]["desk"]

    def search_vehicles(self, state: State, branch: Maybe = None, vehicle_class: Maybe = None) -> Any:
        """Find vehicles that are AVAILABLE at a branch, cheapest first, with the current daily rate of their class."""
        branch, found = branch or state["session"]["desk"]["branch"], []
        _get(state, "branches", branch)
        for vehicle in state["vehicles"].values():
            rate = state["rates"][vehicle["vehicleClass"]]["dailyRate"]
            fits = vehicle["branch"] == branch and vehicle_class in (None, vehicle["vehicleClass"])
            if fits and vehicle["status"] == "AVAILABLE":
                shown = ("vehicleId", "plate", "make", "model", "vehicleClass")
                found.append({key: vehicle[key] for key in shown} | {"dailyRate": rate})
        found.sort(key=lambda each: (each["dailyRate"], each["vehicleId"]))
        return {"branch": branch, "count": len(found), "vehicles": found}

    def get_vehicle(self, state: State, vehicle_id: str) -> Any:
        """Fetch one vehicle with its condition, known damages and inspections, the newest first."""
        vehicle = _get(state, "vehicles", vehicle_id)
        found = [each for each in state["inspections"].values() if each["vehicleId"] == vehicle_id]
        found.sort(key=lambda each: (each["date"], each["inspectionId"]), reverse=True)
        return {"vehicle": vehicle, "inspections": found}

    def find_customer(self, state: State, email: Maybe = None, licence_number: Maybe = None) -> Any:
        """Find a customer by e-mail address or by licence number, or both. The customer is null when nobody matches."""
        _refuse_if(not email and not licence_number, "Give an email or a licenceNumber.")
        for each in state["customers"].values():
            if email in (None, each["email"]) and licence_number in (None, each["licence"]["number"]):
                return {"customer": each}
        return {"customer": None}

    def list_rentals(
        self, state: State, status: Maybe = None, customer_id: Maybe = None, limit: int = 10
    ) -> Any:
        """List rentals, the latest start date first, by status or customer if wanted. total counts all that match."""
        if customer_id:
            _get(state, "customers", customer_id)
        found = [each for each in state["rentals"].values() if customer_id in (None, each["customerId"])]
        found = [each for each in found if status in (None, each["status"])]
        found.sort(key=lambda each: (each["startDate"], each["rentalId"]), reverse=True)
        shown = ("rentalId", "customerId", "vehicleId", "status", "startDate", "endDate")
        return {"rentals": [{key: each[key] for key in shown} for each in found[:limit]], "total": len(found)}

    def get_rental(self, state: State, rental_id: str) -> Any:
        """Get the full rental agreement."""
        return {"rental": _get(state, "rentals", rental_id)}

    def quote_rental(
        self, state: State, vehicle_class: str, days: int, extras: Rows = None, customer_id: Maybe = None
    ) -> Any:
        """Price a rental without booking it. From 7 days on the weekly discount of the class applies to the daily rate;
        the customer's loyalty tier adds 5 (SILVER) or 10 (GOLD) percentage points. Extras are not discounted.
        """
        customer = _get(state, "customers", customer_id) if customer_id else None
        rate, discount = state["rates"][vehicle_class], _discount(state, vehicle_class, days, customer)
        priced = {"dailyRate": rate["dailyRate"], "days": days, "discountPercent": discount}
        total = _total(priced | {"extras": _order(state, extras or [])})
        return priced | {"total": total, "deposit": rate["deposit"]}

    def sign_in(self, state: State, employee_id: str, pin: str) -> Any:
        """Sign an employee in at this desk with their PIN, in place of whoever was signed in."""
        employee = state["employees"].get(employee_id, {"pin": None})
        _refuse_if(employee["pin"] != pin, "Wrong employee id or PIN.")
        state["session"]["desk"]["employeeId"] = employee_id
        return {"success": True, "name": employee["name"], "role": employee["role"]}

    def sign_out(self, state: State) -> Any:
        """Sign the current employee out of this desk."""
        _employee(state)
        state["session"]["desk"]["employeeId"] = None
        return {"success": True}

    def create_rental(
        self, state: State, customer_id: str, vehicle_id: str, start_date: str, days: int, extras: Rows = None
    ) -> Any:
        """Reserve an AVAILABLE vehicle for a customer, priced as in quoteRental; the vehicle becomes RESERVED. The
        customer must not be blocked and the licence must be valid until the end date. Rentals are numbered on.
        """
        _employee(state)
        customer, vehicle = _get(state, "customers", customer_id), _get(state, "vehicles", vehicle_id)
        _refuse_if(start_date < state["session"]["desk"]["date"], "startDate is in the past.")
        _refuse_if(customer["blocked"], f"Customer {customer_id} is blocked.")
        expired = customer["licence"]["expires"] < _after(start_date, days)
        _refuse_if(expired, f"The licence of {customer_id} expires on {customer['licence']['expires']}.")
        _refuse_if(vehicle["status"] != "AVAILABLE", f"Vehicle {vehicle_id} is {vehicle['status']}.")
        rental = self._new_rental(state, customer, vehicle, start_date, days, _order(state, extras or []))
        key = _next_id(state["rentals"], "RA-")
        state["rentals"][key] = {"rentalId": key} | rental
        vehicle["status"] = "RESERVED"
        return {"rental": state["rentals"][key]}

    def start_rental(self, state: State, rental_id: str) -> Any:
        """Start a RESERVED rental whose date has come: it becomes ACTIVE, its vehicle RENTED, the deposit is held."""
        rental = _rental(state, rental_id, "RESERVED")
        early = rental["startDate"] > state["session"]["desk"]["date"]
        _refuse_if(early, f"Rental {rental_id} starts on {rental['startDate']}.")
        rental["status"], rental["deposit"]["held"] = "ACTIVE", True
        state["vehicles"][rental["vehicleId"]]["status"] = "RENTED"
        return {"status": "ACTIVE", "depositHeld": rental["deposit"]["amount"]}

    def return_vehicle(self, state: State, rental_id: str, odometer: int, fuel_level: int) -> Any:
        """Take the vehicle of an ACTIVE rental back at this desk's branch: the rental is COMPLETED, the vehicle
        AVAILABLE, the deposit released. Each day after the end date costs one and a half daily rates, each percent of
        fuel missing compared with the vehicle's level before costs 1.20.
        """
        rental, desk = _rental(state, rental_id, "ACTIVE"), state["session"]["desk"]
        vehicle = state["vehicles"][rental["vehicleId"]]
        _refuse_if(odometer < vehicle["odometer"], f"Odometer was at {vehicle['odometer']} already.")
        late = (date.fromisoformat(desk["date"]) - date.fromisoformat(rental["endDate"])).days
        charges = {"late": round(max(0, late) * 1.5 * rental["dailyRate"], 2)}
        charges["fuel"] = round(max(0, vehicle["fuelLevel"] - fuel_level) * 1.2, 2)
        vehicle |= {"odometer": odometer, "fuelLevel": fuel_level}
        vehicle |= {"branch": desk["branch"], "status": "AVAILABLE"}
        rental |= {"status": "COMPLETED", "returnedOn": desk["date"], "charges": charges}
        rental["deposit"]["held"] = False
        due = round(rental["total"] + charges["late"] + charges["fuel"], 2)
        return {"rentalId": rental_id, "charges": charges, "amountDue": due}

    def cancel_rental(self, state: State, rental_id: str, reason: Maybe = None) -> Any:
        """Cancel a RESERVED rental and free its vehicle. From the start date on, one daily rate is charged as a fee."""
        rental = _rental(state, rental_id, "RESERVED")
        free = rental["startDate"] > state["session"]["desk"]["date"]
        rental |= {"status": "CANCELLED", "cancelReason": reason}
        state["vehicles"][rental["vehicleId"]]["status"] = "AVAILABLE"
        return {"success": True, "fee": 0 if free else rental["dailyRate"]}

    def extend_rental(self, state: State, rental_id: str, extra_days: int) -> Any:
        """Extend a RESERVED or ACTIVE rental at its daily rate and discount, to 30 days at most."""
        rental = _rental(state, rental_id, "RESERVED", "ACTIVE")
        days = rental["days"] + extra_days
        _refuse_if(days > 30, "A rental can last 30 days at most.")
        rental |= {"days": days, "endDate": _after(rental["startDate"], days)}
        rental["total"] = _total(rental)
        return {"rentalId": rental_id, "endDate": rental["endDate"], "total": rental["total"]}

    def add_extra(self, state: State, rental_id: str, code: str, quantity: int = 1) -> Any:
        """Add an extra to a RESERVED or ACTIVE rental for all of its days. More of the same is added to its line."""
        rental = _rental(state, rental_id, "RESERVED", "ACTIVE")
        lines = {each["code"]: each for each in rental["extras"]}
        wanted = {"code": code, "quantity": quantity + lines.get(code, {"quantity": 0})["quantity"]}
        rental["extras"] = list((lines | {code: _order(state, [wanted])[0]}).values())
        rental["total"] = _total(rental)
        return {"extras": rental["extras"], "total": rental["total"]}

    def remove_extra(self, state: State, rental_id: str, code: str) -> Any:
        """Take an extra off a rental that is still RESERVED."""
        rental = _rental(state, rental_id, "RESERVED")
        left = [each for each in rental["extras"] if each["code"] != code]
        _refuse_if(len(left) == len(rental["extras"]), f"Rental {rental_id} has no {code}.")
        rental["extras"] = left
        rental["total"] = _total(rental)
        return {"extras": left, "total": rental["total"]}

    def record_inspection(self, state: State, vehicle_id: str, fuel_level: int, findings: Rows = None) -> Any:
        """Record an inspection, done today by whoever is signed in, of a vehicle that is not RENTED. Findings are added
        to the vehicle's damages, and a MAJOR one sends an AVAILABLE vehicle to MAINTENANCE.
        """
        _employee(state)
        vehicle, desk = _get(state, "vehicles", vehicle_id), state["session"]["desk"]
        _refuse_if(vehicle["status"] == "RENTED", f"Vehicle {vehicle_id} is out with a customer.")
        key = _next_id(state["inspections"], "INS-")
        inspection: Entity = {"inspectionId": key, "vehicleId": vehicle_id, "findings": findings or []}
        inspection |= {"date": desk["date"], "fuelLevel": fuel_level, "employeeId": desk["employeeId"]}
        state["inspections"][key] = deepcopy(inspection)
        vehicle["damages"].extend(deepcopy(findings or []))
        vehicle["fuelLevel"] = fuel_level
        if vehicle["status"] == "AVAILABLE" and any(each["severity"] == "MAJOR" for each in findings or []):
            vehicle["status"] = "MAINTENANCE"
        return {"inspectionId": key, "vehicleStatus": vehicle["status"]}

    def set_daily_rate(self, state: State, vehicle_class: str, daily_rate: float) -> Any:
        """Set the daily rate of a class for new rentals. Managers only."""
        _refuse_if(_employee(state)["role"] != "MANAGER", "Only a manager can change rates.")
        rate, previous = state["rates"][vehicle_class], state["rates"][vehicle_class]["dailyRate"]
        rate["dailyRate"] = daily_rate
        return {"vehicleClass": vehicle_class, "previousRate": previous, "dailyRate": daily_rate}

    def send_receipt(self, state: State, rental_id: str, email: Maybe = None) -> Any:
        """E-mail the receipt of a COMPLETED rental, to the customer's own address unless another is given."""
        rental = _rental(state, rental_id, "COMPLETED")
        return {"sentTo": email or state["customers"][rental["customerId"]]["email"]}

    def next_call(self, state: State, random: Random) -> Call:
        """Draw calls until one is answered, or refused where a mistake is due; after some tries, of another tool."""
        wrong, reading = random.random() < 0.2, random.random() < 0.53
        verbs, tool = ("get", "search", "find", "list", "quote"), self.tools[0]
        tools = [each for each in self.tools if each["name"].startswith(verbs) is reading]
        for attempt in range(300):
            if attempt % 25 == 0:
                tool = random.choice(tools)
            schema, refused = tool["input_schema"], False
            names = [n for n in schema["properties"] if n in schema["required"] or random.random() < 0.4]
            arguments = {name: self._draw(state, random, wrong, name) for name in names}
            try:
                self.call(deepcopy(state), tool["name"], arguments)
            except RefusedError:
                refused = True
            if refused is wrong:
                break
        return Call(tool["name"], arguments)

    def _draw(self, state: State, random: Random, wrong: bool, name: str) -> Any:
        odd, snake = wrong and random.random() < 0.12, re.sub(r"([A-Z])", r"_\1", name).lower()
        schema = PARAMETERS.get(snake, {})
        kind = {"branch": "branches", "code": "extras"}.get(name, snake.removesuffix("_id") + "s")
        if "enum" in schema:
            return "ANY" if odd else random.choice(schema["enum"])
        if kind in state and name != "extras":
            known = random.choice(list(state[kind]))
            return f"{known[:-2]}{random.choice(['00', '07', 'X'])}" if odd else known
        if "maximum" in schema and name != "dailyRate":
            low, high = schema["minimum"], schema["maximum"]
            usual = range(low, min(high, 12) + 1) if low else range(30, high + 1)
            return random.choice([low - 1, high + 15] if odd else usual)
        customer, code = random.choice(list(state["customers"].values())), random.choice(list(EXTRAS))
        vehicle, today = random.choice(list(state["vehicles"].values())), state["session"]["desk"]["date"]
        values: Entity = {
            "email": "nobody@inbox.example" if odd else customer["email"],
            "licenceNumber": customer["licence"]["number"],
            "startDate": _after(today, -3 if odd else random.randint(0, 9)),
            "odometer": vehicle["odometer"] + random.randint(50, 900),
            "pin": "0000" if odd else random.choice(list(state["employees"].values()))["pin"],
            "dailyRate": 5 if odd else random.randint(20, 120) + 0.5,
            "extras": [{"code": "SKI_BOX" if odd else code} | random.choice([{}, {"quantity": 2}])],
            "findings": [{"part": random.choice(PARTS), "severity": random.choice(["MINOR", "MAJOR"])}],
            "reason": random.choice(["Flight cancelled", "Customer changed plans", "Found a better rate"]),
        }
        return values[name]
