"""Nothing was changed: how often is something found all the same?

All of it is exchangeable by construction: which runs are called variations is decided by dice. It tests the code and
the rules; it does not show how typical these agents are.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
from benchmarks.shift.draws import (
    NAIVE_THRESHOLD,
    SEED,
    Draw,
    Share,
    are_confirmed,
    are_significant,
    cell,
    draw_atoms,
    draw_mixtures,
    judge_alone,
    naive_flags,
    share,
)
from benchmarks.shift.matrices import Design, MatrixRow, judge_matrix
from benchmarks.shift.recorded import deeds_alone, words_alone
from benchmarks.shift.runs import DESK, HABITUAL, RECORDED, FloatArray, Pool, Sample

from odyssey.evals.incidents import IncidentKind, KnownDeeds
from odyssey.statistics.cells import TOO_NOISY_ABOVE, judge
from odyssey.statistics.shift import measure

ROWS, COLUMNS = 5, 7
FIRST, MORE = Design(4, 12), Design(10, 12)
"""What a matrix plans by default, and with more runs a cell."""

Kinds = dict[IncidentKind, float]
"""By kind a share of cells or runs."""

_WAYS: dict[str, Callable[[np.random.Generator, Sample, Design, int], Draw]] = {
    "atoms": draw_atoms,
    "mixture": draw_mixtures,
}


class NullCells(NamedTuple):
    """Cells of one kind, each judged as a family of its own."""

    of: str
    """Whose runs they are of."""
    way: str
    design: Design

    @property
    def name(self) -> str:
        return f"{self.of}, {self.way} {self.design}"


NULLS = (
    *(NullCells(RECORDED, way, Design(*sizes)) for way in _WAYS for sizes in ((4, 12), (6, 6))),
    *(NullCells(of, "atoms", design) for of in (DESK, HABITUAL) for design in (FIRST, Design(6, 6))),
)

_MEASURES: dict[str, Callable[[Sample], FloatArray]] = {
    "as the product measures": lambda recorded: recorded.distances,
    "deeds and answers alone": deeds_alone,
    "words alone": words_alone,
}


class Halves(NamedTuple):
    """2 v 2 splits of the trials of each task, by one way to tell runs apart."""

    measure: str
    mean_distance: float
    flagged_tasks: int
    """Tasks of which the first two trials against the last two are above 0.5."""
    flagged_splits: float
    """The share of all splits of all tasks."""


class Null(NamedTuple):
    cells: NullCells
    significant: Share
    confirmed: Share
    """By the shift alone, where nothing is expected."""
    confirmed_with_matches: Share
    """By the shift or by fewer matches: two tests, each of which may err."""
    naive: Share
    too_noisy: float


class Matrices(NamedTuple):
    """Null matrices of one agent, by what would fail a gate; shares of matrices unless it says otherwise."""

    name: str
    design: Design
    matrices: int
    confirmed: float
    """By the shift of some cell,"""
    unrepeated: float
    """of one that was not run again."""
    by_matches: float
    recurring: float
    floors: float
    """Rows that match often enough in truth, called broken."""
    any: float
    """Any of these."""
    policy: float
    """An incident that fails by policy on a critical scenario, once is enough."""
    naive: float
    """Any cell whose raw shift is above 0.5."""
    mean_cost: float
    """Runs made, planned and fresh, by those planned."""
    most_cost: float
    incidents: Kinds
    """The share of all cells with one, by the first runs."""
    recurring_cells: Kinds
    """The share of all cells with one that came back on fresh runs."""


def measure_halves(recorded: Sample) -> tuple[list[Halves], int]:
    """Count what the naive rule flags; and in how many of the splits our rule says anything but `insufficient`."""
    found = [_halves(recorded, name, distances(recorded)) for name, distances in _MEASURES.items()]
    design = Design(2, 2)
    cells = [
        cell(recorded, recorded.trials_of(task), design, with_matches=True) for task in range(recorded.tasks)
    ]
    return found, sum(judged.state != "insufficient" for judged in judge(cells, seed=SEED))


def _halves(recorded: Sample, name: str, distances: FloatArray) -> Halves:
    trials = recorded.trials
    splits = [set(half) for half in combinations(range(trials), trials // 2) if 0 in half]
    raw = np.zeros((recorded.tasks, len(splits)))
    for task in range(recorded.tasks):
        for place, half in enumerate(splits):
            ours = [trials * task + trial for trial in half]
            theirs = [trials * task + trial for trial in range(trials) if trial not in half]
            raw[task, place] = distances[np.ix_(ours, theirs)].mean()
    flagged = raw > NAIVE_THRESHOLD
    # Every pair of trials stands across in two of the three splits: the mean over splits is that over pairs.
    return Halves(name, float(raw.mean()), int(flagged[:, 0].sum()), float(flagged.mean()))


def measure_null(sample: Sample, cells: NullCells, count: int) -> Null:
    design = cells.design
    random = np.random.default_rng((SEED, *cells.name.encode()))
    draw = _WAYS[cells.way](random, sample, design, count)
    plain = [cell(sample, runs, design, with_matches=False) for runs in draw.runs]
    matched = [cell(sample, runs, design, with_matches=True) for runs in draw.runs]
    floors = np.array([measure(each.comparison).floor for each in plain], dtype=float)
    judged = judge_alone(plain)
    hits = (
        are_significant(judged),
        are_confirmed(judged),
        are_confirmed(judge_alone(matched)),
        naive_flags(sample, draw, design),
    )
    significant, confirmed, with_matches, naive = (share(each, draw.tasks, sample) for each in hits)
    too_noisy = float((floors > TOO_NOISY_ABOVE).mean())
    return Null(cells, significant, confirmed, with_matches, naive, too_noisy)


# Whole matrices in which no pressure does anything.


class NullFound(NamedTuple):
    """What was found in one matrix."""

    confirmed: bool
    unrepeated: bool
    by_matches: bool
    recurring: bool
    floors: bool
    policy: bool
    naive: bool
    cost: float
    incidents: Counter[IncidentKind]
    recurring_cells: Counter[IncidentKind]


def judge_null(pools: Sequence[Pool], name: str, design: Design, number: int) -> NullFound:
    """Judge one matrix; the cells of a row share their baselines, as they do in the product."""
    random = np.random.default_rng((SEED, number, *design, *name.encode()))
    rows = [MatrixRow(pools[task]) for task in random.permutation(len(pools))[:ROWS]]
    judged = judge_matrix(rows, COLUMNS, design, random)
    failing = [finding for finding in judged.gate if finding.fails]
    confirmed = [finding for finding in failing if finding.kind == "confirmed"]
    rates = {
        scenario: row.pool.match_rate for scenario, row in zip(judged.scenarios, judged.rows, strict=True)
    }
    return NullFound(
        confirmed=any(finding.min_shift is not None for finding in confirmed),
        unrepeated=any(each.judged.confirmed and each.fresh is None for each in judged.cells),
        by_matches=any(finding.min_shift is None for finding in confirmed),
        recurring=any(incident.recurs for each in judged.cells for incident in each.incidents),
        floors=any(
            floor.broken and (rates[floor.scenario_id] or 0.0) >= floor.min_match for floor in judged.floors
        ),
        policy=any(finding.policy for finding in failing),
        naive=any((each.judged.shift.raw or 0.0) > NAIVE_THRESHOLD for each in judged.first),
        cost=1 + judged.fresh / judged.planned,
        incidents=Counter(incident.found.kind for each in judged.first for incident in each.incidents),
        recurring_cells=Counter(
            incident.found.kind for each in judged.cells for incident in each.incidents if incident.recurs
        ),
    )


def sum_up(name: str, design: Design, found: Sequence[NullFound]) -> Matrices:
    def among(hits: Iterable[bool]) -> float:
        return sum(hits) / len(found)

    cells = ROWS * COLUMNS * len(found)
    return Matrices(
        name,
        design,
        len(found),
        confirmed=among(each.confirmed for each in found),
        unrepeated=among(each.unrepeated for each in found),
        by_matches=among(each.by_matches for each in found),
        recurring=among(each.recurring for each in found),
        floors=among(each.floors for each in found),
        any=among(each.confirmed or each.by_matches or each.recurring or each.floors for each in found),
        policy=among(each.policy for each in found),
        naive=among(each.naive for each in found),
        mean_cost=sum(each.cost for each in found) / len(found),
        most_cost=max(each.cost for each in found),
        incidents=_shares((each.incidents for each in found), cells),
        recurring_cells=_shares((each.recurring_cells for each in found), cells),
    )


def _shares(counts: Iterable[Counter[IncidentKind]], of: int) -> Kinds:
    total = sum(counts, Counter[IncidentKind]())
    return {kind: count / of for kind, count in total.items()}


def measure_left_out(recorded: Sample) -> Kinds:
    """Hold every trial against the others of its task: the share of runs with something no other run did."""
    found: Counter[IncidentKind] = Counter()
    for pool in recorded.pools():
        for run in pool.runs:
            others = [each for each in pool.runs if each is not run]
            found.update(KnownDeeds([each.deeds for each in others]).strange_kinds(run.deeds))
    return _shares([found], len(recorded.runs))
