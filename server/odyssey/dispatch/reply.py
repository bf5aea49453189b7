"""What comes back from the agent: its final response, and transcript and metadata if they are well-formed."""

import json
from dataclasses import dataclass
from typing import Any

from odyssey.kit.json_reader import JsonInvalidError, MendedText, mend_text, read_json
from odyssey.kit.redaction import Redaction

MAX_FINAL_RESPONSE = 50_000

_ROLES = ("system", "user", "assistant", "tool")
_TOKEN_COUNTS = ("total_input_tokens", "total_output_tokens")


@dataclass(frozen=True, slots=True)
class AgentReply:
    final_response: str
    messages: list[dict[str, Any]] | None
    metadata: dict[str, Any] | None
    soft_warnings: list[str]
    """Each begins with a stable code and a colon."""
    raw: str
    """The text that arrived. What no Unicode text can hold is U+FFFD in it; with a secret in it, it is written anew."""


class ReplyNotJsonError(ValueError):
    """The body is not one strict JSON document."""


class ReplyIncompleteError(ValueError):
    """The body is JSON without a non-empty final_response."""


class _MalformedError(ValueError):
    """A part of the reply is not what the contract says; the message names the part."""


def parse_reply(body: bytes, hide: Redaction) -> AgentReply:
    """Read a 2xx body, without the secrets in it; raises ReplyNotJsonError or ReplyIncompleteError.

    A model may end in the middle of a character, and that is no reason to lose the run: half of one is replaced.
    """
    mended = mend_text(body)
    try:
        sent = read_json(mended.text)
    except JsonInvalidError as error:
        raise ReplyNotJsonError(str(error)) from error
    document = hide.value(sent)
    raw = mended.text if document is sent else json.dumps(document, ensure_ascii=False)
    warnings = _text_warnings(mended)
    final_response = _final_response(document, warnings)
    messages = _messages(document, warnings)
    metadata = _metadata(document, warnings)
    return AgentReply(final_response, messages, metadata, warnings, raw)


def _text_warnings(mended: MendedText) -> list[str]:
    if not mended.bad_pieces:
        return []
    pieces = "1 piece that is" if mended.bad_pieces == 1 else f"{mended.bad_pieces} pieces that are"
    first = mended.first if mended.bad_pieces == 1 else f"the first is {mended.first}"
    return [f"reply_invalid_text: {pieces} no Unicode text replaced by U+FFFD ({first})"]


def _final_response(document: Any, warnings: list[str]) -> str:
    if not isinstance(document, dict):
        raise ReplyIncompleteError(f"the reply must be an object with final_response, not {_kind(document)}")
    if "final_response" not in document:
        raise ReplyIncompleteError("the reply has no final_response")
    text = document["final_response"]
    if not isinstance(text, str):
        raise ReplyIncompleteError(f"final_response must be a string, not {_kind(text)}")
    if not text.strip():
        raise ReplyIncompleteError("final_response is empty")
    if len(text) > MAX_FINAL_RESPONSE:
        warnings.append(
            f"final_response_truncated: cut to {MAX_FINAL_RESPONSE} of {len(text)} characters before grading"
        )
    return text[:MAX_FINAL_RESPONSE]


def _messages(document: dict[str, Any], warnings: list[str]) -> list[dict[str, Any]] | None:
    messages = document.get("messages")
    if messages is None:
        warnings.append(
            "messages_missing: the reply has no messages, so the trace shows the final response only"
        )
        return None
    try:
        return _checked_messages(messages)
    except _MalformedError as error:
        warnings.append(f"messages_malformed: {error}")
        return None


def _metadata(document: dict[str, Any], warnings: list[str]) -> dict[str, Any] | None:
    metadata = document.get("metadata")
    if metadata is None:
        return None
    try:
        return _checked_metadata(metadata)
    except _MalformedError as error:
        warnings.append(f"metadata_malformed: {error}")
        return None


def _checked_messages(messages: Any) -> list[dict[str, Any]]:
    if not isinstance(messages, list):
        raise _MalformedError(f"messages must be a list, not {_kind(messages)}")
    call_ids: set[str] = set()
    for index, message in enumerate(messages):
        _check_message(f"messages[{index}]", message, call_ids)
    return messages


def _check_message(place: str, message: Any, call_ids: set[str]) -> None:
    if not isinstance(message, dict):
        raise _MalformedError(f"{place} must be an object, not {_kind(message)}")
    role = message.get("role")
    if not isinstance(role, str) or role not in _ROLES:
        raise _MalformedError(f"{place}.role must be one of {', '.join(_ROLES)}, not {_shown(role)}")
    content = message.get("content")
    if content is not None and not isinstance(content, str | list):
        raise _MalformedError(
            f"{place}.content must be a string, a list of parts or null, not {_kind(content)}"
        )
    thinking = message.get("thinking")
    if thinking is not None and not isinstance(thinking, list):
        raise _MalformedError(f"{place}.thinking must be a list, not {_kind(thinking)}")
    if role == "tool":
        _check_answer(place, message.get("tool_call_id"), call_ids)
    if message.get("tool_calls") is not None:
        _check_calls(f"{place}.tool_calls", role, message["tool_calls"], call_ids)


