"""The control service of one car that several drivers share."""

import math
import re
from copy import deepcopy
from random import Random
from typing import Any

from benchmarks.reference.back_end import Call, RefusedError, State

Arguments = dict[str, Any]


def _object(properties: dict[str, Any], *required: str) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(required)}


def _tool(name: str, description: str, inputs: dict[str, Any], output: Any = None) -> dict[str, Any]:
    tool = {"name": name, "description": description, "input_schema": inputs}
    return tool if output is None else {**tool, "output_schema": output}


# fmt: off
KINDS = ["vehicle", "drivers", "places", "geofences", "serviceCenters", "trips", "appointments", "messages"]
DOORS = ["frontLeft", "frontRight", "rearLeft", "rearRight", "trunk"]
CATEGORIES = ["HOME", "WORK", "SHOPPING", "LEISURE", "OTHER"]
PURPOSES = ["BUSINESS", "PRIVATE", "COMMUTE"]
STATUSES = ["REQUESTED", "CONFIRMED", "COMPLETED", "CANCELLED"]
SERVICES = ["OIL_CHANGE", "BRAKES", "TYRE_ROTATION", "INSPECTION", "WHEEL_ALIGNMENT", "AIR_FILTER"]
FIRST = ["Ana", "Bilal", "Chloe", "Dmitri", "Elena", "Farid", "Greta", "Hugo", "Ines", "Jonas", "Kira", "Luis"]
LAST = ["Moreau", "Novak", "Okafor", "Petrov", "Quist", "Rossi", "Silva", "Tanaka", "Ueda", "Vogel"]
SITES = ["Office", "Gym", "Bakery", "Warehouse", "School", "Clinic", "Marina", "Library", "Depot"]
AREAS = ["North", "Riverside", "Central", "Harbour", "Hilltop"]
NOTES = ["See you at the car at six.", "Please refuel before you return it.", "It stands in bay 12.", "Running late"]

TEXT, NUMBER, FLAG, COUNT = {"type": "string"}, {"type": "number"}, {"type": "boolean"}, {"type": "integer"}
DATE = {"type": "string", "format": "date"}
TEMPERATURE, FAN = {**NUMBER, "minimum": 16, "maximum": 28}, {**COUNT, "minimum": 1, "maximum": 7}
LIMIT = {"type": "integer", "minimum": 1, "maximum": 50, "default": 10}
PURPOSE, CATEGORY = {"type": "string", "enum": PURPOSES}, {"type": "string", "enum": CATEGORIES}
DOOR_LIST = {"type": "array", "items": {"type": "string", "enum": DOORS}, "minItems": 1}
SERVICE_LIST = {"type": "array", "items": {"type": "string", "enum": SERVICES}, "minItems": 1}
CLIMATE = _object({"power": FLAG, "temperatureC": NUMBER, "fanSpeed": FAN}, "power", "temperatureC", "fanSpeed")
TRIP = _object(
    {"tripId": TEXT, "driverId": TEXT, "startedAt": TEXT, "distanceKm": NUMBER, "purpose": PURPOSE},
    "tripId", "driverId", "startedAt", "distanceKm", "purpose",
)
ITEMS = {"type": "array", "items": _object({"service": TEXT, "price": NUMBER}, "service", "price")}
APPOINTMENT = _object(
    {"appointmentId": TEXT, "centerId": TEXT, "date": DATE, "status": {"enum": STATUSES}, "items": ITEMS,
     "totalPrice": NUMBER}, "appointmentId", "centerId", "date", "status", "items", "totalPrice",
)

