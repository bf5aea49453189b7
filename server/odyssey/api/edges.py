"""What every request passes first: an id, a size cap, an answer whatever happens, and a line in the log."""

import logging
import re
import time
from uuid import uuid4

from starlette.datastructures import Headers
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from odyssey.api.body_caps import body_cap, in_words
from odyssey.api.problems import ProblemResponse
from odyssey.core.errors import BodyTooLargeError, OdysseyError
from odyssey.core.requests import request_id

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
