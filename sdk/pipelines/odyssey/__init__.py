"""The SDK of Odyssey: port an agent in three lines, and drive the platform. Names are loaded when they are used."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pipelines.odyssey import adapters, agents, context, tool_endpoints
    from pipelines.odyssey.client import AsyncClient, Client
    from pipelines.odyssey.context import acting_as, current, set_current
    from pipelines.odyssey.dispatch import dispatch_app, register_dispatch_route
    from pipelines.odyssey.envelope import Envelope, Session
    from pipelines.odyssey.errors import ApiError, OdysseyError, ProxyError, RunEndedError, UnreachableError
    from pipelines.odyssey.injection import with_system_injection, with_system_injection_async
    from pipelines.odyssey.proxy import (
        proxy_call,
        proxy_call_async,
        proxy_call_with,
        proxy_call_with_async,
    )
    from pipelines.odyssey.reply import Reply
    from pipelines.odyssey.tools import (
        Tool,
        adapter,
        passthrough,
        simulated,
        tools_schema,
        tools_schema_json,
    )
    from pipelines.odyssey.traces import (
        post_trace_event,
        post_trace_event_async,
        safe_assistant_message,
        safe_assistant_message_async,
        safe_handoff,
        safe_handoff_async,
        safe_subagent_final,
        safe_subagent_final_async,
        safe_subagent_message,
        safe_subagent_message_async,
        safe_system_prompt,
        safe_system_prompt_async,
        safe_thinking,
        safe_thinking_async,
        safe_trace_event,
        safe_trace_event_async,
    )

_MODULES = ("adapters", "agents", "context", "tool_endpoints")
_NAMES = {
    "client": ("AsyncClient", "Client"),
    "context": ("acting_as", "current", "set_current"),
    "dispatch": ("dispatch_app", "register_dispatch_route"),
    "envelope": ("Envelope", "Session"),
    "errors": ("ApiError", "OdysseyError", "ProxyError", "RunEndedError", "UnreachableError"),
    "injection": ("with_system_injection", "with_system_injection_async"),
    "proxy": ("proxy_call", "proxy_call_async", "proxy_call_with", "proxy_call_with_async"),
    "reply": ("Reply",),
    "tools": ("Tool", "adapter", "passthrough", "simulated", "tools_schema", "tools_schema_json"),
    "traces": (
        "post_trace_event",
        "post_trace_event_async",
        "safe_assistant_message",
        "safe_assistant_message_async",
        "safe_handoff",
        "safe_handoff_async",
        "safe_subagent_final",
        "safe_subagent_final_async",
        "safe_subagent_message",
        "safe_subagent_message_async",
        "safe_system_prompt",
        "safe_system_prompt_async",
        "safe_thinking",
        "safe_thinking_async",
        "safe_trace_event",
        "safe_trace_event_async",
    ),
}
_HOME = {name: module for module, names in _NAMES.items() for name in names}

__all__ = [
    "ApiError",
    "AsyncClient",
    "Client",
    "Envelope",
    "OdysseyError",
    "ProxyError",
    "Reply",
    "RunEndedError",
    "Session",
    "Tool",
    "UnreachableError",
    "acting_as",
    "adapter",
    "adapters",
    "agents",
    "context",
    "current",
    "dispatch_app",
    "passthrough",
    "post_trace_event",
    "post_trace_event_async",
    "proxy_call",
    "proxy_call_async",
    "proxy_call_with",
    "proxy_call_with_async",
    "register_dispatch_route",
    "safe_assistant_message",
    "safe_assistant_message_async",
    "safe_handoff",
    "safe_handoff_async",
    "safe_subagent_final",
    "safe_subagent_final_async",
    "safe_subagent_message",
    "safe_subagent_message_async",
    "safe_system_prompt",
    "safe_system_prompt_async",
    "safe_thinking",
    "safe_thinking_async",
    "safe_trace_event",
    "safe_trace_event_async",
    "set_current",
    "simulated",
    "tool_endpoints",
    "tools_schema",
    "tools_schema_json",
    "with_system_injection",
    "with_system_injection_async",
]


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return import_module(f"{__name__}.{name}")
    if name in _HOME:
        return getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
