"""A help desk: tickets of customers with comments, agents in teams, and the session of one agent."""

from collections.abc import Callable
from copy import deepcopy
from inspect import Parameter, signature
from random import Random
from typing import Any

from benchmarks.reference.back_end import Call, RefusedError, State

Entity = dict[str, Any]
Act = Callable[..., Any]

STATUSES = ["Open", "Pending", "Resolved", "Closed"]
PRIORITIES = ["Low", "Normal", "High", "Urgent"]
TEAMS = ["Billing", "Technical", "Shipping"]
PLANS = ["Basic", "Plus", "Enterprise"]
TAGS = ["vip", "bug", "refund", "hardware", "login", "invoice", "follow-up", "escalated"]
FIRST = ["Anna", "Bilal", "Chloe", "Dmitri", "Elena", "Farid", "Grace", "Hiro", "Ines", "Kofi", "Lucia"]
LAST = ["Abbott", "Berger", "Costa", "Dahl", "Eriksen", "Fischer", "Gupta", "Haas", "Ito", "Jensen", "Klein"]
THINGS = ["Router", "Invoice", "Subscription", "Order", "Account", "Mobile app", "Headset", "Password"]
TROUBLES = ["does not work", "is missing", "was charged twice", "arrived damaged", "is too slow"]
REPLIES = ["Could you send us a photo?", "We have restarted it.", "Please try again.", "Looking into it."]
ENDS = ["Replaced the device.", "Refunded the amount.", "Fixed with an update.", "Explained the settings."]

TEXT = {"type": "string"}
NUMBER = {"type": "integer"}
SWITCH = {"type": "boolean"}
TICKET_ID = {"type": "integer", "description": "Number of the ticket, e.g. 4017"}
STATUS, PRIORITY, TEAM = ({"type": "string", "enum": one} for one in (STATUSES, PRIORITIES, TEAMS))
AGENT_ID = {"type": "string", "description": "Id of an agent, e.g. AG-04"}
TAG_LIST = {"type": "array", "items": TEXT}
CUSTOMER_ID = {"type": "string", "description": "Id of the customer who asks, e.g. CUS-103"}
LIMIT = {"type": "integer", "minimum": 1, "maximum": 50, "default": 10}
SHOWN = ("id", "subject", "status", "priority", "assignee_id")
TOOLS: list[Entity] = []


def _answer(**properties: Entity) -> Entity:
    return {"type": "object", "properties": properties, "required": list(properties)}


NOBODY = {"type": ["string", "null"]}
COMMENT = _answer(id=NUMBER, author_id=TEXT, text=TEXT, internal=SWITCH)
SUMMARY = _answer(id=NUMBER, subject=TEXT, status=STATUS, priority=PRIORITY, assignee_id=NOBODY)
TICKET = _answer(ticket={**SUMMARY, "description": "The whole ticket, with tags and comments."})
LISTED = _answer(tickets={"type": "array", "items": SUMMARY}, total=NUMBER)
FOUND = {"type": "array", "items": _answer(id=NUMBER, subject=TEXT, status=STATUS)}
BOOKED = _answer(minutes_spent=NUMBER, support_minutes_left=NUMBER)


def _tool(answers: Entity | None, **takes: Entity) -> Callable[[Act], Act]:
    """Declare a method as a tool: its docstring is the description, a parameter without a default is required."""

    def declare(act: Act) -> Act:
        required = [one for one in takes if signature(act).parameters[one].default is Parameter.empty]
        schema: Entity = {"type": "object", "properties": takes, "required": required}
        about = " ".join((act.__doc__ or "").split())
        declared: Entity = {"name": act.__name__, "description": about, "input_schema": schema}
        TOOLS.append(declared if answers is None else {**declared, "output_schema": answers})
        return act

    return declare


