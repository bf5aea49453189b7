"""MCP servers that break the protocol, HTTP or the connection: one code each, in time, and never a second call."""

import json
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from typing import Any, NamedTuple

import pytest
from support.mcp_asking import call
from support.mcp_peers import TEXT_RESULT, Answering, Exchange, RawPeer

from odyssey.endpoints.mcp.transport import MAX_RESUMED
from odyssey.endpoints.upstream import MAX_RESPONSE_BYTES, Answered, NotAnswered

EVENTS = "Content-Type: text/event-stream"
LIMIT_S = 3.0
NOTE = json.dumps(
    {"jsonrpc": "2.0", "method": "notifications/progress", "params": {"x": "y" * 20_000}}
).encode()


def raw(body: bytes, *, status: int = 200, kind: str = "application/json") -> Answering:
    return lambda exchange: exchange.reply(status, body, kind=kind)


def events(*payloads: bytes, closing: bytes = b"") -> Answering:
    def answer(exchange: Exchange) -> None:
        exchange.head(200, EVENTS)
        for payload in payloads:
            exchange.event(payload)
        exchange.write(closing)

    return answer


def message(**members: Any) -> bytes:
    return json.dumps({"jsonrpc": "2.0", **members}).encode()


def silence(exchange: Exchange) -> None:
    exchange.over.wait()


def cut(exchange: Exchange) -> None:
    exchange.head(200, "Content-Type: application/json", "Content-Length: 400")
    exchange.write(b'{"jsonrpc":')


def flood(exchange: Exchange) -> None:
    exchange.head(200, EVENTS)
    while not exchange.over.is_set():
        exchange.event(NOTE)


def drip(exchange: Exchange) -> None:
    exchange.head(200, EVENTS)
    while not exchange.over.wait(0.02):
        exchange.write(b": still here\n\n")


def packed_wrong(exchange: Exchange) -> None:
    exchange.reply(200, b"not gzip", "Content-Encoding: gzip")


def oversize(exchange: Exchange) -> None:
    part = {"type": "text", "text": "x" * MAX_RESPONSE_BYTES}
    exchange.result({"content": [part]})


def oversize_event(exchange: Exchange) -> None:
    part = {"type": "text", "text": "x" * MAX_RESPONSE_BYTES}
    exchange.head(200, EVENTS)
    exchange.event(exchange.encoded(result={"content": [part]}), "id: 7", "retry: 60000")


def ask_to_wait_an_hour(exchange: Exchange) -> None:
    exchange.head(200, EVENTS)
    exchange.event(b"", "id: 1", "retry: 3600000")


class Case(NamedTuple):
    answering: Answering
    code: str
    status: int | None = None


