"""Customer service of an online shop: orders, returns and vouchers, all amounts in cents."""

import re
from copy import deepcopy
from datetime import date, timedelta
from random import Random
from typing import Any

from benchmarks.reference.back_end import Call, RefusedError, State

Json = dict[str, Any]

ORDER_STATES = ["open", "shipped", "delivered", "cancelled"]
RETURN_STATES = ["announced", "received", "settled", "declined"]
REASONS = ["changed_mind", "wrong_size", "faulty", "wrong_item"]
CONDITIONS = ["as_new", "used", "damaged"]
# fmt: off
TITLES = ["Linen shirt", "Wool scarf", "Trail shoes", "Rain jacket", "Canvas tote", "Desk lamp", "Steel bottle",
    "Yoga mat", "Throw blanket", "Ceramic vase", "Cork board", "Wall clock", "Camp stove", "Sun hat", "Picnic basket"]
PEOPLE = ["Ada Merrow", "Bo Lindqvar", "Cleo Hartwin", "Dario Pell", "Esme Tolland", "Finn Oakes", "Gita Ranow",
    "Iva Morel", "Jonas Wick", "Kara Selby", "Leo Durn", "Mina Coll", "Nils Aster", "Olga Peverin", "Pia Nordell"]
STREETS, TOWNS = ["Mill Lane", "Station Road", "Elm Court"], ["Wexcombe", "Tarnby", "Oldfen", "Marrick"]
NOTES = ["Customer called about the delivery", "Leave it with the neighbour", "Asked for an invoice copy"]
# fmt: on
EXCUSES = ["Item was worn and washed", "Seal of the package was broken", "Parcel arrived empty"]


def _obj(spec: str, **kinds: Json) -> Json:
    names = [name.strip() for name in spec.split(",") if name.strip()]
    bare = [name.rstrip("?") for name in names]
    fields = {name: kinds.get(name, FIELDS.get(name, TEXT)) for name in bare}
    return {"type": "object", "properties": fields, "required": [one for one in names if one[-1] != "?"]}


def _enum(values: list[str]) -> Json:
    return {"type": "string", "enum": values}


def _list(items: Json) -> Json:
    return {"type": "array", "items": items}


TEXT: Json = {"type": "string"}
CENTS: Json = {"type": "integer", "minimum": 0}
# fmt: off
FIELDS: Json = {
    "orderNo": {"type": "string", "description": "e.g. W-20517"},
    "returnId": {"type": "string", "description": "e.g. R-5004"}, "notes": _list(TEXT),
    "quantity": {"type": "integer", "minimum": 0, "maximum": 20}, "page": {"type": "integer", "minimum": 1},
    "voucherCode": {"type": ["string", "null"]}, "deliveredOn": {"type": ["string", "null"]},
    "postcode": {"type": "string", "pattern": "^[0-9]{5}$"}, "text": {"type": "string", "minLength": 3},
    "condition": {"type": ["string", "null"]}, "payout": {"type": ["string", "null"]}, "total": {"type": "integer"},
    "refundCents": {"type": ["integer", "null"]}, "valueCents": CENTS, "minOrderCents": CENTS, "totalCents": CENTS,
    "discountCents": CENTS, "shippingCents": CENTS, "unitCents": CENTS,
}
LINES, ITEMS = _list(_obj("sku, title, quantity, unitCents")), {**_list(_obj("sku, quantity")), "minItems": 1}
ORDER = _obj("orderNo, customerId, status, placedOn, deliveredOn, lines, voucherCode, discountCents, shippingCents,"
    "totalCents, address, notes", status=_enum(ORDER_STATES), lines=LINES, address=_obj("street, postcode, city"))
RETURN = _obj("returnId, orderNo, customerId, items, reason, status, condition, refundCents, payout",
    items=ITEMS, reason=_enum(REASONS), status=_enum(RETURN_STATES))
