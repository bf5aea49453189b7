"""Any method through the outbound client, whole or as a stream: sent at most once, bounded, and typed when it fails."""

import asyncio
import contextlib
import gzip
import zlib
from collections.abc import AsyncIterator
from typing import Any, get_args

import pytest
from support.raw_server import Peer, Talk, answer, raw_server, replying, reset, until_gone

from odyssey.core.addresses import AddressPolicy
from odyssey.core.outbound import (
    AddressRefusedError,
    AnswerTooLargeError,
    BadEncodingError,
    ConnectFailedError,
    ConnectionLostError,
    Method,
    OutboundClient,
    OutboundError,
    OutboundReply,
    RequestInvalidError,
    TimedOutError,
)
from odyssey.core.outbound_connect import BodyReader

METHODS: tuple[Method, ...] = get_args(Method)


@contextlib.asynccontextmanager
async def outbound() -> AsyncIterator[OutboundClient]:
    client = OutboundClient(AddressPolicy(allow_loopback=True))
    try:
        yield client
    finally:
        await client.close()


async def ask(client: OutboundClient, method: Method, url: str, **options: Any) -> OutboundReply:
    given: dict[str, Any] = {"headers": {}, "timeout_s": 30.0} | options
    return await client.request(method, url, **given)


def exchange(talk: Talk, method: Method, **options: Any) -> tuple[OutboundReply, Peer]:
    async def run() -> tuple[OutboundReply, Peer]:
        async with raw_server(talk) as peer, outbound() as client:
            return await ask(client, method, peer.url, **options), peer

    return asyncio.run(run())


def head_of(request: bytes) -> list[str]:
    return request.partition(b"\r\n\r\n")[0].decode().lower().split("\r\n")


# Requests


@pytest.mark.parametrize("method", METHODS)
def test_every_method_arrives_with_its_body_and_headers(method: Method) -> None:
    body = None if method in ("GET", "HEAD") else b"a=1&b=2"
    headers = {"X-Thing": "1", "content-type": "application/x-www-form-urlencoded", "Accept": "text/csv"}
    reply, peer = exchange(replying(answer(b"", "X-Other: 2")), method, body=body, headers=headers)
    [request] = peer.requests
    lines = head_of(request)
    assert lines[0] == f"{method.lower()} /dispatch http/1.1"
    assert {"x-thing: 1", "accept: text/csv", "accept-encoding: identity", "connection: close"} <= set(lines)
    assert lines.count("content-type: application/x-www-form-urlencoded") == 1
    assert request.partition(b"\r\n\r\n")[2] == (body or b"")
    assert (reply.status, reply.headers["x-other"]) == (200, "2")


@pytest.mark.parametrize("method", METHODS)
def test_without_a_body_no_content_is_claimed(method: Method) -> None:
    _, peer = exchange(replying(answer(b"")), method)
    lines = head_of(peer.requests[0])
    assert not [line for line in lines if line.startswith(("content-type", "transfer-encoding"))]
    assert not [line for line in lines if line.startswith("content-length") and line != "content-length: 0"]


def test_a_body_is_json_unless_the_caller_says_otherwise() -> None:
    _, peer = exchange(replying(answer(b"{}")), "PUT", body=b"{}")
    lines = head_of(peer.requests[0])
    assert "content-type: application/json" in lines
    assert "accept: */*" in lines


def test_an_answer_to_head_has_no_body_whatever_its_length_says() -> None:
    reply, _ = exchange(
        replying(b"HTTP/1.1 200 OK\r\nContent-Length: 99999999\r\nContent-Encoding: gzip\r\n\r\n"), "HEAD"
    )
    assert (reply.status, reply.body) == (200, b"")


def target_of(path: str) -> str:
    async def run() -> str:
        async with raw_server(replying(answer(b""))) as peer, outbound() as client:
            await ask(client, "GET", f"http://127.0.0.1:{peer.port}{path}")
            return peer.requests[0].decode().split(" ")[1]

    return asyncio.run(run())


@pytest.mark.parametrize(
    "path",
    [
        "/a%2Fb/%C3%A9?q=a%2Bb%26c%20d&e=",
        "/a%2Cb,c/%7Ed;v=1?q=a%2Cb,c&d=%2c&e=a+b%3F?/",
        "//127.0.0.2:1/x%40y?u=http%3A%2F%2F127.0.0.2%2F",
    ],
)
def test_an_escaped_path_and_query_arrive_as_they_were_written(path: str) -> None:
    assert target_of(path) == path


@pytest.mark.parametrize(
    ("path", "arrives"),
    [
        ("", "/"),
        ("?q=1", "/?q=1"),
        ("/a b".replace(" ", "é"), "/a%C3%A9b"),
        ("/%zz?q=%", "/%25zz?q=%25"),
        ("/a/../b%2Cc", "/b,c"),
        ("/a/%2E%2e/b", "/b"),
        ("/a{b}?q=<1>", "/a%7Bb%7D?q=%3C1%3E"),
    ],
)
def test_what_is_not_written_as_a_url_is_made_one(path: str, arrives: str) -> None:
    assert target_of(path) == arrives


