"""The cells of a matrix as rows and columns, and in the order in which somebody should look at them."""

from collections.abc import Iterator
from typing import NamedTuple, get_args

from odyssey.evals.incidents import Severity
from odyssey.matrices.schemas import (
    FloorOut,
    GateFinding,
    IncidentOut,
    MatrixCell,
    MatrixOut,
    MatrixScenario,
    StageOut,
)

SEVERITIES: tuple[Severity, ...] = get_args(Severity)


class PlacedCell(NamedTuple):
    """A cell with what its row and its matrix say of it."""

    scenario: MatrixScenario
    cell: MatrixCell
    floor: FloorOut | None
    """Of its row; None where it has none."""
    findings: list[GateFinding]
    """Of this cell, the most pressing first."""
    others_run_again: bool
    """Whether the matrix made fresh runs, be it of this cell or of others."""

    @property
    def fails(self) -> bool:
        """Whether the gate fails by it."""
        return any(finding.fails for finding in self.findings)

    @property
    def fresh(self) -> StageOut | None:
        """Its fresh runs; None where it was not run again."""
        return next((stage for stage in self.cell.stages if stage.name == "fresh"), None)

    @property
    def failing_change(self) -> GateFinding | None:
        """The finding that its change fails the gate; incidents are told by themselves."""
        return next((each for each in self.findings if each.fails and each.kind != "incident"), None)

    @property
    def fails_without_pressure(self) -> bool:
        return self.floor is not None and self.floor.broken

    @property
    def moved(self) -> bool:
        """Whether there is a change to tell of, be it small or perhaps chance."""
        return self.cell.confirmed or self.cell.flagged or self.cell.significant is True


class GridRow(NamedTuple):
    scenario: MatrixScenario
    rule_set: str | None
    """None: the scenario as it is."""
    floor: FloorOut | None
    cells: list[PlacedCell | None]
    """One for each variation, in the order of the matrix."""


class PlacedIncident(NamedTuple):
    placed: PlacedCell
    incident: IncidentOut
    finding: GateFinding | None
    """What a gate makes of it; None while its cell is pending."""

    @property
    def fails(self) -> bool:
        return self.finding is not None and self.finding.fails

    @property
    def by_policy(self) -> bool:
        return self.finding is not None and self.finding.policy


def rows_of(matrix: MatrixOut) -> list[GridRow]:
    known = {cell.key: cell for cell in matrix.cells}
    floors = {(floor.scenario_id, floor.rule_set): floor for floor in matrix.floors}
    findings: dict[tuple[str, str | None, str | None], list[GateFinding]] = {}
    for each in matrix.gate:
        findings.setdefault((each.scenario_id, each.variation_type, each.rule_set), []).append(each)

    def row(scenario: MatrixScenario, rule_set: str | None) -> GridRow:
        floor = floors.get((scenario.id, rule_set))
        cells = [known.get((scenario.id, variation, rule_set)) for variation in matrix.variation_types]
        placed = [
            None
            if cell is None
            else PlacedCell(
                scenario, cell, floor, findings.get(cell.key, []), matrix.confirmation is not None
            )
            for cell in cells
        ]
        return GridRow(scenario, rule_set, floor, placed)

    rule_sets = (None, *(each.name for each in matrix.rule_sets))
    return [row(scenario, rule_set) for scenario in matrix.scenarios for rule_set in rule_sets]


def placed_cells(matrix: MatrixOut) -> Iterator[PlacedCell]:
    """Give all cells row by row."""
    for row in rows_of(matrix):
        yield from (cell for cell in row.cells if cell is not None)


def by_urgency(matrix: MatrixOut) -> list[PlacedCell]:
    """Sort: what fails the gate, incidents by gravity, confirmed, significant, flagged, and each of these by shift."""
    return sorted(placed_cells(matrix), key=_urgency)


def cells_that_moved(matrix: MatrixOut) -> list[PlacedCell]:
    return [placed for placed in by_urgency(matrix) if placed.moved]


def cells_run_again(matrix: MatrixOut) -> list[PlacedCell]:
    return [placed for placed in by_urgency(matrix) if placed.fresh is not None]


def _urgency(placed: PlacedCell) -> tuple[bool, int, bool, bool, bool, float]:
    cell = placed.cell
    shift = cell.raw_shift if cell.unclamped is None and cell.flagged else cell.unclamped
    return (
        not placed.fails,
        min((SEVERITIES.index(incident.severity) for incident in cell.incidents), default=len(SEVERITIES)),
        not cell.confirmed,
        not cell.significant,
        not cell.flagged,
        2.0 if shift is None else -shift,
    )


def incidents_of(placed: PlacedCell) -> list[PlacedIncident]:
    found = {finding.incident: finding for finding in placed.findings if finding.kind == "incident"}
    return [PlacedIncident(placed, each, found.get(each.kind)) for each in placed.cell.incidents]


def all_incidents(matrix: MatrixOut) -> list[PlacedIncident]:
    """Give what fails the gate first, then the graver ones."""
    found = [incident for placed in by_urgency(matrix) for incident in incidents_of(placed)]
    return sorted(found, key=lambda each: (not each.fails, SEVERITIES.index(each.incident.severity)))


def broken_floors(matrix: MatrixOut) -> list[GridRow]:
    """Give the rows that fail without pressure."""
    return [row for row in rows_of(matrix) if row.floor is not None and row.floor.broken]
