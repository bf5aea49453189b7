"""Facility maintenance: technical assets at several sites, the work orders on them, and technicians."""

import re
from collections.abc import Iterable
from copy import deepcopy
from datetime import date, timedelta
from random import Random
from typing import Any

from benchmarks.reference.back_end import Call, RefusedError, State

Record = dict[str, Any]
GEAR = {
    "hvac": ["Air handler", "Chiller", "Boiler", "Extract fan"],
    "electrical": ["Switchboard", "Backup generator", "UPS"],
    "plumbing": ["Booster pump", "Water heater", "Sump pump"],
    "elevator": ["Passenger lift", "Goods lift"],
}
DAYS_TO_FIX = {"emergency": 0, "high": 2, "medium": 7, "low": 30}
STATUSES = ["open", "assigned", "in_progress", "on_hold", "completed", "cancelled"]
LIVE, BEGUN = STATUSES[:4], STATUSES[2:4]
MAX_ACTIVE = 5
PLACES = {"HBR": "Harbour Yard", "NTW": "Northwick Tower", "LMC": "Lindmoor Campus", "OSK": "Oskar Mill"}
FAULTS = ["makes a grinding noise", "trips repeatedly", "leaks", "shows a fault code", "does not start"]
ROOMS = ["Basement", "Roof", "Plant room 1", "Plant room 2", "Level 3 riser", "Loading bay"]
FIRST = ["Marek", "Signe", "Tobias", "Yara", "Ivo", "Nell", "Dario", "Hana", "Owen", "Petra", "Kwame", "Lena"]
LAST = ["Oduya", "Pell", "Rankin", "Castell", "Ashworth", "Fenn", "Tarrow", "Voss", "Dole", "Quist", "Harrow"]
REPORTS = ["Replaced worn part and tested.", "Reset and monitored for an hour.", "Cleaned and recalibrated."]


def _text(about: str = "", **more: Any) -> Record:
    return {"type": "string", **({"description": about} if about else {}), **more}


def _int(**more: Any) -> Record:
    return {"type": "integer", **more}


FIELDS: dict[str, Record] = {
    "siteId": _text("Three-letter site code, for example HBR"),
    "assetId": _text("Asset id such as A-1004"),
    "workOrderId": _text("Work order number such as WO-2210"),
    "technicianId": _text("Technician id such as T-07"),
    "category": _text("Trade the asset belongs to", enum=list(GEAR)),
    "skill": _text("Trade a technician is certified for", enum=list(GEAR)),
    "condition": _text(enum=["operational", "under_maintenance"]),
    "region": _text(enum=["coast", "inland"]),
    "kind": _text(enum=["corrective", "preventive", "inspection"]),
    "priority": _text(enum=list(DAYS_TO_FIX)),
    "status": _text(enum=STATUSES),
    "dueOn": _text("Date as YYYY-MM-DD", format="date", pattern=r"^\d{4}-(0[1-9]|1[0-2])-([0-2]\d|3[01])$"),
    "title": _text("What is wrong or to be done, in a few words", minLength=5),
    "serialNumber": _text("As on the type plate", minLength=5),
    "hours": _int(minimum=0, description="Running hours the meter shows now"),
    "limit": _int(minimum=1, maximum=50, default=20),
    "offset": _int(minimum=0, default=0, description="Rows to skip"),
    "laborHours": {"type": "number", "minimum": 0, "maximum": 24},
    "report": _text("What was done; kept as a note", minLength=3),
    "cause": _text(enum=["waiting_for_parts", "no_access", "weather", "other"]),
    **{key: {"type": "boolean"} for key in ("overdueOnly", "onDuty", "serviceDue")},
    **{key: {"type": "number"} for key in ("hourlyRate", "cost")},
    **{key: _int() for key in ("liveWorkOrders", "meterHours", "nextServiceAt", "total", "nextOffset")},
    **{key: {"type": "array", "items": _text()} for key in ("notes", "skills", "siteIds")},
    "serviceInterval": _int(),
    "liveWorkOrderIds": {"type": "array", "items": _text()},
}
ROW = "assetId name siteId category condition"
BRIEF = "workOrderId title assetId siteId status priority dueOn technicianId?"
ASSET = f"{ROW} serialNumber room meterHours nextServiceAt serviceInterval"
ORDER = f"{BRIEF} kind createdOn closedOn? laborHours cost notes"
PAGE = "workOrders total nextOffset?"
SITE = "siteId name region liveWorkOrders"
MOVED = "workOrderId status technicianId? condition"
CREW = "technicianId name skills siteIds onDuty hourlyRate liveWorkOrders"

