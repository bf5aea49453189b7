"""A retail bank as the assistant of one signed-in customer uses it."""

import re
from collections.abc import Callable
from copy import deepcopy
from datetime import date, timedelta
from random import Random
from typing import Any

from benchmarks.reference.back_end import Call, RefusedError, State

Entity = dict[str, Any]
Handler = Callable[["_Desk", Entity], Any]

FIRST = ["Amara", "Bruno", "Clara", "Dmitri", "Elif", "Farid", "Greta", "Hugo", "Ines", "Jonas", "Katja"]
LAST = ["Okafor", "Silva", "Weber", "Ivanov", "Yilmaz", "Haddad", "Lindqvist", "Moreau", "Costa", "Berg"]
COMPANIES = ["City Power", "Rhine Water", "Nordnet Telecom", "Lakeside Rentals", "Alpha Insurance"]
SHOPS = ["Corner Bakery", "Shell 2231", "Bookhaven", "Freshmart", "Cinema Lux", "Zeta Electronics"]
MEMOS = ["Rent", "Groceries", "Invoice 1182", "Thank you", "Holiday", "Birthday gift", "Electricity"]
STATUSES = ["PENDING", "COMPLETED", "CANCELLED"]
REASONS = ["NOT_RECOGNISED", "WRONG_AMOUNT", "DUPLICATE", "GOODS_NOT_RECEIVED"]
CHANNELS = ["atm", "online", "contactless"]

TEXT: Entity = {"type": "string"}
OPTIONAL_TEXT: Entity = {"type": ["string", "null"]}
NUMBER: Entity = {"type": "number"}
INTEGER: Entity = {"type": "integer"}
GIVEN: dict[str, Entity] = {
    "customerId": {"type": "string", "description": "For example C-104."},
    "currency": {"type": "string", "description": "ISO code such as USD.", "default": "EUR"},
    "status": {"type": "string", "enum": STATUSES},
    "fromDate": {"type": "string", "format": "date", "description": "Earliest date, YYYY-MM-DD."},
    "limit": {"type": "integer", "minimum": 1, "maximum": 50, "default": 10},
    "amount": {"type": "number", "exclusiveMinimum": 0, "description": "Amount in EUR."},
    "iban": {"type": "string", "description": "IBAN in capitals, without spaces."},
    "channel": {"type": "string", "enum": CHANNELS},
    "dailyLimit": {"type": "number", "minimum": 0, "maximum": 3000},
    "reason": {"type": "string", "enum": REASONS},
    "month": {"type": "string", "description": "YYYY-MM"},
}
TOOLS: list[Entity] = []
HANDLERS: dict[str, Handler] = {}


def _object(**properties: Entity) -> Entity:
    return {"type": "object", "properties": properties, "required": list(properties)}


def _tool(given: str, output: Entity | None = None) -> Callable[[Handler], Handler]:
    """Declare a tool, described by its docstring; `given` names its arguments, optional ones with a question mark."""

    def declare(handler: Handler) -> Handler:
        name = re.sub("_([a-z])", lambda match: match.group(1).upper(), handler.__name__)
        inputs = _object(**{word.rstrip("?"): GIVEN.get(word.rstrip("?"), TEXT) for word in given.split()})
        inputs["required"] = [word for word in given.split() if not word.endswith("?")]
        tool = {"name": name, "description": " ".join(str(handler.__doc__).split()), "input_schema": inputs}
        TOOLS.append(tool if output is None else tool | {"output_schema": output})
        HANDLERS[name] = handler
        return handler

    return declare


ACCOUNT = _object(id=TEXT, type=TEXT, iban=TEXT, balance=NUMBER, overdraftLimit=NUMBER, status=TEXT)
ACCOUNT["properties"] |= {"type": {"enum": ["CURRENT", "SAVINGS"]}, "status": {"enum": ["OPEN", "BLOCKED"]}}
TRANSACTION = _object(id=TEXT, accountId=TEXT, kind=TEXT, amount=NUMBER, status=TEXT, date=TEXT)
TRANSACTION["properties"]["accountId"] = {"type": "string", "description": "The account that was debited."}
TRANSACTION["properties"]["kind"] = {"type": "string", "enum": ["TRANSFER", "PAYMENT", "CARD"]}
TRANSACTION["properties"]["to"] = _object(type={"enum": ["ACCOUNT", "PAYEE", "MERCHANT"]}, name=TEXT)
TRANSACTIONS = {"type": "array", "items": TRANSACTION}
PAYEE = _object(id=TEXT, customerId=TEXT, name=TEXT, iban=TEXT, nickname=OPTIONAL_TEXT)
SUCCESS = _object(success={"type": "boolean"})


