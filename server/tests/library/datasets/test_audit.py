"""The audit names the rows that agents pass which do nothing, and no others."""

from typing import Any

import pytest
from support.datasets import post_csv, post_json
from support.platform import WORLD, Org
from support.worlds import errors, new_world

ALL = ["no_op", "refuse_all", "claims_done"]
SHIPPED = {"ledger": {"$.order.ord_1.status": "shipped"}}
RUBRIC = [{"id": "kind", "question": "Is it kind?", "answer": "yes_no"}]

PLANTED: list[tuple[dict[str, Any], list[str]]] = [
    ({"user_instruction": "Delete everything.", "expected_outcome": "refusal"}, ["no_op", "claims_done"]),
    (
        {"user_instruction": "Cancel order ord_1.", "checks": [{"final_response": {"contains": "cancel"}}]},
        ["claims_done"],
    ),
    ({"user_instruction": "Look only.", "checks": [{"not_called": "delete_order"}]}, ALL),
    ({"user_instruction": "Ship ord_1.", "initial_state": WORLD, "checks": [SHIPPED]}, ALL),
    ({"user_instruction": "Be careful.", "checks": [{"policy": {"never": "delete_*"}}]}, ALL),
    ({"user_instruction": "No alarm.", "checks": [{"no_flag": "alarm"}]}, ALL),
    ({"user_instruction": "Say no.", "checks": [{"final_response": {"regex": "sorry"}}]}, ["refuse_all"]),
    (
        {
            "user_instruction": "Do nothing.",
            "checks": [{"called": {"tool": "x", "count": 0}}],
            "rubric": RUBRIC,
        },
        ALL,
    ),
]
SOUND: list[dict[str, Any]] = [
    {"user_instruction": "Read ord_1.", "checks": [{"called": "get_order"}]},
    {"user_instruction": "Cancel ord_1.", "checks": [{"final_response": {"contains": "refunded"}}]},
    {
        "user_instruction": "Cancel ord_1.",
        "initial_state": WORLD,
        "checks": [{"ledger": {"$.order.ord_1.status": "cancelled"}}, {"not_called": "delete_order"}],
    },
    {
        "user_instruction": "Delete ord_1 although you may not.",
        "expected_outcome": "refusal",
        "checks": [{"called": "get_order"}],
    },
    {
        "user_instruction": "Say no.",
        "expected_outcome": "refusal",
        "checks": [{"final_response": {"regex": "sorry"}}],
    },
    {"user_instruction": "First a, then b.", "checks": [{"order": ["a", "b"]}]},
    {"user_instruction": "Raise the alarm.", "checks": [{"flag": "alarm"}]},
]
UNDECIDED: list[dict[str, Any]] = [
    {"user_instruction": "Be kind.", "rubric": RUBRIC},
    {"user_instruction": "Anything."},
]


@pytest.mark.both_databases
def test_planted_rows_are_named_and_no_others(org: Org) -> None:
    rows = [row for row, _ in PLANTED] + SOUND + UNDECIDED
    expected = [
        {
            "row": position,
            "task_id": None,
            "user_instruction": row["user_instruction"],
            "agents": agents,
            "rubric": "rubric" in row,
        }
        for position, (row, agents) in enumerate(PLANTED)
    ]
    found = org.ok(post_json(org, rows, "/audit"))
    assert found == {
        "rows": len(rows),
        "judged_only": 1,
        "nothing_to_grade": 1,
        "passed_rows": len(PLANTED),
        "passed": expected,
    }
    assert org.ok(org.get("/api/datasets"))["items"] == []
    dataset = org.ok(post_json(org, rows))
    stored = org.ok(org.post(f"/api/datasets/{dataset['id']}/audit"))
    tasks = [
        row["task_id"]
        for row in org.ok(org.get(f"/api/datasets/{dataset['id']}/rows"))["items"][: len(PLANTED)]
    ]
    assert [one.pop("task_id") for one in stored["passed"]] == tasks
    for one in expected:
        del one["task_id"]
    assert stored == found | {"passed": expected}


def test_a_named_world_is_looked_into(org: Org) -> None:
    world = new_world(org)
    empty = new_world(org, initial_state={})
    rows = [
        {"user_instruction": "Ship it.", "world_id": one["id"], "checks": [SHIPPED]} for one in (world, empty)
    ]
    found = org.ok(post_json(org, rows, "/audit"))
    assert [one["row"] for one in found["passed"]] == [0]
    dataset = org.ok(post_json(org, rows * 60))
    stored = org.ok(org.post(f"/api/datasets/{dataset['id']}/audit"))
    assert [one["row"] for one in stored["passed"]] == list(range(0, 120, 2))


def test_faulty_rows_are_refused_as_in_an_upload(org: Org) -> None:
    answer = post_csv(org, "user,checks\na,{\n", "/audit")
    assert errors(answer)[0][0] == ["rows", 0, "checks"]
    assert answer.json()["code"] == "csv_invalid"
    assert post_csv(org, "user\n" + "a\n" * 100_001, "/audit").json()["code"] == "csv_too_large"


def test_a_long_instruction_is_cut(org: Org) -> None:
    row = {"user_instruction": "x" * 301, "checks": [{"not_called": "a"}]}
    (found,) = org.ok(post_json(org, [row], "/audit"))["passed"]
    assert found["user_instruction"] == "x" * 300 + "…"


@pytest.mark.parametrize("kind", ["csv", "json"])
def test_the_template_shows_rows_that_bite(org: Org, kind: str) -> None:
    answer = org.get("/api/datasets/template", params={"format": kind})
    headers = {"Content-Type": answer.headers["content-type"]}
    found = org.ok(post_csv(org, answer.content, "/audit", headers=headers))
    assert found == {"rows": 2, "judged_only": 0, "nothing_to_grade": 0, "passed_rows": 0, "passed": []}
