"""An energy supplier's back office: customers, their meters, the readings, the bills and the tariffs."""

import re
from collections.abc import Callable, Sequence
from datetime import date, timedelta
from random import Random
from typing import Any

from benchmarks.reference.back_end import Call, RefusedError, State

Row = dict[str, Any]

FUELS, SUPPLY = ["electricity", "gas"], ["connected", "disconnected"]
REASONS = ["non_payment", "safety", "customer_request"]
SOURCES = ["customer", "technician", "remote"]
STATUSES = ["open", "overdue", "paid", "cancelled"]
GIVEN = ["Maren", "Tobias", "Ilse", "Joaquim", "Sunniva", "Petra", "Oskar", "Leonie", "Rafael", "Nadja"]
FAMILY = ["Holmqvist", "Brandner", "Okafor", "Silveira", "Tanaka", "Vollmer", "Whitlock", "Zeman", "Moreau"]
STREETS = ["Weir Lane", "Larch Road", "Mill Bank", "Station Row", "Quarry Hill", "Harbour Street"]
OFFERS = """EL-BASIC/Basic Power/34.9/0.42/0  EL-RIVER12/River Fix 12/29.8/0.38/12  EL-NIGHT/Night Owl/31.2/0.47/0
EL-HERITAGE/Heritage Power/27.5/0.31/0  GA-BASIC/Basic Gas/12.4/0.36/0  GA-HEARTH12/Hearth Fix 12/10.6/0.33/12
GA-FLEX/Flexi Gas/11.3/0.40/0  GA-LEGACY/Legacy Gas/9.8/0.29/0"""
CLOSED = ["EL-HERITAGE", "GA-LEGACY"]

