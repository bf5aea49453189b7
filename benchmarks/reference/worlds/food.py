"""A food delivery service, as the app of one customer uses it: restaurants, a cart, orders, a wallet."""

from collections.abc import Callable
from copy import deepcopy
from random import Random
from typing import Any

from benchmarks.reference.back_end import Call, RefusedError, State

Entity = dict[str, Any]

DISHES = {
    "italian": ["Margherita", "Lasagne", "Carbonara", "Tiramisu", "Minestrone", "Focaccia", "Risotto"],
    "thai": ["Pad Thai", "Green Curry", "Tom Yum", "Papaya Salad", "Satay", "Mango Rice", "Spring Rolls"],
    "mexican": ["Tacos", "Burrito", "Quesadilla", "Nachos", "Churros", "Elote", "Fajitas"],
    "burgers": ["Cheeseburger", "Veggie Burger", "Fries", "Onion Rings", "Milkshake", "Wings", "Coleslaw"],
}
FIRST = ["Ana", "Ben", "Carla", "Dev", "Elif", "Finn", "Grace", "Hugo", "Ines", "Jonas", "Kira", "Luca"]
LAST = ["Okafor", "Lindqvist", "Moreau", "Silva", "Tanaka", "Weber", "Novak", "Haddad", "Price", "Costa"]
PLACES = ["Kitchen", "House", "Corner", "Garden", "Table", "Express"]
TEXTS = ["Ordered by mistake", "Took too long", "Very good", "Still hot, thank you!", "Not what I expected"]
STATUSES = ["placed", "preparing", "out_for_delivery", "delivered", "cancelled"]
READS = ("get_", "search_", "view_", "quote_", "list_")
WEIGHTS = {"sign_out": 2, "save_address": 2, "place_order": 12, "apply_voucher": 8, "add_to_cart": 8}
EMPTY_CART: Entity = {"restaurant_id": None, "voucher_code": None}
PRICES = ["subtotal", "discount", "delivery_fee", "service_fee", "tip", "total"]

MAYBE: Entity = {"type": ["string", "null"]}
LIST: Entity = {"type": "array", "items": {"type": "object"}}
TIP = {"type": "number", "minimum": 0, "maximum": 50, "default": 0, "description": "Tip for the courier"}
QUANTITY = {"type": "integer", "minimum": 1, "maximum": 20, "default": 1}
FIELDS: Entity = {
    "order_id": {"type": "string", "description": "Order number, e.g. ORD-2041"},
    "cuisine": {"type": "string", "enum": list(DISHES)},
    "query": {"type": "string", "description": "Part of the name, in any case"},
    "limit": {"type": "integer", "minimum": 1, "maximum": 20, "default": 5},
    "address_label": {"type": "string", "description": "Which saved address to deliver to, e.g. home"},
    "payment_method_id": {"type": "string", "description": "The default payment method if left out"},
    "stars": {"type": "integer", "minimum": 1, "maximum": 5},
    "status": {"type": "string", "enum": STATUSES},
    "open_only": {"type": "boolean", "default": False},
    **{name: {"type": "number"} for name in [*PRICES, "refund", "total_spent", "unit_price"]},
}


def _fields(*names: str, **others: Entity) -> Entity:
    """Declare an object by the names of its fields; one with a question mark may be left out."""
    known = {name.rstrip("?"): FIELDS.get(name.rstrip("?"), {"type": "string"}) for name in names}
    required = [key for key in dict.fromkeys((*names, *others)) if key[-1] != "?" and f"{key}?" not in names]
    return {"type": "object", "properties": {**known, **others}, "required": required}


LINES = {"type": "array", "items": _fields("item_id", "name", "unit_price", quantity={"type": "integer"})}
CART = _fields(cart=_fields(restaurant_id=MAYBE, items=LINES, voucher_code=MAYBE))
ORDER = _fields("order_id", "restaurant_id", "status", *PRICES, "address", "placed_on", items=LINES)
TOOLS: list[Entity] = []


