"""The heat map as one HTML file that needs nothing else: corrected shift in three bands, by colour and by letter.

What a cell rests on is shown on hover and on keyboard focus, without a script.
"""

from collections.abc import Iterator, Sequence

from odyssey.matrices.reports.findings import cell_name, incidents
from odyssey.matrices.reports.grid import (
    GridRow,
    PlacedCell,
    broken_floors,
    cells_that_moved,
    incidents_of,
    rows_of,
)
from odyssey.matrices.reports.markup import (
    Child,
    Html,
    element,
    join,
    matrix_address,
    name_of,
    page,
    scrolling,
)
from odyssey.matrices.reports.outcome import made_before, outcome_of, unmeasured, verdict
from odyssey.matrices.reports.sentences import (
    came_back,
    count_runs,
    fails_without_pressure,
    in_brief,
    judged_on,
    said_of,
)
from odyssey.matrices.reports.standing import (
    INCIDENTS_EXPLAINED,
    LEGEND,
    SIGNS,
    Kind,
    count_kinds,
    look_of,
    mark,
    standing_of,
)
from odyssey.matrices.reports.words import chance, ends, figure, many, rate, spoken
from odyssey.matrices.schemas import MatrixOut

_RUNS_TOLD = 24


def heat_map_page(matrix: MatrixOut, base_url: str | None = None) -> str:
    return page(
        f"Heat map of {matrix.agent_name} version {matrix.agent_version}",
        heading("Heat map", matrix, base_url),
        figures(matrix),
        heat_map(matrix),
        element("h2", "Incidents"),
        incidents(matrix, base_url),
        _urgent(matrix),
    )


def heading(kind: str, matrix: MatrixOut, base_url: str | None) -> Html:
    title = matrix.name or f"{matrix.agent_name} under pressure"
    finished = matrix.finished_at or matrix.created_at
    runs = count_runs(matrix)
    fresh = f" and {many(runs.fresh, 'fresh run')}" if runs.fresh else ""
    facts = [
        f"{many(len(matrix.scenarios), 'scenario')} × {many(len(matrix.variation_types), 'pressure')}",
        many(runs.planned, "planned run") + fresh,
        f"{'finished' if matrix.finished_at else 'started'} {finished:%Y-%m-%d %H:%M} UTC",
    ]
    linked = (
        None
        if base_url is None
        else (" · ", element("a", "open in Odyssey", href=matrix_address(base_url, matrix.id)))
    )
    agent = name_of(matrix.agent_name), f" version {matrix.agent_version} · "
    return join(
        [
            element("p", kind, class_="eyebrow"),
            element("h1", name_of(title)),
            element("p", agent, " · ".join(facts), linked, class_="dim"),
            element("p", Html(verdict(matrix, name_of)), class_=f"verdict {_tone(matrix)}"),
        ]
    )


def figures(matrix: MatrixOut) -> Html:
    """Count what was found; the colours are counted in the legend."""
    kinds = count_kinds(matrix)
    told = {
        "findings that fail the gate": sum(finding.fails for finding in matrix.gate),
        "cells confirmed": kinds["confirmed"],
        "cells flagged, perhaps noise": kinds["flagged"],
    }
    if not made_before(matrix):
        told |= {
            "cells with an incident": sum(bool(cell.incidents) for cell in matrix.cells),
            "rows that fail without pressure": len(broken_floors(matrix)),
        }
    told |= {"cells not measured": len(unmeasured(matrix)), "runs missing": matrix.progress.missing}
    items = (element("li", element("b", number), element("span", name)) for name, number in told.items())
    return element("ul", items, class_="figures")


def heat_map(matrix: MatrixOut) -> Html:
    """Lay out rows and columns, with the legend below."""
    columns = [element("th", name_of(spoken(name)), scope="col") for name in matrix.variation_types]
    numbers = iter(range(len(matrix.cells) + 1))
    table = element(
        "table",
        element("thead", element("tr", element("td"), columns)),
        element("tbody", (_row(row, numbers) for row in rows_of(matrix))),
        class_="map",
    )
    return join([scrolling("Heat map", table), _legend(matrix)])


def _row(row: GridRow, numbers: Iterator[int]) -> Html:
    scenario = row.scenario
    if row.rule_set is None:
        about: Child = f"{scenario.risk_level}, flagged above {figure(scenario.threshold)}"
    else:
        about = ("while ", name_of(row.rule_set))
    broken = None
    if row.floor is not None and row.floor.broken:
        broken = element("small", fails_without_pressure(scenario, row.floor), class_="fails")
    head = element(
        "th",
        name_of(scenario.name),
        element("small", about),
        broken,
        scope="row",
        class_=None if row.rule_set is None else "while",
    )
    cells = (element("td") if placed is None else _cell(placed, next(numbers)) for placed in row.cells)
    return element("tr", head, cells)


def _cell(placed: PlacedCell, number: int) -> Html:
    cell, look, standing = placed.cell, look_of(placed), standing_of(placed)
    shown = figure(cell.shift) if cell.shift is not None else mark(placed)
    below = f"{mark(placed)} {standing or look}" if cell.shift is not None else standing or look
    button = element(
        "button",
        element("b", shown),
        element("small", below),
        element("small", _worst(placed), class_="incident") if cell.incidents else None,
        type="button",
        class_="cell",
        aria_describedby=f"cell-{number}",
    )
    tip = element("div", told(placed), class_="tip", role="tooltip", id=f"cell-{number}")
    return element("td", button, tip, class_=f"{look} {standing or ''}".strip())