VOUCHER = _obj("code, customerId, valueCents, minOrderCents, validUntil, status", status=_enum(["active", "used"]))
TOOLS: list[Json] = []
for _name, _takes, _answers, _about in [
    ("getSession", _obj(""), None, "Current date, your user name and the highest voucher you may issue, in cents."),
    ("getOrder", _obj("orderNo"), ORDER, "Get an order with lines, address and notes. All amounts are in cents."),
    ("findOrders", _obj("customerId?, status?, placedFrom?, placedTo?, page?", status=_enum(ORDER_STATES)),
        _obj("orders, total, page", orders=_list(_obj("orderNo, customerId, status, placedOn, totalCents"))),
        "Find orders, newest first, 5 per page. placedFrom and placedTo are dates (YYYY-MM-DD), both inclusive."),
    ("lookupCustomer", _obj("email?, customerId?"), _obj("customerId, name, email, orderNos", orderNos=_list(TEXT)),
        "Look up a customer by e-mail address or by id (one of them), with the numbers of all their orders."),
    ("searchProducts", _obj("q, inStockOnly?", inStockOnly={"type": "boolean"}, q={**TEXT, "minLength": 2}), None,
        "Search the catalogue by title, case-insensitive. Shows price, stock and whether a product is a final sale."),
    ("updateShippingAddress", _obj("orderNo, street, postcode, city"), None,
        "Replace the delivery address of an open order. Postcodes have five digits."),
    ("changeQuantity", _obj("orderNo, sku, quantity"), ORDER,
        """Change how many pieces of a product an open order has; 0 removes the line, but one line must stay.
        More pieces must be in stock. Shipping (490, free from 6000) and discount are worked out again; with
        a voucher, the goods may not fall below the voucher's minimum."""),
    ("cancelOrder", _obj("orderNo, reason?"), _obj("orderNo, status, refundCents, reinstatedVoucher",
        reinstatedVoucher={"type": ["string", "null"]}),
        """Cancel an open order: goods go to stock, its total is refunded, its voucher becomes active again. The reason
        is kept as a note."""),
    ("openReturn", _obj("orderNo, items, reason", items=ITEMS, reason=_enum(REASONS)), RETURN,
        """Announce a return of items of a delivered order within 30 days of delivery. No more pieces than were bought,
        less those in other returns not declined. Final-sale products come back only as faulty or wrong_item."""),
    ("getReturn", _obj("returnId"), RETURN, "Get a return."),
    ("listReturns", _obj("status?, customerId?", status=_enum(RETURN_STATES)), None, "List returns, oldest first."),
    ("receiveReturn", _obj("returnId, condition", condition=_enum(CONDITIONS)), None,
        "Book the parcel of an announced return in. What comes back as_new goes back to stock."),
    ("settleReturn", _obj("returnId, payout", payout=_enum(["original", "voucher"])),
        _obj("returnId, status, refundCents, voucherCode"),
        """Pay out a received return. The refund is what was paid for the items, with the order's discount shared out
        by value, less 30 % if used (cents rounded down). For faulty or wrong_item nothing is taken off; otherwise
        damaged items are not paid. A voucher in place of the original payment is worth 10 % more and valid a year."""),
    ("declineReturn", _obj("returnId, text"), None,
        "Decline an announced or received return; the text goes to the order's notes."),
    ("issueVoucher", _obj("customerId, valueCents", valueCents={**CENTS, "minimum": 100}), VOUCHER,
        """Give a customer a goodwill voucher, valid 90 days, for goods of at least twice its value. At most your limit
        (see getSession), and only if the customer has no other usable voucher."""),
    ("checkVoucher", _obj("code"), None, "Get a voucher and whether it can still be used (active and not expired)."),
    ("applyVoucher", _obj("orderNo, code"), ORDER,
        """Redeem a customer's own voucher on one of their open orders that has none yet. The goods must reach its
        minimum; the discount is the voucher's value, at most the value of the goods."""),
]:
    TOOLS.append({"name": _name, "description": " ".join(_about.split()), "input_schema": _takes})
    TOOLS[-1] |= {"output_schema": _answers} if _answers else {}
