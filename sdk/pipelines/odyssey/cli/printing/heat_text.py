"""A heat map in a terminal: shifts as numbers, bands and standing as letters, so that it reads without colour.

`0.62 R!^` is a shift of 0.62, red, confirmed, and runs of the cell committed something that no baseline did. A row that
fails without pressure has no green: to do what a broken row does is no health.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from rich.cells import cell_len

from pipelines.odyssey.cli.printing.cell_text import fails_without_pressure, figure
from pipelines.odyssey.cli.printing.screen import Part, Screen, many
from pipelines.odyssey.client import types as t

RowKey = tuple[str, str | None]
"""Of a scenario and a rule set."""

_SIGNS = {
    "confirmed": "!",
    "flagged": "?",
    "significant": "~",
    "red": "R",
    "amber": "A",
    "green": "G",
    "failing": "F",
    "insufficient": "I",
    "undelivered": "U",
    "pending": "P",
}
_LEGEND = {
    "confirmed": "confirmed: not chance, with a shift of 0.20 or more or with fewer matches",
    "flagged": "flagged: above its threshold, perhaps by chance",
    "significant": "significant: not chance, but small",
    "red": "red, above 0.50: another behaviour, but not above its threshold",
    "amber": "amber, 0.20 to 0.50: some change, not confirmed",
    "green": "green, below 0.20: as without pressure",
    "failing": "failing: as without pressure, where the row fails already",
    "insufficient": "insufficient: too few runs, or too noisy",
    "undelivered": "undelivered: the text did not reach the agent",
    "pending": "pending: not all of its runs have ended",
}
"""The most urgent first; each cell counts as the first that it is."""
_ALWAYS_TOLD = ("confirmed", "flagged", "red", "amber", "green")
_STYLES = {"green": "green", "amber": "yellow", "red": "red"}
_INCIDENT = "^"
_NAME = 30
_LEAST = len("0.62 R!")
_GAP = 2


class _Row(NamedTuple):
    name: str
    risk: str
    cells: list[t.MatrixCell | None]
    broken: t.FloorOut | None
    """Where it fails without pressure: how often."""


class _Column(NamedTuple):
    place: int
    words: list[str]
    """Of the heading, one above the other."""
    widest: int
    """Of its cells."""

    @property
    def width(self) -> int:
        return max(_LEAST, self.widest, *map(len, self.words))


def print_heat_map(screen: Screen, matrix: t.MatrixOut) -> None:
    """Print all cells, in several tables where one would be too wide."""
    rows = _rows(screen, matrix)
    name_width = max((cell_len(row.name) for row in rows), default=0)
    risk_width = max((len(row.risk) for row in rows), default=0)
    lead = name_width + _GAP + risk_width
    columns = [
        _Column(place, screen.shorten(name, 64).split("_"), max(_lengths(rows, place), default=0))
        for place, name in enumerate(matrix["variation_types"])
    ]
    for some in _fitting(columns, (screen.width if screen.is_fitted else 10**6) - lead):
        height = max(len(column.words) for column in some)
        for line in range(height):
            words = [_heading(column, line - height) for column in some]
            screen.row([Part(" " * lead), *(Part(text, "bold") for text in words)])
        for row in rows:
            name = row.name + " " * (name_width - cell_len(row.name))
            cells = [
                _part(row.cells[column.place], column.width, broken=row.broken is not None) for column in some
            ]
            screen.row([Part(name), Part(row.risk.ljust(risk_width), "dim"), *cells])
            if row.broken is not None:
                screen.row([Part(f"  {fails_without_pressure(row.broken)}", "bold red")])
        screen.line()
    _print_legend(screen, matrix)


def _print_legend(screen: Screen, matrix: t.MatrixOut) -> None:
    """Explain the signs, with how many cells each stands for: `0.58 R!` counts as confirmed, and as nothing else."""
    broken = broken_rows(matrix)
    kinds: Counter[str] = Counter()
    seen = set(_ALWAYS_TOLD)
    for cell in matrix["cells"]:
        look = _look(cell, broken=(cell["scenario_id"], cell["rule_set"]) in broken)
        kinds[_standing(cell) or look] += 1
        seen |= {look, _standing(cell) or look}
    screen.line("0.62 R!  the shift beyond noise, from 0 to 1, how it looks, and where it stands.")
    screen.line(f"{many(len(matrix['cells']), 'cell')}, each counted once:")
    for kind, said in _LEGEND.items():
        if kind in seen:
            screen.line(f"{kinds[kind]:>6} {_SIGNS[kind]} {said}")
    with_incident = sum(bool(cell["incidents"]) for cell in matrix["cells"])
    if with_incident:
        what = "something that matters was done, and by no run without pressure"
        screen.line(f"{with_incident:>6} {_INCIDENT} of all of these with an incident: {what}")


def broken_rows(matrix: t.MatrixOut) -> dict[RowKey, t.FloorOut]:
    """Give the rows that fail without pressure."""
    return {(each["scenario_id"], each["rule_set"]): each for each in matrix["floors"] if each["broken"]}


def mark(cell: t.MatrixCell, *, broken: bool = False) -> str:
    """Say look, standing and incidents: `R!` is red and confirmed; in a broken row nothing is green."""
    standing = _standing(cell)
    letter = _SIGNS.get(_look(cell, broken=broken), "?")
    return letter + ("" if standing is None else _SIGNS[standing]) + (_INCIDENT if cell["incidents"] else "")


def _standing(cell: t.MatrixCell) -> str | None:
    """Give the strongest of what is said of a cell."""
    if cell["confirmed"]:
        return "confirmed"
    if cell["flagged"]:
        return "flagged"
    return "significant" if cell.get("significant") else None


def shown(cell: t.MatrixCell | None, *, broken: bool = False) -> str:
    if cell is None:
        return ""
    return f"{figure(cell['shift'])} {mark(cell, broken=broken)}"


def _rows(screen: Screen, matrix: t.MatrixOut) -> list[_Row]:
    known = {
        (cell["scenario_id"], cell["rule_set"], cell["variation_type"]): cell for cell in matrix["cells"]
    }
    rule_sets = [None, *(str(each["name"]) for each in matrix["rule_sets"])]
    broken = broken_rows(matrix)
    rows = []
    for scenario in matrix["scenarios"]:
        for rule_set in rule_sets:
            name = scenario["name"] if rule_set is None else f"  while {rule_set}"
            cells = [known.get((scenario["id"], rule_set, each)) for each in matrix["variation_types"]]
            risk = scenario["risk_level"] if rule_set is None else ""
            name = screen.shorten(" ".join(name.split()) if rule_set is None else name, _NAME)
            rows.append(_Row(name, risk, cells, broken.get((scenario["id"], rule_set))))
    return rows


def _lengths(rows: Sequence[_Row], place: int) -> Iterator[int]:
    for row in rows:
        yield len(shown(row.cells[place], broken=row.broken is not None))


def _fitting(columns: Sequence[_Column], room: int) -> Iterator[list[_Column]]:
    some: list[_Column] = []
    left = room
    for column in columns:
        if some and column.width + _GAP > left:
            yield some
            some, left = [], room
        some.append(column)
        left -= column.width + _GAP
    if some:
        yield some


def _heading(column: _Column, line: int) -> str:
    """Give one line of it, counted from the last."""
    words = column.words
    return (words[line] if -line <= len(words) else "").ljust(column.width)


def _part(cell: t.MatrixCell | None, width: int, *, broken: bool) -> Part:
    text = shown(cell, broken=broken).ljust(width)
    if cell is None:
        return Part(text)
    if cell["confirmed"]:
        return Part(text, "bold white on red")
    if cell["flagged"] or any(each["severity"] == "grave" for each in cell["incidents"]):
        return Part(text, "bold red")
    return Part(text, _STYLES.get(_look(cell, broken=broken), "dim"))


def _look(cell: t.MatrixCell, *, broken: bool) -> str:
    if cell["state"] != "measured":
        return str(cell["state"])
    if broken and cell["band"] == "green":
        return "failing"
    return str(cell["band"] or "insufficient")
