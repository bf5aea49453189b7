"""A loyalty programme: members collect points at partners and turn them into rewards."""

import re
from collections.abc import Callable
from datetime import date, timedelta
from random import Random
from typing import Any

from benchmarks.reference.back_end import Call, RefusedError, State

Data = dict[str, Any]

STATES = ["active", "suspended"]
TIERS = ["pearl", "coral", "indigo"]
THRESHOLDS = {"pearl": 0, "coral": 1000, "indigo": 3000}
PERCENT = {"pearl": 100, "coral": 125, "indigo": 150}
KINDS = ["carryover", "welcome", "referral", "purchase", "redemption", "refund", "transfer", "adjustment"]
PARTNERS = """KLN Kiln & Crumb|food SBL Sable Coffee|food VLF Velo Fjord|leisure LMN Lumen Cinema|leisure
NLH Northlight Hotels|travel TWR Tidewater Rail|travel PPT Petal Post|retail OXB Oxbow Books|retail"""
CATEGORIES = ["food", "leisure", "travel", "retail"]
PRIZES = ["Gift box", "10 euro voucher", "25 euro voucher", "Day pass", "Two for one", "Free drink"]
FIRST = ["Aino", "Bruno", "Carys", "Dario", "Edda", "Femi", "Greta", "Hamza", "Imke", "Keiko", "Lior"]
LAST = ["Lindqvist", "Castellan", "Penhale", "Velutti", "Storm", "Adeyanju", "Nyborg", "Qadri", "Wilk"]
NOTES = ["Goodwill after complaint", "Missing points of last week", "Booked twice", "Till was offline"]
REASONS = ["Card reported stolen", "Suspicious transfers", "Asked for a break"]

TEXT, COUNT, YES_NO = {"type": "string"}, {"type": "integer"}, {"type": "boolean"}
DATE, MAYBE = {"type": "string", "format": "date"}, {"type": ["string", "null"]}
TIER, KIND = {"type": "string", "enum": TIERS}, {"type": "string", "enum": KINDS}
MEMBER_NO = {"type": "string", "pattern": "^M[0-9]{6}$"}


def _object(**fields: Data) -> Data:
    return {"type": "object", "properties": fields, "required": list(fields), "additionalProperties": False}


def _array(**fields: Data) -> Data:
    return {"type": "array", "items": _object(**fields)}


