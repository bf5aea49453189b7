"""The HR desk of a company: employees, their leave, expense claims, trainings and equipment."""

from collections.abc import Callable
from copy import deepcopy
from datetime import date, timedelta
from random import Random
from typing import Any

from benchmarks.reference.back_end import Call, RefusedError, State

Entity = dict[str, Any]
Handler = Callable[["_Desk", Entity], Any]

FIRST = ["Ada", "Boris", "Chiara", "Dana", "Emeka", "Fatima", "Goran", "Hana", "Ivo", "Julia", "Kenji"]
LAST = ["Abbott", "Brandt", "Cho", "Diaz", "Eriksen", "Fontaine", "Gupta", "Horvat", "Ito", "Jensen", "Kaya"]
TITLES = ["Analyst", "Engineer", "Specialist", "Coordinator", "Consultant", "Assistant"]
DEPARTMENTS = {"ENG": "Engineering", "FIN": "Finance", "MKT": "Marketing", "OPS": "Operations"}
TRIPS = ["Client visit Vienna", "Team offsite", "Conference Lisbon", "Home office setup", "Trade fair"]
COURSES = ["First Aid", "Data Privacy", "Negotiation", "Python Basics", "Leading Teams", "Fire Safety"]
DEVICES = ["ThinkPad T14", "MacBook Air", "Pixel 8", "iPhone 15", "Dell U27", "Jabra Evolve"]
LEAVE_TYPES = {"vacation": 30, "sick": 15, "personal": 8}
LEAVE_STATUSES = ["Pending", "Approved", "Rejected", "Cancelled"]
CATEGORIES = ["travel", "meals", "lodging", "office", "training"]
CONDITIONS = ["good", "worn", "damaged"]

TEXT: Entity = {"type": "string"}
OPTIONAL_TEXT: Entity = {"type": ["string", "null"]}
NUMBER: Entity = {"type": "number"}
INTEGER: Entity = {"type": "integer"}
GIVEN: dict[str, Entity] = {
    "employee_id": {"type": "string", "description": "Employee number, e.g. E-104"},
    "query": {"type": "string", "description": "Part of the name, case does not matter"},
    "department": {"type": "string", "description": "Department code", "enum": list(DEPARTMENTS)},
    "limit": {"type": "integer", "minimum": 1, "maximum": 50, "default": 10},
    "leave_type": {"type": "string", "enum": list(LEAVE_TYPES), "default": "vacation"},
    "start_date": {"type": "string", "format": "date"},
    "end_date": {"type": "string", "format": "date", "description": "Last day of the leave, inclusive"},
    "status": {"type": "string", "enum": LEAVE_STATUSES},
    "decision": {"type": "string", "enum": ["approve", "reject"]},
    "approver_id": {"type": "string", "description": "Employee number of who decides"},
    "category": {"type": "string", "enum": CATEGORIES},
    "amount": {"type": "number", "exclusiveMinimum": 0},
    "line": {"type": "integer", "minimum": 1},
    "auto_approve_below": {"type": "number", "minimum": 0},
    "item_limit": {"type": "number", "minimum": 0},
    "only_with_seats": {"type": "boolean", "default": False, "description": "Leave out what is fully booked"},
    "condition": {"type": "string", "enum": CONDITIONS, "default": "good"},
}
TOOLS: list[Entity] = []
HANDLERS: dict[str, Handler] = {}


def _object(**properties: Entity) -> Entity:
    return {"type": "object", "properties": properties, "required": list(properties)}


def _tool(given: str, output: Entity | None = None) -> Callable[[Handler], Handler]:
    """Declare a tool, described by its docstring; `given` names its arguments, optional ones with a question mark."""

    def declare(handler: Handler) -> Handler:
        inputs = _object(**{word.rstrip("?"): GIVEN.get(word.rstrip("?"), TEXT) for word in given.split()})
        inputs["required"] = [word for word in given.split() if not word.endswith("?")]
        description = " ".join(str(handler.__doc__).split())
        tool = {"name": handler.__name__, "description": description, "input_schema": inputs}
        TOOLS.append(tool if output is None else tool | {"output_schema": output})
        HANDLERS[handler.__name__] = handler
        return handler

    return declare


