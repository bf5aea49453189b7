"""Whether the text of a pressure reached the agent: by what the platform saw, not by what was sent.

`user` travels in the instruction itself. `system` is delivered when the exact text stands in a system message of the
reply or in a `system_prompt` event; the agent's own word alone is a claim. `tool_result` is delivered when an answer
carried it.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

from odyssey.agents.config import VariationDelivery

Delivered = Literal["delivered", "claimed", "undelivered"]

APPLIED = "system_injection_applied"


def was_delivered(
    delivery: VariationDelivery,
    text: str,
    *,
    dispatched: bool,
    messages: Sequence[Mapping[str, Any]] | None,
    metadata: Mapping[str, Any] | None,
    system_prompts: Iterable[Any],
    carried: bool,
) -> Delivered:
    """Judge one ended run by its evidence; `system_prompts` are payloads, `carried` is about tool results."""
    if delivery == "user":
        return "delivered" if dispatched else "undelivered"
    if delivery == "tool_result":
        return "delivered" if carried else "undelivered"
    spoken = [message.get("content") for message in messages or () if message.get("role") == "system"]
    if any(_holds(text, part) for part in (*spoken, *system_prompts)):
        return "delivered"
    return "claimed" if metadata is not None and metadata.get(APPLIED) is True else "undelivered"


def _holds(text: str, value: Any) -> bool:
    """Whether a text stands anywhere in the strings of a value."""
    if isinstance(value, str):
        return text in value
    if isinstance(value, Mapping):
        return any(_holds(text, part) for part in value.values())
    return isinstance(value, list) and any(_holds(text, part) for part in value)