BRIEF: Data = {"memberNo": MEMBER_NO, "name": TEXT, "tier": TIER, "status": TEXT, "points": COUNT}
MEMBER = _object(**BRIEF, email=TEXT, yearPoints=COUNT, household=MAYBE, joinedOn=DATE)
ENTRY: Data = {"entryId": TEXT, "kind": KIND, "points": COUNT, "on": DATE, "note": TEXT}
REWARD: Data = dict.fromkeys(["rewardId", "title", "partnerCode"], TEXT)
REWARD |= {"cost": COUNT, "stock": COUNT, "minTier": TIER}
VOUCHER: Data = {**dict.fromkeys(["code", "memberNo", "rewardId", "status"], TEXT), "cost": COUNT}
ANSWERS: Data = {
    "whoAmI": _object(user=TEXT, role={"type": "string", "enum": ["clerk", "supervisor"]}, today=DATE),
    "getMember": MEMBER,
    "listMembers": _object(total=COUNT, members=_array(**BRIEF)),
    "enrolMember": MEMBER,
    "getStatement": _object(memberNo=MEMBER_NO, balance=COUNT, entries=_array(**ENTRY)),
    "postPurchase": _object(earned=COUNT, balance=COUNT, tier=TIER, upgraded=YES_NO),
    "transferPoints": _object(fee=COUNT, senderBalance=COUNT, receiverBalance=COUNT),
    "listRewards": _array(**REWARD),
    "redeemReward": _object(voucher=_object(**VOUCHER, issuedOn=DATE, validUntil=DATE), balance=COUNT),
    "cancelVoucher": _object(code=TEXT, returned=COUNT, balance=COUNT),
}
FIELDS: Data = {
    "memberNo": {"type": "string", "description": "Membership number, M and six digits"},
    "tier": TIER,
    "status": {"type": "string", "enum": STATES},
    "voucherStatus": {"type": "string", "enum": ["issued", "used", "cancelled", "expired"]},
    "kind": KIND,
    "category": {"type": "string", "enum": CATEGORIES},
    "limit": {"type": "integer", "minimum": 1, "maximum": 100},
    "offset": {"type": "integer", "minimum": 0},
    "amount": {"type": "number", "minimum": 1, "description": "What was paid, in euros"},
    "points": {"type": "integer"},
    "inStock": YES_NO,
    "active": YES_NO,
    "partnerCode": {"type": "string", "description": "Three letters, see listPartners"},
}
GUIDE = """whoAmI: Your user name and role, and the date the programme works with.
getMember memberNo: Member by number. yearPoints are the points earned by purchases this year, which decide the \
tier.
findMembers text: Members whose name or e-mail address contains the text (2 characters or more, any case), by name.
listMembers tier? status? household? limit? offset?: Members, highest balance first. 20 at a time unless a limit \
is set; total is the number that match.
enrolMember name email referredBy?: Enrol a new member (tier pearl, 200 welcome points). E-mail addresses are \
unique. If an active member is given in referredBy, that one gets 500 points.
suspendMember memberNo reason: Suspend an active member, who then cannot earn, redeem or transfer points. Points \
stay.
reinstateMember memberNo: Lift a suspension. Supervisors only.
getStatement memberNo kind? limit?: The member's balance and bookings, latest first (10 unless a limit is set).
postPurchase memberNo partnerCode amount: Credit the points for a purchase by an active member at an active \
partner. Each full euro counts the partner's pointsPerEuro, twice that until the partner's doubleUntil date \
(included); coral members get 25 % and indigo members 50 % on top, rounded down. Moves the member up to coral \
from 1000, to indigo from 3000 yearPoints.
adjustPoints memberNo points note: Correct a balance by hand, up (positive) or down (negative). Clerks may book \
up to 500 points either way, supervisors 5000. A balance never gets negative. Does not count towards the tier.
transferPoints fromMemberNo toMemberNo points: Move points between two active members, at least 100 and in steps \
of 50. The sender pays a fee of 10 % on top, except to a member of the same household.
listPartners category? active?: Partners with their earning rates, by code.
listRewards partnerCode? affordableFor? inStock?: Rewards, cheapest first. affordableFor takes a membership \
number and leaves only rewards this member has the points and the tier for.
redeemReward memberNo rewardId: Pay a reward with points and issue its voucher, valid for 90 days. The member \
must be active, have the reward's minTier or a higher one, and not hold 4 issued vouchers already; the reward \
must be in stock.
listVouchers memberNo? voucherStatus?: Vouchers by code, of a member or of all.
useVoucher code partnerCode: Mark an issued voucher as used at the partner the reward belongs to (active \
partners only).
cancelVoucher code: Take back an issued voucher. The points return to the member and the reward to stock. Clerks \
can do this for 14 days after the issue, supervisors at any time."""


def _tools() -> list[Data]:
    tools = []
    for line in GUIDE.splitlines():
        head, about = line.split(": ", 1)
        name, *takes = head.split()
        fields = {one.strip("?"): FIELDS.get(one.strip("?"), TEXT) for one in takes}
        required = [one for one in takes if not one.endswith("?")]
        schema = {"type": "object", "properties": fields, "required": required, "additionalProperties": False}
        tool = {"name": name, "description": about, "input_schema": schema}
        tools.append({**tool, "output_schema": ANSWERS[name]} if name in ANSWERS else tool)
    return tools


def _check(holds: Any, otherwise: str) -> None:
    if not holds:
        raise RefusedError(otherwise)