def _check_answer(place: str, call_id: Any, call_ids: set[str]) -> None:
    if not isinstance(call_id, str) or not call_id:
        raise _MalformedError(f"{place}.tool_call_id is required on a tool message, as a non-empty string")
    if call_id not in call_ids:
        raise _MalformedError(
            f"{place}.tool_call_id {_shown(call_id)} answers no earlier assistant tool call"
        )


def _check_calls(place: str, role: str, calls: Any, call_ids: set[str]) -> None:
    if not isinstance(calls, list):
        raise _MalformedError(f"{place} must be a list, not {_kind(calls)}")
    if calls and role != "assistant":
        raise _MalformedError(f"{place} belongs on assistant messages, not on {role} messages")
    for index, call in enumerate(calls):
        call_ids.add(_checked_call(f"{place}[{index}]", call))


def _checked_call(place: str, call: Any) -> str:
    if not isinstance(call, dict):
        raise _MalformedError(f"{place} must be an object, not {_kind(call)}")
    call_id = call.get("id")
    if not isinstance(call_id, str) or not call_id:
        raise _MalformedError(f"{place}.id must be a non-empty string")
    if "function" in call:
        if call.get("type", "function") != "function":
            raise _MalformedError(f'{place}.type must be "function", not {_shown(call["type"])}')
        _check_function(f"{place}.function", call["function"])
    else:
        _check_function(place, call)
    return call_id


def _check_function(place: str, function: Any) -> None:
    if not isinstance(function, dict):
        raise _MalformedError(f"{place} must be an object, not {_kind(function)}")
    name = function.get("name")
    if not isinstance(name, str) or not name:
        raise _MalformedError(f"{place}.name must be a non-empty string")
    if not isinstance(function.get("arguments"), dict | str):
        raise _MalformedError(f"{place}.arguments must be an object or a JSON string")


def _checked_metadata(metadata: Any) -> dict[str, Any]:
    if not isinstance(metadata, dict):
        raise _MalformedError(f"metadata must be an object, not {_kind(metadata)}")
    for key in _TOKEN_COUNTS:
        count = metadata.get(key)
        if count is not None and (not isinstance(count, int) or isinstance(count, bool) or count < 0):
            raise _MalformedError(f"metadata.{key} must be an integer of 0 or more, not {_shown(count)}")
    runtime = metadata.get("agent_runtime_ms")
    if runtime is not None and (not isinstance(runtime, int | float) or isinstance(runtime, bool)):
        raise _MalformedError(f"metadata.agent_runtime_ms must be a number, not {_shown(runtime)}")
    return metadata


def _shown(value: Any) -> str:
    """A scalar as it was written, anything else by its kind: warnings stay short whatever an agent sends."""
    if isinstance(value, str):
        return repr(value if len(value) <= 60 else value[:60] + "…")
    if isinstance(value, bool) or not isinstance(value, int | float):
        return _kind(value)
    return str(value)


def _kind(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "a boolean"
    for python_type, words in ((dict, "an object"), (list, "a list"), (str, "a string")):
        if isinstance(value, python_type):
            return words
    return "a number"


# The response contract: whether a reply brings a transcript that can be graded.

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


# The public JSON Schema of an agent's response, as the contract describes it.

_TOOL_CALL = {
    "type": "object",
    "anyOf": [
        {"required": ["id", "name", "arguments"]},
        {
            "required": ["id", "function"],
            "properties": {"function": {"type": "object", "required": ["name"]}},
        },
    ],
}

_MESSAGE: dict[str, Any] = {
    "type": "object",
    "additionalProperties": True,
    "required": ["role"],
    "properties": {
        "role": {"enum": ["system", "user", "assistant", "tool"]},
        "content": {"type": ["string", "array", "null"]},
        "tool_call_id": {
            "type": "string",
            "description": "Required on tool messages: the id of the call it answers.",
        },
        "tool_calls": {"type": ["array", "null"], "items": _TOOL_CALL},
        "thinking": {"type": ["array", "null"], "items": {"type": "object"}},
    },
}

AGENT_RESPONSE_SCHEMA: dict[str, Any] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "$id": "https://docs.pipelines.tech/schemas/agent-response.json",
    "title": "Pipelines Agent Response (v1)",
    "type": "object",
    "additionalProperties": True,
    "required": ["final_response"],
    "properties": {
        "final_response": {
            "type": "string",
            "minLength": 1,
            "description": "The answer that is graded; past 50,000 characters it is cut, with a soft warning.",
        },
        "messages": {"type": ["array", "null"], "items": {"$ref": "#/$defs/Message"}},
        "metadata": {
            "type": ["object", "null"],
            "additionalProperties": True,
            "properties": {
                "model": {"type": "string"},
                "system_prompt_id": {"type": "string"},
                "total_input_tokens": {"type": "integer"},
                "total_output_tokens": {"type": "integer"},
                "agent_runtime_ms": {"type": "number"},
            },
        },
    },
    "$defs": {"Message": _MESSAGE},
}