def _tool(takes: Entity, answers: Entity | None = None) -> Callable[[Any], Any]:
    """Declare a method as a tool, which is described by the method's docstring."""

    def declare(method: Any) -> Any:
        description = " ".join(method.__doc__.split())
        tool = {"name": method.__name__, "description": description, "input_schema": takes}
        TOOLS.append(tool if answers is None else {**tool, "output_schema": answers})
        return method

    return declare


def _need(condition: object, message: str) -> None:
    if not condition:
        raise RefusedError(message)


def _found(entities: Entity, key: str, what: str) -> Any:
    _need(key in entities, f"{what} {key} not found")
    return entities[key]


def _prices(state: State, cart: Entity, tip: float) -> Entity:
    subtotal = round(sum(line["quantity"] * line["unit_price"] for line in cart["items"]), 2)
    fee, service = state["restaurants"][cart["restaurant_id"]]["delivery_fee"], round(subtotal * 0.05, 2)
    percent = state["vouchers"][cart["voucher_code"]]["percent"] if cart["voucher_code"] else 0
    discount = round(subtotal * percent / 100, 2)
    total = round(subtotal - discount + fee + service + tip, 2)
    return dict(zip(PRICES, [subtotal, discount, fee, service, tip, total], strict=True))


def _make_restaurant(random: Random, number: int) -> Entity:
    cuisine, menu = random.choice(list(DISHES)), []
    for place, dish in enumerate(random.sample(DISHES[cuisine], random.randint(4, 7))):
        price, available = random.randint(35, 180) / 10, random.random() < 0.85
        menu.append({"item_id": f"itm_{number}{place}", "name": dish, "price": price, "available": available})
    return (
        {"restaurant_id": f"rst_{number}", "name": f"{random.choice(LAST)}'s {random.choice(PLACES)}"}
        | {"cuisine": cuisine, "is_open": random.random() < 0.8, "min_order": random.choice([0, 10, 15])}
        | {"rating": random.randint(25, 50) / 10, "rating_count": random.randint(3, 400)}
        | {"delivery_fee": random.choice([0.0, 1.5, 2.49, 3.99]), "menu": menu}
    )


def _make_customer(random: Random, number: int) -> Entity:
    first, digits, expired = random.choice(FIRST), str(random.randint(1000, 9999)), random.random() < 0.25
    wallet, card = f"pm_{number}1", f"pm_{number}2"
    methods = {wallet: {"type": "wallet"}, card: {"type": "card", "last4": digits, "expired": expired}}
    labels = random.sample(["home", "work", "parents", "gym"], random.randint(1, 3))
    return (
        {"customer_id": f"cus_{number}", "name": f"{first} {random.choice(LAST)}"}
        | {"email": f"{first.lower()}{number}@mail.test", "password": f"{random.choice(PLACES)}{number * 7}"}
        | {"addresses": {label: f"{random.randint(1, 90)} {random.choice(LAST)} Street" for label in labels}}
        | {"payment_methods": methods, "default_payment_method": random.choice([wallet, card])}
        | {"credit": random.randint(0, 12000) / 100}
    )


def _make_order(state: State, random: Random, number: int, owner: Entity) -> Entity:
    restaurant, status = random.choice(list(state["restaurants"].values())), random.choice(STATUSES)
    cart: Entity = {**EMPTY_CART, "restaurant_id": restaurant["restaurant_id"], "items": []}
    for dish in random.sample(restaurant["menu"], random.randint(1, 3)):
        line = {"item_id": dish["item_id"], "name": dish["name"], "unit_price": dish["price"]}
        cart["items"].append({**line, "quantity": random.randint(1, 3)})
    courier = {"name": random.choice(FIRST), "vehicle": random.choice(["bike", "scooter", "car"])}
    rating = {"stars": random.randint(1, 5), "comment": random.choice(TEXTS)}
    address, method_id = random.choice(list(owner["addresses"].values())), owner["default_payment_method"]
    return (
        {"order_id": f"ORD-{number}", "customer_id": owner["customer_id"], "status": status, **cart}
        | _prices(state, cart, random.choice([0, 1, 2.5]))
        | {"courier": courier if status in STATUSES[2:4] else None, "address": address}
        | {"placed_on": f"2025-05-{random.randint(10, 28)}", "payment_method_id": method_id}
        | {"rating": rating if status == "delivered" and random.random() < 0.4 else None}
    )


