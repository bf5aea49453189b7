"""A team calendar: meetings with attendees and rooms, seen and changed by one member of the team."""

from collections.abc import Iterable
from copy import deepcopy
from datetime import datetime, timedelta
from inspect import Parameter, signature
from random import Random
from typing import Any

from benchmarks.reference.back_end import Call, RefusedError, State

Json = dict[str, Any]
Flag = bool | None
TEAMS = ["Design", "Platform", "Sales", "Leadership"]
EQUIPMENT = ["screen", "whiteboard", "video", "phone"]
RESPONSES = ["pending", "accepted", "tentative", "declined"]
FIRST = ["Alba", "Bo", "Cleo", "Dev", "Edda", "Finn", "Gia", "Hal", "Ines", "Jay", "Kira", "Leo", "Mona"]
LAST = ["Mercer", "Lindgren", "Watts", "Rao", "Holt", "Okoro", "Marsh", "Pine", "Duarte", "Colby", "Stahl"]
ROOM_NAMES = ["Birch", "Cedar", "Maple", "Willow", "Juniper", "Rowan", "Alder", "Hazel"]
TOPICS = ["Roadmap", "Budget", "Onboarding", "Launch", "Hiring", "Security", "Website", "Pricing"]
FORMS, OPEN, SHUT = ["review", "workshop", "kick-off", "catch-up", "planning"], "07:00", "20:00"

TEXT, WHOLE, SWITCH, IDS = ({"type": one} for one in ("string", "integer", "boolean", "array"))
KINDS: dict[Any, Json] = {str: TEXT, int: WHOLE, bool: SWITCH, Flag: SWITCH}
KINDS[list[str]] = {**IDS, "items": TEXT}
TYPES = {"string": str, "integer": int, "boolean": bool, "array": list}
HINTS: dict[str, Json] = {
    "meeting_id": {"description": "e.g. mtg_1042"},
    "person_id": {"description": "e.g. u07"},
    "person_ids": {"description": "Ids of people, e.g. [\"u07\", \"u12\"]"},
    "room_id": {"description": "e.g. r3"},
    "start": {"description": "Local time, YYYY-MM-DDTHH:MM, on a quarter of an hour"},
    "day": {"description": "YYYY-MM-DD"},
    "minutes": {"description": "Length, 15 to 480 in steps of 15"},
    "response": {"enum": RESPONSES[1:]},
    "team": {"enum": TEAMS},
    "equipment": {"enum": EQUIPMENT},
}  # fmt: skip


def _answer(**properties: Json) -> Json:
    return {"type": "object", "properties": properties, "required": list(properties)}


ROOM_ID = {"type": ["string", "null"]}
ATTENDEES = {"type": "object", "additionalProperties": {"type": "string", "enum": RESPONSES}}
BRIEF = _answer(id=TEXT, title=TEXT, start=TEXT, end=TEXT, organizer_id=TEXT, room_id=ROOM_ID, status=TEXT)
MEETING = _answer(**BRIEF["properties"], private=SWITCH, notes=TEXT, attendees=ATTENDEES)
ANSWERS = {
    "whoami": _answer(person_id=TEXT, name=TEXT, team=TEXT, now=TEXT),
    "find_free_rooms": _answer(rooms={**IDS, "items": _answer(id=TEXT, name=TEXT, seats=WHOLE)}),
    "get_meeting": MEETING,
    "list_meetings": _answer(meetings={**IDS, "items": BRIEF}, count=WHOLE),
    "suggest_times": _answer(slots={**IDS, "items": _answer(start=TEXT, end=TEXT)}),
    "schedule_meeting": MEETING,
    "move_meeting": MEETING,
    "respond": _answer(meeting_id=TEXT, response={"enum": RESPONSES}),
    "set_out_of_office": _answer(first_day=TEXT, last_day=TEXT, declined={**IDS, "items": TEXT}),
}


def _time(text: str, form: str = "%Y-%m-%dT%H:%M") -> datetime:
    try:
        time = datetime.strptime(text, form)  # noqa: DTZ007
    except ValueError:
        time = datetime.min  # noqa: DTZ901
    if time.strftime(form) != text:
        raise RefusedError(f"Cannot read '{text}' as a date or time.")
    return time


def _after(text: str, **span: float) -> str:
    return (_time(text) + timedelta(**span)).strftime("%Y-%m-%dT%H:%M")


