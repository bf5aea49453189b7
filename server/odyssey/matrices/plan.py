"""Which runs an experiment comes to, and in which order: a pure function of its snapshot.

Run k is of row k mod rows, so rows go side by side and whatever changes while a matrix goes on changes for all of them
alike. Within a row its baselines, pressures and placebos come in one random order drawn from the seed of the matrix.
Each run has a random seed of its own, which also decides the wording it gets.

The fresh runs of a confirmation come after all of these, in one random order. They are repeats with higher numbers: of
a cell with 4 repeats that gets 16 fresh runs these are the repeats 5 to 20.
"""

from collections.abc import Iterator
from hashlib import sha256
from random import Random
from typing import NamedTuple

from odyssey.evals.eval_runs.plan import PlannedRun, Pressure, plan_baselines, plan_pressed
from odyssey.matrices.snapshot import Confirmation, Snapshot, SnapshotRuleSet, SnapshotScenario
from odyssey.records.canonical import canonical_json
from odyssey.statistics.cells import FEWEST_BASELINES, FEWEST_VARIATIONS, SIGNIFICANT
from odyssey.statistics.confirmation import LEAST_TOTAL
from odyssey.statistics.significance import min_p


class PlanRow(NamedTuple):
    """A scenario, as it is or while something is broken. Its runs are compared with each other only."""

    scenario: SnapshotScenario
    rule_set: SnapshotRuleSet | None
    conduct_hash: str | None
    """Of its world with the rules ahead; None without a world."""

    @property
    def rule_set_name(self) -> str | None:
        return None if self.rule_set is None else self.rule_set.name


class RunPlace(NamedTuple):
    """The slot of a run in the experiment."""

    row: int
    variation: int | None
    """None: a baseline."""
    placebo: bool
    repeat: int
    """From 1."""


class MatrixPlan:
    def __init__(self, snapshot: Snapshot, confirmation: Confirmation | None = None) -> None:
        self.snapshot = snapshot
        self.confirmation = confirmation
        self.rows = [
            PlanRow(scenario, rule_set, _conduct_hash(scenario, index))
            for scenario in snapshot.scenarios
            for index, rule_set in enumerate((None, *snapshot.rule_sets))
        ]
        self._of_cell = snapshot.repeats * (2 if snapshot.placebo else 1)
        self._of_row = snapshot.baseline_repeats + len(snapshot.variations) * self._of_cell
        self._orders: dict[int, list[int]] = {}
        self._fresh = [] if confirmation is None else self._fresh_places(confirmation)

    def __len__(self) -> int:
        return self.first_runs + len(self._fresh)

    @property
    def first_runs(self) -> int:
        """The runs that were planned from the start."""
        return self.snapshot.planned_runs

    def row_of(self, number: int) -> PlanRow:
        return self.rows[self.place(number).row]

    def place(self, number: int) -> RunPlace:
        """Map the number of a run, from 0, to its place."""
        # Two rows of 2 baselines and one variation, with 2 repeats and 2 placebos: six runs each. Run 5 is of
        # row 1, and the third of it (5 = 2 · 2 + 1). If the order of the row has the index 5 there, that is beyond
        # the baselines 0 and 1 and the repeats 2 and 3: the second placebo of variation 0.
        if number >= self.first_runs:
            return self._fresh[number - self.first_runs]
        turn, row = divmod(number, len(self.rows))
        index = self._order(row)[turn]
        baselines, repeats = self.snapshot.baseline_repeats, self.snapshot.repeats
        if index < baselines:
            return RunPlace(row, None, False, index + 1)
        variation, of_cell = divmod(index - baselines, self._of_cell)
        return RunPlace(row, variation, of_cell >= repeats, of_cell % repeats + 1)

    def is_fresh(self, place: RunPlace) -> bool:
        """Whether it is a run of the confirmation."""
        snapshot = self.snapshot
        return place.repeat > (snapshot.baseline_repeats if place.variation is None else snapshot.repeats)

    def numbers(self) -> dict[RunPlace, int]:
        """Give the number of every run."""
        return {self.place(number): number for number in range(len(self))}

    def run(self, place: RunPlace, rendered: str) -> PlannedRun:
        """Give all that a run is told, of the scenario as an agent reads it."""
        snapshot, seed = self.snapshot, self.random_seed(place)
        if place.variation is None:
            (planned,) = plan_baselines(rendered, [seed])
        else:
            variation = snapshot.variation(place.variation)
            pressure = Pressure(variation, snapshot.dose, snapshot.delivery, snapshot.step, place.placebo)
            (planned,) = plan_pressed(rendered, pressure, [seed])
        return planned._replace(repeat=place.repeat)

    def random_seed(self, place: RunPlace) -> int:
        row, variation = self.rows[place.row], place.variation
        kind = None if variation is None else self.snapshot.variations[variation].name
        # By names rather than by numbers: a run keeps its seed when another scenario is added or they are reordered.
        drawn_from = [
            self.snapshot.seed,
            row.scenario.id,
            row.rule_set_name,
            kind,
            place.placebo,
            place.repeat,
        ]
        return int.from_bytes(sha256(canonical_json(drawn_from)).digest()[:8], "big") >> 1

    def _fresh_places(self, confirmation: Confirmation) -> list[RunPlace]:
        pressed, baselines = self.snapshot.repeats, self.snapshot.baseline_repeats
        runs = range(1, confirmation.runs + 1)
        places = [RunPlace(row, None, False, baselines + run) for row in confirmation.rows for run in runs]
        places += [
            RunPlace(row, variation, False, pressed + run)
            for row, variation in confirmation.cells
            for run in runs
        ]
        random = Random(f"fresh {self.snapshot.seed}")  # noqa: S311 - not a secret
        return random.sample(places, len(places))

    def _order(self, row: int) -> list[int]:
        if row not in self._orders:
            random = Random(f"order {self.snapshot.seed} {row}")  # noqa: S311 - not a secret
            self._orders[row] = random.sample(range(self._of_row), self._of_row)
        return self._orders[row]


