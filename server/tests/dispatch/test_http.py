"""Every class of failure, brought about by a real server."""

import asyncio
import contextlib
import gzip
import json
import socket
import struct
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import replace
from typing import Any, get_args

import pytest
from aiohttp import web

from odyssey.core.addresses import AddressPolicy
from odyssey.core.outbound import OutboundClient, OutboundError
from odyssey.dispatch.classify import (
    Failure,
    class_of_status,
    failure_of_error,
    failure_of_status,
)
from odyssey.dispatch.envelope import Dispatch
from odyssey.dispatch.reply import AgentReply
from odyssey.dispatch.transport import HttpTransport, PingResult, PingTarget, Transport
from odyssey.records.error_classes import ErrorClass

TOKEN = "run-token-canary-0123456789abcdef"
AUTH = "Bearer customer-canary-0123456789"
GOOD = {"final_response": "done", "messages": [{"role": "assistant", "content": "done"}]}

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


def dispatch_to(url: str, **changes: Any) -> Dispatch:
    dispatch = Dispatch(
        task_id=42,
        run_id=17,
        agent_id=8,
        attempt=1,
        user_instruction="Do it.",
        input={"a": 1},
        odyssey_proxy_url="http://127.0.0.1:8200/api/odyssey-proxy/runs/17",
        run_token=TOKEN,
        run_token_jti="2105977b27b84f12920087320921f1a5",
        endpoint_url=url,
        auth_header=("Authorization", AUTH),
        run_timeout_s=5,
    )
    return replace(dispatch, **changes)


@contextlib.asynccontextmanager
async def agent(handler: Handler) -> AsyncIterator[str]:
    app = web.Application(client_max_size=8 * 1024 * 1024)
    app.router.add_route("*", "/{path:.*}", handler)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}/dispatch"
    finally:
        await runner.cleanup()


@contextlib.asynccontextmanager
async def transport(policy: AddressPolicy | None = None) -> AsyncIterator[HttpTransport]:
    client = OutboundClient(policy or AddressPolicy(allow_loopback=True))
    try:
        yield HttpTransport(client, time.monotonic)
    finally:
        await client.close()


def outcome(handler: Handler, **changes: Any) -> AgentReply | Failure:
    async def run() -> AgentReply | Failure:
        async with agent(handler) as url, transport() as http:
            return await http.dispatch(dispatch_to(url, **changes))

    return asyncio.run(run())


def failure(handler: Handler, **changes: Any) -> Failure:
    result = outcome(handler, **changes)
    assert isinstance(result, Failure)
    assert len(result.detail) <= 500
    assert result.detail.strip()
    return result


def failure_at(url: str, policy: AddressPolicy | None = None, **changes: Any) -> Failure:
    async def run() -> AgentReply | Failure:
        async with transport(policy) as http:
            return await http.dispatch(dispatch_to(url, **changes))

    result = asyncio.run(run())
    assert isinstance(result, Failure)
    return result


def ping(handler: Handler, auth_header: tuple[str, str] | None = ("Authorization", AUTH)) -> PingResult:
    async def run() -> PingResult:
        async with agent(handler) as url, transport() as http:
            return await http.ping(PingTarget(url, auth_header))

    return asyncio.run(run())


def answering(status: int = 200, body: bytes = b"", **headers: str) -> Handler:
    async def handler(request: web.Request) -> web.StreamResponse:
        await request.read()
        return web.Response(status=status, body=body, headers=headers)

    return handler


@contextlib.asynccontextmanager
async def raw_agent(talk: Callable[[asyncio.StreamWriter], Awaitable[None]]) -> AsyncIterator[str]:
    tasks: set[asyncio.Task[None]] = set()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        tasks.add(task)
        try:
            with contextlib.suppress(OSError, asyncio.IncompleteReadError):
                await reader.readuntil(b"\r\n\r\n")
                await talk(writer)
        finally:
            writer.transport.abort()
            tasks.discard(task)

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    try:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/"
    finally:
        server.close()
        for task in list(tasks):
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await server.wait_closed()


def raw_outcome(
    talk: Callable[[asyncio.StreamWriter], Awaitable[None]], **changes: Any
) -> AgentReply | Failure:
    async def run() -> AgentReply | Failure:
        async with raw_agent(talk) as url, transport() as http:
            return await http.dispatch(dispatch_to(url, **changes))

    return asyncio.run(run())


