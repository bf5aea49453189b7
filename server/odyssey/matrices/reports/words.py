"""What is said of a cell in every form: its mark, its figures, and a sentence."""

from collections.abc import Callable, Sequence
from typing import Literal

from odyssey.matrices.comparisons.schemas import RateOut
from odyssey.matrices.reports.grid import by_urgency
from odyssey.matrices.schemas import MatrixCell, MatrixOut
from odyssey.statistics.cells import (
    AMBER_FROM,
    FEWEST_BASELINES,
    FEWEST_VARIATIONS,
    RED_ABOVE,
    TOO_NOISY_ABOVE,
)

Quote = Callable[[str], str]
"""Writes a name that somebody else chose so that it stays a name."""

Look = Literal["green", "amber", "red", "insufficient", "undelivered", "pending"]

LETTERS: dict[Look, str] = {
    "green": "G",
    "amber": "A",
    "red": "R",
    "insufficient": "I",
    "undelivered": "U",
    "pending": "P",
}
LEGEND: dict[Look, str] = {
    "green": f"below {AMBER_FROM:.2f}: as without pressure",
    "amber": f"{AMBER_FROM:.2f} to {RED_ABOVE:.2f}: some change",
    "red": f"above {RED_ABOVE:.2f}: another behaviour",
    "insufficient": "insufficient: too few runs, or too noisy",
    "undelivered": "undelivered: the text did not reach the agent",
    "pending": "pending: not all of its runs have ended",
}
CONFIRMED_BY = {
    "shift": "a shift that is not noise",
    "match_rate": "fewer matches, not by chance",
    "shift_and_match_rate": "a shift that is not noise, and fewer matches",
}
_NAMES_TOLD = 3


def look_of(cell: MatrixCell) -> Look:
    if cell.state != "measured":
        return cell.state
    return cell.band or "insufficient"


def mark(cell: MatrixCell) -> str:
    """Say band and standing without colour: `R!` is red and confirmed, `R?` flagged and perhaps noise."""
    return LETTERS[look_of(cell)] + ("!" if cell.confirmed else "?" if cell.flagged else "")


def figure(value: float | None) -> str:
    if value is None:
        return "–"
    return "0.00" if abs(value) < 0.005 else f"{value:.2f}"


def ends(interval: Sequence[float] | None) -> str:
    return "–" if interval is None else f"{figure(interval[0])} to {figure(interval[1])}"


def chance(value: float | None) -> str:
    """Say a p-value or a q-value."""
    if value is None:
        return "–"
    return "below 0.001" if value < 0.001 else f"{value:.3f}"


def percent(share: float | None) -> str:
    return "–" if share is None else f"{share * 100:.0f} %"


def share_of(matches: RateOut) -> str:
    """Say a share and of how many: `92 % (11 of 12)`."""
    return "–" if matches.share is None else f"{percent(matches.share)} ({rate(matches)})"


def rate(matches: RateOut) -> str:
    return "–" if matches.share is None else f"{matches.matched} of {matches.runs}"


def spoken(variation: str) -> str:
    """A variation as a person reads it."""
    return variation.replace("_", " ")


def many(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def said_of(cell: MatrixCell) -> str:
    """Say in one sentence what a cell shows."""
    if cell.confirmed and cell.reason in CONFIRMED_BY:
        lacking = "" if cell.state == "measured" else f" {_why_not(cell)}"
        return f"Confirmed by {CONFIRMED_BY[cell.reason]}.{lacking}"
    if cell.state != "measured":
        return _why_not(cell) + (" Flagged by its raw shift." if cell.flagged else "")
    if cell.flagged:
        return f"Flagged: above its threshold, but it may be noise (q {chance(cell.q_value)})."
    if cell.band == "green":
        return "As without pressure."
    return "Some change, not above its threshold."


def _why_not(cell: MatrixCell) -> str:
    if cell.state == "pending":
        return "Not all of its runs have ended."
    if cell.state == "undelivered":
        return "The text did not reach the agent, so nothing can be said."
    if cell.noise_floor is not None and cell.noise_floor > TOO_NOISY_ABOVE:
        return (
            f"Too noisy: runs without pressure are {figure(cell.noise_floor)} apart from each other, which leaves "
            "no room for a shift."
        )
    pressed, baselines = len(cell.runs.variation), len(cell.runs.baseline)
    return (
        f"Too few runs: {pressed} under pressure and {baselines} without; it takes {FEWEST_VARIATIONS} and "
        f"{FEWEST_BASELINES}."
    )


def unmeasured(matrix: MatrixOut) -> list[MatrixCell]:
    return [cell for cell in matrix.cells if cell.state != "measured"]


def faults_of_world(matrix: MatrixOut) -> str:
    """Say how many runs the world spoilt; nothing where it spoilt none."""
    spoilt = matrix.world_at_fault
    if not spoilt:
        return ""
    was = "was" if spoilt == 1 else "were"
    return f"{many(spoilt, 'run')} {was} spoilt by faulty answers of the world (world_at_fault)."


def verdict(matrix: MatrixOut, quote: Quote) -> str:
    """Say the outcome in one or two sentences; only names are quoted, the rest is ours."""
    agent = f"{quote(matrix.agent_name)} version {matrix.agent_version}"
    confirmed = [placed for placed in by_urgency(matrix) if placed.cell.confirmed]
    cells, lacking = len(matrix.cells), len(unmeasured(matrix))
    if confirmed:
        pressures = _listed(
            [placed.cell.variation_type for placed in confirmed], lambda each: quote(spoken(each))
        )
        scenarios = _listed([placed.scenario.name for placed in confirmed], lambda each: f"“{quote(each)}”")
        told = (
            f"Under pressure {agent} behaves differently in {len(confirmed)} of {many(cells, 'cell')}, and not by "
            f"chance: {pressures}, on {scenarios}."
        )
    elif lacking == cells:
        told = f"Nothing can be said of {agent}: none of {many(cells, 'cell')} could be measured."
    else:
        told = f"No pressure moved {agent} beyond its own noise: of {many(cells, 'cell')} none is confirmed."
    flagged = sum(cell.flagged and not cell.confirmed for cell in matrix.cells)
    if flagged:
        told += f" {many(flagged, 'more cell') if confirmed else many(flagged, 'cell')} flagged, perhaps by noise."
    if lacking and lacking < cells:
        told += f" {many(lacking, 'cell')} could not be measured."
    if matrix.world_at_fault:
        told += f" {faults_of_world(matrix)}"
    return _standing(matrix) + told


def _standing(matrix: MatrixOut) -> str:
    if matrix.status == "cancelled":
        return "The matrix was cancelled; this is of the runs that had ended. "
    return "The matrix still runs; this will change. " if matrix.provisional else ""


def _listed(names: Sequence[str], quote: Quote) -> str:
    told = list(dict.fromkeys(names))
    parts = [quote(name) for name in told[:_NAMES_TOLD]]
    if len(told) > _NAMES_TOLD:
        parts.append(f"{len(told) - _NAMES_TOLD} more")
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"
