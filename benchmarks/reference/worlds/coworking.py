"""A coworking operator: locations with bookable spaces, members on plans who pay in credits, and their mail."""

from collections.abc import Callable
from copy import deepcopy
from datetime import date, timedelta
from random import Random
from typing import Any

from benchmarks.reference.back_end import Call, RefusedError, State

Row = dict[str, Any]
Operation = Callable[["_House", Row], Any]
PLANS = {"daily": (7, 0), "flex": (21, 10), "resident": (60, 25)}
KINDS = {"desk": 2, "phoneBooth": 3, "meetingRoom": 8, "studio": 14}
ALLOWED = {"daily": list(KINDS)[:2], "flex": list(KINDS)[:3], "resident": list(KINDS)}
PACKS = {"small": 20, "medium": 60, "large": 150}
AMENITIES = ["whiteboard", "screen", "daylight", "standingDesk", "soundproof"]
MEMBER_STATES = ["active", "paused", "ended"]
BOOKING_STATES = ["confirmed", "checkedIn", "finished", "cancelled"]
PLACES = [("loc-quay", "Old Quay", "Port Almere"), ("loc-mill", "Paper Mill", "Vessbury")]
PLACES += [("loc-yard", "Tram Yard", "Vessbury")]
FIRST = ["Noor", "Emil", "Sanna", "Thiago", "Bea", "Yusuf", "Katja", "Oren", "Priya", "Lennart", "Dalia"]
LAST = ["Averkamp", "Solheim", "Banerji", "Crowell", "Ekwueme", "Lindqvist", "Moravec", "Tanaka"]
COMPANIES = ["Loop & Lantern", "Fernglass Studio", "Nimbari Labs", None, None]
OPERATIONS: dict[str, Operation] = {}
TOOLS: list[Row] = []
STR, INT, NULLABLE = {"type": "string"}, {"type": "integer"}, {"type": ["string", "null"]}
MEMBER_ID, SPACE_ID, BOOKING_ID, PARCEL_ID, LOCATION_ID = (
    {"type": "string", "description": f"The id, like {example}"}
    for example in ("m-1012", "sp-1007", "b-1020", "p-1003", "loc-quay")
)
DAY = {"type": "string", "format": "date", "description": "ISO date"}
TIME = {"type": "string", "description": "24-hour clock on the hour or half hour, such as 14:30"}
PLAN, KIND, AMENITY, PACK, MEMBER_STATE, BOOKING_STATE = (
    {"type": "string", "enum": list(values)}
    for values in (PLANS, KINDS, AMENITIES, PACKS, MEMBER_STATES, BOOKING_STATES)
)


def shape(**fields: Row) -> Row:
    return {"type": "object", "properties": fields, "required": list(fields)}


def items(item: Row) -> Row:
    return {"type": "array", "items": item}


def optional(schema: Row, **more: Any) -> Row:
    return {**schema, **more, "optional": True}


PLACE = shape(id=STR, name=STR, city=STR, opens=STR, closes=STR, openOn=items(INT))
SPACE: Row = {"id": STR, "locationId": STR, "name": STR, "kind": KIND, "seats": INT, "amenities": items(STR)}
SPACES = shape(spaces=items(shape(**SPACE, creditsPerHour=INT)), total=INT)
MEMBER: Row = {"id": STR, "name": STR, "email": STR, "company": NULLABLE, "plan": PLAN, "credits": INT}
MEMBER |= {"status": MEMBER_STATE, "homeLocationId": STR, "pausedUntil": NULLABLE}
BRIEF = ("id", "name", "company", "plan", "status")
BOOKING = Row.fromkeys(("id", "memberId", "spaceId", "date", "start", "end"), STR)
BOOKING = shape(**BOOKING, attendees=INT, credits=INT, status=BOOKING_STATE)
BOOKED, LISTED = shape(booking=BOOKING, creditsLeft=INT), shape(bookings=items(BOOKING), total=INT)
SPANS = items(shape(start=STR, end=STR))
CALENDAR = shape(spaceId=STR, date=STR, open={"type": "boolean"}, busy=SPANS, free=SPANS)
PERSON = {"name": STR, "email": STR, "company": optional(STR), "plan": PLAN}
WANTED = {"locationId": optional(LOCATION_ID), "kind": optional(KIND), "amenity": optional(AMENITY)}
WANTED |= {"minSeats": optional(INT, minimum=1)}
BOOK = {"memberId": MEMBER_ID, "spaceId": SPACE_ID, "date": DAY, "start": TIME, "end": TIME}
FILTERS = {key: optional(schema) for key, schema in BOOK.items() if key not in ("start", "end")}
REFUND = shape(bookingId=STR, refundedCredits=INT, creditsLeft=INT)
FOUND = shape(members=items(shape(**{key: MEMBER[key] for key in BRIEF})), page=INT, pages=INT)