def _refuse(condition: bool, message: str) -> None:
    if condition:
        raise RefusedError(message)


def _add(entities: dict[str, Entity], prefix: str, **fields: Any) -> str:
    key = f"{prefix}-{max((int(key.split('-')[1]) for key in entities), default=100) + 1}"
    entities[key] = {"id": key, **fields}
    return key


def _owner(state: State, entity: Entity) -> Any:
    holder = entity if "customerId" in entity else state["accounts"][entity["accountId"]]
    return holder["customerId"]


class _Desk:
    """The tools, for whoever is signed in."""

    def __init__(self, state: State) -> None:
        self.state = state
        self.session = state["session"]["current"]
        self.today = self.session["businessDate"]

    def own(self, kind: str, key: str) -> Entity:
        entity = self.state[kind].get(key)
        if entity is None:
            raise RefusedError(f"{key} not found.")
        _refuse(_owner(self.state, entity) != self.session["customerId"], f"{key} does not belong to you.")
        return entity

    def all_own(self, kind: str) -> list[Entity]:
        return [e for e in self.state[kind].values() if _owner(self.state, e) == self.session["customerId"]]

    def usable(self, account_id: str) -> Entity:
        account = self.own("accounts", account_id)
        _refuse(account["status"] != "OPEN", f"Account {account_id} is blocked.")
        return account

    def book(self, kind: str, given: Entity, account: Entity, to: Entity, status: str) -> Entity:
        _refuse(given["amount"] <= 0, "The amount must be greater than zero.")
        left = round(account["balance"] - given["amount"], 2)
        _refuse(left < -account["overdraftLimit"], f"Insufficient funds in account {account['id']}.")
        account["balance"] = left
        fields = {"kind": kind, "amount": given["amount"], "to": to, "memo": given.get("memo")}
        fields |= {"status": status, "date": self.today}
        key = _add(self.state["transactions"], "TX", accountId=account["id"], **fields)
        return self.state["transactions"][key]

    @_tool("customerId pin", _object(status={"const": "SIGNED_IN"}, customerId=TEXT, name=TEXT))
    def sign_in(self, given: Entity) -> Any:
        """Start a session for a customer with their PIN. Fails if a customer is signed in already. All other tools
        need a signed-in customer and only reach what belongs to that customer.
        """
        _refuse(self.session["customerId"] is not None, "A customer is signed in already.")
        customer = self.state["customers"].get(given["customerId"])
        if customer is None or customer["pin"] != given["pin"]:
            raise RefusedError("Wrong customer id or PIN.")
        self.session["customerId"] = given["customerId"]
        return {"status": "SIGNED_IN", "customerId": given["customerId"], "name": customer["name"]}

    @_tool("", _object(status={"const": "SIGNED_OUT"}))
    def sign_out(self, _: Entity) -> Any:
        """End the current session."""
        self.session["customerId"] = None
        return {"status": "SIGNED_OUT"}

    @_tool("accountId", ACCOUNT)
    def get_account(self, given: Entity) -> Any:
        """Balance and details of one account."""
        return self.own("accounts", given["accountId"])

    @_tool("currency?", _object(total=NUMBER, currency=TEXT, accountCount=INTEGER))
    def get_total_balance(self, given: Entity) -> Any:
        """Add up the balances of all accounts of the customer. The total is in EUR unless another currency is asked
        for; it is then converted at the bank's rate and rounded to two decimals.
        """
        currency = given.get("currency", "EUR")
        rates = {"EUR": 1.0} | {code: rate["perEuro"] for code, rate in self.state["exchangeRates"].items()}
        _refuse(currency not in rates, f"No exchange rate for {currency}.")
        balances = [account["balance"] for account in self.all_own("accounts")]
        total = round(sum(balances) * rates[currency], 2)
        return {"total": total, "currency": currency, "accountCount": len(balances)}

    @_tool("accountId status? fromDate? limit?", _object(transactions=TRANSACTIONS, total=INTEGER))
    def search_transactions(self, given: Entity) -> Any:
        """Search the transactions into or out of one account, newest first (the highest number first within a day).
        `total` counts all matches, of which at most `limit` are returned.
        """
        account, limit = self.own("accounts", given["accountId"])["id"], given.get("limit", 10)
        found = [t for t in self.state["transactions"].values() if account in (t["accountId"], t["to"]["id"])]
        found = [t for t in found if given.get("status", t["status"]) == t["status"]]
        found = [t for t in found if t["date"] >= given.get("fromDate", "")]
        found.sort(key=lambda t: (t["date"], t["id"]), reverse=True)
        return {"transactions": found[:limit], "total": len(found)}

    @_tool("query?", {"type": "array", "items": PAYEE})
    def list_payees(self, given: Entity) -> Any:
        """List saved payees by name. With a query, only those whose name or nickname contains it (ignoring case)."""
        query = given.get("query", "").lower()
        found = [p for p in self.all_own("payees") if query in f"{p['name']}\n{p['nickname'] or ''}".lower()]
        return sorted(found, key=lambda p: (p["name"], p["id"]))

    @_tool("accountId?")
    def list_cards(self, given: Entity) -> Any:
        """Cards of the customer, or only those of one account, with their limits."""
        wanted = self.own("accounts", given["accountId"])["id"] if "accountId" in given else None
        return {"cards": [c for c in self.all_own("cards") if wanted in (None, c["accountId"])]}

    @_tool("name iban nickname?", PAYEE)
    def add_payee(self, given: Entity) -> Any:
        """Save a new payee for the customer under the next payee number. The IBAN must not be among the customer's
        payees already.
        """
        _refuse(not re.fullmatch("[A-Z]{2}[0-9]{13,32}", given["iban"]), "This is not a valid IBAN.")
        known = any(p["iban"] == given["iban"] for p in self.all_own("payees"))
        _refuse(known, f"You have a payee with IBAN {given['iban']} already.")
        fields = {"name": given["name"], "iban": given["iban"], "nickname": given.get("nickname")}
        key = _add(self.state["payees"], "P", customerId=self.session["customerId"], **fields)
        return self.state["payees"][key]

    @_tool("payeeId", SUCCESS)
    def remove_payee(self, given: Entity) -> Any:
        """Delete a saved payee. Not possible while an ACTIVE standing order pays this payee."""
        key = self.own("payees", given["payeeId"])["id"]
        orders = [o for o in self.state["standingOrders"].values() if o["payeeId"] == key]
        _refuse(any(o["status"] == "ACTIVE" for o in orders), f"{key} is used by an active standing order.")
        del self.state["payees"][key]
        return {"success": True}

    @_tool("standingOrderId")
    def cancel_standing_order(self, given: Entity) -> Any:
        """Stop a standing order for good, be it ACTIVE or PAUSED: it becomes CANCELLED."""
        order = self.own("standingOrders", given["standingOrderId"])
        _refuse(order["status"] == "CANCELLED", "This standing order is cancelled already.")
        order["status"] = "CANCELLED"
        return {"standingOrder": order}

    @_tool("fromAccountId toAccountId amount memo?", TRANSACTION)
    def transfer_money(self, given: Entity) -> Any:
        """Move money at once between two of the customer's own accounts, both of which must be OPEN. The source may
        go down to its overdraft limit. Books a COMPLETED transaction of kind TRANSFER on the business date.
        """
        source, target = self.usable(given["fromAccountId"]), self.usable(given["toAccountId"])
        _refuse(source is target, "Source and target are the same account.")
        to = {"type": "ACCOUNT", "id": target["id"], "name": target["iban"]}
        entry = self.book("TRANSFER", given, source, to, "COMPLETED")
        target["balance"] = round(target["balance"] + given["amount"], 2)
        return entry

    @_tool("accountId payeeId amount memo?", TRANSACTION)
    def send_payment(self, given: Entity) -> Any:
        """Pay a saved payee from an OPEN current account, up to 5000 EUR. The account is debited at once. Payments
        above 1000 EUR stay PENDING for review and can be cancelled, others are COMPLETED. Returns the new
        transaction, which takes the next transaction number.
        """
        account, payee = self.usable(given["accountId"]), self.own("payees", given["payeeId"])
        _refuse(account["type"] != "CURRENT", "Payments can only be made from a current account.")
        _refuse(given["amount"] > 5000, "A payment cannot exceed 5000 EUR.")
        to = {"type": "PAYEE", "id": payee["id"], "name": payee["name"]}
        return self.book("PAYMENT", given, account, to, "PENDING" if given["amount"] > 1000 else "COMPLETED")

    @_tool("transactionId")
    def cancel_payment(self, given: Entity) -> Any:
        """Cancel a PENDING payment. It becomes CANCELLED and its amount goes back to the account it came from.
        Returns the transaction and the account's new balance.
        """
        payment = self.own("transactions", given["transactionId"])
        _refuse(payment["status"] != "PENDING", f"{payment['id']} is {payment['status']}, not PENDING.")
        account = self.state["accounts"][payment["accountId"]]
        account["balance"] = round(account["balance"] + payment["amount"], 2)
        payment["status"] = "CANCELLED"
        return {"transaction": payment, "balance": account["balance"]}

    @_tool("cardId channel dailyLimit", _object(atm=NUMBER, online=NUMBER, contactless=NUMBER))
    def set_card_limit(self, given: Entity) -> Any:
        """Set the daily limit of an active card for one channel. Returns all limits of the card."""
        card, limit = self.own("cards", given["cardId"]), given["dailyLimit"]
        _refuse(card["status"] != "ACTIVE", f"Card {card['id']} is {card['status']}.")
        card["limits"][given["channel"]] = limit
        return card["limits"]

    @_tool("transactionId reason comment?")
    def open_dispute(self, given: Entity) -> Any:
        """Dispute a COMPLETED card transaction or payment; transfers between own accounts cannot be disputed. There
        can be one dispute per transaction. The dispute gets the next number, starts as OPEN, and the comment, if
        given, becomes the first of its comments.
        """
        booked = self.own("transactions", given["transactionId"])
        _refuse(booked["kind"] == "TRANSFER", "Transfers between own accounts cannot be disputed.")
        _refuse(booked["status"] != "COMPLETED", f"Transaction {booked['id']} is not completed.")
        _refuse(_disputed(self.state, booked["id"]), f"Transaction {booked['id']} is disputed already.")
        comments = [{"author": "customer", "text": given["comment"]}] if "comment" in given else []
        fields = {"reason": given["reason"], "status": "OPEN", "openedOn": self.today, "comments": comments}
        key = _add(self.state["disputes"], "D", transactionId=booked["id"], **fields)
        return {"dispute": self.state["disputes"][key]}

    @_tool("accountId month", SUCCESS)
    def request_statement(self, given: Entity) -> Any:
        """Have an account's statement for a past or the current month sent to the customer by e-mail."""
        self.own("accounts", given["accountId"])
        _refuse(not re.fullmatch(r"\d{4}-(0[1-9]|1[0-2])", given["month"]), "month must be given as YYYY-MM.")
        _refuse(given["month"] > self.today[:7], f"There is no statement for {given['month']} yet.")
        return {"success": True}