BALANCE = _object(vacation=INTEGER, sick=INTEGER, personal=INTEGER)
EMPLOYEE = _object(id=TEXT, name=TEXT, email=TEXT, department=TEXT, status=TEXT, leave_balance=BALANCE)
EMPLOYEE["properties"]["status"] = {"type": "string", "enum": ["Active", "On leave", "Left"]}
EMPLOYEE["properties"]["manager_id"] = OPTIONAL_TEXT
LEAVE = _object(id=TEXT, employee_id=TEXT, type=TEXT, start_date=TEXT, end_date=TEXT, status=TEXT)
LEAVE["properties"] |= {"days": INTEGER, "status": GIVEN["status"], "decided_by": OPTIONAL_TEXT}
LEAVES = {"type": "array", "items": LEAVE}
ITEM = _object(line=INTEGER, category=TEXT, amount=NUMBER, description=OPTIONAL_TEXT)
ITEMS = {"type": "array", "items": ITEM}
CLAIM = _object(id=TEXT, employee_id=TEXT, title=TEXT, status=TEXT, total=NUMBER, items=ITEMS)
CLAIM["properties"]["status"] = {"type": "string", "enum": ["Draft", "Submitted", "Approved", "Paid"]}


def _refuse(condition: bool, message: str) -> None:
    if condition:
        raise RefusedError(message)


def _add(entities: dict[str, Entity], prefix: str, **fields: Any) -> Entity:
    key = f"{prefix}-{max((int(key.split('-')[1]) for key in entities), default=100) + 1}"
    entities[key] = {"id": key, **fields}
    return entities[key]


def _working_days(start: str, end: str) -> int:
    first, length = date.fromisoformat(start), date.fromisoformat(end) - date.fromisoformat(start)
    days = [first + timedelta(days=number) for number in range(length.days + 1)]
    return sum(day.weekday() < 5 for day in days)


