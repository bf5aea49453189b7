"""A course registration office of a college, as its clerks use it: students, courses, waiting lists, grades, fees."""

import re
from collections.abc import Callable
from copy import deepcopy
from random import Random
from typing import Any

from benchmarks.reference.back_end import Call, RefusedError, State

Entity = dict[str, Any]

NAMES = ["Amara", "Bogdan", "Chen", "Dalia", "Emil", "Farah", "Goran", "Hana", "Ivo", "Jamila", "Kofi"]
FAMILIES = ["Abbott", "Bianchi", "Cruz", "Dvorak", "Eriksen", "Fofana", "Greco", "Hoang", "Ito", "Khan"]
PROGRAMS = ["Biology", "Computer Science", "Economics", "History"]
DEPARTMENTS = {"BIO": "Biology", "CSC": "Computing", "ECO": "Economics", "HIS": "History", "MAT": "Maths"}
KINDS = ["Introduction to", "Topics in", "Methods of", "Advanced", "Seminar in"]
POINTS = {"A": 4, "B": 3, "C": 2, "D": 1, "F": 0}
REASONS = ["Library", "Finance", "Academic", "Immunization"]
STANDINGS = ["Active", "Active", "Active", "Active", "Active", "OnLeave", "Graduated"]
SUBJECTS = ["Your registration", "Missing document", "Appointment", "Outstanding fees"]
READS = ("get", "find", "list", "count", "calculate")
WEIGHTS = {"enrollStudent": 8, "setRegistration": 2, "leaveWaitingList": 5}

LIMIT = {"type": "integer", "minimum": 1, "maximum": 50, "default": 10}
STUDENT = {"type": "string", "description": "Student number such as S1042", "pattern": "^S[0-9]+$"}
COURSE = {"type": "string", "description": "Course code, e.g. MAT210"}
ENROLLMENT = {"type": "string", "description": "Enrollment number, e.g. E5007"}
DAYS = {"type": "string", "enum": ["MWF", "TTh"], "description": "MWF or TTh"}
HOUR = {"type": "integer", "minimum": 8, "maximum": 17}
METHOD: Entity = {"type": "string", "enum": ["Card", "Cash", "Transfer"], "default": "Card"}
TEXT, NUMBER, COUNT, FLAG = {"type": "string"}, {"type": "number"}, {"type": "integer"}, {"type": "boolean"}
TOOLS: list[Entity] = []


def _object(optional: str = "", **properties: Entity) -> Entity:
    """Declare an object; the properties named in `optional` may be left out."""
    required = [name for name in properties if name not in optional.split()]
    return {"type": "object", "properties": properties, "required": required}


STATUS = {"type": "string", "enum": ["Enrolled", "Completed", "Withdrawn"]}
MAYBE = {"type": ["string", "null"]}
ENROLLED = _object(enrollmentId=TEXT, studentId=TEXT, courseCode=TEXT, status=STATUS, grade=MAYBE)
HOLD = _object(holdId=TEXT, reason={"type": "string", "enum": REASONS})
PERSON = _object(studentId=TEXT, name=TEXT, balance=NUMBER, holds={"type": "array", "items": HOLD})
PEOPLE = {"type": "array", "items": PERSON}
DONE = _object(success=FLAG)


def _tool(takes: Entity, answers: Entity | None = None) -> Callable[[Any], Any]:
    """Declare a method as a tool, which has the method's name in camel case and is described by its docstring."""

    def declare(method: Any) -> Any:
        name = re.sub("_(.)", lambda found: found[1].upper(), method.__name__)
        tool = {"name": name, "description": " ".join(method.__doc__.split()), "input_schema": takes}
        TOOLS.append(tool if answers is None else {**tool, "output_schema": answers})
        return method

    return declare


def _snake(name: str) -> str:
    return re.sub("([A-Z])", r"_\1", name).lower()


def _need(condition: object, message: str) -> None:
    if not condition:
        raise RefusedError(message)


