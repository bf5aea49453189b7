"""Issue tracker of a software team: projects with issues, sprints and releases, seen through one user's token."""

import re
from copy import deepcopy
from datetime import date, timedelta
from random import Random
from typing import Any

from benchmarks.reference.back_end import Call, RefusedError, State

Row = dict[str, Any]

FLOW = {"backlog": ["todo", "cancelled"], "todo": ["backlog", "in_progress", "cancelled"]}
FLOW |= {"in_progress": ["todo", "in_review", "cancelled"], "in_review": ["in_progress", "done"]}
FLOW |= {"done": ["in_progress"], "cancelled": ["backlog"]}
TYPES, STATES = ["story", "bug", "task"], ["planned", "active", "completed"]
PRIORITIES = ["critical", "high", "medium", "low"]
PEOPLE = ["Maren Holt", "Tomas Quill", "Ife Adeyo", "Juno Vance", "Pavel Strand", "Noor Lind", "Cato Breen"]
PEOPLE += ["Sunniva Roe", "Dario Fenn", "Aiko Marsh", "Oskar Tull", "Leila Brandt", "Piet Corvin", "Yara Su"]
NAMES = ["Glimmer Mobile", "Orbit Console", "Tidewater API", "Kestrel Sync", "Paperlane", "Marrow Docs"]
VERBS = ["Rework", "Speed up", "Fix", "Translate", "Retire", "Document", "Add tests for", "Simplify"]
PARTS = ["login page", "export job", "invoice view", "cache layer", "push messages", "search box"]
NULLABLE = "fixVersion resolution closedOn startsOn endsOn publishedOn previousAssigneeId"
SUMMARY = "key type title status priority points assigneeId sprintId"
ISSUE = f"{SUMMARY} projectKey description reporterId fixVersion resolution createdOn updatedOn closedOn"
SPRINT = "id projectKey name state capacity startsOn endsOn committedPoints donePoints"
RELEASE = "id projectKey version targetDate publishedOn issueCount openIssueKeys"
TEXT, COUNT, SWITCH, MAYBE = ({"type": one} for one in ("string", "integer", "boolean", ["string", "null"]))
LISTED: Row = {"type": "array", "items": TEXT}
FIELDS: dict[str, Row] = dict.fromkeys(NULLABLE.split(), MAYBE)
FIELDS |= dict.fromkeys(("total", "capacity", "committedPoints", "donePoints", "issueCount"), COUNT)
FIELDS |= {"includeInactive": SWITCH, "includeArchived": SWITCH, "nextOffset": {"type": ["integer", "null"]}}
FIELDS |= {"nextStatuses": LISTED, "openIssueKeys": LISTED, "carriedOver": LISTED}
FIELDS |= {
    "issueKey": {**TEXT, "description": "Key of the issue, such as GLI-12."},
    "projectKey": {**TEXT, "description": "Key of the project, such as GLI."},
    "sprintId": {**MAYBE, "description": "Id of the sprint, such as spr_14."},
    "moveOpenTo": {**TEXT, "description": "Id of the sprint for what is still open."},
    "releaseId": {**TEXT, "description": "Id of the release, such as rel_07."},
    "version": {**TEXT, "description": "Version of the release, such as 2.4.0."},
    "memberId": {**TEXT, "description": "Id of a user, or `me`."},
    "assigneeId": {**MAYBE, "description": "Id of a user, such as usr_05; `me` is you, null is nobody."},
    "points": {"type": ["integer", "null"], "enum": [1, 2, 3, 5, 8, 13, None], "description": "Estimate."},
    "reason": {**TEXT, "enum": ["wont_do", "duplicate", "cannot_reproduce"]},
    "limit": {**COUNT, "minimum": 1, "maximum": 50, "default": 20},
    "days": {**COUNT, "minimum": 5, "maximum": 30, "default": 14},
}
FIELDS |= {"offset": {**COUNT, "minimum": 0, "default": 0}, "state": {**TEXT, "enum": STATES}}
FIELDS |= {"query": {**TEXT, "minLength": 2}, "title": {**TEXT, "minLength": 3, "maxLength": 120}}
FIELDS |= {"type": {**TEXT, "enum": TYPES}, "priority": {**TEXT, "enum": PRIORITIES}}
FIELDS["status"] = {**TEXT, "enum": list(FLOW)}
PYTHON: dict[str, Any] = {"string": str, "integer": int, "boolean": bool, "null": type(None)}
API = """
findUsers(query, includeInactive?): Find people by a part of their handle or display name, whatever its case; the
  query `me` gives the user you act as. Deactivated accounts only come with includeInactive. Answers an array of users
  with id, handle, displayName and active, ordered by handle, which is empty if nobody matches.
listProjects(memberId?, includeArchived?): List projects by key under `projects`, each with key, name, leadId,
  memberIds and archived; on request only those of one member (a user id or `me`). Archived projects only come with
  includeArchived. Everybody can read every project, but only its members can change anything in it, and nobody can in
  an archived one.
getIssue(issueKey): Get one issue with all its fields.
searchIssues(projectKey?, type?, status?, priority?, sprintId!?, assigneeId?, text?, limit?, offset?): Search issues
  of all projects. An issue has to pass all filters given; `text` is looked for in title and description, whatever its
  case. The most critical come first, then by project key and number. `total` counts all matches; to read on, pass
  `nextOffset` (null when there is no more) as offset.
createIssue(projectKey, type, title, description?, priority?, points!?): File a new issue in a project you are a
  member of. It gets the next number and you as reporter, and starts unassigned in the backlog, with medium priority
  unless you say otherwise. A bug must have a description. Answers the issue.
editIssue(issueKey, title?, priority?, points!?, fixVersion?): Change fields of an issue, at least one, and answer the
  issue as getIssue does. Cancelled issues cannot be edited. The estimate is frozen while an issue is in a sprint and
  once it is done. fixVersion names an unpublished release of the same project, or is null to take the issue out of
  its release; once the release an issue is in has been published, its fixVersion stays.
assignIssue(issueKey, assigneeId): Give an open issue (neither done nor cancelled) to an active member of its project,
  or to nobody. Issues in progress or in review cannot be left without an assignee.
transitionIssue(issueKey, status, reason?): Move an issue along the workflow: backlog to todo; todo to in_progress or
  back to backlog; in_progress to in_review or back to todo; in_review to done or back to in_progress; done back to
  in_progress (reopened); backlog, todo and in_progress to cancelled; cancelled back to backlog. Nothing goes to
  in_progress without an assignee, and nobody approves their own work: you cannot move an issue assigned to yourself
  to done. Cancelling needs a reason and takes the issue out of its sprint and release; going to the backlog takes it
  out of its sprint. What was published with a release cannot be reopened, and a reopened issue leaves its sprint if
  that is completed. The resolution is `fixed` for done, the reason for cancelled, and null for open issues.
  `nextStatuses` are those the workflow has after the new one.
listSprints(projectKey, state?): List a project's sprints by id, each with the points of all issues in it and of those
  that are done.
moveToSprint(issueKey, sprintId): Put an open issue into a planned or active sprint of its project, or take it out of
  its sprint with null. It needs an estimate, and the points of all issues in a sprint may not exceed its capacity. A
  backlog issue becomes todo on its way in, a todo issue backlog on its way out. Answers issueKey, sprintId and
  status.
startSprint(sprintId!, days?): Start a planned sprint today, to end after the given number of days; for the project's
  lead only. It must have issues, and no other sprint of the project may be active. Answers the sprint as listSprints
  shows it.
completeSprint(sprintId!, moveOpenTo?): Finish an active sprint today; for the project's lead only. Issues in it that
  are still open move to the planned sprint of the same project given in moveOpenTo, which must have room for all of
  them; without it they just leave the sprint, and the todo ones return to the backlog. `carriedOver` has their keys
  in either case.
getRelease(projectKey, version): Look a project's release up by version: its id and dates (publishedOn is null until
  it is out), how many issues have it as their fixVersion, and the keys of those still open.
publishRelease(releaseId): Publish a release today, for good; for the project's lead only. It must have at least one
  issue, and none that is open. Answers the release with its `changes`: key, type and title of each issue in it.
"""