TYPES: dict[str, Row] = {one: {"type": one} for one in ("string", "integer", "number", "boolean")}
TYPES |= {"strings": {"type": "array", "items": TYPES["string"]}, "day": {"type": "string", "format": "date"}}
TYPES |= {"fuel": {"type": "string", "enum": FUELS}, "text?": {"type": ["string", "null"]}}
TYPES |= {"bill_status": {"type": "string", "enum": STATUSES}, "source": {"type": "string", "enum": SOURCES}}
TYPES["supply"] = {"type": "string", "enum": SUPPLY}
SHAPES = """person id name email phone address postcode
customer id name email phone address postcode priority_services:boolean meter_ids:strings amount_due:number
reading id meter_id read_on:day value:integer source:source billed:boolean
meter id fuel:fuel status:supply disconnected_for:text? customer_id tariff_code tariff_since:day digits:integer
metered meter:meter last_reading:reading
bill id customer_id meter_id tariff_code period_from:day period_to:day consumption_kwh:integer amount:number \
paid:number issued_on:day due_on:day status:bill_status
tariff code name fuel:fuel unit_rate:number daily_charge:number term_months:integer on_sale:boolean
handover meter:meter final_bill:bill"""
PARAMETERS: Row = {
    "customer_id": {"type": "string", "description": "Customer number such as K-10482"},
    "new_customer_id": {"type": "string", "description": "Number of the customer who moves in"},
    "meter_id": {"type": "string", "description": "Serial number of a meter such as EL-550214 or GA-550377"},
    "bill_id": {"type": "string", "description": "Bill number such as INV-30021"},
    "tariff_code": {"type": "string", "description": "Such as EL-BASIC"},
    "value": {"type": "integer", "minimum": 0, "description": "What the register shows, in kWh"},
    "text": {"type": "string", "minLength": 2},
    "read_on": TYPES["day"],
    "confirm_high": {"type": "boolean", "default": False},
    "since": {**TYPES["day"], "description": "Only readings of this day or later"},
    "status": TYPES["supply"],
    "on_sale_only": {"type": "boolean", "default": True},
    "limit": {"type": "integer", "minimum": 1, "maximum": 50, "default": 20},
    "amount": {"type": "number", "minimum": 0.01, "description": "Euros"},
    "reason": {"type": "string", "enum": REASONS},
}
MANUAL = """get_customer(customer_id) -> customer
  Get one customer with contact data, meters and the total that is still to be paid.
search_customers(text) -> person*
  Find customers by any part of name, e-mail, phone, address or postcode, ignoring case. At most 20 are returned,
  sorted by name; count says how many matched.
get_meter(meter_id) -> metered
  Get a meter with its tariff and connection status, and its last reading.
find_meters(customer_id? fuel? tariff_code? status?) -> meter*
  List meters by serial number. The filters can be combined.
list_readings(meter_id since?) -> reading*
  List the readings of a meter, newest first. billed tells whether a bill already covers the reading.
submit_reading(meter_id value read_on? source? confirm_high?) -> reading
  Enter a meter reading. The meter must be connected. The reading is dated today unless read_on is given; it has to be
  later than the last one and cannot be lower than it, and dates in the future are refused. More than 80 kWh a day
  since the last reading is taken for a typing error and refused unless confirm_high is true: check with the customer
  before you set it. Nothing is billed yet.
list_tariffs(fuel? on_sale_only?) -> tariff*
  List tariffs by code. unit_rate is in cents per kWh, daily_charge in euros. Tariffs that are no longer sold are
  listed only if on_sale_only is false.
change_tariff(meter_id tariff_code) -> meter
  Move a meter to another tariff of the same fuel that is on sale, from today. Refused during the minimum term of the
  present tariff (a month counts as 30 days), while readings are waiting to be billed, and if the customer has overdue
  bills.
issue_bill(meter_id) -> bill
  Bill a meter from its last billed reading up to its newest one, at its present tariff: consumption times unit rate
  plus the daily charge for each day. The bill is due in 21 days. Needs a reading that is not yet billed.
get_bill(bill_id) -> bill
  Get a bill by its number.
list_bills(customer_id? bill_status? limit?) -> bill*
  List bills, newest first. count includes those beyond the limit.
record_payment(bill_id amount) -> bill
  Book a payment on an open or overdue bill. Part payments are fine, more than what is left is not. With the last cent
  the bill becomes paid.
cancel_bill(bill_id) -> bill
  Cancel an open or overdue bill nothing has been paid on, so that its readings can be billed again. Only the latest
  bill of a meter, and only while the billed customer still has the meter.
disconnect_meter(meter_id reason) ->
  Cut a connected meter off. For non_payment the meter must have an overdue bill, and the customer must not be
  registered for priority services; the other reasons are always accepted.
reconnect_meter(meter_id) -> meter
  Put a disconnected meter back on supply. After a disconnection for non-payment, the meter's overdue bills have to be
  settled first.
transfer_supply(meter_id new_customer_id value) -> handover
  Hand a connected meter over to another customer, who moves in today. The value read today is recorded as by
  submit_reading, the customer who leaves gets a final bill, and the new one starts on the basic tariff of the fuel.
  The new customer must not have overdue bills, and the last reading must be from before today."""


def _tools() -> list[Row]:
    for name, *fields in (line.split() for line in SHAPES.splitlines()):
        kinds = {field.partition(":")[0]: TYPES[field.partition(":")[2] or "string"] for field in fields}
        TYPES[name] = {"type": "object", "properties": kinds, "required": list(kinds)}
        listed = {"items": {"type": "array", "items": TYPES[name]}, "count": TYPES["integer"]}
        TYPES[f"{name}*"] = {"type": "object", "properties": listed, "required": list(listed)}
    tools = []
    for entry in re.split(r"\n(?=\w)", MANUAL):
        head, about = entry.split("\n", 1)
        name, takes, answer = re.split(r"\(|\) -> ?", head)
        required = [one for one in takes.split() if not one.endswith("?")]
        names = takes.replace("?", "").split()
        properties = {one: PARAMETERS.get(one) or TYPES[one] for one in names}
        schema = {"type": "object", "properties": properties, "required": required}
        tool = {"name": name, "description": " ".join(about.split()), "input_schema": schema}
        tools.append({**tool, "output_schema": TYPES[answer]} if answer else tool)
    return tools