def _next(ids: Any, prefix: str) -> str:
    return f"{prefix}{max(int(known[len(prefix) :]) for known in ids) + 1}"


class _Office:
    """The tools at one state."""

    def __init__(self, state: State) -> None:
        self.state, self.term, self.courses = state, state["term"]["current"], state["courses"]

    def _find(self, kind: str, key: str) -> Entity:
        _need(key in self.state[kind], f"There is no {kind[:-1]} {key}")
        return self.state[kind][key]

    def _taken(self, status: str = "Enrolled", **of: str) -> list[Entity]:
        """List the enrollments of a student or in a course that have a status."""
        every = [one for one in self.state["enrollments"].values() if one["status"] == status]
        return [one for one in every if all(one[key] == value for key, value in of.items())]

    def seats_left(self, course_code: str) -> int:
        """Count the seats of a course that nobody has."""
        return int(self._find("courses", course_code)["capacity"]) - len(self._taken(courseCode=course_code))

    def _add(self, student_id: str, course_code: str) -> Entity:
        """Enroll a student, who waits no longer, and charge the tuition."""
        key, course = _next(self.state["enrollments"], "E"), self.courses[course_code]
        enrollment = {"enrollmentId": key, "studentId": student_id, "courseCode": course_code}
        self.state["enrollments"][key] = {**enrollment, "status": "Enrolled", "grade": None}
        self.state["students"][student_id]["balance"] += course["credits"] * self.term["pricePerCredit"]
        course["waitingList"] = [waiting for waiting in course["waitingList"] if waiting != student_id]
        return self.state["enrollments"][key]

    @_tool(_object())
    def get_term(self) -> Entity:
        """Returns the current term: its name, whether registration is open, the credit limit, the price per credit."""
        return self.term

    @_tool(_object(isOpen=FLAG), DONE)
    def set_registration(self, is_open: bool) -> Entity:
        """Opens or closes registration for the term. Fails if it is open, or closed, already."""
        _need(self.term["registrationOpen"] != is_open, "Registration is already set like that")
        self.term["registrationOpen"] = is_open
        return {"success": True}

    @_tool(_object(studentId=STUDENT), PERSON)
    def get_student(self, student_id: str) -> Entity:
        """Fetches a student's record, holds and fee balance included."""
        return self._find("students", student_id)

    @_tool(_object("program hasHold limit", name=TEXT, program=TEXT, hasHold=FLAG, limit=LIMIT), PEOPLE)
    def find_students(self, name: str, program: str = "", limit: int = 10, **more: bool) -> list[Entity]:
        """Finds students by part of the name, and by program or whether they have a hold. Sorted by student number."""
        hits = [one for one in self.state["students"].values() if name.lower() in one["name"].lower()]
        hits = [one for one in hits if more.get("has_hold", bool(one["holds"])) == bool(one["holds"])]
        return [one for one in hits if program in ("", one["program"])][:limit]

    @_tool(_object(courseCode=COURSE))
    def get_course(self, course_code: str) -> Entity:
        """Returns a course with its schedule, room and waiting list, and how many seats are left."""
        return {**self._find("courses", course_code), "seatsLeft": self.seats_left(course_code)}

    @_tool(_object("department minCredits openOnly", department=TEXT, minCredits=COUNT, openOnly=FLAG))
    def find_courses(self, department: str = "", min_credits: int = 0, open_only: bool = False) -> Entity:
        """Searches the catalog, sorted by course code. With openOnly, full courses are left out (default false)."""
        _need(department in ("", *DEPARTMENTS.values()), f"Unknown department: {department}")
        hits = [one for _, one in sorted(self.courses.items()) if department in ("", one["department"])]
        full = [one for one in hits if open_only and self.seats_left(one["code"]) < 1]
        return {"courses": [one for one in hits if one["credits"] >= min_credits and one not in full]}

    @_tool(_object("status", studentId=STUDENT, status=STATUS), {"type": "array", "items": ENROLLED})
    def list_enrollments(self, student_id: str, status: str = "Enrolled") -> list[Entity]:
        """Lists a student's enrollments of one status (Enrolled unless told otherwise), oldest first."""
        self._find("students", student_id)
        return self._taken(status, studentId=student_id)

    @_tool(_object(courseCode=COURSE), COUNT)
    def count_enrolled(self, course_code: str) -> int:
        """How many students are enrolled in a course at the moment."""
        return len(self._taken(courseCode=self._find("courses", course_code)["code"]))

    @_tool(_object(studentId=STUDENT), NUMBER)
    def calculate_gpa(self, student_id: str) -> float:
        """Grade point average of completed courses (A = 4 to F = 0), weighted by credits. Fails if there are none."""
        self._find("students", student_id)
        grades = self._taken("Completed", studentId=student_id)
        credits = [self.courses[one["courseCode"]]["credits"] for one in grades]
        _need(grades, f"{student_id} has completed no course yet")
        points = sum(POINTS[one["grade"]] * weight for one, weight in zip(grades, credits, strict=True))
        return float(round(points / sum(credits), 2))

    @_tool(_object("minSeats", days=DAYS, hour=HOUR, minSeats=COUNT))
    def find_free_rooms(self, days: str, hour: int, min_seats: int = 0) -> Entity:
        """Finds rooms where no course meets on these days at this hour (8 to 17), the smallest first."""
        when = {"days": days, "hour": hour}
        taken = [one["roomId"] for one in self.courses.values() if one["schedule"] == when]
        rooms = sorted(self.state["rooms"].items(), key=lambda item: item[1]["seats"])
        return {"rooms": [key for key, room in rooms if key not in taken and room["seats"] >= min_seats]}

    @_tool(_object(courseCode=COURSE, roomId=TEXT))
    def change_room(self, course_code: str, room_id: str) -> Entity:
        """Moves a course to another room, which must be free at its time and have seats for the course's capacity."""
        course, room = self._find("courses", course_code), self._find("rooms", room_id)
        _need(room["seats"] >= course["capacity"], f"Room {room_id} has only {room['seats']} seats")
        _need(room_id in self.find_free_rooms(**course["schedule"])["rooms"], f"Room {room_id} is taken")
        previous, course["roomId"] = course["roomId"], room_id
        return {"courseCode": course_code, "roomId": room_id, "previousRoomId": previous}

    @_tool(_object(studentId=STUDENT, courseCode=COURSE), ENROLLED)
    def enroll_student(self, student_id: str, course_code: str) -> Entity:
        """Enrolls a student in a course and adds its tuition (credits times price per credit) to the fee balance.
        Registration must be open, the student Active and without holds, the prerequisite passed, the credit limit
        of the term kept, and a seat free. A student on the waiting list leaves it. Enrollments are numbered on.
        """
        student, course = self._find("students", student_id), self._find("courses", course_code)
        current = [self.courses[one["courseCode"]] for one in self._taken(studentId=student_id)]
        done = self._taken("Completed", studentId=student_id)
        passed = [one["courseCode"] for one in done if one["grade"] != "F"]
        _need(self.term["registrationOpen"], "Registration is closed")
        _need(student["status"] == "Active", f"{student_id} is {student['status']}")
        _need(not student["holds"], f"{student_id} has a hold")
        _need(course not in current, f"{student_id} is already enrolled in {course_code}")
        _need(course["prerequisite"] in (None, *passed), f"Prerequisite {course['prerequisite']} is missing")
        total = sum(one["credits"] for one in [*current, course])
        _need(total <= self.term["maxCredits"], f"{total} credits are too many")
        _need(self.seats_left(course_code) > 0, f"{course_code} is full, there is a waiting list")
        return self._add(student_id, course_code)

    @_tool(_object(enrollmentId=ENROLLMENT), _object(enrollment=ENROLLED, promoted=MAYBE))
    def withdraw(self, enrollment_id: str) -> Entity:
        """Withdraws a student from a course that is not completed and takes the tuition off the balance. The first on
        the course's waiting list, if any, is enrolled in their place (and charged) and returned as promoted.
        """
        enrollment = self._find("enrollments", enrollment_id)
        _need(enrollment["status"] == "Enrolled", f"{enrollment_id} is {enrollment['status']}")
        _need(self.term["registrationOpen"], "Registration is closed")
        enrollment["status"], course = "Withdrawn", self.courses[enrollment["courseCode"]]
        student = self.state["students"][enrollment["studentId"]]
        student["balance"] -= course["credits"] * self.term["pricePerCredit"]
        promoted = course["waitingList"][0] if course["waitingList"] else None
        if promoted:
            self._add(promoted, course["code"])
        return {"enrollment": enrollment, "promoted": promoted}

    @_tool(_object(studentId=STUDENT, courseCode=COURSE), _object(position=COUNT))
    def join_waiting_list(self, student_id: str, course_code: str) -> Entity:
        """Puts a student at the end of the waiting list of a full course. Returns the position, counted from 1."""
        student, course = self._find("students", student_id), self._find("courses", course_code)
        _need(student["status"] == "Active", f"{student_id} is {student['status']}")
        _need(self.seats_left(course_code) <= 0, f"{course_code} still has seats")
        _need(not self._taken(studentId=student_id, courseCode=course_code), f"{student_id} is enrolled")
        _need(student_id not in course["waitingList"], f"{student_id} is already waiting")
        course["waitingList"].append(student_id)
        return {"position": len(course["waitingList"])}

    @_tool(_object(studentId=STUDENT, courseCode=COURSE))
    def leave_waiting_list(self, student_id: str, course_code: str) -> Entity:
        """Takes a student off the waiting list of a course. Those behind move up."""
        waiting = self._find("courses", course_code)["waitingList"]
        _need(student_id in waiting, f"{student_id} is not on the waiting list of {course_code}")
        waiting.remove(student_id)
        return {"message": f"{student_id} left the waiting list of {course_code}"}

    @_tool(_object(enrollmentId=ENROLLMENT, grade={"type": "string", "enum": list(POINTS)}), ENROLLED)
    def record_grade(self, enrollment_id: str, grade: str) -> Entity:
        """Records the final grade of an enrollment, which becomes Completed. A grade cannot be changed later."""
        enrollment = self._find("enrollments", enrollment_id)
        _need(enrollment["status"] == "Enrolled", f"{enrollment_id} is {enrollment['status']}")
        enrollment.update(grade=grade, status="Completed")
        return enrollment

    @_tool(_object(studentId=STUDENT, reason=HOLD["properties"]["reason"]), HOLD)
    def place_hold(self, student_id: str, reason: str) -> Entity:
        """Places a hold on a student, which keeps them from enrolling. One hold per reason; numbers count on."""
        student = self._find("students", student_id)
        _need(reason not in [one["reason"] for one in student["holds"]], f"There is a {reason} hold already")
        ids = [hold["holdId"] for one in self.state["students"].values() for hold in one["holds"]]
        hold = {"holdId": _next([*ids, "H-100"], "H-"), "reason": reason}
        student["holds"].append(hold)
        return hold

    @_tool(_object(studentId=STUDENT, holdId=TEXT), DONE)
    def release_hold(self, student_id: str, hold_id: str) -> Entity:
        """Releases one of a student's holds."""
        student = self._find("students", student_id)
        kept = [one for one in student["holds"] if one["holdId"] != hold_id]
        _need(kept != student["holds"], f"{student_id} has no hold {hold_id}")
        student["holds"] = kept
        return {"success": True}

    @_tool(_object("method", studentId=STUDENT, amount=NUMBER, method=METHOD), _object(receiptNo=TEXT))
    def pay_fees(self, student_id: str, amount: float, method: str = "Card") -> Entity:
        """Books a payment of at most the student's fee balance. Returns the receipt, with the next receipt number."""
        student = self._find("students", student_id)
        _need(0 < amount <= student["balance"], f"The balance is {student['balance']}")
        receipt = {"receiptNo": _next(self.state["payments"], "R-"), "studentId": student_id}
        self.state["payments"][receipt["receiptNo"]] = {**receipt, "amount": amount, "method": method}
        student["balance"] -= amount
        return self.state["payments"][receipt["receiptNo"]]

    @_tool(_object("body", studentId=STUDENT, subject=TEXT, body=TEXT), {"type": "null"})
    def email_student(self, student_id: str, subject: str, body: str = "") -> None:
        """Sends an email to the address on a student's record."""
        _need(self._find("students", student_id) and subject + body, "The email is empty")


