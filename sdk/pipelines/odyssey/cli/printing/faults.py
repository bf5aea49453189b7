"""Faults of a table for the person who mends it: row, column, and what to do."""

from collections.abc import Mapping, Sequence
from typing import Any

from pipelines.odyssey.cli.printing.screen import Screen

Fault = Mapping[str, Any]
"""`{loc, msg}`, as the API gives it."""


def print_faults(screen: Screen, kinds: Mapping[str, Sequence[Fault]]) -> None:
    """Print faults of several kinds in one table."""
    rows = [("", "row", "column", "message")]
    for kind, faults in kinds.items():
        rows += [(kind, *_place(fault["loc"]), str(fault["msg"])) for fault in faults]
    if len(rows) > 1:
        screen.table(rows)


def are_about_rows(faults: Sequence[Fault]) -> bool:
    places = [fault.get("loc") for fault in faults]
    return bool(places) and all(isinstance(loc, list) and loc[:1] in (["rows"], ["header"]) for loc in places)


def _place(loc: Sequence[str | int]) -> tuple[str, str]:
    """Return the row from 0, and the column with the place within its JSON: `checks[0].called`."""
    match list(loc):
        case ["rows", int() as row, *path]:
            return str(row), _path(path)
        case ["header", *path]:
            return "header", _path(path)
        case path:
            return "", _path(path)


def _path(steps: Sequence[str | int]) -> str:
    said = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in steps)
    return said.removeprefix(".")
