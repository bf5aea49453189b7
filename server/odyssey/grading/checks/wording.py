"""Values in the words of a reason: short, whatever an agent or a world puts into them."""

from typing import Any

from odyssey.records.canonical import canonical_json

_LONGEST = 120


def as_json(value: Any) -> str:
    """A value as JSON, cut short."""
    return shortened(canonical_json(value).decode("utf-8"))


def shortened(text: str) -> str:
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


def times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"
