"""The response contract: whether a reply brings a transcript that can be graded."""

from typing import Any

from odyssey.dispatch.reply import AgentReply

_TEXT_PARTS = frozenset({"text", "output_text"})


def violates_rich_contract(reply: AgentReply) -> bool:
    """True when no assistant message says anything in words."""
    return not any(
        message.get("role") == "assistant" and _has_text(message.get("content"))
        for message in reply.messages or ()
    )


def _has_text(content: Any) -> bool:
    if isinstance(content, str):
        return bool(content.strip())
    return isinstance(content, list) and any(_part_text(part).strip() for part in content)


def _part_text(part: Any) -> str:
    if isinstance(part, str):
        return part
    if not isinstance(part, dict):
        return ""
    kind, text = part.get("type", "text"), part.get("text")
    return text if isinstance(text, str) and isinstance(kind, str) and kind in _TEXT_PARTS else ""
