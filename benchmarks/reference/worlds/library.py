"""A public library: books and their copies, members, loans, reservations and fines at a few branches."""

from collections.abc import Callable
from copy import deepcopy
from datetime import date, timedelta
from inspect import cleandoc, signature
from random import Random
from typing import Any

from benchmarks.reference.back_end import Call, RefusedError, State

Entity = dict[str, Any]

GENRES = ["fiction", "mystery", "science", "history", "children", "biography"]
BRANCHES = ["central", "riverside", "northgate", "hillcrest", "old_mill", "university", "harbour"]
DAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
FIRST = ["Amara", "Boris", "Celia", "Dmitri", "Elena", "Farid", "Greta", "Hugo", "Imani", "Jonas", "Keiko"]
LAST = ["Abbott", "Brandt", "Castillo", "Dunn", "Ekström", "Fofana", "Grant", "Hale", "Ivanov", "Lund"]
STREETS = ["Elm Street", "Mill Lane", "Station Road", "High Street", "Orchard Way", "Canal Walk"]
TITLES = ["Silent", "Hidden", "Golden", "Last", "Broken", "Distant", "Winter", "Crimson", "Endless", "Paper"]
SUBJECTS = ["River", "Garden", "Empire", "Lighthouse", "Atlas", "Orchard", "Comet", "Mirror", "Fox"]
PARAMETERS: dict[str, Entity] = {
    "book_id": {"type": "string", "description": "Catalogue id of the book, e.g. B104"},
    "member_id": {"type": "string", "description": "Library card id, e.g. M2017"},
    "barcode": {"type": "string", "description": "Barcode of the physical copy"},
    "loan_id": {"type": "string", "description": "Loan id, e.g. L5123"},
    "branch_id": {"type": "string", "description": "Branch id, e.g. 'central'"},
    "pickup_branch": {"type": "string", "description": "Branch to collect from, the home branch if omitted"},
    "query": {"type": "string", "description": "Text to look for in title or author"},
    "genre": {"type": "string", "enum": GENRES},
    "day": {"type": "string", "enum": DAYS},
    "channel": {"type": "string", "enum": ["email", "sms"]},
    "available_only": {"type": "boolean", "description": "Only books with a copy on the shelf"},
    "include_returned": {"type": "boolean"},
    "unpaid_only": {"type": "boolean"},
    "limit": {"type": "integer", "minimum": 1, "maximum": 50},
    "amount": {"type": "number", "exclusiveMinimum": 0, "description": "What is paid now; all if omitted"},
}


def _declare(function: Callable[..., Any]) -> dict[str, Any]:
    """Declare a plain function as a tool, as agent frameworks do, by its docstring and its parameters."""
    properties: Entity = {}
    required = []
    for name, parameter in list(signature(function).parameters.items())[1:]:
        properties[name] = dict(PARAMETERS.get(name, {"type": "string"}))
        if parameter.default is parameter.empty:
            required.append(name)
        elif parameter.default not in (None, ""):
            properties[name]["default"] = parameter.default
    schema = {"type": "object", "properties": properties, "required": required}
    description = cleandoc(function.__doc__ or "").replace("\n", " ")
    return {"name": function.__name__, "description": description, "input_schema": schema}


def _refuse_if(wrong: bool, message: str) -> None:
    if wrong:
        raise RefusedError(message)


def _get(state: State, kind: str, entity_id: str) -> Entity:
    name = {"copies": "Copy", "branches": "Branch"}.get(kind, kind[:-1].title())
    _refuse_if(entity_id not in state[kind], f"{name} {entity_id} not found")
    return state[kind][entity_id]


def _next_id(entities: dict[str, Entity], prefix: str) -> str:
    return f"{prefix}{max((int(each[len(prefix) :]) for each in entities), default=0) + 1}"


def _days_late(state: State, loan: Entity) -> int:
    today = date.fromisoformat(state["policy"]["main"]["today"])
    return max(0, (today - date.fromisoformat(loan["due_on"])).days)


def _open_loans(state: State, **fields: str) -> list[Entity]:
    loans = [each for each in state["loans"].values() if each["returned_on"] is None]
    return [each for each in loans if all(each[key] == value for key, value in fields.items())]


def _reservations(state: State, *statuses: str, **fields: str) -> list[Entity]:
    """Find reservations in order of their places in the queue."""
    found = [each for each in state["reservations"].values() if each["status"] in statuses]
    found = [each for each in found if all(each[key] == value for key, value in fields.items())]
    return sorted(found, key=lambda each: (each["placed_on"], each["reservation_id"]))


