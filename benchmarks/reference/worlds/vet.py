"""Front desk and treatment room of a veterinary practice: patients, visits, medicines and bills."""

import re
from copy import deepcopy
from datetime import date, timedelta
from random import Random
from typing import Any

from benchmarks.reference.back_end import Call, RefusedError, State

Row = dict[str, Any]
SPECIES = ["dog", "cat", "rabbit", "ferret"]
STATES = ["booked", "checked_in", "completed", "cancelled", "no_show"]
SLOTS = [f"{hour:02}:{half}" for hour in (9, 10, 11, 14, 15, 16) for half in ("00", "30")]
SERVICES = {"XRAY": 85.0, "BLOOD": 62.5, "DENTAL": 140.0, "BANDAGE": 18.0, "NAILS": 12.0, "ULTRASOUND": 95.0}
CONSULTATION, LATE_FEE, DEBT_LIMIT, VET = 48.0, 25.0, 250.0, "veterinarian"
DRUGS = [("DOLV", "Dolovane 50 mg", "dog cat", 1.4), ("ZEMO", "Zemoxil drops", "dog cat rabbit ferret", 6.9)]
DRUGS += [("TRAQ", "Traquilan 10 mg", "dog cat", 3.2), ("FELU", "Felurin paste", "cat", 11.5)]
DRUGS += [("NOXA", "Noxaparil spot-on", "dog cat ferret", 14.0), ("BENT", "Bentocillin", "dog rabbit", 2.1)]
PETS = ["Biscuit", "Olive", "Tango", "Pepper", "Mochi", "Juno", "Rufus", "Clover", "Ziggy", "Hazel", "Pixel"]
LAST = ["Kestrow", "Tarrow", "Quillby", "Menzari", "Oduvale", "Strand", "Pellwick", "Harkova", "Brisling"]
FIRST = ["Mara", "Tobin", "Selene", "Ivo", "Philippa", "Anselm", "Roza", "Caspar", "Wendy", "Jorunn"]
REASONS = ["annual check-up", "limping", "vaccination", "not eating", "skin rash", "dental check"]
FINDINGS = ["Otitis externa, left ear.", "Healthy.", "Mild gastritis, bland diet.", "Sprain, rest 10 days."]
STR, NUM, INT, YES = (Row(type=kind) for kind in ("string", "number", "integer", "boolean"))
DAY, MAYBE = {"type": "string", "format": "date", "description": "YYYY-MM-DD"}, {"type": ["string", "null"]}
STATUS, KIND = {"type": "string", "enum": STATES}, {"type": "string", "enum": SPECIES}
NOT, UNITS = {**YES, "default": False}, {**INT, "minimum": 1, "maximum": 60, "description": "Per fill"}
IDS = {"patient_id": "PAT-3041", "owner_id": "OWN-3007", "vet_id": "S-103", "appointment_id": "APT-3012"}
IDS |= {"prescription_id": "RX-3004", "invoice_id": "INV-3010"}
TEXTS = {"name": "Name of the animal; part of it in a search", "phone": "As on file, e.g. 0431 55810"}
TEXTS |= {"medicine": "Code from medicine_list, e.g. DOLV", "last_name": "Last name", "breed": "If known"}
TEXTS |= {key: f"Number of the {key[:-3]}, e.g. {one}" for key, one in IDS.items()}
INPUTS: Row = {key: {**STR, "description": about} for key, about in TEXTS.items()}
INPUTS |= {"time": {**STR, "pattern": "^[0-9]{2}:[0-9]{2}$", "description": "Start of the slot, HH:MM"}}
INPUTS |= {"reason": {**STR, "minLength": 3}, "diagnosis": {**STR, "minLength": 5}, "quantity": UNITS}
INPUTS |= {"fills": {**INT, "minimum": 1, "maximum": 6, "default": 1}, "species": KIND, "status": STATUS}
INPUTS |= {"services": {"type": "array", "items": {**STR, "enum": list(SERVICES)}, "default": []}}
INPUTS |= {"microchip": {**STR, "pattern": "^[0-9]{15}$", "description": "15 digits"}, "emergency": NOT}
INPUTS |= {"date": DAY, "birth_date": DAY, "include_deceased": NOT, "waive_fee": NOT, "in_stock": NOT}
INPUTS |= {"amount": {**NUM, "minimum": 0.01}, "method": {**STR, "enum": ["cash", "card", "transfer"]}}


