"""A per-run proxy that gives scripted answers, one after the other, and keeps what it was asked."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple

from pipelines.odyssey.envelope import Envelope

TOKEN = "run-token-of-this-test"


class Asked(NamedTuple):
    path: str
    headers: dict[str, str]
    body: Any


class Scripted(NamedTuple):
    status: int
    body: Any
    headers: dict[str, str] = {}  # noqa: RUF012 - never changed


class ScriptedProxy:
    def __init__(self, *answers: Scripted) -> None:
        self.asked: list[Asked] = []
        self._answers = list(answers)
        proxy = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                sent = self.rfile.read(int(self.headers["Content-Length"]))
                headers = {name.lower(): value for name, value in self.headers.items()}
                proxy.asked.append(Asked(self.path, headers, json.loads(sent)))
                answer = proxy.next_answer()
                body = answer.body if isinstance(answer.body, bytes) else json.dumps(answer.body).encode()
                self.send_response(answer.status)
                for name, value in {**answer.headers, "Content-Length": str(len(body))}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/api/odyssey-proxy/runs/17"

    def next_answer(self) -> Scripted:
        """Return the next answer, or the last one again."""
        return self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]

    def envelope(self, **more: Any) -> Envelope:
        return Envelope(proxy_url=self.url, run_token=TOKEN, **more)


@contextmanager
def scripted_proxy(*answers: Scripted) -> Iterator[ScriptedProxy]:
    proxy = ScriptedProxy(*answers)
    thread = threading.Thread(target=proxy.server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield proxy
    finally:
        proxy.server.shutdown()
        proxy.server.server_close()
        thread.join()


def answered(response: Any) -> Scripted:
    """The envelope of a tool call that was answered."""
    return Scripted(
        200,
        {
            "tool_name": "get_order",
            "response": response,
            "source": "odyssey",
            "latency_ms": 1,
            "matched_rule_index": None,
        },
    )


def refused(
    status: int, code: str, *, retryable: bool = False, detail: str = "No.", **headers: str
) -> Scripted:
    problem = {"title": code, "status": status, "code": code, "detail": detail, "retryable": retryable}
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Scripted(status, problem, named)
