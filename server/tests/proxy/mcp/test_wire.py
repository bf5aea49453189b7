"""What the gateway does with messages that no good client sends, and with wires that break on purpose."""

import json
import socket
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError
from support.calls import OpenRun, StartAgent, open_run
from support.gateway import BOTH, BY_HAND, send, talk, text_of, tool_call
from support.platform import Org, Platform

LIST = {"jsonrpc": "2.0", "id": 7, "method": "tools/list"}
HELLO = {
    "jsonrpc": "2.0",
    "id": "hello",
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "by hand", "version": "1"},
    },
}
MODERN_META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "by hand", "version": "1"},
}


def raw(run: OpenRun, body: bytes, method: str = "POST", **headers: str) -> httpx.Response:
    sent = {"Authorization": f"Bearer {run.token}", "Content-Type": "application/json", **BY_HAND, **headers}
    return httpx.request(
        method, f"{run.url}/mcp", content=body, headers=sent, timeout=60, trust_env=False, verify=False
    )


def until_it_ends(run: OpenRun, message: Any) -> bytes:
    """Send one message and read whatever comes until the connection ends."""
    target = urlsplit(run.url)
    assert target.hostname is not None
    body = json.dumps(message).encode()
    lines = [
        f"POST {target.path}/mcp HTTP/1.1",
        "Host: localhost",
        f"Authorization: Bearer {run.token}",
        "Content-Type: application/json",
        *(f"{name}: {value}" for name, value in BY_HAND.items()),
        "Connection: close",
        f"Content-Length: {len(body)}",
    ]
    with socket.create_connection((target.hostname, target.port or 80), timeout=30) as connection:
        connection.sendall("\r\n".join(lines).encode() + b"\r\n\r\n" + body)
        received = b""
        while chunk := connection.recv(65536):
            received += chunk
        return received


@pytest.mark.parametrize("mode", BOTH)
@pytest.mark.parametrize("fault", ["reset", "empty", "garbage"])
def test_a_fault_breaks_the_wire_here_too(org: Org, agent_server: StartAgent, fault: str, mode: str) -> None:
    async def conversation(client: Client) -> str:
        return text_of(await client.call_tool("list_orders"))

    with open_run(org, agent_server, failure_rules=[{"fault": fault, "times": 1}]) as run:
        with pytest.raises(ExceptionGroup):  # the client takes a broken wire for its own end
            talk(run, mode, conversation)
        assert "ord_1" in talk(run, mode, conversation)
        broken, served = run.events("tool_call")
    assert (broken["data"]["source"], broken["data"]["fault"]) == ("injected", fault)
    assert served["data"]["source"] == "odyssey"


def test_each_fault_is_the_real_one(org: Org, agent_server: StartAgent) -> None:
    rules = [
        {"tool": "list_orders", "fault": "reset"},
        {"tool": "get_order", "fault": "empty"},
        {"tool": "delete_order", "fault": "garbage"},
    ]
    with open_run(org, agent_server, failure_rules=rules) as run:
        with pytest.raises(ConnectionResetError):
            until_it_ends(run, tool_call("list_orders"))
        assert until_it_ends(run, tool_call("get_order", {"order_id": "ord_1"})) == b""
        garbage = until_it_ends(run, tool_call("delete_order", {"order_id": "ord_1"}))
    assert garbage.startswith(b"HTTP/1.1 200")
    assert b"not json" in garbage


def test_latency_is_waited_for(org: Org, agent_server: StartAgent) -> None:
    with open_run(org, agent_server, failure_rules=[{"latency_ms": 300, "response": "late"}]) as run:
        answer = send(run, tool_call("list_orders"))
    assert answer.elapsed.total_seconds() >= 0.3
    assert answer.json()["result"]["content"] == [{"type": "text", "text": "late"}]


@pytest.fixture(scope="module")
def narrow(new_database: Callable[[], str]) -> Iterator[Platform]:
    platform = Platform(new_database(), rate_limit=3)
    yield platform
    platform.stop()


