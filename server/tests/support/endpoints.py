"""Acting on tool endpoints and credentials as an admin does."""

from typing import Any

import httpx
from support.live_shop import DOCUMENT, LiveShop, Request, order_of
from support.platform import Org

PATH = "/api/tool-endpoints"
UNREACHABLE = "http://127.0.0.1:9"


def create(org: Org, body: dict[str, Any]) -> dict[str, Any]:
    made: dict[str, Any] = org.ok(org.post(PATH, body))
    return made


def change(org: Org, endpoint: dict[str, Any], **members: Any) -> httpx.Response:
    return org.put(f"{PATH}/{endpoint['id']}", members)


def read(org: Org, endpoint: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = org.ok(org.get(f"{PATH}/{endpoint['id']}"))
    return found


def discover(org: Org, endpoint: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = org.ok(org.post(f"{PATH}/{endpoint['id']}/discover"))
    return found


def tried(
    org: Org, endpoint: dict[str, Any], tool_name: str = "readOrder", **arguments: Any
) -> dict[str, Any]:
    """What a call by hand gets, without the time it took."""
    body = {"tool_name": tool_name, "arguments": arguments or {"order_id": "ord_1"}}
    answer: dict[str, Any] = org.ok(org.post(f"{PATH}/{endpoint['id']}/call", body))
    assert answer.pop("latency_ms") >= 0
    return answer


def failure_of(answer: dict[str, Any]) -> tuple[str, str]:
    """Code and outcome of a call that did not get through."""
    assert answer["source"] == "transport_error"
    error = answer["response"]["error"]
    return error["code"], error["outcome"]


def bearer(secret: str | None = None, credential: str | None = None) -> dict[str, Any]:
    given = {"secret": secret, "credential": credential}
    return {"type": "bearer"} | {member: value for member, value in given.items() if value is not None}


class DocumentHost:
    """A behaviour of a shop that hosts its own OpenAPI document, which may become anything, and speaks no MCP."""

    def __init__(self, document: Any = None) -> None:
        self.document = DOCUMENT if document is None else document

    def __call__(self, request: Request) -> Any:
        if request.path == "/openapi.json":
            return self.document
        return {} if request.path == "/mcp" else order_of(request)


def asked_at(shop: LiveShop, path: str) -> list[str | None]:
    """The Authorization header of every request to a path."""
    return [request.headers.get("authorization") for request in shop.asked if request.path == path]
