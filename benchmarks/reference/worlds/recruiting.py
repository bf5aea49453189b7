"""A recruiting pipeline: jobs, candidates and their applications, interviews with scorecards, offers."""

import re
from contextlib import suppress
from copy import deepcopy
from datetime import date, timedelta
from random import Random
from typing import Any

from benchmarks.reference.back_end import Call, RefusedError, State

Row = dict[str, Any]
day_of = date.fromisoformat

STAGES = ["applied", "phone_screen", "onsite", "offer"]
INTERVIEWED = ["phone_screen", "onsite"]
OUTCOMES = ["active", "hired", "rejected", "withdrawn"]
JOB_STATUSES = ["draft", "open", "on_hold", "filled", "closed"]
JOB_MOVES = {"draft": ["open", "closed"], "open": ["on_hold", "closed"], "on_hold": ["open", "closed"]}
TITLES = {"engineering": ["Data Engineer", "QA Analyst", "Backend Engineer", "Site Reliability Engineer"]}
TITLES |= {"sales": ["Account Executive", "Partner Manager"], "finance": ["Controller", "Payroll Specialist"]}
LOCATIONS = ["Rotterdam", "Leeds", "Porto", "Remote"]
SOURCES = ["referral", "job_board", "agency", "career_site", "sourced"]
SKILLS = ["python", "sql", "kubernetes", "figma", "negotiation", "excel", "forecasting", "typescript"]
REASONS = ["not_qualified", "position_filled", "salary_expectations", "failed_interview", "no_show"]
VERDICTS = ["strong_no", "no", "yes", "strong_yes"]
REMARKS = ["Structured answers.", "Knows the field well.", "Struggled with the case.", "Good listener.", ""]
FIRST = ["Maren", "Tobias", "Yusra", "Odile", "Pavel", "Nkechi", "Ruben", "Saskia", "Ilias", "Greta"]
LAST = ["Vantongeren", "Okafor", "Lindqvist", "Marchetti", "Szabo", "Delacroix", "Hallam", "Pereira"]
NUMBERS = {"employees": ("E", 11), "jobs": ("J", 101), "candidates": ("C", 2001), "applications": ("A", 5001)}
NUMBERS |= {"interviews": ("I", 7001), "offers": ("O", 901)}