def _after(day: str, days: int) -> str:
    return (date.fromisoformat(day) + timedelta(days=days)).isoformat()


def _tier(year_points: int) -> str:
    return max((tier for tier in TIERS if year_points >= THRESHOLDS[tier]), key=TIERS.index)


def _reaches(member: Data, reward: Data) -> bool:
    return TIERS.index(member["tier"]) >= TIERS.index(reward["minTier"])


class _Programme:
    def __init__(self, db: State) -> None:
        self.db, self.desk = db, db["desk"]["current"]
        self.today, self.boss = str(self.desk["today"]), self.desk["role"] == "supervisor"

    def get(self, kind: str, key: str, active: bool = False) -> Data:
        _check(key in self.db[kind], f"NOT_FOUND: no {kind[:-1]} {key}")
        row = self.db[kind][key]
        status = row.get("status")
        _check(not active or status == "active", f"NOT_ACTIVE: {kind[:-1]} {key} is {status}")
        return row

    def book(self, member: Data, kind: str, points: int, note: str) -> int:
        key = f"E{50001 + len(self.db['entries'])}"
        row = {"entryId": key, "memberNo": member["memberNo"], "kind": kind, "points": points}
        self.db["entries"][key] = {**row, "on": self.today, "note": note}
        member["points"] += points
        return int(member["points"])

    def who_am_i(self, _: Data) -> Any:
        return dict(self.desk)

    def get_member(self, a: Data) -> Any:
        return dict(self.get("members", a["memberNo"]))

    def find_members(self, a: Data) -> Any:
        _check(len(a["text"]) >= 2, "BAD_VALUE: text needs at least 2 characters")
        keys, rows = ("memberNo", "name", "email", "status"), self.db["members"].values()
        found = [m for m in rows if a["text"].lower() in f"{m['name']} {m['email']}".lower()]
        return [{key: m[key] for key in keys} for m in sorted(found, key=lambda m: str(m["name"]))]

    def list_members(self, a: Data) -> Any:
        wanted = {key: a[key] for key in ("tier", "status", "household") if key in a}
        rows = [m for m in self.db["members"].values() if all(m[key] == wanted[key] for key in wanted)]
        rows.sort(key=lambda m: (-m["points"], m["memberNo"]))
        page = rows[a.get("offset", 0) :][: a.get("limit", 20)]
        return {"total": len(rows), "members": [{key: m[key] for key in BRIEF} for m in page]}

    def enrol_member(self, a: Data) -> Any:
        members = self.db["members"]
        _check("@" in a["email"], f"BAD_VALUE: {a['email']} is not an e-mail address")
        taken = any(m["email"] == a["email"].lower() for m in members.values())
        _check(not taken, f"CONFLICT: {a['email']} is enrolled already")
        if "referredBy" in a:
            referrer = self.get("members", a["referredBy"], active=True)
            self.book(referrer, "referral", 500, f"Referred {a['name']}")
        number = f"M{max(int(key[1:]) for key in members) + 1}"
        member = {"memberNo": number, "name": a["name"], "email": a["email"].lower(), "tier": "pearl"}
        member |= {"status": "active", "points": 0, "yearPoints": 0, "household": None}
        members[number] = member | {"joinedOn": self.today}
        self.book(members[number], "welcome", 200, "Welcome")
        return dict(members[number])

    def suspend_member(self, a: Data) -> Any:
        self.get("members", a["memberNo"], active=True)["status"] = "suspended"
        return {"memberNo": a["memberNo"], "status": "suspended", "reason": a["reason"]}

    def reinstate_member(self, a: Data) -> Any:
        _check(self.boss, "FORBIDDEN: supervisors only")
        member = self.get("members", a["memberNo"])
        _check(member["status"] == "suspended", f"WRONG_STATE: {a['memberNo']} is not suspended")
        member["status"] = "active"
        return {"memberNo": a["memberNo"], "status": "active"}

    def get_statement(self, a: Data) -> Any:
        member = self.get("members", a["memberNo"])
        rows = [e for e in self.db["entries"].values() if e["memberNo"] == a["memberNo"]]
        rows = [e for e in rows if a.get("kind", e["kind"]) == e["kind"]]
        rows.sort(key=lambda e: (e["on"], e["entryId"]), reverse=True)
        entries = [{key: e[key] for key in ENTRY} for e in rows[: a.get("limit", 10)]]
        return {"memberNo": a["memberNo"], "balance": member["points"], "entries": entries}

    def post_purchase(self, a: Data) -> Any:
        member = self.get("members", a["memberNo"], active=True)
        partner = self.get("partners", a["partnerCode"], active=True)
        rate = partner["pointsPerEuro"] * (2 if (partner["doubleUntil"] or "") >= self.today else 1)
        earned, before = int(a["amount"]) * rate * PERCENT[member["tier"]] // 100, member["tier"]
        balance = self.book(member, "purchase", earned, f"Purchase at {partner['name']}")
        member["yearPoints"] += earned
        member["tier"] = max(before, _tier(member["yearPoints"]), key=TIERS.index)
        upgraded = member["tier"] != before
        return {"earned": earned, "balance": balance, "tier": member["tier"], "upgraded": upgraded}

    def adjust_points(self, a: Data) -> Any:
        member, most = self.get("members", a["memberNo"]), 5000 if self.boss else 500
        _check(a["points"] != 0, "BAD_VALUE: points must not be 0")
        _check(abs(a["points"]) <= most, f"FORBIDDEN: you may adjust by at most {most} points")
        _check(member["points"] + a["points"] >= 0, f"TOO_FEW_POINTS: the balance is {member['points']}")
        return {"balance": self.book(member, "adjustment", a["points"], a["note"])}

    def transfer_points(self, a: Data) -> Any:
        sender = self.get("members", a["fromMemberNo"], active=True)
        receiver, points = self.get("members", a["toMemberNo"], active=True), a["points"]
        _check(sender is not receiver, "BAD_VALUE: sender and receiver are the same")
        _check(points >= 100 and points % 50 == 0, "BAD_VALUE: at least 100 points, in steps of 50")
        family = sender["household"] is not None and sender["household"] == receiver["household"]
        fee = 0 if family else points // 10
        _check(sender["points"] >= points + fee, f"TOO_FEW_POINTS: {points + fee} are needed")
        left = self.book(sender, "transfer", -points - fee, f"To {receiver['memberNo']}")
        got = self.book(receiver, "transfer", points, f"From {sender['memberNo']}")
        return {"fee": fee, "senderBalance": left, "receiverBalance": got}

    def list_partners(self, a: Data) -> Any:
        rows = [p for p in self.db["partners"].values() if a.get("category", p["category"]) == p["category"]]
        rows = [p for p in rows if a.get("active") in (None, p["status"] == "active")]
        return [dict(p) for p in sorted(rows, key=lambda p: str(p["partnerCode"]))]

    def list_rewards(self, a: Data) -> Any:
        rows, code = list(self.db["rewards"].values()), a.get("partnerCode")
        if code is not None:
            self.get("partners", code)
            rows = [r for r in rows if r["partnerCode"] == code]
        if "affordableFor" in a:
            m = self.get("members", a["affordableFor"])
            rows = [r for r in rows if r["cost"] <= m["points"] and _reaches(m, r)]
        rows = [r for r in rows if a.get("inStock") in (None, r["stock"] > 0)]
        return [dict(r) for r in sorted(rows, key=lambda r: (r["cost"], r["rewardId"]))]

    def redeem_reward(self, a: Data) -> Any:
        member, reward = self.get("members", a["memberNo"], active=True), self.get("rewards", a["rewardId"])
        rows, cost = self.db["vouchers"].values(), reward["cost"]
        held = [v for v in rows if v["memberNo"] == a["memberNo"] and v["status"] == "issued"]
        _check(reward["stock"] > 0, f"OUT_OF_STOCK: {reward['title']}")
        _check(_reaches(member, reward), f"TIER_TOO_LOW: {reward['minTier']} is needed")
        _check(len(held) < 4, f"LIMIT_REACHED: {a['memberNo']} holds 4 vouchers")
        _check(member["points"] >= cost, f"TOO_FEW_POINTS: {cost} needed, balance {member['points']}")
        code = f"VX-{4101 + len(self.db['vouchers'])}"
        voucher = {"code": code, "memberNo": a["memberNo"], "rewardId": a["rewardId"], "cost": cost}
        voucher |= {"status": "issued", "issuedOn": self.today, "validUntil": _after(self.today, 90)}
        self.db["vouchers"][code] = voucher
        reward["stock"] -= 1
        return {"voucher": dict(voucher), "balance": self.book(member, "redemption", -cost, reward["title"])}

    def list_vouchers(self, a: Data) -> Any:
        if "memberNo" in a:
            self.get("members", a["memberNo"])
        rows = [v for v in self.db["vouchers"].values() if a.get("memberNo", v["memberNo"]) == v["memberNo"]]
        return [dict(v) for v in rows if a.get("voucherStatus", v["status"]) == v["status"]]

    def issued(self, code: str) -> Data:
        voucher = self.get("vouchers", code)
        _check(voucher["status"] == "issued", f"WRONG_STATE: voucher {code} is {voucher['status']}")
        return voucher

    def use_voucher(self, a: Data) -> Any:
        voucher, partner = self.issued(a["code"]), self.get("partners", a["partnerCode"], active=True)
        reward = self.db["rewards"][voucher["rewardId"]]
        _check(reward["partnerCode"] == a["partnerCode"], f"WRONG_PARTNER: not a reward of {partner['name']}")
        voucher["status"] = "used"
        return {"code": a["code"], "status": "used", "title": reward["title"]}

    def cancel_voucher(self, a: Data) -> Any:
        voucher = self.issued(a["code"])
        fresh = _after(voucher["issuedOn"], 14) >= self.today
        _check(fresh or self.boss, "FORBIDDEN: after 14 days a supervisor has to cancel it")
        voucher["status"] = "cancelled"
        self.db["rewards"][voucher["rewardId"]]["stock"] += 1
        member, cost = self.db["members"][voucher["memberNo"]], voucher["cost"]
        return {"code": a["code"], "returned": cost, "balance": self.book(member, "refund", cost, a["code"])}


