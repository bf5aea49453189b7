"""A per-run proxy on this machine: it speaks as the platform's does, and keeps what agents sent to it."""

import json
import re
import secrets
import socket
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple

from pipelines.odyssey.local.answers import Answers

LOOPBACK = "127.0.0.1"
MOST_BYTES = 1024 * 1024
EVENT_TYPES = (
    "assistant_message",
    "thinking",
    "system_prompt",
    "custom",
    "handoff",
    "subagent_message",
    "subagent_final",
)

_ACTOR = re.compile(r"[A-Za-z0-9_.-]{1,64}(/[A-Za-z0-9_.-]{1,64}){0,7}")
_PATH = re.compile(r"/api/odyssey-proxy(?:/runs/(?P<run>[^/]+))?/(?P<kind>tools|traces)/(?P<name>[^/]+)")
_MOMENT = re.compile(r"\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)")


class Refusal(NamedTuple):
    """A problem the proxy answers with instead of serving a call."""

    status: int
    code: str
    detail: str
    retry_after_s: int | None = None
    """With it the refusal is retryable."""


class Call(NamedTuple):
    """One request to a tool, as it came."""

    tool: str
    arguments: Any
    """The decoded body; None where it is no JSON."""
    text: str
    actor_id: str | None
    at: float
    """By the monotonic clock."""
    refused: Refusal | None


class Event(NamedTuple):
    """One trace event, as it came."""

    event_type: str
    payload: Any
    actor_id: str | None
    refused: Refusal | None


class Stranger(NamedTuple):
    """A request that no run's token opened; what it carried is not kept."""

    path: str
    why: str


@dataclass(eq=False)
class LocalRun:
    """One run: its token, its answers, and what its agent sent."""

    run_id: int
    url: str
    token: str = field(repr=False)
    answers: Answers
    refusals: list[Refusal] = field(default_factory=list)
    """Given to the first tool calls, one each."""
    before_answer: Callable[[Call], None] | None = None
    """Called in the thread of a tool call before it is answered."""
    calls: list[Call] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    canary: str = field(default_factory=lambda: f"canary_{secrets.token_hex(8)}")
    """Stands in every envelope beside `response`; who sees it anywhere else sees an envelope passed on."""
    jti: str = field(default_factory=lambda: secrets.token_hex(16))


class Arrived(NamedTuple):
    path: str
    headers: Mapping[str, str | None]
    body: bytes


class Served(NamedTuple):
    status: int
    body: Mapping[str, Any]
    retry_after_s: int | None = None


class _Refused(Exception):  # noqa: N818 - carries a Refusal, is no error of ours
    def __init__(self, status: int, code: str, detail: str) -> None:
        super().__init__(detail)
        self.refusal = Refusal(status, code, detail)


class LocalProxy:
    """Serves any number of runs in a background thread, as a context manager."""

    def __init__(
        self, *, tools: Sequence[Mapping[str, Any]] = (), listen: str = LOOPBACK, host: str | None = None
    ) -> None:
        """Listen at an address of this machine; `host` is the name under which agents reach it."""
        self._tools = {str(tool.get("name")): tool for tool in tools}
        self._server = (_Server6 if ":" in listen else _Server)((listen, 0), _Handler)
        self._server.proxy = self
        shown = host or listen
        self._origin = f"http://{f'[{shown}]' if ':' in shown else shown}:{self._server.server_port}"
        self._runs: dict[str, LocalRun] = {}
        self._lock = threading.Lock()
        self._thread = threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, name="local-proxy", daemon=True
        )
        self.strangers: list[Stranger] = []

    def __enter__(self) -> "LocalProxy":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    @property
    def runs(self) -> list[LocalRun]:
        return list(self._runs.values())

    def open_run(self, answers: Answers | None = None, *, refusals: Sequence[Refusal] = ()) -> LocalRun:
        """Make a run with a token of its own."""
        run_id = len(self._runs) + 1
        run = LocalRun(
            run_id=run_id,
            url=f"{self._origin}/api/odyssey-proxy/runs/{run_id}",
            token=secrets.token_urlsafe(32),
            answers=answers or Answers(tools=list(self._tools.values())),
            refusals=list(refusals),
        )
        self._runs[run.token] = run
        return run

    def serve(self, arrived: Arrived) -> Served:
        """Decide one request."""
        try:
            place = _PATH.fullmatch(arrived.path)
            run = self._admit(arrived, None if place is None else place["run"])
            if place is None:
                raise _Refused(404, "not_found", "POST to …/tools/{name} or …/traces/{event_type}.")
        except _Refused as refused:
            return _problem(refused.refusal)
        if place["kind"] == "traces":
            return self._event(run, place["name"], arrived)
        return self._call(run, place["name"], arrived)

    def _admit(self, arrived: Arrived, run_segment: str | None) -> LocalRun:
        bearer = arrived.headers.get("Authorization")
        own = arrived.headers.get("X-Pipelines-Run-Token")
        scheme, _, sent = (bearer or "").partition(" ")
        given = {token for token in (sent.strip() if scheme.lower() == "bearer" else bearer, own) if token}
        why = None
        run = self._runs.get(next(iter(given), ""))
        if not given:
            why = "there was no run token"
        elif len(given) > 1:
            why = "two headers carried different tokens"
        elif run is None:
            why = "the token belongs to no run"
        elif run_segment is not None and run_segment != str(run.run_id):
            why = f"it went to run {run_segment} with the token of run {run.run_id}"
        if run is None or why is not None:
            with self._lock:
                self.strangers.append(Stranger(arrived.path, why or ""))
            raise _Refused(
                401, "run_token_invalid", "Send the token of the dispatch as `Authorization: Bearer …`."
            )
        return run

    def _call(self, run: LocalRun, tool: str, arrived: Arrived) -> Served:
        arguments, refusal = None, None
        try:
            _check_frame(arrived)
            arguments = _read_object(arrived.body)
            self._check_tool(tool, arguments)
        except _Refused as refused:
            refusal = refused.refusal
        with self._lock:
            if refusal is None and run.refusals:
                refusal = run.refusals.pop(0)
            actor = arrived.headers.get("X-Pipelines-Actor-Id")
            text = arrived.body.decode("utf-8", "replace")
            call = Call(tool, arguments, text, actor, time.monotonic(), refusal)
            run.calls.append(call)
        if run.before_answer is not None:
            run.before_answer(call)
        if refusal is not None:
            return _problem(refusal)
        return Served(200, _envelope(run, tool, run.answers.to(tool, arguments or {})))

    def _check_tool(self, tool: str, arguments: Mapping[str, Any]) -> None:
        if not self._tools:
            return
        if tool not in self._tools:
            raise _Refused(404, "tool_unknown", f"The agent declares no tool {tool[:128]!r}.")
        schema = self._tools[tool].get("input_schema")
        required = schema.get("required") if isinstance(schema, Mapping) else None
        missing = [name for name in required or () if name not in arguments]
        if missing:
            raise _Refused(422, "arguments_invalid", f"{tool} needs {', '.join(map(str, missing))}.")

    def _event(self, run: LocalRun, event_type: str, arrived: Arrived) -> Served:
        payload, refusal = None, None
        try:
            _check_frame(arrived)
            if event_type not in EVENT_TYPES:
                known = ", ".join(EVENT_TYPES)
                said = f"{event_type[:64]!r} is not a trace event; the types are {known}."
                raise _Refused(400, "trace_event_type_invalid", said)
            payload = _read_object(arrived.body)
            _check_moment(payload.get("__occurred_at"))
        except _Refused as refused:
            refusal = refused.refusal
        with self._lock:
            run.events.append(
                Event(event_type, payload, arrived.headers.get("X-Pipelines-Actor-Id"), refusal)
            )
            sequence = len(run.events) + len(run.calls)
        if refusal is not None:
            return _problem(refusal)
        return Served(200, {"accepted": True, "sequence": sequence, "event_type": event_type})


