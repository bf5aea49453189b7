"""A hotel's front desk: rooms, guests, reservations, check-in and check-out, folios, housekeeping."""

from collections.abc import Callable
from copy import deepcopy
from datetime import date, timedelta
from inspect import Parameter, getdoc, signature
from random import Random
from typing import Any

from benchmarks.reference.back_end import Call, RefusedError, State

Fields = dict[str, Any]
Opt = str | None

ROOM_TYPES = {"standard": (2, 80, 140), "twin": (2, 90, 150), "deluxe": (3, 140, 220), "suite": (4, 240, 420)}
HOUSEKEEPING = ["clean", "dirty", "inspected", "out_of_order"]
STATUSES = ["confirmed", "checked_in", "checked_out", "cancelled", "no_show"]
CHARGES = {"minibar": "Two beers", "restaurant": "Dinner", "spa": "Massage", "parking": "Garage"}
METHODS = ["cash", "credit_card", "card_on_file"]
FIRST_NAMES = ["Amelia", "Bruno", "Chiara", "Dmitri", "Elif", "Farid", "Greta", "Hugo", "Keiko", "Liam"]
LAST_NAMES = ["Alvarez", "Becker", "Costa", "Dubois", "Eriksen", "Grant", "Haddad", "Ito", "Jansen", "Kovacs"]
REQUESTS = ["Late arrival", "High floor", "Baby cot", "Feather-free pillows", "Quiet room", "Airport pick-up"]
MESSAGES = ["Your room is ready.", "Your taxi is here.", "Breakfast ends at 10:30.", "A parcel came for you."]

TEXT, NUMBER, COUNT, FLAG = {"type": "string"}, {"type": "number"}, {"type": "integer"}, {"type": "boolean"}
FIELDS: dict[str, Fields] = {
    "reservation_id": TEXT | {"description": "Confirmation number, such as R5012."},
    "guest_id": TEXT | {"description": "Guest profile, such as G1004."},
    "room_type": TEXT | {"enum": list(ROOM_TYPES)},
    "housekeeping_status": TEXT | {"enum": HOUSEKEEPING},
    "status": TEXT | {"enum": STATUSES},
    "check_in_date": TEXT | {"format": "date", "description": "Arrival date (YYYY-MM-DD)."},
    "nights": COUNT | {"minimum": 1, "maximum": 30, "description": "Length of stay."},
    "adults": COUNT | {"minimum": 1, "maximum": 4},
    "limit": COUNT | {"minimum": 1, "maximum": 50},
    "price": NUMBER | {"minimum": 0.01, "maximum": 1000, "description": "Price of one unit."},
    "category": TEXT | {"enum": list(CHARGES)},
    "method": TEXT | {"enum": METHODS},
    **dict.fromkeys(["line_number", "count", "available", "quantity"], COUNT),
    **dict.fromkeys(["amount", "balance", "nightly_rate", "city_tax", "total", "paid"], NUMBER),
    **dict.fromkeys(["vip", "vacant_only", "success"], FLAG),
}


def _shape(names: str, **more: Any) -> Fields:
    """The schema of an object with these fields; unknown ones are texts, and a list holds its items' schema."""
    properties = {name: FIELDS.get(name, TEXT) for name in names.split()}
    for name, rule in more.items():
        properties[name] = {"type": "array", "items": rule[0]} if isinstance(rule, list) else rule
    return {"type": "object", "properties": properties, "required": list(properties)}


