"""A stdio MCP server behind streamable HTTP: a process per session, every message passed on as it is."""

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any
from uuid import uuid4

import anyio
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.server.streamable_http import StreamableHTTPServerTransport
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send
from support.asgi import Served

_SESSION = "mcp-session-id"


class StdioBridge(Served):
    """Serves one command at `url`; what the command writes to standard error is dropped."""

    def __init__(self, parameters: StdioServerParameters) -> None:
        self._parameters = parameters
        self._open: dict[str, StreamableHTTPServerTransport] = {}
        self._tasks: anyio.abc.TaskGroup | None = None
        endpoint = _Endpoint(self._handle)
        super().__init__(Starlette(routes=[Route("/mcp", endpoint)], lifespan=self._lifespan))
        self.url += "/mcp"

    @property
    def open_sessions(self) -> int:
        return sum(not transport.is_terminated for transport in self._open.values())

    @asynccontextmanager
    async def _lifespan(self, app: Starlette) -> AsyncIterator[None]:
        async with anyio.create_task_group() as self._tasks:
            yield
            self._tasks.cancel_scope.cancel()

    async def _handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = Request(scope).headers
        session_id = headers.get(_SESSION)
        if session_id is None and "mcp-protocol-version" in headers:
            # Only `initialize` opens a session, and it is the one message without a version.
            await _refusal(400, "The version is not supported.")(scope, receive, send)
            return
        if session_id is None:
            session_id = uuid4().hex
            await self._start(session_id)
        transport = self._open.get(session_id)
        if transport is None:
            await _refusal(404, "There is no such session.")(scope, receive, send)
            return
        await transport.handle_request(scope, receive, send)

    async def _start(self, session_id: str) -> None:
        assert self._tasks is not None
        await self._tasks.start(self._bridge, session_id)

    async def _bridge(self, session_id: str, *, task_status: anyio.abc.TaskStatus[None]) -> None:
        transport = StreamableHTTPServerTransport(session_id)
        with open(os.devnull, "w") as nowhere:  # noqa: ASYNC230
            async with (
                transport.connect() as (from_client, to_client),
                stdio_client(self._parameters, errlog=nowhere) as (from_server, to_server),
                anyio.create_task_group() as both_ways,
            ):
                self._open[session_id] = transport
                task_status.started()

                async def pass_on(source: Any, sink: Any) -> None:
                    with suppress(anyio.ClosedResourceError, anyio.BrokenResourceError):
                        async for message in source:
                            await sink.send(message)
                    both_ways.cancel_scope.cancel()

                both_ways.start_soon(pass_on, from_client, to_server)
                both_ways.start_soon(pass_on, from_server, to_client)
            del self._open[session_id]


class _Endpoint:
    """Starlette takes an object, unlike a function, for an ASGI application."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._app(scope, receive, send)


def _refusal(status: int, message: str) -> JSONResponse:
    error = {"code": -32600, "message": message}
    return JSONResponse({"jsonrpc": "2.0", "id": None, "error": error}, status_code=status)
