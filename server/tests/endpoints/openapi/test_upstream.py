import asyncio
from typing import Any

import pytest
from support.openapi import Echo, operation, parameter, read
from support.raw_server import answer, raw_server, replying, until_gone
from support.tls import TLS

from odyssey.core.addresses import AddressPolicy
from odyssey.core.outbound import OutboundClient
from odyssey.endpoints.openapi.upstream import OpenApiUpstream
from odyssey.endpoints.upstream import Answered, Forwarded, NotAnswered

DOCUMENT = read({"/x": {"get": operation(parameter("q")), "head": {"operationId": "look"}}})


@pytest.mark.parametrize(
    ("status", "content", "expected"),
    [
        (200, b'{"a": [1]}', Answered({"a": [1]}, 200)),
        (200, b"[1]", Answered([1], 200)),
        (200, b"5", Answered("5", 200)),
        (200, b'"a"', Answered("a", 200)),
        (200, b"<p>", Answered("<p>", 200)),
        (200, b"\xff", Answered("\ufffd", 200)),
        (204, b"", Answered("", 204)),
        (302, b"elsewhere", Answered("elsewhere", 302)),
        (404, b'{"error": "no"}', Answered({"error": "no"}, 404, is_error=True)),
        (429, b"slow", Answered("slow", 429, is_error=True)),
        (500, b'{"error": "x"}', NotAnswered("upstream_5xx", "The service answered 500.", "unknown", 500)),
        (503, b"", NotAnswered("upstream_5xx", "The service answered 503.", "unknown", 503)),
    ],
)
def test_what_becomes_of_an_answer(echo: Echo, status: int, content: bytes, expected: Forwarded) -> None:
    echo.reply = (status, "application/json", content)
    before = len(echo.asked)
    assert echo.call(DOCUMENT, {}) == expected
    assert len(echo.asked) == before + 1, "a redirect is followed, or a call sent twice"


def test_a_look_at_the_head_has_no_body(echo: Echo) -> None:
    echo.reply = (200, "application/json", b'{"a": 1}')
    assert echo.call(DOCUMENT, {}, tool="look") == Answered("", 200)


def test_a_comma_inside_an_item_is_not_the_comma_between_items(echo: Echo) -> None:
    many = {"type": "array", "items": {"type": "string"}}
    tags = parameter("tags", schema=many, explode=False)
    ids = parameter("ids", "path", many, required=True, explode=False)
    document = read({"/x/{ids}": {"get": operation(tags, ids)}})
    asked = echo.ask(document, {"tags": ["a,b", "c"], "ids": ["1,2", "3"]})
    assert asked.target == "/x/1%2C2,3?tags=a%2Cb,c"


def test_a_tool_the_document_does_not_have_is_not_sent(echo: Echo) -> None:
    before = len(echo.asked)
    assert echo.call(DOCUMENT, {}, tool="other") == NotAnswered(
        "tool_missing", "The endpoint has no tool 'other'.", "not_sent"
    )
    assert len(echo.asked) == before


def test_discovery_is_the_documents(echo: Echo) -> None:
    upstream = OpenApiUpstream(echo.client, DOCUMENT, echo.url, {})
    assert asyncio.run(upstream.discover()) == DOCUMENT.discovery()


def hop(talk: Any, *, timeout_s: float = 60.0, policy: AddressPolicy | None = None) -> tuple[Forwarded, int]:
    async def run() -> tuple[Forwarded, int]:
        client = OutboundClient(policy or AddressPolicy(allow_loopback=True), tls=TLS)
        try:
            async with raw_server(talk) as peer:
                base = f"http://127.0.0.1:{peer.port}"
                upstream = OpenApiUpstream(
                    client, DOCUMENT, base, {"Authorization": "Bearer canary-4711"}, timeout_s=timeout_s
                )
                return await upstream.call("do", {"q": "x"}, session="run"), peer.connects
        finally:
            await client.close()

    return asyncio.run(run())


@pytest.mark.parametrize(
    ("talk", "code"),
    [
        (replying(b""), "upstream_connection_lost"),
        (replying(b"not http\r\n\r\n"), "upstream_connection_lost"),
        (replying(answer(b"x")[:-1]), "upstream_connection_lost"),
        (replying(answer(b"x" * (1024 * 1024 + 1))), "upstream_body_too_large"),
        (replying(answer(b"x", "Content-Encoding: gzip")), "upstream_bad_encoding"),
    ],
    ids=["closed", "no http", "cut short", "too large", "encoding"],
)
def test_a_hop_that_fails_is_not_tried_again(talk: Any, code: str) -> None:
    forwarded, connects = hop(talk)
    assert isinstance(forwarded, NotAnswered)
    assert (forwarded.code, forwarded.outcome, connects) == (code, "unknown", 1)
    assert "canary" not in forwarded.message


def test_a_hop_that_takes_too_long_ends_in_time() -> None:
    forwarded, connects = hop(until_gone, timeout_s=0.2)
    assert isinstance(forwarded, NotAnswered)
    assert (forwarded.code, forwarded.outcome, connects) == ("upstream_timeout", "unknown", 1)


def test_an_address_that_is_not_allowed_is_not_connected_to() -> None:
    forwarded, connects = hop(replying(answer(b"{}")), policy=AddressPolicy())
    assert isinstance(forwarded, NotAnswered)
    assert (forwarded.code, forwarded.outcome, connects) == ("upstream_url_blocked", "not_sent", 0)
