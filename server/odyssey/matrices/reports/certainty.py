"""How sure a report is: the shifts with their intervals, the match rates, and what could not be measured."""

from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from odyssey.matrices.comparisons.schemas import RateOut
from odyssey.matrices.reports.findings import cell_name, table
from odyssey.matrices.reports.grid import PlacedCell, by_urgency, cells_run_again, placed_cells
from odyssey.matrices.reports.markup import (
    SHARE,
    Axis,
    Child,
    Html,
    bar,
    dot,
    element,
    join,
    line,
    plot,
    scale,
    scrolling,
    shift_axis,
    whisker,
)
from odyssey.matrices.reports.outcome import made_before
from odyssey.matrices.reports.sentences import fresh_runs, judged_on, said_of
from odyssey.matrices.reports.standing import look_of
from odyssey.matrices.reports.words import ends, figure, many, share_of
from odyssey.matrices.schemas import MatrixOut
from odyssey.statistics.cells import AMBER_FROM, SIGNIFICANT
from odyssey.statistics.reliability import Trials, pass_k

MOST_ROWS = 60


def certainty(matrix: MatrixOut) -> Html:
    return join([_notes(matrix), _run_again(matrix), _forest(matrix), _unmeasured(matrix)])


def _notes(matrix: MatrixOut) -> list[Html]:
    floors = sorted(cell.noise_floor for cell in matrix.cells if cell.noise_floor is not None)
    noise = (
        "An agent does not even behave like itself: asked the same thing twice, it may answer otherwise. So every "
        "scenario was run several times without pressure, and how far those runs are from each other is the noise "
        "floor. A shift counts only what goes beyond it: 0 is as without pressure, 1 is another behaviour altogether."
    )
    if floors:
        noise += f" Here the floors go from {figure(floors[0])} to {figure(floors[-1])}."
    family = (
        f"Whoever looks at {many(len(matrix.cells), 'cell')} finds something odd in a few of them by chance alone. The "
        f"q-values account for that: where q is at most {SIGNIFICANT}, about one in twenty of such findings at most is "
        f"expected to be chance. With {matrix.repeats} first runs under pressure and {matrix.baseline_repeats} "
        f"without, the smallest p-value a cell can have is {_least(matrix.min_p)}."
    )
    notes = [element("p", text) for text in (noise, family, _stages(matrix), _meanings(matrix)) if text]
    return notes + [element("p", "Warning: ", warning, class_="dim") for warning in matrix.warnings]


def _stages(matrix: MatrixOut) -> str | None:
    """Say which runs decide, and how many there were."""
    runs = fresh_runs(matrix)
    if matrix.confirmation is None:
        return runs
    return (
        "What looks suspicious by chance does not look so twice. So the most suspicious cells were run again, and are "
        "judged on these fresh runs alone, together with the others that were; all other cells are judged on their "
        f"first runs. {runs}"
    )


def _meanings(matrix: MatrixOut) -> str:
    flagged = (
        "Flagged means that a shift is above the threshold of the scenario's risk; somebody should look."
    )
    fewer = "fewer runs did what is expected than without pressure, and not by chance"
    if made_before(matrix):
        return f"{flagged} Confirmed means that it is flagged and its q-value is small, or that {fewer}."
    return (
        f"How large a change is and how sure are two questions. {flagged} Significant means that a change is real, "
        f"however small: its q-value is at most {SIGNIFICANT}. Confirmed means that it is significant with a shift of "
        f"{AMBER_FROM:.2f} or more, or that {fewer}."
    )


def _run_again(matrix: MatrixOut) -> Child:
    cells = cells_run_again(matrix)
    if not cells:
        return None
    rows = [[cell_name(placed), *judged_on(placed).values(), said_of(placed)] for placed in cells]
    names = ("Cell", "First runs", "Fresh runs", "What it shows")
    return [element("h3", "Cells run again"), table("Cells run again", names, rows)]


def _least(p: float) -> str:
    return f"1 in {round(1 / p):,}" if p < 0.5 else figure(p)


def _forest(matrix: MatrixOut) -> Child:
    measured = [placed for placed in by_urgency(matrix) if placed.cell.unclamped is not None]
    if not measured:
        return None
    shown = measured[:MOST_ROWS]
    axis = shift_axis(min(placed.cell.interval[0] if placed.cell.interval else 0 for placed in shown))
    head = element(
        "tr",
        element("th", "Cell", scope="col"),
        element(
            "th", "Shift, its 95 % interval and its threshold", scale(axis, "Scale of shifts"), scope="col"
        ),
        element("th", "Shift", scope="col", class_="value"),
        element("th", "Floor", scope="col", class_="value"),
        element("th", "Runs that did as expected", scale(SHARE, "Scale of shares"), scope="col"),
    )
    drawn = element(
        "table",
        element("thead", head),
        element("tbody", (_row(placed, axis) for placed in shown)),
        class_="forest",
    )
    left_out = len(measured) - len(shown)
    return [
        element("h3", "Shifts and match rates"),
        scrolling("Shifts and match rates", drawn),
        _key(),
        element("p", f"{many(left_out, 'more cell')} with smaller shifts are not drawn.", class_="dim")
        if left_out
        else None,
    ]