STR, COUNT, DAY = {"type": "string"}, {"type": "integer"}, {"type": "string", "format": "date"}
WORDS: dict[str, Row] = {
    "id role title comments email recruiter_id candidate_name job_title skill full_name query": STR,
    "total pages openings hired salary_min salary_max": COUNT,
    "added_on applied_on expires_on date start_date": DAY,
    "skills application_ids trained_for cancelled_interview_ids": {"type": "array", "items": STR},
}
ENUMS = {"location": LOCATIONS, "source": SOURCES, "department": list(TITLES), "recommendation": VERDICTS}
ENUMS |= {"stage": STAGES, "outcome": OUTCOMES, "reason": REASONS, "job_status": JOB_STATUSES}
ENUMS |= {"response": ["accepted", "declined"], "offer_status": ["sent", "accepted", "declined"]}
ENUMS |= {"new_status": ["open", "on_hold", "closed"], "held": ["scheduled", "completed", "cancelled"]}
RANGES = {"rating": (1, 5), "hour": (9, 17), "base_salary": (1, 999999), "limit": (1, 50), "page": (1, 999)}
FIELDS: dict[str, Row] = {
    **{name: schema for names, schema in WORDS.items() for name in names.split()},
    **{f"{kind[:-1]}_id": {**STR, "description": f"e.g. {a}-{n}"} for kind, (a, n) in NUMBERS.items()},
    **{name: {**STR, "enum": values} for name, values in ENUMS.items()},
    **{name: {**COUNT, "minimum": low, "maximum": high} for name, (low, high) in RANGES.items()},
    "rejection_reason": {"type": ["string", "null"]},
}
RECORDS = {
    "employee": "id full_name department role trained_for",
    "candidate": "id full_name email location source skills added_on",
    "job": "id title department location status:job_status openings hired recruiter_id salary_min salary_max",
    "scorecard": "rating recommendation comments",
    "interview": "id application_id interviewer_id:employee_id stage date hour status:held scorecard",
    "offer": "id application_id base_salary start_date status:offer_status expires_on",
    "application": "id candidate_id job_id stage status:outcome applied_on rejection_reason",
}
MANIFEST = """
get_current_user : = employee
    Who you are acting as. The role decides what you may do: a coordinator looks things up, enters applications and
    runs interviews; moving applications along, rejecting and offers take a recruiter or lead.
search_candidates query? skill? source? limit? : candidates total
    Search the talent pool. All filters given have to match; at least one is needed. `query` is looked for in name and
    location, ignoring case; `skill` is one skill, written as in the profiles. Sorted by name, 10 unless you set
    another limit (up to 50); `total` is the number of matches before the limit is applied.
get_candidate candidate_id? email? : candidate application_ids
    A candidate's profile by id or by exact e-mail address (either one, not both; case does not matter in addresses),
    and the ids of all applications they ever made, oldest first.
list_jobs status:job_status? department? : jobs
    Jobs in order of id, optionally by status, department or both, with salary band and responsible recruiter.
set_job_status job_id new_status : job_id previous_status:job_status status:job_status
    Open, pause or close a job. Drafts and paused jobs can be opened, open ones put on hold, and any of the three
    closed, provided no application for it is still active. Closed is final, and so is filled, which a job becomes by
    itself with its last hire. Only the job's own recruiter or a lead may do this.
create_application candidate_id job_id : = application
    Let a candidate apply for a job; the application is active, in stage applied, and dated today. The job must be
    open. Nobody can have two active applications for the same job, or more than three active ones altogether.
list_applications job_id? stage? status:outcome? page? : applications total pages
    Applications by job, stage and/or status, latest id first, ten a page. A page after the last is empty.
get_application application_id : application candidate_name job_title interviews offers
    An application with everything that belongs to it: names, interviews with their scorecards, and offers.
advance_application application_id : application_id from_stage:stage to_stage:stage
    Move an active application to the next stage (applied, phone_screen, onsite, offer). The job has to be open. To
    leave phone_screen or onsite, at least one scorecard of that stage must say yes or strong_yes, and none of its
    interviews may still be scheduled. From offer, go on with extend_offer instead. Recruiters and leads only.
reject_application application_id reason : application cancelled_interview_ids
    Turn down an active application at any stage. Interviews still scheduled for it are cancelled along with it. Not
    possible while an offer is waiting for an answer. Recruiters and leads only.
schedule_interview application_id interviewer_id:employee_id date hour : = interview
    Book an interview for an active application in phone_screen or onsite; it belongs to that stage. The job must be
    open. Dates are working days from tomorrow to 60 days ahead, `hour` is the full hour at which it starts. The
    interviewer has to be trained for the stage, and neither they nor the candidate may be booked at that hour.
cancel_interview interview_id :
    Cancel an interview that is still scheduled. Answers with its id, under `cancelled`.
submit_scorecard interview_id rating recommendation comments? : = interview
    File the interviewer's verdict, which completes the interview. Works for a scheduled interview of today or
    earlier. Ratings go from 1 to 5 (best); below 3 they cannot go with yes or strong_yes.
extend_offer application_id base_salary start_date : = offer
    Send an offer (gross euros per year) for an active application in stage offer, while the job is open. Recruiters
    stay within the salary band of the job; leads may exceed its maximum by up to 10 %; nobody else makes offers. The
    start is at least 14 days away. The candidate gets 7 days to answer, with one unanswered offer at most at a time.
record_offer_response offer_id response : offer application_status:outcome job_status
    Note down the answer to a sent offer. Accepting hires the candidate and fills the job if that was its last
    opening; declining makes the application withdrawn. After its expiry date, or when the job has no opening left, an
    offer can only be declined. Recruiters and leads only.
"""