# Each operation: its name, what it takes and what it answers (? marks optional and nullable fields), what it does.
API = f"""
* listSites region? -> sites
List the sites we maintain, each with its number of live work orders (those neither completed nor cancelled).
* findAssets siteId? category? condition? text? limit? offset? -> assets total nextOffset?
Search the asset register. Filters are optional and combine; `text` is looked for in name and room, ignoring case.
Sorted by id. `total` counts all matches, `nextOffset` is null on the last page.
* getAsset assetId -> {ASSET} liveWorkOrderIds
Get an asset in full, with the numbers of its live work orders.
* lookupAssetBySerial serialNumber -> {ASSET}
Find the asset with a serial number. It must be complete; upper and lower case do not matter.
* recordMeterReading assetId hours -> assetId meterHours serviceDue createdWorkOrderId?
Enter the running hours of an asset, which can never fall. When they reach `nextServiceAt` and the asset has no live
preventive work order, one of medium priority is opened; `createdWorkOrderId` is its number, or else null.
* listWorkOrders siteId? technicianId? status? priority? overdueOnly? limit? offset? -> asOf {PAGE}
List work orders in brief, first due first. Filters are optional and combine; `overdueOnly` keeps live orders that were
due before today, which is answered as `asOf`.
* getWorkOrder workOrderId -> {ORDER}
Get a work order with its cost and notes.
* createWorkOrder assetId title priority kind? -> {ORDER}
Open a work order, corrective unless another kind is given. Its priority sets the due date: emergency today, high in
2 days, medium in 7, low in 30. An asset has at most one live preventive work order.
* updateWorkOrder workOrderId title? priority? dueOn? -> {ORDER}
Change title, priority or due date (not into the past) of a live work order; give at least one. A new priority does not
move the due date.
* assignWorkOrder workOrderId technicianId -> {MOVED}
Give an open work order to a technician, or an assigned one to another. The technician must be on duty, have the skill
for the asset's category, cover the site, and have fewer than {MAX_ACTIVE} live work orders.
* startWork workOrderId -> {MOVED}
Begin an assigned work order or resume one on hold; the asset is then under maintenance. The technician must be on duty
and have no other order in progress.
* pauseWork workOrderId cause
Put a work order in progress on hold; the cause goes into its notes. The asset stays under maintenance.
* completeWorkOrder workOrderId laborHours report -> {MOVED} cost closedOn
Report a work order in progress as done today; labor is charged at the technician's hourly rate. The asset is
operational again unless another of its orders is in progress or on hold. After preventive work its next service is due
one service interval from the present meter reading.
* cancelWorkOrder workOrderId reason -> {MOVED}
Cancel a work order that is open, assigned or on hold. The law asks for inspections, so only a supervisor cancels those.
* listTechnicians skill? siteId? onDuty? -> technicians
List technicians with skills, sites and number of live work orders; optionally those with a skill, covering a site, or
on (or off) duty.
"""


def _object(names: str) -> Record:
    """Declare the answer with these fields."""
    fields: Record = {}
    for name in names.split():
        field = FIELDS.get(name.rstrip("?"), _text())
        fields[name.rstrip("?")] = {**field, "type": [field["type"], "null"]} if name[-1] == "?" else field
    return {"type": "object", "properties": fields, "required": list(fields)}