def _obj(fields: str, **more: Row) -> Row:
    """Give the schema of an object; `?` marks an optional field, `!` one that is not null here."""
    properties = {name.strip("?!"): dict(FIELDS.get(name.strip("?!"), TEXT)) for name in fields.split()}
    for name in fields.split():
        if "!" in name:
            field = properties[name.strip("?!")]
            field |= {"type": field["type"][0]} | ({"enum": field["enum"][:-1]} if "enum" in field else {})
    required = [name.strip("!") for name in fields.split() if "?" not in name]
    return {"type": "object", "properties": properties | more, "required": required + list(more)}


MANY_ISSUES, MANY_SPRINTS = ({"type": "array", "items": _obj(one)} for one in (SUMMARY, SPRINT))
ANSWERS = {"getIssue": _obj(ISSUE), "createIssue": _obj(ISSUE), "getRelease": _obj(RELEASE)}
ANSWERS["searchIssues"] = _obj("total nextOffset", issues=MANY_ISSUES)
ANSWERS["assignIssue"] = _obj("issueKey assigneeId previousAssigneeId")
ANSWERS["transitionIssue"] = _obj("issueKey status previousStatus nextStatuses")
ANSWERS["listSprints"] = _obj("", sprints=MANY_SPRINTS)
ANSWERS["completeSprint"] = _obj("carriedOver", sprint=_obj(SPRINT))
TOOLS: list[Row] = []
for operation, takes, about in re.findall(r"^(\w+)\((.*?)\): (.*?)(?=^\w|\Z)", API, re.M | re.S):
    tool: Row = {"name": operation, "description": " ".join(about.split())}
    tool["input_schema"] = {**_obj(takes.replace(",", "")), "additionalProperties": False}
    TOOLS.append({**tool, "output_schema": ANSWERS[operation]} if operation in ANSWERS else tool)


