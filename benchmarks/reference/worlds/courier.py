"""A regional parcel courier: bookings on prepaid accounts, scans at depots and delivery routes."""

import math
import re
import tomllib
from contextlib import suppress
from copy import deepcopy
from datetime import date, timedelta
from random import Random
from typing import Any

from benchmarks.reference.back_end import Call, RefusedError, State

Row = dict[str, Any]

TOOL_FILE = r'''
[parameters]
tracking_no = {type = "string", description = "Tracking number, e.g. QX40017"}
tracking_nos = {type = "array", items = {type = "string"}, minItems = 1, description = "One or more of them"}
account_id = {type = "string", description = "Sender account, e.g. AC-12"}
service = {type = "string", enum = ["economy", "standard", "express"]}
recipient = {type = "string", minLength = 2, description = "Name of the recipient"}
street = {type = "string", minLength = 4, description = "Street and house number"}
postcode = {type = "string", pattern = "[0-9]{5}", description = "Five digits"}
area = {type = "string", pattern = "[0-9]{1,5}", description = "Postcode or its first digits"}
weight_g = {type = "integer", minimum = 1, description = "Weight in grams"}
insured_cents = {type = "integer", minimum = 0, maximum = 500000, default = 0, description = "Insured value"}
signature = {type = "boolean", default = false, description = "Hand over against signature only"}
status = {type = "string", enum = ["booked", "in_transit", "at_depot", "out", "delivered", "returned", "cancelled"]}
limit = {type = "integer", minimum = 1, maximum = 50, default = 10}
amount_cents = {type = "integer", minimum = 500, maximum = 200000}
depot = {type = "string", description = "Three-letter depot code, see list_depots"}
driver_id = {type = "string", description = "e.g. D3"}
route_id = {type = "string", description = "e.g. R105"}
route_status = {type = "string", enum = ["planned", "started", "finished"]}
received_by = {type = "string", minLength = 2, description = "Who took the parcel"}
reason = {type = "string", enum = ["nobody_home", "wrong_address", "refused"]}

[track_parcel]
text = """Current status and full event history of a parcel, oldest event first. `location` is the depot that scanned \
it last, null before the first scan and when it is with a driver or done."""
takes = "tracking_no"
gives = {tracking_no = "str", status = "str", location = "str?", attempts = "int", events = [{day="str", text="str"}]}
[find_parcels]
text = """Search parcels by recipient (part of the name, any case), destination area, sender account and/or status. At \
least one criterion is needed. Latest booking first."""
takes = "recipient? area? account_id? status? limit?"
gives = [{tracking_no = "str", recipient = "str", postcode = "str", account_id = "str", status = "str"}]
[list_depots]
text = "The depots with the postcode areas (first two digits) each delivers to, and how many parcels lie there now."
takes = ""
[quote_price]
text = """Work out what a parcel would cost, in cents. Tariff: economy 390 + 60 per started kg (up to 20 kg), standard \
590 + 90 (up to 31.5 kg), express 1190 + 150 (up to 10 kg). Extras: 1 % of the insured value, rounded up, and 150 for \
a signature."""
takes = "service weight_g insured_cents? signature?"
gives = {base_cents = "int", weight_cents = "int", extras_cents = "int", total_cents = "int"}
[book_parcel]
text = """Book a parcel and charge its price (see quote_price) to the sender's prepaid account, which must hold the \
full price. The postcode must belong to one of our depots. Returns the new tracking number and the depot in charge."""
takes = "account_id service recipient street postcode weight_g insured_cents? signature?"
gives = {tracking_no = "str", depot = "str", price_cents = "int", balance_cents = "int"}
[cancel_parcel]
text = "Cancel a parcel that is still `booked`. The price is refunded in full."
takes = "tracking_no"
[redirect_parcel]
text = """Change the delivery address of a parcel that is booked, in transit or at a depot but not loaded on a route. \
Costs 300 cents, which the sender's account must hold. A parcel lying at a depot is at_depot afterwards if \
that depot serves the new postcode, and in_transit if not."""
takes = "tracking_no street postcode"
gives = {tracking_no = "str", depot = "str", status = "str", balance_cents = "int"}
[get_account]
text = "Balance of a sender account, whether it is overdrawn (no bookings then), and its parcels by status."
takes = "account_id"
gives = {account_id = "str", company = "str", balance_cents = "int", overdrawn = "bool", parcels = {}}
[top_up_account]
text = "Add money to a sender account (5 to 2000 euros)."
takes = "account_id amount_cents"
[scan_parcel]
text = """Register the arrival of a parcel (booked or in transit) at a depot. At the depot that serves its postcode it \
becomes at_depot, anywhere else in_transit. Answers the status and the depot it has to get to."""
takes = "tracking_no depot"
[plan_route]
text = """Open an empty route from a driver's depot; answers its id and the limits of the van. The driver must be on \
duty and have no unfinished route."""
takes = "driver_id"
[load_route]
text = """Put parcels on a planned route. They must be at_depot at the route's own depot and on no route yet, and the \
van's limits on weight and number of parcels count for the whole load. Either all are loaded or none."""
takes = "route_id tracking_nos"
gives = {route_id = "str", parcels = "int", weight_g = "int", weight_left_g = "int", places_left = "int"}
[start_route]
text = "Send the driver off. Needs a planned route with at least one parcel; all its parcels become `out`."
takes = "route_id"
[get_route]
text = "A route with its driver, the load, and the stops in driving order (by postcode, then tracking number)."
takes = "route_id"
[list_routes]
text = "Routes, newest first, optionally of one depot or status only."
takes = "depot? route_status?"
gives = [{route_id = "str", depot = "str", driver = "str", status = "str", parcels = "int"}]
[deliver_parcel]
text = """Record the delivery of a parcel that is `out`. received_by is mandatory if a signature was booked. The route \
is finished when none of its parcels is out any more."""
takes = "tracking_no received_by?"
[fail_delivery]
text = """Record a failed delivery attempt of a parcel that is `out`. It comes back to the depot for another \
try; if it was refused, or after the third attempt, it goes back to the sender instead, whose account is charged a \
return fee of 400 cents even if that overdraws it. May finish the route, like deliver_parcel."""
takes = "tracking_no reason"
'''


