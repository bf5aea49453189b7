"""A clinic: patients with allergies, doctors with slots, appointments, prescriptions and invoices."""

from collections.abc import Callable
from copy import deepcopy
from random import Random
from typing import Any

from benchmarks.reference.back_end import Call, RefusedError, State

FIRST = ["Mia", "Noah", "Lena", "Omar", "Priya", "Ivan", "Sofia", "Hugo", "Amara", "Jonas", "Clara", "Ruth"]
LAST = ["Novak", "Okafor", "Lindqvist", "Haddad", "Moreau", "Santos", "Becker", "Walsh", "Kaur", "Petrov"]
STREETS, CITIES = ["Mill Lane", "Oak Street", "Station Road"], ["Riverton", "Ashford", "Kingsbury", "Lowell"]
SPECIALTIES = ["general_practice", "cardiology", "dermatology", "pediatrics", "orthopedics"]
DRUGS = ["amoxicillin", "ibuprofen", "codeine", "aspirin", "lisinopril", "metformin", "salbutamol"]
SUBSTANCES = [*DRUGS[:4], "latex", "peanuts", "pollen", "bee venom"]
SEVERITIES = ["mild", "moderate", "severe"]
REACTIONS = ["hives", "swelling", "nausea"]
DOSAGES = ["1 tablet daily", "500 mg three times a day", "20 mg at night", "2 puffs as needed"]
REASONS = ["annual check-up", "persistent cough", "knee pain", "skin rash", "follow-up", "headaches"]
DAYS = [f"2025-03-{day}" for day in (10, 11, 12, 13, 14, 17, 18, 19)]
STATUSES = ["scheduled", "completed", "cancelled", "no_show"]

Fields = dict[str, Any]
TEXT, NUMBER, COUNT, YES_NO = ({"type": kind} for kind in ("string", "number", "integer", "boolean"))


def _object(names: str, **known: Fields) -> Fields:
    """Make the schema of an object with these fields, texts unless known otherwise; ! marks required ones."""
    fields = {name: known.get(name, TEXT) for name in names.replace("!", "").split()}
    required = [name[:-1] for name in names.split() if name.endswith("!")]
    return {"type": "object", "properties": fields, "required": required}


def _list(items: Fields) -> Fields:
    return {"type": "array", "items": items}


INPUTS: dict[str, Fields] = {
    "patient_id": {**TEXT, "description": "Patient number, e.g. P-1004"},
    "appointment_id": {**TEXT, "description": "Appointment number, e.g. A-5012"},
    "name": {**TEXT, "description": "Part of the full name"},
    "start": {**TEXT, "description": "Start of the slot, YYYY-MM-DDTHH:MM, as listed by get_open_slots"},
    "new_start": {**TEXT, "description": "Start of another slot, as listed by get_open_slots"},
    "date": {**TEXT, "description": "A day, YYYY-MM-DD"},
    "limit": {**COUNT, "minimum": 1, "maximum": 20, "default": 5},
    "address": _object("street city postcode"),
    "severity": {**TEXT, "enum": SEVERITIES},
    "reaction": {**TEXT, "default": "unknown"},
    "specialty": {**TEXT, "enum": SPECIALTIES},
    "visit_type": {**TEXT, "enum": ["in_person", "video"], "default": "in_person"},
    "status": {**TEXT, "enum": STATUSES},
    "extra_charges": _list(_object("description! amount!", amount=NUMBER)),
    "refills": {**COUNT, "minimum": 0, "maximum": 5, "default": 0},
    "amount": {**NUMBER, "exclusiveMinimum": 0, "description": "In dollars"},
    "method": {**TEXT, "enum": ["card", "cash", "bank_transfer"], "default": "card"},
    "channel": {**TEXT, "enum": ["sms", "email"], "default": "sms"},
}
ALLERGIES = _list(_object("substance! severity! reaction!", **INPUTS))
PERSON = "patient_id! first_name! last_name! date_of_birth! phone! email! primary_doctor_id! "
PATIENT = _object(PERSON + "address! active! allergies!", **INPUTS, active=YES_NO, allergies=ALLERGIES)
VISIT = "appointment_id! patient_id! doctor_id! start! reason! visit_type! status! reminders_sent!"
APPOINTMENT = _object(VISIT, **INPUTS, reminders_sent=COUNT)
BOOKED = _object("appointment!", appointment=APPOINTMENT)
APPOINTMENTS = _object("appointments! count!", appointments=_list(APPOINTMENT), count=COUNT)
MATCHES = _list(_object("patient_id! name! date_of_birth!"))
RX = _object("prescription_id! patient_id! doctor_id! drug! dosage! refills_left!", refills_left=COUNT)
READS = ("get_", "search_", "find_", "list_")

