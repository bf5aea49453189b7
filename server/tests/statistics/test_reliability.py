"""pass^k and paired differences: against closed forms, by laws, and by how often their intervals hold the truth."""

import random
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from itertools import combinations, pairwise
from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

from odyssey.statistics.intervals import wilson
from odyssey.statistics.reliability import (
    PassK,
    Trials,
    every_pass_k,
    paired_difference,
    pass_k,
    pass_rate,
    reliability_lost,
)

RECORDED = {0: 8, 1: 3, 2: 4, 3: 2, 4: 8}
"""Of 25 tasks that a real agent was given four times each: how many passed so often."""
RECORDED_PASS_K = [Fraction(49, 100), Fraction(29, 75), Fraction(17, 50), Fraction(8, 25)]


def trials(least: int = 0, most: int = 12) -> st.SearchStrategy[Trials]:
    runs = st.integers(least, most)
    return runs.flatmap(lambda n: st.integers(0, n).map(lambda passes: Trials(passes, n)))


def by_subsets(outcomes: list[list[bool]], k: int) -> Fraction:
    """pass^k by its meaning: of all ways to choose k runs of a task, the share in which all pass."""
    shares = []
    for runs in outcomes:
        chosen = list(combinations(runs, k))
        shares.append(Fraction(sum(all(each) for each in chosen), len(chosen)))
    return sum(shares, Fraction(0)) / len(shares)


def counted(outcomes: list[list[bool]]) -> Counter[Trials]:
    return Counter(Trials(sum(runs), len(runs)) for runs in outcomes)


def test_recorded_runs_give_the_closed_form() -> None:
    outcomes = [
        [run < passes for run in range(4)] for passes, tasks in RECORDED.items() for _ in range(tasks)
    ]
    found = every_pass_k(counted(outcomes))
    assert [each.k for each in found] == [1, 2, 3, 4]
    for each, expected in zip(found, RECORDED_PASS_K, strict=True):
        assert by_subsets(outcomes, each.k) == expected
        assert each.share == pytest.approx(float(expected), abs=1e-12)
        assert each.interval.low < each.share < each.interval.high
        assert (each.tasks, each.left_out) == (25, 0)


@given(st.lists(st.lists(st.booleans(), max_size=6), min_size=1, max_size=8), st.integers(1, 6))
def test_it_is_the_share_of_subsets_that_pass(outcomes: list[list[bool]], k: int) -> None:
    long_enough = [runs for runs in outcomes if len(runs) >= k]
    found = pass_k(counted(outcomes), k)
    if not long_enough:
        assert found is None
        return
    assert found is not None
    assert found.share == pytest.approx(float(by_subsets(long_enough, k)), abs=1e-12)
    assert (found.tasks, found.left_out) == (len(long_enough), len(outcomes) - len(long_enough))


@given(st.lists(trials(1), min_size=1, max_size=60))
def test_an_interval_holds_its_share_and_k_only_lowers_it(tasks: list[Trials]) -> None:
    least = min(each.runs for each in tasks)
    found = [pass_k(Counter(tasks), k) for k in range(1, least + 1)]
    shares = []
    for each in found:
        assert each is not None
        assert 0 <= each.interval.low <= each.share <= each.interval.high <= 1
        shares.append(each.share)
    assert all(later <= earlier + 1e-12 for earlier, later in pairwise(shares))


