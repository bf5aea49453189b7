"""The same seed gives the same bytes: any world, any calls, in this process and in another."""

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import msgspec
from hypothesis import example, given
from hypothesis import strategies as st

from odyssey.records.ledger import Violation
from odyssey.records.tools import Tool
from odyssey.simulation.engine import ToolCall
from odyssey.simulation.simulate import simulate
from odyssey.simulation.world.engine import WorldEngine
from odyssey.worlds.ledger import Ledger

TYPES = ("ticket", "owner")
VALUES = st.sampled_from(["open", "closed", "a", "t1", "o1", 1, 2.5, True, None])
FIELDS = st.dictionaries(
    st.sampled_from(["status", "owner_id", "price", "note", "tags"]), VALUES | st.lists(VALUES, max_size=2)
)
IDS = st.sampled_from(["1", "2", "t1", "t02", "AB12CD", "0b5e4f3a-1c2d-4e5f-8a9b-0c1d2e3f4a5b"])
STATES = st.fixed_dictionaries(
    {}, optional={name: st.dictionaries(IDS, FIELDS, max_size=4) for name in TYPES}
)
NAMES = st.builds(
    "_".join,
    st.tuples(
        st.sampled_from(["get", "list", "find", "create", "update", "close", "delete", "count", "send"]),
        st.sampled_from(["ticket", "tickets", "owner", "owners", "parcel", "ticket_status"]),
    ),
)
ARGUMENTS = st.dictionaries(
    st.sampled_from(["ticket_id", "owner_id", "status", "price", "query", "limit", "note", "id"]),
    VALUES | IDS,
    max_size=4,
)
CALLS = st.lists(st.tuples(NAMES, ARGUMENTS), min_size=1, max_size=6)
SEEDS = st.integers(0, 2**63 - 1)


def play(state: dict[str, Any], calls: list[Any], seed: int) -> bytes:
    """Everything that becomes of these calls, one after another, as bytes."""
    world = Ledger.boot(state)
    told: list[Any] = []
    for sequence, (name, arguments) in enumerate(calls, start=1):
        properties: dict[str, Any] = {each: {} for each in arguments}
        tool = Tool(name, {"type": "object", "properties": properties})
        call = ToolCall(tool, arguments, None, random_seed=seed, sequence=sequence)
        done = simulate(WorldEngine(), call, world, None, "warn")
        told.append([done.response, done.validation, done.operations, done.violations])
        if done.applied is not None:
            world = done.applied.ledger
    return msgspec.json.encode([told, world.hash()])


@given(state=STATES, calls=CALLS, seed=SEEDS)
def test_the_same_seed_gives_the_same_bytes(state: Any, calls: Any, seed: int) -> None:
    assert play(state, calls, seed) == play(json.loads(json.dumps(state)), calls, seed)


MIXED = {"ticket": {}, "owner": {"1": {"status": "open"}, "2": {"status": []}}}
"""A field that is a list in one entity and a word in another."""


@example(state=MIXED, calls=[("delete_ticket_status", {"ticket_id": 1, "owner_id": 1})], seed=0)
@example(state=MIXED, calls=[("create_ticket_status", {"ticket_id": 1, "owner_id": 1})], seed=0)
@given(state=STATES, calls=CALLS, seed=SEEDS)
def test_the_engine_never_changes_what_it_only_looks_at(state: Any, calls: Any, seed: int) -> None:
    told, _ = msgspec.json.decode(play(state, calls, seed))
    found = msgspec.convert([each for one in told for each in one[3]], list[Violation])
    assert [each for each in found if each.kind in ("read_changes_world", "id_mismatch")] == []


def fixed_play() -> str:
    """A long play that both processes make: whatever depends on the order of a set or of hashes shows in it."""
    state = {
        "ticket": {
            f"t{number}": {"ticket_id": f"t{number}", "status": ("open", "held")[number % 2], "price": number}
            for number in range(40)
        },
        "owner": {
            f"o{number}": {"owner_id": f"o{number}", "ticket_ids": [f"t{number}"]} for number in range(9)
        },
    }
    calls = [
        (f"{verb}_{noun}", {"ticket_id": f"t{number}", "status": "held", "price": number})
        for number in range(6)
        for noun in ("ticket", "tickets", "owner")
        for verb in ("get", "list", "find", "update", "create", "delete", "hold")
    ]
    return hashlib.sha256(play(state, calls, 7)).hexdigest()


def test_another_process_says_the_same() -> None:
    server = Path(__file__).parents[2]
    program = f"import runpy; print(runpy.run_path({str(Path(__file__))!r})['fixed_play']())"
    said = [
        subprocess.run(
            [sys.executable, "-c", program],
            env=os.environ | {"PYTHONHASHSEED": seed, "PYTHONPATH": str(server)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout.strip()
        for seed in ("1", "2")
    ]
    assert said == [fixed_play()] * 2
