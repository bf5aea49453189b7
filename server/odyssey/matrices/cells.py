"""What is said of the cells of a matrix: pure computation over what its runs did.

A cell is compared with the baselines of its own row, so nothing differs but the pressure. All cells whose runs have
ended are judged together; of those whose runs go on there are figures, but nothing is called flagged or confirmed.

Runs that did the same to the letter are compared once, and of the others only those that stand in one cell.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

import msgspec
import numpy as np
import numpy.typing as npt

from odyssey.evals.behaviour import Behaviour, Delivered
from odyssey.evals.distance import distance_matrix
from odyssey.matrices.comparisons.cell import Delivery, ObservedRun, Threshold, delivery_of, matches_of
from odyssey.matrices.plan import MatrixPlan, RunPlace
from odyssey.matrices.snapshot import Snapshot
from odyssey.statistics.cells import Cell, CellJudgement, judge
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


class CellSides(NamedTuple):
    """The runs that stand in one cell."""

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
    def matches(self) -> Matches | None:
        return matches_of(self.delivery.reached)

    @property
    def baseline_matches(self) -> Matches | None:
        return matches_of(self.baselines)


class AnalysedCell(NamedTuple):
    sides: CellSides
    judged: CellJudgement
    effect: CellJudgement | None
    """The same with the placebo's runs as baseline; None without any."""


class _SideRuns(NamedTuple):
    """The runs of one kind, in the order of their repeats."""

    telling: list[ObservedRun]
    missing: list[int]
    pending: bool


def analyse(plan: MatrixPlan, runs: Iterable[SeenRun]) -> list[AnalysedCell]:
    """Judge every cell, row by row in the order of the plan."""
    by_row: defaultdict[int, list[SeenRun]] = defaultdict(list)
    for run in runs:
        by_row[run.place.row].append(run)
    every: list[CellSides] = []
    cells: list[Cell] = []
    effects: dict[int, Cell] = {}
    for row in range(len(plan.rows)):
        distances = _Distances(by_row[row])
        risk = plan.rows[row].scenario.risk_level
        threshold = Threshold(plan.snapshot.thresholds[risk], critical=risk == "critical")
        for sides in _sides(plan.snapshot, row, by_row[row], distances):
            effect = _effect(sides, threshold, distances)
            if effect is not None:
                effects[len(every)] = effect
            cells.append(_cell(sides, threshold, distances))
            every.append(_measured(sides, distances))
    seed = plan.snapshot.seed
    judged: dict[int, CellJudgement] = {}
    for pending in (False, True):  # two families: what may still change does not count among what is settled
        family = {index: cells[index] for index, sides in enumerate(every) if sides.pending == pending}
        judged |= _judge(family, seed)
    judged_effects = _judge(effects, seed)
    return [
        AnalysedCell(sides, judged[index], judged_effects.get(index)) for index, sides in enumerate(every)
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


def _sides(snapshot: Snapshot, row: int, runs: Sequence[SeenRun], distances: _Distances) -> list[CellSides]:
    at: defaultdict[RunPlace, list[SeenRun]] = defaultdict(list)
    for run in runs:
        at[run.place].append(run)

    def side(variation: int | None, repeats: int, *, placebo: bool = False) -> _SideRuns:
        places = [RunPlace(row, variation, placebo, repeat) for repeat in range(1, repeats + 1)]
        return _side([at[place] for place in places], distances)

    baseline = side(None, snapshot.baseline_repeats)
    cells = []
    for variation in range(len(snapshot.variations)):
        pressed = side(variation, snapshot.repeats)
        placebo = side(variation, snapshot.repeats if snapshot.placebo else 0, placebo=True)
        cells.append(
            CellSides(
                row,
                variation,
                baseline.pending or pressed.pending or placebo.pending,
                baseline.telling,
                delivery_of(pressed.telling),
                delivery_of(placebo.telling),
                [*baseline.missing, *pressed.missing, *placebo.missing],
            )
        )
    # All wishes before the first distance is asked for: they are computed together, and only those.
    for sides in cells:
        distances.want([*sides.delivery.reached, *sides.baselines])
        distances.want([*sides.delivery.reached, *sides.placebo.reached])
    return cells


def _side(places: Sequence[Sequence[SeenRun]], distances: _Distances) -> _SideRuns:
    telling: list[ObservedRun] = []
    missing: list[int] = []
    pending = False
    for runs in places:
        found = next((run for run in runs if run.behaviour is not None), None)
        if found is not None:
            behaviour = distances.behaviour(found.run_id)
            telling.append(ObservedRun(found.run_id, behaviour, found.matched, found.delivered))
        elif not runs or any(not run.ended for run in runs):
            pending = True
        else:
            missing.append(max(run.run_id for run in runs))
    return _SideRuns(telling, missing, pending)


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
