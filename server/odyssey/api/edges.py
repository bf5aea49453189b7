"""What every request passes first (an id, a size cap, a line in the log), and how every error leaves."""

import logging
import re
import time
from http import HTTPStatus
from uuid import uuid4

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.responses import JSONResponse
from starlette.routing import Match
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from odyssey.core.errors import BodyTooLargeError, NotFoundError, OdysseyError, ValidationFailedError, problem
from odyssey.core.logging import request_id
from odyssey.core.wire import pydantic_faults
from odyssey.records.problems import MOST_FAULTS

# How large the body of a request may be: one table, by the beginning of the address (wire-contract.md#e1).
#
# Whatever may carry a whole world, as the seeds of a request for runs do, has the cap of worlds. Batches are
# asked for at `/api/runs`; eval runs and matrices name scenarios by id, so they need no more than anybody
# else. The per-run proxy counts for itself, before FastAPI is reached: 1 MiB as well.

MIB = 1024 * 1024
DEFAULT_CAP = MIB
BODY_CAPS = {
    "/api/agents": 2 * MIB,
    "/api/tool-endpoints": 2 * MIB,
    "/api/worlds": 16 * MIB,
    "/api/runs": 16 * MIB,
    "/api/v1/eval/scenarios": 16 * MIB,
    "/api/datasets": 64 * MIB,
}


def body_cap(path: str) -> int:
    """Return how many bytes a body sent to this path may have."""
    for prefix, cap in BODY_CAPS.items():
        if path == prefix or path.startswith(prefix + "/"):
            return cap
    return DEFAULT_CAP


def in_words(cap: int) -> str:
    return f"{cap // MIB} MiB"


# Every error leaves through here, in one shape (RFC 9457).

_METHODS = ("DELETE", "GET", "HEAD", "PATCH", "POST", "PUT")


class ProblemResponse(JSONResponse):
    media_type = "application/problem+json"

    def __init__(self, error: OdysseyError) -> None:
        super().__init__(problem(error), status_code=error.status, headers=error.headers)


class _OtherStatusError(OdysseyError):
    """A refusal of the framework itself, such as 405."""

    def __init__(self, status: int, headers: dict[str, str]) -> None:
        phrase = HTTPStatus(status).phrase
        super().__init__(f"{phrase}.", headers=headers)
        self.status = status
        self.title = phrase
        self.code = phrase.lower().replace(" ", "_").replace("-", "_")


def install(app: FastAPI) -> None:
    app.add_exception_handler(OdysseyError, _expected)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(HTTPException, _http)


async def _expected(request: Request, error: Exception) -> ProblemResponse:
    assert isinstance(error, OdysseyError)
    return ProblemResponse(error)


async def _invalid(request: Request, error: Exception) -> ProblemResponse:
    assert isinstance(error, RequestValidationError)
    errors = error.errors()
    for item in errors[:MOST_FAULTS]:
        if item["loc"][:1] == ("body",):  # a place in the body is named by its members alone
            item["loc"] = item["loc"][1:]
    return ProblemResponse(ValidationFailedError(pydantic_faults(errors, "body")))


async def _http(request: Request, error: Exception) -> ProblemResponse:
    assert isinstance(error, HTTPException)
    if error.status_code == 404:
        return ProblemResponse(NotFoundError())
    headers = dict(error.headers or {})
    if error.status_code == 405:
        headers["Allow"] = ", ".join(_methods_of_path(request))
    return ProblemResponse(_OtherStatusError(error.status_code, headers))


def _methods_of_path(request: Request) -> list[str]:
    """List every method the path takes; the router itself names those of its first route only."""
    asked = {"type": "http", "path": request.scope["path"], "root_path": "", "headers": []}
    return [
        method
        for method in _METHODS
        if any(route.matches(asked | {"method": method})[0] is Match.FULL for route in request.app.routes)
    ]


# What every request passes first: an id, a size cap, an answer whatever happens, and a line in the log.

log = logging.getLogger("odyssey.requests")

_REQUEST_ID = re.compile(r"[A-Za-z0-9_.-]{1,64}")


class Edges:
    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        offered = Headers(scope=scope).get("x-request-id", "")
        identity = offered if _REQUEST_ID.fullmatch(offered) else uuid4().hex
        token = request_id.set(identity)
        started = time.perf_counter()
        status = 0

        async def respond(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message["headers"] = [
                    *message.get("headers", ()),
                    (b"x-request-id", identity.encode("ascii")),
                ]
            await send(message)

        try:
            await self._within_size(scope, receive, respond)
        except ClientDisconnect:
            pass
        except Exception:
            if status:
                raise  # the answer has begun: nothing is left but to cut the connection
            log.exception("unexpected error", extra={"method": scope["method"], "path": scope["path"]})
            await ProblemResponse(_failed())(scope, receive, respond)
        finally:
            milliseconds = round((time.perf_counter() - started) * 1000, 1)
            extra = {"method": scope["method"], "path": scope["path"], "status": status, "ms": milliseconds}
            log.info("request", extra=extra | {"request_id": identity})
            request_id.reset(token)

    async def _within_size(self, scope: Scope, receive: Receive, send: Send) -> None:
        declared = Headers(scope=scope).get("content-length", "0")
        cap = body_cap(scope["path"])
        if declared.isdecimal() and int(declared[:20]) > cap:
            await ProblemResponse(_too_large(cap))(scope, receive, send)
            return
        size = 0

        async def counted() -> Message:
            nonlocal size
            message = await receive()
            size += len(message.get("body", b""))
            if size > cap:
                raise _too_large(cap)
            return message

        await self._app(scope, counted, send)


def _failed() -> OdysseyError:
    return OdysseyError("Odyssey failed to serve this request; its log has the place.")


def _too_large(cap: int) -> BodyTooLargeError:
    return BodyTooLargeError(
        f"A body sent to this address has at most {in_words(cap)} ({cap} bytes); send less."
    )