class _App:
    """The tools at one state; what is private to a customer takes no id, for one customer is signed in."""

    def __init__(self, state: State) -> None:
        self.state, self.session = state, state["session"]["current"]

    @property
    def me(self) -> Entity:
        """The customer who is signed in."""
        _need(self.session["customer_id"], "Please sign in first")
        return self.state["customers"][self.session["customer_id"]]

    @property
    def cart(self) -> Entity:
        """The cart of the customer who is signed in."""
        return self.me and self.state["cart"]["current"]

    def _order(self, order_id: str, *statuses: str) -> Entity:
        me = self.me
        order: Entity = _found(self.state["orders"], order_id, "Order")
        _need(order["customer_id"] == me["customer_id"], f"Order {order_id} belongs to another customer")
        _need(order["status"] in (statuses or STATUSES), f"Order {order_id} is {order['status']}")
        return order

    @_tool(_fields("email", "password"), _fields("customer_id", status={"const": "signed_in"}))
    def sign_in(self, email: str, password: str) -> Entity:
        """Sign a customer in with email and password. Sign out first if somebody is signed in."""
        _need(self.session["customer_id"] is None, "Somebody is signed in already, sign out first")
        customer = next((one for one in self.state["customers"].values() if one["email"] == email), {})
        _need(customer and customer["password"] == password, "Wrong email or password")
        self.session["customer_id"] = customer["customer_id"]
        return {"status": "signed_in", "customer_id": customer["customer_id"]}

    @_tool(_fields())
    def sign_out(self) -> Entity:
        """End the current session. The cart is emptied."""
        self.cart.update(EMPTY_CART, items=[])
        self.session["customer_id"] = None
        return {"status": "signed_out"}

    @_tool(_fields())
    def get_profile(self) -> Entity:
        """The signed-in customer's profile: contact data, saved addresses, payment methods and wallet credit."""
        return {key: value for key, value in self.me.items() if key != "password"}

    @_tool(_fields("cuisine?", "query?", "open_only?", "limit?"), _fields(restaurants=LIST))
    def search_restaurants(
        self, cuisine: str = "", query: str = "", open_only: bool = False, limit: int = 5
    ) -> Any:
        """Find restaurants by cuisine and/or part of the name, best rated first. Works without signing in."""
        hits = [
            {key: value for key, value in one.items() if key != "menu"}
            for one in sorted(self.state["restaurants"].values(), key=lambda one: -one["rating"])
            if cuisine in ("", one["cuisine"]) and query.lower() in one["name"].lower()
        ]
        return {"restaurants": [one for one in hits if one["is_open"] or not open_only][:limit]}

    @_tool(_fields("restaurant_id"), _fields("restaurant_id", menu=LIST))
    def get_menu(self, restaurant_id: str) -> Entity:
        """Get the menu of a restaurant with prices and what is available. Works without signing in."""
        restaurant = _found(self.state["restaurants"], restaurant_id, "Restaurant")
        return {"restaurant_id": restaurant_id, "menu": restaurant["menu"]}

    @_tool(_fields(), CART)
    def view_cart(self) -> Entity:
        """Show what is in the cart of the signed-in customer."""
        return {"cart": self.cart}

    @_tool(_fields("restaurant_id", "item_id", "quantity?", quantity=QUANTITY), CART)
    def add_to_cart(self, restaurant_id: str, item_id: str, quantity: int = 1) -> Entity:
        """Put an available dish of an open restaurant into the cart, or more of it. One restaurant per cart."""
        cart, restaurant = self.cart, _found(self.state["restaurants"], restaurant_id, "Restaurant")
        dish = _found({one["item_id"]: one for one in restaurant["menu"]}, item_id, "Dish")
        _need(restaurant["is_open"], f"{restaurant['name']} is closed")
        _need(dish["available"], f"{dish['name']} is sold out")
        _need(cart["restaurant_id"] in (None, restaurant_id), "The cart is of another restaurant")
        cart["restaurant_id"] = restaurant_id
        if item_id not in [line["item_id"] for line in cart["items"]]:
            line = {"item_id": item_id, "name": dish["name"], "unit_price": dish["price"], "quantity": 0}
            cart["items"].append(line)
        for line in cart["items"]:
            line["quantity"] += quantity if line["item_id"] == item_id else 0
        return {"cart": cart}

    @_tool(_fields("item_id"))
    def remove_from_cart(self, item_id: str) -> Entity:
        """Take a dish out of the cart. With the last dish, the cart's restaurant and voucher are cleared as well."""
        items = [line for line in self.cart["items"] if line["item_id"] != item_id]
        _need(items != self.cart["items"], f"{item_id} is not in your cart")
        self.cart.update({"items": items} if items else {**EMPTY_CART, "items": []})
        return {"cart": self.cart}

    @_tool(_fields("code"), CART)
    def apply_voucher(self, code: str) -> Entity:
        """Put an active voucher that you have not used yet on the cart. The subtotal must reach its min_subtotal."""
        subtotal, voucher = self.quote_cart()["subtotal"], _found(self.state["vouchers"], code, "Voucher")
        _need(voucher["active"], f"Voucher {code} is not active")
        _need(self.me["customer_id"] not in voucher["used_by"], f"You have used voucher {code} already")
        _need(subtotal >= voucher["min_subtotal"], f"{code} is for orders from {voucher['min_subtotal']}")
        self.cart["voucher_code"] = code
        return {"cart": self.cart}

    @_tool(_fields("tip?", tip=TIP), _fields(*PRICES))
    def quote_cart(self, tip: float = 0) -> Entity:
        """Price the cart: subtotal less the voucher's percentage, plus delivery fee, 5 % service fee and the tip."""
        _need(self.cart["items"], "Your cart is empty")
        return _prices(self.state, self.cart, tip)

    @_tool(_fields("address_label", "payment_method_id?", "tip?", tip=TIP), _fields(order=ORDER))
    def place_order(self, address_label: str, payment_method_id: str = "", tip: float = 0) -> Entity:
        """Order what is in the cart, for the price that quote_cart tells. The subtotal must reach the restaurant's
        min_order. Paying by wallet takes the total from the customer's credit. The order gets the next number and
        status placed, the cart is emptied and its voucher counts as used.
        """
        me, prices, cart = self.me, self.quote_cart(tip), dict(self.cart)
        restaurant = self.state["restaurants"][cart["restaurant_id"]]
        method_id = payment_method_id or me["default_payment_method"]
        method = _found(me["payment_methods"], method_id, "Payment method")
        address = _found(me["addresses"], address_label, "Address")
        _need(prices["subtotal"] >= restaurant["min_order"], f"The minimum is {restaurant['min_order']}")
        _need(not method.get("expired"), f"Card {method_id} has expired")
        _need(method["type"] == "card" or me["credit"] >= prices["total"], "Not enough wallet credit")
        if method["type"] == "wallet":
            me["credit"] = round(me["credit"] - prices["total"], 2)
        if cart["voucher_code"]:
            self.state["vouchers"][cart["voucher_code"]]["used_by"].append(me["customer_id"])
        order_id = f"ORD-{max(int(known[4:]) for known in self.state['orders']) + 1}"
        self.state["orders"][order_id] = (
            {"order_id": order_id, "customer_id": me["customer_id"], "status": "placed", **cart, **prices}
            | {"courier": None, "placed_on": self.session["today"], "payment_method_id": method_id}
            | {"address": address, "rating": None}
        )
        self.cart.update(EMPTY_CART, items=[])
        return {"order": self.state["orders"][order_id]}

    @_tool(_fields("order_id"), _fields(order=ORDER))
    def get_order(self, order_id: str) -> Entity:
        """Look up one of your own orders."""
        return {"order": self._order(order_id)}

    @_tool(_fields("status?", "limit?"), _fields("total_spent", orders=LIST, count={"type": "integer"}))
    def list_orders(self, status: str = "", limit: int = 5) -> Entity:
        """List your orders, newest first. count and total_spent are over all that match, also beyond the limit."""
        mine = [one for one in self.state["orders"].values() if one["customer_id"] == self.me["customer_id"]]
        hits = [one for one in reversed(mine) if status in ("", one["status"])]
        spent = round(sum(one["total"] for one in hits), 2)
        return {"orders": hits[:limit], "count": len(hits), "total_spent": spent}

    @_tool(_fields("order_id", "reason?"), _fields("order_id", "status", "refund"))
    def cancel_order(self, order_id: str, reason: str | None = None) -> Entity:
        """Cancel an order. The refund goes to wallet credit: all if the order was only placed, half if preparing."""
        order = self._order(order_id, "placed", "preparing")
        refund = order["total"] if order["status"] == "placed" else round(order["total"] / 2, 2)
        self.me["credit"] = round(self.me["credit"] + refund, 2)
        order.update(status="cancelled", cancel_reason=reason)
        return {"order_id": order_id, "status": "cancelled", "refund": refund}

    @_tool(_fields("order_id", "stars", "comment?"))
    def rate_order(self, order_id: str, stars: int, comment: str = "") -> Entity:
        """Rate a delivered order once, 1 to 5 stars. The restaurant's average and rating_count are updated."""
        order = self._order(order_id, "delivered")
        _need(order["rating"] is None, f"Order {order_id} has been rated already")
        order["rating"] = {"stars": stars, "comment": comment}
        restaurant = self.state["restaurants"][order["restaurant_id"]]
        stars_so_far = restaurant["rating"] * restaurant["rating_count"]
        restaurant["rating_count"] += 1
        restaurant["rating"] = round((stars_so_far + stars) / restaurant["rating_count"], 2)
        return {"success": True}

    @_tool(_fields("label", "address"))
    def save_address(self, label: str, address: str) -> Entity:
        """Save a delivery address under a label such as home, in place of an address that has the label already."""
        self.me["addresses"][label] = address
        return {"success": True}


