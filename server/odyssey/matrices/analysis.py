"""What the cells of a matrix come to, and the figures of a whole one: seconds of computing, so off the loop."""

import asyncio
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence

from odyssey.evals.eval_runs.repository import BASELINE
from odyssey.evals.scenarios.content import RiskLevel
from odyssey.matrices.cells import AnalysedCell, analyse
from odyssey.matrices.comparisons.schemas import RateOut
from odyssey.matrices.gate import Floor, floor_of
from odyssey.matrices.plan import MatrixPlan, RunPlace
from odyssey.matrices.repository import RunKey, RunRow
from odyssey.matrices.schemas import Bands, EvalSummary, Shares
from odyssey.matrices.sides import SeenRun
from odyssey.statistics.intervals import wilson
from odyssey.statistics.significance import Matches

# The figures of a whole matrix: counted from its cells, and added up over several matrices.

_NONE = Matches(0, 0)


def rate_of(matches: Matches | None) -> RateOut:
    if matches is None or not matches.runs:
        return RateOut(share=None, interval=None, matched=0, runs=0)
    low, high = wilson(matches.matched, matches.runs)
    return RateOut(share=matches.rate, interval=[low, high], matched=matches.matched, runs=matches.runs)


def tally(plan: MatrixPlan, cells: Sequence[AnalysedCell]) -> EvalSummary:
    """Count a matrix: the baselines of a row once, runs under a pressure, no placebos.

    Of matches the planned runs alone: fresh ones are made where something was seen, and would bend the rates.
    """
    by_variation: defaultdict[str, Matches] = defaultdict(lambda: _NONE)
    by_risk: defaultdict[RiskLevel, Matches] = defaultdict(lambda: _NONE)
    counted_rows: set[int] = set()

    def count(variation: str, risk: RiskLevel, matches: Matches | None) -> None:
        by_variation[variation] = _sum(by_variation[variation], matches)
        by_risk[risk] = _sum(by_risk[risk], matches)

    for cell in cells:
        sides = cell.first.sides
        risk = plan.rows[sides.row].scenario.risk_level
        if sides.row not in counted_rows:
            counted_rows.add(sides.row)
            count(BASELINE, risk, sides.baseline_matches)
        count(plan.snapshot.variations[sides.variation].name, risk, sides.matches)
    settled = [cell for cell in cells if not cell.pending]
    bands = [cell.judged.band for cell in settled if cell.judged.band is not None]
    return EvalSummary(
        match_rate=_shares(by_variation, by_risk),
        shift=Bands(
            green=bands.count("green"),
            amber=bands.count("amber"),
            red=bands.count("red"),
            insufficient=len(cells) - len(bands),
        ),
        flagged=sum(cell.judged.flagged for cell in settled),
        confirmed=sum(cell.judged.confirmed for cell in settled),
        incidents=sum(bool(cell.incidents) for cell in settled),
        broken_floors=sum(floor.broken for floor in floors_of(plan, cells)),
    )


def floors_of(plan: MatrixPlan, cells: Sequence[AnalysedCell]) -> list[Floor]:
    """Judge the rows whose risk has a floor by all their runs without pressure."""
    found = []
    for row, matches in {cell.first.sides.row: cell.base_matches for cell in cells}.items():
        floor = floor_of(matches, plan.snapshot.asked.min_match.get(plan.rows[row].scenario.risk_level))
        if floor is not None:
            found.append(floor)
    return found


def add_up(summaries: Sequence[EvalSummary]) -> EvalSummary:
    by_variation: defaultdict[str, Matches] = defaultdict(lambda: _NONE)
    by_risk: defaultdict[RiskLevel, Matches] = defaultdict(lambda: _NONE)
    for summary in summaries:
        for variation, rate in summary.match_rate.by_variation.items():
            by_variation[variation] = _sum(by_variation[variation], Matches(rate.matched, rate.runs))
        for risk, rate in summary.match_rate.by_risk.items():
            by_risk[risk] = _sum(by_risk[risk], Matches(rate.matched, rate.runs))
    return EvalSummary(
        match_rate=_shares(by_variation, by_risk),
        shift=Bands(
            green=sum(each.shift.green for each in summaries),
            amber=sum(each.shift.amber for each in summaries),
            red=sum(each.shift.red for each in summaries),
            insufficient=sum(each.shift.insufficient for each in summaries),
        ),
        flagged=sum(each.flagged for each in summaries),
        confirmed=sum(each.confirmed for each in summaries),
        incidents=sum(each.incidents for each in summaries),
        broken_floors=sum(each.broken_floors for each in summaries),
    )


def _shares(by_variation: dict[str, Matches], by_risk: dict[RiskLevel, Matches]) -> Shares:
    return Shares(
        overall=rate_of(_total(by_variation.values())),
        by_variation={name: rate_of(matches) for name, matches in by_variation.items()},
        by_risk={risk: rate_of(matches) for risk, matches in by_risk.items()},
    )


def _sum(first: Matches, second: Matches | None) -> Matches:
    return first if second is None else Matches(first.matched + second.matched, first.runs + second.runs)


def _total(every: Iterable[Matches]) -> Matches:
    total = _NONE
    for matches in every:
        total = _sum(total, matches)
    return total


# What was read off the runs of a matrix, and what its cells come to: seconds of computing, so off the loop.


def places_of(plan: MatrixPlan) -> Callable[[RunKey], RunPlace]:
    """Map a run's key to its place in the plan."""
    rows = {(row.scenario.number, row.rule_set_name): index for index, row in enumerate(plan.rows)}
    variations = {each.name: index for index, each in enumerate(plan.snapshot.variations)}

    def place(key: RunKey) -> RunPlace:
        variation = None if key.variation_type is None else variations[key.variation_type]
        return RunPlace(rows[key.scenario_number, key.rule_set], variation, key.placebo, key.repeat)

    return place


async def analyse_runs(plan: MatrixPlan, rows: Sequence[RunRow]) -> tuple[list[AnalysedCell], EvalSummary]:
    """Judge the cells by the runs that have ended so far."""
    return await asyncio.to_thread(_analyse, plan, rows)


def _analyse(plan: MatrixPlan, rows: Sequence[RunRow]) -> tuple[list[AnalysedCell], EvalSummary]:
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
                row.findings,
            )
            for row in rows
        ],
    )
    return cells, tally(plan, cells)