# fmt: on
WEIGHTS = [3, 14, 10, 9, 7, 5, 7, 5, 8, 6, 6, 7, 7, 5, 6, 6, 7]
TAKES: dict[str, Json] = {tool["name"]: tool["input_schema"] for tool in TOOLS}


def _need(holds: Any, code: str, why: str) -> None:
    if not holds:
        raise RefusedError(f"{code}: {why}")


def _validate(schema: Json, given: Json) -> None:
    for name in schema["required"]:
        _need(name in given, "BAD_REQUEST", f"{name} is required")
    for name, value in given.items():
        rule = schema["properties"].get(name, {"enum": []})
        fits = value in rule.get("enum", [value]) and re.match(rule.get("pattern", ""), str(value))
        size = value if isinstance(value, int) else len(value)
        low, high = rule.get("minimum", rule.get("minLength", size)), rule.get("maximum", size)
        _need(fits and low <= size <= high, "BAD_REQUEST", f"{name} is not valid")


def _goods(order: Json) -> int:
    return sum(line["quantity"] * line["unitCents"] for line in order["lines"])


def _later(day: str, days: int) -> str:
    return (date.fromisoformat(day) + timedelta(days)).isoformat()


class _Service:
    def __init__(self, state: State) -> None:
        self.state, self.session = state, state["session"]["current"]

    def find(self, kind: str, key: str, *states: str) -> Json:
        _need(key in self.state[kind], "NOT_FOUND", f"no {kind[:-1]} {key}")
        found = self.state[kind][key]
        if states and found["status"] not in states:
            raise RefusedError(f"CONFLICT: {kind[:-1]} {key} is {found['status']}")
        return found

    def all(self, kind: str, wanted: Json) -> list[Json]:
        rows = [row for _, row in sorted(self.state[kind].items())]
        wanted = {{"customer_id": "customerId"}.get(name, name): value for name, value in wanted.items()}
        return [row for row in rows if all(row[name] == value for name, value in wanted.items())]

    def shown(self, order: Json) -> Json:
        return {**order, "totalCents": _goods(order) - order["discountCents"] + order["shippingCents"]}

    def price(self, order: Json) -> Json:
        voucher = self.state["vouchers"].get(order["voucherCode"], {"valueCents": 0})
        order["discountCents"] = min(voucher["valueCents"], _goods(order))
        order["shippingCents"] = 0 if _goods(order) >= 6000 else 490
        return self.shown(order)

    def usable(self, voucher: Json) -> bool:
        return bool(voucher["status"] == "active" and voucher["validUntil"] >= self.session["today"])

    def new_voucher(self, customer: str, value: int, least: int, days: int) -> Json:
        code, until = f"THX-{len(self.state['vouchers']) + 1001}", _later(self.session["today"], days)
        voucher = {"code": code, "customerId": customer, "valueCents": value, "minOrderCents": least}
        self.state["vouchers"][code] = {**voucher, "validUntil": until, "status": "active"}
        return self.state["vouchers"][code]

    def get_session(self) -> Any:
        return self.session

    def get_order(self, order_no: str) -> Any:
        return self.shown(self.find("orders", order_no))

    def find_orders(self, page: int = 1, placed_from: str = "", placed_to: str = "9", **wanted: str) -> Any:
        found = [one for one in self.all("orders", wanted) if placed_from <= one["placedOn"] <= placed_to]
        names = ("orderNo", "customerId", "status", "placedOn", "totalCents")
        shown = [self.shown(one) for one in found[::-1][5 * page - 5 : 5 * page]]
        part = [{name: one[name] for name in names} for one in shown]
        return {"orders": part, "total": len(found), "page": page}

    def lookup_customer(self, email: str = "", customer_id: str = "") -> Any:
        _need(bool(email) != bool(customer_id), "BAD_REQUEST", "give either email or customerId")
        hits = self.all("customers", {"email": email.lower()} if email else {"customerId": customer_id})
        _need(hits, "NOT_FOUND", f"no customer {email or customer_id}")
        orders = self.all("orders", {"customerId": hits[0]["customerId"]})
        return {**hits[0], "orderNos": [order["orderNo"] for order in orders]}

    def search_products(self, q: str, in_stock_only: bool = False) -> Any:
        hits = [one for one in self.all("products", {}) if q.lower() in one["title"].lower()]
        return {"products": [one for one in hits if one["stock"] or not in_stock_only]}

    def update_shipping_address(self, order_no: str, **address: str) -> Any:
        self.find("orders", order_no, "open")["address"] = address
        return {"orderNo": order_no, "shipTo": "{street}, {postcode} {city}".format(**address)}

    def change_quantity(self, order_no: str, sku: str, quantity: int) -> Any:
        order, product = self.find("orders", order_no, "open"), self.find("products", sku)
        lines = {line["sku"]: line for line in order["lines"]}
        _need(sku in lines, "NOT_FOUND", f"{sku} is not in order {order_no}")
        _need(quantity or len(lines) > 1, "CONFLICT", "this is the last line, cancel the order instead")
        line, more = lines[sku], quantity - lines[sku]["quantity"]
        _need(more <= product["stock"], "OUT_OF_STOCK", f"only {product['stock']} more of {sku}")
        least = self.state["vouchers"].get(order["voucherCode"], {"minOrderCents": 0})["minOrderCents"]
        goods = _goods(order) + more * line["unitCents"]
        _need(goods >= least, "CONFLICT", f"voucher {order['voucherCode']} needs goods for {least}")
        product["stock"], line["quantity"] = product["stock"] - more, quantity
        order["lines"] = [line for line in order["lines"] if line["quantity"]]
        return self.price(order)

    def cancel_order(self, order_no: str, reason: str = "") -> Any:
        order = self.find("orders", order_no, "open")
        for line in order["lines"]:
            self.state["products"][line["sku"]]["stock"] += line["quantity"]
        if order["voucherCode"]:
            self.state["vouchers"][order["voucherCode"]]["status"] = "active"
        order["status"], refund = "cancelled", self.shown(order)["totalCents"]
        order["notes"] += [f"Cancelled: {reason}"] if reason else []
        answer = {"orderNo": order_no, "status": "cancelled", "reinstatedVoucher": order["voucherCode"]}
        return {**answer, "refundCents": refund}

    def open_return(self, order_no: str, items: list[Json], reason: str) -> Any:
        order, today = self.find("orders", order_no, "delivered"), self.session["today"]
        _need(_later(order["deliveredOn"], 30) >= today, "TOO_LATE", f"delivered on {order['deliveredOn']}")
        gone = [one for one in self.all("returns", {"orderNo": order_no}) if one["status"] != "declined"]
        for item in items:
            sku, lines = item["sku"], [*order["lines"], *(line for one in gone for line in one["items"])]
            left = sum(one["quantity"] * (1 if "title" in one else -1) for one in lines if one["sku"] == sku)
            _need(0 < item["quantity"] <= left, "CONFLICT", f"only {left} of {sku} left to return")
            final = self.state["products"][sku]["finalSale"] and reason not in REASONS[2:]
            _need(not final, "NOT_RETURNABLE", f"{sku} was a final sale")
        key = f"R-{len(self.state['returns']) + 5001}"
        parcel = {"returnId": key, "orderNo": order_no, "customerId": order["customerId"], "items": items}
        parcel |= {"reason": reason, "status": "announced", "condition": None, "payout": None}
        self.state["returns"][key] = {**parcel, "refundCents": None}
        return self.state["returns"][key]

    def get_return(self, return_id: str) -> Any:
        return self.find("returns", return_id)

    def list_returns(self, **wanted: str) -> Any:
        names, found = ("returnId", "orderNo", "status"), self.all("returns", wanted)
        return [{name: one[name] for name in names} for one in found]

    def receive_return(self, return_id: str, condition: str) -> Any:
        parcel = self.find("returns", return_id, "announced")
        parcel.update(status="received", condition=condition)
        for item in parcel["items"] if condition == "as_new" else []:
            self.state["products"][item["sku"]]["stock"] += item["quantity"]
        return {"returnId": return_id, "status": "received", "restocked": condition == "as_new"}

    def settle_return(self, return_id: str, payout: str) -> Any:
        parcel = self.find("returns", return_id, "received")
        ours, order = parcel["reason"] in REASONS[2:], self.state["orders"][parcel["orderNo"]]
        _need(ours or parcel["condition"] != "damaged", "CONFLICT", "items are damaged, decline it instead")
        prices, goods = {line["sku"]: line["unitCents"] for line in order["lines"]}, _goods(order)
        value = sum(prices[item["sku"]] * item["quantity"] for item in parcel["items"])
        refund = value * (goods - order["discountCents"]) // goods
        refund = refund * 7 // 10 if parcel["condition"] == "used" and not ours else refund
        code = None
        if payout == "voucher":
            refund = refund * 11 // 10
            code = self.new_voucher(parcel["customerId"], refund, 0, 365)["code"]
        parcel.update(status="settled", refundCents=refund, payout=payout)
        return {"returnId": return_id, "status": "settled", "refundCents": refund, "voucherCode": code}

    def decline_return(self, return_id: str, text: str) -> Any:
        parcel = self.find("returns", return_id, "announced", "received")
        parcel["status"] = "declined"
        self.state["orders"][parcel["orderNo"]]["notes"].append(f"{return_id} declined: {text}")
        return f"{return_id} declined"

    def issue_voucher(self, customer_id: str, value_cents: int) -> Any:
        customer, limit = self.find("customers", customer_id), self.session["voucherLimit"]
        _need(value_cents <= limit, "FORBIDDEN", f"you may issue vouchers up to {limit}")
        known = self.all("vouchers", {"customerId": customer_id})
        others = [one["code"] for one in known if self.usable(one)]
        _need(not others, "CONFLICT", f"{customer['name']} still has {', '.join(others)}")
        return self.new_voucher(customer_id, value_cents, 2 * value_cents, 90)

    def check_voucher(self, code: str) -> Any:
        voucher = self.find("vouchers", code)
        return {**voucher, "usable": self.usable(voucher)}

    def apply_voucher(self, order_no: str, code: str) -> Any:
        order, voucher = self.find("orders", order_no, "open"), self.find("vouchers", code)
        _need(order["voucherCode"] is None, "CONFLICT", f"{order_no} has voucher {order['voucherCode']}")
        _need(order["customerId"] == voucher["customerId"], "FORBIDDEN", "this voucher is another customer's")
        _need(self.usable(voucher), "CONFLICT", f"{code} is used or expired")
        _need(_goods(order) >= voucher["minOrderCents"], "CONFLICT", f"{code} needs goods of a higher value")
        order["voucherCode"], voucher["status"] = code, "used"
        return self.price(order)


