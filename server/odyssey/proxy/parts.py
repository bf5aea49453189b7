"""What serving a request needs; made once by the composition root."""

from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta
from typing import NamedTuple

from starlette.datastructures import Headers

from odyssey.core.group_commit import GroupWriter
from odyssey.core.signals import Signals
from odyssey.endpoints.registry import Upstreams
from odyssey.journal.platform_faults import PlatformFaults
from odyssey.kit.clock import Clock, milliseconds_since, rfc3339
from odyssey.proxy.address import ProxyAddress
from odyssey.proxy.hops import Hops
from odyssey.proxy.live_runs import LiveRuns
from odyssey.simulation.llm import LlmEngine

MAX_BODY_BYTES = 1024 * 1024
TRACE_LIMIT = 600


class Started(NamedTuple):
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


class Arrived(NamedTuple):
    """A request as the proxy sees it, its body not yet read."""

    address: ProxyAddress
    headers: Headers
    read_body: Callable[[], Awaitable[bytes | None]]
    """None stands for a body over the cap."""
