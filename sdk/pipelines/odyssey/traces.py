"""Events an agent adds to its trace while it runs; the `safe_` ones never disturb the agent."""

import logging
from collections.abc import Mapping
from datetime import datetime
from typing import Any, NamedTuple

from pipelines.odyssey.context import current
from pipelines.odyssey.errors import OdysseyError, ProxyError
from pipelines.odyssey.exchange import post, post_async

_TRACES = "traces"
_NOT_TAKEN = "the trace event %s was not taken: %s"
_log = logging.getLogger(__name__)


class TraceReceipt(NamedTuple):
    sequence: int
    """Where the event stands in the run."""
    event_type: str


def post_trace_event(
    event_type: str,
    payload: Mapping[str, Any] | None = None,
    *,
    occurred_at: datetime | str | None = None,
    actor_id: str | None = None,
) -> TraceReceipt:
    """Add an event: assistant_message, thinking, system_prompt, custom, handoff, subagent_message, subagent_final.

    `text` or `content` of the payload is shown in line. `occurred_at` orders it; without one the time of arrival does.
    """
    return _receipt(post(current(), _TRACES, event_type, _body(payload, occurred_at), actor_id))


async def post_trace_event_async(
    event_type: str,
    payload: Mapping[str, Any] | None = None,
    *,
    occurred_at: datetime | str | None = None,
    actor_id: str | None = None,
) -> TraceReceipt:
    """As `post_trace_event`, without holding up the event loop."""
    return _receipt(await post_async(current(), _TRACES, event_type, _body(payload, occurred_at), actor_id))


def safe_trace_event(
    event_type: str, payload: Mapping[str, Any] | None = None, *, actor_id: str | None = None
) -> TraceReceipt | None:
    """As `post_trace_event`; a failure is logged and None."""
    try:
        return post_trace_event(event_type, payload, actor_id=actor_id)
    except (OdysseyError, TypeError, ValueError) as error:
        _log.debug(_NOT_TAKEN, event_type, error)
        return None


async def safe_trace_event_async(
    event_type: str, payload: Mapping[str, Any] | None = None, *, actor_id: str | None = None
) -> TraceReceipt | None:
    """As `safe_trace_event`, without holding up the event loop."""
    try:
        return await post_trace_event_async(event_type, payload, actor_id=actor_id)
    except (OdysseyError, TypeError, ValueError) as error:
        _log.debug(_NOT_TAKEN, event_type, error)
        return None


def safe_assistant_message(text: str, **more: Any) -> TraceReceipt | None:
    return safe_trace_event("assistant_message", {"text": text, **more})


async def safe_assistant_message_async(text: str, **more: Any) -> TraceReceipt | None:
    return await safe_trace_event_async("assistant_message", {"text": text, **more})


def safe_thinking(text: str, **more: Any) -> TraceReceipt | None:
    return safe_trace_event("thinking", {"text": text, **more})


async def safe_thinking_async(text: str, **more: Any) -> TraceReceipt | None:
    return await safe_trace_event_async("thinking", {"text": text, **more})


def safe_system_prompt(text: str, **more: Any) -> TraceReceipt | None:
    return safe_trace_event("system_prompt", {"text": text, **more})


async def safe_system_prompt_async(text: str, **more: Any) -> TraceReceipt | None:
    return await safe_trace_event_async("system_prompt", {"text": text, **more})


def safe_handoff(
    from_: str, to: str, *, reason: str | None = None, message: str | None = None
) -> TraceReceipt | None:
    """Say that one agent gave control to another, both named by their paths."""
    return safe_trace_event("handoff", _handoff(from_, to, reason, message))


async def safe_handoff_async(
    from_: str, to: str, *, reason: str | None = None, message: str | None = None
) -> TraceReceipt | None:
    """As `safe_handoff`, without holding up the event loop."""
    return await safe_trace_event_async("handoff", _handoff(from_, to, reason, message))


def safe_subagent_message(text: str, *, actor_id: str | None = None) -> TraceReceipt | None:
    return safe_trace_event("subagent_message", {"text": text}, actor_id=actor_id)


async def safe_subagent_message_async(text: str, *, actor_id: str | None = None) -> TraceReceipt | None:
    return await safe_trace_event_async("subagent_message", {"text": text}, actor_id=actor_id)


def safe_subagent_final(text: str, *, actor_id: str | None = None) -> TraceReceipt | None:
    return safe_trace_event("subagent_final", {"text": text}, actor_id=actor_id)


async def safe_subagent_final_async(text: str, *, actor_id: str | None = None) -> TraceReceipt | None:
    return await safe_trace_event_async("subagent_final", {"text": text}, actor_id=actor_id)


def _handoff(from_: str, to: str, reason: str | None, message: str | None) -> dict[str, str]:
    said = {"from": from_, "to": to, "reason": reason, "message": message}
    return {name: value for name, value in said.items() if value is not None}


def _body(payload: Mapping[str, Any] | None, occurred_at: datetime | str | None) -> dict[str, Any]:
    body = dict(payload or {})
    if occurred_at is not None:
        body["__occurred_at"] = occurred_at.isoformat() if isinstance(occurred_at, datetime) else occurred_at
    return body


def _receipt(answer: Any) -> TraceReceipt:
    try:
        return TraceReceipt(int(answer["sequence"]), str(answer["event_type"]))
    except (TypeError, KeyError, ValueError):
        raise ProxyError(200, "response_unreadable", "The proxy gave no receipt for the event.") from None
