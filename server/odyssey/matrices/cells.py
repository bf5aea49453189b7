"""What is said of the cells of a matrix: pure computation over what its runs did.

A cell is compared with the baselines of its own row, so nothing differs but the pressure. All cells whose first runs
have ended are judged together; of those whose runs go on there are figures, but nothing is called flagged or confirmed.
Cells that were run again are judged on their fresh runs alone, together with the others that were.

Runs that did the same to the letter are compared once, and of the others only those that stand in one cell.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

import msgspec
import numpy as np
import numpy.typing as npt

from odyssey.evals.behaviour import Behaviour, Delivered
from odyssey.evals.distance import distance_matrix
from odyssey.evals.incidents import CHANCE, Incident, IncidentKind, KnownDeeds, find_incidents, recurrences
from odyssey.matrices.comparisons.cell import Delivery, ObservedRun, Threshold, delivery_of, matches_of
from odyssey.matrices.plan import MatrixPlan, RunPlace
from odyssey.statistics.cells import Cell, CellJudgement, benjamini_hochberg, judge
from odyssey.statistics.shift import Comparison
from odyssey.statistics.significance import Matches


class SeenRun(NamedTuple):
    """A run of the matrix with what was observed of it so far."""

    run_id: int
    place: RunPlace
    ended: bool
    """Whether it was looked at."""
    behaviour: str | None
    """As JSON; None where it says nothing of the agent, or not yet."""
    matched: bool | None
    delivered: Delivered | None
    findings: str | None = None
    """What became of each thing that is expected, as JSON."""


class CellSides(NamedTuple):
    """The runs of one stage that stand in one cell."""

    row: int
    variation: int
    pending: bool
    """Whether runs of it, or baselines of its row, have not ended."""
    baselines: list[ObservedRun]
    delivery: Delivery
    placebo: Delivery
    missing: list[int]
    typical_run: int | None = None
    """Nearest to the other runs under the pressure."""
    typical_baseline: int | None = None
    raw_shifts: Mapping[int, float] = MappingProxyType({})
    """Of every run under the pressure whose text arrived, by its id: its mean distance to the baselines."""

    @property
    def pressed(self) -> list[ObservedRun]:
        return self.delivery.reached

    @property
    def matches(self) -> Matches | None:
        return matches_of(self.delivery.reached)

    @property
    def baseline_matches(self) -> Matches | None:
        return matches_of(self.baselines)


class Stage(NamedTuple):
    sides: CellSides
    judged: CellJudgement


class CellIncident(NamedTuple):
    found: Incident
    recurs: bool | None
    """Whether its kind came back on fresh runs by more than chance; None where the cell was not run again."""


class AnalysedCell(NamedTuple):
    first: Stage
    fresh: Stage | None
    """None where it was not chosen to be run again."""
    effect: CellJudgement | None
    """The same with the placebo's runs as baseline; None without any."""
    incidents: list[CellIncident]
    base_matches: Matches | None
    """Of all runs of its row without pressure."""

    @property
    def decides(self) -> Stage:
        """The stage whose figures are the cell's: until its fresh runs have ended the first."""
        return self.first if self.fresh is None or self.fresh.sides.pending else self.fresh

    @property
    def sides(self) -> CellSides:
        return self.decides.sides

    @property
    def judged(self) -> CellJudgement:
        return self.decides.judged

    @property
    def pending(self) -> bool:
        return self.first.sides.pending or (self.fresh is not None and self.fresh.sides.pending)

    @property
    def stages(self) -> list[Stage]:
        return [self.first] if self.fresh is None else [self.first, self.fresh]


class _SideRuns(NamedTuple):
    """The runs of one kind, in the order of their repeats."""

    telling: list[ObservedRun]
    missing: list[int]
    pending: bool


class _RowSides(NamedTuple):
    """What the runs of one row come to: a cell for each variation, and again for those that were chosen."""

    first: list[CellSides]
    fresh: dict[int, CellSides]
    """By variation."""


def analyse(plan: MatrixPlan, runs: Iterable[SeenRun]) -> list[AnalysedCell]:
    """Judge every cell, row by row in the order of the plan."""
    by_row: defaultdict[int, list[SeenRun]] = defaultdict(list)
    for run in runs:
        by_row[run.place.row].append(run)
    first: list[CellSides] = []
    fresh: dict[int, CellSides] = {}
    cells: dict[int, Cell] = {}
    fresh_cells: dict[int, Cell] = {}
    effects: dict[int, Cell] = {}
    for row in range(len(plan.rows)):
        distances = _Distances(by_row[row])
        risk = plan.rows[row].scenario.risk_level
        threshold = Threshold(plan.snapshot.thresholds[risk], critical=risk == "critical")
        found = _row_sides(plan, row, by_row[row], distances)
        for sides in found.first:
            number = len(first)
            effect = _effect(sides, threshold, distances)
            if effect is not None:
                effects[number] = effect
            cells[number] = _cell(sides, threshold, distances)
            first.append(_measured(sides, distances))
            again = found.fresh.get(sides.variation)
            if again is not None:
                fresh_cells[number] = _cell(again, threshold, distances)
                fresh[number] = _measured(again, distances)
    seed = plan.snapshot.seed
    judged: dict[int, CellJudgement] = {}
    for pending in (False, True):  # two families: what may still change does not count among what is settled
        judged |= _judge(
            {index: cells[index] for index, each in enumerate(first) if each.pending == pending}, seed
        )
    judged_again, judged_effects = _judge(fresh_cells, seed), _judge(effects, seed)
    incidents = _incidents(first, fresh)
    bases = _base_matches(first, fresh)
    return [
        AnalysedCell(
            Stage(sides, judged[index]),
            Stage(fresh[index], judged_again[index]) if index in fresh else None,
            judged_effects.get(index),
            incidents[index],
            bases[sides.row],
        )
        for index, sides in enumerate(first)
    ]


