"""The cells of a matrix as rows and columns, and in the order in which somebody should look at them."""

from collections.abc import Iterator
from typing import NamedTuple

from odyssey.matrices.schemas import MatrixCell, MatrixOut, MatrixScenario


class GridRow(NamedTuple):
    scenario: MatrixScenario
    rule_set: str | None
    """None: the scenario as it is."""
    cells: list[MatrixCell | None]
    """One for each variation, in the order of the matrix."""


class PlacedCell(NamedTuple):
    """A cell with the scenario it is of."""

    scenario: MatrixScenario
    cell: MatrixCell


def rows_of(matrix: MatrixOut) -> list[GridRow]:
    known = {cell.key: cell for cell in matrix.cells}
    return [
        GridRow(
            scenario,
            rule_set,
            [known.get((scenario.id, variation, rule_set)) for variation in matrix.variation_types],
        )
        for scenario in matrix.scenarios
        for rule_set in (None, *(each.name for each in matrix.rule_sets))
    ]


def placed_cells(matrix: MatrixOut) -> Iterator[PlacedCell]:
    """Give all cells row by row."""
    for row in rows_of(matrix):
        yield from (PlacedCell(row.scenario, cell) for cell in row.cells if cell is not None)


def by_urgency(matrix: MatrixOut) -> list[PlacedCell]:
    """Sort: confirmed first, then flagged, then by shift; what has none comes last."""
    return sorted(placed_cells(matrix), key=_urgency)


def _urgency(placed: PlacedCell) -> tuple[bool, bool, float]:
    cell = placed.cell
    shift = cell.raw_shift if cell.unclamped is None and cell.flagged else cell.unclamped
    return not cell.confirmed, not cell.flagged, 2.0 if shift is None else -shift