def _history(service: _Service, random: Random, number: int, placed: str, today: str) -> None:
    """Let one order be placed, and go as far as it may have gone by today."""
    state, session = service.state, service.session
    session["today"], key = placed, f"W-{number}"
    customer, lines = random.choice(list(state["customers"])), []
    for sku in random.sample(list(state["products"]), random.choice([1, 1, 2, 3])):
        product = state["products"][sku]
        line = {"sku": sku, "title": product["title"], "quantity": random.choice([1, 1, 2, 3])}
        lines.append({**line, "unitCents": product["priceCents"]})
    order: Json = {"orderNo": key, "customerId": customer, "status": "open", "placedOn": placed}
    order |= {"deliveredOn": None, "lines": lines, "voucherCode": None, "notes": []}
    house, code = f"{random.choice(STREETS)} {random.randint(1, 90)}", f"{random.randint(10000, 99999)}"
    order["address"] = {"street": house, "postcode": code, "city": random.choice(TOWNS)}
    state["orders"][key] = order
    service.price(order)
    owned = service.all("vouchers", {"customerId": customer})
    if random.random() < 0.25 and not any(map(service.usable, owned)):
        voucher = service.issue_voucher(customer, random.randint(2, 10) * 100)
        if _goods(order) >= voucher["minOrderCents"] and random.random() < 0.7:
            service.apply_voucher(key, voucher["code"])
    if random.random() < 0.08:
        service.cancel_order(key, "changed mind")
    elif _later(placed, 7) < today:
        order.update(status="delivered", deliveredOn=_later(placed, random.randint(3, 7)))
    elif random.random() < 0.3:
        order["status"] = "shipped"
    elif random.random() < 0.3:
        order["notes"].append(random.choice(NOTES))
    if order["status"] == "delivered" and not state["products"][lines[0]["sku"]]["finalSale"]:
        session["today"] = min(today, _later(order["deliveredOn"], random.randint(1, 9)))
        _send_back(service, random, order)