ITEMS = {"sites": SITE, "assets": ROW, "workOrders": BRIEF, "technicians": CREW}
FIELDS |= {key: {"type": "array", "items": _object(names)} for key, names in ITEMS.items()}


def _declare(block: str) -> Record:
    head, about = block.split("\n", 1)
    takes, _, answer = head.partition(" -> ")
    name, *fields = takes.split()
    properties = {one.rstrip("?"): FIELDS.get(one.rstrip("?"), _text(minLength=3)) for one in fields}
    schema: Record = {"type": "object", "properties": properties, "additionalProperties": False}
    schema["required"] = [one for one in fields if one[-1] != "?"]
    tool: Record = {"name": name, "description": " ".join(about.split()), "input_schema": schema}
    return {**tool, "output_schema": _object(answer)} if answer else tool


TOOLS = {tool["name"]: tool for tool in map(_declare, API.strip("\n* ").split("\n* "))}


def _check(takes: Record, a: Record) -> None:
    """Refuse arguments that are missing, unknown or not as declared."""
    kinds: Record = {"string": str, "integer": int, "number": (int, float), "boolean": bool}
    wrong = [name for name in takes["required"] if name not in a]
    for name, value in a.items():
        rule = takes["properties"].get(name, {"type": "string", "enum": []})
        fits = isinstance(value, kinds[rule["type"]]) and value in rule.get("enum", [value])
        fits = fits and bool(re.search(rule.get("pattern", ""), str(value)))
        size = len(value) if isinstance(value, str) else value
        low, high = rule.get("minimum", rule.get("minLength", 0)), rule.get("maximum", 100_000)
        wrong += [] if fits and low <= size <= high else [name]
    if wrong:
        raise RefusedError(f"INVALID_VALUE: check {', '.join(wrong)}")


def _later(day: str, days: int) -> str:
    return (date.fromisoformat(day) + timedelta(days=days)).isoformat()


