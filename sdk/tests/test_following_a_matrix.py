"""Waiting for a matrix by its stream: through comments, a platform that starts anew, and what is no stream at all."""

import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import pytest

from pipelines.odyssey.cli import following
from pipelines.odyssey.cli.connection import Connection, if_missing
from pipelines.odyssey.cli.failures import CommandFailedError
from pipelines.odyssey.cli.following import wait_for_matrix
from pipelines.odyssey.client.types import MatrixOut

KEY = "pk_live_" + "5" * 40
Streaming = Callable[..., str]


def event(name: str, **data: Any) -> str:
    return f"event: {name}\ndata: {json.dumps(data)}\n\n"


def progress(ended: int, **members: Any) -> str:
    return event("progress", **{"planned": 40, "ended": ended, "missing": 0, "seconds_left": None, **members})


@pytest.fixture
def streaming() -> Iterator[Streaming]:
    """Answer one request after the other with these bodies, each of them ending where it ends."""
    servers: list[HTTPServer] = []

    def start(*bodies: str | tuple[int, str], status: int = 200) -> str:
        left = iter((status, body) if isinstance(body, str) else body for body in bodies)

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                status, body = next(left)
                self.send_response(status)
                self.end_headers()
                self.wfile.write(body.encode())

            def log_message(self, *_: object) -> None:
                pass

        server = HTTPServer(("127.0.0.1", 0), Handler)
        servers.append(server)
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        return f"http://127.0.0.1:{server.server_port}"

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(following, "_LONGEST_WAIT_S", 0.01)
    monkeypatch.setattr(following, "_PATIENCE_S", 0.0)


def waited(url: str, capsys: pytest.CaptureFixture[str]) -> list[str]:
    platform = Connection(url, KEY)
    try:
        with if_missing("There is no matrix."):
            wait_for_matrix(platform, "m", 40)
    finally:
        platform.close()
    return capsys.readouterr().err.splitlines()


def test_progress_is_told_now_and_then_with_the_time_left(
    streaming: Streaming, capsys: pytest.CaptureFixture[str]
) -> None:
    told = [progress(1), progress(4, seconds_left=95.4, missing=2), progress(5, seconds_left=9), progress(40)]
    url = streaming(": open\n\n" + ": still here\n\n".join(told) + event("end", id="m"))
    assert waited(url, capsys) == [
        "4 of 40 runs done; 2 missing; about 1 min 35 s left",
        "40 of 40 runs done",
    ]


def test_fresh_runs_are_named_when_they_begin_and_counted_apart(
    streaming: Streaming, capsys: pytest.CaptureFixture[str]
) -> None:
    stages = [progress(20), progress(40), *(progress(40 + ended, planned=104) for ended in (0, 1, 32, 64))]
    told = [
        "20 of 40 runs done",
        "40 of 40 runs done",
        "The first 40 runs have ended. The most suspicious cells get 64 fresh runs.",
        "32 of 64 fresh runs done",
        "64 of 64 fresh runs done",
    ]
    end = event("end", id="m")
    assert waited(streaming("".join(stages) + end), capsys) == told
    assert waited(streaming("".join(stages[:4]), "".join(stages[3:]) + end), capsys) == told
    assert waited(streaming("".join(stages[4:]) + end), capsys) == told[2:]


def test_a_stream_that_breaks_off_is_taken_up_again(
    streaming: Streaming, capsys: pytest.CaptureFixture[str]
) -> None:
    url = streaming(progress(20), ": open\n\n" + progress(40) + event("end", id="m"))
    assert waited(url, capsys) == ["20 of 40 runs done", "40 of 40 runs done"]


def test_a_person_with_too_many_streams_waits_by_reading(
    streaming: Streaming, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(following, "_WITHOUT_STREAM_S", 0.0)
    full = (429, json.dumps({"detail": "Close one.", "code": "too_many_streams", "retryable": True}))
    done = {"planned": 40, "missing": 0, "seconds_left": None}
    matrix = dict.fromkeys(MatrixOut.__required_keys__)
    going_on = json.dumps(matrix | {"status": "running", "progress": done | {"ended": 20}})
    over = json.dumps(matrix | {"status": "completed", "progress": done | {"ended": 40}})
    url = streaming(full, going_on, full, over)
    assert waited(url, capsys) == ["20 of 40 runs done", "40 of 40 runs done"]


@pytest.mark.parametrize(
    ("status", "body", "sentence"),
    [
        (404, json.dumps({"detail": "It is not there."}), "There is no matrix."),
        (401, json.dumps({"detail": "The key was revoked."}), "refused the API key: The key was revoked."),
        (200, "event: progress\ndata: <html>\n\n", "but not as Odyssey does; check the address."),
        (200, "event: progress\ndata: [1]\n\n", "but not as Odyssey does; check the address."),
        (502, "<html>", "answered HTTP 502, but not as Odyssey does"),
    ],
)
def test_what_is_no_stream_ends_the_waiting(
    streaming: Streaming, capsys: pytest.CaptureFixture[str], status: int, body: str, sentence: str
) -> None:
    with pytest.raises(CommandFailedError, match=sentence.replace(".", r"\.")):
        waited(streaming(body, status=status), capsys)


def test_a_platform_that_stays_away_ends_the_waiting(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(CommandFailedError, match="cannot be reached"):
        waited("http://127.0.0.1:1", capsys)
