"""A gym: members on plans, trainers, classes with bookings and waitlists, lockers."""

import re
from collections.abc import Callable
from contextlib import suppress
from copy import deepcopy
from datetime import datetime, timedelta
from inspect import Parameter, signature
from random import Random
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

from benchmarks.reference.back_end import Call, RefusedError, State

Row = dict[str, Any]
Operation = Callable[..., Any]

MemberId = Annotated[str, {"description": "Member number, M- and four digits"}]
ClassId = Annotated[str, {"description": "Class number, e.g. K-214"}]
BookingId = Annotated[str, {"description": "Booking number, e.g. B-5020"}]
Plan = Literal["FLEX", "OFFPEAK", "UNLIMITED"]
Membership = Literal["active", "frozen", "ended"]
Style = Literal["yoga", "spinning", "boxing", "pilates", "mobility"]
Zone = Literal["ground-floor", "gallery", "pool"]
Room = Literal["studio-1", "studio-2", "loft"]
Minutes = Annotated[int, {"enum": [30, 45, 60, 90]}]
Day = Annotated[str, {"description": "YYYY-MM-DD", "format": "date"}]
Moment = Annotated[str, {"description": "Local time as YYYY-MM-DDTHH:MM"}]
Pack = Annotated[int, {"enum": [5, 10, 20], "description": "Number of credits in the pack"}]
Weeks = Annotated[int, {"minimum": 1, "maximum": 12}]

TAKEN = ("booked", "attended", "missed")
PRICES = {5: 4500, 10: 8000, 20: 14000}
ROOMS = {"studio-1": 10, "studio-2": 6, "loft": 3}
FIRST = ["Anouk", "Bram", "Cyra", "Desmond", "Elif", "Fenna", "Goran", "Hanneke", "Ivo", "Jolanta", "Kenji"]
LAST = ["Adeyemi", "Brouwer", "Castellano", "Dragomir", "Eklund", "Faber", "Grzelak", "Hakimi", "Ibsen"]
TYPES: dict[Any, str] = {str: "string", int: "integer", bool: "boolean"}
NUMBERS = {"member": ("M", 1001), "class": ("K", 201), "booking": ("B", 5001)}
TOOLS: list[Row] = []
WEIGHTS = [11, 10, 4, 5, 4, 3, 5, 10, 9, 3, 7, 3, 14, 9, 8, 5, 4]


def _schema(kind: Any) -> Row:
    kind = get_args(kind)[0] if get_origin(kind) is Union else kind
    base, *more = get_args(kind) if get_origin(kind) is Annotated else [kind]
    if get_origin(base) is Literal:
        return {"type": "string", "enum": list(get_args(base))}
    return {"type": TYPES[base], **(more[0] if more else {})}


def _shape(**fields: Any) -> Row:
    properties = {name: one if isinstance(one, dict) else _schema(one) for name, one in fields.items()}
    return {"type": "object", "properties": properties, "required": list(fields)}


def _camel(name: str) -> str:
    return re.sub("_(.)", lambda found: str(found[1]).upper(), name)


def _snake(name: str) -> str:
    return re.sub("[A-Z]", lambda found: f"_{found[0].lower()}", name)


def _operation(answers: Row | None = None) -> Callable[[Operation], Operation]:
    """Publish a method: the input schema comes of its signature, the description is what it says of itself."""

    def publish(act: Operation) -> Operation:
        hints, known = get_type_hints(act, include_extras=True), list(signature(act).parameters.values())[1:]
        takes = _shape(**{_camel(one.name): hints[one.name] for one in known})
        takes["required"] = [_camel(one.name) for one in known if one.default is Parameter.empty]
        tool = {"name": _camel(act.__name__), "description": " ".join((act.__doc__ or "").split())}
        TOOLS.append({**tool, "input_schema": takes, **({"output_schema": answers} if answers else {})})
        return act

    return publish


MEMBER = _shape(id=str, firstName=str, lastName=str, email=str, plan=Plan, status=Membership, credits=int)
MEMBER["properties"]["frozenUntil"] = {"type": ["string", "null"], "description": "null unless frozen"}
CLASS = _shape(id=str, discipline=str, trainerId=str, room=Room, startsAt=str, minutes=int, capacity=int)
CLASS["properties"].update(status={"enum": ["scheduled", "cancelled"]}, spotsLeft={"type": "integer"})


