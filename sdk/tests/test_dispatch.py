"""The dispatch route of the SDK, served for real: who may call, the ping, and every way to answer."""

import asyncio
import json
import re
import socket
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
import uvicorn
from fastapi import FastAPI
from starlette.applications import Starlette
from support.scripted_proxy import answered, scripted_proxy

from pipelines.odyssey import Envelope, Reply, dispatch_app, proxy_call, register_dispatch_route
from pipelines.odyssey.context import current

ROOT = Path(__file__).parents[2]
TOKEN = "inbound-token"
AUTH = {"Authorization": f"Bearer {TOKEN}"}
RUN = {"X-Pipelines-Run-Token": "run-token", "X-Pipelines-Odyssey-Proxy-Url": "http://127.0.0.1:9/runs/1"}
DISPATCH = {"input": {"user_instruction": "Hello", "input": {}}}
Served = Callable[[Any], httpx.Client]


@pytest.fixture(autouse=True)
def token(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AGENT_TOKEN", TOKEN)


@pytest.fixture
def served() -> Iterator[Served]:
    """Serve an app and give a client to it."""
    started: list[tuple[uvicorn.Server, threading.Thread, httpx.Client]] = []

    def serve(app: Any) -> httpx.Client:
        server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="critical", lifespan="on"))
        thread = threading.Thread(target=server.run, daemon=True)
        thread.start()
        while not server.started:
            thread.join(0.01)
        port = server.servers[0].sockets[0].getsockname()[1]
        client = httpx.Client(base_url=f"http://127.0.0.1:{port}", trust_env=False, timeout=None)
        started.append((server, thread, client))
        return client

    yield serve
    for server, thread, client in started:
        client.close()
        server.should_exit = True
        thread.join()


def fastapi_app(handler: Callable[[Envelope], Any]) -> FastAPI:
    app = FastAPI()
    register_dispatch_route(app, agent_token_env="AGENT_TOKEN")(handler)
    return app


def starlette_app(handler: Callable[[Envelope], Any]) -> Starlette:
    app = Starlette()
    register_dispatch_route(app)(handler)
    return app


@pytest.mark.parametrize("make", [fastapi_app, starlette_app, dispatch_app])
def test_three_lines_port_an_agent(served: Served, make: Callable[..., Any]) -> None:
    async def run(envelope: Envelope) -> str:
        return f"You said {envelope.user_instruction}"

    answer = served(make(run)).post("/dispatch", json=DISPATCH, headers={**AUTH, **RUN})
    assert answer.status_code == 200
    assert answer.json() == {"final_response": "You said Hello"}


def test_who_calls_is_asked_before_anything_else(served: Served) -> None:
    client = served(fastapi_app(lambda envelope: "never"))
    for headers in (
        {},
        {"Authorization": "Bearer wrong"},
        {"Authorization": TOKEN},
    ):
        for body in (b'{"ping": true}', b"{not json", json.dumps(DISPATCH).encode()):
            assert client.post("/dispatch", content=body, headers=headers).status_code == 401


def test_the_ping_is_answered_after_that(served: Served) -> None:
    client = served(fastapi_app(lambda envelope: "never"))
    answer = client.post("/dispatch", json={"ping": True}, headers=AUTH)
    assert (answer.status_code, answer.json()) == (200, {"ok": True})
    assert client.post("/dispatch", json={"ping": 1}, headers=AUTH).status_code == 200, (
        "as the reference compares"
    )
    assert client.post("/dispatch", json={"ping": True, "more": 1}, headers=AUTH).status_code == 400


def test_a_token_that_is_not_set_lets_nobody_in(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("AGENT_TOKEN")
    answer = served(fastapi_app(lambda envelope: "never")).post(
        "/dispatch", json={"ping": True}, headers=AUTH
    )
    assert answer.status_code == 503
    assert "AGENT_TOKEN is not set" in answer.json()["detail"]


def test_an_agent_may_be_open_on_purpose(served: Served) -> None:
    client = served(dispatch_app(lambda envelope: "open", agent_token_env=None))
    assert client.post("/", json=DISPATCH, headers=RUN).json() == {"final_response": "open"}


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b"{not json", "not JSON"),
        (b"[]", "not a JSON object"),
        (b"[" * 100_000, "not JSON"),
        (b"{}", "odyssey_proxy_url"),
        (b'{"odyssey_proxy_url": "http://p", "input": 3}', "input is not a JSON object"),
    ],
)
def test_a_body_that_is_no_dispatch_is_refused_with_a_reason(served: Served, body: bytes, said: str) -> None:
    answer = served(fastapi_app(lambda envelope: "never")).post("/dispatch", content=body, headers=AUTH)
    assert answer.status_code == 400
    assert said in answer.json()["detail"]


