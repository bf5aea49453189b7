"""A sales CRM: what an assistant of sales reps works with, accounts, contacts, deals and tasks."""

import inspect
from collections.abc import Callable
from copy import deepcopy
from random import Random
from typing import Any

from benchmarks.reference.back_end import Call, RefusedError, State

Entity = dict[str, Any]

OPEN_STAGES = ["Prospecting", "Qualification", "Proposal", "Negotiation"]
STAGES = [*OPEN_STAGES, "Closed Won", "Closed Lost"]
PROBABILITY = dict(zip(STAGES, [10, 30, 50, 75, 100, 0], strict=True))
INDUSTRIES = ["Manufacturing", "Healthcare", "Retail", "Software", "Logistics", "Finance"]
ACTIVITY_TYPES = ["call", "email", "meeting", "note"]
TASK_STATUSES, PRIORITIES = ["open", "completed"], ["low", "normal", "high"]
FIRST_NAMES = ["Ada", "Ben", "Chloe", "Diego", "Elif", "Frank", "Greta", "Hiro", "Ines", "Jonas"]
LAST_NAMES = ["Abbott", "Berger", "Costa", "Dubois", "Evans", "Fischer", "Grant", "Haas", "Ito"]
JOBS = ["CEO", "CFO", "Head of Procurement", "IT Director", "Operations Manager", "Buyer"]
HEADS = ["North", "Blue", "Iron", "Silver", "Bright", "Green", "Summit", "Harbor", "Delta", "Vector"]
TAILS = ["wind Labs", "stone Foods", "field Systems", "line Freight", "bridge Health", "gate Partners"]
CITIES = [("Lyon", "FR"), ("Leeds", "GB"), ("Graz", "AT"), ("Ghent", "BE"), ("Porto", "PT")]
TAGS = ["key account", "newsletter", "partner", "at risk"]
DEAL_NAMES = ["Annual licence", "Pilot project", "Renewal", "Expansion", "Onboarding package", "Support plan"]
TASK_TITLES = ["Send proposal", "Call back", "Prepare demo", "Check contract", "Chase invoice", "Book visit"]
SUBJECTS = ["Pricing questions", "Intro", "Demo feedback", "Contract terms", "Quarterly review", "Next steps"]
DATES = [f"2025-{month:02}-{day:02}" for month in range(7, 13) for day in range(1, 29)]
LOST_REASONS = ["Price too high", "Chose a competitor", "No budget this year", "No decision"]

TEXT: Entity = {"type": "string"}
FIELDS: dict[str, Entity] = {
    "account_id": TEXT | {"description": "Account ID, e.g. ACC-1004"},
    "contact_id": TEXT | {"description": "Contact ID, e.g. CON-2010"},
    "deal_id": TEXT | {"description": "Deal ID, e.g. DEAL-301"},
    "task_id": TEXT | {"description": "Task ID, e.g. TASK-12"},
    "owner_id": TEXT | {"description": "User ID of the owner, e.g. usr_3"},
    "industry": TEXT | {"enum": INDUSTRIES},
    "email": TEXT | {"format": "email"},
    "stage": TEXT | {"enum": STAGES},
    "move_deal_stage.stage": TEXT | {"enum": OPEN_STAGES},
    "amount": {"type": "number", "exclusiveMinimum": 0, "description": "Value in EUR"},
    "min_amount": {"type": "number", "description": "Only deals of at least this amount"},
    "close_date": TEXT | {"format": "date", "description": "Expected close date, YYYY-MM-DD"},
    "outcome": TEXT | {"enum": ["won", "lost"]},
    "lost_reason": TEXT | {"description": "Why the deal was lost; required if the outcome is lost"},
    "type": TEXT | {"enum": ACTIVITY_TYPES},
    "duration_minutes": {"type": "integer", "minimum": 1, "maximum": 480, "default": 15},
    "opted_out": {"type": "boolean", "description": "True if the contact wants no more emails"},
    "status": TEXT | {"enum": TASK_STATUSES, "default": "open"},
    "include_deals": {"type": "boolean", "default": True},
    "limit": {"type": "integer", "minimum": 1, "maximum": 50, "default": 10},
}