def _judge(family: Mapping[int, Cell], seed: int) -> dict[int, CellJudgement]:
    return dict(zip(family, judge(list(family.values()), seed=seed), strict=True))


class _Distances:
    """Distances between the runs of one row, each pair of different behaviours computed once."""

    def __init__(self, runs: Sequence[SeenRun]) -> None:
        # Ten runs of which nine said {"approved": true} and nothing else have two behaviours: one distance, not 45.
        self._numbers: dict[str, int] = {}
        self._of_run: dict[int, int] = {}
        for run in runs:
            if run.behaviour is not None:
                self._of_run[run.run_id] = self._numbers.setdefault(run.behaviour, len(self._numbers))
        self.behaviours = [msgspec.json.decode(text, type=Behaviour) for text in self._numbers]
        self._wanted = np.zeros((len(self.behaviours), len(self.behaviours)), dtype=np.bool_)
        self._matrix: npt.NDArray[np.float64] | None = None

    def behaviour(self, run_id: int) -> Behaviour:
        return self.behaviours[self._of_run[run_id]]

    def want(self, runs: Sequence[ObservedRun]) -> None:
        numbers = self._of(runs)
        self._wanted[np.ix_(numbers, numbers)] = True

    def between(self, runs: Sequence[ObservedRun]) -> npt.NDArray[np.float64]:
        """Give all distances between runs that were wanted together."""
        if self._matrix is None:
            self._matrix = distance_matrix(self.behaviours, wanted=self._wanted)
        numbers = self._of(runs)
        return self._matrix[np.ix_(numbers, numbers)]

    def typical(self, runs: Sequence[ObservedRun]) -> int | None:
        """Find the run nearest to all others; of equals the first."""
        if not runs:
            return None
        return runs[int(self.between(runs).sum(axis=1).argmin())].run_id

    def _of(self, runs: Sequence[ObservedRun]) -> npt.NDArray[np.intp]:
        return np.array([self._of_run[run.run_id] for run in runs], dtype=np.intp)


def _row_sides(plan: MatrixPlan, row: int, runs: Sequence[SeenRun], distances: _Distances) -> _RowSides:
    at: defaultdict[RunPlace, list[SeenRun]] = defaultdict(list)
    for run in runs:
        at[run.place].append(run)

    def side(variation: int | None, repeats: range, *, placebo: bool = False) -> _SideRuns:
        return _side([at[RunPlace(row, variation, placebo, repeat)] for repeat in repeats], distances)

    snapshot = plan.snapshot
    baseline = side(None, _first(snapshot.baseline_repeats))
    found = _RowSides([], {})
    for variation in range(len(snapshot.variations)):
        pressed = side(variation, _first(snapshot.repeats))
        placebo = side(variation, _first(snapshot.repeats if snapshot.placebo else 0), placebo=True)
        found.first.append(_sides(row, variation, baseline, pressed, placebo))
    chosen = [] if plan.confirmation is None else [each for each in plan.confirmation.cells if each[0] == row]
    if plan.confirmation is not None and chosen:
        fresh = plan.confirmation.runs
        baseline = side(None, _later(snapshot.baseline_repeats, fresh))
        for _, variation in chosen:
            pressed = side(variation, _later(snapshot.repeats, fresh))
            found.fresh[variation] = _sides(row, variation, baseline, pressed, _SideRuns([], [], False))
    # All wishes before the first distance is asked for: they are computed together, and only those.
    for sides in (*found.first, *found.fresh.values()):
        distances.want([*sides.delivery.reached, *sides.baselines])
        distances.want([*sides.delivery.reached, *sides.placebo.reached])
    return found


def _first(repeats: int) -> range:
    return range(1, repeats + 1)


def _later(repeats: int, fresh: int) -> range:
    return range(repeats + 1, repeats + fresh + 1)


def _sides(
    row: int, variation: int, baseline: _SideRuns, pressed: _SideRuns, placebo: _SideRuns
) -> CellSides:
    return CellSides(
        row,
        variation,
        baseline.pending or pressed.pending or placebo.pending,
        baseline.telling,
        delivery_of(pressed.telling),
        delivery_of(placebo.telling),
        [*baseline.missing, *pressed.missing, *placebo.missing],
    )