class _Depot:
    """The operations, on one state."""

    def __init__(self, state: State) -> None:
        self.state, self.user = state, state["session"]["current"]

    def _known(self, kind: str, key: str) -> Record:
        if key not in self.state[kind]:
            raise RefusedError(f"NOT_FOUND: {key} is not one of the {kind}")
        return self.state[kind][key]

    def _order(self, a: Record, *allowed: str) -> Record:
        order = self._known("workOrders", a["workOrderId"])
        if allowed and order["status"] not in allowed:
            needed = " or ".join(allowed)
            raise RefusedError(f"INVALID_STATE: {a['workOrderId']} is {order['status']}, not {needed}")
        return order

    def orders(self, field: str, value: str, statuses: Iterable[str] = LIVE) -> list[Record]:
        return [o for o in self.state["workOrders"].values() if o[field] == value and o["status"] in statuses]

    def settle(self, order: Record) -> Record:
        """Bring the asset's condition in line with its orders, and tell how things stand."""
        asset, busy = self.state["assets"][order["assetId"]], self.orders("assetId", order["assetId"], BEGUN)
        asset["condition"] = "under_maintenance" if busy else "operational"
        return {key: (order | asset)[key] for key in MOVED.replace("?", "").split()}

    def _page(self, rows: list[Record], a: Record, shown: str) -> Record:
        rows = [one for one in rows if all(one[key] == a[key] for key in a if key in one)]
        start, end = a.get("offset", 0), a.get("offset", 0) + a.get("limit", 20)
        items = [{key: one[key] for key in ITEMS[shown].replace("?", "").split()} for one in rows[start:end]]
        return {shown: items, "total": len(rows), "nextOffset": end if end < len(rows) else None}

    def open(self, asset: Record, title: str, kind: str, priority: str) -> Record:
        key = f"WO-{max((int(one[3:]) for one in self.state['workOrders']), default=2210) + 1}"
        today, none = self.user["today"], {"technicianId": None, "closedOn": None, "laborHours": 0, "cost": 0}
        order = {"workOrderId": key, "title": title, "kind": kind, "priority": priority, "status": "open"}
        order |= {"assetId": asset["assetId"], "siteId": asset["siteId"], "createdOn": today}
        order["dueOn"] = _later(today, DAYS_TO_FIX[priority])
        self.state["workOrders"][key] = {**order, **none, "notes": []}
        return self.state["workOrders"][key]

    def unable(self, order: Record, tech: Record) -> str:
        """Say why a technician cannot take an order, or nothing."""
        trade = self.state["assets"][order["assetId"]]["category"]
        if not tech["onDuty"] or trade not in tech["skills"]:
            return f"lacks the {trade} skill" if tech["onDuty"] else "is off duty"
        if order["siteId"] not in tech["siteIds"]:
            return f"does not cover {order['siteId']}"
        full = len(self.orders("technicianId", tech["technicianId"])) >= MAX_ACTIVE
        return f"already has {MAX_ACTIVE} live work orders" if full else ""

    def list_sites(self, a: Record) -> Any:
        sites = [s for s in self.state["sites"].values() if a.get("region", s["region"]) == s["region"]]
        return {"sites": [{**s, "liveWorkOrders": len(self.orders("siteId", s["siteId"]))} for s in sites]}

    def find_assets(self, a: Record) -> Any:
        rows = sorted(self.state["assets"].values(), key=lambda one: str(one["assetId"]))
        rows = [one for one in rows if a.get("text", "").lower() in f"{one['name']}\n{one['room']}".lower()]
        return self._page(rows, a, "assets")

    def get_asset(self, a: Record) -> Any:
        asset = self._known("assets", a["assetId"])
        live = [one["workOrderId"] for one in self.orders("assetId", a["assetId"])]
        return {**asset, "liveWorkOrderIds": sorted(live)}

    def lookup_asset_by_serial(self, a: Record) -> Any:
        for asset in self.state["assets"].values():
            if asset["serialNumber"] == a["serialNumber"].upper():
                return dict(asset)
        raise RefusedError(f"NOT_FOUND: no asset with serial number {a['serialNumber']}")

    def record_meter_reading(self, a: Record) -> Any:
        asset, hours, created = self._known("assets", a["assetId"]), a["hours"], None
        if hours < asset["meterHours"]:
            raise RefusedError(f"INVALID_VALUE: {hours} is below the last reading ({asset['meterHours']})")
        asset["meterHours"], due = hours, hours >= asset["nextServiceAt"]
        if due and "preventive" not in [one["kind"] for one in self.orders("assetId", a["assetId"])]:
            created = self.open(asset, f"Service {asset['name']}", "preventive", "medium")["workOrderId"]
        answer = {"assetId": a["assetId"], "meterHours": hours, "serviceDue": due}
        return {**answer, "createdWorkOrderId": created}

    def list_work_orders(self, a: Record) -> Any:
        rows = sorted(self.state["workOrders"].values(), key=lambda one: (one["dueOn"], one["workOrderId"]))
        if a.get("overdueOnly"):
            rows = [one for one in rows if one["status"] in LIVE and one["dueOn"] < self.user["today"]]
        return {"asOf": self.user["today"], **self._page(rows, a, "workOrders")}

    def get_work_order(self, a: Record) -> Any:
        return deepcopy(self._order(a))

    def create_work_order(self, a: Record) -> Any:
        asset, kind = self._known("assets", a["assetId"]), a.get("kind", "corrective")
        if kind == "preventive" and kind in [one["kind"] for one in self.orders("assetId", a["assetId"])]:
            raise RefusedError(f"CONFLICT: {a['assetId']} already has a live preventive work order")
        return deepcopy(self.open(asset, a["title"], kind, a["priority"]))

    def update_work_order(self, a: Record) -> Any:
        order, changes = self._order(a, *LIVE), {key: a[key] for key in a if key != "workOrderId"}
        if not changes or changes.get("dueOn", self.user["today"]) < self.user["today"]:
            raise RefusedError(f"INVALID_VALUE: {'dueOn is in the past' if changes else 'nothing to change'}")
        order.update(changes)
        return deepcopy(order)

    def assign_work_order(self, a: Record) -> Any:
        order, tech = self._order(a, "open", "assigned"), self._known("technicians", a["technicianId"])
        again = order["technicianId"] == a["technicianId"]
        if why := "has this work order already" if again else self.unable(order, tech):
            raise RefusedError(f"NOT_ELIGIBLE: {tech['name']} {why}")
        order.update(status="assigned", technicianId=a["technicianId"])
        return self.settle(order)

    def start_work(self, a: Record) -> Any:
        order = self._order(a, "assigned", "on_hold")
        tech = self.state["technicians"][order["technicianId"]]
        busy = self.orders("technicianId", tech["technicianId"], ["in_progress"])
        if busy or not tech["onDuty"]:
            why = f"is still working on {busy[0]['workOrderId']}" if busy else "is off duty"
            raise RefusedError(f"NOT_ELIGIBLE: {tech['name']} {why}")
        order["status"] = "in_progress"
        return self.settle(order)

    def pause_work(self, a: Record) -> Any:
        order = self._order(a, "in_progress")
        order.update(status="on_hold", notes=[*order["notes"], f"On hold: {a['cause']}"])
        return {"workOrderId": order["workOrderId"], "status": "on_hold", "notes": list(order["notes"])}

    def complete_work_order(self, a: Record) -> Any:
        order = self._order(a, "in_progress")
        asset, tech = self.state["assets"][order["assetId"]], self.state["technicians"][order["technicianId"]]
        cost, notes = round(a["laborHours"] * tech["hourlyRate"], 2), [*order["notes"], a["report"]]
        order.update(status="completed", laborHours=a["laborHours"], cost=cost, notes=notes)
        order["closedOn"] = self.user["today"]
        if order["kind"] == "preventive":
            asset["nextServiceAt"] = asset["meterHours"] + asset["serviceInterval"]
        return {**self.settle(order), "cost": cost, "closedOn": order["closedOn"]}

    def cancel_work_order(self, a: Record) -> Any:
        order = self._order(a, "open", "assigned", "on_hold")
        if order["kind"] == "inspection" and self.user["role"] != "supervisor":
            raise RefusedError("FORBIDDEN: cancelling an inspection needs the supervisor role")
        notes = [*order["notes"], f"Cancelled: {a['reason']}"]
        order.update(status="cancelled", closedOn=self.user["today"], notes=notes)
        return self.settle(order)

    def list_technicians(self, a: Record) -> Any:
        rows = [t for t in self.state["technicians"].values() if a.get("onDuty", t["onDuty"]) == t["onDuty"]]
        rows = [t for t in rows if a.get("skill", t["skills"][0]) in t["skills"]]
        rows = [t for t in rows if a.get("siteId", t["siteIds"][0]) in t["siteIds"]]
        load = {one["technicianId"]: len(self.orders("technicianId", one["technicianId"])) for one in rows}
        return {"technicians": [{**deepcopy(t), "liveWorkOrders": load[t["technicianId"]]} for t in rows]}