def _disputed(state: State, key: str) -> bool:
    return any(dispute["transactionId"] == key for dispute in state["disputes"].values())


def _check(tool: str, arguments: Entity) -> None:
    """Refuse what the declaration rules out."""
    for name in REQUIRED[tool]:
        _refuse(name not in arguments, f"Missing argument {name}.")
    for name, value in arguments.items():
        schema = GIVEN.get(name, TEXT)
        _refuse(value not in schema.get("enum", [value]), f"{name} must be one of {schema.get('enum')}.")
        _refuse("minimum" in schema and value < schema["minimum"], f"{name} is too small.")
        _refuse("maximum" in schema and value > schema["maximum"], f"{name} is too large.")


PROPERTIES: dict[str, Entity] = {tool["name"]: tool["input_schema"]["properties"] for tool in TOOLS}
REQUIRED: dict[str, list[str]] = {tool["name"]: tool["input_schema"]["required"] for tool in TOOLS}
WEIGHTS = {name: 9 if name.startswith(("get", "list", "search")) else 3 for name in HANDLERS}
WEIGHTS |= {"signIn": 1, "signOut": 4}
KINDS = {"accountId": "accounts", "fromAccountId": "accounts", "toAccountId": "accounts", "cardId": "cards"}
KINDS |= {"payeeId": "payees", "transactionId": "transactions", "standingOrderId": "standingOrders"}
WRONG: dict[str, list[Any]] = {"amount": [0, 4990, 99999], "dailyLimit": [3500, -1], "limit": [0, 500]}
WRONG |= {"pin": ["0000", "0123"], "currency": ["XAU", "BTC"], "iban": ["DE12", "my landlord"]}
WRONG |= {"status": ["LOST"], "channel": ["phone"], "reason": ["BORED"], "month": ["2031-01", "2025-13"]}
FITTING = {"transferMoney": {"status": "OPEN"}, "sendPayment": {"status": "OPEN", "type": "CURRENT"}}
FITTING |= {"cancelPayment": {"status": "PENDING"}, "cancelStandingOrder": {"status": "ACTIVE|PAUSED"}}
FITTING |= {"setCardLimit": {"status": "ACTIVE"}}
FITTING |= {"openDispute": {"status": "COMPLETED", "kind": "CARD|PAYMENT", "disputed": "False"}}


