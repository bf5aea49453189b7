"""Orders desk of a dental laboratory: practices send cases, technicians make them, the lab ships and bills them."""

import re
from contextlib import suppress
from copy import deepcopy
from datetime import date, timedelta
from random import Random
from typing import Any

from benchmarks.reference.back_end import Call, RefusedError, State

Json = dict[str, Any]

STATUSES = ["received", "in_production", "ready", "shipped", "cancelled"]
SKILLS, CARRIERS = ["fixed", "removable", "implants"], ["van_round", "parcel_standard", "parcel_express"]
FAULTS = ["poor_fit", "wrong_shade", "fracture", "dentist_change"]
SHADES = ["A1", "A2", "A3", "A3.5", "B1", "B2", "C1", "C2", "D2"]
TEETH, ARCHES = [f"{quadrant}{tooth}" for quadrant in "1234" for tooth in "12345678"], ["upper", "lower"]
MATERIALS = {"ZR": "Zirconia", "LD": "Lithium disilicate", "PFM": "Porcelain fused to metal"}
MATERIALS |= {"HYB": "Hybrid ceramic", "COCR": "Cobalt-chrome", "PMMA": "Acrylic", "RES": "Printed resin"}
# code: name, skill, price in cents, working days, made per tooth (else per arch), takes a shade, materials
CATALOGUE: dict[str, tuple[str, str, int, int, bool, bool, list[str]]] = {
    "CRN": ("Single crown", "fixed", 14000, 6, True, True, ["ZR", "LD", "PFM"]),
    "BRU": ("Bridge unit", "fixed", 16000, 8, True, True, ["ZR", "PFM"]),
    "VEN": ("Veneer", "fixed", 17000, 7, True, True, ["LD"]),
    "INL": ("Inlay or onlay", "fixed", 11000, 5, True, True, ["LD", "HYB"]),
    "IMC": ("Implant crown", "implants", 25000, 10, True, True, ["ZR", "PFM"]),
    "SGD": ("Surgical guide", "implants", 13000, 5, False, False, ["RES"]),
    "PDF": ("Partial denture framework", "removable", 38000, 12, False, False, ["COCR"]),
    "FUD": ("Full denture", "removable", 42000, 12, False, True, ["PMMA"]),
    "NGD": ("Night guard", "removable", 9000, 4, False, False, ["PMMA", "RES"]),
}
PEOPLE = ["Aurich", "Belmonte", "Castorp", "Dvorsky", "Eklund", "Farrow", "Halloran", "Kestner", "Novak"]
CITIES, TRADES = ["Eschdorf", "Port Arden", "Wellmoor"], ["Dental", "Dentists", "Smiles", "Orthodontics"]
STREETS = ["Lindenhof", "Harbour Lane", "Old Mill", "Northgate", "Rosenau"]

TEXT, FLAG, COUNT = {"type": "string"}, {"type": "boolean"}, {"type": "integer", "minimum": 0}
NULLABLE, REASON = {"type": ["string", "null"]}, {"type": "string", "minLength": 3}
CENTS = {"type": "integer", "description": "Amount in euro cents"}
DAY = {"type": "string", "format": "date", "description": "YYYY-MM-DD"}
CASE_NO = {"type": "string", "description": "Case number as printed on the case pan, e.g. DL-20417"}
PRACTICE = {"type": "string", "description": "Practice id, e.g. PR-104"}
TECHNICIAN = {"type": "string", "description": "Technician id, e.g. T-03"}
ENUMS = [STATUSES, SKILLS, CARRIERS, FAULTS, SHADES, ["passed", "failed"]]
STATUS, SKILL, CARRIER, FAULT, SHADE, RESULT = ({"type": "string", "enum": values} for values in ENUMS)


def _list(items: Json, **limits: int) -> Json:
    return {"type": "array", "items": items, **limits}


def _obj(**properties: Json) -> Json:
    return {"type": "object", "properties": properties, "required": list(properties)}