class _Desk:
    """The tools. HR staff use them for everybody, so nobody has to log in."""

    def __init__(self, state: State) -> None:
        self.state = state
        self.today = state["company"]["settings"]["today"]
        self.policy = state["company"]["settings"]["expense_policy"]

    def find(self, kind: str, key: str, label: str) -> Entity:
        _refuse(key not in self.state[kind], f"{label} {key} does not exist")
        return self.state[kind][key]

    def staff(self) -> list[Entity]:
        return [e for e in self.state["employees"].values() if e["status"] != "Left"]

    def employee(self, key: str) -> Entity:
        return self.find("employees", key, "Employee")

    def active(self, key: str) -> Entity:
        employee = self.employee(key)
        _refuse(employee["status"] == "Left", f"{employee['name']} has left the company")
        return employee

    def leave(self, key: str, *statuses: str) -> Entity:
        leave = self.find("leave_requests", key, "Leave request")
        _refuse(leave["status"] not in statuses, f"Leave request {key} is {leave['status']}")
        return leave

    def draft(self, key: str) -> Entity:
        claim = self.find("expense_claims", key, "Expense claim")
        _refuse(claim["status"] != "Draft", f"Expense claim {key} is {claim['status']} and can't be changed")
        return claim

    @_tool("employee_id", _object(employee=EMPLOYEE))
    def get_employee(self, given: Entity) -> Any:
        """Get the record of an employee, with manager and leave balance."""
        return {"employee": self.employee(given["employee_id"])}

    @_tool("query? department? limit?")
    def search_employees(self, given: Entity) -> Any:
        """Search people by part of their name and/or department, sorted by name. Those who left are not found."""
        query, shown = given.get("query", "").lower(), ("id", "name", "title", "department")
        found = [e for e in self.staff() if query in e["name"].lower()]
        found = [e for e in found if given.get("department", e["department"]) == e["department"]]
        found.sort(key=lambda e: (e["name"], e["id"]))
        return [{name: e[name] for name in shown} for e in found[: given.get("limit", 10)]]

    @_tool("department?", INTEGER)
    def get_headcount(self, given: Entity) -> Any:
        """How many people work in a department, or in the whole company. Those who left do not count."""
        return sum(given.get("department", e["department"]) == e["department"] for e in self.staff())

    @_tool("status? employee_id?", _object(count=INTEGER, requests=LEAVES))
    def list_leave_requests(self, given: Entity) -> Any:
        """List leave requests, the earliest start first. Both filters can be combined."""
        if "employee_id" in given:
            self.employee(given["employee_id"])
        leaves = self.state["leave_requests"].values()
        found = [r for r in leaves if given.get("status", r["status"]) == r["status"]]
        found = [r for r in found if given.get("employee_id", r["employee_id"]) == r["employee_id"]]
        found.sort(key=lambda r: (r["start_date"], r["id"]))
        return {"count": len(found), "requests": found}

    @_tool("employee_id start_date end_date leave_type?", LEAVE)
    def request_leave(self, given: Entity) -> Any:
        """File a leave request for an employee; it gets the next number and is Pending. Days are counted from Monday
        to Friday, both dates included, and must be covered by the balance, which is only reduced on approval. Dates
        may not lie in the past or overlap another pending or approved request.
        """
        employee, kind = self.active(given["employee_id"]), given.get("leave_type", "vacation")
        start, end = given["start_date"], given["end_date"]
        _refuse(start < self.today, "Leave can't start in the past")
        days = _working_days(start, end)
        _refuse(days < 1, "There is no working day between start_date and end_date")
        _refuse(days > employee["leave_balance"][kind], f"Not enough {kind} days left")
        for other in self.state["leave_requests"].values():
            counts = other["employee_id"] == employee["id"] and other["status"] in ("Pending", "Approved")
            overlaps = other["start_date"] <= end and start <= other["end_date"]
            _refuse(counts and overlaps, f"Overlaps with leave request {other['id']}")
        fields = {"employee_id": employee["id"], "type": kind, "start_date": start, "end_date": end}
        fields |= {"days": days, "status": "Pending", "decided_by": None}
        return _add(self.state["leave_requests"], "LR", **fields)

    @_tool("request_id approver_id decision", _object(request_id=TEXT, status=TEXT, days_left=INTEGER))
    def decide_leave_request(self, given: Entity) -> Any:
        """Approve or reject a Pending leave request on behalf of the employee's manager, nobody else may decide.
        Approving takes the days off the employee's balance.
        """
        leave = self.leave(given["request_id"], "Pending")
        employee = self.employee(leave["employee_id"])
        _refuse(employee["manager_id"] != given["approver_id"], "Only the employee's manager can decide")
        balance, approved = employee["leave_balance"], given["decision"] == "approve"
        _refuse(approved and leave["days"] > balance[leave["type"]], f"Not enough {leave['type']} days left")
        balance[leave["type"]] -= leave["days"] if approved else 0
        leave |= {"status": "Approved" if approved else "Rejected", "decided_by": given["approver_id"]}
        return {"request_id": leave["id"], "status": leave["status"], "days_left": balance[leave["type"]]}

    @_tool("request_id", LEAVE)
    def cancel_leave_request(self, given: Entity) -> Any:
        """Cancel a pending or approved leave request. The days of an approved one are given back."""
        leave = self.leave(given["request_id"], "Pending", "Approved")
        if leave["status"] == "Approved":
            self.employee(leave["employee_id"])["leave_balance"][leave["type"]] += leave["days"]
        leave["status"] = "Cancelled"
        return leave

    @_tool("claim_id", CLAIM)
    def get_expense_claim(self, given: Entity) -> Any:
        """Look up an expense claim and its items."""
        return self.find("expense_claims", given["claim_id"], "Expense claim")

    @_tool("employee_id title", CLAIM)
    def create_expense_claim(self, given: Entity) -> Any:
        """Open an expense claim for an employee under the next claim number. It is a Draft without items."""
        fields = {"employee_id": self.active(given["employee_id"])["id"], "title": given["title"]}
        return _add(self.state["expense_claims"], "EXP", **fields, status="Draft", total=0, items=[])

    @_tool("claim_id category amount description?", CLAIM)
    def add_expense_item(self, given: Entity) -> Any:
        """Add an item to a Draft claim. Its line number is one more than the highest on the claim. A single item may
        not exceed the item limit of the expense policy.
        """
        claim = self.draft(given["claim_id"])
        _refuse(given["amount"] <= 0, "Amount must be positive")
        _refuse(given["amount"] > self.policy["item_limit"], "Amount exceeds the item limit")
        line = max((item["line"] for item in claim["items"]), default=0) + 1
        item = {"line": line, "category": given["category"], "amount": given["amount"]}
        claim["items"].append(item | {"description": given.get("description")})
        claim["total"] = round(claim["total"] + given["amount"], 2)
        return claim

    @_tool("claim_id line")
    def remove_expense_item(self, given: Entity) -> Any:
        """Take an item off a Draft claim by its line number. The other items keep their numbers."""
        claim = self.draft(given["claim_id"])
        found = [item for item in claim["items"] if item["line"] == given["line"]]
        _refuse(not found, f"Claim {claim['id']} has no line {given['line']}")
        claim["items"].remove(found[0])
        claim["total"] = round(claim["total"] - found[0]["amount"], 2)
        return {"claim_id": claim["id"], "items_left": len(claim["items"]), "total": claim["total"]}

    @_tool("claim_id", _object(claim_id=TEXT, status=TEXT, total=NUMBER))
    def submit_expense_claim(self, given: Entity) -> Any:
        """Submit a Draft claim with items. It is Approved if its total is below auto_approve_below, or Submitted."""
        claim = self.draft(given["claim_id"])
        _refuse(not claim["items"], f"Expense claim {claim['id']} has no items")
        claim["status"] = "Approved" if claim["total"] < self.policy["auto_approve_below"] else "Submitted"
        return {"claim_id": claim["id"], "status": claim["status"], "total": claim["total"]}

    @_tool("item_limit? auto_approve_below?", _object(item_limit=NUMBER, auto_approve_below=NUMBER))
    def update_expense_policy(self, given: Entity) -> Any:
        """Change the expense policy. What is left out stays as it is. Returns the policy now in force."""
        self.policy |= given
        return self.policy

    @_tool("topic? only_with_seats?")
    def list_trainings(self, given: Entity) -> Any:
        """List trainings by date with their free seats. `topic` is a part of the title, upper or lower case alike."""
        topic, found = given.get("topic", "").lower(), []
        for training in self.state["trainings"].values():
            seats = training["capacity"] - len(training["participant_ids"])
            if topic in training["title"].lower() and (seats > 0 or not given.get("only_with_seats", False)):
                found.append(training | {"free_seats": seats})
        return {"trainings": sorted(found, key=lambda training: (training["date"], training["id"]))}

    @_tool("training_id employee_id", _object(training_id=TEXT, free_seats=INTEGER))
    def enroll_in_training(self, given: Entity) -> Any:
        """Put an employee on the participant list of a training that has a free seat. Nobody enrolls twice."""
        training = self.find("trainings", given["training_id"], "Training")
        employee, ids = self.active(given["employee_id"]), training["participant_ids"]
        _refuse(employee["id"] in ids, f"{employee['name']} is enrolled already")
        _refuse(len(ids) >= training["capacity"], f"{training['title']} is fully booked")
        ids.append(employee["id"])
        return {"training_id": training["id"], "free_seats": training["capacity"] - len(ids)}

    @_tool("asset_tag employee_id", _object(success={"type": "boolean"}, message=TEXT))
    def lend_equipment(self, given: Entity) -> Any:
        """Lend a device to an employee. It must be in stock and not damaged."""
        device = self.find("equipment", given["asset_tag"], "Asset")
        employee = self.active(given["employee_id"])
        _refuse(device["lent_to"] is not None, f"{given['asset_tag']} is lent to {device['lent_to']}")
        _refuse(device["condition"] == "damaged", f"{given['asset_tag']} is damaged")
        device["lent_to"] = employee["id"]
        return {"success": True, "message": f"{given['asset_tag']} lent to {employee['id']}"}

    @_tool("asset_tag condition?")
    def return_equipment(self, given: Entity) -> Any:
        """Take back a lent device and note the condition it came back in."""
        device = self.find("equipment", given["asset_tag"], "Asset")
        _refuse(device["lent_to"] is None, f"{given['asset_tag']} is not lent to anybody")
        device |= {"lent_to": None, "condition": given.get("condition", "good")}
        return {"asset_tag": given["asset_tag"], **device}

    @_tool("employee_id message", _object(sent={"type": "boolean"}))
    def send_reminder(self, given: Entity) -> Any:
        """E-mail a reminder to somebody who works here."""
        self.active(given["employee_id"])
        _refuse(not given["message"].strip(), "The message is empty")
        return {"sent": True}