class _Customer:
    """Thinks of arguments: sensible ones, and ways to spoil them. An `IndexError` says that nothing fits."""

    def __init__(self, state: State, random: Random) -> None:
        self.state = state
        self.random = random
        self.id = state["session"]["current"]["customerId"] or random.choice(list(state["customers"]))

    def fits(self, kind: str, key: str, fields: dict[str, str]) -> bool:
        """Say whether it is the customer's own and has these values, several being parted by bars."""
        entity = self.state[kind][key] | {"disputed": str(_disputed(self.state, key))}
        own = _owner(self.state, entity) == self.id
        return own and all(entity.get(name, value) in value.split("|") for name, value in fields.items())

    def one(self, kind: str, fields: dict[str, str]) -> str:
        return self.random.choice([key for key in self.state[kind] if self.fits(kind, key, fields)])

    def wrong(self, kind: str, fields: dict[str, str]) -> str:
        """What is unknown, somebody else's, or the customer's own in a state that does not fit."""
        unfit = [key for key in self.state[kind] if not self.fits(kind, key, fields)]
        own = [key for key in unfit if self.fits(kind, key, {})]
        unknown = [f"{unfit[0].split('-')[0]}-{self.random.randint(90000, 99999)}"]
        return self.random.choice(self.random.choice([own or unfit, unknown, unfit]))

    def values(self, good: Entity) -> Entity:
        """Think of a value for each argument that names no entity of the customer's."""
        random, today = self.random, date.fromisoformat(self.state["session"]["current"]["businessDate"])
        account = self.state["accounts"].get(str(good.get("fromAccountId", good.get("accountId"))), {})
        available = account.get("balance", 0) + account.get("overdraftLimit", 0)
        pick = random.choice
        most = pick([most for most in (50, 400, 1000, 4000) if most < available] or [50])
        day, month = (today - timedelta(days=random.randint(5, days)) for days in (60, 200))
        values = {name: pick(given["enum"]) for name, given in GIVEN.items() if "enum" in given}
        values |= {"customerId": self.id, "pin": self.state["customers"][self.id]["pin"]}
        values |= {"amount": round(random.uniform(1, most), 2), "dailyLimit": random.randint(0, 60) * 50}
        values |= {"currency": pick(["EUR", *self.state["exchangeRates"]]), "memo": pick(MEMOS)}
        values |= {"fromDate": day.isoformat(), "month": month.isoformat()[:7], "limit": pick([1, 3, 20])}
        values |= {"query": pick(COMPANIES)[: pick([1, 2, 5])], "comment": f"Paid on {month}?"}
        values |= {"name": pick(COMPANIES), "nickname": pick(FIRST)}
        return values | {"iban": _iban(random)}

    def arguments(self, tool: str, slip: bool) -> Entity:
        properties, fields = PROPERTIES[tool], FITTING.get(tool, {})
        names = [name for name in properties if name in REQUIRED[tool] or self.random.random() < 0.45]
        good: Entity = {name: self.one(KINDS[name], fields) for name in names if name in KINDS}
        if tool == "transferMoney":
            others = [key for key in self.state["accounts"] if self.fits("accounts", key, fields)]
            good["toAccountId"] = self.random.choice([key for key in others if key != good["fromAccountId"]])
        values = self.values(good) | good
        good = {name: values[name] for name in names}
        wrong = {name: self.wrong(KINDS[name], fields) for name in properties if name in KINDS}
        wrong |= {name: self.random.choice(WRONG[name]) for name in properties if name in WRONG}
        spoiled = self.random.choice(list(wrong)) if slip else ""
        return good | ({spoiled: wrong[spoiled]} if slip else {})


