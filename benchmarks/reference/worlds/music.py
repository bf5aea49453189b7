"""A music school: teachers give lessons to students, who may also hire instruments from the school's store."""

import re
from collections.abc import Callable, Iterator
from copy import deepcopy
from datetime import date, timedelta
from random import Random
from typing import Any

from benchmarks.reference.back_end import Call, RefusedError, State

Row = dict[str, Any]

KINDS = ["violin", "cello", "guitar", "flute", "clarinet", "trumpet", "piano", "drums"]
WEEK = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
LEVELS = ["beginner", "intermediate", "advanced"]
QUARTERS = [f"{14 + i // 4}:{i % 4 * 15:02}" for i in range(25)]
DEBT_LIMIT, SIGN_UP_FEE = -15000, 2500
FIRST = ["Mirela", "Tobin", "Saskia", "Oren", "Yusra", "Piet", "Leonie", "Anselm", "Dagny", "Ravi", "Noor"]
LAST = ["Quillon", "Marsh", "Vantor", "Osei", "Lindqvist", "Brandel", "Tamura", "Feldt", "Corrigan"]
NOTES = ["Scales are much cleaner.", "Needs to count aloud.", "Started the second book."]
TEXT: Row = {"type": "string"}
TYPES = {"string": str, "integer": int, "boolean": bool}

ENUMS = {"instrument": KINDS, "kind": KINDS[:6], "availability": ["available", "hired", "repair"]}
ENUMS |= {"status": ["booked", "held", "missed", "cancelled"], "condition": ["good", "worn", "damaged"]}
ENUMS |= {"enrolment": ["active", "paused"], "method": ["cash", "card", "transfer"], "weekday": WEEK}
EXAMPLES = {"student": "S1042", "teacher": "T07", "lesson": "L5310", "hire": "H208", "instrument": "I114"}
FIELDS: dict[str, Row] = {
    **{f"{key}Id": {"type": "string", "description": f"E.g. {value}."} for key, value in EXAMPLES.items()},
    **{key: {"type": "string", "enum": value} for key, value in ENUMS.items()},
    "cancelledBy": {"type": "string", "enum": ["student", "school"]},
    **{key: {"type": "boolean"} for key in ("attended", "overdue", "working")},
    **{key: {"type": "array", "items": TEXT} for key in ("teaches", "workdays", "upcomingLessons")},
    "date": {"type": "string", "format": "date", "description": "Calendar day, YYYY-MM-DD."},
    "from": {"type": "string", "format": "date", "description": "First day to show, YYYY-MM-DD."},
    "startTime": {"type": "string", "description": "24-hour clock, HH:MM."},
    "minutes": {"type": "integer", "enum": [30, 45, 60], "default": 30},
    "level": {"type": "string", "enum": LEVELS, "default": "beginner"},
    "amountCents": {"type": "integer", "minimum": 500, "maximum": 200000},
    "balanceCents": {"type": "integer", "description": "The student's account; negative = owes us money."},
    "weeks": {"type": "integer", "minimum": 1, "maximum": 26},
    "limit": {"type": "integer", "minimum": 1, "maximum": 100, "default": 20},
}