KEYS = {"rewardId": ("rewards", "RW-944"), "code": ("vouchers", "VX-9908"), "partnerCode": ("partners", "ZT")}


class _Drawer:
    """Fills in a call; a wrong one names things that do not exist or has values out of the question."""

    def __init__(self, db: State, random: Random, wrong: bool) -> None:
        self.db, self.random, self.wrong = db, random, wrong

    def key(self, *fields: str) -> Data:
        drawn = {}
        for field in fields:
            kind, unknown = KEYS.get(field, ("members", "M999417"))
            rows = [*self.db[kind]]
            known = self.random.choice(rows[-3:] if self.random.random() < 0.15 else rows)
            drawn[field] = unknown if self.wrong and self.random.random() < 0.25 else known
        return drawn

    def pick(self, field: str, right: list[Any], *wrong: Any) -> Data:
        options = wrong if wrong and self.wrong and self.random.random() < 0.5 else right
        return {field: self.random.choice(options)}

    def some(self, *parts: Data) -> Data:
        return {key: part[key] for part in parts for key in part if self.random.random() < 0.45}

    def newcomer(self) -> Data:
        first, last = self.random.choice(FIRST), self.random.choice(["Haldane", "Ruiz", "Tse", "Okoro"])
        email, taken = f"{first}.{last}@inbox.test".lower(), [m["email"] for m in self.db["members"].values()]
        return {"name": f"{first} {last}", **self.pick("email", [email], "unknown", *taken[:1])}


