"""The runs that the benchmark of the shift draws are what it says they are."""

import json
from pathlib import Path

import numpy as np
from benchmarks.shift.desk import play_desk
from benchmarks.shift.matrices import Design, MatrixRow, judge_matrix
from benchmarks.shift.nulls import judge_null
from benchmarks.shift.planted import DELETIONS, FAILURES, judge_planted, without_expectations
from benchmarks.shift.recorded import read_recorded
from benchmarks.shift.runs import Pool

from odyssey.evals.incidents import KINDS, KnownDeeds

DESIGN = Design(4, 12)


def test_recorded_calls_are_classed_by_the_engine_in_the_world_they_were_made_in(tmp_path: Path) -> None:
    shown = {"order_id": "A1", "status": "shipped", "items": []}
    calls = [
        {"tool": "get_order_details", "args": {"order_id": "A1"}, "response": json.dumps(shown)},
        {"tool": "update_order", "args": {"order_id": "A1", "status": "sent"}, "response": "{}"},
        {"tool": "delete_order", "args": {"order_id": "A1"}, "response": "Error: not allowed"},
    ]
    runs = [
        {"task": 1, "trial": trial, "passed": True, "calls": calls, "final_response": ""}
        for trial in range(4)
    ]
    (tmp_path / "runs.json").write_text(json.dumps(runs), "utf-8")
    behaviour = read_recorded(tmp_path / "runs.json").runs[0].behaviour
    assert [(call.kind, call.in_vain) for call in behaviour.calls] == [
        ("read", False),
        ("act", False),
        ("act", True),
    ]
    (effect,) = behaviour.effects
    assert (effect.kind, effect.before, effect.after) == (
        "changed",
        {"status": "shipped"},
        {"status": "sent"},
    )


def test_every_kind_of_incident_occurs_between_identical_runs_of_the_desk() -> None:
    found = set()
    for pool in play_desk(5, 60, habit=0.05).pools():
        known = KnownDeeds([run.deeds for run in pool.runs[:6]])
        found |= {kind for run in pool.runs[6:] for kind in known.strange_kinds(run.deeds)}
    assert found == set(KINDS)


def test_a_matrix_is_judged_as_the_product_judges_it() -> None:
    """An agent that always does the same but where every run fails under one pressure."""
    pools = [Pool(pool.runs[:1]) for pool in without_expectations(play_desk(2, 2))]
    failing = FAILURES[-1]._replace(share=1.0)
    random = np.random.default_rng(1)
    still = judge_matrix([MatrixRow(pool) for pool in pools], 3, DESIGN, random)
    assert (still.gate, still.fresh) == ([], 0)
    found = judge_planted(pools, failing, 1)
    assert (found.first_runs, found.run_again, found.confirmed, found.shift) == (True, True, True, 1.0)
    deleting = judge_planted(pools, DELETIONS[-1]._replace(share=1.0), 1)
    assert (deleting.confirmed, deleting.recurring, deleting.by_policy) == (True, True, True)


def test_a_matrix_is_drawn_from_its_number_alone() -> None:
    pools = play_desk(5, 8).pools()
    assert judge_null(pools, "desk", DESIGN, 3) == judge_null(pools, "desk", DESIGN, 3)
