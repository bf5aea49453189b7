"""One smart home: rooms, devices, scenes, schedules, users with roles, an alarm, and who is signed in."""

import re
from collections.abc import Callable
from copy import deepcopy
from inspect import Parameter, getdoc, signature
from random import Random
from typing import Any

from benchmarks.reference.back_end import Call, RefusedError, State

Fields = dict[str, Any]
Opt = str | None

TYPES = ["light", "thermostat", "lock", "sensor"]
ADJECTIVES = ["North", "Ceiling", "Corner", "Old", "Window", "Small", "Main", "Wall"]
ROOMS = ["Kitchen", "Living Room", "Bedroom", "Nursery", "Office", "Bathroom", "Garage", "Attic", "Den"]
NAMES = ["Ana", "Ben", "Cleo", "Dan", "Eva", "Finn", "Gus", "Hana", "Ivo", "Jo"]
SCENES = ["Movie night", "Good morning", "Dinner", "Reading", "Party", "Bedtime", "Focus", "Sunset", "Guests"]
COLORS = ["warmWhite", "coolWhite", "red", "green", "blue"]
CLIMATE = ["heat", "cool", "auto", "off"]
ALARM = ["DISARMED", "ARMED_HOME", "ARMED_AWAY"]
DAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
GROWN = ("owner", "adult")
GROWN_TOOLS = ("setThermostat", "setLock", "createSchedule", "moveDevice", "setAlarmMode")
TEXTS = ["Dinner is ready", "The parcel came", "Please close the window", "Back at six"]

STRING, NUMBER, COUNT, FLAG = {"type": "string"}, {"type": "number"}, {"type": "integer"}, {"type": "boolean"}
PARAMETERS: dict[str, Fields] = {
    "deviceId": STRING | {"description": "Device id, like dev-12"},
    "sceneId": STRING | {"description": "Scene id, like scn-3"},
    "roomId": STRING | {"description": "Room key, like living-room"},
    **dict.fromkeys(["name", "scheduleId", "text"], STRING),
    "pin": STRING | {"description": "Four digit personal PIN"},
    "type": STRING | {"enum": TYPES},
    **dict.fromkeys(["on", "locked", "online", "enabledOnly"], FLAG),
    "brightness": COUNT | {"minimum": 1, "maximum": 100, "description": "Percent"},
    "color": STRING | {"enum": COLORS},
    "target": NUMBER | {"minimum": 5, "maximum": 30, "description": "Degrees Celsius"},
    "mode": STRING | {"enum": CLIMATE},
    "alarmMode": STRING | {"enum": ALARM},
    "time": STRING | {"pattern": "^([01][0-9]|2[0-3]):[0-5][0-9]$", "description": "Time of day, 24 hours"},
    "days": {"type": "array", "items": STRING | {"enum": DAYS}, "description": "Default: every day"},
    "hoursPerDay": NUMBER | {"minimum": 0, "maximum": 24},
}


def _object(**properties: Fields) -> Fields:
    return {"type": "object", "properties": properties, "required": list(properties)}


DEVICE = _object(id=STRING, name=STRING, type=STRING, roomId=STRING, online=FLAG, state={"type": "object"})
ACTIONS = {"type": "array", "items": _object(deviceId=STRING, on=FLAG)}
IDS = {"type": "array", "items": STRING}
SCHEDULE = _object(scheduleId=STRING, sceneId=STRING, time=STRING, days=IDS, enabled=FLAG)
OUTPUTS: dict[str, Fields | None] = {
    "listDevices": {"type": "array", "items": _object(id=STRING, name=STRING, type=STRING, online=FLAG)},
    "getDevice": DEVICE,
    "findDevice": None,
    "getScene": _object(id=STRING, name=STRING, ownerId=STRING, actions=ACTIONS),
    "listSchedules": {"type": "array", "items": SCHEDULE},
    "getAlarm": None,
    "countLightsOn": COUNT,
    "estimateCost": _object(kWhPerMonth=NUMBER, costPerMonth=NUMBER, currency=STRING),
    "signIn": None,
    "setLight": _object(on=FLAG, brightness=COUNT, color={"type": ["string", "null"]}),
    "setThermostat": _object(mode=STRING, target=NUMBER, current=NUMBER),
    "setLock": None,
    "runScene": _object(applied=IDS, skipped=IDS),
    "removeSceneAction": None,
    "createSchedule": SCHEDULE,
    "deleteSchedule": _object(deleted=FLAG),
    "moveDevice": DEVICE,
    "setAlarmMode": _object(mode=STRING, changedBy=STRING),
    "notifyUser": {"type": "null"},
}