def _check(tool: str, arguments: Entity) -> None:
    """Refuse what the declaration rules out."""
    for name in INPUTS[tool]["required"]:
        _refuse(name not in arguments, f"{name} is required")
    for name, value in arguments.items():
        schema = GIVEN.get(name, TEXT)
        _refuse(value not in schema.get("enum", [value]), f"{value!r} is not a valid {name}")
        _refuse("minimum" in schema and value < schema["minimum"], f"{name} is too small")
        _refuse("maximum" in schema and value > schema["maximum"], f"{name} is too large")


INPUTS: dict[str, Entity] = {tool["name"]: tool["input_schema"] for tool in TOOLS}
WEIGHTS = {name: 13 if name.startswith(("get", "list", "search")) else 5 for name in HANDLERS}
KINDS = {"employee_id": "employees", "approver_id": "employees", "request_id": "leave_requests"}
KINDS |= {"claim_id": "expense_claims", "training_id": "trainings", "asset_tag": "equipment"}
WRONG: dict[str, list[Any]] = {"leave_type": ["sabbatical"], "status": ["Open"], "decision": ["postpone"]}
WRONG |= {"department": ["HQ"], "category": ["gifts"], "amount": [0, 7500], "line": [17], "limit": [0, 99]}
WRONG |= {"start_date": ["2024-03-04"], "end_date": ["2024-03-08"], "message": [""], "condition": ["lost"]}
WRONG |= {"item_limit": [-1], "auto_approve_below": [-50]}


