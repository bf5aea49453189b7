"""What is asked: one request as a value, built once and sent as often as it is tried, and what may be uploaded."""

import json
import re
from collections.abc import Iterable, Mapping
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote
from uuid import uuid4

CSV = "text/csv"
JSON = "application/json"
QUICK_S = 60.0
LONG_S = 900.0
"""For what the platform reads or counts row by row before it answers."""
SILENCE_S = 45.0
"""For a stream of events, which says something every quarter of a minute."""

_SECRETS = re.compile(r"/api/(auth/(password|session|token)|credentials|keys|tool-endpoints/[^/]+/call)")
"""Routes that give or take a secret keep no answers, and so refuse an `Idempotency-Key`."""


class Upload(NamedTuple):
    """Bytes to send as they are."""

    content: bytes
    media_type: str


Rows = str | PathLike[str] | bytes | Upload | Iterable[Mapping[str, Any]]
"""The path of a .csv or .json file, CSV as bytes, bytes that say what they are, or objects."""


class Ask(NamedTuple):
    method: str
    path: str
    query: Mapping[str, Any]
    headers: Mapping[str, str]
    content: bytes | None
    timeout_s: float | None
    """None is the client's own."""

    def __repr__(self) -> str:
        """Name it without what it carries, which may be a secret."""
        return f"Ask({self.method} {self.path})"

    @property
    def is_repeatable(self) -> bool:
        """Whether it may be sent again although it may have arrived."""
        return self.method == "GET" or "Idempotency-Key" in self.headers


def ask(
    method: str,
    path: str,
    *parts: object,
    query: Mapping[str, Any] | None = None,
    body: Upload | Mapping[str, Any] | None = None,
    key: str | None = None,
    timeout_s: float | None = None,
) -> Ask:
    """Fill the places of the path; every POST whose answer is kept has a key of its own, which its repeats share."""
    where = path.format(*(quote(str(part), safe="") for part in parts)) if parts else path
    headers = {}
    if method == "POST" and takes_key(where):
        headers["Idempotency-Key"] = key or str(uuid4())
    content = None
    if isinstance(body, Upload):
        content, headers["Content-Type"] = body
    elif body is not None:
        content, headers["Content-Type"] = _encoded(body), "application/json"
    given = {name: value for name, value in (query or {}).items() if value is not None}
    return Ask(method, where, given, headers, content, timeout_s)


def takes_key(path: str) -> bool:
    """Whether a POST to this path may carry an `Idempotency-Key`."""
    return _SECRETS.fullmatch(path) is None


def _encoded(body: Mapping[str, Any]) -> bytes:
    return json.dumps(body, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()


def upload_of(rows: Rows) -> Upload:
    """Return what to send; a file that is not named .json is taken for CSV."""
    if isinstance(rows, Upload):
        return rows
    if isinstance(rows, bytes):
        return Upload(rows, CSV)
    if isinstance(rows, str | PathLike):
        path = Path(rows)
        return Upload(path.read_bytes(), JSON if path.suffix.lower() == ".json" else CSV)
    return Upload(json.dumps(list(rows), ensure_ascii=False, allow_nan=False).encode(), JSON)


def name_of(rows: Rows, name: str | None) -> str:
    """Return the name that is given, else the file's."""
    if name is not None:
        return name
    if isinstance(rows, str | PathLike):
        return Path(rows).stem
    raise TypeError("upload() needs name= when the rows do not come from a file")
