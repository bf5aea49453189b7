"""A freight forwarder: shipments in containers on sailings, with customs papers and charges."""

from collections.abc import Callable
from copy import deepcopy
from datetime import date, timedelta
from random import Random
from typing import Any

from benchmarks.reference.back_end import Call, RefusedError, State

Row = dict[str, Any]

# fmt: off
PORTS = ["KELVA", "TORMU", "ISSEN", "PALDO", "QUENT"]
ROUTES = ["KELVA TORMU", "TORMU ISSEN", "ISSEN PALDO", "PALDO KELVA", "QUENT KELVA", "KELVA PALDO"]
PAYLOADS = {"20GP": 21700, "40HC": 26500, "20RF": 18900}
STATUSES = ["draft", "booked", "in_transit", "arrived", "delivered", "cancelled"]
CUSTOMS = ["not_lodged", "lodged", "held", "released"]
KINDS = ["commercial_invoice", "packing_list", "dangerous_goods_note", "certificate_of_origin"]
GOODS = ["ceramic tiles", "bicycle frames", "roasted coffee", "oak furniture", "olive oil", "pump housings"]
RISKY = ["lithium batteries", "paint thinner", "cleaning solvent"]
FIRMS = ["Halvik Trading", "Brontal & Ohm", "Mirelle Foods", "Osterby Tools", "Tanquil Textiles", "Nimbra Home"]
FIRMS += ["Corvane Optics", "Luma Garden", "Pellworth Paper", "Arkadel Motors", "Jorin Timber", "Veldane Tiles"]
ENDS, MILESTONES = ["origin", "destination"], ["departed", "arrived", "delivered"]
VESSELS = ["Marisol Dawn", "Northern Alder", "Ocean Quill", "Stella Brava"]
# fmt: on


def _props(required: str = "", **properties: Row) -> Row:
    names = required.split() if required != "*" else list(properties)
    return {"type": "object", "properties": properties, "required": names, "additionalProperties": False}


def _many(items: Row) -> Row:
    return {"type": "array", "items": items}


def _one_of(values: list[str], about: str = "") -> Row:
    return {"type": "string", "enum": values, **({"description": about} if about else {})}


# fmt: off
S: Row = {"type": "string"}
BOOL, DAY = {"type": "boolean"}, {"type": "string", "format": "date"}
INT, MAYBE = {"type": "integer"}, {"type": ["string", "null"]}
PORT, TYPE = _one_of(PORTS, "Five-letter port code"), _one_of(list(PAYLOADS), "ISO-style size and type")
STATUS, CLEARANCE, KIND = _one_of(STATUSES), _one_of(CUSTOMS), _one_of(KINDS)
SHP = {"type": "string", "description": "Shipment reference such as FX20417"}
WEIGHT = {"type": "integer", "minimum": 1, "maximum": 50000, "description": "Gross weight in kilograms"}
LIMIT: Row = {"type": "integer", "minimum": 1, "maximum": 50}
TEXT = {"type": "string", "minLength": 3, "maxLength": 200}
CLIENT = _props("*", id=S, name=S, tax_number=S, on_hold=BOOL, credit_limit=INT, outstanding=INT)
CHARGE = _props("*", code=_one_of(["freight", "inspection", "cancellation"]), amount=INT)
BRIEF: Row = {"id": S, "client_id": S, "origin": PORT, "destination": PORT, "status": STATUS,
    "customs_status": CLEARANCE}
SHIPMENT = _props("*", **BRIEF, goods=S, weight_kg=INT, dangerous=BOOL, sailing_id=MAYBE, containers=_many(S),
    charges=_many(CHARGE), charges_total=INT, missing_papers=_many(KIND))
PORTS_DAYS: Row = {"origin": PORT, "destination": PORT, "cutoff": DAY, "departure": DAY, "arrival": DAY}
SAILING = _props("*", id=S, vessel=S, **PORTS_DAYS, free_slots=INT, rate=INT)
BOX_STATE = _one_of(["available", "allocated", "loaded", "damaged"])
PAPER = _props("*", id=S, shipment_id=S, kind=KIND, reference=S, filed_on=DAY)
# fmt: on