WRONG = "upstream_protocol_error"
CASES = {
    "junk as JSON": Case(raw(b"junk"), WRONG, 200),
    "nothing as JSON": Case(raw(b""), WRONG, 200),
    "a page": Case(raw(b"<html>", kind="text/html"), WRONG, 200),
    "no content type": Case(raw(b"{}", kind=""), WRONG, 200),
    "an answer to somebody else": Case(raw(message(id=999, result=TEXT_RESULT)), WRONG, 200),
    "an answer to nobody": Case(raw(message(id=None, error={"code": 1, "message": "x"})), WRONG, 200),
    "a notification": Case(raw(message(method="notifications/message")), WRONG, 200),
    "a batch": Case(raw(b"[" + message(id=3, result=TEXT_RESULT) + b"]"), WRONG, 200),
    "result and error": Case(raw(message(id=3, result={}, error={"code": 1, "message": "x"})), WRONG, 200),
    "another version": Case(raw(b'{"jsonrpc":"1.0","id":3,"result":{}}'), WRONG, 200),
    "a result that is a list": Case(lambda e: e.result([1]), WRONG),
    "a result without content": Case(lambda e: e.result({"contents": []}), WRONG),
    "a part of no kind": Case(lambda e: e.result({"content": [{"type": "smell"}]}), WRONG),
    "accepted": Case(raw(b"", status=202), WRONG, 202),
    "no content": Case(raw(b"", status=204), WRONG, 204),
    "unauthorized": Case(raw(b"who", status=401, kind="text/plain"), WRONG, 401),
    "forbidden": Case(raw(b"{}", status=403), WRONG, 403),
    "bad request": Case(raw(b'{"error": "x"}', status=400), WRONG, 400),
    "not allowed": Case(raw(b"", status=405, kind="text/plain"), WRONG, 405),
    "a server error": Case(raw(b"oops", status=500, kind="text/plain"), "upstream_5xx", 500),
    "a server error in JSON-RPC": Case(lambda e: e.error(-32000, "x", status=503), "upstream_5xx", 503),
    "a server error as events": Case(raw(b"", status=599, kind="text/event-stream"), "upstream_5xx", 599),
    "an error of the protocol": Case(lambda e: e.error(-32700, "Parse error"), WRONG),
    "method not found": Case(lambda e: e.error(-32601, "Method not found", status=404), WRONG),
    "events without an answer": Case(events(NOTE), "upstream_connection_lost"),
    "no event": Case(events(), "upstream_connection_lost"),
    "junk as an event": Case(events(b"junk"), WRONG),
    "half an event": Case(events(closing=b'data: {"jsonrpc"'), "upstream_connection_lost"),
    "a cut answer": Case(cut, "upstream_connection_lost"),
    "not HTTP": Case(lambda e: e.write(b"SSH-2.0-OpenSSH\r\n"), "upstream_connection_lost"),
    "closed at once": Case(lambda e: None, "upstream_connection_lost"),
    "packed wrong": Case(packed_wrong, "upstream_bad_encoding", 200),
    "too large": Case(oversize, "upstream_body_too_large", 200),
    "an event too large": Case(oversize_event, "upstream_body_too_large", 200),
    "events without end": Case(flood, "upstream_body_too_large", 200),
}
WITHOUT_END = {"silence": silence, "drops for ever": drip}


@pytest.mark.parametrize("name", CASES)
def test_a_call_that_brings_no_answer_is_made_once_and_says_why(name: str) -> None:
    case = CASES[name]
    # No session: there, a 404 has a meaning of its own.
    with RawPeer(session_id=None, tools_call=case.answering) as peer:
        answer = call(peer.url)
        assert isinstance(answer, NotAnswered), answer
        assert (answer.code, answer.outcome, answer.status) == (case.code, "unknown", case.status)
        assert peer.sent("tools/call") == 1
        assert peer.gets == 0


@pytest.mark.parametrize("name", CASES)
def test_a_handshake_that_fails_means_that_nothing_was_called(name: str) -> None:
    case = CASES[name]
    with RawPeer(initialize=case.answering) as peer:
        answer = call(peer.url)
        assert isinstance(answer, NotAnswered), answer
        assert answer.outcome == "not_sent"
        assert answer.code == case.code
        assert answer.status == case.status
        assert peer.sent("tools/call") == 0
        assert peer.sent("initialize") == 1


@pytest.mark.parametrize("name", CASES)
def test_a_probe_of_the_newer_version_that_fails_leads_to_the_older_one(name: str) -> None:
    with RawPeer(server_discover=CASES[name].answering) as peer:
        assert call(peer.url) == Answered("done")
        assert peer.sent("server/discover") == 1


def test_an_answer_as_an_event_among_others() -> None:
    def answer(exchange: Exchange) -> None:
        exchange.head(200, EVENTS)
        exchange.write(b"\xef\xbb\xbf: a comment\r\n\r\nevent: other\r\ndata: x\r\n\r\n")
        exchange.event(NOTE)
        exchange.write(b"data: " + exchange.encoded(result=TEXT_RESULT) + b"\r\n\r\n")
        exchange.over.wait()  # the stream stays open

    with RawPeer(tools_call=answer) as peer:
        assert call(peer.url) == Answered("done")


def test_the_largest_answer_is_passed_on() -> None:
    sizes = []

    def answer(exchange: Exchange) -> None:
        empty = len(exchange.encoded(result={"content": [{"type": "text", "text": ""}]}))
        sizes.append(MAX_RESPONSE_BYTES - empty)
        exchange.result({"content": [{"type": "text", "text": "x" * sizes[0]}]})

    with RawPeer(tools_call=answer) as peer:
        assert call(peer.url) == Answered("x" * sizes[0])


