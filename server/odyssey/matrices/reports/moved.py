"""What moved: each cell with a change, with the part of the behaviour that changed, and where it first did."""

import json
from typing import Any

from odyssey.evals.eval_runs.schemas import DiffersOut
from odyssey.matrices.comparisons.schemas import ExplanationOut, MovedOut
from odyssey.matrices.reports.evidence import ReportEvidence
from odyssey.matrices.reports.findings import cell_name
from odyssey.matrices.reports.grid import PlacedCell, cells_that_moved
from odyssey.matrices.reports.markup import SHARE, Child, Html, bar, element, join, run_address
from odyssey.matrices.reports.sentences import judged_on, said_of
from odyssey.matrices.reports.standing import SIGNS, standing_of
from odyssey.matrices.reports.words import chance, ends, figure, many, rate
from odyssey.matrices.schemas import MatrixOut

PARTS = {
    "decision": "the decision",
    "effects": "what it did to the world",
    "reads": "what it looked at",
    "text": "the wording",
    "failure": "whether it failed",
}
MOST_CARDS = 40
_VALUE_SHOWN = 600
_ONE_LINE = 60


def moved(matrix: MatrixOut, evidence: ReportEvidence, base_url: str | None) -> Html:
    cells = cells_that_moved(matrix)
    if not cells:
        nothing = "Nothing: no cell is above its threshold, and no change is shown to be more than noise."
        return element("p", nothing)
    more = len(cells) - MOST_CARDS
    return join(
        [
            (_card(placed, evidence, base_url) for placed in cells[:MOST_CARDS]),
            element("p", f"{many(more, 'more cell')}; the heat map shows them all.") if more > 0 else None,
        ]
    )


def _card(placed: PlacedCell, evidence: ReportEvidence, base_url: str | None) -> Html:
    cell = placed.cell
    explained = evidence.explanations.get(cell.key)
    standing = standing_of(placed)
    swatch = None
    if standing is not None:
        colour = "green" if standing == "significant" else "red"
        swatch = element("span", SIGNS[standing], class_=f"swatch {colour} {standing}")
    stages = (f"{name.capitalize()}: {said}. " for name, said in judged_on(placed).items())
    return element(
        "section",
        element("h3", swatch, " ", cell_name(placed)),
        element("p", said_of(placed), " ", _figures(placed)),
        element("p", stages, class_="small"),
        None if explained is None else _explained(explained, base_url),
        class_="card",
    )


def _figures(placed: PlacedCell) -> str:
    cell = placed.cell
    told = []
    if cell.shift is not None:
        told.append(
            f"Its shift is {figure(cell.shift)} (95 % interval {ends(cell.interval)}) over a noise floor of "
            f"{figure(cell.noise_floor)}; {placed.scenario.risk_level} scenarios are flagged above "
            f"{figure(cell.threshold)}; q {chance(cell.q_value)}."
        )
    if cell.match_rate.share is not None:
        told.append(
            f"{rate(cell.match_rate).capitalize()} runs did what is expected, and {rate(cell.baseline_match_rate)} "
            "without pressure."
        )
    return " ".join(told)


def _explained(explained: ExplanationOut, base_url: str | None) -> Html:
    most = None if explained.moved is None else PARTS[explained.moved]
    told = "No part moved beyond its noise." if most is None else f"What moved most is {most}."
    first = next(
        (part for part in explained.parts if part.part == explained.moved and part.first_difference), None
    )
    compared = (
        "It is told on the run nearest to the others of each side: ",
        _run(explained.baseline_run, base_url),
        " without pressure, ",
        _run(explained.variation_run, base_url),
        " under it.",
    )
    return join(
        [
            element("p", told),
            element("table", (_bars(part) for part in explained.parts), class_="bars"),
            None if first is None or first.first_difference is None else _difference(first.first_difference),
            element("p", compared, class_="small"),
        ]
    )


def _bars(part: MovedOut) -> Html:
    drawn = element(
        "svg",
        bar(SHARE, part.contribution, "moved", 1, 7),
        bar(SHARE, part.among_baselines, "noise", 9, 5),
        height=15,
        role="img",
        aria_label=f"{figure(part.contribution)} of the distance, {figure(part.among_baselines)} of the noise",
    )
    said = f"{figure(part.contribution)}, noise {figure(part.among_baselines)}"
    name = PARTS[part.part].removeprefix("the ")
    return element(
        "tr", element("th", name, scope="row"), element("td", drawn), element("td", said, class_="number")
    )


def _difference(differs: DiffersOut) -> Html:
    sides = (("without pressure", differs.baseline), ("under pressure", differs.variation))
    return join(
        [
            element("p", "First difference: ", element("bdi", differs.where)),
            element(
                "div",
                (
                    element("div", element("span", name, class_="small"), element("code", _value(value)))
                    for name, value in sides
                ),
                class_="sides",
            ),
        ]
    )


def _value(value: Any) -> str:
    if value is None:
        return "nothing"
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    if len(text) > _ONE_LINE and not isinstance(value, str):
        text = json.dumps(value, ensure_ascii=False, indent=2)
    return text if len(text) <= _VALUE_SHOWN else text[:_VALUE_SHOWN] + "…"


def _run(run_id: int, base_url: str | None) -> Child:
    said = f"run {run_id}"
    return said if base_url is None else element("a", said, href=run_address(base_url, run_id))