def _snake(name: str) -> str:
    return re.sub("[A-Z]", lambda found: f"_{found[0].lower()}", name)


def _declare(name: str, method: Any, output: Fields | None) -> Fields:
    """The declaration of a tool, from the signature and docstring of its method."""
    names = {_snake(key): key for key in PARAMETERS}
    schema: Fields = {"type": "object", "properties": {}, "required": [], "additionalProperties": False}
    for item in list(signature(method).parameters.values())[1:]:
        default = {} if item.default in (Parameter.empty, None) else {"default": item.default}
        schema["properties"][names[item.name]] = PARAMETERS[names[item.name]] | default
        if item.default is Parameter.empty:
            schema["required"].append(names[item.name])
    tool = {"name": name, "description": " ".join((getdoc(method) or "").split()), "input_schema": schema}
    return tool if output is None else tool | {"output_schema": output}


def _check(condition: object, message: str) -> None:
    if not condition:
        raise RefusedError(message)


def _validate(schema: Fields, arguments: Fields) -> None:
    for name in schema["required"]:
        _check(name in arguments, f"{name} is required")
    for name, value in arguments.items():
        _check(name in schema["properties"], f"unknown argument {name}")
        rule = schema["properties"][name]
        _check(value in rule.get("enum", [value]), f"{name}: {value!r} is not allowed")
        _check(re.search(rule.get("pattern", ""), str(value)), f"{name}: {value!r} is malformed")
        low, high = rule.get("minimum", value), rule.get("maximum", value)
        _check(low <= value <= high, f"{name} must be within {low}..{high}")


def _find(state: State, kind: str, key: str) -> Fields:
    _check(key in state[kind], f"No such {kind.removesuffix('s')}: {key}")
    return state[kind][key]


def _me(state: State, *roles: str) -> Fields:
    """The user who is signed in, who must have one of the roles if some are named."""
    user_id = state["session"]["current"]["userId"]
    _check(user_id, "Nobody is signed in")
    user = state["users"][user_id]
    _check(not roles or user["role"] in roles, f"{user['name']} ({user['role']}) may not do this")
    return user


def _device(state: State, device_id: str, kind: str) -> Fields:
    """A device of this type that is online, for control."""
    device = _find(state, "devices", device_id)
    _check(device["type"] == kind, f"{device['name']} is not a {kind}")
    _check(device["online"], f"{device['name']} is offline")
    return device


def _own(state: State, owner_id: str, what: str) -> None:
    user = _me(state)
    _check(user["role"] == "owner" or user["id"] == owner_id, f"This {what} belongs to somebody else")


def _device_state(random: Random, kind: str) -> Fields:
    yes, degrees, level = random.random() < 0.6, random.randint(34, 48) / 2, random.randint(2, 20) * 5
    states: dict[str, Fields] = {
        "light": {"on": yes, "brightness": level, "color": random.choice([*COLORS, None])},
        "thermostat": {"mode": random.choice(CLIMATE), "target": degrees, "current": random.randint(15, 26)},
        "lock": {"locked": yes},
        "sensor": random.choice([{"motion": yes}, {"open": not yes}, {"lux": random.randrange(900)}]),
    }
    return states[kind]


def _add_people(state: State, random: Random) -> None:
    roles = ["owner", "adult", "adult", "child", "guest", *random.choices(["adult", "child", "guest"], k=3)]
    for number, (name, role) in enumerate(zip(random.sample(NAMES, len(roles)), roles, strict=True), 1):
        user = {"id": f"usr-{number}", "name": name, "role": role, "pin": f"{random.randrange(10000):04}"}
        state["users"][f"usr-{number}"] = user | {"notifications": []}
    current = random.choice([None, *random.choices(list(state["users"]), [6, 3, 3, 1, 1, 1, 1, 1], k=9)])
    state["session"]["current"] = {"userId": current}
    state["alarm"]["alarm"] = {"mode": random.choices(ALARM, [3, 2, 1])[0], "changedBy": "usr-1"}
    price, currency = random.randint(18, 42) / 100, random.choice(["EUR", "USD", "GBP"])
    state["home"]["home"] = {"name": "Home", "pricePerKwh": price, "currency": currency}