def _fits(tool: str, kind: str, entity: Entity) -> bool:
    """Say whether a caller who pays attention would use the tool with it."""
    statuses = {"employees": "Active|On leave", "leave_requests": "Pending", "expense_claims": "Draft"}
    if tool.startswith(("get", "list")):
        return True
    if tool == "cancel_leave_request":
        return entity["status"] in ("Pending", "Approved")
    if kind in statuses:
        filled = tool == "add_expense_item" or entity.get("items") != []
        return filled and entity["status"] in statuses[kind]
    if kind == "trainings":
        return len(entity["participant_ids"]) < int(entity["capacity"])
    lent = entity["lent_to"] is not None
    return lent if tool == "return_equipment" else not lent and entity["condition"] != "damaged"


class _Clerk:
    """Thinks of arguments: sensible ones, and ways to spoil them. An `IndexError` says that nothing fits."""

    def __init__(self, state: State, random: Random) -> None:
        self.state = state
        self.random = random

    def one(self, tool: str, kind: str) -> str:
        entities = self.state[kind]
        return self.random.choice([key for key in entities if _fits(tool, kind, entities[key])])

    def wrong(self, tool: str, kind: str) -> str:
        unfit = [key for key, entity in self.state[kind].items() if not _fits(tool, kind, entity)]
        unknown = f"{next(iter(self.state[kind])).split('-')[0]}-{self.random.randint(600, 999)}"
        return self.random.choice([unknown, *unfit, unknown])

    def values(self, good: Entity) -> Entity:
        """Think of a value for each argument that names no entity."""
        random, pick = self.random, self.random.choice
        settings = self.state["company"]["settings"]
        start = date.fromisoformat(settings["today"]) + timedelta(days=random.randint(1, 150))
        values: Entity = {name: pick(given["enum"]) for name, given in GIVEN.items() if "enum" in given}
        values["start_date"], values["only_with_seats"] = start.isoformat(), pick([True, False])
        values["end_date"] = (start + timedelta(days=pick([0, 1, 2, 4]))).isoformat()
        values |= {"query": pick(FIRST + LAST)[: pick([1, 2, 8])], "limit": pick([1, 2, 5, 20])}
        values |= {"title": pick(TRIPS), "topic": pick(COURSES)[:4], "message": f"Remember {start}, please."}
        values["amount"] = round(random.uniform(4, settings["expense_policy"]["item_limit"]), 2)
        values["auto_approve_below"], values["item_limit"] = pick([0, 50, 120]), random.randint(4, 20) * 50
        values["description"] = f"Receipt {random.randint(100, 999)}"
        claim = self.state["expense_claims"].get(good.get("claim_id", ""), {})
        values["line"] = pick([item["line"] for item in claim.get("items", [])] or [1])
        return values

    def arguments(self, tool: str, slip: bool) -> Entity:
        properties, required = INPUTS[tool]["properties"], INPUTS[tool]["required"]
        names = [name for name in properties if name in required or self.random.random() < 0.5]
        good: Entity = {name: self.one(tool, KINDS[name]) for name in names if name in KINDS}
        if tool == "decide_leave_request":
            employee = self.state["leave_requests"][good["request_id"]]["employee_id"]
            good["approver_id"] = self.state["employees"][employee]["manager_id"] or good["approver_id"]
        good = {name: value for name, value in (self.values(good) | good).items() if name in names}
        wrong = {name: self.wrong(tool, KINDS[name]) for name in properties if name in KINDS}
        wrong |= {name: self.random.choice(WRONG[name]) for name in properties if name in WRONG}
        spoiled = self.random.choice(list(wrong)) if slip else ""
        return good | ({spoiled: wrong[spoiled]} if slip else {})