SUMMARY = "reservation_id guest_id room_type check_in_date status"
STAY = {"room_number": {"type": ["string", "null"]}, "special_requests": [TEXT]}
RESERVATION = _shape("", reservation=_shape(f"{SUMMARY} check_out_date nights adults nightly_rate", **STAY))
LINE = _shape("line_number description amount", category=TEXT)
BILL = {"lines": [LINE], "payments": [_shape("method amount")], "status": TEXT}
OUTPUTS: dict[str, Fields | None] = {
    "get_reservation": RESERVATION,
    "search_reservations": _shape("count", reservations=[_shape(f"{SUMMARY} last_name")]),
    "find_guest": _shape("guest_id first_name last_name email vip", phone={"type": ["string", "null"]}),
    "check_availability": _shape("available nightly_rate city_tax total currency"),
    "list_rooms": None,
    "get_folio": _shape("", folio=_shape("folio_id reservation_id balance", **BILL)),
    "get_house_status": None,
    "create_reservation": RESERVATION,
    "cancel_reservation": _shape("", status={"const": "cancelled"}, cancellation_fee=NUMBER),
    "check_in_guest": _shape("status room_number folio_id balance"),
    "check_out_guest": None,
    "set_housekeeping_status": None,
    "post_charge": _shape("balance", line=LINE),
    "record_payment": _shape("folio_id paid balance"),
    "send_guest_message": _shape("success"),
}


def _declare(name: str, method: Any, output: Fields | None) -> Fields:
    """The declaration of a tool, from the signature and docstring of its method."""
    schema: Fields = {"type": "object", "properties": {}, "required": []}
    for item in list(signature(method).parameters.values())[1:]:
        default = {} if item.default in (Parameter.empty, None) else {"default": item.default}
        schema["properties"][item.name] = FIELDS.get(item.name, TEXT) | default
        if item.default is Parameter.empty:
            schema["required"].append(item.name)
    tool = {"name": name, "description": " ".join((getdoc(method) or "").split()), "input_schema": schema}
    return tool if output is None else tool | {"output_schema": output}


def _require(condition: object, message: str) -> None:
    if not condition:
        raise RefusedError(message)


def _validate(schema: Fields, arguments: Fields) -> None:
    names = set(arguments)
    _require(set(schema["required"]) <= names <= set(schema["properties"]), "Missing or unexpected fields")
    for name, value in arguments.items():
        rule = schema["properties"][name]
        _require(value in rule.get("enum", [value]), f"Invalid {name} '{value}'")
        in_range = rule.get("minimum", value) <= value <= rule.get("maximum", value)
        _require(in_range, f"{name} must be between {rule.get('minimum')} and {rule.get('maximum')}")


def _get(state: State, kind: str, key: str, status: str = "") -> Fields:
    label = f"{kind.removesuffix('s').title()} {key}"
    _require(key in state[kind], f"{label} not found")
    entity = state[kind][key]
    _require(not status or entity["status"] == status, f"{label} is {entity.get('status')}, not {status}")
    return entity


def _next_id(table: Fields, prefix: str, first: int = 0) -> str:
    return f"{prefix}{max((int(key.removeprefix(prefix)) for key in table), default=first) + 1}"


def _house(state: State) -> Fields:
    return state["property"]["main"]


def _day(text: str, days: int) -> str:
    return (date.fromisoformat(text) + timedelta(days)).isoformat()


def _nightly_rate(state: State, room_type: str, nights: int) -> float:
    house, rate = _house(state), float(state["room_types"][room_type]["base_rate"])
    return round(rate * (1 - house["long_stay_discount"]), 2) if nights >= house["long_stay_nights"] else rate


def _ready(room: Fields) -> bool:
    return room["current_reservation_id"] is None and room["housekeeping_status"] in ("clean", "inspected")


def _add_line(folio: Fields, category: str, description: str, amount: float) -> Fields:
    line = {"line_number": len(folio["lines"]) + 1, "category": category, "description": description}
    folio["lines"].append(line | {"amount": round(amount, 2)})
    folio["balance"] = round(folio["balance"] + amount, 2)
    return {"line": folio["lines"][-1], "balance": folio["balance"]}


