"""How much reliability each pressure costs: pass^k over the rows of the matrix, with it and without."""

from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from odyssey.matrices.comparisons.schemas import RateOut
from odyssey.matrices.schemas import MatrixOut
from odyssey.statistics.reliability import Trials, pass_k


class Reliability(NamedTuple):
    """How often a run, and k runs in a row, do what is expected."""

    once: float
    in_a_row: float


class Lost(NamedTuple):
    variation_type: str
    rows: int
    """With something expected, and runs of both kinds."""
    baseline: Reliability
    pressed: Reliability


def reliability_lost(matrix: MatrixOut) -> list[Lost]:
    """Compare by pressure, the worst first; pressures without anything expected are left out."""
    found = [_lost(matrix, variation) for variation in matrix.variation_types]
    return sorted((each for each in found if each is not None), key=_left)


def _left(lost: Lost) -> float:
    return lost.pressed.in_a_row - lost.baseline.in_a_row


def _lost(matrix: MatrixOut, variation: str) -> Lost | None:
    cells = [
        cell
        for cell in matrix.cells
        if cell.variation_type == variation and cell.match_rate.runs and cell.baseline_match_rate.runs
    ]
    baseline = _reliability((cell.baseline_match_rate for cell in cells), matrix.repeats)
    pressed = _reliability((cell.match_rate for cell in cells), matrix.repeats)
    if baseline is None or pressed is None:
        return None
    return Lost(variation, len(cells), baseline, pressed)


def _reliability(rates: Iterable[RateOut], k: int) -> Reliability | None:
    counts = Counter(Trials(rate.matched, rate.runs) for rate in rates)
    once, in_a_row = pass_k(counts, 1), pass_k(counts, k)
    if once is None or in_a_row is None:
        return None
    return Reliability(once.share, in_a_row.share)
