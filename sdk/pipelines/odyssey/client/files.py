"""What may be uploaded as rows or entities: a file, the bytes of a table, objects, or bytes with their type."""

import json
from collections.abc import Iterable, Mapping
from os import PathLike
from pathlib import Path
from typing import Any

from pipelines.odyssey.client.requests import Upload

Rows = str | PathLike[str] | bytes | Upload | Iterable[Mapping[str, Any]]
"""The path of a .csv or .json file, CSV as bytes, bytes that say what they are, or objects."""

CSV = "text/csv"
JSON = "application/json"


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