def _add_devices(state: State, random: Random) -> None:
    for name in random.sample(ROOMS, random.randint(6, len(ROOMS))):
        room = {"name": name, "floor": random.randint(0, 2), "deviceIds": []}
        state["rooms"][name.lower().replace(" ", "-")] = room
    first = random.randint(1, 60)
    for number in range(first, first + random.randint(40, 55)):
        room_id = random.choice(list(state["rooms"]))
        kind = random.choices(TYPES, [6, 3, 2, 2])[0]
        device: Fields = {"id": f"dev-{number}", "name": f"{random.choice(ADJECTIVES)} {kind} {number}"}
        device |= {"type": kind, "roomId": room_id, "online": random.random() < 0.88}
        device |= {"watts": random.choice([5, 7, 9, 12, 40]) if kind == "light" else random.randint(1, 4)}
        state["devices"][device["id"]] = device | {"state": _device_state(random, kind)}
        state["rooms"][room_id]["deviceIds"].append(device["id"])


def _add_scenes(state: State, random: Random) -> None:
    lights = [key for key, it in state["devices"].items() if it["type"] == "light"]
    for number in range(1, random.randint(17, 26)):
        used = random.sample(lights, random.randint(2, 5))
        scene = {"id": f"scn-{number}", "name": f"{random.choice(SCENES)} {number}"}
        scene["ownerId"] = random.choice(list(state["users"])[:4])
        actions = [{"deviceId": key, "on": random.random() < 0.6} for key in used]
        state["scenes"][f"scn-{number}"] = scene | {"actions": actions}
    first = random.randint(100, 300)
    for number in range(first, first + random.randint(16, 26)):
        schedule: Fields = {"sceneId": random.choice(list(state["scenes"])), "time": _time(random)}
        schedule |= {"days": random.sample(DAYS, 3), "enabled": random.random() < 0.75}
        state["schedules"][str(number)] = schedule | {"createdBy": random.choice(list(state["users"])[:4])}


def _time(random: Random) -> str:
    return f"{random.randint(5, 23):02}:{random.randrange(0, 60, 5):02}"


def _pick(random: Random, table: dict[str, Fields], fits: Callable[[Fields], object] = bool) -> str:
    return random.choice([key for key, entity in table.items() if fits(entity)] or [""])


def _some(random: Random, **arguments: Any) -> Fields:
    return {key: value for key, value in arguments.items() if random.random() < 0.5}


def _online(state: State, random: Random, kind: str) -> Fields:
    return {"deviceId": _pick(random, state["devices"], lambda it: it["type"] == kind and it["online"])}


def _reads(state: State, random: Random) -> list[Call]:
    devices, room = state["devices"], {"roomId": _pick(random, state["rooms"])}
    hours = {"hoursPerDay": random.randint(1, 48) / 2}
    filters = _some(random, type=random.choice(TYPES), online=random.random() < 0.7)
    return [
        Call("listDevices", filters | _some(random, **room)),
        Call("getDevice", {"deviceId": _pick(random, devices)}),
        Call("findDevice", {"name": devices[_pick(random, devices)]["name"]}),
        Call("getScene", {"sceneId": _pick(random, state["scenes"])}),
        Call("listSchedules", _some(random, enabledOnly=True, sceneId=_pick(random, state["scenes"]))),
        Call("getAlarm", {}),
        Call("countLightsOn", _some(random, **room)),
        Call("estimateCost", {"deviceId": _pick(random, devices, lambda it: it["type"] == "light"), **hours}),
    ]


