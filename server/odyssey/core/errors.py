"""One family of errors, one shape on the wire (RFC 9457), one place that knows the statuses.

OdysseyError
├── AuthRequiredError          401 auth_required
├── ForbiddenError             403 forbidden
├── NotFoundError              404 not_found
├── ConflictError              409 conflict, or a word of its own
├── ValidationFailedError      422 validation_failed, secret_required
├── NotAvailableYetError       422 not_available_yet
└── TooManyRequestsError       429 rate_limited
Domains add their own in their `errors.py`.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from odyssey.records.problems import FaultList, FieldError


class OdysseyError(Exception):
    """Something the caller can act on; `detail` says how."""

    status = 500
    code = "internal_error"
    title = "Something went wrong on our side"
    retryable = False

    def __init__(
        self,
        detail: str,
        *,
        errors: Sequence[FieldError] = (),
        retry_after_s: int | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(detail)
        self.detail = detail
        self.errors = tuple(FaultList(errors))
        self.headers = dict(headers or {})
        if retry_after_s is not None:
            self.headers["Retry-After"] = str(retry_after_s)

    def __reduce__(self) -> tuple[Any, ...]:
        """An error may be raised in another process (`core.worker`); kinds differ in what they are made of."""
        return _raised_again, (type(self), vars(self))


class JsonRefusedError(OdysseyError):
    status, code, title = 400, "json_invalid", "The body is not one strict JSON document"


class BadRequestError(OdysseyError):
    status, code, title = 400, "bad_request", "The request cannot be understood"


class AuthRequiredError(OdysseyError):
    status, code, title = 401, "auth_required", "Authentication required"

    def __init__(self, detail: str) -> None:
        super().__init__(detail, headers={"WWW-Authenticate": "Bearer"})


class ForbiddenError(OdysseyError):
    status, code, title = 403, "forbidden", "Not allowed"


class NotFoundError(OdysseyError):
    status, code, title = 404, "not_found", "Not found"

    def __init__(self, detail: str = "There is nothing here under this address.") -> None:
        super().__init__(detail)


class ConflictError(OdysseyError):
    status, code, title = 409, "conflict", "The object is in another state"


class BodyTooLargeError(OdysseyError):
    status, code, title = 413, "body_too_large", "The body is too large"


class UnsupportedMediaTypeError(OdysseyError):
    status, code, title = 415, "unsupported_media_type", "The content type is not the route's"


class ValidationFailedError(OdysseyError):
    status, code, title = 422, "validation_failed", "The input is not valid"

    def __init__(self, errors: Sequence[FieldError], detail: str | None = None) -> None:
        faults = FaultList.of(errors)
        super().__init__(detail or _count(faults), errors=faults)


class SecretRequiredError(ValidationFailedError):
    code, title = "secret_required", "The secret must be sent again"


class NotAvailableYetError(ValidationFailedError):
    code, title = "not_available_yet", "This version does not offer that yet"

    def __init__(self, members: Sequence[str]) -> None:
        errors = [
            FieldError(loc=tuple(member.split(".")), msg=f"{member} is not available yet; leave it out")
            for member in members
        ]
        super().__init__(errors, f"Not available in this version: {', '.join(members)}.")


class TooManyRequestsError(OdysseyError):
    status, code, title, retryable = 429, "rate_limited", "Too many requests", True


def _raised_again(kind: type[OdysseyError], members: dict[str, Any]) -> OdysseyError:
    error = kind.__new__(kind, members["detail"])
    vars(error).update(members)
    return error


def _count(faults: FaultList) -> str:
    first = faults[0].msg if faults else "The input is not valid."
    if faults.total < 2:
        return first
    listed = f"the first {len(faults)} are in `errors`" if faults.left_out else "see `errors`"
    return f"{first} (and {faults.total - 1:,} more, {listed})"


def problem(error: OdysseyError) -> dict[str, Any]:
    """Render an error as an RFC 9457 body with our members."""
    body: dict[str, Any] = {
        "type": f"urn:odyssey:problem:{error.code}",
        "title": error.title,
        "status": error.status,
        "detail": error.detail,
        "code": error.code,
        "retryable": error.retryable,
    }
    if error.status == 422:
        body["errors"] = faults_of(error)
    return body


def faults_of(error: OdysseyError) -> list[dict[str, Any]]:
    """Name each fault and its place."""
    return [
        {"loc": list(fault.loc), "msg": fault.msg, **({"tool": fault.tool} if fault.tool else {})}
        for fault in error.errors
    ]
