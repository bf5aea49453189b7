"""Thousands of generated bad requests: never a 5xx, never a broken connection, and the next good one is served."""

import http.client
import random
from collections import Counter
from collections.abc import Callable, Iterator
from urllib.parse import urlsplit

import pytest
from support.agents import Behaviour, ScriptedAgent
from support.calls import OpenRun, open_run
from support.platform import Org, Platform

NAMES = [
    "get_order", "list_orders", "create_order", "no_such_tool", "", "..", "%2e%2e", "a%2Fb", "%00", "x" * 200, "a b",
    "__reachability_probe__", "get_order%0d%0a", "%c3%a9", "get_order;x=1", "get_order?x=1",
]  # fmt: skip
ROOTS = [
    "/tools/", "/traces/", "/runs/{run}/tools/", "/runs/{run}/traces/", "/runs/x/tools/", "/runs//tools/", "/mcp/", "/",
]  # fmt: skip
TYPES = ["thinking", "custom", "handoff", "message", "Thinking"]
ACTORS = ["supervisor", "a/b/c", "a//b", "", " ", "x" * 65, "a/" * 9 + "a", "\u00ff", "a\tb"]
BODIES: list[bytes] = [
    b"", b"{", b"{}", b"[]", b"null", b"0", b'"x"', b"NaN", b'{"order_id": NaN}', b'{"order_id": 1e999}', b"\xff\xfe",
    b'{"order_id": "a", "order_id": "b"}', b'{"order_id": "\\ud800"}', b"[" * 101 + b"]" * 101, b"[" * 60_000,
    b'{"order_id": ' + b"9" * 5000 + b"}", b'{"order_id": "\\u0000"}', b'{"__occurred_at": "never"}',
    b'{"status": null, "total": "1"}', b"\xef\xbb\xbf{}", b"{}" * 3, b'{"order_id": "' + b"x" * 70_000 + b'"}',
]  # fmt: skip
METHODS = ["POST"] * 12 + ["GET", "PUT", "DELETE", "PATCH", "OPTIONS", "HEAD"]


@pytest.fixture(scope="module")
def unlimited(new_database: Callable[[], str]) -> Iterator[Platform]:
    platform = Platform(new_database(), rate_limit=10**9)
    yield platform
    platform.stop()


def mutated(draw: random.Random, body: bytes) -> bytes:
    """Change, drop or double a few bytes."""
    changed = bytearray(body[:2000])
    for _ in range(draw.randint(1, 4)):
        position = draw.randrange(len(changed) + 1)
        changed[position : position + draw.randint(0, 2)] = draw.randbytes(draw.randint(0, 2))
    return bytes(changed)


def bad_request(draw: random.Random, run: OpenRun) -> tuple[str, str, bytes, dict[str, str]]:
    root = draw.choice(ROOTS).replace("{run}", str(run.id))
    name = draw.choice(TYPES if "traces" in root else NAMES)
    body = draw.choice(BODIES)
    if draw.random() < 0.5:
        body = mutated(draw, body)
    token = (
        run.token
        if draw.random() < 0.8
        else draw.choice(["", "x", run.token[:-1], run.token + "x", "\u00e9"])
    )
    headers = draw.choice([{"Authorization": f"Bearer {token}"}, {"X-Pipelines-Run-Token": token}, {}])
    if draw.random() < 0.2:
        headers = {**headers, "X-Pipelines-Actor-Id": draw.choice(ACTORS)}
    if draw.random() < 0.1:
        headers = {**headers, "Content-Encoding": draw.choice(["gzip", "identity", "br"])}
    return draw.choice(METHODS), f"/api/odyssey-proxy{root}{name}".replace(" ", "%20"), body, headers


@pytest.mark.parametrize("requests", [1500, pytest.param(10_000, marks=pytest.mark.full)])
def test_no_bad_request_is_answered_with_a_5xx(
    unlimited: Platform, agent_server: Callable[[Behaviour], ScriptedAgent], requests: int
) -> None:
    org: Org = unlimited.new_org()
    draw = random.Random(20261115)
    seen: Counter[int] = Counter()
    with open_run(org, agent_server) as run:
        target = urlsplit(run.url)
        assert target.hostname is not None
        connection = http.client.HTTPConnection(target.hostname, target.port, timeout=60)
        for _ in range(requests):
            method, path, body, headers = bad_request(draw, run)
            connection.request(method, path, body, headers)
            answer = connection.getresponse()
            text = answer.read()
            assert answer.status < 500, (method, path, body[:200], headers, text)
            if answer.status >= 400 and method != "HEAD":
                assert answer.getheader("content-type") == "application/problem+json", (method, path, text)
            seen[answer.status] += 1
        connection.close()
        assert run.call("list_orders").status_code == 200
        recorded = run.events()
    assert {200, 400, 401, 404, 405, 422} <= set(seen)
    assert [event["sequence"] for event in recorded] == list(range(1, len(recorded) + 1))
