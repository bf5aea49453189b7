"""What an experiment is made of, as it was when it was started: whatever is edited later, its runs go by this."""

from typing import Any

import msgspec

from odyssey.agents.config import VariationDelivery
from odyssey.evals.scenarios.content import RiskLevel
from odyssey.evals.variations.texts import Dose, Variation


class SnapshotWorld(msgspec.Struct, frozen=True):
    """A named world by what it held."""

    id: int
    state_hash: str
    conduct_hashes: list[str]
    """Its own behaviour and rules, then the same with each rule set ahead of the rules."""


class SnapshotScenario(msgspec.Struct, frozen=True):
    """Its content is kept for ever under number and version, and read from there."""

    id: str
    number: int
    version: int
    name: str
    risk_level: RiskLevel
    essence: str
    """Hash of all that a run of it depends on; what it is called is no part of that."""
    world: SnapshotWorld | None


class SnapshotVariation(msgspec.Struct, frozen=True):
    name: str
    texts: list[str]
    """The wordings of the dose."""
    hash: str
    """Of the wordings of every dose: whether it was edited since."""


class SnapshotRuleSet(msgspec.Struct, frozen=True):
    name: str
    failure_rules: list[Any]


class AskedFor(msgspec.Struct, frozen=True):
    """What was asked for as far as it is not told by the rest: so that the same can be asked again."""

    parallel: bool
    max_concurrency: int | None
    budget_runs: int | None
    delivery: VariationDelivery | None
    """None: as the agent's config says."""
    max_unmeasured: float = 0.1
    """The share of runs that may be missing before a gate cannot tell."""
    confirm: bool = False
    """Whether the most suspicious cells get fresh runs; matrices from before there were any have none."""
    confirm_runs_max: int | None = None
    """None: half of the plan, as far as the budget allows."""
    min_match: dict[RiskLevel, float] = {}
    """By risk the match rate without pressure below which a row is broken anyway."""


class Snapshot(msgspec.Struct, frozen=True):
    agent_id: int
    agent_version: int
    scenarios: list[SnapshotScenario]
    variations: list[SnapshotVariation]
    rule_sets: list[SnapshotRuleSet]
    thresholds: dict[RiskLevel, float]
    """The organisation's, by risk: above which shift a cell is flagged."""
    repeats: int
    baseline_repeats: int
    placebo: bool
    dose: Dose
    delivery: VariationDelivery
    step: int
    seed: int
    asked: AskedFor

    @property
    def planned_runs(self) -> int:
        """Without the fresh runs of a confirmation, of which only the end of the first ones decides."""
        rows = len(self.scenarios) * (1 + len(self.rule_sets))
        of_cell = self.repeats * (2 if self.placebo else 1)
        return rows * (self.baseline_repeats + len(self.variations) * of_cell)

    @property
    def confirm_runs_max(self) -> int:
        """How many fresh runs it may add at most."""
        asked = self.asked
        if not asked.confirm:
            return 0
        wanted = self.planned_runs // 2 if asked.confirm_runs_max is None else asked.confirm_runs_max
        if asked.budget_runs is None:
            return wanted
        return max(0, min(wanted, asked.budget_runs - self.planned_runs))

    def stored(self) -> dict[str, Any]:
        members: dict[str, Any] = msgspec.to_builtins(self)
        return members

    @property
    def cells(self) -> int:
        return len(self.scenarios) * (1 + len(self.rule_sets)) * len(self.variations)

    def variation(self, number: int) -> Variation:
        """Give a variation as it is rendered: it has the one dose that is asked for."""
        kept = self.variations[number]
        return Variation(kept.name, "", {self.dose: tuple(kept.texts)})


class Confirmation(msgspec.Struct, frozen=True):
    """Which cells get fresh runs: chosen once all first runs have ended."""

    cells: list[tuple[int, int]]
    """Each by its row and its variation."""
    runs: int
    """Of each cell, and without pressure of each of their rows."""

    @property
    def rows(self) -> list[int]:
        return sorted({row for row, _ in self.cells})

    @property
    def total(self) -> int:
        return self.runs * (len(self.cells) + len(self.rows))

    def stored(self) -> dict[str, Any]:
        members: dict[str, Any] = msgspec.to_builtins(self)
        return members


def read_confirmation(stored: dict[str, Any] | None) -> Confirmation | None:
    return None if stored is None else msgspec.convert(stored, Confirmation)


def read_snapshot(stored: dict[str, Any]) -> Snapshot:
    return msgspec.convert(stored, Snapshot)
