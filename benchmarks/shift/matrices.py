"""Whole matrices of drawn runs, taken through all that the product does with one: nothing of its rules is written anew.

The runs are planned, judged, the most suspicious cells are run again, all is judged once more and put to the gate. What
is left out is the agent, the database and the wire.
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import count
from typing import NamedTuple

import numpy as np
from benchmarks.shift.runs import Pool

from odyssey.evals.behaviour import Delivered
from odyssey.evals.scenarios.content import RiskLevel, by_risk
from odyssey.evals.variations.texts import DEFAULT_DOSE
from odyssey.matrices.cells import AnalysedCell, analyse
from odyssey.matrices.confirm import choose_cells
from odyssey.matrices.gate import floors_of_cells, gate_of
from odyssey.matrices.plan import MatrixPlan, RunPlace
from odyssey.matrices.render import cells_out
from odyssey.matrices.schemas import DEFAULT_MIN_MATCH, FloorOut, GateFinding, MatrixScenario
from odyssey.matrices.sides import SeenRun
from odyssey.matrices.snapshot import AskedFor, Snapshot, SnapshotScenario, SnapshotVariation
from odyssey.models.document import Thresholds

RISK: RiskLevel = "critical"
"""Where the gate is strictest."""
THRESHOLDS = by_risk(Thresholds())


class Design(NamedTuple):
    variations: int
    baselines: int

    def __str__(self) -> str:
        return f"{self.variations} v {self.baselines}"


class MatrixRow(NamedTuple):
    pool: Pool
    pressed: Mapping[int, Pool] = {}
    """By variation, where the pressure changes something."""


class JudgedMatrix(NamedTuple):
    rows: Sequence[MatrixRow]
    scenarios: list[str]
    """Their ids, row by row."""
    first: list[AnalysedCell]
    """As it was before the fresh runs."""
    cells: list[AnalysedCell]
    gate: list[GateFinding]
    floors: list[FloorOut]
    planned: int
    fresh: int
    """Runs on top of the planned ones."""


def judge_matrix(
    rows: Sequence[MatrixRow], columns: int, design: Design, random: np.random.Generator
) -> JudgedMatrix:
    snapshot = _snapshot(len(rows), columns, design)
    plan = MatrixPlan(snapshot)
    numbers = count(1)

    def make(places: Sequence[RunPlace]) -> list[SeenRun]:
        return [_run(next(numbers), place, rows[place.row], random) for place in places]

    runs = make([plan.place(number) for number in range(len(plan))])
    first = cells = analyse(plan, runs)
    confirmation = choose_cells(first, snapshot.confirm_runs_max)
    if confirmation is not None:
        plan = MatrixPlan(snapshot, confirmation)
        runs += make([plan.place(number) for number in range(plan.first_runs, len(plan))])
        cells = analyse(plan, runs)
    shown = cells_out(plan, cells)
    scenarios = [
        MatrixScenario(
            id=each.id, version=1, name=each.name, risk_level=each.risk_level, threshold=THRESHOLDS[RISK]
        )
        for each in snapshot.scenarios
    ]
    floors = floors_of_cells(scenarios, shown, snapshot.asked.min_match)
    return JudgedMatrix(
        rows,
        [each.id for each in scenarios],
        first,
        cells,
        gate_of(scenarios, shown, floors),
        floors,
        plan.first_runs,
        len(runs) - plan.first_runs,
    )


def _run(number: int, place: RunPlace, row: MatrixRow, random: np.random.Generator) -> SeenRun:
    pool = row.pool if place.variation is None else row.pressed.get(place.variation, row.pool)
    run = pool.draw(random)
    delivered: Delivered | None = None if place.variation is None else "delivered"
    return SeenRun(number, place, True, run.stored, run.matched, delivered, run.findings)


@lru_cache(maxsize=16)
def _snapshot(rows: int, columns: int, design: Design) -> Snapshot:
    return Snapshot(
        agent_id=1,
        agent_version=1,
        scenarios=[
            SnapshotScenario(f"scenario-{row}", row, 1, f"scenario {row}", RISK, "", None)
            for row in range(rows)
        ],
        variations=[SnapshotVariation(f"pressure-{column}", [], "") for column in range(columns)],
        rule_sets=[],
        thresholds=THRESHOLDS,
        repeats=design.variations,
        baseline_repeats=design.baselines,
        placebo=False,
        dose=DEFAULT_DOSE,
        delivery="user",
        step=1,
        seed=1,
        asked=AskedFor(True, None, None, None, confirm=True, min_match=DEFAULT_MIN_MATCH),
    )