TOOLS = _tools()


def _days(start: str, end: str) -> int:
    return (date.fromisoformat(end) - date.fromisoformat(start)).days


def _later(day: str, days: int) -> str:
    return (date.fromisoformat(day) + timedelta(days=days)).isoformat()


def _listed(rows: list[Row], key: str, newest: bool = False, most: int = 999) -> Row:
    rows = sorted(rows, key=lambda row: (row[key], row.get("id", "")), reverse=newest)
    return {"items": [dict(row) for row in rows[:most]], "count": len(rows)}


def _bill(key: str, meter: Row, tariff: Row, start: Row, end: Row, issued_on: str) -> Row:
    used, days = end["value"] - start["value"], _days(start["read_on"], end["read_on"])
    amount = round(used * tariff["unit_rate"] / 100 + days * tariff["daily_charge"], 2)
    whose = {"id": key, "customer_id": meter["customer_id"], "meter_id": meter["id"]}
    bill = {**whose, "tariff_code": tariff["code"], "period_from": start["read_on"]}
    bill |= {"period_to": end["read_on"], "consumption_kwh": used, "amount": amount, "paid": 0.0}
    return {**bill, "issued_on": issued_on, "due_on": _later(issued_on, 21), "status": "open"}


def _no(text: str, when: Any) -> None:
    if when:
        raise RefusedError(text)