def obj(names: str = "", **fields: Row) -> Row:
    """Make the schema of an object; the names are those of its plain text fields."""
    properties = dict.fromkeys(names.split(), STR) | fields
    return {"type": "object", "properties": properties, "required": list(properties)}


def many(item: Row) -> Row:
    return {"type": "array", "items": item}


WEIGHT, PAYMENT = {"type": ["number", "null"]}, {"type": "string", "enum": ["open", "paid"]}
PATIENT = obj("id owner_id name", species=KIND, breed=MAYBE, birth_date=MAYBE, weight_kg=WEIGHT)
PATIENT = obj(**PATIENT["properties"], microchip=MAYBE, allergies=many(STR), deceased_on=MAYBE)
VISIT = obj("id patient_id vet_id time reason", date=DAY, status=STATUS, diagnosis=MAYBE)
BILL = obj("id owner_id", issued_on=DAY, total=NUM, due=NUM, items=many(STR), status=PAYMENT, paid_by=MAYBE)
SCRIPT = obj("id patient_id medicine vet_id status", quantity=INT, fills_left=INT, valid_until=DAY)
CHART = obj(**PATIENT["properties"], prescriptions=many(SCRIPT), upcoming=many(VISIT))
ACCOUNT = obj("id first_name last_name phone email", patient_ids=many(STR), balance_due=NUM)
ACCOUNT = obj(**ACCOUNT["properties"], open_invoices=many(BILL))
WAITING = obj("appointment_id status", waiting={**INT, "description": "Patients now checked in"})
FILLED = obj("invoice_id", prescription=SCRIPT, amount=NUM, stock_left=INT)
DRUG = obj("code name", species=many(STR), unit_price=NUM, stock=INT, controlled=YES)
ANSWERS: Row = {"patient_get": CHART, "patient_search": obj(count=INT, patients=many(PATIENT))}
ANSWERS |= {"patient_register": PATIENT, "owner_lookup": ACCOUNT, "invoice_pay": BILL}
ANSWERS |= {"appointment_list": obj(appointments=many(VISIT), total=INT)}
ANSWERS |= {"appointment_free_slots": many(obj("vet_id vet_name", slots=many(STR)))}
ANSWERS |= {"appointment_book": VISIT, "appointment_cancel": obj(appointment=VISIT, late_fee_invoice=MAYBE)}
ANSWERS |= {"appointment_check_in": WAITING, "visit_complete": obj(appointment=VISIT, invoice=BILL)}
ANSWERS |= {"medicine_list": many(DRUG), "prescription_issue": SCRIPT, "prescription_dispense": FILLED}
CATALOGUE = """
patient_get(patient_id!): Open a patient's record: master data, active prescriptions and the booked appointments,
  next one first.
patient_search(name species microchip include_deceased): Search by part of the name (any case), species or microchip;
  filters combine, at least one of the three is needed. Deceased animals only appear with include_deceased. Sorted by
  name.
patient_register(owner_id! name! species! breed birth_date microchip): Register a new animal for an existing client.
  A microchip number can be on file only once, and a client cannot have two living animals of the same name. Weight and
  allergies are left empty at first.
patient_mark_deceased(patient_id!): Record that an animal died today. Its booked appointments are cancelled free of
  charge, its active prescriptions withdrawn; the answer lists both. This cannot be undone.
owner_lookup(owner_id phone last_name): Look up one client by number, telephone or last name (exactly one of them):
  contact data, all animals (deceased ones too), open invoices and the sum owed. If several share a last name, the
  refusal tells their numbers.
appointment_list(date vet_id patient_id status): The appointment book in order of time, past and future, with
  optional filters that combine. Shows at most 20 entries; total says how many match.
appointment_free_slots(date! vet_id): Free half-hour slots of a day (today to 60 days ahead), per veterinarian on
  duty that day.
appointment_book(patient_id! vet_id! date! time! reason! emergency): Book a free slot (see appointment_free_slots)
  for a living patient, one appointment per patient and day. Clients who owe more than 250.00 have to pay first, except
  in an emergency.
appointment_cancel(appointment_id! waive_fee): Cancel a booked appointment. On the day itself the client is invoiced
  25.00, unless the fee is waived.
appointment_check_in(appointment_id!): Check in a patient who has arrived. The appointment must be booked, and for
  today.
visit_complete(appointment_id! diagnosis! services): Finish the visit of a checked-in patient: stores the diagnosis,
  completes the appointment and invoices the consultation (48.00) and the services: BANDAGE 18.00, BLOOD 62.50, DENTAL
  140.00, NAILS 12.00, ULTRASOUND 95.00, XRAY 85.00. A service may occur twice.
medicine_list(species in_stock): Pharmacy list with unit price, units in stock and the species each medicine is
  approved for.
prescription_issue(patient_id! medicine! vet_id! quantity! fills): Prescribe a medicine, valid for 180 days. Only
  veterinarians prescribe; the medicine must be approved for the species, and the patient not allergic to it.
  Controlled medicines get a single fill. Nothing is handed out or charged yet, see prescription_dispense.
prescription_dispense(prescription_id!): Hand out one fill of an active prescription that has not expired. The units
  leave the stock (refused if there are too few) and are invoiced. After the last fill the prescription is used_up.
invoice_pay(invoice_id! amount! method!): Book a payment on an open invoice. Part payments are fine, overpaying is
  not; paid once nothing is due.
"""


