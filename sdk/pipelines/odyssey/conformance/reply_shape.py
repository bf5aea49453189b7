"""Whether a reply fits the response contract: the final response, the transcript, the metadata."""

import json
from typing import Any, NamedTuple

MOST_CHARACTERS = 50_000

_ROLES = ("system", "user", "assistant", "tool")
_COUNTS = ("total_input_tokens", "total_output_tokens")


class Reading(NamedTuple):
    """A reply, and what is wrong with it."""

    reply: dict[str, Any] | None
    """None if nothing of it can be graded."""
    fault: str = ""


def read_reply(text: str) -> Reading:
    """Read the body of a 2xx answer: JSON with a final response that is not empty."""
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        return Reading(None, "the body is not JSON")
    return check_final_response(document)


def check_final_response(document: Any) -> Reading:
    if not isinstance(document, dict):
        return Reading(None, f"the reply must be an object, not {_kind(document)}")
    final = document.get("final_response")
    if final is None:
        return Reading(None, "the reply has no final_response")
    if not isinstance(final, str):
        return Reading(None, f"final_response must be a string, not {_kind(final)}")
    if not final.strip():
        return Reading(None, "final_response is empty")
    return Reading(document)


def transcript_faults(reply: dict[str, Any]) -> list[str]:
    """Name everything for which the platform would leave out messages or metadata."""
    faults: list[str] = []
    messages = reply.get("messages")
    if messages is not None and not isinstance(messages, list):
        faults.append(f"messages must be a list, not {_kind(messages)}")
    elif messages is not None:
        call_ids: set[str] = set()
        for index, message in enumerate(messages):
            faults += _message_faults(f"messages[{index}]", message, call_ids)
    return faults + _metadata_faults(reply.get("metadata"))


def says_something(reply: dict[str, Any]) -> bool:
    """Whether an assistant message has words, as an agent needs whose response contract is strict."""
    messages = reply.get("messages")
    return isinstance(messages, list) and any(
        isinstance(message, dict) and message.get("role") == "assistant" and _has_text(message.get("content"))
        for message in messages
    )


def _has_text(content: Any) -> bool:
    if isinstance(content, str):
        return bool(content.strip())
    parts = content if isinstance(content, list) else ()
    texts = [part.get("text") if isinstance(part, dict) else part for part in parts]
    return any(isinstance(text, str) and text.strip() for text in texts)


def _message_faults(place: str, message: Any, call_ids: set[str]) -> list[str]:
    if not isinstance(message, dict):
        return [f"{place} must be an object, not {_kind(message)}"]
    faults = []
    role = message.get("role")
    if role not in _ROLES:
        faults.append(f"{place}.role must be one of {', '.join(_ROLES)}, not {role!r:.60}")
    content = message.get("content")
    if content is not None and not isinstance(content, str | list):
        faults.append(f"{place}.content must be a string, a list of parts or null, not {_kind(content)}")
    thinking = message.get("thinking")
    if thinking is not None and not isinstance(thinking, list):
        faults.append(f"{place}.thinking must be a list, not {_kind(thinking)}")
    if role == "tool":
        faults += _answer_faults(place, message.get("tool_call_id"), call_ids)
    calls = message.get("tool_calls")
    return faults if calls is None else faults + _calls_faults(f"{place}.tool_calls", role, calls, call_ids)


def _answer_faults(place: str, call_id: Any, call_ids: set[str]) -> list[str]:
    if not isinstance(call_id, str) or not call_id:
        return [f"{place}.tool_call_id is required on a tool message, as a non-empty string"]
    if call_id not in call_ids:
        return [f"{place}.tool_call_id {call_id!r:.60} answers no earlier assistant tool call"]
    return []


def _calls_faults(place: str, role: Any, calls: Any, call_ids: set[str]) -> list[str]:
    if not isinstance(calls, list):
        return [f"{place} must be a list, not {_kind(calls)}"]
    if calls and role != "assistant":
        return [f"{place} belongs on assistant messages, not on {role} messages"]
    return [
        fault
        for index, call in enumerate(calls)
        for fault in _call_faults(f"{place}[{index}]", call, call_ids)
    ]


def _call_faults(place: str, call: Any, call_ids: set[str]) -> list[str]:
    if not isinstance(call, dict):
        return [f"{place} must be an object, not {_kind(call)}"]
    faults = []
    call_id = call.get("id")
    if isinstance(call_id, str) and call_id:
        call_ids.add(call_id)
    else:
        faults.append(f"{place}.id must be a non-empty string")
    function, inner = call, place
    if "function" in call:
        function, inner = call["function"], f"{place}.function"
        if not isinstance(function, dict):
            return [*faults, f"{inner} must be an object, not {_kind(function)}"]
    if not isinstance(function.get("name"), str) or not function["name"]:
        faults.append(f"{inner}.name must be a non-empty string")
    if not isinstance(function.get("arguments"), dict | str):
        faults.append(f"{inner}.arguments must be an object or a JSON string")
    return faults


def _metadata_faults(metadata: Any) -> list[str]:
    if metadata is None:
        return []
    if not isinstance(metadata, dict):
        return [f"metadata must be an object, not {_kind(metadata)}"]
    faults = []
    for key in _COUNTS:
        count = metadata.get(key)
        if count is not None and (type(count) is not int or count < 0):
            faults.append(f"metadata.{key} must be an integer of 0 or more, not {count!r:.60}")
    runtime = metadata.get("agent_runtime_ms")
    if runtime is not None and type(runtime) not in (int, float):
        faults.append(f"metadata.agent_runtime_ms must be a number, not {runtime!r:.60}")
    return faults


def _kind(value: Any) -> str:
    kinds = {dict: "an object", list: "a list", str: "a string", bool: "a boolean", type(None): "null"}
    return kinds.get(type(value), "a number")
