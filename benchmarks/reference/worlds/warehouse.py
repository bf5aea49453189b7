"""A warehouse: products, stock at locations, purchase orders with lines, shipments and suppliers."""

from collections.abc import Callable
from copy import deepcopy
from random import Random
from typing import Any

from benchmarks.reference.back_end import Call, RefusedError, State

MADE = ["Steel", "Oak", "Nylon", "Copper", "Rubber", "Ceramic", "Brass", "Carbon", "Folding"]
THINGS = ["Bracket", "Hinge", "Valve", "Hose", "Crate", "Ladder", "Clamp", "Lamp", "Shelf", "Trolley"]
FIRMS = ["Brightwell", "Nordhavn", "Castellan", "Redpath", "Tamarind", "Osprey", "Quill", "Vandermeer"]
CITIES, CARRIERS = ["Hamburg", "Lyon", "Porto", "Gdansk", "Turin", "Leeds"], ["DHL", "UPS", "GLS"]
CATEGORIES = ["FASTENERS", "PLUMBING", "STORAGE", "LIGHTING", "TOOLS"]
MESSAGES = ["Please confirm the delivery date.", "The last pallet was damaged.", "Send us your price list."]
RATES = {"DOMESTIC": (4.9, 0.8), "EU": (9.9, 1.6), "WORLD": (24.5, 4.2)}
ORDER_STATUSES = ["DRAFT", "PENDING_APPROVAL", "ORDERED", "PARTIALLY_RECEIVED", "RECEIVED"]
RECEIVABLE = ["ORDERED", "PARTIALLY_RECEIVED"]
READS = ("get", "search", "list", "quote")

Record = dict[str, Any]
STRING, NUMBER, INTEGER, BOOLEAN = ({"type": kind} for kind in ("string", "number", "integer", "boolean"))
FIELDS: dict[str, Record] = {
    **dict.fromkeys(["unitCost", "weightKg", "total", "price"], NUMBER),
    **dict.fromkeys(["onHand", "reserved", "available", "received", "lineNo"], INTEGER),
    **dict.fromkeys(["reorderPoint", "leftAtSource", "nowAtDestination"], INTEGER),
    **dict.fromkeys(["discontinued", "deleted", "enabled"], BOOLEAN),
    "sku": {**STRING, "description": "Stock keeping unit, like SKU-20417"},
    "query": {**STRING, "description": "Text to look for in product names, upper or lower case"},
    "category": {**STRING, "enum": CATEGORIES},
    "location": {**STRING, "description": "Location code, like B-03"},
    "carrier": {**STRING, "enum": CARRIERS},
    "quantity": {**INTEGER, "description": "Number of units", "minimum": 1},
    "status": {**STRING, "enum": ORDER_STATUSES},
    "expectedOn": {**STRING, "description": "Expected delivery date (YYYY-MM-DD)"},
    "zone": {**STRING, "enum": list(RATES)},
    "express": {**BOOLEAN, "default": False},
}


def _schema(required: str, optional: str = "") -> Record:
    """Make the schema of an object with these fields, strings unless known otherwise."""
    fields = {name: FIELDS.get(name, STRING) for name in f"{required} {optional}".split()}
    return {"type": "object", "properties": fields, "required": required.split()}


def _list(items: Record) -> Record:
    return {"type": "array", "items": items}


PRODUCT = _schema("sku name category unitCost weightKg reorderPoint discontinued supplierId")
FIELDS["lines"] = _list(_schema("lineNo sku quantity unitCost received"))
FIELDS["purchaseOrder"] = _schema("poNumber supplierId status expectedOn lines total")
FIELDS["locations"] = _list(_schema("location onHand reserved"))
MOVED = _schema("leftAtSource nowAtDestination")

TOOLS: list[Record] = []
METHODS: dict[str, str] = {}