def _fits(ticket: Entity, need: str, me: str | None = None) -> bool:
    """Say whether a ticket is in a state in which an agent may do what needs it."""
    live, active = ticket["status"] != "Closed", ticket["status"] in ("Open", "Pending")
    needs = {"any": True, "live": live, "active": active, "done": not active}
    needs["mine"] = active and ticket["assignee_id"] == me
    return bool(needs.get(need, ticket["status"] == need))


def _new(number: int, requester: str, subject: str, description: str, team: str, priority: str) -> Entity:
    asked = {"id": number, "requester_id": requester, "subject": subject, "description": description}
    begun: Entity = {"status": "Open", "assignee_id": None, "tags": [], "comments": [], "minutes_spent": 0}
    return {**asked, "team": team, "priority": priority, **begun, "resolution": None}


def _worked_on(random: Random, number: int, worker: Entity, asker: str) -> Entity:
    subject = f"{random.choice(THINGS)} {random.choice(TROUBLES)}"
    details = f"{subject} since the {random.choice(['update', 'delivery', 'move'])}."
    ticket = _new(number, asker, subject, details, worker["team"], random.choice(PRIORITIES))
    for i in range(random.choice([0, 1, 1, 2, 3])):
        said = {"id": i + 1, "author_id": worker["id"], "text": random.choice(REPLIES)}
        ticket["comments"].append({**said, "internal": random.random() < 0.3})
    status = random.choice([*STATUSES, "Open"])
    taken = status != "Open" or random.random() < 0.6
    ticket.update(status=status, assignee_id=worker["id"] if taken else None, tags=random.sample(TAGS, 2))
    resolution = random.choice(ENDS) if status in ("Resolved", "Closed") else None
    ticket.update(minutes_spent=random.randint(0, 12) * 5, resolution=resolution)
    return ticket


