"""The tools of an MCP server, listed page by page."""

import json
from typing import Any

import mcp_types as types
import pytest
from support.mcp_asking import call, discover, undiscoverable
from support.mcp_peers import OBJECT, Exchange, RawPeer, SdkPeer, text, tool

from odyssey.endpoints.mcp.session import MAX_PAGES
from odyssey.endpoints.mcp.upstream import MAX_LISTING_BYTES, MAX_TOOLS
from odyssey.endpoints.upstream import UpstreamTool

READ = types.ToolAnnotations(read_only_hint=True)
NUMBER = {"type": "object", "properties": {"n": {"type": "integer"}}}


@pytest.mark.parametrize("is_old", [False, True])
def test_every_page_is_read(is_old: bool) -> None:
    listed = [tool(f"t{number}") for number in range(7)]
    listed.append(
        tool(
            "get order/1!",
            description="An order.",
            annotations=READ,
            input_schema=NUMBER,
            output_schema=NUMBER,
        )
    )
    with SdkPeer({}, listed=listed, page_size=3, is_old=is_old) as peer:
        found = discover(peer.url)
        assert found.notes == ()
        assert found.tools[:7] == tuple(UpstreamTool(f"t{number}", OBJECT) for number in range(7))
        assert found.tools[7] == UpstreamTool(
            "get order/1!", NUMBER, description="An order.", output_schema=NUMBER, read_only=True
        )
        assert peer.open_sessions == []


def test_a_server_without_tools_is_one_with_none() -> None:
    with SdkPeer({}) as peer:
        assert discover(peer.url).tools == ()


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "object", "properties": {"x": {"pattern": "(?<=a)b"}}},
        {"type": "object", "properties": {"x": {"$ref": "http://127.0.0.1:9/decoy"}}},
        {"type": "object", "properties": {"x": {"type": "no such type"}}},
        {"type": "object", "description": "x" * 70_000},
    ],
)
def test_a_schema_that_cannot_be_used_costs_the_schema_and_not_the_tool(schema: dict[str, Any]) -> None:
    listed = [tool("a", input_schema=schema), tool("b", output_schema=schema), tool("c")]
    with SdkPeer({}, listed=listed) as peer:
        found = discover(peer.url)
    assert found.tools == tuple(UpstreamTool(name, OBJECT) for name in "abc")
    assert [note.split(":")[0] for note in found.notes] == [
        "The tool 'a' is offered without its input schema, which cannot be used",
        "The tool 'b' is offered without its output schema, which cannot be used",
    ]


def test_a_name_counts_once() -> None:
    with SdkPeer({}, listed=[tool("a", description="first"), tool("a"), tool("")]) as peer:
        found = discover(peer.url)
    assert found.tools == (UpstreamTool("a", OBJECT, description="first"),)
    assert found.notes == (
        "The tool 'a' is left out: its name is used twice.",
        "The tool '' is left out: its name is empty.",
    )


def test_tools_over_the_limit_are_left_out() -> None:
    listed = [tool(f"t{number}") for number in range(MAX_TOOLS + 5)]
    with SdkPeer({}, listed=listed, page_size=400) as peer:
        found = discover(peer.url)
    assert len(found.tools) == MAX_TOOLS
    assert found.notes == (f"Only the first {MAX_TOOLS} tools are offered.",)


def _pages(cursor: str, **members: Any) -> Any:
    def answer(exchange: Exchange) -> None:
        number = len(exchange.message.get("params", {}).get("cursor", ""))
        listed = {"tools": [{"name": f"t{number}", "inputSchema": OBJECT, **members}]}
        exchange.result({**listed, "nextCursor": cursor * (number + 1)})

    return answer


def test_a_list_without_end_ends() -> None:
    with RawPeer(tools_list=_pages("x")) as peer:
        found = discover(peer.url)
        assert peer.sent("tools/list") == MAX_PAGES == len(found.tools)
        assert "goes on after" in found.notes[0]


def test_a_list_has_a_size_in_all() -> None:
    with RawPeer(tools_list=_pages("x", description="d" * 900_000)) as peer:
        assert undiscoverable(peer.url).code == "upstream_body_too_large"
        assert peer.sent("tools/list") == MAX_LISTING_BYTES // 900_000 + 1


@pytest.mark.parametrize(
    ("listed", "said"),
    [
        ({"tools": [{"name": "a"}]}, "tools.0.inputSchema"),
        ({"tools": "none"}, "tools"),
        ({}, "tools"),
        ({"tools": [{"name": 1, "inputSchema": OBJECT}]}, "tools.0.name"),
    ],
)
def test_a_list_that_is_none_says_where(listed: Any, said: str) -> None:
    with RawPeer(tools_list=lambda exchange: exchange.result(listed)) as peer:
        error = undiscoverable(peer.url)
    assert error.code == "upstream_protocol_error"
    assert said in error.message


def test_a_refusal_is_passed_on() -> None:
    with RawPeer(tools_list=lambda exchange: exchange.error(-32601, "Method not found")) as peer:
        error = undiscoverable(peer.url)
    assert error.code == "upstream_protocol_error"
    assert error.message == "The service does not list its tools: Method not found (-32601)."


def test_a_request_of_the_service_in_between_is_answered() -> None:
    def list_and_ask(exchange: Exchange) -> None:
        exchange.head(200, "Content-Type: text/event-stream")
        exchange.event(json.dumps({"jsonrpc": "2.0", "id": "p", "method": "ping"}).encode())
        sampling = {"jsonrpc": "2.0", "id": "s", "method": "sampling/createMessage"}
        sampling["params"] = {"messages": [], "maxTokens": 1}  # type: ignore[assignment]
        exchange.event(json.dumps(sampling).encode())
        exchange.event(exchange.encoded(result={"tools": [{"name": "a", "inputSchema": OBJECT}]}))

    with RawPeer(tools_list=list_and_ask) as peer:
        assert [found.name for found in discover(peer.url).tools] == ["a"]


def test_calls_of_a_tool_do_not_list() -> None:
    with SdkPeer({"a": lambda *_: text("x")}, listed=[tool("a", output_schema=NUMBER)]) as peer:
        call(peer.url, "a")
        assert not any(headers.get("mcp-method") == "tools/list" for _, headers in peer.requests)