DEEP = "[" * 120 + "]" * 120
UNREADABLE = "[" * 300 + "]" * 300


def structured(value: str) -> Answering:
    def answer(exchange: Exchange) -> None:
        result = f'{{"content": [], "structuredContent": {{"v": {value}}}}}'
        exchange.reply(
            200, f'{{"jsonrpc": "2.0", "id": {exchange.message["id"]}, "result": {result}}}'.encode()
        )

    return answer


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ('"\\u0000"', {"v": "\x00"}),
        (str(2**63), {"v": 2**63}),
        (str(10**20), '{"v": 100000000000000000000}'),
        ("1e999", '{"v": Infinity}'),
        (DEEP, f'{{"v": {DEEP}}}'),
    ],
)
def test_structured_content_that_is_no_strict_json_is_text(value: str, expected: Any) -> None:
    with RawPeer(tools_call=structured(value)) as peer:
        assert call(peer.url) == Answered(expected)


@pytest.mark.parametrize("value", ["NaN", '"\\ud800"', UNREADABLE])
def test_structured_content_that_is_no_json_is_no_answer(value: str) -> None:
    with RawPeer(tools_call=structured(value)) as peer:
        answer = call(peer.url)
        assert isinstance(answer, NotAnswered)
        assert answer.code == WRONG
        assert len(answer.message) < 200


def test_an_answer_whose_stream_ends_is_taken_up_again() -> None:
    asked: list[Exchange] = []

    def begin(exchange: Exchange) -> None:
        asked.append(exchange)
        exchange.head(200, EVENTS)
        exchange.event(b"", "id: 41", "retry: 1")

    def go_on(exchange: Exchange) -> None:
        assert exchange.headers["last-event-id"] == "41"
        exchange.head(200, EVENTS)
        exchange.event(asked[0].encoded(result=TEXT_RESULT), "id: 42")

    with RawPeer(tools_call=begin, GET=go_on) as peer:
        assert call(peer.url) == Answered("done")
        assert (peer.sent("tools/call"), peer.gets) == (1, 1)


@pytest.mark.parametrize("going_on", ["nothing new", "no such stream", "a page"])
def test_an_answer_that_never_comes_is_not_taken_up_for_ever(going_on: str) -> None:
    def begin(exchange: Exchange) -> None:
        exchange.head(200, EVENTS)
        exchange.event(b"", "id: 1", "retry: 1")

    goings_on: dict[str, Answering] = {
        "nothing new": begin,
        "no such stream": raw(b"", status=404),
        "a page": raw(b"<html>", kind="text/html"),
    }
    with RawPeer(tools_call=begin, GET=goings_on[going_on]) as peer:
        answer = call(peer.url)
        assert isinstance(answer, NotAnswered)
        assert answer.outcome == "unknown"
        assert peer.sent("tools/call") == 1
        assert peer.gets == (MAX_RESUMED if going_on == "nothing new" else 1)


def test_what_has_no_end_ends_at_the_time_limit() -> None:
    """All at once, so that the test waits for one limit only."""
    with ExitStack() as stack, ThreadPoolExecutor() as pool:
        calls = [RawPeer(session_id=None, tools_call=answering) for answering in WITHOUT_END.values()]
        handshakes = [RawPeer(initialize=answering) for answering in WITHOUT_END.values()]
        calls.append(RawPeer(tools_call=ask_to_wait_an_hour))
        for peer in (*calls, *handshakes):
            stack.enter_context(peer)
        asked = [(peer, pool.submit(call, peer.url, timeout_s=LIMIT_S)) for peer in (*calls, *handshakes)]
        for peer, asking in asked:
            answer = asking.result()
            assert isinstance(answer, NotAnswered), answer
            outcome = "unknown" if peer in calls else "not_sent"
            assert (answer.code, answer.outcome, answer.status) == ("upstream_timeout", outcome, None)
            assert peer.sent("tools/call") == (1 if peer in calls else 0)
            assert (peer.sent("initialize"), peer.gets) == (1, 0)
