"""A brokerage: one account with cash and positions, quoted stocks, orders, a watchlist and a history."""

from copy import deepcopy
from random import Random
from typing import Any

from benchmarks.reference.back_end import Call, RefusedError, State

Json = dict[str, Any]
Options = list[tuple[int, str, Json]]  # calls with their weights

SECTORS = ["Energy", "Finance", "Healthcare", "Industrials", "Technology", "Utilities"]
STATUSES = ["open", "filled", "cancelled", "rejected"]
KINDS = ["deposit", "withdrawal", "buy", "sell"]
FIRST_WORDS = ["Alder", "Beacon", "Cobalt", "Delta", "Falcon", "Granite", "Harbor", "Juniper", "Summit"]
LAST_WORDS = ["Dynamics", "Grid", "Holdings", "Labs", "Motors", "Partners", "Robotics", "Systems", "Works"]
OWNERS = ["Maya Lindqvist", "Omar Haddad", "Priya Nair", "Tom Becker", "Lucia Romano", "Kenji Mori"]


def _object(required: str, **properties: Json) -> Json:
    return {"type": "object", "properties": properties, "required": required.split()}


def _fields(text: str, **nested: Json) -> Json:
    """The schema of an object that has all of these fields: `name`, a string, or `name:type`."""
    words = [word.partition(":") for word in text.split()]
    simple = {name: {"type": kind or "string"} for name, _, kind in words}
    return _object(" ".join([*simple, *nested]), **simple, **nested)


def _list(items: Json) -> Json:
    return {"type": "array", "items": items}


SYMBOL: Json = {"type": "string", "description": "Ticker symbol of the stock, in capitals."}
ORDER_ID: Json = {"type": "string", "description": "Order number, such as ORD-10234."}
QUANTITY: Json = {"type": "integer", "minimum": 1, "description": "Number of shares."}
PRICE: Json = {"type": "number", "exclusiveMinimum": 0, "description": "Price per share of a limit order."}
AMOUNT: Json = {"type": "number", "exclusiveMinimum": 0, "description": "Amount in US dollars."}
LIMIT: Json = {"type": "integer", "minimum": 1, "default": 10}
SIDE: Json = {"type": "string", "enum": ["buy", "sell"]}
TYPE: Json = {"type": "string", "enum": ["market", "limit"], "default": "market"}
STATUS: Json = {"type": "string", "enum": STATUSES}
KIND: Json = {"type": "string", "enum": KINDS}
SECTOR: Json = {"type": "string", "enum": SECTORS}
QUERY: Json = {"type": "string", "description": "Part of the name or the symbol."}
MONTH: Json = {"type": "string", "description": "YYYY-MM"}
PLACED = {"symbol": SYMBOL, "side": SIDE, "quantity": QUANTITY, "order_type": TYPE, "limit_price": PRICE}
SYMBOLS = _list({"type": "string"})

STOCK = _fields("symbol name sector price:number previous_close:number volume:integer status")
ORDER = _fields(
    "order_id symbol side order_type quantity:integer placed_on",
    limit_price={"type": ["number", "null"]},
    status=STATUS,
    execution={"anyOf": [_fields("price:number date"), {"type": "null"}]},
)
TRANSACTION = _fields("transaction_id amount:number date", type=KIND, order_id={"type": ["string", "null"]})
MOVED = _fields("transaction_id new_balance:number")
BANK = _fields("name last4")
ACCOUNT = _fields("account_id owner currency cash_balance:number buying_power:number", bank=BANK)

SCHEMAS: dict[str, tuple[Json, Json | None]] = {
    "get_account_info": (_object(""), ACCOUNT),
    "get_quote": (_object("symbol", symbol=SYMBOL), STOCK),
    "search_stocks": (_object("", query=QUERY, sector=SECTOR, limit=LIMIT), _fields("", stocks=_list(STOCK))),
    "place_order": (_object("symbol side quantity", **PLACED), _fields("", order=ORDER)),
    "get_order": (_object("order_id", order_id=ORDER_ID), ORDER),
    "list_orders": (_object("", status=STATUS, symbol=SYMBOL, limit=LIMIT), _list(ORDER)),
    "modify_order": (_object("order_id limit_price", order_id=ORDER_ID, limit_price=PRICE), None),
    "cancel_order": (_object("order_id", order_id=ORDER_ID), _fields("order_id status")),
    "get_portfolio": (_object(""), None),
    "get_watchlist": (_object(""), SYMBOLS),
    "add_to_watchlist": (_object("symbol", symbol=SYMBOL), None),
    "remove_from_watchlist": (_object("symbol", symbol=SYMBOL), None),
    "deposit_funds": (_object("amount", amount=AMOUNT), MOVED),
    "withdraw_funds": (_object("amount", amount=AMOUNT), MOVED),
    "get_transactions": (_object("", type=KIND, limit=LIMIT), _list(TRANSACTION)),
    "email_statement": (_object("month", month=MONTH), None),
}
"""What each tool takes and, where it is declared, answers. Its description is the docstring of its method."""