def _tool(name: str, takes: Row, answers: Row | None, about: str) -> Row:
    declared = {"name": name, "description": " ".join(about.split()), "input_schema": takes}
    return declared if answers is None else {**declared, "output_schema": answers}


TOOLS = [
    _tool("get_shipment", _props("shipment_id", shipment_id=SHP), SHIPMENT,
        """Fetch one shipment file. charges_total is the sum of the charges; missing_papers names the documents that
        customs require for it and that are not on file yet."""),
    _tool("list_shipments",
        _props(status=STATUS, customs_status=CLEARANCE, client_id=S, limit=LIMIT, offset={**INT, "minimum": 0}),
        _props("*", shipments=_many(_props("*", **BRIEF)), total=INT, next_offset={"type": ["integer", "null"]}),
        """Page through shipments, most recent reference first, 10 at a time unless limit says otherwise. total counts
        all matches; pass next_offset as offset to get the following page (null on the last one)."""),
    _tool("find_clients", _props("query", query=TEXT), _many(CLIENT),
        "Find clients by part of the name (any case, three characters or more) or by the exact tax number."),
    _tool("create_shipment",
        _props("client_id origin destination goods weight_kg", client_id=S, origin=PORT, destination=PORT, goods=TEXT,
            weight_kg=WEIGHT, dangerous={**BOOL, "default": False}), SHIPMENT,
        """Open a new shipment file. It starts as a draft without containers and gets the next free reference. Not
        possible for clients who are on hold. Mark dangerous goods: they need an additional paper."""),
    _tool("cancel_shipment", _props("shipment_id", shipment_id=SHP),
        _props("*", shipment_id=S, status=STATUS, released_containers=_many(S), fee=INT),
        """Cancel a draft or booked shipment. Its containers become available again and its slots go back to the
        sailing. Booked less than 7 days before departure, it is charged a fee of 250; freight already charged stays.
        Refused once the customs declaration has been lodged."""),
    _tool("list_sailings", _props(origin=PORT, destination=PORT, bookable_only={**BOOL, "default": False}),
        _props("*", today=DAY, sailings=_many(SAILING)),
        """Today's date and the sailings by departure, earliest first. bookable_only leaves out those that are full or
        past their cutoff date."""),
    _tool("book_sailing", _props("shipment_id sailing_id", shipment_id=SHP, sailing_id=S), SHIPMENT,
        """Book a draft shipment on a sailing of the same route that is not past its cutoff and has a free slot per
        container. Its containers must carry its weight. Freight (the sailing's rate per container) is
        charged at once and must fit the client's credit limit. Clients on hold cannot book."""),
    _tool("list_containers", _props(location=PORT, type=TYPE, status=BOX_STATE, shipment_id=SHP), None,
        "Containers of our pool by number, with maximum payload, status and location (null at sea)."),
    _tool("allocate_container", _props("shipment_id number", shipment_id=SHP, number=S),
        _props("*", shipment_id=S, containers=_many(S), payload_kg=INT, weight_kg=INT),
        """Reserve an available container for a draft shipment. The container has to stand in the port of origin, and a
        shipment takes at most three. Answers their payload in total, to compare with the weight."""),
    _tool("list_documents", _props(shipment_id=SHP, kind=KIND), _props("*", documents=_many(PAPER)),
        "Customs papers, optionally of one shipment or kind, in the order in which they came in."),
    _tool("file_document",
        _props("shipment_id kind reference", shipment_id=SHP, kind=KIND,
            reference={"type": "string", "minLength": 3, "maxLength": 30, "description": "Number on the paper"}), PAPER,
        """Register a paper that came in: one of a kind per shipment, none once it is delivered or cancelled, and a
        dangerous goods note only for dangerous goods."""),
    _tool("lodge_declaration", _props("shipment_id", shipment_id=SHP),
        _props("*", shipment_id=S, customs_status=CLEARANCE, lodged_on=DAY),
        """Lodge the customs declaration, once, while the shipment is booked, in transit or arrived. You need a broker
        licence. Commercial invoice and packing list must be on file, and for dangerous goods their note as well."""),
    _tool("record_customs_decision",
        _props("shipment_id decision", shipment_id=SHP, decision=_one_of(["released", "held"])),
        _props("*", shipment_id=S, customs_status=CLEARANCE, inspection_charge=INT),
        """Enter what customs decided on a lodged declaration. A hold adds an inspection charge of 180 to the shipment,
        which can then still be released."""),
    _tool("record_milestone", _props("shipment_id milestone", shipment_id=SHP, milestone=_one_of(MILESTONES)),
        _props("*", shipment_id=S, status=STATUS, recorded_on=DAY),
        """Move a shipment along: departed (booked, becomes in_transit), arrived (in transit), delivered (arrived and
        released by customs; frees its containers at the destination). Departure and arrival cannot be recorded before
        the date in the sailing's schedule."""),
]  # fmt: skip
INPUTS: dict[str, Row] = {tool["name"]: tool["input_schema"] for tool in TOOLS}


