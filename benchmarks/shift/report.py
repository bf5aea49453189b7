"""The figures as tables and targets."""

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from benchmarks.shift.draws import NAIVE_THRESHOLD, THRESHOLD, Design, Share
from benchmarks.shift.length import Lengths
from benchmarks.shift.nulls import COLUMNS, NULLS, ROWS, Halves, Matrices, Null
from benchmarks.shift.planted import DESIGNS, Power, smallest_found
from benchmarks.shift.recorded import TRIALS, Recorded
from benchmarks.targets import Outcome, Target

HALVES = Target("2 v 2 cells that are judged anything but `insufficient`", at_most=0)
NULL_SHARES: dict[str, Callable[[Null], Share]] = {
    "p ≤ 0.05": lambda null: null.significant,
    "confirmed": lambda null: null.confirmed,
    "confirmed, by matches too": lambda null: null.confirmed_with_matches,
}
OF_NULLS = {
    (way, design, what): Target(f"{way} {design}, nothing changed: share {what}", at_most=0.064)
    for way, design in NULLS
    for what in NULL_SHARES
}
# 5 %, and twice the standard error of a share of 5 % in 300 matrices.
ANY_CONFIRMED = Target("null matrices with any confirmed cell, share", at_most=0.0752)
POWERS = {
    (design, size): Target(f"planted shifts of {size} confirmed at {design}, share", at_least=share)
    for design, size, share in ((Design(6, 12), 0.6, 0.8), (Design(20, 20), 0.3, 0.75))
}
EFFECT = Target("largest pressure effect on the agent that reacts to length alone", at_most=0.05)


class Figures(NamedTuple):
    cells: int
    """Of each null and of each planted shift."""
    halves: list[Halves]
    halves_said: int
    """2 v 2 cells about which our rule said anything but `insufficient`."""
    nulls: list[Null]
    matrices: Matrices
    powers: list[Power]
    lengths: Lengths


def tables(recorded: Recorded, figures: Figures) -> Iterable[str]:
    yield from _head(recorded)
    yield from _halves_table(recorded, figures)
    yield from _nulls_table(figures)
    yield from _power_table(figures.powers)
    yield from _lengths_table(figures.lengths)


def _head(recorded: Recorded) -> Iterable[str]:
    within, across = recorded.within().mean(), recorded.across().mean()
    yield f"{len(recorded.behaviours)} runs: {recorded.tasks} tasks, {TRIALS} identical trials each, no pressure"
    yield f"mean distance of two trials of one task {within:.2f}, of two tasks {across:.2f}"
    yield f"ours: shift > {THRESHOLD} and q ≤ 0.05; naive: raw shift > {NAIVE_THRESHOLD}, as documented"


def _halves_table(recorded: Recorded, figures: Figures) -> Iterable[str]:
    yield ""
    yield f"{'2 v 2 splits, the naive rule':<40}{'mean distance':>15}{'tasks flagged':>15}{'of all splits':>15}"
    yield "-" * 85
    for halves in figures.halves:
        flagged = f"{halves.flagged_tasks} of {recorded.tasks}"
        yield f"{halves.measure:<40}{halves.mean_distance:>15.2f}{flagged:>15}{halves.flagged_splits:>15.2f}"
    answered = "every one" if figures.halves_said == 0 else f"all but {figures.halves_said}"
    yield f"ours answers `insufficient` to {answered}: 2 runs a side cannot tell noise from a shift"


def _nulls_table(figures: Figures) -> Iterable[str]:
    yield ""
    headings = ("p ≤ 0.05", "confirmed", "or by matches", "naive flags")
    head = "".join(f"{heading:>20}" for heading in headings)
    yield f"{f'nulls, {figures.cells:,} cells each':<24}{head}{'too noisy':>11}"
    yield "-" * 115
    for null in figures.nulls:
        columns = (null.significant, null.confirmed, null.confirmed_with_matches, null.naive)
        shares = "".join(f"{_share(each):>20}" for each in columns)
        yield f"{f'{null.way} {null.design}':<24}{shares}{null.too_noisy:>11.2f}"
    yield "exchangeable by construction: these test code and rule, not how typical the agent is; in brackets 95 %,"
    yield "tasks resampled; or by matches: `passed` in the place of a match, a second test that may err as well"
    matrices = figures.matrices
    yield (
        f"{matrices.matrices} null matrices {ROWS} × {COLUMNS}: any cell confirmed in {matrices.any_confirmed:.3f}, "
        f"any flagged by the naive rule in {matrices.any_naive:.3f}"
    )


def _power_table(powers: list[Power]) -> Iterable[str]:
    yield ""
    every_other = sorted({power.size for power in powers})[::2]
    sizes = "".join(f"{size:>8.1f}" for size in every_other)
    yield f"{'planted shift of size':<24}{sizes}   found 8 times in 10 from"
    yield "-" * 99
    for design in DESIGNS:
        of_design = [power for power in powers if power.design == design]
        shown = [power for power in of_design if power.size in every_other]
        smallest = smallest_found(of_design)
        ours = "".join(f"{power.confirmed.value:>8.2f}" for power in shown)
        naive = "".join(f"{power.naive:>8.2f}" for power in shown)
        yield f"{f'{design} confirmed':<24}{ours}   {'none of these' if smallest is None else f'{smallest:.2f}'}"
        yield f"{'       naive flags':<24}{naive}"
    unreached = "".join(
        f"{next(power.out_of_reach for power in powers if power.size == size):>8.2f}" for size in every_other
    )
    yield f"{'out of reach of a cell':<24}{unreached}"


def _lengths_table(lengths: Lengths) -> Iterable[str]:
    yield ""
    yield (
        f"deterministic agent that reacts to prompt length alone, {lengths.cells} cells: "
        "every task, pressure of the catalogue and dose"
    )
    yield f"  against the baseline: mean shift {lengths.mean_shift:.2f}, naive flags {lengths.naive_flagged}"
    yield f"  against the placebo: largest pressure effect {lengths.largest_effect:+.3f}"


def outcomes(figures: Figures) -> list[Outcome]:
    nulls = {(null.way, null.design): null for null in figures.nulls}
    powers = {(power.design, power.size): power.confirmed.value for power in figures.powers}
    return [
        HALVES.measured(figures.halves_said),
        *(
            target.measured(NULL_SHARES[what](nulls[way, design]).value)
            for (way, design, what), target in OF_NULLS.items()
        ),
        ANY_CONFIRMED.measured(figures.matrices.any_confirmed),
        *(target.measured(powers[which]) for which, target in POWERS.items()),
        EFFECT.measured(abs(figures.lengths.largest_effect)),
    ]


def as_json(recorded: Recorded, figures: Figures) -> dict[str, Any]:
    return {
        "within": [round(float(each), 4) for each in recorded.within()],
        "across": [round(float(each), 4) for each in recorded.across()],
        "nulls": [
            {
                "name": f"{null.way} {null.design}",
                "significant": null.significant.value,
                "confirmed": null.confirmed.value,
                "naive": null.naive.value,
            }
            for null in figures.nulls
        ],
        "matrices": figures.matrices._asdict(),
        "powers": [
            {
                "design": str(power.design),
                "size": power.size,
                "confirmed": power.confirmed.value,
                "naive": power.naive,
            }
            for power in figures.powers
        ],
    }


def _share(measured: Share) -> str:
    low, high = measured.interval
    return f"{measured.value:.3f} [{low:.2f}–{high:.2f}]"