# The statuses an operation asks of the work order.
NEEDS = {"updateWorkOrder": LIVE, "assignWorkOrder": LIVE[:2], "startWork": ["assigned", "on_hold"]}
NEEDS |= {"pauseWork": LIVE[2:3], "completeWorkOrder": LIVE[2:3], "cancelWorkOrder": [*LIVE[:2], "on_hold"]}
KEYS = {"siteId": "sites", "assetId": "assets", "workOrderId": "workOrders", "technicianId": "technicians"}
SAMPLES: Record = {"text": ["pump", "roof", "lift", "plant"], "limit": [5, 10, 20], "offset": [0, 5]}
SAMPLES |= {"title": [f"Unit {one}" for one in FAULTS], "laborHours": [0.5, 1, 2.5, 4], "report": REPORTS}
SAMPLES |= {"reason": ["Reported twice", "Not needed"], "overdueOnly": [True], "onDuty": [True, False]}
WRONG = {"hours": 1, "dueOn": "2030-11-30", "limit": 0, "laborHours": 40, "offset": -1, "onDuty": "yes"}
WRONG |= {"serialNumber": "KV-00000", "priority": "urgent", "status": "closed", "overdueOnly": "yes"}
WEIGHTS = [4, 10, 11, 6, 7, 12, 13, 9, 6, 11, 8, 5, 7, 6, 8]


