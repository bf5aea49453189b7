"""How large a body may be: every operation against the table of the wire contract, by length and by counting."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import pytest
from api.surface import MISSING
from support.datasets import post_csv
from support.platform import Org, Platform

MIB = 1024 * 1024
CAPS = {
    "/api/agents": 2,
    "/api/tool-endpoints": 2,
    "/api/worlds": 16,
    "/api/runs": 16,
    "/api/v1/eval/scenarios": 16,
    "/api/datasets": 64,
}
"""In MiB, by the beginning of the address; everything else 1 (wire-contract.md#e1)."""
PROXY = "/api/odyssey-proxy"
"""Counts for itself, behind its token: `test_proxy_http.py` and `mcp/test_wire.py` have it."""
OPENAPI = json.loads((Path(__file__).parents[3] / "openapi.json").read_text("utf-8"))


class Sent(NamedTuple):
    method: str
    path: str
    media_type: str | None

    @property
    def cap(self) -> int:
        within = [cap for prefix, cap in CAPS.items() if f"{self.path}/".startswith(prefix + "/")]
        return MIB * (within[0] if within else 1)


def operations(**ids: object) -> Iterator[tuple[Sent, dict[str, Any]]]:
    for path, item in OPENAPI["paths"].items():
        if not path.startswith(PROXY):
            for method, operation in item.items():
                content = operation.get("requestBody", {}).get("content", {})
                yield Sent(method.upper(), path.format(**MISSING | ids), next(iter(content), None)), operation


async def answer(
    platform: Platform, org: Org, sent: Sent, parts: list[bytes], length: int | None
) -> tuple[int, dict[str, Any]]:
    """Ask the application as uvicorn does, without a socket: what is refused need not be sent in full."""
    headers = [(b"host", b"localhost"), (b"authorization", f"Bearer {org.api_key}".encode())]
    if sent.media_type is not None:
        headers.append((b"content-type", sent.media_type.encode()))
    if length is not None:
        headers.append((b"content-length", str(length).encode()))
    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": sent.method,
        "scheme": "http",
        "path": sent.path,
        "raw_path": sent.path.encode(),
        "query_string": b"name=x&entity_type=order" if sent.method in ("POST", "PUT") else b"",
        "root_path": "",
        "headers": headers,
        "client": ("127.0.0.1", 1),
        "server": ("localhost", 80),
    }
    coming = ({"type": "http.request", "body": part, "more_body": True} for part in parts)
    said: list[Any] = []

    async def receive() -> Any:
        return next(coming)

    async def send(message: Any) -> None:
        said.append(message)

    await platform.front(scope, receive, send)
    body = b"".join(message.get("body", b"") for message in said[1:])
    return said[0]["status"], json.loads(body or b"{}")


def test_a_length_above_the_cap_of_its_route_is_refused_before_anything_is_read(
    platform: Platform, org: Org
) -> None:
    for sent, _ in operations():
        status, problem = platform.do(answer(platform, org, sent, [], sent.cap + 1))
        assert (status, problem["code"]) == (413, "body_too_large"), sent
        assert f"at most {sent.cap // MIB} MiB ({sent.cap} bytes)" in problem["detail"], sent


def test_a_body_that_says_no_length_is_counted(platform: Platform, org: Org) -> None:
    part = bytes(MIB)
    dataset = org.ok(post_csv(org, "user\nDo it.\n"))  # these two are looked up before the body is read
    world = org.ok(org.post("/api/worlds", {"name": "empty"}))
    for sent, operation in operations(dataset_id=dataset["id"], world_id=world["id"]):
        if "requestBody" in operation:
            parts = [part] * (sent.cap // MIB) + [b"x"]
            status, problem = platform.do(answer(platform, org, sent, parts, None))
            assert (status, problem["code"]) == (413, "body_too_large"), (sent, problem)


@pytest.mark.parametrize("over", [0, 1])
def test_a_body_of_exactly_the_cap_is_read(org: Org, over: int) -> None:
    """An org's name has at most 255 characters, so what is read is 422 and not 413."""
    body = b'{"name": "' + b"x" * (MIB - 12 + over) + b'"}'

    announced = org.client.put("/api/org", content=body, headers={"Content-Type": "application/json"})
    counted = org.client.put("/api/org", content=iter([body]), headers={"Content-Type": "application/json"})
    assert [announced.status_code, counted.status_code] == [413 if over else 422] * 2


def test_the_openapi_document_says_every_cap() -> None:
    for sent, operation in operations():
        if "requestBody" in operation:
            assert operation["requestBody"]["description"] == f"At most {sent.cap // MIB} MiB.", sent


def test_a_body_may_be_as_large_as_a_world_in_a_seed(org: Org) -> None:
    entities = {f"o{number:06}": {"note": "x" * 80} for number in range(20_000)}
    answered: httpx.Response = org.post(
        "/api/worlds", {"name": "large", "initial_state": {"order": entities}}
    )
    assert org.ok(answered)["entity_counts"] == {"order": 20_000}
