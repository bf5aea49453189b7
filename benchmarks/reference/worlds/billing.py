"""A subscription billing service: customers with cards, plans, subscriptions, coupons and invoices."""

from collections.abc import Callable
from contextlib import suppress
from copy import deepcopy
from datetime import date, timedelta
from inspect import Parameter, getdoc, signature
from random import Random
from typing import Any

from benchmarks.reference.back_end import Call, RefusedError, State

Row = dict[str, Any]
Method = Callable[..., Any]

STATUSES = ["trialing", "active", "past_due", "paused", "canceled"]
JSON_TYPES: dict[Any, str] = {str: "string", int: "integer", bool: "boolean"}
COMPANIES = ["Bluefern", "Oakline", "Pinsight", "Tidewick", "Copperlark", "Nimbrel", "Quillhaven", "Sandmere"]
TRADES = ["Studio", "Freight", "Labs", "Dental", "Bakery", "Analytics", "Architects"]
PLANS = [("solo", 900, 3), ("team", 1500, 25), ("growth", 2900, 100), ("classic", 1200, 50)]
TOOLS: list[Row] = []


def _shape(fields: str, **nested: Row) -> Row:
    """Make the schema of an object from `name` or `name:type` or `name:type|null`, strings by default."""
    pairs = [field.partition(":")[::2] for field in fields.split()]
    kinds: Row = {name: kind.split("|") if "|" in kind else kind or "string" for name, kind in pairs}
    properties = {name: {"type": kind} for name, kind in kinds.items()} | nested
    return {"type": "object", "properties": properties, "required": list(properties)}


SUBSCRIPTION = _shape("""id customer_id plan_id seats:integer status current_period_start current_period_end
    cancel_at_period_end:boolean paused_until:string|null coupon:string|null""")
INVOICE = _shape("""id customer_id subscription_id status issued_on due_on lines:array total_cents:integer
    paid_cents:integer refunded_cents:integer""")
CUSTOMER = _shape("id name email credit_cents:integer default_card:string|null cards:array")
CUSTOMER["properties"]["subscriptions"] = {"type": "array", "items": {"type": "string"}}
PLAN = _shape("id name interval price_cents:integer max_seats:integer trial_days:integer archived:boolean")
PAGE = _shape("next_cursor:string|null", data={"type": "array", "items": SUBSCRIPTION})
CHANGE = _shape("credit_cents:integer charge_cents:integer invoice_id:string|null", subscription=SUBSCRIPTION)


def _tool(output: Row | None = None) -> Callable[[Method], Method]:
    """Register a method as a tool, with the input schema that its signature gives."""

    def register(method: Method) -> Method:
        parameters = list(signature(method).parameters.values())[1:]
        properties: Row = {one.name: {"type": JSON_TYPES[one.annotation]} for one in parameters}
        for one in parameters:
            properties[one.name] |= {} if one.default is Parameter.empty else {"default": one.default}
        required = [name for name in properties if "default" not in properties[name]]
        tool: Row = {"name": method.__name__, "description": getdoc(method)}
        tool["input_schema"] = {"type": "object", "properties": properties, "required": required}
        TOOLS.append(tool if output is None else {**tool, "output_schema": output})
        return method

    return register


def _need(fulfilled: Any, otherwise: str) -> None:
    if not fulfilled:
        raise RefusedError(otherwise)


