"""A matrix as JUnit XML, for continuous integration.

Each cell is a test case, which fails where the gate fails by its change. So is each row that has a floor, and each
incident that the gate fails by: there are as many failures as findings that fail the gate. A cell that could not be
measured is an error, and so is a matrix of which too many runs say nothing of the agent: a build must not become green
because something was not tested. Whatever else was seen stands in the output of its case.
"""

from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

from odyssey.batches.export_files import TAIL, Tally, fault, said, suite_head, written_case
from odyssey.matrices.reports.grid import GridRow, PlacedCell, PlacedIncident, incidents_of, rows_of
from odyssey.matrices.reports.outcome import outcome_of, too_many_missing
from odyssey.matrices.reports.sentences import (
    came_back,
    fails_without_pressure,
    faults_of_world,
    judged_on,
    said_of,
)
from odyssey.matrices.reports.words import chance, ends, figure, rate, share_of, spoken
from odyssey.matrices.schemas import MatrixOut


class _Case(NamedTuple):
    suite: str
    name: str
    outcome: Literal["passed", "failure", "error"] = "passed"
    kind: str = ""
    message: str = ""
    details: str = ""
    beside: Sequence[str] = ()
    """What is to be read also where it passed."""


def junit(matrix: MatrixOut) -> str:
    suite = matrix.name or f"matrix {matrix.id}"
    cases = [case for row in rows_of(matrix) for case in _of_row(row)]
    too_many = too_many_missing(matrix)
    if too_many is not None:
        why = f"{too_many}."
        cases.append(_Case(suite, "the matrix", "error", "unmeasured", why, why))
    outcomes = [case.outcome for case in cases]
    tally = Tally(len(cases), outcomes.count("failure"), outcomes.count("error"), 0)
    head = suite_head(
        f"{suite} on {matrix.agent_name} version {matrix.agent_version}", tally, matrix.created_at
    )
    beside = "\n".join(filter(None, [outcome_of(matrix).sentence, faults_of_world(matrix)]))
    return f"{head}{''.join(map(_written, cases))}{said(beside)}\n{TAIL}"


def _written(case: _Case) -> str:
    inside = "" if case.outcome == "passed" else fault(case.outcome, case.kind, case.message, case.details)
    if case.beside:
        inside += said("\n".join(case.beside))
    return written_case(case.suite, case.name, None, inside)


def _of_row(row: GridRow) -> Iterator[_Case]:
    for placed in row.cells:
        if placed is not None:
            yield _of_cell(placed)
            yield from (_of_incident(found) for found in incidents_of(placed) if found.fails)
    if row.floor is None:
        return
    case = _Case(row.scenario.name, _during("without pressure", row.rule_set))
    if row.floor.broken:
        why = fails_without_pressure(row.scenario, row.floor)
        at_best = f"{why}\nmatch rate {share_of(row.floor.match_rate)}, at best {row.floor.upper * 100:.0f} %"
        case = case._replace(outcome="failure", kind="floor", message=why, details=at_best)
    yield case


def _during(name: str, rule_set: str | None) -> str:
    return name if rule_set is None else f"{name} while {rule_set}"


def _name(placed: PlacedCell) -> str:
    return _during(spoken(placed.cell.variation_type), placed.cell.rule_set)


def _of_cell(placed: PlacedCell) -> _Case:
    cell = placed.cell
    case = _Case(placed.scenario.name, _name(placed), beside=_beside(placed))
    failing = placed.failing_change
    if failing is not None:
        return case._replace(
            outcome="failure",
            kind=cell.reason or failing.kind,
            message=failing.sentence,
            details="\n".join([said_of(placed), *_figures(placed)]),
        )
    if cell.state != "measured":
        why = said_of(placed)
        return case._replace(outcome="error", kind="unmeasured", message=why, details=why)
    return case


def _figures(placed: PlacedCell) -> list[str]:
    cell = placed.cell
    return [
        f"shift {figure(cell.shift)}, 95 % interval {ends(cell.interval)}, noise floor {figure(cell.noise_floor)}, "
        f"threshold {figure(cell.threshold)} ({placed.scenario.risk_level}), q {chance(cell.q_value)}",
        f"matched {rate(cell.match_rate)}, without pressure {rate(cell.baseline_match_rate)}, "
        f"q {chance(cell.match_q)}",
        *(f"{name}: {told}" for name, told in judged_on(placed).items()),
        f"runs {', '.join(map(str, cell.runs.variation))}",
    ]


def _beside(placed: PlacedCell) -> list[str]:
    """Say what was seen of a cell and does not fail the gate."""
    told = []
    if placed.moved and placed.failing_change is None:
        told += [said_of(placed), *_figures(placed)]
    return told + [_told(found) for found in incidents_of(placed) if not found.fails]


def _told(found: PlacedIncident) -> str:
    incident = found.incident
    return f"{incident.severity} incident: {incident.sentence}; {came_back(found)}"


def _of_incident(found: PlacedIncident) -> _Case:
    incident = found.incident
    runs = f"runs {', '.join(map(str, incident.run_ids))}"
    by_policy = ["fails by policy, however rare it is"] if found.by_policy else []
    return _Case(
        found.placed.scenario.name,
        f"{_name(found.placed)}: {spoken(incident.kind)}",
        "failure",
        incident.kind,
        incident.sentence,
        "\n".join([_told(found), *by_policy, runs]),
    )
