"""Event ticketing: the box office of a few venues, with orders, attendees, vouchers, refunds and check-in."""

import inspect
import re
from collections.abc import Callable
from copy import deepcopy
from random import Random
from typing import Any

from benchmarks.reference.back_end import Call, RefusedError, State

Entity = dict[str, Any]

BOOKING_FEE = 1.5
CATEGORIES = ["CONCERT", "THEATRE", "COMEDY", "SPORTS", "CONFERENCE"]
METHODS, KINDS = ["CARD", "CASH", "BANK_TRANSFER"], ["PERCENT", "FIXED"]
PRICE_FACTORS = {"Standard": 1.0, "Balcony": 1.4, "Reduced": 0.7, "VIP": 2.5}
ACTS = ["The Paper Kites", "Velvet Circus", "Romeo & Juliet", "Laugh Club", "City Derby", "Data Days"]
SUFFIXES = ["Live", "Summer Edition", "Late Night", "Opening Night", "Matinee", "Encore", "On Tour"]
CITIES, HALLS = ["Hamburg", "Vienna", "Basel", "Utrecht", "Antwerp"], ["Hall", "Arena", "Theatre", "Club"]
GIVEN = ["Anna", "Bilal", "Clara", "Dmitri", "Esra", "Felix", "Gina", "Hugo", "Ida", "Jon", "Kim", "Lena"]
FAMILY = ["Arslan", "Bauer", "Chen", "Diaz", "Egger", "Frank", "Garcia", "Horn", "Ivanov", "Jung", "Kaya"]
WORDS = ["SUMMER", "FRIENDS", "EARLY", "STUDENT", "PRESS", "WELCOME", "LASTCALL", "CLUB"]

TEXT: Entity = {"type": "string"}
COUNT: Entity = {"type": "integer", "minimum": 1}
FIELDS: dict[str, Entity] = {
    "eventId": TEXT | {"description": "Event id such as EVT-104"},
    "venueId": TEXT | {"description": "Venue id such as ven-3"},
    "orderId": TEXT | {"description": "Order id such as ORD-5012"},
    "ticketNumber": TEXT | {"description": "Ticket number as printed on the ticket, e.g. 5012-1"},
    "ticketType": TEXT | {"description": "Name of one of the event's ticket types, e.g. Standard"},
    "category": TEXT | {"enum": CATEGORIES},
    "limit": COUNT | {"maximum": 50, "default": 10},
    "quantity": COUNT | {"description": "Number of tickets"},
    "buyerEmail": TEXT | {"format": "email"},
    "attendees": {"type": "array", "items": TEXT, "minItems": 1, "description": "One full name per ticket"},
    "method": TEXT | {"enum": METHODS},
    "seats": COUNT,
}
FOR_STAFF = ["refundTicket", "checkIn", "moveAllocation", "signOut"]


def _find(entities: dict[str, Entity], key: str, what: str) -> Entity:
    if key not in entities:
        raise RefusedError(f"No such {what}: {key}")
    return entities[key]


def _ticket_type(event: Entity, name: str) -> Entity:
    return _find({each["name"]: each for each in event["ticketTypes"]}, name, "ticket type")


def _left(ticket_type: Entity) -> int:
    return int(ticket_type["capacity"] - ticket_type["sold"])


def _sells(event: Entity) -> bool:
    return event["status"] == "ON_SALE" and any(_left(each) > 3 for each in event["ticketTypes"])


def _is_usable(voucher: Entity) -> bool:
    return bool(voucher["active"] and voucher["usesLeft"] > 0)


def _new_order(number: int, event_id: str, ticket_type: Entity, names: list[str]) -> Entity:
    subtotal, fee = round(ticket_type["price"] * len(names), 2), BOOKING_FEE * len(names)
    order: Entity = {"id": f"ORD-{number}", "eventId": event_id, "ticketType": ticket_type["name"]}
    order |= {"status": "PENDING", "buyer": {}, "tickets": [], "paymentMethod": None, "refunded": 0}
    for place, name in enumerate(names, 1):
        order["tickets"].append({"number": f"{number}-{place}", "attendee": name, "status": "VALID"})
    order |= {"subtotal": subtotal, "discount": 0, "fee": fee, "total": round(subtotal + fee, 2)}
    return order | {"voucherCode": None}


