"""Back office of a letting agency: flats on the market, viewings, applications for a tenancy, and leases."""

import re
from contextlib import suppress
from copy import deepcopy
from datetime import date, timedelta
from random import Random
from typing import Any

from benchmarks.reference.back_end import Call, RefusedError, State

Row = dict[str, Any]

DISTRICTS = ["Quayside", "Old Mill", "Larkfield", "Tannery Row", "Upper Heath"]
STREETS = ["Ropewalk Lane", "Cooper Street", "Linden Rise", "Ferry Road", "Bellfounder Court"]
FIRST = ["Tamsin", "Ruben", "Ailsa", "Jorun", "Marek", "Noor", "Philippa", "Stellan", "Vida"]
LAST = ["Ashgrove", "Bellweather", "Corrigan", "Dunmore", "Falkner", "Hollis", "Karlsen", "Ravn", "Teague"]
PEOPLE = [f"{first} {last}" for first in FIRST for last in LAST]
SLOTS = [f"{hour}:{minute}" for hour in range(10, 18) for minute in ("00", "30")]
WHY = ["Landlord wants to sell", "Found another place", "Income not proven", "Bathroom is being renovated"]
SAID = ["Loved the balcony", "Too noisy", "Wants to apply", "Asked about parking", "Kitchen too small"]
KINDS = {"flats": "F101", "applicants": "C201", "viewings": "V3001", "applications": "A501", "leases": "L101"}


def _enum(*values: Any) -> Row:
    return {"type": "integer" if isinstance(values[0], int) else "string", "enum": list(values)}


STR, INT, BOOL = ({"type": kind} for kind in ("string", "integer", "boolean"))
NULLABLE: Row = {"type": ["string", "null"]}
NOTE: Row = {"type": "string", "minLength": 3, "maxLength": 200}
FLAT_STATUS = _enum("LISTED", "RESERVED", "LET", "WITHDRAWN")
LEASE_STATUS = _enum("DRAFT", "SIGNED", "NOTICE_GIVEN")
DATES = "date from to today availableFrom availableBy moveInDate moveOutDate startDate endDate submittedOn"
FIELDS: dict[str, Row] = {
    **{f"{kind[:-1]}Id": {**STR, "description": f"For example {first}"} for kind, first in KINDS.items()},
    **{name: {**STR, "format": "date"} for name in DATES.split()},
    **dict.fromkeys(("petsAllowed", "furnished", "onMarket", "attended", "hasPet"), BOOL),
    **dict.fromkeys(("areaSqm", "rooms", "deposit", "monthlyRent", "monthlyIncome"), INT),
}
FIELDS |= {"reason": NOTE, "feedback": NOTE, "flatStatus": FLAT_STATUS, "query": {**STR, "minLength": 2}}
FIELDS |= {"status": _enum("SCHEDULED", "ATTENDED", "NO_SHOW", "CANCELLED"), "district": _enum(*DISTRICTS)}
FIELDS |= {"decision": _enum("APPROVE", "DECLINE"), "givenBy": _enum("TENANT", "LANDLORD")}
FIELDS |= {"termMonths": _enum(12, 24, 36), "page": {**INT, "minimum": 1, "default": 1}}
FIELDS["agentId"] = {**STR, "description": "User id of a member of staff"}
FIELDS["maxRent"] = {**INT, "minimum": 1, "description": "Euros a month"}
FIELDS["minRooms"] = {**INT, "minimum": 1, "description": "Without kitchen and bathroom"}
FIELDS["depositReceived"] = {**INT, "minimum": 0, "description": "Euros that are on the deposit account"}
FIELDS["time"] = {**_enum(*SLOTS), "description": "Start of the half-hour slot"}
FIELDS["guarantor"] = {**NOTE, "description": "Full name of the person who vouches for the rent"}


def _object(names: str, **others: Row | list[Row]) -> Row:
    properties: Row = {name: FIELDS.get(name, STR) for name in names.split()}
    for name, rule in others.items():
        properties[name] = {"type": "array", "items": rule[0]} if isinstance(rule, list) else rule
    return {"type": "object", "properties": properties, "required": list(properties)}