def _refuse_if(condition: bool, why: str) -> None:
    if condition:
        raise RefusedError(why)


def _check(schema: Row, given: Row) -> None:
    for name in [*schema["required"], *given]:
        _refuse_if(name not in given, f"Missing parameter: {name}")
        _refuse_if(name not in schema["properties"], f"Unexpected parameter: {name}")
        rule, value = schema["properties"][name], given[name]
        size = len(value) if isinstance(value, str) else value
        low, high = (rule.get(f"{m}imum", rule.get(f"{m}Length", size)) for m in ("min", "max"))
        _refuse_if(not low <= size <= high, f"{name} must be between {low} and {high}")
        _refuse_if(value not in rule.get("enum", [value]), f"{name} must be one of {rule.get('enum')}")


class _Office:
    def __init__(self, state: State) -> None:
        self.state, self.desk = state, state["desk"]["current"]

    def row(self, kind: str, key: str) -> Row:
        _refuse_if(key not in self.state[kind], f"Unknown {kind[:-1]}: {key}")
        return self.state[kind][key]

    def rows(self, kind: str, wanted: Row) -> list[Row]:
        every = [row for _, row in sorted(self.state[kind].items())]
        return [row for row in every if all(row[field] == value for field, value in wanted.items())]

    def shipment(self, key: str, *statuses: str) -> Row:
        found = self.row("shipments", key)
        wrong = bool(statuses) and found["status"] not in statuses
        _refuse_if(wrong, f"Shipment {key} is {found['status']}, must be {' or '.join(statuses)}")
        return found

    def missing(self, shipment: Row) -> list[str]:
        there = [paper["kind"] for paper in self.rows("documents", {"shipment_id": shipment["id"]})]
        return [kind for kind in KINDS[: 2 + shipment["dangerous"]] if kind not in there]

    def payload(self, shipment: Row) -> int:
        return sum(self.state["containers"][box]["max_payload_kg"] for box in shipment["containers"])

    def bill(self, shipment: Row, code: str, amount: int) -> None:
        shipment["charges"] += [{"code": code, "amount": amount}] if amount else []
        self.state["clients"][shipment["client_id"]]["outstanding"] += amount

    def move(self, shipment: Row, **changes: Any) -> None:
        for box in shipment["containers"]:
            self.state["containers"][box].update(changes)

    def get_shipment(self, shipment_id: str) -> Any:
        found = self.shipment(shipment_id)
        total = sum(charge["amount"] for charge in found["charges"])
        return {**found, "charges_total": total, "missing_papers": self.missing(found)}

    def list_shipments(self, limit: int = 10, offset: int = 0, **wanted: str) -> Any:
        found = self.rows("shipments", wanted)[::-1]
        page = [{field: one[field] for field in BRIEF} for one in found[offset : offset + limit]]
        following = offset + limit if offset + limit < len(found) else None
        return {"shipments": page, "total": len(found), "next_offset": following}

    def find_clients(self, query: str) -> Any:
        every = self.rows("clients", {})
        return [one for one in every if query == one["tax_number"] or query.lower() in one["name"].lower()]

    def create_shipment(self, client_id: str, dangerous: bool = False, **cargo: Any) -> Any:
        client = self.row("clients", client_id)
        _refuse_if(client["on_hold"], f"{client['name']} is on hold")
        _refuse_if(cargo["origin"] == cargo["destination"], "Origin and destination are the same port")
        self.desk["last_reference"] += 1
        key = f"FX{self.desk['last_reference']}"
        begun: Row = {"status": "draft", "customs_status": "not_lodged", "sailing_id": None, "containers": []}
        self.state["shipments"][key] = {"id": key, "client_id": client_id, **cargo, "dangerous": dangerous}
        self.state["shipments"][key] |= {**begun, "charges": []}
        return self.get_shipment(key)

    def cancel_shipment(self, shipment_id: str) -> Any:
        found = self.shipment(shipment_id, "draft", "booked")
        _refuse_if(found["customs_status"] != "not_lodged", "The customs declaration has been lodged")
        fee, boxes = 0, found["containers"]
        if found["status"] == "booked":
            sailing = self.state["sailings"][found["sailing_id"]]
            sailing["free_slots"] += len(boxes)
            soon = date.fromisoformat(self.desk["today"]) + timedelta(7)
            fee = 250 if sailing["departure"] < soon.isoformat() else 0
            self.bill(found, "cancellation", fee)
        self.move(found, status="available", shipment_id=None)
        found.update(status="cancelled", containers=[])
        return {"shipment_id": shipment_id, "status": "cancelled", "released_containers": boxes, "fee": fee}

    def list_sailings(self, bookable_only: bool = False, **wanted: str) -> Any:
        found = sorted(self.rows("sailings", wanted), key=lambda one: str(one["departure"]))
        open_ones = [one for one in found if one["free_slots"] and one["cutoff"] >= self.desk["today"]]
        return {"today": self.desk["today"], "sailings": open_ones if bookable_only else found}

    def book_sailing(self, shipment_id: str, sailing_id: str) -> Any:
        found, sailing = self.shipment(shipment_id, "draft"), self.row("sailings", sailing_id)
        client, boxes = self.state["clients"][found["client_id"]], len(found["containers"])
        _refuse_if(client["on_hold"], f"{client['name']} is on hold")
        route = all(found[port] == sailing[port] for port in ENDS)
        _refuse_if(not route, f"{sailing_id} sails from {sailing['origin']} to {sailing['destination']}")
        _refuse_if(sailing["cutoff"] < self.desk["today"], f"The cutoff was {sailing['cutoff']}")
        short = found["weight_kg"] - self.payload(found)
        _refuse_if(short > 0, f"Allocate more containers first: payload is {short} kg short")
        _refuse_if(sailing["free_slots"] < boxes, f"Only {sailing['free_slots']} slots free on {sailing_id}")
        freight = sailing["rate"] * boxes
        over = client["outstanding"] + freight > client["credit_limit"]
        _refuse_if(over, f"Freight of {freight} exceeds the credit limit of {client['name']}")
        self.bill(found, "freight", freight)
        sailing["free_slots"] -= boxes
        found.update(status="booked", sailing_id=sailing_id)
        return self.get_shipment(shipment_id)

    def list_containers(self, **wanted: str) -> Any:
        return self.rows("containers", wanted)

    def allocate_container(self, shipment_id: str, number: str) -> Any:
        found, box = self.shipment(shipment_id, "draft"), self.row("containers", number)
        _refuse_if(box["status"] != "available", f"Container {number} is {box['status']}")
        _refuse_if(box["location"] != found["origin"], f"Container {number} is in {box['location']}")
        _refuse_if(len(found["containers"]) >= 3, f"Shipment {shipment_id} has three containers already")
        box.update(status="allocated", shipment_id=shipment_id)
        found["containers"].append(number)
        told = {"containers": found["containers"], "payload_kg": self.payload(found)}
        return {"shipment_id": shipment_id, **told, "weight_kg": found["weight_kg"]}

    def list_documents(self, **wanted: str) -> Any:
        return {"documents": self.rows("documents", wanted)}

    def file_document(self, shipment_id: str, kind: str, reference: str) -> Any:
        found = self.shipment(shipment_id, "draft", "booked", "in_transit", "arrived")
        _refuse_if(kind == KINDS[2] and not found["dangerous"], "The goods are not dangerous")
        there = self.rows("documents", {"shipment_id": shipment_id, "kind": kind})
        _refuse_if(bool(there), f"There is already a {kind} for {shipment_id}")
        key = f"DOC-{len(self.state['documents']) + 1:04}"
        paper = {"id": key, "shipment_id": shipment_id, "kind": kind, "reference": reference}
        self.state["documents"][key] = {**paper, "filed_on": self.desk["today"]}
        return self.state["documents"][key]

    def lodge_declaration(self, shipment_id: str) -> Any:
        _refuse_if(not self.desk["broker_licence"], "You hold no customs broker licence")
        found = self.shipment(shipment_id, "booked", "in_transit", "arrived")
        _refuse_if(found["customs_status"] != "not_lodged", f"Already {found['customs_status']}")
        _refuse_if(bool(self.missing(found)), f"Not on file: {', '.join(self.missing(found))}")
        found["customs_status"] = "lodged"
        return {"shipment_id": shipment_id, "customs_status": "lodged", "lodged_on": self.desk["today"]}

    def record_customs_decision(self, shipment_id: str, decision: str) -> Any:
        found = self.shipment(shipment_id)
        fits = found["customs_status"] in (["lodged"] if decision == "held" else ["lodged", "held"])
        _refuse_if(not fits, f"Customs status of {shipment_id} is {found['customs_status']}")
        found["customs_status"] = decision
        fee = 180 if decision == "held" else 0
        self.bill(found, "inspection", fee)
        return {"shipment_id": shipment_id, "customs_status": decision, "inspection_charge": fee}

    def record_milestone(self, shipment_id: str, milestone: str) -> Any:
        needed = {"departed": "booked", "arrived": "in_transit", "delivered": "arrived"}[milestone]
        found, today = self.shipment(shipment_id, needed), self.desk["today"]
        sailing = self.state["sailings"][found["sailing_id"]]
        due = {"departed": sailing["departure"], "arrived": sailing["arrival"]}.get(milestone, today)
        _refuse_if(due > today, f"{sailing['vessel']} is scheduled for {due}")
        uncleared = milestone == "delivered" and found["customs_status"] != "released"
        _refuse_if(uncleared, f"Customs have not released {shipment_id}")
        self.move(found, status="loaded", location=None if milestone == "departed" else found["destination"])
        if milestone == "delivered":
            self.move(found, status="available", shipment_id=None)
        found["status"] = "in_transit" if milestone == "departed" else milestone
        return {"shipment_id": shipment_id, "status": found["status"], "recorded_on": today}


