"""What can go wrong in the SDK, each as a sentence that never holds a token or a key.

OdysseyError
├── EnvelopeError              a dispatch, or the environment of code mode, lacks what an agent needs
├── NoEnvelopeError            a proxied tool was used outside a run
├── ReplyError                 a handler gave nothing that can be sent back
├── ToolError                  a tool cannot be described
│   └── UnproxiableToolError   it runs where the proxy cannot stand in for it
├── ProxyError                 the per-run proxy refused a call, or did not answer
│   └── RunEndedError          it refused the run token: the run is over
├── UnreachableError           the platform did not answer
└── ApiError                   the platform refused a request; a class for each status
    ├── BadRequestError 400    ├── AuthError 401       ├── ForbiddenError 403
    ├── NotFoundError 404      ├── ConflictError 409   ├── TooLargeError 413
    ├── InvalidError 422       ├── RateLimitedError 429└── ServerError 5xx
"""

from collections.abc import Mapping, Sequence
from typing import Any


class OdysseyError(Exception):
    """The base of all errors of the SDK."""


class EnvelopeError(OdysseyError):
    """A dispatch lacks what an agent needs."""


class NoEnvelopeError(OdysseyError):
    """Nothing says which run this is."""


class ReplyError(OdysseyError):
    """A handler gave nothing that can be sent back."""


class ToolError(OdysseyError):
    """A tool cannot be described."""


class UnproxiableToolError(ToolError):
    """A tool runs where the proxy cannot stand in for it."""

    def __init__(self, name: str, why: str) -> None:
        super().__init__(f"The tool {name!r} cannot go through the proxy: {why}")
        self.name = name
        self.why = why


class _RefusedError(OdysseyError):
    """What a problem document said."""

    def __init__(
        self,
        status: int | None,
        code: str,
        detail: str,
        *,
        retryable: bool = False,
        errors: Sequence[Mapping[str, Any]] = (),
    ) -> None:
        places = "".join(f"\n  {_place(error)}: {error.get('msg', '')}" for error in errors)
        super().__init__(detail + places)
        self.status = status
        """The HTTP status; None when there was no answer."""
        self.code = code
        """The stable word for the reason."""
        self.detail = detail
        self.retryable = retryable
        """Whether nothing was applied, so that asking again is safe."""
        self.errors = tuple(errors)
        """Of a 422: `{loc, msg}` for each fault."""


class ProxyError(_RefusedError):
    """The per-run proxy refused a call, or did not answer."""


class RunEndedError(ProxyError):
    """The proxy refused the run token: the run has ended, was cancelled, or began anew."""


class UnreachableError(OdysseyError):
    """The platform did not answer."""


class ApiError(_RefusedError):
    """The platform refused a request."""


class BadRequestError(ApiError):
    """400: the request could not be read."""


class AuthError(ApiError):
    """401: no key, or not a good one."""


class ForbiddenError(ApiError):
    """403: the key is good, and its person may not do this."""


class NotFoundError(ApiError):
    """404: there is nothing here for this organisation."""


class ConflictError(ApiError):
    """409: the present state forbids it."""


class TooLargeError(ApiError):
    """413: the request is too large."""


class InvalidError(ApiError):
    """422: `errors` says which members are wrong, and why."""


class RateLimitedError(ApiError):
    """429: too many requests."""


class ServerError(ApiError):
    """5xx: the platform failed."""


def _place(error: Mapping[str, Any]) -> str:
    loc = error.get("loc", "")
    return ".".join(map(str, loc)) if isinstance(loc, list | tuple) else str(loc)