CARD = "id address district rooms areaSqm monthlyRent petsAllowed furnished availableFrom agentId"
FLAT = _object(CARD, status=FLAT_STATUS, withdrawnBecause=NULLABLE)
PERSON = _object("id name email phone monthlyIncome hasPet")
VIEWING = _object("id flatId applicantId agentId date time status", feedback=NULLABLE)
MORE = {"guarantor": NULLABLE, "reason": NULLABLE, "status": _enum("SUBMITTED", "APPROVED", "DECLINED")}
APPLICATION = _object("id flatId applicantId submittedOn moveInDate", **MORE)
LEASE = _object("id applicationId flatId tenantId startDate endDate monthlyRent deposit", status=LEASE_STATUS)
FILE: dict[str, Row | list[Row]] = {"viewings": [VIEWING], "applications": [APPLICATION]}
ENDED: dict[str, Row | list[Row]] = {"declinedApplications": [STR], "cancelledViewings": [STR]}
ANSWERS: dict[str, Row] = {
    "Session": _object("userId name today", role=_enum("AGENT", "MANAGER")),
    "FlatPage": _object("", flats=[_object(CARD, status=FLAT_STATUS)], total=INT, page=INT, pages=INT),
    "FlatFile": _object("", flat=FLAT, **FILE, lease={"anyOf": [LEASE, {"type": "null"}]}),
    "People": _object("", applicants=[PERSON]),
    "PersonFile": _object("", applicant=PERSON, **FILE),
    "Diary": _object("", viewings=[VIEWING]),
    "Decided": _object("flatStatus", application=APPLICATION, **ENDED),
}
ANSWERS |= {"Viewing": VIEWING, "Application": APPLICATION, "Lease": LEASE}

MANUAL = """
getSession() Session: Who is signed in, with which role (AGENT or MANAGER), and the date the office system works on. All
rules that speak of "today" mean this date.
searchFlats(district? minRooms? maxRent? petsAllowed? furnished? availableBy? flatStatus? page?) FlatPage: Search the
portfolio. All filters are optional and combined with AND. Unless `flatStatus` is given, only LISTED flats (those on the
market) are searched. Cheapest first, 8 to a page; `total` counts all pages. A page after the last one is empty.
getFlat(flatId) FlatFile: Everything about one flat: the listing itself, viewings that are still scheduled (earliest
first), applications that have not been declined, and the lease, which is null unless one has been drafted or signed.
setFlatOnMarket(flatId onMarket reason?) - [own flat LISTED WITHDRAWN]: Take a LISTED flat off the market
(onMarket=false, with a reason) or put a WITHDRAWN one back (onMarket=true). Taking it off cancels its scheduled
viewings and declines its submitted applications; the answer lists them. Only for the agent in charge of the flat and
for managers.
findApplicants(query) People: Find applicants by part of a name, e-mail address or phone number; case is ignored. The
first 10 by name.
getApplicant(applicantId) PersonFile: An applicant's personal data with all their viewings and applications.
listViewings(from? to? agentId? flatId? status?) Diary: The viewing diary in order of date and time. Without `from` it
starts today; without `to` it ends seven days after its start. Both days are included.
bookViewing(flatId applicantId date time) Viewing [flat LISTED]: Book a viewing of a LISTED flat with the agent in
charge of it, from tomorrow up to 21 days ahead, Monday to Saturday. The agent must be free in that slot. An applicant
can have one scheduled viewing per flat, and gets no more viewings at all after two missed ones (NO_SHOW).
rescheduleViewing(viewingId date time) Viewing [viewing SCHEDULED]: Move a SCHEDULED viewing to another slot, by the
same rules as for booking.
cancelViewing(viewingId) - [viewing SCHEDULED]: Cancel a SCHEDULED viewing. Returns a sentence for the applicant.
recordViewingOutcome(viewingId attended feedback?) Viewing [viewing SCHEDULED]: Note what came of a SCHEDULED viewing,
on its day or later: whether the applicant turned up (ATTENDED) or not (NO_SHOW) and, optionally, what they said.
submitApplication(flatId applicantId moveInDate guarantor?) Application [flat LISTED]: Apply for a LISTED flat on behalf
of somebody who has attended a viewing of it. The move-in date cannot be before the flat is available. Refused if the
applicant has an undecided application for this flat already, or three undecided ones altogether, or has a pet where
none are allowed. If the rent is more than 40 % of the applicant's monthly income, a guarantor must be named.
decideApplication(applicationId decision reason?) Decided [own application SUBMITTED]: Approve or decline a SUBMITTED
application. Approving makes the flat RESERVED, declines all other submitted applications for it and cancels its
scheduled viewings. Declining requires a reason. Reserved for the agent in charge of the flat and managers.
draftLease(applicationId startDate termMonths) Lease [application APPROVED]: Draw up the lease for an APPROVED
application that has none yet. Tenancies start on the 1st or the 15th of a month, not before today or before the flat is
available, and at most 120 days from today. The deposit is two months' rent, or three if there is a guarantor.
signLease(leaseId depositReceived) Lease [lease DRAFT]: Mark a DRAFT lease as signed by both parties. The deposit must
have been received in full, neither more nor less. The flat becomes LET.
giveNotice(leaseId moveOutDate givenBy) Lease [lease SIGNED]: Register notice on a SIGNED lease. A tenant's notice takes
at least 90 days from today, a landlord's 180, and the move-out date may not be later than the end of the lease. The
lease then ends on that date and the flat, which remains LET, is available from the day after.
"""