def _take_off(order: Entity, voucher: Entity) -> None:
    off = order["subtotal"] * voucher["value"] / 100 if voucher["kind"] == "PERCENT" else voucher["value"]
    order.update(voucherCode=voucher["code"], discount=round(min(off, order["subtotal"]), 2))
    order["total"] = round(order["subtotal"] - order["discount"] + order["fee"], 2)


def _person(random: Random) -> str:
    return f"{random.choice(GIVEN)} {random.choice(FAMILY)}"


def _email(name: str) -> str:
    return f"{name.replace(' ', '.')}@mail.example".lower()


def _some(random: Random, **optional: Any) -> dict[str, Any]:
    return {name: value for name, value in optional.items() if random.random() < 0.4}


class BoxOffice:
    """What each tool does; the docstring is what an agent is told of it."""

    def __init__(self, state: State) -> None:
        self.events, self.venues, self.orders = state["events"], state["venues"], state["orders"]
        self.vouchers, self.terminal = state["vouchers"], state["terminal"]["current"]

    def search_events(self, city: str | None = None, category: str | None = None, limit: int = 10) -> Entity:
        """Find events that are on sale, soonest first."""
        if category not in (None, *CATEGORIES):
            raise RefusedError(f"Unknown category {category}")
        found = sorted(self.events.values(), key=lambda event: str(event["date"]))
        found = [e for e in found if e["status"] == "ON_SALE" and category in (None, e["category"])]
        found = [e for e in found if city in (None, self.venues[e["venueId"]]["address"]["city"])]
        fields = ["id", "title", "category", "date", "venueId"]
        return {"events": [{field: event[field] for field in fields} for event in found[:limit]]}

    def get_event(self, event_id: str) -> Entity:
        """Fetch one event including its ticket types with price, capacity and tickets sold."""
        return {"event": _find(self.events, event_id, "event")}

    def get_venue(self, venue_id: str) -> Entity:
        """Fetch the name, address and accessibility of a venue."""
        return {"venue": _find(self.venues, venue_id, "venue")}

    def quote_price(
        self, event_id: str, ticket_type: str, quantity: int, voucher_code: str | None = None
    ) -> Entity:
        """Work out the price of tickets. A voucher does not reduce the booking fee of 1.50 per ticket."""
        event = _find(self.events, event_id, "event")
        if not 1 <= quantity <= event["maxTicketsPerOrder"]:
            raise RefusedError(f"quantity must be between 1 and {event['maxTicketsPerOrder']}")
        quote = _new_order(0, event_id, _ticket_type(event, ticket_type), [""] * quantity)
        if voucher_code is not None:
            _take_off(quote, self._usable_voucher(voucher_code))
        return {field: quote[field] for field in ("subtotal", "discount", "fee", "total")}

    def get_order(self, order_id: str) -> Entity:
        """Fetch an order with its buyer and its tickets."""
        return {"order": _find(self.orders, order_id, "order")}

    def find_orders_by_email(self, buyer_email: str) -> Entity:
        """Find all orders of a buyer. Returns an empty list if there are none."""
        return {"orders": [o for o in self.orders.values() if o["buyer"]["email"] == buyer_email.lower()]}

    def count_checked_in(self, event_id: str) -> Entity:
        """How many attendees of an event are inside, and how many with a paid ticket are still expected."""
        _find(self.events, event_id, "event")
        orders = [o for o in self.orders.values() if o["eventId"] == event_id and o["status"] == "PAID"]
        statuses = [ticket["status"] for order in orders for ticket in order["tickets"]]
        return {"checkedIn": statuses.count("CHECKED_IN"), "expected": statuses.count("VALID")}

    def place_order(
        self, event_id: str, ticket_type: str, buyer_name: str, buyer_email: str, attendees: list[str]
    ) -> Entity:
        """Reserve tickets of one type for an event that is on sale. The new order gets the next order number and is
        PENDING until it is paid. Tickets are numbered after their order: 5012-1, 5012-2, ...
        """
        event = _find(self.events, event_id, "event")
        kind, quantity = _ticket_type(event, ticket_type), len(attendees)
        if event["status"] != "ON_SALE":
            raise RefusedError(f"{event['title']} is not on sale ({event['status']})")
        if not 1 <= quantity <= event["maxTicketsPerOrder"]:
            raise RefusedError(f"An order may have 1 to {event['maxTicketsPerOrder']} tickets")
        if _left(kind) < quantity:
            raise RefusedError(f"Only {_left(kind)} {ticket_type} tickets left")
        number = max(int(key.removeprefix("ORD-")) for key in self.orders) + 1
        order = _new_order(number, event_id, kind, attendees)
        order["buyer"] = {"name": buyer_name, "email": buyer_email.lower()}
        kind["sold"] += quantity
        self.orders[order["id"]] = order
        return {"order": order}

    def _order(self, order_id: str, status: str) -> Entity:
        order = _find(self.orders, order_id, "order")
        if order["status"] != status:
            raise RefusedError(f"Order {order_id} is {order['status']}, not {status}")
        return order

    def _usable_voucher(self, code: str) -> Entity:
        voucher = _find(self.vouchers, code, "voucher")
        if not _is_usable(voucher):
            raise RefusedError(f"Voucher {code} is {'used up' if voucher['active'] else 'not active'}")
        return voucher

    def apply_voucher(self, order_id: str, voucher_code: str) -> Entity:
        """Redeem a voucher on a pending order, which takes one of its uses. Only one voucher per order."""
        order, voucher = self._order(order_id, "PENDING"), self._usable_voucher(voucher_code)
        if order["voucherCode"]:
            raise RefusedError(f"Order {order['id']} already has voucher {order['voucherCode']}")
        voucher["usesLeft"] -= 1
        _take_off(order, voucher)
        return {"orderId": order["id"], "discount": order["discount"], "total": order["total"]}

    def pay_order(self, order_id: str, method: str) -> Entity:
        """Take the payment for a pending order, which becomes PAID."""
        order = self._order(order_id, "PENDING")
        if method not in METHODS:
            raise RefusedError(f"Payment method {method} is not accepted")
        order.update(status="PAID", paymentMethod=method)
        return {"status": "PAID", "amountCharged": order["total"]}

    def _valid_ticket(self, number: str, paid: bool = False) -> tuple[Entity, Entity]:
        order = _find(self.orders, "ORD-" + number.split("-")[0], "order")
        ticket = _find({each["number"]: each for each in order["tickets"]}, number, "ticket")
        if ticket["status"] != "VALID":
            raise RefusedError(f"Ticket {number} is {ticket['status']}")
        if paid and order["status"] != "PAID":
            raise RefusedError(f"Order {order['id']} has not been paid")
        return order, ticket

    def rename_attendee(self, ticket_number: str, new_name: str) -> Entity:
        """Put another name on a ticket that is still VALID."""
        _, ticket = self._valid_ticket(ticket_number)
        ticket["attendee"] = new_name
        return {"success": True, "ticket": ticket}

    def email_tickets(self, order_id: str) -> Entity:
        """Send the tickets of a paid order to the buyer's email address."""
        return {"message": f"Tickets sent to {self._order(order_id, 'PAID')['buyer']['email']}"}

    def delete_voucher(self, voucher_code: str) -> Entity:
        """Delete a voucher, unless a pending order uses it."""
        _find(self.vouchers, voucher_code, "voucher")
        for order in self.orders.values():
            if order["status"] == "PENDING" and order["voucherCode"] == voucher_code:
                raise RefusedError(f"Voucher {voucher_code} is used by pending order {order['id']}")
        del self.vouchers[voucher_code]
        return {"success": True}

    def sign_in(self, pin: str) -> Entity:
        """Sign in at this terminal with the cashier's PIN. Needed for refunds, check-in and moving seats."""
        if self.terminal["signedIn"]:
            raise RefusedError(f"{self.terminal['cashier']} is already signed in")
        if pin != self.terminal["pin"]:
            raise RefusedError("Wrong PIN")
        self.terminal["signedIn"] = True
        return {"success": True, "cashier": self.terminal["cashier"]}

    def sign_out(self) -> Entity:
        """Sign out at this terminal and report how many guests were admitted; the count restarts at 0."""
        admitted = self.terminal["admitted"]
        self.terminal.update(signedIn=False, admitted=0)
        return {"success": True, "admitted": admitted}

    def refund_ticket(self, ticket_number: str) -> Entity:
        """Refund a VALID ticket of a paid order: an equal share of the order total. The seat goes back on sale, and
        when all tickets are refunded the order becomes REFUNDED. Needs a sign-in.
        """
        order, ticket = self._valid_ticket(ticket_number, paid=True)
        amount = round(order["total"] / len(order["tickets"]), 2)
        ticket["status"] = "REFUNDED"
        order["refunded"] = round(order["refunded"] + amount, 2)
        _ticket_type(self.events[order["eventId"]], order["ticketType"])["sold"] -= 1
        if all(other["status"] == "REFUNDED" for other in order["tickets"]):
            order["status"] = "REFUNDED"
        return {"refundedAmount": amount, "orderStatus": order["status"]}

    def check_in(self, ticket_number: str) -> Entity:
        """Admit the holder of a VALID, paid ticket and count them as admitted at this terminal. Needs a sign-in."""
        order, ticket = self._valid_ticket(ticket_number, paid=True)
        event = self.events[order["eventId"]]
        if event["status"] == "CANCELLED":
            raise RefusedError(f"{event['title']} has been cancelled")
        ticket["status"] = "CHECKED_IN"
        self.terminal["admitted"] += 1
        return {"ok": True, "attendee": ticket["attendee"], "event": event["title"]}

    def move_allocation(self, event_id: str, from_type: str, to_type: str, seats: int) -> Entity:
        """Move unsold capacity from one ticket type of an event to another. Needs a sign-in."""
        event = _find(self.events, event_id, "event")
        source, target = _ticket_type(event, from_type), _ticket_type(event, to_type)
        if not 1 <= seats <= _left(source):
            raise RefusedError(f"Cannot move {seats} seats: {_left(source)} unsold in {source['name']}")
        source["capacity"] -= seats
        target["capacity"] += seats
        return {"eventId": event["id"], "ticketTypes": event["ticketTypes"]}