def _writes(state: State, random: Random) -> list[Call]:
    user = random.choice([it for it in state["users"].values() if it["role"] != "guest"])
    sign_in = Call("signIn", {"name": user["name"], "pin": user["pin"]})
    if state["session"]["current"]["userId"] is None:
        return [sign_in]
    me, devices, scenes = _me(state), state["devices"], state["scenes"]
    owner = me["role"] == "owner"
    mine = _pick(random, scenes, lambda it: it["actions"] and (owner or it["ownerId"] == me["id"]))
    used = [action["deviceId"] for action in scenes[mine]["actions"]] if mine else []
    lock, moved = _online(state, random, "lock"), _pick(random, devices)
    locked = bool(lock["deviceId"]) and devices[lock["deviceId"]]["state"]["locked"]
    room_id = random.choice([key for key in state["rooms"] if moved not in state["rooms"][key]["deviceIds"]])
    alarm = random.choice([mode for mode in ALARM[:2] if mode != state["alarm"]["alarm"]["mode"]])
    schedule_id = _pick(random, state["schedules"], lambda it: owner or it["createdBy"] == me["id"])
    light = _some(random, on=False, brightness=random.randint(1, 100), color=random.choice(COLORS))
    warmer = {"target": random.randint(30, 52) / 2} | _some(random, mode=random.choice(CLIMATE[:3]))
    schedule = {"sceneId": _pick(random, scenes), "time": _time(random)}
    calls = [
        Call("setLight", _online(state, random, "light") | light),
        Call("runScene", {"sceneId": _pick(random, scenes)}),
        Call("removeSceneAction", {"sceneId": mine, "deviceId": random.choice(used or [""])}),
        Call("deleteSchedule", {"scheduleId": schedule_id}),
        Call("notifyUser", {"name": user["name"], "text": random.choice(TEXTS)}),
        sign_in,
        Call("setThermostat", _online(state, random, "thermostat") | warmer),
        Call("setLock", lock | {"locked": not locked}),
        Call("createSchedule", schedule | _some(random, days=random.sample(DAYS, 2))),
        Call("moveDevice", {"deviceId": moved, "roomId": room_id}),
        Call("setAlarmMode", {"alarmMode": alarm} | ({"pin": me["pin"]} if alarm == "DISARMED" else {})),
    ]
    return [call for call in calls if me["role"] in GROWN or call.tool not in GROWN_TOOLS]


def _mistakes(state: State, random: Random) -> list[Call]:
    devices, unknown = state["devices"], {"deviceId": f"dev-{random.randint(500, 999)}"}
    light, room_id = _online(state, random, "light"), _pick(random, state["rooms"])
    offline = {"deviceId": _pick(random, devices, lambda it: it["type"] == "light" and not it["online"])}
    scene_id = {"sceneId": _pick(random, state["scenes"])}
    moved, mode = _pick(random, devices, lambda it: it["roomId"] == room_id), state["alarm"]["alarm"]["mode"]
    user = state["users"][_pick(random, state["users"])]
    sensor = {"deviceId": _pick(random, devices, lambda it: it["type"] == "sensor")}
    lock = _pick(random, devices, lambda it: it["type"] == "lock")
    return [
        Call("getDevice", unknown),
        Call("findDevice", {"name": f"{random.choice(ADJECTIVES)} toaster"}),
        Call("getScene", {"sceneId": f"scn-{random.randint(60, 99)}"}),
        Call("listDevices", {"roomId": random.choice(["cellar", "pool", "barn"])}),
        Call("estimateCost", random.choice([sensor | {"hoursPerDay": 30}, unknown | {"hoursPerDay": 3}])),
        Call("signIn", {"name": user["name"], "pin": f"x{random.randrange(1000):03}"}),
        Call("setLight", random.choice([offline, sensor, unknown]) | {"on": True}),
        Call("setLight", light | {"brightness": random.randint(101, 200)}),
        Call("setThermostat", _online(state, random, "thermostat") | {"target": random.randint(31, 60)}),
        Call("setLock", {"deviceId": lock, "locked": bool(lock) and devices[lock]["state"]["locked"]}),
        Call("removeSceneAction", scene_id | sensor),
        Call("createSchedule", scene_id | {"time": f"{random.randint(24, 30)}:15"}),
        Call("deleteSchedule", {"scheduleId": str(random.randint(1, 50))}),
        Call("moveDevice", {"deviceId": moved, "roomId": room_id}),
        Call("setAlarmMode", random.choice([{"alarmMode": mode}, {"alarmMode": "DISARMED", "pin": "x000"}])),
        Call("notifyUser", {"name": "Zoe", "text": random.choice(TEXTS)}),
    ]