MANUAL = """
# getStudent: studentId -> id name email level enrolment balanceCents joinedOn upcomingLessons
    openHires[hireId instrumentId kind dueDate overdue]
Fetch one student by id: contact data, level, enrolment, account balance in cents, the ids of the booked lessons from
today on, soonest first, and the hires not yet returned.
# searchStudents: query
Find students when you do not have the id. Matches part of the name or e-mail address (at least two characters),
ignoring case. Answers an array of id, name, email and enrolment, sorted by name; at most ten, empty if none match.
# registerStudent: name email level?
Enrol a new student. They start out active, as a beginner unless you say otherwise, and the registration fee of 25.00
is put on their account. Each e-mail address can be registered only once. Answers the new record.
# recordPayment: studentId amountCents method -> studentId balanceCents
Credit a payment to a student's account, 5.00 to 2000.00. Paused students may pay too. Answers the new balance.
# listTeachers: instrument? weekday? -> teachers[id name room rateCents teaches workdays]
List teachers by name, optionally only those who teach an instrument and/or work on a weekday. rateCents is the price
of 30 minutes.
# getTeacherDay: teacherId date? -> date working lessons[lessonId startTime endTime student status] free[from to]
Show a teacher's timetable for one day (today if no date is given): the lessons that are not cancelled, in order of
time, and the free stretches between 14:00 and 20:00. Use it before booking or moving a lesson. If the teacher does not
work on that weekday, `working` is false and nothing is free.
# listLessons: studentId? teacherId? status? from? limit?
List lessons in order of date and time. All filters are optional and combined; `from` is the first day to show. Answers
`lessons`, at most `limit` of them, and `total`, the number that match.
# bookLesson: studentId teacherId instrument date startTime minutes?
    -> id status date startTime minutes room feeCents balanceCents
Book a single lesson. The student must be active and must not owe more than 150.00. The teacher has to teach the
instrument and work on that weekday. Lessons are booked from tomorrow up to 60 days ahead, begin on the quarter hour,
and lie between 14:00 and 20:00; neither teacher nor student may have another lesson at that time. The fee (the
teacher's rate per 30 minutes) is charged to the student's account straight away.
# rescheduleLesson: lessonId date startTime
Move a booked lesson to another day or time; teacher, length and fee stay. The new slot follows the rules of
bookLesson. Lessons of today or earlier cannot be moved any more, and a lesson can be moved twice at most. Answers the
lesson.
# cancelLesson: lessonId cancelledBy
Cancel a booked lesson that is not in the past. If the school cancels, the fee is refunded in full. If the student
cancels, it is refunded in full up to the day before and not at all on the day itself. Answers lessonId, status,
refundCents and the student's balanceCents.
# recordAttendance: lessonId attended note?
Tick off a booked lesson of today or an earlier day: it becomes held if the student came, otherwise missed (no refund).
The teacher's note is optional. Answers a sentence of confirmation.
# listInstruments: kind? availability? label?
    -> instruments[id label kind grade availability weeklyFeeCents depositCents]
Browse the instruments in our store, cheapest first. `label` finds the one with that label on its case, e.g. VIO-3817.
`grade` is student or concert; concert is reserved for advanced students.
# hireInstrument: studentId instrumentId weeks -> hireId dueDate chargedCents balanceCents
Hand an available instrument to a student from today on. Deposit and the weekly fee for all weeks are charged at once.
Only active students who do not owe more than 150.00 and have nothing overdue may hire; nobody has more than two
instruments at a time, nor two of one kind. Concert grade: advanced students only.
# returnInstrument: hireId condition -> hireId availability depositRefundCents lateFeeCents balanceCents
Take a hired instrument back. The deposit goes back to the account unless the instrument is damaged: then it is kept
and the instrument goes to repair. Each week overdue, even if only begun, costs the weekly fee again.
"""


def _shape(names: str) -> Row:
    fields, required = {}, []
    for name, optional, inner in re.findall(r"(\w+)(\?)?(?:\[(.+?)\])?", names):
        plain = FIELDS.get(name, {"type": "integer"} if name.endswith("Cents") else TEXT)
        fields[name] = {"type": "array", "items": _shape(inner)} if inner else plain
        required += [] if optional else [name]
    return {"type": "object", "properties": fields, "required": required}


def _tools() -> list[Row]:
    tools, entry = [], re.compile(r"# (\w+):([^>]*?)(?:->(.*?))?\n(?! )([^#]*)", re.DOTALL)
    for name, takes, answers, about in entry.findall(MANUAL):
        tool = {"name": name, "description": " ".join(about.split()), "input_schema": _shape(takes)}
        tools.append({**tool, "output_schema": _shape(answers)} if answers else tool)
    return tools


def _refuse_if(condition: Any, message: str) -> None:
    if condition:
        raise RefusedError(message)


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise RefusedError(f"invalid_date: {text} is not a date (YYYY-MM-DD).") from None


