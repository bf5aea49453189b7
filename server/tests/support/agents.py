"""Agents under test: real HTTP servers whose behaviour is a function of the test."""

import json
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import httpx

Behaviour = Callable[["Dispatched"], Any]


class Dispatched:
    """One request that reached the agent, and the way back to its proxy."""

    def __init__(self, headers: dict[str, str], body: Any, raw: bytes) -> None:
        self.headers = headers
        self.body = body
        self.raw = raw

    @property
    def token(self) -> str:
        return self.headers["x-pipelines-run-token"]

    def call(self, tool: str, arguments: Any = None, **headers: str) -> httpx.Response:
        return self.post(f"/tools/{tool}", json.dumps({} if arguments is None else arguments), **headers)

    def post(self, path: str, content: str | bytes, **headers: str) -> httpx.Response:
        """Send JSON to the proxy as it is written."""
        return httpx.post(
            f"{self.body['odyssey_proxy_url']}{path}",
            content=content,
            headers={
                "Authorization": f"Bearer {self.token}",
                "Content-Type": "application/json",
                **headers,
            },
            timeout=60,
            trust_env=False,
            verify=False,  # or every call reads the certificates of the system first
        )


class Answer:
    """A raw HTTP answer, for agents that do not answer JSON."""

    def __init__(
        self, status: int, body: bytes = b"", content_type: str = "application/json", **headers: str
    ) -> None:
        self.status = status
        self.body = body
        self.headers = {"Content-Type": content_type, **headers}


class SeesPings:
    """A behaviour that answers pings as well; for every other one they are answered as a wrapper should."""

    def __init__(self, behaviour: Behaviour) -> None:
        self._behaviour = behaviour

    def __call__(self, dispatched: Dispatched) -> Any:
        return self._behaviour(dispatched)


class RefusesPings:
    """A behaviour of an agent that answers no ping: whether it is there is not known when a run is sent to it."""

    def __init__(self, behaviour: Behaviour) -> None:
        self._behaviour = behaviour

    def __call__(self, dispatched: Dispatched) -> Any:
        return self._behaviour(dispatched)


def hangs_up(dispatched: Dispatched) -> Any:
    """A behaviour of an agent that closes the connection instead of answering."""
    raise ConnectionResetError


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128  # or many dispatches at once wait for a second connection attempt


class ScriptedAgent:
    """Serves until `stop()`; `received` keeps every dispatch in order, `pings` every ping that was answered for it."""

    def __init__(self, behaviour: Behaviour) -> None:
        self.received: list[Dispatched] = []
        self.pings: list[Dispatched] = []
        self._behaviour = behaviour
        agent = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                raw = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                headers = {name.lower(): value for name, value in self.headers.items()}
                dispatched = Dispatched(headers, json.loads(raw or b"null"), raw)
                answer = agent.answer(dispatched)
                if not isinstance(answer, Answer):
                    answer = Answer(200, json.dumps(answer).encode())
                self.send_response(answer.status)
                for name, value in answer.headers.items():
                    self.send_header(name, value)
                if answer.status != 204:
                    self.send_header("Content-Length", str(len(answer.body)))
                self.end_headers()
                if answer.status != 204:
                    self.wfile.write(answer.body)

            def log_message(self, format: str, *args: Any) -> None:
                pass

            def handle(self) -> None:
                try:
                    super().handle()
                except (ConnectionError, BrokenPipeError):
                    self.close_connection = True

        self._server = _Server(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}/dispatch"
        self._thread = threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True
        )
        self._thread.start()

    def answer(self, dispatched: Dispatched) -> Any:
        if dispatched.body == {"ping": True} and not isinstance(self._behaviour, SeesPings):
            self.pings.append(dispatched)
            return Answer(404) if isinstance(self._behaviour, RefusesPings) else {"ok": True}
        self.received.append(dispatched)
        return self._behaviour(dispatched)

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(timeout=10)


def final(text: str = "Done.") -> dict[str, Any]:
    return {"final_response": text}
