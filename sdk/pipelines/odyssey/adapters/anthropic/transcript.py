"""A conversation with the Messages API as the platform reads it, and what it took."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from pipelines.odyssey.adapters.anthropic.answering import tool_uses
from pipelines.odyssey.adapters.anthropic.sub_agent import System
from pipelines.odyssey.reply import Reply


@dataclass
class Tally:
    """Sums over all answers of the model, those of sub-agents included."""

    input_tokens: int = 0
    """All that the model read, from the cache or not."""
    output_tokens: int = 0
    cache_creation_input_tokens: int = 0
    cache_read_input_tokens: int = 0

    def add(self, usage: Any) -> None:
        created = usage.cache_creation_input_tokens or 0
        read = usage.cache_read_input_tokens or 0
        self.input_tokens += usage.input_tokens + created + read
        self.output_tokens += usage.output_tokens
        self.cache_creation_input_tokens += created
        self.cache_read_input_tokens += read

    def metadata(self) -> dict[str, Any]:
        return {
            "total_input_tokens": self.input_tokens,
            "total_output_tokens": self.output_tokens,
            "cache_creation_input_tokens": self.cache_creation_input_tokens,
            "cache_read_input_tokens": self.cache_read_input_tokens,
        }


def reply_of(
    result: Any, messages: Iterable[Mapping[str, Any]] = (), *, system: System | None = None
) -> Reply:
    """Make the reply from the model's last message, for who has a loop already.

    `messages` are those sent to the model, and `system` the prompt as it was used: the transcript is made of them.
    The metadata counts the last message alone.
    """
    tally = Tally()
    tally.add(result.usage)
    asked = list(messages)
    if not asked or asked[-1].get("content") != result.content:
        asked.append({"role": "assistant", "content": result.content})
    return Reply(
        text_of_message(result),
        transcript(system, asked),
        {"model": result.model, "stop_reason": result.stop_reason, **tally.metadata()},
    )


def transcript(system: System | None, messages: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Write the messages of a conversation; results of tools become messages of their own."""
    said = [] if system is None else [{"role": "system", "content": text_of_system(system)}]
    for message in messages:
        blocks = _blocks(message["content"])
        said.extend(_assistant(blocks) if message["role"] == "assistant" else _user(message["role"], blocks))
    return said


def text_of_message(message: Any) -> str:
    return _text(_blocks(message.content))


def thoughts_of(message: Any) -> list[str]:
    """Return what a message shows of its reasoning; what is redacted shows nothing."""
    return [block["thinking"] for block in _blocks(message.content) if _is_thought(block)]


def text_of_system(system: System) -> str:
    return system if isinstance(system, str) else "\n\n".join(str(block.get("text", "")) for block in system)


def _assistant(blocks: list[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    message: dict[str, Any] = {"role": "assistant", "content": _text(blocks) or None}
    if thoughts := [{"type": "text", "text": block["thinking"]} for block in blocks if _is_thought(block)]:
        message["thinking"] = thoughts
    if uses := tool_uses({"content": blocks}):
        message["tool_calls"] = [use._asdict() for use in uses]
    yield message


def _user(role: str, blocks: list[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    for block in blocks:
        if block["type"] == "tool_result":
            yield {
                "role": "tool",
                "tool_call_id": block["tool_use_id"],
                "content": _text(_blocks(block.get("content") or "")),
            }
    others = [block for block in blocks if block["type"] != "tool_result"]
    if others:
        yield {"role": role, "content": _text(others) or json.dumps([block["type"] for block in others])}


def _blocks(content: Any) -> list[Mapping[str, Any]]:
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return [block if isinstance(block, Mapping) else block.to_dict() for block in content]


def _text(blocks: Iterable[Mapping[str, Any]]) -> str:
    return "".join(block["text"] for block in blocks if block["type"] == "text")


def _is_thought(block: Mapping[str, Any]) -> bool:
    return block["type"] == "thinking" and bool(block.get("thinking"))
