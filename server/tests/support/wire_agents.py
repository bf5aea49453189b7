"""Agents for the tests of the conformance checks: one that keeps every duty, and hooks to break one each."""

import json
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

TOKEN = "inbound-token-of-the-tests"


class RefusedError(Exception):
    def __init__(self, status: int, body: str) -> None:
        super().__init__(body)
        self.status = status
        self.body = body


class Agent:
    """Looks an order up, then its customer, and says what it found."""

    system_prompt = "You look orders up."

    def handle(self, headers: Mapping[str, str], raw: bytes) -> tuple[int, Any]:
        if not self.admits(headers):
            return 401, {"detail": "wrong token"}
        try:
            body = json.loads(raw)
        except ValueError:
            return self.unreadable()
        if body == {"ping": True}:
            return self.ping()
        if not isinstance(body, dict):
            return 400, {"detail": "not an object"}
        proxy_url = body.get("odyssey_proxy_url") or headers.get("X-Pipelines-Odyssey-Proxy-Url")
        token = headers.get("X-Pipelines-Run-Token")
        if not proxy_url or not token:
            return self.lacking()
        return 200, self.work(body, proxy_url, token)

    def admits(self, headers: Mapping[str, str]) -> bool:
        return headers.get("Authorization") == f"Bearer {TOKEN}"

    def unreadable(self) -> tuple[int, Any]:
        return 400, {"detail": "not JSON"}

    def ping(self) -> tuple[int, Any]:
        return 200, {"ok": True}

    def lacking(self) -> tuple[int, Any]:
        return 400, {"detail": "no proxy or token"}

    def work(self, body: dict[str, Any], proxy_url: str, token: str) -> Any:
        task = body["input"]
        prompt = self.prompt(task)
        self.post(f"{proxy_url}/traces/system_prompt", token, {"text": prompt})
        order = self.call(proxy_url, token, "get_order", {"order_id": "ord_1001"})
        customer = self.call(proxy_url, token, "get_customer", {"of": order})
        return self.reply(task["user_instruction"], prompt, [order, customer])

    def prompt(self, task: Mapping[str, Any]) -> str:
        return f"{self.system_prompt} {task.get('system_injection', '')}"

    def reply(self, instruction: str, prompt: str, found: list[Any]) -> Any:
        messages = [
            {"role": "system", "content": prompt},
            {"role": "user", "content": instruction},
            {"role": "assistant", "tool_calls": [{"id": "c1", "name": "get_order", "arguments": {}}]},
            {"role": "tool", "tool_call_id": "c1", "content": json.dumps(found[0])},
            {"role": "assistant", "content": "Found."},
        ]
        return {
            "final_response": f"Found {json.dumps(found)}",
            "messages": messages,
            "metadata": {"model": "none"},
        }

    def call(self, proxy_url: str, token: str, tool: str, arguments: Any) -> Any:
        for _ in range(4):
            try:
                return self.unwrap(self.post(f"{proxy_url}/tools/{tool}", token, arguments))
            except RefusedError as refused:
                if not self.tries_again(refused.status):
                    return self.refused(refused)
        return {"error": "refused four times"}

    def tries_again(self, status: int) -> bool:
        return status == 429

    def refused(self, refused: RefusedError) -> Any:
        return {"error": refused.body}

    def unwrap(self, envelope: Any) -> Any:
        return envelope["response"]

    def encode(self, arguments: Any) -> bytes:
        return json.dumps(arguments).encode()

    def headers(self, token: str) -> dict[str, str]:
        return {"Authorization": f"Bearer {token}"}

    def post(self, url: str, token: str, payload: Any) -> Any:
        request = urllib.request.Request(url, self.encode(payload), self.headers(token))
        try:
            with urllib.request.urlopen(request) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as error:
            with error:
                raise RefusedError(error.code, error.read().decode()) from None


@contextmanager
def listening(agent: Agent) -> Iterator[str]:
    """Serve an agent; whatever it raises is a 500."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            raw = self.rfile.read(int(self.headers["Content-Length"]))
            try:
                status, body = agent.handle(dict(self.headers.items()), raw)
            except Exception as error:  # noqa: BLE001 - as a server does
                status, body = 500, {"detail": str(error)}
            content = body if isinstance(body, bytes) else json.dumps(body, ensure_ascii=False).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/dispatch"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