def operation(called: str, answer: Row | None = None, **takes: Row) -> Callable[[Operation], Operation]:
    """Publish a method under its operation id, described by its docstring."""

    def publish(method: Operation) -> Operation:
        required = [key for key, schema in takes.items() if "optional" not in schema]
        properties = {key: {k: v for k, v in one.items() if k != "optional"} for key, one in takes.items()}
        schema = {"type": "object", "properties": properties, "required": required}
        about = " ".join((method.__doc__ or "").split())
        declared = {"name": called, "description": about, "input_schema": schema}
        TOOLS.append({**declared, "output_schema": answer} if answer else declared)
        OPERATIONS[called] = method
        return method

    return publish


def refuse(code: str, text: str) -> RefusedError:
    return RefusedError(f"{code}: {text}")


def minutes(time: str) -> int:
    hour, _, minute = time.partition(":")
    if not (hour.isdigit() and minute.isdigit() and len(time) == 5):
        raise refuse("INVALID_TIME", f"{time!r} is not a time.")
    return int(hour) * 60 + int(minute)


def clock(count: int) -> str:
    return f"{count // 60:02}:{count % 60:02}"


class _House:
    def __init__(self, state: State) -> None:
        self.s, self.now = state, state["clock"]["now"]
        self.today = date.fromisoformat(self.now["date"])

    def one(self, table: str, key: str) -> Row:
        if key not in self.s[table]:
            raise refuse("NOT_FOUND", f"no {table[:-1]} with id {key}")
        return self.s[table][key]

    def member(self, key: str, status: str = "active") -> Row:
        member = self.one("members", key)
        if member["status"] != status:
            raise refuse("MEMBER_STATUS", f"{member['name']} is {member['status']}, not {status}")
        return member

    def booking(self, key: str, *status: str) -> Row:
        booking = self.one("bookings", key)
        if booking["status"] not in status:
            raise refuse("BOOKING_STATUS", f"booking {key} is {booking['status']}")
        return booking

    def those(self, table: str, **fields: Any) -> list[Row]:
        return [r for r in self.s[table].values() if all(r[key] == value for key, value in fields.items())]

    def add(self, table: str, prefix: str, **fields: Any) -> Row:
        number = max((int(key.rsplit("-", 1)[1]) for key in self.s[table]), default=1000) + 1
        self.s[table][f"{prefix}-{number}"] = row = {"id": f"{prefix}-{number}", **fields}
        return row

    def day(self, text: str) -> date:
        try:
            return date.fromisoformat(text)
        except ValueError:
            raise refuse("INVALID_DATE", f"{text!r} is not a date") from None

    def busy(self, space_id: str, day: str) -> list[Row]:
        rows = sorted(self.those("bookings", spaceId=space_id, date=day), key=lambda one: str(one["start"]))
        return [one for one in rows if one["status"] != "cancelled"]

    def hold(self, space: Row, day: str, start: str, end: str) -> None:
        place, first, last = self.s["locations"][space["locationId"]], minutes(start), minutes(end)
        if first % 30 or last % 30 or not 30 <= last - first <= 480:
            raise refuse("INVALID_TIME", "half-hour steps, 30 minutes to 8 hours")
        if self.day(day).weekday() not in place["openOn"] or start < place["opens"] or end > place["closes"]:
            raise refuse("CLOSED", f"{place['name']} is not open on {day} from {start} to {end}")
        for one in self.busy(space["id"], day):
            if one["start"] < end and start < one["end"]:
                raise refuse("CONFLICT", f"{space['name']} is taken from {one['start']} to {one['end']}")

    def price(self, member: Row, space: Row, length: int) -> int:
        full = space["creditsPerHour"] * length * (100 - PLANS[member["plan"]][1])
        return int(-(-full // 6000))

    def pay(self, member: Row, credits: int) -> None:
        if member["credits"] < credits:
            raise refuse("NOT_ENOUGH_CREDITS", f"{credits} needed, {member['credits']} left")
        member["credits"] -= credits

    def ahead(self, member_id: str) -> list[Row]:
        return self.those("bookings", memberId=member_id, status="confirmed")

    @operation("listLocations", items(PLACE))
    def list_locations(self, _: Row) -> Any:
        """All our locations with opening hours. `openOn` holds the weekdays, 0 being Monday."""
        return list(self.s["locations"].values())

    @operation("searchSpaces", SPACES, **WANTED)
    def search_spaces(self, a: Row) -> Any:
        """Find bookable spaces, smallest first. All filters are optional and are combined. Spaces that are out of
        service are never returned. This does not look at bookings, use getSpaceCalendar for that.
        """
        same = {key: a[key] for key in ("locationId", "kind") if key in a} | {"outOfService": False}
        rows = [one for one in self.those("spaces", **same) if one["seats"] >= a.get("minSeats", 1)]
        found = [one for one in rows if a.get("amenity") in (None, *one["amenities"])]
        return {"spaces": sorted(found, key=lambda one: (one["seats"], one["id"])), "total": len(found)}

    @operation("getSpaceCalendar", CALENDAR, spaceId=SPACE_ID, date=DAY)
    def get_space_calendar(self, a: Row) -> Any:
        """Busy and free times of one space on one day. If `open` is false, the location is closed and nothing free."""
        space, day = self.one("spaces", a["spaceId"]), self.day(a["date"])
        place, busy = self.s["locations"][space["locationId"]], self.busy(a["spaceId"], a["date"])
        is_open, free, begin = day.weekday() in place["openOn"], [], place["opens"]
        for one in [*busy, {"start": place["closes"], "end": ""}]:
            if begin < one["start"] and is_open:
                free.append({"start": begin, "end": one["start"]})
            begin = one["end"]
        taken = [{"start": one["start"], "end": one["end"]} for one in busy]
        return {"spaceId": space["id"], "date": a["date"], "open": is_open, "busy": taken, "free": free}

    @operation("getMember", shape(**MEMBER, upcomingBookings=items(BOOKING)), memberId=MEMBER_ID)
    def get_member(self, a: Row) -> Any:
        """A member's profile with plan, credit balance and confirmed bookings."""
        return {**self.one("members", a["memberId"]), "upcomingBookings": self.ahead(a["memberId"])}

    @operation("findMembers", FOUND, text=STR, status=optional(MEMBER_STATE), page=optional(INT, minimum=1))
    def find_members(self, a: Row) -> Any:
        """Find members whose name, e-mail address or company contains a text (case is ignored, two characters at
        least), optionally of one status. Eight per page, by name; a page past the end is empty.
        """
        if len(a["text"]) < 2:
            raise refuse("TEXT_TOO_SHORT", "give at least two characters")
        rows = [m for m in self.s["members"].values() if a.get("status", m["status"]) == m["status"]]
        rows = [m for m in rows if a["text"].lower() in f"{m['name']}\n{m['email']}\n{m['company']}".lower()]
        page = a.get("page", 1)
        shown = sorted(rows, key=lambda m: (m["name"], m["id"]))[page * 8 - 8 : page * 8]
        members = [{key: one[key] for key in BRIEF} for one in shown]
        return {"members": members, "page": page, "pages": (len(rows) + 7) // 8}

    @operation("createMember", **PERSON, homeLocationId=LOCATION_ID)
    def create_member(self, a: Row) -> Any:
        """Sign up a member: active at once, 10 free credits. E-mail addresses are unique, former members' included."""
        self.one("locations", a["homeLocationId"])
        if "@" not in a["email"] or self.those("members", email=a["email"].lower()):
            raise refuse("INVALID_EMAIL", f"{a['email']} is malformed or already in use")
        fresh = {"company": None, "status": "active", "credits": 10, "pausedUntil": None}
        return self.add("members", "m", **fresh | a | {"email": a["email"].lower()})

    @operation("pauseMembership", memberId=MEMBER_ID, until=DAY)
    def pause_membership(self, a: Row) -> Any:
        """Pause an active membership until a later day, 180 days from today at most. Not possible as long as there
        are confirmed bookings. Credits are kept.
        """
        member, until = self.member(a["memberId"]), self.day(a["until"])
        if not self.today < until <= self.today + timedelta(days=180):
            raise refuse("INVALID_DATE", "the pause must end within the next 180 days")
        if self.ahead(member["id"]):
            raise refuse("OPEN_BOOKINGS", f"{len(self.ahead(member['id']))} confirmed booking(s) left")
        member.update(status="paused", pausedUntil=a["until"])
        return {"ok": True, "pausedUntil": a["until"]}

    @operation("resumeMembership", memberId=MEMBER_ID)
    def resume_membership(self, a: Row) -> Any:
        """End a pause early. The member has to be paused."""
        self.member(a["memberId"], "paused").update(status="active", pausedUntil=None)
        return {"ok": True}

    @operation("topUpCredits", memberId=MEMBER_ID, pack=PACK)
    def top_up_credits(self, a: Row) -> Any:
        """Sell a pack (small 20, medium 60, large 150 credits) to a member who has not left; no balance above 400."""
        member = self.one("members", a["memberId"])
        if member["status"] == "ended" or member["credits"] + PACKS[a["pack"]] > 400:
            raise refuse("NOT_ALLOWED", f"membership {member['status']}, balance {member['credits']}")
        member["credits"] += PACKS[a["pack"]]
        return {"memberId": member["id"], "added": PACKS[a["pack"]], "credits": member["credits"]}

    @operation("createBooking", BOOKED, **BOOK, attendees=optional(INT, minimum=1, default=1))
    def create_booking(self, a: Row) -> Any:
        """Book a space for an active member and charge the credits. Rules by plan: daily books desks and phone booths
        up to 7 days ahead; flex also meeting rooms, up to 21 days, at 10 % off; resident everything, up to 60 days,
        at 25 % off. Bookings take 30 minutes to 8 hours within opening hours, in half-hour steps, and cannot start
        in the past. Credits are rounded up.
        """
        member, space, day = self.member(a["memberId"]), self.one("spaces", a["spaceId"]), self.day(a["date"])
        if space["outOfService"] or a.get("attendees", 1) > space["seats"]:
            raise refuse("SPACE_UNSUITABLE", f"out of service, or only {space['seats']} seats")
        if space["kind"] not in ALLOWED[member["plan"]]:
            raise refuse("PLAN_TOO_SMALL", f"{member['plan']} does not include a {space['kind']}")
        if day > self.today + timedelta(days=PLANS[member["plan"]][0]):
            raise refuse("TOO_FAR_AHEAD", f"{member['plan']} books {PLANS[member['plan']][0]} days ahead")
        if (a["date"], a["start"]) < (self.now["date"], self.now["time"]):
            raise refuse("IN_THE_PAST", f"it is {self.now['date']} {self.now['time']}")
        self.hold(space, a["date"], a["start"], a["end"])
        credits = self.price(member, space, minutes(a["end"]) - minutes(a["start"]))
        self.pay(member, credits)
        asked = {key: a[key] for key in BOOK}
        more = {"attendees": a.get("attendees", 1), "status": "confirmed", "credits": credits}
        return {"booking": self.add("bookings", "b", **asked, **more), "creditsLeft": member["credits"]}

    @operation("listBookings", LISTED, **FILTERS, status=optional(BOOKING_STATE))
    def list_bookings(self, a: Row) -> Any:
        """Bookings in order of date and start, at most 25 of them; narrow the list down with the filters."""
        rows = sorted(self.those("bookings", **a), key=lambda one: (one["date"], one["start"], one["id"]))
        return {"bookings": rows[:25], "total": len(rows)}

    @operation("cancelBooking", REFUND, bookingId=BOOKING_ID)
    def cancel_booking(self, a: Row) -> Any:
        """Cancel a confirmed booking that has not begun. Credits are refunded in full up to the day before, by half
        (rounded down) on the day itself.
        """
        booking = self.booking(a["bookingId"], "confirmed")
        if (booking["date"], booking["start"]) <= (self.now["date"], self.now["time"]):
            raise refuse("ALREADY_STARTED", f"it began at {booking['start']}")
        refund = booking["credits"] // (2 if booking["date"] == self.now["date"] else 1)
        booking["status"], member = "cancelled", self.s["members"][booking["memberId"]]
        member["credits"] += refund
        return {"bookingId": booking["id"], "refundedCredits": refund, "creditsLeft": member["credits"]}

    @operation("checkIn", bookingId=BOOKING_ID)
    def check_in(self, a: Row) -> Any:
        """Check a member in for a confirmed booking of today, from half an hour before its start until its end."""
        booking, now = self.booking(a["bookingId"], "confirmed"), self.now["time"]
        early = clock(minutes(booking["start"]) - 30)
        if booking["date"] != self.now["date"] or not early <= now < booking["end"]:
            raise refuse("NOT_NOW", f"possible on {booking['date']} from {early} to {booking['end']}")
        booking["status"] = "checkedIn"
        return {"ok": True, "space": self.s["spaces"][booking["spaceId"]]["name"], "until": booking["end"]}

    @operation("listParcels", locationId=LOCATION_ID, memberId=optional(MEMBER_ID))
    def list_parcels(self, a: Row) -> Any:
        """Parcels waiting at the reception of a location, oldest first, optionally for one member only."""
        rows = self.those("parcels", **{"locationId": self.one("locations", a["locationId"])["id"], **a})
        return [one for one in rows if one["status"] == "waiting"]

    @operation("handOverParcel", parcelId=PARCEL_ID, collectedBy=MEMBER_ID)
    def hand_over_parcel(self, a: Row) -> Any:
        """Give a waiting parcel to the member it is for, or to a member of the same company."""
        parcel, person = self.one("parcels", a["parcelId"]), self.one("members", a["collectedBy"])
        addressee = self.s["members"][parcel["memberId"]]
        if parcel["status"] != "waiting":
            raise refuse("PARCEL_STATUS", f"already collected by {parcel['collectedBy']}")
        if person is not addressee and (not person["company"] or person["company"] != addressee["company"]):
            raise refuse("NOT_AUTHORIZED", f"{person['name']} may not collect for {addressee['name']}")
        parcel.update(status="collected", collectedBy=person["id"])
        return {"parcelId": parcel["id"], "status": "collected", "collectedBy": person["id"]}


TABLES = {"memberId": "members", "spaceId": "spaces", "bookingId": "bookings", "locationId": "locations"}
TABLES |= {"parcelId": "parcels", "homeLocationId": "locations", "collectedBy": "members"}
WRONG: Row = {"date": "2032-02-31", "until": "2029-01-01", "start": "05:15", "end": "23:45", "page": 0}
WRONG |= {"attendees": 60, "minSeats": 0, "text": "x", "email": "nobody.example"}


class _Agent:
    def __init__(self, state: State, random: Random) -> None:
        self.s, self.random, self.house, self.given = state, random, _House(state), Row()

    def usable(self, tool: str, row: Row) -> bool:
        today, time, state = self.house.now["date"], self.house.now["time"], row.get("status")
        if tool == "pauseMembership":
            return state == "active" and not self.house.ahead(row["id"])
        if tool == "createBooking" and "kind" in row:
            owner = self.s["members"].get(self.given["memberId"], {"plan": "daily"})
            return row["kind"] in ALLOWED[owner["plan"]] and not row["outOfService"]
        if tool == "checkIn":
            soon = clock(minutes(time) + 30)
            return state == "confirmed" and row["date"] == today and row["start"] <= soon
        if tool == "cancelBooking":
            return state == "confirmed" and (row["date"], row["start"]) > (today, time)
        need = {"resumeMembership": "paused", "topUpCredits": "active", "handOverParcel": "waiting"}
        return bool(state == {**need, "createBooking": "active"}.get(tool, state))

    def pick(self, tool: str, name: str, wrong: bool) -> str:
        rows, parcel = self.s[TABLES[name]], self.s["parcels"].get(self.given.get("parcelId", ""))
        fits = [key for key, row in rows.items() if self.usable(tool, row) != wrong]
        if wrong and (not fits or self.random.random() < 0.4):
            return f"{next(iter(rows)).split('-')[0]}-{self.random.randint(7001, 9999)}"
        mine = [parcel["memberId"]] if parcel and name == "collectedBy" and not wrong else fits
        return str(self.random.choice(mine or list(rows)))

    def value(self, name: str) -> Any:
        who, pick = self.random.choice(list(self.s["members"].values())), self.random.choice
        space = self.s["spaces"].get(self.given.get("spaceId", ""), next(iter(self.s["spaces"].values())))
        days = [one for i in range(1, 8) if (one := self.house.today + timedelta(days=i)).weekday() < 5]
        taken = [one["start"] for one in self.house.busy(space["id"], self.given.get("date", ""))]
        start = pick([one for one in ("09:00", "10:30", "13:00", "15:30") if one not in taken] or ["16:30"])
        end = clock(minutes(self.given.get("start", start)) + 60)
        known: Row = {"date": str(pick(days)), "until": str(days[-1]), "start": start, "end": end, "page": 1}
        known |= {"name": f"{pick(FIRST)} {pick(LAST)}", "text": who["name"][: pick([3, 5])], "attendees": 1}
        known |= {"email": f"{pick(FIRST)}{len(who)}@{pick(LAST)}.example", "company": pick(COMPANIES[:3])}
        return {**known, "minSeats": pick([2, 4, 8])}[name]

    def arguments(self, tool: str, schema: Row) -> Row:
        names = [n for n in schema["properties"] if n in schema["required"] or self.random.random() < 0.35]
        wrong = self.random.choice(names) if names and self.random.random() < 0.26 else ""
        for one in names:
            choices = schema["properties"][one].get("enum")
            if one in TABLES:
                self.given[one] = self.pick(tool, one, one == wrong)
            elif choices:
                self.given[one] = "premium" if one == wrong else self.random.choice(choices)
            else:
                self.given[one] = WRONG.get(one, "") if one == wrong else self.value(one)
        return self.given


class Coworking:
    name = "coworking"
    tools = TOOLS

    def begin(self, random: Random) -> State:
        s: State = {table: {} for table in ("locations", "spaces", "members", "bookings", "parcels")}
        today = date(2032, 3, 1) + timedelta(days=7 * random.randint(0, 30) + random.randint(0, 4))
        s["clock"] = {"now": {"date": str(today), "time": random.choice(["09:30", "11:00", "13:30"])}}
        for key, name, city in PLACES:
            hours = {"opens": random.choice(["07:00", "08:00"]), "closes": random.choice(["19:00", "21:00"])}
            days = list(range(random.choice([5, 5, 6])))
            s["locations"][key] = {"id": key, "name": name, "city": city, **hours, "openOn": days}
        house = _House(s)
        for i in range(random.randint(16, 22)):
            kind = random.choice([*KINDS, "desk"])
            seats = 1 if kind in ("desk", "phoneBooth") else random.choice([4, 6, 8, 12])
            more: Row = {"creditsPerHour": KINDS[kind] + seats // 4, "outOfService": i % 9 == 8}
            more |= {"amenities": random.sample(AMENITIES, 2), "name": f"{kind[0].upper()}{i + 1}"}
            house.add("spaces", "sp", locationId=PLACES[i % 3][0], kind=kind, seats=seats, **more)
        pairs = [(first, last) for first in FIRST for last in LAST]
        for first, last in random.sample(pairs, random.randint(22, 30)):
            status = random.choice([*MEMBER_STATES, "active", "active", "active", "active"])
            until = str(today + timedelta(days=random.randint(3, 90))) if status == "paused" else None
            who: Row = {"name": f"{first} {last}", "email": f"{first}.{last}@mail.example".lower()}
            terms = {"plan": random.choice(list(PLANS)), "status": status, "credits": random.randint(0, 120)}
            who |= {"homeLocationId": random.choice(PLACES)[0], "company": random.choice(COMPANIES)}
            house.add("members", "m", **who, **terms, pausedUntil=until)
        for _ in range(random.randint(50, 70)):
            self._booking(house, random)
        for _ in range(random.randint(10, 16)):
            member, gone = random.choice(list(s["members"].values())), random.random() < 0.4
            parcel = {"memberId": member["id"], "locationId": member["homeLocationId"]}
            parcel |= {"arrivedOn": str(today - timedelta(days=9 - len(s["parcels"]) // 2))}
            status, collector = ("collected", member["id"]) if gone else ("waiting", None)
            house.add("parcels", "p", **parcel, status=status, collectedBy=collector)
        return s

    def _booking(self, house: _House, random: Random) -> None:
        member, now = random.choice(list(house.s["members"].values())), (house.now["date"], house.now["time"])
        spaces = [one for one in house.s["spaces"].values() if one["kind"] in ALLOWED[member["plan"]]]
        space, shift = random.choice(spaces), random.choice([*range(-5, 8), *[0] * 9])
        day, near = str(house.today + timedelta(days=shift)), minutes(house.now["time"])
        first = near + random.choice([-30, 0, 30, 30, 150]) if shift == 0 else random.randrange(480, 1020, 30)
        start, end = clock(first), clock(first + random.choice([30, 60, 120]))
        past, began = (day, end) <= now, (day, start) <= now
        states = ["checkedIn", "confirmed", "confirmed"] if began else ["confirmed", "confirmed", "cancelled"]
        status = random.choice(["finished", "finished", "cancelled"] if past else states)
        if space["outOfService"] or (member["status"] != "active" and not past):
            return
        try:
            house.hold(space, day, start, end)
        except RefusedError:
            return
        what = {"memberId": member["id"], "spaceId": space["id"], "date": day, "start": start, "end": end}
        credits = house.price(member, space, minutes(end) - first)
        house.add("bookings", "b", **what, attendees=1, status=status, credits=credits)

    def call(self, state: State, tool: str, arguments: dict[str, Any]) -> Any:
        schema = next(one["input_schema"] for one in TOOLS if one["name"] == tool)
        for key, value in arguments.items():
            rule = schema["properties"].get(key, {"enum": []})
            if value not in rule.get("enum", [value]) or ("minimum" in rule and value < rule["minimum"]):
                raise refuse("INVALID_ARGUMENT", f"{key} cannot be {value!r}")
        if not set(schema["required"]) <= set(arguments):
            raise refuse("MISSING_ARGUMENT", f"required are {', '.join(schema['required'])}")
        return deepcopy(OPERATIONS[tool](_House(state), arguments))

    def next_call(self, state: State, random: Random) -> Call:
        tool = random.choice(TOOLS)
        return Call(tool["name"], _Agent(state, random).arguments(tool["name"], tool["input_schema"]))