class _Desk:
    """The tools, as they are in one state."""

    def __init__(self, state: State) -> None:
        self.state, self.session = state, state["session"]["current"]

    def _me(self) -> Entity:
        if self.session["agent_id"] is None:
            raise RefusedError("Not authenticated: please log in first.")
        return self.state["agents"][self.session["agent_id"]]

    def _ticket(self, ticket_id: int, need: str = "any") -> Entity:
        self._me()
        ticket = self.state["tickets"].get(str(ticket_id))
        if ticket is None:
            raise RefusedError(f"Ticket {ticket_id} not found.")
        if not _fits(ticket, need):
            raise RefusedError(f"Ticket {ticket_id} is {ticket['status']}.")
        return ticket

    @_tool(_answer(success=SWITCH, agent_id=TEXT), email=TEXT, password=TEXT)
    def login(self, email: str, password: str) -> Any:
        """Log in as an agent, which all tools but get_session need. Log out first to switch to another agent."""
        if self.session["agent_id"] is not None:
            raise RefusedError("Another session is active, log out first.")
        for agent in self.state["agents"].values():
            if (agent["email"], agent["password"]) == (email, password):
                self.session["agent_id"] = agent["id"]
                return {"success": True, "agent_id": agent["id"]}
        raise RefusedError("Invalid e-mail address or password.")

    @_tool(_answer(success=SWITCH))
    def logout(self) -> Any:
        """Log the current agent out."""
        self._me()
        self.session["agent_id"] = None
        return {"success": True}

    @_tool(_answer(logged_in=SWITCH, agent_id=NOBODY))
    def get_session(self) -> Any:
        """Tell whether somebody is logged in, and who."""
        return {"logged_in": self.session["agent_id"] is not None, "agent_id": self.session["agent_id"]}

    @_tool(TICKET, ticket_id=TICKET_ID)
    def get_ticket(self, ticket_id: int) -> Any:
        """Get a ticket with everything in it, including tags and comments."""
        return {"ticket": deepcopy(self._ticket(ticket_id))}

    @_tool(LISTED, status=STATUS, priority=PRIORITY, agent_id=AGENT_ID, limit=LIMIT)
    def list_tickets(self, status: str = "", priority: str = "", agent_id: str = "", limit: int = 10) -> Any:
        """List tickets in short form, highest number first, optionally of one status, priority or assigned agent only.
        `total` counts all that match, also those beyond the limit.
        """
        self._me()
        if status not in ("", *STATUSES) or priority not in ("", *PRIORITIES) or not 1 <= limit <= 50:
            raise RefusedError("Invalid status, priority or limit.")
        wanted = {"status": status, "priority": priority, "assignee_id": agent_id}
        tickets = sorted(self.state["tickets"].values(), key=lambda ticket: -int(ticket["id"]))
        found = [one for one in tickets if all(value in ("", one[key]) for key, value in wanted.items())]
        return {"tickets": [{key: one[key] for key in SHOWN} for one in found[:limit]], "total": len(found)}

    @_tool(FOUND, query={"type": "string", "minLength": 3})
    def search_tickets(self, query: str) -> Any:
        """Find tickets by a text (3 characters or more) in subject or description, whatever its case, oldest first."""
        self._me()
        if len(query) < 3:
            raise RefusedError("The query must have at least 3 characters.")
        tickets = sorted(self.state["tickets"].values(), key=lambda ticket: int(ticket["id"]))
        found = [one for one in tickets if query.lower() in f"{one['subject']}\n{one['description']}".lower()]
        return [{key: one[key] for key in ("id", "subject", "status")} for one in found]

    @_tool(None)
    def get_my_tickets(self) -> Any:
        """List the Open and Pending tickets assigned to you, the most urgent first, older ones first among equals."""
        me = self._me()["id"]
        mine = [one for one in self.state["tickets"].values() if _fits(one, "mine", me)]
        mine.sort(key=lambda one: (-PRIORITIES.index(one["priority"]), one["id"]))
        return [{key: one[key] for key in SHOWN} for one in mine]

    @_tool(None, team=TEAM)
    def get_team_workload(self, team: str) -> Any:
        """Count the Open and Pending tickets of a team: in all, those assigned to nobody, and per member."""
        self._me()
        if team not in self.state["teams"]:
            raise RefusedError(f"Unknown team {team}.")
        tickets = [one for one in self.state["tickets"].values() if one["team"] == team]
        who = [one["assignee_id"] for one in tickets if _fits(one, "active")]
        members = {member: who.count(member) for member in self.state["teams"][team]["member_ids"]}
        return {"team": team, "total": len(who), "unassigned": who.count(None), "by_agent": members}

    @_tool(_answer(id=TEXT, name=TEXT, email=TEXT, plan=TEXT, support_minutes=NUMBER), email=TEXT)
    def find_customer(self, email: str) -> Any:
        """Look a customer up by e-mail address. Shows the plan and the prepaid support minutes that are left."""
        self._me()
        for customer in self.state["customers"].values():
            if customer["email"] == email.lower():
                return dict(customer)
        raise RefusedError(f"No customer with e-mail address {email}.")

    @_tool(TICKET, customer_id=CUSTOMER_ID, subject=TEXT, description=TEXT, team=TEAM, priority=PRIORITY)
    def create_ticket(
        self, customer_id: str, subject: str, description: str, team: str, priority: str = "Normal"
    ) -> Any:
        """Create a ticket for a customer, Open and unassigned, with the next number. Priority is Normal by default."""
        self._me()
        if customer_id not in self.state["customers"]:
            raise RefusedError(f"Customer {customer_id} not found.")
        if team not in TEAMS or priority not in PRIORITIES:
            raise RefusedError(f"Invalid team {team} or priority {priority}.")
        number = max(ticket["id"] for ticket in self.state["tickets"].values()) + 1
        ticket = _new(number, customer_id, subject, description, team, priority)
        self.state["tickets"][str(number)] = ticket
        return {"ticket": deepcopy(ticket)}

    @_tool(TICKET, ticket_id=TICKET_ID, subject=TEXT, priority=PRIORITY, tags=TAG_LIST)
    def update_ticket(self, ticket_id: int, subject: str = "", priority: str = "", tags: Any = None) -> Any:
        """Change subject, priority or tags (all are replaced) of a ticket that is not Closed; give at least one."""
        ticket = self._ticket(ticket_id, "live")
        changes = {"subject": subject or None, "priority": priority or None, "tags": tags}
        changes = {name: deepcopy(value) for name, value in changes.items() if value is not None}
        if not changes or changes.get("priority", "Low") not in PRIORITIES:
            raise RefusedError(f"Invalid priority {priority}." if changes else "Nothing to update.")
        ticket.update(changes)
        return {"ticket": deepcopy(ticket)}

    @_tool(None, ticket_id=TICKET_ID, agent_id=AGENT_ID)
    def assign_ticket(self, ticket_id: int, agent_id: str) -> Any:
        """Assign an Open or Pending ticket to an agent, who must be available and a member of the ticket's team."""
        ticket = self._ticket(ticket_id, "active")
        agent = self.state["agents"].get(agent_id)
        if agent is None:
            raise RefusedError(f"Agent {agent_id} not found.")
        if agent["team"] != ticket["team"] or not agent["available"]:
            raise RefusedError(f"{agent['name']} is not available for {ticket['team']} tickets.")
        if ticket["assignee_id"] == agent_id:
            raise RefusedError(f"Ticket {ticket_id} is already assigned to {agent['name']}.")
        ticket["assignee_id"] = agent_id
        return f"Ticket {ticket_id} assigned to {agent['name']}"

    @_tool(_answer(comment=COMMENT), ticket_id=TICKET_ID, text=TEXT, internal={**SWITCH, "default": False})
    def add_comment(self, ticket_id: int, text: str, internal: bool = False) -> Any:
        """Add a comment to a ticket that is not Closed. One that is not internal makes an Open ticket Pending."""
        ticket = self._ticket(ticket_id, "live")
        number = max((one["id"] for one in ticket["comments"]), default=0) + 1
        comment = {"id": number, "author_id": self.session["agent_id"], "text": text, "internal": internal}
        ticket["comments"].append(comment)
        if not internal and ticket["status"] == "Open":
            ticket["status"] = "Pending"
        return {"comment": dict(comment)}

    @_tool(None, ticket_id=TICKET_ID, resolution={"type": "string", "description": "What solved it."})
    def resolve_ticket(self, ticket_id: int, resolution: str) -> Any:
        """Set an Open or Pending ticket that is assigned to you to Resolved."""
        ticket = self._ticket(ticket_id, "active")
        if ticket["assignee_id"] != self.session["agent_id"]:
            raise RefusedError(f"Ticket {ticket_id} is not assigned to you.")
        ticket.update(status="Resolved", resolution=resolution)
        return {"id": ticket["id"], "status": "Resolved", "resolution": resolution}

    @_tool(_answer(status=STATUS), ticket_id=TICKET_ID)
    def close_ticket(self, ticket_id: int) -> Any:
        """Close a ticket for good. It has to be Resolved."""
        self._ticket(ticket_id, "Resolved")["status"] = "Closed"
        return {"status": "Closed"}

    @_tool(_answer(status=STATUS), ticket_id=TICKET_ID)
    def reopen_ticket(self, ticket_id: int) -> Any:
        """Open a Resolved or Closed ticket again. Its resolution is cleared, its assignee stays."""
        self._ticket(ticket_id, "done").update(status="Open", resolution=None)
        return {"status": "Open"}

    @_tool(BOOKED, ticket_id=TICKET_ID, minutes={"type": "integer", "minimum": 1, "maximum": 240})
    def log_time(self, ticket_id: int, minutes: int) -> Any:
        """Book time on a ticket that is not Closed; it is taken from the support minutes the customer has left."""
        ticket = self._ticket(ticket_id, "live")
        customer = self.state["customers"][ticket["requester_id"]]
        if not 1 <= minutes <= 240:
            raise RefusedError("Minutes must be between 1 and 240.")
        if customer["support_minutes"] < minutes:
            raise RefusedError(
                f"{customer['name']} has only {customer['support_minutes']} support minutes left."
            )
        customer["support_minutes"] -= minutes
        ticket["minutes_spent"] += minutes
        return {"minutes_spent": ticket["minutes_spent"], "support_minutes_left": customer["support_minutes"]}

    @_tool({"type": "null"}, ticket_id=TICKET_ID, message=TEXT)
    def notify_customer(self, ticket_id: int, message: str) -> Any:
        """Send the customer of a ticket a short message (at most 160 characters) by SMS. Returns nothing."""
        self._ticket(ticket_id)
        if not 0 < len(message) <= 160:
            raise RefusedError("A message has 1 to 160 characters.")