def _send_back(service: _Service, random: Random, order: Json) -> None:
    reason, condition = random.choice(REASONS), random.choice(CONDITIONS)
    if random.random() < 0.35:
        return
    items = [{"sku": order["lines"][0]["sku"], "quantity": 1}]
    back = service.open_return(order["orderNo"], items, reason)["returnId"]
    if random.random() < 0.7:
        service.receive_return(back, condition)
        if condition == "damaged" and reason not in REASONS[2:]:
            service.decline_return(back, random.choice(EXCUSES))
        elif random.random() < 0.5:
            service.settle_return(back, random.choice(["original", "original", "voucher"]))


def _drafts(state: State, random: Random, careless: bool) -> dict[str, Json]:
    """Sketch a call of each tool; a careless one does not look at the state of things."""

    def pick(kind: str, *states: str) -> Json:
        rows, loose = list(state[kind].values()), careless and random.random() < 0.4
        fitting = [one for one in rows if not states or loose or one["status"] in states]
        return random.choice(fitting or rows)

    def some(**given: Any) -> Json:
        return {name: value for name, value in given.items() if random.random() < 0.4}

    order, opened, bought = pick("orders"), pick("orders", "open"), pick("orders", "delivered")
    customer, line, item = pick("customers"), random.choice(opened["lines"]), random.choice(bought["lines"])
    who = random.choice([{"email": customer["email"]}, {"customerId": customer["customerId"]}])
    own = [one for one in state["vouchers"].values() if careless or one["customerId"] == opened["customerId"]]
    own = own or [pick("vouchers")]
    address = {"street": f"{random.choice(STREETS)} {random.randint(1, 90)}", "city": random.choice(TOWNS)}
    address["postcode"] = f"{random.randint(1000 if careless else 10000, 99999)}"
    days = {"placedFrom": order["placedOn"], "placedTo": _later(order["placedOn"], 14)}
    buyer, word = {"customerId": order["customerId"]}, random.choice(TITLES).split()[random.randint(0, 1)]
    items = [{"sku": item["sku"], "quantity": random.choice([1, 1, 2])}]
    announced, received, parcel = pick("returns", "announced"), pick("returns", "received"), pick("returns")
    ended = pick("returns", "announced", "received")["returnId"]
    amount, cents = random.randint(0, 4), random.choice([500, 1000, 2500, 6000])
    return {
        "getSession": {},
        "getOrder": {"orderNo": order["orderNo"]},
        "findOrders": some(**buyer, status=random.choice(ORDER_STATES), **days, page=random.randint(1, 3)),
        "lookupCustomer": {} if careless else who,
        "searchProducts": {"q": word.lower()[: random.randint(1, 5)], **some(inStockOnly=True)},
        "updateShippingAddress": {"orderNo": opened["orderNo"], **address},
        "changeQuantity": {"orderNo": opened["orderNo"], "sku": line["sku"], "quantity": amount},
        "cancelOrder": {"orderNo": opened["orderNo"], **some(reason="ordered by mistake")},
        "openReturn": {"orderNo": bought["orderNo"], "items": items, "reason": random.choice(REASONS)},
        "getReturn": {"returnId": parcel["returnId"]},
        "listReturns": some(**buyer, status=random.choice(RETURN_STATES)),
        "receiveReturn": {"returnId": announced["returnId"], "condition": random.choice(CONDITIONS)},
        "settleReturn": {"returnId": received["returnId"], "payout": random.choice(["original", "voucher"])},
        "declineReturn": {"returnId": ended, "text": random.choice(EXCUSES)},
        "issueVoucher": {"customerId": customer["customerId"], "valueCents": cents},
        "checkVoucher": {"code": pick("vouchers")["code"]},
        "applyVoucher": {"orderNo": opened["orderNo"], "code": random.choice(own)["code"]},
    }


