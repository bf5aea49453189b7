"""What the outbound client's failures and the bytes of an answer mean for a passthrough call."""

from typing import Any

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
from odyssey.endpoints.upstream import DiscoveryFailedError, NotAnswered
from odyssey.kit.json_reader import JsonInvalidError, read_json

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
