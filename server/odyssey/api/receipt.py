"""Our HTTP protocol: uvicorn's, with a deadline for receiving a request. Who trickles holds nothing for longer.

uvicorn waits for ever for the rest of a header or body, so the clock runs in the protocol itself.
"""

import asyncio
import json

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from odyssey.proxy.asgi import TRANSPORT

_BODY = json.dumps(
    {
        "type": "urn:odyssey:problem:request_timeout",
        "title": "The request did not arrive in time",
        "status": 408,
        "detail": "Send the whole request faster, or in smaller pieces.",
        "code": "request_timeout",
        "retryable": True,
    }
).encode("ascii")
_TOO_SLOW = (
    b"HTTP/1.1 408 Request Timeout\r\ncontent-type: application/problem+json\r\nconnection: close\r\n"
    b"content-length: %d\r\n\r\n%s" % (len(_BODY), _BODY)
)


class DeadlineProtocol(HttpToolsProtocol):
    receipt_seconds: float
    _deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override] # uvicorn narrows it too
        super().connection_made(transport)
        self._start_deadline()

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self.scope[TRANSPORT] = self.transport  # type: ignore[literal-required] # the proxy breaks wires on purpose
        self._start_deadline()

    def on_message_complete(self) -> None:
        self._stop_deadline()
        super().on_message_complete()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_deadline()
        super().connection_lost(exc)

    def _start_deadline(self) -> None:
        self._stop_deadline()
        self._deadline = self.loop.call_later(self.receipt_seconds, self._too_slow)

    def _stop_deadline(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _too_slow(self) -> None:
        if self.transport.is_closing():
            return
        if not getattr(self.cycle, "response_started", False):  # there is no cycle before the headers end
            self.transport.write(_TOO_SLOW)
        self.transport.close()


def with_deadline(seconds: float) -> type[DeadlineProtocol]:
    """Make a protocol class whose requests must be complete within `seconds` of their first byte."""
    return type("DeadlineProtocol", (DeadlineProtocol,), {"receipt_seconds": seconds})
