"""The messages of a LangGraph state as the platform's transcript."""

from collections.abc import Iterable, Mapping
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, ToolMessage, convert_to_messages

from pipelines.odyssey.errors import ReplyError
from pipelines.odyssey.reply import Reply, text_of

_ROLES = {"human": "user", "ai": "assistant", "system": "system", "tool": "tool"}


def reply_of(result: Any) -> Reply:
    """Make a reply of what a graph, an agent or a model gave back."""
    messages = messages_of(result)
    said = [message for message in messages if isinstance(message, AIMessage)]
    return Reply(
        final_response=_final(result, messages),
        messages=[contract_message(message) for message in messages if message.type in _ROLES] or None,
        metadata=usage_of(said) or None,
    )


def messages_of(result: Any) -> list[BaseMessage]:
    """Find the messages: of a state, of a list, or the one message there is."""
    if isinstance(result, BaseMessage):
        return [result]
    found = result.get("messages") if isinstance(result, Mapping) else getattr(result, "messages", result)
    return convert_to_messages(found) if isinstance(found, list | tuple) else []


def contract_message(message: BaseMessage) -> dict[str, Any]:
    """Write one message as `{role, content, tool_calls, tool_call_id, thinking}`."""
    text = message.text
    written: dict[str, Any] = {"role": _ROLES[message.type], "content": text or None}
    if isinstance(message, AIMessage):
        if message.tool_calls:
            written["tool_calls"] = [
                {"id": call["id"], "name": call["name"], "arguments": call["args"]}
                for call in message.tool_calls
            ]
        if thoughts := thoughts_of(message):
            written["thinking"] = [{"type": "text", "text": thought} for thought in thoughts]
    elif isinstance(message, ToolMessage):
        written |= {"tool_call_id": message.tool_call_id, "content": text}
    else:
        written["content"] = text
    return written


def thoughts_of(message: AIMessage) -> list[str]:
    """Read the reasoning of a message, whichever provider's shape it has."""
    return [thought for block in message.content_blocks if (thought := _thought(block))]


def _thought(block: Mapping[str, Any]) -> str:
    # A message that does not say which provider it came from keeps that provider's own blocks.
    own = block.get("value") if block.get("type") == "non_standard" else block
    if not isinstance(own, Mapping):
        return ""
    if own.get("type") == "thinking":
        return str(own.get("thinking") or "")
    if own.get("type") != "reasoning":
        return ""
    summary = (part.get("text") for part in own.get("summary") or () if isinstance(part, Mapping))
    return str(own.get("reasoning") or "\n".join(filter(None, summary)))


def usage_of(messages: Iterable[AIMessage]) -> dict[str, Any]:
    """Sum the tokens of the messages and name their model."""
    read = {"total_input_tokens": 0, "total_output_tokens": 0}
    model = None
    for message in messages:
        model = message.response_metadata.get("model_name") or message.response_metadata.get("model") or model
        if usage := message.usage_metadata:
            read["total_input_tokens"] += usage["input_tokens"]
            read["total_output_tokens"] += usage["output_tokens"]
    return ({"model": model} if model else {}) | (read if any(read.values()) else {})


def _final(result: Any, messages: list[BaseMessage]) -> str:
    if isinstance(result, str):
        return result
    if isinstance(result, Mapping) and result.get("__interrupt__"):
        raise ReplyError(
            "The graph stopped to ask a person, and in a run there is none: answer the interrupt in a handler of your "
            "own, or leave out for these runs what interrupts."
        )
    if isinstance(result, Mapping) and result.get("structured_response") is not None:
        return text_of(result["structured_response"])
    # A tool with return_direct ends the run with its own message.
    for message in reversed(messages):
        # Agents that speak to each other do so as people with names; the user has none.
        if message.type == "human" and not message.name:
            break
        if message.type in ("ai", "tool", "human") and message.text.strip():
            return message.text
    raise ReplyError(
        "The graph ended without an assistant message: its state has no text under 'messages' to answer with. "
        "Return a Reply of your own, made from the state."
    )
