"""A model by script: a real HTTP server on loopback that speaks both protocols and keeps what it was asked."""

import json
import threading
from collections.abc import Callable, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import MappingProxyType
from typing import Any, NamedTuple

INPUT_TOKENS = 1000
OUTPUT_TOKENS = 50


class Asked(NamedTuple):
    """One request, read the same whatever its protocol."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]

    @property
    def is_anthropic(self) -> bool:
        return self.path.endswith("/messages")

    @property
    def system(self) -> str:
        return str(self.body["system"] if self.is_anthropic else self.body["messages"][0]["content"])

    @property
    def user(self) -> str:
        return str(self.body["messages"][-1]["content"])

    @property
    def schema(self) -> dict[str, Any]:
        schema: dict[str, Any] = (
            self.body["tools"][0]["input_schema"]
            if self.is_anthropic
            else self.body["response_format"]["json_schema"]["schema"]
        )
        return schema


class Raw(NamedTuple):
    """An answer of HTTP itself."""

    status: int
    body: bytes = b""
    headers: Mapping[str, str] = MappingProxyType({})


class Text(NamedTuple):
    """An answer in words instead of the form."""

    text: str


class Refusal(NamedTuple):
    text: str


SILENCE = object()
"""No answer until the server stops."""

Answering = Callable[[Asked], Any]


def answers(asked: Asked, *, good: bool = True, claimed: tuple[str, ...] = ()) -> dict[str, Any]:
    """Answer every question of the schema: yes, 5 and the first choice, or no, 1 and the last."""
    questions = asked.schema["properties"]["answers"]["properties"]

    def choice(question: dict[str, Any]) -> Any:
        values = question["properties"]["answer"]["enum"]
        best, worst = (values[-1], values[0]) if isinstance(values[0], int) else (values[0], values[-1])
        return best if good else worst

    given: dict[str, Any] = {
        "answers": {
            name: {"reason": f"Because of {name}.", "answer": choice(question)}
            for name, question in questions.items()
        }
    }
    if "claimed_actions" in asked.schema["properties"]:
        given["claimed_actions"] = list(claimed)
    return given


class ModelServer:
    """Answers by the script, its last line for ever; a JSON value is put into the form of the protocol asked."""

    def __init__(self, *script: Any) -> None:
        self.asked: list[Asked] = []
        self.arrived = threading.Event()
        self._script = script
        self._stopping = threading.Event()
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                raw = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                headers = {name.lower(): value for name, value in self.headers.items()}
                answer = server._answer(Asked(self.path, headers, json.loads(raw)))
                if answer is None:
                    server._stopping.wait()
                    self.close_connection = True
                    return
                self.send_response(answer.status)
                for name, value in answer.headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(answer.body)))
                self.end_headers()
                self.wfile.write(answer.body)

            def log_message(self, format: str, *args: Any) -> None:
                pass

            def handle(self) -> None:
                try:
                    super().handle()
                except ConnectionError:
                    self.close_connection = True

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}/v1"
        self._thread = threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True
        )
        self._thread.start()

    def _answer(self, asked: Asked) -> Raw | None:
        self.asked.append(asked)
        self.arrived.set()
        line = self._script[min(len(self.asked), len(self._script)) - 1]
        if callable(line):
            line = line(asked)
        if line is SILENCE:
            return None
        if isinstance(line, Raw):
            return line
        body = _anthropic(line) if asked.is_anthropic else _openai(line)
        return Raw(200, json.dumps(body).encode(), {"Content-Type": "application/json"})

    def settings(self, provider: str = "openai", *, role: str = "judge", **members: Any) -> dict[str, Any]:
        """A body for PUT /api/settings that gives this server a role."""
        model = {"provider": provider, "base_url": self.url, "model": "scripted", **members}
        return {"models": {role: model}}

    def stop(self) -> None:
        self._stopping.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(timeout=10)

    def __enter__(self) -> "ModelServer":
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()


def _openai(line: Any) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": None}
    if isinstance(line, Refusal):
        message["refusal"] = line.text
    else:
        message["content"] = line.text if isinstance(line, Text) else json.dumps(line)
    return {
        "object": "chat.completion",
        "choices": [{"index": 0, "finish_reason": "stop", "message": message}],
        "usage": {"prompt_tokens": INPUT_TOKENS, "completion_tokens": OUTPUT_TOKENS},
    }


def _anthropic(line: Any) -> dict[str, Any]:
    if isinstance(line, Refusal | Text):
        content: list[dict[str, Any]] = [{"type": "text", "text": line.text}]
    else:
        content = [{"type": "tool_use", "id": "toolu_1", "name": "answer", "input": line}]
    return {
        "type": "message",
        "role": "assistant",
        "content": content,
        "stop_reason": "refusal" if isinstance(line, Refusal) else "tool_use",
        "usage": {"input_tokens": INPUT_TOKENS, "output_tokens": OUTPUT_TOKENS},
    }
