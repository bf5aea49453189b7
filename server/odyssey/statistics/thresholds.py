"""Above which shift to flag, as far as the verdicts of people say.

A verdict says of one shift whether it should have been flagged. A threshold calls it flagged or not; each call that
differs from the verdict is a wrong one. What is sought is the threshold, in hundredths, with the fewest wrong calls.

Little is claimed from little: a few verdicts suggest nothing, and neither does a gain that one verdict could undo.
"""

from bisect import bisect_right
from collections.abc import Sequence
from typing import NamedTuple

FEWEST_VERDICTS = 10
LEAST_GAIN = 2
_CANDIDATES = tuple(hundredth / 100 for hundredth in range(1, 100))
"""One that flags everything or nothing is no threshold."""


class ShiftVerdict(NamedTuple):
    shift: float
    should_be_flagged: bool


class Suggestion(NamedTuple):
    present: float
    suggested: float | None
    """None while the verdicts do not say more than the present one."""
    verdicts: int
    wrong_now: int
    wrong_then: int | None

    @property
    def explanation(self) -> str:
        given = _many(self.verdicts, "verdict")
        if self.verdicts < FEWEST_VERDICTS:
            return f"{given} so far; a suggestion needs at least {FEWEST_VERDICTS}."
        now = (
            f"{given}: the present threshold of {self.present:g} makes {_many(self.wrong_now, 'wrong call')}"
        )
        if self.suggested is None:
            return f"{now}, and none makes at least {LEAST_GAIN} fewer."
        return f"{now}, {self.suggested:g} would make {self.wrong_then}."


def suggest_threshold(verdicts: Sequence[ShiftVerdict], present: float) -> Suggestion:
    """Find the threshold with the fewest wrong calls; of equals the one nearest to the present, then the lower."""
    wanted = sorted(each.shift for each in verdicts if each.should_be_flagged)
    unwanted = sorted(each.shift for each in verdicts if not each.should_be_flagged)

    def wrong_calls(threshold: float) -> int:
        alarms = len(unwanted) - bisect_right(unwanted, threshold)
        return bisect_right(wanted, threshold) + alarms

    now = wrong_calls(present)
    if len(verdicts) < FEWEST_VERDICTS:
        return Suggestion(present, None, len(verdicts), now, None)
    wrong, _, best = min((wrong_calls(each), abs(each - present), each) for each in _CANDIDATES)
    if now - wrong < LEAST_GAIN:
        return Suggestion(present, None, len(verdicts), now, None)
    return Suggestion(present, best, len(verdicts), now, wrong)


def _many(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
