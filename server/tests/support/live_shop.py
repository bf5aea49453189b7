"""A shop behind live tools: a real HTTP service with an OpenAPI document, which keeps what it was asked."""

import json
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, urlsplit

from support.platform import TOOLS, Org


class Request(NamedTuple):
    method: str
    path: str
    query: dict[str, str]
    headers: dict[str, str]
    body: Any

    @property
    def order_id(self) -> str:
        return self.path.split("/")[2]


class Reply(NamedTuple):
    body: bytes
    status: int = 200
    content_type: str = "application/json"


Behaviour = Callable[[Request], Any]


def order_of(request: Request) -> dict[str, Any]:
    return {"id": request.order_id, "state": "shipped", "amount": 79.5}


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128


class LiveShop:
    """Serves until `stop()`. A behaviour returns a Reply, or what is sent as JSON."""

    def __init__(self, behaviour: Behaviour = order_of) -> None:
        self.behaviour = behaviour
        self.asked: list[Request] = []
        shop = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def _serve(self) -> None:
                raw = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                address = urlsplit(self.path)
                headers = {name.lower(): value for name, value in self.headers.items()}
                body = json.loads(raw) if raw else None
                request = Request(self.command, address.path, dict(parse_qsl(address.query)), headers, body)
                shop.asked.append(request)
                answer = shop.behaviour(request)
                reply = answer if isinstance(answer, Reply) else Reply(json.dumps(answer).encode())
                self.send_response(reply.status)
                self.send_header("Content-Type", reply.content_type)
                self.send_header("Content-Length", str(len(reply.body)))
                self.end_headers()
                self.wfile.write(reply.body)

            def do_GET(self) -> None:
                self._serve()

            def do_POST(self) -> None:
                self._serve()

            def do_DELETE(self) -> None:
                self._serve()

            def log_message(self, format: str, *args: Any) -> None:
                pass

            def handle(self) -> None:
                try:
                    super().handle()
                except ConnectionError:
                    self.close_connection = True

        self._server = _Server(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        self._thread = threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True
        )
        self._thread.start()

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(timeout=10)

    def endpoint(self, name: str = "orders-api", **config: Any) -> dict[str, Any]:
        """The body that registers it."""
        settings = {"base_url": self.url, "spec": DOCUMENT, "auth": {"type": "none"}, **config}
        return {"name": name, "type": "http_openapi", "config": settings}

    def register(self, org: Org, name: str = "orders-api", **config: Any) -> dict[str, Any]:
        made: dict[str, Any] = org.ok(org.post("/api/tool-endpoints", self.endpoint(name, **config)))
        assert made["discovery_error"] is None
        return made


class Gate:
    """A behaviour that waits: requests are there once `wait` returns, and `release` lets them be answered."""

    def __init__(self, behaviour: Behaviour = order_of) -> None:
        self.release = threading.Event()
        self._arrived = threading.Semaphore(0)
        self._behaviour = behaviour

    def wait(self) -> None:
        """Wait for one request more."""
        assert self._arrived.acquire(timeout=60)

    def __call__(self, request: Request) -> Any:
        self._arrived.release()
        assert self.release.wait(60)
        return self._behaviour(request)


_ORDER_ID = {"name": "order_id", "in": "path", "required": True, "schema": {"type": "string"}}
_ANSWER = {"200": {"description": "It.", "content": {"application/json": {"schema": {"type": "object"}}}}}
DOCUMENT: dict[str, Any] = {
    "openapi": "3.1.0",
    "info": {"title": "Orders", "version": "1"},
    "paths": {
        "/orders/{order_id}": {
            "get": {
                "operationId": "readOrder",
                "parameters": [
                    _ORDER_ID,
                    {"name": "view", "in": "query", "schema": {"type": "string"}},
                ],
                "responses": _ANSWER,
            },
            "delete": {"operationId": "dropOrder", "parameters": [_ORDER_ID], "responses": _ANSWER},
        },
        "/orders/{order_id}/notes": {
            "post": {
                "operationId": "addNote",
                "parameters": [_ORDER_ID],
                "requestBody": {
                    "required": True,
                    "content": {
                        "application/json": {
                            "schema": {
                                "type": "object",
                                "properties": {"text": {"type": "string"}},
                                "required": ["text"],
                            }
                        }
                    },
                },
                "responses": _ANSWER,
            }
        },
    },
}

LEDGER_SCHEMA: dict[str, Any] = {
    "entities": [
        {
            "type": "order",
            "id_field": "order_id",
            "fields": [
                {"name": "order_id", "type": "string"},
                {"name": "status", "type": "string"},
                {"name": "total", "type": "number"},
            ],
        }
    ]
}
ADAPTER: dict[str, Any] = {
    "op": "update",
    "entity_type": "order",
    "id_from": "$.id",
    "field_map": {"order_id": "$.id", "status": "$.state", "total": "$.amount"},
    "flags": ["fetched_order:{order_id}"],
}


def live(name: str, upstream: str, endpoint: str = "orders-api", **members: Any) -> dict[str, Any]:
    """A passthrough tool that takes an order's id and maybe more."""
    return {
        "name": name,
        "input_schema": {
            "type": "object",
            "properties": {
                "order_id": {"type": "string"},
                "view": {"type": "string"},
                "text": {"type": "string"},
            },
            "required": ["order_id"],
        },
        "default_execution_mode": "passthrough",
        "passthrough_binding": {"endpoint_name": endpoint, "tool_name": upstream},
        **members,
    }


def mirrored(name: str = "get_order", upstream: str = "readOrder", **members: Any) -> dict[str, Any]:
    """The same with an adapter."""
    return live(name, upstream, ledger_write_policy="adapter", ledger_adapter=ADAPTER) | members


def agent_of(*tools: dict[str, Any], **members: Any) -> dict[str, Any]:
    """Members of an agent with these tools and the simulated ones of other names."""
    named = {tool["name"] for tool in tools}
    simulated = [tool for tool in TOOLS if tool["name"] not in named]
    return {"tools_schema": [*tools, *simulated], "ledger_schema": LEDGER_SCHEMA} | members
