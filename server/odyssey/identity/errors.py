"""Refusals of requests that come from a browser, and of one stream too many.

ForbiddenError
├── CsrfTokenInvalidError     403 csrf_token_invalid
└── OriginNotAllowedError     403 origin_not_allowed
TooManyRequestsError
└── TooManyStreamsError       429 too_many_streams
"""

from collections.abc import Iterable

from odyssey.core.errors import ConflictError, ForbiddenError, TooManyRequestsError


class CsrfTokenInvalidError(ForbiddenError):
    code, title = "csrf_token_invalid", "The CSRF token is not this session's"


class OriginNotAllowedError(ForbiddenError):
    code, title = "origin_not_allowed", "Another site asked for this"


class TooManyStreamsError(TooManyRequestsError):
    code, title = "too_many_streams", "Too many streams are open"

    def __init__(self, most: int) -> None:
        super().__init__(
            f"You have {most} streams open, which is the most a person may have, with all keys and browsers together. "
            "Close one, such as a tab or a command that waits, or read the list or the run itself now and then.",
            retry_after_s=30,
        )


# What can stand in the way of keeping or deleting a credential.


class CredentialExistsError(ConflictError):
    code, title = "credential_exists", "The name is taken"

    def __init__(self, name: str) -> None:
        super().__init__(f"There is a credential {name!r} already; change that one, or choose another name.")


class CredentialInUseError(ConflictError):
    code, title = "in_use", "Tool endpoints use this credential"

    def __init__(self, name: str, endpoints: Iterable[str]) -> None:
        users = ", ".join(repr(endpoint) for endpoint in endpoints)
        super().__init__(f"Tool endpoints use the credential {name!r}: {users}. Give them another one first.")
