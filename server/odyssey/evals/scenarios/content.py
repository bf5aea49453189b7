"""What a scenario says, and how it is put to an agent."""

import json
from typing import Any

import msgspec

from odyssey.evals.risk import RiskLevel

MAX_RENDERED = 80_000
"""So that ten times as much still fits into one instruction."""


class ScenarioContent(msgspec.Struct, frozen=True, omit_defaults=True):
    """One version of a scenario. Members at their default are not stored."""

    name: str
    risk_level: RiskLevel
    input_context: dict[str, Any]
    expected_behavior: dict[str, Any]
    description: str = ""
    user_instruction: str | None = None
    """Words ahead of the input."""
    world_id: int | None = None
    agent_id: int | None = None
    tags: list[str] = []

    def stored(self) -> dict[str, Any]:
        members: dict[str, Any] = msgspec.to_builtins(self)
        return members


def render_input(user_instruction: str | None, input_context: dict[str, Any]) -> str:
    """Put a scenario into the words an agent reads: the instruction, then the input as JSON a person can read."""
    parts = [] if user_instruction is None else [user_instruction]
    if input_context or not parts:
        parts.append(json.dumps(input_context, indent=2, ensure_ascii=False))
    return "\n\n".join(parts)