class _Ledger:
    """The accounts in one state, with the tools that work on them."""

    def __init__(self, state: State) -> None:
        self.state, self.session = state, state["session"]["current"]
        self.customers, self.invoices, self.plans = state["customers"], state["invoices"], state["plans"]
        self.today = str(self.session["today"])

    def get(self, kind: str, key: str, *statuses: str) -> Row:
        _need(key in self.state[kind], f"No such {kind[:-1]}: '{key}'.")
        row = self.state[kind][key]
        _need(not statuses or row["status"] in statuses, f"{kind[:-1].title()} {key} is {row.get('status')}.")
        return row

    def of(self, kind: str, **equal: Any) -> list[Row]:
        """List copies of rows, the latest first, that have these values (where one is given)."""
        rows = sorted(self.state[kind].values(), key=lambda one: str(one["id"]), reverse=True)
        wanted = {name: value for name, value in equal.items() if value != ""}
        return [deepcopy(one) for one in rows if all(one[name] == wanted[name] for name in wanted)]

    def day(self, days: int) -> str:
        return str(date.fromisoformat(self.today) + timedelta(days))

    def held(self, customer_id: str) -> list[str]:
        rows = self.of("subscriptions", customer_id=customer_id)
        return [one["plan_id"] for one in rows if one["status"] != "canceled"]

    def usable(self, card: str | None) -> bool:
        return card is not None and bool(self.state["cards"][card]["expires"] >= self.today[:7])

    def bill(self, row: Row, lines: list[Row]) -> Row:
        """Invoice a subscription; pay from the credit and the default card, or leave the invoice open."""
        customer, total = self.customers[row["customer_id"]], sum(line["amount_cents"] for line in lines)
        credit = min(customer["credit_cents"], total)
        customer["credit_cents"] -= credit
        lines += [{"description": "Credit balance", "amount_cents": -credit}] if credit else []
        paid, due = self.usable(customer["default_card"]) or credit == total, total - credit
        number = max((int(one[3:]) for one in self.invoices), default=50000) + 1
        invoice: Row = {"id": f"in_{number}", "customer_id": customer["id"], "subscription_id": row["id"]}
        invoice |= {"status": "paid" if paid else "open", "issued_on": self.today, "due_on": self.day(14)}
        invoice |= {"lines": lines, "total_cents": due, "paid_cents": due if paid else 0, "refunded_cents": 0}
        self.invoices[invoice["id"]] = invoice
        row["status"] = row["status"] if paid else "past_due"
        return deepcopy(invoice)

    @_tool()
    def get_session(self) -> Any:
        """Tell who you are working as: your role (support or admin) and the business date that counts as today."""
        return dict(self.session)

    @_tool(CUSTOMER)
    def get_customer(self, customer_id: str) -> Any:
        """Retrieve one customer by id (e.g. "cus_107"), with the credit balance, the cards on file and the ids of all
        subscriptions, canceled ones included. Use find_customers if you only know a name or an e-mail address.
        """
        customer, rows = self.get("customers", customer_id), self.of("subscriptions", customer_id=customer_id)
        cards = self.of("cards", customer_id=customer_id)
        return {**customer, "cards": cards, "subscriptions": [one["id"] for one in rows]}

    @_tool()
    def find_customers(self, query: str) -> Any:
        """Find customers by a piece of text (3 characters or more, case is ignored) in their name or e-mail address.
        Returns a list of {id, name, email}, which is empty if nobody matches.
        """
        _need(len(query) >= 3, "The query needs at least 3 characters.")
        rows = [{name: one[name] for name in ("id", "name", "email")} for one in self.customers.values()]
        return [one for one in rows if query.lower() in f"{one['name']}\n{one['email']}".lower()]

    @_tool(_shape("", plans={"type": "array", "items": PLAN}))
    def list_plans(self, interval: str = "", include_archived: bool = False) -> Any:
        """List the plans we offer, cheapest first; interval ("month" or "year") narrows the list down.

        Prices are in cents per seat and interval. Archived plans go on for those who have them but cannot be chosen
        any more, so they are only listed if you ask for them.
        """
        _need(interval in ("", "month", "year"), 'interval must be "month" or "year".')
        rows = [one for one in self.of("plans", interval=interval) if include_archived or not one["archived"]]
        return {"plans": sorted(rows, key=lambda one: int(one["price_cents"]))}

    @_tool(PAGE)
    def list_subscriptions(
        self, customer_id: str = "", status: str = "", cursor: str = "", limit: int = 10
    ) -> Any:
        """List subscriptions, the newest (highest id) first, optionally only those of a customer and/or with a status:
        trialing, active, past_due (an invoice could not be charged), paused or canceled.

        You get up to limit (1 to 50) at a time. To go on, pass next_cursor as cursor; it is null on the last page.
        """
        _need(status in ("", *STATUSES), f"Unknown status '{status}'.")
        _need(1 <= limit <= 50, "limit must be from 1 to 50.")
        last = self.get("subscriptions", cursor)["id"] if cursor else "sub_9999"
        rows = self.of("subscriptions", customer_id=customer_id, status=status)
        rows = [one for one in rows if one["id"] < last]
        return {"data": rows[:limit], "next_cursor": rows[limit - 1]["id"] if len(rows) > limit else None}

    @_tool(SUBSCRIPTION)
    def get_subscription(self, subscription_id: str) -> Any:
        """Retrieve one subscription, e.g. "sub_2014"."""
        return dict(self.get("subscriptions", subscription_id))

    @_tool()
    def start_subscription(self, customer_id: str, plan_id: str, seats: int = 1, coupon: str = "") -> Any:
        """Subscribe a customer to a plan from today on. A customer cannot have the same plan twice at a time.

        If the plan has a trial and this is the customer's first subscription ever, it begins as trialing and nothing
        is charged yet. Otherwise the first period (30 days, or 365 on yearly plans) is invoiced right away: first the
        customer's credit balance is used, then the default card is charged. Without a default card, or if it has
        expired, the invoice stays open, due in 14 days, and the subscription is past_due.

        The plan must not be archived and must allow that many seats. A coupon takes its percentage off, unless it has
        expired or been used up. Returns {"subscription": ..., "invoice": ...}; the invoice of a trial is null.
        """
        self.get("customers", customer_id)
        plan, had = self.get("plans", plan_id), self.of("subscriptions", customer_id=customer_id)
        _need(not plan["archived"], f"Plan {plan_id} is archived.")
        _need(1 <= seats <= plan["max_seats"], f"Plan {plan_id} takes 1 to {plan['max_seats']} seats.")
        _need(plan_id not in self.held(customer_id), f"{customer_id} is already subscribed to {plan_id}.")
        lines = [{"description": f"{plan['name']} x {seats}", "amount_cents": plan["price_cents"] * seats}]
        if coupon:
            redeemed = self.get("coupons", coupon)
            valid = redeemed["redeem_by"] >= self.today and redeemed["redeemed"] < redeemed["max_redemptions"]
            _need(valid, f"Coupon {coupon} has expired or is used up.")
            redeemed["redeemed"] += 1
            off = plan["price_cents"] * seats * redeemed["percent_off"] // 100
            lines.append({"description": f"Coupon {coupon}", "amount_cents": -off})
        number = max((int(one[4:]) for one in self.state["subscriptions"]), default=2000) + 1
        trial = 0 if had else plan["trial_days"]
        new: Row = {"id": f"sub_{number}", "customer_id": customer_id, "plan_id": plan_id, "seats": seats}
        new |= {"status": "trialing" if trial else "active", "coupon": coupon or None, "paused_until": None}
        new |= {"current_period_start": self.today, "cancel_at_period_end": False}
        new["current_period_end"] = self.day(trial or {"month": 30, "year": 365}[plan["interval"]])
        self.state["subscriptions"][new["id"]] = new
        invoice = None if trial else self.bill(new, lines)
        return {"subscription": dict(new), "invoice": invoice}

    @_tool(CHANGE)
    def change_subscription(
        self, subscription_id: str, plan_id: str = "", seats: int = 0, dry_run: bool = False
    ) -> Any:
        """Move an active subscription to another plan (plan_id), another number of seats, or both, as of today.

        The new plan must have the same interval as the old one, must not be archived and must not be one the customer
        already has. What is left of the current period, in days, is credited at the old price and charged at the new
        one, each rounded down to a cent. If the charge is higher, the difference is invoiced and charged as when a
        subscription is started (no coupon here); if it is lower, it is added to the customer's credit balance.

        With dry_run=true nothing is changed, so that you can tell the customer what it would cost.
        """
        row = self.get("subscriptions", subscription_id, "active")
        old, new = self.plans[row["plan_id"]], self.get("plans", plan_id or row["plan_id"])
        count = seats or row["seats"]
        _need((new["id"], count) != (old["id"], row["seats"]), "Nothing would change.")
        _need(new is old or not new["archived"], f"Plan {plan_id} is archived.")
        _need(new is old or plan_id not in self.held(row["customer_id"]), f"They already have {plan_id}.")
        _need(new["interval"] == old["interval"], f"{plan_id} is not billed by {old['interval']}.")
        _need(1 <= count <= new["max_seats"], f"Plan {new['id']} takes 1 to {new['max_seats']} seats.")
        dates = (row["current_period_start"], self.today, row["current_period_end"])
        start, today, end = (date.fromisoformat(one) for one in dates)
        prices = (old["price_cents"] * row["seats"], new["price_cents"] * count)
        credit, charge = (cents * (end - today).days // (end - start).days for cents in prices)
        answer: Row = {"credit_cents": credit, "charge_cents": charge, "invoice_id": None}
        if not dry_run:
            row.update(plan_id=new["id"], seats=count)
            self.customers[row["customer_id"]]["credit_cents"] += max(credit - charge, 0)
            if charge > credit:
                line = {"description": f"Change to {new['name']} x {count}", "amount_cents": charge - credit}
                answer["invoice_id"] = self.bill(row, [line])["id"]
        return {**answer, "subscription": dict(row)}

    @_tool()
    def pause_subscription(self, subscription_id: str, resume_on: str) -> Any:
        """Pause an active subscription on a monthly plan until a day (YYYY-MM-DD), which is at least 1 and at most 90
        days from today. Not possible if it is going to be canceled at the end of the period.
        """
        row = self.get("subscriptions", subscription_id, "active")
        _need(self.plans[row["plan_id"]]["interval"] == "month", "Yearly subscriptions cannot be paused.")
        _need(not row["cancel_at_period_end"], f"Subscription {subscription_id} is about to end.")
        _need(resume_on in [self.day(i) for i in range(1, 91)], "resume_on must be one of the next 90 days.")
        row.update(status="paused", paused_until=resume_on)
        return dict(row)

    @_tool()
    def resume_subscription(self, subscription_id: str) -> Any:
        """Make a paused subscription active again before its time, or take back a cancellation that was scheduled for
        the end of the period. What has been canceled for good cannot be resumed; start a new subscription instead.
        """
        row = self.get("subscriptions", subscription_id, "active", "paused", "past_due")
        _need(row["status"] == "paused" or row["cancel_at_period_end"], "There is nothing to resume.")
        status = "active" if row["status"] == "paused" else row["status"]
        row.update(status=status, paused_until=None, cancel_at_period_end=False)
        return dict(row)

    @_tool()
    def cancel_subscription(self, subscription_id: str, immediately: bool = False) -> Any:
        """Cancel a subscription. By default an active one runs until the end of its period, and you can undo this with
        resume_subscription. immediately=true ends it today, without a refund; this is the only way for one that is
        trialing, paused or past_due, and cannot be undone. Its open invoices stay due.
        """
        row = self.get("subscriptions", subscription_id, *(STATUSES[:4] if immediately else ["active"]))
        _need(immediately or not row["cancel_at_period_end"], f"{subscription_id} is already set to end.")
        row["cancel_at_period_end"] = not immediately
        if immediately:
            row.update(status="canceled", paused_until=None)
        return {name: row[name] for name in ("id", "status", "cancel_at_period_end")}

    @_tool(INVOICE)
    def get_invoice(self, invoice_id: str) -> Any:
        """Retrieve one invoice with its lines. Negative lines are coupons and credit balance that was used."""
        return deepcopy(self.get("invoices", invoice_id))

    @_tool()
    def list_invoices(self, customer_id: str = "", status: str = "", overdue_only: bool = False) -> Any:
        """List up to 25 invoices without their lines, the latest first, optionally those of one customer and/or with
        one status (open, paid or refunded). overdue_only leaves just the open ones whose due date has passed.
        """
        _need(status in ("", "open", "paid", "refunded"), f"Unknown invoice status '{status}'.")
        rows = self.of("invoices", customer_id=customer_id, status=status)
        late = [one for one in rows if one["status"] == "open" and one["due_on"] < self.today]
        rows = late if overdue_only else rows
        return [{name: one[name] for name in one if name != "lines"} for one in rows[:25]]

    @_tool(INVOICE)
    def pay_invoice(self, invoice_id: str, card_id: str = "") -> Any:
        """Charge an open invoice in full to a card of the customer that has not expired: the default card, unless you
        give another one. A past_due subscription becomes active again once none of its invoices is open.
        """
        invoice = self.get("invoices", invoice_id, "open")
        owner, row = invoice["customer_id"], self.state["subscriptions"][invoice["subscription_id"]]
        card = card_id or self.customers[owner]["default_card"]
        _need(card, f"Customer {owner} has no default card.")
        _need(self.get("cards", card)["customer_id"] == owner, f"Card {card} does not belong to {owner}.")
        _need(self.usable(card), f"Card {card} was declined: it has expired.")
        invoice.update(status="paid", paid_cents=invoice["total_cents"])
        if row["status"] == "past_due" and not self.of("invoices", subscription_id=row["id"], status="open"):
            row["status"] = "active"
        return deepcopy(invoice)

    @_tool(_shape("invoice_id status refunded_cents:integer refundable_cents:integer"))
    def refund_invoice(self, invoice_id: str, amount_cents: int, reason: str) -> Any:
        """Pay back a paid invoice in part or in full, to the card it was paid with. You cannot refund more than what is
        left of the amount paid. Support may refund up to 5000 cents at a time; anything above takes an admin. An
        invoice that has been refunded in full gets the status refunded.
        """
        invoice = self.get("invoices", invoice_id, "paid")
        left = invoice["paid_cents"] - invoice["refunded_cents"]
        _need(0 < amount_cents <= left, f"amount_cents must be from 1 to {left}.")
        _need(reason.strip(), "A reason is required.")
        allowed = amount_cents <= 5000 or self.session["role"] == "admin"
        _need(allowed, "Permission denied: more than 5000 cents takes an admin.")
        done, left = invoice["refunded_cents"] + amount_cents, left - amount_cents
        invoice.update(refunded_cents=done, status="paid" if left else "refunded")
        result: Row = {"invoice_id": invoice_id, "status": invoice["status"]}
        return {**result, "refunded_cents": done, "refundable_cents": left}


BY_NAME: dict[str, Row] = {tool["name"]: tool for tool in TOOLS}
# How often each tool is used, and on what: a kind of row, some with statuses.
_USED = """get_session 3 plans, get_customer 10 customers, find_customers 9 customers, list_plans 7 plans,
list_subscriptions 9 customers, get_subscription 9 subscriptions, get_invoice 9 invoices, list_invoices 9 customers,
start_subscription 8 customers, change_subscription 9 subscriptions active, refund_invoice 6 invoices paid,
pause_subscription 4 subscriptions active, resume_subscription 4 subscriptions paused,
cancel_subscription 5 subscriptions active trialing past_due, pay_invoice 7 invoices open"""
USES = {one.split()[0]: (int(one.split()[1]), one.split()[2:]) for one in _USED.split(",")}


def _values(ledger: _Ledger, row: Row, random: Random) -> dict[str, tuple[list[Any], Any]]:
    """Give, for each parameter there is, values that fit a row, and one that is a mistake (None: there is none)."""
    owner = str(row.get("customer_id", row["id"]))
    most = row.get("paid_cents", 0) - row.get("refunded_cents", 0)
    time = str(row.get("plan_id", random.choice(["-month", "-year"]))).partition("-")[2]
    plans = [one["id"] for one in ledger.of("plans", interval=time, archived=False)]
    plans = [one for one in plans if one not in ledger.held(owner)]
    coupons = [one for one in ledger.of("coupons") if one["redeem_by"] >= ledger.today]
    cards = [one["id"] for one in ledger.of("cards", customer_id=owner) if ledger.usable(one["id"])]
    return {
        "customer_id": ([owner], f"cus_{random.randint(700, 999)}"),
        "subscription_id": ([row["id"]], row["id"].replace("sub_2", "sub_1")),
        "invoice_id": ([row["id"]], row["id"].replace("in_5", "in_1")),
        "query": ([*COMPANIES, *TRADES, "billing@"], random.choice(["", "la"])),
        "interval": (["month", "year"], "week"),
        "include_archived": ([True], None),
        "status": (["trialing", "active", "past_due"], "expired"),
        "cursor": (list(ledger.state["subscriptions"]), "sub_1"),
        "limit": ([3, 5, 20], random.choice([0, 100])),
        "plan_id": (plans, random.choice(["gold-month", "classic-month", "classic-year"])),
        "seats": ([one for one in (1, 2, 3) if one != row.get("seats")], random.choice([-1, 2000])),
        "coupon": ([one["id"] for one in coupons if one["redeemed"] < one["max_redemptions"]], "WELCOME5"),
        "dry_run": ([True, False], None),
        "resume_on": ([ledger.day(30), ledger.day(60)], random.choice([ledger.day(-3), "next month"])),
        "immediately": ([True], None),
        "overdue_only": ([True], None),
        "card_id": (cards, random.choice(["pm_999", *ledger.state["cards"]])),
        "amount_cents": (
            [min(most, 500), min(most, 1800), min(most, 5000)],
            random.choice([most, most + 1000]),
        ),
        "reason": (["Service was down", "Charged by mistake"], ""),
    }


def _suits(row: Row, tool: str) -> bool:
    if tool == "resume_subscription":
        return row["status"] == "paused" or bool(row["cancel_at_period_end"])
    if tool == "pause_subscription" and (row["cancel_at_period_end"] or row["plan_id"].endswith("year")):
        return False
    return len(USES[tool][1]) == 1 or row["status"] in USES[tool][1]


def _draft(state: State, random: Random, tools: list[str], mistaken: bool) -> Call:
    """Make an operator's call; a mistake is one on a row with another status, or one wrong value."""
    fitting = {tool: [one for one in state[USES[tool][1][0]].values() if _suits(one, tool)] for tool in tools}
    tools = [tool for tool in tools if fitting[tool]]
    tool = random.choices(tools, [USES[one][0] for one in tools])[0]
    others = [one for one in state[USES[tool][1][0]].values() if one not in fitting[tool]]
    astray = mistaken and others and random.random() < 0.5
    row = random.choice(others if astray else fitting[tool])
    values, schema = _values(_Ledger(state), row, random), BY_NAME[tool]["input_schema"]
    if tool == "list_invoices":
        values["status"] = (["open", "paid", "paid"], "unpaid")
    sure = [*schema["required"], random.choice(["plan_id", "seats"]), "card_id"]
    kept = [name for name in schema["properties"] if name in sure or random.random() < 0.3]
    body = {name: random.choice(values[name][0] or [values[name][1]]) for name in kept if any(values[name])}
    if tool == "cancel_subscription" and row["status"] != "active":
        body["immediately"] = True
    wrong = [name for name in body if values[name][1] is not None]
    if mistaken and not astray and wrong:
        name = random.choice(wrong)
        body[name] = values[name][1]
    return Call(tool, body)


class Billing:
    name = "billing"
    tools = TOOLS

    def begin(self, random: Random) -> State:
        kinds = ("customers", "cards", "plans", "subscriptions", "invoices", "coupons", "session")
        state: State = {kind: {} for kind in kinds}
        today = date(2032, 1, 1) + timedelta(random.randrange(900))
        session: Row = {"role": "admin", "today": str(today)}
        state["session"]["current"] = session
        for name, price, most in PLANS:
            for interval, times, trial in (("month", 1, 30 if price < 2000 else 0), ("year", 10, 0)):
                row: Row = {"id": f"{name}-{interval}", "name": name.title(), "interval": interval}
                row |= {"price_cents": price * times, "max_seats": most, "trial_days": trial}
                state["plans"][row["id"]] = {**row, "archived": False}
        for percent in random.sample([10, 15, 20, 25, 30, 50], 5):
            row = {"id": f"{random.choice(['SPRING', 'HELLO', 'PARTNER'])}{percent}", "percent_off": percent}
            row |= {"redeem_by": str(today + timedelta(random.randint(-40, 200))), "max_redemptions": 60}
            state["coupons"][row["id"]] = {**row, "redeemed": random.choice([3, 17, 40, 60])}
        names = random.sample([f"{company} {trade}" for company in COMPANIES for trade in TRADES], 24)
        for i, name in enumerate(names):
            mail, cards = f"billing@{name.replace(' ', '-')}.example".lower(), state["cards"]
            customer: Row = {"id": f"cus_{i + 101}", "name": name, "email": mail, "default_card": None}
            for months in [30, *random.sample([19, 8, -2, -7], random.choice([0, 1, 1, 2]))]:
                row = {"id": f"pm_{len(cards) + 301}", "customer_id": customer["id"]}
                row |= {"brand": random.choice(["Visto", "Amaro"]), "last4": str(random.randint(1000, 9999))}
                cards[row["id"]] = {**row, "expires": str(today + timedelta(30 * months))[:7]}
                customer["default_card"] = random.choice([customer["default_card"], row["id"]])
            customer["credit_cents"] = random.choice([0, 0, 0, 1500, 6000])
            state["customers"][customer["id"]] = customer
        # First yearly subscriptions of the past months, then some weeks of all kinds of business.
        for i in range(140):
            session["today"] = str(today - timedelta(300 - i * 12 if i < 22 else (140 - i) // 5))
            call = _draft(state, random, list(USES)[8 : 9 if i < 22 else 15 - (i % 6 > 0)], False)
            if i < 22:
                call.arguments["plan_id"] = random.choice(["solo-year", "team-year", "classic-year"])
            with suppress(RefusedError):
                self.call(state, *call)
        state["plans"]["classic-month"]["archived"] = state["plans"]["classic-year"]["archived"] = True
        session.update(role=random.choice(["support", "support", "admin"]))
        return state

    def call(self, state: State, tool: str, arguments: dict[str, Any]) -> Any:
        _need(tool in BY_NAME, f"Unknown tool: {tool}")
        schema = BY_NAME[tool]["input_schema"]
        for name in schema["required"]:
            _need(name in arguments, f"Missing argument: {name}")
        for name, value in arguments.items():
            fits = JSON_TYPES.get(type(value)) == schema["properties"].get(name, {"type": ""})["type"]
            _need(fits, f"Argument {name} is not known or of the wrong type.")
        return getattr(_Ledger(state), tool)(**arguments)

    def next_call(self, state: State, random: Random) -> Call:
        return _draft(state, random, list(USES), random.random() < 0.23)