def _schema(shape: Any) -> Row:
    """Spell a shape out: a table is an object, a list an array, a question mark allows null."""
    if isinstance(shape, dict):
        inner = {name: _schema(one) for name, one in shape.items()}
        return {"type": "object", "properties": inner, "required": list(inner)}
    if isinstance(shape, list):
        return {"type": "array", "items": _schema(shape[0])}
    kind = {"str": "string", "int": "integer", "bool": "boolean"}[shape.rstrip("?")]
    return {"type": [kind, "null"] if shape.endswith("?") else kind}


def _declare(name: str, entry: Row, parameters: Row) -> Row:
    takes = {one.rstrip("?"): parameters[one.rstrip("?")] for one in entry["takes"].split()}
    needed = [one for one in entry["takes"].split() if not one.endswith("?")]
    schema = {"type": "object", "properties": takes, "required": needed}
    tool = {"name": name, "description": entry["text"], "input_schema": schema}
    return {**tool, "output_schema": _schema(entry["gives"])} if "gives" in entry else tool


SPEC = tomllib.loads(TOOL_FILE)
INPUTS: Row = SPEC.pop("parameters")
TOOLS = [_declare(name, entry, INPUTS) for name, entry in SPEC.items()]
SCHEMAS = {tool["name"]: tool["input_schema"] for tool in TOOLS}
TARIFF = {"economy": (390, 60, 20_000), "standard": (590, 90, 31_500), "express": (1190, 150, 10_000)}
MOVABLE = ("booked", "in_transit", "at_depot")
TYPES: Row = {"string": str, "integer": int, "boolean": bool, "array": list}