def _operation(name: str, takes: str, answer: str, about: str) -> Row:
    schema = {**_object(takes.replace("?", "")), "additionalProperties": False}
    schema["required"] = [one for one in takes.split() if not one.endswith("?")]
    operation = {"name": name, "description": " ".join(about.split()), "input_schema": schema}
    return {**operation, "output_schema": ANSWERS[answer]} if answer in ANSWERS else operation


ENTRIES = re.findall(r"^(\w+)\((.*)\) (\S+)(?: \[(.+)\])?: ((?:.|\n)+?)(?=^\w+\(|\Z)", MANUAL, re.MULTILINE)
OPERATIONS = {name: _operation(name, takes, answer, about) for name, takes, answer, _, about in ENTRIES}
GUARDS = {name: guard.removeprefix("own ") for name, _, _, guard, _ in ENTRIES if guard}
OWN = [name for name, _, _, guard, _ in ENTRIES if guard.startswith("own ")]


def _check(ok: object, code: int, problem: str) -> None:
    if not ok:
        raise RefusedError(f"{code}: {problem}")


def _is_date(value: str) -> bool:
    with suppress(ValueError):
        return str(date.fromisoformat(value)) == value
    return False


def _validate(schema: Row, arguments: Row) -> None:
    wrong = set(schema["required"]) - set(arguments) or set(arguments) - set(schema["properties"])
    _check(not wrong, 400, f"missing or unknown parameters: {', '.join(sorted(wrong))}")
    for name, value in arguments.items():
        rule = schema["properties"][name]
        kind = {"string": str, "integer": int, "boolean": bool}[rule["type"]]
        _check(type(value) is kind, 400, f"'{name}' must be of type {rule['type']}")
        _check(value in rule.get("enum", [value]), 400, f"'{value}' is not a valid {name}")
        _check("format" not in rule or _is_date(value), 400, f"'{name}' must be a date like 2031-04-30")
        low, high = rule.get("minimum", rule.get("minLength", 0)), rule.get("maxLength", 99999)
        _check(low <= (len(value) if kind is str else value) <= high, 400, f"'{name}' is out of range")


def _after(day: str, days: int) -> str:
    return str(date.fromisoformat(day) + timedelta(days))