def _op(name: str, about: str, answers: Json | None, **takes: Json) -> Json:
    """Declare an operation; a parameter written with a final underscore is optional."""
    schema: Json = {"type": "object", "properties": {key.strip("_"): kind for key, kind in takes.items()}}
    schema |= {"required": [key for key in takes if not key.endswith("_")], "additionalProperties": False}
    declared = {"name": name, "description": about, "input_schema": schema}
    return declared if answers is None else {**declared, "output_schema": answers}


SUMMARY: Json = {"caseNumber": TEXT, "practiceId": TEXT, "patientRef": TEXT, "product": TEXT, "rush": FLAG}
SUMMARY |= {"status": STATUS, "dueDate": DAY, "onHold": FLAG, "technicianId": NULLABLE}
CASE = _obj(**SUMMARY, dentist=TEXT, sites=_list(TEXT), material=TEXT, shade=NULLABLE, totalCents=CENTS, notes=TEXT,
            receivedOn=DAY, holdReason=NULLABLE, reworkCount=COUNT, remakeOf=NULLABLE, shipmentId=NULLABLE)  # fmt: skip
PRODUCT = _obj(code=TEXT, name=TEXT, skill=SKILL, priceCents=CENTS, workingDays=COUNT, perTooth=FLAG, needsShade=FLAG,
               materials=_list(_obj(code=TEXT, name=TEXT, unitsOnHand=COUNT)), earliestDueDate=DAY)  # fmt: skip
ACCOUNT = _obj(practiceId=TEXT, name=TEXT, city=TEXT, dentists=_list(TEXT), blocked=FLAG, openCases=COUNT,
               balanceCents=CENTS, creditLimitCents=CENTS)  # fmt: skip
WORKER = _obj(technicianId=TEXT, name=TEXT, skills=_list(SKILL), onLeave=FLAG, available=FLAG, openCases=COUNT,
              maxCases=COUNT)  # fmt: skip

