"""Faults of a table for the person who mends it: row, column, and what to do."""

from collections.abc import Mapping, Sequence
from typing import Any

from pipelines.odyssey.cli.printing.screen import Screen, many
from pipelines.odyssey.client import types as t

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


# Rows whose runs can never get a PASS, whatever the agent does: said before anything is run.

_ROWS_NAMED = 10
_UNGRADABLE = {
    "nothing_to_grade_by": "no checks, no rubric, no refusal to expect and no judge model: its runs get no verdict",
    "no_judge_model": "a rubric and no judge model to ask: its runs are NOT APPLICABLE unless a check fails",
}


def print_ungradable(screen: Screen, found: t.UngradableOut) -> None:
    """Say which rows can never get a PASS and why, if there are any."""
    if not found["ungradable_rows"]:
        return
    screen.line(f"{many(found['ungradable_rows'], 'row')} can never get a PASS (counted from 0):")
    by_reason: dict[str, list[int]] = {}
    for row in found["ungradable"]:
        by_reason.setdefault(row["reason"], []).append(row["row"])
    for reason, rows in by_reason.items():
        named = ", ".join(map(str, rows[:_ROWS_NAMED])) + (", …" if len(rows) > _ROWS_NAMED else "")
        screen.text(_UNGRADABLE.get(reason, reason), lead=f"  {named}: ")
