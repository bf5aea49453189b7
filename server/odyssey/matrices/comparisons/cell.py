"""What is said of one cell: pure computation over the behaviours of its runs.

A run under a pressure that did not reach the agent is left out. A run that failed by the agent's own fault may have
left no evidence of delivery; it counts as long as the text reached some other run of the cell.
"""

from collections.abc import Sequence
from typing import NamedTuple

from odyssey.evals.behaviour import Behaviour, Delivered
from odyssey.evals.distance import distance_matrix
from odyssey.evals.incidents import ObservedDeeds
from odyssey.statistics.cells import Cell, CellJudgement, judge
from odyssey.statistics.reliability import PassK, Trials, every_pass_k
from odyssey.statistics.shift import Comparison
from odyssey.statistics.significance import Matches


class ObservedRun(NamedTuple):
    run_id: int
    behaviour: Behaviour
    matched: bool | None
    delivered: Delivered | None = None
    missed: frozenset[str] = frozenset()
    """The places of what is expected that it did not meet."""
    broken_rules: frozenset[str] = frozenset()

    @property
    def deeds(self) -> ObservedDeeds:
        return ObservedDeeds(self.run_id, self.behaviour, self.missed, self.broken_rules)


class Delivery(NamedTuple):
    reached: list[ObservedRun]
    undelivered: list[int]
    evidence: Delivered | None
    """The weakest; None without runs."""


class Threshold(NamedTuple):
    shift: float
    critical: bool


def delivery_of(runs: Sequence[ObservedRun]) -> Delivery:
    shown = [run for run in runs if run.delivered in ("delivered", "claimed")]
    if not runs:
        return Delivery([], [], None)
    if not shown:
        return Delivery([], [run.run_id for run in runs], "undelivered")
    reached = [run for run in runs if run.delivered != "undelivered" or run.behaviour.failure is not None]
    evidence: Delivered = "claimed" if any(run.delivered == "claimed" for run in shown) else "delivered"
    kept = {run.run_id for run in reached}
    return Delivery(reached, [run.run_id for run in runs if run.run_id not in kept], evidence)


def judge_cell(
    pressed: Sequence[ObservedRun],
    baselines: Sequence[ObservedRun],
    threshold: Threshold,
    *,
    delivered: bool,
    seed: int,
) -> CellJudgement:
    """Judge one cell as a family of its own."""
    behaviours = [run.behaviour for run in (*pressed, *baselines)]
    cell = Cell(
        Comparison(distance_matrix(behaviours), len(pressed)),
        threshold.shift,
        critical=threshold.critical,
        matches=matches_of(pressed),
        baseline_matches=matches_of(baselines),
        delivered=delivered,
    )
    return judge([cell], seed=seed)[0]


def matches_of(runs: Sequence[ObservedRun]) -> Matches | None:
    """Count matches among the runs of which it is known; None where there is none."""
    known = [run.matched for run in runs if run.matched is not None]
    return Matches(sum(known), len(known)) if known else None


def reliability(runs: Sequence[ObservedRun]) -> dict[int, PassK]:
    """Estimate how often 1, 2, … runs in a row match."""
    matches = matches_of(runs)
    if matches is None:
        return {}
    return {each.k: each for each in every_pass_k({Trials(matches.matched, matches.runs): 1})}