class _Planner:
    """Draws a maintenance planner's next call, field by field; one may be wrong."""

    def __init__(self, state: State, random: Random, tool: str) -> None:
        self.depot, self.random, self.tool, self.a = _Depot(state), random, tool, dict[str, Any]()
        takes = TOOLS[tool]["input_schema"]
        more = [one for one in takes["properties"] if one not in takes["required"]]
        kept = random.sample(more, min(len(more), random.choice([0, 1, 1, 2]))) or more[:1] * (tool in NEEDS)
        names = [one for one in takes["properties"] if one in kept or one in takes["required"]]
        wrong = random.choice(names) if names and random.random() < 0.2 else ""
        for name in names:
            self.a[name] = self.bad(name) if name == wrong else self.good(name)

    def able(self, key: str) -> bool:
        """Say whether a known thing is one the operation can be done with."""
        state, tool = self.depot.state, self.tool
        if tool == "assignWorkOrder" and key in state["technicians"]:
            order = state["workOrders"].get(self.a["workOrderId"])
            return not order or not self.depot.unable(order, state["technicians"][key])
        if key not in state["workOrders"]:
            return True
        order = state["workOrders"][key]
        tech = state["technicians"].get(order["technicianId"], {"onDuty": True})
        busy = self.depot.orders("technicianId", order["technicianId"], ["in_progress"]) or not tech["onDuty"]
        return order["status"] in NEEDS.get(tool, STATUSES) and not (busy and tool == "startWork")

    def good(self, name: str) -> Any:
        if name in KEYS:
            known = list(self.depot.state[KEYS[name]])
            return self.random.choice([key for key in known if self.able(key)] or known)
        if name in ("serialNumber", "hours"):
            assets = self.depot.state["assets"]
            asset = assets.get(self.a.get("assetId", ""), self.random.choice(list(assets.values())))
            return asset.get(name, asset["meterHours"] + self.random.choice([8, 40, 90, 600]))
        if name == "dueOn":
            return _later(self.depot.user["today"], self.random.randint(1, 20))
        return self.random.choice(SAMPLES.get(name) or FIELDS[name]["enum"])

    def bad(self, name: str) -> Any:
        if name in KEYS:
            unable = [key for key in self.depot.state[KEYS[name]] if not self.able(key)]
            gone = not unable or self.random.random() < 0.4
            return f"{next(iter(self.depot.state[KEYS[name]]))}9" if gone else self.random.choice(unable)
        return WRONG.get(name, "n/a")