def raw_failure(talk: Callable[[asyncio.StreamWriter], Awaitable[None]], **changes: Any) -> Failure:
    result = raw_outcome(talk, **changes)
    assert isinstance(result, Failure)
    return result


# What goes out and what comes back


def test_one_good_dispatch_sends_one_post_and_brings_the_reply() -> None:
    requests: list[tuple[str, str, dict[str, str], Any]] = []

    async def handler(request: web.Request) -> web.StreamResponse:
        requests.append((request.method, request.path, dict(request.headers), await request.json()))
        return web.json_response(GOOD)

    reply = outcome(handler, session={"id": "s", "turn": 1})
    assert isinstance(reply, AgentReply)
    assert (reply.final_response, reply.soft_warnings) == ("done", [])
    assert json.loads(reply.raw) == GOOD
    [(method, path, headers, body)] = requests
    assert (method, path) == ("POST", "/dispatch")
    assert list(body) == [
        "task_id",
        "run_id",
        "agent_id",
        "input",
        "odyssey_proxy_url",
        "run_token_jti",
        "session",
    ]
    assert headers["X-Pipelines-Run-Token"] == TOKEN
    assert headers["X-Pipelines-Attempt"] == "1"
    assert headers["Authorization"] == AUTH
    assert headers["Content-Type"] == "application/json"


def test_a_reply_may_be_packed_and_of_any_2xx() -> None:
    packed = gzip.compress(json.dumps(GOOD).encode())
    reply = outcome(answering(201, packed, **{"Content-Encoding": "gzip", "Content-Type": "text/html"}))
    assert isinstance(reply, AgentReply)


def test_the_http_transport_is_a_transport() -> None:
    http: Transport = HttpTransport(OutboundClient(AddressPolicy()), time.monotonic)
    assert http is not None


# Statuses


@pytest.mark.parametrize(
    ("status", "error_class"),
    [
        (300, "agent_bad_response"),
        (301, "agent_bad_response"),
        (302, "agent_bad_response"),
        (304, "agent_bad_response"),
        (307, "agent_bad_response"),
        (308, "agent_bad_response"),
        (400, "agent_4xx"),
        (401, "auth_failed"),
        (402, "agent_4xx"),
        (403, "auth_failed"),
        (404, "agent_4xx"),
        (405, "agent_4xx"),
        (407, "agent_4xx"),
        (408, "agent_timeout"),
        (409, "agent_4xx"),
        (413, "agent_4xx"),
        (422, "agent_4xx"),
        (429, "agent_4xx"),
        (499, "agent_4xx"),
        (500, "agent_5xx"),
        (501, "agent_5xx"),
        (502, "agent_5xx"),
        (503, "agent_5xx"),
        (504, "agent_timeout"),
        (505, "agent_5xx"),
        (599, "agent_5xx"),
        (600, "agent_bad_response"),
        (999, "agent_bad_response"),
        (204, "agent_bad_response"),
        (205, "agent_bad_response"),
        (200, "agent_bad_response"),
    ],
)
def test_every_status_has_its_class(status: int, error_class: str) -> None:
    result = failure(answering(status, Location="http://127.0.0.1:9/"))
    assert (result.error_class, result.http_status) == (error_class, status)


@pytest.mark.parametrize("status", [500, 503, 400, 404])
def test_the_detail_of_an_error_page_is_its_first_500_characters(status: int) -> None:
    page = "Traceback é" * 100
    result = failure(answering(status, page.encode()))
    assert result.detail == page[:500]
    assert result.evidence == page


def test_an_error_page_of_bytes_is_text_that_a_database_takes() -> None:
    result = failure(answering(500, b"\xff\x00oops\xc3"))
    assert result.detail == "\ufffd\ufffdoops\ufffd"
    result.detail.encode()


def test_an_error_page_does_not_show_the_secrets_it_was_sent() -> None:
    async def handler(request: web.Request) -> web.StreamResponse:
        return web.Response(status=500, text="." * 480 + str(dict(request.headers)) + "." * 100)

    result = failure(handler)
    for text in (result.detail, result.evidence or ""):
        assert "canary" not in text
    assert "[redacted]" in (result.evidence or "")
    edge = "x" * 490 + TOKEN
    assert "run-token" not in failure(answering(500, edge.encode())).detail