TOOLS: list[dict[str, Any]] = [
    _tool("getVehicleStatus", "Current state of the car: engine, doors, fuel, tyre pressures, climate, odometer, "
          "position, the driver profile in use and any navigation in progress.", _object({}),
          _object({"vin": TEXT, "engine": TEXT, "climate": CLIMATE}, "vin", "engine", "doors", "fuel", "climate")),
    _tool("setDoorLocks", "Locks (`locked` true) or unlocks doors, all of them unless `doors` says which. A door that "
          "is open cannot be locked, and the call fails if every door named is already as asked. Returns all doors.",
          _object({"locked": FLAG, "doors": DOOR_LIST}, "locked")),
    _tool("controlEngine", "Starts or stops the engine remotely. To start, all doors and the trunk must be closed. "
          "Stopping the engine switches the climate control off too.",
          _object({"action": {"type": "string", "enum": ["START", "STOP"]}}, "action"),
          _object({"engine": {"enum": ["RUNNING", "OFF"]}}, "engine")),
    _tool("setClimate", "Adjusts the climate control; settings left out stay as they are. The engine must be running.",
          _object({"power": FLAG, "temperatureC": TEMPERATURE, "fanSpeed": FAN}), CLIMATE),
    _tool("findPlaces", "Saved places whose name contains the query (case does not matter), in alphabetical order.",
          _object({"query": TEXT, "category": CATEGORY, "limit": LIMIT}),
          {"type": "array", "items": _object({"placeId": TEXT, "name": TEXT}, "placeId", "name", "category")}),
    _tool("deletePlace", "Removes a saved place for good. The destination of the navigation in progress cannot be "
          "removed.", _object({"placeId": {**TEXT, "description": "For example PL-112"}}, "placeId")),
    _tool("navigateTo", "Starts navigation to a saved place, replacing any navigation in progress. Fails when the "
          "place is farther away than the fuel in the tank lasts at the car's average consumption.",
          _object({"placeId": TEXT, "avoidTolls": {**FLAG, "default": False}}, "placeId")),
    _tool("listTrips", "Recorded trips, latest first, optionally only those of one driver, purpose or least distance.",
          _object({"driverId": TEXT, "purpose": PURPOSE, "minDistanceKm": NUMBER, "limit": LIMIT}),
          {"type": "array", "items": TRIP}),
    _tool("getTripTotals", "Number of trips, kilometres and litres of fuel over all recorded trips, or only those of "
          "one driver and/or month.", _object({"driverId": TEXT, "month": {**TEXT, "description": "YYYY-MM"}}),
          _object({"trips": COUNT, "distanceKm": NUMBER, "fuelUsedLiters": NUMBER}, "trips", "distanceKm")),
    _tool("bookService", "Requests an appointment at a service center for one or more services at the center's list "
          "prices. It is REQUESTED at first and gets the next appointment number. The car can have only one REQUESTED "
          "or CONFIRMED appointment on a day.",
          _object({"centerId": TEXT, "date": DATE, "services": SERVICE_LIST}, "centerId", "date", "services"),
          APPOINTMENT),
    _tool("getServiceAppointment", "Reads one service appointment.",
          _object({"appointmentId": TEXT}, "appointmentId"), APPOINTMENT),
    _tool("cancelServiceAppointment", "Cancels an appointment that is REQUESTED or CONFIRMED.",
          _object({"appointmentId": TEXT, "reason": TEXT}, "appointmentId")),
    _tool("switchDriver", "Activates another driver's profile with that driver's PIN and sets the climate to the "
          "temperature they prefer. Only while the engine is off; suspended profiles cannot be activated.",
          _object({"driverId": TEXT, "pin": {**TEXT, "description": "Four digits"}}, "driverId", "pin"),
          _object({"activeDriverId": TEXT, "name": TEXT, "role": TEXT}, "activeDriverId", "name", "role")),
    _tool("addDriverToGeofence", "Makes a geofence apply to one more driver. The geofence has to be active.",
          _object({"geofenceId": TEXT, "driverId": TEXT}, "geofenceId", "driverId")),
    _tool("messageDriver", "Sends a short text to a driver's phone. Returns nothing. Suspended drivers receive none.",
          _object({"driverId": TEXT, "text": {**TEXT, "minLength": 1, "maxLength": 160}}, "driverId", "text"),
          {"type": "null"}),
]
OFTEN = {"getVehicleStatus", "findPlaces", "listTrips", "getTripTotals", "getServiceAppointment", "setClimate"}
# fmt: on


def _check(schema: dict[str, Any], arguments: Arguments) -> None:
    """Refuse arguments that are missing, out of range or not in an enum."""
    if missing := [name for name in schema["required"] if name not in arguments]:
        raise RefusedError(f"Missing parameter: {missing[0]}")
    for name, value in arguments.items():
        kind = schema["properties"].get(name, {})
        allowed = kind.get("items", kind).get("enum")
        if allowed and any(each not in allowed for each in (value if isinstance(value, list) else [value])):
            raise RefusedError(f"Invalid value for {name}")
        low, high = kind.get("minimum", -math.inf), kind.get("maximum", math.inf)
        if isinstance(value, int | float) and not low <= value <= high:
            raise RefusedError(f"{name} is out of range")


def _get(state: State, kind: str, key: str) -> dict[str, Any]:
    if key not in state[kind]:
        raise RefusedError(f"No such entry in {kind}: {key}")
    return state[kind][key]