def _make_course(random: Random, number: int, earlier: list[str]) -> Entity:
    prefix, hour = random.choice(list(DEPARTMENTS)), random.randint(8, 17)
    needed = random.choice(earlier) if earlier and random.random() < 0.3 else None
    return (
        {"code": f"{prefix}{number}", "title": f"{random.choice(KINDS)} {DEPARTMENTS[prefix]}"}
        | {"department": DEPARTMENTS[prefix], "credits": random.randint(2, 5), "prerequisite": needed}
        | {"schedule": {"days": random.choice(["MWF", "TTh"]), "hour": hour}}
        | {"capacity": random.randint(1, 4), "waitingList": []}
    )


def _make_student(random: Random, number: int) -> Entity:
    name, family, held = random.choice(NAMES), random.choice(FAMILIES), random.random() < 0.25
    hold = {"holdId": f"H-{number - 900}", "reason": random.choice(REASONS)}
    return (
        {"studentId": f"S{number}", "name": f"{name} {family}", "email": f"{name.lower()}{number}@uni.test"}
        | {"program": random.choice(PROGRAMS), "year": random.randint(1, 4), "holds": [hold] if held else []}
        | {"status": random.choice(STANDINGS), "balance": random.randint(0, 30) * 100}
    )


def _draw(state: State, random: Random, tool: Entity) -> Call:
    """Draw arguments for a tool: mostly what there is, now and then something wrong."""
    course = random.choice(list(state["courses"].values()))
    students = [*state["students"].values()]
    student = random.choice(students + [state["students"][key] for key in course["waitingList"] * 8])
    pools: dict[str, list[Any]] = {
        "studentId": [student["studentId"]] * 14 + [f"S{random.randint(2000, 9999)}"],
        "courseCode": [course["code"]] * 14 + [f"PHY{random.randint(100, 400)}"],
        "enrollmentId": [*state["enrollments"], "E9001", "E9002"],
        "roomId": [*state["rooms"], "Z900"],
        "holdId": [one["holdId"] for one in student["holds"]] * 5 + ["H-999"],
        "isOpen": [True, False],
        "hasHold": [True, False],
        "openOnly": [True, False],
        "name": [*NAMES, *FAMILIES, "an", "er"],
        "program": PROGRAMS,
        "limit": [1, 3, 5, 8, 20, 100],
        "department": [*DEPARTMENTS.values(), "Physics"],
        "minCredits": [2, 3, 4, 5],
        "minSeats": [3, 5, 6, 8],
        "status": ["Enrolled", "Completed", "Withdrawn", "Completed", "Dropped"],
        "days": ["MWF", "TTh"],
        "hour": [*range(8, 18), 7, 20],
        "grade": [*POINTS, "A", "B", "C", "E"],
        "reason": [*REASONS, "Parking"],
        "amount": [50, 100, 100, 200, 250.5, 400, 5000, student["balance"]],
        "method": ["Card", "Cash", "Transfer", "Transfer", "Cheque"],
        "subject": SUBJECTS,
        "body": ["Please call us.", "Come by this week.", "All is settled now."],
    }
    schema = tool["input_schema"]
    names = [key for key in schema["properties"] if key in schema["required"] or random.random() < 0.4]
    return Call(tool["name"], {name: random.choice(pools[name]) for name in names})


