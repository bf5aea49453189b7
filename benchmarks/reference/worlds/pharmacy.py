"""A town pharmacy: prescriptions from the counter to the patient, and the stock they are filled from."""

import inspect
from contextlib import suppress
from copy import deepcopy
from datetime import date, timedelta
from random import Random
from typing import Any, Literal, get_args

from benchmarks.reference.back_end import Call, RefusedError, State

Row = dict[str, Any]
BEGUN = ("received", "checked", "ready")
Stage = Literal["received", "checked", "ready", "collected", "cancelled"]

BRANDS = ["Quellamin", "Drostaval", "Hypalene", "Morvexin", "Zintorol", "Pelvaquil", "Ansubrel", "Tavicorda"]
BRANDS += ["Lumedrin", "Fenquidol", "Ostravane", "Ruminox", "Cestafane", "Gliphora"]
INGREDIENTS = [f"{brand.lower()}ate" for brand in BRANDS]
CATEGORIES = ["otc", "rx", "rx", "controlled", "rx", "otc"]
FORMS = ["tablets", "capsules", "drops", "ointment", "syrup"]
GIVEN = ["Agathe", "Bertil", "Cosima", "Dario", "Enna", "Fjodor", "Greta", "Halvard", "Jaromir"]
FAMILY = ["Abendroth", "Brisco", "Crane", "Delacour", "Ekholm", "Farrow", "Grimaud", "Hawtrey", "Isaksen"]
DOCTORS = ["Dr Pell", "Dr Okonjo-Reeve", "Dr Sandoval", "Dr Thistlewood", "Dr Lindqvist"]
REASONS = ["Patient called it off", "Doctor changed the therapy", "Damaged packaging", "Recall by the maker"]


def _model(fields: str, **others: Row) -> Row:
    """Turn "name:type" pairs into an object's schema; a type with "?" may be null, one with "*" is a list."""
    made = {}
    for name, kind in (field.split(":") for field in fields.split()):
        plain = {"type": {"s": "string", "i": "integer", "b": "boolean", "n": "number"}[kind[0]]}
        many = {"type": "array", "items": plain} if kind.endswith("*") else plain
        made[name] = {"anyOf": [plain, {"type": "null"}]} if kind.endswith("?") else many
    return {"type": "object", "properties": {**made, **others}, "required": [*made, *others]}


def _stop(when: object, why: str) -> None:
    if when:
        raise RefusedError(why)


def _shift(day: str, days: int) -> str:
    return str(date.fromisoformat(day) + timedelta(days))


def _day(text: str) -> str:
    try:
        return str(date.fromisoformat(text))
    except ValueError:
        raise RefusedError(f"Cannot read the date '{text}', please write it as YYYY-MM-DD.") from None


