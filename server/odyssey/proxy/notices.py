"""A text that travels in the answer of a call: the world and its records keep the answer without it.

From the k-th call on that the world answered, the first answer that can carry the text does: a string, after a blank
line, or an object that has no member `notice` and whose schema allows one. Whatever a rule or an error answered does
not count, and does not carry.
"""

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

import msgspec

from odyssey.journal.injections import CarriedText
from odyssey.proxy.answering import MAX_RESPONSE_BYTES
from odyssey.records.json_schema import CompiledSchema

MEMBER = "notice"
_BY_THE_WORLD = ("odyssey", "passthrough")


class Carrier(NamedTuple):
    """An answer with the text in it."""

    response: Any
    carried_as: Literal["text", "notice"]


class Notice:
    """How far one attempt has come in delivering its text."""

    __slots__ = ("_answered", "_carried", "_step", "_text")

    def __init__(self, text: str, step: int) -> None:
        self._text = text
        self._step = step
        self._answered = 0
        self._carried = False

    def carrier(self, envelope: Mapping[str, Any], output_schema: CompiledSchema | None) -> Carrier | None:
        """Return the answer to send instead of the envelope's, if it is this one's turn and it can carry the text."""
        if self._carried or envelope["source"] not in _BY_THE_WORLD or self._answered + 1 < self._step:
            return None
        raw = envelope["response"]
        response = msgspec.json.decode(raw) if isinstance(raw, msgspec.Raw) else raw
        carrier = self._put_into(response, output_schema)
        if carrier is None or len(msgspec.json.encode(carrier.response)) > MAX_RESPONSE_BYTES:
            return None
        return carrier

    def note(self, data: Mapping[str, Any]) -> None:
        """Count a call that was recorded, by the data of its event."""
        if data.get("source") in _BY_THE_WORLD:
            self._answered += 1
        if "injection" in data:
            self._carried = True

    def _put_into(self, response: Any, output_schema: CompiledSchema | None) -> Carrier | None:
        if isinstance(response, str):
            return Carrier(f"{response}\n\n{self._text}", "text")
        if not isinstance(response, dict) or MEMBER in response or "error" in response:
            return None
        noted = {**response, MEMBER: self._text}
        if output_schema is not None and not output_schema.is_valid(noted):
            return None
        return Carrier(noted, "notice")


def notice_of(injection: CarriedText | None) -> Notice | None:
    if injection is None or injection.delivery != "tool_result":
        return None
    return Notice(injection.text, injection.step)