def declared(entry: str) -> Row:
    """Make a tool of an entry of the catalogue; an exclamation mark follows what is required."""
    name, takes, about = re.split(r"\(|\): ", " ".join(entry.split()), maxsplit=2)
    required = [one[:-1] for one in takes.split() if one[-1] == "!"]
    properties = {one: INPUTS[one] for one in takes.replace("!", "").split()}
    schema = {"type": "object", "properties": properties, "required": required}
    tool = {"name": name, "description": about, "input_schema": schema}
    return {**tool, "output_schema": ANSWERS[name]} if name in ANSWERS else tool


TOOLS = [declared(entry) for entry in re.split(r"\n(?=\w)", CATALOGUE) if entry.strip()]


def validate(name: str, value: Any) -> None:
    rule, values = INPUTS[name], value if isinstance(value, list) else [value]
    wrong = any(one not in rule.get("items", rule).get("enum", [one]) for one in values)
    size = len(value) if isinstance(value, str) else value
    wrong |= size < rule.get("minLength", rule.get("minimum", size)) or size > rule.get("maximum", size)
    if wrong or not re.search(rule.get("pattern", ""), str(value)):
        raise RefusedError(f"Invalid value for {name}: {value!r}.")
    if rule.get("format") == "date":
        try:
            date.fromisoformat(value)
        except ValueError as error:
            raise RefusedError(f"{name}: {value} is not a date.") from error


