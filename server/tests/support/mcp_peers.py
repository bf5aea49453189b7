"""MCP servers by script: one on the official SDK, and one of bare HTTP that may break every rule."""

import json
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import mcp_types as types
from mcp.server import Server
from mcp.server.context import ServerRequestContext
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send
from support.asgi import Served

Called = types.CallToolRequestParams
Context = ServerRequestContext[Any]
Tool = Callable[[Context, dict[str, Any]], Any]
"""Gives a result, or raises."""

OBJECT = {"type": "object"}


def tool(name: str, **members: Any) -> types.Tool:
    return types.Tool(name=name, **{"input_schema": OBJECT, **members})


def text(*parts: str, **members: Any) -> types.CallToolResult:
    return types.CallToolResult(content=[types.TextContent(text=part) for part in parts], **members)


class SdkPeer(Served):
    """A server of the official SDK that counts; both protocol versions, or the older one alone."""

    def __init__(
        self,
        tools: dict[str, Tool],
        *,
        listed: list[types.Tool] | None = None,
        page_size: int = 1000,
        is_old: bool = False,
        **options: Any,
    ) -> None:
        self.calls: list[tuple[str, dict[str, Any]]] = []
        self.versions: list[str] = []
        self.requests: list[tuple[str, dict[str, str]]] = []
        """Method and headers of every HTTP request."""
        self._tools = tools
        self._listed = [tool(name) for name in tools] if listed is None else listed
        self._page_size = page_size
        schemas = {each.name: each.input_schema for each in self._listed}
        self._mcp: Server[Any] = Server(
            "peer", on_list_tools=self._list, on_call_tool=self._call, get_tool_input_schema=schemas.get
        )
        app: ASGIApp = self._mcp.streamable_http_app(**options)
        super().__init__(_Counting(app, self.requests, is_old=is_old))
        self.url += "/mcp"

    @property
    def open_sessions(self) -> list[str]:
        known = self._mcp.session_manager._server_instances
        return [session_id for session_id, transport in known.items() if not transport.is_terminated]

    def drop_sessions(self) -> None:
        """Forget every session, as a restart would."""

        async def drop() -> None:
            manager = self._mcp.session_manager
            for session_id, transport in list(manager._server_instances.items()):
                await manager._discard_session(session_id, transport)

        self.do(drop())

    async def _list(self, ctx: Context, params: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        start = int(params.cursor) if params is not None and params.cursor is not None else 0
        end = start + self._page_size
        more = str(end) if end < len(self._listed) else None
        return types.ListToolsResult(tools=self._listed[start:end], next_cursor=more)

    async def _call(self, ctx: Context, params: Called) -> Any:
        arguments = params.arguments or {}
        self.calls.append((params.name, arguments))
        self.versions.append(ctx.protocol_version)
        result = self._tools[params.name](ctx, arguments)
        return await result if hasattr(result, "__await__") else result


class _Counting:
    def __init__(self, app: ASGIApp, requests: list[tuple[str, dict[str, str]]], *, is_old: bool) -> None:
        self._app = app
        self._requests = requests
        self._is_old = is_old

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            headers = {name.decode(): value.decode() for name, value in scope["headers"]}
            self._requests.append((scope["method"], headers))
            if self._is_old and headers.get("mcp-protocol-version", "") > "2026":
                await JSONResponse({"error": "what is this?"}, status_code=400)(scope, receive, send)
                return
        await self._app(scope, receive, send)


class Exchange:
    """One request to a `RawPeer`, and the socket to answer it on."""

    def __init__(
        self, handler: BaseHTTPRequestHandler, message: dict[str, Any], over: threading.Event
    ) -> None:
        self.message = message
        self.headers = {name.lower(): value for name, value in handler.headers.items()}
        self.over = over
        """Set when the peer stops."""
        self._handler = handler

    def write(self, data: bytes) -> None:
        self._handler.wfile.write(data)
        self._handler.wfile.flush()

    def head(self, status: int, *headers: str) -> None:
        """Begin an answer that ends with the connection."""
        self.write("\r\n".join([f"HTTP/1.1 {status} X", *headers, "Connection: close", "", ""]).encode())

    def reply(self, status: int, body: bytes, *headers: str, kind: str = "application/json") -> None:
        self.head(status, f"Content-Type: {kind}", f"Content-Length: {len(body)}", *headers)
        self.write(body)

    def result(self, result: Any, *headers: str) -> None:
        self.reply(200, self.encoded(result=result), *headers)

    def error(self, code: int, message: str, *, status: int = 200) -> None:
        self.reply(status, self.encoded(error={"code": code, "message": message}))

    def event(self, payload: bytes, *lines: str) -> None:
        self.write("".join(f"{line}\n" for line in lines).encode() + b"data: " + payload + b"\n\n")

    def encoded(self, **members: Any) -> bytes:
        return json.dumps({"jsonrpc": "2.0", "id": self.message.get("id"), **members}).encode()


Answering = Callable[[Exchange], None]

TEXT_RESULT = {"content": [{"type": "text", "text": "done"}]}
INITIALIZED = {
    "protocolVersion": "2025-11-25",
    "capabilities": {"tools": {}},
    "serverInfo": {"name": "raw", "version": "1"},
}


class RawPeer:
    """Opens a session as the older version does, and leaves everything after that to the scripts by method."""

    def __init__(self, *, session_id: str | None = "s-1", **scripts: Answering) -> None:
        self.messages: list[dict[str, Any]] = []
        self.connects = 0
        self.gets = 0
        self.deleted: list[str] = []
        self.authorized: list[str | None] = []
        self._over = threading.Event()
        self._scripts = scripts
        self._session_id = session_id
        peer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                raw = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                self.close_connection = True
                peer._answer(Exchange(self, json.loads(raw), peer._over))

            def do_GET(self) -> None:
                peer.gets += 1
                self.close_connection = True
                peer._answer(Exchange(self, {"method": "GET"}, peer._over))

            def do_DELETE(self) -> None:
                peer.deleted.append(self.headers.get("mcp-session-id", ""))
                self.close_connection = True
                Exchange(self, {}, peer._over).reply(200, b"")

            def log_message(self, format: str, *args: Any) -> None:
                pass

            def handle(self) -> None:
                try:
                    super().handle()
                except OSError:
                    self.close_connection = True

        class Counting(ThreadingHTTPServer):
            daemon_threads = True

            def get_request(self) -> Any:
                peer.connects += 1
                return super().get_request()

        self._server = Counting(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}/mcp"
        self._thread = threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True
        )
        self._thread.start()

    def sent(self, method: str) -> int:
        return sum(message.get("method") == method for message in self.messages)

    def _answer(self, exchange: Exchange) -> None:
        message = exchange.message
        self.messages.append(message)
        self.authorized.append(exchange.headers.get("authorization"))
        method = message.get("method", "")
        script = self._scripts.get(method.replace("/", "_"))
        if script is not None:
            script(exchange)
        elif method == "server/discover":
            exchange.reply(400, b"no", kind="text/plain")
        elif method == "initialize":
            headers = [] if self._session_id is None else [f"Mcp-Session-Id: {self._session_id}"]
            exchange.result(INITIALIZED, *headers)
        elif "id" not in message or "method" not in message:
            exchange.reply(202, b"")
        else:
            exchange.result(TEXT_RESULT)

    def stop(self) -> None:
        self._over.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(timeout=10)

    def __enter__(self) -> "RawPeer":
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