def _grow(office: _Office, random: Random, stage: str, today: str) -> None:
    """Bring one shipment to the stage, by the operations themselves."""
    steps = {"in_transit": [0, 1], "arrived": [0], "delivered": [0], "booked": [2, 3, 4]}.get(stage, [3, 4])
    sailing = list(office.state["sailings"].values())[random.randrange(6) * 5 + random.choice(steps)]
    office.desk["today"], risky = min(sailing["cutoff"], today), random.random() < 0.2
    cargo: Row = {"origin": sailing["origin"], "destination": sailing["destination"]}
    cargo |= {"goods": random.choice(RISKY if risky else GOODS), "weight_kg": random.randint(20, 420) * 100}
    key = office.create_shipment(random.choice(list(office.state["clients"])), risky, **cargo)["id"]
    shipment = office.state["shipments"][key]
    while office.payload(shipment) < cargo["weight_kg"] and (stage != "draft" or random.random() < 0.7):
        office.allocate_container(key, _new_box(office.state, random, sailing["origin"]))
        sailing["free_slots"] += 1
    if stage != "draft" and (stage != "cancelled" or random.random() < 0.5):
        office.book_sailing(key, sailing["id"])
    if stage == "cancelled":
        office.cancel_shipment(key)
        return
    chance = {"draft": 0.3, "booked": 0.8, "delivered": 1.0}.get(stage, 0.9)
    for kind in KINDS:
        if (risky or kind != KINDS[2]) and random.random() < chance:
            office.file_document(key, kind, f"{kind[:2].upper()}-{random.randint(1000, 9999)}")
    if stage == "delivered" or (stage != "draft" and not office.missing(shipment) and random.random() < 0.6):
        office.lodge_declaration(key)
        decision = "released" if stage == "delivered" else random.choice(CUSTOMS[1:])
        if decision != "lodged":
            office.record_customs_decision(key, decision)
    for milestone, status in zip(MILESTONES, STATUSES[2:5], strict=True):
        if stage in STATUSES[STATUSES.index(status) : 5]:
            office.desk["today"] = sailing["departure" if milestone == "departed" else "arrival"]
            office.record_milestone(key, milestone)