def _find(state: State, kind: str, entity_id: str) -> Entity:
    if entity_id not in state[kind]:
        raise RefusedError(f"{kind.removesuffix('s').capitalize()} {entity_id} not found")
    return state[kind][entity_id]


def _check_choice(name: str, value: str | None, choices: list[str]) -> None:
    if value is not None and value not in choices:
        raise RefusedError(f"Invalid {name} '{value}'. Must be one of: {', '.join(choices)}")


def _is_open(deal: Entity) -> bool:
    return deal["stage"] in OPEN_STAGES


def _only(entity: Entity, fields: str) -> Entity:
    return {field: entity[field] for field in fields.split()}


def _any(state: State, random: Random, kind: str) -> Entity:
    return random.choice(list(state[kind].values()))


def _some(random: Random, **optional: Any) -> dict[str, Any]:
    return {name: value for name, value in optional.items() if random.random() < 0.4}


class Functions:
    """The functions an agent is given; each is declared by its signature and what its docstring says."""

    def __init__(self, state: State) -> None:
        self.state = state
        self.accounts, self.contacts, self.deals = state["accounts"], state["contacts"], state["deals"]
        self.today: str = state["session"]["current"]["today"]
        self.me = state["users"][state["session"]["current"]["user_id"]]

    def get_current_user(self) -> Entity:
        """Get the user who is signed in to the CRM, with their role and email."""
        return self.me

    def get_account(self, account_id: str) -> Entity:
        """Get an account with its billing address and tags."""
        return _find(self.state, "accounts", account_id)

    def search_accounts(self, query: str, industry: str | None = None, limit: int = 10) -> list[Entity]:
        """Search accounts by a part of their name, ignoring case. Results are sorted by name."""
        _check_choice("industry", industry, INDUSTRIES)
        found = [account for account in self.accounts.values() if industry in (None, account["industry"])]
        found = sorted((a for a in found if query.lower() in a["name"].lower()), key=lambda a: str(a["name"]))
        return [_only(account, "id name industry status owner_id") for account in found[:limit]]

    def find_contact_by_email(self, email: str) -> Entity:
        """Look up a contact by email address. The whole address must match, but case does not matter."""
        for contact in self.contacts.values():
            if contact["email"].lower() == email.lower():
                return contact
        raise RefusedError(f"No contact found with email {email}")

    def get_deal(self, deal_id: str) -> Entity:
        """Get a deal with its contacts and logged activities."""
        return _find(self.state, "deals", deal_id)

    def list_deals(
        self, stage: str | None = None, owner_id: str | None = None, min_amount: float = 0, limit: int = 10
    ) -> Entity:
        """List deals, largest amount first. All filters are optional and are combined. `total` counts all deals that
        match, also those beyond the limit.
        """
        if not 1 <= limit <= 50:
            raise RefusedError("limit must be between 1 and 50")
        _check_choice("stage", stage, STAGES)
        deals = [deal for deal in self.deals.values() if deal["amount"] >= min_amount]
        deals = [deal for deal in deals if stage in (None, deal["stage"])]
        deals = [deal for deal in deals if owner_id in (None, deal["owner_id"])]
        deals.sort(key=lambda deal: -deal["amount"])
        rows = [_only(deal, "id name account_id owner_id stage amount close_date") for deal in deals[:limit]]
        return {"deals": rows, "total": len(deals)}

    def get_forecast(self, owner_id: str | None = None) -> Entity:
        """Sum up the open pipeline: number of open deals, their total amount, and the amount weighted by each deal's
        probability in percent. Covers all owners unless owner_id is given.
        """
        if owner_id is not None:
            _find(self.state, "users", owner_id)
        deals = [d for d in self.deals.values() if _is_open(d) and owner_id in (None, d["owner_id"])]
        total = sum(deal["amount"] for deal in deals)
        weighted = sum(deal["amount"] * deal["probability"] / 100 for deal in deals)
        return {"open_deals": len(deals), "total_amount": total, "weighted_amount": round(weighted, 2)}

    def list_my_tasks(self, status: str = "open") -> list[Entity]:
        """List the signed-in user's own tasks, earliest due date first."""
        _check_choice("status", status, TASK_STATUSES)
        mine = [task for task in self.state["tasks"].values() if task["assignee_id"] == self.me["id"]]
        return sorted([t for t in mine if t["status"] == status], key=lambda t: str(t["due_date"]))

    def update_contact(
        self,
        contact_id: str,
        email: str | None = None,
        phone: str | None = None,
        opted_out: bool | None = None,
    ) -> Entity:
        """Change a contact's email, phone or email opt-out; at least one must be given. Emails are unique."""
        contact = _find(self.state, "contacts", contact_id)
        given = {"email": email, "phone": phone, "opted_out": opted_out}
        changes = {field: value for field, value in given.items() if value is not None}
        if not changes:
            raise RefusedError("Nothing to update: give at least one field")
        for other in self.contacts.values():
            if other["email"] == email and other is not contact:
                raise RefusedError(f"Email {email} is already used by contact {other['id']}")
        contact.update(changes)
        return contact

    def delete_contact(self, contact_id: str) -> Entity:
        """Permanently delete a contact. Contacts that are linked to a deal cannot be deleted."""
        _find(self.state, "contacts", contact_id)
        linked = [deal["id"] for deal in self.deals.values() if contact_id in deal["contact_ids"]]
        if linked:
            raise RefusedError(f"Contact {contact_id} is linked to {', '.join(linked)} and cannot be deleted")
        del self.contacts[contact_id]
        return {"deleted": True, "contact_id": contact_id}

    def create_deal(self, account_id: str, name: str, amount: float, close_date: str) -> Entity:
        """Open a new deal for an account, owned by the signed-in user. It gets the next deal number and starts in stage
        Prospecting with a probability of 10 and no contacts.
        """
        _find(self.state, "accounts", account_id)
        if amount <= 0:
            raise RefusedError("amount must be greater than 0")
        number = max(int(key.removeprefix("DEAL-")) for key in self.deals) + 1
        deal: Entity = {"id": f"DEAL-{number}", "name": name, "account_id": account_id}
        deal |= {"owner_id": self.me["id"], "stage": "Prospecting", "amount": amount, "probability": 10}
        deal |= {"close_date": close_date, "contact_ids": [], "activities": [], "lost_reason": None}
        self.deals[deal["id"]] = deal
        return deal

    def move_deal_stage(self, deal_id: str, stage: str) -> Entity:
        """Move an open deal to another open stage. The probability follows the stage (Prospecting 10, Qualification
        30, Proposal 50, Negotiation 75). Use close_deal to win or lose a deal.
        """
        deal = _find(self.state, "deals", deal_id)
        _check_choice("stage", stage, OPEN_STAGES)
        previous = deal["stage"]
        if not _is_open(deal):
            raise RefusedError(f"Deal {deal_id} is already closed ({previous})")
        if previous == stage:
            raise RefusedError(f"Deal {deal_id} is already in stage {stage}")
        deal.update(stage=stage, probability=PROBABILITY[stage])
        return {"deal_id": deal_id, "previous_stage": previous} | _only(deal, "stage probability")

    def close_deal(self, deal_id: str, outcome: str, lost_reason: str | None = None) -> Entity:
        """Close an open deal as won or lost, as of today. Only the owner of the deal or a manager may close it. A lost
        deal needs a lost_reason. Winning a deal turns the account into a customer.
        """
        deal = _find(self.state, "deals", deal_id)
        _check_choice("outcome", outcome, ["won", "lost"])
        if not _is_open(deal):
            raise RefusedError(f"Deal {deal_id} is already closed ({deal['stage']})")
        if deal["owner_id"] != self.me["id"] and self.me["role"] != "manager":
            raise RefusedError(f"Only the owner ({deal['owner_id']}) or a manager may close deal {deal_id}")
        if outcome == "won":
            deal.update(stage="Closed Won", probability=100, close_date=self.today)
            self.accounts[deal["account_id"]]["status"] = "customer"
        elif lost_reason:
            deal.update(stage="Closed Lost", probability=0, close_date=self.today, lost_reason=lost_reason)
        else:
            raise RefusedError("lost_reason is required when a deal is lost")
        return deal

    def log_activity(self, deal_id: str, type: str, subject: str, duration_minutes: int = 15) -> Entity:
        """Log a call, email, meeting or note on a deal, dated today and logged by the signed-in user."""
        deal = _find(self.state, "deals", deal_id)
        _check_choice("type", type, ACTIVITY_TYPES)
        if not 1 <= duration_minutes <= 480:
            raise RefusedError("duration_minutes must be between 1 and 480")
        activity = {"type": type, "subject": subject, "date": self.today, "logged_by": self.me["id"]}
        deal["activities"].append(activity | {"duration_minutes": duration_minutes})
        return {"deal_id": deal_id, "activity": deal["activities"][-1]}

    def remove_contact_from_deal(self, deal_id: str, contact_id: str) -> Entity:
        """Unlink a contact from a deal. The contact itself is kept."""
        deal = _find(self.state, "deals", deal_id)
        if contact_id not in deal["contact_ids"]:
            raise RefusedError(f"Contact {contact_id} is not linked to deal {deal_id}")
        deal["contact_ids"].remove(contact_id)
        return _only(deal, "id contact_ids")

    def complete_task(self, task_id: str) -> Entity:
        """Mark one of the signed-in user's own open tasks as completed."""
        task = _find(self.state, "tasks", task_id)
        if task["assignee_id"] != self.me["id"]:
            raise RefusedError(f"Task {task_id} is assigned to {task['assignee_id']}, not to you")
        if task["status"] == "completed":
            raise RefusedError(f"Task {task_id} is already completed")
        task["status"] = "completed"
        return {"success": True}

    def reassign_account(self, account_id: str, new_owner_id: str, include_deals: bool = True) -> Entity:
        """Hand an account over to another active user, by default together with the account's open deals."""
        account = _find(self.state, "accounts", account_id)
        if not _find(self.state, "users", new_owner_id)["active"]:
            raise RefusedError(f"User {new_owner_id} is deactivated")
        if account["owner_id"] == new_owner_id:
            raise RefusedError(f"Account {account_id} is already owned by {new_owner_id}")
        deals = [deal for deal in self.deals.values() if deal["account_id"] == account_id and _is_open(deal)]
        moved = deals if include_deals else []
        for entity in [account, *moved]:
            entity["owner_id"] = new_owner_id
        return {"account_id": account_id, "owner_id": new_owner_id, "deals_reassigned": len(moved)}

    def send_email(self, contact_id: str, subject: str, body: str) -> str:
        """Send an email to a contact who has not opted out, and note today as their last contact date."""
        contact = _find(self.state, "contacts", contact_id)
        if contact["opted_out"]:
            raise RefusedError(f"Contact {contact_id} has opted out of emails")
        if not subject or not body:
            raise RefusedError("subject and body must not be empty")
        contact["last_contacted"] = self.today
        return f"Email sent to {contact['email']}"


