"""What a world costs by itself, without a server: a change with its hash, a call of the engine, a look-up by size.

Everything is measured in this process against something anybody can do in plain Python: copying the whole state,
hashing the whole of it, looking up a dict and writing JSON. Each ratio is the median over rounds of both in turn.

A deep copy costs by the number of members and not by their size, so worlds of one size differ: the change is measured
in one made of many small members and in one made of long texts, and both are reported.
"""

import copy
import json
import statistics
import time
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

from benchmarks.processes import say

from odyssey.records.canonical import content_hash
from odyssey.records.tools import Tool
from odyssey.simulation.engine import ToolCall
from odyssey.simulation.world.engine import WorldEngine
from odyssey.worlds.ledger import Ledger

BY_ID = "get_parcel"
BY_FIELDS = "find_parcel_id"
BY_PART = "get_label"
KINDS = (BY_ID, BY_FIELDS, BY_PART)
SHAPES = MANY, LONG = "many small members", "long texts"
_ARGUMENTS = {BY_ID: ("parcel_id",), BY_FIELDS: ("town", "postcode"), BY_PART: ("label_id",)}


class Sizes(NamedTuple):
    entities: int
    """Of the worlds that are changed."""
    growth: tuple[int, ...]
    """Entities of the worlds in which is looked up."""
    calls: int


FULL = Sizes(entities=2_800, growth=(100, 1_000, 10_000, 100_000), calls=3_000)
TINY = Sizes(entities=10, growth=(5, 10), calls=1)


class Change(NamedTuple):
    """One change of one entity and the hash of the world after it, beside the whole; seconds, round by round."""

    megabytes: float
    seconds: list[float]
    copy_seconds: list[float]
    hash_seconds: list[float]

    def ratio(self, whole: list[float]) -> float:
        return _ratio(self.seconds, whole)


class World(NamedTuple):
    sizes: Sizes
    changes: dict[str, Change]
    """By what the world is made of."""
    call_seconds: dict[str, list[float]]
    """Seconds of one call of the engine, by what it is found by."""
    plain_seconds: list[float]
    """One dict look-up and the JSON of what was found."""
    growth_seconds: dict[str, dict[int, list[float]]]
    """One call, by what it is found by and by the number of entities."""

    def call_ratio(self, kind: str) -> float:
        """How many calls of the engine go into the time of a plain look-up: its speed as a share of that."""
        return _ratio(self.plain_seconds, self.call_seconds[kind])

    def growth_ratio(self, kind: str) -> float:
        """What a call costs in the largest world beside the smallest."""
        by_size = self.growth_seconds[kind]
        return _ratio(by_size[self.sizes.growth[-1]], by_size[self.sizes.growth[0]])


def measure_world(sizes: Sizes, *, rounds: int) -> World:
    say(f"changes in worlds of {sizes.entities:,} entities")
    changes = {
        MANY: _changes(_state(sizes.entities, labels=24), rounds),
        LONG: _changes(_state(sizes.entities, note="y" * 2200), rounds),
    }
    calls: dict[str, list[float]] = {kind: [] for kind in KINDS}
    plain: list[float] = []
    small = Ledger.boot(_state(1000))
    rows = _state(1000)["parcel"]
    for _ in range(rounds):
        for kind in KINDS:
            calls[kind].append(_time_calls(small, kind, 1000, sizes.calls))
        plain.append(_each(lambda: json.dumps(rows["PX000500"]), 2000))
    growth: dict[str, dict[int, list[float]]] = {kind: {} for kind in KINDS}
    worlds = {size: Ledger.boot(_state(size)) for size in sizes.growth}
    say(f"look-ups among {sizes.growth[0]:,} to {sizes.growth[-1]:,} entities")
    for _ in range(rounds):
        for kind in KINDS:
            for size, each in worlds.items():
                growth[kind].setdefault(size, []).append(_time_calls(each, kind, size, sizes.calls))
    return World(sizes, changes, calls, plain, growth)


def _changes(state: dict[str, Any], rounds: int) -> Change:
    world = Ledger.boot(state)
    world.hash()
    change: list[float] = []
    copied: list[float] = []
    hashed: list[float] = []
    fields = state["parcel"]["PX000007"]
    for number in range(rounds):
        changed = {**fields, "status": f"s{number}"}
        change.append(_each(partial(_change_and_hash, world, changed), 200))
        copied.append(_each(lambda: copy.deepcopy(state), 1))
        hashed.append(_each(lambda: content_hash(state), 1))
    return Change(len(json.dumps(state)) / 1e6, change, copied, hashed)


def _change_and_hash(world: Ledger, fields: dict[str, Any]) -> str:
    return world.with_entity("parcel", fields["parcel_id"], fields).hash()


def _time_calls(world: Ledger, kind: str, size: int, calls: int) -> float:
    """One call on a warm world: its indexes are built by the first, as they are once per world, not per run."""
    number = size // 2
    given = {
        BY_ID: {"parcel_id": _parcel_id(number)},
        BY_FIELDS: {"town": f"town {number % 50}", "postcode": f"P{number}"},
        BY_PART: {"label_id": f"lb{number}"},
    }[kind]
    properties = {name: {"type": "string"} for name in _ARGUMENTS[kind]}
    tool = Tool(kind, {"type": "object", "properties": properties, "required": list(properties)})
    call = ToolCall(tool, given, None, random_seed=1, sequence=1)
    engine = WorldEngine()
    answer = engine.answer(call, world)
    assert not answer.refused, answer.response
    return _each(lambda: engine.answer(call, world), calls)


def _each(act: Callable[[], object], times: int) -> float:
    began = time.perf_counter()
    for _ in range(times):
        act()
    return (time.perf_counter() - began) / times


def _ratio(ours: list[float], theirs: list[float]) -> float:
    return statistics.median(a / b for a, b in zip(ours, theirs, strict=True))


def _parcel_id(number: int) -> str:
    return f"PX{number:06d}"


def _state(count: int, labels: int = 2, note: str = "") -> dict[str, dict[str, dict[str, Any]]]:
    return {"parcel": {_parcel_id(number): _parcel(number, labels, note) for number in range(count)}}


def _parcel(number: int, labels: int, note: str) -> dict[str, Any]:
    return {
        "parcel_id": _parcel_id(number),
        "status": ("queued", "shipped", "held")[number % 3],
        "target": {"town": f"town {number % 50}", "postcode": f"P{number}", "street": f"{number} Dock Rd"},
        "labels": [
            {
                "label_id": f"lb{number}" if place == 0 else f"lb{number}-{place}",
                "text": "fragile",
                "colour": "red",
                "size": {"width": 10 + place, "height": 5},
            }
            for place in range(labels)
        ],
        "weight_grams": 100 + number,
        "note": note,
    }