@pytest.mark.parametrize("method", ["TRACE", "CONNECT", "GET / HTTP/1.1\r\nX: y\r\n", ""])
def test_another_method_is_not_sent(method: str) -> None:
    async def run() -> int:
        async with raw_server(until_gone, read_request=False) as peer, outbound() as client:
            with pytest.raises(RequestInvalidError):
                await ask(client, method, peer.url)  # type: ignore[arg-type]
            return peer.connects

    assert asyncio.run(run()) == 0


def test_the_methods_address_is_checked_like_any_other() -> None:
    async def run() -> int:
        client = OutboundClient(AddressPolicy())
        async with raw_server(until_gone, read_request=False) as decoy:
            for method in METHODS:
                with pytest.raises(AddressRefusedError):
                    await ask(client, method, decoy.url)
                with pytest.raises(AddressRefusedError):
                    async with client.stream(method, decoy.url, headers={}, timeout_s=30):
                        pass
            await client.close()
            return decoy.connects

    assert asyncio.run(run()) == 0


# At most once


async def hang_up(peer: Peer, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    writer.close()
    await writer.wait_closed()


async def reset_it(peer: Peer, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await reset(writer)


@pytest.mark.parametrize("talk", [hang_up, reset_it, replying(b"HTTP/1.1 200 OK\r\nContent-Le")])
@pytest.mark.parametrize("method", METHODS)
def test_a_request_whose_answer_never_came_is_not_sent_again(method: Method, talk: Talk) -> None:
    async def run() -> tuple[int, int]:
        async with raw_server(talk) as peer, outbound() as client:
            with pytest.raises(ConnectionLostError, match="closed the connection"):
                await ask(client, method, peer.url, body=b"{}" if method == "PUT" else None)
            return peer.connects, len(peer.requests)

    assert asyncio.run(run()) == (1, 1)


@pytest.mark.parametrize("method", METHODS)
def test_a_connection_is_never_used_twice(method: Method) -> None:
    async def run() -> None:
        async def stay(peer: Peer, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            writer.write(answer(b"", "Connection: keep-alive"))
            assert await reader.read() == b"", "the client must hang up"

        async with raw_server(stay) as peer, outbound() as client:
            for _ in range(3):
                assert (await ask(client, method, peer.url)).status == 200
            assert (peer.connects, len(peer.requests)) == (3, 3)

    asyncio.run(run())


@pytest.mark.parametrize("method", METHODS)
def test_closing_the_client_ends_every_request_as_a_lost_connection(method: Method) -> None:
    async def run() -> int:
        async with raw_server(until_gone) as peer, outbound() as client:
            asking = asyncio.create_task(ask(client, method, peer.url))
            await peer.asked.wait()
            await client.close()
            with pytest.raises(ConnectionLostError):
                await asking
            return peer.connects

    assert asyncio.run(run()) == 1


@pytest.mark.parametrize("status", [301, 307, 308])
@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE"])
def test_a_redirect_is_an_answer(method: Method, status: int) -> None:
    async def run() -> None:
        async with raw_server(until_gone) as decoy:
            location = f"Location: http://127.0.0.1:{decoy.port}/"
            async with (
                raw_server(replying(answer(b"", location, status=f"{status} Go"))) as peer,
                outbound() as client,
            ):
                assert (await ask(client, method, peer.url)).status == status
                assert (peer.connects, decoy.connects) == (1, 0)

    asyncio.run(run())


def test_each_error_knows_whether_the_request_may_have_arrived() -> None:
    not_sent: set[type[OutboundError]] = {RequestInvalidError, AddressRefusedError, ConnectFailedError}
    sent: set[type[OutboundError]] = {
        TimedOutError,
        ConnectionLostError,
        AnswerTooLargeError,
        BadEncodingError,
    }
    assert not any(error.sent for error in not_sent)
    assert all(error.sent for error in sent)


# Streams


def test_a_stream_gives_the_status_at_once_and_the_body_as_it_comes() -> None:
    async def run() -> None:
        said = asyncio.Event()

        async def talk(peer: Peer, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            writer.write(b"HTTP/1.1 202 Accepted\r\nX-Thing: 1\r\nTransfer-Encoding: chunked\r\n\r\n")
            for word in (b"one", b"two"):
                await said.wait()
                said.clear()
                writer.write(b"3\r\n" + word + b"\r\n")
            writer.write(b"0\r\n\r\n")
            await until_gone(peer, reader, writer)

        async with raw_server(talk) as peer, outbound() as client:
            async with client.stream("POST", peer.url, headers={}, body=b"{}", timeout_s=30) as answered:
                assert (answered.status, answered.headers["x-thing"]) == (202, "1")
                heard = []
                said.set()
                async for chunk in answered.chunks():
                    heard.append(chunk)
                    said.set()
            assert heard == [b"one", b"two"]

    asyncio.run(run())


def test_leaving_a_stream_early_closes_its_connection() -> None:
    async def endless(peer: Peer, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: 1\n\n")
        await until_gone(peer, reader, writer)

    async def run() -> None:
        async with raw_server(endless) as peer, outbound() as client:
            async with client.stream("GET", peer.url, headers={}, timeout_s=30) as answered:
                async for chunk in answered.chunks():
                    assert chunk == b"data: 1\n\n"
                    break
            await peer.gone.wait()

    asyncio.run(run())


def test_what_the_reader_of_a_stream_raises_is_not_taken_for_a_failure_of_the_network() -> None:
    async def run() -> None:
        async with raw_server(replying(answer(b"{}"))) as peer, outbound() as client:
            with pytest.raises(OSError, match="the disk is full"):
                async with client.stream("GET", peer.url, headers={}, timeout_s=30):
                    raise OSError("the disk is full")

    asyncio.run(run())


async def hear(client: OutboundClient, url: str, heard: bytearray, **options: Any) -> None:
    given: dict[str, Any] = {"headers": {}, "timeout_s": 30.0} | options
    async with client.stream("GET", url, **given) as answered:
        async for chunk in answered.chunks():
            heard += chunk


def failing_stream(talk: Talk, expected: type[OutboundError], **options: Any) -> bytes:
    async def run() -> bytes:
        heard = bytearray()
        async with raw_server(talk) as peer, outbound() as client:
            with pytest.raises(expected):
                await hear(client, peer.url, heard, **options)
            assert peer.connects == 1
        return bytes(heard)

    return asyncio.run(run())


def test_a_stream_that_breaks_off_says_so_after_what_came() -> None:
    broken = replying(b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc")
    assert failing_stream(broken, ConnectionLostError) == b"abc"


def test_a_stream_without_end_stops_at_the_limit() -> None:
    async def flood(peer: Peer, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\n\r\n")
        while True:
            writer.write(b"y" * 4096)
            await writer.drain()

    assert len(failing_stream(flood, AnswerTooLargeError, max_bytes=10_000)) <= 10_000


def test_a_stream_that_goes_silent_ends_at_the_total_time() -> None:
    async def silent(peer: Peer, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\n\r\nabc")
        await until_gone(peer, reader, writer)

    assert failing_stream(silent, TimedOutError, timeout_s=0.2) == b"abc"


# Bodies in pieces


def read_in_pieces(encoding: str, body: bytes, size: int, max_bytes: int = 1000) -> bytes:
    reader = BodyReader("somewhere:80", 200, encoding, max_bytes)
    pieces = [reader.feed(body[start : start + size]) for start in range(0, len(body), size)]
    reader.finish()
    return b"".join(pieces)


@pytest.mark.parametrize("size", [1, 2, 3, 7, 10_000])
@pytest.mark.parametrize(
    ("encoding", "packed"),
    [
        ("", b"abc" * 300),
        (" GZIP ", gzip.compress(b"abc" * 300, mtime=0)),
        ("deflate", zlib.compress(b"abc" * 300)),
        ("deflate", zlib.compress(b"abc" * 300, wbits=-15)),
    ],
)
def test_an_encoding_is_undone_however_the_bytes_arrive(encoding: str, packed: bytes, size: int) -> None:
    assert read_in_pieces(encoding, packed, size) == b"abc" * 300
    with pytest.raises(AnswerTooLargeError) as caught:
        read_in_pieces(encoding, packed, size, max_bytes=899)
    assert caught.value.partial.startswith(b"abcabc")


@pytest.mark.parametrize("size", [1, 2, 10_000])
@pytest.mark.parametrize(
    ("encoding", "body"),
    [
        ("br", b"\x0b\x02\x80{}\x03"),
        ("gzip", b'{"a": 1}'),
        ("gzip", gzip.compress(b"{}", mtime=0)[:-4]),
        ("gzip", gzip.compress(b"{}", mtime=0) + b"more"),
        ("deflate", b"\xff\xff\xff\xff"),
        ("deflate", b"x"),
    ],
)
def test_a_wrong_encoding_is_told_however_the_bytes_arrive(encoding: str, body: bytes, size: int) -> None:
    with pytest.raises(BadEncodingError, match="somewhere:80"):
        read_in_pieces(encoding, body, size)


def test_an_encoded_body_that_unpacks_to_nothing_is_bounded_too() -> None:
    packer = zlib.compressobj(wbits=31)
    nothing = packer.compress(b"") + packer.flush(zlib.Z_FULL_FLUSH) * 1000
    with pytest.raises(AnswerTooLargeError):
        read_in_pieces("gzip", nothing, 100)
