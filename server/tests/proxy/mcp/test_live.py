"""Live tools over the gateway: what stands behind a tool is nothing an MCP client can see."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from mcp import Client
from support.calls import StartAgent, open_run
from support.gateway import BOTH, talk, text_of
from support.live_shop import LiveShop, Reply, Request, agent_of, live, order_of
from support.mcp_peers import SdkPeer, text
from support.platform import Org


def shop(request: Request) -> Any:
    if request.order_id == "missing":
        return Reply(b'{"error": "no such order"}', 404)
    if request.order_id == "down":
        return Reply(b"no", 503)
    return "in words" if request.order_id == "words" else order_of(request)


@pytest.fixture
def live_shop() -> Iterator[LiveShop]:
    served = LiveShop(shop)
    yield served
    served.stop()


@pytest.fixture
def peer() -> Iterator[SdkPeer]:
    served = SdkPeer({"look": lambda context, arguments: text("no", is_error="no" in arguments["order_id"])})
    yield served
    served.stop()


@pytest.mark.parametrize("mode", BOTH)
def test_a_live_answer_arrives_as_it_was_given(
    org: Org, agent_server: StartAgent, live_shop: LiveShop, peer: SdkPeer, mode: str
) -> None:
    live_shop.register(org)
    body = {"name": "looks", "type": "mcp_server", "config": {"url": peer.url, "auth": {"type": "none"}}}
    assert org.ok(org.post("/api/tool-endpoints", body))["tool_count"] == 1
    tools = agent_of(live("get_order", "readOrder"), live("look", "look", "looks"))

    async def conversation(client: Client) -> list[Any]:
        orders = ("ord_7", "words", "missing", "down")
        answers = [await client.call_tool("get_order", {"order_id": order}) for order in orders]
        return answers + [await client.call_tool("look", {"order_id": order}) for order in ("yes", "no")]

    with open_run(org, agent_server, agent=tools) as run:
        order, words, missing, down, yes, no = talk(run, mode, conversation)
        events = [event["data"] for event in run.events("tool_call")]
    assert order.structured_content == {"id": "ord_7", "state": "shipped", "amount": 79.5}
    assert text_of(words) == "in words"
    assert json.loads(text_of(missing)) == {"error": "no such order"}
    assert json.loads(text_of(down))["error"]["code"] == "upstream_5xx"
    assert [r.is_error for r in (order, words, missing, down, yes, no)] == [
        False,
        False,
        True,
        True,
        False,
        True,
    ]
    assert [data["source"] for data in events] == ["passthrough"] * 3 + ["transport_error"] + [
        "passthrough"
    ] * 2
    assert [request.order_id for request in live_shop.asked] == ["ord_7", "words", "missing", "down"]
    assert len(peer.calls) == 2
