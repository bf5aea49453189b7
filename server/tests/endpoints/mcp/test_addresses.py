"""Where requests to an MCP server go: to the address of the endpoint, and nowhere a server points to."""

import asyncio
import json
import socket
from typing import Any

import pytest
from support.mcp_asking import asking, call, undiscoverable
from support.mcp_peers import INITIALIZED, OBJECT, Exchange, RawPeer
from support.tls import TLS

from odyssey.core.addresses import AddressPolicy
from odyssey.core.outbound import OutboundClient
from odyssey.endpoints.mcp.session import McpSessions
from odyssey.endpoints.mcp.upstream import McpUpstream
from odyssey.endpoints.upstream import Answered, Forwarded, NotAnswered

EVENTS = "Content-Type: text/event-stream"


def message(**members: Any) -> bytes:
    return json.dumps({"jsonrpc": "2.0", **members}).encode()


def closed_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port: int = taken.getsockname()[1]
        return port


def test_a_server_that_is_not_there() -> None:
    url = f"http://127.0.0.1:{closed_port()}/mcp"
    answer = call(url)
    assert isinstance(answer, NotAnswered)
    assert (answer.code, answer.outcome) == ("upstream_unreachable", "not_sent")
    assert undiscoverable(url).code == "upstream_unreachable"


def test_an_address_that_is_not_allowed_is_not_connected_to() -> None:
    async def run(url: str) -> Forwarded:
        client = OutboundClient(AddressPolicy(), tls=TLS)
        sessions = McpSessions(client)
        try:
            return await McpUpstream(sessions, url, {}).call("echo", {}, session="a")
        finally:
            await sessions.close()

    with RawPeer() as decoy:
        answer = asyncio.run(run(decoy.url))
        assert isinstance(answer, NotAnswered)
        assert (answer.code, answer.outcome) == ("upstream_url_blocked", "not_sent")
        assert decoy.connects == 0


def test_a_header_that_cannot_be_sent_is_not() -> None:
    with RawPeer() as peer:
        answer = call(peer.url, headers={"X-Key": "two\nlines of canary"})
        assert isinstance(answer, NotAnswered)
        assert (answer.code, answer.outcome) == ("request_invalid", "not_sent")
        assert "canary" not in answer.message
        assert peer.connects == 0


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
@pytest.mark.parametrize(
    "method", ["server_discover", "initialize", "tools_call", "notifications_initialized"]
)
def test_a_redirect_is_not_followed(status: int, method: str) -> None:
    with RawPeer() as decoy:

        def elsewhere(exchange: Exchange) -> None:
            exchange.reply(status, b"", f"Location: {decoy.url}")

        scripts: dict[str, Any] = {method: elsewhere}
        with RawPeer(**scripts) as peer:
            answer = call(peer.url, headers={"Authorization": "Bearer canary"})
            assert peer.sent("tools/call") == (method != "initialize")
        if method in ("initialize", "tools_call"):
            assert isinstance(answer, NotAnswered)
            assert (answer.code, answer.status) == ("upstream_protocol_error", status)
            assert "redirect" in answer.message
        else:
            assert answer == Answered("done")
        assert decoy.connects == 0


def test_a_redirect_to_the_same_server_is_not_followed_either() -> None:
    with RawPeer(tools_call=lambda e: e.reply(307, b"", "Location: /mcp/")) as peer:
        answer = call(peer.url)
        assert isinstance(answer, NotAnswered)
        assert answer.status == 307
        assert peer.sent("tools/call") == 1


def _names(decoy: str) -> dict[str, Any]:
    """Every way a server could point at another host."""
    info = {"name": "x", "version": "1", "websiteUrl": decoy, "icons": [{"src": decoy}]}
    link = {"type": "resource_link", "uri": decoy, "name": "elsewhere"}
    schema = {"type": "object", "$id": decoy, "$ref": f"{decoy}#/x"}
    challenge = f'WWW-Authenticate: Bearer resource_metadata="{decoy}"'

    def listing(exchange: Exchange) -> None:
        exchange.head(200, EVENTS, f"Link: <{decoy}>; rel=preload", f"Content-Location: {decoy}")
        exchange.write(f"event: endpoint\ndata: {decoy}\n\n".encode())
        exchange.event(exchange.encoded(result={"tools": [{"name": "a", "inputSchema": schema}]}))

    def calling(exchange: Exchange) -> None:
        exchange.reply(401, b"{}", challenge, f"Refresh: 0; url={decoy}", f"Alt-Svc: h2={decoy}")

    def elicit(exchange: Exchange) -> None:
        params = {"mode": "url", "url": decoy, "message": "go", "elicitationId": "1"}
        exchange.head(200, EVENTS)
        exchange.event(message(id="e", method="elicitation/create", params=params))
        exchange.event(exchange.encoded(result={"content": [link]}))

    return {
        "initialize": lambda e: e.result(
            {**INITIALIZED, "serverInfo": info, "instructions": f"Go to {decoy}"}, challenge
        ),
        "tools_list": listing,
        "tools_call": lambda e: elicit(e) if e.message["params"]["name"] == "link" else calling(e),
    }


def test_no_host_a_server_names_is_connected_to() -> None:
    with RawPeer() as decoy, RawPeer(**_names(decoy.url)) as peer:

        async def work(upstream: McpUpstream, sessions: McpSessions) -> list[Any]:
            found = await upstream.discover()
            return [found, *[await upstream.call(name, {}, session="a") for name in ("link", "other")]]

        found, link, other = asking(peer.url, work, headers={"Authorization": "Bearer canary"})
        assert [tool.input_schema for tool in found.tools] == [OBJECT]
        assert link == Answered([{"type": "resource_link", "uri": decoy.url, "name": "elsewhere"}])
        assert other.status == 401
        assert decoy.connects == 0


def test_proxies_of_the_environment_are_ignored(monkeypatch: pytest.MonkeyPatch) -> None:
    with RawPeer() as decoy, RawPeer() as peer:
        for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY", "https_proxy"):
            monkeypatch.setenv(name, decoy.url)
        monkeypatch.delenv("no_proxy", raising=False)
        monkeypatch.delenv("NO_PROXY", raising=False)
        assert call(peer.url) == Answered("done")
        assert decoy.connects == 0


@pytest.mark.parametrize("session_id", ["with space", "ä", "x" * 5000])
def test_a_session_id_that_is_none_is_not_sent_back(session_id: str) -> None:
    with RawPeer(session_id=session_id) as peer:
        assert call(peer.url) == Answered("done")
