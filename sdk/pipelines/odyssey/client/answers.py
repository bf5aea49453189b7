"""The one place that reads answers: objects, problems (RFC 9457), and what is no platform at all."""

from collections.abc import Mapping
from typing import Any

import httpx

from pipelines.odyssey.client.place import Place
from pipelines.odyssey.errors import (
    ApiError,
    AuthError,
    BadRequestError,
    ConflictError,
    ForbiddenError,
    InvalidError,
    NotFoundError,
    RateLimitedError,
    ServerError,
    TooLargeError,
    UnreachableError,
)

NOT_ODYSSEY = "not_odyssey"
"""The code of an answer that no platform gives."""

_KINDS: Mapping[int, type[ApiError]] = {
    400: BadRequestError,
    401: AuthError,
    403: ForbiddenError,
    404: NotFoundError,
    409: ConflictError,
    413: TooLargeError,
    422: InvalidError,
    429: RateLimitedError,
}


def read_object(answer: httpx.Response, place: Place) -> dict[str, Any]:
    """Return the object that a good answer carries."""
    body = _object(answer)
    if body is None:
        raise stranger(place, answer.status_code)
    return body


def refusal(answer: httpx.Response, place: Place) -> ApiError:
    """Return what a problem says, as the error of its status."""
    problem = _object(answer) or {}
    detail = problem.get("detail")
    if not isinstance(detail, str):
        return stranger(place, answer.status_code)
    errors = problem.get("errors")
    return _kind(answer.status_code)(
        answer.status_code,
        str(problem.get("code") or f"http_{answer.status_code}"),
        detail.replace(place.key, "****"),
        retryable=problem.get("retryable") is True,
        errors=[each for each in errors if isinstance(each, dict)] if isinstance(errors, list) else (),
    )


def stranger(place: Place, status: int | None) -> ApiError:
    """Say that this is not Odyssey."""
    said = "" if status is None else f" HTTP {status}"
    kind = _kind(status) if status is not None else ApiError
    return kind(
        status, NOT_ODYSSEY, f"{place.shown} answered{said}, but not as Odyssey does; check the address."
    )


def lost(error: httpx.TransportError | UnicodeError, place: Place) -> UnreachableError:
    """Say why there is no answer; the library's words are used only where they cannot hold what we sent."""
    if isinstance(error, httpx.TimeoutException):
        reason = "it did not answer in time"
    elif isinstance(error, httpx.ConnectError):
        reason = str(error).rstrip(".") or "no connection"
    elif isinstance(error, UnicodeError):
        reason = "no host has such a name"
    else:
        reason = "the connection broke off"
    return UnreachableError(f"{place.shown} cannot be reached: {reason}.")


def _kind(status: int) -> type[ApiError]:
    return _KINDS.get(status, ServerError if status >= 500 else ApiError)


def _object(answer: httpx.Response) -> dict[str, Any] | None:
    try:
        body = answer.json()
    except (ValueError, RecursionError):
        return None
    return body if isinstance(body, dict) else None