def _overlap(*sessions: Row) -> bool:
    """Say whether the first of two classes ends after the second begins."""
    first, second = sorted(sessions, key=lambda one: str(one["startsAt"]))
    ends = datetime.fromisoformat(first["startsAt"]) + timedelta(minutes=first["minutes"])
    return ends > datetime.fromisoformat(second["startsAt"])


class FrontDesk:
    """What can be done at the desk. Times are texts of equal form, so that they compare like what they stand for."""

    def __init__(self, db: State) -> None:
        self.db, self.clock = db, db["desk"]["clock"]

    def _get(self, kind: str, key: str) -> Row:
        if key not in self.db[kind]:
            raise RefusedError(f"{kind.upper()}_NOT_FOUND: no {kind} with number {key}")
        return self.db[kind][key]

    def _add(self, kind: str, **fields: Any) -> Row:
        key = f"{NUMBERS[kind][0]}-{NUMBERS[kind][1] + len(self.db[kind])}"
        return self.db[kind].setdefault(key, {"id": key, **fields})

    def day(self, **later: int) -> str:
        return (datetime.fromisoformat(self.clock["now"]) + timedelta(**later)).date().isoformat()

    def _bookings(self, *statuses: str, **wanted: str) -> list[Row]:
        found = [one for one in self.db["booking"].values() if one["status"] in statuses]
        return [one for one in found if all(one[name] == value for name, value in wanted.items())]

    def _upcoming(self, member_id: str) -> list[Row]:
        found = self._bookings("booked", "waitlisted", memberId=member_id)
        dated = [{**one, "startsAt": self.db["class"][one["classId"]]["startsAt"]} for one in found]
        return [one for one in dated if one["startsAt"] > self.clock["now"]]

    def _active(self, member_id: str) -> Row:
        member = self._get("member", member_id)
        if member["status"] != "active":
            raise RefusedError(f"MEMBER_NOT_ACTIVE: membership of {member_id} is {member['status']}")
        return member

    def _ahead(self, session: Row) -> bool:
        return bool(session["status"] == "scheduled" and session["startsAt"] > self.clock["now"])

    def _open(self, class_id: str) -> Row:
        session = self._get("class", class_id)
        if not self._ahead(session):
            raise RefusedError(f"CLASS_NOT_OPEN: {class_id} is cancelled or has already started")
        return session

    def _refund(self, booking: Row) -> int:
        self.db["member"][booking["memberId"]]["credits"] += booking["creditsPaid"]
        return int(booking["creditsPaid"])

    @_operation()
    def get_member(self, member_id: MemberId) -> Any:
        """Fetch a member with all the desk wants to see: contact data, plan, credits, the number of their locker (null
        if they have none) and their upcoming bookings, places on waitlists included.
        """
        member = self._get("member", member_id)
        locker = [one["id"] for one in self.db["locker"].values() if one["memberId"] == member_id]
        return {**member, "locker": locker[0] if locker else None, "upcoming": self._upcoming(member_id)}

    @_operation(_shape(items={"type": "array", "items": MEMBER}, count=int))
    def find_members(self, text: str = "", plan: Plan | None = None, status: Membership | None = None) -> Any:
        """Search members by part of a name or e-mail address, by plan and by status; what is left out does not matter.
        At most 20 are returned, ordered by last name; `count` tells how many there are altogether.
        """
        found = [one for one in self.db["member"].values() if plan in (None, one["plan"])]
        found = [one for one in found if status in (None, one["status"])]
        names = {one["id"]: f"{one['firstName']} {one['lastName']} {one['email']}".lower() for one in found}
        found = [one for one in found if text.lower() in names[one["id"]]]
        return {"items": sorted(found, key=lambda one: str(one["lastName"]))[:20], "count": len(found)}

    @_operation(MEMBER)
    def register_member(self, first_name: str, last_name: str, email: str, plan: Plan) -> Any:
        """Sign up a new member, active at once. The e-mail address must be valid and not in use by another member,
        former ones included (EMAIL_TAKEN). FLEX members are given 2 class credits to start with.
        """
        if not re.fullmatch(r"[^@\s]+@[^@\s]+\.[a-z]+", email.lower()):
            raise RefusedError(f"INVALID_EMAIL: {email}")
        if email.lower() in [one["email"] for one in self.db["member"].values()]:
            raise RefusedError(f"EMAIL_TAKEN: {email} belongs to another member")
        known = {"firstName": first_name, "lastName": last_name, "email": email.lower(), "plan": plan}
        return self._add("member", **known, status="active", credits=2 * (plan == "FLEX"), frozenUntil=None)

    @_operation()
    def change_plan(self, member_id: MemberId, plan: Plan) -> Any:
        """Move an active member to a different plan, effective immediately: FLEX pays one credit per class, OFFPEAK is
        for classes starting before 16:00 only, UNLIMITED has no restrictions. Unused credits are kept. Going OFFPEAK is
        refused while the member has upcoming bookings for classes at 16:00 or later. Returns the member.
        """
        member = self._active(member_id)
        if member["plan"] == plan:
            raise RefusedError(f"SAME_PLAN: {member_id} is already on {plan}")
        late = [one["id"] for one in self._upcoming(member_id) if one["startsAt"][11:] >= "16:00"]
        if plan == "OFFPEAK" and late:
            raise RefusedError(f"PEAK_BOOKINGS: cancel {', '.join(late)} first")
        member["plan"] = plan
        return member

    @_operation(_shape(memberId=str, status=Membership, frozenUntil=str))
    def freeze_membership(self, member_id: MemberId, weeks: Weeks) -> Any:
        """Put an active membership on hold for 1 to 12 weeks from today. The member must not have upcoming bookings
        or waitlist places; cancel those beforehand. A locker is kept.
        """
        member = self._active(member_id)
        if self._upcoming(member_id):
            raise RefusedError(f"HAS_BOOKINGS: {member_id} still has upcoming bookings")
        member.update(status="frozen", frozenUntil=self.day(weeks=weeks))
        return {"memberId": member_id, "status": "frozen", "frozenUntil": member["frozenUntil"]}

    @_operation()
    def resume_membership(self, member_id: MemberId) -> Any:
        """End a freeze early."""
        member = self._get("member", member_id)
        if member["status"] != "frozen":
            raise RefusedError(f"NOT_FROZEN: membership of {member_id} is {member['status']}")
        member.update(status="active", frozenUntil=None)
        return {"memberId": member_id, "status": "active"}

    @_operation(_shape(memberId=str, credits=int, chargedCents=int))
    def sell_credits(self, member_id: MemberId, pack: Pack) -> Any:
        """Sell a pack of class credits to an active FLEX member; members on other plans do not need any. 5 cost 45.00,
        10 cost 80.00 and 20 cost 140.00. No sale may bring the balance above 30. Returns the new balance.
        """
        member = self._active(member_id)
        if member["plan"] != "FLEX" or member["credits"] + pack > 30:
            raise RefusedError(f"CREDITS_NOT_SOLD: plan {member['plan']}, balance {member['credits']}")
        member["credits"] += pack
        return {"memberId": member_id, "credits": member["credits"], "chargedCents": PRICES[pack]}

    @_operation(_shape(items={"type": "array", "items": CLASS}, count=int))
    def list_classes(self, day: Day = "", discipline: Style | None = None, bookable: bool = False) -> Any:
        """The timetable in order of start, past and cancelled classes included. Narrow it down by day and discipline;
        with `bookable` true there are only classes that have not started, are not cancelled and have a spot left.
        """
        datetime.fromisoformat(day or self.clock["now"])
        found = sorted(self.db["class"].values(), key=lambda one: f"{one['startsAt']} {one['id']}")
        found = [self._with_spots(one) for one in found if day in ("", one["startsAt"][:10])]
        found = [one for one in found if discipline in (None, one["discipline"])]
        if bookable:
            found = [one for one in found if one["spotsLeft"] > 0 and self._ahead(one)]
        return {"items": found, "count": len(found)}

    def _with_spots(self, session: Row) -> Row:
        took = self._bookings(*TAKEN, classId=session["id"])
        return {**session, "spotsLeft": session["capacity"] - len(took)}

    @_operation()
    def get_class(self, class_id: ClassId) -> Any:
        """One class with trainer name, participants, and the waitlist in the order in which people will move up."""
        session, lists = self._get("class", class_id), {}
        for name, statuses in {"participants": TAKEN, "waitlist": ("waitlisted",)}.items():
            found = self._bookings(*statuses, classId=class_id)
            lists[name] = [{one: booking[one] for one in ("id", "memberId", "status")} for booking in found]
        trainer = self.db["trainer"][session["trainerId"]]["name"]
        return {**self._with_spots(session), "trainer": trainer, **lists}

    @_operation()
    def list_trainers(self, discipline: Style | None = None) -> Any:
        """Trainers with their ids and what they teach, all of them or those for one discipline."""
        trainers = list(self.db["trainer"].values())
        return [one for one in trainers if discipline in (None, *one["disciplines"])]

    @_operation(CLASS)
    def schedule_class(
        self, discipline: Style, trainer_id: str, room: Room, starts_at: Moment, minutes: Minutes
    ) -> Any:
        """Put a class on the timetable. It starts between 06:00 and 21:00 on the full or half hour, later than now and
        within the next 28 days. The trainer must teach the discipline (NOT_QUALIFIED); trainer and room must be free
        for the whole time (CONFLICT). The room decides on the capacity: 10 in studio-1, 6 in studio-2, 3 in the loft.
        """
        if discipline not in self._get("trainer", trainer_id)["disciplines"]:
            raise RefusedError(f"NOT_QUALIFIED: {trainer_id} does not teach {discipline}")
        if not re.fullmatch(r"\d{4}-\d\d-\d\dT((0[6-9]|1\d|20):[03]0|21:00)", starts_at):
            raise RefusedError(f"INVALID_START: {starts_at}")
        if not self.clock["now"] < starts_at < self.day(days=29):
            raise RefusedError(f"INVALID_START: {starts_at} is not within the next 28 days")
        known: Row = {"discipline": discipline, "trainerId": trainer_id, "room": room, "startsAt": starts_at}
        known.update(minutes=minutes, capacity=ROOMS[room], status="scheduled")
        for other in self.db["class"].values():
            shared = other["room"] == room or other["trainerId"] == trainer_id
            if shared and other["status"] == "scheduled" and _overlap(known, other):
                raise RefusedError(f"CONFLICT: room or trainer is busy with {other['id']} at the time")
        return self._with_spots(self._add("class", **known))

    @_operation()
    def cancel_class(self, class_id: ClassId) -> Any:
        """Call off a class that has not started. All its bookings and waitlist places are cancelled, and credits paid
        for them given back. Returns how many bookings and credits that were.
        """
        self._open(class_id)["status"] = "cancelled"
        dropped = self._bookings("booked", "waitlisted", classId=class_id)
        for booking in dropped:
            booking["status"] = "cancelled"
        refunded = sum(self._refund(one) for one in dropped)
        return {"cancelledBookings": len(dropped), "refundedCredits": refunded}

    @_operation(_shape(bookingId=str, status=str, creditsLeft=int))
    def book_class(self, member_id: MemberId, class_id: ClassId, waitlist: bool = False) -> Any:
        """Book an active member into a class that has not started. If it is full, set `waitlist` to put them on the
        waitlist (up to 3 people) instead of failing with CLASS_FULL. FLEX members pay one credit right away, also for
        the waitlist; OFFPEAK members can only book classes that start before 16:00. Refused as well if the
        member is in this class already, or booked or waitlisted for another one at the time.
        """
        member, session = self._active(member_id), self._open(class_id)
        if any(_overlap(session, self.db["class"][one["classId"]]) for one in self._upcoming(member_id)):
            raise RefusedError(f"OVERLAP: {member_id} is booked for this or another class at the time")
        if member["plan"] == "OFFPEAK" and session["startsAt"][11:] >= "16:00":
            raise RefusedError("PEAK_CLASS: not included in plan OFFPEAK")
        price = int(member["plan"] == "FLEX")
        if member["credits"] < price:
            raise RefusedError(f"NO_CREDITS: {member_id} has no class credits left")
        full = self._with_spots(session)["spotsLeft"] <= 0
        if full and (not waitlist or len(self._bookings("waitlisted", classId=class_id)) >= 3):
            raise RefusedError(f"CLASS_FULL: {class_id}" + (", waitlist included" if waitlist else ""))
        member["credits"] -= price
        status = "waitlisted" if full else "booked"
        made = self._add("booking", memberId=member_id, classId=class_id, status=status, creditsPaid=price)
        return {"bookingId": made["id"], "status": status, "creditsLeft": member["credits"]}

    @_operation()
    def cancel_booking(self, booking_id: BookingId) -> Any:
        """Cancel a booking or waitlist place before the class starts. A credit paid for it is returned, except for a
        booked spot given up on the day of the class. The first on the waitlist moves up into a spot that becomes free;
        `promotedBookingId` says who, or is null.
        """
        booking = self._get("booking", booking_id)
        if booking["status"] not in ("booked", "waitlisted"):
            raise RefusedError(f"NOT_CANCELLABLE: {booking_id} is {booking['status']}")
        starts, spot = self._open(booking["classId"])["startsAt"], booking["status"] == "booked"
        refunded = 0 if spot and starts.startswith(self.day()) else self._refund(booking)
        booking["status"] = "cancelled"
        waiting = self._bookings("waitlisted", classId=booking["classId"]) if spot else []
        for first in waiting[:1]:
            first["status"] = "booked"
        return {"refundedCredits": refunded, "promotedBookingId": waiting[0]["id"] if waiting else None}

    @_operation(_shape(bookingId=str, status=str))
    def record_attendance(self, booking_id: BookingId, showed_up: bool) -> Any:
        """Note whether a member came to a class, once it has started. The booking turns from booked into attended or
        missed, which can be corrected by calling this again. Waitlisted and cancelled bookings are refused.
        """
        booking = self._get("booking", booking_id)
        if booking["status"] not in TAKEN:
            raise RefusedError(f"NO_ATTENDANCE: {booking_id} is {booking['status']}")
        if self.db["class"][booking["classId"]]["startsAt"] > self.clock["now"]:
            raise RefusedError(f"NO_ATTENDANCE: {booking['classId']} has not started")
        booking["status"] = "attended" if showed_up else "missed"
        return {"bookingId": booking_id, "status": booking["status"]}

    @_operation(_shape(lockerId=str, zone=Zone))
    def assign_locker(self, member_id: MemberId, zone: Zone) -> Any:
        """Give an active member the free locker with the lowest number in a zone. One locker per member."""
        self._active(member_id)
        if member_id in [one["memberId"] for one in self.db["locker"].values()]:
            raise RefusedError(f"HAS_LOCKER: {member_id} has a locker already")
        for locker in self.db["locker"].values():
            if locker["zone"] == zone and locker["memberId"] is None and not locker["outOfOrder"]:
                locker["memberId"] = member_id
                return {"lockerId": locker["id"], "zone": zone}
        raise RefusedError(f"NO_LOCKER_FREE: in {zone}")

    @_operation()
    def release_locker(self, locker_id: str) -> Any:
        """Take a locker (L- and two digits) back from whoever has it; also tells who that was."""
        locker = self._get("locker", locker_id)
        if locker["memberId"] is None:
            raise RefusedError(f"LOCKER_EMPTY: {locker_id} is not in use")
        before, locker["memberId"] = locker["memberId"], None
        return {"lockerId": locker_id, "releasedFrom": before}


