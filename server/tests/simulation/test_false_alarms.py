"""The world engine contradicts no world: the support desk of the examples under calls of every kind."""

import json
import random
from pathlib import Path
from typing import Any

import msgspec
import pytest

from odyssey.records.json_schema import CompiledSchema, compile_schema
from odyssey.records.tools import LedgerSchema, Tool
from odyssey.simulation.engine import ToolCall
from odyssey.simulation.simulate import simulate
from odyssey.simulation.world.engine import WorldEngine
from odyssey.worlds.ledger import Ledger

DESK = Path(__file__).resolve().parents[3] / "examples" / "support-desk"
AGENT = json.loads((DESK / "agent.json").read_text())
STATE = json.loads((DESK / "world.json").read_text())["initial_state"]
SCHEMA = msgspec.convert(AGENT["ledger_schema"], LedgerSchema)
TOOLS = msgspec.convert(AGENT["tools_schema"], list[Tool])
TEXTS = sorted(
    {value for each in STATE["order"].values() for value in each.values() if isinstance(value, str)}
)
CALLS = 600


def draw(tool: Tool, world: Ledger, chance: random.Random) -> dict[str, Any]:
    schema = tool.input_schema
    arguments: dict[str, Any] = {}
    for name, member in schema["properties"].items():
        if name not in schema.get("required", ()) and chance.random() < 0.4:
            continue
        if "enum" in member:
            arguments[name] = chance.choice(member["enum"])
        elif member.get("type") == "integer":
            arguments[name] = chance.randint(1, 20_000)
        elif name.endswith("_id"):
            known = list(world.entities(name.split("_")[-2]))
            arguments[name] = chance.choice(known) if chance.random() < 0.9 else "nobody_1"
        else:
            arguments[name] = chance.choice(TEXTS)
    return arguments


def compiled(schema: Any) -> CompiledSchema | None:
    return None if schema is None else compile_schema(schema)


@pytest.mark.parametrize("schema", [SCHEMA, None], ids=["declared", "open"])
def test_the_support_desk_contradicts_nothing(schema: LedgerSchema | None) -> None:
    chance = random.Random(11)
    outputs = {tool.name: compiled(tool.output_schema) for tool in TOOLS}
    inputs = {tool.name: compile_schema(tool.input_schema) for tool in TOOLS}
    world = Ledger.boot(STATE)
    served = changes = 0
    while served < CALLS:
        tool = chance.choice(TOOLS)
        arguments = draw(tool, world, chance)
        if not inputs[tool.name].is_valid(arguments):
            continue
        served += 1
        call = ToolCall(tool, arguments, schema, random_seed=1, sequence=served)
        done = simulate(WorldEngine(), call, world, outputs[tool.name], "strict")
        assert (done.source, done.violations) == ("odyssey", ()), (tool.name, arguments, done.response)
        assert done.applied is not None
        changes += bool(done.applied.entries)
        world = done.applied.ledger
    assert changes > CALLS / 10
