"""The user interface: built files from memory, and the one page that every address of it opens."""

import gzip
import hashlib
import secrets
from functools import cache
from pathlib import Path
from typing import NamedTuple

from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

STATIC = Path(__file__).parents[1] / "static"
NONCE_MARK = b"__CSP_NONCE__"
_NOT_PAGES = ("/api/", "/schemas/", "/v1/", "/assets/", "/health", "/openapi.json")
_MEDIA_TYPES = {
    ".css": "text/css",
    ".js": "text/javascript",
    ".svg": "image/svg+xml",
    ".woff2": "font/woff2",
}
_PACKED_ALREADY = (".woff2",)

_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "X-Frame-Options": "DENY",
}


class StaticFile(NamedTuple):
    body: bytes
    gzipped: bytes | None
    media_type: str
    etag: str
    cache: str


class Interface:
    """Stands before the API and answers what belongs to the interface. Only files read at start can be asked for."""

    def __init__(self, app: ASGIApp, directory: Path = STATIC) -> None:
        self._app = app
        self._page = directory / "index.html"
        self._files = _load(directory)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] not in ("GET", "HEAD"):
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        file = self._files.get(scope["path"])
        if file is not None:
            await _file_response(file, headers)(scope, receive, send)
        elif self._page.is_file() and _wants_page(scope["path"], headers):
            await page_response(self._page.read_bytes())(scope, receive, send)
        else:
            await self._app(scope, receive, send)


def page_response(page: bytes) -> Response:
    """Every answer has its own nonce: styles that code makes at run time carry it, injected ones cannot."""
    nonce = secrets.token_urlsafe(18)
    policy = (
        "default-src 'none'; script-src 'self'; "
        f"style-src 'self' 'nonce-{nonce}'; "
        "img-src 'self'; font-src 'self'; connect-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )
    headers = _HEADERS | {"Content-Security-Policy": policy, "Cache-Control": "no-store"}
    return Response(page.replace(NONCE_MARK, nonce.encode()), media_type="text/html", headers=headers)


def _wants_page(path: str, headers: Headers) -> bool:
    if path == "/":
        return True
    return "text/html" in headers.get("accept", "") and not path.startswith(_NOT_PAGES)


def _file_response(file: StaticFile, headers: Headers) -> Response:
    out = _HEADERS | {"Cache-Control": file.cache, "ETag": file.etag, "Vary": "Accept-Encoding"}
    if headers.get("if-none-match") == file.etag:
        return Response(status_code=304, headers=out)
    if file.gzipped is not None and "gzip" in headers.get("accept-encoding", ""):
        return Response(file.gzipped, media_type=file.media_type, headers=out | {"Content-Encoding": "gzip"})
    return Response(file.body, media_type=file.media_type, headers=out)


@cache
def _load(directory: Path) -> dict[str, StaticFile]:
    if not directory.is_dir():
        return {}
    assets = [*(directory / "assets").glob("*"), *directory.glob("*.svg"), *directory.glob("*.js")]
    return {"/" + path.relative_to(directory).as_posix(): _read(path) for path in assets}


def _read(path: Path) -> StaticFile:
    body = path.read_bytes()
    gzipped = None if path.suffix in _PACKED_ALREADY else gzip.compress(body, 9, mtime=0)
    hashed = path.parent.name == "assets"
    return StaticFile(
        body,
        gzipped,
        media_type=_MEDIA_TYPES[path.suffix],
        etag=f'"{hashlib.sha256(body).hexdigest()[:32]}"',
        cache="public, max-age=31536000, immutable" if hashed else "no-cache",
    )