class _Counter:
    """Every public method is a tool; its docstring and signature are what callers are shown."""

    def __init__(self, state: State) -> None:
        self._s, self._desk = state, state["shop"]["counter"]

    def _rows(self, kind: str, **fields: Any) -> list[Row]:
        return [row for row in self._s[kind].values() if all(row[key] == fields[key] for key in fields)]

    def _get(self, kind: str, key: str, *stages: str) -> Row:
        _stop(key not in self._s[kind], f"Not found: {key}")
        row = self._s[kind][key]
        _stop(
            stages and row["status"] not in stages, f"{key} is {row.get('status')}, not {' or '.join(stages)}"
        )
        return row

    def _number(self, kind: str, prefix: str, start: int) -> str:
        return f"{prefix}{max((int(key.split('-')[1]) + 1 for key in self._s[kind]), default=start)}"

    def _pharmacist(self, what: str) -> None:
        _stop(self._desk["role"] == "technician", f"{what} needs a pharmacist, not a technician.")

    def _usable(self, medicine_id: str) -> list[Row]:
        rows = self._rows("batches", medicine_id=medicine_id, quarantined=False)
        rows = [row for row in rows if row["packs"] and row["expires"] >= self._desk["today"]]
        return sorted(rows, key=lambda row: (row["expires"], row["batch_id"]))

    def _take(self, medicine_id: str, packs: int) -> list[Row]:
        rows, taken = self._usable(medicine_id), []
        there = sum(row["packs"] for row in rows)
        _stop(there < packs, f"Only {there} usable packs of {medicine_id} in stock, {packs} needed.")
        for row in rows:
            part = min(row["packs"], packs)
            row["packs"], packs = row["packs"] - part, packs - part
            taken += [{"batch_id": row["batch_id"], "packs": part}] if part else []
        return taken

    def _put_back(self, rx: Row) -> None:
        for part in rx["picked"]:
            self._s["batches"][part["batch_id"]]["packs"] += part["packs"]
        rx["picked"] = []

    def _safe(self, rx: Row) -> Row:
        medicine = self._s["medicines"][rx["medicine_id"]]
        ends = _shift(rx["issued"], 28 if medicine["category"] == "controlled" else 180)
        _stop(ends < self._desk["today"], f"{rx['rx_id']} expired on {ends}.")
        allergic = medicine["ingredient"] in self._s["patients"][rx["patient_id"]]["allergies"]
        _stop(allergic, f"{rx['patient_id']} is allergic to {medicine['ingredient']}.")
        return medicine

    def _clashes(self, rx: Row, medicine: Row) -> list[str]:
        recent = _shift(self._desk["today"], -30)
        rows = self._rows("prescriptions", patient_id=rx["patient_id"])
        rows = [row for row in rows if row["status"] in BEGUN[1:] or (row["collected_on"] or "") >= recent]
        taken = [self._s["medicines"][row["medicine_id"]] for row in rows]
        return [one["name"] for one in taken if one["ingredient"] in medicine["clashes_with"]]

    def counter_status(self) -> Any:
        """Today's date, who is on duty in which role, and how many prescriptions wait at each stage.

        All tools go by this date. A technician may not do what is marked "pharmacist only" elsewhere.
        """
        stages = [row["status"] for row in self._rows("prescriptions")]
        waiting = {stage: stages.count(stage) for stage in BEGUN}
        return {**self._desk, "waiting": waiting}

    def find_patients(self, name: str = "", born: str = "") -> Any:
        """Find patients by part of the name, by date of birth (YYYY-MM-DD), or both. At least one is needed.

        Returns a list of {patient_id, name, born}, in the order of their ids; empty if nobody fits.
        """
        _stop(not name and not born, "Give a name or a date of birth.")
        rows = [row for row in self._rows("patients") if name.lower() in row["name"].lower()]
        rows = [row for row in rows if not born or row["born"] == _day(born)]
        return [{key: row[key] for key in ("patient_id", "name", "born")} for row in rows]

    def get_patient(self, patient_id: str) -> Any:
        """Get a patient's record: contact, known allergies and the ids of all their prescriptions."""
        rows = self._rows("prescriptions", patient_id=patient_id)
        return {**self._get("patients", patient_id), "prescriptions": [row["rx_id"] for row in rows]}

    def record_allergy(self, patient_id: str, ingredient: str) -> Any:
        """Add an active ingredient to the allergies of a patient.

        Only ingredients of medicines in the catalogue are accepted. Prescriptions are not changed, but the
        answer's `affected` lists those of the patient that contain the ingredient and are still in progress.
        """
        patient = self._get("patients", patient_id)
        contain = [row["medicine_id"] for row in self._rows("medicines", ingredient=ingredient)]
        _stop(not contain, f"No medicine with the ingredient '{ingredient}'.")
        _stop(ingredient in patient["allergies"], f"Already recorded for {patient['name']}.")
        patient["allergies"].append(ingredient)
        rows = self._rows("prescriptions", patient_id=patient_id)
        affected = [row["rx_id"] for row in rows if row["medicine_id"] in contain and row["status"] in BEGUN]
        return {"allergies": patient["allergies"], "affected": affected}

    def search_medicines(self, text: str, in_stock_only: bool = False) -> Any:
        """Search the catalogue by a part of name or ingredient (3 letters or more, case does not matter).

        Categories: "otc" is sold freely, "rx" needs a prescription, "controlled" has stricter rules on top.
        """
        _stop(len(text) < 3, "Please search for at least 3 letters.")
        text, rows = text.lower(), self._rows("medicines")
        rows = [row for row in rows if text in f"{row['name']} {row['ingredient']}".lower()]
        return {"medicines": [row for row in rows if not in_stock_only or self._usable(row["medicine_id"])]}

    def get_stock(self, medicine_id: str) -> Any:
        """Stock of a medicine: its batches, packs that can be used (not expired, not quarantined), packs on order."""
        self._get("medicines", medicine_id)
        usable = sum(row["packs"] for row in self._usable(medicine_id))
        on_order = sum(row["packs"] for row in self._rows("orders", medicine_id=medicine_id, status="open"))
        batches = [row for row in self._rows("batches", medicine_id=medicine_id) if row["packs"]]
        return {"medicine_id": medicine_id, "usable": usable, "on_order": on_order, "batches": batches}

    def list_prescriptions(self, status: Stage | None = None, patient_id: str = "", limit: int = 10) -> Any:
        """List prescriptions, latest first, optionally only those at one stage or of one patient.

        `limit` is 1 to 50; `total` tells how many there are.
        """
        _stop(status not in (None, *get_args(Stage)), f"Unknown status '{status}'.")
        _stop(not 1 <= limit <= 50, "limit must be between 1 and 50.")
        _stop(patient_id and patient_id not in self._s["patients"], f"Not found: {patient_id}")
        wanted = {"status": status, "patient_id": patient_id}
        rows = self._rows("prescriptions", **{key: value for key, value in wanted.items() if value})
        return {"prescriptions": rows[::-1][:limit], "total": len(rows)}

    def get_prescription(self, rx_id: str) -> Any:
        """Get one prescription. `picked` tells from which batches it has been filled."""
        return self._get("prescriptions", rx_id)

    def add_prescription(
        self, patient_id: str, medicine_id: str, packs: int, doctor: str, issued: str
    ) -> Any:
        """Enter a prescription that a patient has brought in; it starts as "received".

        - packs: 1 to 6, of controlled medicines 2 at most
        - issued: the date on it, from which it is valid for 180 days (controlled medicines: 28)
        """
        self._get("patients", patient_id)
        controlled = self._get("medicines", medicine_id)["category"] == "controlled"
        most = 2 if controlled else 6
        _stop(not 1 <= packs <= most, f"1 to {most} packs of {medicine_id} can be prescribed.")
        first = _shift(self._desk["today"], -28 if controlled else -180)
        _stop(not first <= _day(issued) <= self._desk["today"], "It has expired or is dated in the future.")
        rx: Row = {"rx_id": self._number("prescriptions", "RX-", 5001), "patient_id": patient_id}
        rx.update(medicine_id=medicine_id, packs=packs, doctor=doctor, issued=_day(issued))
        rx.update(status="received", picked=[], note=None, collected_on=None)
        return self._s["prescriptions"].setdefault(rx["rx_id"], rx)

    def check_prescription(self, rx_id: str, counselled: bool = False) -> Any:
        """Pharmacist only: approve a "received" prescription, which makes it "checked".

        Refused if it has expired or the patient is allergic to the ingredient. If the medicine clashes with
        another one the patient takes (checked, ready, or collected in the last 30 days), the patient has to be
        advised first: confirm that with counselled=true, and it is put down in the note.
        """
        self._pharmacist("Checking a prescription")
        rx = self._get("prescriptions", rx_id, "received")
        clashes = self._clashes(rx, self._safe(rx))
        _stop(clashes and not counselled, f"Clashes with {', '.join(clashes)}: counsel the patient first.")
        rx.update(status="checked", note=f"Counselled: {', '.join(clashes)}" if clashes else None)
        return rx

    def fill_prescription(self, rx_id: str) -> Any:
        """Pick the packs for a "checked" prescription, which is then "ready".

        Packs come from usable batches, those that expire first being used first. Nothing is picked if there
        are too few packs in all. Expiry and allergies are checked again. Controlled medicines: pharmacist only.
        """
        rx = self._get("prescriptions", rx_id, "checked")
        if self._safe(rx)["category"] == "controlled":
            self._pharmacist("Filling a controlled medicine")
        rx.update(picked=self._take(rx["medicine_id"], rx["packs"]), status="ready")
        return rx

    def hand_out(self, rx_id: str, collected_by: str, id_number: str = "") -> Any:
        """Hand a "ready" prescription over to whoever collects it; it is then "collected".

        For controlled medicines the number of an identity document (6 characters or more) is needed.
        """
        rx = self._get("prescriptions", rx_id, "ready")
        medicine = self._s["medicines"][rx["medicine_id"]]
        strict = medicine["category"] == "controlled"
        _stop(not collected_by, "Who collects it?")
        _stop(strict and len(id_number) < 6, "id_number is needed for a controlled medicine.")
        rx.update(status="collected", collected_on=self._desk["today"])
        return f"{rx['packs']} x {medicine['name']} handed to {collected_by}."

    def cancel_prescription(self, rx_id: str, reason: str) -> Any:
        """Cancel a prescription that has not been collected. Its packs go back to their batches."""
        rx = self._get("prescriptions", rx_id, *BEGUN)
        _stop(len(reason) < 3, "Please state a reason.")
        self._put_back(rx)
        rx.update(status="cancelled", note=reason)
        return rx

    def sell_over_counter(self, medicine_id: str, packs: int = 1) -> Any:
        """Sell up to 3 packs of an "otc" medicine from usable stock, earliest expiry first. Total is in euros."""
        medicine = self._get("medicines", medicine_id)
        _stop(medicine["category"] != "otc", f"{medicine['name']} is not sold without prescription.")
        _stop(not 1 <= packs <= 3, "1 to 3 packs can be sold at a time.")
        self._take(medicine_id, packs)
        return {"sold": medicine["name"], "packs": packs, "total": round(medicine["price"] * packs, 2)}

    def order_stock(self, medicine_id: str, packs: int) -> Any:
        """Order packs of a medicine from the wholesaler, in tens, 100 at most. One open order per medicine."""
        self._get("medicines", medicine_id)
        _stop(packs not in range(10, 101, 10), "The wholesaler delivers 10, 20, 30 ... 100 packs.")
        pending = self._rows("orders", medicine_id=medicine_id, status="open")
        _stop(pending, f"{medicine_id} is already on order.")
        order: Row = {"order_id": self._number("orders", "PO-", 301), "medicine_id": medicine_id}
        order.update(packs=packs, ordered_on=self._desk["today"], status="open", batch_id=None)
        return self._s["orders"].setdefault(order["order_id"], order)

    def receive_order(self, order_id: str, expires: str) -> Any:
        """Book in the delivery of an open order as a new batch. Goods must keep for at least 90 days."""
        order = self._get("orders", order_id, "open")
        _stop(_day(expires) < _shift(self._desk["today"], 90), "Expires too soon, send the goods back.")
        batch = {"batch_id": self._number("batches", "B-", 7001), "medicine_id": order["medicine_id"]}
        batch.update(packs=order["packs"], expires=_day(expires), quarantined=False)
        order.update(status="delivered", batch_id=batch["batch_id"])
        return self._s["batches"].setdefault(batch["batch_id"], batch)

    def quarantine_batch(self, batch_id: str, reason: str) -> Any:
        """Pharmacist only: block a batch, for example after a recall. Its packs are no longer usable.

        "Ready" prescriptions filled from it go back to "checked" and all their packs to the batches they came
        from; the answer lists them as `to_refill`.
        """
        self._pharmacist("Blocking a batch")
        batch = self._get("batches", batch_id)
        _stop(batch["quarantined"] or len(reason) < 3, "Already in quarantine, or no reason given.")
        ready = self._rows("prescriptions", status="ready")
        touched = [rx for rx in ready if batch_id in [part["batch_id"] for part in rx["picked"]]]
        for rx in touched:
            self._put_back(rx)
            rx["status"] = "checked"
        batch["quarantined"] = True
        return {"batch_id": batch_id, "blocked": batch["packs"], "to_refill": [rx["rx_id"] for rx in touched]}


