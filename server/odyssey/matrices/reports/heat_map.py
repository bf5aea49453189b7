"""The heat map as one HTML file that needs nothing else: corrected shift in three bands, by colour and by letter.

What a cell rests on is shown on hover and on keyboard focus, without a script.
"""

from collections.abc import Iterator, Sequence

from odyssey.matrices.reports.grid import GridRow, PlacedCell, by_urgency, rows_of
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
from odyssey.matrices.reports.words import (
    LEGEND,
    LETTERS,
    Look,
    chance,
    ends,
    figure,
    look_of,
    many,
    mark,
    rate,
    said_of,
    spoken,
    verdict,
)
from odyssey.matrices.schemas import MatrixOut

_RUNS_TOLD = 24


def heat_map_page(matrix: MatrixOut, base_url: str | None = None) -> str:
    return page(
        f"Heat map of {matrix.agent_name} version {matrix.agent_version}",
        heading("Heat map", matrix, base_url),
        figures(matrix),
        heat_map(matrix),
        _urgent(matrix),
    )


def heading(kind: str, matrix: MatrixOut, base_url: str | None) -> Html:
    title = matrix.name or f"{matrix.agent_name} under pressure"
    finished = matrix.finished_at or matrix.created_at
    facts = [
        f"{many(len(matrix.scenarios), 'scenario')} × {many(len(matrix.variation_types), 'pressure')}",
        many(matrix.progress.planned, "run"),
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
    bands = matrix.summary.shift
    told = {
        "confirmed": matrix.summary.confirmed,
        "flagged": matrix.summary.flagged,
        "red": bands.red,
        "amber": bands.amber,
        "green": bands.green,
        "without a shift": bands.insufficient,
        "runs missing": matrix.progress.missing,
    }
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
        about = f"{scenario.risk_level}, flagged above {figure(scenario.threshold)}"
        head = element("th", name_of(scenario.name), element("small", about), scope="row")
    else:
        said = element("small", "while ", name_of(row.rule_set))
        head = element("th", name_of(scenario.name), said, scope="row", class_="while")
    cells = (
        element("td") if cell is None else _cell(PlacedCell(scenario, cell), next(numbers))
        for cell in row.cells
    )
    return element("tr", head, cells)


def _cell(placed: PlacedCell, number: int) -> Html:
    cell = placed.cell
    look = look_of(cell)
    standing = "confirmed" if cell.confirmed else "flagged" if cell.flagged else None
    shown = figure(cell.shift) if cell.shift is not None else mark(cell)
    below = f"{mark(cell)} {standing or look}" if cell.shift is not None else standing or look
    button = element(
        "button",
        element("b", shown),
        element("small", below),
        type="button",
        class_="cell",
        aria_describedby=f"cell-{number}",
    )
    tip = element("div", told(placed), class_="tip", role="tooltip", id=f"cell-{number}")
    return element("td", button, tip, class_=f"{look} {standing or ''}".strip())


def told(placed: PlacedCell) -> Html:
    """Everything that is known of a cell."""
    cell = placed.cell
    title: list[Child] = [name_of(spoken(cell.variation_type)), " on ", name_of(placed.scenario.name)]
    if cell.rule_set is not None:
        title += [" while ", name_of(cell.rule_set)]
    facts = (
        (element("dt", name), element("dd", value))
        for name, value in _facts(placed).items()
        if value is not None
    )
    return join([element("strong", title), element("p", said_of(cell)), element("dl", facts, class_="facts")])


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
        "by chance": None if cell.p_value is None else f"p {chance(cell.p_value)}, q {chance(cell.q_value)}",
        "fewer matches": None if cell.match_q is None else f"q {chance(cell.match_q)}",
        "beyond a placebo": None if effect is None else figure(effect.shift),
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


def _legend(matrix: MatrixOut) -> Html:
    seen: set[Look] = {"green", "amber", "red", *map(look_of, matrix.cells)}
    items = [
        element("li", element("span", LETTERS[look], class_=f"swatch {look}"), text)
        for look, text in LEGEND.items()
        if look in seen
    ]
    items += [
        element("li", element("span", "!", class_="swatch confirmed"), "confirmed: not noise"),
        element(
            "li",
            element("span", "?", class_="swatch red flagged"),
            "flagged: above its threshold, perhaps noise",
        ),
    ]
    return element("ul", items, class_="legend")


def _urgent(matrix: MatrixOut) -> Child:
    """The cells to look at, in words: paper has no hover."""
    cells = [placed for placed in by_urgency(matrix) if placed.cell.confirmed or placed.cell.flagged]
    if not cells:
        return None
    names = ("Pressure", "Scenario", "Shift", "95 % interval", "Floor", "Matched", "Without", "q", "")
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
    )
    return element(
        "tr",
        element("td", name_of(spoken(cell.variation_type))),
        element("td", where),
        (element("td", value, class_="figure") for value in values),
        element("td", "confirmed" if cell.confirmed else "flagged"),
    )


def _tone(matrix: MatrixOut) -> str:
    if matrix.summary.confirmed:
        return "red"
    if matrix.summary.flagged or matrix.provisional or matrix.status == "cancelled":
        return "amber"
    measured = any(cell.state == "measured" for cell in matrix.cells)
    return "green" if measured else ""
