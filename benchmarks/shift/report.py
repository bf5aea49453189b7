"""The figures as tables and targets."""

from collections.abc import Iterable
from typing import Any, NamedTuple

from benchmarks.report import Target
from benchmarks.shift.draws import NAIVE_THRESHOLD, THRESHOLD, Design, Share
from benchmarks.shift.length import Lengths
from benchmarks.shift.nulls import CELLS, COLUMNS, MATRICES, ROWS, Halves, Matrices, Null
from benchmarks.shift.planted import DESIGNS, SIZES, Power, smallest_found
from benchmarks.shift.recorded import TRIALS, Recorded

NULL_LIMIT = 0.064
POWER_TARGETS = ((Design(6, 12), 0.6, 0.8), (Design(20, 20), 0.3, 0.75))
EFFECT_LIMIT = 0.05
_SHOWN_SIZES = SIZES[::2]


class Figures(NamedTuple):
    halves: list[Halves]
    halves_said: int
    """2 v 2 cells about which our rule said anything but `insufficient`."""
    nulls: list[Null]
    matrices: Matrices
    powers: list[Power]
    lengths: Lengths


def matrix_limit() -> float:
    return 0.05 + 2 * float((0.05 * 0.95 / MATRICES) ** 0.5)


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
    yield f"{f'nulls, {CELLS:,} cells each':<24}{head}{'too noisy':>11}"
    yield "-" * 115
    for null in figures.nulls:
        columns = (null.significant, null.confirmed, null.confirmed_with_matches, null.naive)
        shares = "".join(f"{_share(each):>20}" for each in columns)
        yield f"{f'{null.way} {null.design}':<24}{shares}{null.too_noisy:>11.2f}"
    yield "exchangeable by construction: these test code and rule, not how typical the agent is; in brackets 95 %,"
    yield "tasks resampled; or by matches: `passed` in the place of a match, a second test that may err as well"
    matrices = figures.matrices
    yield (
        f"{MATRICES} null matrices {ROWS} × {COLUMNS}: any cell confirmed in {matrices.any_confirmed:.3f}, "
        f"any flagged by the naive rule in {matrices.any_naive:.3f}"
    )


def _power_table(powers: list[Power]) -> Iterable[str]:
    yield ""
    sizes = "".join(f"{size:>8.1f}" for size in _SHOWN_SIZES)
    yield f"{'planted shift of size':<24}{sizes}   found 8 times in 10 from"
    yield "-" * 99
    for design in DESIGNS:
        of_design = [power for power in powers if power.design == design]
        shown = [power for power in of_design if power.size in _SHOWN_SIZES]
        smallest = smallest_found(of_design)
        ours = "".join(f"{power.confirmed.value:>8.2f}" for power in shown)
        naive = "".join(f"{power.naive:>8.2f}" for power in shown)
        yield f"{f'{design} confirmed':<24}{ours}   {'none of these' if smallest is None else f'{smallest:.2f}'}"
        yield f"{'       naive flags':<24}{naive}"
    unreached = "".join(
        f"{next(power.out_of_reach for power in powers if power.size == size):>8.2f}" for size in _SHOWN_SIZES
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


def targets(figures: Figures) -> list[Target]:
    found = [Target(figures.halves_said == 0, "2 v 2: `insufficient`, all of them")]
    for null in figures.nulls:
        name = f"{null.way} {null.design}"
        for what, measured in (
            ("p ≤ 0.05", null.significant),
            ("confirmed", null.confirmed),
            ("confirmed, by matches too,", null.confirmed_with_matches),
        ):
            text = f"{name}: share {what} at most {NULL_LIMIT}: {measured.value:.3f}"
            found.append(Target(measured.value <= NULL_LIMIT, text))
    any_confirmed, limit = figures.matrices.any_confirmed, matrix_limit()
    text = f"null matrices with any confirmed cell at most {limit:.3f}: {any_confirmed:.3f}"
    found.append(Target(any_confirmed <= limit, text))
    for design, size, wanted in POWER_TARGETS:
        power = next(each for each in figures.powers if (each.design, each.size) == (design, size))
        text = f"power at {design} for size {size} at least {wanted}: {_share(power.confirmed)}"
        found.append(Target(power.confirmed.value >= wanted, text))
    effect = figures.lengths.largest_effect
    text = f"pressure effect on the length agent within ±{EFFECT_LIMIT}: {effect:+.3f}"
    found.append(Target(abs(effect) <= EFFECT_LIMIT, text))
    return found


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