def _away(person: Json, day: str) -> bool:
    out = person["out_of_office"] or {"first_day": "9999", "last_day": ""}
    return bool(out["first_day"] <= day[:10] <= out["last_day"])


class _Calendar:
    """The tools as one person sees them: public methods are tools, their docstrings the descriptions."""

    def __init__(self, state: State) -> None:
        self._people, self._rooms, self._meetings = state["people"], state["rooms"], state["meetings"]
        self._me, self._now = state["session"]["current"]["person_id"], state["session"]["current"]["now"]

    def _has(self, kind: Json, keys: Iterable[str], called: str) -> None:
        if missing := [key for key in keys if key not in kind]:
            raise RefusedError(f"There is no {called} with id {missing[0]}.")

    def _shows(self, meeting: Json) -> bool:
        return self._me in meeting["attendees"] or not meeting["private"]

    def _get(self, meeting_id: str, mine: bool = True) -> Json:
        """Find an upcoming meeting, to be changed by its organizer if it has to be mine."""
        self._has(self._meetings, [meeting_id], "meeting")
        meeting: Json = self._meetings[meeting_id]
        if mine and meeting["organizer_id"] != self._me:
            raise RefusedError("Only the organizer can change a meeting.")
        if meeting["status"] == "cancelled" or meeting["start"] <= self._now:
            why = "been cancelled" if meeting["status"] == "cancelled" else "already started"
            raise RefusedError(f"Meeting {meeting_id} has {why}.")
        return meeting

    def _busy(self, start: str, end: str, but: str = "", person: str = "", room: str = "") -> list[str]:
        """Confirmed meetings in a room, or accepted by a person, that overlap with a time."""
        near = [m for m in self._meetings.values() if m["status"] == "confirmed" and m["id"] != but]
        near = [m for m in near if m["start"] < end and start < m["end"] and room in ("", m["room_id"])]
        return [m["id"] for m in near if not person or m["attendees"].get(person) == "accepted"]

    def _span(self, start: str, minutes: int) -> str:
        """Check a time for a meeting, and answer its end."""
        if minutes % 15 or not 15 <= minutes <= 480:
            raise RefusedError("A meeting takes 15 to 480 minutes, in steps of 15.")
        time, end = _time(start), _after(start, minutes=minutes)
        within = start[11:] >= OPEN and end <= f"{start[:10]}T{SHUT}"
        if time.minute % 15 or time.weekday() > 4 or not within:
            raise RefusedError(f"Meetings are Monday to Friday, {OPEN} to {SHUT}, from a quarter of an hour.")
        if start <= self._now:
            raise RefusedError(f"It is {self._now} now; {start} is in the past.")
        return end

    def _fit_room(self, room_id: str, start: str, end: str, count: int, but: str = "") -> None:
        self._has(self._rooms, [room_id], "room")
        room = self._rooms[room_id]
        if room["seats"] < count:
            raise RefusedError(f"{room['name']} has {room['seats']} seats, {count} are needed.")
        if room["reserved_for"] not in (None, self._people[self._me]["team"]):
            raise RefusedError(f"{room['name']} is reserved for {room['reserved_for']}.")
        if self._busy(start, end, but, room=room_id):
            raise RefusedError(f"{room['name']} is booked at that time.")

    def _free_me(self, start: str, end: str, but: str = "") -> None:
        clash = self._busy(start, end, but, person=self._me)
        if clash or _away(self._people[self._me], start):
            why = f"have accepted {clash[0]} at that time" if clash else "are out of office that day"
            raise RefusedError(f"You {why}.")

    def _asked(self, people: Iterable[str], start: str) -> Json:
        return {key: "declined" if _away(self._people[key], start) else "pending" for key in people}

    def _brief(self, meetings: Iterable[Json]) -> list[Json]:
        rows = [{key: meeting[key] for key in BRIEF["properties"]} for meeting in meetings]
        for row in rows:
            row["title"] = row["title"] if self._shows(self._meetings[row["id"]]) else "(private)"
        return sorted(rows, key=lambda row: (row["start"], row["id"]))

    def whoami(self) -> Any:
        """Tell whose calendar this is, and the present date and time."""
        me = self._people[self._me]
        return {"person_id": self._me, "name": me["name"], "team": me["team"], "now": self._now}

    def find_people(self, query: str = "", team: str = "") -> Any:
        """Find colleagues by part of name or e-mail address, by team, or both; without either, everybody."""
        rows = [one for one in self._people.values() if team in ("", one["team"])]
        return [deepcopy(p) for p in rows if query.lower() in f"{p['name']} {p['email']}".lower()]

    def list_rooms(self, min_seats: int = 0, equipment: str = "") -> Any:
        """List meeting rooms. A room with `reserved_for` can be booked by members of that team only."""
        rows = [one for one in self._rooms.values() if one["seats"] >= min_seats]
        return {"rooms": [deepcopy(one) for one in rows if not equipment or equipment in one["equipment"]]}

    def find_free_rooms(self, start: str, minutes: int, seats: int = 2) -> Any:
        """Find rooms you may book at a future time that have enough seats, the smallest first."""
        end, found = self._span(start, minutes), []
        for room in sorted(self._rooms.values(), key=lambda one: (one["seats"], one["id"])):
            open_to_me = room["reserved_for"] in (None, self._people[self._me]["team"])
            if open_to_me and room["seats"] >= seats and not self._busy(start, end, room=room["id"]):
                found.append({key: room[key] for key in ("id", "name", "seats")})
        return {"rooms": found}

    def get_meeting(self, meeting_id: str) -> Any:
        """Get all about a meeting. Private meetings can be read by their attendees only."""
        self._has(self._meetings, [meeting_id], "meeting")
        if not self._shows(self._meetings[meeting_id]):
            raise RefusedError(f"Meeting {meeting_id} is private.")
        return deepcopy(self._meetings[meeting_id])

    def list_meetings(
        self, day: str = "", person_id: str = "", room_id: str = "", include_cancelled: bool = False
    ) -> Any:
        """List meetings by time, optionally of one day, attended by one person (whatever the response) or in one room.
        Cancelled meetings are left out unless asked for. Titles of private meetings you do not attend are hidden.
        """
        if day:
            _time(day, "%Y-%m-%d")
        self._has(self._people, [person_id] if person_id else [], "person")
        self._has(self._rooms, [room_id] if room_id else [], "room")
        rows = [m for m in self._meetings.values() if include_cancelled or m["status"] == "confirmed"]
        rows = [m for m in rows if room_id in ("", m["room_id"]) and m["start"].startswith(day)]
        rows = [m for m in rows if not person_id or person_id in m["attendees"]]
        return {"meetings": self._brief(rows), "count": len(rows)}

    def search_meetings(self, text: str) -> Any:
        """Search title and notes of the meetings you may read, past and cancelled ones included, ignoring case."""
        if len(text.strip()) < 2:
            raise RefusedError("Please search for at least 2 characters.")
        rows = [m for m in self._meetings.values() if text.lower() in f"{m['title']}\n{m['notes']}".lower()]
        return self._brief(m for m in rows if self._shows(m))

    def get_agenda(self, day: str) -> Any:
        """Your day as text: one line for each confirmed meeting you have not declined."""
        _time(day, "%Y-%m-%d")
        rows = [m for m in self._meetings.values() if (m["start"][:10], m["status"]) == (day, "confirmed")]
        rows = [m for m in rows if m["attendees"].get(self._me, "declined") != "declined"]
        lines = [f"{m['start'][11:]}-{m['end'][11:]} {m['title']} [{m['id']}]" for m in self._brief(rows)]
        return "\n".join(lines) or f"Nothing on {day}."

    def suggest_times(self, person_ids: list[str], day: str, minutes: int = 30) -> Any:
        """Suggest up to five times on a day, earliest first and on half hours between 09:00 and 17:00, at which you and
        the given people are free: nobody is out of office or has accepted another meeting. The list may be empty.
        """
        self._has(self._people, person_ids, "person")
        who, slots = {self._me, *person_ids}, list[Json]()
        if _time(day, "%Y-%m-%d").weekday() > 4 or minutes % 15 or not 15 <= minutes <= 480:
            raise RefusedError("Give a working day, and 15 to 480 minutes in steps of 15.")
        for step in range(16):
            start = _after(f"{day}T09:00", minutes=30 * step)
            end = _after(start, minutes=minutes)
            free = f"{day}T17:00" >= end and not any(_away(self._people[one], day) for one in who)
            if start > self._now and free and not any(self._busy(start, end, person=one) for one in who):
                slots.append({"start": start, "end": end})
        return {"slots": slots[:5]}

    def schedule_meeting(
        self, title: str, start: str, minutes: int, person_ids: list[str], room_id: str = ""
    ) -> Any:
        """Schedule a meeting with you as organizer and others invited, in a room if you like. It must be in the future,
        Monday to Friday between 07:00 and 20:00. You must be free; the others may be busy, and people who are out of
        office decline automatically. A room must be free, open to your team, and seat everybody, you included.
        """
        end = self._span(start, minutes)
        guests = [one for one in dict.fromkeys(person_ids) if one != self._me]
        self._has(self._people, guests, "person")
        self._free_me(start, end)
        if not title.strip():
            raise RefusedError("A meeting needs a title.")
        if room_id:
            self._fit_room(room_id, start, end, len(guests) + 1)
        key = f"mtg_{max(int(one[4:]) for one in self._meetings) + 1}"
        meeting: Json = {"id": key, "title": title, "start": start, "end": end, "organizer_id": self._me}
        meeting |= {"room_id": room_id or None, "status": "confirmed", "private": False, "notes": ""}
        meeting["attendees"] = {self._me: "accepted", **self._asked(guests, start)}
        self._meetings[key] = meeting
        return deepcopy(meeting)

    def move_meeting(self, meeting_id: str, start: str, minutes: int = 0) -> Any:
        """Move an upcoming meeting of yours to another time, with the same length unless `minutes` is given. The room
        comes along and must be free then, and so must you. Everybody else is asked to respond again.
        """
        meeting = self._get(meeting_id)
        length = _time(meeting["end"]) - _time(meeting["start"])
        end = self._span(start, minutes or int(length.total_seconds()) // 60)
        self._free_me(start, end, meeting_id)
        if meeting["room_id"]:
            self._fit_room(meeting["room_id"], start, end, len(meeting["attendees"]), meeting_id)
        guests = [one for one in meeting["attendees"] if one != self._me]
        meeting.update(start=start, end=end, attendees={self._me: "accepted", **self._asked(guests, start)})
        return deepcopy(meeting)

    def edit_meeting(self, meeting_id: str, title: str = "", notes: str = "", private: Flag = None) -> Any:
        """Change title, notes or privacy of an upcoming meeting you organize. What you leave out or empty stays."""
        meeting, given = self._get(meeting_id), {"title": title, "notes": notes, "private": private}
        changes = {key: value for key, value in given.items() if value not in ("", None)}
        if not changes:
            raise RefusedError("Nothing to change.")
        meeting.update(changes)
        return {"updated": list(changes), "meeting": deepcopy(meeting)}

    def cancel_meeting(self, meeting_id: str, reason: str = "") -> Any:
        """Cancel an upcoming meeting you organize, for good. Its room becomes free; a reason is put in the notes."""
        meeting = self._get(meeting_id)
        meeting.update(status="cancelled", room_id=None, notes=reason or meeting["notes"])
        return f"Cancelled '{meeting['title']}', {len(meeting['attendees']) - 1} people notified."

    def invite(self, meeting_id: str, person_ids: list[str]) -> Any:
        """Invite more people to an upcoming meeting of yours. The room, if there is one, has to seat everybody."""
        meeting = self._get(meeting_id)
        self._has(self._people, person_ids, "person")
        if not person_ids or not meeting["attendees"].keys().isdisjoint(person_ids):
            raise RefusedError("Give at least one person, and only people who are not invited yet.")
        if meeting["room_id"]:
            count = len({*meeting["attendees"], *person_ids})
            self._fit_room(meeting["room_id"], meeting["start"], meeting["end"], count, meeting_id)
        meeting["attendees"] |= self._asked(person_ids, meeting["start"])
        return {"meeting_id": meeting_id, "attendees": dict(meeting["attendees"])}

    def respond(self, meeting_id: str, response: str) -> Any:
        """Answer an invitation to an upcoming meeting, or change your answer. You cannot accept two meetings at one
        time, nor one while you are out of office. Organizers always attend; they can only cancel.
        """
        meeting = self._get(meeting_id, mine=False)
        if self._me not in meeting["attendees"] or meeting["organizer_id"] == self._me:
            raise RefusedError(f"You have no invitation to {meeting_id} to respond to.")
        if response == "accepted":
            self._free_me(meeting["start"], meeting["end"], meeting_id)
        meeting["attendees"][self._me] = response
        return {"meeting_id": meeting_id, "response": response}

    def change_room(self, meeting_id: str, room_id: str = "") -> Any:
        """Book a room, or another room, for an upcoming meeting of yours. Without a room_id its room is released."""
        meeting = self._get(meeting_id)
        if room_id:
            self._fit_room(room_id, meeting["start"], meeting["end"], len(meeting["attendees"]), meeting_id)
        meeting["room_id"] = room_id or None
        return {"meeting_id": meeting_id, "room_id": room_id or None}

    def set_out_of_office(self, first_day: str, last_day: str) -> Any:
        """Set the days you are away, today at the earliest, in place of any set before. Upcoming invitations then
        are declined. Refused while you organize an upcoming meeting then: move or cancel it first.
        """
        if _time(first_day, "%Y-%m-%d") > _time(last_day, "%Y-%m-%d") or first_day < self._now[:10]:
            raise RefusedError("The days must be in order and not in the past.")
        ahead = [m for m in self._meetings.values() if m["status"] == "confirmed" and m["start"] > self._now]
        ahead = [m for m in ahead if self._me in m["attendees"] and first_day <= m["start"][:10] <= last_day]
        if own := [m["id"] for m in ahead if m["organizer_id"] == self._me]:
            raise RefusedError(f"You organize {', '.join(own)} in that time.")
        for meeting in ahead:
            meeting["attendees"][self._me] = "declined"
        self._people[self._me]["out_of_office"] = {"first_day": first_day, "last_day": last_day}
        return {"first_day": first_day, "last_day": last_day, "declined": [m["id"] for m in ahead]}


def _declare(name: str) -> Json:
    method = getattr(_Calendar, name)
    fields = list(signature(method).parameters.values())[1:]
    properties = {one.name: {**KINDS[one.annotation], **HINTS.get(one.name, {})} for one in fields}
    required = [one.name for one in fields if one.default is Parameter.empty]
    for one in fields:
        if one.default and one.name not in required:
            properties[one.name]["default"] = one.default
    takes = {"type": "object", "properties": properties, "required": required}
    tool: Json = {"name": name, "description": " ".join(method.__doc__.split()), "input_schema": takes}
    return {**tool, "output_schema": ANSWERS[name]} if name in ANSWERS else tool


TOOLS = {name: _declare(name) for name in vars(_Calendar) if name[0] != "_"}
WEIGHTS = dict(zip(TOOLS, [3, 7, 4, 7, 10, 11, 7, 7, 8, 10, 8, 5, 6, 6, 9, 6, 3], strict=True))
WORDS = {"query": ["fin", "rao", "mercer", "office.test"], "text": ["review", "budget", "launch", "o"]}
WORDS |= {"title": ["Budget check", "Launch rehearsal", ""], "reason": ["Not needed", "Too few can come"]}
WORDS |= {"notes": ["Agenda: open points", "Bring your figures"]}


def _draw(name: str, state: State, random: Random, wrong: bool) -> Any:
    """Draw an argument; a wrong one need not be."""
    slip, now = wrong and random.random() < 0.3, state["session"]["current"]["now"]
    kind = {"meeting_id": "meetings", "person_id": "people", "room_id": "rooms"}.get(name)
    if kind:
        return f"{next(iter(state[kind]))[:-1]}99" if slip else random.choice(list(state[kind]))
    if name == "person_ids":
        return random.sample([*state["people"]], random.randint(1, 3)) + (["u99"] if slip else [])
    if name == "start" or "day" in name:
        ahead = random.choice([0, 1, 2, 3, 4, 7, 8]) - (name == "day") * random.randint(0, 4)
        day = _after(now, days=ahead)[:10]
        if slip and name != "start":
            return "tomorrow"
        clock = f"T{random.randint(8, 17):02}:{'10' if slip else random.choice(['00', '30'])}"
        return day + clock if name == "start" else day
    if "enum" in HINTS.get(name, {}):
        return "other" if slip else random.choice(HINTS[name]["enum"])
    numbers = {"minutes": [50] if slip else [30, 30, 45, 60, 90], "seats": [4, 6, 8], "min_seats": [4, 8]}
    return random.choice(numbers.get(name) or WORDS.get(name) or [True, False])


class Calendars:
    name = "calendars"
    tools = [*TOOLS.values()]  # noqa: RUF012

    def begin(self, random: Random) -> State:
        weekday, minutes = random.randint(0, 4), 15 * random.randint(1, 30)
        now = _after("2031-03-03T08:00", weeks=random.randint(0, 40), days=weekday, minutes=minutes)
        state: State = {"people": {}, "rooms": {}, "meetings": {}}
        names = random.sample([(first, last) for first in FIRST for last in LAST], random.randint(15, 18))
        for i, (first, last) in enumerate(names):
            person: Json = {"id": f"u{i + 1:02}", "name": f"{first} {last}", "team": random.choice(TEAMS)}
            person |= {"email": f"{first}.{last}@office.test".lower(), "out_of_office": None}
            away = _after(now, days=random.randint(0, 6))
            if i and random.random() < 0.2:
                person["out_of_office"] = {"first_day": away[:10], "last_day": _after(away, days=2)[:10]}
            state["people"][person["id"]] = person
        for i, called in enumerate(random.sample(ROOM_NAMES, random.randint(6, 8))):
            room: Json = {"id": f"r{i + 1}", "name": called, "equipment": random.sample(EQUIPMENT, 2)}
            room["reserved_for"] = random.choice([None, TEAMS[i % 4]])
            state["rooms"][room["id"]] = {**room, "seats": random.choice([4, 6, 8, 14])}
        state["session"] = {"current": {"person_id": "u01", "now": now}}
        first_id, count = random.randint(1000, 8000), random.randint(36, 52)
        while len(state["meetings"]) < count:
            self._meet(state, random, f"mtg_{first_id + len(state['meetings'])}")
        return state

    def _meet(self, state: State, random: Random, key: str) -> None:
        """Add a meeting some days before or after today, unless it does not fit."""
        now, people, me = state["session"]["current"]["now"], state["people"], "u01"
        day, clock = _after(now, days=random.randint(-4, 9))[:10], random.choice(["00", "30"])
        start = f"{day}T{random.randint(8, 16):02}:{clock}"
        owner = random.choice([me] * 5 + [*people])
        end = _after(start, minutes=random.choice([30, 45, 60, 90]))
        see = _Calendar({**state, "session": {"current": {"person_id": owner, "now": now}}})
        if _time(start).weekday() > 4 or see._busy(start, end, person=owner) or _away(people[owner], start):
            return
        guests = [one for one in dict.fromkeys([*random.sample([*people], 3), me]) if one != owner]
        guests = guests[random.randint(0, 2) :] or guests
        meeting: Json = {"id": key, "title": f"{random.choice(TOPICS)} {random.choice(FORMS)}"}
        meeting |= {"start": start, "end": end}
        meeting |= {"organizer_id": owner, "room_id": None, "private": random.random() < 0.15}
        meeting |= {"notes": random.choice(["", "", "Agenda follows"]), "attendees": {owner: "accepted"}}
        for guest, asked in see._asked(guests, start).items():
            said = "declined" if asked == "declined" else random.choice(["pending", *RESPONSES])
            clash = said == "accepted" and see._busy(start, end, person=guest)
            meeting["attendees"][guest] = "tentative" if clash else said
        meeting["status"] = "cancelled" if random.random() < 0.12 else "confirmed"
        seats = [one for one in state["rooms"].values() if one["seats"] > len(guests)]
        seats = [one for one in seats if one["reserved_for"] in (None, people[owner]["team"])]
        seats = [one for one in seats if not see._busy(start, end, room=one["id"])]
        if seats and meeting["status"] == "confirmed" and random.random() < 0.7:
            meeting["room_id"] = random.choice(seats)["id"]
        state["meetings"][key] = meeting

    def call(self, state: State, tool: str, arguments: dict[str, Any]) -> Any:
        if tool not in TOOLS:
            raise RefusedError(f"There is no tool {tool}.")
        takes = TOOLS[tool]["input_schema"]
        if missing := [one for one in takes["required"] if one not in arguments]:
            raise RefusedError(f"Missing: {', '.join(missing)}.")
        for name, value in arguments.items():
            rule = takes["properties"].get(name)
            if not rule or type(value) is not TYPES[rule["type"]] or value not in rule.get("enum", [value]):
                raise RefusedError(f"{value!r} is not a valid {name}.")
        return getattr(_Calendar(state), tool)(**arguments)

    def next_call(self, state: State, random: Random) -> Call:
        """Draw calls of one tool until one works, or until one fails if the caller is to be wrong."""
        tool, wrong = random.choices([*WEIGHTS], [*WEIGHTS.values()])[0], random.random() < 0.21
        takes, arguments = TOOLS[tool]["input_schema"], dict[str, Any]()
        for _ in range(40):
            names = [one for one in takes["properties"] if one in takes["required"] or random.random() < 0.35]
            arguments = {name: _draw(name, state, random, wrong) for name in names}
            try:
                self.call(deepcopy(state), tool, arguments)
                refused = False
            except RefusedError:
                refused = True
            if refused == wrong:
                break
        return Call(tool, arguments)