class _Practice:
    def __init__(self, state: State) -> None:
        self.s, self.clock = state, state["practice"]["main"]
        self.today = date.fromisoformat(self.clock["today"])
        self.last = str(self.today + timedelta(days=60))

    def get(self, table: str, key: str, **need: Any) -> Row:
        row = self.s[table].get(key)
        if row is None:
            raise RefusedError(f"There is no {key} among the {table}.")
        for field, value in need.items():
            if row[field] != value:
                raise RefusedError(f"{key} has {field} {row[field]}, it has to be {value or 'empty'}.")
        return row

    def having(self, table: str, **fields: Any) -> list[Row]:
        return [r for r in self.s[table].values() if all(r[key] == value for key, value in fields.items())]

    def put(self, table: str, prefix: str, **fields: Any) -> Row:
        number = max(int(key.split("-")[1]) for key in self.s[table]) + 1 if self.s[table] else 3001
        self.s[table][f"{prefix}-{number}"] = {"id": f"{prefix}-{number}", **fields}
        return self.s[table][f"{prefix}-{number}"]

    def charge(self, patient_id: str, items: list[str], total: float) -> Row:
        owner_id, due = self.s["patients"][patient_id]["owner_id"], round(total, 2)
        bill = {"owner_id": owner_id, "issued_on": str(self.today), "total": due, "due": due}
        return self.put("invoices", "INV", **bill, items=items, status="open", paid_by=None)

    def debt(self, owner_id: str) -> float:
        return float(round(sum(bill["due"] for bill in self.having("invoices", owner_id=owner_id)), 2))

    def free(self, vet: Row, day: str) -> list[str]:
        if date.fromisoformat(day).weekday() not in vet["weekdays"]:
            return []
        held = self.having("appointments", vet_id=vet["id"], date=day)
        taken = [one["time"] for one in held if one["status"] not in ("cancelled", "no_show")]
        now = self.clock["now"] if day == self.clock["today"] else ""
        return [slot for slot in SLOTS if slot not in taken and slot > now]

    def reserve(self, patient_id: str, vet: Row, day: str, slot: str) -> None:
        if not self.clock["today"] <= day <= self.last:
            raise RefusedError(f"{day} cannot be booked: only today and the next 60 days are open.")
        if slot not in self.free(vet, day):
            raise RefusedError(f"{vet['name']} has no free slot on {day} at {slot}.")
        for one in self.having("appointments", patient_id=patient_id, date=day, status="booked"):
            raise RefusedError(f"The patient already has appointment {one['id']} on that day.")

    def patient_get(self, patient_id: str) -> Any:
        patient = self.get("patients", patient_id)
        upcoming = self.having("appointments", patient_id=patient_id, status="booked")
        upcoming.sort(key=lambda visit: (visit["date"], visit["time"]))
        active = self.having("prescriptions", patient_id=patient_id, status="active")
        return {**patient, "prescriptions": active, "upcoming": upcoming}

    def patient_search(self, include_deceased: bool = False, name: str = "", **exact: str) -> Any:
        if not name and not exact:
            raise RefusedError("Give a name, a species or a microchip number.")
        rows = [p for p in self.having("patients", **exact) if include_deceased or not p["deceased_on"]]
        found = [p for p in rows if name.lower() in p["name"].lower()]
        return {"count": len(found), "patients": sorted(found, key=lambda p: (p["name"], p["id"]))}

    def patient_register(self, owner_id: str, name: str, species: str, **known: str) -> Any:
        self.get("owners", owner_id)
        if known.get("birth_date", "") > self.clock["today"]:
            raise RefusedError("The birth date lies in the future.")
        if "microchip" in known and self.having("patients", microchip=known["microchip"]):
            raise RefusedError(f"Microchip {known['microchip']} is on file for another patient.")
        if self.having("patients", owner_id=owner_id, name=name, deceased_on=None):
            raise RefusedError(f"The client already has a {name}.")
        data = {key: known.get(key) for key in ("breed", "birth_date", "microchip")}
        data |= {"owner_id": owner_id, "name": name, "species": species}
        return self.put("patients", "PAT", **data, weight_kg=None, allergies=[], deceased_on=None)

    def patient_mark_deceased(self, patient_id: str) -> Any:
        patient = self.get("patients", patient_id, deceased_on=None)
        visits = self.having("appointments", patient_id=patient_id, status="booked")
        scripts = self.having("prescriptions", patient_id=patient_id, status="active")
        patient["deceased_on"] = self.clock["today"]
        for row in visits + scripts:
            row["status"] = "cancelled" if row in visits else "withdrawn"
        ended = {"cancelled": [row["id"] for row in visits], "withdrawn": [row["id"] for row in scripts]}
        return {"patient_id": patient_id, "deceased_on": self.clock["today"], **ended}

    def owner_lookup(self, **by: str) -> Any:
        known = {"id" if key == "owner_id" else key: value for key, value in by.items()}
        found = self.having("owners", **known)
        if len(by) != 1 or len(found) != 1:
            raise RefusedError(f"This has to fit one client, but fits {[one['id'] for one in found]}.")
        key = found[0]["id"]
        pets = [pet["id"] for pet in self.having("patients", owner_id=key)]
        bills = self.having("invoices", owner_id=key, status="open")
        return {**found[0], "patient_ids": pets, "open_invoices": bills, "balance_due": self.debt(key)}

    def appointment_list(self, **filters: str) -> Any:
        rows = self.having("appointments", **filters)
        rows.sort(key=lambda visit: (visit["date"], visit["time"], visit["id"]))
        return {"appointments": rows[:20], "total": len(rows)}

    def appointment_free_slots(self, date: str, vet_id: str = "") -> Any:
        if not self.clock["today"] <= date <= self.last:
            raise RefusedError(f"{date} is not open for booking.")
        vets = [self.get("staff", vet_id, role=VET)] if vet_id else self.having("staff", role=VET)
        rows = [{"vet_id": vet["id"], "vet_name": vet["name"], "slots": self.free(vet, date)} for vet in vets]
        return [row for row in rows if row["slots"]]

    def appointment_book(self, patient_id: str, vet_id: str, date: str, time: str, **more: Any) -> Any:
        patient, vet = self.get("patients", patient_id, deceased_on=None), self.get("staff", vet_id, role=VET)
        self.reserve(patient_id, vet, date, time)
        if self.debt(patient["owner_id"]) > DEBT_LIMIT and not more.get("emergency"):
            raise RefusedError(f"Client {patient['owner_id']} owes {self.debt(patient['owner_id']):.2f}.")
        when = {"patient_id": patient_id, "vet_id": vet_id, "date": date, "time": time}
        return self.put("appointments", "APT", **when, reason=more["reason"], status="booked", diagnosis=None)

    def appointment_cancel(self, appointment_id: str, waive_fee: bool = False) -> Any:
        visit, fee = self.get("appointments", appointment_id, status="booked"), None
        if visit["date"] == self.clock["today"] and not waive_fee:
            fee = self.charge(visit["patient_id"], ["LATE-CANCEL"], LATE_FEE)["id"]
        visit["status"] = "cancelled"
        return {"appointment": visit, "late_fee_invoice": fee}

    def appointment_check_in(self, appointment_id: str) -> Any:
        visit = self.get("appointments", appointment_id, status="booked")
        if visit["date"] != self.clock["today"]:
            raise RefusedError(f"Appointment {appointment_id} is on {visit['date']}, not today.")
        visit["status"] = "checked_in"
        waiting = len(self.having("appointments", status="checked_in"))
        return {"appointment_id": appointment_id, "status": "checked_in", "waiting": waiting}

    def visit_complete(self, appointment_id: str, diagnosis: str, services: list[str] | None = None) -> Any:
        visit, done = self.get("appointments", appointment_id, status="checked_in"), services or []
        visit.update(status="completed", diagnosis=diagnosis)
        total = sum((SERVICES[one] for one in done), CONSULTATION)
        return {"appointment": visit, "invoice": self.charge(visit["patient_id"], ["CONSULT", *done], total)}

    def medicine_list(self, species: str = "", in_stock: bool = False) -> Any:
        drugs = [one for one in self.s["medicines"].values() if not species or species in one["species"]]
        return [one for one in drugs if one["stock"] or not in_stock]

    def prescription_issue(self, medicine: str, quantity: int, fills: int = 1, **who: str) -> Any:
        patient = self.get("patients", who["patient_id"], deceased_on=None)
        drug, _ = self.get("medicines", medicine), self.get("staff", who["vet_id"], role=VET)
        if patient["species"] not in drug["species"] or medicine in patient["allergies"]:
            raise RefusedError(f"{drug['name']} is not for {patient['name']}: species or allergy.")
        if drug["controlled"] and fills > 1:
            raise RefusedError(f"{drug['name']} is a controlled medicine: one fill only.")
        terms = {"quantity": quantity, "fills_left": fills, "status": "active"}
        terms["valid_until"] = str(self.today + timedelta(days=180))
        return self.put("prescriptions", "RX", **who, medicine=medicine, **terms)

    def prescription_dispense(self, prescription_id: str) -> Any:
        script = self.get("prescriptions", prescription_id, status="active")
        drug = self.s["medicines"][script["medicine"]]
        if script["valid_until"] < self.clock["today"]:
            raise RefusedError(f"{prescription_id} expired on {script['valid_until']}.")
        if drug["stock"] < script["quantity"]:
            raise RefusedError(f"Only {drug['stock']} units of {drug['name']} in stock.")
        drug["stock"] -= script["quantity"]
        script["fills_left"] -= 1
        script["status"] = "active" if script["fills_left"] else "used_up"
        bill = self.charge(script["patient_id"], [drug["code"]], drug["unit_price"] * script["quantity"])
        sold = {"invoice_id": bill["id"], "amount": bill["total"], "stock_left": drug["stock"]}
        return {"prescription": script, **sold}

    def invoice_pay(self, invoice_id: str, amount: float, method: str) -> Any:
        bill = self.get("invoices", invoice_id)
        if bill["status"] == "paid" or amount > bill["due"]:
            raise RefusedError(f"Invoice {invoice_id} has {bill['due']:.2f} due, not {amount:.2f}.")
        bill["due"] = round(bill["due"] - amount, 2)
        bill.update(status="open" if bill["due"] else "paid", paid_by=method)
        return bill


