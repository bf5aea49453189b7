"""How commands find their platform, and what they say when it is not one."""

import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from pipelines.odyssey.cli.app import build_app
from pipelines.odyssey.cli.connection import Connection, Server, connected, if_missing
from pipelines.odyssey.cli.failures import CommandFailedError
from pipelines.odyssey.client.types import RunOut, RunSummary

KEY = "pk_live_" + "7" * 40
Answering = Callable[[int, str], str]


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ODYSSEY_URL", "ODYSSEY_API_KEY", "PIPELINES_API_KEY"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def answering() -> Iterator[Answering]:
    """Serve one fixed answer to every request."""
    servers: list[HTTPServer] = []

    def start(status: int, body: str) -> str:
        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self.send_response(status)
                self.end_headers()
                self.wfile.write(body.encode())

            def do_POST(self) -> None:
                self.rfile.read(int(self.headers.get("Content-Length", 0)))
                self.do_GET()

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


def failure(capsys: pytest.CaptureFixture[str], server: Server) -> str:
    with pytest.raises(SystemExit) as ended, connected(server) as platform:
        platform.runs.get(1)
    assert ended.value.code == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith("odyssey: ")
    assert said.err.count("\n") == 1
    assert KEY not in said.err
    return said.err


@pytest.mark.parametrize(
    ("server", "sentence"),
    [
        (Server(), "There is no API key; set ODYSSEY_API_KEY or give --api-key."),
        (Server(api_key="  "), "There is no API key"),
        (Server(api_key=f"{KEY}\n{KEY}"), "The API key holds characters that no key has"),
        (Server(api_key=f"{KEY}é"), "The API key holds characters that no key has"),
        (Server(api_key=KEY, url="localhost:8200"), "must begin with http:// or https://"),
        (Server(api_key=KEY, url="http://[::1"), "is not a URL"),
        (Server(api_key=KEY, url="http://a..b"), "no host has such a name"),
        (Server(api_key=KEY, url="http://"), "must begin with http:// or https://"),
    ],
)
def test_what_cannot_be_asked_is_said_before_asking(
    capsys: pytest.CaptureFixture[str], server: Server, sentence: str
) -> None:
    assert sentence in failure(capsys, server)


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (200, "<html>"),
        (200, "[]"),
        (200, '{"hello": 1}'),
        (200, "[" * 100_000),
        (502, "bad gateway"),
        (301, ""),
    ],
)
def test_a_server_that_is_not_odyssey_is_told_apart(
    capsys: pytest.CaptureFixture[str], answering: Answering, status: int, body: str
) -> None:
    said = failure(capsys, Server(api_key=KEY, url=answering(status, body)))
    assert f"answered HTTP {status}, but not as Odyssey does" in said


@pytest.mark.parametrize("page", [{"items": {}, "next_cursor": None}, {"items": []}])
def test_a_page_that_is_none_is_not_of_odyssey(answering: Answering, page: dict[str, object]) -> None:
    with Connection(answering(200, json.dumps(page)), KEY) as platform:
        for asked in (lambda: platform.runs.page(limit=1), lambda: list(platform.runs.list())):
            with pytest.raises(CommandFailedError, match="answered HTTP 200, but not as Odyssey does"):
                asked()


@pytest.mark.parametrize("lacking", ["id", "verdict"])
def test_an_answer_that_lacks_a_member_is_not_of_odyssey(answering: Answering, lacking: str) -> None:
    run = dict.fromkeys(RunSummary.__required_keys__ | RunOut.__required_keys__)
    with Connection(answering(200, json.dumps(run)), KEY) as platform:
        platform.runs.get(1)
        platform.runs.grade(1)
    del run[lacking]
    with Connection(answering(200, json.dumps(run)), KEY) as platform:
        with pytest.raises(CommandFailedError, match="answered HTTP 200, but not as Odyssey does"):
            platform.runs.get(1)
        with pytest.raises(CommandFailedError, match="answered, but not as Odyssey does"):
            platform.runs.grade(1)


@pytest.mark.parametrize(
    ("problem", "said"),
    [
        ({"detail": "No run has this number."}, "There is no run 1."),
        ({"hello": 1}, "answered HTTP 404, but not as Odyssey does"),
    ],
)
def test_what_is_missing_is_named_by_the_command(
    answering: Answering, problem: dict[str, object], said: str
) -> None:
    url = answering(404, json.dumps(problem))
    missing = if_missing("There is no run 1.")
    with Connection(url, KEY) as platform, pytest.raises(CommandFailedError, match=said), missing:
        platform.runs.get(1)


def test_what_a_server_says_is_shown_harmlessly_and_without_the_key(
    capsys: pytest.CaptureFixture[str], answering: Answering
) -> None:
    problem = json.dumps({"detail": f"\x1b[31mno {KEY}\nline"})
    said = failure(capsys, Server(api_key=KEY, url=answering(403, problem)))
    assert said == "odyssey: \\x1b[31mno ****\\nline\n"


def test_the_key_is_not_in_the_representation() -> None:
    assert KEY not in repr(Server(api_key=KEY))


def test_every_command_explains_itself(capsys: pytest.CaptureFixture[str]) -> None:
    for arguments, expected in (
        ([], ("audit", "batches", "datasets", "runs")),
        (["runs"], ("grade", "list", "show", "start")),
        (
            ["runs", "start"],
            ("--agent", "--dataset", "--instruction", "--repeats", "--wait", "exit code is 1"),
        ),
        (["runs", "grade"], ("ID", "--wait", "--json")),
        (["datasets"], ("export", "lint", "list", "template", "upload")),
        (["datasets", "lint"], ("FILE", "--agent", "--json", "Exit")),
        (["batches"], ("compare", "export", "list", "show")),
        (["batches", "export"], ("csv", "json", "junit", "--output")),
        (["audit"], ("DATASET", "--json", "Exit")),
        (["runs", "show"], ("--full", "--json", "--url", "--api-key", "ODYSSEY_API_KEY")),
        (["runs", "list"], ("--status", "--verdict", "--agent", "--batch", "--sort", "--limit", "--json")),
    ):
        build_app()([*arguments, "--help"], result_action="return_value")
        said = capsys.readouterr().out
        assert [word for word in expected if word not in said] == []