def _draw(state: State, random: Random, tool: Entity) -> Call:
    """Draw arguments for a tool: mostly the customer's own things, now and then something wrong."""
    session, cart, customers = state["session"]["current"], state["cart"]["current"], state["customers"]
    me = customers[session["customer_id"] or random.choice(list(customers))]
    mine = [key for key, order in state["orders"].items() if order["customer_id"] == me["customer_id"]]
    some = random.choice(list(state["restaurants"]))
    restaurant_id = random.choice([cart["restaurant_id"] or some, some])
    menu = state["restaurants"][restaurant_id]["menu"]
    pools: dict[str, list[Any]] = {
        "email": [me["email"]],
        "password": [me["password"], me["password"], "Garden1"],
        "cuisine": [*DISHES, *DISHES, "korean"],
        "query": [*LAST, *PLACES],
        "open_only": [True, False],
        "limit": [*range(1, 10), 50],
        "restaurant_id": [restaurant_id] * 9 + [f"rst_{random.randint(60, 99)}"],
        "item_id": [dish["item_id"] for dish in [*menu, *cart["items"]]],
        "quantity": [1, 2, 3, 4, 1, 2, 0],
        "code": [*state["vouchers"], "YUM1"],
        "tip": [0, 1, 2.5, 4, 5, 80],
        "address_label": [*me["addresses"], *me["addresses"], "office"],
        "payment_method_id": [*me["payment_methods"]],
        "order_id": [*mine, *mine, *mine, *state["orders"], *(f"ORD-{n}" for n in range(4000, 4010))],
        "status": [*STATUSES, *STATUSES, "shipped"],
        "stars": [1, 2, 3, 4, 5, 5, 6],
        "comment": TEXTS,
        "reason": TEXTS,
        "label": ["home", "work", "gym", "office"],
        "address": [f"{random.randint(1, 90)} {random.choice(LAST)} Street"],
    }
    schema = tool["input_schema"]
    names = [key for key in schema["properties"] if key in schema["required"] or random.random() < 0.4]
    return Call(tool["name"], {name: random.choice(pools[name]) for name in names})