class _Caller:
    """Draws the arguments of one call, of one that is refused if it is to be wrong."""

    def __init__(self, state: State, random: Random, wrong: bool) -> None:
        self.state, self.random, self.wrong = state, random, wrong
        self.me = state["session"]["current"]["agent_id"]
        self.customers = [customer["email"] for customer in state["customers"].values()]

    def coin(self, chance: float = 0.5) -> bool:
        return self.random.random() < chance

    def value(self, known: Any, unknown: Any) -> Any:
        return unknown if self.wrong else self.random.choice(list(known))

    def some(self, **optional: Any) -> Entity:
        return {name: value for name, value in optional.items() if self.wrong or self.coin(0.4)}

    def pick(self, need: str, wrong: bool) -> Entity:
        """Draw a ticket; a wrong one does not exist or is in another state than needed."""
        fitting = [one for one in self.state["tickets"].values() if _fits(one, need, self.me) != wrong]
        ticket = self.random.choice(fitting or list(self.state["tickets"].values()))
        unknown = wrong and (not fitting or self.coin(0.3))
        return {**ticket, "id": ticket["id"] + 700} if unknown else ticket

    def on(self, need: str, **more: Any) -> Entity:
        return {"ticket_id": self.pick(need, self.wrong)["id"], **more}

    def login(self) -> Entity:
        agent = self.random.choice(list(self.state["agents"].values()))
        return {"email": agent["email"], "password": self.value([agent["password"]], "letmein")}

    def find_tickets(self) -> Entity:
        status, limit = self.value(STATUSES, "Done"), self.random.choice([3, 5, 20])
        priority, agent_id = self.random.choice(PRIORITIES), self.random.choice(list(self.state["agents"]))
        return self.some(status=status, priority=priority, agent_id=agent_id, limit=limit)

    def create(self) -> Entity:
        subject = f"{self.random.choice(THINGS)} {self.random.choice(TROUBLES)}"
        customer_id, team = self.value(self.state["customers"], "CUS-999"), self.random.choice(TEAMS)
        asked = {"customer_id": customer_id, "subject": subject, "description": f"{subject} again."}
        return {**asked, "team": team, **self.some(priority=self.random.choice(PRIORITIES))}

    def update(self) -> Entity:
        priority = "Critical" if self.wrong and self.coin() else self.random.choice(PRIORITIES)
        changes = {"subject": "Please call back", "priority": priority, "tags": self.random.sample(TAGS, 2)}
        kept = self.random.sample(list(changes), self.random.randint(1, 2))
        return self.on("live", **{name: changes[name] for name in kept})

    def assign(self) -> Entity:
        stranger = self.wrong and self.coin()
        ticket, agents = self.pick("active", self.wrong and not stranger), self.state["agents"]
        able = [one["id"] for one in agents.values() if one["available"] and one["team"] == ticket["team"]]
        fitting = [one for one in agents if (one in able) != stranger and one != ticket["assignee_id"]]
        return {"ticket_id": ticket["id"], "agent_id": self.random.choice(fitting or ["AG-77"])}


