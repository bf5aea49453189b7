"""A live service behind passthrough tools: real HTTP, described by OpenAPI, which can change its mind and go away."""

import json
import socket
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

from support.agents import Dispatched
from support.platform import Org

ORDERS: dict[str, dict[str, Any]] = {
    "ord_1": {"id": "ord_1", "state": "shipped", "lines": [{"sku": "A", "price": 12.5}]},
    "ord_2": {"id": "ord_2", "state": "open", "lines": []},
}


class OrderService:
    """Serves until `stop()`; afterwards its port is held by a listener that only counts who comes."""

    def __init__(self) -> None:
        self.orders = json.loads(json.dumps(ORDERS))
        self.asked: list[str] = []
        service = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                self._answer()

            def do_POST(self) -> None:
                self.rfile.read(int(self.headers.get("Content-Length", 0)))
                self._answer()

            def _answer(self) -> None:
                path = urlsplit(self.path).path
                service.asked.append(f"{self.command} {path}")
                status, body = service.answer(self.command, path.strip("/").split("/"))
                content = json.dumps(body).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, format: str, *args: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.port = self._server.server_port
        self.url = f"http://127.0.0.1:{self.port}"
        self._thread = threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True
        )
        self._thread.start()
        self._decoy: socket.socket | None = None

    def answer(self, method: str, steps: list[str]) -> tuple[int, Any]:
        order = self.orders.get(steps[1])
        if order is None:
            return 404, {"error": "no such order"}
        if method == "POST":
            order["refunds"] = order.get("refunds", 0) + 1
        return 200, order

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(timeout=10)
        self._decoy = socket.socket()
        self._decoy.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self._decoy.bind(("127.0.0.1", self.port))
        self._decoy.listen(64)
        self._decoy.setblocking(False)

    def connects_since_stopped(self) -> int:
        """Count who has come to the port; whoever did waits in its queue until it is asked for."""
        assert self._decoy is not None
        count = 0
        while True:
            try:
                self._decoy.accept()[0].close()
            except BlockingIOError:
                return count
            count += 1

    def close(self) -> None:
        if self._decoy is None:
            self.stop()
        assert self._decoy is not None
        self._decoy.close()

    def document(self) -> dict[str, Any]:
        order_id = {"name": "order_id", "in": "path", "required": True, "schema": {"type": "string"}}
        answers = {"200": {"description": "The order."}}
        return {
            "openapi": "3.1.0",
            "info": {"title": "Orders", "version": "1"},
            "servers": [{"url": self.url}],
            "paths": {
                "/orders/{order_id}": {
                    "get": {"operationId": "readOrder", "parameters": [order_id], "responses": answers}
                },
                "/orders/{order_id}/refunds": {
                    "post": {"operationId": "refundOrder", "parameters": [order_id], "responses": answers}
                },
            },
        }

    def bind(self, org: Org, **members: Any) -> list[dict[str, Any]]:
        """Register the service as an endpoint; returns tools that lead to it, all with these members."""
        body = {"name": "orders", "type": "http_openapi", "config": {"spec": self.document()}}
        endpoint = org.ok(org.post("/api/tool-endpoints", body))
        schema = {
            "type": "object",
            "properties": {"order_id": {"type": "string"}},
            "required": ["order_id"],
        }
        return [
            {
                "name": name,
                "input_schema": schema,
                "default_execution_mode": "passthrough",
                "passthrough_binding": {"endpoint_id": endpoint["id"], "tool_name": tool},
                **members,
            }
            for name, tool in (("get_order", "readOrder"), ("refund_order", "refundOrder"))
        ]


def do_as_told(dispatched: Dispatched) -> dict[str, Any]:
    """An agent that makes the calls its instruction lists, `tool order` a line, and tells their answers."""
    answers = []
    for line in dispatched.body["input"]["user_instruction"].splitlines():
        tool, order = line.split()
        answers.append(dispatched.call(tool, {"order_id": order}).json())
    kept = [{name: answer.get(name) for name in ("response", "source")} for answer in answers]
    return {"final_response": json.dumps(kept)}