def _add_employees(state: State, random: Random) -> None:
    """Add a chief, heads of departments who report to the chief, and people who report to their heads."""
    for number in range(32):
        name, department = f"{random.choice(FIRST)} {random.choice(LAST)}", list(DEPARTMENTS)[number % 4]
        fields: Entity = {"name": name, "email": f"{name.lower().replace(' ', '.')}{number}@firm.example"}
        head = state["departments"].get(department, {"head_id": "E-101" if number else None})["head_id"]
        fields |= {"title": random.choice(TITLES), "department": department, "manager_id": head}
        fields["status"] = random.choice(["Active"] * 7 + ["On leave", "Left"]) if number > 3 else "Active"
        fields["leave_balance"] = {kind: random.randint(1, most) for kind, most in LEAVE_TYPES.items()}
        employee = _add(state["employees"], "E", **fields)
        if department not in state["departments"]:
            state["departments"][department] = {"name": DEPARTMENTS[department], "head_id": employee["id"]}


def _add_files(state: State, random: Random, today: date) -> None:
    """Add what the desk keeps about employees."""
    pick, staff = random.choice, [key for key, e in state["employees"].items() if e["status"] != "Left"]
    for number in range(301, 337):
        who, start = pick(staff), today + timedelta(days=random.randint(-40, 100))
        leave: Entity = {"start_date": start.isoformat(), "end_date": (start + timedelta(days=3)).isoformat()}
        leave |= {"days": _working_days(*leave.values()), "status": pick(["Pending", *LEAVE_STATUSES])}
        boss = state["employees"][who]["manager_id"] if leave["status"] in ("Approved", "Rejected") else None
        leave |= {"employee_id": who, "type": pick(list(LEAVE_TYPES)), "decided_by": boss}
        _add(state["leave_requests"], "LR", **leave)
        items: list[Entity] = [{"line": n, "category": pick(CATEGORIES)} for n in range(1, pick([2, 4, 5]))]
        items = [item | {"amount": random.randint(500, 20000) / 100, "description": None} for item in items]
        claim = {"title": pick(TRIPS), "status": pick(["Draft", "Draft", "Submitted", "Approved", "Paid"])}
        total = round(sum(item["amount"] for item in items), 2)
        _add(state["expense_claims"], "EXP", employee_id=pick(staff), **claim, total=total, items=items)
        device = {"model": pick(DEVICES), "lent_to": pick([None, pick(staff)]), "condition": pick(CONDITIONS)}
        state["equipment"][f"EQ-{number}"] = device
    for _ in range(16):
        fields = {"title": pick(COURSES), "date": (today + timedelta(days=random.randint(3, 90))).isoformat()}
        ids = random.sample(staff, random.randint(1, 6))
        _add(state["trainings"], "TR", **fields, capacity=len(ids) + pick([0, 0, 2, 3]), participant_ids=ids)


class Hr:
    name = "hr"
    tools = TOOLS

    def begin(self, random: Random) -> State:
        kinds = ("departments", "employees", "leave_requests", "expense_claims", "trainings", "equipment")
        state: State = {kind: {} for kind in kinds}
        today = date(2025, random.randint(1, 9), random.randint(1, 28))
        _add_employees(state, random)
        _add_files(state, random, today)
        policy = {"item_limit": random.randint(5, 12) * 50, "auto_approve_below": random.randint(5, 30) * 10}
        state["company"] = {"settings": {"today": today.isoformat(), "expense_policy": policy}}
        return state

    def call(self, state: State, tool: str, arguments: dict[str, Any]) -> Any:
        _refuse(tool not in HANDLERS, f"There is no tool {tool}")
        _check(tool, arguments)
        return deepcopy(HANDLERS[tool](_Desk(state), arguments))

    def next_call(self, state: State, random: Random) -> Call:
        slip = random.random() < 0.18
        while True:
            tool = random.choices(list(WEIGHTS), list(WEIGHTS.values()))[0]
            try:
                return Call(tool, _Clerk(state, random).arguments(tool, slip))
            except IndexError:
                continue
