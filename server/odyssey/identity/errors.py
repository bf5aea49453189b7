"""Refusals of requests that come from a browser.

ForbiddenError
├── CsrfTokenInvalidError     403 csrf_token_invalid
└── OriginNotAllowedError     403 origin_not_allowed
"""

from odyssey.core.errors import ForbiddenError


class CsrfTokenInvalidError(ForbiddenError):
    code, title = "csrf_token_invalid", "The CSRF token is not this session's"


class OriginNotAllowedError(ForbiddenError):
    code, title = "origin_not_allowed", "Another site asked for this"