def test_a_huge_error_page_is_still_the_error_it_says() -> None:
    result = failure(answering(502, b"e" * (2 * 1024 * 1024)))
    assert (result.error_class, result.http_status) == ("agent_5xx", 502)
    assert result.detail == "e" * 500
    assert len(result.evidence or "") == 64 * 1024
    packed_wrong = failure(answering(401, b"not gzip", **{"Content-Encoding": "gzip"}))
    assert packed_wrong.error_class == "auth_failed"


# Bodies


@pytest.mark.parametrize(
    ("body", "error_class"),
    [
        (b"<html>hello</html>", "agent_bad_response"),
        (b"final answer", "agent_bad_response"),
        (b" ", "agent_bad_response"),
        (b'{"final_response": "a"', "agent_bad_response"),
        (b'{"final_response": "a", "final_response": "b"}', "agent_bad_response"),
        (b'{"final_response": NaN}', "agent_bad_response"),
        (b"{}", "contract_error"),
        (b"[]", "contract_error"),
        (b'"text"', "contract_error"),
        (b"null", "contract_error"),
        (b'{"final_response": ""}', "contract_error"),
        (b'{"final_response": "  "}', "contract_error"),
        (b'{"final_response": 7}', "contract_error"),
        (b'{"output": "a"}', "contract_error"),
    ],
)
def test_a_2xx_that_is_no_reply(body: bytes, error_class: str) -> None:
    result = failure(answering(200, body))
    assert (result.error_class, result.http_status) == (error_class, 200)
    assert result.evidence == body.decode()
    assert result.reply is None


def test_one_mebibyte_is_the_most_an_agent_may_say() -> None:
    head, tail = b'{"final_response": "', b'"}'
    exact = head + b"x" * (1024 * 1024 - len(head) - len(tail)) + tail
    assert isinstance(outcome(answering(200, exact)), AgentReply)
    result = failure(answering(200, exact + b" "))
    assert (result.error_class, result.http_status) == ("agent_bad_response", 200)
    assert (result.evidence or "").startswith('{"final_response": "xxx')


def test_a_bomb_and_an_unknown_encoding_are_bad_responses() -> None:
    bomb = gzip.compress(b'{"final_response": "' + b"x" * (20 * 1024 * 1024) + b'"}')
    assert failure(answering(200, bomb, **{"Content-Encoding": "gzip"})).error_class == "agent_bad_response"
    assert failure(answering(200, b"{}", **{"Content-Encoding": "br"})).error_class == "agent_bad_response"


def test_the_guard_fails_a_reply_without_a_transcript_and_keeps_it_as_evidence() -> None:
    body = json.dumps({"final_response": "done", "messages": [{"role": "root"}]}).encode()
    result = failure(answering(200, body), response_contract_guard=True)
    assert result.error_class == "response_contract_violation"
    assert result.reply is not None
    assert result.reply.final_response == "done"
    assert result.reply.soft_warnings[0].startswith("messages_malformed: messages[0].role")
    lenient = outcome(answering(200, body))
    assert isinstance(lenient, AgentReply)
    good = outcome(answering(200, json.dumps(GOOD).encode()), response_contract_guard=True)
    assert isinstance(good, AgentReply)


# Connections


def test_an_agent_that_takes_too_long_is_a_timeout() -> None:
    async def handler(request: web.Request) -> web.StreamResponse:
        await asyncio.Event().wait()
        raise AssertionError("nobody sets it")

    result = failure(handler, run_timeout_s=0.3)
    assert (result.error_class, result.http_status) == ("agent_timeout", None)


