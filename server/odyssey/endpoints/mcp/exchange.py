"""One MCP request on its way: what it may cost, and what became of it below the protocol."""

import asyncio
from contextvars import ContextVar
from dataclasses import dataclass

from odyssey.endpoints.upstream import NotAnswered


@dataclass(slots=True)
class Exchange:
    """Filled in by the transport, read by whoever asked: the SDK's own errors tell neither."""

    deadline: float
    """In the event loop's time."""
    max_bytes: int
    sent: bool = False
    """Whether a byte of it may have left."""
    failure: NotAnswered | None = None
    session_gone: bool = False
    """The service answered that it knows no such session, which it says before it looks at the request."""
    received: int = 0
    """Bytes of its answer so far."""
    resumed: int = 0
    """How often the stream of its answer was taken up again."""

    def remaining_s(self) -> float:
        return self.deadline - asyncio.get_running_loop().time()

    def fail(self, code: str, message: str, *, status: int | None = None) -> None:
        self.failure = NotAnswered(code, message, "unknown" if self.sent else "not_sent", status)


under_way: ContextVar[Exchange] = ContextVar("under_way")
"""The SDK runs the HTTP of a message in the context of whoever sent the message."""


class HopFailedError(Exception):
    """No usable answer came."""

    def __init__(self, failure: NotAnswered) -> None:
        super().__init__(failure.message)
        self.failure = failure
