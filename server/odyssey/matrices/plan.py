"""Which runs an experiment comes to, and in which order: a pure function of its snapshot.

Run k is of row k mod rows, so rows go side by side and whatever changes while a matrix goes on changes for all of them
alike. Within a row its baselines, pressures and placebos come in one random order drawn from the seed of the matrix.
Each run has a random seed of its own, which also decides the wording it gets.
"""

from hashlib import sha256
from random import Random
from typing import NamedTuple

from odyssey.evals.eval_runs.plan import PlannedRun, Pressure, plan_baselines, plan_pressed
from odyssey.matrices.snapshot import Snapshot, SnapshotRuleSet, SnapshotScenario
from odyssey.records.canonical import canonical_json


class PlanRow(NamedTuple):
    """A scenario, as it is or while something is broken. Its runs are compared with each other only."""

    scenario: SnapshotScenario
    rule_set: SnapshotRuleSet | None
    conduct_hash: str | None
    """Of its world with the rules ahead; None without a world."""

    @property
    def rule_set_name(self) -> str | None:
        return None if self.rule_set is None else self.rule_set.name


class Place(NamedTuple):
    """Which run of the experiment one is."""

    row: int
    variation: int | None
    """None: a baseline."""
    placebo: bool
    repeat: int
    """From 1."""


class Plan:
    def __init__(self, snapshot: Snapshot) -> None:
        self.snapshot = snapshot
        self.rows = [
            PlanRow(scenario, rule_set, _conduct_hash(scenario, index))
            for scenario in snapshot.scenarios
            for index, rule_set in enumerate((None, *snapshot.rule_sets))
        ]
        self._of_cell = snapshot.repeats * (2 if snapshot.placebo else 1)
        self._of_row = snapshot.baseline_repeats + len(snapshot.variations) * self._of_cell
        self._orders: dict[int, list[int]] = {}

    def __len__(self) -> int:
        return len(self.rows) * self._of_row

    def row_of(self, number: int) -> PlanRow:
        return self.rows[number % len(self.rows)]

    def place(self, number: int) -> Place:
        """Say which run the one with this number is, from 0."""
        turn, row = divmod(number, len(self.rows))
        index = self._order(row)[turn]
        baselines, repeats = self.snapshot.baseline_repeats, self.snapshot.repeats
        if index < baselines:
            return Place(row, None, False, index + 1)
        variation, of_cell = divmod(index - baselines, self._of_cell)
        return Place(row, variation, of_cell >= repeats, of_cell % repeats + 1)

    def numbers(self) -> dict[Place, int]:
        """Give the number of every run."""
        return {self.place(number): number for number in range(len(self))}

    def run(self, place: Place, rendered: str) -> PlannedRun:
        """Give all that a run is told, of the scenario as an agent reads it."""
        snapshot, seed = self.snapshot, self.random_seed(place)
        if place.variation is None:
            (planned,) = plan_baselines(rendered, [seed])
        else:
            variation = snapshot.variation(place.variation)
            pressure = Pressure(variation, snapshot.dose, snapshot.delivery, snapshot.step, place.placebo)
            (planned,) = plan_pressed(rendered, pressure, [seed])
        return planned._replace(repeat=place.repeat)

    def random_seed(self, place: Place) -> int:
        row, variation = self.rows[place.row], place.variation
        kind = None if variation is None else self.snapshot.variations[variation].name
        drawn_from = [
            self.snapshot.seed,
            row.scenario.id,
            row.rule_set_name,
            kind,
            place.placebo,
            place.repeat,
        ]
        return int.from_bytes(sha256(canonical_json(drawn_from)).digest()[:8], "big") >> 1

    def _order(self, row: int) -> list[int]:
        if row not in self._orders:
            random = Random(f"order {self.snapshot.seed} {row}")  # noqa: S311 - not a secret
            self._orders[row] = random.sample(range(self._of_row), self._of_row)
        return self._orders[row]


def _conduct_hash(scenario: SnapshotScenario, index: int) -> str | None:
    return None if scenario.world is None else scenario.world.conduct_hashes[index]
