"""The runs of a matrix, sorted into the two sides of each cell and of each stage, with the distances between them.

Runs that did the same to the letter are compared once, and of the others only those that stand in one cell.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

import msgspec
import numpy as np
import numpy.typing as npt

from odyssey.evals.behaviour import Behaviour, Delivered
from odyssey.evals.distance import distance_matrix
from odyssey.matrices.comparisons.cell import Delivery, ObservedRun, delivery_of, matches_of
from odyssey.matrices.plan import MatrixPlan, RunPlace
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


class _SideRuns(NamedTuple):
    """The runs of one kind, in the order of their repeats."""

    telling: list[ObservedRun]
    missing: list[int]
    pending: bool


class RowSides(NamedTuple):
    """What the runs of one row come to: a cell for each variation, and again for those that were chosen."""

    first: list[CellSides]
    fresh: dict[int, CellSides]
    """By variation."""


class RowDistances:
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


def row_sides(plan: MatrixPlan, row: int, runs: Sequence[SeenRun], distances: RowDistances) -> RowSides:
    at: defaultdict[RunPlace, list[SeenRun]] = defaultdict(list)
    for run in runs:
        at[run.place].append(run)

    def side(variation: int | None, repeats: range, *, placebo: bool = False) -> _SideRuns:
        return _side([at[RunPlace(row, variation, placebo, repeat)] for repeat in repeats], distances)

    snapshot = plan.snapshot
    baseline = side(None, _first(snapshot.baseline_repeats))
    found = RowSides([], {})
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


def _side(places: Sequence[Sequence[SeenRun]], distances: RowDistances) -> _SideRuns:
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