def test_headers_and_then_a_drip_is_a_timeout() -> None:
    async def talk(writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 999\r\n\r\n")
        while True:
            writer.write(b"{")
            await writer.drain()
            await asyncio.sleep(0.05)

    assert raw_failure(talk, run_timeout_s=0.3).error_class == "agent_timeout"


async def close_without_a_word(writer: asyncio.StreamWriter) -> None:
    writer.close()


async def reset_in_the_middle(writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 999\r\n\r\n{")
    await writer.drain()
    await asyncio.sleep(0.05)
    raw: socket.socket = writer.get_extra_info("socket")
    raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


async def half_a_body(writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 999\r\n\r\n{}")
    await writer.drain()
    writer.close()
    await writer.wait_closed()


async def no_http(writer: asyncio.StreamWriter) -> None:
    writer.write(b"220 smtp.example.com ESMTP\r\n\r\n")
    await writer.drain()
    writer.close()
    await writer.wait_closed()


async def two_lengths(writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}")
    await writer.drain()
    writer.close()
    await writer.wait_closed()


async def endless_headers(writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\n")
    while True:
        writer.write(b"X-More: " + b"x" * 60_000 + b"\r\n")
        await writer.drain()


def endless_interim(status: str) -> Callable[[asyncio.StreamWriter], Awaitable[None]]:
    async def talk(writer: asyncio.StreamWriter) -> None:
        while True:
            writer.write(f"HTTP/1.1 {status}\r\n\r\n".encode())
            await writer.drain()

    return talk


@pytest.mark.parametrize(
    ("talk", "own"),
    [
        (close_without_a_word, "agent_disconnected"),
        (reset_in_the_middle, "agent_disconnected"),
        (half_a_body, "agent_disconnected"),
        (no_http, "agent_bad_response"),
        (two_lengths, "agent_bad_response"),
        (endless_headers, "agent_bad_response"),
        (endless_interim("100 Continue"), "agent_bad_response"),
        (endless_interim("102 Processing"), "agent_bad_response"),
        (endless_interim("103 Early Hints"), "agent_bad_response"),
    ],
)
def test_what_breaks_off_is_the_agents_own_doing_once_it_has_answered_a_ping(
    talk: Callable[[asyncio.StreamWriter], Awaitable[None]], own: str
) -> None:
    unknown, pinged = raw_failure(talk), raw_failure(talk, answers_pings=True)
    assert (unknown.error_class, unknown.http_status) == ("transport_error", None)
    assert (pinged.error_class, pinged.http_status) == (own, None)


@pytest.mark.parametrize(("interim", "is_read"), [(100, True), (101, False)])
def test_a_hundred_interim_answers_may_come_before_the_answer(interim: int, is_read: bool) -> None:
    body = json.dumps(GOOD).encode()

    async def talk(writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 102 Processing\r\n\r\n" * interim)
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
        await writer.drain()
        writer.close()
        await writer.wait_closed()

    assert isinstance(raw_outcome(talk), AgentReply) == is_read


@pytest.mark.parametrize("status", [401, 403])
def test_a_refused_header_is_the_agents_own_doing_once_it_has_answered_a_ping(status: int) -> None:
    result = failure(answering(status), answers_pings=True)
    assert (result.error_class, result.http_status) == ("agent_bad_response", status)
    assert "the agent's own refusal" in result.detail


def test_a_closed_port_is_unreachable() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        result = failure_at(f"http://127.0.0.1:{taken.getsockname()[1]}/")
    assert (result.error_class, result.http_status) == ("agent_unreachable", None)


@pytest.mark.parametrize(
    "url", ["http://169.254.169.254/", "http://10.0.0.1/", "https://127.0.0.1/", "ftp://x/", "nonsense", ""]
)
def test_a_refused_address_is_unreachable(url: str) -> None:
    assert failure_at(url, AddressPolicy()).error_class == "agent_unreachable"


def test_a_header_that_cannot_be_sent_is_a_failure_without_its_value() -> None:
    result = failure_at("http://127.0.0.1:9/", auth_header=("Authorization", "Bearer canary\nX: y"))
    assert result.error_class == "agent_unreachable"
    assert "canary" not in result.detail


@pytest.mark.parametrize(
    "url", ["", "/api/odyssey-proxy", "api.example.com/x", "ftp://host/x", "http://", "http:///x"]
)
def test_a_proxy_url_that_is_none_sends_nothing(url: str) -> None:
    seen: list[str] = []

    async def handler(request: web.Request) -> web.StreamResponse:
        seen.append(request.path)
        return web.json_response(GOOD)

    result = failure(handler, odyssey_proxy_url=url)
    assert result.error_class == "proxy_misconfigured"
    assert seen == []


def test_cancelling_a_dispatch_hangs_up_on_the_agent() -> None:
    async def run() -> None:
        began, hung_up = asyncio.Event(), asyncio.Event()

        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await reader.readuntil(b"\r\n\r\n")
            began.set()
            with contextlib.suppress(OSError):
                await reader.read()
            writer.transport.abort()
            hung_up.set()

        server = await asyncio.start_server(serve, "127.0.0.1", 0)
        url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/"
        async with server, transport() as http:
            task = asyncio.create_task(http.dispatch(dispatch_to(url)))
            await began.wait()
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            await asyncio.wait_for(hung_up.wait(), 1)

    asyncio.run(run())


def test_many_dispatches_at_once_stay_apart() -> None:
    async def handler(request: web.Request) -> web.StreamResponse:
        body = await request.json()
        await asyncio.sleep(0.01 * (body["run_id"] % 3))
        return web.json_response({"final_response": f"run {body['run_id']}", "messages": []})

    async def run() -> Sequence[AgentReply | Failure]:
        async with agent(handler) as url, transport() as http:
            return await asyncio.gather(*(http.dispatch(dispatch_to(url, run_id=n)) for n in range(60)))

    for number, reply in enumerate(asyncio.run(run())):
        assert isinstance(reply, AgentReply)
        assert reply.final_response == f"run {number}"


def test_classes_the_caller_sets_exist_too() -> None:
    assert {"internal_error", "agent_model_unresolved", "proxy_misconfigured"} <= set(get_args(ErrorClass))
    assert failure_of_status(200, b"{}") is None
    assert failure_of_error(OutboundError("x")).error_class == "transport_error"


# Ping


def test_a_ping_is_the_documented_body_with_the_auth_header() -> None:
    seen: list[tuple[bytes, dict[str, str]]] = []

    async def handler(request: web.Request) -> web.StreamResponse:
        seen.append((await request.read(), dict(request.headers)))
        return web.json_response({"ok": True})

    result = ping(handler)
    [(body, headers)] = seen
    assert body == b'{"ping": true}'
    assert headers["Authorization"] == AUTH
    assert not [name for name in headers if name.lower().startswith("x-pipelines")]
    assert (result.ok, result.status) == (True, 200)
    assert 0 <= result.latency_ms < 5000


@pytest.mark.parametrize("status", [200, 201, 204])
def test_any_2xx_is_a_good_ping(status: int) -> None:
    result = ping(answering(status), None)
    assert (result.ok, result.status, result.error_class) == (True, status, None)


@pytest.mark.parametrize(
    ("status", "word"),
    [
        (401, "auth header"),
        (403, "auth header"),
        (404, "path"),
        (405, "POST"),
        (400, "ping"),
        (422, "ping"),
        (500, "ping"),
        (302, "redirect"),
        (429, "429"),
        (503, "503"),
        (504, "time"),
    ],
)
def test_a_failed_ping_says_what_to_do(status: int, word: str) -> None:
    result = ping(answering(status, b"body"))
    assert (result.ok, result.status) == (False, status)
    assert word in result.detail
    assert "canary" not in result.detail
    assert result.error_class == class_of_status(status)


def test_a_ping_that_reaches_nobody_has_no_status() -> None:
    async def run(url: str, policy: AddressPolicy) -> PingResult:
        async with transport(policy) as http:
            return await http.ping(PingTarget(url))

    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{taken.getsockname()[1]}/"
        for policy in (AddressPolicy(allow_loopback=True), AddressPolicy()):
            result = asyncio.run(run(url, policy))
            assert (result.ok, result.status, result.error_class) == (False, None, "agent_unreachable")
            assert result.detail.endswith(".")


def test_latency_is_measured_with_the_clock_that_was_passed_in() -> None:
    async def run() -> PingResult:
        ticks = iter([10.0, 10.25])
        async with agent(answering(200)) as url:
            client = OutboundClient(AddressPolicy(allow_loopback=True))
            try:
                return await HttpTransport(client, lambda: next(ticks)).ping(PingTarget(url))
            finally:
                await client.close()

    assert asyncio.run(run()).latency_ms == 250


def test_a_ping_target_does_not_show_its_secret() -> None:
    assert "canary" not in repr(PingTarget("https://a.example", ("Authorization", AUTH)))
