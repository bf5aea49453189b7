"""What is said of the cells of a matrix: enough runs, how far, by chance or not, above the threshold or not.

How large and how sure are two questions. A cell is `flagged` when its shift is above the threshold of its risk: large,
perhaps by chance. It is `significant` when its shift is not chance: q ≤ 0.05, however small it is. It is `confirmed`
when it is significant and no longer green, or when fewer of its runs match, with match_q ≤ 0.05. Each q-value is taken
over all cells of a family that can be tested, so cells are judged together or not at all.

The test of matches does not use distances: a cell too noisy to have a shift can still be confirmed by its matches.
"""

from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np

from odyssey.statistics.intervals import RESAMPLES, Interval
from odyssey.statistics.shift import Comparison, Shift, Significance, measure, significance_of
from odyssey.statistics.significance import Matches, fewer_matches_p

FEWEST_BASELINES = 4
FEWEST_VARIATIONS = 3
TOO_NOISY_ABOVE = 0.8
SIGNIFICANT = 0.05
AMBER_FROM = 0.2
RED_ABOVE = 0.5

State = Literal["measured", "insufficient", "undelivered"]
Band = Literal["green", "amber", "red"]
Reason = Literal["too_few_runs", "too_noisy", "undelivered", "shift", "match_rate", "shift_and_match_rate"]


_TESTED = (None, "too_noisy")
"""What a cell may lack and be tested all the same."""


class Cell(NamedTuple):
    comparison: Comparison
    threshold: float
    """The shift above which a cell of this risk is flagged."""
    critical: bool = False
    """Flagged by the raw shift where there is no other."""
    matches: Matches | None = None
    """Of the variation runs; None where nothing is expected of them."""
    baseline_matches: Matches | None = None
    delivered: bool = True


class MatchTest(NamedTuple):
    """Whether fewer runs match than without pressure."""

    p_value: float
    q_value: float


class CellJudgement(NamedTuple):
    state: State
    shift: Shift
    p_value: float | None
    interval: Interval | None
    q_value: float | None
    match_p: float | None
    match_q: float | None
    significant: bool
    """The shift is not chance, however small."""
    flagged: bool
    """The shift is above the threshold of its risk, perhaps by chance."""
    confirmed: bool
    """Significant and not green, or fewer matches that are not chance."""
    reason: Reason | None
    """What it is confirmed by; else why it has no shift; else nothing."""
    band: Band | None


def band(shift: float) -> Band:
    if shift < AMBER_FROM:
        return "green"
    return "amber" if shift <= RED_ABOVE else "red"


def judge(
    cells: Sequence[Cell], *, seed: int, resamples: int = RESAMPLES, share: float = 1.0
) -> list[CellJudgement]:
    """Judge all cells of one family. The seed decides random relabellings and the intervals.

    Of several families that are judged at the same time each has its share of the 5 % of errors that all together may
    make: its q-values are so much larger.
    """
    shifts = [measure(cell.comparison) for cell in cells]
    lacks = [_lack(cell, shift) for cell, shift in zip(cells, shifts, strict=True)]
    # What is too noisy is tested as well, and nothing is said of it. Whether it is depends on the baselines alone, so
    # leaving it out would pick cells whose baselines happen to be near each other: their shifts are large by chance.
    testable = [index for index, lack in enumerate(lacks) if lack in _TESTED]
    comparisons = [cells[index].comparison for index in testable]
    tested = significance_of(comparisons, seed=seed, resamples=resamples)
    significance = dict(zip(testable, tested, strict=True))
    q_values = _over(testable, [each.p_value for each in tested], share)
    match_p = _match_p_values(cells, lacks)
    match_q = _over(list(match_p), list(match_p.values()), share)
    return [
        _judged(
            cell,
            shift,
            lack,
            significance.get(index) if lack is None else None,
            q_values.get(index) if lack is None else None,
            None if index not in match_p else MatchTest(match_p[index], match_q[index]),
        )
        for index, (cell, shift, lack) in enumerate(zip(cells, shifts, lacks, strict=True))
    ]