def _checked(schema: Row, given: Row) -> Row:
    for name in schema["required"]:
        _refuse_if(name not in given, f"missing_parameter: {name} is required.")
    for name, value in given.items():
        rule = schema["properties"].get(name)
        _refuse_if(rule is None or type(value) is not TYPES[rule["type"]], f"invalid_parameter: {name}")
        known = rule.get("enum", [value])
        _refuse_if(value not in known, f"invalid_value: {name} is one of {known}.")
        outside = "minimum" in rule and not rule["minimum"] <= value <= rule["maximum"]
        _refuse_if(outside, f"invalid_value: {name} is {rule.get('minimum')} to {rule.get('maximum')}.")
    return {key: rule["default"] for key, rule in schema["properties"].items() if "default" in rule} | given


class _Office:
    """The operations, on one state; `a` holds the checked arguments."""

    def __init__(self, state: State) -> None:
        self.state, self.today = state, date.fromisoformat(state["school"]["main"]["today"])

    def rows(self, kind: str, *order: str) -> list[Row]:
        return sorted(self.state[kind].values(), key=lambda one: [one[key] for key in order])

    def open_hires(self, student_id: str) -> list[Row]:
        return [x for x in self.rows("hires") if x["studentId"] == student_id and not x["returnedOn"]]

    def busy(self, day: str, start: int, end: int) -> Iterator[Row]:
        for one in self.rows("lessons", "startTime"):
            begins = QUARTERS.index(one["startTime"])
            overlaps = start < begins + one["minutes"] // 15 and begins < end
            if one["date"] == day and overlaps and one["status"] != "cancelled":
                yield one

    def _get(self, kind: str, key: str) -> Row:
        _refuse_if(key not in self.state[kind + "s"], f"{kind}_not_found: There is no {kind} with id {key}.")
        return self.state[kind + "s"][key]

    def new_id(self, kind: str, first: int) -> str:
        return f"{kind[0].upper()}{max((int(key[1:]) + 1 for key in self.state[kind]), default=first)}"

    def _customer(self, key: str) -> Row:
        student = self._get("student", key)
        _refuse_if(student["enrolment"] != "active", f"student_paused: {student['name']} has paused.")
        _refuse_if(student["balanceCents"] < DEBT_LIMIT, "account_blocked: Owes more than 150.00.")
        return student

    def _booked(self, key: str) -> Row:
        lesson = self._get("lesson", key)
        _refuse_if(lesson["status"] != "booked", f"lesson_not_booked: {key} is {lesson['status']}.")
        return lesson

    def _credit(self, student_id: str, cents: int) -> Row:
        student = self.state["students"][student_id]
        student["balanceCents"] += cents
        return {"balanceCents": student["balanceCents"]}

    def _slot(self, who: Row, student_id: str, a: Row, minutes: int, moved: str = "") -> Row:
        day, last = _day(a["date"]), self.today + timedelta(days=60)
        _refuse_if(not self.today < day <= last, f"date_out_of_range: Tomorrow up to {last} can be booked.")
        off = WEEK[day.weekday()] not in who["workdays"]
        _refuse_if(off, f"teacher_not_working: {who['name']} works on {', '.join(who['workdays'])}.")
        start = QUARTERS.index(a["startTime"]) if a["startTime"] in QUARTERS else 99
        end = start + minutes // 15
        _refuse_if(end >= len(QUARTERS), "outside_hours: 14:00 to 20:00, beginning on the quarter hour.")
        for one in self.busy(str(day), start, end):
            if one["id"] != moved:
                _refuse_if(one["teacherId"] == who["id"], f"teacher_busy: Taken by {one['id']}.")
                _refuse_if(one["studentId"] == student_id, f"student_busy: Has {one['id']} at that time.")
        return {"date": str(day), "startTime": a["startTime"]}

    def get_student(self, a: Row) -> Any:
        student, today = self._get("student", a["studentId"]), str(self.today)
        mine = [x for x in self.rows("lessons", "date", "startTime") if x["studentId"] == student["id"]]
        hires = []
        for one in self.open_hires(student["id"]):
            kind = self.state["instruments"][one["instrumentId"]]["kind"]
            known = {"hireId": one["id"], "instrumentId": one["instrumentId"], "kind": kind}
            hires.append({**known, "dueDate": one["dueDate"], "overdue": one["dueDate"] < today})
        ahead = [x["id"] for x in mine if x["status"] == "booked" and x["date"] >= today]
        return {**student, "upcomingLessons": ahead, "openHires": hires}

    def search_students(self, a: Row) -> Any:
        sought = a["query"].lower()
        _refuse_if(len(sought) < 2, "query_too_short: Give at least two characters.")
        found = [x for x in self.rows("students", "name") if sought in f"{x['name']}\n{x['email']}".lower()]
        return [{key: x[key] for key in ("id", "name", "email", "enrolment")} for x in found[:10]]

    def register_student(self, a: Row) -> Any:
        email, key = a["email"].lower(), self.new_id("students", 1001)
        _refuse_if("@" not in email[1:-1], f"invalid_email: {email} is not an e-mail address.")
        taken = any(one["email"] == email for one in self.rows("students"))
        _refuse_if(taken, f"email_taken: {email} is already registered.")
        student = {"id": key, "name": a["name"], "email": email, "level": a["level"], "enrolment": "active"}
        self.state["students"][key] = student | {"balanceCents": -SIGN_UP_FEE, "joinedOn": str(self.today)}
        return dict(self.state["students"][key])

    def record_payment(self, a: Row) -> Any:
        key = self._get("student", a["studentId"])["id"]
        return {"studentId": key, **self._credit(key, a["amountCents"])}

    def list_teachers(self, a: Row) -> Any:
        rows = [x for x in self.rows("teachers", "name") if a.get("instrument") in (None, *x["teaches"])]
        return {"teachers": deepcopy([x for x in rows if a.get("weekday") in (None, *x["workdays"])])}

    def get_teacher_day(self, a: Row) -> Any:
        teacher, day = self._get("teacher", a["teacherId"]), _day(a.get("date", str(self.today)))
        lessons, free, at, working = [], [], 0, WEEK[day.weekday()] in teacher["workdays"]
        for one in self.busy(str(day), 0, 24):
            if one["teacherId"] == teacher["id"]:
                free.append((at, QUARTERS.index(one["startTime"])))
                at = free[-1][1] + one["minutes"] // 15
                shown = {key: one[key] for key in ("startTime", "status")} | {"endTime": QUARTERS[at]}
                name = self.state["students"][one["studentId"]]["name"]
                lessons.append({"lessonId": one["id"], **shown, "student": name})
        gaps = [{"from": QUARTERS[x], "to": QUARTERS[y]} for x, y in [*free, (at, 24)] if working and x < y]
        return {"date": str(day), "working": working, "lessons": lessons, "free": gaps}

    def list_lessons(self, a: Row) -> Any:
        first = _day(a.get("from", "0001-01-01"))
        rows = [x for x in self.rows("lessons", "date", "startTime", "id") if _day(x["date"]) >= first]
        rows = [x for x in rows if all(x.get(key, value) == value for key, value in a.items())]
        return {"lessons": deepcopy(rows[: a["limit"]]), "total": len(rows)}

    def book_lesson(self, a: Row) -> Any:
        student, teacher = self._customer(a["studentId"]), self._get("teacher", a["teacherId"])
        unknown = a["instrument"] not in teacher["teaches"]
        _refuse_if(unknown, f"instrument_not_taught: Teaches {', '.join(teacher['teaches'])}.")
        slot = self._slot(teacher, student["id"], a, a["minutes"])
        lesson = self.add_lesson(a | slot, "booked")
        shown = {key: lesson[key] for key in ("id", "status", "date", "startTime", "minutes", "feeCents")}
        return {**shown, "room": teacher["room"], **self._credit(student["id"], -lesson["feeCents"])}

    def add_lesson(self, a: Row, status: str) -> Row:
        key, fee = self.new_id("lessons", 5001), self.state["teachers"][a["teacherId"]]["rateCents"]
        lesson = {"id": key, **a, "feeCents": fee * a["minutes"] // 30, "status": status, "timesMoved": 0}
        self.state["lessons"][key] = lesson | {"note": None}
        return self.state["lessons"][key]

    def reschedule_lesson(self, a: Row) -> Any:
        lesson = self._booked(a["lessonId"])
        _refuse_if(_day(lesson["date"]) <= self.today, "too_late: Only lessons after today can be moved.")
        _refuse_if(lesson["timesMoved"] >= 2, "moved_too_often: It has been moved twice already.")
        teacher = self.state["teachers"][lesson["teacherId"]]
        slot = self._slot(teacher, lesson["studentId"], a, lesson["minutes"], lesson["id"])
        lesson.update(slot, timesMoved=lesson["timesMoved"] + 1)
        return dict(lesson)

    def cancel_lesson(self, a: Row) -> Any:
        lesson = self._booked(a["lessonId"])
        days = (_day(lesson["date"]) - self.today).days
        _refuse_if(days < 0, "lesson_in_past: Record the attendance instead.")
        refund = lesson["feeCents"] if a["cancelledBy"] == "school" or days > 0 else 0
        lesson["status"] = "cancelled"
        done = {"lessonId": lesson["id"], "status": "cancelled", "refundCents": refund}
        return done | self._credit(lesson["studentId"], refund)

    def record_attendance(self, a: Row) -> Any:
        lesson = self._booked(a["lessonId"])
        _refuse_if(_day(lesson["date"]) > self.today, f"lesson_in_future: It is on {lesson['date']}.")
        lesson.update(status="held" if a["attended"] else "missed", note=a.get("note"))
        return f"Lesson {lesson['id']} of {lesson['date']} recorded as {lesson['status']}."

    def list_instruments(self, a: Row) -> Any:
        rows = self.rows("instruments", "weeklyFeeCents", "id")
        return {"instruments": deepcopy([x for x in rows if all(x[key] == a[key] for key in a)])}

    def hire_instrument(self, a: Row) -> Any:
        student, instrument = self._customer(a["studentId"]), self._get("instrument", a["instrumentId"])
        kind, mine, place = instrument["kind"], self.open_hires(student["id"]), instrument["availability"]
        _refuse_if(place != "available", f"instrument_unavailable: {instrument['id']} is in state {place}.")
        too_good = instrument["grade"] == "concert" and student["level"] != "advanced"
        _refuse_if(too_good, "level_too_low: Concert grade is for advanced students only.")
        _refuse_if(any(_day(x["dueDate"]) < self.today for x in mine), "hire_overdue: Return that one first.")
        _refuse_if(len(mine) >= 2, "too_many_hires: The student has two instruments already.")
        kinds = [self.state["instruments"][x["instrumentId"]]["kind"] for x in mine]
        _refuse_if(kind in kinds, f"same_kind: The student has a {kind} already.")
        hire = self.add_hire(student["id"], instrument, self.today, a["weeks"])
        charged = instrument["depositCents"] + a["weeks"] * instrument["weeklyFeeCents"]
        done = {"hireId": hire["id"], "dueDate": hire["dueDate"], "chargedCents": charged}
        return done | self._credit(student["id"], -charged)

    def add_hire(self, student_id: str, instrument: Row, start: date, weeks: int) -> Row:
        key, due = self.new_id("hires", 201), str(start + timedelta(weeks=weeks))
        hire = {"id": key, "studentId": student_id, "instrumentId": instrument["id"], "startDate": str(start)}
        self.state["hires"][key] = hire | {"dueDate": due, "weeks": weeks, "returnedOn": None}
        instrument["availability"] = "hired"
        return self.state["hires"][key]

    def return_instrument(self, a: Row) -> Any:
        hire, place = self._get("hire", a["hireId"]), "repair" if a["condition"] == "damaged" else "available"
        _refuse_if(hire["returnedOn"], f"hire_closed: It was returned on {hire['returnedOn']}.")
        instrument = self.state["instruments"][hire["instrumentId"]]
        late = max(0, (self.today - _day(hire["dueDate"])).days + 6) // 7 * instrument["weeklyFeeCents"]
        refund = instrument["depositCents"] if place == "available" else 0
        hire["returnedOn"], instrument["availability"] = str(self.today), place
        done = {"hireId": hire["id"], "availability": place, "depositRefundCents": refund}
        return {**done, "lateFeeCents": late, **self._credit(hire["studentId"], refund - late)}


BAD: Row = {"studentId": "S9901", "teacherId": "T77", "lessonId": "L99", "hireId": "H9", "instrumentId": "I9"}
BAD |= {"date": "2031-02-30", "from": "yesterday", "startTime": "21:30", "query": "k", "weeks": 52}
BAD |= {"email": "unknown", "amountCents": 99, "minutes": 50}


def _sensible(office: _Office, r: Random) -> dict[str, tuple[int, Row]]:
    """Say how often each tool is called, and how it could well be called now."""
    today, lessons, stock = str(office.today), office.state["lessons"], office.state["instruments"]

    def slot(who: Row) -> Row:
        days = [office.today + timedelta(days=n) for n in range(1, 22)]
        day = r.choice([str(x) for x in days if WEEK[x.weekday()] in who["workdays"]])
        return {"date": day, "startTime": r.choice(QUARTERS[:20:2])}

    def some(**row: Any) -> Row:
        return {key: row[key] for key in r.sample(list(row), r.randint(1, 2))}

    def pick(kind: str, fits: Callable[[Row], bool]) -> Any:
        rows = office.rows(kind)
        return r.choice([x["id"] for x in rows if fits(x)] or [x["id"] for x in rows])

    due = {"lessonId": pick("lessons", lambda x: x["status"] == "booked" and x["date"] <= today)}
    ahead = {"lessonId": pick("lessons", lambda x: x["status"] == "booked" and x["date"] >= today)}
    moved = pick("lessons", lambda x: x["status"] == "booked" and x["date"] > today and x["timesMoved"] < 2)
    item = pick("instruments", lambda x: x["availability"] == "available" and x["grade"] == "student")
    hire = {"hireId": pick("hires", lambda x: not x["returnedOn"])}
    client = {"studentId": pick("students", lambda x: x["enrolment"] == "active" and x["balanceCents"] > 0)}
    teacher, who = r.choice(office.rows("teachers")), {"studentId": pick("students", bool)}
    by, name = {"teacherId": teacher["id"]}, f"{r.choice(FIRST)} {r.choice(LAST)}"
    email = f"{name.replace(' ', '.')}{r.choice(['', 2, 7])}@post.test".lower()
    new = {**client, **by, "instrument": r.choice(teacher["teaches"]), **slot(teacher)}
    host, seen = office.state["teachers"][lessons[moved]["teacherId"]], lessons[pick("lessons", bool)]
    use = {key: {key: r.choice(field["enum"])} for key, field in FIELDS.items() if "enum" in field}
    return {
        "getStudent": (12, who),
        "searchStudents": (8, {"query": r.choice([*FIRST, *LAST, "post.test", "an"])}),
        "registerStudent": (4, {"name": name, "email": email} | r.choice([{}, use["level"]])),
        "recordPayment": (6, who | {"amountCents": r.randint(2, 60) * 500} | use["method"]),
        "listTeachers": (8, some(**use["instrument"], **use["weekday"])),
        "getTeacherDay": (10, r.choice([by, {key: seen[key] for key in ("teacherId", "date")}])),
        "listLessons": (9, some(**who, **by, **use["status"], limit=5) | {"from": seen["date"]}),
        "bookLesson": (13, new | r.choice([{}, use["minutes"]])),
        "rescheduleLesson": (8, {"lessonId": moved, **slot(host)}),
        "cancelLesson": (7, ahead | use["cancelledBy"]),
        "recordAttendance": (8, due | {"attended": r.random() < 0.8} | r.choice([{}, {"note": NOTES[0]}])),
        "listInstruments": (8, some(**use["kind"], **use["availability"], label=stock[item]["label"])),
        "hireInstrument": (9, {**client, "instrumentId": item, "weeks": r.randint(4, 20)}),
        "returnInstrument": (7, hire | use["condition"]),
    }


def _mistaken(state: State, r: Random, a: Row) -> Row:
    """Spoil one of the arguments, or replace it by another that exists but may not do."""
    day = _Office(state).today + timedelta(days=r.randint(-4, 9))
    others = {key: list(state[key[:-2] + "s"]) for key in a if key.endswith("Id")}
    others |= {"date": [str(day)], "instrument": KINDS}
    key = r.choice([x for x in a if x in BAD or "enum" in FIELDS.get(x, {})] or ["sort"])
    known = key in others and r.random() < 0.6
    return a | {key: r.choice(others[key]) if known else BAD.get(key, "other")}


class Music:
    name = "music"
    tools = _tools()

    def begin(self, random: Random) -> State:
        r, today = random, date(2031, 1, 6) + timedelta(days=random.randint(0, 340))
        state: State = {"school": {"main": {"today": str(today)}}}
        state |= {kind: {} for kind in ("teachers", "students", "lessons", "instruments", "hires")}
        office, names = _Office(state), r.sample([f"{x} {y}" for x in FIRST for y in LAST], 50)
        for i in range(r.randint(15, 18)):
            days = sorted(r.sample(WEEK[:6], r.randint(3, 4)), key=WEEK.index)
            who: Row = {"id": f"T{i + 1:02}", "name": names.pop(), "room": f"Room {i + 1}", "workdays": days}
            who |= {"teaches": sorted({KINDS[i % 8], r.choice(KINDS)}), "rateCents": r.randint(18, 34) * 100}
            state["teachers"][who["id"]] = who
        for i in range(r.randint(26, 32)):
            name = names.pop()
            who = {"id": f"S{1001 + i}", "name": name, "email": f"{name.replace(' ', '.').lower()}@post.test"}
            who |= {"level": r.choice(LEVELS), "enrolment": "active" if r.random() < 0.85 else "paused"}
            who |= {"balanceCents": r.randint(-20, 40) * 1000, "joinedOn": f"2029-09-{r.randint(1, 30):02}"}
            state["students"][who["id"]] = who
        for i, student in enumerate(r.sample(office.rows("students"), 26)):
            kind, key, fee = KINDS[i % 6], f"I{101 + i}", r.randint(6, 20) * 100
            item: Row = {"id": key, "label": f"{kind[:3].upper()}-{r.randint(10, 99)}{i + 10}", "kind": kind}
            item |= {"grade": "concert" if r.random() < 0.3 else "student", "availability": "available"}
            state["instruments"][key] = item = item | {"weeklyFeeCents": fee, "depositCents": fee * 10}
            if r.random() < 0.8 and (student["level"] == "advanced" or item["grade"] == "student"):
                start = today - timedelta(days=r.randint(10, 120))
                hire = office.add_hire(student["id"], item, start, r.randint(8, 26))
                if r.random() < 0.4:
                    hire["returnedOn"] = str(start + timedelta(days=r.randint(7, 10)))
                    item["availability"] = r.choice(["available", "available", "repair"])
        wanted = r.randint(46, 58)
        while len(state["lessons"]) < wanted:
            self._lesson(office, r, r.choice([-1, 0, r.randint(-14, 21), r.randint(-14, 21)]))
        return state

    def _lesson(self, office: _Office, r: Random, offset: int) -> None:
        teacher, student = r.choice(office.rows("teachers")), r.choice(office.rows("students"))
        day, start = office.today + timedelta(days=offset), r.randrange(0, 20, 2)
        minutes = r.choice([30, 30, 45, 60])
        ids = {"studentId": student["id"], "teacherId": teacher["id"]}
        others = office.busy(str(day), start, start + minutes // 15)
        clash = any(x[key] == ids[key] for x in others for key in ids)
        away = student["enrolment"] == "paused" and offset > -3
        if clash or away or WEEK[day.weekday()] not in teacher["workdays"]:
            return
        past = ["held", "held", "held", "missed", "cancelled"]
        status = r.choice(past if offset < -2 else ["booked"] * 5 + (past if offset < 1 else ["cancelled"]))
        slot = {"date": str(day), "startTime": QUARTERS[start], "minutes": minutes}
        lesson = office.add_lesson({**ids, "instrument": r.choice(teacher["teaches"]), **slot}, status)
        lesson.update(timesMoved=r.choice([0, 0, 1, 2]), note=r.choice(NOTES) if status == "held" else None)

    def call(self, state: State, tool: str, arguments: dict[str, Any]) -> Any:
        schemas = {one["name"]: one["input_schema"] for one in self.tools}
        _refuse_if(tool not in schemas, f"unknown_operation: {tool}")
        method = re.sub("(?=[A-Z])", "_", tool).lower()
        return getattr(_Office(state), method)(_checked(schemas[tool], arguments))

    def next_call(self, state: State, random: Random) -> Call:
        could = _sensible(_Office(state), random)
        tool = random.choices(list(could), [weight for weight, _ in could.values()])[0]
        a = could[tool][1]
        return Call(tool, _mistaken(state, random, a) if random.random() < 0.25 else a)