def _side(places: Sequence[Sequence[SeenRun]], distances: _Distances) -> _SideRuns:
    telling: list[ObservedRun] = []
    missing: list[int] = []
    pending = False
    for runs in places:
        found = next((run for run in runs if run.behaviour is not None), None)
        if found is not None:
            missed, broken = _not_met(found.findings)
            telling.append(
                ObservedRun(
                    found.run_id,
                    distances.behaviour(found.run_id),
                    found.matched,
                    found.delivered,
                    missed,
                    broken,
                )
            )
        elif not runs or any(not run.ended for run in runs):
            pending = True
        else:
            missing.append(max(run.run_id for run in runs))
    return _SideRuns(telling, missing, pending)


def _not_met(findings: str | None) -> tuple[frozenset[str], frozenset[str]]:
    """Name what a run did not meet of what is expected, and the rules it broke."""
    told: list[dict[str, Any]] = [] if findings is None else msgspec.json.decode(findings) or []
    failed = [each for each in told if not each["passed"]]
    broken = frozenset(rule for each in failed for rule in each.get("broken_rules", ()))
    return frozenset(each["where"] for each in failed), broken


def _cell(sides: CellSides, threshold: Threshold, distances: _Distances) -> Cell:
    pressed = sides.delivery.reached
    return Cell(
        Comparison(distances.between([*pressed, *sides.baselines]), len(pressed)),
        threshold.shift,
        critical=threshold.critical,
        matches=sides.matches,
        baseline_matches=sides.baseline_matches,
        delivered=sides.delivery.evidence != "undelivered",
    )


def _effect(sides: CellSides, threshold: Threshold, distances: _Distances) -> Cell | None:
    """Compare with the runs of the placebo instead; None where there are none."""
    if sides.placebo.evidence is None:
        return None
    pressed = sides.delivery.reached
    return Cell(
        Comparison(distances.between([*pressed, *sides.placebo.reached]), len(pressed)),
        threshold.shift,
        delivered="undelivered" not in (sides.delivery.evidence, sides.placebo.evidence),
    )


def _measured(sides: CellSides, distances: _Distances) -> CellSides:
    pressed = sides.delivery.reached
    return sides._replace(
        typical_run=distances.typical(pressed),
        typical_baseline=distances.typical(sides.baselines),
        raw_shifts=_raw_shifts(pressed, distances.between([*pressed, *sides.baselines])),
    )


def _raw_shifts(pressed: Sequence[ObservedRun], between: npt.NDArray[np.float64]) -> dict[int, float]:
    """Give each run's mean distance to the baselines, which come after the pressed ones in the distances."""
    to_baselines = between[: len(pressed), len(pressed) :]
    if not to_baselines.size:
        return {}
    means = to_baselines.mean(axis=1).tolist()
    return {run.run_id: mean for run, mean in zip(pressed, means, strict=True)}


# What all runs of a row without pressure say together, first and fresh.


def _all_baselines(
    first: Sequence[CellSides], fresh: Mapping[int, CellSides]
) -> dict[int, list[ObservedRun]]:
    """Give by row the first baselines, and after them the fresh ones."""
    found = {sides.row: list(sides.baselines) for sides in first}
    again = {sides.row: sides.baselines for sides in fresh.values()}
    return {row: [*baselines, *again.get(row, ())] for row, baselines in found.items()}


def _base_matches(first: Sequence[CellSides], fresh: Mapping[int, CellSides]) -> dict[int, Matches | None]:
    return {row: matches_of(runs) for row, runs in _all_baselines(first, fresh).items()}


def _incidents(first: Sequence[CellSides], fresh: Mapping[int, CellSides]) -> list[list[CellIncident]]:
    known = {row: _deeds(runs) for row, runs in _all_baselines(first, fresh).items()}
    recurring = _recurring(first, fresh)
    found = []
    for index, sides in enumerate(first):
        again = fresh.get(index)
        pressed = [run.deeds for run in (*sides.pressed, *(again.pressed if again is not None else ()))]
        settled = None if again is None or again.pending else recurring[index]
        found.append(
            [
                CellIncident(each, None if settled is None else each.kind in settled)
                for each in find_incidents(pressed, known[sides.row])
            ]
        )
    return found


def _deeds(baselines: Sequence[ObservedRun]) -> KnownDeeds:
    return KnownDeeds([run.deeds for run in baselines])


def _recurring(first: Sequence[CellSides], fresh: Mapping[int, CellSides]) -> dict[int, set[IncidentKind]]:
    """Say which kinds come back on fresh runs by more than chance, over all kinds of all cells that were run again."""
    known = {first[index].row: _deeds(first[index].baselines) for index in fresh}
    counted = [
        (index, kind, recurrence)
        for index, again in fresh.items()
        for kind, recurrence in recurrences(
            [run.deeds for run in first[index].pressed],
            [run.deeds for run in again.pressed],
            [run.deeds for run in again.baselines],
            known[again.row],
        ).items()
    ]
    found: dict[int, set[IncidentKind]] = {index: set() for index in fresh}
    q_values = benjamini_hochberg([recurrence.p_value for *_, recurrence in counted])
    for (index, kind, _), q_value in zip(counted, q_values, strict=True):
        if q_value <= CHANCE:
            found[index].add(kind)
    return found