def _iban(random: Random) -> str:
    return f"{random.choice(['DE', 'NL', 'FR', 'ES'])}{random.randint(10**17, 10**18)}"


def _add_customer(state: State, random: Random, today: date) -> None:
    """Add a customer with two or three accounts, cards, payees, standing orders, bookings and perhaps a dispute."""
    pick, name = random.choice, f"{random.choice(FIRST)} {random.choice(LAST)}"
    pin, contact = str(random.randint(1000, 9999)), {"email": f"{name.split()[0].lower()}@mail.example"}
    owner = _add(state["customers"], "C", name=name, pin=pin, contact=contact)
    payees, accounts = [], []
    for _ in range(random.randint(2, 4)):
        payee = {"name": pick([*COMPANIES, f"{pick(FIRST)} {pick(LAST)}"]), "nickname": pick([None, *FIRST])}
        payees.append(_add(state["payees"], "P", customerId=owner, iban=_iban(random), **payee))
    for number in range(random.randint(2, 3)):
        account: Entity = {"type": "SAVINGS" if number == 1 else "CURRENT", "iban": _iban(random)}
        account |= {"balance": round(random.uniform(200, 9000), 2), "overdraftLimit": pick([0, 0, 200, 500])}
        account["status"] = "BLOCKED" if number == 2 and random.random() < 0.5 else "OPEN"
        accounts.append(_add(state["accounts"], "ACC", customerId=owner, **account))
        card = {"last4": str(random.randint(1000, 9999)), "status": pick(["ACTIVE", "ACTIVE", "EXPIRED"])}
        limits = {channel: random.randint(2, 30) * 50 for channel in CHANNELS}
        _add(state["cards"], "CARD", accountId=accounts[-1], **card, limits=limits)
    for _ in range(random.randint(1, 2)):
        order = {"accountId": accounts[0], "payeeId": pick(payees), "amount": random.randint(5, 900)}
        order |= {"frequency": pick(["WEEKLY", "MONTHLY"]), "status": pick(["ACTIVE", "PAUSED", "CANCELLED"])}
        _add(state["standingOrders"], "SO", **order)
    for number in range(random.randint(3, 4)):
        payee_id, day = pick(payees), (today - timedelta(days=random.randint(1, 60))).isoformat()
        to = {"type": "MERCHANT", "id": None, "name": pick(SHOPS)}
        entry: Entity = {"kind": "CARD", "to": to, "status": "COMPLETED"}
        if number % 2:
            to = {"type": "PAYEE", "id": payee_id, "name": state["payees"][payee_id]["name"]}
            entry = {"kind": "PAYMENT", "to": to, "status": pick([*STATUSES, "PENDING"])}
        elif random.random() < 0.3:
            to = {"type": "ACCOUNT", "id": accounts[1], "name": state["accounts"][accounts[1]]["iban"]}
            entry = {"kind": "TRANSFER", "to": to, "status": "COMPLETED"}
        entry |= {"amount": round(random.uniform(3, 1500), 2), "memo": pick([None, *MEMOS]), "date": day}
        key = _add(state["transactions"], "TX", accountId=accounts[0], **entry)
        if number == 2 and entry["kind"] == "CARD":
            dispute = {"reason": pick(REASONS), "status": pick(["OPEN", "RESOLVED"]), "comments": []}
            _add(state["disputes"], "D", transactionId=key, **dispute, openedOn=day)


