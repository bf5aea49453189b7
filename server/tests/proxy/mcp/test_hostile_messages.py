"""Hundreds of generated messages: never a 5xx, never a broken connection, and the next good one is served."""

import http.client
import json
import random
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import urlsplit

import pytest
from support.calls import StartAgent, open_run
from support.gateway import BY_HAND, send, tool_call
from support.platform import Platform

MESSAGES = 600

VALUES: list[Any] = [
    None, True, 0, -1, 1.5, 2**53, "", "x", "tools/call", "2.0", [], [1], {}, {"a": 1}, "get_order", "list_orders",
    {"name": "list_orders"}, {"order_id": "ord_1"}, "\u0000", "é" * 50, "notifications/initialized", "2026-07-28",
    {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}},
]  # fmt: skip
METHODS = [
    "initialize", "ping", "tools/list", "tools/call", "prompts/list", "resources/read", "server/discover",
    "subscriptions/listen", "completion/complete", "logging/setLevel", "notifications/initialized",
    "notifications/cancelled", "notifications/progress", "tasks/get", "x", "",
]  # fmt: skip
MEMBERS = ["jsonrpc", "id", "method", "params", "result", "error", "x"]
PARAMS = [
    "name",
    "arguments",
    "cursor",
    "protocolVersion",
    "capabilities",
    "clientInfo",
    "_meta",
    "uri",
    "requestId",
]
VERSIONS = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28", "2099-01-01", "x", ""]
ACCEPTS = [
    "application/json",
    "*/*",
    "text/event-stream",
    "application/json, text/event-stream",
    "text/html",
    "",
]


@pytest.fixture(scope="module")
def unlimited(new_database: Callable[[], str]) -> Iterator[Platform]:
    platform = Platform(new_database(), rate_limit=10**9)
    yield platform
    platform.stop()


def message(draw: random.Random) -> Any:
    params = {name: draw.choice(VALUES) for name in draw.sample(PARAMS, draw.randint(0, 4))}
    made: dict[str, Any] = {
        "jsonrpc": "2.0",
        "id": draw.randint(1, 9),
        "method": draw.choice(METHODS),
        "params": params,
    }
    for member in draw.sample(MEMBERS, draw.randint(0, 2)):
        if draw.random() < 0.5:
            made.pop(member, None)
        else:
            made[member] = draw.choice(VALUES)
    return made


def headers(draw: random.Random, sent: Any) -> dict[str, str]:
    made = {"Content-Type": "application/json", **BY_HAND, "MCP-Protocol-Version": draw.choice(VERSIONS)}
    if draw.random() < 0.3:
        made["Accept"] = draw.choice(ACCEPTS)
    if draw.random() < 0.5:
        made |= {"Mcp-Method": str(sent.get("method")).encode("latin-1", "replace").decode("latin-1")}
    if draw.random() < 0.2:
        made |= {"Mcp-Session-Id": "x", "Last-Event-ID": "1", "Origin": "null", "Mcp-Name": "list_orders"}
    return {name: value.replace("\u0000", "0") for name, value in made.items()}


def test_no_message_is_answered_with_a_5xx(unlimited: Platform, agent_server: StartAgent) -> None:
    draw = random.Random(20261115)
    seen: Counter[int] = Counter()
    with open_run(unlimited.new_org(), agent_server) as run:
        target = urlsplit(run.url)
        assert target.hostname is not None
        connection = http.client.HTTPConnection(target.hostname, target.port, timeout=60)
        for number in range(MESSAGES):
            sent = message(draw)
            body = json.dumps(sent).encode()
            if draw.random() < 0.2:
                cut = draw.randrange(len(body))
                body = body[:cut] + draw.randbytes(1) + body[cut + draw.randint(0, 2) :]
            token = {"X-Pipelines-Run-Token": run.token}
            connection.request("POST", f"{target.path}/mcp", body, headers(draw, sent) | token)
            answer = connection.getresponse()
            said = answer.read()
            assert answer.status < 500, (number, body, said)
            if answer.status != 202:
                assert json.loads(said)["jsonrpc"] == "2.0", (number, body, said)
            seen[answer.status] += 1
        connection.close()
        assert send(run, tool_call("list_orders")).json()["result"]["isError"] is False
        recorded = run.events()
    assert set(seen) == {200, 202, 400, 406}, seen
    assert [event["sequence"] for event in recorded] == list(range(1, len(recorded) + 1))
    assert len(recorded) == MESSAGES + 2  # the dispatch and the last call