def _need(fine: Any, refusal: str) -> None:
    if not fine:
        raise RefusedError(refusal)


def _follows(rule: Row, value: Any) -> bool:
    kinds = rule["type"] if isinstance(rule["type"], list) else [rule["type"]]
    if not any(isinstance(value, PYTHON[kind]) for kind in kinds) or value not in rule.get("enum", [value]):
        return False
    size: int = len(value.strip()) if isinstance(value, str) else value or 0
    least, most = rule.get("minimum", rule.get("minLength")), rule.get("maximum", rule.get("maxLength"))
    return (least is None or size >= least) and (most is None or size <= most)


def _day(today: str, days: int) -> str:
    return str(date.fromisoformat(today) + timedelta(days))


def _is_open(issue: Row) -> bool:
    return issue["status"] not in ("done", "cancelled")


def _blank(key: str, reporter: str, today: str, **given: Any) -> Row:
    issue = {**dict.fromkeys(ISSUE.split()), "key": key, "projectKey": key.split("-")[0]}
    issue |= {"description": "", "priority": "medium", "status": "backlog", "createdOn": today}
    return {**issue, "reporterId": reporter, "updatedOn": today, **given}


class _Board:
    """The operations on one state."""

    def __init__(self, db: State) -> None:
        current = db["session"]["current"]
        self.db, self.today, self.me = db, current["today"], current["userId"]

    def _find(self, table: str, key: str) -> Row:
        key = self.me if (table, key) == ("users", "me") else key
        _need(key in self.db[table], f"not_found: there is no {table[:-1]} {key}")
        return self.db[table][key]

    def _writable(self, key: str, lead: bool = False) -> None:
        project = self._find("projects", key)
        _need(not project["archived"], f"conflict: project {key} is archived and read-only")
        _need(self.me in project["memberIds"], f"forbidden: you are not a member of project {key}")
        _need(not lead or project["leadId"] == self.me, f"forbidden: only the lead of {key} may do this")

    def _issue(self, key: str) -> Row:
        """Give an issue that the user may change."""
        self._writable(self._find("issues", key)["projectKey"])
        return self.db["issues"][key]

    def _release(self, project: str, version: str) -> Row:
        wanted = {"projectKey": project, "version": version}
        found = [one for one in self.db["releases"].values() if wanted.items() <= one.items()]
        _need(found, f"not_found: project {project} has no release {version}")
        return found[0]

    def _published(self, project: str, version: str | None) -> bool:
        return version is not None and self._release(project, version)["publishedOn"] is not None

    def _issues(self, **having: Any) -> list[Row]:
        rows = [row for row in self.db["issues"].values() if having.items() <= row.items()]
        return sorted(rows, key=lambda row: (row["projectKey"], int(row["key"].split("-")[1])))

    def _tally(self, sprint: Row) -> Row:
        inside = self._issues(sprintId=sprint["id"])
        done = sum(one["points"] for one in inside if one["status"] == "done")
        return {**sprint, "committedPoints": sum(one["points"] for one in inside), "donePoints": done}

    def _room(self, sprint: Row) -> int:
        return int(sprint["capacity"] - self._tally(sprint)["committedPoints"])

    def find_users(self, a: Row) -> Any:
        rows, text = sorted(self.db["users"].values(), key=lambda one: str(one["handle"])), a["query"].lower()
        if text == "me":
            return [self._find("users", "me")]
        rows = [one for one in rows if one["active"] or a.get("includeInactive")]
        return [one for one in rows if text in one["handle"] or text in one["displayName"].lower()]

    def list_projects(self, a: Row) -> Any:
        rows = [self.db["projects"][key] for key in sorted(self.db["projects"])]
        rows = [one for one in rows if a.get("includeArchived") or not one["archived"]]
        member = self._find("users", a["memberId"])["id"] if "memberId" in a else None
        return {"projects": [one for one in rows if member is None or member in one["memberIds"]]}

    def get_issue(self, a: Row) -> Any:
        return self._find("issues", a["issueKey"])

    def search_issues(self, a: Row) -> Any:
        for name, table in (("projectKey", "projects"), ("sprintId", "sprints"), ("assigneeId", "users")):
            if a.get(name) is not None:
                a[name] = self._find(table, a[name])["id" if name != "projectKey" else "key"]
        text, start = a.pop("text", "").lower(), a.pop("offset", 0)
        stop = start + a.pop("limit", 20)
        rows = [one for one in self._issues(**a) if text in f"{one['title']}\n{one['description']}".lower()]
        rows.sort(key=lambda one: PRIORITIES.index(one["priority"]))
        page = [{name: one[name] for name in SUMMARY.split()} for one in rows[start:stop]]
        return {"total": len(rows), "nextOffset": stop if stop < len(rows) else None, "issues": page}

    def create_issue(self, a: Row) -> Any:
        self._writable(a["projectKey"])
        _need(a["type"] != "bug" or a.get("description", "").strip(), "invalid: a bug needs a description")
        key = f"{a['projectKey']}-{len(self._issues(projectKey=a['projectKey'])) + 1}"
        self.db["issues"][key] = _blank(key, self.me, self.today, **a)
        return self.db["issues"][key]

    def edit_issue(self, a: Row) -> Any:
        issue, changes = self._issue(a.pop("issueKey")), a
        _need(changes, "invalid: nothing to change")
        _need(issue["status"] != "cancelled", f"conflict: {issue['key']} is cancelled")
        frozen = issue["sprintId"] is not None or issue["status"] == "done"
        _need("points" not in changes or not frozen, f"conflict: the estimate of {issue['key']} is frozen")
        if "fixVersion" in changes:
            versions = (issue["fixVersion"], changes["fixVersion"])
            published = [one for one in versions if self._published(issue["projectKey"], one)]
            _need(not published, f"conflict: already published: {', '.join(published)}")
        issue.update(changes, updatedOn=self.today)
        return issue

    def assign_issue(self, a: Row) -> Any:
        issue = self._issue(a["issueKey"])
        user = None if a["assigneeId"] is None else self._find("users", a["assigneeId"])
        allowed = _is_open(issue) if user else issue["status"] in ("backlog", "todo")
        _need(allowed, f"conflict: {issue['key']} is {issue['status']}")
        members, before = self._find("projects", issue["projectKey"])["memberIds"], issue["assigneeId"]
        fine = user is None or (user["active"] and user["id"] in members)
        _need(fine, f"conflict: {a['assigneeId']} is not an active member of {issue['projectKey']}")
        issue.update(assigneeId=user["id"] if user else None, updatedOn=self.today)
        return {"issueKey": issue["key"], "assigneeId": issue["assigneeId"], "previousAssigneeId": before}

    def transition_issue(self, a: Row) -> Any:
        issue, to = self._issue(a["issueKey"]), a["status"]
        key, before, sprint = issue["key"], issue["status"], issue["sprintId"]
        _need(to in FLOW[before], f"conflict: {key} is {before} and can only go to {', '.join(FLOW[before])}")
        _need((to == "cancelled") == ("reason" in a), "invalid: cancelled, and only that, needs a reason")
        _need(to != "in_progress" or issue["assigneeId"], f"conflict: {key} has no assignee")
        own = issue["assigneeId"] == self.me
        _need(to != "done" or not own, f"forbidden: {key} is yours, somebody else has to approve it")
        published = self._published(issue["projectKey"], issue["fixVersion"])
        _need(not published, f"conflict: {key} was published with {issue['fixVersion']}")
        if to in ("backlog", "cancelled") or (sprint and self.db["sprints"][sprint]["state"] == "completed"):
            sprint = None
        ends, version = {"done": "fixed", "cancelled": a.get("reason")}, issue["fixVersion"]
        issue.update(status=to, sprintId=sprint, resolution=ends.get(to), updatedOn=self.today)
        issue["closedOn"] = self.today if to in ends else None
        issue["fixVersion"] = None if to == "cancelled" else version
        return {"issueKey": key, "status": to, "previousStatus": before, "nextStatuses": FLOW[to]}

    def list_sprints(self, a: Row) -> Any:
        self._find("projects", a["projectKey"])
        rows = [self.db["sprints"][key] for key in sorted(self.db["sprints"])]
        return {"sprints": [self._tally(one) for one in rows if a.items() <= one.items()]}

    def move_to_sprint(self, a: Row) -> Any:
        issue, target = self._issue(a["issueKey"]), a["sprintId"]
        key, status, turns = issue["key"], issue["status"], {"todo": "backlog"}
        _need(_is_open(issue), f"conflict: {key} is {status}")
        _need(issue["sprintId"] != target, f"conflict: the sprint of {key} is {target or 'none'} already")
        if target is not None:
            sprint, turns = self._find("sprints", target), {"backlog": "todo"}
            _need(sprint["projectKey"] == issue["projectKey"], f"conflict: {target} is of another project")
            _need(sprint["state"] != "completed", f"conflict: {target} is completed")
            _need(issue["points"], f"conflict: {key} has no estimate")
            room = self._room(sprint)
            _need(issue["points"] <= room, f"conflict: {target} has only {room} points left")
        issue.update(sprintId=target, status=turns.get(status, status), updatedOn=self.today)
        return {"issueKey": key, "sprintId": target, "status": issue["status"]}

    def start_sprint(self, a: Row) -> Any:
        sprint = self._find("sprints", a["sprintId"])
        self._writable(sprint["projectKey"], lead=True)
        _need(sprint["state"] == "planned", f"conflict: {sprint['id']} is {sprint['state']}")
        active = self.list_sprints({"projectKey": sprint["projectKey"], "state": "active"})["sprints"]
        _need(not active, f"conflict: another sprint of {sprint['projectKey']} is active")
        _need(self._issues(sprintId=sprint["id"]), f"conflict: {sprint['id']} has no issues")
        sprint.update(state="active", startsOn=self.today, endsOn=_day(self.today, a.get("days", 14)))
        return self._tally(sprint)

    def complete_sprint(self, a: Row) -> Any:
        sprint, target = self._find("sprints", a["sprintId"]), a.get("moveOpenTo")
        self._writable(sprint["projectKey"], lead=True)
        _need(sprint["state"] == "active", f"conflict: {sprint['id']} is {sprint['state']}")
        left = [one for one in self._issues(sprintId=sprint["id"]) if _is_open(one)]
        if target is not None:
            after, load = self._find("sprints", target), sum(one["points"] for one in left)
            fits = (after["projectKey"], after["state"]) == (sprint["projectKey"], "planned")
            _need(fits, f"conflict: {target} is not a planned sprint of {sprint['projectKey']}")
            _need(load <= self._room(after), f"conflict: {target} has no room for {load} points")
        for one in left:
            turned = "backlog" if target is None and one["status"] == "todo" else one["status"]
            one.update(sprintId=target, status=turned, updatedOn=self.today)
        sprint.update(state="completed", endsOn=self.today)
        return {"sprint": self._tally(sprint), "carriedOver": [one["key"] for one in left]}

    def get_release(self, a: Row) -> Any:
        release = self._release(self._find("projects", a["projectKey"])["key"], a["version"])
        inside = self._issues(projectKey=a["projectKey"], fixVersion=a["version"])
        waiting = [one["key"] for one in inside if _is_open(one)]
        return {**release, "issueCount": len(inside), "openIssueKeys": waiting}

    def publish_release(self, a: Row) -> Any:
        release = self._find("releases", a["releaseId"])
        self._writable(release["projectKey"], lead=True)
        _need(release["publishedOn"] is None, f"conflict: {release['version']} is already published")
        inside = self._issues(projectKey=release["projectKey"], fixVersion=release["version"])
        ready = inside and not any(_is_open(one) for one in inside)
        _need(ready, f"conflict: {release['version']} has {'open' if inside else 'no'} issues")
        release["publishedOn"] = self.today
        changes = [{name: one[name] for name in ("key", "type", "title")} for one in inside]
        return {**release, "changes": changes}