def _available(state: State, book_id: str, branch_id: str | None = None) -> int:
    copies = [c for c in state["copies"].values() if c["book_id"] == book_id and c["status"] == "available"]
    return sum(branch_id in (None, each["branch_id"]) for each in copies)


def _left(fine: Entity) -> float:
    return float(round(fine["amount"] - sum(each["amount"] for each in fine["payments"]), 2))


def _total_due(state: State, member_id: str) -> float:
    return round(sum(_left(each) for each in state["fines"].values() if each["member_id"] == member_id), 2)


def _pass_on(state: State, copy: Entity) -> str | None:
    """Hold a copy that came free for the first in the queue, or put it back on the shelf."""
    queue = _reservations(state, "waiting", book_id=copy["book_id"])
    copy["status"] = "on_hold" if queue else "available"
    if not queue:
        return None
    queue[0] |= {"status": "ready", "barcode": copy["barcode"]}
    return str(queue[0]["reservation_id"])


class Library:
    """Rules of lending; the business date is part of the policy, so that nothing depends on a clock."""

    name = "library"

    def __init__(self) -> None:
        others = ("name", "begin", "call", "next_call")
        names = [each for each in vars(Library) if not each.startswith("_") and each not in others]
        self.tools = [_declare(getattr(self, each)) for each in names]

    def begin(self, random: Random) -> State:
        today = date(2024, 1, 8) + timedelta(days=random.randrange(500))
        policy: Entity = {"today": str(today), "loan_days": random.choice([14, 21, 28])}
        policy |= {"max_loans": random.randint(2, 4), "max_renewals": random.randint(1, 3)}
        policy |= {"daily_fine": random.choice([0.1, 0.2, 0.25, 0.5]), "max_fine": random.choice([8.0, 10.0])}
        policy["fine_block_limit"] = random.choice([2.0, 3.0, 4.0])
        kinds = ["books", "copies", "members", "loans", "reservations", "fines", "branches"]
        state: State = {"policy": {"main": policy}} | {kind: {} for kind in kinds}
        for branch in random.sample(BRANCHES, 5):
            hours = {day: random.choice(["09:00-18:00", "10:00-20:00", "10:00-16:00"]) for day in DAYS[:6]}
            hours["sunday"] = random.choice(["closed", "12:00-16:00"])
            name = f"{branch.replace('_', ' ').title()} Library"
            state["branches"][branch] = {"name": name, "hours": hours}
        self._begin_books(state, random)
        self._begin_members(state, random)
        self._begin_loans(state, random, today)
        self._begin_reservations(state, random, today)
        return state

    def _begin_books(self, state: State, random: Random) -> None:
        titles = random.sample([f"The {first} {second}" for first in TITLES for second in SUBJECTS], 32)
        barcode = random.randint(310000, 380000)
        for number, title in enumerate(titles, random.randint(100, 600)):
            book = {"book_id": f"B{number}", "title": title, "year": random.randint(1962, 2023)}
            book["author"] = f"{random.choice(FIRST)} {random.choice(LAST)}"
            book["genre"] = random.choice(GENRES)
            state["books"][f"B{number}"] = book | {"isbn": f"978{random.randint(10**9, 10**10 - 1)}"}
            for _ in range(random.choice([1, 1, 1, 2, 2, 3])):
                barcode += 1
                copy = {"barcode": str(barcode), "book_id": f"B{number}", "status": "available"}
                state["copies"][str(barcode)] = copy | {"branch_id": random.choice(list(state["branches"]))}

    def _begin_members(self, state: State, random: Random) -> None:
        names = random.sample([(first, last) for first in FIRST for last in LAST], random.randint(26, 36))
        for number, (first, last) in enumerate(names, random.randint(2000, 7000)):
            address = {"street": f"{random.randint(1, 120)} {random.choice(STREETS)}"}
            state["members"][f"M{number}"] = {
                "member_id": f"M{number}",
                "name": f"{first} {last}",
                "email": f"{first}.{last}@mail.example".lower(),
                "phone": f"555-{random.randint(1000, 9999)}",
                "address": address | {"postcode": str(random.randint(10000, 99999))},
                "category": random.choice(["adult", "adult", "student", "senior", "child"]),
                "home_branch": random.choice(list(state["branches"])),
                "status": random.choices(["active", "suspended", "expired"], [8, 1, 1])[0],
            }

    def _begin_loans(self, state: State, random: Random, today: date) -> None:
        policy, copies, number = state["policy"]["main"], state["copies"], random.randint(4000, 9000)
        past = random.sample(list(copies), 18)
        current = random.sample(list(copies), round(len(copies) * 0.55))
        fine_number = random.randint(200, 700)
        for index, barcode in enumerate(past + current):
            ended, loan_id, renewals = index < len(past), f"L{number + index}", random.randint(0, 1)
            able = [m for m in state["members"] if len(_open_loans(state, member_id=m)) < policy["max_loans"]]
            member_id = random.choice(able[: random.choice([4, len(able)])])
            due = today + timedelta(days=random.randint(-90, -40) if ended else random.randint(-12, 14))
            late, start = random.choice([-6, -2, 3, 12, 25]), due - timedelta(days=policy["loan_days"])
            loan = {"loan_id": loan_id, "barcode": barcode, "book_id": copies[barcode]["book_id"]}
            loan |= {"member_id": member_id, "due_on": str(due), "renewals": renewals, "notices_sent": 0}
            loan["checked_out_on"] = str(start - timedelta(days=policy["loan_days"] * renewals))
            loan["returned_on"] = str(due + timedelta(days=late)) if ended else None
            state["loans"][loan_id] = loan
            if not ended:
                copies[barcode]["status"] = "on_loan"
            elif late > 0:
                fine_number += 1
                amount = round(min(late * policy["daily_fine"], policy["max_fine"]), 2)
                fine: Entity = {"fine_id": f"F{fine_number}", "member_id": member_id, "loan_id": loan_id}
                paid = random.choice([0.0, 0.0, round(amount / 2, 2), amount])
                fine["payments"] = [{"amount": paid, "date": str(due + timedelta(days=30))}] if paid else []
                fine |= {"amount": amount, "status": "paid" if paid == amount else "unpaid"}
                state["fines"][f"F{fine_number}"] = fine

    def _begin_reservations(self, state: State, random: Random, today: date) -> None:
        on_shelf = [each for each in state["copies"].values() if each["status"] == "available"]
        random.shuffle(on_shelf)
        held = [(each["book_id"], each["barcode"], "ready") for each in on_shelf[:6]]
        for copy in on_shelf[:6]:
            copy["status"] = "on_hold"
        gone = random.sample([book for book in state["books"] if not _available(state, book)], 6)
        past = [(book, None, random.choice(["fulfilled", "cancelled"])) for book in list(state["books"])[:5]]
        queued = [(book, None, "waiting") for book in gone + gone[:3]]
        for number, (book_id, barcode, status) in enumerate(past + held + queued, random.randint(300, 800)):
            users = _open_loans(state, book_id=book_id) + _reservations(state, "waiting", book_id=book_id)
            able = {m: each for m, each in state["members"].items() if each["status"] == "active"}
            member_id = random.choice(sorted(set(able) - {each["member_id"] for each in users}))
            reservation = {"reservation_id": f"R{number}", "book_id": book_id, "member_id": member_id}
            reservation |= {"pickup_branch": able[member_id]["home_branch"], "status": status}
            placed = today - timedelta(days=random.randint(1, 25))
            state["reservations"][f"R{number}"] = reservation | {"barcode": barcode, "placed_on": str(placed)}

    def call(self, state: State, tool: str, arguments: dict[str, Any]) -> Any:
        schemas = {each["name"]: each["input_schema"] for each in self.tools}
        _refuse_if(tool not in schemas, f"Unknown tool {tool}")
        for name in schemas[tool]["required"]:
            _refuse_if(name not in arguments, f"Missing required argument: {name}")
        for key, value in arguments.items():
            allowed = schemas[tool]["properties"].get(key, {}).get("enum", [value])
            _refuse_if(value not in allowed, f"{key} must be one of: {', '.join(map(str, allowed))}")
        return deepcopy(getattr(self, tool)(state, **arguments))

    def search_books(
        self, state: State, query: str, genre: str = "", available_only: bool = False, limit: int = 10
    ) -> Any:
        """Search the catalogue by a word or phrase in title or author (case-insensitive), sorted by title. Each result
        says how many copies are on the shelf right now.
        """
        _refuse_if(not 1 <= limit <= 50, "limit must be between 1 and 50")
        found = []
        for book in sorted(state["books"].values(), key=lambda each: str(each["title"])):
            copies = _available(state, book["book_id"])
            matches = any(query.lower() in book[key].lower() for key in ("title", "author"))
            if matches and genre in ("", book["genre"]) and (copies or not available_only):
                result = {key: book[key] for key in ("book_id", "title", "author", "genre")}
                found.append(result | {"available_copies": copies})
        return found[:limit]

    def get_book(self, state: State, book_id: str) -> Any:
        """Get a book's catalogue record with all of its copies."""
        book = _get(state, "books", book_id)
        copies = [each for each in state["copies"].values() if each["book_id"] == book_id]
        shown = ("barcode", "branch_id", "status")
        return book | {"copies": [{key: each[key] for key in shown} for each in copies]}

    def get_member(self, state: State, member_id: str) -> Any:
        """Look up a member by library card id."""
        return _get(state, "members", member_id)

    def list_member_loans(self, state: State, member_id: str, include_returned: bool = False) -> Any:
        """List what a member has on loan, soonest due first. Returned loans are left out unless asked for."""
        _get(state, "members", member_id)
        loans = [each for each in state["loans"].values() if each["member_id"] == member_id]
        loans = [each for each in loans if include_returned or each["returned_on"] is None]
        return sorted(loans, key=lambda each: (each["due_on"], each["loan_id"]))

    def list_overdue_loans(self, state: State, branch_id: str | None = None, limit: int = 20) -> Any:
        """List unreturned loans past their due date, longest overdue first, on request only copies of one branch."""
        _refuse_if(not 1 <= limit <= 50, "limit must be between 1 and 50")
        if branch_id is not None:
            _get(state, "branches", branch_id)
        overdue = []
        for loan in sorted(_open_loans(state), key=lambda each: (each["due_on"], each["loan_id"])):
            late, at = _days_late(state, loan), state["copies"][loan["barcode"]]["branch_id"]
            if late and branch_id in (None, at):
                row = {key: loan[key] for key in ("loan_id", "barcode", "member_id", "due_on")}
                title = state["books"][loan["book_id"]]["title"]
                overdue.append(row | {"title": title, "days_overdue": late})
        return overdue[:limit]

    def count_available_copies(self, state: State, book_id: str, branch_id: str | None = None) -> Any:
        """Number of copies of a book that can be borrowed now, at one branch or in the whole system."""
        _get(state, "books", book_id)
        if branch_id is not None:
            _get(state, "branches", branch_id)
        return _available(state, book_id, branch_id)

    def get_fines(self, state: State, member_id: str, unpaid_only: bool = True) -> Any:
        """Get a member's fines and the total still due. By default only unpaid ones are listed."""
        _get(state, "members", member_id)
        fines = [each for each in state["fines"].values() if each["member_id"] == member_id]
        fines = [each for each in fines if each["status"] == "unpaid" or not unpaid_only]
        return {"member_id": member_id, "fines": fines, "total_due": _total_due(state, member_id)}

    def get_lending_policy(self, state: State) -> Any:
        """Lending rules now in force (loan period, limits, fines) and today's date."""
        return state["policy"]["main"]

    def get_opening_hours(self, state: State, branch_id: str, day: str) -> Any:
        """Opening hours of a branch on a weekday, like '09:00-18:00', or 'closed'."""
        return _get(state, "branches", branch_id)["hours"][day]

    def checkout_copy(self, state: State, barcode: str, member_id: str) -> Any:
        """Lend a copy to a member, due after the policy's loan period. The copy must be available, or on hold for this
        very member, whose reservation is then fulfilled. Refused if the member is not active, has reached max_loans,
        or owes at least fine_block_limit. Loans are numbered consecutively.
        """
        copy, member = _get(state, "copies", barcode), _get(state, "members", member_id)
        policy = state["policy"]["main"]
        loans, owed = len(_open_loans(state, member_id=member_id)), _total_due(state, member_id)
        _refuse_if(member["status"] != "active", f"Membership of {member_id} is {member['status']}")
        _refuse_if(loans >= policy["max_loans"], f"Member {member_id} has reached the limit of {loans} loans")
        _refuse_if(owed >= policy["fine_block_limit"], f"Member {member_id} owes {owed:.2f} in unpaid fines")
        _refuse_if(copy["status"] == "on_loan", f"Copy {barcode} is already on loan")
        for hold in _reservations(state, "ready", barcode=barcode):
            _refuse_if(hold["member_id"] != member_id, f"Copy {barcode} is on hold for someone else")
            hold["status"] = "fulfilled"
        due = date.fromisoformat(policy["today"]) + timedelta(days=policy["loan_days"])
        loan = {"loan_id": _next_id(state["loans"], "L"), "barcode": barcode, "book_id": copy["book_id"]}
        loan |= {"member_id": member_id, "due_on": str(due), "renewals": 0, "notices_sent": 0}
        loan |= {"checked_out_on": policy["today"], "returned_on": None}
        state["loans"][loan["loan_id"]] = loan
        copy["status"] = "on_loan"
        title = state["books"][copy["book_id"]]["title"]
        return {"loan_id": loan["loan_id"], "title": title, "due_on": str(due)}

    def return_copy(self, state: State, barcode: str) -> Any:
        """Check in a copy that is on loan. If it is late, a fine of daily_fine per day is charged, up to max_fine. The
        copy is then held for the earliest waiting reservation of the book, or else becomes available.
        """
        copy, loans = _get(state, "copies", barcode), _open_loans(state, barcode=barcode)
        _refuse_if(not loans, f"Copy {barcode} is not on loan")
        loan, fine, policy = loans[0], None, state["policy"]["main"]
        loan["returned_on"], late = policy["today"], _days_late(state, loan)
        if late:
            fine = {"fine_id": _next_id(state["fines"], "F"), "member_id": loan["member_id"], "payments": []}
            amount = round(min(late * policy["daily_fine"], policy["max_fine"]), 2)
            fine |= {"loan_id": loan["loan_id"], "amount": amount, "status": "unpaid"}
            state["fines"][fine["fine_id"]] = fine
        held_for = _pass_on(state, copy)
        return {"loan_id": loan["loan_id"], "days_late": late, "fine": fine, "held_for_reservation": held_for}

    def renew_loan(self, state: State, loan_id: str) -> Any:
        """Extend a loan by one more loan period counted from its current due date. Not possible when it is overdue or
        returned, when max_renewals is reached, or when somebody waits for the book.
        """
        loan, policy = _get(state, "loans", loan_id), state["policy"]["main"]
        _refuse_if(loan["returned_on"] is not None, f"Loan {loan_id} was returned on {loan['returned_on']}")
        _refuse_if(_days_late(state, loan) > 0, "Overdue loans cannot be renewed")
        _refuse_if(loan["renewals"] >= policy["max_renewals"], f"Loan {loan_id} cannot be renewed again")
        queue = _reservations(state, "waiting", book_id=loan["book_id"])
        _refuse_if(bool(queue), "Another member is waiting for this book")
        loan["due_on"] = str(date.fromisoformat(loan["due_on"]) + timedelta(days=policy["loan_days"]))
        loan["renewals"] += 1
        left = policy["max_renewals"] - loan["renewals"]
        return {"loan_id": loan_id, "due_on": loan["due_on"], "renewals_left": left}

    def place_reservation(self, state: State, book_id: str, member_id: str, pickup_branch: str = "") -> Any:
        """Put an active member in the queue for a book. Only for books with no available copy at any branch; a member
        can hold one open reservation per book and cannot reserve what they already have on loan.
        """
        member, _ = _get(state, "members", member_id), _get(state, "books", book_id)
        branch, mine = pickup_branch or member["home_branch"], {"book_id": book_id, "member_id": member_id}
        _get(state, "branches", branch)
        _refuse_if(member["status"] != "active", f"Membership of {member_id} is {member['status']}")
        _refuse_if(bool(_open_loans(state, **mine)), f"Member {member_id} already has this book on loan")
        reserved = bool(_reservations(state, "waiting", "ready", **mine))
        _refuse_if(reserved, f"Member {member_id} already has a reservation for this book")
        _refuse_if(_available(state, book_id) > 0, f"Book {book_id} has copies available")
        today, key = state["policy"]["main"]["today"], _next_id(state["reservations"], "R")
        reservation: Entity = {"reservation_id": key} | mine | {"pickup_branch": branch}
        reservation |= {"status": "waiting", "barcode": None, "placed_on": today}
        state["reservations"][key] = reservation
        return reservation | {"queue_position": len(_reservations(state, "waiting", book_id=book_id))}

    def cancel_reservation(self, state: State, reservation_id: str) -> Any:
        """Cancel a waiting or ready reservation. A copy held for it goes to the next in the queue or on the shelf."""
        reservation = _get(state, "reservations", reservation_id)
        status = reservation["status"]
        _refuse_if(status not in ("waiting", "ready"), f"Reservation {reservation_id} is already {status}")
        reservation["status"] = "cancelled"
        if status == "ready":
            _pass_on(state, state["copies"][reservation["barcode"]])
        return {"success": True}

    def pay_fine(self, state: State, fine_id: str, amount: float | None = None) -> Any:
        """Record a payment towards an unpaid fine. Pays off what is left when no amount is given."""
        fine = _get(state, "fines", fine_id)
        _refuse_if(fine["status"] == "paid", f"Fine {fine_id} is already paid")
        paid = _left(fine) if amount is None else round(amount, 2)
        _refuse_if(paid <= 0, "Amount must be positive")
        _refuse_if(paid > _left(fine), f"Amount exceeds the {_left(fine):.2f} left to pay")
        fine["payments"].append({"amount": paid, "date": state["policy"]["main"]["today"]})
        fine["status"] = "unpaid" if _left(fine) else "paid"
        return {"fine_id": fine_id, "paid": paid, "remaining": _left(fine), "status": fine["status"]}

    def update_member(self, state: State, member_id: str, email: str = "", phone: str = "") -> Any:
        """Change a member's e-mail address or phone number, or both. An address can belong to one member only."""
        member = _get(state, "members", member_id)
        _refuse_if(not email and not phone, "Nothing to update")
        _refuse_if(bool(email) and "@" not in email, f"Invalid e-mail address: {email}")
        others = [each["email"] for each in state["members"].values() if each is not member]
        _refuse_if(email in others, f"E-mail {email} is already in use by another member")
        member |= {key: value for key, value in (("email", email), ("phone", phone)) if value}
        return member

    def withdraw_copy(self, state: State, barcode: str) -> Any:
        """Take an available copy out of the collection for good and delete its record."""
        status = _get(state, "copies", barcode)["status"]
        _refuse_if(status != "available", f"Copy {barcode} is {status} and cannot be withdrawn")
        del state["copies"][barcode]
        return f"Copy {barcode} withdrawn"

    def send_overdue_notice(self, state: State, loan_id: str, channel: str = "email") -> Any:
        """Send the borrower of an overdue loan a reminder by e-mail or text message."""
        loan = _get(state, "loans", loan_id)
        _refuse_if(loan["returned_on"] is not None, f"Loan {loan_id} was already returned")
        _refuse_if(not _days_late(state, loan), f"Loan {loan_id} is not overdue")
        loan["notices_sent"] += 1
        contact = state["members"][loan["member_id"]]["email" if channel == "email" else "phone"]
        return {"sent_to": contact, "channel": channel, "notices_sent": loan["notices_sent"]}

    def next_call(self, state: State, random: Random) -> Call:
        """Draw calls until one is answered, or refused where a mistake is due."""
        wrong, reading = random.random() < 0.21, random.random() < 0.55
        verbs = ("search", "get", "list", "count")
        tool = random.choice([each for each in self.tools if each["name"].startswith(verbs) is reading])
        schema, refused = tool["input_schema"], None
        for _ in range(40):
            names = [n for n in schema["properties"] if n in schema["required"] or random.random() < 0.4]
            arguments = {name: self._draw(state, random, wrong, name) for name in names}
            try:
                self.call(deepcopy(state), tool["name"], arguments)
                refused = False
            except RefusedError:
                refused = True
            if refused is wrong:
                break
        return Call(tool["name"], arguments)

    def _draw(self, state: State, random: Random, wrong: bool, name: str) -> Any:
        odd, schema = wrong and random.random() < 0.12, PARAMETERS.get(name, {})
        kinds = {"barcode": "copies", "pickup_branch": "branches", "branch_id": "branches"}
        kind = kinds.get(name, name.removesuffix("_id") + "s")
        if kind in state:
            unknown = "eastside" if kind == "branches" else f"{kind[0].upper()}{random.randint(10, 99)}"
            return unknown if odd else random.choice(list(state[kind]))
        if "enum" in schema:
            return "other" if odd else random.choice(schema["enum"])
        first, last = random.choice(FIRST), random.choice(LAST)
        taken = random.choice(list(state["members"].values()))["email"]
        words = [first, last, random.choice(SUBJECTS), random.choice(TITLES), "the"]
        values: Entity = {
            "limit": random.choice([0, -1, 100] if odd else [3, 5, 10, 25]),
            "amount": random.choice([0, -2.5, 75.0] if odd else [0.25, 0.5, 1.0, 2.0, 5.0]),
            "query": random.choice(words).lower(),
            "email": taken if odd else f"{first}.{last}{random.randint(1, 99)}@post.example".lower(),
            "phone": f"555-{random.randint(1000, 9999)}",
        }
        return values.get(name, random.random() < 0.5)