DRAWS: dict[str, Callable[[_Drawer], Data]] = {
    "whoAmI": _Drawer.some,
    "getMember": lambda d: d.key("memberNo"),
    "findMembers": lambda d: d.pick("text", [*FIRST, *LAST, "inbox", "an", "ar"], "a", ""),
    "listMembers": lambda d: d.some(d.pick("tier", TIERS, "gold"), {"status": "active", "household": "H-2"}),
    "enrolMember": lambda d: d.newcomer() | d.some(d.key("referredBy")),
    "suspendMember": lambda d: d.key("memberNo") | d.pick("reason", REASONS),
    "reinstateMember": lambda d: d.key("memberNo"),
    "getStatement": lambda d: d.key("memberNo") | d.some(d.pick("kind", KINDS, "bonus"), {"limit": 5}),
    "postPurchase": lambda d: d.key("memberNo", "partnerCode") | d.pick("amount", [8.5, 23, 140], 0, -5),
    "adjustPoints": lambda d: (
        d.key("memberNo") | d.pick("note", NOTES) | d.pick("points", [50, -90], 0, 9000)
    ),
    "transferPoints": lambda d: d.key("fromMemberNo", "toMemberNo") | d.pick("points", [100, 250], 75, 130),
    "listPartners": lambda d: d.some(d.pick("category", CATEGORIES, "sports"), {"active": True}),
    "listRewards": lambda d: d.some(d.key("partnerCode", "affordableFor"), {"inStock": True}),
    "redeemReward": lambda d: d.key("memberNo", "rewardId"),
    "listVouchers": lambda d: d.some(d.key("memberNo"), d.pick("voucherStatus", ["issued", "used"], "open")),
    "useVoucher": lambda d: d.key("code", "partnerCode"),
    "cancelVoucher": lambda d: d.key("code"),
}
WEIGHTS = [3, 11, 7, 6, 5, 4, 4, 9, 11, 6, 6, 5, 8, 11, 6, 9, 6]


