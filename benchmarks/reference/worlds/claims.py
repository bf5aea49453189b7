"""Claims desk of a small insurer: policies and their cover, claims from first notice to closing, payments."""

import re
from contextlib import suppress
from copy import deepcopy
from datetime import date, timedelta
from random import Random
from typing import Any

from benchmarks.reference.back_end import Call, RefusedError, State

Json = dict[str, Any]

PERILS = {"motor": ["collision", "theft", "glass", "hail"], "home": ["fire", "water", "burglary", "storm"]}
PERILS["travel"] = ["cancellation", "baggage", "medical"]
ALL_PERILS, LINES = [peril for perils in PERILS.values() for peril in perils], list(PERILS)
STATUSES = ["Reported", "InReview", "Approved", "Settled", "Denied", "Closed"]
OPEN, UNDECIDED = STATUSES[:3], STATUSES[:2]
PAPERS = ["PoliceReport", "RepairEstimate", "Invoice", "Photos", "MedicalReport", "ProofOfOwnership"]
GIVEN = ["Odalys", "Torben", "Mirela", "Casimir", "Yvaine", "Lorcan", "Petra", "Anselm", "Ruta", "Davor"]
FAMILY = ["Wexcombe", "Marlund", "Okoren", "Tessaly", "Brandvik", "Quillon", "Aldemar", "Sorrelby"]
OBJECTS = {"motor": "Velmo Stride no.", "home": "Sallow Lane", "travel": "Trip cover no."}
SHOPS = ["Gannet Bodyworks", "Halloway Glass Ltd", "Drybrook Restoration"]
TALES = ["Noticed in the morning", "Third party involved", "Photos will follow", "Customer objected"]
TERMS = [{"limit": limit, "deductible": limit // 20} for limit in (1500, 8000, 30000)]

STR, WORDS, NULL = {"type": "string"}, {"type": "string", "minLength": 3}, {"type": "null"}
EUR, WHOLE = {"type": "number", "description": "EUR"}, {"type": "integer", "minimum": 1}
PAYABLE, DAY = {"type": "number", "minimum": 0.01}, {"type": "string", "format": "date"}
FIELDS: dict[str, Json] = {
    "claimId": {"type": "string", "description": "Claim number such as CLM-2041."},
    "policyNumber": {"type": "string", "description": "Policy number such as HO-5031."},
    "adjusterId": {"type": "string", "description": "Adjuster such as ADJ-4."},
    "status": {"type": "string", "enum": STATUSES},
    "line": {"type": "string", "enum": LINES, "description": "Line of business."},
    "peril": {"type": "string", "enum": ALL_PERILS, "description": "What caused the loss."},
    "lossDate": {**DAY, "description": "Day of the loss, YYYY-MM-DD."},
    "documentType": {"type": "string", "enum": PAPERS},
    "denialReason": {"type": "string", "enum": ["NotCovered", "Misrepresentation", "NoEvidence"]},
    "method": {"type": "string", "enum": ["BankTransfer", "Cheque", "DirectToRepairer"]},
    "payee": {**WORDS, "description": "Name of the policyholder or supplier who gets the money."},
    "page": {**WHOLE, "default": 1},
    "pageSize": {**WHOLE, "maximum": 50, "default": 20},
    "outstanding": {"type": "array", "items": {"type": "string", "enum": PAPERS}},
}
for schema, names in (
    (STR, "holderId holderName email insuredObject policyStatus fileName paymentId"),
    (WORDS, "query description reason comment"),
    (DAY, "reportedOn closedOn issuedOn startDate endDate cancelledOn reportedFrom reportedTo"),
    (EUR, "reserve limit deductible remaining paidTotal maximumPayable"),
    (PAYABLE, "amount estimatedLoss approvedAmount"),
    ({"type": "array", "items": STR}, "notes claimIds objections"),
    ({"type": "boolean"}, "covered available"),
    ({"type": "integer"}, "total"),
):
    FIELDS |= dict.fromkeys(names.split(), schema)


def _record(names: str) -> Json:
    """Describe an object of these fields (null where there is a question mark), or in brackets a list of such."""
    if names.startswith("["):
        return {"type": "array", "items": _record(names.strip("[]"))}
    fields = {name: FIELDS[name.rstrip("?")] for name in names.split()}
    fields = {key.rstrip("?"): {"anyOf": [one, NULL]} if "?" in key else one for key, one in fields.items()}
    return {"type": "object", "properties": fields, "required": list(fields)}


ROW = "claimId policyNumber line peril lossDate reportedOn status adjusterId? reserve"
CLAIM = f"{ROW} description estimatedLoss approvedAmount? denialReason? closedOn? outstanding documents notes"
FOUND = "policyNumber holderName insuredObject line policyStatus"
FIELDS["items"], FIELDS["documents"] = _record(f"[{ROW}]"), _record("[documentType fileName]")
FIELDS["claim"], FIELDS["covers"] = _record(CLAIM), _record("[peril limit deductible]")
FIELDS["policy"] = _record(f"{FOUND} startDate endDate cancelledOn? covers holderId email")
FIELDS["payment"] = _record("paymentId claimId payee amount method issuedOn")
FIELDS["payments"] = {"type": "array", "items": FIELDS["payment"]}

CATALOGUE = """
getClaim claimId -> claim holderName maximumPayable paidTotal payments
Returns the complete file of one claim. `outstanding` are documents requested and not yet in. `maximumPayable` is the
most that can be approved: the estimated loss, capped at the limit of the cover, less the deductible.

listClaims status? line? adjusterId? policyNumber? reportedFrom? reportedTo? page? pageSize? -> items total page
Lists claims, the most recently reported first (of one day, the higher claim number first). Filters are combined, and
reportedFrom and reportedTo include the day itself. `total` counts all matches; a page beyond the last one is empty.

getPolicy policyNumber -> policy claimIds
Returns a policy with its holder, its covers (limit and deductible per peril) and the numbers of all claims made on it.
policyStatus is InForce, Expired or Cancelled as of today.

searchPolicies query line? -> [policyNumber holderName line insuredObject policyStatus]
Finds policies by part of the policyholder's name, the policy number or the insured object (at least 3 characters,
upper and lower case alike). At most 10 results, ordered by policy number.

checkCoverage policyNumber peril lossDate -> covered objections
Tells whether a loss could be reported today; records nothing. Possible objections: PERIL_NOT_COVERED, BEFORE_INCEPTION,
AFTER_END_OF_COVER (a cancellation counts from its date on), LOSS_IN_FUTURE and LATE_NOTICE (over 90 days ago).

reportClaim policyNumber peril lossDate estimatedLoss description -> claim
Registers a first notice of loss under the next claim number: Reported, without adjuster, with the maximum payable (see
getClaim) as reserve. Refused if checkCoverage has any objection or the policy has a claim for that peril and day.

listAdjusters line? available?
Lists adjusters by id, with their lines, authority limit (EUR), leave, and maximum and current number of open claims.
`line` keeps those who handle it, `available: true` those who are not on leave and below their maximum.

assignAdjuster claimId adjusterId? -> claim
Gives a Reported or InReview claim to another adjuster; a Reported claim becomes InReview. The adjuster must handle the
line, not be on leave and be below the maximum of open (Reported, InReview, Approved) claims. Without adjusterId, the
one of these with the fewest open claims gets it, or the lowest id among equals.

requestDocument claimId documentType -> claimId outstanding
Asks the policyholder for a document. The claim must be Reported or InReview, with no request for this type outstanding;
it cannot be approved before the document is in.

recordDocument claimId documentType fileName -> claimId outstanding
Files a document (.pdf, .jpg or .png) for a claim that is not Closed, requested or not. Tells what is still outstanding.

approveClaim claimId amount -> claim
Approves an InReview claim for `amount` in total, which also becomes its reserve. Rules:
- no document is outstanding
- not more than maximumPayable (see getClaim), and more than was already paid before a reopening
- not more than the authority limit of the claim's adjuster; assign a more senior one otherwise

denyClaim claimId denialReason comment? -> claim
Denies a Reported or InReview claim on which nothing has been paid. Its reserve drops to 0; a comment goes into notes.

issuePayment claimId payee amount method -> payment remaining status
Pays out the approved amount of an Approved claim, at once or in instalments, dated today. The payments on a claim may
not exceed the approved amount; when nothing remains, the claim (its status is returned) is Settled. Payments are final.

closeClaim claimId -> claimId status closedOn
Closes a Settled or Denied claim as of today.

reopenClaim claimId reason estimatedLoss? -> claim
Reopens a claim Closed at most 365 days ago, if wanted with a new estimate. Something has to be payable beyond what was
paid already. It is Reported again, without adjuster, approved amount or denial reason, and with the maximum payable as
its reserve; payments and documents stay. The reason goes into the notes.
"""


def _tool(block: str) -> Json:
    head, about = block.strip().split("\n", 1)
    takes, _, answers = head.partition(" -> ")
    name, *fields = takes.split()
    schema = {**_record(" ".join(fields).replace("?", "")), "additionalProperties": False}
    schema["required"] = [field for field in fields if "?" not in field]
    entry = {"name": name, "description": re.sub(r"\n(?!-)", " ", about), "input_schema": schema}
    return {**entry, "output_schema": _record(answers)} if answers else entry


OPERATIONS = [_tool(block) for block in CATALOGUE.split("\n\n")]
SCHEMAS = {tool["name"]: tool["input_schema"] for tool in OPERATIONS}


def _require(holds: object, code: str, text: object) -> None:
    if not holds:
        raise RefusedError(f"{code}: {text}")


def _validate(schema: Json, given: Json) -> None:
    known = set(schema["required"]) <= set(given) <= set(schema["properties"])
    _require(known, "VALIDATION_FAILED", "missing or unknown parameters")
    for name, value in given.items():
        rule = schema["properties"][name]
        size = len(value) if rule["type"] == "string" else value
        fits = rule.get("minLength", rule.get("minimum", 0)) <= size <= rule.get("maximum", size)
        fits = fits and value in rule.get("enum", [value]) and ("format" not in rule or _later(value, 0))
        _require(fits, "VALIDATION_FAILED", f"{value!r} is not a valid {name}")


def _later(day: str, more: int) -> str:
    return (date.fromisoformat(day) + timedelta(more)).isoformat()


def _pick(entry: Json, names: str) -> Json:
    return {name: entry[name] for name in names.replace("?", "").split()}


class _Desk:
    def __init__(self, state: State) -> None:
        self.claims, self.policies, self.payments = state["claims"], state["policies"], state["payments"]
        self.adjusters, self.holders = state["adjusters"], state["holders"]
        self.today: str = state["desk"]["main"]["today"]

    def known(self, entries: dict[str, Json], key: str) -> Json:
        _require(key in entries, "NOT_FOUND", f"{key} does not exist")
        return entries[key]

    def claim(self, given: Json, *statuses: str) -> Json:
        claim = self.known(self.claims, given["claimId"])
        need = f"{claim['claimId']} is {claim['status']}, must be {' or '.join(statuses)}"
        _require(not statuses or claim["status"] in statuses, "INVALID_STATE", need)
        return claim

    def payable(self, claim: Json) -> float:
        covers = self.policies[claim["policyNumber"]]["covers"]
        cover: Json = next(one for one in covers if one["peril"] == claim["peril"])
        return max(0.0, round(float(min(claim["estimatedLoss"], cover["limit"]) - cover["deductible"]), 2))

    def paid(self, claim: Json) -> float:
        mine = [one for one in self.payments.values() if one["claimId"] == claim["claimId"]]
        return float(round(sum(one["amount"] for one in mine), 2))

    def workload(self, key: str) -> int:
        return sum(one["adjusterId"] == key and one["status"] in OPEN for one in self.claims.values())

    def free(self, line: str | None) -> list[str]:
        load = {key: self.workload(key) for key in self.adjusters}
        able = [one for one in self.adjusters.values() if line is None or line in one["lines"]]
        able = [one for one in able if not one["onLeave"] and load[one["adjusterId"]] < one["maxOpenClaims"]]
        return sorted((one["adjusterId"] for one in able), key=lambda key: (load[key], key))

    def standing(self, policy: Json) -> Json:
        status = "Cancelled" if policy["cancelledOn"] else "InForce"
        status = "Expired" if policy["endDate"] < self.today and status == "InForce" else status
        return {**policy, "policyStatus": status, **self.holders[policy["holderId"]]}

    def objections(self, policy: Json, peril: str, loss: str) -> list[str]:
        ended = loss > policy["endDate"] or (policy["cancelledOn"] or "9999") <= loss
        checks = {"PERIL_NOT_COVERED": all(one["peril"] != peril for one in policy["covers"])}
        checks |= {"BEFORE_INCEPTION": loss < policy["startDate"], "AFTER_END_OF_COVER": ended}
        checks |= {"LOSS_IN_FUTURE": loss > self.today, "LATE_NOTICE": loss < _later(self.today, -90)}
        return [code for code, applies in checks.items() if applies]

    def get_claim(self, given: Json) -> Any:
        claim = self.claim(given)
        payments = [one for one in self.payments.values() if one["claimId"] == claim["claimId"]]
        figures = {"maximumPayable": self.payable(claim), "paidTotal": self.paid(claim)}
        name = self.holders[self.policies[claim["policyNumber"]]["holderId"]]["holderName"]
        return {"claim": claim, "holderName": name, **figures, "payments": payments}

    def list_claims(self, given: Json) -> Any:
        first, last = given.get("reportedFrom", "0001"), given.get("reportedTo", "9999")
        _require(first <= last, "VALIDATION_FAILED", "reportedFrom is after reportedTo")
        fields = [key for key in given if key in ("status", "line", "adjusterId", "policyNumber")]
        dated = [one for one in self.claims.values() if first <= one["reportedOn"] <= last]
        found = [one for one in dated if all(one[key] == given[key] for key in fields)]
        found.sort(key=lambda one: (one["reportedOn"], int(one["claimId"][4:])), reverse=True)
        page, size = given.get("page", 1), given.get("pageSize", 20)
        items = [_pick(one, ROW) for one in found[(page - 1) * size : page * size]]
        return {"items": items, "total": len(found), "page": page}

    def get_policy(self, given: Json) -> Any:
        policy = self.known(self.policies, given["policyNumber"])
        made = [key for key, one in self.claims.items() if one["policyNumber"] == policy["policyNumber"]]
        return {"policy": self.standing(policy), "claimIds": sorted(made)}

    def search_policies(self, given: Json) -> Any:
        query = given["query"].lower()
        rows = [_pick(self.standing(one), FOUND) for _, one in sorted(self.policies.items())]
        rows = [one for one in rows if given.get("line", one["line"]) == one["line"]]
        return [one for one in rows if query in "\n".join([*one.values()][:3]).lower()][:10]

    def check_coverage(self, given: Json) -> Any:
        policy = self.known(self.policies, given["policyNumber"])
        found = self.objections(policy, given["peril"], given["lossDate"])
        return {"covered": not found, "objections": found}

    def report_claim(self, given: Json) -> Any:
        policy = self.known(self.policies, given["policyNumber"])
        found = self.objections(policy, given["peril"], given["lossDate"])
        _require(not found, "NOT_COVERED", ", ".join(found))
        key = "policyNumber peril lossDate"
        twins = [one["claimId"] for one in self.claims.values() if _pick(one, key) == _pick(given, key)]
        _require(not twins, "DUPLICATE", f"already reported as {', '.join(twins)}")
        number = max((int(one[4:]) for one in self.claims), default=100 * int(self.today[2:4])) + 1
        claim: Json = dict.fromkeys(("adjusterId", "approvedAmount", "denialReason", "closedOn")) | given
        claim |= {"claimId": f"CLM-{number}", "line": policy["line"], "reportedOn": self.today}
        claim |= {"status": "Reported", "outstanding": [], "documents": [], "notes": []}
        claim["reserve"] = self.payable(claim)
        self.claims[claim["claimId"]] = claim
        return {"claim": claim}

    def list_adjusters(self, given: Json) -> Any:
        free = self.free(None) if given.get("available") else list(self.adjusters)
        rows = [{**self.adjusters[key], "openClaims": self.workload(key)} for key in sorted(free)]
        return [one for one in rows if given.get("line", one["lines"][0]) in one["lines"]]

    def assign_adjuster(self, given: Json) -> Any:
        claim = self.claim(given, *UNDECIDED)
        able = [key for key in self.free(claim["line"]) if key != claim["adjusterId"]]
        _require(able, "NO_ADJUSTER", f"nobody is free for this {claim['line']} claim")
        key = self.known(self.adjusters, given.get("adjusterId", able[0]))["adjusterId"]
        _require(key in able, "ADJUSTER_UNAVAILABLE", f"{key} cannot take {claim['claimId']}")
        claim.update(adjusterId=key, status="InReview")
        return {"claim": claim}

    def request_document(self, given: Json) -> Any:
        claim = self.claim(given, *UNDECIDED)
        _require(given["documentType"] not in claim["outstanding"], "CONFLICT", "this was requested already")
        claim["outstanding"].append(given["documentType"])
        return _pick(claim, "claimId outstanding")

    def record_document(self, given: Json) -> Any:
        claim = self.claim(given, *STATUSES[:5])
        _require(given["fileName"].endswith((".pdf", ".jpg", ".png")), "UNSUPPORTED_FILE", given["fileName"])
        claim["outstanding"] = [one for one in claim["outstanding"] if one != given["documentType"]]
        claim["documents"].append(_pick(given, "documentType fileName"))
        return _pick(claim, "claimId outstanding")

    def approve_claim(self, given: Json) -> Any:
        claim, amount = self.claim(given, "InReview"), given["amount"]
        _require(not claim["outstanding"], "DOCUMENTS_MISSING", ", ".join(claim["outstanding"]))
        least, most = self.paid(claim), self.payable(claim)
        _require(least < amount <= most, "AMOUNT_NOT_PAYABLE", f"must be above {least}, at most {most}")
        authority = self.adjusters[claim["adjusterId"]]["authorityLimit"]
        _require(amount <= authority, "AUTHORITY_EXCEEDED", f"the adjuster can approve up to {authority}")
        claim.update(status="Approved", approvedAmount=amount, reserve=amount)
        return {"claim": claim}

    def deny_claim(self, given: Json) -> Any:
        claim = self.claim(given, *UNDECIDED)
        _require(not self.paid(claim), "ALREADY_PAID", f"{self.paid(claim)} has been paid on this claim")
        claim.update(status="Denied", denialReason=given["denialReason"], reserve=0)
        claim["notes"] += [f"{self.today} {given['comment']}"] if "comment" in given else []
        return {"claim": claim}

    def issue_payment(self, given: Json) -> Any:
        claim = self.claim(given, "Approved")
        left = round(claim["approvedAmount"] - self.paid(claim) - given["amount"], 2) + 0.0
        _require(left >= 0, "AMOUNT_TOO_HIGH", f"exceeds what is left to pay by {-left:.2f}")
        key = f"PMT-{max((int(one[4:]) for one in self.payments), default=700) + 1}"
        self.payments[key] = {"paymentId": key, **given, "issuedOn": self.today}
        claim["status"] = "Approved" if left else "Settled"
        return {"payment": self.payments[key], "remaining": left, "status": claim["status"]}

    def close_claim(self, given: Json) -> Any:
        claim = self.claim(given, "Settled", "Denied")
        claim.update(status="Closed", closedOn=self.today)
        return _pick(claim, "claimId status closedOn")

    def reopen_claim(self, given: Json) -> Any:
        claim = self.claim(given, "Closed")
        _require(claim["closedOn"] >= _later(self.today, -365), "TOO_LATE", f"closed on {claim['closedOn']}")
        opened = {**claim, **given, "status": "Reported"}
        del opened["reason"]
        most, done = self.payable(opened), self.paid(claim)
        _require(most > done, "NOTHING_PAYABLE", f"at most {most} is payable, already paid: {done}")
        opened |= dict.fromkeys(("adjusterId", "approvedAmount", "denialReason", "closedOn"))
        claim.update(opened, reserve=most)
        claim["notes"].append(f"{self.today} Reopened: {given['reason']}")
        return {"claim": claim}


WEIGHTS = [13, 11, 8, 9, 6, 8, 6, 8, 5, 6, 7, 3, 7, 4, 3]
NEEDS = {"recordDocument": STATUSES[:5], "approveClaim": ["InReview"], "issuePayment": ["Approved"]}
NEEDS |= dict.fromkeys(("assignAdjuster", "requestDocument", "denyClaim"), UNDECIDED)
NEEDS |= {"closeClaim": ["Settled", "Denied"], "reopenClaim": ["Closed"]}
MISTAKES: Json = dict.fromkeys(("payee", "description", "reason", "comment", "query"), "?")
MISTAKES |= {"policyNumber": "HO-17", "adjusterId": "ADJ-40", "status": "Pending", "line": "marine"}
MISTAKES |= {"peril": "earthquake", "lossDate": "2019-05-31", "denialReason": "Other", "method": "Cash"}
MISTAKES |= {"pageSize": 500, "estimatedLoss": -250, "amount": 900000, "fileName": "letter.docx", "page": 0}
MISTAKES |= {"documentType": "Diary", "reportedFrom": "last week", "reportedTo": "2031-02-30"}


class _Caller:
    def __init__(self, state: State, random: Random) -> None:
        self.desk, self.random, self.one = _Desk(state), random, random.choice

    def next(self, first: int, wrong: bool) -> Call:
        statuses = {one["status"] for one in self.desk.claims.values() if not one["outstanding"]}
        weights = dict(list(zip(SCHEMAS, WEIGHTS, strict=True))[first:])
        tools = [one for one in weights if one not in NEEDS or statuses & set(NEEDS[one])]
        tool = self.random.choices(tools, [weights[one] for one in tools])[0]
        needed, fields = SCHEMAS[tool]["required"], list(SCHEMAS[tool]["properties"])
        odds = 0.8 if tool == "reopenClaim" else 0.35
        names = [name for name in fields if name in needed or self.random.random() < odds]
        fault = self.one([*names, names[0]]) if wrong and names else ""
        values = self.values(tool, self.claim(tool, NEEDS.get(tool, STATUSES), fault == "claimId"))
        values |= {fault: MISTAKES.get(fault, values.get(fault))}
        return Call(tool, {name: values[name] for name in names})

    def claim(self, tool: str, statuses: list[str], wrong: bool) -> Json:
        claims = list(self.desk.claims.values())
        found = [one for one in claims if (one["status"] in statuses) != wrong]
        if not wrong and tool in ("requestDocument", "recordDocument", "approveClaim", "denyClaim"):
            new = [one for one in found if not self.desk.paid(one)]
            found = [one for one in new if bool(one["outstanding"]) == (tool == "recordDocument")] or found
        unknown = {**dict.fromkeys(FIELDS), "claimId": f"CLM-{self.random.randint(100, 900)}"}
        return unknown if wrong and self.random.random() < 0.4 else self.one(found or claims or [unknown])

    def values(self, tool: str, claim: Json) -> Json:
        desk, today, one = self.desk, self.desk.today, self.one
        live = [it for it in desk.policies.values() if desk.standing(it)["policyStatus"] == "InForce"]
        policy = one(live or [*desk.policies.values()])
        policy = desk.policies.get(claim["policyNumber"], policy) if tool != "reportClaim" else policy
        cover, holder = one(policy["covers"]), desk.holders[policy["holderId"]]["holderName"]
        least, done = 0.0, desk.paid(claim)
        most = max(0, round((claim["approvedAmount"] or 0) - done, 2)) or 1200.0
        if tool == "approveClaim" and claim["adjusterId"]:
            authority = desk.adjusters[claim["adjusterId"]]["authorityLimit"]
            least, most = done, min(desk.payable(claim), authority * one([1, 1, 1, 1, 2]))
        drawn = {key: one(rule["enum"]) for key, rule in FIELDS.items() if "enum" in rule}
        drawn |= _pick(claim, "claimId") | _pick(policy, "policyNumber line") | _pick(cover, "peril")
        drawn |= _pick(claim, "status line") if tool == "listClaims" else {}
        drawn |= {"amount": one([most, round(least + (most - least) * 0.6, 2)]), "pageSize": one([5, 50])}
        drawn |= dict.fromkeys(("description", "reason", "comment"), one(TALES))
        loss = claim["estimatedLoss"] if tool == "reopenClaim" else cover["limit"] / 2
        drawn["estimatedLoss"] = round((loss or 400) * self.random.uniform(0.7, 2.1), 2)
        drawn["query"] = one([*holder.lower().split(), OBJECTS[policy["line"]], policy["policyNumber"]])
        drawn |= {"lossDate": _later(today, -self.random.randint(0, 40)), "reportedTo": _later(today, -5)}
        drawn |= {"reportedFrom": _later(today, -self.random.randint(20, 200)), "available": True}
        scan = f"scan_{self.random.randint(10, 99)}.{one(['pdf', 'jpg'])}"
        drawn |= {"fileName": scan, "page": one([1, 2])}
        drawn |= {"payee": one([holder, *SHOPS]), "documentType": one(claim["outstanding"] or PAPERS)}
        others = [key for key in desk.free(claim["line"]) if key != claim["adjusterId"]]
        return {**drawn, "adjusterId": one(others or [*desk.adjusters])}


class Claims:
    name = "claims"
    tools = OPERATIONS

    def begin(self, random: Random) -> State:
        today = _later("2031-02-01", random.randint(0, 700))
        names = random.sample([f"{given} {family}" for given in GIVEN for family in FAMILY], 30)
        state: State = {"adjusters": {}, "holders": {}, "policies": {}, "claims": {}, "payments": {}}
        for i in range(random.randint(6, 9)):
            known: Json = {"adjusterId": f"ADJ-{i + 1}", "name": names.pop(), "lines": LINES[i % 3 :]}
            known |= {"authorityLimit": random.choice([2000, 6000, 25000]), "onLeave": random.random() < 0.2}
            state["adjusters"][known["adjusterId"]] = {**known, "maxOpenClaims": random.randint(4, 9)}
        for i, name in enumerate(names[: random.randint(14, 20)]):
            known = {"holderId": f"PH-{310 + i}", "holderName": name, "email": f"{name.split()[0]}@mail.test"}
            state["holders"][known["holderId"]] = known
        for number in range(5000, 5000 + random.randint(24, 36)):
            line, start = random.choice(LINES), _later(today, -random.randint(95, 650))
            known = {"policyNumber": f"{line[:2].upper()}-{number}", "line": line, "startDate": start}
            known |= {"insuredObject": f"{OBJECTS[line]} {random.randint(2, 98)}"}
            over = _later(start, random.randint(9, 90))
            known["cancelledOn"] = random.choice([None, None, None, None, over])
            known |= {"endDate": _later(start, 364), "holderId": random.choice(list(state["holders"]))}
            perils = random.sample(PERILS[line], 3)
            known["covers"] = [{"peril": peril, **random.choice(TERMS)} for peril in perils]
            state["policies"][known["policyNumber"]] = known
        for ago in [*sorted((random.randint(0, 400) for _ in range(340)), reverse=True), 0]:
            state["desk"] = {"main": {"today": _later(today, -ago)}}
            with suppress(RefusedError):
                self.call(state, *_Caller(state, random).next(5, False))
        return state

    def call(self, state: State, tool: str, arguments: dict[str, Any]) -> Any:
        try:
            _validate(SCHEMAS[tool], arguments)
        except (TypeError, ValueError):
            raise RefusedError("VALIDATION_FAILED: malformed parameter") from None
        act = getattr(_Desk(state), re.sub("[A-Z]", lambda letter: f"_{letter[0].lower()}", tool))
        return deepcopy(act(arguments))

    def next_call(self, state: State, random: Random) -> Call:
        return _Caller(state, random).next(0, random.random() < 0.22)
