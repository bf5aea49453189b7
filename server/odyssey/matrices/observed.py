"""What was read off the runs of a matrix, and what its cells come to: seconds of computing, so off the loop."""

import asyncio
from collections.abc import Callable, Sequence
from typing import NamedTuple

from odyssey.matrices.cells import AnalysedCell, SeenRun, analyse
from odyssey.matrices.plan import Place, Plan
from odyssey.matrices.repository import RunKey, RunRow
from odyssey.matrices.schemas import EvalSummary
from odyssey.matrices.tally import tally


class Analysis(NamedTuple):
    cells: list[AnalysedCell]
    summary: EvalSummary


def places_of(plan: Plan) -> Callable[[RunKey], Place]:
    """Tell from what a run is of which run of the plan it is."""
    rows = {(row.scenario.number, row.rule_set_name): index for index, row in enumerate(plan.rows)}
    variations = {each.name: index for index, each in enumerate(plan.snapshot.variations)}

    def place(key: RunKey) -> Place:
        variation = None if key.variation_type is None else variations[key.variation_type]
        return Place(rows[key.scenario_number, key.rule_set], variation, key.placebo, key.repeat)

    return place


async def analyse_runs(plan: Plan, rows: Sequence[RunRow]) -> Analysis:
    """Judge the cells by the runs that have ended so far."""
    return await asyncio.to_thread(_analyse, plan, rows)


def _analyse(plan: Plan, rows: Sequence[RunRow]) -> Analysis:
    place = places_of(plan)
    cells = analyse(
        plan,
        [
            SeenRun(
                row.run_id,
                place(row.key),
                row.observed_at is not None,
                row.behaviour,
                row.matched,
                row.delivered,
            )
            for row in rows
        ],
    )
    return Analysis(cells, tally(plan, cells))