def _tool(name: str, inputs: Record, output: Record | None = None) -> Callable[[Any], Any]:
    """Declare a method as a tool, described by its docstring."""

    def declare(method: Any) -> Any:
        tool = {"name": name, "description": " ".join(method.__doc__.split()), "input_schema": inputs}
        TOOLS.append(tool if output is None else {**tool, "output_schema": output})
        METHODS[name] = method.__name__
        return method

    return declare


def _find(state: State, kind: str, key: str, label: str) -> Record:
    if key not in state[kind]:
        raise RefusedError(f"{label} '{key}' does not exist.")
    return state[kind][key]


def _draft(state: State, number: str) -> Record:
    order = _find(state, "purchaseOrders", number, "Purchase order")
    if order["status"] != "DRAFT":
        raise RefusedError(f"{number} is {order['status']}; only a DRAFT can be changed.")
    return order


def _head(order: Record) -> Record:
    return {field: value for field, value in order.items() if field != "lines"}


def _sum(order: Record) -> None:
    order["total"] = round(sum(line["quantity"] * line["unitCost"] for line in order["lines"]), 2)


def _open_location(state: State, code: str) -> None:
    if _find(state, "locations", code, "Location")["locked"]:
        raise RefusedError(f"Location {code} is locked.")


def _put(state: State, sku: str, location: str, quantity: int) -> None:
    empty = {"sku": sku, "location": location, "onHand": 0, "reserved": 0}
    stock = state["stock"].setdefault(f"{sku}@{location}", empty)
    stock["onHand"] += quantity


