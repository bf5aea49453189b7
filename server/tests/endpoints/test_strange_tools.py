"""Tools that no honest server has: kept, left out with a note, or a discovery that failed; never our own failure."""

import json
from typing import Any

import pytest
from support.endpoints import PATH, discover
from support.mcp_peers import Exchange, RawPeer
from support.platform import Org

NESTED: dict[str, Any] = {"type": "object"}
for _ in range(120):
    NESTED = {"type": "object", "properties": {"x": NESTED}}

LISTS = {
    "a huge integer": json.dumps([{"name": "a", "inputSchema": {"type": "object", "maxProperties": 2**70}}]),
    "a huge default": json.dumps([{"name": "a", "inputSchema": {"type": "object", "default": 2**70}}]),
    "a float beyond range": '[{"name": "a", "inputSchema": {"type": "object", "default": 1e400}}]',
    "NaN": '[{"name": "a", "inputSchema": {"type": "object", "default": NaN}}]',
    "Infinity": '[{"name": "a", "inputSchema": {"type": "object", "default": -Infinity}}]',
    "a lone surrogate as name": r'[{"name": "\ud800", "inputSchema": {"type": "object"}}]',
    "a lone surrogate inside": r'[{"name": "a", "inputSchema": {"type": "object", "title": "\udfff"}}]',
    "a lone surrogate as description": r'[{"name": "a", "description": "\ud800", "inputSchema": {"type": "object"}}]',
    "NUL": r'[{"name": "a\u0000b", "description": "\u0000", "inputSchema": {"type": "object"}}]',
    "a long name": json.dumps([{"name": "x" * 100_000, "inputSchema": {"type": "object"}}]),
    "no name": '[{"inputSchema": {"type": "object"}}]',
    "no list": '{"name": "a"}',
    "too deep": json.dumps([{"name": "a", "inputSchema": NESTED}]),
    "a schema that is none": '[{"name": "a", "inputSchema": {"type": "objekt"}}]',
    "a remote reference": '[{"name": "a", "inputSchema": {"type": "object", "$ref": "http://127.0.0.1:9/x"}}]',
}


@pytest.mark.parametrize("name", LISTS)
def test_a_strange_list_is_no_failure_of_ours(org: Org, name: str) -> None:
    def answer(exchange: Exchange) -> None:
        raw = '{"jsonrpc": "2.0", "id": %s, "result": {"tools": %s}}'
        exchange.reply(200, (raw % (json.dumps(exchange.message["id"]), LISTS[name])).encode())

    peer = RawPeer(tools_list=answer)
    saved = org.post(PATH, {"name": "strange", "type": "mcp_server", "config": {"url": peer.url}})
    assert saved.status_code == 201, saved.text
    made = saved.json()
    assert made["discovery_error"] or made["tool_count"] or made["notes"]
    again = discover(org, made)
    assert (again["tools"], again["notes"]) == (made["tools"], made["notes"])
    assert again["drift"] is None
    assert len(org.ok(org.get(PATH))["items"]) == 1
    peer.stop()
