"""What an argument may be, where only its description says so: "either 'a' or 'b'", "one of 'a', 'b' or 'c'"."""

import re
from functools import lru_cache
from typing import Any

from odyssey.kit.words import listed
from odyssey.simulation.engine import ToolCall

_CHOICE = re.compile(r"\b(?:either|one of|only be|must be|should be|has to be)\b([^.;]*)", re.IGNORECASE)
_EXAMPLE = re.compile(r"\b(?:such as|e\.g|for example|like|for instance)\b", re.IGNORECASE)
_QUOTED = re.compile(r"['\"“‘`]([^'\"”’`]{1,60})['\"”’`]")


def outside(call: ToolCall, argument: str, value: Any) -> str | None:
    """What is wrong with a text that is none of the quoted choices, in words; None if nothing is."""
    properties = call.tool.input_schema.get("properties")
    declared = properties.get(argument) if isinstance(properties, dict) else None
    description = declared.get("description") if isinstance(declared, dict) else None
    if not isinstance(description, str) or not isinstance(value, str):
        return None
    choices = _choices(description)
    if not choices or value in choices:
        return None
    return f"{argument} must be {listed([repr(each) for each in choices], 'or')}; {value!r} is not."


@lru_cache(maxsize=1024)
def _choices(description: str) -> tuple[str, ...]:
    found = _CHOICE.search(description)
    if found is None or _EXAMPLE.search(found[0]):
        return ()
    quoted = tuple(_QUOTED.findall(found[1]))
    return quoted if len(quoted) > 1 else ()