OPERATIONS = [
    _op("getCase", "Fetch one case in any status. The total includes the rush surcharge.", CASE, caseNumber=CASE_NO),
    _op("listCases", "List cases as summaries, earliest due date first, equal dates by case number. Filters combine; "
        "patientRef is the practice's own reference and has to match exactly, `dueBefore` excludes the day itself. "
        "`total` is the number of matches before `limit` (20 unless given) cuts the list.",
        _obj(cases=_list(_obj(**SUMMARY)), total=COUNT), status_=STATUS, practiceId_=PRACTICE, patientRef_=TEXT,
        technicianId_=TECHNICIAN, dueBefore_=DAY, limit_={"type": "integer", "minimum": 1, "maximum": 100}),
    _op("searchPractices", "Search our customers by part of the practice name, the city or a dentist's name. Sorted by "
        "practice id. openCases counts what is neither shipped nor cancelled; balanceCents is what they owe us.",
        _obj(practices=_list(ACCOUNT)), query={"type": "string", "minLength": 2}),
    _op("listProducts", "The catalogue in order of code, with current prices per site, permitted materials and their "
        "stock, and the earliest due date we can promise as of today without rush.",
        _obj(today=DAY, products=_list(PRODUCT)), skill_=SKILL, maxWorkingDays_={"type": "integer", "minimum": 1}),
    _op("listTechnicians", "Technicians with their skills and load, by id. A technician is available if not on leave "
        "and below maxCases; received and in_production cases count towards the load, also while on hold.",
        _obj(technicians=_list(WORKER)), skill_=SKILL, availableOnly_={**FLAG, "default": False}),
    _op("openCase", "Register a new case: one product from the catalogue on one or more sites. It starts `received`, "
        "unassigned, under the next case number. The dentist must work at the practice (name exactly as in "
        "searchPractices) and the account must not be blocked. Sites are FDI tooth numbers (11-18, 21-28, 31-38, "
        "41-48), or `upper` / `lower` for products that are not perTooth, each at most once. Give a shade if, and only "
        "if, the product needs one. The due date is a working day (Mon-Fri) that leaves the product's working days, "
        "counted from tomorrow. The total is the current price per site; rush halves the time (rounded up), adds 25 %.",
        CASE, practiceId=PRACTICE, dentist=TEXT, patientRef={"type": "string", "minLength": 2},
        product={"type": "string", "description": "Product code from listProducts, e.g. CRN"}, material=TEXT,
        sites=_list(TEXT, minItems=1, maxItems=8), shade_=SHADE, dueDate=DAY, rush_={**FLAG, "default": False}),
    _op("changeDueDate", "Move the due date of a case. While `received`, any working day the production time allows, "
        "as in openCase; `in_production`, only to a later working day not in the past. Not possible after that.",
        _obj(caseNumber=TEXT, previousDueDate=DAY, dueDate=DAY), caseNumber=CASE_NO, dueDate=DAY),
    _op("assignTechnician", "Give a received or in_production case to a technician, or hand it over to another one. "
        "The technician needs the skill of the product and has to be available (see listTechnicians).",
        _obj(caseNumber=TEXT, technicianId=TEXT, technicianName=TEXT, openCases=COUNT),
        caseNumber=CASE_NO, technicianId=TECHNICIAN),
    _op("startProduction", "Start work on a received case that has a technician and is not on hold. Takes one unit of "
        "its material per site from stock; the case does not start if there are not enough.",
        _obj(caseNumber=TEXT, status=STATUS, material=TEXT, unitsUsed=COUNT, unitsLeft=COUNT), caseNumber=CASE_NO),
    _op("setHold", "Put a case that is not yet shipped or cancelled on hold (onHold true, with a reason), or release "
        "it (onHold false). On hold, a case cannot be started, inspected or shipped; its status does not change. "
        "Answers with caseNumber, onHold and holdReason.", None, caseNumber=CASE_NO, onHold=FLAG, reason_=REASON),
    _op("recordInspection", "Record the final inspection of a case in production. `passed` makes it ready; `failed` "
        "leaves it in production, counts one rework, and requires remarks. Remarks are added to the case notes.",
        _obj(caseNumber=TEXT, status=STATUS, reworkCount=COUNT), caseNumber=CASE_NO, result=RESULT, remarks_=TEXT),
    _op("shipCases", "Ship ready cases of one practice together. The totals are charged to the practice at once, so "
        "the account must not be blocked and the new balance must stay within the credit limit. All go or none.",
        _obj(shipmentId=TEXT, practiceId=TEXT, caseNumbers=_list(TEXT), carrier=CARRIER, shippedOn=DAY,
             chargedCents=CENTS, balanceCents=CENTS),
        caseNumbers=_list(CASE_NO, minItems=1, maxItems=6), carrier=CARRIER),
    _op("openRemake", "Open a remake of a case shipped no more than 45 days ago: a new received case for the same "
        "work, without rush. Free of charge unless the reason is dentist_change, then today's price applies. There can "
        "be one remake per case (cancelled ones do not count). Due date as in openCase. Also possible for blocked "
        "accounts.", CASE, caseNumber=CASE_NO, reason=FAULT, dueDate=DAY),
    _op("cancelCase", "Cancel a case for good. Free while received; in production, half of the total is charged to the "
        "practice. Ready and shipped cases cannot be cancelled. Technician and hold are removed, the reason is noted.",
        _obj(caseNumber=TEXT, status=STATUS, feeCents=CENTS), caseNumber=CASE_NO, reason=REASON),
]  # fmt: skip
SCHEMAS: dict[str, Json] = {operation["name"]: operation["input_schema"] for operation in OPERATIONS}
KINDS: dict[str, type] = {"string": str, "integer": int, "boolean": bool, "array": list}


def _refuse(condition: Any, message: str) -> None:
    if condition:
        raise RefusedError(message)


