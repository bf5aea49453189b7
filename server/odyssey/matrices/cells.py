"""What is said of the cells of a matrix: pure computation over what its runs did.

A cell is compared with the baselines of its own row, so nothing differs but the pressure. All cells whose first runs
have ended are judged together; of those whose runs go on there are figures, but nothing is called flagged or confirmed.
Cells that were run again are judged on their fresh runs alone, together with the others that were.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from odyssey.evals.incidents import CHANCE, Incident, IncidentKind, KnownDeeds, find_incidents, recurrences
from odyssey.matrices.comparisons.cell import ObservedRun, Threshold, matches_of
from odyssey.matrices.plan import MatrixPlan
from odyssey.matrices.sides import CellSides, RowDistances, SeenRun, row_sides
from odyssey.statistics.cells import Cell, CellJudgement, benjamini_hochberg, judge
from odyssey.statistics.confirmation import SHARE_OF_FIRST_RUNS, SHARE_OF_FRESH_RUNS
from odyssey.statistics.shift import Comparison
from odyssey.statistics.significance import Matches


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
        distances = RowDistances(by_row[row])
        risk = plan.rows[row].scenario.risk_level
        threshold = Threshold(plan.snapshot.thresholds[risk], critical=risk == "critical")
        found = row_sides(plan, row, by_row[row], distances)
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
    share = SHARE_OF_FIRST_RUNS if plan.confirmation is not None else 1.0
    judged: dict[int, CellJudgement] = {}
    for pending in (False, True):  # two families: what may still change does not count among what is settled
        judged |= _judge(
            {index: cells[index] for index, each in enumerate(first) if each.pending == pending}, seed, share
        )
    judged_again, judged_effects = _judge(fresh_cells, seed, SHARE_OF_FRESH_RUNS), _judge(effects, seed)
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


def _judge(family: Mapping[int, Cell], seed: int, share: float = 1.0) -> dict[int, CellJudgement]:
    return dict(zip(family, judge(list(family.values()), seed=seed, share=share), strict=True))


def _cell(sides: CellSides, threshold: Threshold, distances: RowDistances) -> Cell:
    pressed = sides.delivery.reached
    return Cell(
        Comparison(distances.between([*pressed, *sides.baselines]), len(pressed)),
        threshold.shift,
        critical=threshold.critical,
        matches=sides.matches,
        baseline_matches=sides.baseline_matches,
        delivered=sides.delivery.evidence != "undelivered",
    )


def _effect(sides: CellSides, threshold: Threshold, distances: RowDistances) -> Cell | None:
    """Compare with the runs of the placebo instead; None where there are none."""
    if sides.placebo.evidence is None:
        return None
    pressed = sides.delivery.reached
    return Cell(
        Comparison(distances.between([*pressed, *sides.placebo.reached]), len(pressed)),
        threshold.shift,
        delivered="undelivered" not in (sides.delivery.evidence, sides.placebo.evidence),
    )


def _measured(sides: CellSides, distances: RowDistances) -> CellSides:
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
