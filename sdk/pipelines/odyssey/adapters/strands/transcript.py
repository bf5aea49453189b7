"""Messages of Strands as the messages of a reply."""

import json
from collections.abc import Iterable, Mapping
from typing import Any

from strands.types.content import Message, Messages
from strands.types.tools import ToolResult


def spoken(message: Message) -> str:
    """Return what a message says, cited text included."""
    parts: list[str] = []
    for block in message["content"]:
        if "text" in block:
            parts.append(block["text"])
        elif "citationsContent" in block:
            parts += [part["text"] for part in block["citationsContent"].get("content", []) if "text" in part]
    return "\n".join(parts)


def thoughts(message: Message) -> list[str]:
    """Return the reasoning of a message, as far as the provider shows it."""
    reasons = [block["reasoningContent"] for block in message["content"] if "reasoningContent" in block]
    return [
        reason["reasoningText"]["text"] for reason in reasons if reason.get("reasoningText", {}).get("text")
    ]


def asks_for_tools(message: Message) -> bool:
    return any("toolUse" in block for block in message["content"])


def transcript(system_prompt: str | None, messages: Iterable[Message]) -> list[dict[str, Any]]:
    """Write a conversation as the contract has it: system, user, assistant and tool."""
    written: list[dict[str, Any]] = [{"role": "system", "content": system_prompt}] if system_prompt else []
    for message in messages:
        written += [_assistant(message)] if message["role"] == "assistant" else _user(message)
    return written


def from_history(history: Iterable[Mapping[str, Any]]) -> Messages:
    """Turn the earlier turns of a session into messages of Strands."""
    return [
        {
            "role": "assistant" if said.get("role") == "assistant" else "user",
            "content": [{"text": _plain(said)}],
        }
        for said in history
        if said.get("role") in ("user", "assistant")
    ]


def _assistant(message: Message) -> dict[str, Any]:
    written: dict[str, Any] = {"role": "assistant", "content": spoken(message) or None}
    calls = [block["toolUse"] for block in message["content"] if "toolUse" in block]
    if calls:
        written["tool_calls"] = [
            {"id": call["toolUseId"], "name": call["name"], "arguments": call["input"]} for call in calls
        ]
    if reasons := thoughts(message):
        written["thinking"] = [{"type": "text", "text": reason} for reason in reasons]
    return written


def _user(message: Message) -> list[dict[str, Any]]:
    written: list[dict[str, Any]] = [
        {
            "role": "tool",
            "tool_call_id": block["toolResult"]["toolUseId"],
            "content": _result(block["toolResult"]),
        }
        for block in message["content"]
        if "toolResult" in block
    ]
    if text := spoken(message):
        written.append({"role": "user", "content": text})
    return written


def _result(result: ToolResult) -> str:
    parts: list[str] = []
    for block in result["content"]:
        if "text" in block:
            parts.append(block["text"])
        elif "json" in block:
            parts.append(json.dumps(block["json"], ensure_ascii=False, separators=(",", ":")))
        else:
            parts.append(f"[{next(iter(block), 'nothing')}]")
    return "\n".join(parts)


def _plain(said: Mapping[str, Any]) -> str:
    content = said.get("content")
    return content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)
