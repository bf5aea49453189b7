"""What stands behind a passthrough tool: somebody else's service, asked at most once per accepted call."""

from typing import Any, Literal, NamedTuple, Protocol

import msgspec

from odyssey.core.outbound import (
    AddressRefusedError,
    AnswerTooLargeError,
    BadEncodingError,
    ConnectFailedError,
    ConnectionLostError,
    NotHttpError,
    OutboundError,
    RequestInvalidError,
    TimedOutError,
)
from odyssey.kit.json_reader import JsonInvalidError, read_json

MAX_RESPONSE_BYTES = 1024 * 1024
CALL_TIMEOUT_S = 60.0
DISCOVERY_TIMEOUT_S = 30.0

Delivered = Literal["not_sent", "unknown"]
"""Whether a call that brought no answer may have had an effect."""


class UpstreamTool(msgspec.Struct, frozen=True, omit_defaults=True):
    """One tool as an endpoint declares it; the stored list of an endpoint is made of these."""

    name: str
    input_schema: dict[str, Any]
    description: str = ""
    output_schema: dict[str, Any] | None = None
    read_only: bool = False
    """A GET or HEAD operation, or an MCP tool with `readOnlyHint`."""
    method: str | None = None
    """Of an OpenAPI operation."""
    path: str | None = None


class Discovery(NamedTuple):
    tools: tuple[UpstreamTool, ...]
    notes: tuple[str, ...] = ()
    """What could not be offered as a tool, and why."""


class Answered(NamedTuple):
    """The service answered, whatever it said."""

    response: Any
    """Decoded: an object or a list where the answer is JSON of that kind, otherwise its text."""
    status: int | None = None
    """Of HTTP; None for MCP."""
    is_error: bool = False
    """A 4xx, or an MCP result that says so of itself."""


class NotAnswered(NamedTuple):
    """The hop failed; `message` is for people and holds no secret."""

    code: str
    message: str
    outcome: Delivered
    status: int | None = None

    def response(self) -> dict[str, Any]:
        return {"error": {"code": self.code, "message": self.message, "outcome": self.outcome}}


Forwarded = Answered | NotAnswered


class DiscoveryFailedError(Exception):
    """The tools of an endpoint cannot be listed; the message says why and what to do, and holds no secret."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


class Upstream(Protocol):
    """One endpoint, ready to be asked."""

    async def discover(self) -> Discovery:
        """List its tools, or raise DiscoveryFailedError."""
        ...

    async def call(self, tool_name: str, arguments: dict[str, Any], *, session: str) -> Forwarded:
        """Forward one call, at most once, within CALL_TIMEOUT_S; never raises but CancelledError.

        Calls of one `session` (a run's attempt) may share what the service keeps for a client.
        """
        ...


# What the outbound client's failures and the bytes of an answer mean for a passthrough call.

_CODES: dict[type[OutboundError], str] = {
    RequestInvalidError: "request_invalid",
    AddressRefusedError: "upstream_url_blocked",
    ConnectFailedError: "upstream_unreachable",
    TimedOutError: "upstream_timeout",
    ConnectionLostError: "upstream_connection_lost",
    NotHttpError: "upstream_connection_lost",
    AnswerTooLargeError: "upstream_body_too_large",
    BadEncodingError: "upstream_bad_encoding",
}
_TO_DO: dict[type[OutboundError], str] = {
    RequestInvalidError: "Correct the endpoint's auth header.",
    AddressRefusedError: "Change the endpoint's address.",
    ConnectFailedError: "Check the address and that the service is up, then discover again.",
    TimedOutError: "Discover again when the service answers faster.",
    ConnectionLostError: "Check that the address is that of an HTTP service, then discover again.",
    NotHttpError: "Check that the address is that of an HTTP service, then discover again.",
    AnswerTooLargeError: "Have the service answer with less, or give its description inline.",
    BadEncodingError: "Have the service answer without a content encoding.",
}
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


def not_answered(error: OutboundError) -> NotAnswered:
    """The failed hop an exchange without a usable answer stands for."""
    status = error.status if isinstance(error, AnswerTooLargeError | BadEncodingError) else None
    if status is not None and is_server_error(status):
        return server_error(status)
    return NotAnswered(_code(error), error.message, "unknown" if error.sent else "not_sent", status)


def is_server_error(status: int) -> bool:
    return 500 <= status <= 599


def server_error(status: int) -> NotAnswered:
    """The failed hop a 5xx stands for: whether the service did what it was asked, nobody knows."""
    return NotAnswered("upstream_5xx", f"The service answered {status}.", "unknown", status)


def discovery_failed(error: OutboundError) -> DiscoveryFailedError:
    """Why a service's description could not be fetched, and what to do about it."""
    to_do = _TO_DO.get(type(error), "Discover again.")
    return DiscoveryFailedError(_code(error), f"{error.message} {to_do}")


def decode_body(body: bytes) -> Any:
    """Read a strict JSON object, array or string; all else, numbers and true too, is the text as it came."""
    plain = body.removeprefix(_BYTE_ORDER_MARK)
    if plain.lstrip(b" \t\r\n")[:1] in (b"{", b"[", b'"'):
        try:
            return read_json(plain)
        except JsonInvalidError:
            pass
    return body.decode("utf-8", errors="replace")


def _code(error: OutboundError) -> str:
    return _CODES.get(type(error), "upstream_connection_lost")