def _takes(act: Any) -> Row:
    properties: dict[str, Row] = {}
    for name, one in list(inspect.signature(act).parameters.items())[1:]:
        kind = next(iter(get_args(one.annotation)), one.annotation)
        rule: Row = PLAIN.get(kind) or {"type": "string", "enum": list(get_args(kind))}
        rule = {"anyOf": [rule, {"type": "null"}]} if one.default is None else rule
        given = {} if one.default is inspect.Parameter.empty else {"default": one.default}
        properties[name] = {"title": name.replace("_", " ").title(), **rule, **given}
    required = [name for name, rule in properties.items() if "default" not in rule]
    return {"type": "object", "properties": properties, "required": required}


PLAIN: dict[Any, Row] = {str: {"type": "string"}, int: {"type": "integer"}, bool: {"type": "boolean"}}
PICKED = {"type": "array", "items": _model("batch_id:s packs:i")}
RX = "rx_id:s patient_id:s medicine_id:s packs:i doctor:s issued:s note:s? collected_on:s?"
PRESCRIPTION = _model(RX, status={"type": "string", "enum": list(get_args(Stage))}, picked=PICKED)
MEDICINE = _model("medicine_id:s name:s ingredient:s category:s price:n clashes_with:s*")
BATCH = _model("batch_id:s medicine_id:s packs:i expires:s quarantined:b")
OUTPUTS = {
    "get_patient": _model("patient_id:s name:s born:s phone:s allergies:s* prescriptions:s*"),
    "search_medicines": _model("", medicines={"type": "array", "items": MEDICINE}),
    "get_stock": _model("medicine_id:s usable:i on_order:i", batches={"type": "array", "items": BATCH}),
    "list_prescriptions": _model("total:i", prescriptions={"type": "array", "items": PRESCRIPTION}),
    "sell_over_counter": _model("sold:s packs:i total:n"),
    "order_stock": _model("order_id:s medicine_id:s packs:i ordered_on:s status:s batch_id:s?"),
    **dict.fromkeys(("get_prescription", "add_prescription", "check_prescription"), PRESCRIPTION),
}
TOOLS: list[Row] = []
for _name, _act in [(name, act) for name, act in vars(_Counter).items() if not name.startswith("_")]:
    TOOLS.append({"name": _name, "description": inspect.getdoc(_act), "input_schema": _takes(_act)})
    TOOLS[-1].update({"output_schema": OUTPUTS[_name]} if _name in OUTPUTS else {})
