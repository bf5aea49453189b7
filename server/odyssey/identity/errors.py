"""Refusals of requests that come from a browser, and of one stream too many.

ForbiddenError
├── CsrfTokenInvalidError     403 csrf_token_invalid
└── OriginNotAllowedError     403 origin_not_allowed
TooManyRequestsError
└── TooManyStreamsError       429 too_many_streams
"""

from odyssey.core.errors import ForbiddenError, TooManyRequestsError


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
