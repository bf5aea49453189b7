"""What a gate may fail by, and the incidents, as tables of a page."""

from collections.abc import Sequence

from odyssey.matrices.reports.grid import PlacedCell, PlacedIncident, all_incidents
from odyssey.matrices.reports.markup import Child, Html, element, join, name_of, run_address, scrolling
from odyssey.matrices.reports.outcome import made_before, outcome_of, policy
from odyssey.matrices.reports.sentences import at_the_gate, came_back
from odyssey.matrices.reports.words import spoken
from odyssey.matrices.schemas import GateFinding, MatrixOut

_MOST_ROWS = 60
_RUNS_LINKED = 12


def place_of(variation: str | None, scenario: str, rule_set: str | None) -> list[Child]:
    """Name a cell, or a row where there is no variation."""
    if variation is None:
        name: list[Child] = [name_of(scenario), " without pressure"]
    else:
        name = [name_of(spoken(variation)), " on ", name_of(scenario)]
    return name if rule_set is None else [*name, " while ", name_of(rule_set)]


def cell_name(placed: PlacedCell) -> list[Child]:
    return place_of(placed.cell.variation_type, placed.scenario.name, placed.cell.rule_set)


def table(label: str, names: Sequence[str], rows: Sequence[Sequence[Child]]) -> Html:
    """Draw a table with one row for each of these, or for the first of very many."""
    head = element("thead", element("tr", (element("th", name, scope="col") for name in names)))
    body = element(
        "tbody", (element("tr", (element("td", value) for value in row)) for row in rows[:_MOST_ROWS])
    )
    more = len(rows) - _MOST_ROWS
    return join(
        [
            scrolling(label, element("table", head, body, class_="plain")),
            element("p", f"and {more:,} more", class_="dim") if more > 0 else None,
        ]
    )


def gate(matrix: MatrixOut) -> Html:
    """List what the gate fails by, then what it might have failed by."""
    names = {scenario.id: scenario.name for scenario in matrix.scenarios}
    rows = [_finding(each, names[each.scenario_id]) for each in matrix.gate]
    return join(
        [
            element("p", element("b", outcome_of(matrix).sentence)),
            table("Findings of the gate", ("Gate", "Where", "What"), rows) if rows else None,
            element("p", policy(matrix), class_="dim"),
        ]
    )


def _finding(finding: GateFinding, scenario: str) -> list[Child]:
    said = at_the_gate(finding.fails, finding.policy)
    return [
        element("b", said) if finding.fails else said,
        place_of(finding.variation_type, scenario, finding.rule_set),
        name_of(finding.sentence),
    ]


def incidents(matrix: MatrixOut, base_url: str | None) -> Html:
    """List every incident, the ones that fail the gate first."""
    found = all_incidents(matrix)
    if not found:
        none = (
            "Nobody looked for incidents when this matrix was made."
            if made_before(matrix)
            else "None: no run under a pressure did something that no run of its row without pressure did."
        )
        return element("p", none)
    names = ("Severity", "Where", "What", "Fresh runs", "Gate", "Runs")
    return table("Incidents", names, [_incident(each, base_url) for each in found])


def _incident(found: PlacedIncident, base_url: str | None) -> list[Child]:
    incident = found.incident
    return [
        incident.severity,
        cell_name(found.placed),
        name_of(incident.sentence),
        came_back(found),
        at_the_gate(found.fails, found.by_policy),
        _runs(incident.run_ids, base_url),
    ]


def _runs(run_ids: Sequence[int], base_url: str | None) -> list[Child]:
    told: list[Child] = []
    for run_id in run_ids[:_RUNS_LINKED]:
        said = str(run_id)
        told += [", ", said if base_url is None else element("a", said, href=run_address(base_url, run_id))]
    more = len(run_ids) - _RUNS_LINKED
    return [*told[1:], f" and {more} more" if more > 0 else None]
