"""The office of a small charity: donors, their gifts and receipts, appeals, and volunteers on shifts."""

import re
from collections.abc import Callable
from copy import deepcopy
from datetime import date, timedelta
from random import Random
from typing import Any

from benchmarks.reference.back_end import Call, RefusedError, State

Entity = dict[str, Any]
SKILLS = ["driving", "cooking", "first_aid", "tutoring", "gardening"]
SITES = {"Mill Street Pantry": "Ostbridge", "Old Chapel Kitchen": "Wexcombe", "Quay Club": "Pollsand"}
TOWNS = ["Ostbridge", "Wexcombe", "Pollsand", "Nether Harl"]
GIVEN = ["Maud", "Tobias", "Ifeoma", "Rhys", "Salma", "Gideon", "Jonas", "Wanda", "Idris", "Noor", "Celia"]
FAMILY = ["Ashdown", "Brannock", "Okafor", "Pellew", "Tarrant", "Vasquez", "Whitlow", "Yilmaz", "Quill"]
APPEALS = ["Warm Rooms", "School Breakfasts", "A New Van", "Pantry Roof", "Summer Outings", "Seedlings"]
TASKS = ["Food parcels", "Lunch service", "Homework club", "Collection round", "Raised beds"]
REASONS = ["Entered twice by mistake", "Donor paid the wrong amount", "Card used without consent"]
AMOUNTS = [400, 1_000, 1_500, 2_500, 2_500, 5_000, 7_500, 10_000, 12_000, 30_000, 125_000]


def _one_of(*values: str) -> Entity:
    return {"type": "string", "enum": [*values]}


DAY, WHOLE = {"type": "string", "format": "date", "pattern": r"^\d{4}-\d\d-\d\d$"}, {"type": "integer"}
STRINGS = {"type": "array", "items": {"type": "string"}}
CENTS = {"type": "integer", "description": "Pence, so 2500 is £25.00"}
SAMPLES = {"donor": "D-142", "donation": "G-391", "appeal": "AP-107", "volunteer": "V-131"}
SAMPLES |= {"shift": "S-118", "signup": "SU-402"}
CHOICES = {"method": ["card", "bank_transfer", "cash", "cheque"], "kind": ["donor", "volunteer"]}
CHOICES |= {"mailings": ["all", "receipts_only", "none"], "start": ["09:00", "13:00", "18:00"]}
CHOICES |= {"skill": SKILLS, "site": list(SITES)}
FIELDS: Entity = {one: {"type": "string", "enum": known} for one, known in CHOICES.items()}
FIELDS |= {f"{a}Id": {"type": "string", "description": f"Like {b}"} for a, b in SAMPLES.items()}
FIELDS |= {
    "email": {"type": "string", "format": "email", "pattern": r"^[^@\s]+@[^@\s]+\.\w+$"},
    "query": {"type": "string", "minLength": 2},
    "reason": {"type": "string", "minLength": 5},
    "giftAid": {"type": "boolean", "description": "Has signed a Gift Aid declaration"},
    "amountCents": {**CENTS, "minimum": 100, "maximum": 5_000_000},
    "hoursGiven": {"type": "number"},
    "pledge": {"type": "boolean", "default": False},
    "limit": {"type": "integer", "minimum": 1, "maximum": 50, "default": 20},
    "hours": {"type": "number", "minimum": 0.5, "maximum": 8, "description": "Hours worked, if attended"},
    "onlyWithSpace": {"type": "boolean", "description": "Leave out those nobody can be booked onto"},
}
FIELDS |= dict.fromkeys(["since", "from", "to", "date", "opens", "closes", "today"], DAY)
FIELDS |= dict.fromkeys(["gifts", "openPledges", "count", "total", "places", "freePlaces", "noShows"], WHOLE)
FIELDS |= {"donationIds": STRINGS, "skills": STRINGS, "cancelled": {"type": "boolean"}}


def _fields(names: str, special: Entity) -> Entity:
    plain = {one: CENTS if one.endswith("Cents") else {"type": "string"} for one in names.split()}
    plain |= {one: DAY for one in plain if one.endswith("On")}
    return {one: FIELDS.get(one, rule) for one, rule in plain.items()} | special


def _record(names: str, **special: Entity) -> Entity:
    """Describe an answer; what is marked with ? may be null."""
    fields = _fields(names.replace("?", ""), special)
    for one in [one[:-1] for one in names.split() if one[-1] == "?"]:
        fields[one] = {"anyOf": [fields[one], {"type": "null"}]}
    return {"type": "object", "properties": fields, "required": list(fields)}


