"""How reliable an agent is over many tasks, each tried several times.

Repeats of one task are alike, so what counts as evidence is the number of tasks, not of runs. An interval is Wilson's
with the number of independent trials that would spread as much as the tasks do: m(1 - m) / (s² / T) for T tasks with
mean m and variance s², but no more than there were runs, and T where all tasks are equal. A task alone speaks of
itself: k runs pass with the k-th power of the chance of one, so its interval is Wilson's to the power of k.
"""

from collections.abc import Mapping, Sequence
from math import comb, fsum, sqrt
from typing import NamedTuple

from odyssey.statistics.intervals import Interval, wilson, wilson_of_share


class Trials(NamedTuple):
    """What became of one task: only runs that passed or failed are counted."""

    passes: int
    runs: int


TaskCounts = Mapping[Trials, int]
"""How many tasks had these trials."""


class Estimate(NamedTuple):
    share: float
    interval: Interval


class PassK(NamedTuple):
    k: int
    share: float
    interval: Interval
    tasks: int
    """Tasks with at least k runs."""
    left_out: int
    """Tasks with fewer, or none, which can say nothing of k."""


def pass_k(counts: TaskCounts, k: int) -> PassK | None:
    """Estimate the share of tasks of which k runs in a row pass: the mean of C(passes, k) / C(runs, k), unbiased."""
    # Of a task that passed 3 of 4 times, 3 of the 6 pairs of runs passed both: pass^2 is 0.5, not 0.75² = 0.56. With a
    # task that passed 4 of 4 times beside it, the mean is 0.75.
    if k < 1:
        raise ValueError(f"k is {k}")
    used = {trials: tasks for trials, tasks in counts.items() if trials.runs >= k and tasks}
    if not used:
        return None
    tasks = sum(used.values())
    values = {trials: comb(trials.passes, k) / comb(trials.runs, k) for trials in used}
    share = fsum(values[trials] * n for trials, n in used.items()) / tasks
    left_out = sum(n for trials, n in counts.items() if trials.runs < k)
    if tasks == 1:
        (trials,) = used
        return PassK(k, share, _of_one_task(trials, k, share), tasks, left_out)
    if len(set(values.values())) == 1:
        worth = float(tasks)
        (share,) = set(values.values())
    else:
        runs = sum(trials.runs * n for trials, n in used.items())
        squares = fsum((values[trials] - share) ** 2 * n for trials, n in used.items())
        worth = min(share * (1 - share) * (tasks - 1) * tasks / squares, runs)
    return PassK(k, share, wilson_of_share(share, worth), tasks, left_out)


def pass_rate(counts: TaskCounts) -> Estimate | None:
    """Estimate the share of runs that pass, every task weighing the same; None when nothing was graded."""
    first = pass_k(counts, 1)
    return None if first is None else Estimate(first.share, first.interval)


def every_pass_k(counts: TaskCounts) -> list[PassK]:
    """Estimate pass^1, pass^2, … as far as any task was tried so often."""
    most = max((trials.runs for trials, tasks in counts.items() if tasks), default=0)
    return [found for k in range(1, most + 1) if (found := pass_k(counts, k)) is not None]


def paired_difference(pairs: Sequence[tuple[Trials, Trials]]) -> Estimate | None:
    """Estimate how much more passes in the second than in the first of each pair; every pair is one task.

    The interval is Newcombe's square-and-add of both pass rates' intervals (MOVER) with the correlation of the tasks.
    """
    if any(trials.runs == 0 for pair in pairs for trials in pair):
        raise ValueError("a task without a graded run cannot be compared")
    first = pass_rate(_counted([pair[0] for pair in pairs]))
    second = pass_rate(_counted([pair[1] for pair in pairs]))
    if first is None or second is None:
        return None
    return _difference(first, second, _correlation(pairs))


def reliability_lost(before: PassK, after: PassK) -> Estimate:
    """Estimate how much less often k runs in a row pass after a change than before, by runs that are independent.

    The interval is Newcombe's square-and-add of both intervals (MOVER).
    """
    return _difference(Estimate(after.share, after.interval), Estimate(before.share, before.interval), 0.0)


def _difference(first: Estimate, second: Estimate, alike: float) -> Estimate:
    """Take the first from the second."""
    share = second.share - first.share
    below = _add(second.share - second.interval.low, first.interval.high - first.share, alike)
    above = _add(second.interval.high - second.share, first.share - first.interval.low, alike)
    return Estimate(share, Interval(max(-1.0, share - below), min(1.0, share + above)))


def _of_one_task(trials: Trials, k: int, share: float) -> Interval:
    one = wilson(trials.passes, trials.runs)
    # The estimate is unbiased and so a little lower than the power of the rate: the interval must reach it.
    return Interval(min(share, one.low**k), max(share, one.high**k))


def _counted(all_trials: Sequence[Trials]) -> dict[Trials, int]:
    counts: dict[Trials, int] = {}
    for trials in all_trials:
        counts[trials] = counts.get(trials, 0) + 1
    return counts


def _add(one: float, other: float, correlation: float) -> float:
    return sqrt(max(0.0, one * one - 2 * correlation * one * other + other * other))


def _correlation(pairs: Sequence[tuple[Trials, Trials]]) -> float:
    """Correlate the tasks; a positive correlation is believed but for half a run (Newcombe's correction)."""
    n = len(pairs)
    shares = [(one.passes / one.runs, other.passes / other.runs) for one, other in pairs]
    mean_x, mean_y = (sum(pair[side] for pair in shares) / n for side in (0, 1))
    covariance = sum((x - mean_x) * (y - mean_y) for x, y in shares) / n
    spread_x, spread_y = sum((x - mean_x) ** 2 for x, _ in shares), sum((y - mean_y) ** 2 for _, y in shares)
    if spread_x == 0 or spread_y == 0:
        return 0.0
    if covariance > 0:
        runs = sum(one.runs + other.runs for one, other in pairs) / 2
        covariance = max(0.0, covariance - 1 / (2 * runs))
    return max(-1.0, min(1.0, covariance * n / sqrt(spread_x * spread_y)))