def _check_in(state: State, stay: Fields, room: Fields, first_folio: int = 0) -> Fields:
    folio_id = _next_id(state["folios"], "F-", first_folio)
    folio = {"folio_id": folio_id, "reservation_id": stay["reservation_id"], "status": "open", "lines": []}
    state["folios"][folio_id] = folio = folio | {"payments": [], "balance": 0.0}
    cost = stay["nightly_rate"] * stay["nights"]
    _add_line(folio, "room", f"Room, {stay['nights']} night(s)", cost)
    _add_line(folio, "tax", "City tax", round(cost * _house(state)["city_tax_rate"], 2))
    room["current_reservation_id"] = stay["reservation_id"]
    stay.update(status="checked_in", room_number=room["room_number"], folio_id=folio_id)
    return folio


def _book(state: State, number: str, guest: str, kind: str, arrival: str, nights: int, adults: int) -> Fields:
    stay: Fields = {"reservation_id": number, "guest_id": guest, "room_type": kind, "adults": adults}
    stay |= {"check_in_date": arrival, "check_out_date": _day(arrival, nights), "nights": nights}
    stay |= {"nightly_rate": _nightly_rate(state, kind, nights), "special_requests": []}
    stay |= {"status": "confirmed", "room_number": None, "folio_id": None}
    state["reservations"][number] = stay
    return stay