def _check(schema: Json, args: Json) -> None:
    _refuse(missing := [name for name in schema["required"] if name not in args], f"Missing: {missing}")
    for name, value in args.items():
        takes = schema["properties"].get(name)
        _refuse(takes is None, f"Unknown parameter: {name}")
        _refuse(type(value) is not KINDS[takes["type"]], f"{name} must be of type {takes['type']}")
        _refuse(value not in takes.get("enum", [value]), f"{name} must be one of {takes.get('enum')}")
        texts = value if isinstance(value, list) else [""]
        _refuse({type(one) for one in texts} - {str}, f"{name} must contain texts only")
        size = len(value) if isinstance(value, str | list) else int(value)
        low, high = (next((takes[one] for one in takes if one[:3] == end), size) for end in ("min", "max"))
        _refuse(not low <= size <= high, f"{name} is too short, too long or out of range")
        if takes.get("format") == "date":
            with suppress(ValueError):
                if date.fromisoformat(value).isoformat() == value:
                    continue
            raise RefusedError(f"{name} is not a date (YYYY-MM-DD)")


def _plus(day: str, working_days: int) -> str:
    moment = date.fromisoformat(day)
    while working_days:
        moment += timedelta(days=1)
        working_days -= moment.weekday() < 5
    return moment.isoformat()


def _due(value: str, earliest: str) -> str:
    _refuse(date.fromisoformat(value).weekday() > 4, f"{value} is not a working day")
    _refuse(value < earliest, f"{value} is too early, first possible date is {earliest}")
    return value


def _some(case: Json, *names: str) -> Json:
    return {name: deepcopy(case[name]) for name in names or SUMMARY}