class SmartHome:
    name = "smarthome"

    def __init__(self) -> None:
        self.tools = [_declare(name, getattr(self, _snake(name)), output) for name, output in OUTPUTS.items()]

    def begin(self, random: Random) -> State:
        kinds = ["home", "session", "alarm", "users", "rooms", "devices", "scenes", "schedules"]
        state: State = {kind: {} for kind in kinds}
        _add_people(state, random)
        _add_devices(state, random)
        _add_scenes(state, random)
        return state

    def next_call(self, state: State, random: Random) -> Call:
        luck = random.random()
        draw = _mistakes if luck < 0.18 else _reads if luck < 0.62 else _writes
        return random.choice([call for call in draw(state, random) if "" not in call.arguments.values()])

    def call(self, state: State, tool: str, arguments: dict[str, Any]) -> Any:
        _check(tool in OUTPUTS, f"No tool {tool}")
        _validate(next(known for known in self.tools if known["name"] == tool)["input_schema"], arguments)
        given = {_snake(key): value for key, value in arguments.items()}
        return deepcopy(getattr(self, _snake(tool))(state, **given))

    def list_devices(self, state: State, room_id: Opt = None, type: Opt = None, online: bool = False) -> Any:
        """Lists the devices of the home by name; optionally those of a room, of a type, or online (true) only."""
        _check(room_id is None or room_id in state["rooms"], f"No such room: {room_id}")
        found = []
        for device in sorted(state["devices"].values(), key=lambda it: str(it["name"])):
            fits = room_id in (None, device["roomId"]) and type in (None, device["type"])
            if fits and (device["online"] or not online):
                found.append({key: device[key] for key in ("id", "name", "type", "online")})
        return found

    def get_device(self, state: State, device_id: str) -> Any:
        """Returns a device with its present state."""
        return _find(state, "devices", device_id)

    def find_device(self, state: State, name: str) -> Any:
        """Finds the device with exactly this name (upper and lower case do not matter)."""
        found = [device for device in state["devices"].values() if device["name"].lower() == name.lower()]
        _check(found, f"No device is called {name}")
        return {"device": found[0], "room": state["rooms"][found[0]["roomId"]]["name"]}

    def get_scene(self, state: State, scene_id: str) -> Any:
        """Returns a scene with what it does to each light."""
        return _find(state, "scenes", scene_id)

    def list_schedules(self, state: State, enabled_only: bool = False, scene_id: Opt = None) -> Any:
        """Lists schedules by time of day, optionally those of one scene or only the enabled ones."""
        found = [{"scheduleId": key, **schedule} for key, schedule in state["schedules"].items()]
        found = [it for it in found if scene_id in (None, it["sceneId"]) and it["enabled"] >= enabled_only]
        return sorted(found, key=lambda it: (it["time"], it["scheduleId"]))

    def get_alarm(self, state: State) -> Any:
        """Tells the mode of the alarm and who set it."""
        alarm = state["alarm"]["alarm"]
        return {"alarm": alarm["mode"], "changedBy": state["users"][alarm["changedBy"]]["name"]}

    def count_lights_on(self, state: State, room_id: Opt = None) -> Any:
        """Counts the lights that are on, in a room or in the whole home. Offline lights are not counted."""
        _check(room_id is None or room_id in state["rooms"], f"No such room: {room_id}")
        devices = [it for it in state["devices"].values() if room_id in (None, it["roomId"]) and it["online"]]
        return sum(it["type"] == "light" and it["state"]["on"] for it in devices)

    def estimate_cost(self, state: State, device_id: str, hours_per_day: float) -> Any:
        """Estimates what a device uses and costs in a month of 30 days, from its watts and the home's price per kWh."""
        home, watts = state["home"]["home"], _find(state, "devices", device_id)["watts"]
        used = round(watts * hours_per_day * 30 / 1000, 2)
        cost = round(used * home["pricePerKwh"], 2)
        return {"kWhPerMonth": used, "costPerMonth": cost, "currency": home["currency"]}

    def sign_in(self, state: State, name: str, pin: str) -> Any:
        """Signs a member of the household in with the personal PIN, in place of whoever was signed in."""
        users = [user for user in state["users"].values() if user["name"] == name and user["pin"] == pin]
        _check(users, "Wrong name or PIN")
        state["session"]["current"]["userId"] = users[0]["id"]
        return {"success": True, "role": users[0]["role"]}

    def set_light(
        self, state: State, device_id: str, on: bool = True, brightness: int | None = None, color: Opt = None
    ) -> Any:
        """Switches, dims or colors a light that is online. Lights whose color is null have no colors."""
        _me(state)
        light = _device(state, device_id, "light")["state"]
        _check(color is None or light["color"], "This light has no colors")
        given = {"on": on, "brightness": brightness, "color": color}
        light.update({key: value for key, value in given.items() if value is not None})
        return light

    def set_thermostat(self, state: State, device_id: str, target: float, mode: Opt = None) -> Any:
        """Sets the target temperature, and the mode if given; from off it goes to auto. Owners and adults only."""
        _me(state, *GROWN)
        climate = _device(state, device_id, "thermostat")["state"]
        climate.update(target=target, mode=mode or ("auto" if climate["mode"] == "off" else climate["mode"]))
        return climate

    def set_lock(self, state: State, device_id: str, locked: bool) -> Any:
        """Locks or unlocks a door. Only owners and adults may, and not while the alarm is ARMED_AWAY."""
        _me(state, *GROWN)
        door = _device(state, device_id, "lock")
        _check(state["alarm"]["alarm"]["mode"] != "ARMED_AWAY", "The alarm is armed")
        _check(door["state"]["locked"] != locked, f"Nothing to do for {door['name']}")
        door["state"]["locked"] = locked
        return f"{door['name']} is now {'locked' if locked else 'unlocked'}"

    def run_scene(self, state: State, scene_id: str) -> Any:
        """Runs a scene now: each of its lights is switched on or off. Lights that are offline are skipped."""
        _me(state)
        answer: dict[str, list[str]] = {"applied": [], "skipped": []}
        for action in _find(state, "scenes", scene_id)["actions"]:
            device = state["devices"][action["deviceId"]]
            answer["applied" if device["online"] else "skipped"].append(device["id"])
            device["state"]["on"] = action["on"] if device["online"] else device["state"]["on"]
        return answer

    def remove_scene_action(self, state: State, scene_id: str, device_id: str) -> Any:
        """Takes a light out of a scene. Only the scene's owner and the owner of the home may change a scene."""
        scene = _find(state, "scenes", scene_id)
        _own(state, scene["ownerId"], "scene")
        kept = [action for action in scene["actions"] if action["deviceId"] != device_id]
        _check(len(kept) < len(scene["actions"]), f"{device_id} is not in {scene_id}")
        scene["actions"] = kept
        return {"removed": device_id, "actionsLeft": len(kept)}

    def create_schedule(self, state: State, scene_id: str, time: str, days: list[str] | None = None) -> Any:
        """Runs a scene every week from now on. Its id is the next number. Owners and adults only."""
        user, key = _me(state, *GROWN), str(max(map(int, state["schedules"]), default=0) + 1)
        _find(state, "scenes", scene_id)
        schedule = {"sceneId": scene_id, "time": time, "days": list(days or DAYS), "enabled": True}
        state["schedules"][key] = schedule | {"createdBy": user["id"]}
        return {"scheduleId": key, **state["schedules"][key]}

    def delete_schedule(self, state: State, schedule_id: str) -> Any:
        """Deletes a schedule. Only who created it and the owner of the home may."""
        _own(state, _find(state, "schedules", schedule_id)["createdBy"], "schedule")
        del state["schedules"][schedule_id]
        return {"deleted": True}

    def move_device(self, state: State, device_id: str, room_id: str) -> Any:
        """Assigns a device to another room. Owners and adults only."""
        _me(state, *GROWN)
        device, room = _find(state, "devices", device_id), _find(state, "rooms", room_id)
        _check(device["roomId"] != room_id, f"{device['name']} is already in {room['name']}")
        state["rooms"][device["roomId"]]["deviceIds"].remove(device_id)
        room["deviceIds"].append(device_id)
        device["roomId"] = room_id
        return device

    def set_alarm_mode(self, state: State, alarm_mode: str, pin: Opt = None) -> Any:
        """Arms or disarms the alarm. Disarming needs the PIN of whoever is signed in. Owners and adults only."""
        user, alarm = _me(state, *GROWN), state["alarm"]["alarm"]
        _check(alarm["mode"] != alarm_mode, f"The alarm is {alarm_mode} already")
        _check(alarm_mode != "DISARMED" or pin == user["pin"], "Wrong PIN")
        alarm.update(mode=alarm_mode, changedBy=user["id"])
        return alarm

    def notify_user(self, state: State, name: str, text: str) -> Any:
        """Sends a short notification to a member of the household, from whoever is signed in."""
        sender = _me(state)["id"]
        users = [user for user in state["users"].values() if user["name"] == name]
        _check(users, f"Nobody here is called {name}")
        users[0]["notifications"].append({"from": sender, "text": text})