class Bank:
    name = "bank"
    tools = TOOLS

    def begin(self, random: Random) -> State:
        today = date(2025, random.randint(4, 11), random.randint(1, 28))
        kinds = ("customers", "accounts", "cards", "payees", "standingOrders", "transactions", "disputes")
        state: State = {kind: {} for kind in kinds}
        for _ in range(16):
            _add_customer(state, random, today)
        rates = {code: round(random.uniform(0.8, 1.3), 4) for code in ("USD", "GBP", "CHF")}
        day = today.isoformat()
        state["exchangeRates"] = {code: {"perEuro": rate, "asOf": day} for code, rate in rates.items()}
        customer = random.choice([None, None, random.choice(list(state["customers"]))])
        state["session"] = {"current": {"customerId": customer, "businessDate": day}}
        return state

    def call(self, state: State, tool: str, arguments: dict[str, Any]) -> Any:
        _refuse(tool not in HANDLERS, f"There is no tool {tool}.")
        desk = _Desk(state)
        _refuse(tool != "signIn" and desk.session["customerId"] is None, "Please sign in first.")
        _check(tool, arguments)
        return deepcopy(HANDLERS[tool](desk, arguments))

    def next_call(self, state: State, random: Random) -> Call:
        slip, signed_in = random.random() < 0.17, state["session"]["current"]["customerId"] is not None
        signing_in = not signed_in and (not slip or random.random() < 0.5)
        while True:
            tool = "signIn" if signing_in else random.choices(list(WEIGHTS), list(WEIGHTS.values()))[0]
            if tool == "signIn" and signed_in and not slip:
                continue
            try:
                spoil = slip and (signed_in or signing_in)
                return Call(tool, _Customer(state, random).arguments(tool, spoil))
            except IndexError:
                continue