DRAWS: dict[str, tuple[int, Callable[[_Caller], Entity]]] = {
    "logout": (3, _Caller.some),
    "get_session": (3, _Caller.some),
    "get_ticket": (20, lambda c: c.on("any")),
    "list_tickets": (12, _Caller.find_tickets),
    "search_tickets": (11, lambda c: {"query": c.value([*THINGS, *TROUBLES, "down"], "ab")}),
    "get_my_tickets": (8, _Caller.some),
    "get_team_workload": (6, lambda c: {"team": c.value(TEAMS, "Sales")}),
    "find_customer": (8, lambda c: {"email": c.value(c.customers, "info@mail.test")}),
    "create_ticket": (6, _Caller.create),
    "update_ticket": (6, _Caller.update),
    "assign_ticket": (7, _Caller.assign),
    "add_comment": (7, lambda c: c.on("live", text=c.random.choice(REPLIES), **c.some(internal=c.coin()))),
    "resolve_ticket": (6, lambda c: c.on("mine", resolution=c.random.choice(ENDS))),
    "close_ticket": (5, lambda c: c.on("Resolved")),
    "reopen_ticket": (4, lambda c: c.on("done")),
    "log_time": (5, lambda c: c.on("live", minutes=c.value([5, 10, 15, 30, 45], 300))),
    "notify_customer": (4, lambda c: c.on("any", message=c.random.choice(REPLIES))),
}