INPUTS: dict[str, Row] = {tool["name"]: tool["input_schema"] for tool in TOOLS}
STAGES = {"check": "received", "fill": "checked", "hand": "ready", "cancel": "checked"}
OFTEN = dict(zip(INPUTS, (3, 7, 9, 4, 8, 9, 8, 10, 8, 8, 8, 6, 4, 5, 5, 4, 3), strict=True))
PAST = dict(zip(INPUTS, (0, 0, 0, 1, 0, 0, 0, 0, 7, 16, 7, 4, 1, 2, 2, 2, 1), strict=True))


def _draw(s: State, random: Random, tool: str, *, wild: bool = False) -> Row:
    """Draw arguments as somebody would give them who knows what there is; `wild` is less careful."""
    today, stage = s["shop"]["counter"]["today"], STAGES.get(tool.split("_")[0])
    rows = [row for row in s["prescriptions"].values() if wild or row["status"] == (stage or row["status"])]
    orders = [row for row in s["orders"].values() if wild or row["status"] == "open"]
    drawn: Row = dict(random.choice(list(s["medicines"].values())))
    drawn.update(random.choice(list(s["batches"].values())) if tool == "quarantine_batch" else {})
    drawn.update(random.choice(list(s["patients"].values())), text=drawn["name"][:5].lower())
    drawn.update(random.choice(orders) if tool == "receive_order" else {})
    drawn.update(random.choice(rows) if "rx_id" in INPUTS[tool]["properties"] else {})
    several = {"order_stock": [10, 20, 50, 15], "sell_over_counter": [1, 1, 2]}.get(tool, [1, 1, 2, 3])
    back, ahead = random.randint(0, 60 if wild else 20), random.randint(20 if wild else 150, 700)
    drawn.update(packs=random.choice(several) * (3 if wild else 1), doctor=random.choice(DOCTORS))
    drawn.update(issued=_shift(today, -back), expires=_shift(today, ahead), reason=random.choice(REASONS))
    drawn.update(status=random.choice(get_args(Stage)), limit=random.choice([5, 20]), in_stock_only=True)
    drawn.update(collected_by=drawn["name"], counselled=not wild, name=drawn["name"].split()[-1])
    drawn["id_number"] = f"ID {random.randint(10000, 99999)}"
    needed = INPUTS[tool]["required"]
    return {key: drawn[key] for key in INPUTS[tool]["properties"] if key in needed or random.random() < 0.6}