class School:
    """The back end of the office."""

    name = "school"
    tools = TOOLS

    def begin(self, random: Random) -> State:
        """Make some of everything; courses are small, so that some are full and a few have a waiting list."""
        term = {"name": random.choice(["Fall 2025", "Fall 2026"]), "registrationOpen": random.random() < 0.8}
        term |= {"maxCredits": random.choice([12, 15, 18]), "pricePerCredit": random.choice([90, 110, 150])}
        students = [_make_student(random, number) for number in range(1001, random.randint(1030, 1045))]
        state: State = {"term": {"current": term}, "students": {one["studentId"]: one for one in students}}
        state |= {"rooms": {}, "courses": {}, "enrollments": {}, "payments": {}}
        for number in range(101, random.randint(117, 124)):
            room = {"seats": random.randint(3, 12), "projector": random.random() < 0.5}
            state["rooms"][f"{random.choice('ABC')}{number}"] = room
        for number in range(101, random.randint(310, 400), 13):
            course = _make_course(random, number, list(state["courses"]))
            state["courses"][course["code"]] = {**course, "roomId": random.choice(list(state["rooms"]))}
        pairs = [(one["studentId"], code) for one in students for code in state["courses"]]
        for number, (student_id, code) in enumerate(random.sample(pairs, random.randint(55, 70)), 5001):
            status = random.choice(["Enrolled", "Enrolled", "Enrolled", "Completed", "Withdrawn"])
            grade = random.choice("ABCDF") if status == "Completed" else None
            enrollment = {"enrollmentId": f"E{number}", "studentId": student_id, "courseCode": code}
            if status == "Enrolled" and _Office(state).seats_left(code) < 1:
                state["courses"][code]["waitingList"].append(student_id)
            else:
                state["enrollments"][f"E{number}"] = {**enrollment, "status": status, "grade": grade}
        for number in range(301, random.randint(316, 325)):
            paid = {"amount": random.randint(1, 12) * 50, "method": random.choice(METHOD["enum"])}
            student_id = random.choice(students)["studentId"]
            state["payments"][f"R-{number}"] = {"receiptNo": f"R-{number}", "studentId": student_id, **paid}
        return state

    def call(self, state: State, tool: str, arguments: dict[str, Any]) -> Any:
        """Check the arguments against what is declared and hand them to the method of the tool."""
        schemas = {known["name"]: known["input_schema"] for known in TOOLS}
        _need(tool in schemas, f"Unknown tool: {tool}")
        schema = schemas[tool]
        wrong = set(schema["required"]) - set(arguments) | set(arguments) - set(schema["properties"])
        _need(not wrong, f"Missing or unknown arguments: {', '.join(sorted(wrong))}")
        for name, value in arguments.items():
            rule = schema["properties"][name]
            _need(value in rule.get("enum", [value]), f"Invalid {name}: {value}")
            least, most = rule.get("minimum", value), rule.get("maximum", value)
            _need(least <= value <= most, f"{name} must be between {least} and {most}")
        given = {_snake(name): value for name, value in arguments.items()}
        return deepcopy(getattr(_Office(state), _snake(tool))(**given))

    def next_call(self, state: State, random: Random) -> Call:
        """Try calls of a tool until one turns out as wanted: as a read, a write or, one time in five, a mistake."""
        reads = [tool for tool in TOOLS if tool["name"].startswith(READS)]
        writes = [tool for tool in TOOLS if tool not in reads]
        tools, mistake = random.choices([(TOOLS, True), (reads, False), (writes, False)], [20, 48, 32])[0]
        trial = deepcopy(state)
        while True:
            tool = random.choices(tools, [WEIGHTS.get(one["name"], 4) for one in tools])[0]
            for _ in range(12):
                call = _draw(state, random, tool)
                try:
                    self.call(trial, *call)
                    refused, trial = False, deepcopy(state)
                except RefusedError:
                    refused = True
                if refused == mistake:
                    return call
