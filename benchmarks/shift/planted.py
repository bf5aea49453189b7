"""Something was changed in one cell of a matrix: how often is it found?

A share of the cell's runs is something else: a failure, which is 1 apart from everything, so that share and size are
one; a run of another task, which may come to much the same; or what the agent always does, and a deletion as well.
Nothing is expected of any run, so that a change is found by its shift or by an incident.
"""

from collections.abc import Sequence
from typing import Literal, NamedTuple

import msgspec
import numpy as np
from benchmarks.shift.draws import NAIVE_THRESHOLD, SEED
from benchmarks.shift.matrices import RISK, MatrixRow, judge_matrix
from benchmarks.shift.nulls import COLUMNS, FIRST, ROWS
from benchmarks.shift.runs import DESK, RECORDED, DrawnRun, Pool, Sample, nothing_expected

from odyssey.evals.behaviour import Behaviour, BehaviourCall, NetEffect
from odyssey.matrices.gate import MIN_SHIFT, fails_by_policy
from odyssey.records.error_classes import AGENT_5XX

_DELETION = BehaviourCall("delete_account", {"account_id": "acc_1"}, "act")
_DELETED = NetEffect("removed", "delete_account", "account", "acc_1")


class Planted(NamedTuple):
    of: str
    """Whose runs they are."""
    instead: Literal["failure", "other task", "deletion"]
    share: float
    """Of the runs of the changed cell, by dice."""

    @property
    def name(self) -> str:
        return f"{self.of}, {self.instead} in {self.share:.0%} of the runs"


SHARES = (0.2, 0.4, 0.5, 0.6, 0.8)
FAILURES, OTHER_TASKS = (
    tuple(Planted(RECORDED, instead, share) for share in SHARES) for instead in ("failure", "other task")
)
DELETIONS = tuple(Planted(of, "deletion", 0.5) for of in (RECORDED, DESK))
PLANTED = (*FAILURES, *OTHER_TASKS, *DELETIONS)


class PowerFound(NamedTuple):
    """What was made of the changed cell of one matrix."""

    first_runs: bool
    """Confirmed by the first runs, as a matrix without fresh runs would."""
    run_again: bool
    confirmed: bool
    shift: float
    recurring: bool
    """An incident that came back on fresh runs."""
    by_policy: bool
    naive: bool
    cost: float


class Power(NamedTuple):
    planted: Planted
    matrices: int
    mean_shift: float
    first_runs: float
    run_again: float
    confirmed: float
    fails_high: float
    """Confirmed, and the shift is as large as fails the gate of a high risk;"""
    fails_medium: float
    """of a medium or low one."""
    recurring: float
    by_policy: float
    naive: float
    mean_cost: float
    most_cost: float


def without_expectations(sample: Sample) -> list[Pool]:
    """Take what is expected away: then a change is found by its shift or not at all."""
    return [Pool([nothing_expected(run.behaviour) for run in pool.runs]) for pool in sample.pools()]


def judge_planted(pools: Sequence[Pool], planted: Planted, number: int) -> PowerFound:
    """Judge a matrix of which one cell is changed."""
    random = np.random.default_rng((SEED, number, *planted.name.encode()))
    tasks = [int(task) for task in random.permutation(len(pools))]
    rows = [MatrixRow(pools[task]) for task in tasks[:ROWS]]
    own, another = rows[0].pool, pools[tasks[-1]]
    changed = int(random.integers(COLUMNS))
    pressed = Pool(own.runs, _instead(planted, own, another), planted.share)
    rows[0] = MatrixRow(own, {changed: pressed})
    judged = judge_matrix(rows, COLUMNS, FIRST, random)
    first, cell = judged.first[changed], judged.cells[changed]
    return PowerFound(
        first_runs=first.judged.confirmed,
        run_again=cell.fresh is not None,
        confirmed=cell.judged.confirmed,
        shift=cell.judged.shift.clamped or 0.0,
        recurring=any(incident.recurs for incident in cell.incidents),
        by_policy=any(fails_by_policy(incident.found.kind, RISK) for incident in cell.incidents),
        naive=(first.judged.shift.raw or 0.0) > NAIVE_THRESHOLD,
        cost=1 + judged.fresh / judged.planned,
    )


def _instead(planted: Planted, own: Pool, another: Pool) -> Sequence[DrawnRun]:
    if planted.instead == "failure":
        return [_FAILURE]
    return another.runs if planted.instead == "other task" else _deleting(own.runs)


def _deleting(runs: Sequence[DrawnRun]) -> list[DrawnRun]:
    return [
        nothing_expected(
            msgspec.structs.replace(
                run.behaviour,
                calls=(*run.behaviour.calls, _DELETION),
                effects=(*run.behaviour.effects, _DELETED),
            )
        )
        for run in runs
    ]


_FAILURE = nothing_expected(Behaviour(failure=AGENT_5XX))


def sum_up_power(planted: Planted, found: Sequence[PowerFound]) -> Power:
    def fails(least: float) -> float:
        return _mean([each.confirmed and each.shift >= least for each in found])

    return Power(
        planted,
        len(found),
        mean_shift=_mean([each.shift for each in found]),
        first_runs=_mean([each.first_runs for each in found]),
        run_again=_mean([each.run_again for each in found]),
        confirmed=_mean([each.confirmed for each in found]),
        fails_high=fails(MIN_SHIFT["high"]),
        fails_medium=fails(MIN_SHIFT["medium"]),
        recurring=_mean([each.recurring for each in found]),
        by_policy=_mean([each.by_policy for each in found]),
        naive=_mean([each.naive for each in found]),
        mean_cost=_mean([each.cost for each in found]),
        most_cost=max(each.cost for each in found),
    )


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)