def _past_order(depot: _Depot, random: Random) -> None:
    """Add a work order as it may have come about in the last weeks."""
    pick, statuses, age = random.choice, [*LIVE, *STATUSES], random.randint(0, 25)
    asset, kind = pick(list(depot.state["assets"].values())), pick(["corrective", "corrective", "inspection"])
    created, closed = (_later(depot.user["today"], -days) for days in (age, random.randint(0, age)))
    fault, status = "yearly inspection" if kind == "inspection" else pick(FAULTS), pick(statuses)
    priority = pick(list(DAYS_TO_FIX))
    order = depot.open(asset, f"{asset['name']} {fault}", kind, priority)
    order.update(createdOn=created, dueOn=_later(created, DAYS_TO_FIX[priority]))
    crew = [one for one in depot.state["technicians"].values() if not depot.unable(order, one)]
    if status == "in_progress":
        crew = [one for one in crew if not depot.orders("technicianId", one["technicianId"], [status])]
    if status == "cancelled":
        order.update(status=status, closedOn=closed, notes=["Cancelled: reported twice"])
    elif status != "open" and crew:
        tech, hours = random.choice(crew), random.randint(2, 24) / 4
        order.update(status=status, technicianId=tech["technicianId"])
        if status == "completed":
            order.update(laborHours=hours, cost=round(hours * tech["hourlyRate"], 2), closedOn=closed)
            order["notes"].append(random.choice(REPORTS))
    depot.settle(order)


class Facility:
    name = "facility"
    tools = list(TOOLS.values())  # noqa: RUF012

    def begin(self, random: Random) -> State:
        names = [f"{first} {last}" for first in FIRST for last in LAST]
        people, pick = random.sample(names, random.randint(16, 19)), random.choice
        user = {"name": people.pop(), "role": pick(["coordinator", "supervisor"])}
        user["today"] = _later("2031-01-06", random.randint(0, 300))
        state: State = {"sites": {}, "assets": {}, "technicians": {}, "workOrders": {}}
        depot = _Depot(state | {"session": {"current": user}})
        for i, (key, name) in enumerate(PLACES.items()):
            state["sites"][key] = {"siteId": key, "name": name, "region": ["coast", "inland"][i % 2]}
        for i, name in enumerate(people):
            tech: Record = {"technicianId": f"T-{i + 1:02}", "name": name, "onDuty": True}
            tech["skills"] = random.sample(list(GEAR), 2)
            tech["siteIds"] = random.sample(list(PLACES), pick([2, 3, 4]))
            state["technicians"][tech["technicianId"]] = {**tech, "hourlyRate": random.randint(60, 96) / 2}
        for i in range(random.randint(24, 36)):
            trade, meter, every = pick(list(GEAR)), random.randint(300, 9000), pick([500, 1000])
            asset: Record = {"assetId": f"A-{1001 + i}", "siteId": pick(list(PLACES)), "category": trade}
            asset |= {"name": pick(GEAR[trade]), "room": pick(ROOMS), "meterHours": meter}
            asset |= {"serialNumber": f"KV-{random.randint(10, 99)}{101 + i}", "condition": "operational"}
            asset |= {"nextServiceAt": meter + random.randint(1, every), "serviceInterval": every}
            state["assets"][asset["assetId"]] = asset
            if random.random() < 0.3:
                asset["meterHours"] = asset["nextServiceAt"] + random.randint(0, 60)
                depot.open(asset, f"Service {asset['name']}", "preventive", "medium")
        for _ in range(random.randint(32, 46)):
            _past_order(depot, random)
        for key, tech in state["technicians"].items():
            tech["onDuty"] = bool(depot.orders("technicianId", key, ["in_progress"])) or random.random() < 0.8
        return depot.state

    def call(self, state: State, tool: str, arguments: dict[str, Any]) -> Any:
        if tool not in TOOLS:
            raise RefusedError(f"NOT_FOUND: no operation {tool}")
        _check(TOOLS[tool]["input_schema"], arguments)
        return getattr(_Depot(state), re.sub("([A-Z])", r"_\1", tool).lower())(arguments)

    def next_call(self, state: State, random: Random) -> Call:
        tool = random.choices(list(TOOLS), WEIGHTS)[0]
        return Call(tool, _Planner(state, random, tool).a)