def _check(condition: object, complaint: str) -> None:
    if not condition:
        raise RefusedError(complaint)


def _check_arguments(schema: Row, arguments: Row) -> None:
    for name in [*schema["required"], *arguments]:
        _check(name in arguments, f"Missing argument: {name}.")
        _check(name in schema["properties"], f"Unexpected argument: {name}.")
        rule, value = schema["properties"][name], arguments[name]
        fits: Any = isinstance(value, TYPES[rule["type"]]) and value in rule.get("enum", [value])
        if fits and rule["type"] == "integer":
            fits = rule.get("minimum", value) <= value <= rule.get("maximum", value)
        elif fits and rule["type"] == "string":
            fits = re.fullmatch(rule.get("pattern", ".*"), value) and len(value) >= rule.get("minLength", 0)
        _check(fits, f"{value!r} is not a valid {name}.")


class _Office:
    """What the courier does, in one state; the public methods are the tools."""

    def __init__(self, state: State) -> None:
        self.parcels, self.accounts, self.depots = state["parcels"], state["accounts"], state["depots"]
        self.routes, self.drivers = state["routes"], state["drivers"]
        self._today: str = state["calendar"]["now"]["today"]

    def _one(self, rows: dict[str, Row], key: str, kind: str) -> Row:
        _check(key in rows, f"There is no {kind} {key}.")
        return rows[key]

    def _parcel(self, tracking_no: str, *allowed: str) -> Row:
        parcel = self._one(self.parcels, tracking_no, "parcel")
        _check(not allowed or parcel["status"] in allowed, f"Parcel {tracking_no} is {parcel['status']}.")
        return parcel

    def _route(self, route_id: str, status: str) -> Row:
        route = self._one(self.routes, route_id, "route")
        _check(route["status"] == status, f"Route {route_id} is {route['status']}, not {status}.")
        return route

    def _log(self, parcel: Row, text: str, **changes: Any) -> None:
        parcel.update(changes)
        parcel["events"].append({"day": self._today, "text": text})

    def _load(self, route_id: str) -> list[Row]:
        load = [one for one in self.parcels.values() if one["route_id"] == route_id]
        return sorted(load, key=lambda one: (one["postcode"], one["tracking_no"]))

    def _serving(self, postcode: str) -> str:
        codes = [code for code, depot in self.depots.items() if postcode[:2] in depot["areas"]]
        _check(codes, f"We do not deliver to {postcode}.")
        return codes[0]

    def _back_from(self, route_id: str) -> None:
        if all(one["status"] != "out" for one in self._load(route_id)):
            self.routes[route_id]["status"] = "finished"

    def track_parcel(self, tracking_no: str) -> Any:
        parcel = self._parcel(tracking_no)
        return {key: parcel[key] for key in ("tracking_no", "status", "location", "attempts", "events")}

    def find_parcels(self, limit: int = 10, recipient: str = "", area: str = "", **same: str) -> Any:
        _check(recipient or area or same, "Give at least one criterion.")
        found = [one for _, one in sorted(self.parcels.items(), reverse=True) if same.items() <= one.items()]
        found = [one for one in found if recipient.lower() in one["recipient"].lower()]
        shown = ("tracking_no", "recipient", "postcode", "account_id", "status")
        return [{key: one[key] for key in shown} for one in found if one["postcode"].startswith(area)][:limit]

    def list_depots(self) -> Any:
        lying = [one["location"] for one in self.parcels.values()]
        return [{"code": key, **one, "parcels": lying.count(key)} for key, one in sorted(self.depots.items())]

    def quote_price(self, service: str, weight_g: int, **extra: int) -> Row:
        base, per_kg, most = TARIFF[service]
        _check(weight_g <= most, f"Too heavy for {service}: at most {most} g.")
        weight = per_kg * math.ceil(weight_g / 1000)
        extras = math.ceil(extra.get("insured_cents", 0) / 100) + 150 * extra.get("signature", False)
        parts = {"base_cents": base, "weight_cents": weight, "extras_cents": extras}
        return {**parts, "total_cents": base + weight + extras}

    def book_parcel(self, account_id: str, recipient: str, street: str, postcode: str, **order: Any) -> Any:
        account = self._one(self.accounts, account_id, "account")
        depot, price = self._serving(postcode), self.quote_price(**order)["total_cents"]
        _check(account["balance_cents"] >= price, f"The balance does not cover {price} cents: please top up.")
        account["balance_cents"] -= price
        number = f"QX{max((int(one[2:]) for one in self.parcels), default=40000) + 1}"
        to = {"recipient": recipient, "street": street, "postcode": postcode, "depot": depot, "attempts": 0}
        about = {"insured_cents": 0, "signature": False, **order, "price_cents": price, "events": []}
        about |= dict.fromkeys(("location", "route_id", "received_by")) | {"account_id": account_id}
        self.parcels[number] = {"tracking_no": number, "status": "booked", **to, **about}
        self._log(self.parcels[number], "Booked")
        sums = {"price_cents": price, "balance_cents": account["balance_cents"]}
        return {"tracking_no": number, "depot": depot, **sums}

    def cancel_parcel(self, tracking_no: str) -> Any:
        parcel = self._parcel(tracking_no, "booked")
        self.accounts[parcel["account_id"]]["balance_cents"] += parcel["price_cents"]
        self._log(parcel, "Cancelled by sender", status="cancelled")
        return f"{tracking_no} cancelled, {parcel['price_cents']} cents refunded to {parcel['account_id']}"

    def redirect_parcel(self, tracking_no: str, street: str, postcode: str) -> Any:
        parcel = self._parcel(tracking_no, *MOVABLE)
        account, depot = self.accounts[parcel["account_id"]], self._serving(postcode)
        _check(parcel["route_id"] is None, f"Parcel {tracking_no} is already loaded on {parcel['route_id']}.")
        _check(account["balance_cents"] >= 300, "The balance does not cover the fee of 300 cents.")
        account["balance_cents"] -= 300
        scanned = "at_depot" if parcel["location"] == depot else "in_transit"
        status = "booked" if parcel["status"] == "booked" else scanned
        self._log(parcel, f"Redirected to {postcode}", street=street, postcode=postcode)
        parcel.update(depot=depot, status=status)
        sums = {"status": status, "balance_cents": account["balance_cents"]}
        return {"tracking_no": tracking_no, "depot": depot, **sums}

    def get_account(self, account_id: str) -> Any:
        account = self._one(self.accounts, account_id, "account")
        mine = [one["status"] for one in self.parcels.values() if one["account_id"] == account_id]
        counts = {status: mine.count(status) for status in sorted(set(mine))}
        return {**account, "overdrawn": account["balance_cents"] < 0, "parcels": counts}

    def top_up_account(self, account_id: str, amount_cents: int) -> Any:
        account = self._one(self.accounts, account_id, "account")
        account["balance_cents"] += amount_cents
        return f"New balance of {account_id}: {account['balance_cents'] / 100:.2f} EUR"

    def scan_parcel(self, tracking_no: str, depot: str) -> Any:
        parcel = self._parcel(tracking_no, "booked", "in_transit")
        name = self._one(self.depots, depot, "depot")["name"]
        _check(parcel["location"] != depot, f"Parcel {tracking_no} has already been scanned at {depot}.")
        status = "at_depot" if parcel["depot"] == depot else "in_transit"
        self._log(parcel, f"Arrived at {name}", status=status, location=depot)
        return {"tracking_no": tracking_no, "status": status, "next_depot": parcel["depot"]}

    def plan_route(self, driver_id: str) -> Any:
        driver = self._one(self.drivers, driver_id, "driver")
        _check(driver["on_duty"], f"{driver['name']} is off duty.")
        mine = [one["status"] for one in self.routes.values() if one["driver_id"] == driver_id]
        _check(set(mine) <= {"finished"}, f"{driver['name']} has an unfinished route.")
        key = f"R{101 + len(self.routes)}"
        known = {"route_id": key, "driver_id": driver_id, "depot": driver["depot"], "status": "planned"}
        self.routes[key] = known
        return {**known, "max_weight_g": driver["max_weight_g"], "max_parcels": driver["max_parcels"]}

    def load_route(self, route_id: str, tracking_nos: list[str]) -> Any:
        route = self._route(route_id, "planned")
        driver = self.drivers[route["driver_id"]]
        parcels = [self._parcel(one, "at_depot") for one in tracking_nos]
        for one in parcels:
            _check(one["route_id"] is None, f"{one['tracking_no']} is on route {one['route_id']}.")
            _check(one["location"] == route["depot"], f"{one['tracking_no']} is at {one['location']}.")
        load = {one["tracking_no"]: one for one in self._load(route_id) + parcels}
        weight = sum(one["weight_g"] for one in load.values())
        spare = {"weight_left_g": driver["max_weight_g"] - weight}
        spare["places_left"] = driver["max_parcels"] - len(load)
        _check(min(spare.values()) >= 0, "That exceeds what the van can take.")
        for one in parcels:
            one["route_id"] = route_id
        return {"route_id": route_id, "parcels": len(load), "weight_g": weight, **spare}

    def start_route(self, route_id: str) -> Any:
        route, load = self._route(route_id, "planned"), self._load(route_id)
        _check(load, f"Route {route_id} is empty.")
        for one in load:
            self._log(one, "Out for delivery", status="out", location=None)
        route["status"] = "started"
        return f"Route {route_id} started with {len(load)} parcels"

    def get_route(self, route_id: str) -> Any:
        route, load = self._one(self.routes, route_id, "route"), self._load(route_id)
        shown = ("tracking_no", "recipient", "street", "postcode", "signature", "status")
        known = {**route, "driver": self.drivers[route["driver_id"]]["name"]}
        weight = sum(one["weight_g"] for one in load)
        return {**known, "weight_g": weight, "stops": [{key: one[key] for key in shown} for one in load]}

    def list_routes(self, depot: str = "", route_status: str = "") -> Any:
        found = [one for _, one in sorted(self.routes.items(), reverse=True) if depot in ("", one["depot"])]
        _check(not depot or depot in self.depots, f"There is no depot {depot}.")
        rows = [{**one, "driver": self.drivers[one["driver_id"]]["name"]} for one in found]
        rows = [{**one, "parcels": len(self._load(one["route_id"]))} for one in rows]
        return [one for one in rows if route_status in ("", one["status"])]

    def deliver_parcel(self, tracking_no: str, received_by: str | None = None) -> Any:
        parcel = self._parcel(tracking_no, "out")
        _check(received_by or not parcel["signature"], f"Parcel {tracking_no} needs a signature.")
        self._log(parcel, "Delivered", status="delivered", received_by=received_by)
        self._back_from(parcel["route_id"])
        return f"{tracking_no} delivered"

    def fail_delivery(self, tracking_no: str, reason: str) -> Any:
        parcel = self._parcel(tracking_no, "out")
        route_id, attempts = parcel["route_id"], parcel["attempts"] + 1
        gone = reason == "refused" or attempts == 3
        status = "returned" if gone else "at_depot"
        self._log(parcel, f"Delivery failed: {reason}", status=status, attempts=attempts, route_id=None)
        parcel["location"] = None if gone else parcel["depot"]
        self.accounts[parcel["account_id"]]["balance_cents"] -= 400 if gone else 0
        self._back_from(route_id)
        return {"tracking_no": tracking_no, "status": status, "attempts": attempts}