def _new_box(state: State, random: Random, location: str) -> str:
    serial = 400000 + 137 * len(state["containers"]) + random.randint(0, 99)
    number, kind = f"{random.choice(['BRYU', 'KOLU', 'VELU'])}{serial}", random.choice(list(PAYLOADS))
    box = {"number": number, "type": kind, "max_payload_kg": PAYLOADS[kind], "status": "available"}
    state["containers"][number] = {**box, "location": location, "shipment_id": None}
    return number


class _Clerk:
    """Draws what an agent might send; looks less closely when about to make a mistake."""

    def __init__(self, state: State, random: Random, wrong: bool) -> None:
        self.state, self.random, self.wrong, self.any = state, random, wrong, random.choice

    def row(self, kind: str, **fits: Any) -> Row:
        rows = list(self.state[kind].values())
        if not self.wrong or self.random.random() < 0.6:
            rows = [one for one in rows if all(one[k] in v for k, v in fits.items())] or rows
        return rows[-1] if self.random.random() < 0.2 else self.any(rows)

    def on(self, fits: Row, **more: Any) -> Row:
        return {"shipment_id": self.row("shipments", **fits)["id"], **more}

    def some(self, **optional: Any) -> Row:
        return {name: value for name, value in optional.items() if self.random.random() < 0.4}

    def slip(self, arguments: Row) -> Row:
        name, value = self.any(list(arguments.items()))
        wrong = self.any([0, -1] if isinstance(value, int) else ["", "open", "unknown"])
        if isinstance(value, str) and value[-1].isdigit():
            wrong = f"{value[:-3]}{self.random.randint(0, 999):03}"
        return {**arguments, name: wrong}

    def pair(self, kind: str, name: str, **route: str) -> Row:
        draft = self.row("shipments", status=["draft"])
        there = self.row(kind, **{field: [draft[port]] for field, port in route.items()})
        return {"shipment_id": draft["id"], name: there.get(name, there.get("id"))}

    def create(self) -> Row:
        client, (origin, other) = self.row("clients", on_hold=[False])["id"], self.any(ROUTES).split()
        ports = {"origin": origin, "destination": self.any([origin, other]) if self.wrong else other}
        cargo = {"goods": self.any(GOODS + RISKY), "weight_kg": self.any(range(20, 420)) * 100}
        return {"client_id": client, **ports, **cargo, **self.some(dangerous=cargo["goods"] in RISKY)}