def _order(key: str, state: State, random: Random) -> Record:
    status = random.choices(ORDER_STATUSES, [40, 8, 27, 15, 10])[0]
    first = random.choice(list(state["products"].values()))
    own = [one for one in state["products"].values() if one["supplierId"] == first["supplierId"]]
    lines = []
    for number, product in enumerate(random.sample(own, random.randint(1, min(3, len(own)))), 1):
        line = {"lineNo": number, "sku": product["sku"], "quantity": random.randint(4, 80)}
        received = {"RECEIVED": line["quantity"], "PARTIALLY_RECEIVED": line["quantity"] // 2}.get(status, 0)
        lines.append({**line, "unitCost": product["unitCost"], "received": received})
    order = {"poNumber": key, "supplierId": first["supplierId"], "status": status}
    order |= {"expectedOn": f"2025-{random.randint(4, 6):02}-{random.randint(1, 30):02}", "lines": lines}
    _sum(order)
    return order


def _shipment(key: str, state: State, random: Random) -> Record:
    """Make a shipment; what is packed is reserved."""
    stock = random.choice([one for one in state["stock"].values() if one["onHand"] - one["reserved"] > 3])
    status, quantity = random.choice(["PACKED", "PACKED", "SHIPPED"]), random.randint(1, 3)
    stock["reserved"] += quantity if status == "PACKED" else 0
    customer = {"name": f"{random.choice(FIRMS)} & Sons", "city": random.choice(CITIES)}
    shipment = {"shipmentId": key, "status": status, "customer": customer, "location": stock["location"]}
    shipment |= {"items": [{"sku": stock["sku"], "quantity": quantity}], "carrier": random.choice(CARRIERS)}
    tracking = f"TRK{random.randint(100000, 999999)}" if status == "SHIPPED" else None
    return {**shipment, "trackingNumber": tracking}


def _arguments(tool: Record, state: State, random: Random, wrong: bool) -> Record:
    """Draw what a caller gives a tool; a wrong caller names what does not exist or does not fit."""
    choice, name, strange = random.choice, tool["name"], random.randint(90000, 99999)
    unknown = wrong and (name.startswith(READS) or random.random() < 0.3)

    def pick(kind: str, fits: Callable[[Record], bool], misfit: bool = wrong) -> Record:
        entities = list(state[kind].values())
        return choice([one for one in entities if fits(one) != misfit] or entities)

    slip = wrong and choice([True, False])
    wanted = {"receiveGoods": RECEIVABLE, "getPurchaseOrder": ORDER_STATUSES}.get(name, ["DRAFT"])
    order = pick("purchaseOrders", lambda one: one["status"] in wanted, slip)
    open_lines = [one for one in order["lines"] if one["received"] < one["quantity"]]
    line = choice(open_lines or [{"lineNo": 1, "quantity": 9, "received": 8}])
    stock = pick("stock", lambda one: one["onHand"] > one["reserved"], False)
    spare = max(stock["onHand"] - stock["reserved"], 1)
    product = state["products"][stock["sku"]]
    if name == "addOrderLine":
        sold = [one for one in state["products"].values() if one["supplierId"] == order["supplierId"]]
        product = choice([one for one in sold if one["discontinued"] == slip] or [product])
    most = {"transferStock": spare, "receiveGoods": line["quantity"] - line["received"]}.get(name, 40)
    places = [code for code, place in state["locations"].items() if place["locked"] == slip]
    supplier = pick("suppliers", lambda one: one["active"])
    shipment = pick("shipments", lambda one: one["status"] == "PACKED")
    target = choice(places or ["A-01"])
    values = {field: choice(schema["enum"]) for field, schema in FIELDS.items() if "enum" in schema}
    values |= {"carrier": "PIGEON", "zone": "MOON", "category": "FOOD"} if unknown and slip else {}
    values |= {
        "sku": f"SKU-{strange}" if unknown else product["sku"],
        "query": choice(product["name"].lower().split()),
        "location": target,
        "fromLocation": stock["location"],
        "toLocation": target,
        "quantity": choice([0, most + 5, most + 40]) if wrong else random.randint(1, most),
        "poNumber": f"PO-{strange}" if unknown else order["poNumber"],
        "supplierId": f"SUP-{strange}" if unknown else supplier["supplierId"],
        "expectedOn": f"2025-07-{random.randint(1, 31):02}",
        "lineNo": line["lineNo"] + 10 * (wrong and not unknown),
        "shipmentId": f"SH-{strange}" if unknown else shipment["shipmentId"],
        "trackingNumber": f"TRK{random.randint(100000, 999999)}",
        "message": choice(MESSAGES),
        "express": choice([True, False]),
        "enabled": state["settings"]["site"]["countMode"] == wrong,
    }
    fields, needed = tool["input_schema"]["properties"], tool["input_schema"]["required"]
    return {field: values[field] for field in fields if field in needed or random.random() < 0.4}


class Warehouse:
    name = "warehouse"
    tools = TOOLS

    def call(self, state: State, tool: str, arguments: dict[str, Any]) -> Any:
        for field, value in arguments.items():
            if value not in FIELDS.get(field, {}).get("enum", [value]):
                raise RefusedError(f"'{value}' is not a valid {field}.")
        if arguments.get("quantity", 1) < 1:
            raise RefusedError("quantity must be at least 1.")
        return deepcopy(getattr(self, METHODS[tool])(state, arguments))

    @_tool("getProduct", _schema("sku"), PRODUCT)
    def get_product(self, state: State, args: Record) -> Any:
        """Master data of one product."""
        return _find(state, "products", args["sku"], "Product")

    @_tool("searchProducts", _schema("", "query category"), _list(PRODUCT))
    def search_products(self, state: State, args: Record) -> Any:
        """Search the catalogue by name and/or category. Discontinued products are left out. In alphabetical order."""
        products = [product for product in state["products"].values() if not product["discontinued"]]
        found = [one for one in products if args.get("category") in (None, one["category"])]
        found = [one for one in found if args.get("query", "").lower() in one["name"].lower()]
        return sorted(found, key=lambda one: (one["name"], one["sku"]))

    @_tool("getStock", _schema("sku"), _schema("sku onHand available locations"))
    def get_stock(self, state: State, args: Record) -> Any:
        """Where a product is stored and how much of it. Available is what is on hand and not reserved."""
        _find(state, "products", args["sku"], "Product")
        stock = [one for one in state["stock"].values() if one["sku"] == args["sku"]]
        on_hand, reserved = sum(one["onHand"] for one in stock), sum(one["reserved"] for one in stock)
        places = [{field: one[field] for field in ("location", "onHand", "reserved")} for one in stock]
        places.sort(key=lambda place: place["location"])
        return {"sku": args["sku"], "onHand": on_hand, "available": on_hand - reserved, "locations": places}

    @_tool("transferStock", _schema("sku fromLocation toLocation quantity"), MOVED)
    def transfer_stock(self, state: State, args: Record) -> Any:
        """Move available units of a product from one location to another, which must not be locked. Not possible
        while count mode is on. Returns what is then on hand at both.
        """
        if state["settings"]["site"]["countMode"]:
            raise RefusedError("Transfers are blocked while count mode is on.")
        stock = _find(state, "stock", f"{args['sku']}@{args['fromLocation']}", "Stock")
        _open_location(state, args["toLocation"])
        if args["fromLocation"] == args["toLocation"]:
            raise RefusedError("Source and destination are the same.")
        if args["quantity"] > stock["onHand"] - stock["reserved"]:
            raise RefusedError(f"Insufficient stock: {stock['onHand'] - stock['reserved']} available.")
        stock["onHand"] -= args["quantity"]
        _put(state, args["sku"], args["toLocation"], args["quantity"])
        target = state["stock"][f"{args['sku']}@{args['toLocation']}"]
        return {"leftAtSource": stock["onHand"], "nowAtDestination": target["onHand"]}

    @_tool("getPurchaseOrder", _schema("poNumber"), _schema("purchaseOrder"))
    def get_purchase_order(self, state: State, args: Record) -> Any:
        """Fetch a purchase order with its lines."""
        return {"purchaseOrder": _find(state, "purchaseOrders", args["poNumber"], "Purchase order")}

    @_tool("listPurchaseOrders", _schema("", "status supplierId"))
    def list_purchase_orders(self, state: State, args: Record) -> Any:
        """Purchase orders without their lines, soonest expected delivery first."""
        if "supplierId" in args:
            _find(state, "suppliers", args["supplierId"], "Supplier")
        orders = [one for one in state["purchaseOrders"].values() if args.items() <= _head(one).items()]
        orders.sort(key=lambda order: (order["expectedOn"], order["poNumber"]))
        return {"purchaseOrders": [_head(order) for order in orders], "count": len(orders)}

    @_tool("createPurchaseOrder", _schema("supplierId expectedOn"), _schema("purchaseOrder"))
    def create_purchase_order(self, state: State, args: Record) -> Any:
        """Open a new, empty purchase order with a supplier we still work with. It is numbered after the latest one
        and stays a DRAFT until it is submitted.
        """
        if not _find(state, "suppliers", args["supplierId"], "Supplier")["active"]:
            raise RefusedError(f"Supplier {args['supplierId']} is inactive.")
        key = f"PO-{max(int(number[3:]) for number in state['purchaseOrders']) + 1}"
        state["purchaseOrders"][key] = {"poNumber": key, **args, "status": "DRAFT", "lines": [], "total": 0}
        return {"purchaseOrder": state["purchaseOrders"][key]}

    @_tool("addOrderLine", _schema("poNumber sku quantity"), _schema("purchaseOrder"))
    def add_order_line(self, state: State, args: Record) -> Any:
        """Add a product of the order's supplier to a DRAFT purchase order, at the product's unit cost. The line gets
        the next line number and the order's total goes up. Discontinued products cannot be ordered.
        """
        order, product = _draft(state, args["poNumber"]), _find(state, "products", args["sku"], "Product")
        if product["discontinued"] or product["supplierId"] != order["supplierId"]:
            raise RefusedError(f"{args['sku']} cannot be ordered from {order['supplierId']}.")
        number = max((line["lineNo"] for line in order["lines"]), default=0) + 1
        line = {"lineNo": number, "sku": args["sku"], "quantity": args["quantity"]}
        order["lines"].append({**line, "unitCost": product["unitCost"], "received": 0})
        _sum(order)
        return {"purchaseOrder": order}

    @_tool("removeOrderLine", _schema("poNumber lineNo"), _schema("poNumber total"))
    def remove_order_line(self, state: State, args: Record) -> Any:
        """Take a line off a DRAFT purchase order; the other lines keep their numbers. Returns the new total."""
        order = _draft(state, args["poNumber"])
        if all(line["lineNo"] != args["lineNo"] for line in order["lines"]):
            raise RefusedError(f"{args['poNumber']} has no line {args['lineNo']}.")
        order["lines"] = [line for line in order["lines"] if line["lineNo"] != args["lineNo"]]
        _sum(order)
        return {"poNumber": args["poNumber"], "total": order["total"]}

    @_tool("submitPurchaseOrder", _schema("poNumber"), _schema("poNumber status"))
    def submit_purchase_order(self, state: State, args: Record) -> Any:
        """Send a DRAFT purchase order off. It needs at least one line. An order above the site's approval limit
        becomes PENDING_APPROVAL, any other is ORDERED right away.
        """
        order = _draft(state, args["poNumber"])
        if not order["lines"]:
            raise RefusedError("A purchase order without lines cannot be submitted.")
        above = order["total"] > state["settings"]["site"]["approvalLimit"]
        order["status"] = "PENDING_APPROVAL" if above else "ORDERED"
        return {"poNumber": args["poNumber"], "status": order["status"]}

    @_tool("deletePurchaseOrder", _schema("poNumber"), _schema("deleted"))
    def delete_purchase_order(self, state: State, args: Record) -> Any:
        """Delete a purchase order for good. Only possible for drafts."""
        _draft(state, args["poNumber"])
        del state["purchaseOrders"][args["poNumber"]]
        return {"deleted": True}

    @_tool("receiveGoods", _schema("poNumber lineNo quantity location"))
    def receive_goods(self, state: State, args: Record) -> Any:
        """Book in units of one line of an ORDERED or PARTIALLY_RECEIVED purchase order at a location that is not
        locked. No more than what is outstanding on the line. The order is RECEIVED once all its lines are complete.
        """
        order = _find(state, "purchaseOrders", args["poNumber"], "Purchase order")
        if order["status"] not in RECEIVABLE:
            raise RefusedError(f"Cannot receive goods for an order that is {order['status']}.")
        line = next((line for line in order["lines"] if line["lineNo"] == args["lineNo"]), None)
        if line is None or args["quantity"] > line["quantity"] - line["received"]:
            raise RefusedError(f"Line {args['lineNo']} does not have {args['quantity']} units outstanding.")
        _open_location(state, args["location"])
        line["received"] += args["quantity"]
        _put(state, line["sku"], args["location"], args["quantity"])
        complete = all(line["received"] == line["quantity"] for line in order["lines"])
        order["status"] = "RECEIVED" if complete else "PARTIALLY_RECEIVED"
        return {"purchaseOrder": order}

    @_tool("listShipments", _schema("", "carrier"))
    def list_shipments(self, state: State, args: Record) -> Any:
        """List outgoing shipments, of one carrier only if asked for."""
        found = [one for one in state["shipments"].values() if args.get("carrier") in (None, one["carrier"])]
        return {"shipments": found}

    @_tool("dispatchShipment", _schema("shipmentId trackingNumber"))
    def dispatch_shipment(self, state: State, args: Record) -> Any:
        """Hand a PACKED shipment to its carrier. Sets it to SHIPPED with the tracking number and takes its items,
        which are reserved at its location, out of stock.
        """
        shipment = _find(state, "shipments", args["shipmentId"], "Shipment")
        if shipment["status"] != "PACKED":
            raise RefusedError(f"Shipment {args['shipmentId']} has already been shipped.")
        for item in shipment["items"]:
            for field in ("onHand", "reserved"):
                state["stock"][f"{item['sku']}@{shipment['location']}"][field] -= item["quantity"]
        shipment.update(status="SHIPPED", trackingNumber=args["trackingNumber"])
        return shipment

    @_tool("quoteShipping", _schema("sku quantity zone", "express"), _schema("price currency weightKg"))
    def quote_shipping(self, state: State, args: Record) -> Any:
        """Price of sending some units of a product to a zone: DOMESTIC 4.90 plus 0.80 per kg, EU 9.90 plus 1.60,
        WORLD 24.50 plus 4.20. Express costs half as much again.
        """
        weight = round(_find(state, "products", args["sku"], "Product")["weightKg"] * args["quantity"], 2)
        base, per_kilogram = RATES[args["zone"]]
        price = round((base + per_kilogram * weight) * (1.5 if args.get("express", False) else 1), 2)
        return {"price": price, "currency": state["settings"]["site"]["currency"], "weightKg": weight}

    @_tool("notifySupplier", _schema("supplierId message"), {"type": "null"})
    def notify_supplier(self, state: State, args: Record) -> Any:
        """Send a supplier a message. Returns nothing."""
        _find(state, "suppliers", args["supplierId"], "Supplier")["messages"].append(args["message"])

    @_tool("setCountMode", _schema("enabled"))
    def set_count_mode(self, state: State, args: Record) -> Any:
        """Switch count mode of the warehouse on or off. While it is on no stock can be transferred."""
        site = state["settings"]["site"]
        if site["countMode"] == args["enabled"]:
            raise RefusedError(f"Count mode is already {'on' if args['enabled'] else 'off'}.")
        site["countMode"] = args["enabled"]
        return {"countMode": args["enabled"]}

    def begin(self, random: Random) -> State:
        choice = random.choice
        kinds = ["settings", "locations", "products", "suppliers", "stock", "purchaseOrders", "shipments"]
        state: State = {kind: {} for kind in kinds}
        site = {"currency": choice(["EUR", "GBP"]), "approvalLimit": random.randrange(2000, 6000, 500)}
        state["settings"]["site"] = {**site, "countMode": random.random() < 0.2}
        for aisle in "ABCD":
            for bay in range(1, random.randint(5, 7)):
                zone, locked = choice(["AMBIENT", "AMBIENT", "COLD"]), random.random() < 0.15
                state["locations"][f"{aisle}-{bay:02}"] = {"zone": zone, "locked": locked}
        for number in range(1, random.randint(17, 20)):
            supplier: Record = {"supplierId": f"SUP-{number:02}", "name": f"{choice(FIRMS)} {choice(CITIES)}"}
            state["suppliers"][supplier["supplierId"]] = supplier
            supplier |= {"active": random.random() < 0.8, "messages": []}
        for number in range(20401, random.randint(20440, 20455)):
            name = f"{choice(MADE)} {choice(THINGS)} {random.randint(10, 99)}"
            product: Record = {"sku": f"SKU-{number}", "name": name, "category": choice(CATEGORIES)}
            product |= {"unitCost": random.randint(150, 9000) / 100, "weightKg": random.randint(1, 160) / 10}
            product |= {"reorderPoint": random.randrange(10, 60, 5), "discontinued": random.random() < 0.12}
            product["supplierId"] = choice(list(state["suppliers"]))
            state["products"][f"SKU-{number}"] = product
            for place in random.sample(list(state["locations"]), choice([1, 1, 2])):
                _put(state, f"SKU-{number}", place, random.randint(5, 120))
        for number in range(1031, random.randint(1072, 1085)):
            state["purchaseOrders"][f"PO-{number}"] = _order(f"PO-{number}", state, random)
        for number in range(871, random.randint(901, 911)):
            state["shipments"][f"SH-{number}"] = _shipment(f"SH-{number}", state, random)
        return state

    def next_call(self, state: State, random: Random) -> Call:
        wrong = random.random() < 0.24
        weights = {"transferStock": 8, "setCountMode": 3}
        usual = [9 if tool["name"].startswith(READS) else weights.get(tool["name"], 5) for tool in TOOLS]
        tool = random.choices(TOOLS, usual)[0]
        if tool["name"] == "transferStock" and state["settings"]["site"]["countMode"] and not wrong:
            return Call("setCountMode", {"enabled": False})
        return Call(tool["name"], _arguments(tool, state, random, wrong))
