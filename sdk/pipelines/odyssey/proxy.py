"""Tool calls: each is one POST to the per-run proxy, and what the tool answered is all the agent sees."""

from collections.abc import Mapping
from typing import Any

from pipelines.odyssey.context import current
from pipelines.odyssey.envelope import Envelope
from pipelines.odyssey.errors import ProxyError
from pipelines.odyssey.exchange import post, post_async

_TOOLS = "tools"


def proxy_call(name: str, args: Mapping[str, Any] | None = None, *, actor_id: str | None = None) -> Any:
    """Call a tool of the run at hand and return its `response`, or raise a ProxyError.

    Tried up to four times where nothing was applied (rate limit, simulator down, no connection).
    """
    return proxy_call_with(current(), name, args, actor_id=actor_id)


async def proxy_call_async(
    name: str, args: Mapping[str, Any] | None = None, *, actor_id: str | None = None
) -> Any:
    """As `proxy_call`, without holding up the event loop."""
    return await proxy_call_with_async(current(), name, args, actor_id=actor_id)


def proxy_call_with(
    envelope: Envelope, name: str, args: Mapping[str, Any] | None = None, *, actor_id: str | None = None
) -> Any:
    """As `proxy_call`, for a run that is named rather than bound."""
    return _unwrap(post(envelope, _TOOLS, name, args or {}, actor_id))


async def proxy_call_with_async(
    envelope: Envelope, name: str, args: Mapping[str, Any] | None = None, *, actor_id: str | None = None
) -> Any:
    """As `proxy_call_async`, for a run that is named rather than bound."""
    return _unwrap(await post_async(envelope, _TOOLS, name, args or {}, actor_id))


def _unwrap(answer: Any) -> Any:
    if not isinstance(answer, dict) or "response" not in answer:
        raise ProxyError(200, "response_unreadable", "The proxy answered without the member response.")
    return answer["response"]