class _Office:
    def __init__(self, db: State) -> None:
        self.db, self.today = db, str(db["company"]["calendar"]["today"])

    def fetch(self, kind: str, key: str) -> Row:
        _no(f"There is no {kind[:-1]} {key}.", key not in self.db[kind])
        return self.db[kind][key]

    def readings(self, meter_id: str) -> list[Row]:
        rows = [one for one in self.db["readings"].values() if one["meter_id"] == meter_id]
        return sorted(rows, key=lambda one: str(one["read_on"]))

    def bills(self, key: str, value: str, *statuses: str) -> list[Row]:
        return [b for b in self.db["bills"].values() if b[key] == value and b["status"] in statuses]

    def get_customer(self, customer_id: str) -> Row:
        customer = self.fetch("customers", customer_id)
        due = sum(b["amount"] - b["paid"] for b in self.bills("customer_id", customer_id, "open", "overdue"))
        meters = [m["id"] for m in self.db["meters"].values() if m["customer_id"] == customer_id]
        return {**customer, "meter_ids": meters, "amount_due": round(due, 2)}

    def search_customers(self, text: str) -> Row:
        keys = ["id", "name", "email", "phone", "address", "postcode"]
        found = [{key: c[key] for key in keys} for c in self.db["customers"].values()]
        found = [c for c in found if any(text.lower() in c[key].lower() for key in keys[1:])]
        return _listed(found, "name", most=20)

    def get_meter(self, meter_id: str) -> Row:
        meter = dict(self.fetch("meters", meter_id))
        return {"meter": meter, "last_reading": dict(self.readings(meter_id)[-1])}

    def find_meters(self, **wanted: str) -> Row:
        if "customer_id" in wanted:
            self.fetch("customers", wanted["customer_id"])
        rows = self.db["meters"].values()
        return _listed([m for m in rows if all(m[key] == value for key, value in wanted.items())], "id")

    def list_readings(self, meter_id: str, since: str = "") -> Row:
        self.fetch("meters", meter_id)
        return _listed([r for r in self.readings(meter_id) if r["read_on"] >= since], "read_on", newest=True)

    def submit_reading(self, meter_id: str, value: int, confirm_high: bool = False, **more: str) -> Row:
        meter, day = self.fetch("meters", meter_id), more.get("read_on", self.today)
        last = self.readings(meter_id)[-1]
        floor, digits, days = last["value"], meter["digits"], _days(last["read_on"], day)
        _no(f"Meter {meter_id} is disconnected.", meter["status"] != "connected")
        _no(f"The date must be after {last['read_on']}, up to today.", days <= 0 or day > self.today)
        _no(f"{value} is below {floor} or too high for {digits} digits.", not floor <= value < 10**digits)
        _no("Over 80 kWh a day: confirm_high if right.", not confirm_high and value - floor > 80 * days)
        key = f"RD-{70001 + len(self.db['readings'])}"
        row = {"id": key, "meter_id": meter_id, "read_on": day, "value": value}
        self.db["readings"][key] = {**row, "source": more.get("source", "customer"), "billed": False}
        return dict(self.db["readings"][key])

    def list_tariffs(self, fuel: str = "", on_sale_only: bool = True) -> Row:
        found = [t for t in self.db["tariffs"].values() if fuel in ("", t["fuel"])]
        return _listed([t for t in found if t["on_sale"] or not on_sale_only], "code")

    def change_tariff(self, meter_id: str, tariff_code: str) -> Row:
        meter, new = self.fetch("meters", meter_id), self.fetch("tariffs", tariff_code)
        old = self.db["tariffs"][meter["tariff_code"]]
        free_from = _later(meter["tariff_since"], old["term_months"] * 30)
        _no(f"Tariff {tariff_code} is for {new['fuel']} only.", new["fuel"] != meter["fuel"])
        _no(f"Tariff {tariff_code} is not on sale.", not new["on_sale"])
        _no(f"Meter {meter_id} is on tariff {tariff_code} already.", new is old)
        _no(f"{old['code']} cannot be left before {free_from}.", self.today < free_from)
        _no(f"Meter {meter_id} has unbilled readings.", not self.readings(meter_id)[-1]["billed"])
        _no("The customer has overdue bills.", self.bills("customer_id", meter["customer_id"], "overdue"))
        meter.update(tariff_code=tariff_code, tariff_since=self.today)
        return dict(meter)

    def issue_bill(self, meter_id: str) -> Row:
        meter, rows = self.fetch("meters", meter_id), self.readings(meter_id)
        fresh = [one for one in rows if not one["billed"]]
        _no(f"Meter {meter_id} has no reading since its last bill.", not fresh)
        key, tariff = f"INV-{30001 + len(self.db['bills'])}", self.db["tariffs"][meter["tariff_code"]]
        self.db["bills"][key] = _bill(key, meter, tariff, rows[-len(fresh) - 1], fresh[-1], self.today)
        for one in fresh:
            one["billed"] = True
        return dict(self.db["bills"][key])

    def get_bill(self, bill_id: str) -> Row:
        return dict(self.fetch("bills", bill_id))

    def list_bills(self, customer_id: str = "", bill_status: str = "", limit: int = 20) -> Row:
        if customer_id:
            self.fetch("customers", customer_id)
        found = [b for b in self.db["bills"].values() if customer_id in ("", b["customer_id"])]
        return _listed([b for b in found if bill_status in ("", b["status"])], "id", newest=True, most=limit)

    def record_payment(self, bill_id: str, amount: float) -> Row:
        bill = self.fetch("bills", bill_id)
        left = round(bill["amount"] - bill["paid"], 2)
        _no(f"Bill {bill_id} is {bill['status']}.", bill["status"] not in ("open", "overdue"))
        _no(f"Only {left:.2f} is left to pay on bill {bill_id}.", amount > left)
        bill.update(paid=round(bill["paid"] + amount, 2), status="paid" if amount == left else bill["status"])
        return dict(bill)

    def cancel_bill(self, bill_id: str) -> Row:
        bill = self.fetch("bills", bill_id)
        meter, valid = self.db["meters"][bill["meter_id"]], ("open", "overdue", "paid")
        latest = max((b["id"] for b in self.bills("meter_id", meter["id"], *valid)), default="")
        _no(f"Bill {bill_id} is {bill['status']}.", bill["status"] not in ("open", "overdue"))
        _no(f"A payment has been made on bill {bill_id}.", bill["paid"])
        _no(f"Bill {bill_id} is not the latest of its meter.", bill_id != latest)
        _no("The meter has another customer by now.", meter["customer_id"] != bill["customer_id"])
        bill["status"] = "cancelled"
        for one in self.readings(bill["meter_id"]):
            one["billed"] = one["billed"] and one["read_on"] <= bill["period_from"]
        return dict(bill)

    def disconnect_meter(self, meter_id: str, reason: str) -> Row:
        meter = self.fetch("meters", meter_id)
        customer, unpaid = self.db["customers"][meter["customer_id"]], reason == "non_payment"
        owes = self.bills("meter_id", meter_id, "overdue")
        _no(f"Meter {meter_id} is disconnected already.", meter["status"] != "connected")
        _no(f"Meter {meter_id} has no overdue bill.", unpaid and not owes)
        _no(f"{customer['name']} has priority services.", unpaid and customer["priority_services"])
        meter.update(status="disconnected", disconnected_for=reason)
        return {"meter_id": meter_id, "status": "disconnected", "disconnected_for": reason}

    def reconnect_meter(self, meter_id: str) -> Row:
        meter = self.fetch("meters", meter_id)
        owes = self.bills("meter_id", meter_id, "overdue") and meter["disconnected_for"] == "non_payment"
        _no(f"Meter {meter_id} is not disconnected.", meter["status"] != "disconnected")
        _no(f"Meter {meter_id} still has overdue bills.", owes)
        meter.update(status="connected", disconnected_for=None)
        return dict(meter)

    def transfer_supply(self, meter_id: str, new_customer_id: str, value: int) -> Row:
        meter, new = self.fetch("meters", meter_id), self.fetch("customers", new_customer_id)
        _no(f"Customer {new_customer_id} has this meter already.", meter["customer_id"] == new["id"])
        _no(f"{new['name']} has overdue bills.", self.bills("customer_id", new["id"], "overdue"))
        self.submit_reading(meter_id, value)
        bill, basic = self.issue_bill(meter_id), f"{meter_id[:2]}-BASIC"
        meter.update(customer_id=new_customer_id, tariff_code=basic, tariff_since=self.today)
        return {"meter": dict(meter), "final_bill": bill}


