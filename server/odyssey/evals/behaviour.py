"""What a run did, as far as it can be compared with another: its answer, its calls, its change of the world, its text.

A failure of the agent's own is a behaviour too. Any other failure says nothing of the agent: the run is missing.
"""

import re
from collections.abc import Iterable
from typing import Any, Literal

import msgspec

from odyssey.kit.json_reader import JsonInvalidError, read_json
from odyssey.records.error_classes import OWN_FAILURES
from odyssey.records.ledger import Difference

_FENCED = re.compile(
    r"^ {0,3}(?P<fence>`{3,}|~{3,})[^\n]*\n(?P<inside>.*?)^ {0,3}(?P=fence)[`~]*[ \t]*$",
    re.DOTALL | re.MULTILINE,
)

Delivered = Literal["delivered", "claimed", "undelivered"]
"""Whether the text of a pressure reached the agent; `claimed` where only the agent says so."""


class BehaviourCall(msgspec.Struct, frozen=True):
    tool: str
    arguments: Any


class Behaviour(msgspec.Struct, frozen=True):
    structured: dict[str, Any] | None = None
    """The JSON object of the final response: the whole of it, else its last fenced block."""
    calls: tuple[BehaviourCall, ...] = ()
    """In the order they were made."""
    ledger: Difference | None = None
    """What the run changed in its world; None if it had none."""
    text: str = ""
    """What the final response says besides the structured answer."""
    failure: str | None = None
    """The error class, where the agent failed by its own fault; then nothing else counts."""


def behaviour_of(
    final_response: str | None,
    calls: Iterable[BehaviourCall] = (),
    ledger: Difference | None = None,
    error_class: str | None = None,
) -> Behaviour | None:
    """Read the behaviour of a run that ended; None where its failure was not the agent's."""
    if error_class is not None:
        return Behaviour(failure=error_class) if error_class in OWN_FAILURES else None
    structured, text = read_answer(final_response or "")
    return Behaviour(structured, tuple(calls), ledger, text)


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