class Food:
    """The back end of the app."""

    name = "food"
    tools = TOOLS

    def begin(self, random: Random) -> State:
        """Make some of everything; one customer, mostly signed in, has more orders than the others."""
        restaurants = [_make_restaurant(random, number) for number in range(10, random.randint(28, 36))]
        customers = [_make_customer(random, number) for number in range(301, random.randint(318, 330))]
        state: State = {"restaurants": {one["restaurant_id"]: one for one in restaurants}, "orders": {}}
        state |= {"customers": {one["customer_id"]: one for one in customers}, "vouchers": {}}
        for code in random.sample(range(100, 999), 20):
            least, used_by = random.choice([0, 10, 25, 40]), random.sample(list(state["customers"]), 4)
            offer = {"percent": random.choice([5, 10, 20, 50]), "active": random.random() < 0.7}
            state["vouchers"][f"YUM{code}"] = {**offer, "min_subtotal": least, "used_by": used_by}
        first, today = random.choice(customers), f"2025-06-{random.randint(10, 28)}"
        for number in range(2001, random.randint(2046, 2060)):
            owner = first if random.random() < 0.4 else random.choice(customers)
            state["orders"][f"ORD-{number}"] = _make_order(state, random, number, owner)
        signed_in = first["customer_id"] if random.random() < 0.85 else None
        state["session"] = {"current": {"customer_id": signed_in, "today": today}}
        state["cart"] = {"current": {**EMPTY_CART, "items": []}}
        return state

    def call(self, state: State, tool: str, arguments: dict[str, Any]) -> Any:
        """Check the arguments against what is declared and hand them to the method of the tool."""
        schema = _found({known["name"]: known["input_schema"] for known in TOOLS}, tool, "Tool")
        for name in schema["required"]:
            _need(name in arguments, f"{name} is required")
        for name, value in arguments.items():
            rule = _found(schema["properties"], name, "Argument")
            _need(value in rule.get("enum", [value]), f"{name} must be one of {rule.get('enum')}")
            least, most = rule.get("minimum", value), rule.get("maximum", value)
            _need(least <= value <= most, f"{name} must be from {least} to {most}")
        return deepcopy(getattr(_App(state), tool)(**arguments))

    def next_call(self, state: State, random: Random) -> Call:
        """Try calls of a tool until one turns out as wanted: as a read, a write or, one time in five, a mistake."""
        reads = [tool for tool in TOOLS if tool["name"].startswith(READS)]
        writes = [tool for tool in TOOLS if tool not in reads]
        tools, mistake = random.choices([(TOOLS, True), (reads, False), (writes, False)], [20, 48, 32])[0]
        trial = deepcopy(state)
        while True:
            tool = random.choices(tools, [WEIGHTS.get(one["name"], 4) for one in tools])[0]
            for _ in range(12):
                call = _draw(state, random, tool)
                try:
                    self.call(trial, *call)
                    refused, trial = False, deepcopy(state)
                except RefusedError:
                    refused = True
                if refused == mistake:
                    return call