class _Office:
    """What the operations do in one state, after ids, states and rights have been checked."""

    def __init__(self, w: State) -> None:
        self.w, self.main = w, w["office"]["main"]
        self.me = w["users"][self.main["userId"]]

    def where(self, kind: str, **fields: Any) -> list[Row]:
        return [row for row in self.w[kind].values() if all(row[key] == fields[key] for key in fields)]

    def add(self, kind: str, **fields: Any) -> Row:
        number = max((int(key[1:]) + 1 for key in self.w[kind]), default=int(KINDS[kind][1:]))
        key = f"{KINDS[kind][0]}{number}"
        return self.w[kind].setdefault(key, {"id": key, **fields})

    def ahead(self, day: str) -> int:
        return (date.fromisoformat(day) - date.fromisoformat(self.main["today"])).days

    def may(self, flat_id: str) -> bool:
        return bool(self.me["role"] == "MANAGER" or self.me["id"] == self.w["flats"][flat_id]["agentId"])

    def clear(self, flat_id: str, reason: str) -> Row:
        applications = self.where("applications", flatId=flat_id, status="SUBMITTED")
        viewings = self.where("viewings", flatId=flat_id, status="SCHEDULED")
        for row in applications:
            row.update(status="DECLINED", reason=reason)
        for row in viewings:
            row["status"] = "CANCELLED"
        keys = [[row["id"] for row in rows] for rows in (applications, viewings)]
        return dict(zip(ENDED, keys, strict=True))

    def check_slot(self, agent_id: str, day: str, time: str) -> None:
        late = not 1 <= self.ahead(day) <= 21 or date.fromisoformat(day).weekday() == 6
        _check(not late, 422, "viewings take place from tomorrow up to 21 days ahead, Monday to Saturday")
        there = [row["status"] for row in self.where("viewings", agentId=agent_id, date=day, time=time)]
        _check({*there} <= {"CANCELLED"}, 409, f"{agent_id} already has a viewing on {day} at {time}")

    def perform(self, tool: str, a: Row) -> Any:
        rows: dict[str, Row] = {}
        for name in [name for name in a if name.endswith("Id")]:
            kind = self.w["users" if name == "agentId" else f"{name[:-2]}s"]
            _check(a[name] in kind, 404, f"there is no {name[:-2]} {a[name]}")
            rows[name[:-2]] = kind[a[name]]
        if tool in GUARDS:
            subject, *statuses = GUARDS[tool].split()
            row = rows[subject]
            flat_id = row.get("flatId") or row["id"]
            _check(tool not in OWN or self.may(flat_id), 403, f"{flat_id} is in the charge of another agent")
            problem = f"{row['id']} is {row['status']}, not {' or '.join(statuses)}"
            _check(row["status"] in statuses, 409, problem)
        return getattr(self, re.sub("([A-Z])", r"_\1", tool).lower())(a, **rows)

    def get_session(self, _: Row) -> Any:
        return {**self.main, "name": self.me["name"], "role": self.me["role"]}

    def search_flats(self, a: Row) -> Any:
        wanted = {name: a[name] for name in ("district", "petsAllowed", "furnished") if name in a}
        flats = self.where("flats", **wanted, status=a.get("flatStatus", "LISTED"))
        flats = [one for one in flats if a.get("minRooms", 0) <= one["rooms"]]
        flats = [one for one in flats if one["monthlyRent"] <= a.get("maxRent", 9999)]
        flats = [one for one in flats if one["availableFrom"] <= a.get("availableBy", "9999")]
        flats.sort(key=lambda one: (one["monthlyRent"], one["id"]))
        page, names = a.get("page", 1), [*CARD.split(), "status"]
        shown = [{name: one[name] for name in names} for one in flats[page * 8 - 8 : page * 8]]
        return {"flats": shown, "total": len(flats), "page": page, "pages": -(-len(flats) // 8)}

    def get_flat(self, a: Row, flat: Row) -> Any:
        viewings = self.where("viewings", **a, status="SCHEDULED")
        viewings.sort(key=lambda row: (row["date"], row["time"]))
        applications = [row for row in self.where("applications", **a) if row["status"] != "DECLINED"]
        lease = next(iter(self.where("leases", **a)), None)
        return {"flat": flat, "viewings": viewings, "applications": applications, "lease": lease}

    def set_flat_on_market(self, a: Row, flat: Row) -> Any:
        _check(a["onMarket"] == (flat["status"] == "WITHDRAWN"), 409, f"{flat['id']} is {flat['status']}")
        _check(a["onMarket"] or "reason" in a, 400, "a reason is needed to take a flat off the market")
        if a["onMarket"]:
            flat.update(status="LISTED", withdrawnBecause=None)
            return {"flat": flat}
        flat.update(status="WITHDRAWN", withdrawnBecause=a["reason"])
        return {"flat": flat, **self.clear(flat["id"], "Flat withdrawn from the market")}

    def find_applicants(self, a: Row) -> Any:
        query, keys = a["query"].lower(), ("name", "email", "phone")
        everybody = sorted(self.where("applicants"), key=lambda one: one["name"])
        found = [one for one in everybody if any(query in one[key].lower() for key in keys)]
        return {"applicants": found[:10]}

    def get_applicant(self, a: Row, applicant: Row) -> Any:
        return {"applicant": applicant, **{kind: self.where(kind, **a) for kind in FILE}}

    def list_viewings(self, a: Row, **_: Row) -> Any:
        start = a.pop("from", self.main["today"])
        end = a.pop("to", _after(start, 7))
        _check(start <= end, 422, "'to' is before 'from'")
        rows = [row for row in self.where("viewings", **a) if start <= row["date"] <= end]
        return {"viewings": sorted(rows, key=lambda row: (row["date"], row["time"], row["id"]))}

    def book_viewing(self, a: Row, flat: Row, applicant: Row) -> Any:
        known = self.where("viewings", applicantId=applicant["id"])
        missed = sum(row["status"] == "NO_SHOW" for row in known)
        _check(missed < 2, 409, f"{applicant['name']} has missed two viewings")
        again = (flat["id"], "SCHEDULED") in [(row["flatId"], row["status"]) for row in known]
        _check(not again, 409, f"{applicant['name']} already has a viewing of {flat['id']} scheduled")
        self.check_slot(flat["agentId"], a["date"], a["time"])
        return self.add("viewings", **a, agentId=flat["agentId"], status="SCHEDULED", feedback=None)

    def reschedule_viewing(self, a: Row, viewing: Row) -> Any:
        self.check_slot(viewing["agentId"], a["date"], a["time"])
        viewing.update(date=a["date"], time=a["time"])
        return viewing

    def cancel_viewing(self, _: Row, viewing: Row) -> Any:
        viewing["status"] = "CANCELLED"
        where = self.w["flats"][viewing["flatId"]]["address"]
        return f"Your viewing of {where} on {viewing['date']} at {viewing['time']} has been cancelled."

    def record_viewing_outcome(self, a: Row, viewing: Row) -> Any:
        _check(self.ahead(viewing["date"]) <= 0, 409, f"the viewing is not until {viewing['date']}")
        viewing.update(status="ATTENDED" if a["attended"] else "NO_SHOW", feedback=a.get("feedback"))
        return viewing

    def submit_application(self, a: Row, flat: Row, applicant: Row) -> Any:
        who, name = {"applicantId": applicant["id"]}, applicant["name"]
        seen = self.where("viewings", **who, flatId=flat["id"], status="ATTENDED")
        _check(seen, 409, f"{name} has not attended a viewing of {flat['id']}")
        undecided = [row["flatId"] for row in self.where("applications", **who, status="SUBMITTED")]
        _check(flat["id"] not in undecided, 409, f"{name} has already applied for {flat['id']}")
        _check(len(undecided) < 3, 409, f"{name} already has three undecided applications")
        _check(flat["petsAllowed"] or not applicant["hasPet"], 422, f"{flat['id']} does not allow pets")
        _check(a["moveInDate"] >= flat["availableFrom"], 422, f"only available from {flat['availableFrom']}")
        afforded = flat["monthlyRent"] <= applicant["monthlyIncome"] * 0.4
        _check(afforded or "guarantor" in a, 422, "the rent exceeds 40 % of the income, name a guarantor")
        asked = {"guarantor": None, **a, "submittedOn": self.main["today"]}
        return self.add("applications", **asked, reason=None, status="SUBMITTED")

    def decide_application(self, a: Row, application: Row) -> Any:
        flat, approved = self.w["flats"][application["flatId"]], a["decision"] == "APPROVE"
        _check(approved or "reason" in a, 400, "a reason is needed to decline")
        application.update(status="APPROVED" if approved else "DECLINED", reason=a.get("reason"))
        flat["status"] = "RESERVED" if approved else flat["status"]
        ended = self.clear(flat["id"], "Given to somebody else") if approved else {one: [] for one in ENDED}
        return {"application": application, "flatStatus": flat["status"], **ended}

    def draft_lease(self, a: Row, application: Row) -> Any:
        flat, start, key = self.w["flats"][application["flatId"]], a["startDate"], application["id"]
        _check(not self.where("leases", applicationId=key), 409, f"{key} already has a lease")
        _check(start[-2:] in ("01", "15"), 422, "a tenancy starts on the 1st or the 15th")
        fits = start >= flat["availableFrom"] and 0 <= self.ahead(start) <= 120
        _check(fits, 422, "startDate is in the past, too far ahead, or before the flat is available")
        end = _after(f"{int(start[:4]) + a['termMonths'] // 12}{start[4:]}", -1)
        parties = {"applicationId": key, "flatId": flat["id"], "tenantId": application["applicantId"]}
        deposit = flat["monthlyRent"] * (3 if application["guarantor"] else 2)
        terms = {"startDate": start, "endDate": end, "monthlyRent": flat["monthlyRent"]}
        return self.add("leases", **parties, **terms, deposit=deposit, status="DRAFT")

    def sign_lease(self, a: Row, lease: Row) -> Any:
        _check(a["depositReceived"] == lease["deposit"], 422, f"the deposit is {lease['deposit']} euros")
        lease["status"], self.w["flats"][lease["flatId"]]["status"] = "SIGNED", "LET"
        return lease

    def give_notice(self, a: Row, lease: Row) -> Any:
        out, period = a["moveOutDate"], 90 if a["givenBy"] == "TENANT" else 180
        _check(self.ahead(out) >= period, 422, f"this notice takes at least {period} days")
        _check(out <= lease["endDate"], 422, f"the lease ends on {lease['endDate']} anyway")
        lease.update(status="NOTICE_GIVEN", endDate=out)
        self.w["flats"][lease["flatId"]]["availableFrom"] = _after(out, 1)
        return lease


SUBJECTS = {**GUARDS, "submitApplication": "viewing ATTENDED"}
VALUES: dict[str, list[Any]] = {name: field["enum"] for name, field in FIELDS.items() if "enum" in field}
VALUES |= {"petsAllowed": [True], "furnished": [True, False], "attended": [True, True, True, True, False]}
VALUES |= {"maxRent": [900, 1200, 1600, 2400], "minRooms": [1, 2, 3], "page": [1, 1, 2], "reason": WHY}
VALUES |= {"feedback": SAID, "guarantor": PEOPLE, "query": [*LAST, "jo", "vida", "post.example", "55"]}
DAYS = {"from": (-20, 0), "to": (1, 20), "date": (1, 19), "availableBy": (5, 60), "moveOutDate": (181, 240)}
WEIGHTS = dict(zip(OPERATIONS, (3, 12, 13, 4, 8, 9, 9, 9, 5, 4, 6, 7, 7, 5, 5, 4), strict=True))
HISTORY = dict(zip(OPERATIONS, (0, 0, 0, 0.4, 0, 0, 0, 8, 1, 1, 5.5, 5, 2, 1.4, 1.8, 0.3), strict=True))


class _Caller(_Office):
    """Draws what somebody in the office asks for; `flip` makes them pick what is in the wrong state."""

    def __init__(self, w: State, random: Random, *, flip: bool = False) -> None:
        super().__init__(w)
        self.random, self.flip = random, flip

    def fits(self, tool: str, row: Row) -> bool:
        flat_id = row.get("flatId") or row["id"]
        fits = row["status"] in SUBJECTS[tool] and (tool not in OWN or self.may(flat_id))
        if tool == "submitApplication":
            flat, who = self.w["flats"][flat_id], self.w["applicants"][row["applicantId"]]
            again = self.where("applications", flatId=flat_id, applicantId=who["id"])
            return fits and flat["status"] == "LISTED" and flat["petsAllowed"] >= who["hasPet"] and not again
        if tool == "draftLease":
            return fits and not self.where("leases", applicationId=row["id"])
        return fits and (tool != "recordViewingOutcome" or self.ahead(row["date"]) <= 0)

    def arguments(self, tool: str) -> Row:
        schema, row = OPERATIONS[tool]["input_schema"], {}
        if tool in SUBJECTS:
            kind = SUBJECTS[tool].split()[0]
            rows = [one for one in self.where(f"{kind}s") if self.fits(tool, one) != self.flip]
            row = self.random.choice(rows)
            row = {**row, f"{kind}Id": row["id"]}
        often = {name: {"reason": 0.9, "guarantor": 0.6}.get(name, 0.3) for name in schema["properties"]}
        often.update(dict.fromkeys(schema["required"], 1))
        return {name: self.value(name, row) for name in often if self.random.random() < often[name]}

    def value(self, name: str, row: Row) -> Any:
        if name in VALUES:
            return self.random.choice(VALUES[name])
        if name in DAYS:
            day = _after(self.main["today"], self.random.randint(*DAYS[name]))
            return _after(day, 1) if date.fromisoformat(day).weekday() == 6 else day
        if name in ("onMarket", "depositReceived"):
            return row["status"] == "WITHDRAWN" if name == "onMarket" else row["deposit"]
        if name.endswith("Id"):
            kind = "users" if name == "agentId" else f"{name[:-2]}s"
            return row[name] if name in row else self.random.choice(list(self.w[kind]))
        first = max(self.w["flats"][row["flatId"]]["availableFrom"], self.main["today"])
        days = [_after(first, i) for i in range(31)]
        return first if name == "moveInDate" else next(day for day in days if day[-2:] in ("01", "15"))


def _spoil(random: Random, arguments: Row) -> Row:
    """Make a mistake in one argument: an unknown id, a date or value written wrongly, a negative number."""
    names = [name for name, value in arguments.items() if not isinstance(value, bool)]
    name = random.choice(names)
    value = arguments[name]
    if isinstance(value, int) or "format" in FIELDS[name]:
        wrong = -value if isinstance(value, int) else ".".join(reversed(value.split("-")))
        return {**arguments, name: wrong}
    return {**arguments, name: f"{value[0]}9{value[1:]}" if name.endswith("Id") else value.lower()}


class Lettings:
    name = "lettings"
    tools = list(OPERATIONS.values())  # noqa: RUF012

    def begin(self, random: Random) -> State:
        names, w = random.sample(PEOPLE, 40), State({kind: {} for kind in ("users", *KINDS)})
        for i, name in enumerate(names[:4]):
            key = name.replace(" ", ".").lower()
            w["users"][key] = {"id": key, "name": name, "role": "AGENT" if i else "MANAGER"}
        agents = list(w["users"])
        today = f"{random.randint(2030, 2034)}-{random.randint(1, 12):02}-{random.randint(1, 28):02}"
        w["office"] = {"main": {"today": _after(today, -120), "userId": agents[0]}}
        caller = _Caller(w, random)
        for name in names[4 : random.randint(28, 40)]:
            who: Row = {"name": name, "email": f"{name.replace(' ', '.').lower()}@post.example"}
            who.update(phone=f"0555 {random.randint(10000, 99999)}", hasPet=random.random() < 0.2)
            caller.add("applicants", **who, monthlyIncome=random.randint(18, 60) * 100)
        for _ in range(random.randint(28, 38)):
            address = f"{random.randint(1, 90)} {random.choice(STREETS)}, flat {random.randint(1, 12)}"
            flat: Row = {
                "address": address,
                "district": random.choice(DISTRICTS),
                "rooms": random.randint(1, 5),
            }
            flat["areaSqm"] = flat["rooms"] * random.randint(19, 27)
            flat["monthlyRent"] = flat["rooms"] * random.randint(28, 42) * 10 + 200
            flat.update(petsAllowed=random.random() < 0.6, furnished=random.random() < 0.3)
            flat["availableFrom"] = _after(today, random.randint(-120, 50))
            flat.update(agentId=random.choice(agents[1:]), status="LISTED", withdrawnBecause=None)
            caller.add("flats", **flat)
        for _ in range(280):
            tool = random.choices(list(HISTORY), list(HISTORY.values()))[0]
            with suppress(RefusedError, IndexError):
                self.call(w, tool, caller.arguments(tool))
            caller.main["today"] = min(today, _after(caller.main["today"], int(random.random() < 0.5)))
        caller.main.update(today=today, userId=random.choice([*agents, agents[0]]))
        return w

    def call(self, state: State, tool: str, arguments: dict[str, Any]) -> Any:
        _validate(OPERATIONS[tool]["input_schema"], arguments)
        return deepcopy(_Office(state).perform(tool, deepcopy(arguments)))

    def next_call(self, state: State, random: Random) -> Call:
        mistake = random.choices(["", "flip", "spoil"], (70, 14, 16))[0]
        caller = _Caller(state, random, flip=mistake == "flip")
        while True:
            tool = random.choices(list(WEIGHTS), list(WEIGHTS.values()))[0]
            with suppress(IndexError):
                arguments = caller.arguments(tool)
                return Call(tool, _spoil(random, arguments) if mistake == "spoil" else arguments)