FIRST = ["Maribel", "Oskar", "Thandie", "Ilmo", "Greta", "Bastien", "Yoko", "Farrah", "Nils", "Priya"]
LAST = ["Vandermoor", "Attwell", "Kessling", "Brisco", "Olufemi", "Rausch", "Pellam", "Dorsey"]
BRANDS, FUNDS = ["Bramble", "Nortide", "Calder", "Juno", "Tarn", "Ember"], [-900, 300, 4000, 9000, 15000]
GOODS, STREETS = ["Books", "Optics", "Tea", "Cycles"], ["Canal Street", "Foundry Road", "Orchard Close"]
DEPOTS = {"KEL": ("Kelby", ["10", "11"]), "VAR": ("Varnholt", ["20", "24"]), "OST": ("Ostrey", ["31"])}
WEIGHTS = [11, 9, 4, 6, 12, 2, 5, 6, 5, 11, 5, 9, 6, 6, 5, 7, 5]
WANTS: dict[str, tuple[str, ...]] = {"cancel_parcel": ("booked",), "redirect_parcel": MOVABLE}
WANTS |= {"scan_parcel": MOVABLE[:2], "load_route": ("at_depot",)}
WANTS |= {"deliver_parcel": ("out",), "fail_delivery": ("out",)}
BAD: Row = {"service": "overnight", "recipient": "", "street": "?", "postcode": "90210", "status": "lost"}
BAD |= {"area": "K-1", "weight_g": 48000, "insured_cents": 900000, "signature": "yes", "limit": 0}
BAD |= {"amount_cents": 100, "depot": "XYZ", "route_status": "open", "received_by": "", "reason": "dog"}
NOBODY = {"account_id": "", "location": "", "postcode": "20400", "depot": "VAR", "recipient": "Nobody"}