TOOLS: list[dict[str, Any]] = []


def _tool(inputs: str, output: Fields | None = None) -> Callable[[Any], Any]:
    """Declare a method as a tool, described by its docstring."""

    def declare(method: Any) -> Any:
        tool = {"name": method.__name__, "description": " ".join(method.__doc__.split())}
        tool["input_schema"] = _object(inputs, **INPUTS)
        TOOLS.append(tool if output is None else {**tool, "output_schema": output})
        return method

    return declare


def _get(state: State, kind: str, key: str) -> Fields:
    if key not in state[kind]:
        raise RefusedError(f"No {kind[:-1]} with id {key}")
    return state[kind][key]


def _scheduled(state: State, given: Fields) -> Fields:
    appointment = _get(state, "appointments", given["appointment_id"])
    if appointment["status"] != "scheduled":
        raise RefusedError(f"Appointment is not scheduled (status: {appointment['status']})")
    return appointment


def _add(state: State, kind: str, field: str, entity: Fields) -> Fields:
    """Keep a new entity under the next number of its kind."""
    prefix, number = max(state[kind], key=lambda key: int(key.split("-")[1])).split("-")
    key = f"{prefix}-{int(number) + 1}"
    state[kind][key] = {field: key, **entity}
    return state[kind][key]


def _take(doctor: Fields, start: str) -> None:
    slot = next((slot for slot in doctor["slots"] if slot["start"] == start), None)
    if slot is None or not slot["free"]:
        raise RefusedError(f"{doctor['name']} has no free slot at {start}")
    slot["free"] = False


def _release(state: State, appointment: Fields) -> None:
    for slot in state["doctors"][appointment["doctor_id"]]["slots"]:
        slot["free"] = slot["free"] or slot["start"] == appointment["start"]


def _bill(appointment: Fields, fee: float, extra: list[Fields]) -> Fields:
    items = [{"description": "Consultation", "amount": fee}, *(dict(charge) for charge in extra)]
    bill: Fields = {key: appointment[key] for key in ("patient_id", "appointment_id")}
    total = round(sum(item["amount"] for item in items), 2)
    return {**bill, "items": items, "total": total, "paid": 0, "status": "open", "payments": []}


def _doctor(key: str, random: Random) -> Fields:
    hours = [(day, hour) for day in DAYS for hour in sorted(random.sample(range(8, 17), 2))]
    slots = [{"start": f"{day}T{hour:02}:{random.choice(['00', '30'])}", "free": True} for day, hour in hours]
    doctor: Fields = {"doctor_id": key, "name": f"Dr. {random.choice(FIRST)} {random.choice(LAST)}"}
    doctor |= {"specialty": random.choice(SPECIALTIES), "fee": random.randrange(60, 240, 5)}
    return {**doctor, "accepts_new_patients": random.random() < 0.75, "slots": slots}


def _patient(key: str, random: Random, doctors: list[str]) -> Fields:
    first, last, year = random.choice(FIRST), random.choice(LAST), random.randint(1940, 2018)
    birth, phone = f"{year}-{random.randint(1, 12):02}-{random.randint(1, 28):02}", random.randint(1000, 9999)
    person: Fields = {"patient_id": key, "first_name": first, "last_name": last, "date_of_birth": birth}
    person |= {"phone": f"555-{phone}", "email": f"{first}.{last}{year}@mail.com".lower()}
    address = {"street": f"{random.randint(1, 180)} {random.choice(STREETS)}", "city": random.choice(CITIES)}
    allergies = [
        {"substance": one, "severity": random.choice(SEVERITIES), "reaction": random.choice(REACTIONS)}
        for one in random.sample(SUBSTANCES, random.randint(0, 3))
    ]
    person["address"] = {**address, "postcode": str(random.randint(10000, 99999))}
    active, doctor = random.random() < 0.9, random.choice(doctors)
    return {**person, "primary_doctor_id": doctor, "active": active, "allergies": allergies}


