"""The outbound client against real servers that misbehave in every way a socket allows."""

import asyncio
import contextlib
import gzip
import ipaddress
import socket
import ssl
import tracemalloc
import zlib
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, ClassVar

import pytest
from aiohttp import web
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from support.raw_server import Peer, Talk, answer, raw_server, replying, reset, until_gone
from support.waiting import wait_for

from odyssey.core.addresses import AddressPolicy, Resolve, parse_allow_list
from odyssey.core.outbound import (
    MAX_BODY_BYTES,
    AddressRefusedError,
    AnswerTooLargeError,
    BadEncodingError,
    ConnectFailedError,
    ConnectionLostError,
    OutboundClient,
    OutboundError,
    OutboundReply,
    RequestInvalidError,
    TimedOutError,
    header_problem,
)

LOCAL = AddressPolicy(allow_loopback=True)
MIB = 1024 * 1024


@contextlib.asynccontextmanager
async def outbound(
    policy: AddressPolicy = LOCAL, resolve: Resolve | None = None, tls: ssl.SSLContext | None = None
) -> AsyncIterator[OutboundClient]:
    client = (
        OutboundClient(policy, tls=tls)
        if resolve is None
        else OutboundClient(policy, resolve=resolve, tls=tls)
    )
    try:
        yield client
    finally:
        await client.close()


async def post(client: OutboundClient, url: str, **options: Any) -> OutboundReply:
    settings: dict[str, Any] = {"timeout_s": 5.0} | options
    body = settings.pop("body", b'{"ping": true}')
    headers = settings.pop("headers", {})
    return await client.post_json(url, body, headers, **settings)


def exchange(talk: Talk, **options: Any) -> tuple[OutboundReply, Peer]:
    async def run() -> tuple[OutboundReply, Peer]:
        async with raw_server(talk) as peer, outbound() as client:
            return await post(client, peer.url, **options), peer

    return asyncio.run(run())


def failing(
    talk: Talk, expected: type[OutboundError], *, read_request: bool = True, **options: Any
) -> OutboundError:
    async def run() -> OutboundError:
        async with raw_server(talk, read_request=read_request) as peer, outbound() as client:
            with pytest.raises(expected) as caught:
                await post(client, peer.url, **options)
            assert peer.connects <= 1, "a POST must not be sent twice"
            return caught.value

    return asyncio.run(run())


def refused(
    url: str,
    expected: type[OutboundError] = AddressRefusedError,
    policy: AddressPolicy = LOCAL,
    **options: Any,
) -> OutboundError:
    resolve = options.pop("resolve", None)

    async def run() -> OutboundError:
        async with outbound(policy, resolve) as client:
            with pytest.raises(expected) as caught:
                await post(client, url, **options)
            return caught.value

    return asyncio.run(run())


def open_sockets() -> int:
    count = 0
    for file in Path("/proc/self/fd").iterdir():
        with contextlib.suppress(OSError):  # the listing's own descriptor is gone by now
            count += str(file.readlink()).startswith("socket:")
    return count


def resolving(**names: Sequence[str]) -> Resolve:
    async def resolve(host: str, port: int) -> Sequence[str]:
        if host not in names:
            raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
        return names[host]

    return resolve


# Good answers


def test_one_post_is_sent_as_asked_and_the_answer_read_whole() -> None:
    reply, peer = exchange(
        replying(answer(b'{"ok": true}', "X-Thing: 1", "Set-Cookie: a=b")),
        body=b'{"ping": true}',
        headers={"content-type": "application/json", "Authorization": "Bearer abc"},
    )
    assert (reply.status, reply.body, reply.headers["x-thing"]) == (200, b'{"ok": true}', "1")
    [request] = peer.requests
    head, _, body = request.partition(b"\r\n\r\n")
    lines = [line.lower() for line in head.split(b"\r\n")]
    assert lines[0] == b"post /dispatch http/1.1"
    assert body == b'{"ping": true}'
    assert lines.count(b"accept-encoding: identity") == 1
    assert b"authorization: bearer abc" in lines
    assert lines.count(b"content-type: application/json") == 1
    assert b"connection: close" in lines