def _add_house(state: State, random: Random) -> None:
    state["property"]["main"] = {
        "name": random.choice(["Lakeside", "Grand", "Old Mill"]) + random.choice([" Hotel", " Inn"]),
        "business_date": _day("2025-01-01", random.randrange(700)),
        "currency": random.choice(["EUR", "USD", "CHF"]),
        "city_tax_rate": random.choice([0.03, 0.05, 0.07]),
        "long_stay_nights": random.choice([5, 6, 7]),
        "long_stay_discount": random.choice([0.08, 0.1, 0.15]),
        "free_cancellation_days": random.choice([2, 3, 7]),
    }
    for name, (adults, low, high) in ROOM_TYPES.items():
        state["room_types"][name] = {"base_rate": random.randrange(low, high, 5), "max_adults": adults}
    for number in range(random.randint(35, 50)):
        door = f"{1 + number // 10}{1 + number % 10:02}"
        room = {"room_number": door, "room_type": random.choices(list(ROOM_TYPES), [5, 3, 3, 2])[0]}
        room["housekeeping_status"] = random.choices(HOUSEKEEPING, [5, 3, 4, 1])[0]
        state["rooms"][door] = room | {"floor": 1 + number // 10, "current_reservation_id": None}
    for number in range(1001, 1001 + random.randint(30, 45)):
        first, last = random.choice(FIRST_NAMES), random.choice(LAST_NAMES)
        card = {"brand": random.choice(["visa", "amex"]), "last4": f"{random.randrange(10000):04}"}
        guest: Fields = {"guest_id": f"G{number}", "first_name": first, "last_name": last}
        guest |= {"email": f"{first}.{last}{number % 100}@example.com".lower(), "vip": random.random() < 0.15}
        guest["phone"] = f"+44 20 7946 {random.randrange(1000):04}" if random.random() < 0.8 else None
        state["guests"][f"G{number}"] = guest | {"payment_card": card if random.random() < 0.7 else None}
    for number in range(701, 701 + random.randint(15, 20)):
        message = {"guest_id": _pick(random, state["guests"]), "text": random.choice(MESSAGES)}
        state["messages"][f"MSG-{number}"] = message


def _add_stay(state: State, random: Random, number: str, status: str) -> None:
    room = state["rooms"][_pick(random, state["rooms"], _ready)]
    kind, nights = room["room_type"], random.randint(1, 8)
    offsets = {"confirmed": random.choice([0, 0, 1, 3, 8, 21]), "checked_in": -random.randrange(nights)}
    offset = offsets.get(status, -random.randint(9, 30))
    guest, adults = _pick(random, state["guests"]), random.randint(1, ROOM_TYPES[kind][0])
    stay = _book(state, number, guest, kind, _day(_house(state)["business_date"], offset), nights, adults)
    stay["special_requests"] = random.sample(REQUESTS, random.choice([0, 0, 1, 2]))
    if status in ("checked_in", "checked_out"):
        folio = _check_in(state, stay, room, random.randint(200, 400))
        for category in random.choices(list(CHARGES), k=random.randint(0, 4)):
            _add_line(folio, category, CHARGES[category], random.randint(500, 9000) / 100)
        if status == "checked_out" or random.random() < 0.45:
            folio["payments"].append({"method": random.choice(METHODS[:2]), "amount": folio["balance"]})
            folio["balance"] = 0.0
    if status == "checked_out":
        folio["status"], room["current_reservation_id"] = "closed", None
    stay |= {"cancellation_fee": stay["nightly_rate"]} if status == "cancelled" else {}
    stay["status"] = status


def _pick(random: Random, table: dict[str, Fields], fits: Callable[[Fields], object] = bool) -> str:
    return random.choice([key for key, entity in table.items() if fits(entity)] or [""])


def _some(random: Random, **arguments: Any) -> Fields:
    return {key: value for key, value in arguments.items() if random.random() < 0.4}


def _reads(state: State, random: Random) -> list[Call]:
    stays, kind = state["reservations"], random.choice(list(ROOM_TYPES))
    stay, guest = stays[_pick(random, stays)], state["guests"][_pick(random, state["guests"])]
    rooms = {"room_type": kind, "housekeeping_status": random.choice(HOUSEKEEPING), "vacant_only": True}
    filters = {"status": random.choice(STATUSES), "arrival": stay["check_in_date"], "limit": 8}
    wanted = {"check_in_date": stay["check_in_date"], "nights": random.randint(1, 9)}
    return [
        Call("get_reservation", {"reservation_id": stay["reservation_id"]}),
        Call("search_reservations", _some(random, last_name=guest["last_name"], **filters)),
        Call("find_guest", {"email": guest["email"]}),
        Call("check_availability", {"room_type": kind, **wanted}),
        Call("list_rooms", _some(random, **rooms)),
        Call("get_folio", {"reservation_id": _pick(random, stays, lambda stay: stay["folio_id"])}),
        Call("get_house_status", {}),
    ]


def _writes(state: State, random: Random) -> list[Call]:
    stays, today, folios = state["reservations"], _house(state)["business_date"], state["folios"]
    coming = {key: stay for key, stay in stays.items() if stay["status"] == "confirmed"}
    settled = [f["reservation_id"] for f in folios.values() if f["status"] == "open" and f["balance"] == 0]
    due, charge = _pick(random, folios, lambda folio: folio["balance"] > 0), random.choice(list(CHARGES))
    part = _some(random, amount=random.randint(1000, 9000) / 100)
    line = {"category": charge, "description": CHARGES[charge], "price": random.randint(300, 9000) / 100}
    line["folio_id"] = _pick(random, folios, lambda folio: folio["status"] == "open")
    guest, room = {"guest_id": _pick(random, state["guests"])}, {"room_number": _pick(random, state["rooms"])}
    days = {"check_in_date": _day(today, random.randint(0, 20)), "nights": random.randint(1, 7)}
    booking = {"room_type": random.choice(list(ROOM_TYPES)), **guest, **days}
    arriving = {"reservation_id": _pick(random, coming, lambda stay: stay["check_in_date"] == today)}
    return [
        Call("create_reservation", booking | _some(random, adults=random.randint(1, 2))),
        Call("cancel_reservation", {"reservation_id": _pick(random, coming)}),
        Call("check_in_guest", arriving),
        Call("check_out_guest", {"reservation_id": random.choice(settled or [""])}),
        Call("set_housekeeping_status", room | {"housekeeping_status": random.choice(HOUSEKEEPING[:3])}),
        Call("post_charge", line | _some(random, quantity=random.randint(1, 4))),
        Call("record_payment", {"folio_id": due, "method": random.choice(METHODS)} | part),
        Call("send_guest_message", guest | {"text": random.choice(MESSAGES)}),
    ]


def _mistakes(state: State, random: Random) -> list[Call]:
    stays, today = state["reservations"], _house(state)["business_date"]
    done = {"reservation_id": _pick(random, stays, lambda stay: stay["status"] not in STATUSES[:2])}
    later = {"reservation_id": _pick(random, stays, lambda stay: stay["check_in_date"] > today)}
    inside = {"reservation_id": _pick(random, stays, lambda stay: stay["status"] == "checked_in")}
    folio_id = {"folio_id": _pick(random, state["folios"], lambda folio: folio["status"] == "closed")}
    room = {"room_number": _pick(random, state["rooms"], lambda room: room["current_reservation_id"])}
    silent = {"guest_id": _pick(random, state["guests"], lambda guest: guest["phone"] is None)}
    unknown, guest = {"guest_id": f"G{random.randint(2000, 2999)}"}, _pick(random, state["guests"])
    wanted = {"room_type": "twin", "check_in_date": _day(today, random.randint(1, 9)), "nights": 2}
    booking = wanted | {"guest_id": guest}
    return [
        Call("get_reservation", {"reservation_id": f"R{random.randint(9000, 9999)}"}),
        Call("find_guest", {"email": f"nobody{random.randint(1, 99)}@example.com"}),
        Call("get_folio", later),
        Call("check_availability", wanted | {"room_type": "penthouse"}),
        Call("create_reservation", booking | {"check_in_date": _day(today, -random.randint(1, 9))}),
        Call("create_reservation", booking | {"adults": random.randint(3, 4)}),
        Call("create_reservation", booking | unknown),
        Call("cancel_reservation", random.choice([done, inside])),
        Call("check_in_guest", random.choice([later, done, inside])),
        Call("check_out_guest", random.choice([done, later])),
        Call("set_housekeeping_status", room | {"housekeeping_status": HOUSEKEEPING[3]}),
        Call("post_charge", folio_id | {"category": "spa", "description": "Sauna", "price": 25}),
        Call("record_payment", folio_id | {"method": "credit_card"}),
        Call("send_guest_message", silent | {"text": random.choice(MESSAGES)}),
    ]


class Hotel:
    name = "hotel"

    def __init__(self) -> None:
        self.tools = [_declare(name, getattr(self, name), output) for name, output in OUTPUTS.items()]

    def begin(self, random: Random) -> State:
        kinds = ["property", "room_types", "rooms", "guests", "reservations", "folios", "messages"]
        state: State = {kind: {} for kind in kinds}
        _add_house(state, random)
        statuses = ["checked_in"] * random.randint(9, 13) + ["confirmed"] * random.randint(16, 22)
        statuses += random.choices(STATUSES[2:], [8, 4, 2], k=random.randint(12, 20))
        random.shuffle(statuses)
        for number, status in enumerate(statuses, random.randint(5001, 5600)):
            _add_stay(state, random, f"R{number}", status)
        return state

    def next_call(self, state: State, random: Random) -> Call:
        luck = random.random()
        draw = _mistakes if luck < 0.18 else _reads if luck < 0.62 else _writes
        return random.choice([call for call in draw(state, random) if "" not in call.arguments.values()])

    def call(self, state: State, tool: str, arguments: dict[str, Any]) -> Any:
        _require(tool in OUTPUTS, f"Unknown tool: {tool}")
        _validate(next(known for known in self.tools if known["name"] == tool)["input_schema"], arguments)
        return deepcopy(getattr(self, tool)(state, **arguments))

    def get_reservation(self, state: State, reservation_id: str) -> Any:
        """Get one reservation by its confirmation number."""
        return {"reservation": _get(state, "reservations", reservation_id)}

    def search_reservations(
        self, state: State, last_name: Opt = None, status: Opt = None, arrival: Opt = None, limit: int = 10
    ) -> Any:
        """Search reservations by the guest's last name (whole name, any case), status and arrival date (YYYY-MM-DD);
        filters are combined. Sorted by arrival date, then confirmation number. `count` is the number of all matches.
        """
        found = []
        for stay in state["reservations"].values():
            name = state["guests"][stay["guest_id"]]["last_name"]
            named = last_name is None or name.lower() == last_name.lower()
            if named and status in (None, stay["status"]) and arrival in (None, stay["check_in_date"]):
                found.append({key: stay[key] for key in SUMMARY.split()} | {"last_name": name})
        found.sort(key=lambda item: (item["check_in_date"], item["reservation_id"]))
        return {"count": len(found), "reservations": found[:limit]}

    def find_guest(self, state: State, email: str) -> Any:
        """Look up a guest profile by e-mail address."""
        found = [guest for guest in state["guests"].values() if guest["email"] == email.lower()]
        _require(found, f"No guest with e-mail {email}")
        return found[0]

    def check_availability(self, state: State, room_type: str, check_in_date: str, nights: int) -> Any:
        """How many rooms of a type can still be sold for a stay, and its price. Out-of-order rooms do not count, nor
        those taken by confirmed and checked-in reservations with overlapping dates (the day of departure is free
        again). Long stays get the property's long-stay discount on the nightly rate; city tax comes on top.
        """
        house, last = _house(state), _day(check_in_date, nights)
        rooms = [room for room in state["rooms"].values() if room["room_type"] == room_type]
        free = sum(room["housekeeping_status"] != "out_of_order" for room in rooms)
        for stay in state["reservations"].values():
            overlaps = stay["check_in_date"] < last and stay["check_out_date"] > check_in_date
            free -= overlaps and stay["room_type"] == room_type and stay["status"] in STATUSES[:2]
        rate = _nightly_rate(state, room_type, nights)
        tax = round(rate * nights * house["city_tax_rate"], 2)
        price = {"nightly_rate": rate, "city_tax": tax, "total": round(rate * nights + tax, 2)}
        return {"available": max(0, free), "currency": house["currency"]} | price

    def list_rooms(
        self, state: State, room_type: Opt = None, housekeeping_status: Opt = None, vacant_only: bool = False
    ) -> Any:
        """List rooms by number, optionally only those of a type, with a housekeeping status, or vacant."""
        wanted = {"room_type": room_type, "housekeeping_status": housekeeping_status}
        found = [r for r in state["rooms"].values() if all(v in (None, r[k]) for k, v in wanted.items())]
        vacant = [room for room in found if not (vacant_only and room["current_reservation_id"])]
        return sorted(vacant, key=lambda room: str(room["room_number"]))

    def get_folio(self, state: State, reservation_id: str) -> Any:
        """Get the folio (bill) of a reservation with its lines, payments and balance. It exists from check-in on."""
        stay = _get(state, "reservations", reservation_id)
        _require(stay["folio_id"], f"Reservation {reservation_id} has no folio")
        return {"folio": state["folios"][stay["folio_id"]]}

    def get_house_status(self, state: State) -> Any:
        """Today's figures: the property with its business date and terms, and how many rooms are occupied and dirty."""
        dirty = sum(room["housekeeping_status"] == "dirty" for room in state["rooms"].values())
        occupied = sum(room["current_reservation_id"] is not None for room in state["rooms"].values())
        return _house(state) | {"occupied_rooms": occupied, "dirty_rooms": dirty}

    def create_reservation(
        self, state: State, guest_id: str, room_type: str, check_in_date: str, nights: int, adults: int = 1
    ) -> Any:
        """Book a room type for a guest at the nightly rate check_availability gives. Arrival may not lie before the
        business date; the room type must be available and large enough. It gets the next number, and no room yet.
        """
        _get(state, "guests", guest_id)
        _require(check_in_date >= _house(state)["business_date"], "Arrival lies in the past")
        fits = adults <= state["room_types"][room_type]["max_adults"]
        _require(fits, f"A {room_type} room does not sleep {adults} adults")
        offer = self.check_availability(state, room_type, check_in_date, nights)
        _require(offer["available"], f"No {room_type} room is available for these dates")
        number = _next_id(state["reservations"], "R")
        return {"reservation": _book(state, number, guest_id, room_type, check_in_date, nights, adults)}

    def cancel_reservation(self, state: State, reservation_id: str) -> Any:
        """Cancel a confirmed reservation. Less than free_cancellation_days before arrival, one night is due as fee."""
        stay, house = _get(state, "reservations", reservation_id, "confirmed"), _house(state)
        free = stay["check_in_date"] >= _day(house["business_date"], house["free_cancellation_days"])
        stay.update(status="cancelled", cancellation_fee=0.0 if free else stay["nightly_rate"])
        return {"status": "cancelled", "cancellation_fee": stay["cancellation_fee"]}

    def check_in_guest(self, state: State, reservation_id: str) -> Any:
        """Check in a confirmed reservation that arrives on the business date. It gets the lowest room of the booked
        type that is vacant and clean or inspected, and a new folio with room charge for the whole stay and city tax.
        """
        stay = _get(state, "reservations", reservation_id, "confirmed")
        _require(stay["check_in_date"] == _house(state)["business_date"], "The reservation is not due today")
        rooms = [k for k, r in state["rooms"].items() if _ready(r) and r["room_type"] == stay["room_type"]]
        _require(rooms, f"No {stay['room_type']} room is ready")
        folio = _check_in(state, stay, state["rooms"][min(rooms)])
        bill = {"folio_id": folio["folio_id"], "balance": folio["balance"]}
        return {"status": "checked_in", "room_number": min(rooms), **bill}

    def check_out_guest(self, state: State, reservation_id: str) -> Any:
        """Check out an in-house reservation. Its folio must be settled and is closed; the room is vacant and dirty."""
        stay = _get(state, "reservations", reservation_id, "checked_in")
        folio, number = state["folios"][stay["folio_id"]], stay["room_number"]
        _require(folio["balance"] == 0, f"Folio {stay['folio_id']} has a balance of {folio['balance']:.2f}")
        folio["status"], stay["status"] = "closed", "checked_out"
        state["rooms"][number].update(current_reservation_id=None, housekeeping_status="dirty")
        return {"message": f"Reservation {reservation_id} checked out of room {number}"}

    def set_housekeeping_status(self, state: State, room_number: str, housekeeping_status: str) -> Any:
        """Set the housekeeping status of a room. Only vacant rooms can be put out of order."""
        room = _get(state, "rooms", room_number)
        closing = housekeeping_status == "out_of_order"
        _require(not closing or room["current_reservation_id"] is None, f"Room {room_number} is occupied")
        room["housekeeping_status"] = housekeeping_status
        return room

    def post_charge(
        self, state: State, folio_id: str, category: str, description: str, price: float, quantity: int = 1
    ) -> Any:
        """Add a charge to an open folio as its next line: price times quantity. It raises the balance."""
        return _add_line(_get(state, "folios", folio_id, "open"), category, description, price * quantity)

    def record_payment(self, state: State, folio_id: str, method: str, amount: float | None = None) -> Any:
        """Take a payment on an open folio: at most its balance, the default. card_on_file needs the guest's card."""
        folio = _get(state, "folios", folio_id, "open")
        card = state["guests"][state["reservations"][folio["reservation_id"]]["guest_id"]]["payment_card"]
        paid = folio["balance"] if amount is None else amount
        _require(method != "card_on_file" or card, "The guest has no card on file")
        _require(0 < paid <= folio["balance"], f"The balance of folio {folio_id} is {folio['balance']:.2f}")
        folio["payments"].append({"method": method, "amount": paid})
        folio["balance"] = round(folio["balance"] - paid, 2)
        return {"folio_id": folio_id, "paid": paid, "balance": folio["balance"]}

    def send_guest_message(self, state: State, guest_id: str, text: str) -> Any:
        """Send a guest a short text message. The guest needs a phone number in the profile."""
        _require(_get(state, "guests", guest_id)["phone"], f"Guest {guest_id} has no phone number")
        state["messages"][_next_id(state["messages"], "MSG-")] = {"guest_id": guest_id, "text": text}
        return {"success": True}
