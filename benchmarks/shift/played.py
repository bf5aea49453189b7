"""Runs as the product reads them: every call is answered by the world engine, and what came of it is what counts."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from odyssey.evals.behaviour import Behaviour
from odyssey.evals.read_behaviour import NOTHING_PROTECTED, Protected, behaviour_of
from odyssey.grading.evidence import CHANGING, Evidence, ObservedCall, refused_writes
from odyssey.records.effects import WorldStep, effects_of
from odyssey.records.tools import Tool
from odyssey.simulation.engine import ToolCall
from odyssey.simulation.world.engine import WorldEngine
from odyssey.worlds.ledger import Ledger
from odyssey.worlds.operations import apply


class AgentCall(NamedTuple):
    tool: str
    arguments: dict[str, Any]
    refusal: str | None = None
    """What a back end said when it refused the call; then nothing becomes of it."""


def play(
    world: Ledger,
    calls: Sequence[AgentCall],
    final_response: str,
    *,
    tools: Sequence[str] = (),
    claimed: Sequence[str] = (),
    protected: Protected = NOTHING_PROTECTED,
    random_seed: int = 0,
) -> Behaviour:
    """Let the engine answer every call; the seed decides what it makes up. `claimed` are calls only told of."""
    engine, after = WorldEngine(), world
    observed: list[ObservedCall] = []
    steps: list[WorldStep] = []
    for sequence, call in enumerate(calls, start=1):
        asked = ToolCall(_tool(call.tool), call.arguments, None, random_seed, sequence)
        answer = engine.answer(asked, after)
        operation = None if answer.reading is None else answer.reading.operation
        acts = operation in CHANGING
        operations = answer.operations if call.refusal is None else ()
        applied = apply(after, operations, "off")
        after = applied.ledger
        observed.append(
            ObservedCall(
                sequence,
                call.tool,
                call.arguments,
                "odyssey",
                200,
                answer.response if call.refusal is None else {"error": call.refusal},
                operations,
                mutating=acts,
                operation=operation,
            )
        )
        steps += [WorldStep(sequence, call.tool, "odyssey", acts, entry) for entry in applied.entries]
    evidence = Evidence(
        user_instruction="",
        expected_outcome="completion",
        status="completed",
        error_class=None,
        final_response=final_response,
        messages=_transcript([*(call.tool for call in calls), *claimed]),
        calls=tuple(observed),
        uncounted_calls=0,
        declared_tools=tuple(tools),
        before=world,
        after=after,
        effects=effects_of(steps, frozenset(), refused_writes(observed)),
    )
    behaviour = behaviour_of(evidence, protected)
    assert behaviour is not None, "only a failure that is not the agent's leaves no behaviour"
    return behaviour


@lru_cache(maxsize=256)
def _tool(name: str) -> Tool:
    return Tool(name, {"type": "object"})


def _transcript(tools: Sequence[str]) -> list[dict[str, Any]]:
    told: list[Mapping[str, Any]] = [{"id": str(place), "name": name} for place, name in enumerate(tools)]
    return [{"role": "assistant", "tool_calls": told}]