def _declare(name: str, function: Callable[..., Any]) -> dict[str, Any]:
    parameters = list(inspect.signature(function).parameters.values())[1:]
    properties = {p.name: FIELDS.get(f"{name}.{p.name}") or FIELDS.get(p.name, TEXT) for p in parameters}
    required = [parameter.name for parameter in parameters if parameter.default is parameter.empty]
    schema = {"type": "object", "properties": properties, "required": required}
    return {"name": name, "description": " ".join((function.__doc__ or "").split()), "input_schema": schema}


TOOLS = [_declare(name, function) for name, function in vars(Functions).items() if not name.startswith("_")]
READS, WRITES = [tool["name"] for tool in TOOLS[:8]], [tool["name"] for tool in TOOLS[8:]]


class Crm:
    name = "crm"
    tools = TOOLS

    def begin(self, random: Random) -> State:
        state: State = {"users": {}, "accounts": {}, "contacts": {}, "deals": {}, "tasks": {}}
        for number in range(1, random.randint(6, 9)):
            key, first, last = f"usr_{number}", random.choice(FIRST_NAMES), random.choice(LAST_NAMES)
            role, active = random.choice(["rep", "rep", "manager"]), number < 4 or random.random() < 0.6
            user = {"id": key, "name": f"{first} {last}", "email": f"{first}{number}@crm.example".lower()}
            state["users"][key] = user | {"role": role, "active": active}
        owners = [key for key, user in state["users"].items() if user["active"]]
        me, today = random.choice(owners), f"2025-0{random.randint(3, 6)}-{random.randint(10, 28)}"
        state["session"] = {"current": {"user_id": me, "today": today, "currency": "EUR"}}
        companies = random.sample([head + tail for head in HEADS for tail in TAILS], random.randint(18, 28))
        for number, company in enumerate(companies, 1001):
            state["accounts"][f"ACC-{number}"] = self._account(random, f"ACC-{number}", company, owners)
        for number in range(2001, 2001 + random.randint(45, 60)):
            account_id = random.choice(list(state["accounts"]))
            state["contacts"][f"CON-{number}"] = self._contact(random, f"CON-{number}", account_id)
        for number in range(301, 301 + random.randint(35, 50)):
            state["deals"][f"DEAL-{number}"] = self._deal(random, f"DEAL-{number}", state, me)
        for number in range(1, random.randint(35, 55)):
            assignee, deal_id = random.choice([me, me, *owners]), random.choice([None, *state["deals"]])
            task: Entity = {"id": f"TASK-{number}", "title": random.choice(TASK_TITLES)}
            task |= {"assignee_id": assignee, "deal_id": deal_id, "due_date": random.choice(DATES)}
            task |= {"priority": random.choice(PRIORITIES), "status": random.choice(TASK_STATUSES)}
            state["tasks"][f"TASK-{number}"] = task
        return state

    def _account(self, random: Random, account_id: str, company: str, owners: list[str]) -> Entity:
        city, country = random.choice(CITIES)
        account = {"id": account_id, "name": company, "industry": random.choice(INDUSTRIES)}
        account |= {"status": random.choice(["prospect", "customer"]), "owner_id": random.choice(owners)}
        address = {"street": f"{random.randint(1, 180)} Station Road", "city": city, "country": country}
        return account | {"billing_address": address, "tags": random.sample(TAGS, random.randint(0, 2))}

    def _contact(self, random: Random, contact_id: str, account_id: str) -> Entity:
        first, last = random.choice(FIRST_NAMES), random.choice(LAST_NAMES)
        contact = {"id": contact_id, "account_id": account_id, "first_name": first, "last_name": last}
        contact["email"] = f"{first}.{last}{contact_id[-2:]}@mail.example".lower()
        contact |= {"phone": f"+44 20 7946 {random.randint(1000, 9999)}", "job_title": random.choice(JOBS)}
        date = random.choice([None, f"2025-02-{random.randint(10, 28)}"])
        return contact | {"opted_out": random.random() < 0.15, "last_contacted": date}

    def _deal(self, random: Random, deal_id: str, state: State, me: str) -> Entity:
        account, stage = random.choice(list(state["accounts"].values())), random.choice(OPEN_STAGES + STAGES)
        people = [key for key, contact in state["contacts"].items() if contact["account_id"] == account["id"]]
        reason = random.choice(LOST_REASONS) if stage == "Closed Lost" else None
        deal: Entity = {"id": deal_id, "name": random.choice(DEAL_NAMES), "account_id": account["id"]}
        deal |= {"owner_id": random.choice([account["owner_id"], me]), "stage": stage}
        deal |= {"amount": random.randint(10, 900) * 100, "probability": PROBABILITY[stage]}
        deal |= {"close_date": random.choice(DATES), "contact_ids": people[: random.randint(0, 2)]}
        deal |= {"activities": [], "lost_reason": reason}
        for _ in range(random.randint(0, 3)):
            activity = {"type": random.choice(ACTIVITY_TYPES), "subject": random.choice(SUBJECTS)}
            activity |= {"date": f"2025-02-{random.randint(10, 28)}", "logged_by": account["owner_id"]}
            deal["activities"].append(activity | {"duration_minutes": random.choice([5, 15, 30])})
        return deal

    def call(self, state: State, tool: str, arguments: dict[str, Any]) -> Any:
        return deepcopy(getattr(Functions(state), tool)(**arguments))

    def next_call(self, state: State, random: Random) -> Call:
        chance = random.random()
        if chance < 0.19:
            return self._mistake(state, random)
        tool = random.choice(READS if chance < 0.66 else WRITES)
        return Call(tool, (self._read if tool in READS else self._write)(state, random)[tool])

    def _read(self, state: State, random: Random) -> dict[str, dict[str, Any]]:
        user, account, deal = (_any(state, random, kind) for kind in ("users", "accounts", "deals"))
        query = random.choice([account["name"][:4], account["name"].split()[-1].lower(), account["name"]])
        stage, least, limit = random.choice(STAGES), random.randint(1, 60) * 1000, random.choice([3, 5, 20])
        return {
            "get_current_user": {},
            "get_account": {"account_id": account["id"]},
            "search_accounts": {"query": query} | _some(random, industry=account["industry"], limit=limit),
            "find_contact_by_email": {"email": _any(state, random, "contacts")["email"]},
            "get_deal": {"deal_id": deal["id"]},
            "list_deals": _some(random, stage=stage, owner_id=user["id"], min_amount=least, limit=limit),
            "get_forecast": _some(random, owner_id=user["id"]),
            "list_my_tasks": _some(random, status=random.choice(TASK_STATUSES)),
        }

    def _write(self, state: State, random: Random) -> dict[str, dict[str, Any]]:
        def pick(kind: str, fits: Callable[[Entity], bool] = bool) -> Entity:
            entities = list(state[kind].values())
            return random.choice([entity for entity in entities if fits(entity)] or entities)

        me = state["session"]["current"]["user_id"]
        linked_ids = {contact_id for deal in state["deals"].values() for contact_id in deal["contact_ids"]}
        account, contact, deal = pick("accounts"), pick("contacts"), pick("deals", _is_open)
        mine = pick("deals", lambda deal: _is_open(deal) and deal["owner_id"] == me)
        linked = pick("deals", lambda deal: bool(deal["contact_ids"]))
        loose = pick("contacts", lambda contact: contact["id"] not in linked_ids)
        reachable = pick("contacts", lambda contact: not contact["opted_out"])
        task = pick("tasks", lambda task: task["status"] == "open" and task["assignee_id"] == me)
        heir = pick("users", lambda user: user["active"] and user["id"] != account["owner_id"])
        first, last, subject = random.choice(FIRST_NAMES), random.choice(LAST_NAMES), random.choice(SUBJECTS)
        email = f"{first}.{last}@work{random.randint(1, 9999)}.example".lower()
        phone, amount = f"+44 20 7946 {random.randint(1000, 9999)}", random.randint(5, 500) * 250
        changes = _some(random, email=email, opted_out=random.random() < 0.3, phone=phone) or {"phone": phone}
        new_deal = {"account_id": account["id"], "name": random.choice(DEAL_NAMES), "amount": amount}
        stage = random.choice([stage for stage in OPEN_STAGES if stage != deal["stage"]])
        lost = {"outcome": "lost", "lost_reason": random.choice(LOST_REASONS)}
        activity = {"deal_id": deal["id"], "type": random.choice(ACTIVITY_TYPES), "subject": subject}
        unlinked = random.choice(linked["contact_ids"] or [contact["id"]])
        handover = {"account_id": account["id"], "new_owner_id": heir["id"]}
        return {
            "update_contact": {"contact_id": contact["id"]} | changes,
            "delete_contact": {"contact_id": loose["id"]},
            "create_deal": new_deal | {"close_date": random.choice(DATES)},
            "move_deal_stage": {"deal_id": deal["id"], "stage": stage},
            "close_deal": {"deal_id": mine["id"]} | random.choice([{"outcome": "won"}, lost]),
            "log_activity": activity | _some(random, duration_minutes=random.choice([5, 30, 45, 90])),
            "remove_contact_from_deal": {"deal_id": linked["id"], "contact_id": unlinked},
            "complete_task": {"task_id": task["id"]},
            "reassign_account": handover | _some(random, include_deals=random.random() < 0.3),
            "send_email": {"contact_id": reachable["id"], "subject": subject, "body": "Shall we talk?"},
        }

    def _mistake(self, state: State, random: Random) -> Call:
        """Draw one of the mistakes that can be made in this state."""
        me = Functions(state).me
        account, contact = _any(state, random, "accounts")["id"], _any(state, random, "contacts")
        deals, unknown = state["deals"].values(), random.randint(4000, 9999)
        closed, still_open = [d for d in deals if not _is_open(d)], [d for d in deals if _is_open(d)]
        foreign = [d for d in still_open if d["owner_id"] != me["id"] and me["role"] != "manager"]
        tasks, people = state["tasks"].values(), state["contacts"].values()
        inactive = [key for key, user in state["users"].items() if not user["active"]] + ["usr_77"]
        other = next(key for key in state["contacts"] if key != contact["id"])
        others = [deal for deal in deals if other not in deal["contact_ids"]]
        taken, hello = {"contact_id": other, "email": contact["email"]}, {"subject": "Hi", "body": "Hello!"}
        new_deal = {"account_id": account, "name": "Renewal", "amount": 0, "close_date": "2025-09-30"}
        chat = {"type": random.choice(["call", "fax"]), "subject": "Intro", "duration_minutes": 600}
        options: list[tuple[str, list[dict[str, Any]]]] = [
            ("get_account", [{"account_id": f"ACC-{unknown}"}]),
            ("get_deal", [{"deal_id": f"DEAL-{unknown}"}]),
            ("find_contact_by_email", [{"email": f"nobody{unknown}@mail.example"}]),
            ("search_accounts", [{"query": "north", "industry": "Mining"}]),
            ("list_deals", [{"stage": random.choice(["Won", "open", "Lost"])}, {"limit": 500}]),
            ("get_forecast", [{"owner_id": f"usr_{unknown}"}]),
            ("update_contact", [taken, {"contact_id": other}, taken | {"contact_id": f"CON-{unknown}"}]),
            ("delete_contact", [{"contact_id": key} for deal in deals for key in deal["contact_ids"]]),
            ("create_deal", [new_deal, new_deal | {"account_id": f"ACC-{unknown}", "amount": 900}]),
            ("move_deal_stage", [{"deal_id": deal["id"], "stage": "Negotiation"} for deal in closed]),
            ("move_deal_stage", [_only(d, "stage") | {"deal_id": d["id"]} for d in still_open]),
            ("move_deal_stage", [{"deal_id": deal["id"], "stage": "Closed Won"} for deal in still_open]),
            ("close_deal", [{"deal_id": deal["id"], "outcome": "won"} for deal in closed + foreign]),
            ("close_deal", [{"deal_id": deal["id"], "outcome": "lost"} for deal in still_open]),
            ("log_activity", [{"deal_id": _any(state, random, "deals")["id"]} | chat]),
            ("remove_contact_from_deal", [{"deal_id": d["id"], "contact_id": other} for d in others]),
            ("complete_task", [{"task_id": t["id"]} for t in tasks if t["assignee_id"] != me["id"]]),
            ("complete_task", [{"task_id": t["id"]} for t in tasks if t["status"] == "completed"]),
            ("reassign_account", [{"account_id": account, "new_owner_id": key} for key in inactive]),
            ("send_email", [hello | {"contact_id": p["id"]} for p in people if p["opted_out"]]),
        ]
        tool, candidates = random.choice([option for option in options if option[1]])
        return Call(tool, random.choice(candidates))