def _draw(db: State, random: Random, name: str, rule: Row) -> Any:
    """Draw a plausible argument."""
    if name.endswith("Id"):
        return random.choice(list(db[name[:-2]]))
    if "maximum" in rule:
        return random.randint(rule["minimum"], rule["maximum"])
    first, last, day = random.choice(FIRST), random.choice(LAST), FrontDesk(db).day(days=random.randint(0, 7))
    texts = {"day": day, "startsAt": f"{day}T{random.randint(7, 20):02}:{random.choice(['00', '30'])}"}
    texts.update(firstName=first, lastName=last, text=random.choice([first, last]))
    texts["email"] = f"{first}{random.randint(1, 99)}@mailbox.example".lower()
    return texts[name] if name in texts else random.choice(rule.get("enum", [True, True, False]))


def _spoil(name: str, value: Any, rule: Row) -> Any:
    """Make an argument wrong, if it can be."""
    if name.endswith("Id"):
        return f"{value[:2]}9{value[3:]}"
    if "enum" in rule or "maximum" in rule:
        return "platinum" if rule["type"] == "string" else 99
    return value.replace("@", " at ").replace("-", "/") if isinstance(value, str) else value


INPUTS = {tool["name"]: tool["input_schema"] for tool in TOOLS}


class Gym:
    name = "gym"
    tools = TOOLS

    def begin(self, random: Random) -> State:
        start = datetime.fromisoformat("2032-02-02T09:30") + timedelta(days=random.randrange(200))
        db: State = {kind: {} for kind in ("member", "trainer", "class", "booking", "locker")}
        db["desk"] = {"clock": {"now": start.isoformat()[:16]}}
        desk, people = FrontDesk(db), random.sample([(one, two) for one in FIRST for two in LAST], 50)
        for i, (first, last) in enumerate(people[:6]):
            trainer = {"id": f"T-{i + 11}", "name": f"{first} {last}"}
            db["trainer"][trainer["id"]] = {**trainer, "disciplines": random.sample(get_args(Style), 3)}
        for i in range(24):
            locker = {"id": f"L-{i + 1:02}", "zone": get_args(Zone)[i // 8], "memberId": None}
            db["locker"][f"L-{i + 1:02}"] = {**locker, "outOfOrder": random.random() < 0.1}
        for first, last in people[6 : random.randint(36, 48)]:
            plan = random.choice(get_args(Plan))
            member = desk.register_member(first, last, f"{first}.{last}@mailbox.example", plan)
            member["credits"] = random.randint(1, 9) if plan == "FLEX" else random.choice([0, 0, 3])
        self._live(db, random, scheduleClass=40, bookClass=68, assignLocker=14, cancelClass=2)
        db["desk"]["clock"]["now"] = (start + timedelta(days=4, hours=random.randrange(6))).isoformat()[:16]
        self._live(db, random, recordAttendance=60, freezeMembership=5, bookClass=15, cancelBooking=4)
        for member in random.sample(list(db["member"].values()), 12):
            seen = desk.get_member(member["id"])
            if not seen["upcoming"] and not seen["locker"] and member["status"] == "active":
                member["status"] = "ended"
        return db

    def _live(self, db: State, random: Random, **times: int) -> None:
        """Make a past: let people try things, whether or not they succeed."""
        for name in [name for name, count in times.items() for _ in range(count)]:
            with suppress(RefusedError):
                self.call(db, name, self._arguments(db, random, name))

    def _arguments(self, db: State, random: Random, tool: str) -> Row:
        rules, required = INPUTS[tool]["properties"], INPUTS[tool]["required"]
        names = [name for name in rules if name in required or random.random() < 0.5]
        return {name: _draw(db, random, name, rules[name]) for name in names}

    def call(self, state: State, tool: str, arguments: dict[str, Any]) -> Any:
        given = {}
        for name in {**dict.fromkeys(INPUTS[tool]["required"]), **arguments}:
            rule, value = INPUTS[tool]["properties"].get(name), arguments.get(name)
            if rule is None or value is None:
                raise RefusedError(f"BAD_REQUEST: {name} is {'unknown' if rule is None else 'missing'}")
            allowed = range(1, rule["maximum"] + 1) if "maximum" in rule else rule.get("enum", [value])
            if value not in allowed:
                raise RefusedError(f"BAD_REQUEST: {value!r} is not allowed for {name}")
            given[_snake(name)] = value
        try:
            return deepcopy(getattr(FrontDesk(state), _snake(tool))(**given))
        except ValueError as error:
            raise RefusedError(f"BAD_REQUEST: {error}") from None

    def next_call(self, state: State, random: Random) -> Call:
        tool, wrong = random.choices(list(INPUTS), WEIGHTS)[0], random.random() < 0.22
        for _ in range(40):
            arguments = self._arguments(state, random, tool)
            if wrong and arguments and random.random() < 0.5:
                name = random.choice(list(arguments))
                arguments[name] = _spoil(name, arguments[name], INPUTS[tool]["properties"][name])
            refused = True
            with suppress(RefusedError):
                self.call(deepcopy(state), tool, arguments)
                refused = False
            if refused == wrong:
                break
        return Call(tool, arguments)
