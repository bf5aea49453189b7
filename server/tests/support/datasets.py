"""Datasets in tests."""

import json
from typing import Any

import httpx
from support.platform import Org

CSV = {"Content-Type": "text/csv"}


def table(*rows: dict[str, Any], columns: list[str] | None = None) -> str:
    """A CSV table of rows by column; what is no text is written as JSON."""
    names = columns or list(dict.fromkeys(name for row in rows for name in row))
    lines = [",".join(names)]
    for row in rows:
        cells = (row.get(name, "") for name in names)
        texts = (cell if isinstance(cell, str) else json.dumps(cell) for cell in cells)
        lines.append(",".join('"' + text.replace('"', '""') + '"' for text in texts))
    return "\r\n".join(lines) + "\r\n"


def post_csv(
    org: Org, content: str | bytes, path: str = "", *, name: str | None = "orders", **options: Any
) -> httpx.Response:
    headers = CSV | options.pop("headers", {})
    params = ({"name": name} if name and not path else {}) | options.pop("params", {})
    body = content.encode() if isinstance(content, str) else content
    return org.client.post(f"/api/datasets{path}", content=body, headers=headers, params=params, **options)


def post_json(org: Org, rows: Any, path: str = "", *, name: str = "orders", **options: Any) -> httpx.Response:
    params = ({} if path else {"name": name}) | options.pop("params", {})
    return org.post(f"/api/datasets{path}", rows, params=params, **options)


def rows_of(org: Org, dataset: dict[str, Any]) -> list[dict[str, Any]]:
    """All rows of a dataset, page by page."""
    return [row for page in org.pages(f"/api/datasets/{dataset['id']}/rows") for row in page]


def values_of(org: Org, dataset: dict[str, Any]) -> list[dict[str, Any]]:
    return [row["values"] for row in rows_of(org, dataset)]


def lint(org: Org, content: str | bytes, **params: Any) -> dict[str, Any]:
    found: dict[str, Any] = org.ok(post_csv(org, content, "/lint", params=params))
    return found