def _check_frame(arrived: Arrived) -> None:
    if len(arrived.body) > MOST_BYTES:
        raise _Refused(413, "body_too_large", "The body has more than 1 MiB.")
    actor = arrived.headers.get("X-Pipelines-Actor-Id")
    if actor is not None and not _ACTOR.fullmatch(actor):
        said = "X-Pipelines-Actor-Id is one to eight names joined by '/', each of 1 to 64 letters, digits, _ . or -"
        raise _Refused(400, "actor_id_invalid", said)


def _check_moment(stated: Any) -> None:
    if stated is not None and (not isinstance(stated, str) or not _MOMENT.fullmatch(stated)):
        said = "__occurred_at must be a moment with its offset, such as 2026-01-31T12:00:00Z."
        raise _Refused(422, "validation_failed", said)


def _read_object(body: bytes) -> dict[str, Any]:
    try:
        document = json.loads(body.decode("utf-8"), parse_constant=_no_constant)
    except (ValueError, RecursionError):
        raise _Refused(400, "json_invalid", "The body is not one strict JSON document.") from None
    if not isinstance(document, dict):
        raise _Refused(422, "arguments_invalid", "The body must be a JSON object.")
    return document


def _no_constant(name: str) -> Any:
    raise ValueError(name)


def _envelope(run: LocalRun, tool: str, response: Any) -> Mapping[str, Any]:
    validation = {"valid": True, "schema": "none", "attempts": 1, "errors": [], "engine": "world"}
    return {
        "tool_name": tool,
        "response": response,
        "source": "odyssey",
        "latency_ms": 1,
        "matched_rule_index": None,
        "validation": {**validation, "confidence": 1.0, "canary": run.canary},
    }


def _problem(refusal: Refusal) -> Served:
    problem = {
        "type": "about:blank",
        "title": refusal.code,
        "status": refusal.status,
        "detail": refusal.detail,
        "code": refusal.code,
        "retryable": refusal.retry_after_s is not None,
    }
    return Served(refusal.status, problem, refusal.retry_after_s)


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    proxy: LocalProxy

    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing of a client that left in the middle: its agent will."""


class _Server6(_Server):
    address_family = socket.AF_INET6


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def do_POST(self) -> None:
        names = ("Authorization", "X-Pipelines-Run-Token", "X-Pipelines-Actor-Id")
        headers = {name: self.headers.get(name) for name in names}
        served = self.server.proxy.serve(Arrived(self.path.partition("?")[0], headers, self._read_body()))
        content = json.dumps(served.body, ensure_ascii=False).encode()
        self.send_response(served.status)
        kind = "application/json" if served.status == 200 else "application/problem+json"
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        self.send_header("Connection", "close")
        if served.retry_after_s is not None:
            self.send_header("Retry-After", str(served.retry_after_s))
        self.end_headers()
        self.wfile.write(content)

    def _read_body(self) -> bytes:
        if "chunked" not in (self.headers.get("Transfer-Encoding") or "").lower():
            length = self.headers.get("Content-Length") or "0"
            return self.rfile.read(int(length) if length.isdecimal() else 0)
        body = b""
        while size := int(self.rfile.readline().partition(b";")[0].strip() or b"0", 16):
            body += self.rfile.read(size)
            self.rfile.readline()
        while self.rfile.readline().strip():
            pass  # trailers
        return body

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing: what came is kept where it can be asked for."""