def _operation(name: str, about: str, takes: str, answers: Entity | None, **special: Entity) -> Entity:
    """Describe a tool; an argument marked with ? may be left out."""
    schema = {"type": "object", "properties": _fields(takes.replace("?", ""), special)}
    required = [one for one in takes.split() if one[-1] != "?"]
    tool = {"name": name, "description": about, "input_schema": {**schema, "required": required}}
    return tool if answers is None else {**tool, "output_schema": answers}


PAID = _one_of("pledged", "received", "receipted", "refunded", "written_off")
STAGE, SETTLED = _one_of("planned", "running", "closed"), _one_of("received", "written_off")
STANDING = _one_of("active", "paused", "left")
BOOKED, CLOSED = (_one_of(*one, "attended", "no_show", "withdrawn") for one in (["booked"], []))
DONOR = _record("id name email town giftAid mailings since")
GIVING = _record("gifts totalCents openPledges lastGiftOn?")
GIFT = _record("id donorId appealId? amountCents method recordedOn receivedOn? receipt? reason?", status=PAID)
APPEAL = _record("id title opens closes goalCents raisedCents pledgedCents", status=STAGE)
RECEIPT = _record("id donorId donationIds totalCents issuedOn")
SIGNUP = _record("id shiftId volunteerId bookedOn hours?", status=BOOKED)
SHIFT = _record("id title site date start skill? places freePlaces cancelled")
VOLUNTEER = _record("id name email town skills hoursGiven noShows", status=STANDING)
LISTED = (_record("id kind name email town"), GIFT, APPEAL, SHIFT, SIGNUP)
PEOPLE, GIFTS, APPEALED, SHIFTS, BOOKINGS = ({"type": "array", "items": one} for one in LISTED)

TOOLS = [
    _operation("findPeople", "Search donors and volunteers together, in name, e-mail address and town, ignoring "
        "case. Sorted by name; `total` counts also those beyond the limit. Somebody who both gives and helps appears "
        "twice.", "query kind? limit?", _record("total", people=PEOPLE)),
    _operation("getDonor", "One donor, with a summary of their giving. Pledges not yet paid, refunded and written-off "
        "gifts do not count towards `gifts` and `totalCents`.", "donorId", _record("", donor=DONOR, giving=GIVING)),
    _operation("updateDonor", "Correct a donor's e-mail address, town, Gift Aid declaration or mailing preference, at "
        "least one. The address must not be another donor's.", "donorId email? town? giftAid? mailings?", DONOR),
    _operation("listAppeals", "Fundraising appeals in order of opening, with what has come in for each and what is "
        "still only pledged.", "status?", _record("", appeals=APPEALED), status=STAGE),
    _operation("recordDonation", "Enter a gift dated today. Leave out appealId for general funds; a named appeal must "
        "be running. With pledge=true it is only promised and counts as raised once settlePledge says the money came. "
        "Cash above £2,000.00 is not accepted.", "donorId amountCents method appealId? pledge?", GIFT),
    _operation("listDonations", "Gifts and pledges, latest first. Filters combine; `since` goes by the day a gift was "
        "recorded, that day included. `count` and `sumCents` cover all that match, not only the ones shown.",
        "donorId? appealId? status? since? limit?", _record("count sumCents", donations=GIFTS), status=PAID),
    _operation("settlePledge", "Say what became of a pledge: the money was received (today), or it is written off. "
        "The appeal need not be running any more.", "donationId outcome", GIFT, outcome=SETTLED),
    _operation("issueReceipt", "Issue one tax receipt for everything received from a donor that is not on a receipt "
        "yet, at least £10.00 in all. Those gifts become receipted, which can't be undone. Sent by e-mail, or by "
        "post if the donor wants no mailings. `giftAidCents` is what we can reclaim: a quarter of the total, rounded "
        "down, for donors with a declaration.", "donorId", _record("giftAidCents sentBy", receipt=RECEIPT)),
    _operation("refundDonation", "Pay a gift back in full, within 60 days of receiving it and only if no tax receipt "
        "was issued for it. Assistants may refund up to £100.00, the treasurer more.", "donationId reason", GIFT),
    _operation("getVolunteer", "A volunteer's record, and the bookings of theirs that are still open, oldest first, "
        "also past ones nobody has closed yet.", "volunteerId", _record("", volunteer=VOLUNTEER, bookings=BOOKINGS)),
    _operation("listShifts", "Shifts by date, from today on unless `from` says otherwise; both `from` and `to` are "
        "included. Cancelled shifts are listed too, marked so. `today` is the date in the office's books.",
        "from? to? site? skill? onlyWithSpace?", _record("today", shifts=SHIFTS)),
    _operation("suggestVolunteers", "Everyone signUpVolunteer would accept for this shift, people from the town of the "
        "site first, then by most hours given. Not for shifts that are full, cancelled or over.", "shiftId", None),
    _operation("signUpVolunteer", "Book a volunteer onto a shift that is not over and has a free place. They must be "
        "active, have the skill it asks for, if any, and not be on another one with the same date and start.",
        "shiftId volunteerId", _record("freePlaces", signup=SIGNUP)),
    _operation("closeSignup", "Close a booking. `withdrawn` is for cancelling before the day of the shift and frees "
        "the place. From that day on it is `attended`, with the hours (added to the volunteer's total), or `no_show`. "
        "With three no-shows in all an active volunteer is paused; other bookings of theirs stay.",
        "signupId outcome hours?", _record("hoursGiven", signup=SIGNUP, volunteerStatus=STANDING), outcome=CLOSED),
]  # fmt: skip
INPUTS = {tool["name"]: tool["input_schema"] for tool in TOOLS}