@pytest.mark.parametrize("mode", BOTH)
def test_calls_have_the_rate_of_calls_and_other_messages_their_own(
    narrow: Platform, agent_server: StartAgent, mode: str
) -> None:
    async def conversation(client: Client) -> MCPError:
        for _ in range(3):
            await client.call_tool("list_orders")
        with pytest.raises(MCPError) as refused:
            await client.call_tool("list_orders")
        assert len((await client.list_tools()).tools) == 5
        return refused.value

    with open_run(narrow.new_org(), agent_server) as run:
        refused = talk(run, mode, conversation)
        over_http = run.call("list_orders")
        by_hand = send(run, tool_call("list_orders", number=9))
        counted = [event["data"] for event in run.events("tool_call")][3:]
    assert (refused.code, refused.data["code"], refused.data["retryable"]) == (429, "rate_limited", True)
    assert over_http.status_code == by_hand.status_code == 429
    assert 0 < int(by_hand.headers["retry-after"]) <= 60
    assert by_hand.headers["content-type"] == "application/json"
    assert (by_hand.json()["id"], by_hand.json()["error"]["data"]["code"]) == (9, "rate_limited")
    assert counted == [{"http_status": 429, "code": "rate_limited", "count": 3}]


def test_other_messages_share_600_with_trace_events(org: Org, agent_server: StartAgent) -> None:
    with (
        open_run(org, agent_server) as run,
        httpx.Client(trust_env=False, verify=False, timeout=60) as client,
    ):
        for number in range(600):
            if number % 2:
                answer = client.post(
                    f"{run.url}/traces/thinking", json={}, headers={"X-Pipelines-Run-Token": run.token}
                )
            else:
                headers = {"X-Pipelines-Run-Token": run.token, **BY_HAND}
                answer = client.post(f"{run.url}/mcp", json=LIST, headers=headers)
            assert answer.status_code == 200, answer.text
        refused = send(run, LIST)
        assert (refused.status_code, refused.json()["id"]) == (429, 7)
        assert 0 < int(refused.headers["retry-after"]) <= 60
        assert run.post("/traces/thinking").status_code == 429
        assert send(run, tool_call("list_orders")).status_code == 200


def test_the_token_comes_before_anything_else(org: Org, other_org: Org, agent_server: StartAgent) -> None:
    messages: list[Any] = [LIST, HELLO, tool_call("list_orders"), [LIST], "text"]
    answers: list[tuple[httpx.Response, str]] = []
    with open_run(org, agent_server) as run, open_run(other_org, agent_server) as other:
        mine = run.token
        for token in (other.token, "nobody"):
            run.token = token
            answers += [(send(run, message), "run_token_invalid") for message in messages]
        run.token = mine
        assert run.events() == run.events("dispatch")
    answers += [(send(run, message), "run_token_revoked") for message in messages]
    for answer, code in answers:
        assert (answer.status_code, answer.json()["code"]) == (401, code)
        assert answer.headers["content-type"] == "application/problem+json"
        assert answer.headers["www-authenticate"] == "Bearer"


def test_a_token_lists_and_calls_the_tools_of_its_own_run(
    org: Org, other_org: Org, agent_server: StartAgent, platform: Platform
) -> None:
    theirs = {"tools_schema": [{"name": "read_mail", "input_schema": {"type": "object"}}]}
    short = f"{platform.url}/api/odyssey-proxy"
    with open_run(org, agent_server) as run, open_run(other_org, agent_server, agent=theirs) as other:
        for each, names in ((run, 5), (other, 1)):
            for base in (None, short):
                listed = send(each, LIST, base=base).json()["result"]["tools"]
                assert len(listed) == names
        assert send(other, tool_call("list_orders"), base=short).json()["error"]["code"] == -32602
        assert send(run, LIST, base=f"{short}/runs/{other.id}").status_code == 401
        assert [event["kind"] for event in run.events()] == ["dispatch", "trace_event", "trace_event"]


NOT_JSON = [b"", b"{", b'{"id": 1, "id": 2}', b'{"id": NaN}', b"\xff", b"[" * 200]


