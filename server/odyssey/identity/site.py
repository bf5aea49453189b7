"""This server as a browser sees it: the cookie of a session, and which pages may use it."""

import hmac
from datetime import timedelta
from urllib.parse import urlsplit

from starlette.requests import Request
from starlette.responses import Response

from odyssey.identity.errors import CsrfTokenInvalidError, OriginNotAllowedError
from odyssey.identity.keys import MasterKey

SESSION_LIFETIME = timedelta(days=7)
_READING = frozenset({"GET", "HEAD", "OPTIONS"})
_DEFAULT_PORTS = {"http": ":80", "https": ":443"}


class Site:
    def __init__(self, public_url: str) -> None:
        self._origin = _origin_of(public_url)
        self._secure = self._origin.startswith("https:")
        # Browsers share cookies between the ports of a host: two servers on one machine must not sign each other out.
        port = urlsplit(public_url).port or 80
        self.cookie_name = "__Host-odyssey_session" if self._secure else f"odyssey_session_{port}"

    def session_token(self, request: Request) -> str | None:
        return request.cookies.get(self.cookie_name) or None

    def set_cookie(self, response: Response, token: str) -> None:
        response.set_cookie(
            self.cookie_name,
            token,
            max_age=int(SESSION_LIFETIME.total_seconds()),
            path="/",
            secure=self._secure,
            httponly=True,
            samesite="strict",
        )

    def clear_cookie(self, response: Response) -> None:
        response.delete_cookie(
            self.cookie_name, path="/", secure=self._secure, httponly=True, samesite="strict"
        )

    def check_may_write(self, request: Request, expected_csrf_token: str) -> None:
        """Refuse what a page of another site could have sent; reading needs no proof, it changes nothing."""
        if request.method in _READING:
            return
        self.check_origin(request)
        sent = request.headers.get("x-csrf-token", "")
        if not hmac.compare_digest(sent.encode("utf-8"), expected_csrf_token.encode("utf-8")):
            raise CsrfTokenInvalidError(
                "A change made with the session's cookie needs the header X-CSRF-Token; "
                "GET /api/auth/session tells its value."
            )

    def check_origin(self, request: Request) -> None:
        """Refuse pages of other sites; a client that says nothing of its page is no browser."""
        origin = request.headers.get("origin")
        if request.headers.get("sec-fetch-site") == "cross-site" or not self._is_own(origin, request):
            raise OriginNotAllowedError(
                "This came from a page of another site. "
                "If it is this server's own page, set ODYSSEY_PUBLIC_URL to the address the browser shows."
            )

    def _is_own(self, origin: str | None, request: Request) -> bool:
        if origin is None:
            return True
        scheme, separator, authority = origin.lower().partition("://")
        if not separator:
            return False  # "null", the origin of pages that hide theirs
        host = request.headers.get("host", "").lower()
        return (scheme in _DEFAULT_PORTS and authority == host) or origin.lower() == self._origin


class SessionRenewal:
    """Hands a browser the session that takes the place of its old one."""

    def __init__(self, site: Site, master: MasterKey) -> None:
        self._site = site
        self._master = master

    def send(self, response: Response, token: str | None) -> None:
        if token is not None:
            self._site.set_cookie(response, token)
            response.headers["X-CSRF-Token"] = csrf_token(self._master, token)
            response.headers["Cache-Control"] = "no-store"


def csrf_token(master: MasterKey, session_token: str) -> str:
    return master.digest("csrf token of a session", session_token.encode("utf-8"))


def _origin_of(url: str) -> str:
    parts = urlsplit(url.lower())
    authority = parts.netloc.rpartition("@")[2].removesuffix(_DEFAULT_PORTS.get(parts.scheme, ""))
    return f"{parts.scheme}://{authority}"