class Shop:
    name = "shop"
    tools = TOOLS

    def begin(self, random: Random) -> State:
        today, first = _later("2028-02-01", random.randrange(400)), random.randint(20000, 70000)
        session: Json = {"user": "r.quill", "voucherLimit": random.choice([1000, 2500])}
        state: State = {kind: {} for kind in ("customers", "products", "orders", "returns", "vouchers")}
        state["session"] = {"current": session}
        for i, title in enumerate(random.sample(TITLES, 15)):
            sku = f"{title[:2].upper()}-{310 + i}"
            product: Json = {"sku": sku, "title": title, "priceCents": random.randint(9, 90) * 100 - 10}
            product |= {"stock": random.randint(0, 25), "finalSale": random.random() < 0.15}
            state["products"][sku] = product
        for i, name in enumerate(random.sample(PEOPLE, random.randint(12, 15))):
            known = {"customerId": f"K{700 + i}", "name": name}
            known["email"] = f"{name.replace(' ', '.').lower()}@post.test"
            state["customers"][known["customerId"]] = known
        for customer in random.sample(list(state["customers"]), 6):
            session["today"] = _later(today, -random.randint(60, 120))
            _Service(state).new_voucher(customer, 500, 1000, 90)
        ages = [random.randint(8, 45) for _ in range(20)]
        ages += [random.randint(0, 7) for _ in range(random.randint(12, 20))]
        for i, age in enumerate(sorted(ages, reverse=True)):
            _history(_Service(state), random, first + i, _later(today, -age), today)
        session["today"] = today
        return state

    def call(self, state: State, tool: str, arguments: dict[str, Any]) -> Any:
        _need(tool in TAKES, "NOT_FOUND", f"no operation {tool}")
        _validate(TAKES[tool], arguments)
        method, *names = (re.sub("[A-Z]", lambda m: f"_{m[0].lower()}", one) for one in (tool, *arguments))
        given = dict(zip(names, deepcopy(list(arguments.values())), strict=True))
        return deepcopy(getattr(_Service(state), method)(**given))

    def next_call(self, state: State, random: Random) -> Call:
        careless = random.random() < 0.22
        tool, arguments = random.choices(list(TAKES), WEIGHTS)[0], {}
        for attempt in range(40):
            if attempt % 5 == 4:
                tool = random.choices(list(TAKES), WEIGHTS)[0]
            arguments = _drafts(state, random, careless)[tool]
            if careless and arguments and random.random() < 0.3:
                name = random.choice(list(arguments))
                arguments[name] = self._slip(arguments[name], random)
            try:
                self.call(deepcopy(state), tool, arguments)
                refused = False
            except RefusedError:
                refused = True
            if refused == careless:
                break
        return Call(tool, arguments)

    def _slip(self, value: Any, random: Random) -> Any:
        if isinstance(value, str):
            known = value[-1:].isdigit()
            return f"{value[:-2]}{random.randint(10, 99)}" if known else random.choice(["", "pending"])
        return -1 if isinstance(value, int) else value
