"""What a model's answer holds: thoughts, words and calls."""

from collections.abc import Iterable
from typing import Any

from openai.types.responses import (
    ResponseFunctionToolCall,
    ResponseOutputMessage,
    ResponseOutputText,
    ResponseReasoningItem,
)


def thinking_in(items: Iterable[Any]) -> list[str]:
    """Return each thought: the reasoning itself where the model shows it, else its summary."""
    thoughts = []
    for item in items:
        if isinstance(item, ResponseReasoningItem):
            parts = [part.text for part in item.content or ()] or [part.text for part in item.summary]
            thoughts.append("\n\n".join(parts))
    return [thought for thought in thoughts if thought]


def text_in(items: Iterable[Any]) -> str:
    """Return the words; a refusal is words too."""
    parts = [
        part.text if isinstance(part, ResponseOutputText) else part.refusal
        for item in items
        if isinstance(item, ResponseOutputMessage)
        for part in item.content
    ]
    return "\n".join(part for part in parts if part)


def calls_in(items: Iterable[Any]) -> list[ResponseFunctionToolCall]:
    return [item for item in items if isinstance(item, ResponseFunctionToolCall)]