def _spoil(random: Random, arguments: Row) -> Row:
    name = random.choice([name for name, value in arguments.items() if not isinstance(value, bool)])
    value = arguments[name]
    if isinstance(value, int):
        return {**arguments, name: -value}
    if name in ("born", "issued", "expires"):
        return {**arguments, name: "/".join(reversed(value.split("-")))}
    return {**arguments, name: value.replace("-", "-9") if name.endswith("_id") else value[:2]}


class Pharmacy:
    name = "pharmacy"
    tools = TOOLS

    def begin(self, random: Random) -> State:
        today = f"{random.randint(2029, 2033)}-{random.randint(1, 12):02}-{random.randint(1, 28):02}"
        s: State = {kind: {} for kind in ("patients", "medicines", "batches", "prescriptions", "orders")}
        names = random.sample([f"{given} {family}" for given in GIVEN for family in FAMILY], 30)
        pairs = random.sample(range(7), 3)
        for i, brand in enumerate(BRANDS):
            about: Row = {"ingredient": INGREDIENTS[i], "category": CATEGORIES[i % 6]}
            about["clashes_with"] = [INGREDIENTS[i - 7]] if i % 7 in pairs else []
            for strength in random.sample([5, 10, 20, 50], random.choice([1, 1, 2])):
                medicine: Row = {"medicine_id": f"M-{len(s['medicines']) + 101}", **about}
                medicine["name"] = f"{brand} {strength} mg {FORMS[i % 5]}"
                medicine["price"] = random.randint(60, 900) / 20
                s["medicines"][medicine["medicine_id"]] = medicine
        for i, key in enumerate([*s["medicines"], *random.sample(list(s["medicines"]), 12)]):
            batch: Row = {"batch_id": f"B-{7001 + i}", "medicine_id": key, "quarantined": False}
            batch.update(packs=random.randint(3, 25), expires=_shift(today, random.randint(-20, 500)))
            s["batches"][batch["batch_id"]] = batch
        for i, name in enumerate(names[: random.randint(20, 28)]):
            patient: Row = {"patient_id": f"P-{1001 + i}", "name": name}
            patient["born"] = _shift("1938-01-01", random.randint(0, 30000))
            patient["phone"] = f"0555 {random.randint(1000, 9999)}"
            patient["allergies"] = [random.choice(INGREDIENTS)] if random.random() < 0.3 else []
            s["patients"][patient["patient_id"]] = patient
        desk: Row = {"today": _shift(today, -90), "on_duty": names[29], "role": "pharmacist"}
        s["shop"] = {"counter": desk}
        for _ in range(260):
            tool = random.choices(list(PAST), list(PAST.values()))[0]
            with suppress(RefusedError, IndexError):
                self.call(s, tool, _draw(s, random, tool))
            desk["today"] = min(today, _shift(desk["today"], random.randint(0, 1)))
        desk.update(today=today, role=random.choice(["pharmacist", "pharmacist", "technician"]))
        return s

    def call(self, state: State, tool: str, arguments: dict[str, Any]) -> Any:
        return deepcopy(getattr(_Counter(state), tool)(**deepcopy(arguments)))

    def next_call(self, state: State, random: Random) -> Call:
        wrong = random.random() < 0.24
        while True:
            tool = random.choices(list(OFTEN), list(OFTEN.values()))[0]
            try:
                arguments = _draw(state, random, tool, wild=wrong)
                if wrong and random.random() < 0.4:
                    return Call(tool, _spoil(random, arguments))
                self.call(deepcopy(state), tool, arguments)
            except (RefusedError, IndexError) as problem:
                if wrong and isinstance(problem, RefusedError):
                    return Call(tool, arguments)
            else:
                if not wrong:
                    return Call(tool, arguments)