class _Clerk:
    def __init__(self, state: State, random: Random) -> None:
        self.office, self.random, self.pick = _Office(state), random, random.choice
        self.parcels, self.routes = list(state["parcels"].values()), list(state["routes"].values())
        drivers = [one["driver_id"] for one in self.routes if one["status"] != "finished"]
        self.idle = [one for key, one in state["drivers"].items() if one["on_duty"] and key not in drivers]

    def fit(self, tool: str) -> list[Row]:
        found = [one for one in self.parcels if one["status"] in WANTS.get(tool, (one["status"],))]
        return [one for one in found if tool not in WANTS or one["status"] == "out" or not one["route_id"]]

    def ready(self, tool: str) -> list[Row]:
        lying = [one["location"] for one in self.fit("load_route")]
        loaded = [one["route_id"] for one in self.parcels]
        planned = [one for one in self.routes if one["status"] == "planned"]
        ready = {"load_route": [one for one in planned if one["depot"] in lying], "get_route": self.routes}
        return ready.get(tool, [one for one in planned if one["route_id"] in loaded])

    def some(self, fits: list[Row], rows: list[Row], wrong: bool) -> Row:
        """One that fits; if wrong, one that does not, or nothing, for one that does not exist."""
        others = [one for one in rows if one not in fits] if self.random.random() < 0.6 else []
        return self.pick((others if wrong else fits or rows) or [{}])

    def next(self, wrong: bool) -> Call:
        weights = dict(zip(SCHEMAS, WEIGHTS, strict=True))
        for tool, schema in SCHEMAS.items():
            found = {"tracking_no": self.fit(tool), "route_id": self.ready(tool), "driver_id": self.idle}
            if not all(found.get(name, True) for name in schema["required"]):
                del weights[tool]
        tool = self.random.choices(list(weights), list(weights.values()))[0]
        fields, needed = list(SCHEMAS[tool]["properties"]), SCHEMAS[tool]["required"]
        names = [name for name in fields if name in needed or self.random.random() < 0.45]
        fault = self.pick(names) if wrong and names else ""
        values = self.values(tool, fault)
        values[fault] = BAD.get(fault, values.get(fault))
        return Call(tool, {name: values[name] for name in names})

    def values(self, tool: str, fault: str) -> Row:
        office, pick, number = self.office, self.pick, self.random.randint
        parcel = self.some(self.fit(tool), self.parcels, fault == "tracking_no") or NOBODY
        route = self.some(self.ready(tool), self.routes, fault == "route_id") or {"depot": "KEL"}
        accounts, drivers = list(office.accounts.values()), list(office.drivers.values())
        rich = [one for one in accounts if one["balance_cents"] > 3000 or tool != "book_parcel"]
        drawn = {name: pick(rule["enum"]) for name, rule in INPUTS.items() if "enum" in rule}
        drawn |= {"driver_id": "D77"} | self.some(self.idle, drivers, fault == "driver_id")
        drawn |= {"account_id": "AC-99"} | self.some(rich, accounts, fault == "account_id")
        pool = self.parcels if fault == "tracking_nos" else self.fit("load_route")
        loose = [one["tracking_no"] for one in pool if fault[-1:] == "s" or one["location"] == route["depot"]]
        drawn["tracking_nos"] = self.random.sample(loose, min(len(loose), number(1, 3))) or ["QX9"]
        others = [code for code in office.depots if code != parcel["location"]]
        near = parcel["depot"] in others and tool == "scan_parcel" and number(1, 3) > 1
        name = f"{pick(FIRST)} {pick(LAST)}" if tool == "book_parcel" else parcel["recipient"]
        drawn |= {"recipient": name, "street": f"{pick(STREETS)} {number(1, 140)}", "received_by": name}
        drawn["postcode"] = f"{pick(pick(list(office.depots.values()))['areas'])}{number(100, 999)}"
        drawn |= {"weight_g": number(2, 95) * 100, "insured_cents": number(1, 80) * 500}
        drawn |= {"limit": pick([3, 5, 20]), "area": parcel["postcode"][: number(2, 4)]}
        drawn |= {"amount_cents": pick([1000, 5000]), "signature": number(0, 1) > 0}
        if tool == "find_parcels":
            found = {key: parcel.get(key) for key in ("account_id", "status")}
            drawn |= {**found, "recipient": name.split()[0]}
        drawn["depot"] = parcel["depot"] if near else pick(others)
        drawn["tracking_no"] = parcel.get("tracking_no", f"QX{number(100, 999)}")
        return {**drawn, "route_id": route.get("route_id", f"R{number(20, 90)}")}