EARLY, GOING, LIVE = ({"status": STATUSES[i:j]} for i, j in ((0, 2), (1, 4), (0, 4)))
LODGED = {"customs_status": ["lodged", "held"]}
DRAWS: dict[str, tuple[int, Callable[[_Clerk], Row]]] = {
    "get_shipment": (12, lambda c: c.on({})),
    "list_shipments": (9, lambda c: c.some(status=c.any(STATUSES), customs_status=c.any(CUSTOMS), limit=5)),
    "find_clients": (6, lambda c: {"query": c.any([c.any(FIRMS)[:6], c.row("clients")["tax_number"]])}),
    "create_shipment": (7, _Clerk.create),
    "cancel_shipment": (4, lambda c: c.on(EARLY)),
    "list_sailings": (8, lambda c: c.some(origin=c.any(PORTS), destination=c.any(PORTS), bookable_only=True)),
    "book_sailing": (8, lambda c: c.pair("sailings", "sailing_id", **{port: port for port in ENDS})),
    "list_containers": (8, lambda c: c.some(location=c.any(PORTS), status="available", **c.on({}))),
    "allocate_container": (8, lambda c: c.pair("containers", "number", location="origin")),
    "list_documents": (7, lambda c: c.some(**c.on({}), kind=c.any(KINDS))),
    "file_document": (7, lambda c: c.on(LIVE, kind=c.any(KINDS), reference=f"R-{c.any(range(100, 900))}")),
    "lodge_declaration": (6, lambda c: c.on(GOING)),
    "record_customs_decision": (5, lambda c: c.on(LODGED, decision=c.any(["released", "held"]))),
    "record_milestone": (7, lambda c: c.on(GOING, milestone=c.any(MILESTONES))),
}