@given(st.integers(1, 400).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_tasks_tried_once_are_plain_trials(seen: tuple[int, int]) -> None:
    passed, tasks = seen
    counts = {Trials(1, 1): passed, Trials(0, 1): tasks - passed}
    found = pass_rate(counts)
    assert found is not None
    assert found.share == pytest.approx(passed / tasks)
    # The sample's variance divides by one task less, so the interval is that of one trial less.
    fewer = tasks if passed in (0, tasks) or tasks == 1 else tasks - 1
    narrow, wide = wilson(passed, tasks), found.interval
    assert wide.low <= narrow.low + 1e-12
    assert wide.high >= narrow.high - 1e-12
    assert wide.high - wide.low <= (narrow.high - narrow.low) * (tasks / fewer) + 1e-9


@pytest.mark.parametrize("tasks", [2, 5, 40])
def test_equal_tasks_are_worth_no_more_than_their_number(tasks: int) -> None:
    for passes in (0, 4):
        found = pass_k({Trials(passes, 4): tasks}, 2)
        assert found is not None
        assert found.interval == wilson(tasks if passes else 0, tasks)
    thirds = pass_rate({Trials(1, 3): tasks})
    assert thirds is not None
    assert thirds.interval.high - thirds.interval.low > 0.5 / tasks**0.5


def test_one_task_speaks_of_itself() -> None:
    found = pass_rate({Trials(40, 50): 1})
    assert found is not None
    assert found.interval == pytest.approx(wilson(40, 50))


@given(trials(1), st.integers(1, 6))
def test_one_task_is_as_reliable_as_the_power_of_its_rate(seen: Trials, k: int) -> None:
    found = pass_k({seen: 1}, min(k, seen.runs))
    assert found is not None
    rate = wilson(seen.passes, seen.runs)
    low, high = rate.low**found.k, rate.high**found.k
    assert found.interval == pytest.approx((min(low, found.share), max(high, found.share)))


def test_nothing_graded_is_no_rate() -> None:
    assert pass_rate({}) is None
    assert pass_rate({Trials(0, 0): 9}) is None
    assert every_pass_k({Trials(0, 0): 9}) == []
    assert paired_difference([]) is None
    with pytest.raises(ValueError, match="k is 0"):
        pass_k({Trials(1, 1): 1}, 0)
    with pytest.raises(ValueError, match="graded"):
        paired_difference([(Trials(1, 1), Trials(0, 0))])


def test_tasks_without_a_graded_run_change_nothing_but_are_counted() -> None:
    counts = {Trials(1, 2): 3, Trials(2, 2): 4}
    without = every_pass_k(counts)
    assert [each.left_out for each in without] == [0, 0]
    assert every_pass_k(counts | {Trials(0, 0): 5}) == [each._replace(left_out=5) for each in without]


PAIRS = st.lists(st.tuples(trials(1), trials(1)), min_size=1, max_size=40)


@given(PAIRS)
def test_a_difference_turns_with_its_sides(pairs: list[tuple[Trials, Trials]]) -> None:
    found = paired_difference(pairs)
    turned = paired_difference([(b, a) for a, b in pairs])
    assert found is not None
    assert turned is not None
    assert turned.share == pytest.approx(-found.share)
    assert turned.interval == pytest.approx((-found.interval.high, -found.interval.low))
    assert -1 <= found.interval.low <= found.share <= found.interval.high <= 1


def both_pass_k(before: Trials, after: Trials, k: int) -> tuple[PassK, PassK]:
    first, second = pass_k({before: 1}, k), pass_k({after: 1}, k)
    assert first is not None
    assert second is not None
    return first, second


@given(trials(1), trials(1), st.data())
def test_what_is_lost_one_way_is_gained_the_other(before: Trials, after: Trials, data: st.DataObject) -> None:
    k = data.draw(st.integers(1, min(before.runs, after.runs)))
    first, second = both_pass_k(before, after, k)
    lost, gained = reliability_lost(first, second), reliability_lost(second, first)
    assert lost.share == pytest.approx(first.share - second.share)
    assert gained.share == pytest.approx(-lost.share)
    assert gained.interval == pytest.approx((-lost.interval.high, -lost.interval.low))
    assert -1 <= lost.interval.low <= lost.share <= lost.interval.high <= 1


@given(trials(1), trials(1), st.integers(2, 20))
def test_more_runs_of_the_same_kind_say_more(before: Trials, after: Trials, times: int) -> None:
    few = reliability_lost(*both_pass_k(before, after, 1)).interval
    more = (
        Trials(before.passes * times, before.runs * times),
        Trials(after.passes * times, after.runs * times),
    )
    many = reliability_lost(*both_pass_k(*more, 1)).interval
    assert many.high - many.low <= few.high - few.low + 1e-9


def test_equal_results_leave_room_for_chance() -> None:
    pairs = [(Trials(1, 1), Trials(1, 1))] * 5 + [(Trials(0, 1), Trials(0, 1))] * 5
    found = paired_difference(pairs)
    assert found is not None
    assert found.share == 0
    assert found.interval.low < -0.05
    assert found.interval.high > 0.05


def test_where_nothing_varies_the_intervals_add_by_squares() -> None:
    room = 1 - wilson(54, 54).low
    same = paired_difference([(Trials(1, 1), Trials(1, 1))] * 54)
    assert same is not None
    assert same.interval == pytest.approx((-room, room))
    other = paired_difference([(Trials(0, 1), Trials(1, 1))] * 54)
    assert other is not None
    assert other.interval == pytest.approx((1 - room * 2**0.5, 1.0))


Talent = Callable[[random.Random], float]
AGENTS: dict[str, Talent] = {
    "all kinds of tasks": lambda draw: draw.random(),
    "easy or hard": lambda draw: draw.betavariate(0.6, 0.6),
    "nearly all easy": lambda draw: draw.betavariate(6, 0.5),
    "equally hard": lambda draw: 0.7,
}


def outcome(draw: random.Random, chance: float, runs: int) -> Trials:
    return Trials(sum(draw.random() < chance for _ in range(runs)), runs)


@pytest.mark.parametrize("name", AGENTS)
@pytest.mark.parametrize("k", [1, 2, 4])
def test_intervals_of_pass_k_hold_the_truth_about_95_times_in_100(name: str, k: int) -> None:
    talent, draw = AGENTS[name], random.Random(name)
    truth = sum(talent(draw) ** k for _ in range(40_000)) / 40_000
    held = 0
    for _ in range(600):
        found = pass_k(Counter(outcome(draw, talent(draw), 4) for _ in range(30)), k)
        assert found is not None
        held += found.interval.low <= truth <= found.interval.high
    assert 0.92 <= held / 600 <= 0.995


@pytest.mark.parametrize("name", AGENTS)
@pytest.mark.parametrize("worse", [0.0, 0.15])
@pytest.mark.parametrize("runs", [1, 4])
def test_intervals_of_differences_hold_the_truth_about_95_times_in_100(
    name: str, worse: float, runs: int
) -> None:
    talent, draw = AGENTS[name], random.Random(name)
    truth = -sum(min(worse, talent(draw)) for _ in range(40_000)) / 40_000
    held = 0
    for _ in range(400):
        chances = [talent(draw) for _ in range(30)]
        pairs = [(outcome(draw, p, runs), outcome(draw, p - worse, runs)) for p in chances]
        found = paired_difference(pairs)
        assert found is not None
        held += found.interval.low <= truth <= found.interval.high
    assert held / 400 >= 0.92


@pytest.mark.parametrize(("variations", "baselines"), [(4, 12), (6, 12), (20, 20)])
@pytest.mark.parametrize("k", [1, 2, 4])
def test_intervals_of_what_is_lost_hold_the_truth_about_95_times_in_100(
    variations: int, baselines: int, k: int
) -> None:
    """Exactly, over all outcomes; not a simulation."""
    found = {
        (before, after): reliability_lost(
            *both_pass_k(Trials(before, baselines), Trials(after, variations), k)
        ).interval
        for before in range(baselines + 1)
        for after in range(variations + 1)
    }
    held = []
    for chance, pressed in ((p / 10, q / 10) for p in range(11) for q in range(p + 1)):
        truth = chance**k - pressed**k
        held.append(
            sum(
                binomial(before, baselines, chance) * binomial(after, variations, pressed)
                for (before, after), interval in found.items()
                if interval.low - 1e-12 <= truth <= interval.high + 1e-12
            )
        )
    assert min(held) >= 0.88
    assert 0.945 <= sum(held) / len(held) <= 0.99


def binomial(passes: int, runs: int, chance: float) -> float:
    return comb(runs, passes) * chance**passes * (1 - chance) ** (runs - passes)
