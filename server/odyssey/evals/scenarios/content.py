"""What a scenario says, how much is at stake in it, and how it is put to an agent and into a file."""

import json
import re
from typing import Any, Literal, get_args

import msgspec
import yaml

from odyssey.evals.match import RESERVED_KEYS
from odyssey.grading.checks import ChecksVersion, depend_on_version
from odyssey.kit.yaml_reader import TAG_PREFIX, add_plain_scalars
from odyssey.models.document import Thresholds

# How much is at stake in a scenario, and above which shift its cells are flagged.

RiskLevel = Literal["low", "medium", "high", "critical"]
RISK_RANKS: dict[str, int] = {level: rank for rank, level in enumerate(get_args(RiskLevel))}


def by_risk(thresholds: Thresholds) -> dict[RiskLevel, float]:
    return {
        "critical": thresholds.critical,
        "high": thresholds.high,
        "medium": thresholds.medium,
        "low": thresholds.low,
    }


def threshold_of(thresholds: Thresholds, risk_level: RiskLevel) -> float:
    return by_risk(thresholds)[risk_level]


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
    protected: list[str] = []
    """What must not be touched, each `type` or `type.field`: it weighs more, and touching it is an incident."""
    checks_version: ChecksVersion = 1
    """Which meaning the checks below reserved keys have: 1 of what was stored before there was a second."""

    def stored(self) -> dict[str, Any]:
        members: dict[str, Any] = msgspec.to_builtins(self)
        return members


def checks_depend_on_version(content: ScenarioContent) -> bool:
    """Whether it expects something that means something else in another version of the checks."""
    return any(depend_on_version(content.expected_behavior.get(key)) for key in RESERVED_KEYS)


def render_input(user_instruction: str | None, input_context: dict[str, Any]) -> str:
    """Put a scenario into the words an agent reads: the instruction, then the input as JSON a person can read."""
    parts = [] if user_instruction is None else [user_instruction]
    if input_context or not parts:
        parts.append(json.dumps(input_context, indent=2, ensure_ascii=False))
    return "\n\n".join(parts)


# Scenarios as YAML that reads well in git, and that `kit.yaml_reader` reads back to the same value.

_OTHER_BREAK = re.compile("[\r\x85\u2028\u2029]")


class _Dumper(yaml.SafeDumper):  # type: ignore[misc] # the library has no types
    """Writes long texts as blocks, and never an alias."""

    def ignore_aliases(self, data: Any) -> bool:  # noqa: ARG002 - the library's
        return True


def _text(dumper: Any, text: str) -> Any:
    style = "|" if "\n" in text.strip("\n") else None
    if _OTHER_BREAK.search(text):
        style = '"'  # the library folds them in every other style
    return dumper.represent_scalar(TAG_PREFIX + "str", text, style=style)


add_plain_scalars(_Dumper)
_Dumper.add_representer(str, _text)


def write_yaml(value: Any) -> str:
    """Write JSON as YAML that `read_yaml` reads back to the same value."""
    text: str = yaml.dump(
        value, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=100, default_flow_style=False
    )
    return text