class _Lab:
    """What each operation does, once its arguments have passed the schema."""

    def __init__(self, state: State) -> None:
        self.state, self.cases, self.today = state, state["cases"], str(state["lab"]["calendar"]["today"])

    def one(self, kind: str, key: str) -> Json:
        _refuse(key not in self.state[kind], f"No such {kind[:-1]}: {key}")
        return self.state[kind][key]

    def case(self, number: str, statuses: list[str] = STATUSES, work: bool = False) -> Json:
        case = self.one("cases", number)
        _refuse(case["status"] not in statuses, f"{number} is {case['status']}, not {' or '.join(statuses)}")
        _refuse(work and case["onHold"], f"{number} is on hold: {case['holdReason']}")
        return case

    def earliest(self, code: str, rush: bool = False) -> str:
        days = int(self.state["products"][code]["workingDays"])
        return _plus(self.today, (days + 1) // 2 if rush else days)

    def worker(self, key: str) -> Json:
        technician = self.one("technicians", key)
        mine = [one["status"] for one in self.cases.values() if one["technicianId"] == key]
        load = sum(status in STATUSES[:2] for status in mine)
        free = not technician["onLeave"] and load < technician["maxCases"]
        return {**deepcopy(technician), "openCases": load, "available": free}

    def register(self, case: Json) -> Json:
        number = f"DL-{self.state['lab']['calendar']['firstCase'] + len(self.cases)}"
        case |= {"status": "received", "receivedOn": self.today, "onHold": False, "holdReason": None}
        case |= {"caseNumber": number, "technicianId": None, "reworkCount": 0, "shipmentId": None}
        self.cases[number] = case
        return deepcopy(case)

    def get_case(self, args: Json) -> Json:
        return deepcopy(self.case(args["caseNumber"]))

    def list_cases(self, args: Json) -> Json:
        wanted = {key: value for key, value in args.items() if key not in ("dueBefore", "limit")}
        found = [_some(case) for case in self.cases.values() if wanted.items() <= _some(case).items()]
        found = [case for case in found if case["dueDate"] < args.get("dueBefore", "9999")]
        found.sort(key=lambda case: (case["dueDate"], case["caseNumber"]))
        return {"cases": found[: args.get("limit", 20)], "total": len(found)}

    def search_practices(self, args: Json) -> Json:
        query, found = args["query"].lower(), []
        for key, practice in sorted(self.state["practices"].items()):
            texts = "\n".join((practice["name"], practice["city"], *practice["dentists"])).lower()
            mine = [one["status"] in STATUSES[:3] for one in self.cases.values() if one["practiceId"] == key]
            found += [{**deepcopy(practice), "openCases": sum(mine)}] if query in texts else []
        return {"practices": found}

    def list_products(self, args: Json) -> Json:
        found = []
        for code, product in sorted(self.state["products"].items()):
            stock = [dict(self.state["materials"][material]) for material in product["materials"]]
            quick = product["workingDays"] <= args.get("maxWorkingDays", 99)
            if quick and args.get("skill") in (None, product["skill"]):
                found.append({**product, "materials": stock, "earliestDueDate": self.earliest(code)})
        return {"today": self.today, "products": found}

    def list_technicians(self, args: Json) -> Json:
        workers = [self.worker(key) for key in sorted(self.state["technicians"])]
        workers = [one for one in workers if args.get("skill") in (None, *one["skills"])]
        return {"technicians": [one for one in workers if one["available"] or not args.get("availableOnly")]}

    def open_case(self, args: Json) -> Json:
        practice, product = self.one("practices", args["practiceId"]), self.one("products", args["product"])
        sites, shade, rush, name = args["sites"], args.get("shade"), args.get("rush", False), product["name"]
        _refuse(practice["blocked"], f"The account of {practice['name']} is blocked")
        _refuse(args["dentist"] not in practice["dentists"], f"No {args['dentist']} at {practice['name']}")
        bad = [site for site in sites if site not in (TEETH if product["perTooth"] else ARCHES)]
        _refuse(bad or len({*sites}) < len(sites), f"{name} cannot be made for these sites: {bad or sites}")
        _refuse(args["material"] not in product["materials"], f"{name} is not made of {args['material']}")
        _refuse(bool(shade) != product["needsShade"], f"{name} {'takes no' if shade else 'needs a'} shade")
        due = _due(args["dueDate"], self.earliest(product["code"], rush))
        total = product["priceCents"] * len(sites) * (5 if rush else 4) // 4
        case = {**args, "dueDate": due, "rush": rush, "shade": shade, "totalCents": total}
        return self.register({**case, "remakeOf": None, "notes": ""})

    def change_due_date(self, args: Json) -> Json:
        case = self.case(args["caseNumber"], STATUSES[:2])
        before, earliest = case["dueDate"], self.earliest(case["product"], case["rush"])
        if case["status"] == "in_production":
            earliest = max(self.today, _plus(before, 1))
        case["dueDate"] = _due(args["dueDate"], earliest)
        return {"previousDueDate": before, **_some(case, "caseNumber", "dueDate")}

    def assign_technician(self, args: Json) -> Json:
        case, worker = self.case(args["caseNumber"], STATUSES[:2]), self.worker(args["technicianId"])
        skill, name = self.state["products"][case["product"]]["skill"], worker["name"]
        _refuse(case["technicianId"] == args["technicianId"], f"{name} has this case already")
        _refuse(skill not in worker["skills"], f"{name} lacks the skill {skill}")
        _refuse(not worker["available"], f"{name} is not available")
        case["technicianId"] = args["technicianId"]
        return {**args, "technicianName": name, "openCases": worker["openCases"] + 1}

    def start_production(self, args: Json) -> Json:
        case = self.case(args["caseNumber"], ["received"], work=True)
        stock, units = self.state["materials"][case["material"]], len(case["sites"])
        _refuse(not case["technicianId"], "The case has no technician")
        _refuse(stock["unitsOnHand"] < units, f"Not enough {stock['name']} in stock")
        stock["unitsOnHand"] -= units
        case["status"], used = "in_production", {"unitsUsed": units, "unitsLeft": stock["unitsOnHand"]}
        return {**_some(case, "caseNumber", "status", "material"), **used}

    def set_hold(self, args: Json) -> Json:
        case, hold = self.case(args["caseNumber"], STATUSES[:3]), args["onHold"]
        _refuse(case["onHold"] == hold, f"The case is {'already' if hold else 'not'} on hold")
        _refuse(hold and "reason" not in args, "A reason is needed to put a case on hold")
        case.update(onHold=hold, holdReason=args["reason"] if hold else None)
        return _some(case, "caseNumber", "onHold", "holdReason")

    def record_inspection(self, args: Json) -> Json:
        case, passed = self.case(args["caseNumber"], ["in_production"], work=True), args["result"] == "passed"
        _refuse(not passed and not args.get("remarks"), "A failed inspection needs remarks")
        case["status"] = "ready" if passed else "in_production"
        case["reworkCount"] += not passed
        case["notes"] = f"{case['notes']}\n{args.get('remarks', '')}".strip()
        return _some(case, "caseNumber", "status", "reworkCount")

    def ship_cases(self, args: Json) -> Json:
        numbers = list(dict.fromkeys(args["caseNumbers"]))
        cases = [self.case(number, ["ready"], work=True) for number in numbers]
        _refuse(len({case["practiceId"] for case in cases}) > 1, "The cases belong to different practices")
        practice, charged = self.one("practices", cases[0]["practiceId"]), sum(c["totalCents"] for c in cases)
        balance, key = practice["balanceCents"] + charged, f"SH-{len(self.state['shipments']) + 1:04}"
        _refuse(practice["blocked"], f"The account of {practice['name']} is blocked")
        _refuse(balance > practice["creditLimitCents"], f"{practice['name']} would exceed the credit limit")
        sent = {"shipmentId": key, "practiceId": practice["practiceId"], "caseNumbers": numbers}
        sent |= {"carrier": args["carrier"], "shippedOn": self.today, "chargedCents": charged}
        self.state["shipments"][key], practice["balanceCents"] = sent, balance
        for case in cases:
            case.update(status="shipped", shipmentId=key)
        return {**deepcopy(sent), "balanceCents": balance}

    def open_remake(self, args: Json) -> Json:
        case, reason = self.case(args["caseNumber"], ["shipped"]), args["reason"]
        last = date.fromisoformat(self.one("shipments", case["shipmentId"])["shippedOn"]) + timedelta(45)
        _refuse(self.today > last.isoformat(), f"Remakes of this case were possible until {last}")
        again = [one for one in self.cases.values() if one["remakeOf"] == args["caseNumber"]]
        _refuse(any(one["status"] != "cancelled" for one in again), "The case has a remake already")
        due = _due(args["dueDate"], self.earliest(case["product"]))
        each = self.one("products", case["product"])["priceCents"] if reason == "dentist_change" else 0
        new = {**deepcopy(case), "dueDate": due, "rush": False, "remakeOf": args["caseNumber"]}
        return self.register({**new, "totalCents": each * len(case["sites"]), "notes": f"Remake: {reason}"})

    def cancel_case(self, args: Json) -> Json:
        case = self.case(args["caseNumber"], STATUSES[:2])
        fee = case["totalCents"] // 2 if case["status"] == "in_production" else 0
        self.state["practices"][case["practiceId"]]["balanceCents"] += fee
        case.update(status="cancelled", technicianId=None, onHold=False, holdReason=None)
        case["notes"] = f"{case['notes']}\nCancelled: {args['reason']}".strip()
        return {**_some(case, "caseNumber", "status"), "feeCents": fee}


def _more(lab: _Lab, random: Random, tool: str, case: Json) -> Json:
    """Draw what a call says besides the case number."""
    if tool == "openCase":
        practice = random.choice([one for one in lab.state["practices"].values() if not one["blocked"]])
        product, rush = random.choice(list(lab.state["products"].values())), random.random() < 0.2
        due = _plus(lab.earliest(product["code"], rush), random.choice([0, 1, 2, 4, 7]))
        sites = random.sample(TEETH if product["perTooth"] else ARCHES, random.choice([1, 1, 1, 2]))
        order = {"practiceId": practice["practiceId"], "dentist": random.choice(practice["dentists"])}
        order |= {"patientRef": f"{random.choice('BDKMS')}-{random.randint(1000, 9999)}", "dueDate": due}
        order |= {"product": product["code"], "material": random.choice(product["materials"]), "sites": sites}
        order |= {"shade": random.choice(SHADES)} if product["needsShade"] else {}
        return {**order, "rush": True} if rush else order
    practice, soon = random.choice(list(lab.state["practices"].values())), lab.earliest(case["product"])
    skill = lab.state["products"][case["product"]]["skill"]
    filters = {**_some(case, "practiceId", "patientRef"), "status": random.choice(STATUSES[:4]), "limit": 10}
    filters |= {"technicianId": case["technicianId"] or "T-02", "dueBefore": _plus(lab.today, 3)}
    workers = [lab.worker(key) for key in lab.state["technicians"] if key != case["technicianId"]]
    able = [one["technicianId"] for one in workers if one["available"] and skill in one["skills"]]
    like = _some(case, "practiceId", "status", "onHold").items()
    also = [key for key, one in lab.cases.items() if one is not case and like <= one.items()]
    passed, failed = {"result": "passed"}, {"result": "failed", "remarks": "Margin open on the mesial side"}
    every: dict[str, Json] = {
        "listCases": dict(random.sample(list(filters.items()), random.choice([0, 1, 1, 2]))),
        "searchPractices": {"query": random.choice([practice["city"], *practice["dentists"]])},
        "listProducts": random.choice([{}, {"skill": random.choice(SKILLS)}, {"maxWorkingDays": 6}]),
        "listTechnicians": random.choice([{}, {"skill": skill, "availableOnly": True}]),
        "changeDueDate": {"dueDate": _plus(max(case["dueDate"], soon), 2)},
        "assignTechnician": {"technicianId": random.choice(able or ["T-02"])},
        "setHold": {"onHold": False} if case["onHold"] else {"onHold": True, "reason": "Impression unclear"},
        "recordInspection": random.choice([passed, passed, passed, failed]),
        "shipCases": {"caseNumbers": [case["caseNumber"], *also][:3], "carrier": random.choice(CARRIERS)},
        "openRemake": {"reason": random.choice(FAULTS), "dueDate": _plus(soon, 2)},
        "cancelCase": {"reason": random.choice(["Patient withdrew", "Ordered twice"])},
    }
    return every.get(tool, {})


# tool: how often it is called, how often while the past is made up, the statuses of the cases it is for
HABITS: dict[str, tuple[int, int, list[str]]] = {
    "getCase": (14, 0, STATUSES), "listCases": (13, 0, STATUSES), "searchPractices": (9, 0, STATUSES),
    "listProducts": (6, 0, STATUSES), "listTechnicians": (7, 0, STATUSES), "openCase": (9, 24, STATUSES),
    "changeDueDate": (6, 2, STATUSES[:2]), "assignTechnician": (9, 28, STATUSES[:2]), "setHold": (6, 4, STATUSES[:3]),
    "startProduction": (7, 24, STATUSES[:1]), "recordInspection": (7, 20, STATUSES[1:2]),
    "shipCases": (6, 9, STATUSES[2:3]), "openRemake": (5, 1, STATUSES[3:4]), "cancelCase": (4, 2, STATUSES[:2]),
}  # fmt: skip
WRONG: dict[str, list[Any]] = {
    "caseNumber": ["DL-99071", "20418"], "caseNumbers": [["DL-99071"], []], "practiceId": ["PR-900"], "query": ["a"],
    "technicianId": ["T-88", "T-01", "T-03"], "status": ["finished"], "reason": ["", "?"], "limit": [0, 500],
    "dueDate": ["2019-02-28", "Friday"], "dentist": ["Dr. N. Body"], "skill": ["orthodontics"], "maxWorkingDays": [0],
    "result": ["ok"], "material": ["GOLD"], "sites": [["19"], ["both"]], "dueBefore": ["soon"], "carrier": ["pigeon"],
}  # fmt: skip


def _draft(state: State, random: Random, tool: str, fitting: bool = True) -> Json:
    """Draw arguments for a case that fits the tool, or for one that does not."""
    lab, cases = _Lab(state), list(state["cases"].values())
    work, statuses = tool in ("startProduction", "recordInspection", "shipCases"), HABITS[tool][2]
    able = [one for one in cases if (one["status"] in statuses and not (work and one["onHold"])) == fitting]
    if fitting and tool in ("assignTechnician", "startProduction"):
        able = [one for one in able if bool(one["technicianId"]) == (tool == "startProduction")] or able
    case = random.choice(able or cases or [{}])
    number = {"caseNumber": case["caseNumber"]} if "caseNumber" in SCHEMAS[tool]["properties"] else {}
    return {**number, **_more(lab, random, tool, case)}


class Dental:
    name = "dental"
    tools = OPERATIONS

    def begin(self, random: Random) -> State:
        """Found the lab, and let it work with its own tools until there are enough cases."""
        kinds = ("lab", "cases", "shipments", "practices", "technicians", "products", "materials")
        state: State = {kind: {} for kind in kinds}
        today = _plus(date(2031, random.randint(1, 6), random.randint(1, 28)).isoformat(), 1)
        state["lab"]["calendar"] = {"today": today, "firstCase": random.randint(10000, 80000)}
        places = [f"{street} {trade}" for street in STREETS for trade in TRADES]
        people = random.sample([f"{initial}. {name}" for initial in "ABEFHJKLMST" for name in PEOPLE], 70)
        for i, place in enumerate(random.sample(places, random.randint(15, 18))):
            key, staff = f"PR-{101 + i}", [f"Dr. {people.pop()}" for _ in range(random.choice([1, 2, 2, 3]))]
            known: Json = {"practiceId": key, "name": place, "city": random.choice(CITIES), "dentists": staff}
            known |= {"blocked": False, "balanceCents": 0, "creditLimitCents": random.randint(6, 30) * 20000}
            state["practices"][key] = known
        for i in range(random.randint(7, 9)):
            key, skills = f"T-{i + 1:02}", sorted({SKILLS[i % 3], random.choice(SKILLS)})
            known = {"technicianId": key, "name": people.pop(), "skills": skills, "onLeave": False}
            state["technicians"][key] = {**known, "maxCases": random.randint(3, 5)}
        for code, (name, skill, cents, days, tooth, shade, materials) in CATALOGUE.items():
            known = {"code": code, "name": name, "skill": skill, "workingDays": days, "perTooth": tooth}
            known |= {"priceCents": cents + random.randint(-2, 4) * 400, "needsShade": shade}
            state["products"][code] = {**known, "materials": [*materials]}
        for code, name in MATERIALS.items():
            state["materials"][code] = {"code": code, "name": name, "unitsOnHand": random.randint(6, 20)}
        weights, wanted = [habit[1] for habit in HABITS.values()], random.randint(34, 50)
        while len(state["cases"]) < wanted:
            tool = random.choices(list(HABITS), weights)[0] if state["cases"] else "openCase"
            if random.random() < 0.2:
                state["lab"]["calendar"]["today"] = _plus(state["lab"]["calendar"]["today"], 1)
                random.choice(list(state["practices"].values()))["balanceCents"] = 0
                random.choice(list(state["materials"].values()))["unitsOnHand"] += random.randint(0, 5)
            with suppress(RefusedError):
                self.call(state, tool, _draft(state, random, tool))
        random.choice(list(state["practices"].values()))["blocked"] = True
        random.choice(list(state["technicians"].values()))["onLeave"] = True
        return state

    def call(self, state: State, tool: str, arguments: dict[str, Any]) -> Any:
        _check(SCHEMAS[tool], arguments)
        return getattr(_Lab(state), re.sub("([A-Z])", r"_\1", tool).lower())(deepcopy(arguments))

    def next_call(self, state: State, random: Random) -> Call:
        tool = random.choices(list(HABITS), [habit[0] for habit in HABITS.values()])[0]
        wrong = random.random() < 0.2
        misfit = wrong and HABITS[tool][2] is not STATUSES and random.random() < 0.5
        arguments = _draft(state, random, tool, fitting=not misfit)
        if wrong and not misfit:
            name = random.choice([name for name in SCHEMAS[tool]["properties"] if name in WRONG])
            arguments[name] = random.choice(WRONG[name])
        return Call(tool, arguments)