def _visit(key: str, random: Random, state: State) -> None:
    """Put an appointment into the state; it takes its slot, and is billed if it is completed."""
    doctor = random.choice(list(state["doctors"].values()))
    slot = random.choice([slot for slot in doctor["slots"] if slot["free"]])
    status = random.choices(STATUSES, [45, 40, 10, 5])[0]
    slot["free"] = status == "cancelled"
    visit: Fields = {"appointment_id": key, "patient_id": random.choice(list(state["patients"]))}
    visit |= {"doctor_id": doctor["doctor_id"], "start": slot["start"], "reason": random.choice(REASONS)}
    visit |= {"visit_type": random.choice(["in_person", "in_person", "video"]), "status": status}
    state["appointments"][key] = {**visit, "reminders_sent": random.randint(0, 2)}
    if status == "completed":
        invoice, bill = f"INV-{7001 + len(state['invoices'])}", _bill(visit, doctor["fee"], [])
        if random.random() < 0.3:
            total = bill["total"]
            bill |= {"paid": total, "status": "paid", "payments": [{"amount": total, "method": "card"}]}
        state["invoices"][invoice] = {"invoice_id": invoice, **bill}


def _arguments(tool: dict[str, Any], state: State, random: Random, wrong: bool) -> Fields:
    """Draw what a caller gives a tool; a wrong caller names what does not exist or does not fit."""
    choice, strange = random.choice, f"9{random.randint(100, 999)}"
    unknown = wrong and (tool["name"].startswith(READS) or random.random() < 0.4)

    def pick(kind: str, fits: Callable[[Fields], bool], misfit: bool = wrong) -> Fields:
        entities = list(state[kind].values())
        return choice([one for one in entities if fits(one) != misfit] or entities)

    visit = pick("appointments", lambda one: one["status"] == "scheduled", wrong and random.random() < 0.5)
    patient = pick("patients", lambda one: one["active"], wrong and random.random() < 0.3)
    doctor = pick("doctors", lambda one: one["accepts_new_patients"], wrong and random.random() < 0.3)
    prescription = pick("prescriptions", lambda one: one["refills_left"] > 0)
    invoice = pick("invoices", lambda one: one["status"] != "paid")
    doctor = state["doctors"][visit["doctor_id"]] if tool["name"] == "reschedule_appointment" else doctor
    free = [slot["start"] for slot in doctor["slots"] if slot["free"] != wrong] or ["2025-03-15T09:00"]
    own = [allergy["substance"] for allergy in patient["allergies"]]
    due = invoice["total"] - invoice["paid"]
    values = {name: choice(schema["enum"]) for name, schema in INPUTS.items() if "enum" in schema}
    values |= {"severity": "extreme", "specialty": "surgery", "channel": "fax"} if unknown else {}
    values |= {"dosage": choice(DOSAGES), "reason": choice(REASONS), "date": choice(DAYS)}
    values |= {
        "patient_id": f"P-{strange}" if unknown else patient["patient_id"],
        "name": patient["last_name"].lower(),
        "date_of_birth": patient["date_of_birth"],
        "limit": random.randint(1, 12),
        "phone": f"555-{random.randint(1000, 9999)}",
        "email": f"{patient['last_name'].lower()}{random.randint(1, 99)}@post.net",
        "address": {"city": choice(CITIES)},
        "substance": choice([one for one in SUBSTANCES if (one in own) == wrong] or SUBSTANCES),
        "drug": choice([one for one in DRUGS if (one in own) == wrong] or DRUGS),
        "reaction": choice(REACTIONS),
        "doctor_id": f"D-{strange}" if unknown else doctor["doctor_id"],
        "start": choice(free),
        "new_start": choice(free),
        "appointment_id": f"A-{strange}" if unknown else visit["appointment_id"],
        "extra_charges": [{"description": "Lab test", "amount": random.randint(1000, 9000) / 100}],
        "refills": random.randint(6, 9) if wrong else random.randint(0, 5),
        "prescription_id": f"RX-{strange}" if unknown else prescription["prescription_id"],
        "invoice_id": f"INV-{strange}" if unknown else invoice["invoice_id"],
        "amount": round(choice([due, due, due / 2]), 2) + 25 * wrong,
    }
    fields, needed = tool["input_schema"]["properties"], tool["input_schema"]["required"]
    return {name: values[name] for name in fields if name in needed or random.random() < 0.4}