def _seed_issues(db: State, random: Random, project: Row) -> None:
    """Fill a project whose sprints are one completed, maybe one active, then planned ones."""
    board, key = _Board(db), project["key"]
    past, *rest = [one for one in db["sprints"].values() if one["projectKey"] == key]
    out, ready, later = [one["version"] for one in db["releases"].values() if one["projectKey"] == key]
    staff = [one for one in project["memberIds"] if db["users"][one]["active"]]
    for number in range(1, random.randint(10, 14)):
        status = {1: "done", 2: "todo", 3: "done"}.get(number) or random.choice([*FLOW, "todo", "in_review"])
        sprint, version = random.choice([*rest, None]), random.choice([later, None])
        if status == "done":
            running = rest[0] if rest[0]["state"] == "active" else None
            sprint, version = (past, out) if number == 1 else (random.choice([running, None]), ready)
        elif number == 2:
            sprint = rest[0]
        title, filed = f"{random.choice(VERBS)} the {random.choice(PARTS)}", _day(board.today, number - 60)
        issue = _blank(f"{key}-{number}", random.choice(staff), filed, title=title)
        issue |= {"type": random.choice(TYPES), "description": f"{title} as agreed.", "status": status}
        issue |= {"priority": random.choice(PRIORITIES), "points": random.choice([1, 2, 3, 5, 8])}
        if status in ("backlog", "cancelled") or (sprint and board._room(sprint) < issue["points"]):
            sprint, issue["points"] = None, random.choice([None, 3, 5])
        who = random.choice(staff if status in ("in_progress", "in_review", "done") else [*staff, None, None])
        ago = random.randint(1, 10) if sprint and sprint["state"] == "active" else random.randint(16, 28)
        closed = None if _is_open(issue) else _day(board.today, -ago)
        issue |= {"assigneeId": who, "sprintId": sprint and sprint["id"], "closedOn": closed}
        issue |= {"fixVersion": None if status == "cancelled" else version}
        issue |= {"updatedOn": _day(board.today, -ago)}
        issue |= {"resolution": {"done": "fixed", "cancelled": "duplicate"}.get(status)}
        db["issues"][issue["key"]] = issue


