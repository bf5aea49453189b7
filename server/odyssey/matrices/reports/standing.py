"""How a cell looks and where it stands, in a letter, a mark and a word; each cell is counted as one kind."""

from collections import Counter
from typing import Literal

from odyssey.matrices.reports.grid import PlacedCell, placed_cells
from odyssey.matrices.schemas import MatrixOut
from odyssey.statistics.cells import AMBER_FROM, RED_ABOVE, SIGNIFICANT

Look = Literal["green", "amber", "red", "failing", "insufficient", "undelivered", "pending"]
Standing = Literal["confirmed", "flagged", "significant"]
Kind = Standing | Look

SIGNS: dict[Kind, str] = {
    "confirmed": "!",
    "flagged": "?",
    "significant": "~",
    "green": "G",
    "amber": "A",
    "red": "R",
    "failing": "F",
    "insufficient": "I",
    "undelivered": "U",
    "pending": "P",
}
LEGEND: dict[Kind, str] = {
    "confirmed": f"confirmed: not noise, and either a shift of {AMBER_FROM:.2f} or more or fewer matches",
    "flagged": "flagged: above its threshold, perhaps noise",
    "significant": f"significant: not noise (q at most {SIGNIFICANT}), but small",
    "red": f"above {RED_ABOVE:.2f}: another behaviour, but not above its threshold",
    "amber": f"{AMBER_FROM:.2f} to {RED_ABOVE:.2f}: some change, not confirmed",
    "green": f"below {AMBER_FROM:.2f}: as without pressure",
    "failing": "failing: as without pressure, where it fails already",
    "insufficient": "insufficient: too few runs, or too noisy",
    "undelivered": "undelivered: the text did not reach the agent",
    "pending": "pending: not all of its runs have ended",
}
"""The most urgent first."""
INCIDENTS_EXPLAINED = (
    "Incident: a run under the pressure did something that no run of its row without pressure did. It is told beside "
    "the colour, however small the shift is."
)


def look_of(placed: PlacedCell) -> Look:
    """Give the band of a cell; where its row fails without pressure, to be as without pressure is not healthy."""
    cell = placed.cell
    if cell.state != "measured":
        return cell.state
    if cell.band == "green" and placed.fails_without_pressure:
        return "failing"
    return cell.band or "insufficient"


def standing_of(placed: PlacedCell) -> Standing | None:
    cell = placed.cell
    if cell.confirmed:
        return "confirmed"
    if cell.flagged:
        return "flagged"
    return "significant" if cell.significant else None


def kind_of(placed: PlacedCell) -> Kind:
    return standing_of(placed) or look_of(placed)


def mark(placed: PlacedCell) -> str:
    """Say look and standing without colour: `R!` is red and confirmed, `G~` green and significant."""
    standing = standing_of(placed)
    return SIGNS[look_of(placed)] + ("" if standing is None else SIGNS[standing])


def count_kinds(matrix: MatrixOut) -> dict[Kind, int]:
    """Count each cell once, as the most urgent thing that it is."""
    found = Counter(map(kind_of, placed_cells(matrix)))
    return {kind: found[kind] for kind in LEGEND}