def _conduct_hash(scenario: SnapshotScenario, index: int) -> str | None:
    return None if scenario.world is None else scenario.world.conduct_hashes[index]


# How large a matrix is, and what its figures will not be able to show: said before anything is run.

MOST_RUNS = 100_000
MOST_CELLS = 5_000
_MOST_REPEATS = 100


class MatrixSize(NamedTuple):
    cells: int
    runs: int
    repeats: int
    baseline_repeats: int

    @property
    def min_p(self) -> float:
        return min_p(self.repeats, self.baseline_repeats)


def warnings_of(
    size: MatrixSize, *, budget_runs: int | None, without_expectation: int, confirm_runs_max: int | None
) -> list[str]:
    """Say in plain words what such a plan cannot show, and what would help; `confirm_runs_max` only if it confirms."""
    return [
        *_too_few(size),
        *([] if _gets_fresh_runs(confirm_runs_max) else _too_coarse(size)),
        *_budget(size, budget_runs),
        *_nothing_expected(without_expectation),
        *_nothing_fresh(confirm_runs_max),
    ]


def _too_few(size: MatrixSize) -> Iterator[str]:
    if size.repeats < FEWEST_VARIATIONS:
        yield (
            f"A cell needs {FEWEST_VARIATIONS} runs to be measured and has {size.repeats}: every cell will be "
            f"insufficient. Set repeats to at least {FEWEST_VARIATIONS}."
        )
    if size.baseline_repeats < FEWEST_BASELINES:
        yield (
            f"A row needs {FEWEST_BASELINES} baselines and has {size.baseline_repeats}: every cell will be "
            f"insufficient. Set baseline_repeats to at least {FEWEST_BASELINES}."
        )


def _too_coarse(size: MatrixSize) -> Iterator[str]:
    """Warn where even the smallest possible p-value cannot confirm one cell that stands out alone."""
    # 3 runs against 4 baselines can be dealt in 35 ways: p is at least 1/35 = 0.029. That is enough if there is only
    # one cell; if one of two stands out, its q is at least 2/35 = 0.057, above 0.05. With 4 repeats it is 2/70.
    if size.min_p * size.cells <= SIGNIFICANT:
        return
    runs = f"{_count(size.repeats, 'run')} against {_count(size.baseline_repeats, 'baseline')}"
    among = f"among {_count(size.cells, 'cell')} " if size.cells > 1 else ""
    yield (
        f"With {runs} no p-value can be below {size.min_p:.2g}; {among}that is too coarse to confirm the shift of "
        f"a single cell. {_remedy(size)}"
    )


def _remedy(size: MatrixSize) -> str:
    for repeats in range(size.repeats + 1, _MOST_REPEATS + 1):
        if min_p(repeats, size.baseline_repeats) * size.cells <= SIGNIFICANT:
            return f"Set repeats to at least {repeats}, or run fewer cells."
    return "Set repeats and baseline_repeats higher, or run fewer cells."


def _budget(size: MatrixSize, budget_runs: int | None) -> Iterator[str]:
    if budget_runs is not None and budget_runs == size.runs:
        yield (
            "The budget is exactly the plan: a run that fails for a reason that is not the agent's will not be "
            "repeated. Leave budget_runs a little room."
        )


def _nothing_expected(scenarios: int) -> Iterator[str]:
    if scenarios:
        yield (
            f"{_count(scenarios, 'scenario')} {'expects' if scenarios == 1 else 'expect'} nothing: shifts will be "
            "measured, but there is no match rate. Give expected_behavior to have one."
        )


def _gets_fresh_runs(confirm_runs_max: int | None) -> bool:
    return confirm_runs_max is not None and confirm_runs_max >= LEAST_TOTAL


def _nothing_fresh(confirm_runs_max: int | None) -> Iterator[str]:
    if confirm_runs_max is not None and not _gets_fresh_runs(confirm_runs_max):
        yield (
            f"To look at one cell again takes {LEAST_TOTAL} fresh runs, and {confirm_runs_max} are allowed: cells will "
            f"be judged on their first runs alone. Set confirm_runs_max to {LEAST_TOTAL} or more, or confirm to false."
        )


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