def _refuse(reason: str | bool | None) -> None:
    if reason:
        raise RefusedError(reason)


def _valid(rule: Entity, value: Any) -> bool:
    if rule["type"] == "string":
        long = isinstance(value, str) and len(value.strip()) >= rule.get("minLength", 1)
        return long and value in rule.get("enum", [value]) and bool(re.search(rule.get("pattern", ""), value))
    if rule["type"] == "boolean" or isinstance(value, bool):
        return rule["type"] == "boolean" and isinstance(value, bool)
    number = int if rule["type"] == "integer" else (int, float)
    return isinstance(value, number) and rule["minimum"] <= value <= rule["maximum"]


def _shifted(day: str, days: int) -> str:
    return (date.fromisoformat(day) + timedelta(days=days)).isoformat()


def _sum(gifts: list[Entity]) -> int:
    return sum(one["amountCents"] for one in gifts)


class _Office:
    """What the office does, on the books it is given."""

    def __init__(self, state: State, random: Any = None, wrong: bool = False) -> None:
        self.state, self.desk, self.r, self.wrong = state, state["office"]["desk"], random, wrong
        self.today: str = self.desk["today"]
        self.donors, self.appeals, self.donations = state["donors"], state["appeals"], state["donations"]
        self.volunteers, self.shifts, self.signups = state["volunteers"], state["shifts"], state["signups"]

    def get(self, kind: str, key: str) -> Entity:
        _refuse(key not in self.state[kind] and f"NOT_FOUND: no {kind[:-1]} with id {key}")
        return self.state[kind][key]

    def add(self, kind: str, prefix: str, record: Entity) -> Entity:
        last = max((int(key.split("-")[1]) for key in self.state[kind]), default=100)
        self.state[kind][f"{prefix}-{last + 1}"] = {"id": f"{prefix}-{last + 1}", **record}
        return self.state[kind][f"{prefix}-{last + 1}"]

    def gifts(self, field: str, value: str, *statuses: str) -> list[Entity]:
        return [g for g in self.donations.values() if g[field] == value and g["status"] in statuses]

    def when(self, shift: Entity) -> tuple[str, str, str]:
        return shift["date"], shift["start"], shift["id"]

    def free(self, shift: Entity) -> int:
        on_it = [one for one in self.signups.values() if one["shiftId"] == shift["id"]]
        return int(shift["places"] - sum(one["status"] != "withdrawn" for one in on_it))

    def shut(self, shift: Entity) -> str | None:
        if shift["cancelled"] or shift["date"] < self.today:
            return f"SHIFT_CLOSED: {shift['id']} is {'cancelled' if shift['cancelled'] else 'over'}"
        return None if self.free(shift) > 0 else f"SHIFT_FULL: all places on {shift['id']} are taken"

    def misfit(self, shift: Entity, helper: Entity) -> str | None:
        if helper["status"] != "active":
            return f"NOT_ACTIVE: {helper['name']} is {helper['status']}"
        if shift["skill"] not in [None, *helper["skills"]]:
            return f"SKILL_MISSING: {shift['id']} asks for {shift['skill']}"
        own = [one for one in self.signups.values() if one["volunteerId"] == helper["id"]]
        taken = [self.shifts[one["shiftId"]] for one in own if one["status"] != "withdrawn"]
        busy = self.when(shift)[:2] in [self.when(one)[:2] for one in taken]
        return f"ALREADY_BOOKED: {helper['name']} is busy then" if busy else None

    def no_refund(self, gift: Entity) -> str | None:
        if gift["status"] != "received":
            return f"WRONG_STATUS: {gift['id']} is {gift['status']}, only received gifts can be refunded"
        if gift["receivedOn"] < _shifted(self.today, -60):
            return f"TOO_LATE: {gift['id']} was received on {gift['receivedOn']}"
        small = self.desk["role"] == "treasurer" or gift["amountCents"] <= 10_000
        return None if small else "FORBIDDEN: refunds above £100.00 are for the treasurer, not an assistant"

    def find_people(self, a: Entity) -> Any:
        text, kinds = a["query"].strip().lower(), [a["kind"]] if "kind" in a else ["donor", "volunteer"]
        shown = ("id", "kind", "name", "email", "town")
        people = [{**one, "kind": kind} for kind in kinds for one in self.state[f"{kind}s"].values()]
        found = [one for one in people if text in f"{one['name']}\n{one['email']}\n{one['town']}".lower()]
        cards = sorted(({key: str(one[key]) for key in shown} for one in found), key=lambda one: one["name"])
        return {"people": cards[: a.get("limit", 20)], "total": len(cards)}

    def get_donor(self, a: Entity) -> Any:
        donor = self.get("donors", a["donorId"])
        given = self.gifts("donorId", donor["id"], "received", "receipted")
        giving: Entity = {"gifts": len(given), "totalCents": _sum(given)}
        giving["openPledges"] = len(self.gifts("donorId", donor["id"], "pledged"))
        giving["lastGiftOn"] = max((one["receivedOn"] for one in given), default=None)
        return {"donor": donor, "giving": giving}

    def update_donor(self, a: Entity) -> Any:
        donor = self.get("donors", a["donorId"])
        _refuse(len(a) == 1 and "INVALID_REQUEST: nothing to change")
        email = str(a.get("email", donor["email"])).lower()
        same = [one["id"] for one in self.donors.values() if one["email"] == email and one != donor]
        _refuse(bool(same) and f"EMAIL_TAKEN: {email} belongs to {same[0]}")
        donor.update({**{key: value for key, value in a.items() if key != "donorId"}, "email": email})
        return donor

    def list_appeals(self, a: Entity) -> Any:
        found = [{**one} for one in self.appeals.values() if a.get("status", one["status"]) == one["status"]]
        for one in found:
            one["raisedCents"] = _sum(self.gifts("appealId", one["id"], "received", "receipted"))
            one["pledgedCents"] = _sum(self.gifts("appealId", one["id"], "pledged"))
        return {"appeals": sorted(found, key=lambda one: (one["opens"], one["id"]))}

    def record_donation(self, a: Entity) -> Any:
        self.get("donors", a["donorId"])
        status = self.get("appeals", a["appealId"])["status"] if "appealId" in a else "running"
        _refuse(status != "running" and f"APPEAL_NOT_RUNNING: it is {status}")
        _refuse(a["method"] == "cash" and a["amountCents"] > 200_000 and "CASH_LIMIT: above £2,000.00")
        return self.enter(a, self.today, "pledged" if a.get("pledge") else "received")

    def enter(self, a: Entity, day: str, status: str) -> Entity:
        gift = {key: a.get(key) for key in ("donorId", "appealId", "amountCents", "method")}
        gift |= {"recordedOn": day, "receivedOn": None if status in ("pledged", "written_off") else day}
        return self.add("donations", "G", {**gift, "status": status, "receipt": None, "reason": None})

    def list_donations(self, a: Entity) -> Any:
        wanted = {key: a[key] for key in ("donorId", "appealId", "status") if key in a}
        for key in [one for one in wanted if one != "status"]:
            self.get(f"{key[:-2]}s", a[key])
        gifts = [one for one in self.donations.values() if one["recordedOn"] >= a.get("since", "")]
        gifts = [one for one in gifts if all(one[key] == value for key, value in wanted.items())]
        gifts.sort(key=lambda one: (one["recordedOn"], int(one["id"][2:])), reverse=True)
        return {"donations": gifts[: a.get("limit", 20)], "count": len(gifts), "sumCents": _sum(gifts)}

    def settle_pledge(self, a: Entity) -> Any:
        gift = self.get("donations", a["donationId"])
        _refuse(gift["status"] != "pledged" and f"WRONG_STATUS: {gift['id']} is {gift['status']}")
        gift.update(status=a["outcome"], receivedOn=self.today if a["outcome"] == "received" else None)
        return gift

    def issue_receipt(self, a: Entity) -> Any:
        donor = self.get("donors", a["donorId"])
        gifts = self.gifts("donorId", donor["id"], "received")
        total, sent = _sum(gifts), "post" if donor["mailings"] == "none" else "email"
        _refuse(total < 1_000 and f"BELOW_MINIMUM: only {total} pence of {donor['id']} are without a receipt")
        record = {"donorId": donor["id"], "donationIds": [one["id"] for one in gifts], "totalCents": total}
        receipt = self.add("receipts", "R", {**record, "issuedOn": self.today})
        for one in gifts:
            one.update(status="receipted", receipt=receipt["id"])
        return {"receipt": receipt, "giftAidCents": total // 4 if donor["giftAid"] else 0, "sentBy": sent}

    def refund_donation(self, a: Entity) -> Any:
        gift = self.get("donations", a["donationId"])
        _refuse(self.no_refund(gift))
        gift.update(status="refunded", reason=a["reason"])
        return gift

    def get_volunteer(self, a: Entity) -> Any:
        helper = self.get("volunteers", a["volunteerId"])
        own = [one for one in self.signups.values() if one["volunteerId"] == helper["id"]]
        own.sort(key=lambda one: self.when(self.shifts[one["shiftId"]]))
        return {"volunteer": helper, "bookings": [one for one in own if one["status"] == "booked"]}

    def list_shifts(self, a: Entity) -> Any:
        first, last = a.get("from", self.today), a.get("to", "9999-12-31")
        _refuse("to" in a and first > last and f"INVALID_REQUEST: {first} is later than {last}")
        found = [{**one, "freePlaces": self.free(one)} for one in self.shifts.values()]
        found = [one for one in found if all(a.get(key, one[key]) == one[key] for key in ("site", "skill"))]
        found = [one for one in found if not a.get("onlyWithSpace") or not self.shut(one)]
        found = sorted((one for one in found if first <= one["date"] <= last), key=self.when)
        return {"today": self.today, "shifts": found}

    def suggest_volunteers(self, a: Entity) -> Any:
        shift = self.get("shifts", a["shiftId"])
        _refuse(self.shut(shift))
        able = [one for one in self.volunteers.values() if not self.misfit(shift, one)]
        able.sort(key=lambda one: (one["town"] != SITES[shift["site"]], -one["hoursGiven"], one["id"]))
        return [{key: one[key] for key in ("id", "name", "email", "town", "hoursGiven")} for one in able]

    def sign_up_volunteer(self, a: Entity) -> Any:
        shift, helper = self.get("shifts", a["shiftId"]), self.get("volunteers", a["volunteerId"])
        _refuse(self.shut(shift) or self.misfit(shift, helper))
        booking = {"shiftId": shift["id"], "volunteerId": helper["id"], "bookedOn": self.today}
        signup = self.add("signups", "SU", {**booking, "hours": None, "status": "booked"})
        return {"signup": signup, "freePlaces": self.free(shift)}

    def close_signup(self, a: Entity) -> Any:
        signup, outcome, hours = self.get("signups", a["signupId"]), a["outcome"], a.get("hours")
        _refuse(signup["status"] != "booked" and f"WRONG_STATUS: {signup['id']} is {signup['status']}")
        day, helper = self.shifts[signup["shiftId"]]["date"], self.volunteers[signup["volunteerId"]]
        _refuse((day > self.today) != (outcome == "withdrawn") and f"WRONG_TIME: the shift is on {day}")
        _refuse((hours is None) == (outcome == "attended") and "INVALID_REQUEST: hours go with attended only")
        signup.update(status=outcome, hours=hours)
        helper["hoursGiven"] += hours or 0
        helper["noShows"] += outcome == "no_show"
        if outcome == "no_show" and helper["noShows"] >= 3 and helper["status"] == "active":
            helper["status"] = "paused"
        return {"signup": signup, "volunteerStatus": helper["status"], "hoursGiven": helper["hoursGiven"]}


class _Story(_Office):
    """How the books came to be what they are, and what is asked of the office next."""

    def people(self) -> None:
        r, statuses = self.r, ["active"] * 7 + ["paused", "left"]
        names = r.sample([(given, family) for given in GIVEN for family in FAMILY], 38)
        people = [{"name": f"{g} {f}", "email": f"{g}.{f}@post.example".lower()} for g, f in names]
        for one in people[: r.randint(20, 24)]:
            wish: Entity = {"mailings": r.choice(CHOICES["mailings"]), "giftAid": r.random() < 0.5}
            wish |= {"town": r.choice(TOWNS), "since": _shifted(self.today, -r.randint(210, 2500))}
            self.add("donors", "D", {**one, **wish})
        for one in people[r.randint(18, 21) :]:
            past: Entity = {"hoursGiven": r.randint(0, 120) / 2, "noShows": r.choice([0, 0, 1, 2])}
            past |= {"skills": r.sample(SKILLS, 3), "town": r.choice(TOWNS), "status": r.choice(statuses)}
            self.add("volunteers", "V", {**one, **past})

    def giving(self) -> None:
        r, today, donors = self.r, self.today, list(self.donors)
        spans = {"closed": (-200, -150, 100), "running": (-140, -20, 145), "planned": (5, 60, 30)}
        for title, status in zip(r.sample(APPEALS, 6), [*spans, *spans], strict=True):
            opens = _shifted(today, r.randint(*spans[status][:2]))
            closes = _shifted(opens, spans[status][2] + r.randint(0, 45))
            appeal = {"title": title, "status": status, "goalCents": r.randint(4, 60) * 50_000}
            self.add("appeals", "AP", {**appeal, "opens": opens, "closes": closes})
        for age in sorted((r.randint(2, 190) for _ in range(r.randint(42, 58))), reverse=True):
            day = _shifted(today, -age)
            running = [one["id"] for one in self.appeals.values() if one["opens"] <= day <= one["closes"]]
            gift = {"donorId": r.choice(donors), "appealId": r.choice([*running, None])}
            gift |= {"amountCents": r.choice(AMOUNTS), "method": r.choice(CHOICES["method"])}
            status = r.choices(["received", "pledged", "refunded", "written_off"], [66, 20, 8, 6])[0]
            self.enter(gift, day, status)["reason"] = r.choice(REASONS) if status == "refunded" else None
        for donor in r.sample(donors, 8):
            if _sum(self.gifts("donorId", donor, "received")) >= 1_000:
                self.issue_receipt({"donorId": donor})["receipt"]["issuedOn"] = _shifted(today, -1)

    def rota(self) -> None:
        r, today, helpers = self.r, self.today, list(self.volunteers.values())
        for days in sorted(r.randint(-14, 21) for _ in range(r.randint(22, 28))):
            about = {"title": r.choice(TASKS), "site": r.choice(list(SITES)), "date": _shifted(today, days)}
            needs = {"start": r.choice(CHOICES["start"]), "skill": r.choice([*SKILLS, None, None])}
            room = {"places": r.randint(1, 5), "cancelled": r.random() < 0.1}
            self.add("shifts", "S", {**about, **needs, **room})
        for shift in self.shifts.values():
            for helper in r.sample(helpers, r.randint(2, 6)):
                self.today = min(today, _shifted(shift["date"], -r.randint(2, 12)))
                if not self.shut(shift) and not self.misfit(shift, helper):
                    self.sign_up_volunteer({"shiftId": shift["id"], "volunteerId": helper["id"]})
        self.today = today
        for key, signup in self.signups.items():
            if r.random() < (0.65 if self.shifts[signup["shiftId"]]["date"] < today else 0.15):
                self.close_signup({"signupId": key, **self.outcome(key)})

    def outcome(self, signup_id: str) -> Entity:
        if self.shifts[self.signups[signup_id]["shiftId"]]["date"] > self.today:
            return {"outcome": "withdrawn"}
        hours = self.r.choice([1.5, 2, 3, 3.5, None])
        return {"outcome": "attended", "hours": hours} if hours else {"outcome": "no_show"}

    def pick(self, tool: str, name: str, given: Entity) -> str:
        """Draw an id that will do, or if the call is to be wrong one that will not or does not exist."""
        shift = self.shifts.get(given.get("shiftId", "")) if name == "volunteerId" else None
        status = {"settlePledge": "pledged", "recordDonation": "running", "closeSignup": "booked"}.get(tool)
        needs: dict[str, Callable[[Entity], Any]] = {
            "other": lambda one: status in (None, one.get("status")) or name == "donorId",
            "issueReceipt": lambda one: _sum(self.gifts("donorId", one["id"], "received")) >= 1_000,
            "refundDonation": lambda one: not self.no_refund(one),
            "suggestVolunteers": lambda one: not self.shut(one),
            "signUpVolunteer": lambda one: not (self.misfit(shift, one) if shift else self.shut(one)),
        }
        fits, known = needs.get(tool, needs["other"]), self.state[f"{name[:-2]}s"]
        fitting = [key for key, one in known.items() if bool(fits(one)) != self.wrong]
        prefix, number = list(known)[-1].split("-")
        unknown = self.wrong and (not fitting or self.r.random() < 0.3)
        return f"{prefix}-{int(number) + 300}" if unknown else self.r.choice(fitting or list(known))

    def value(self, name: str, rule: Entity) -> Any:
        if self.wrong:
            slips: Entity = {"query": "a", "limit": 500, "reason": "oops", "amountCents": 50, "hours": 24}
            slips["email"] = self.r.choice(list(self.donors.values()))["email"]
            return slips.get(name, "soon" if rule.get("format") == "date" else "other")
        first, last = {"since": (-120, -1), "to": (1, 20)}.get(name, (-14, 0))
        usual: Entity = {"limit": [3, 5, 10, 30], "amountCents": [*AMOUNTS, 240_000], "hours": [2, 3, 3.5]}
        usual |= {"query": [*GIVEN, *FAMILY, *TOWNS], "reason": REASONS, "town": TOWNS}
        usual["email"] = [f"{self.r.choice(FAMILY)}{self.r.randint(10, 99)}@letters.example".lower()]
        values = usual.get(name) or rule.get("enum") or [_shifted(self.today, self.r.randint(first, last))]
        return self.r.random() < 0.7 if rule["type"] == "boolean" else self.r.choice(values)

    def arguments(self, tool: str) -> Entity:
        rules: Entity = INPUTS[tool]["properties"]
        names = [one for one in rules if one in INPUTS[tool]["required"] or self.r.random() < 0.4]
        slips = [one for one in rules if rules[one]["type"] != "boolean" and one != "town"]
        slip, given = self.r.sample(slips, int(self.wrong)), dict[str, Any]()
        for i, one in enumerate([*names, *slip]):
            self.wrong = i >= len(names)
            given[one] = self.pick(tool, one, given) if one.endswith("Id") else self.value(one, rules[one])
            if tool == "closeSignup" and i == len(names) - 1:
                given = {"signupId": given["signupId"], **self.outcome(given["signupId"])}
        return given


class Charity:
    name = "charity"
    tools = TOOLS

    def begin(self, random: Random) -> State:
        kinds = ("donors", "appeals", "donations", "receipts", "volunteers", "shifts", "signups")
        today, role = _shifted("2031-02-01", random.randrange(300)), random.choice(["assistant", "treasurer"])
        state: State = {**{kind: {} for kind in kinds}, "office": {"desk": {"today": today, "role": role}}}
        story = _Story(state, random)
        for write in (story.people, story.giving, story.rota):
            write()
        return state

    def call(self, state: State, tool: str, arguments: dict[str, Any]) -> Any:
        rules = INPUTS[tool]["properties"]
        for name in [*INPUTS[tool]["required"], *arguments]:
            fine = name in rules and name in arguments and _valid(rules[name], arguments[name])
            _refuse(not fine and f"INVALID_REQUEST: {name} must not be {arguments.get(name, 'missing')!r}")
        act = getattr(_Office(state), re.sub("([A-Z])", r"_\1", tool).lower())
        return deepcopy(act(arguments))

    def next_call(self, state: State, random: Random) -> Call:
        tool = random.choices(list(INPUTS), [10, 10, 6, 5, 10, 9, 6, 6, 6, 8, 9, 6, 9, 8])[0]
        return Call(tool, _Story(state, random, random.random() < 0.2).arguments(tool))