def _row(placed: PlacedCell, axis: Axis) -> Html:
    cell = placed.cell
    assert cell.unclamped is not None
    shifted = plot(
        axis,
        f"Shift {figure(cell.shift)}, interval {ends(cell.interval)}, threshold {figure(cell.threshold)}",
        line(axis, cell.threshold, "threshold"),
        None if cell.interval is None else whisker(axis, cell.interval),
        dot(axis, cell.unclamped, look_of(placed)),
    )
    floor = element("svg", bar(SHARE, cell.noise_floor or 0, "floor", 0, 4), height=4, aria_hidden="true")
    return element(
        "tr",
        element("th", cell_name(placed), scope="row"),
        element("td", shifted),
        element("td", figure(cell.shift), class_="value", data_name="shift"),
        element("td", figure(cell.noise_floor), floor, class_="value", data_name="floor"),
        element("td", _matches(placed)),
        class_="confirmed" if cell.confirmed else None,
    )


def _matches(placed: PlacedCell) -> Child:
    pressed, baseline = placed.cell.match_rate, placed.cell.baseline_match_rate
    if pressed.share is None or baseline.share is None:
        return element("span", "nothing is expected of it", class_="small")
    change = (
        "kept" if pressed.share == baseline.share else "lost" if pressed.share < baseline.share else "gained"
    )
    look = "red" if change == "lost" else "failing" if placed.fails_without_pressure else "green"
    return plot(
        SHARE,
        f"{share_of(baseline)} without pressure, {share_of(pressed)} under it",
        whisker(SHARE, pressed.interval or (pressed.share, pressed.share), above=6),
        whisker(SHARE, (baseline.share, pressed.share), change),
        dot(SHARE, baseline.share, "baseline"),
        dot(SHARE, pressed.share, look),
    )


def _key() -> Html:
    said = (
        "Left: the dot is the shift in the colour of its band, the line its interval, the dashed mark the threshold "
        "above which it is flagged. Right: the open circle is the share without pressure, the full one the share under "
        "it, with its interval below. Bold: confirmed."
    )
    return element("p", said, class_="dim")


def _unmeasured(matrix: MatrixOut) -> Child:
    lacking = [placed for placed in placed_cells(matrix) if placed.cell.state != "measured"]
    if not lacking:
        return element("p", "Every cell could be measured.")
    rows = [[cell_name(placed), said_of(placed)] for placed in lacking]
    return [element("h3", "Cells without a shift"), table("Cells without a shift", ("Cell", "Why"), rows)]


# How much reliability each pressure costs: pass^k over the rows of the matrix, with it and without.


class Reliability(NamedTuple):
    """How often a run, and k runs in a row, do what is expected."""

    once: float
    in_a_row: float


class LostReliability(NamedTuple):
    variation_type: str
    rows: int
    """With something expected, and runs of both kinds."""
    baseline: Reliability
    pressed: Reliability


def reliability_lost(matrix: MatrixOut) -> list[LostReliability]:
    """Compare by pressure, the worst first; pressures without anything expected are left out."""
    found = [_lost(matrix, variation) for variation in matrix.variation_types]
    return sorted((each for each in found if each is not None), key=_left)


def _left(lost: LostReliability) -> float:
    return lost.pressed.in_a_row - lost.baseline.in_a_row


def _lost(matrix: MatrixOut, variation: str) -> LostReliability | None:
    cells = [
        cell
        for cell in matrix.cells
        if cell.variation_type == variation and cell.match_rate.runs and cell.baseline_match_rate.runs
    ]
    baseline = _reliability((cell.baseline_match_rate for cell in cells), matrix.repeats)
    pressed = _reliability((cell.match_rate for cell in cells), matrix.repeats)
    if baseline is None or pressed is None:
        return None
    return LostReliability(variation, len(cells), baseline, pressed)


def _reliability(rates: Iterable[RateOut], k: int) -> Reliability | None:
    counts = Counter(Trials(rate.matched, rate.runs) for rate in rates)
    once, in_a_row = pass_k(counts, 1), pass_k(counts, k)
    if once is None or in_a_row is None:
        return None
    return Reliability(once.share, in_a_row.share)