class Loyalty:
    name = "loyalty"
    tools = _tools()

    def begin(self, random: Random) -> State:
        today = f"2029-{random.randint(6, 11):02}-{random.randint(1, 28):02}"
        desk = {"user": random.choice(["t.maas", "j.orlow"]), "role": random.choice(["clerk", "supervisor"])}
        db: State = {"desk": {"current": {**desk, "today": today}}, "members": {}, "partners": {}}
        db["rewards"] = {}
        for code, title, category in re.findall(r"([A-Z]{3}) ([^|]+)\|(\w+)", PARTNERS):
            row = {"partnerCode": code, "name": title, "category": category}
            row |= {"pointsPerEuro": random.randint(1, 5)}
            double = _after(today, random.randint(-20, 20)) if random.random() < 0.3 else None
            status = "paused" if random.random() < 0.15 else "active"
            db["partners"][code] = {**row, "doubleUntil": double, "status": status}
            for prize in random.sample(PRIZES, random.randint(2, 3)):
                key, stock = f"RW-{101 + len(db['rewards'])}", random.choice([0, 2, 10, 35])
                cost = random.randint(4, 36) * 50
                reward = {"rewardId": key, "title": prize, "partnerCode": code, "stock": stock, "cost": cost}
                db["rewards"][key] = {**reward, "minTier": random.choice(["pearl", *TIERS])}
        start = random.randint(300000, 800000)
        names = random.sample([f"{first} {last}" for first in FIRST for last in LAST], random.randint(22, 28))
        for i, name in enumerate(names):
            row = {"memberNo": f"M{start + i}", "name": name, "points": 0, "yearPoints": 0}
            row |= {"email": f"{name}@inbox.test".replace(" ", ".").lower(), "tier": random.choice(TIERS)}
            row |= {"household": random.choice([None, f"H-{random.randint(1, 5)}"])}
            row |= {"status": random.choice(["active", "active", "active", *STATES])}
            db["members"][row["memberNo"]] = {**row, "joinedOn": f"20{random.randint(18, 28)}-03-14"}
        self._past(db, random, today)
        return db

    def _past(self, db: State, random: Random, today: str) -> None:
        events, vouchers, year = [], [], f"{today[:4]}-01-01"
        for number, member in db["members"].items():
            spent = 0
            allowed = [r for r in db["rewards"].values() if _reaches(member, r)]
            for reward in random.sample(allowed, random.randint(0, 2)):
                day = _after(today, -random.choice([2, 6, 11, 25, 60, 80, 100, 115]))
                status = random.choice(["issued", "issued", "used", "cancelled"])
                status = "expired" if status == "issued" and _after(day, 90) < today else status
                voucher = {"memberNo": number, "rewardId": reward["rewardId"], "cost": reward["cost"]}
                vouchers.append({**voucher, "status": status, "issuedOn": day, "validUntil": _after(day, 90)})
                events.append((day, number, "redemption", -reward["cost"], reward["title"]))
                if status == "cancelled":
                    events.append((_after(day, 1), number, "refund", reward["cost"], reward["title"]))
                spent += reward["cost"]
            carried = spent + random.randint(0, 40) * 50
            events.append((year, number, "carryover", carried, "Balance of last year"))
            for _ in range(random.randint(0, 3)):
                day, points = _after(today, -random.randint(1, 140)), random.randint(20, 1400)
                at = random.choice(list(db["partners"].values()))["name"]
                events.append((day, number, "purchase", points, f"Purchase at {at}"))
                member["yearPoints"] += points
            member["tier"] = max(member["tier"], _tier(member["yearPoints"]), key=TIERS.index)
        vouchers.sort(key=lambda v: v["issuedOn"])
        db["vouchers"] = {f"VX-{4101 + i}": {"code": f"VX-{4101 + i}", **v} for i, v in enumerate(vouchers)}
        db["entries"] = {}
        for i, (day, number, kind, points, note) in enumerate(sorted(events)):
            row = {"entryId": f"E{50001 + i}", "memberNo": number, "kind": kind, "points": points}
            db["entries"][row["entryId"]] = {**row, "on": day, "note": note}
            db["members"][number]["points"] += points

    def call(self, state: State, tool: str, arguments: dict[str, Any]) -> Any:
        schema = next(one["input_schema"] for one in self.tools if one["name"] == tool)
        for name in schema["required"]:
            _check(name in arguments, f"MISSING: {name}")
        for name, value in arguments.items():
            rule = schema["properties"].get(name)
            _check(rule is not None, f"UNKNOWN_FIELD: {name}")
            _check(value in rule.get("enum", [value]), f"BAD_VALUE: {name} cannot be {value}")
            low, high = rule.get("minimum", value), rule.get("maximum", value)
            _check(low <= value <= high, f"BAD_VALUE: {name} is {value}")
        return getattr(_Programme(state), re.sub("([A-Z])", r"_\1", tool).lower())(arguments)

    def _fails(self, state: State, call: Call) -> bool:
        copied = {kind: {key: dict(row) for key, row in state[kind].items()} for kind in state}
        try:
            return self.call(copied, *call) is None
        except RefusedError:
            return True

    def next_call(self, state: State, random: Random) -> Call:
        wrong, tool = random.random() < 0.2, random.choices(list(DRAWS), WEIGHTS)[0]
        if tool == "reinstateMember" and state["desk"]["current"]["role"] == "clerk" and not wrong:
            tool = "getMember"
        for _ in range(90):  # a call that is meant to be right is one that goes through
            call = Call(tool, DRAWS[tool](_Drawer(state, random, wrong)))
            if wrong == self._fails(state, call):
                break
        return call