def _draw(db: State, random: Random, name: str, rule: Row, odd: bool) -> Any:
    """Draw a value for a parameter, now and then one that does not exist if it may be odd."""
    wrong = {"issueKey": "GLI-904", "projectKey": "ZZZ", "query": "x", "title": "", "version": "9.9.9"}
    wrong |= {"status": "closed", "priority": "urgent", "type": "epic", "releaseId": "rel_99"}
    wrong |= {"sprintId": "spr_99", "moveOpenTo": "spr_99", "assigneeId": "usr_99", "memberId": "usr_99"}
    if odd and random.random() < 0.15:
        return wrong.get(name, 99 if "integer" in rule["type"] else "unknown")
    if "null" in rule["type"] and random.random() < 0.2:
        return None
    tables = {"issueKey": "issues", "projectKey": "projects", "sprintId": "sprints", "moveOpenTo": "sprints"}
    tables |= {"memberId": "users", "assigneeId": "users", "releaseId": "releases"}
    if name in tables:
        return random.choice([*db[tables[name]], *(["me", "me"] if tables[name] == "users" else [])])
    if name in ("version", "fixVersion"):
        return random.choice(list(db["releases"].values()))["version"]
    texts = {"title": f"{random.choice(VERBS)} the {random.choice(PARTS)}", "text": random.choice(VERBS)[:5]}
    texts |= {"query": random.choice(["me", *PEOPLE]).split()[-1], "description": "Seen since the update."}
    return texts.get(name, rule["type"] == "boolean" or random.choice(rule.get("enum", [5, 10, 20])))


