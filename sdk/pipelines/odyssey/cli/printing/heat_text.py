"""A heat map in a terminal: shifts as numbers, bands and standing as letters, so that it reads without colour."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from rich.cells import cell_len

from pipelines.odyssey.cli.printing.figures import percent
from pipelines.odyssey.cli.printing.screen import Part, Screen, many
from pipelines.odyssey.client import types as t

LEGEND = (
    "0.62 R!  the shift beyond noise, from 0 to 1, and its band: G green below 0.2, A amber to 0.5, R red above.",
    "         ! confirmed: not noise. ? flagged: above its threshold, perhaps noise.",
    "         I insufficient: too few runs, or too noisy. U undelivered: the text did not arrive. P pending.",
)
_LETTERS = {"green": "G", "amber": "A", "red": "R", "insufficient": "I", "undelivered": "U", "pending": "P"}
_STYLES = {"green": "green", "amber": "yellow", "red": "red"}
_CONFIRMED_BY = {
    "shift": "its shift",
    "match_rate": "fewer matches",
    "shift_and_match_rate": "its shift and fewer matches",
}
_NAME = 30
_LEAST = len("0.62 R!")
_GAP = 2


class _Row(NamedTuple):
    name: str
    risk: str
    cells: list[t.MatrixCell | None]


class _Column(NamedTuple):
    place: int
    words: list[str]
    """Of the heading, one above the other."""

    @property
    def width(self) -> int:
        return max(_LEAST, *map(len, self.words))


def print_heat_map(screen: Screen, matrix: t.MatrixOut) -> None:
    """Print all cells, in several tables where one would be too wide."""
    rows = _rows(screen, matrix)
    name_width = max((cell_len(row.name) for row in rows), default=0)
    risk_width = max((len(row.risk) for row in rows), default=0)
    lead = name_width + _GAP + risk_width
    columns = [
        _Column(place, screen.shorten(name, 64).split("_"))
        for place, name in enumerate(matrix["variation_types"])
    ]
    for some in _fitting(columns, (screen.width if screen.is_fitted else 10**6) - lead):
        height = max(len(column.words) for column in some)
        for line in range(height):
            words = [_heading(column, line - height) for column in some]
            screen.row([Part(" " * lead), *(Part(text, "bold") for text in words)])
        for row in rows:
            name = row.name + " " * (name_width - cell_len(row.name))
            cells = [_part(row.cells[column.place], column.width) for column in some]
            screen.row([Part(name), Part(row.risk.ljust(risk_width), "dim"), *cells])
        screen.line()
    for line_of_it in LEGEND:
        screen.line(line_of_it)


def mark(cell: t.MatrixCell) -> str:
    """Say band and standing: `R!` is red and confirmed."""
    return _LETTERS.get(_look(cell), "?") + ("!" if cell["confirmed"] else "?" if cell["flagged"] else "")


def shown(cell: t.MatrixCell | None) -> str:
    if cell is None:
        return ""
    return f"{figure(cell['shift'])} {mark(cell)}"


def figure(value: float | None) -> str:
    if value is None:
        return "  --"
    return "0.00" if abs(value) < 0.005 else f"{value:.2f}"


def chance(value: float | None) -> str:
    if value is None:
        return "--"
    return "below 0.001" if value < 0.001 else f"{value:.3f}"


def rate(matches: t.RateOut) -> str:
    return "--" if matches["share"] is None else f"{matches['matched']} of {matches['runs']}"


def print_findings(screen: Screen, matrix: t.MatrixOut) -> None:
    """Print the cells that are confirmed or flagged, each with what it rests on."""
    names = {each["id"]: str(each["name"]) for each in matrix["scenarios"]}
    cells = [cell for cell in matrix["cells"] if cell["confirmed"] or cell["flagged"]]
    cells.sort(key=lambda cell: (not cell["confirmed"], -(cell["unclamped"] or 0)))
    for cell in cells:
        standing = "confirmed" if cell["confirmed"] else "flagged"
        said = f"{cell['variation_type'].replace('_', ' ')} on {names[cell['scenario_id']]}"
        if cell["rule_set"] is not None:
            said += f" while {cell['rule_set']}"
        by = _CONFIRMED_BY.get(str(cell["reason"]))
        figures = [
            Part(screen.shorten(said, 80)),
            Part(f"shift {figure(cell['shift']).strip()}{_ends(cell['interval'])}"),
            Part(f"floor {figure(cell['noise_floor']).strip()}"),
            Part(f"threshold {figure(cell['threshold'])}"),
            Part(f"q {chance(cell['q_value'])}"),
            Part(f"matched {rate(cell['match_rate'])}, {rate(cell['baseline_match_rate'])} without pressure"),
        ]
        if by is not None:
            figures.append(Part(f"by {by}"))
        screen.parts("", [Part(f"{standing:<9}", "bold red" if cell["confirmed"] else "yellow"), *figures])
    if cells:
        screen.line()


def print_summary(screen: Screen, matrix: t.MatrixOut) -> None:
    summary, progress = matrix["summary"], matrix["progress"]
    bands, overall = summary["shift"], summary["match_rate"]["overall"]
    screen.line(
        f"{many(len(matrix['cells']), 'cell')}: {summary['confirmed']} confirmed, {summary['flagged']} flagged; "
        f"{bands['green']} green, {bands['amber']} amber, {bands['red']} red, {bands['insufficient']} without a shift"
    )
    matched = "nothing is expected"
    if overall["share"] is not None:
        left_out = progress["ended"] - overall["runs"]
        matched = f"match rate {percent(overall['share'])}, {rate(overall)}"
        matched += f"; {left_out} left out" if left_out else ""
    screen.line(f"{many(progress['ended'], 'run')}, {progress['missing']} missing; {matched}")
    spoilt = matrix.get("world_at_fault", 0)
    if spoilt:
        screen.line(f"{many(spoilt, 'run')} spoilt by faulty answers of the world (world_at_fault)")


def _rows(screen: Screen, matrix: t.MatrixOut) -> list[_Row]:
    known = {
        (cell["scenario_id"], cell["rule_set"], cell["variation_type"]): cell for cell in matrix["cells"]
    }
    rule_sets = [None, *(str(each["name"]) for each in matrix["rule_sets"])]
    rows = []
    for scenario in matrix["scenarios"]:
        for rule_set in rule_sets:
            name = scenario["name"] if rule_set is None else f"  while {rule_set}"
            cells = [known.get((scenario["id"], rule_set, each)) for each in matrix["variation_types"]]
            risk = scenario["risk_level"] if rule_set is None else ""
            rows.append(
                _Row(screen.shorten(" ".join(name.split()) if rule_set is None else name, _NAME), risk, cells)
            )
    return rows


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


def _part(cell: t.MatrixCell | None, width: int) -> Part:
    text = shown(cell).ljust(width)
    if cell is None:
        return Part(text)
    if cell["confirmed"]:
        return Part(text, "bold white on red")
    return Part(text, "bold red" if cell["flagged"] else _STYLES.get(_look(cell), "dim"))


def _look(cell: t.MatrixCell) -> str:
    return str(cell["band"] or "insufficient") if cell["state"] == "measured" else str(cell["state"])


def _ends(interval: Sequence[float] | None) -> str:
    return "" if interval is None else f" ({figure(interval[0])} to {figure(interval[1])})"