TABLES = {"patient_id": "patients", "owner_id": "owners", "vet_id": "staff", "appointment_id": "appointments"}
TABLES |= {"prescription_id": "prescriptions", "invoice_id": "invoices", "medicine": "medicines"}
WRONG = {"date": "2019-02-30", "time": "12:30", "amount": 9999.0, "quantity": 120, "fills": 9, "reason": "?"}
WRONG |= {"birth_date": "2044-01-01", "microchip": "9851", "diagnosis": "ok", "name": "", "last_name": "Ott"}
WEIGHTS = {"patient_get": 5, "appointment_book": 6, "appointment_list": 5, "patient_mark_deceased": 1}


class _Caller:
    """An assistant at the front desk, who draws arguments that fit, but for one now and then."""

    def __init__(self, state: State, random: Random) -> None:
        self.s, self.random, self.desk, self.given = state, random, _Practice(state), Row()

    def fits(self, tool: str, name: str, row: Row) -> bool:
        today, pet = self.desk.clock["today"], self.s["patients"].get(self.given.get("patient_id", ""))
        if name == "appointment_id":
            state = "checked_in" if tool == "visit_complete" else "booked"
            return bool(row["status"] == state and (tool != "appointment_check_in" or row["date"] == today))
        if name == "medicine":
            return not pet or (pet["species"] in row["species"] and row["code"] not in pet["allergies"])
        if name == "prescription_id":
            enough = row["quantity"] <= self.s["medicines"][row["medicine"]]["stock"]
            return bool(row["status"] == "active" and row["valid_until"] >= today and enough)
        need: Row = {"vet_id": ("role", VET), "invoice_id": ("status", "open")}
        key, value = (need | {"patient_id": ("deceased_on", None)}).get(name, ("id", row.get("id")))
        return bool(row[key] == value)

    def pick(self, tool: str, name: str, wrong: bool) -> str:
        rows = self.s[TABLES[name]]
        fitting = [key for key, row in rows.items() if self.fits(tool, name, row) != wrong]
        if wrong and (not fitting or self.random.random() < 0.4):
            return f"{next(iter(rows)).split('-')[0]}-{self.random.randint(9001, 9999)}"
        return self.random.choice(fitting or list(rows))

    def value(self, name: str) -> Any:
        draw, rule, given, today = self.random, INPUTS[name], self.given, self.desk.clock["today"]
        pet, owner = (draw.choice(list(self.s[table].values())) for table in ("patients", "owners"))
        if "enum" in rule or rule["type"] in ("boolean", "array"):
            some = draw.sample(list(SERVICES), draw.randint(0, 2))
            return some if name == "services" else draw.choice(rule.get("enum", [True, False]))
        vet, day = self.s["staff"].get(given.get("vet_id", "")), given.get("date", "")
        slots = self.desk.free(vet, day) if vet and day > today and name == "time" else []
        ahead = [str(self.desk.today + timedelta(days=i)) for i in range(1, 13)]
        ahead = [one for one in ahead if not vet or self.desk.free(vet, one)] or ahead
        known: Row = {"name": draw.choice([*PETS, pet["name"]]), "date": draw.choice(ahead), "breed": "mix"}
        known |= {key: owner[key] for key in ("phone", "last_name")} | {"time": draw.choice(slots or SLOTS)}
        known |= {"microchip": str(draw.randint(10**14, 10**15)), "birth_date": "2028-05-11", "fills": 1}
        known |= {"amount": self.s["invoices"].get(given.get("invoice_id", ""), {"due": 10.0})["due"]}
        known |= {"reason": draw.choice(REASONS), "diagnosis": draw.choice(FINDINGS)}
        return {**known, "quantity": draw.choice([5, 10, 14, 20])}[name]

    def arguments(self, tool: Row) -> Row:
        schema, odds = tool["input_schema"], 0.0 if tool["name"] == "owner_lookup" else 0.3
        must = schema["required"] or [self.random.choice(list(schema["properties"]))]
        names = [one for one in schema["properties"] if one in must or self.random.random() < odds]
        wrong = self.random.choice(names) if self.random.random() < 0.21 else ""
        for one in names:
            value = self.pick(tool["name"], one, one == wrong) if one in TABLES else self.value(one)
            other = WRONG.get(one, "other" if "enum" in INPUTS[one] else value)
            self.given[one] = other if one == wrong and one not in TABLES else value
        return {one: self.given[one] for one in names}


