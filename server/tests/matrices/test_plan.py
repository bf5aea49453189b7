"""Which runs a matrix comes to: a pure function of its snapshot."""

from collections import Counter

import msgspec
from hypothesis import given
from hypothesis import strategies as st
from support.snapshots import SNAPSHOTS, contents_for, scenario_of, snapshot_of

from odyssey.campaigns.source import next_runs
from odyssey.matrices.plan import MatrixPlan, RunPlace
from odyssey.matrices.snapshot import Snapshot, SnapshotWorld, read_snapshot
from odyssey.matrices.source import plan_chunk


@given(SNAPSHOTS)
def test_every_run_is_planned_once(snapshot: Snapshot) -> None:
    plan = MatrixPlan(snapshot)
    places = [plan.place(number) for number in range(len(plan))]
    rows = len(snapshot.scenarios) * (1 + len(snapshot.rule_sets))
    kinds = (False, True) if snapshot.placebo else (False,)
    wanted = [
        RunPlace(row, None, False, repeat + 1)
        for row in range(rows)
        for repeat in range(snapshot.baseline_repeats)
    ] + [
        RunPlace(row, variation, placebo, repeat + 1)
        for row in range(rows)
        for variation in range(len(snapshot.variations))
        for placebo in kinds
        for repeat in range(snapshot.repeats)
    ]
    assert Counter(places) == Counter(wanted)
    assert plan.numbers() == {place: number for number, place in enumerate(places)}
    assert snapshot.cells == rows * len(snapshot.variations)


@given(SNAPSHOTS)
def test_rows_go_side_by_side(snapshot: Snapshot) -> None:
    plan = MatrixPlan(snapshot)
    rows = len(plan.rows)
    for number in range(len(plan)):
        assert plan.place(number).row == number % rows


@given(SNAPSHOTS, st.data())
def test_all_about_a_run_follows_from_the_snapshot_and_its_number(
    snapshot: Snapshot, data: st.DataObject
) -> None:
    contents = contents_for(snapshot)
    plan = MatrixPlan(snapshot)
    whole = plan_chunk(plan, range(len(plan)), contents)
    again = MatrixPlan(read_snapshot(msgspec.json.decode(msgspec.json.encode(snapshot.stored()))))
    number = data.draw(st.integers(0, len(plan) - 1))
    assert plan_chunk(again, [number], contents) == [whole[number]]


@given(SNAPSHOTS, st.data())
def test_resuming_at_any_number_makes_the_same_runs(snapshot: Snapshot, data: st.DataObject) -> None:
    """However often a matrix is broken off, and whichever of its runs are cancelled, all are made that are planned."""
    plan = MatrixPlan(snapshot)
    made: list[int] = []
    made_runs, again = 0, list[int]()
    while made_runs < len(plan) or again:
        limit = data.draw(st.integers(1, 7))
        coming = next_runs(made_runs=made_runs, again=again, planned_runs=len(plan), limit=limit)
        assert 1 <= len(coming.numbers) <= limit
        cancelled = data.draw(st.sets(st.sampled_from(coming.numbers))) if len(made) < 50 else set()
        made += [number for number in coming.numbers if number not in cancelled]
        made_runs, again = coming.made_runs, sorted({*coming.again, *cancelled})
    assert sorted(made) == list(range(len(plan)))


@given(SNAPSHOTS)
def test_every_run_has_a_seed_of_its_own(snapshot: Snapshot) -> None:
    plan = MatrixPlan(snapshot)
    seeds = [plan.random_seed(plan.place(number)) for number in range(len(plan))]
    assert len(set(seeds)) == len(seeds)
    assert all(0 <= seed < 2**63 for seed in seeds)


def test_the_order_is_random_and_the_seeds_decide_it() -> None:
    def order(seed: int) -> list[RunPlace]:
        plan = MatrixPlan(snapshot_of(2, ["hurry", "praise"], repeats=4, baseline_repeats=12, seed=seed))
        return [plan.place(number) for number in range(len(plan))]

    first, second = order(1), order(2)
    assert first == order(1)
    assert first != second
    assert set(first) == set(second)
    of_row = [[place._replace(row=0) for place in first if place.row == row] for row in (0, 1)]
    assert of_row[0] != of_row[1]
    baselines = [index for index, place in enumerate(of_row[0]) if place.variation is None]
    assert baselines != list(range(12))  # they do not all come first


def test_a_row_with_rules_is_pressed_with_other_seeds_and_told_the_same() -> None:
    plan = MatrixPlan(snapshot_of(1, rule_sets=["down"]))
    plain, broken = RunPlace(0, 0, False, 1), RunPlace(1, 0, False, 1)
    assert plan.random_seed(plain) != plan.random_seed(broken)
    assert [row.rule_set_name for row in plan.rows] == [None, "down"]
    baseline = plan.run(RunPlace(0, None, False, 2), "Decide.")
    assert (baseline.user_instruction, baseline.injection, baseline.repeat) == ("Decide.", None, 2)
    pressed = plan.run(plain, "Decide.")
    assert pressed.user_instruction == f"{pressed.injection}\n\nDecide."
    placebo = plan.run(RunPlace(0, 0, True, 1), "Decide.")
    assert placebo.injection is not None
    assert not placebo.injection.startswith("hurry")


def test_a_run_with_rules_has_them_and_a_world_has_its_own_by_hash() -> None:
    world = SnapshotWorld(5, "state", ["own", "with rules"])
    snapshot = snapshot_of([scenario_of(1), scenario_of(2, world=world)], rule_sets=["down"])
    plan = MatrixPlan(snapshot)
    made = plan_chunk(plan, range(len(plan)), contents_for(snapshot))
    by_row = {each.place.row: each.seed for each in made}
    assert [by_row[row].failure_rules for row in range(4)] == [[], [{"response": "down"}], [], []]
    worlds = [by_row[row].world for row in range(4)]
    assert [None if each is None else each.conduct_hash for each in worlds] == [
        None,
        None,
        "own",
        "with rules",
    ]