def test_what_is_not_strict_json_is_a_parse_error(org: Org, agent_server: StartAgent) -> None:
    with open_run(org, agent_server) as run:
        answers = [raw(run, body) for body in NOT_JSON]
        kept = [event["data"] for event in run.events("trace_event")]
    for answer in answers:
        assert answer.status_code == 400
        assert (answer.json()["id"], answer.json()["error"]["code"]) == (None, -32700)
        assert answer.json()["error"]["data"]["code"] == "json_invalid"
    assert {data["code"] for data in kept} == {"json_invalid"}
    assert [data["body"] for data in kept] == [body.decode("utf-8", "replace") for body in NOT_JSON]


@pytest.mark.parametrize("version", ["2025-03-26", "2025-11-25", "2026-07-28"])
def test_a_batch_is_refused_whole_and_so_is_what_has_no_id(
    org: Org, agent_server: StartAgent, version: str
) -> None:
    messages: list[Any] = [[], [LIST], [tool_call("list_orders"), LIST], "text", 5, None]
    messages += [tool_call("list_orders") | {"id": number} for number in (None, True, 1.5, [1])]
    with open_run(org, agent_server) as run:
        for message in messages:
            answer = raw(run, json.dumps(message).encode(), **{"MCP-Protocol-Version": version})
            assert (answer.status_code, answer.json()["error"]["code"]) == (400, -32600)
        assert run.events("tool_call") == []
        assert len(run.events("trace_event")) == len(messages)


WRONG: list[dict[str, Any]] = [
    {},
    {"jsonrpc": "1.0", "id": 1, "method": "tools/list"},
    {"jsonrpc": "2.0", "id": 1, "method": 5},
    {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": [1]},
    {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"cursor": 5}},
    {"jsonrpc": "2.0", "id": 1, "method": "no/such"},
    {"jsonrpc": "2.0", "id": 1, "method": "x" * 5000},
    {"jsonrpc": "2.0", "id": 1, "method": "resources/list"},
    {"jsonrpc": "2.0", "id": 1, "method": "subscriptions/listen", "params": {"notifications": {}}},
    {"jsonrpc": "2.0", "id": 1, "method": "logging/setLevel", "params": {"level": "debug"}},
    {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {}},
    tool_call(None),
    tool_call(5),
    tool_call("list_orders", [1]),
    tool_call("list_orders", "text"),
    {"jsonrpc": "2.0", "id": 1, "method": "tools/call"},
    {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": "x"},
]


@pytest.mark.parametrize("version", ["2025-11-25", "2026-07-28", "1999-01-01"])
def test_a_message_that_is_wrong_gets_an_error_and_is_kept(
    org: Org, agent_server: StartAgent, version: str
) -> None:
    with open_run(org, agent_server) as run:
        answers = [send(run, message, **{"MCP-Protocol-Version": version}) for message in WRONG]
        assert run.events("tool_call") == []
        kept = [event["data"]["payload"] for event in run.events("trace_event")]
        assert send(run, tool_call("list_orders")).json()["result"]["isError"] is False
    for message, answer, payload in zip(WRONG, answers, kept, strict=True):
        assert answer.status_code < 500, message
        assert answer.content, message
        error = answer.json()["error"]
        assert error["code"] < 0, (message, answer.text)
        method = message.get("method")
        assert payload["method"] == (method[:128] if isinstance(method, str) else None)
        assert payload["error"] == {"code": error["code"], "message": error["message"]}


NAMES = ["", "no\u0000tool", "get_order\n", "../get_order", "x" * 100_000, "é"]


def test_any_name_is_only_a_name(org: Org, agent_server: StartAgent) -> None:
    with open_run(org, agent_server) as run:
        answers = [send(run, tool_call(name)).json() for name in NAMES]
        names = [event["data"]["tool_name"] for event in run.events("tool_call")]
    assert {answer["error"]["data"]["code"] for answer in answers} == {"tool_unknown"}
    assert names == [name[:128] for name in NAMES]


def test_arguments_arrive_as_they_were_written(org: Org, agent_server: StartAgent) -> None:
    body = b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"create_order","arguments":%s}}'
    arguments = b'{"status" : "n\\u0065w", "total": 1.50, "big": 9007199254740993}'
    with open_run(org, agent_server) as run:
        assert raw(run, body % arguments).json()["result"]["isError"] is False
        assert (
            raw(run, body % b"null").json()["result"]["isError"] is True
        )  # status is missing, not the object
        created, empty = run.events("tool_call")
    assert created["data"]["arguments"] == {"status": "new", "total": 1.5, "big": 9007199254740993}
    assert empty["data"]["arguments"] == {}


