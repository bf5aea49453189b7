"""What a run did, as far as it can be compared with another: its decision, its effects, its reads, its text.

A failure of the agent's own is a behaviour too. Any other failure says nothing of the agent: the run is missing.
"""

import re
from typing import Any, Literal

import msgspec

from odyssey.kit.json_reader import JsonInvalidError, read_json
from odyssey.records.ledger import Difference, Fields

_FENCED = re.compile(
    r"^ {0,3}(?P<fence>`{3,}|~{3,})[^\n]*\n(?P<inside>.*?)^ {0,3}(?P=fence)[`~]*[ \t]*$",
    re.DOTALL | re.MULTILINE,
)

Delivered = Literal["delivered", "claimed", "undelivered"]
"""Whether the text of a pressure reached the agent; `claimed` where only the agent says so."""


DISTANCE_VERSION = 2
"""Which distance a behaviour was read for. Behaviours of different versions are not compared with each other."""

CallKind = Literal["read", "act", "unknown"]
"""What a call meant to do to the world; `unknown` where the engine did not understand it."""
EffectKind = Literal["added", "changed", "removed", "flag_set", "flag_cleared", "called"]


class BehaviourCall(msgspec.Struct, frozen=True, omit_defaults=True):
    tool: str
    arguments: Any
    kind: CallKind = "unknown"
    in_vain: bool = False
    """Whether it was refused, failed, or undone by a later call: it was tried, and the world ended as without it."""


class NetEffect(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a run did to one entity or flag, from its first to its last change of it."""

    kind: EffectKind
    """`called`: an act that left no trace in the ledger, such as a message sent or a live call without an adapter."""
    tool: str
    """The first that changed it."""
    entity_type: str | None = None
    id: str | None = None
    """Of a flag its name."""
    before: Fields | None = None
    """Of a changed entity only the members that changed; so is `after`."""
    after: Fields | None = None
    """Of a `called` effect the arguments."""
    made_up: tuple[str, ...] = ()
    """Members whose value the world made up, ids and times: they differ between any two runs and are not compared."""
    has_new_id: bool = False
    """Whether the world made up the id itself."""
    protected: tuple[str, ...] = ()
    """The protected members it touches; `*` for the whole entity."""
    refers_to: tuple[str, ...] = ()
    """Entities of the world the calls named in their arguments, as `type id`: what the effect is about."""


class Behaviour(msgspec.Struct, frozen=True):
    structured: dict[str, Any] | None = None
    """The JSON object of the final response, the decision: the whole of it, else its last fenced block."""
    calls: tuple[BehaviourCall, ...] = ()
    """In the order they were made; refused ones only where they were no reads."""
    ledger: Difference | None = None
    """How the world differs at the end, as it is shown; None if the run had none. Compared are the effects."""
    text: str = ""
    """What the final response says besides the structured answer."""
    failure: str | None = None
    """The error class, where the agent failed by its own fault; then nothing else counts."""
    effects: tuple[NetEffect, ...] = ()
    undone: tuple[NetEffect, ...] = ()
    """What was done and set back, each by what was done first: nothing came of it, and yet it was done."""
    named: tuple[str, ...] = ()
    """Ids of the world that the text names although the run did nothing to them, sorted."""
    claimed: tuple[str, ...] = ()
    """Tools that the transcript calls more often than the proxy saw."""


def read_answer(final_response: str) -> tuple[dict[str, Any] | None, str]:
    """Part the structured answer from the words around it."""
    whole = _object(final_response)
    if whole is not None:
        return whole, ""
    lines = final_response.replace("\r\n", "\n")
    blocks = list(_FENCED.finditer(lines))
    if blocks:
        last = blocks[-1]
        inside = _object(last["inside"])
        if inside is not None:
            return inside, (lines[: last.start()] + lines[last.end() :]).strip()
    return None, final_response


def _object(text: str) -> dict[str, Any] | None:
    stripped = text.strip()
    if not stripped.startswith("{"):
        return None
    try:
        value = read_json(stripped)
    except JsonInvalidError:
        return None
    return value if isinstance(value, dict) else None