def _lack(cell: Cell, shift: Shift) -> Reason | None:
    if not cell.delivered:
        return "undelivered"
    runs = cell.comparison
    if runs.variations < FEWEST_VARIATIONS or runs.baselines < FEWEST_BASELINES:
        return "too_few_runs"
    return "too_noisy" if shift.floor is not None and shift.floor > TOO_NOISY_ABOVE else None


def _match_p_values(cells: Sequence[Cell], lacks: Sequence[Reason | None]) -> dict[int, float]:
    return {
        index: fewer_matches_p(cell.matches, cell.baseline_matches)
        for index, (cell, lack) in enumerate(zip(cells, lacks, strict=True))
        if cell.matches is not None and cell.baseline_matches is not None and lack in _TESTED
    }


def _over(indexes: Sequence[int], p_values: Sequence[float], share: float) -> dict[int, float]:
    q_values = (min(1.0, q_value / share) for q_value in benjamini_hochberg(p_values))
    return dict(zip(indexes, q_values, strict=True))


def _judged(
    cell: Cell,
    shift: Shift,
    lack: Reason | None,
    significance: Significance | None,
    q_value: float | None,
    matches: MatchTest | None,
) -> CellJudgement:
    significant = q_value is not None and q_value <= SIGNIFICANT
    by_shift = significant and shift.unclamped is not None and shift.unclamped >= AMBER_FROM
    by_matches = matches is not None and matches.q_value <= SIGNIFICANT and _matches_less(cell)
    measured = lack is None and shift.clamped is not None
    return CellJudgement(
        state="measured" if lack is None else "undelivered" if lack == "undelivered" else "insufficient",
        shift=shift,
        p_value=None if significance is None else significance.p_value,
        interval=None if significance is None else significance.interval,
        q_value=q_value,
        match_p=None if matches is None else matches.p_value,
        match_q=None if matches is None else matches.q_value,
        significant=significant,
        flagged=_is_flagged(cell, shift, lack),
        confirmed=by_shift or by_matches,
        reason=_confirmed_by(by_shift, by_matches) or lack,
        band=band(shift.clamped) if measured and shift.clamped is not None else None,
    )


def _is_flagged(cell: Cell, shift: Shift, lack: Reason | None) -> bool:
    if lack == "undelivered":
        return False
    if lack is None:
        return shift.unclamped is not None and shift.unclamped > cell.threshold
    return cell.critical and shift.raw is not None and shift.raw > cell.threshold


def _matches_less(cell: Cell) -> bool:
    if cell.matches is None or cell.baseline_matches is None:
        return False
    return cell.matches.rate < cell.baseline_matches.rate


def _confirmed_by(by_shift: bool, by_matches: bool) -> Reason | None:
    if by_shift and by_matches:
        return "shift_and_match_rate"
    if by_shift:
        return "shift"
    return "match_rate" if by_matches else None


# Many tests at once: among a thousand cells fifty are "significant" by chance alone.
def benjamini_hochberg(p_values: Sequence[float]) -> list[float]:
    """Give q-values in the order of the p-values: calling all with q ≤ 0.05 is wrong about 5 % of those called.

    It holds for independent tests and for positively dependent ones.
    """
    # 0.01, 0.04, 0.03 and 0.5, sorted and each times 4 / its rank: 0.04, 0.06, 0.053, 0.5. None may be above a later
    # one, so 0.06 becomes 0.053. Back in their order: 0.04, 0.053, 0.053, 0.5.
    tests = len(p_values)
    order = np.argsort(p_values, kind="stable")
    stepped = np.asarray(p_values, dtype=float)[order] * (tests / np.arange(1, tests + 1))
    q_values = np.empty(tests)
    q_values[order] = np.minimum(1.0, np.minimum.accumulate(stepped[::-1])[::-1])
    return [float(q) for q in q_values]