class Vet:
    name = "vet"
    tools = TOOLS

    def begin(self, random: Random) -> State:
        s: State = {table: {} for table in TABLES.values()}
        day = date(2031, 1, 6) + timedelta(days=7 * random.randint(0, 40) + random.randint(0, 4))
        s["practice"] = {"main": {"today": str(day), "now": random.choice(["08:45", "09:20", "10:15"])}}
        for key, last in zip(range(101, 107), random.sample(LAST, 6), strict=True):
            role, week = ("nurse" if key > 104 else VET), sorted(random.sample(range(6), 4))
            s["staff"][f"S-{key}"] = {"id": f"S-{key}", "name": f"R. {last}", "role": role, "weekdays": week}
        for code, name, species, price in DRUGS:
            drug = {"code": code, "name": name, "species": species.split(), "unit_price": price}
            s["medicines"][code] = drug | {"stock": random.randint(0, 4) * 15, "controlled": code == "TRAQ"}
        desk, names = _Practice(s), [(first, last) for first in FIRST for last in LAST]
        for first, last in random.sample(names, random.randint(16, 24)):
            known = {"phone": f"0{random.randint(300, 899)} {random.randint(10000, 99999)}"}
            known |= {"first_name": first, "last_name": last, "email": f"{first}.{last}@post.example".lower()}
            desk.put("owners", "OWN", **known)
        for _ in range(random.randint(28, 42)):
            self._patient(desk, random)
        for _ in range(random.randint(50, 70)):
            self._visit(desk, random)
        return s

    def _patient(self, desk: _Practice, random: Random) -> None:
        owner, species = random.choice(list(desk.s["owners"])), random.choice([*SPECIES, *SPECIES[:2]])
        had = [one["name"] for one in desk.having("patients", owner_id=owner)]
        data: Row = {"owner_id": owner, "name": random.choice([one for one in PETS if one not in had])}
        data |= {"species": species, "breed": None, "weight_kg": random.choice([None, 3.9, 7.2, 24.5])}
        chip = str(random.randint(10**14, 10**15 - 1)) if random.random() < 0.6 else None
        data |= {"birth_date": f"20{random.randint(20, 29)}-04-14", "microchip": chip}
        died = str(desk.today - timedelta(days=random.randint(1, 9))) if random.random() < 0.1 else None
        data |= {"allergies": random.choice([[], [], [], ["BENT"]]), "deceased_on": died}
        pet = desk.put("patients", "PAT", **data)
        drugs = [key for key, drug in desk.s["medicines"].items() if species in drug["species"]]
        medicine = random.choice([one for one in drugs if one not in data["allergies"]])
        left, until = random.choice([0, 1, 1]), str(desk.today + timedelta(days=random.randint(-20, 175)))
        terms = {"quantity": random.choice([5, 10, 20]), "fills_left": left, "valid_until": until}
        terms |= {"status": ("withdrawn" if died else "active") if left else "used_up"}
        if random.random() < 0.6:
            asked = {"patient_id": pet["id"], "medicine": medicine, "vet_id": f"S-{random.randint(101, 104)}"}
            desk.put("prescriptions", "RX", **asked, **terms)

    def _visit(self, desk: _Practice, random: Random) -> None:
        when, today = desk.today + timedelta(random.choice([*range(-9, 13), *[0] * 9])), desk.clock["today"]
        day, time, pet = str(when), random.choice(SLOTS), random.choice(list(desk.s["patients"].values()))
        on_duty = [v for v in desk.having("staff", role=VET) if when.weekday() in v["weekdays"]]
        vets = [v for v in on_duty if not desk.having("appointments", vet_id=v["id"], date=day, time=time)]
        known = desk.having("appointments", patient_id=pet["id"], date=day)
        if known or not vets or day >= (pet["deceased_on"] or "9999"):
            return
        ahead = (day, time) > (today, desk.clock["now"])
        status = random.choice(STATES[::3] if ahead else STATES[2::2])
        status = "checked_in" if day == today and random.random() < 0.3 else status
        found = random.choice(FINDINGS) if status == "completed" else None
        what = {"patient_id": pet["id"], "vet_id": random.choice(vets)["id"], "date": day, "time": time}
        desk.put("appointments", "APT", **what, status=status, reason=random.choice(REASONS), diagnosis=found)
        if found:
            done = random.sample(list(SERVICES), random.randint(0, 2))
            total = sum((SERVICES[one] for one in done), CONSULTATION)
            bill = desk.charge(pet["id"], ["CONSULT", *done], total)
            if random.random() < 0.4:
                desk.invoice_pay(bill["id"], total, "card")
            bill["issued_on"] = day

    def call(self, state: State, tool: str, arguments: dict[str, Any]) -> Any:
        for name, value in arguments.items():
            validate(name, value)
        return deepcopy(getattr(_Practice(state), tool)(**arguments))

    def next_call(self, state: State, random: Random) -> Call:
        tool = random.choices(TOOLS, [WEIGHTS.get(one["name"], 3) for one in TOOLS])[0]
        return Call(tool["name"], _Caller(state, random).arguments(tool))
