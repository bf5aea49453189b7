"""How a request to somebody else's address can fail."""

from typing import ClassVar

PARTIAL_BYTES = 128 * 1024
"""How much of a body that cannot be used is kept as evidence."""


class OutboundError(Exception):
    """A request without a usable answer; the message is for the user and holds no secret.

    OutboundError
      RequestInvalidError    nothing was sent: the method or a header cannot be
      AddressRefusedError    nothing was sent: the address is not one Odyssey connects to
      ConnectFailedError     nothing was sent: DNS, refused, TLS, or no connection in time
      TimedOutError          the answer was not complete in time
      ConnectionLostError    the connection broke
        NotHttpError         what came was not HTTP
      BodyTooLargeError      the answer is over the limit
      BadEncodingError       the answer's content encoding cannot be undone
    """

    kind: ClassVar[str] = "outbound"
    sent: ClassVar[bool] = True
    """Whether the request may have reached its peer."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class RequestInvalidError(OutboundError):
    kind = "request_invalid"
    sent = False


class AddressRefusedError(OutboundError):
    kind = "address_refused"
    sent = False


class ConnectFailedError(OutboundError):
    kind = "connect_failed"
    sent = False


class TimedOutError(OutboundError):
    kind = "timed_out"


class ConnectionLostError(OutboundError):
    kind = "connection_lost"


class NotHttpError(ConnectionLostError):
    kind = "not_http"


class UnreadableBodyError(OutboundError):
    """The status arrived, the body is of no use; what was understood of it is kept as evidence."""

    def __init__(self, message: str, *, status: int, partial: bytes) -> None:
        super().__init__(message)
        self.status = status
        self.partial = partial[:PARTIAL_BYTES]


class AnswerTooLargeError(UnreadableBodyError):
    kind = "body_too_large"


class BadEncodingError(UnreadableBodyError):
    kind = "bad_encoding"