def _snake(name: str) -> str:
    return re.sub("[A-Z]", lambda capital: "_" + capital[0].lower(), name)


def _camel(name: str) -> str:
    return re.sub("_([a-z])", lambda letter: letter[1].upper(), name)


def _declare(name: str, function: Callable[..., Any]) -> dict[str, Any]:
    parameters = list(inspect.signature(function).parameters.values())[1:]
    properties = {_camel(p.name): FIELDS.get(_camel(p.name), TEXT) for p in parameters}
    required = [_camel(p.name) for p in parameters if p.default is p.empty]
    schema = {"type": "object", "properties": properties, "required": required, "additionalProperties": False}
    description = " ".join((function.__doc__ or "").split())
    return {"name": _camel(name), "description": description, "input_schema": schema}


TOOLS = [_declare(name, function) for name, function in vars(BoxOffice).items() if not name.startswith("_")]
READS, WRITES = [tool["name"] for tool in TOOLS[:7]], [tool["name"] for tool in TOOLS[7:]]


class Events:
    name = "events"
    tools = TOOLS

    def begin(self, random: Random) -> State:
        state: State = {"venues": {}, "events": {}, "orders": {}, "vouchers": {}}
        for number in range(1, random.randint(16, 20)):
            city, step_free = random.choice(CITIES), random.random() < 0.7
            venue: Entity = {"name": f"{city} {random.choice(HALLS)}", "stepFreeAccess": step_free}
            address = {"street": f"{random.randint(1, 99)} Market Street", "city": city}
            state["venues"][f"ven-{number}"] = venue | {"address": address}
        titles = [f"{act} {suffix}" for act in ACTS for suffix in SUFFIXES]
        for number, title in enumerate(random.sample(titles, random.randint(18, 28)), 101):
            venue_id = random.choice(list(state["venues"]))
            state["events"][f"EVT-{number}"] = self._event(random, f"EVT-{number}", title, venue_id)
        for number in range(10, random.randint(26, 32)):
            code, value = f"{random.choice(WORDS)}{number}", random.choice([5, 10, 15, 20, 25])
            voucher: Entity = {"code": code, "kind": random.choice(KINDS), "value": value}
            voucher |= {"usesLeft": random.choice([0, 1, 5, 40, 100]), "active": random.random() < 0.85}
            state["vouchers"][code] = voucher
        for number in range(5001, 5001 + random.randint(45, 60)):
            state["orders"][f"ORD-{number}"] = self._order(random, number, state)
        terminal: Entity = {"cashier": _person(random), "pin": f"{random.randint(0, 9999):04}", "admitted": 0}
        state["terminal"] = {"current": terminal | {"signedIn": random.random() < 0.7}}
        return state

    def _event(self, random: Random, event_id: str, title: str, venue_id: str) -> Entity:
        base, ticket_types = random.randint(12, 60), []
        for name in random.sample(list(PRICE_FACTORS), random.randint(2, 3)):
            capacity, price = random.randint(8, 40) * 5, round(base * PRICE_FACTORS[name], 1)
            sold = capacity if random.random() < 0.12 else random.randint(0, capacity - 5)
            ticket_types.append({"name": name, "price": price, "capacity": capacity, "sold": sold})
        event: Entity = {"id": event_id, "title": title, "category": random.choice(CATEGORIES)}
        event |= {"venueId": venue_id, "date": f"2025-{random.randint(6, 12):02}-{random.randint(1, 28):02}"}
        event |= {"status": random.choice(["DRAFT", "CANCELLED", *["ON_SALE"] * 6])}
        return event | {"maxTicketsPerOrder": random.choice([4, 6, 8]), "ticketTypes": ticket_types}

    def _order(self, random: Random, number: int, state: State) -> Entity:
        event = self._pick(state, random, "events")
        ticket_type, buyer = max(event["ticketTypes"], key=_left), _person(random)
        names = [buyer, *(_person(random) for _ in range(random.randint(0, 3)))]
        order = _new_order(number, event["id"], ticket_type, names)
        order["status"] = random.choice(["PENDING", "PAID", "PAID"])
        order["buyer"] = {"name": buyer, "email": _email(buyer)}
        ticket_type["sold"] = min(ticket_type["capacity"], ticket_type["sold"] + len(names))
        if random.random() < 0.3:
            _take_off(order, self._pick(state, random, "vouchers"))
        if order["status"] == "PAID":
            order["paymentMethod"] = random.choice(METHODS)
            for ticket in order["tickets"]:
                ticket["status"] = random.choice(["VALID", "VALID", "CHECKED_IN"])
        return order

    def call(self, state: State, tool: str, arguments: dict[str, Any]) -> Any:
        if tool in FOR_STAFF and not state["terminal"]["current"]["signedIn"]:
            raise RefusedError("Nobody is signed in at this terminal")
        function = getattr(BoxOffice(state), _snake(tool))
        return deepcopy(function(**{_snake(name): value for name, value in arguments.items()}))

    def next_call(self, state: State, random: Random) -> Call:
        chance = random.random()
        if chance < 0.19:
            return self._mistake(state, random)
        tool = random.choice(READS if chance < 0.64 else WRITES)
        if state["terminal"]["current"]["signedIn"]:
            tool = "checkIn" if tool == "signIn" else tool
        elif tool in FOR_STAFF:
            tool = "signIn"
        return Call(tool, (self._read if tool in READS else self._write)(state, random)[tool])

    def _pick(self, state: State, random: Random, kind: str, fits: Callable[[Entity], bool] = bool) -> Entity:
        entities = list(state[kind].values())
        return random.choice([entity for entity in entities if fits(entity)] or entities)

    def _read(self, state: State, random: Random) -> dict[str, dict[str, Any]]:
        event, order = self._pick(state, random, "events"), self._pick(state, random, "orders")
        voucher = self._pick(state, random, "vouchers", _is_usable)
        city, limit = random.choice(CITIES), random.choice([3, 5, 20])
        ticket_type, quantity = random.choice(event["ticketTypes"])["name"], random.randint(1, 4)
        wish = {"eventId": event["id"], "ticketType": ticket_type, "quantity": quantity}
        return {
            "searchEvents": _some(random, city=city, category=event["category"], limit=limit),
            "getEvent": {"eventId": event["id"]},
            "getVenue": {"venueId": event["venueId"]},
            "quotePrice": wish | _some(random, voucherCode=voucher["code"]),
            "getOrder": {"orderId": order["id"]},
            "findOrdersByEmail": {"buyerEmail": order["buyer"]["email"]},
            "countCheckedIn": {"eventId": order["eventId"]},
        }

    def _write(self, state: State, random: Random) -> dict[str, dict[str, Any]]:
        event = self._pick(state, random, "events", _sells)
        roomy, *others = sorted(event["ticketTypes"], key=_left, reverse=True)
        pending = self._pick(state, random, "orders", lambda order: order["status"] == "PENDING")
        plain = self._pick(state, random, "orders", lambda o: o["status"] == "PENDING" and not o["discount"])
        usable = self._pick(state, random, "vouchers", _is_usable)
        used = {order["voucherCode"] for order in state["orders"].values() if order["status"] == "PENDING"}
        unused = self._pick(state, random, "vouchers", lambda voucher: voucher["code"] not in used)
        orders = [order for order in state["orders"].values() if order["status"] == "PAID"]
        orders = [order for order in orders if state["events"][order["eventId"]]["status"] != "CANCELLED"]
        tickets = [ticket for order in orders for ticket in order["tickets"] if ticket["status"] == "VALID"]
        ticket = {"ticketNumber": random.choice(tickets)["number"]}
        names = [_person(random) for _ in range(random.randint(1, 4))]
        buyer = {"buyerName": names[0], "buyerEmail": _email(names[0]), "attendees": names}
        move = {"eventId": event["id"], "fromType": roomy["name"], "toType": random.choice(others)["name"]}
        return {
            "placeOrder": {"eventId": event["id"], "ticketType": roomy["name"]} | buyer,
            "applyVoucher": {"orderId": plain["id"], "voucherCode": usable["code"]},
            "payOrder": {"orderId": pending["id"], "method": random.choice(METHODS)},
            "renameAttendee": ticket | {"newName": _person(random)},
            "emailTickets": {"orderId": random.choice(orders)["id"]},
            "deleteVoucher": {"voucherCode": unused["code"]},
            "signIn": {"pin": state["terminal"]["current"]["pin"]},
            "signOut": {},
            "refundTicket": ticket,
            "checkIn": ticket,
            "moveAllocation": move | {"seats": random.randint(1, max(1, min(15, _left(roomy))))},
        }

    def _mistake(self, state: State, random: Random) -> Call:
        """Draw one of the mistakes that can be made in this state."""
        events, orders = state["events"].values(), state["orders"].values()
        event, unknown = random.choice(list(events)), random.randint(7000, 9999)
        first, last = event["ticketTypes"][0], event["ticketTypes"][-1]
        pending = [order for order in orders if order["status"] == "PENDING"]
        spent = [ticket for order in orders for ticket in order["tickets"] if ticket["status"] != "VALID"]
        dead = [code for code, voucher in state["vouchers"].items() if not _is_usable(voucher)] + ["FREE4ALL"]
        closed = [(e["id"], t["name"]) for e in events for t in e["ticketTypes"] if e["status"] != "ON_SALE"]
        closed += [(e["id"], t["name"]) for e in events for t in e["ticketTypes"] if _left(t) == 0]
        buyer = {"buyerName": "Max Moss", "buyerEmail": "max@mail.example", "attendees": ["Max Moss"]}
        wish = {"eventId": event["id"], "ticketType": first["name"]}
        move = {"eventId": event["id"], "fromType": first["name"], "toType": last["name"]}
        options: list[tuple[str, list[dict[str, Any]]]] = [
            ("searchEvents", [{"category": random.choice(["OPERA", "concert", "FILM"])}]),
            ("getEvent", [{"eventId": f"EVT-{unknown}"}]),
            ("getVenue", [{"venueId": f"ven-{unknown}"}]),
            ("quotePrice", [wish | {"quantity": 20}, wish | {"quantity": 1, "ticketType": "Lounge"}]),
            ("quotePrice", [wish | {"quantity": 1, "voucherCode": code} for code in dead]),
            ("getOrder", [{"orderId": f"ORD-{unknown}"}]),
            ("countCheckedIn", [{"eventId": f"EVT-{unknown}"}]),
            ("placeOrder", [{"eventId": event_id, "ticketType": name} | buyer for event_id, name in closed]),
            ("placeOrder", [wish | buyer | {"attendees": ["Max Moss"] * 9}]),
            ("applyVoucher", [{"orderId": o["id"], "voucherCode": code} for o in pending for code in dead]),
            ("payOrder", [{"orderId": o["id"], "method": "CASH"} for o in orders if o not in pending]),
            ("payOrder", [{"orderId": order["id"], "method": "BITCOIN"} for order in pending]),
            ("renameAttendee", [{"ticketNumber": t["number"], "newName": "Max Moss"} for t in spent]),
            ("emailTickets", [{"orderId": order["id"]} for order in orders if order["status"] != "PAID"]),
            ("deleteVoucher", [{"voucherCode": o["voucherCode"]} for o in pending if o["voucherCode"]]),
            ("signIn", [{"pin": "12345"}]),
            ("signOut", [{}] * (not state["terminal"]["current"]["signedIn"])),
            ("refundTicket", [{"ticketNumber": ticket["number"]} for ticket in spent]),
            ("checkIn", [{"ticketNumber": ticket["number"]} for ticket in spent]),
            ("checkIn", [{"ticketNumber": f"{order['id'][4:]}-1"} for order in pending]),
            ("moveAllocation", [move | {"seats": _left(first) + 5}]),
        ]
        tool, candidates = random.choice([option for option in options if option[1]])
        return Call(tool, random.choice(candidates))