def _object(words: list[str]) -> Row:
    """Make a schema of words: `name`, `name?` if optional, `name:field` if the field is called otherwise."""
    fields, required = {}, []
    for word in words:
        name, _, field = word.rstrip("?").partition(":")
        fields[name] = FIELDS[field or name]
        required += [] if word.endswith("?") else [name]
    return {"type": "object", "properties": fields, "required": required}


def _tools() -> list[Row]:
    for record, words in RECORDS.items():
        FIELDS[record] = _object(words.split())
        FIELDS[f"{record}s"] = {"type": "array", "items": FIELDS[record]}
    FIELDS["scorecard"]["type"], tools = ["object", "null"], []
    for name, takes, answers, about in re.findall(r"(\w+)(.*) :(.*)\n((?:    .+\n)+)", MANIFEST):
        tool: Row = {"name": name, "description": " ".join(about.split())}
        tool["input_schema"] = {**_object(takes.split()), "additionalProperties": False}
        if answers:
            tool["output_schema"] = FIELDS[answers[3:]] if "=" in answers else _object(answers.split())
        tools.append(tool)
    return tools


TOOLS = _tools()
WEIGHTS = [4, 12, 10, 8, 5, 8, 12, 12, 9, 7, 8, 4, 8, 5, 5]
LIKELY = {"applications": "active", "interviews": "scheduled", "offers": "sent"}
HIRING = ("advance_application", "reject_application", "extend_offer", "record_offer_response")
INPUTS = {tool["name"]: tool["input_schema"] for tool in TOOLS}


def _workday(today: date, days: int) -> str:
    """Count working days from a working day."""
    weeks, weekday = divmod(today.weekday() + days, 5)
    return (today + timedelta(days=7 * weeks + weekday - today.weekday())).isoformat()


def _validate(schema: Row, arguments: Row) -> None:
    for name in {**dict.fromkeys(schema["required"]), **arguments}:
        if name not in arguments or name not in schema["properties"]:
            raise RefusedError(f"{'Missing' if name not in arguments else 'Unknown'} parameter: {name}.")
        rule, value = schema["properties"][name], arguments[name]
        if not isinstance(value, {"integer": int, "array": list}.get(rule["type"], str)):
            raise RefusedError(f"{name} must be of type {rule['type']}.")
        if "enum" in rule and value not in rule["enum"]:
            raise RefusedError(f"{name} must be one of: {', '.join(rule['enum'])}.")
        if "minimum" in rule and not rule["minimum"] <= value <= rule["maximum"]:
            raise RefusedError(f"{name} must be from {rule['minimum']} to {rule['maximum']}.")


def _add(db: State, kind: str, **fields: Any) -> Row:
    prefix, first = NUMBERS[kind]
    key = f"{prefix}-{first + len(db[kind])}"
    return db[kind].setdefault(key, {"id": key, **fields})


