"""A real back end in miniature, and what it did: parcels that are redirected to depots, call by call recorded."""

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

Json = dict[str, Any]

_TEXT = {"type": "string"}
TOOLS: list[Json] = [
    {
        "name": "get_parcel",
        "description": "Read a parcel.",
        "input_schema": {"type": "object", "properties": {"parcel_id": _TEXT}, "required": ["parcel_id"]},
    },
    {
        "name": "redirect_parcel",
        "description": "Send a waiting parcel to another depot.",
        "input_schema": {
            "type": "object",
            "properties": {"parcel_id": _TEXT, "depot_id": _TEXT},
            "required": ["parcel_id", "depot_id"],
        },
    },
]
STATE: dict[str, dict[str, Json]] = {
    "parcel": {
        f"p{number}": {
            "parcel_id": f"p{number}",
            "status": "moving" if number == 4 else "waiting",
            "weight": number * 1.15,
            "depot_id": "north",
            "redirects": [],
        }
        for number in range(1, 7)
    },
    "depot": {
        "north": {"depot_id": "north", "name": "North", "rate": 1.1, "room": 9},
        "south": {"depot_id": "south", "name": "South", "rate": 2.35, "room": 2},
    },
}
GET: Json = {
    "let": {"parcel": "entity('parcel', args.parcel_id)"},
    "require": [{"that": "parcel != null", "else": {"code": "not_found", "message": "No such parcel"}}],
    "response": "= parcel",
}
RIGHT: Json = {
    "describe": "Sends a waiting parcel to another depot that has room.",
    "let": {
        "parcel": "entity('parcel', args.parcel_id)",
        "depot": "entity('depot', args.depot_id)",
        "fee": "round(parcel.weight * depot.rate, 2)",
    },
    "require": [
        {"that": "parcel != null", "else": {"code": "not_found", "message": "No such parcel"}},
        {"that": "depot != null", "else": {"code": "not_found", "message": "No such depot"}},
        {"that": "parcel.status == 'waiting'", "else": {"code": "conflict", "message": "It is on its way"}},
        {"that": "depot.room > 0", "else": {"code": "conflict", "message": "{depot.name} is full"}},
    ],
    "operations": [
        {
            "op": "update",
            "entity_type": "parcel",
            "id": "= args.parcel_id",
            "fields": {
                "depot_id": "= args.depot_id",
                "redirects": "= parcel.redirects + [{'depot_id': args.depot_id, 'fee': fee}]",
            },
        },
        {
            "op": "update",
            "entity_type": "depot",
            "id": "= args.depot_id",
            "fields": {"room": "= depot.room - 1"},
        },
    ],
    "response": {"parcel_id": "= args.parcel_id", "depot": "= depot.name", "fee": "= fee"},
}
FORGETFUL: Json = {**RIGHT, "operations": RIGHT["operations"][:1], "require": RIGHT["require"][:3]}
"""It neither takes the room away nor insists on it."""


def recorded() -> list[Json]:
    """Four tasks, each from the same state: 9 redirects, of which 4 are refused, and 2 reads."""
    return [
        _task("one", ("redirect_parcel", "p1", "south"), ("get_parcel", "p1")),
        _task("full", *(("redirect_parcel", parcel, "south") for parcel in ("p1", "p2", "p3"))),
        _task("moving", ("get_parcel", "p4"), ("redirect_parcel", "p4", "south")),
        _task(
            "wrong",
            ("redirect_parcel", "p9", "south"),
            ("redirect_parcel", "p5", "east"),
            ("redirect_parcel", "p5", "north"),
            ("redirect_parcel", "p6", "south"),
        ),
    ]


def write_recording(folder: Path) -> None:
    """Write calls.jsonl and state.json."""
    lines = "".join(json.dumps(task) + "\n" for task in recorded())
    (folder / "calls.jsonl").write_text(lines, "utf-8")
    (folder / "state.json").write_text(json.dumps(STATE), "utf-8")


class _RefusedError(Exception):
    pass


def _task(name: str, *calls: tuple[str, ...]) -> Json:
    state = copy.deepcopy(STATE)
    made = []
    for tool, *values in calls:
        names = ("parcel_id", "depot_id")[: len(values)]
        args = dict(zip(names, values, strict=True))
        before = copy.deepcopy(state)
        call: Json = {"tool": tool, "args": args, "response": None, "error": None}
        try:
            call["response"] = copy.deepcopy(_ANSWERS[tool](state, *values))
        except _RefusedError as refusal:
            call["error"] = str(refusal)
        made.append({**call, "changes": _changes(before, state)})
    return {"task": name, "calls": made}


def _get_parcel(state: Json, parcel_id: str) -> Json:
    parcel: Json | None = state["parcel"].get(parcel_id)
    if parcel is None:
        raise _RefusedError("No such parcel")
    return parcel


def _redirect_parcel(state: Json, parcel_id: str, depot_id: str) -> Json:
    parcel, depot = _get_parcel(state, parcel_id), state["depot"].get(depot_id)
    if depot is None:
        raise _RefusedError("No such depot")
    if parcel["status"] != "waiting":
        raise _RefusedError("It is on its way")
    if depot["room"] <= 0:
        raise _RefusedError(f"{depot['name']} is full")
    fee = round(parcel["weight"] * depot["rate"], 2)
    parcel["depot_id"] = depot_id
    parcel["redirects"].append({"depot_id": depot_id, "fee": fee})
    depot["room"] -= 1
    return {"parcel_id": parcel_id, "depot": depot["name"], "fee": fee}


_ANSWERS: dict[str, Callable[..., Json]] = {"get_parcel": _get_parcel, "redirect_parcel": _redirect_parcel}


def _changes(before: Json, after: Json) -> list[Json]:
    return [
        {"entity_type": kind, "id": name, "before": before[kind][name], "after": copy.deepcopy(entity)}
        for kind, entities in after.items()
        for name, entity in entities.items()
        if entity != before[kind][name]
    ]