class Freight:
    name = "freight"
    tools = TOOLS

    def begin(self, random: Random) -> State:
        today = date(2027, 1, 11) + timedelta(random.randrange(500))
        desk: Row = {"last_reference": random.randint(20000, 80000), "broker_licence": True}
        state: State = {kind: {} for kind in ("shipments", "documents", "containers", "sailings", "clients")}
        state["desk"] = {"current": desk}
        for i, firm in enumerate(random.sample(FIRMS, random.randint(9, 12))):
            client: Row = {"id": f"CL-{410 + i}", "name": firm, "on_hold": False}
            client |= {"tax_number": f"TX{random.randrange(10**6)}", "credit_limit": 10**6, "outstanding": 0}
            state["clients"][client["id"]] = client
        for i, (route, offset) in enumerate((route, day) for route in ROUTES for day in (-21, -7, -2, 6, 15)):
            leaves, (origin, destination) = today + timedelta(offset + random.randint(-1, 2)), route.split()
            days = (leaves - timedelta(2), leaves, leaves + timedelta(i % 5 + 5))
            fields = [origin, destination, *(day.isoformat() for day in days)]
            sailing: Row = {"id": f"VO-{301 + i}", "vessel": random.choice(VESSELS)}
            sailing |= dict(zip(PORTS_DAYS, fields, strict=True))
            sailing |= {"free_slots": random.choice([0, 1, 3, 5, 8]), "rate": random.randint(9, 24) * 50}
            state["sailings"][sailing["id"]] = sailing
        for stage in random.choices(STATUSES, [7, 8, 5, 6, 3, 2], k=random.randint(30, 40)):
            _grow(_Office(state), random, stage, today.isoformat())
        for _ in range(random.randint(12, 18)):
            number = _new_box(state, random, random.choice(PORTS))
            state["containers"][number]["status"] = random.choice(["available"] * 4 + ["damaged"])
        for client in state["clients"].values():
            limit = client["outstanding"] // 1000 * 1000 + random.randint(1, 9) * 1000
            client.update(credit_limit=limit, on_hold=random.random() < 0.2)
        desk.update(today=today.isoformat(), broker_licence=random.random() < 0.8)
        return state

    def call(self, state: State, tool: str, arguments: dict[str, Any]) -> Any:
        _refuse_if(tool not in INPUTS, f"Unknown tool: {tool}")
        _check(INPUTS[tool], arguments)
        return deepcopy(getattr(_Office(state), tool)(**arguments))

    def next_call(self, state: State, random: Random) -> Call:
        clerk, call = _Clerk(state, random, random.random() < 0.22), Call("list_sailings", {})
        for i in range(60):
            if i % 6 == 0:
                tool = random.choices(list(DRAWS), [weight for weight, _ in DRAWS.values()])[0]
            arguments = DRAWS[tool][1](clerk)
            if clerk.wrong and arguments and random.random() < 0.3:
                arguments = clerk.slip(arguments)
            call = Call(tool, arguments)
            try:
                self.call(deepcopy(state), *call)
                refused = False
            except RefusedError:
                refused = True
            if refused == clerk.wrong:
                return call
        return call
