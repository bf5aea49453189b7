"""A run's proxy on the loopback: answers tool calls with what the test says and keeps everything that was asked."""

import json
import re
import secrets
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, NamedTuple, Self

from pipelines.odyssey.envelope import Envelope

RUN_ID = 17
BASE = f"/api/odyssey-proxy/runs/{RUN_ID}"
ACTOR = re.compile(r"[A-Za-z0-9_.-]{1,64}(/[A-Za-z0-9_.-]{1,64}){0,7}")
EVENT_TYPES = {
    "assistant_message",
    "thinking",
    "system_prompt",
    "custom",
    "handoff",
    "subagent_message",
    "subagent_final",
}


class Call(NamedTuple):
    tool: str
    arguments: dict[str, Any]
    actor_id: str | None


class Event(NamedTuple):
    event_type: str
    payload: dict[str, Any]
    actor_id: str | None


class Refusal(NamedTuple):
    """An answer that is a problem instead of a tool's response."""

    status: int
    code: str
    detail: str
    retryable: bool = False
    errors: list[dict[str, Any]] | None = None


class RecordingProxy:
    """Answers each tool with a value, with what a function makes of the arguments, or with a Refusal."""

    def __init__(self, answers: dict[str, Any] | None = None) -> None:
        self.answers: dict[str, Any] = answers or {}
        self.calls: list[Call] = []
        self.events: list[Event] = []
        self.token = secrets.token_urlsafe(32)
        self._lock = threading.Lock()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self.url = f"http://127.0.0.1:{self._server.server_port}{BASE}"

    def __enter__(self) -> Self:
        self._thread = threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True
        )
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, failure: BaseException | None, where: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def envelope(self, user_instruction: str = "Refund order ord_1.", **more: Any) -> Envelope:
        known = {"run_id": RUN_ID, "task_id": 1, "agent_id": 1, "run_token_jti": "0" * 32, "attempt": 1}
        return Envelope(
            proxy_url=self.url, run_token=self.token, user_instruction=user_instruction, **{**known, **more}
        )

    def dispatch_headers(self) -> dict[str, str]:
        """What the platform sends beside the body of a dispatch."""
        return {
            "X-Pipelines-Run-Token": self.token,
            "X-Pipelines-Odyssey-Proxy-Url": self.url,
            "X-Pipelines-Run-Id": str(RUN_ID),
            "X-Pipelines-Task-Id": "1",
            "X-Pipelines-Run-Token-Jti": "0" * 32,
        }

    def events_of(self, event_type: str) -> list[Event]:
        return [event for event in self.events if event.event_type == event_type]

    def answer(
        self, path: str, token: str | None, actor: str | None, body: Any
    ) -> tuple[int, dict[str, Any]]:
        """The status and body for one request, in the order of checks of the real proxy."""
        with self._lock:
            if token != self.token or not path.startswith(f"{BASE}/"):
                return _problem(Refusal(401, "run_token_invalid", "This run token is not valid."))
            if actor is not None and not ACTOR.fullmatch(actor):
                return _problem(Refusal(400, "actor_id_invalid", f"{actor!r} is not an actor id."))
            if not isinstance(body, dict):
                return _problem(Refusal(400, "json_invalid", "The body is not a JSON object."))
            kind, _, name = path.removeprefix(f"{BASE}/").partition("/")
            if kind == "tools":
                return self._tool(name, body, actor)
            if kind == "traces" and name in EVENT_TYPES:
                self.events.append(Event(name, body, actor))
                return 200, {"accepted": True, "sequence": len(self.events), "event_type": name}
            return _problem(Refusal(400, "trace_event_type_invalid", f"There is no event type {name!r}."))

    def _tool(self, name: str, arguments: dict[str, Any], actor: str | None) -> tuple[int, dict[str, Any]]:
        self.calls.append(Call(name, arguments, actor))
        if name not in self.answers:
            return _problem(Refusal(404, "tool_unknown", f"The agent has no tool {name!r}."))
        answer: Any | Callable[[dict[str, Any]], Any] = self.answers[name]
        response = answer(arguments) if callable(answer) else answer
        if isinstance(response, Refusal):
            return _problem(response)
        return 200, {
            "tool_name": name,
            "response": response,
            "source": "odyssey",
            "latency_ms": 1,
            "matched_rule_index": None,
            "validation": {"ok": True},
        }


def _problem(refusal: Refusal) -> tuple[int, dict[str, Any]]:
    body: dict[str, Any] = {"type": "about:blank", "title": refusal.code, **refusal._asdict()}
    if refusal.errors is None:
        del body["errors"]
    return refusal.status, body


def _handler(proxy: RecordingProxy) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        wbufsize = -1  # head and body in one packet, which nobody holds back for the other

        def do_POST(self) -> None:
            raw = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            bearer = self.headers.get("Authorization", "").removeprefix("Bearer ")
            token = bearer or self.headers.get("X-Pipelines-Run-Token")
            try:
                body = json.loads(raw)
            except ValueError:
                body = None
            status, answer = proxy.answer(self.path, token, self.headers.get("X-Pipelines-Actor-Id"), body)
            self._send(status, json.dumps(answer).encode())

        def _send(self, status: int, body: bytes) -> None:
            self.send_response(status)
            self.send_header(
                "Content-Type", "application/json" if status < 400 else "application/problem+json"
            )
            self.send_header("Content-Length", str(len(body)))
            if status in (429, 503):
                self.send_header("Retry-After", "0")
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    return Handler