def test_other_methods_are_refused(served: Served) -> None:
    for make in (fastapi_app, dispatch_app):
        assert served(make(lambda envelope: "never")).get("/dispatch", headers=AUTH).status_code == 405


@dataclass
class Result:
    final_output: Any


@pytest.mark.parametrize(
    ("value", "body"),
    [
        ("text", {"final_response": "text"}),
        ({"final_response": "text", "more": 1}, {"final_response": "text", "more": 1}),
        (Result("text"), {"final_response": "text"}),
        (Result({"refunded": True}), {"final_response": '{"refunded": true}'}),
        (Result(Result("inner")), {"final_response": '{"final_output": "inner"}'}),
        (
            Reply("text", [{"role": "assistant", "content": "text"}], {"model": "m"}),
            {
                "final_response": "text",
                "messages": [{"role": "assistant", "content": "text"}],
                "metadata": {"model": "m"},
            },
        ),
        (Reply("text"), {"final_response": "text"}),
    ],
)
def test_a_handler_may_return_what_it_has(served: Served, value: Any, body: dict[str, Any]) -> None:
    answer = served(fastapi_app(lambda envelope: value)).post(
        "/dispatch", json=DISPATCH, headers={**AUTH, **RUN}
    )
    assert (answer.status_code, answer.json()) == (200, body)


@pytest.mark.parametrize("value", [None, "", "  ", {}, {"final_response": None}, 3, Result(None)])
def test_nothing_to_say_is_a_failure_with_a_reason(served: Served, value: Any) -> None:
    answer = served(fastapi_app(lambda envelope: value)).post(
        "/dispatch", json=DISPATCH, headers={**AUTH, **RUN}
    )
    assert answer.status_code == 500
    assert answer.json()["detail"].startswith("ReplyError: ")


def test_a_handler_that_fails_says_why_without_the_token(served: Served) -> None:
    def run(envelope: Envelope) -> str:
        raise RuntimeError(f"no model for {envelope.run_token}")

    answer = served(fastapi_app(run)).post("/dispatch", json=DISPATCH, headers={**AUTH, **RUN})
    assert answer.status_code == 500
    assert answer.json() == {"detail": "RuntimeError: no model for ****"}


def test_tools_belong_to_the_run_of_their_request(served: Served) -> None:
    barrier = threading.Barrier(2)

    def run(envelope: Envelope) -> str:
        barrier.wait()
        assert current() is envelope
        return str(proxy_call("whoami", {"token": envelope.run_token}))

    with scripted_proxy(answered("seen")) as proxy:
        client = served(fastapi_app(run))

        def dispatch(token: str) -> int:
            headers = {**AUTH, "X-Pipelines-Run-Token": token, "X-Pipelines-Odyssey-Proxy-Url": proxy.url}
            return client.post("/dispatch", json=DISPATCH, headers=headers).status_code

        threads = [threading.Thread(target=dispatch, args=(name,)) for name in ("token-a", "token-b")]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    pairs = {(asked.headers["authorization"], asked.body["token"]) for asked in proxy.asked}
    assert pairs == {("Bearer token-a", "token-a"), ("Bearer token-b", "token-b")}


def test_work_ends_when_the_caller_leaves(served: Served) -> None:
    begun, ended = threading.Event(), threading.Event()

    async def run(envelope: Envelope) -> str:
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()
        return "never"

    client = served(fastapi_app(run))
    request = client.build_request("POST", "/dispatch", json=DISPATCH, headers={**AUTH, **RUN})
    head = "".join(f"{name}: {value}\r\n" for name, value in request.headers.items())
    with socket.create_connection((request.url.host, request.url.port or 80)) as caller:
        caller.sendall(f"POST /dispatch HTTP/1.1\r\n{head}\r\n".encode() + request.content)
        assert begun.wait(30)
    assert ended.wait(30)


@pytest.mark.parametrize("page", ["README.md", "docs/guides/port-an-agent.md", "sdk/README.md"])
def test_the_agent_of_the_documentation_works(served: Served, page: str) -> None:
    found = re.search(r"^```python\n(.*?)^```", (ROOT / page).read_text("utf-8"), re.DOTALL | re.MULTILINE)
    assert found is not None
    names: dict[str, Any] = {}
    exec(compile(found[1], page, "exec"), names)
    with scripted_proxy(answered({"status": "shipped"})) as proxy:
        headers = {**AUTH, **RUN, "X-Pipelines-Odyssey-Proxy-Url": proxy.url}
        task = {"input": {"user_instruction": "Where is it?", "input": {"order_id": "4521"}}}
        answer = served(names["app"]).post("/dispatch", json=task, headers=headers)
    assert answer.json() == {"final_response": "It is shipped."}
    assert [asked.body for asked in proxy.asked] == [{"order_id": "4521"}]