def test_a_notification_is_accepted_and_nobody_answers(org: Org, agent_server: StartAgent) -> None:
    call = tool_call("list_orders")
    del call["id"]
    with open_run(org, agent_server) as run:
        for message in (
            call,
            {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}},
        ):
            for version in ("2025-11-25", "2026-07-28"):
                answer = send(run, message, **{"MCP-Protocol-Version": version})
                assert (answer.status_code, answer.content) == (202, b"")
        assert run.events("tool_call") == []
        assert len(run.events("trace_event")) == 4


def test_a_header_of_the_new_protocol_must_agree_with_the_message(org: Org, agent_server: StartAgent) -> None:
    call = tool_call("list_orders")
    call["params"]["_meta"] = MODERN_META
    version = {"MCP-Protocol-Version": "2026-07-28"}
    with open_run(org, agent_server) as run:
        good = send(run, call, **version, **{"Mcp-Method": "tools/call", "Mcp-Name": "list_orders"})
        bad = send(run, call, **version, **{"Mcp-Method": "tools/call", "Mcp-Name": "get_order"})
        assert len(run.events("tool_call")) == 1
    assert good.json()["result"]["isError"] is False
    assert (bad.status_code, bad.json()["error"]["code"]) == (400, -32020)


def test_size_and_kind_of_the_body(org: Org, agent_server: StartAgent) -> None:
    large = json.dumps(tool_call("create_order", {"status": "x" * 1024 * 1024})).encode()
    fits = json.dumps(tool_call("create_order", {"status": "x" * (1024 * 1024 - 200)})).encode()
    with open_run(org, agent_server) as run:
        refused = [
            raw(run, large),
            raw(run, b"{}", **{"Content-Type": "text/plain"}),
            raw(run, b"{}", **{"Content-Encoding": "gzip"}),
            raw(run, b"", "GET"),
            raw(run, b"", "DELETE"),
        ]
        assert raw(run, fits).json()["result"]["isError"] is False
        counted = [event["data"]["code"] for event in run.events("trace_event")]
    assert [answer.status_code for answer in refused] == [413, 415, 415, 405, 405]
    assert {answer.headers["content-type"] for answer in refused} == {"application/problem+json"}
    assert refused[3].headers["allow"] == "POST"
    assert counted == ["body_too_large", "unsupported_media_type"]


def test_a_bad_actor_label_is_refused(org: Org, agent_server: StartAgent) -> None:
    label = {"X-Pipelines-Actor-Id": "a//b"}
    with open_run(org, agent_server) as run:
        listed, called = send(run, LIST, **label), send(run, tool_call("list_orders"), **label)
        (message,) = run.events("trace_event")
        (call,) = run.events("tool_call")
    assert (listed.status_code, listed.json()["error"]["code"]) == (400, 400)
    assert called.json()["error"]["data"]["code"] == "actor_id_invalid"
    assert message["data"]["code"] == call["data"]["code"] == "actor_id_invalid"


def test_a_run_that_ends_during_a_call_answers_401(org: Org, agent_server: StartAgent) -> None:
    """The token dies while the call waits to be recorded."""
    with open_run(org, agent_server) as run:
        assert send(run, LIST).status_code == 200
        org.ok(org.post(f"/api/runs/{run.id}/cancel"))
        for message in (LIST, HELLO, tool_call("list_orders")):
            answer = send(run, message)
            assert (answer.status_code, answer.json()["code"]) == (401, "run_token_revoked")


@pytest.mark.parametrize(("host", "status"), [("localhost", 200), ("evil.example", 421)])
def test_hosts_are_checked_by_us_alone(org: Org, agent_server: StartAgent, host: str, status: int) -> None:
    with open_run(org, agent_server) as run:
        answer = send(run, LIST, Host=host, Origin="http://anywhere.example")
    assert answer.status_code == status