class _Pipeline:
    """The tools at work on one state."""

    def __init__(self, db: State) -> None:
        self.db, self.today = db, day_of(db["workspace"]["current"]["today"])
        self.me = db["employees"][db["workspace"]["current"]["user_id"]]

    def row(self, kind: str, key: str, status: str | None = None) -> Row:
        row = self.db[kind].get(key)
        if row is None or status not in (None, row.get("status")):
            why = f"is {row['status']}, not {status}" if row else "does not exist"
            raise RefusedError(f"{kind[:-1].capitalize()} {key} {why}.")
        return row

    def of(self, kind: str, **wanted: Any) -> list[Row]:
        """List the rows that have the wanted values; None stands for any."""
        given = {name: value for name, value in wanted.items() if value is not None}
        return [one for one in self.db[kind].values() if all(one[name] == given[name] for name in given)]

    def get_current_user(self) -> Any:
        return self.me

    def search_candidates(self, query: str = "", skill: str = "", source: Any = None, limit: int = 10) -> Any:
        if not (query or skill or source):
            raise RefusedError("Give at least one of query, skill and source.")
        found = [one for one in self.of("candidates", source=source) if skill in ("", *one["skills"])]
        found = [one for one in found if query.lower() in f"{one['full_name']}\n{one['location']}".lower()]
        found.sort(key=lambda one: str(one["full_name"]))
        return {"candidates": found[:limit], "total": len(found)}

    def get_candidate(self, candidate_id: str = "", email: str = "") -> Any:
        if bool(candidate_id) == bool(email):
            raise RefusedError("Give either candidate_id or email.")
        known = [one["id"] for one in self.of("candidates", email=email.lower())] if email else [candidate_id]
        candidate = self.row("candidates", known[0] if known else email)
        made = [one["id"] for one in self.of("applications", candidate_id=candidate["id"])]
        return {"candidate": candidate, "application_ids": made}

    def list_jobs(self, status: Any = None, department: Any = None) -> Any:
        return {"jobs": self.of("jobs", status=status, department=department)}

    def set_job_status(self, job_id: str, new_status: str) -> Any:
        job = self.row("jobs", job_id)
        if self.me["role"] != "lead" and job["recruiter_id"] != self.me["id"]:
            raise RefusedError(f"Permission denied: {job_id} belongs to {job['recruiter_id']}.")
        if new_status not in JOB_MOVES.get(job["status"], []):
            raise RefusedError(f"A job that is {job['status']} cannot become {new_status}.")
        active = len(self.of("applications", job_id=job_id, status="active"))
        if new_status == "closed" and active:
            raise RefusedError(f"Job {job_id} still has active applications ({active}).")
        before, job["status"] = job["status"], new_status
        return {"job_id": job_id, "previous_status": before, "status": new_status}

    def create_application(self, candidate_id: str, job_id: str) -> Any:
        self.row("candidates", candidate_id)
        self.row("jobs", job_id, "open")
        active = self.of("applications", candidate_id=candidate_id, status="active")
        if len(active) >= 3 or job_id in [one["job_id"] for one in active]:
            raise RefusedError(f"{candidate_id} already has an active application for it, or three in all.")
        made = {"candidate_id": candidate_id, "job_id": job_id, "stage": "applied", "status": "active"}
        return _add(self.db, "applications", **made, applied_on=self.today.isoformat(), rejection_reason=None)

    def list_applications(self, page: int = 1, **wanted: str) -> Any:
        if "job_id" in wanted:
            self.row("jobs", wanted["job_id"])
        found = self.of("applications", **wanted)[::-1]
        counts = {"total": len(found), "pages": -(-len(found) // 10)}
        return {"applications": found[page * 10 - 10 : page * 10], **counts}

    def get_application(self, application_id: str) -> Any:
        application = self.row("applications", application_id)
        name = self.db["candidates"][application["candidate_id"]]["full_name"]
        title = self.db["jobs"][application["job_id"]]["title"]
        own = {kind: self.of(kind, application_id=application_id) for kind in ("interviews", "offers")}
        return {"application": application, "candidate_name": name, "job_title": title, **own}

    def advance_application(self, application_id: str) -> Any:
        application = self.row("applications", application_id, "active")
        self.row("jobs", application["job_id"], "open")
        stage = application["stage"]
        held = self.of("interviews", application_id=application_id, stage=stage)
        cards = [one["scorecard"]["recommendation"] for one in held if one["scorecard"]]
        if stage == "offer":
            raise RefusedError(f"{application_id} is in the last stage; use extend_offer.")
        if any(one["status"] == "scheduled" for one in held):
            raise RefusedError(f"An interview of stage {stage} is still scheduled.")
        if stage in INTERVIEWED and not {"yes", "strong_yes"} & set(cards):
            raise RefusedError(f"No scorecard of stage {stage} says yes or strong_yes.")
        application["stage"] = STAGES[STAGES.index(stage) + 1]
        return {"application_id": application_id, "from_stage": stage, "to_stage": application["stage"]}

    def reject_application(self, application_id: str, reason: str) -> Any:
        application = self.row("applications", application_id, "active")
        if self.of("offers", application_id=application_id, status="sent"):
            raise RefusedError(f"An offer for {application_id} is waiting for an answer.")
        dropped = self.of("interviews", application_id=application_id, status="scheduled")
        for interview in dropped:
            interview["status"] = "cancelled"
        application.update(status="rejected", rejection_reason=reason)
        return {"application": application, "cancelled_interview_ids": [one["id"] for one in dropped]}

    def schedule_interview(self, application_id: str, interviewer_id: str, date: str, hour: int) -> Any:
        application, day = self.row("applications", application_id, "active"), day_of(date)
        stage = application["stage"]
        self.row("jobs", application["job_id"], "open")
        if stage not in self.row("employees", interviewer_id)["trained_for"]:
            raise RefusedError(f"{interviewer_id} is not trained for interviews of stage {stage}.")
        if day.weekday() > 4 or not 0 < (day - self.today).days <= 60:
            raise RefusedError(f"{date} is not a working day from tomorrow to 60 days ahead.")
        for other in self.of("interviews", date=day.isoformat(), hour=hour, status="scheduled"):
            booked = self.db["applications"][other["application_id"]]["candidate_id"]
            if interviewer_id == other["interviewer_id"] or application["candidate_id"] == booked:
                raise RefusedError(f"Conflicts with interview {other['id']} at the same hour.")
        made = {"application_id": application_id, "interviewer_id": interviewer_id, "stage": stage}
        made |= {"date": day.isoformat(), "status": "scheduled"}
        return _add(self.db, "interviews", **made, hour=hour, scorecard=None)

    def cancel_interview(self, interview_id: str) -> Any:
        self.row("interviews", interview_id, "scheduled")["status"] = "cancelled"
        return {"cancelled": interview_id}

    def submit_scorecard(self, interview_id: str, rating: int, recommendation: str, **more: str) -> Any:
        interview = self.row("interviews", interview_id, "scheduled")
        if interview["date"] > self.today.isoformat():
            raise RefusedError(f"Interview {interview_id} only takes place on {interview['date']}.")
        if rating < 3 and recommendation.endswith("yes"):
            raise RefusedError(f"A rating of {rating} cannot go with {recommendation}.")
        card = {"rating": rating, "recommendation": recommendation, "comments": "", **more}
        interview.update(status="completed", scorecard=card)
        return interview

    def extend_offer(self, application_id: str, base_salary: int, start_date: str) -> Any:
        application, start = self.row("applications", application_id, "active"), day_of(start_date)
        job = self.row("jobs", application["job_id"], "open")
        if application["stage"] != "offer" or self.of("offers", application_id=application_id, status="sent"):
            why = "has an unanswered offer" if application["stage"] == "offer" else "is not in stage offer"
            raise RefusedError(f"{application_id} {why}.")
        highest = job["salary_max"] * (110 if self.me["role"] == "lead" else 100) // 100
        if not job["salary_min"] <= base_salary <= highest or (start - self.today).days < 14:
            raise RefusedError(f"Salary must be {job['salary_min']} to {highest}, start 14 days from now.")
        terms = {"base_salary": base_salary, "start_date": start.isoformat(), "status": "sent"}
        terms["expires_on"] = (self.today + timedelta(days=7)).isoformat()
        return _add(self.db, "offers", application_id=application_id, **terms)

    def record_offer_response(self, offer_id: str, response: str) -> Any:
        offer = self.row("offers", offer_id, "sent")
        application = self.db["applications"][offer["application_id"]]
        job = self.db["jobs"][application["job_id"]]
        if response == "accepted":
            if offer["expires_on"] < self.today.isoformat() or job["hired"] >= job["openings"]:
                raise RefusedError(f"Offer {offer_id} has expired, or {job['id']} has no opening left.")
            job["hired"] += 1
            job["status"] = "filled" if job["hired"] == job["openings"] else job["status"]
        offer["status"], application["status"] = response, "hired" if response == "accepted" else "withdrawn"
        return {"offer": offer, "application_status": application["status"], "job_status": job["status"]}


def _past(db: State, random: Random, today: date, candidate: Row, job: Row) -> None:
    """Add an application as it may have gone so far."""
    status = "rejected" if job["status"] == "closed" else random.choices(OUTCOMES, [12, 2, 4, 1])[0]
    status = "active" if status == "hired" and job["hired"] >= job["openings"] else status
    reached = 3 if status in ("hired", "withdrawn") else random.randrange(4)
    made = {"candidate_id": candidate["id"], "job_id": job["id"], "stage": STAGES[reached], "status": status}
    made["rejection_reason"] = random.choice(REASONS) if status == "rejected" else None
    key = _add(db, "applications", **made, applied_on=_workday(today, -random.randint(20, 40)))["id"]
    for i, stage in enumerate(STAGES[1 : reached + 1][:2], 1):
        passed, (late, slot) = i < reached, divmod(len(db["interviews"]), 9)
        offset = -5 * (reached - i) - random.randrange(4) if passed else late * 7 % 11 - 4
        able = [one["id"] for one in db["employees"].values() if stage in one["trained_for"]]
        held = {"application_id": key, "interviewer_id": random.choice(able), "stage": stage}
        done, grade = passed or (offset < 0 and random.random() < 0.5), random.randint(2 * passed, 3)
        card = {"rating": [1, 2, 4, 5][grade], "recommendation": VERDICTS[grade]}
        card["comments"] = random.choice(REMARKS)
        state = "completed" if done else "scheduled" if status == "active" else "cancelled"
        if passed or random.random() < 0.8:
            held.update(date=_workday(today, offset), status=state)
            _add(db, "interviews", **held, hour=9 + slot, scorecard=card if done else None)
    if status != "rejected" and reached == 3 and (status != "active" or random.random() < 0.5):
        job["hired"] += status == "hired"
        job["status"] = "filled" if job["hired"] == job["openings"] else job["status"]
        answered = {"hired": "accepted", "withdrawn": "declined"}.get(status, "sent")
        terms = {"application_id": key, "base_salary": job["salary_min"] + 500 * random.randint(0, 12)}
        days = [(today + timedelta(days=random.randint(*span))).isoformat() for span in ((20, 90), (-1, 7))]
        _add(db, "offers", **terms, start_date=days[0], status=answered, expires_on=days[1])


class _Caller(_Pipeline):
    """Draws what a caller may ask for, right or wrong."""

    def value(self, random: Random, tool: str, name: str, so_far: Row) -> Any:
        rule, someone = INPUTS[tool]["properties"][name], random.choice(self.of("candidates"))
        if name.endswith("_id"):
            kind = "employees" if name == "interviewer_id" else f"{name[:-3]}s"
            wanted = {"stage": "offer"} if tool == "extend_offer" else {}
            likely = (
                self.of(kind, status=LIKELY[kind], **wanted)
                if kind in LIKELY and random.random() < 0.8
                else []
            )
            return random.choice(likely or self.of(kind) or [{"id": "O-899"}])["id"]
        if name == "base_salary":
            job = self.db["jobs"][self.db["applications"][so_far["application_id"]]["job_id"]]
            return random.randrange(job["salary_min"], job["salary_max"] + 2001, 500)
        drawn = {"date": _workday(self.today, random.randint(1, 15)), "email": someone["email"]}
        drawn.update(start_date=_workday(self.today, random.randint(12, 50)), comments=random.choice(REMARKS))
        drawn.update(query=random.choice([*LAST, *LOCATIONS]), skill=random.choice(SKILLS))
        drawn.update({"limit": random.choice([5, 20]), "page": random.choice([1, 1, 2, 3])})
        if "minimum" in rule:
            drawn.setdefault(name, random.randint(rule["minimum"], rule["maximum"]))
        return drawn[name] if name in drawn else random.choice(rule["enum"])

    def arguments(self, random: Random, tool: str, spoil: bool) -> Row:
        schema: Row = INPUTS[tool]
        arguments: Row = {}
        for name in schema["properties"]:
            if name in schema["required"] or random.random() < 0.45:
                arguments[name] = self.value(random, tool, name, arguments)
        if spoil and arguments:
            name = random.choice(list(arguments))
            rule, old = schema["properties"][name], arguments[name]
            spoilt = {"maximum": rule.get("maximum", 0) + 1, "enum": "pending", "format": "2031-02-30"}
            arguments[name] = next((spoilt[one] for one in spoilt if one in rule), f"{old}7")
        return arguments


class Recruiting:
    name = "recruiting"
    tools = TOOLS

    def begin(self, random: Random) -> State:
        today = date(2031, 1, 6) + timedelta(days=7 * random.randrange(40) + random.randrange(5))
        names = random.sample([f"{first} {last}" for first in FIRST for last in LAST], 60)
        db: State = {kind: {} for kind in NUMBERS}
        user = random.choice(["E-11", "E-12", "E-12", "E-13", "E-14"])
        db["workspace"] = {"current": {"today": today.isoformat(), "user_id": user}}
        for i, name in enumerate(names[: random.randint(12, 15)]):
            role = ["lead", "recruiter", "recruiter", "coordinator"][i] if i < 4 else "interviewer"
            known = {"full_name": name, "department": random.choice(list(TITLES)), "role": role}
            trained = [[], INTERVIEWED, INTERVIEWED[:1], INTERVIEWED[1:]][i % 4]
            _add(db, "employees", **known, trained_for=trained)
        for _ in range(random.randint(15, 20)):
            department, low = random.choice(list(TITLES)), random.randrange(38000, 72000, 1000)
            known = {"title": random.choice(TITLES[department]), "department": department}
            known.update(location=random.choice(LOCATIONS), recruiter_id=random.choice(["E-12", "E-13"]))
            known["status"] = random.choices(JOB_STATUSES, [2, 13, 2, 0, 2])[0]
            band = {"salary_min": low, "salary_max": low + random.randrange(6000, 15000, 1000)}
            _add(db, "jobs", **known, openings=random.randint(1, 3), hired=0, **band)
        for name in names[15 : random.randint(40, 55)]:
            known = {"full_name": name, "email": f"{name.replace(' ', '.').lower()}@post.example"}
            known.update(location=random.choice(LOCATIONS), source=random.choice(SOURCES))
            known["added_on"] = _workday(today, -random.randint(41, 90))
            candidate = _add(db, "candidates", **known, skills=random.sample(SKILLS, random.randint(1, 3)))
            jobs = [job for job in db["jobs"].values() if job["status"] != "draft"]
            for job in random.sample(jobs, random.choice([0, 1, 1, 2])):
                _past(db, random, today, candidate, job)
        return db

    def call(self, state: State, tool: str, arguments: dict[str, Any]) -> Any:
        _validate(INPUTS[tool], arguments)
        desk = _Pipeline(state)
        if tool in HIRING and desk.me["role"] not in ("recruiter", "lead"):
            raise RefusedError(f"Permission denied: a {desk.me['role']} may not {tool.replace('_', ' ')}.")
        try:
            return deepcopy(getattr(desk, tool)(**arguments))
        except ValueError as error:
            raise RefusedError(f"Invalid date: {error}.") from None

    def next_call(self, state: State, random: Random) -> Call:
        """Draw until the call is accepted, or until it is refused if it is to be a mistake."""
        caller, wrong, call = _Caller(state), random.random() < 0.23, Call("get_current_user", {})
        for attempt in range(60):
            if attempt % 15 == 0:
                tool = random.choices([one["name"] for one in TOOLS], WEIGHTS)[0]
            call = Call(tool, caller.arguments(random, tool, wrong and random.random() < 0.5))
            refused = True
            with suppress(RefusedError):
                self.call(deepcopy(state), *call)
                refused = False
            if refused == wrong:
                break
        return call
