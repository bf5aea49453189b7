"""Where a SQLite database is."""

from pathlib import Path


def sqlite_file(url: str) -> Path:
    return Path(url.partition(":///")[2])