class Tickets:
    name = "tickets"
    tools = TOOLS

    def begin(self, random: Random) -> State:
        names = random.sample([(first, last) for first in FIRST for last in LAST], 50)
        state: State = {"tickets": {}, "agents": {}, "customers": {}, "teams": {}}
        agents, customers = state["agents"], state["customers"]
        for i, (first, last) in enumerate(names[: random.randint(15, 18)]):
            known = {"id": f"AG-{i + 1:02}", "team": TEAMS[i % 3], "name": f"{first} {last}"}
            known["email"] = f"{first}.{last}@desk.test".lower()
            password = f"{random.choice(TAGS)}-{random.randint(100, 999)}"
            agents[known["id"]] = {**known, "available": random.random() < 0.7, "password": password}
        for i, (first, last) in enumerate(names[18 : random.randint(38, 50)]):
            known = {"id": f"CUS-{i + 101}", "name": f"{first} {last}", "plan": random.choice(PLANS)}
            known["customer_since"] = f"20{random.randint(12, 24)}-04-{random.randint(1, 30):02}"
            known["email"] = f"{first}.{last}@mail.test".lower()
            customers[known["id"]] = {**known, "support_minutes": random.randint(0, 40) * 5}
        me, start = random.choice(list(agents)), random.randint(1000, 8000)
        for number in range(start, start + random.randint(36, 60)):
            worker = agents[me if random.random() < 0.25 else random.choice(list(agents))]
            state["tickets"][str(number)] = _worked_on(random, number, worker, random.choice(list(customers)))
        for team in TEAMS:
            ids = [one["id"] for one in agents.values() if one["team"] == team]
            state["teams"][team] = {"lead_id": random.choice(ids), "member_ids": ids}
        return {**state, "session": {"current": {"agent_id": me if random.random() < 0.65 else None}}}

    def call(self, state: State, tool: str, arguments: dict[str, Any]) -> Any:
        return getattr(_Desk(state), tool)(**arguments)

    def next_call(self, state: State, random: Random) -> Call:
        caller = _Caller(state, random, random.random() < 0.2)
        tool = random.choices(list(DRAWS), [weight for weight, _ in DRAWS.values()])[0]
        if caller.me is None and caller.coin(0.85):
            return Call("login", caller.login()) if caller.coin(0.8) else Call("get_session", {})
        return Call(tool, DRAWS[tool][1](caller))