def test_nothing_is_kept_between_requests() -> None:
    async def run() -> None:
        seen: list[str | None] = []

        async def handler(request: web.Request) -> web.Response:
            seen.append(request.headers.get("Cookie"))
            response = web.json_response({})
            response.set_cookie("session", "1")
            return response

        app = web.Application()
        app.router.add_post("/", handler)
        runner = web.AppRunner(app, access_log=None)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        port = runner.addresses[0][1]
        async with outbound() as client:
            for _ in range(3):
                await post(client, f"http://127.0.0.1:{port}/")
        await runner.cleanup()
        assert seen == [None, None, None]

    asyncio.run(run())


def test_environment_proxies_are_ignored(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9/")
    reply, _ = exchange(replying(answer(b"{}")))
    assert reply.status == 200


def test_a_body_over_one_mebibyte_is_sent_whole() -> None:
    body = b'"' + b"x" * (3 * MIB) + b'"'
    _, peer = exchange(replying(answer(b"{}")), body=body)
    assert peer.requests[0].endswith(body)


def test_early_hints_are_skipped() -> None:
    reply, _ = exchange(replying(b"HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n", answer(b"{}")))
    assert (reply.status, reply.body) == (200, b"{}")


def test_a_body_that_ends_with_the_connection_is_an_answer() -> None:
    reply, _ = exchange(replying(b"HTTP/1.1 200 OK\r\n\r\n", b'{"a":', b"1}"))
    assert reply.body == b'{"a":1}'


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_redirects_are_answers_and_not_followed(status: int) -> None:
    async def run() -> None:
        async with raw_server(until_gone) as decoy:
            location = f"Location: http://127.0.0.1:{decoy.port}/"
            async with (
                raw_server(replying(answer(b"", location, status=f"{status} Go"))) as peer,
                outbound() as client,
            ):
                reply = await post(client, peer.url, headers={"Authorization": "Bearer abc"})
            assert reply.status == status
            assert decoy.connects == 0

    asyncio.run(run())


# Sizes and encodings


def test_the_limit_itself_is_allowed_and_one_byte_more_is_not() -> None:
    reply, _ = exchange(replying(answer(b"x" * MAX_BODY_BYTES)))
    assert len(reply.body) == MAX_BODY_BYTES
    error = failing(replying(answer(b"x" * (MAX_BODY_BYTES + 1))), AnswerTooLargeError)
    assert isinstance(error, AnswerTooLargeError)
    assert error.status == 200
    assert error.partial.startswith(b"xxx")


def test_a_chunked_body_without_end_stops_at_the_limit() -> None:
    async def flood(peer: Peer, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
        chunk = b"10000\r\n" + b"y" * 65536 + b"\r\n"
        while True:
            writer.write(chunk)
            await writer.drain()

    failing(flood, AnswerTooLargeError)


@pytest.mark.parametrize(
    ("encoding", "packed"),
    [
        ("gzip", gzip.compress(b'{"a": 1}', mtime=0)),
        ("x-gzip", gzip.compress(b'{"a": 1}', mtime=0)),
        ("GZIP", gzip.compress(b'{"a": 1}', mtime=0)),
        ("deflate", zlib.compress(b'{"a": 1}')),
        ("deflate", zlib.compress(b'{"a": 1}', wbits=-15)),
        ("identity", b'{"a": 1}'),
    ],
)
def test_an_encoded_answer_is_unpacked_although_nobody_asked(encoding: str, packed: bytes) -> None:
    reply, _ = exchange(replying(answer(packed, f"Content-Encoding: {encoding}")))
    assert reply.body == b'{"a": 1}'


def test_an_encoded_answer_without_a_body_is_just_empty() -> None:
    reply, _ = exchange(replying(answer(b"", "Content-Encoding: gzip", status="204 No Content")))
    assert (reply.status, reply.body) == (204, b"")


def test_the_limit_counts_unpacked_bytes() -> None:
    exact = gzip.compress(b"z" * MAX_BODY_BYTES, mtime=0)
    reply, _ = exchange(replying(answer(exact, "Content-Encoding: gzip")))
    assert len(reply.body) == MAX_BODY_BYTES
    over = gzip.compress(b"z" * (MAX_BODY_BYTES + 1), mtime=0)
    failing(replying(answer(over, "Content-Encoding: gzip")), AnswerTooLargeError)


def test_a_gzip_bomb_costs_no_more_than_the_limit() -> None:
    packer = zlib.compressobj(9, wbits=31)
    zeros = bytes(MIB)
    bomb = b"".join(packer.compress(zeros) for _ in range(128)) + packer.flush()
    assert len(bomb) < MAX_BODY_BYTES
    tracemalloc.start()
    try:
        failing(replying(answer(bomb, "Content-Encoding: gzip")), AnswerTooLargeError)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 16 * MIB


@pytest.mark.parametrize(
    ("encoding", "body"),
    [
        ("br", b"\x0b\x02\x80{}\x03"),
        ("zstd", b"\x28\xb5\x2f\xfd"),
        ("gzip, gzip", gzip.compress(gzip.compress(b"{}", mtime=0), mtime=0)),
        ("gzip", b'{"a": 1}'),
        ("deflate", b"\xff\xff\xff\xff"),
        ("gzip", gzip.compress(b'{"a": 1}', mtime=0)[:-4]),
        ("gzip", gzip.compress(b"{}", mtime=0) + b"more"),
    ],
)
def test_an_encoding_that_cannot_be_undone_is_an_error_of_its_own(encoding: str, body: bytes) -> None:
    error = failing(replying(answer(body, f"Content-Encoding: {encoding}")), BadEncodingError)
    assert error.kind == "bad_encoding"


# Time


def test_a_drip_of_bytes_does_not_outlast_the_total_time() -> None:
    async def drip(peer: Peer, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")
        while True:
            writer.write(b" ")
            await writer.drain()
            await asyncio.sleep(0.02)

    failing(drip, TimedOutError, timeout_s=1)


@pytest.mark.parametrize("sent", [b"", b"HTTP/1.1 200", b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n"])
def test_silence_at_any_point_ends_at_the_total_time(sent: bytes) -> None:
    async def stall(peer: Peer, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(sent)
        await asyncio.Event().wait()

    failing(stall, TimedOutError, timeout_s=1)


def test_endless_interim_answers_end_at_the_total_time() -> None:
    async def hint(peer: Peer, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while True:
            writer.write(b"HTTP/1.1 103 Early Hints\r\n\r\n")
            await writer.drain()
            await asyncio.sleep(0.1)

    failing(hint, TimedOutError, timeout_s=1)


def test_a_peer_that_never_reads_is_let_go_with_its_socket() -> None:
    async def run() -> None:
        with socket.create_server(("127.0.0.1", 0)) as listener:
            # Small buffers keep the request waiting in our process, where closing politely would keep it.
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            before = open_sockets()
            async with outbound() as client:
                url = f"http://127.0.0.1:{listener.getsockname()[1]}/"
                with pytest.raises(TimedOutError):
                    await post(client, url, body=bytes(64 * MIB), timeout_s=1)
                with pytest.raises(TimedOutError):
                    await post(client, url, body=bytes(MIB), timeout_s=1)
                await asyncio.to_thread(wait_for, open_sockets, lambda now: now == before)

    asyncio.run(run())


def test_a_tls_handshake_that_hangs_is_a_failed_connect() -> None:
    async def run() -> None:
        async with raw_server(until_gone, read_request=False) as peer, outbound() as client:
            with pytest.raises(ConnectFailedError):
                await post(client, f"https://127.0.0.1:{peer.port}/", connect_timeout_s=0.2)
            await asyncio.wait_for(peer.gone.wait(), 2)
            with pytest.raises(ConnectFailedError):
                await post(client, f"https://127.0.0.1:{peer.port}/", timeout_s=0.2)

    asyncio.run(run())


def test_a_name_server_that_hangs_is_a_failed_connect() -> None:
    async def hanging(host: str, port: int) -> Sequence[str]:
        await asyncio.Event().wait()
        return []

    error = refused("http://slow.example.com/", ConnectFailedError, resolve=hanging, connect_timeout_s=0.1)
    assert "slow.example.com:80" in error.message


@pytest.mark.parametrize("tls", [False, True])
def test_cancelling_closes_the_connection_at_once(tls: bool, tmp_path: Path) -> None:
    server_tls, client_tls = make_certificate(tmp_path) if tls else (None, None)

    async def run() -> None:
        async with (
            raw_server(until_gone, tls=server_tls) as peer,
            outbound(tls=client_tls) as client,
        ):
            url = peer.url.replace("http:", "https:") if tls else peer.url
            task = asyncio.create_task(post(client, url, timeout_s=60))
            await peer.asked.wait()
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            await asyncio.wait_for(peer.gone.wait(), 0.5)

    asyncio.run(run())


def test_closing_the_client_breaks_off_what_is_under_way() -> None:
    async def run() -> None:
        async with raw_server(until_gone) as peer, outbound() as client:
            task = asyncio.create_task(post(client, peer.url, timeout_s=60))
            await peer.asked.wait()
            await client.close()
            with pytest.raises(ConnectionLostError):
                await task
            await asyncio.wait_for(peer.gone.wait(), 0.5)
            with pytest.raises(RuntimeError):
                await post(client, peer.url)

    asyncio.run(run())


# Connections that break


@pytest.mark.parametrize("sent", [b"", b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n{"])
def test_a_reset_is_a_lost_connection(sent: bytes) -> None:
    async def talk(peer: Peer, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(sent)
        await writer.drain()
        await asyncio.sleep(0.05)
        await reset(writer)

    failing(talk, ConnectionLostError)


@pytest.mark.parametrize(
    "sent",
    [
        b"",
        b"HTTP/1.1 200 OK\r\nContent-Le",
        b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n{}",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03 garbage \x00\xff\r\n\r\n",
        b"SSH-2.0-OpenSSH_9.2\r\n",
        b"HTTP/1.1 abc OK\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nX: " + b"x" * 100_000 + b"\r\n\r\n",
        b"HTTP/1.1 200 OK\r\n" + b"X-A: b\r\n" * 10_000 + b"\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nabcde",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nab\r\n",
    ],
)
def test_half_an_answer_or_no_http_is_a_lost_connection(sent: bytes) -> None:
    failing(replying(sent), ConnectionLostError)


def test_nobody_listening_is_a_failed_connect_that_names_only_what_was_asked() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
        error = refused(
            f"http://agent.test:{port}/",
            ConnectFailedError,
            resolve=resolving(**{"agent.test": ["127.0.0.1"]}),
        )
    assert f"agent.test:{port}" in error.message
    assert "127.0.0.1" not in error.message
    assert error.__cause__ is None
    assert error.__suppress_context__


def test_a_name_nobody_knows_is_a_failed_connect() -> None:
    assert "nobody.test" in refused("http://nobody.test/", ConnectFailedError, resolve=resolving()).message
    empty = resolving(**{"empty.test": []})
    refused("http://empty.test/", ConnectFailedError, resolve=empty)


# Addresses


@pytest.mark.parametrize(
    "addresses", [["127.0.0.1"], ["93.184.216.34", "127.0.0.1"], ["::ffff:127.0.0.1"], ["0.0.0.0"]]
)
@pytest.mark.parametrize("scheme", ["http", "https"])
def test_a_name_with_a_private_address_connects_nowhere(scheme: str, addresses: list[str]) -> None:
    async def run() -> None:
        resolve = resolving(**{"agent.test": addresses})
        async with (
            raw_server(until_gone, read_request=False) as decoy,
            outbound(AddressPolicy(), resolve) as client,
        ):
            with pytest.raises(AddressRefusedError) as caught:
                await post(client, f"{scheme}://agent.test:{decoy.port}/")
            await asyncio.sleep(0.05)
            assert decoy.connects == 0
            assert "agent.test" in caught.value.message
            assert "127.0.0.1" not in caught.value.message

    asyncio.run(run())


def test_a_name_that_turns_private_between_two_requests_is_refused_the_second_time() -> None:
    async def run() -> None:
        answers = iter([["127.0.0.1"], ["169.254.169.254"]])

        async def rebinding(host: str, port: int) -> Sequence[str]:
            return next(answers)

        async with raw_server(replying(answer(b"{}"))) as peer, outbound(LOCAL, rebinding) as client:
            url = f"http://agent.test:{peer.port}/"
            assert (await post(client, url)).status == 200
            with pytest.raises(AddressRefusedError):
                await post(client, url)
            assert peer.connects == 1

    asyncio.run(run())


@pytest.mark.parametrize(
    "host",
    ["127.0.0.1", "127.1", "2130706433", "0x7f.1", "[::ffff:127.0.0.1]", "0", "localhost", "①②⑦.0.0.1"],
)
def test_literal_hosts_are_checked_too(host: str) -> None:
    async def run() -> None:
        async with raw_server(until_gone, read_request=False) as decoy, outbound(AddressPolicy()) as client:
            for scheme in ("http", "https"):
                with pytest.raises(AddressRefusedError):
                    await post(client, f"{scheme}://{host}:{decoy.port}/")
            await asyncio.sleep(0.02)
            assert decoy.connects == 0

    asyncio.run(run())


@pytest.mark.parametrize("host", ["127.0.0.1", "127.1", "2130706433", "localhost"])
def test_every_spelling_of_an_allowed_address_is_reached(host: str) -> None:
    async def run() -> None:
        async with raw_server(replying(answer(b"{}"))) as peer, outbound() as client:
            assert (await post(client, f"http://{host}:{peer.port}/")).status == 200

    asyncio.run(run())


class AllowsOnce(AddressPolicy):
    """Stands for a network where the peer is not the address that was resolved and checked."""

    questions: ClassVar[list[str]] = []

    def refusal(self, scheme: str, host: str, port: int, address: object) -> str | None:
        self.questions.append(str(address))
        return "refused" if len(self.questions) > 1 else None


def test_the_peer_is_checked_again_before_anything_is_sent() -> None:
    async def run() -> None:
        async with raw_server(replying(answer(b"{}"))) as peer, outbound(AllowsOnce()) as client:
            with pytest.raises(AddressRefusedError):
                await post(client, peer.url)
            await asyncio.sleep(0.02)
            assert peer.requests == []
        assert AllowsOnce.questions == ["127.0.0.1", "127.0.0.1"]

    asyncio.run(run())


def test_a_listed_name_is_reached_over_http_and_only_there() -> None:
    async def run() -> None:
        resolve = resolving(**{"agent.test": ["127.0.0.1"], "other.test": ["127.0.0.1"]})
        async with raw_server(replying(answer(b"{}"))) as peer:
            policy = AddressPolicy(parse_allow_list(f"agent.test:{peer.port}"))
            async with outbound(policy, resolve) as client:
                assert (await post(client, f"http://agent.test:{peer.port}/")).status == 200
                with pytest.raises(AddressRefusedError):
                    await post(client, f"http://other.test:{peer.port}/")

    asyncio.run(run())


@pytest.mark.parametrize(
    "url", ["ftp://127.0.0.1/", "http://u:p@127.0.0.1/", "nonsense", "http://127.0.0.1:0/"]
)
def test_what_is_no_url_is_refused(url: str) -> None:
    refused(url)


# Headers


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("Authorization", "Bearer a\r\nX: 1"),
        ("Authorization", "Bearer a\n"),
        ("Authorization", "a\x00b"),
        ("Authorization", "a\ud800b"),
        ("X Y", "1"),
        ("", "1"),
        ("X:Y", "1"),
        ("Host", "internal"),
        ("Content-Length", "0"),
        ("transfer-encoding", "chunked"),
        ("Accept-Encoding", "gzip"),
        ("Expect", "100-continue"),
    ],
)
def test_headers_that_would_break_the_request_are_refused_without_their_value(name: str, value: str) -> None:
    assert header_problem(name, value) is not None
    error = refused("http://127.0.0.1:9/", RequestInvalidError, headers={name: value})
    assert value not in error.message or len(value) < 2


def test_ordinary_headers_are_no_problem() -> None:
    assert header_problem("Authorization", "Bearer abc") is None
    assert header_problem("X-API-Key", "ключ\t1") is None


# TLS


def make_certificate(folder: Path) -> tuple[ssl.SSLContext, ssl.SSLContext]:
    """A server's context with a fresh self-signed certificate, and a client's context that trusts it."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "agent.test")])
    now = datetime.now(UTC)
    names = [x509.DNSName("agent.test"), x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName(names), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    pem = folder / "server.pem"
    pem.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
        + certificate.public_bytes(serialization.Encoding.PEM)
    )
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server.load_cert_chain(pem)
    return server, ssl.create_default_context(cafile=str(pem))


def over_tls(folder: Path, check: Callable[[Peer, ssl.SSLContext], Coroutine[Any, Any, None]]) -> None:
    server_tls, client_tls = make_certificate(folder)

    async def run() -> None:
        async with raw_server(replying(answer(b"{}")), tls=server_tls) as peer:
            await check(peer, client_tls)

    asyncio.run(run())


def test_a_self_signed_certificate_is_refused_before_anything_is_sent(tmp_path: Path) -> None:
    async def check(peer: Peer, trusted: ssl.SSLContext) -> None:
        async with outbound() as client:
            with pytest.raises(ConnectFailedError) as caught:
                await post(client, f"https://127.0.0.1:{peer.port}/", headers={"Authorization": "Bearer abc"})
        assert "self-signed" in caught.value.message
        assert peer.requests == []

    over_tls(tmp_path, check)


def test_a_trusted_certificate_is_good_for_its_own_name_only(tmp_path: Path) -> None:
    async def check(peer: Peer, trusted: ssl.SSLContext) -> None:
        resolve = resolving(**{"agent.test": ["127.0.0.1"], "other.test": ["127.0.0.1"]})
        async with outbound(LOCAL, resolve, trusted) as client:
            assert (await post(client, f"https://127.0.0.1:{peer.port}/")).status == 200
            assert (await post(client, f"https://agent.test:{peer.port}/")).status == 200
            with pytest.raises(ConnectFailedError, match="ertificate"):
                await post(client, f"https://other.test:{peer.port}/")

    over_tls(tmp_path, check)


def test_plain_http_on_a_tls_url_is_a_failed_connect() -> None:
    async def run() -> None:
        talk = replying(b"HTTP/1.1 400 Bad Request\r\n\r\n")
        async with raw_server(talk, read_request=False) as peer, outbound() as client:
            with pytest.raises(ConnectFailedError):
                await post(client, f"https://127.0.0.1:{peer.port}/")

    asyncio.run(run())


# Many at once


def test_hosts_that_hang_do_not_keep_others_waiting() -> None:
    async def run() -> None:
        crowd = 150
        arrived = asyncio.Semaphore(0)

        async def hang(peer: Peer, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            arrived.release()
            await until_gone(peer, reader, writer)

        async with (
            raw_server(hang) as slow,
            raw_server(replying(answer(b"{}"))) as quick,
            outbound() as client,
        ):
            waiting = [asyncio.create_task(post(client, slow.url, timeout_s=600)) for _ in range(crowd)]
            for _ in range(crowd):
                await arrived.acquire()
            assert (await post(client, quick.url, timeout_s=60)).status == 200
            for task in waiting:
                task.cancel()
            await asyncio.gather(*waiting, return_exceptions=True)

    asyncio.run(run())


def test_requests_under_way_at_once_are_each_checked_for_their_own_target() -> None:
    async def run() -> None:
        both = asyncio.Barrier(2)
        names = {"good.test": ["127.0.0.1"], "bad.test": ["10.0.0.1"]}

        async def together(host: str, port: int) -> Sequence[str]:
            await both.wait()
            return names[host]

        async with raw_server(replying(answer(b"{}"))) as peer, outbound(LOCAL, together) as client:
            good, bad = await asyncio.gather(
                post(client, f"http://good.test:{peer.port}/"),
                post(client, f"http://bad.test:{peer.port}/"),
                return_exceptions=True,
            )
            assert isinstance(good, OutboundReply), good
            assert isinstance(bad, AddressRefusedError), bad
            assert "bad.test" in bad.message
            assert (peer.connects, len(peer.requests)) == (1, 1)

    asyncio.run(run())


# Sockets


def test_no_socket_is_left_behind() -> None:
    async def run() -> None:
        talks: list[Talk] = [
            replying(answer(b"{}")),
            replying(b""),
            replying(b"nonsense\r\n\r\n"),
            until_gone,
        ]
        async with outbound() as client:
            before = open_sockets()
            for talk in talks * 5:
                async with raw_server(talk) as peer:
                    with contextlib.suppress(OutboundError):
                        await post(client, peer.url, timeout_s=0.05)
            await asyncio.sleep(0.05)
            assert open_sockets() <= before + 2

    asyncio.run(run())
