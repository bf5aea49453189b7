"""What serving a request needs, made once by the composition root; also calls that are out, and addresses."""

import asyncio
import logging
import re
from collections.abc import Awaitable, Callable, Coroutine
from datetime import datetime, timedelta
from typing import Any, Literal, NamedTuple, TypeVar

from starlette.datastructures import Headers

from odyssey.core.errors import OdysseyError
from odyssey.core.group_commit import GroupWriter
from odyssey.core.signals import Signals
from odyssey.endpoints.registry import Upstreams
from odyssey.journal.platform_faults import PlatformFaults
from odyssey.kit.clock import Clock, milliseconds_since, rfc3339
from odyssey.proxy.live_runs import LiveRuns, LiveToken
from odyssey.simulation.llm import LlmEngine

# Calls that have gone out: each is seen through to its record, also when nobody waits for it any more.

log = logging.getLogger(__name__)

Result = TypeVar("Result")


class Hops:
    """What is under way; closing cuts it off, and the journal keeps that it went out."""

    def __init__(self, upstreams: Upstreams) -> None:
        self._upstreams = upstreams
        self._tasks: set[asyncio.Task[Any]] = set()

    async def see_through(self, work: Coroutine[Any, Any, Result]) -> Result:
        """Wait for work that goes on to its end although the one who waits may leave."""
        task = self._begin(work)
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            task.add_done_callback(_tell)
            raise

    def end_session(self, token: LiveToken) -> None:
        """Let go of what services keep for an attempt that is over."""
        self._begin(self._upstreams.end_session(token.session)).add_done_callback(_tell)

    def _begin(self, work: Coroutine[Any, Any, Result]) -> asyncio.Task[Result]:
        task = asyncio.create_task(work, name="hop")
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def close(self) -> None:
        """Cut off what is under way; the drain of the runs has waited for it."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)


def _tell(task: asyncio.Task[Any]) -> None:
    """Log what went wrong where nobody is left to be told; what is refused, the journal has."""
    error = None if task.cancelled() else task.exception()
    if error is not None and not isinstance(error, OdysseyError):
        log.error("a forwarded call failed", exc_info=error)


# Proxy addresses, read from the raw path: nothing is decoded, so no encoded separator can hide in a name.

PREFIX = "/api/odyssey-proxy"

_ADDRESS = re.compile(r"(?:/runs/(?P<run>[^/]*))?/(?:(?P<what>tools|traces)/(?P<name>[^/]+)|mcp)")

What = Literal["tools", "traces", "mcp"]


class ProxyAddress(NamedTuple):
    run: str | None
    """The `{run}` segment as sent; None in the short form."""
    what: What
    name: str
    """The tool or the type of the trace event; the gateway of MCP clients has none."""


def read_address(path: str) -> ProxyAddress | None:
    """Read what follows the prefix; None is no address of ours."""
    found = _ADDRESS.fullmatch(path)
    if found is None:
        return None
    what: What = "tools" if found["what"] == "tools" else "traces" if found["what"] else "mcp"
    return ProxyAddress(found["run"], what, found["name"] or "")


MAX_BODY_BYTES = 1024 * 1024
TRACE_LIMIT = 600


class CallStart(NamedTuple):
    """When a request arrived."""

    at: datetime
    counter: float
    """By `time.perf_counter`."""

    def times(self, latency_ms: int) -> dict[str, str]:
        """Say when a request began and when it is answered: the record has one duration of a call, not two."""
        return {
            "started_at": rfc3339(self.at),
            "ended_at": rfc3339(self.at + timedelta(milliseconds=latency_ms)),
        }

    def elapsed_ms(self) -> int:
        return milliseconds_since(self.counter)


class ProxyParts(NamedTuple):
    live_runs: LiveRuns
    writer: GroupWriter
    llm: LlmEngine
    faults: PlatformFaults
    signals: Signals
    clock: Clock
    upstreams: Upstreams
    hops: Hops
    rate_limit: int
    """Tool calls per token in a sliding minute."""
    trace_limit: int
    """Trace events and other messages per token in a sliding minute."""


class ProxyRequest(NamedTuple):
    """A request as the proxy sees it, its body not yet read."""

    address: ProxyAddress
    headers: Headers
    read_body: Callable[[], Awaitable[bytes | None]]
    """None stands for a body over the cap."""
