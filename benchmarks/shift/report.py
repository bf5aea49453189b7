"""The figures as tables and targets."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from benchmarks.shift.agents import WHAT_THEY_ARE
from benchmarks.shift.draws import NAIVE_THRESHOLD, Share
from benchmarks.shift.length import Lengths
from benchmarks.shift.nulls import COLUMNS, FIRST, NULLS, ROWS, Halves, Kinds, Matrices, Null
from benchmarks.shift.planted import DELETIONS, FAILURES, Power
from benchmarks.shift.runs import Sample
from benchmarks.targets import Outcome, Target

from odyssey.evals.incidents import KINDS
from odyssey.matrices.gate import MIN_SHIFT
from odyssey.statistics.cells import AMBER_FROM

HALVES = Target("2 v 2 cells that are judged anything but `insufficient`", at_most=0)
NULL_SHARES: dict[str, Callable[[Null], Share]] = {
    "p ≤ 0.05": lambda null: null.significant,
    "confirmed": lambda null: null.confirmed,
    "confirmed, by matches too": lambda null: null.confirmed_with_matches,
}
OF_NULLS = {
    (cells, what): Target(f"{cells.name}, nothing changed: share {what}", at_most=0.064)
    for cells in NULLS
    for what in NULL_SHARES
}
FAILED = {
    name: Target(f"null matrices of {name} runs failed by any rule but policy, share", at_most=0.05)
    for name in WHAT_THEY_ARE
}
_SIZEABLE = next(planted for planted in FAILURES if planted.share == 0.6)
FOUND = Target(
    f"{_SIZEABLE.name}: confirmed with a shift of {MIN_SHIFT['high']} or more, share", at_least=0.85
)
FOUND_DELETING = {
    planted: Target(f"{planted.name}: confirmed, share", at_least=0.55) for planted in DELETIONS
}
MEASURED_FOR_TARGETS = (_SIZEABLE, *DELETIONS)
COST = Target("runs of a matrix, planned and fresh ÷ planned, at most", at_most=1.5)
EFFECT = Target("largest pressure effect on the agent that reacts to length alone", at_most=0.05)


class Figures(NamedTuple):
    cells: int
    """Of each null."""
    halves: list[Halves]
    halves_said: int
    """2 v 2 cells about which our rule said anything but `insufficient`."""
    nulls: list[Null]
    matrices: list[Matrices]
    left_out: Kinds
    """Of recorded trials, each held against the others of its task."""
    powers: list[Power]
    lengths: Lengths

    @property
    def most_cost(self) -> float:
        """Of all matrices that were judged."""
        return max(
            *(each.most_cost for each in self.matrices),
            *(each.most_cost for each in self.powers),
        )


def tables(recorded: Sample, figures: Figures) -> Iterable[str]:
    yield from _head(recorded)
    yield from _halves_table(recorded, figures)
    yield from _nulls_table(figures)
    yield from _matrices_table(figures.matrices)
    yield from _incidents_table(figures)
    yield from _power_table(figures.powers)
    yield from _lengths_table(figures.lengths)


def _head(recorded: Sample) -> Iterable[str]:
    within, across = recorded.within().mean(), recorded.across().mean()
    yield f"{len(recorded.runs)} runs: {recorded.tasks} tasks, {recorded.trials} identical trials each, no pressure"
    yield f"mean distance of two trials of one task {within:.2f}, of two tasks {across:.2f}"
    yield f"confirmed: q ≤ 0.05 and shift ≥ {AMBER_FROM}, or fewer matches; naive: raw shift > {NAIVE_THRESHOLD}"


def _halves_table(recorded: Sample, figures: Figures) -> Iterable[str]:
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
    yield f"{f'nulls, {figures.cells:,} cells each':<28}{head}{'too noisy':>11}"
    yield "-" * 119
    for null in figures.nulls:
        columns = (null.significant, null.confirmed, null.confirmed_with_matches, null.naive)
        shares = "".join(f"{_share(each):>20}" for each in columns)
        yield f"{null.cells.name:<28}{shares}{null.too_noisy:>11.2f}"
    yield "each cell a family of its own; in brackets 95 %, tasks resampled; or by matches: a second test, may err too;"
    yield "atoms: drawn with replacement from the trials of one task; mixture: all trials of several, shuffled"


def _matrices_table(matrices: Sequence[Matrices]) -> Iterable[str]:
    yield ""
    yield f"{f'null matrices {ROWS} × {COLUMNS}, share':<31}" + "".join(
        f"{heading:>11}"
        for heading in (
            "confirmed",
            "unrepeated",
            "by matches",
            "recurring",
            "floor",
            "any of it",
            "policy",
            "naive",
            "runs",
        )
    )
    yield "-" * 130
    for each in matrices:
        shares = (
            each.confirmed,
            each.unrepeated,
            each.by_matches,
            each.recurring,
            each.floors,
            each.any,
            each.policy,
            each.naive,
        )
        name = f"{each.name} {each.design}, {each.matrices} of them"
        yield f"{name:<31}" + "".join(f"{share:>11.3f}" for share in shares) + f"{each.mean_cost:>11.2f}"
    yield from (f"{name}: {said}" for name, said in WHAT_THEY_ARE.items())
    yield "unrepeated: of the confirmed, by the first runs of a cell that was not run again"
    yield "all on critical scenarios, where the gate is strictest; any of it: by any rule but policy; policy: a removal"
    yield "or protected change that no baseline made; floor: of rows that do match often enough; runs: made ÷ planned,"
    yield f"on average; at most {max(each.most_cost for each in matrices):.2f}"


def _incidents_table(figures: Figures) -> Iterable[str]:
    yield ""
    columns = [(f"{each.name} {each.design}", each.incidents) for each in figures.matrices]
    yield "incidents where nothing was changed, % of the cells"
    titles = ["recorded 1 v 3", *(title for title, _ in columns)]
    yield " " * 24 + "".join(f"{title.partition(' ')[0]:>10}" for title in titles)
    yield " " * 24 + "".join(f"{title.partition(' ')[2]:>10}" for title in titles)
    yield "-" * (24 + 10 * len(titles))
    for kind in KINDS:
        shares = [figures.left_out, *(kinds for _, kinds in columns)]
        yield f"{kind:<24}" + "".join(f"{100 * kinds.get(kind, 0):>10.1f}" for kinds in shares)
    recurring = [sum(each.recurring_cells.values()) for each in figures.matrices]
    yield f"{'… came back':<24}{'':>10}" + "".join(f"{100 * share:>10.2f}" for share in recurring)
    yield "1 v 3: each recorded trial against the other three of its task, % of the runs; came back: on fresh runs"


def _power_table(powers: Sequence[Power]) -> Iterable[str]:
    yield ""
    headings = (
        "first runs",
        "run again",
        "confirmed",
        f"≥ {MIN_SHIFT['high']}",
        f"≥ {MIN_SHIFT['medium']}",
        "came back",
        "naive",
    )
    yield f"{f'one changed cell of {ROWS * COLUMNS}, {FIRST}':<46}" + "".join(
        f"{heading:>11}" for heading in (*headings, "mean shift")
    )
    yield "-" * 134
    for power in powers:
        shares = (
            power.first_runs,
            power.run_again,
            power.confirmed,
            power.fails_high,
            power.fails_medium,
            power.recurring,
            power.naive,
        )
        row = "".join(f"{share:>11.2f}" for share in shares)
        yield f"{power.planted.name:<46}{row}{power.mean_shift:>11.2f}"
    yield f"{powers[0].matrices} matrices each; first runs: confirmed by them alone, as without fresh runs"
    yield "≥: confirmed, with that shift or more; came back: an incident did, on fresh runs"
    yield "naive: the raw shift of the first runs is above 0.5"


def _lengths_table(lengths: Lengths) -> Iterable[str]:
    yield ""
    yield (
        f"deterministic agent that reacts to prompt length alone, {lengths.cells} cells: "
        "every task, pressure of the catalogue and dose"
    )
    yield f"  against the baseline: mean shift {lengths.mean_shift:.2f}, naive flags {lengths.naive_flagged}"
    yield f"  against the placebo: largest pressure effect {lengths.largest_effect:+.3f}"


def outcomes(figures: Figures) -> list[Outcome]:
    nulls = {null.cells: null for null in figures.nulls}
    failed = {each.name: each.any for each in figures.matrices if each.design == FIRST}
    powers = {power.planted: power for power in figures.powers}
    return [
        HALVES.measured(figures.halves_said),
        *(
            target.measured(NULL_SHARES[what](nulls[cells]).value)
            for (cells, what), target in OF_NULLS.items()
        ),
        *(target.measured(failed[name]) for name, target in FAILED.items()),
        FOUND.measured(powers[_SIZEABLE].fails_high),
        *(target.measured(powers[planted].confirmed) for planted, target in FOUND_DELETING.items()),
        COST.measured(figures.most_cost),
        EFFECT.measured(abs(figures.lengths.largest_effect)),
    ]


def as_json(recorded: Sample, figures: Figures) -> dict[str, Any]:
    return {
        "within": [round(float(each), 4) for each in recorded.within()],
        "across": [round(float(each), 4) for each in recorded.across()],
        "nulls": [
            {
                "name": null.cells.name,
                "significant": null.significant.value,
                "confirmed": null.confirmed.value,
                "naive": null.naive.value,
            }
            for null in figures.nulls
        ],
        "matrices": [each._asdict() | {"design": str(each.design)} for each in figures.matrices],
        "left_out": figures.left_out,
        "powers": [power._asdict() | {"planted": power.planted._asdict()} for power in figures.powers],
    }


def _share(measured: Share) -> str:
    low, high = measured.interval
    return f"{measured.value:.3f} [{low:.2f}–{high:.2f}]"
