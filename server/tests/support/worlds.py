"""Named worlds in tests."""

from typing import Any

import httpx
from support.platform import WORLD, Org


def new_world(org: Org, **members: Any) -> dict[str, Any]:
    body = {"name": "shop", "initial_state": WORLD, **members}
    world: dict[str, Any] = org.ok(org.post("/api/worlds", body))
    return world


def read_world(org: Org, world: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = org.ok(org.get(f"/api/worlds/{world['id']}"))
    return found


def edit_world(org: Org, world: dict[str, Any], *operations: Any, **options: Any) -> httpx.Response:
    body = {"operations": list(operations), "hash": world["hash"]}
    return org.post(f"/api/worlds/{world['id']}/operations", body, **options)


def import_csv(org: Org, world: dict[str, Any], table: str | bytes, **query: Any) -> httpx.Response:
    return org.client.post(
        f"/api/worlds/{world['id']}/import",
        content=table.encode() if isinstance(table, str) else table,
        params={"entity_type": "order", **query},
        headers={"Content-Type": "text/csv"},
    )


def import_json(org: Org, world: dict[str, Any], rows: Any, **query: Any) -> httpx.Response:
    return org.post(f"/api/worlds/{world['id']}/import", rows, params={"entity_type": "order", **query})


def errors(answer: httpx.Response) -> list[tuple[list[Any], str]]:
    """Place and message of each fault of a refused request."""
    assert answer.status_code == 422, answer.text
    return [(fault["loc"], fault["msg"]) for fault in answer.json()["errors"]]
