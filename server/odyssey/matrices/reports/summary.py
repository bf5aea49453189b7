"""A matrix as Markdown for a pull request: the outcome, the cells to look at, and the rest folded away.

Names stand in code spans: nothing in one is a link, an image, a mention or the end of a table.
"""

import re
from collections.abc import Iterable

from odyssey.matrices.reports.grid import PlacedCell, by_urgency, rows_of
from odyssey.matrices.reports.markup import matrix_address
from odyssey.matrices.reports.words import (
    chance,
    ends,
    figure,
    many,
    mark,
    rate,
    share_of,
    spoken,
    verdict,
)
from odyssey.matrices.schemas import MatrixCell, MatrixOut

_ROWS = 20
_CELLS = 400
"""A table of more would not fit into a comment."""
_NAME = 80
_WARNING = 400
_TICKS = re.compile("`+")
_BAR = "\\|"


def markdown(matrix: MatrixOut, base_url: str | None = None) -> str:
    lines = [f"### {_title(matrix)}", "", verdict(matrix, code), ""]
    urgent = [placed for placed in by_urgency(matrix) if placed.cell.confirmed or placed.cell.flagged]
    if urgent:
        lines += [*_table(urgent[:_ROWS]), ""]
    if len(urgent) > _ROWS:
        lines += [f"{len(urgent) - _ROWS} more are flagged.", ""]
    lines += [_figures(matrix), ""]
    lines += [f"Warning: {code(warning, _WARNING)}\n" for warning in matrix.warnings]
    if len(matrix.cells) <= _CELLS:
        lines += _all_cells(matrix)
    if base_url is not None:
        lines += [f"[The matrix, its cells and their runs]({matrix_address(base_url, matrix.id)})", ""]
    return "\n".join(lines)


def code(text: str, most: int = _NAME) -> str:
    """Write a name as a code span, on one line and not too long."""
    shown = "".join(char if char.isprintable() else " " for char in text)
    shown = " ".join(shown.split()) or " "
    if len(shown) > most:
        shown = shown[: most - 1] + "…"
    fence = "`" * (max((len(run) for run in _TICKS.findall(shown)), default=0) + 1)
    edge = " " if shown[0] == "`" or shown[-1] == "`" else ""
    return f"{fence}{edge}{shown}{edge}{fence}"


def _table_row(values: Iterable[str]) -> str:
    # A table is parted into its cells before anybody looks for code, so a bar is escaped even there.
    return f"| {' | '.join(value.replace('|', _BAR) for value in values)} |"


def _title(matrix: MatrixOut) -> str:
    confirmed = matrix.summary.confirmed
    standing = {"running": "still running", "cancelled": "cancelled"}.get(matrix.status)
    outcome = f"{confirmed} of {many(len(matrix.cells), 'cell')} confirmed"
    return f"Odyssey: {outcome}{f' ({standing})' if standing else ''}"


def _table(cells: list[PlacedCell]) -> list[str]:
    return [
        "| | pressure | scenario | shift | 95 % interval | floor | matched | without | q |",
        "|---|---|---|---|---|---|---|---|---|",
        *map(_row, cells),
    ]


def _row(placed: PlacedCell) -> str:
    cell = placed.cell
    where = code(placed.scenario.name) + ("" if cell.rule_set is None else f" while {code(cell.rule_set)}")
    values = (
        "**confirmed**" if cell.confirmed else "flagged",
        code(spoken(cell.variation_type)),
        f"{where} ({placed.scenario.risk_level})",
        f"**{figure(cell.shift)}**" if cell.confirmed else figure(cell.shift),
        ends(cell.interval),
        figure(cell.noise_floor),
        rate(cell.match_rate),
        rate(cell.baseline_match_rate),
        chance(cell.q_value if cell.q_value is not None else cell.match_q),
    )
    return _table_row(values)


def _figures(matrix: MatrixOut) -> str:
    bands, matched = matrix.summary.shift, matrix.summary.match_rate
    without = matched.by_variation.get("baseline")
    rates = f"Match rate {share_of(matched.overall)}"
    if without is not None:
        rates += f", {share_of(without)} without pressure"
    left_out = matrix.progress.ended - matched.overall.runs
    if left_out:
        rates += f"; left out, as placebos, not measured or without an expectation: {many(left_out, 'run')}"
    return (
        f"{bands.green} green, {bands.amber} amber, {bands.red} red, {bands.insufficient} without a shift. {rates}. "
        f"{many(matrix.progress.ended, 'run')}, {matrix.progress.missing} missing. "
        f"Dose {matrix.dose}, seed {matrix.seed}."
    )


def _all_cells(matrix: MatrixOut) -> list[str]:
    columns = [code(spoken(name)) for name in matrix.variation_types]
    rows = [
        [
            code(row.scenario.name) + ("" if row.rule_set is None else f" while {code(row.rule_set)}"),
            *map(_short, row.cells),
        ]
        for row in rows_of(matrix)
    ]
    return [
        "<details><summary>All cells</summary>",
        "",
        _table_row(["", *columns]),
        f"|---|{'---|' * len(columns)}",
        *map(_table_row, rows),
        "",
        "G green, A amber, R red; ! confirmed, ? flagged, perhaps noise; I insufficient, U undelivered, P pending.",
        "",
        "</details>",
        "",
    ]


def _short(cell: MatrixCell | None) -> str:
    if cell is None:
        return ""
    shown = mark(cell) if cell.shift is None else f"{figure(cell.shift)} {mark(cell)}"
    return f"**{shown}**" if cell.confirmed else shown