class _Clerk:
    """Draws what somebody at the service desk may ask for."""

    def __init__(self, db: State, random: Random, wrong: bool) -> None:
        self.db, self.random, self.wrong, self.today = db, random, wrong, _Office(db).today

    def one(self, kind: str, name: str = "") -> Row:
        rows = list(self.db[kind])
        key = self.random.choice(rows[-4:] if self.random.random() < 0.2 else rows)
        unknown = self.wrong and self.random.random() < 0.3
        name = name or ("tariff_code" if kind == "tariffs" else f"{kind[:-1]}_id")
        return {name: f"{key[:-3]}{self.random.randint(900, 999)}" if unknown else key}

    def value(self, name: str, right: Sequence[Any], wrong: Any) -> Row:
        return {name: wrong if self.wrong and self.random.random() < 0.5 else self.random.choice(right)}

    def maybe(self, *fields: Row) -> Row:
        return {name: row[name] for row in fields for name in row if self.random.random() < 0.45}

    def reading(self, meter: Row) -> Row:
        rows = _Office(self.db).readings(meter["meter_id"])
        last: Row = rows[-1] if rows else {"value": 900, "read_on": self.today}
        days = max(1, _days(last["read_on"], self.today))
        typo = self.random.choice([last["value"] // 2, last["value"] + days * 200])
        return self.value("value", [last["value"] + days * daily for daily in (4, 9, 16, 25)], typo) | meter

    def amount(self, bill: Row) -> Row:
        known = self.db["bills"].get(bill["bill_id"], {"amount": 80, "paid": 0})
        left = round(known["amount"] - known["paid"], 2)
        return self.value("amount", [left, left, round(left / 2, 2)], left + 20) | bill


DRAWS: dict[str, Callable[[_Clerk], Row]] = {
    "get_customer": lambda c: c.one("customers"),
    "search_customers": lambda c: c.value("text", [*GIVEN, *FAMILY, *STREETS, "411", "412"], "x"),
    "get_meter": lambda c: c.one("meters"),
    "find_meters": lambda c: c.maybe(c.one("customers"), c.value("fuel", FUELS, "oil"), c.one("tariffs")),
    "list_readings": lambda c: {**c.one("meters"), **c.maybe({"since": _later(c.today, -200)})},
    "submit_reading": lambda c: (
        c.reading(c.one("meters"))
        | c.maybe({"read_on": _later(c.today, -3), "source": "remote", "confirm_high": True})
    ),
    "list_tariffs": lambda c: c.maybe(c.value("fuel", FUELS, "water"), {"on_sale_only": False}),
    "change_tariff": lambda c: {**c.one("meters"), **c.one("tariffs")},
    "issue_bill": lambda c: c.one("meters"),
    "get_bill": lambda c: c.one("bills"),
    "list_bills": lambda c: c.maybe(c.one("customers"), c.value("bill_status", STATUSES, "due")),
    "record_payment": lambda c: c.amount(c.one("bills")),
    "cancel_bill": lambda c: c.one("bills"),
    "disconnect_meter": lambda c: {**c.one("meters"), **c.value("reason", REASONS, "moved")},
    "reconnect_meter": lambda c: c.one("meters"),
    "transfer_supply": lambda c: c.reading(c.one("meters")) | c.one("customers", "new_customer_id"),
}
WEIGHTS = [11, 8, 11, 8, 9, 12, 5, 7, 9, 7, 8, 9, 5, 5, 5, 6]


def _validate(schema: Row, arguments: Row) -> None:
    for name in [*schema["required"], *arguments]:
        rule, value = schema["properties"].get(name, {}), arguments.get(name)
        _no(f"Invalid request: {name} is unknown or missing.", not rule or value is None)
        _no(f"{name} must be one of {rule.get('enum')}.", value not in rule.get("enum", [value]))
        low, high = rule.get("minimum", value), rule.get("maximum", value)
        _no(f"{name} must be from {low} to {high}.", value is not None and not low <= value <= high)
        no_day = "format" in rule and not re.fullmatch(r"\d{4}-[01]\d-[0-3]\d", str(value))
        _no(f"{name} must be a date such as 2031-04-30.", no_day)
        _no(f"{name} is too short.", len(str(value)) < rule.get("minLength", 0))


class Utility:
    name = "utility"
    tools = TOOLS

    def begin(self, random: Random) -> State:
        today = _later("2031-01-10", random.randint(0, 600))
        db: State = {"company": {"calendar": {"today": today}}, "customers": {}, "meters": {}, "tariffs": {}}
        for code, title, rate, daily, term in (one.split("/") for one in re.split(r"  |\n", OFFERS)):
            row = {"code": code, "name": title, "fuel": "gas" if code.startswith("GA") else "electricity"}
            price = round(float(rate) * random.uniform(0.9, 1.15), 1)
            row |= {"unit_rate": price, "daily_charge": float(daily)}
            db["tariffs"][code] = {**row, "term_months": int(term), "on_sale": code not in CLOSED}
        names = random.sample([f"{one} {other}" for one in GIVEN for other in FAMILY], random.randint(17, 23))
        for i, name in enumerate(names):
            row = {"id": f"K-{10402 + 3 * i}", "name": name, "priority_services": random.random() < 0.2}
            row |= {"phone": f"0555-{random.randint(1000, 9999)}", "postcode": f"41{random.randint(10, 30)}"}
            row |= {"email": f"{name}@post.test".lower().replace(" ", ".")}
            row |= {"address": f"{random.randint(1, 90)} {random.choice(STREETS)}"}
            db["customers"][row["id"]] = row
        readings: list[Row] = []
        for serial in random.sample(range(550100, 550900), random.randint(20, 26)):
            tariff = random.choice(list(db["tariffs"].values()))
            start = _later(today, -random.randint(150, 500))
            key, customer_id = f"{tariff['code'][:2]}-{serial}", random.choice(list(db["customers"]))
            row = {"id": key, "fuel": tariff["fuel"], "status": "connected", "disconnected_for": None}
            row |= {"customer_id": customer_id, "tariff_code": tariff["code"], "tariff_since": start}
            db["meters"][key] = {**row, "digits": random.choice([5, 6])}
            readings += self._history(random, row, today)
        readings.sort(key=lambda r: (r["read_on"], r["meter_id"]))
        db["readings"] = {f"RD-{70001 + i}": {"id": f"RD-{70001 + i}", **r} for i, r in enumerate(readings)}
        db["bills"] = self._past_bills(db, random, today)
        for meter in db["meters"].values():
            owes = _Office(db).bills("meter_id", meter["id"], "overdue")
            spared = db["customers"][meter["customer_id"]]["priority_services"] or not owes
            if random.random() < 0.2:
                meter.update(status="disconnected", disconnected_for=random.choice(REASONS[bool(spared) :]))
        return db

    def _history(self, random: Random, meter: Row, today: str) -> list[Row]:
        day, value, rows = meter["tariff_since"], random.randint(0, 20000), list[Row]()
        while day < _later(today, -5) and len(rows) < 4:
            source = random.choice(SOURCES) if rows else "technician"
            row = {"meter_id": meter["id"], "read_on": day, "value": value, "source": source}
            rows.append({**row, "billed": True})
            step = random.randint(45, 120)
            day, value = _later(day, step), value + step * random.randint(3, 22)
        rows[-1]["billed"] = len(rows) == 1 or random.random() < 0.5
        return rows

    def _past_bills(self, db: State, random: Random, today: str) -> dict[str, Row]:
        bills: dict[str, Row] = {}
        billed = [r for r in db["readings"].values() if r["billed"]]
        for i, end in enumerate(billed):
            meter = db["meters"][end["meter_id"]]
            before = [r for r in billed[:i] if r["meter_id"] == meter["id"]]
            if before:
                key, tariff = f"INV-{30001 + len(bills)}", db["tariffs"][meter["tariff_code"]]
                bill = _bill(key, meter, tariff, before[-1], end, _later(end["read_on"], 2))
                unpaid, part = "overdue" if bill["due_on"] < today else "open", random.choice([0, 0, 0, 0.25])
                settled = random.random() < 0.75
                paid = round(bill["amount"] * (settled or part), 2)
                bills[key] = {**bill, "status": "paid" if settled else unpaid, "paid": paid}
        return bills

    def call(self, state: State, tool: str, arguments: dict[str, Any]) -> Any:
        _validate(next(one["input_schema"] for one in TOOLS if one["name"] == tool), arguments)
        return getattr(_Office(state), tool)(**arguments)

    def _refuses(self, state: State, call: Call) -> bool:
        trial = {kind: {key: dict(row) for key, row in rows.items()} for kind, rows in state.items()}
        try:
            self.call(trial, call.tool, call.arguments)
        except RefusedError:
            return True
        return False

    def next_call(self, state: State, random: Random) -> Call:
        tool = random.choices(list(DRAWS), WEIGHTS)[0]
        clerk = _Clerk(state, random, random.random() < 0.2)
        for _ in range(60):  # until the call goes the way it is meant to
            call = Call(tool, DRAWS[tool](clerk))
            if self._refuses(state, call) == clerk.wrong:
                break
        return call
