"""A matrix as Markdown for a pull request: the outcome, the cells to look at, and the rest folded away.

Names stand in code spans: nothing in one is a link, an image, a mention or the end of a table.
"""

import re
from collections.abc import Iterable

from odyssey.matrices.reports.grid import (
    GridRow,
    PlacedCell,
    PlacedIncident,
    all_incidents,
    broken_floors,
    cells_run_again,
    cells_that_moved,
    rows_of,
)
from odyssey.matrices.reports.markup import matrix_address
from odyssey.matrices.reports.outcome import outcome_of, verdict
from odyssey.matrices.reports.sentences import (
    at_the_gate,
    came_back,
    count_runs,
    fails_without_pressure,
    fresh_runs,
    in_brief,
    judged_on,
    match_rates,
)
from odyssey.matrices.reports.standing import count_kinds, mark, standing_of
from odyssey.matrices.reports.words import chance, ends, figure, many, rate, spoken
from odyssey.matrices.schemas import MatrixOut

_ROWS = 20
_CELLS = 400
"""A table of more would not fit into a comment."""
_NAME = 80
_SENTENCE = 400
_TICKS = re.compile("`+")
_BAR = "\\|"


def markdown(matrix: MatrixOut, base_url: str | None = None) -> str:
    lines = [f"### {_title(matrix)}", "", verdict(matrix, code), ""]
    lines += _listed([_incident(each) for each in all_incidents(matrix)], "incidents")
    lines += _listed([_floor(row) for row in broken_floors(matrix)], "rows that fail without pressure")
    moved = cells_that_moved(matrix)
    if moved:
        lines += [*_table(moved[:_ROWS]), ""]
    if len(moved) > _ROWS:
        lines += [f"{many(len(moved) - _ROWS, 'more cell')} with a change.", ""]
    lines += _listed([_again(placed) for placed in cells_run_again(matrix)], "cells that were run again")
    lines += [_figures(matrix), ""]
    lines += [f"Warning: {code(warning, _SENTENCE)}\n" for warning in matrix.warnings]
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
    standing = {"running": "still running", "cancelled": "cancelled"}.get(matrix.status)
    outcomes = {
        "fails": "the gate fails, ",
        "cannot_tell": "the gate cannot tell, ",
        "passes": "the gate passes, ",
    }
    gate = outcomes.get(outcome_of(matrix).name, "")
    confirmed = f"{matrix.summary.confirmed} of {many(len(matrix.cells), 'cell')} confirmed"
    return f"Odyssey: {gate}{confirmed}{f' ({standing})' if standing else ''}"


def _listed(sentences: list[str], what: str) -> list[str]:
    if not sentences:
        return []
    more = len(sentences) - _ROWS
    rest = [f"- and {more:,} more {what}"] if more > 0 else []
    return [*(f"- {sentence}" for sentence in sentences[:_ROWS]), *rest, ""]


def _incident(found: PlacedIncident) -> str:
    gate = at_the_gate(found.fails, found.by_policy)
    return (
        f"**{found.incident.severity} incident, {gate}**: {_place(found.placed)}: "
        f"{code(found.incident.sentence, _SENTENCE)}; {came_back(found)}"
    )


def _floor(row: GridRow) -> str:
    assert row.floor is not None
    where = code(row.scenario.name) + _while(row.rule_set)
    return f"**row, fails**: {where} {fails_without_pressure(row.scenario, row.floor)}"


def _again(placed: PlacedCell) -> str:
    stages = "; ".join(f"{name}: {told}" for name, told in judged_on(placed).items())
    return f"**run again**: {_place(placed)}: {stages}"


def _place(placed: PlacedCell) -> str:
    return f"{code(spoken(placed.cell.variation_type))} on {_scenario(placed)}"


def _scenario(placed: PlacedCell) -> str:
    where = code(placed.scenario.name) + _while(placed.cell.rule_set)
    return f"{where} ({placed.scenario.risk_level})"


def _while(rule_set: str | None) -> str:
    return "" if rule_set is None else f" while {code(rule_set)}"


def _table(cells: list[PlacedCell]) -> list[str]:
    return [
        "| | pressure | scenario | shift | 95 % interval | floor | matched | without | q | runs |",
        "|---|---|---|---|---|---|---|---|---|---|",
        *map(_row, cells),
    ]


def _row(placed: PlacedCell) -> str:
    cell = placed.cell
    standing = f"{standing_of(placed)}{', fails' if placed.failing_change else ''}"
    values = (
        f"**{standing}**" if cell.confirmed else standing,
        code(spoken(cell.variation_type)),
        _scenario(placed),
        f"**{figure(cell.shift)}**" if cell.confirmed else figure(cell.shift),
        ends(cell.interval),
        figure(cell.noise_floor),
        rate(cell.match_rate),
        rate(cell.baseline_match_rate),
        chance(cell.q_value if cell.q_value is not None else cell.match_q),
        in_brief(placed),
    )
    return _table_row(values)


def _figures(matrix: MatrixOut) -> str:
    kinds = ", ".join(f"{number} {kind}" for kind, number in count_kinds(matrix).items() if number)
    runs = count_runs(matrix)
    said = [
        f"{many(len(matrix.cells), 'cell')}: {kinds}.",
        match_rates(matrix),
        f"{many(runs.planned_ended, 'planned run')}, {matrix.progress.missing} missing.",
        fresh_runs(matrix),
        f"Dose {matrix.dose}, seed {matrix.seed}.",
    ]
    return " ".join(filter(None, said))


def _all_cells(matrix: MatrixOut) -> list[str]:
    columns = [code(spoken(name)) for name in matrix.variation_types]
    rows = [
        [
            code(row.scenario.name) + _while(row.rule_set),
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
        "G green, A amber, R red, F as without pressure, where it fails already; ! confirmed, ? flagged, perhaps "
        "noise, ~ significant, but small; I insufficient, U undelivered, P pending.",
        "",
        "</details>",
        "",
    ]


def _short(placed: PlacedCell | None) -> str:
    if placed is None:
        return ""
    cell = placed.cell
    shown = mark(placed) if cell.shift is None else f"{figure(cell.shift)} {mark(placed)}"
    shown = f"**{shown}**" if cell.confirmed else shown
    return f"{shown}, incident" if cell.incidents else shown