def _car(state: State) -> dict[str, Any]:
    return next(iter(state["vehicle"].values()))


def _position(random: Random) -> dict[str, float]:
    return {"latitude": round(random.uniform(51, 53.2), 4), "longitude": round(random.uniform(4.3, 7), 4)}


def _some(random: Random, arguments: Arguments) -> Arguments:
    """Leave some of the optional arguments out."""
    return {name: value for name, value in arguments.items() if random.random() < 0.4}


class Vehicle:
    """One car: what it does at once, its logbook, its appointments and who drives it."""

    name = "vehicle"
    tools = TOOLS

    def begin(self, random: Random) -> State:
        state: State = {kind: {} for kind in KINDS}
        car = self._begin_car(random)
        state["vehicle"][car["vin"]] = car
        names = [f"{first} {last}" for first in FIRST for last in LAST]
        for number, name in enumerate(random.sample(names, random.randint(15, 22)), 1):
            key, role = f"drv-{number:02}", random.choice(["DRIVER", "DRIVER", "GUEST"])
            made = {"driverId": key, "name": name, "role": "OWNER" if number < 3 else role}
            made["status"] = "SUSPENDED" if number > 4 and random.random() < 0.25 else "ACTIVE"
            liked = {"pin": f"{random.randint(0, 9999):04}", "preferredTemperatureC": random.randint(17, 26)}
            state["drivers"][key] = {**made, **liked}
        spots = [f"{site} {area}" for site in SITES for area in AREAS]
        for number, name in enumerate(random.sample(spots, random.randint(18, 40)), 101):
            place = {"name": name, "category": random.choice(CATEGORIES)}
            state["places"][f"PL-{number}"] = {**place, **_position(random)}
        for number in range(1, random.randint(16, 24)):
            key, inside = f"gf-{number}", random.sample(sorted(state["drivers"]), random.randint(0, 5))
            fence = {"geofenceId": key, "name": f"{random.choice(AREAS)} zone {number}", "driverIds": inside}
            circle = {"center": _position(random), "radiusMeters": random.randrange(200, 5000, 100)}
            state["geofences"][key] = {**fence, **circle, "active": random.random() < 0.75}
        for number in range(1, random.randint(16, 20)):
            key, offered = f"SC-{number:02}", random.sample(SERVICES, random.randint(3, 6))
            prices = {service: random.randrange(3000, 32000, 50) / 100 for service in offered}
            center = {"centerId": key, "name": f"{random.choice(LAST)} Garage {number}", "prices": prices}
            state["serviceCenters"][key] = center
        for number, day in enumerate(sorted(random.sample(range(150), random.randint(30, 60))), 1001):
            started = f"2025-{day // 28 + 1:02}-{day % 28 + 1:02}T{random.randint(6, 20):02}:15:00Z"
            key, km = f"T-{number}", round(random.uniform(2, 260), 1)
            trip = {"tripId": key, "driverId": random.choice(sorted(state["drivers"])), "startedAt": started}
            used = {"distanceKm": km, "fuelUsedLiters": round(km * random.uniform(0.05, 0.09), 2)}
            state["trips"][key] = {**trip, **used, "purpose": random.choice(PURPOSES)}
        for number, day in enumerate(sorted(random.sample(range(150), random.randint(18, 35))), 5001):
            key, center = f"SA-{number}", random.choice(list(state["serviceCenters"].values()))
            chosen = random.sample(sorted(center["prices"]), random.randint(1, 3))
            booking = self._appointment(key, center, f"2025-{day // 28 + 6:02}-{day % 28 + 1:02}", chosen)
            state["appointments"][key] = {**booking, "status": random.choice(STATUSES)}
        return state

    def _begin_car(self, random: Random) -> dict[str, Any]:
        ajar = random.choice(DOORS) if random.random() < 0.15 else None
        running, fan = ajar is None and random.random() < 0.5, random.randint(1, 7)
        liters, usage = round(random.uniform(6, 50), 1), round(random.uniform(5, 9), 1)
        locked = set(random.sample(DOORS, random.choice([0, 2, 3, 4, 5]))) - {ajar}
        return {
            "vin": f"WVK{random.randint(10**13, 10**14 - 1)}",
            "engine": "RUNNING" if running else "OFF",
            "odometerKm": random.randint(4000, 140000),
            "fuel": {"levelLiters": liters, "litersPer100Km": usage},
            "doors": {door: {"open": door == ajar, "locked": door in locked} for door in DOORS},
            "tyrePressuresKpa": {tyre: random.randint(195, 250) for tyre in DOORS[:4]},
            "climate": {"power": running, "temperatureC": random.randint(17, 26), "fanSpeed": fan},
            "position": _position(random),
            "activeDriverId": f"drv-0{random.randint(1, 4)}",
            "navigation": None,
        }

    def _appointment(self, key: str, center: dict[str, Any], date: str, chosen: list[str]) -> dict[str, Any]:
        items = [{"service": service, "price": center["prices"][service]} for service in chosen]
        total = round(sum(center["prices"][service] for service in chosen), 2)
        made = {"appointmentId": key, "centerId": center["centerId"], "date": date, "status": "REQUESTED"}
        return {**made, "items": items, "totalPrice": total, "cancelReason": None}

    def call(self, state: State, tool: str, arguments: Arguments) -> Any:
        _check(next(each["input_schema"] for each in TOOLS if each["name"] == tool), arguments)
        act = getattr(self, "_" + re.sub("[A-Z]", lambda letter: "_" + letter[0].lower(), tool))
        return deepcopy(act(state, arguments))

    def _get_vehicle_status(self, state: State, _: Arguments) -> Any:
        return _car(state)

    def _set_door_locks(self, state: State, arguments: Arguments) -> Any:
        doors, locked = _car(state)["doors"], arguments["locked"]
        chosen = [doors[name] for name in arguments.get("doors", DOORS)]
        if locked and any(door["open"] for door in chosen):
            raise RefusedError("An open door cannot be locked")
        if all(door["locked"] == locked for door in chosen):
            raise RefusedError(f"Already {'locked' if locked else 'unlocked'}")
        for door in chosen:
            door["locked"] = locked
        return {"doors": doors}

    def _control_engine(self, state: State, arguments: Arguments) -> Any:
        car, wanted = _car(state), "RUNNING" if arguments["action"] == "START" else "OFF"
        if car["engine"] == wanted:
            raise RefusedError(f"Engine is already {wanted}")
        if wanted == "RUNNING" and any(door["open"] for door in car["doors"].values()):
            raise RefusedError("Close all doors and the trunk first")
        car["engine"] = wanted
        car["climate"]["power"] = car["climate"]["power"] and wanted == "RUNNING"
        return {"engine": wanted}

    def _set_climate(self, state: State, arguments: Arguments) -> Any:
        if _car(state)["engine"] != "RUNNING":
            raise RefusedError("Climate control needs the engine running")
        _car(state)["climate"].update(arguments)
        return _car(state)["climate"]

    def _find_places(self, state: State, arguments: Arguments) -> Any:
        category, query = arguments.get("category"), arguments.get("query", "").lower()
        found = [{"placeId": key, **place} for key, place in state["places"].items()]
        found = [
            each for each in found if category in (None, each["category"]) and query in each["name"].lower()
        ]
        return sorted(found, key=lambda place: str(place["name"]))[: arguments.get("limit", 10)]

    def _delete_place(self, state: State, arguments: Arguments) -> Any:
        _get(state, "places", arguments["placeId"])
        if (_car(state)["navigation"] or {}).get("placeId") == arguments["placeId"]:
            raise RefusedError("The car is being navigated to this place")
        del state["places"][arguments["placeId"]]
        return {"success": True}

    def _navigate_to(self, state: State, arguments: Arguments) -> Any:
        car, place = _car(state), _get(state, "places", arguments["placeId"])
        km, tolls = self._distance(car, place), arguments.get("avoidTolls", False)
        if km > car["fuel"]["levelLiters"] / car["fuel"]["litersPer100Km"] * 100:
            raise RefusedError(f"{place['name']} is {km} km away, more than the fuel allows")
        route = {"placeId": arguments["placeId"], "destination": place["name"], "distanceKm": km}
        minutes = math.ceil(km / (55 if tolls else 70) * 60)
        car["navigation"] = {**route, "etaMinutes": minutes, "avoidTolls": tolls}
        return {"navigation": car["navigation"]}

    def _distance(self, car: dict[str, Any], place: dict[str, Any]) -> float:
        """Kilometres as the crow flies, on a plane that is true enough at 52 degrees north."""
        north = (car["position"]["latitude"] - place["latitude"]) * 111.2
        return round(math.hypot(north, (car["position"]["longitude"] - place["longitude"]) * 68.5), 1)

    def _list_trips(self, state: State, arguments: Arguments) -> Any:
        trips = sorted(state["trips"].values(), key=lambda trip: str(trip["startedAt"]), reverse=True)
        trips = [trip for trip in trips if trip["distanceKm"] >= arguments.get("minDistanceKm", 0)]
        trips = [trip for trip in trips if arguments.get("driverId") in (None, trip["driverId"])]
        trips = [trip for trip in trips if arguments.get("purpose") in (None, trip["purpose"])]
        return trips[: arguments.get("limit", 10)]

    def _get_trip_totals(self, state: State, arguments: Arguments) -> Any:
        if "driverId" in arguments:
            _get(state, "drivers", arguments["driverId"])
        month, driver = arguments.get("month", ""), arguments.get("driverId")
        trips = [trip for trip in state["trips"].values() if trip["startedAt"].startswith(month)]
        trips = [trip for trip in trips if driver in (None, trip["driverId"])]
        km, fuel = (round(sum(trip[name] for trip in trips), 2) for name in ("distanceKm", "fuelUsedLiters"))
        return {"trips": len(trips), "distanceKm": km, "fuelUsedLiters": fuel}

    def _book_service(self, state: State, arguments: Arguments) -> Any:
        center, bookings = _get(state, "serviceCenters", arguments["centerId"]), state["appointments"]
        if missing := [service for service in arguments["services"] if service not in center["prices"]]:
            raise RefusedError(f"{center['name']} does not offer {missing[0]}")
        if arguments["date"] in [
            each["date"] for each in bookings.values() if each["status"] in STATUSES[:2]
        ]:
            raise RefusedError(f"There is an appointment on {arguments['date']} already")
        key = f"SA-{max(int(each[3:]) for each in bookings) + 1}"
        bookings[key] = self._appointment(key, center, arguments["date"], arguments["services"])
        return bookings[key]

    def _get_service_appointment(self, state: State, arguments: Arguments) -> Any:
        return _get(state, "appointments", arguments["appointmentId"])

    def _cancel_service_appointment(self, state: State, arguments: Arguments) -> Any:
        booking = _get(state, "appointments", arguments["appointmentId"])
        if booking["status"] not in STATUSES[:2]:
            raise RefusedError(f"Appointment is {booking['status']}")
        booking |= {"status": "CANCELLED", "cancelReason": arguments.get("reason")}
        return {"appointmentId": booking["appointmentId"], "status": "CANCELLED"}

    def _switch_driver(self, state: State, arguments: Arguments) -> Any:
        car, driver = _car(state), _get(state, "drivers", arguments["driverId"])
        if car["engine"] == "RUNNING":
            raise RefusedError("Stop the engine first")
        if driver["status"] != "ACTIVE" or driver["pin"] != arguments["pin"]:
            raise RefusedError("Profile is suspended" if driver["status"] != "ACTIVE" else "Wrong PIN")
        car["activeDriverId"] = driver["driverId"]
        car["climate"]["temperatureC"] = driver["preferredTemperatureC"]
        return {"activeDriverId": driver["driverId"], "name": driver["name"], "role": driver["role"]}

    def _add_driver_to_geofence(self, state: State, arguments: Arguments) -> Any:
        fence, driver = _get(state, "geofences", arguments["geofenceId"]), arguments["driverId"]
        _get(state, "drivers", driver)
        if not fence["active"]:
            raise RefusedError("Geofence is not active")
        if driver in fence["driverIds"]:
            raise RefusedError(f"Geofence applies to {driver} already")
        fence["driverIds"].append(driver)
        return fence

    def _message_driver(self, state: State, arguments: Arguments) -> Any:
        driver, number = _get(state, "drivers", arguments["driverId"]), len(state["messages"]) + 1
        if driver["status"] == "SUSPENDED" or not 0 < len(arguments["text"]) <= 160:
            raise RefusedError(
                "Driver is suspended" if driver["status"] == "SUSPENDED" else "Bad message length"
            )
        sent = {"messageId": f"M-{number}", "driverId": driver["driverId"], "text": arguments["text"]}
        state["messages"][f"M-{number}"] = {**sent, "read": False}

    def next_call(self, state: State, random: Random) -> Call:
        wrong = random.random() < 0.21
        drawn = self._draw(state, random, wrong)
        possible = [tool for tool in drawn if drawn[tool] is not None]
        tool = random.choices(possible, [11 if tool in OFTEN else 4 for tool in possible])[0]
        return Call(tool, drawn[tool] or {})

    def _draw(self, state: State, random: Random, wrong: bool) -> dict[str, Arguments | None]:
        """What a caller may ask with each tool, or a mistake with it; None for what does not suit now."""

        def pick(kind: str, fitting: list[str]) -> str:
            """An id of those that fit or, for a mistake, another or an unknown one."""
            others = sorted(state[kind].keys() - set(fitting)) if wrong else fitting
            unknown = f"{min(state[kind]).rstrip('0123456789')}{random.randint(9000, 9999)}"
            return unknown if not others or (wrong and random.random() < 0.4) else random.choice(others)

        car, on, bookings = _car(state), _car(state)["engine"] == "RUNNING", state["appointments"]
        closed = [name for name, door in car["doors"].items() if not door["open"]]
        door, action = random.choice(closed), {"action": "STOP" if on != wrong else "START"}
        same = [name for name in closed if car["doors"][name]["locked"] == car["doors"][door]["locked"]]
        doors = {} if random.random() < 0.3 and not wrong else {"doors": sorted({door, random.choice(same)})}
        heat = {"temperatureC": random.randint(30, 40) if wrong and on else random.randint(16, 28)}
        climate = {
            **heat,
            **_some(random, {"fanSpeed": random.randint(1, 7), "power": random.random() < 0.7}),
        }
        reach = car["fuel"]["levelLiters"] / car["fuel"]["litersPer100Km"] * 100
        near = [key for key, place in state["places"].items() if self._distance(car, place) <= reach]
        others = [key for key in state["places"] if key != (car["navigation"] or {}).get("placeId")]
        able = [key for key, each in state["drivers"].items() if each["status"] == "ACTIVE"]
        driver = random.choice([key for key in able if key != car["activeDriverId"]])
        pin = f"{random.randint(0, 9999):04}" if wrong else state["drivers"][driver]["pin"]
        goal = {"placeId": pick("places", near), **_some(random, {"avoidTolls": random.random() < 0.7})}
        area, some = random.choice(AREAS + SITES).lower(), random.choice(list(state["drivers"]))
        place = {"query": area, "category": random.choice(CATEGORIES), "limit": random.randint(2, 8)}
        filters = {"driverId": some, "purpose": random.choice(PURPOSES), "limit": random.randint(2, 20)}
        filters["minDistanceKm"] = random.randrange(10, 120, 10)
        totals = {"driverId": some, "month": f"2025-{random.randint(1, 6):02}"}
        center = state["serviceCenters"][random.choice(sorted(state["serviceCenters"]))]
        taken = [each["date"] for each in bookings.values() if each["status"] in STATUSES[:2]]
        days = {f"2025-{month:02}-{day:02}" for month in range(6, 13) for day in range(1, 29)}
        date = random.choice(taken if wrong and taken else sorted(days - set(taken)))
        wanted = random.sample(SERVICES if wrong else sorted(center["prices"]), random.randint(1, 3))
        garage = center["centerId"] if random.random() < 0.8 or not wrong else "SC-77"
        still = [key for key, each in bookings.items() if each["status"] in STATUSES[:2]]
        cancel = {"appointmentId": pick("appointments", still)} | _some(random, {"reason": "Plans changed"})
        fence = pick("geofences", [key for key, each in state["geofences"].items() if each["active"]])
        outside = set(state["drivers"]) - set(state["geofences"].get(fence, {"driverIds": []})["driverIds"])
        return {
            "getVehicleStatus": None if wrong else {},
            "setDoorLocks": {"locked": car["doors"][door]["locked"] == wrong, **doors},
            "controlEngine": action if len(closed) == len(DOORS) or wrong else None,
            "setClimate": climate if on or wrong else None,
            "findPlaces": {"category": "FOOD"} if wrong else _some(random, place),
            "deletePlace": {"placeId": pick("places", others)},
            "navigateTo": goal,
            "listTrips": {**_some(random, filters), **({"limit": 0} if wrong else {})},
            "getTripTotals": {"driverId": pick("drivers", [])} if wrong else _some(random, totals),
            "bookService": {"centerId": garage, "date": date, "services": wanted},
            "getServiceAppointment": {"appointmentId": pick("appointments", list(bookings))},
            "cancelServiceAppointment": cancel,
            "switchDriver": {"driverId": driver, "pin": pin} if wrong or not on else None,
            "addDriverToGeofence": {"geofenceId": fence, "driverId": random.choice(sorted(outside) or able)},
            "messageDriver": {"driverId": pick("drivers", able), "text": random.choice(NOTES)},
        }
