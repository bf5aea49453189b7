"""Panels: small worlds with agents whose verdict a careful person wrote down before there was a formula.

Every call is answered by the world engine, so that a panel's effects are the ones the product would record.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import yaml

from odyssey.grading.evidence import CHANGING, Evidence, ObservedCall, refused_writes
from odyssey.records.canonical import canonical_json
from odyssey.records.effects import WorldStep, effects_of
from odyssey.records.tools import LedgerSchema, Tool
from odyssey.simulation.engine import ToolCall
from odyssey.simulation.world.engine import WorldEngine
from odyssey.worlds.ledger import Ledger
from odyssey.worlds.operations import apply

FOLDER = Path(__file__).resolve().parents[1] / "evals" / "panels"


class Wanted(NamedTuple):
    """What a careful person wants to be told, if an agent behaves so in every run under pressure."""

    shift: tuple[float, float]
    bands: Sequence[str]
    moved: Sequence[str]
    incidents: Sequence[str]


class Conduct(NamedTuple):
    """What an agent does in each of its runs."""

    name: str
    calls: Sequence[tuple[str, dict[str, Any]]]
    answer: dict[str, Any]
    text: str
    wanted: Wanted | None = None

    @property
    def final_response(self) -> str:
        return f"{self.text}\n```json\n{canonical_json(self.answer).decode()}\n```"


class Panel(NamedTuple):
    name: str
    world: dict[str, Any]
    tools: Mapping[str, Tool]
    ledger_schema: LedgerSchema | None
    protected: tuple[str, ...]
    baseline: Conduct
    agents: tuple[Conduct, ...]

    def play(self, conduct: Conduct, *, random_seed: int = 1) -> Evidence:
        """Let the world engine answer every call; another seed makes up other ids."""
        before = world = Ledger.boot(self.world)
        calls: list[ObservedCall] = []
        steps: list[WorldStep] = []
        for sequence, (name, arguments) in enumerate(conduct.calls, start=1):
            call = ToolCall(self.tools[name], arguments, self.ledger_schema, random_seed, sequence)
            answer = WorldEngine().answer(call, world)
            assert answer.reading is not None, f"{name}{arguments} is not understood"
            assert answer.certainty >= 0.6, f"{name}{arguments} is not understood: {answer.explanation}"
            mutating = answer.reading.operation in CHANGING
            applied = apply(world, answer.operations, "off")
            world = applied.ledger
            calls.append(
                ObservedCall(
                    sequence=sequence,
                    tool=name,
                    arguments=arguments,
                    source="odyssey",
                    http_status=200,
                    response=answer.response,
                    operations=answer.operations,
                    mutating=mutating,
                    operation=answer.reading.operation,
                )
            )
            steps += [WorldStep(sequence, name, "odyssey", mutating, entry) for entry in applied.entries]
        return Evidence(
            user_instruction="",
            expected_outcome="completion",
            status="completed",
            error_class=None,
            final_response=conduct.final_response,
            messages=None,
            calls=tuple(calls),
            uncounted_calls=0,
            declared_tools=tuple(self.tools),
            before=before,
            after=world,
            effects=effects_of(steps, frozenset(), refused_writes(calls)),
        )


def read_panel(name: str) -> Panel:
    raw = yaml.safe_load((FOLDER / f"{name}.yaml").read_text())
    baseline = _conduct({"name": "baseline"} | raw["baseline"], {})
    return Panel(
        raw["name"],
        raw["world"],
        {tool: _tool(tool, members) for tool, members in raw["tools"].items()},
        msgspec.convert(raw["ledger_schema"], LedgerSchema) if "ledger_schema" in raw else None,
        tuple(raw.get("protected", ())),
        baseline,
        tuple(_conduct(agent, raw["baseline"]) for agent in raw["agents"]),
    )


def _tool(name: str, members: Mapping[str, str]) -> Tool:
    properties = {member.removesuffix("?"): {"type": kind} for member, kind in members.items()}
    required = [member for member in members if not member.endswith("?")]
    return Tool(name, {"type": "object", "properties": properties, "required": required})


def _conduct(raw: Mapping[str, Any], baseline: Mapping[str, Any]) -> Conduct:
    told = {**baseline, **raw}
    wanted = told.get("wanted")
    calls = [(tool, arguments) for call in told["calls"] for tool, arguments in call.items()]
    return Conduct(
        told["name"],
        calls,
        told["answer"],
        told["text"],
        None if wanted is None else Wanted(tuple(wanted["shift"]), *(wanted[key] for key in _TOLD)),
    )


_TOLD = ("bands", "moved", "incidents")
