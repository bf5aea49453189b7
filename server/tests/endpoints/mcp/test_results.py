"""What an MCP server says, and what a passthrough call makes of it, in both versions of the protocol."""

from collections.abc import Iterator
from typing import Any

import mcp_types as types
import pytest
from mcp import MCPError
from support.mcp_asking import asking, call
from support.mcp_peers import RawPeer, SdkPeer, text, tool

from odyssey.endpoints.mcp.session import McpSessions
from odyssey.endpoints.mcp.upstream import McpUpstream
from odyssey.endpoints.upstream import Answered, Forwarded, NotAnswered

OUTPUT = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}


def _structured(value: Any, **members: Any) -> types.CallToolResult:
    return text("beside it", structured_content=value, **members)


def _raise(code: int) -> Any:
    raise MCPError(code, "because of the tool", {"field": "x"})


def _picture(*_: Any) -> types.CallToolResult:
    image = types.ImageContent(data="aGVsbG8=", mime_type="image/png")
    return types.CallToolResult(content=[types.TextContent(text="see"), image])


TOOLS = {
    "echo": lambda _, arguments: text(str(arguments["said"])),
    "object": lambda *_: _structured({"n": 1, "deep": {"list": [1, 2.5, None]}}),
    "wrong_object": lambda *_: _structured({"n": "one"}),
    "nothing_structured": lambda *_: text("only words"),
    "json_text": lambda *_: text('{"order": [1, 2]}'),
    "number_text": lambda *_: text("7"),
    "twice_the_same_key": lambda *_: text('{"a": 1, "a": 2}'),
    "parts": lambda *_: text("one", "two"),
    "no_part": lambda *_: text(),
    "picture": _picture,
    "failing": lambda *_: text("no such order", is_error=True),
    "failing_object": lambda *_: _structured({"code": "gone"}, is_error=True),
    "bad_arguments": lambda *_: _raise(types.INVALID_PARAMS),
    "own_error": lambda *_: _raise(-31999),
    "broken": lambda *_: _raise(types.INTERNAL_ERROR),
}
LISTED = [tool(name) for name in TOOLS if name not in ("wrong_object", "nothing_structured")]
LISTED += [tool("wrong_object", output_schema=OUTPUT), tool("nothing_structured", output_schema=OUTPUT)]


@pytest.fixture(scope="module", params=["2026-07-28", "2025-11-25", "2025-11-25 in JSON"])
def peer(request: pytest.FixtureRequest) -> Iterator[SdkPeer]:
    is_old = request.param.startswith("2025")
    with SdkPeer(TOOLS, listed=LISTED, is_old=is_old, json_response="JSON" in request.param) as peer:
        yield peer
        assert set(peer.versions) == {request.param[:10]}


EXPECTED = {
    "object": Answered({"n": 1, "deep": {"list": [1, 2.5, None]}}),
    "wrong_object": Answered({"n": "one"}),
    "nothing_structured": Answered("only words"),
    "json_text": Answered({"order": [1, 2]}),
    "number_text": Answered("7"),
    "twice_the_same_key": Answered('{"a": 1, "a": 2}'),
    "parts": Answered([{"type": "text", "text": "one"}, {"type": "text", "text": "two"}]),
    "no_part": Answered([]),
    "picture": Answered(
        [{"type": "text", "text": "see"}, {"type": "image", "data": "aGVsbG8=", "mimeType": "image/png"}]
    ),
    "failing": Answered("no such order", is_error=True),
    "failing_object": Answered({"code": "gone"}, is_error=True),
    "bad_arguments": Answered(
        {"error": {"code": -32602, "message": "because of the tool", "data": {"field": "x"}}}, is_error=True
    ),
    "own_error": Answered(
        {"error": {"code": -31999, "message": "because of the tool", "data": {"field": "x"}}}, is_error=True
    ),
    "broken": NotAnswered(
        "upstream_protocol_error",
        "The service answered with a JSON-RPC error: because of the tool (-32603).",
        "unknown",
    ),
}


@pytest.mark.parametrize("name", EXPECTED)
def test_an_answer_is_passed_on_as_it_is(peer: SdkPeer, name: str) -> None:
    calls = len(peer.calls)
    assert call(peer.url, name) == EXPECTED[name]
    assert peer.calls[calls:] == [(name, {})]


def test_arguments_arrive_as_they_were_sent(peer: SdkPeer) -> None:
    arguments = {
        "said": "ä 🧭 \u0000 \n",
        "big": 2**63 - 1,
        "deep": {"x": [None, True, 1.5, {}]},
        "null": None,
    }
    assert call(peer.url, "echo", arguments) == Answered("ä 🧭 \u0000 \n")
    assert peer.calls[-1] == ("echo", arguments)


def test_what_is_no_json_is_not_sent(peer: SdkPeer) -> None:
    calls = len(peer.calls)
    answer = call(peer.url, "echo", {"said": "\ud800"})
    assert answer == NotAnswered("request_invalid", "The arguments cannot be written as JSON.", "not_sent")
    assert len(peer.calls) == calls


def test_a_tool_that_asks_for_input_says_so_and_is_not_called_again() -> None:
    question = types.ElicitRequest(
        params=types.ElicitRequestFormParams(
            message="Are you sure?", requested_schema={"type": "object", "properties": {}}
        )
    )
    ask = types.InputRequiredResult(input_requests={"sure": question}, request_state="opaque")
    with SdkPeer({"delete": lambda *_: ask}) as peer:
        answer = call(peer.url, "delete")
        assert isinstance(answer, Answered)
        assert answer.is_error
        assert answer.response["error"]["code"] == "input_required"
        assert answer.response["error"]["input_requests"]["sure"]["params"]["message"] == "Are you sure?"
        assert len(peer.calls) == 1


@pytest.mark.parametrize("session", ["run-1", ""])
def test_arguments_a_service_wants_as_headers_are_repeated_there(session: str) -> None:
    schema = {"type": "object", "properties": {"region": {"type": "string", "x-mcp-header": "Region"}}}
    listed = [tool("first"), tool("deploy", input_schema=schema)]

    async def work(upstream: McpUpstream, sessions: McpSessions) -> list[Forwarded]:
        return [await upstream.call("deploy", {"region": region}, session=session) for region in ("eu", "us")]

    with SdkPeer({"deploy": lambda *_: text("done")}, listed=listed, page_size=1) as peer:
        assert asking(peer.url, work) == [Answered("done")] * 2
        assert peer.calls == [("deploy", {"region": "eu"}), ("deploy", {"region": "us"})]
        sent = [headers["mcp-param-region"] for _, headers in peer.requests if "mcp-param-region" in headers]
        assert sent == ["eu", "us"]


def test_the_code_for_a_missing_header_means_nothing_in_the_older_version() -> None:
    with RawPeer(tools_call=lambda exchange: exchange.error(types.HEADER_MISMATCH, "own code")) as peer:
        expected = {"error": {"code": types.HEADER_MISMATCH, "message": "own code"}}
        assert call(peer.url) == Answered(expected, is_error=True)
        assert peer.sent("tools/call") == 1


def test_the_secret_is_a_header_of_every_request() -> None:
    for is_old in (False, True):
        with SdkPeer(TOOLS, is_old=is_old) as peer:
            call(peer.url, "parts", headers={"Authorization": "Bearer canary"})
            assert peer.requests
            assert {headers.get("authorization") for _, headers in peer.requests} == {"Bearer canary"}