class Trading:
    name = "trading"

    def __init__(self) -> None:
        self.tools: list[Json] = []
        for tool, (arguments, answer) in SCHEMAS.items():
            description = " ".join(str(getattr(self, tool).__doc__).split())
            declared = {"name": tool, "description": description, "input_schema": arguments}
            self.tools.append(declared if answer is None else {**declared, "output_schema": answer})

    def begin(self, random: Random) -> State:
        state: State = {"stock": {}, "position": {}, "order": {}, "transaction": {}}
        while len(state["stock"]) < 30:
            first, last, close = random.choice(FIRST_WORDS), random.choice(LAST_WORDS), random.uniform(8, 400)
            stock: Json = {"symbol": (first[:2] + last[:2]).upper(), "name": f"{first} {last}"}
            stock |= {"sector": random.choice(SECTORS), "price": round(close * random.uniform(0.93, 1.07), 2)}
            stock |= {"previous_close": round(close, 2), "volume": random.randrange(10_000, 5_000_000, 100)}
            stock["status"] = "halted" if random.random() < 0.12 else "active"
            state["stock"][stock["symbol"]] = stock
        for symbol in random.sample(list(state["stock"]), random.randint(15, 20)):
            state["position"][symbol] = {"symbol": symbol, "shares": random.randint(60, 300)}
        state["watchlist"] = {"main": {"symbols": random.sample(list(state["stock"]), random.randint(5, 10))}}
        state["market"] = {"main": {"trading_date": f"2025-0{random.randint(4, 9)}-{random.randint(10, 28)}"}}
        number = f"ACC-{random.randint(100_000, 999_999)}"
        account: Json = {"account_id": number, "owner": random.choice(OWNERS)}
        account |= {"currency": "USD", "cash_balance": round(random.uniform(80_000, 150_000), 2)}
        bank = random.choice(["First Union", "Lakeside", "Cedar Savings"])
        account["bank"] = {"name": bank, "last4": str(random.randint(1000, 9999))}
        state["account"] = {number: account}
        days = sorted(f"2025-0{random.randint(1, 3)}-{random.randint(1, 28):02d}" for _ in range(40))
        for order, date in enumerate(days, random.randint(10_000, 20_000)):
            self._begin_order(state, random, f"ORD-{order}", date)
        return state

    def _begin_order(self, state: State, random: Random, number: str, date: str) -> None:
        side, status = random.choice(["buy", "sell"]), random.choices(STATUSES, [4, 4, 2, 1])[0]
        symbol = random.choice(list(state["position" if side == "sell" else "stock"]))
        price = round(state["stock"][symbol]["price"] * random.uniform(0.85, 1.1), 2)
        limit = price if status == "open" or random.random() < 0.5 else None
        kind = "limit" if limit else "market"
        order: Json = {"order_id": number, "symbol": symbol, "side": side, "order_type": kind}
        order |= {"quantity": random.randint(1, 10), "limit_price": limit}
        order |= {"status": status, "placed_on": date}
        order["execution"] = {"price": price, "date": date} if status == "filled" else None
        state["order"][number] = order
        if status == "filled":
            self._record(state, side, self._cash_effect(order, price), date, number)
        elif random.random() < 0.6:
            kind, sign = random.choice([("deposit", 1.0), ("withdrawal", -1.0)])
            self._record(state, kind, sign * random.randrange(100, 3000, 50), date, None)

    def call(self, state: State, tool: str, arguments: Json) -> Any:
        if tool not in SCHEMAS:
            raise RefusedError(f"Unknown tool: {tool}")
        missing = [name for name in SCHEMAS[tool][0]["required"] if name not in arguments]
        if missing:
            raise RefusedError(f"Missing required arguments: {', '.join(missing)}")
        for name in ("quantity", "limit_price", "limit", "amount"):
            if arguments.get(name, 1) <= 0:
                raise RefusedError(f"The {name} must be positive.")
        return deepcopy(getattr(self, tool)(state, **arguments))

    def get_account_info(self, state: State) -> Json:
        """Show the brokerage account. Its buying power is the cash less the value of all open buy orders."""
        return {**self._account(state), "buying_power": self._buying_power(state)}

    def get_quote(self, state: State, symbol: str) -> Json:
        """Get the current quote of a stock."""
        return self._find(state, "stock", symbol)

    def search_stocks(self, state: State, query: str = "", sector: Any = None, limit: int = 10) -> Json:
        """Find stocks, sorted by symbol, whose name or symbol contains the query (ignoring case)."""
        self._check_choice("sector", sector, SECTORS)
        stocks = [stock for _, stock in sorted(state["stock"].items()) if sector in (None, stock["sector"])]
        found = [each for each in stocks if query.lower() in f"{each['name']}\n{each['symbol']}".lower()]
        return {"stocks": found[:limit]}

    def place_order(self, state: State, symbol: str, side: str, quantity: int, **terms: Any) -> Json:
        """Place an order to buy or sell shares of a stock that is not halted. A market order is filled at once at
        the current price: cash and position change and a transaction is recorded. A limit order needs a limit_price
        and stays open. Buying takes enough buying power, selling takes shares that no other open order sells. Orders
        are numbered consecutively.
        """
        stock, limit = self._find(state, "stock", symbol), terms.get("limit_price")
        order_type = terms.get("order_type", "market")
        self._check_choice("side", side, SIDE["enum"])
        self._check_choice("order type", order_type, TYPE["enum"])
        if (order_type == "limit") != (limit is not None):
            raise RefusedError("A limit order needs a limit_price; a market order takes none.")
        if stock["status"] == "halted":
            raise RefusedError(f"Trading in {symbol} is halted.")
        number = f"ORD-{max(int(each[4:]) for each in state['order']) + 1}"
        order = {"order_id": number, "symbol": symbol, "side": side, "order_type": order_type}
        order |= {"quantity": quantity, "limit_price": limit, "status": "open"}
        order |= {"placed_on": state["market"]["main"]["trading_date"], "execution": None}
        self._check_cover(state, order, limit or stock["price"])
        state["order"][number] = order
        if limit is None:
            self._fill(state, order, stock["price"])
        return {"order": order}

    def get_order(self, state: State, order_id: str) -> Json:
        """Retrieve one order by its number."""
        return self._find(state, "order", order_id)

    def list_orders(self, state: State, limit: int = 10, **filters: str) -> list[Json]:
        """List orders, newest first, optionally only those with a given status or symbol."""
        self._check_choice("status", filters.get("status"), STATUSES)
        newest = [state["order"][number] for number in sorted(state["order"], reverse=True)]
        return [each for each in newest if all(each[k] == v for k, v in filters.items())][:limit]

    def modify_order(self, state: State, order_id: str, limit_price: float) -> Json:
        """Change the limit price of an open order, for which cash or shares must still suffice."""
        order = self._open_order(state, order_id)
        self._check_cover(state, order, limit_price)
        order["limit_price"] = limit_price
        return order

    def cancel_order(self, state: State, order_id: str) -> Json:
        """Cancel an open order. Filled, rejected or already cancelled orders cannot be cancelled."""
        self._open_order(state, order_id)["status"] = "cancelled"
        return {"order_id": order_id, "status": "cancelled"}

    def get_portfolio(self, state: State) -> Json:
        """Show all positions sorted by symbol with their market value, and the total value including cash."""
        owned = [state["position"][symbol] for symbol in sorted(state["position"])]
        values = [round(each["shares"] * state["stock"][each["symbol"]]["price"], 2) for each in owned]
        positions = [{**each, "market_value": value} for each, value in zip(owned, values, strict=True)]
        total = round(self._account(state)["cash_balance"] + sum(values), 2)
        return {"positions": positions, "total_value": total}

    def get_watchlist(self, state: State) -> Any:
        """Get the symbols on the watchlist."""
        return self._watched(state)

    def add_to_watchlist(self, state: State, symbol: str) -> Json:
        """Append a stock to the end of the watchlist. It must not be on it yet."""
        if self._find(state, "stock", symbol)["symbol"] in self._watched(state):
            raise RefusedError(f"{symbol} is already on the watchlist.")
        self._watched(state).append(symbol)
        return {"symbols": self._watched(state)}

    def remove_from_watchlist(self, state: State, symbol: str) -> Json:
        """Take a stock off the watchlist."""
        if symbol not in self._watched(state):
            raise RefusedError(f"{symbol} is not on the watchlist.")
        self._watched(state).remove(symbol)
        return {"removed": symbol}

    def deposit_funds(self, state: State, amount: float) -> Json:
        """Move money from the linked bank into the account and record a deposit. At most 50,000 per deposit."""
        if amount > 50_000:
            raise RefusedError("A deposit can be at most 50,000.")
        return self._move(state, "deposit", amount, None)

    def withdraw_funds(self, state: State, amount: float) -> Json:
        """Move money, at most the buying power, to the linked bank and record a withdrawal."""
        if amount > self._buying_power(state):
            raise RefusedError(f"Only {self._buying_power(state):.2f} can be withdrawn.")
        return self._move(state, "withdrawal", -amount, None)

    def get_transactions(self, state: State, type: str | None = None, limit: int = 10) -> list[Json]:
        """Transaction history, newest first. Money that left the account has a negative amount."""
        self._check_choice("type", type, KINDS)
        newest = [state["transaction"][number] for number in sorted(state["transaction"], reverse=True)]
        return [each for each in newest if type in (None, each["type"])][:limit]

    def email_statement(self, state: State, month: str) -> str:
        """Email the account owner the statement of a month that has transactions."""
        if not any(each["date"][:7] == month for each in state["transaction"].values()):
            raise RefusedError(f"There are no transactions in {month}.")
        return f"Statement for {month} sent."

    def _account(self, state: State) -> Json:
        return next(iter(state["account"].values()))

    def _watched(self, state: State) -> Any:
        return state["watchlist"]["main"]["symbols"]

    def _find(self, state: State, kind: str, identifier: str) -> Json:
        if identifier not in state[kind]:
            raise RefusedError(f"There is no {kind} {identifier}.")
        return state[kind][identifier]

    def _check_choice(self, name: str, value: str | None, allowed: list[str]) -> None:
        if value is not None and value not in allowed:
            raise RefusedError(f"{value} is not a {name}. Choose one of: {', '.join(allowed)}.")

    def _open_order(self, state: State, order_id: str) -> Json:
        order = self._find(state, "order", order_id)
        if order["status"] != "open":
            raise RefusedError(f"Order {order_id} is {order['status']}, not open.")
        return order

    def _cash_effect(self, order: Json, price: float) -> float:
        return round(float(order["quantity"] * price * (1 if order["side"] == "sell" else -1)), 2)

    def _open(self, state: State, side: str, besides: str) -> list[Json]:
        found = [each for each in state["order"].values() if (each["status"], each["side"]) == ("open", side)]
        return [each for each in found if each["order_id"] != besides]

    def _buying_power(self, state: State, besides: str = "") -> float:
        buys = self._open(state, "buy", besides)
        held = sum(self._cash_effect(order, order["limit_price"]) for order in buys)
        return round(float(self._account(state)["cash_balance"] + held), 2)

    def _check_cover(self, state: State, order: Json, price: float) -> None:
        """Refuse an order for which the cash or the shares are missing; what it has kept itself counts as free."""
        if order["side"] == "buy":
            if -self._cash_effect(order, price) > self._buying_power(state, order["order_id"]):
                raise RefusedError(
                    f"Insufficient buying power for {order['quantity']} shares at {price:.2f}."
                )
            return
        sells = self._open(state, "sell", order["order_id"])
        promised = sum(each["quantity"] for each in sells if each["symbol"] == order["symbol"])
        owned = state["position"].get(order["symbol"], {"shares": 0})["shares"]
        if order["quantity"] > owned - promised:
            raise RefusedError(f"Not enough shares of {order['symbol']} to sell {order['quantity']}.")

    def _fill(self, state: State, order: Json, price: float) -> None:
        symbol, sign = order["symbol"], 1 if order["side"] == "buy" else -1
        order |= {"status": "filled", "execution": {"price": price, "date": order["placed_on"]}}
        self._move(state, order["side"], self._cash_effect(order, price), order["order_id"])
        position = state["position"].setdefault(symbol, {"symbol": symbol, "shares": 0})
        position["shares"] += sign * order["quantity"]
        if position["shares"] == 0:
            del state["position"][symbol]

    def _move(self, state: State, kind: str, amount: float, order_id: str | None) -> Json:
        account = self._account(state)
        account["cash_balance"] = round(account["cash_balance"] + amount, 2)
        number = self._record(state, kind, amount, state["market"]["main"]["trading_date"], order_id)
        return {"transaction_id": number, "new_balance": account["cash_balance"]}

    def _record(self, state: State, kind: str, amount: float, date: str, order_id: str | None) -> str:
        number = f"TX{max((int(each[2:]) for each in state['transaction']), default=400) + 1:06d}"
        entry = {"transaction_id": number, "type": kind, "amount": amount, "date": date, "order_id": order_id}
        state["transaction"][number] = entry
        return number

    def next_call(self, state: State, random: Random) -> Call:
        draw = random.choices([self._reads, self._writes, self._mistakes], [50, 30, 20])[0]
        options = draw(state, random)
        _, tool, arguments = random.choices(options, [weight for weight, _, _ in options])[0]
        return Call(tool, arguments)

    def _reads(self, state: State, random: Random) -> Options:
        stock = random.choice(list(state["stock"].values()))
        order = random.choice(list(state["order"].values()))
        limit = {"limit": random.randint(2, 15)}
        search = {"query": random.choice(stock["name"].split()), "sector": random.choice(SECTORS), **limit}
        orders = {"status": random.choice(STATUSES), "symbol": order["symbol"], **limit}
        return [
            (4, "get_quote", {"symbol": stock["symbol"]}),
            (3, "search_stocks", _some(random, search)),
            (4, "get_order", {"order_id": order["order_id"]}),
            (4, "list_orders", _some(random, orders)),
            *[(2, tool, {}) for tool in ("get_account_info", "get_portfolio", "get_watchlist")],
            (3, "get_transactions", _some(random, {"type": random.choice(KINDS), **limit})),
        ]

    def _writes(self, state: State, random: Random) -> Options:
        absent = [each for each in state["stock"] if each not in self._watched(state)]
        options: Options = [
            (3, "deposit_funds", {"amount": random.randrange(100, 9000, 50)}),
            (2, "email_statement", {"month": random.choice(list(state["transaction"].values()))["date"][:7]}),
            (3, "add_to_watchlist", {"symbol": random.choice(absent)}),
            (3, "remove_from_watchlist", {"symbol": random.choice(self._watched(state) or absent)}),
        ]
        active = [each for each, stock in state["stock"].items() if stock["status"] == "active"]
        symbol = random.choice(active)
        price = round(state["stock"][symbol]["price"] * random.uniform(0.85, 1.1), 2)
        side = random.choice(["buy", "sell", "sell"] if symbol in state["position"] else ["buy"])
        order = {"symbol": symbol, "side": side, "quantity": random.randint(1, 12)}
        options.append((3, "withdraw_funds", {"amount": random.randrange(50, 2500, 50)}))
        options.append((4, "place_order", {**order, "order_type": "limit", "limit_price": price}))
        options.append((5, "place_order", order | _some(random, {"order_type": "market"})))
        waiting = [each for each in state["order"].values() if each["status"] == "open"]
        if waiting:
            changed = random.choice(waiting)
            price = round(changed["limit_price"] * random.uniform(0.95, 1.05), 2)
            options.append((4, "modify_order", {"order_id": changed["order_id"], "limit_price": price}))
            options.append((4, "cancel_order", {"order_id": changed["order_id"]}))
        return options

    def _mistakes(self, state: State, random: Random) -> Options:
        symbol, unknown = random.choice(list(state["stock"])), random.choice(["QQXZ", "ZZTO", "XKCD", "NOPE"])
        missing = {"order_id": f"ORD-{random.randint(90_000, 99_999)}"}
        closed = {"order_id": random.choice([k for k, o in state["order"].items() if o["status"] != "open"])}
        order = {"symbol": symbol, "side": "buy", "quantity": random.randint(1, 20)}
        halted = [each for each, stock in state["stock"].items() if stock["status"] == "halted"]
        unwatched = [each for each in state["stock"] if each not in self._watched(state)]
        return [
            (3, "get_quote", {"symbol": unknown}),
            (3, "get_order", missing),
            (5, "cancel_order", random.choice([closed, missing])),
            (3, "modify_order", {**closed, "limit_price": random.randint(20, 90)}),
            (1, "search_stocks", {"sector": random.choice(["Crypto", "Toys"])}),
            (1, "list_orders", {"status": "pending"}),
            (1, "get_transactions", {"type": "dividend"}),
            (2, "deposit_funds", {"amount": random.choice([0, -50, 75_000, 120_000])}),
            (3, "withdraw_funds", {"amount": random.randrange(500_000, 900_000, 1000)}),
            (2, "place_order", {**order, "quantity": random.randint(50_000, 90_000)}),
            (2, "place_order", {**order, "side": "sell", "quantity": random.randint(3000, 9000)}),
            (3, "place_order", {**order, "symbol": random.choice([unknown, *halted])}),
            (1, "place_order", {**order, **random.choice([{"side": "short"}, {"order_type": "limit"}])}),
            (1, "email_statement", {"month": "2024-11"}),
            (2, "add_to_watchlist", {"symbol": random.choice([unknown, *self._watched(state)])}),
            (2, "remove_from_watchlist", {"symbol": random.choice(unwatched)}),
        ]


def _some(random: Random, optional: Json) -> Json:
    return {name: value for name, value in optional.items() if random.random() < 0.5}