class Clinic:
    name = "clinic"
    tools = TOOLS

    def call(self, state: State, tool: str, arguments: dict[str, Any]) -> Any:
        for field, value in arguments.items():
            allowed = INPUTS.get(field, {}).get("enum", [value])
            if value not in allowed:
                raise RefusedError(f"Invalid {field} '{value}': must be one of {', '.join(allowed)}")
        return deepcopy(getattr(self, tool)(state, arguments))

    @_tool("patient_id!", PATIENT)
    def get_patient(self, state: State, given: Fields) -> Any:
        """Get the full record of a patient, with contact details and allergies."""
        return _get(state, "patients", given["patient_id"])

    @_tool("name date_of_birth limit", _object("patients! total!", patients=MATCHES, total=COUNT))
    def search_patients(self, state: State, given: Fields) -> Any:
        """Find active patients by part of their name, in any case, and/or by date of birth, sorted by last name and
        then first name. The total also counts matches beyond the limit.
        """
        part, born, found = given.get("name", "").lower(), given.get("date_of_birth"), []
        people = state["patients"].values()
        for one in sorted(people, key=lambda one: (one["last_name"], one["first_name"], one["patient_id"])):
            name = f"{one['first_name']} {one['last_name']}"
            if one["active"] and part in name.lower() and born in (None, one["date_of_birth"]):
                found.append({"name": name, **{key: one[key] for key in ("patient_id", "date_of_birth")}})
        return {"patients": found[: given.get("limit", 5)], "total": len(found)}

    @_tool("patient_id! phone email address")
    def update_contact_details(self, state: State, given: Fields) -> Any:
        """Change a patient's phone, email and/or parts of the address, at least one. Returns the patient."""
        patient = _get(state, "patients", given["patient_id"])
        if len(given) == 1:
            raise RefusedError("Nothing to update")
        if "@" not in given.get("email", "@"):
            raise RefusedError(f"'{given['email']}' is not a valid email address")
        patient.update({field: value for field, value in given.items() if field != "address"})
        patient["address"].update(given.get("address", {}))
        return patient

    @_tool("patient_id! substance! severity! reaction", ALLERGIES)
    def add_allergy(self, state: State, given: Fields) -> Any:
        """Record an allergy of a patient. Fails if the substance is already on the list. Returns all allergies."""
        allergies = _get(state, "patients", given["patient_id"])["allergies"]
        if any(allergy["substance"] == given["substance"] for allergy in allergies):
            raise RefusedError(f"An allergy to {given['substance']} is already recorded")
        allergy = {"substance": given["substance"], "severity": given["severity"]}
        allergies.append({**allergy, "reaction": given.get("reaction", "unknown")})
        return allergies

    @_tool("specialty")
    def find_doctors(self, state: State, given: Fields) -> Any:
        """List the doctors of the clinic sorted by name, optionally of one specialty only, without their slots."""
        doctors = sorted(state["doctors"].values(), key=lambda one: (one["name"], one["doctor_id"]))
        chosen = [one for one in doctors if given.get("specialty") in (None, one["specialty"])]
        return [{field: value for field, value in one.items() if field != "slots"} for one in chosen]

    @_tool("doctor_id! date limit", _object("doctor_id! slots!", slots=_list(TEXT)))
    def get_open_slots(self, state: State, given: Fields) -> Any:
        """List the free slots of a doctor, earliest first, of all days or of one."""
        slots = _get(state, "doctors", given["doctor_id"])["slots"]
        free = sorted(slot["start"] for slot in slots if slot["free"])
        starts = [start for start in free if start.startswith(given.get("date", ""))]
        return {"doctor_id": given["doctor_id"], "slots": starts[: given.get("limit", 5)]}

    @_tool("patient_id! doctor_id! start! reason! visit_type", BOOKED)
    def book_appointment(self, state: State, given: Fields) -> Any:
        """Book a free slot of a doctor for an active patient. Doctors who do not accept new patients can only be
        booked by patients they are the primary doctor of. The appointment gets the next number and is scheduled.
        """
        patient = _get(state, "patients", given["patient_id"])
        doctor = _get(state, "doctors", given["doctor_id"])
        if not patient["active"]:
            raise RefusedError(
                f"{patient['first_name']} {patient['last_name']} is no longer an active patient"
            )
        if not doctor["accepts_new_patients"] and patient["primary_doctor_id"] != given["doctor_id"]:
            raise RefusedError(f"{doctor['name']} is not accepting new patients")
        _take(doctor, given["start"])
        visit = {"visit_type": "in_person", **given, "status": "scheduled", "reminders_sent": 0}
        return {"appointment": _add(state, "appointments", "appointment_id", visit)}

    @_tool("patient_id doctor_id status date", APPOINTMENTS)
    def list_appointments(self, state: State, given: Fields) -> Any:
        """List appointments in order of their start, filtered by any of patient, doctor, status and day."""
        if "patient_id" in given:
            _get(state, "patients", given["patient_id"])
        found = sorted(state["appointments"].values(), key=lambda one: (one["start"], one["appointment_id"]))
        for field in ("patient_id", "doctor_id", "status"):
            found = [one for one in found if given.get(field) in (None, one[field])]
        found = [one for one in found if one["start"].startswith(given.get("date", ""))]
        return {"appointments": found, "count": len(found)}

    @_tool("appointment_id! new_start!", BOOKED)
    def reschedule_appointment(self, state: State, given: Fields) -> Any:
        """Move a scheduled appointment to another free slot of the same doctor. Its old slot becomes free again."""
        appointment = _scheduled(state, given)
        _take(state["doctors"][appointment["doctor_id"]], given["new_start"])
        _release(state, appointment)
        appointment["start"] = given["new_start"]
        return {"appointment": appointment}

    @_tool("appointment_id!", _object("appointment_id! status!"))
    def cancel_appointment(self, state: State, given: Fields) -> Any:
        """Cancel a scheduled appointment and free its slot."""
        appointment = _scheduled(state, given)
        _release(state, appointment)
        appointment["status"] = "cancelled"
        return {"appointment_id": given["appointment_id"], "status": "cancelled"}

    @_tool("appointment_id! extra_charges")
    def complete_visit(self, state: State, given: Fields) -> Any:
        """Mark a scheduled appointment as completed and bill it. Opens the next invoice with the doctor's fee as
        'Consultation' and any extra charges as its items, and returns that invoice.
        """
        appointment = _scheduled(state, given)
        appointment["status"] = "completed"
        fee = state["doctors"][appointment["doctor_id"]]["fee"]
        return _add(state, "invoices", "invoice_id", _bill(appointment, fee, given.get("extra_charges", [])))

    @_tool("patient_id! doctor_id! drug! dosage! refills", RX)
    def prescribe_medication(self, state: State, given: Fields) -> Any:
        """Write a prescription under the next number, by default without refills. Refused if allergic to the drug."""
        patient, refills = _get(state, "patients", given["patient_id"]), given.get("refills", 0)
        _get(state, "doctors", given["doctor_id"])
        if any(allergy["substance"] == given["drug"] for allergy in patient["allergies"]):
            raise RefusedError(
                f"{patient['first_name']} {patient['last_name']} is allergic to {given['drug']}"
            )
        if not 0 <= refills <= 5:
            raise RefusedError("Refills must be between 0 and 5")
        entity = {field: given[field] for field in ("patient_id", "doctor_id", "drug", "dosage")}
        return _add(state, "prescriptions", "prescription_id", {**entity, "refills_left": refills})

    @_tool("patient_id!")
    def list_prescriptions(self, state: State, given: Fields) -> Any:
        """List the prescriptions of a patient."""
        _get(state, "patients", given["patient_id"])
        return [one for one in state["prescriptions"].values() if one["patient_id"] == given["patient_id"]]

    @_tool("prescription_id!", _object("prescription_id! refills_left!", refills_left=COUNT))
    def refill_prescription(self, state: State, given: Fields) -> Any:
        """Hand out one refill of a prescription, if there are any left."""
        prescription = _get(state, "prescriptions", given["prescription_id"])
        if prescription["refills_left"] < 1:
            raise RefusedError("No refills left on this prescription")
        prescription["refills_left"] -= 1
        return {"prescription_id": given["prescription_id"], "refills_left": prescription["refills_left"]}

    @_tool("patient_id!")
    def list_invoices(self, state: State, given: Fields) -> Any:
        """All invoices of a patient, and the total that is still outstanding on them."""
        _get(state, "patients", given["patient_id"])
        own = [one for one in state["invoices"].values() if one["patient_id"] == given["patient_id"]]
        return {"invoices": own, "outstanding": round(sum(one["total"] - one["paid"] for one in own), 2)}

    @_tool("invoice_id! amount! method", _object("invoice_id! status! remaining!", remaining=NUMBER))
    def pay_invoice(self, state: State, given: Fields) -> Any:
        """Record a payment, up to what is still due. The invoice becomes paid when settled, else partly_paid."""
        invoice, amount = _get(state, "invoices", given["invoice_id"]), given["amount"]
        due = round(invoice["total"] - invoice["paid"], 2)
        if not 0 < amount <= due:
            raise RefusedError(f"The amount must be positive and at most {due:.2f}")
        remaining = round(due - amount, 2)
        invoice["paid"] = round(invoice["paid"] + amount, 2)
        invoice["status"] = "partly_paid" if remaining else "paid"
        invoice["payments"].append({"amount": amount, "method": given.get("method", "card")})
        return {"invoice_id": given["invoice_id"], "status": invoice["status"], "remaining": remaining}

    @_tool("appointment_id! channel", TEXT)
    def send_reminder(self, state: State, given: Fields) -> Any:
        """Remind the patient of a scheduled appointment, by text message unless email is asked for."""
        _scheduled(state, given)["reminders_sent"] += 1
        return f"Reminder for {given['appointment_id']} sent by {given.get('channel', 'sms')}."

    def begin(self, random: Random) -> State:
        state: State = {k: {} for k in ("doctors", "patients", "appointments", "prescriptions", "invoices")}
        for number in range(101, random.randint(117, 120)):
            state["doctors"][f"D-{number}"] = _doctor(f"D-{number}", random)
        for number in range(1001, random.randint(1032, 1045)):
            state["patients"][f"P-{number}"] = _patient(f"P-{number}", random, list(state["doctors"]))
        for number in range(301, random.randint(331, 345)):
            patient, doctor = random.choice(list(state["patients"])), random.choice(list(state["doctors"]))
            rx: Fields = {"prescription_id": f"RX-{number}", "patient_id": patient, "doctor_id": doctor}
            rx |= {"drug": random.choice(DRUGS), "dosage": random.choice(DOSAGES)}
            state["prescriptions"][f"RX-{number}"] = {**rx, "refills_left": random.randint(0, 5)}
        for number in range(5001, 5060):
            _visit(f"A-{number}", random, state)
        return state

    def next_call(self, state: State, random: Random) -> Call:
        tool = random.choices(TOOLS, [9 if tool["name"].startswith(READS) else 5 for tool in TOOLS])[0]
        return Call(tool["name"], _arguments(tool, state, random, random.random() < 0.24))
