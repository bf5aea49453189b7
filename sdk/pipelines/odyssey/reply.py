"""What an agent answers to a dispatch, from whatever its handler returned."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, is_dataclass
from typing import Any

from pipelines.odyssey.errors import ReplyError

_FINAL = ("final_response", "final_output")


@dataclass(frozen=True)
class Reply:
    """The final response, and what makes the trace rich."""

    final_response: str
    messages: list[dict[str, Any]] | None = None
    """`{role, content, tool_calls, tool_call_id, thinking}` each."""
    metadata: dict[str, Any] | None = None
    """`model`, `total_input_tokens`, `total_output_tokens`, `agent_runtime_ms`, and whatever else."""


def reply_of(value: Any) -> dict[str, Any]:
    """Make the body of the answer from a text, an object with a final response, or one with a final output."""
    if isinstance(value, str):
        body: dict[str, Any] = {"final_response": value}
    elif isinstance(value, Reply):
        body = {name: part for name, part in vars(value).items() if part is not None}
    elif isinstance(value, Mapping):
        body = dict(value)
    else:
        found = next((name for name in _FINAL if hasattr(value, name)), None)
        if found is None:
            raise ReplyError(
                f"The handler returned {type(value).__name__}; return a text, a dict with final_response, a Reply, "
                "or an object with final_output."
            )
        body = {"final_response": text_of(getattr(value, found))}
    final = body.get("final_response")
    if not isinstance(final, str) or not final.strip():
        raise ReplyError("The handler's final_response is empty or not a text; the platform needs one.")
    return body


def text_of(value: Any) -> str:
    """Write a final output as text: a text as it is, anything else as JSON."""
    if isinstance(value, str):
        return value
    if hasattr(value, "model_dump"):
        value = value.model_dump(mode="json")
    elif is_dataclass(value) and not isinstance(value, type):
        value = asdict(value)
    return "" if value is None else json.dumps(value, ensure_ascii=False, default=str)
