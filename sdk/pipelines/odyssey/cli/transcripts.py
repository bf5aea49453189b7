"""The conversation of a run as chat messages: as the agent told it, else as the platform saw it."""

from collections.abc import Iterable, Mapping
from typing import Any

from pipelines.odyssey.cli.printing.screen import as_json
from pipelines.odyssey.client import types as t

Message = dict[str, Any]

_SPOKEN = frozenset({"assistant_message", "subagent_message", "subagent_final"})


def messages_of(run: t.RunOut, events: Iterable[t.EventOut]) -> list[Message]:
    """Return the messages that came with the reply; without any, what the events of the last attempt tell."""
    told = run["messages"]
    if isinstance(told, list) and told:
        return list(told)
    messages: list[Message] = []
    for event in events:
        if event["kind"] == "dispatch":
            messages = []  # every attempt begins anew
        messages += _seen(event)
    if run["final_response"] is not None and not _is_last(messages, run["final_response"]):
        messages.append({"role": "assistant", "content": run["final_response"]})
    return messages


def _seen(event: t.EventOut) -> list[Message]:
    data = event["data"]
    if event["kind"] == "dispatch":
        sent = _object(_object(data.get("body")).get("input"))
        return [{"role": "user", "content": str(sent.get("user_instruction") or "")}]
    if event["kind"] == "tool_call" and "tool_name" in data:
        call_id = f"call_{event['sequence']}"
        call = {"id": call_id, "name": data["tool_name"], "arguments": data.get("arguments", {})}
        answer = data.get("response", data.get("detail"))
        content = answer if isinstance(answer, str) else as_json(answer)
        return [
            {"role": "assistant", "content": "", "tool_calls": [call]} | _by(event),
            {"role": "tool", "tool_call_id": call_id, "content": content},
        ]
    if event["kind"] == "trace_event":
        text = _text(_object(data.get("payload")))
        if text is not None and data.get("event_type") in _SPOKEN:
            return [{"role": "assistant", "content": text} | _by(event)]
        if text is not None and data.get("event_type") == "system_prompt":
            return [{"role": "system", "content": text}]
    return []


def _by(event: t.EventOut) -> Message:
    return {} if event.get("actor_id") is None else {"name": event["actor_id"]}


def _text(payload: Mapping[str, Any]) -> str | None:
    return next((payload[name] for name in ("text", "content") if isinstance(payload.get(name), str)), None)


def _is_last(messages: list[Message], text: str) -> bool:
    return bool(messages) and messages[-1].get("role") == "assistant" and messages[-1]["content"] == text


def _object(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}