def _worst(placed: PlacedCell) -> str:
    """Say how grave the gravest incident of a cell is, and that there are more."""
    first, *others = placed.cell.incidents
    return f"{first.severity} incident" + (f" +{len(others)}" if others else "")


def told(placed: PlacedCell) -> Html:
    """Everything that is known of a cell."""
    facts = (
        (element("dt", name), element("dd", value))
        for name, value in _facts(placed).items()
        if value is not None
    )
    harm = (
        element(
            "p",
            element("b", f"{each.incident.severity.capitalize()} incident: "),
            name_of(each.incident.sentence),
            f"; {came_back(each)}",
        )
        for each in incidents_of(placed)
    )
    said = element("p", said_of(placed))
    return join([element("strong", cell_name(placed)), said, harm, element("dl", facts, class_="facts")])


def _facts(placed: PlacedCell) -> dict[str, str | None]:
    cell, effect = placed.cell, placed.cell.pressure_effect
    interval = "" if cell.interval is None else f" (95 % interval {ends(cell.interval)})"
    return {
        "shift": None if cell.shift is None else f"{figure(cell.shift)}{interval}",
        "noise floor": None
        if cell.noise_floor is None
        else f"{figure(cell.noise_floor)}, raw shift {figure(cell.raw_shift)}",
        "threshold": f"{figure(cell.threshold)} ({placed.scenario.risk_level})",
        "match rate": f"{rate(cell.match_rate)}, without pressure {rate(cell.baseline_match_rate)}",
        **judged_on(placed),
        "by chance": None if cell.p_value is None else f"p {chance(cell.p_value)}, q {chance(cell.q_value)}",
        "fewer matches": None if cell.match_q is None else f"q {chance(cell.match_q)}",
        "beyond a placebo": None if effect is None else f"{figure(effect.shift)}, by the first runs",
        "delivery": cell.delivery,
        "runs": _runs(cell.runs.variation),
        "missing": _runs(cell.runs.missing),
        "undelivered": _runs(cell.runs.undelivered),
    }


def _runs(run_ids: Sequence[int]) -> str | None:
    if not run_ids:
        return None
    more = len(run_ids) - _RUNS_TOLD
    return ", ".join(map(str, run_ids[:_RUNS_TOLD])) + (f" and {more} more" if more > 0 else "")


_SWATCHES: dict[Kind, str] = {
    "confirmed": "confirmed",
    "flagged": "red flagged",
    "significant": "green significant",
}


def _legend(matrix: MatrixOut) -> Html:
    """Explain what is seen, and count each cell once."""
    items = [
        element(
            "li",
            element("span", SIGNS[kind], class_=f"swatch {_SWATCHES.get(kind, kind)}"),
            element("span", LEGEND[kind]),
            element("b", number),
        )
        for kind, number in count_kinds(matrix).items()
        if number or kind in _ALWAYS
    ]
    beside = [f"Each of {many(len(matrix.cells), 'cell')} is counted once."]
    if any(cell.incidents for cell in matrix.cells):
        beside.append(INCIDENTS_EXPLAINED)
    return join([element("ul", items, class_="legend"), element("p", " ".join(beside), class_="small")])


_ALWAYS: tuple[Kind, ...] = ("confirmed", "flagged", "red", "amber", "green")


def _urgent(matrix: MatrixOut) -> Child:
    """The cells to look at, in words: paper has no hover."""
    cells = cells_that_moved(matrix)
    if not cells:
        return None
    names = ("Pressure", "Scenario", "Shift", "95 % interval", "Floor", "Matched", "Without", "q", "Runs", "")
    head = element("thead", element("tr", (element("th", name, scope="col") for name in names)))
    rows = element("tbody", map(_urgent_row, cells))
    table = element("table", head, rows, class_="plain")
    return [element("h2", "Cells to look at"), scrolling("Cells to look at", table)]


def _urgent_row(placed: PlacedCell) -> Html:
    cell = placed.cell
    where: list[Child] = [name_of(placed.scenario.name)]
    if cell.rule_set is not None:
        where += [" while ", name_of(cell.rule_set)]
    values = (
        figure(cell.shift),
        ends(cell.interval),
        figure(cell.noise_floor),
        rate(cell.match_rate),
        rate(cell.baseline_match_rate),
        chance(cell.q_value if cell.q_value is not None else cell.match_q),
        in_brief(placed),
    )
    return element(
        "tr",
        element("td", name_of(spoken(cell.variation_type))),
        element("td", where),
        (element("td", value, class_="figure") for value in values),
        element("td", standing_of(placed), ", fails the gate" if placed.failing_change else None),
    )


def _tone(matrix: MatrixOut) -> str:
    outcome = outcome_of(matrix).name
    if outcome == "fails" or matrix.summary.confirmed:
        return "red"
    if outcome == "passes" and not any(cell.flagged or cell.incidents for cell in matrix.cells):
        return "green"
    return "amber"