class Tracker:
    name = "tracker"
    tools = TOOLS

    def begin(self, random: Random) -> State:
        today = _day("2031-02-01", random.randint(0, 300))
        db: State = {one: {} for one in ("users", "projects", "issues", "sprints", "releases", "session")}
        for i, person in enumerate(random.sample(PEOPLE, random.randint(11, 14))):
            user = {"id": f"usr_{i + 1:02}", "handle": person.lower().replace(" ", ".")}
            db["users"][user["id"]] = {**user, "displayName": person, "active": i not in (4, 9)}
        me, *others = random.sample([one for one in db["users"] if db["users"][one]["active"]], 7)
        db["session"]["current"] = {"userId": me, "today": today}
        for i, name in enumerate(random.sample(NAMES, random.choice([4, 5]))):
            key, staff = name[:3].upper(), random.sample(others, 4)
            members = {*staff, *random.sample(list(db["users"]), 3), me} - {me if i == 3 else ""}
            project: Row = {"key": key, "name": name, "leadId": me if i < 2 else staff[0]}
            db["projects"][key] = {**project, "memberIds": sorted(members), "archived": i == 4}
            active = i == 0 or (i in (2, 3) and random.random() < 0.5)
            for j, state in enumerate(["completed", *["active"][:active], "planned", "planned"]):
                sprint: Row = {"id": f"spr_{len(db['sprints']) + 11}", "projectKey": key, "state": state}
                sprint |= {"name": f"{name} {j + 7}", "capacity": random.choice([18, 21, 26])}
                begun, ended = {"completed": (-29, -15), "active": (-12, 2)}.get(state, (0, 0))
                sprint |= {"startsOn": _day(today, begun) if begun else None}
                db["sprints"][sprint["id"]] = {**sprint, "endsOn": _day(today, ended) if ended else None}
            major = random.randint(1, 4)
            for j, days in enumerate((-10, 5, 40)):
                release: Row = {"id": f"rel_{len(db['releases']) + 1:02}", "projectKey": key}
                release |= {"version": f"{major}.{j + 2}.0", "targetDate": _day(today, days)}
                db["releases"][release["id"]] = {**release, "publishedOn": None if j else _day(today, days)}
            _seed_issues(db, random, db["projects"][key])
        return db

    def call(self, state: State, tool: str, arguments: dict[str, Any]) -> Any:
        schema: Row = next(one for one in TOOLS if one["name"] == tool)["input_schema"]
        missing = [name for name in schema["required"] if name not in arguments]
        _need(not missing, f"invalid: {', '.join(missing)} missing")
        for name, value in arguments.items():
            rule = schema["properties"].get(name)
            _need(rule and _follows(rule, value), f"invalid: {name} cannot be {value!r}")
        method = "".join(f"_{one.lower()}" if one.isupper() else one for one in tool)
        return deepcopy(getattr(_Board(state), method)(deepcopy(arguments)))

    def next_call(self, state: State, random: Random) -> Call:
        """Try calls out on a copy until one is a mistake, if it is time for one, or else succeeds."""
        wrong, tool = random.random() < 0.21, random.choice([*TOOLS, *TOOLS[2:10]])
        call = Call("listProjects", {})
        for turn in range(60):
            tool = random.choice(TOOLS) if turn == 40 else tool
            schema, arguments, refused = tool["input_schema"], {}, False
            for name, rule in schema["properties"].items():
                if name in schema["required"] or random.random() < 0.25:
                    arguments[name] = _draw(state, random, name, rule, wrong)
            call = Call(tool["name"], arguments)
            try:
                self.call(deepcopy(state), *call)
            except RefusedError:
                refused = True
            if refused == wrong:
                break
        return call