class Courier:
    name = "courier"
    tools = TOOLS

    def begin(self, random: Random) -> State:
        state: State = {"accounts": {}, "depots": {}, "drivers": {}, "parcels": {}, "routes": {}}
        companies = random.sample([f"{one} {two}" for one in BRANDS for two in GOODS], random.randint(15, 18))
        for i, company in enumerate(companies):
            known: Row = {"account_id": f"AC-{i + 10}", "company": company}
            known["balance_cents"] = random.choice(FUNDS) + random.randint(0, 400)
            state["accounts"][known["account_id"]] = known
        state["depots"] = {code: {"name": town, "areas": [*areas]} for code, (town, areas) in DEPOTS.items()}
        for i in range(random.randint(7, 9)):
            known = {"driver_id": f"D{i + 1}", "name": f"{random.choice(FIRST)} {LAST[i % 8]}"}
            known |= {"depot": list(DEPOTS)[i % 3], "on_duty": random.random() < 0.8}
            known |= {"max_weight_g": random.choice([40000, 90000]), "max_parcels": random.choice([5, 8, 12])}
            state["drivers"][known["driver_id"]] = known
        start, steps = date(2032, 3, 1) + timedelta(random.randint(0, 300)), random.randint(300, 400)
        for step in range(steps):
            state["calendar"] = {"now": {"today": (start + timedelta(step * 5 // steps)).isoformat()}}
            with suppress(RefusedError):
                self.call(state, *_Clerk(state, random).next(False))
        return state

    def call(self, state: State, tool: str, arguments: dict[str, Any]) -> Any:
        _check_arguments(SCHEMAS[tool], arguments)
        return deepcopy(getattr(_Office(state), tool)(**arguments))

    def next_call(self, state: State, random: Random) -> Call:
        return _Clerk(state, random).next(random.random() < 0.22)
