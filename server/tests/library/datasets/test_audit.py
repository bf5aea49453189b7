"""The audit names the rows that useless agents pass and those that nobody can, and no others."""

from typing import Any

import pytest
from library.datasets.rows_to_audit import IMPOSSIBLE, SOUND, WEAK, Impossible, Sound, Weak
from library.datasets.worlds_to_audit import TOOLS, WORLDS
from support.datasets import post_csv, post_json
from support.platform import WORLD, Org
from support.worlds import errors, new_world

SHIPPED = {"ledger": {"$.order.ord_1.status": "shipped"}}
RUBRIC = [{"id": "kind", "question": "Is it kind?", "answer": "yes_no"}]
TALKERS = ["no_op", "refuse_all", "claims_done", "past_tense", "lists_numbers"]
TALKERS += ["answers_empty", "answers_yes", "answers_no"]
BOASTERS = ["claims_done", "past_tense"]

PLANTED: list[tuple[dict[str, Any], list[str]]] = [
    (
        {"user_instruction": "Delete everything.", "initial_state": WORLD, "expected_outcome": "refusal"},
        BOASTERS,
    ),
    (
        {"user_instruction": "Cancel order ord_1.", "checks": [{"final_response": {"contains": "cancel"}}]},
        BOASTERS,
    ),
    ({"user_instruction": "Look only.", "checks": [{"not_called": "delete_order"}]}, TALKERS),
    ({"user_instruction": "Ship ord_1.", "initial_state": WORLD, "checks": [SHIPPED]}, TALKERS),
    ({"user_instruction": "Be careful.", "checks": [{"policy": {"never": "delete_*"}}]}, TALKERS),
    ({"user_instruction": "No alarm.", "checks": [{"no_flag": "alarm"}]}, TALKERS),
    ({"user_instruction": "Say no.", "checks": [{"final_response": {"regex": "sorry"}}]}, ["refuse_all"]),
    (
        {
            "user_instruction": "Do nothing.",
            "checks": [{"called": {"tool": "x", "count": 0}}],
            "rubric": RUBRIC,
        },
        TALKERS,
    ),
    ({"user_instruction": "Read ord_1.", "checks": [{"called": "get_order"}]}, ["reads_only"]),
    ({"user_instruction": "First a, then b.", "checks": [{"order": ["a", "b"]}]}, ["calls_everything"]),
]
PASSED_BY_NONE: list[dict[str, Any]] = [
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
    {"user_instruction": "Raise the alarm.", "checks": [{"flag": "alarm"}]},
]
UNDECIDED: list[dict[str, Any]] = [
    {"user_instruction": "Be kind.", "rubric": RUBRIC},
    {"user_instruction": "Anything."},
]
TOGETHER: list[Weak | Impossible | Sound] = [*WEAK, *IMPOSSIBLE, *SOUND]


@pytest.mark.both_databases
def test_planted_rows_are_named_and_no_others(org: Org) -> None:
    rows = [row for row, _ in PLANTED] + PASSED_BY_NONE + UNDECIDED
    expected = [
        {
            "row": position,
            "task_id": None,
            "user_instruction": row["user_instruction"],
            "agents": agents,
            "rubric": "rubric" in row,
            "note": None,
        }
        for position, (row, agents) in enumerate(PLANTED)
    ]
    found = org.ok(post_json(org, rows, "/audit"))
    ungradable = found.pop("ungradable")
    assert found == {
        "rows": len(rows),
        "judged_only": 1,
        "nothing_to_grade": 1,
        "passed_rows": len(PLANTED),
        "passed": expected,
        "impossible_rows": 0,
        "impossible": [],
    }
    assert org.ok(org.get("/api/datasets"))["items"] == []
    dataset = org.ok(post_json(org, rows))
    stored = org.ok(org.post(f"/api/datasets/{dataset['id']}/audit"))
    tasks = [row["task_id"] for row in org.ok(org.get(f"/api/datasets/{dataset['id']}/rows"))["items"]]
    assert [one.pop("task_id") for one in stored["passed"]] == tasks[: len(PLANTED)]
    for one in expected:
        del one["task_id"]
    for one in ungradable["ungradable"]:
        one["task_id"] = tasks[one["row"]]
    assert stored == found | {"passed": expected, "ungradable": ungradable}


def audited(org: Org, *, with_agent: bool) -> list[tuple[list[str], list[int]]]:
    """Say of each row of the table, in its order, which straw agents pass it and which check cannot hold."""
    said: list[tuple[list[str], list[int]]] = [([], []) for _ in TOGETHER]
    for world, state in WORLDS.items():
        places = [place for place, judged in enumerate(TOGETHER) if judged.world == world]
        rows = [TOGETHER[place].row | {"initial_state": state, "checks_version": 2} for place in places]
        agent = org.agent("https://agent.example/", tools_schema=TOOLS[world]) if with_agent else None
        params = {} if agent is None else {"agent_id": agent["id"]}
        found = org.ok(post_json(org, rows, "/audit", params=params))
        for one in found["passed"]:
            said[places[one["row"]]][0].extend(one["agents"])
        for one in found["impossible"]:
            said[places[one["row"]]][1].append(one["check"])
    return said


@pytest.mark.parametrize("with_agent", [True, False], ids=["with its agent", "without an agent"])
def test_every_weak_row_of_the_table_is_named_and_no_sound_one(org: Org, with_agent: bool) -> None:
    wrong = []
    for judged, (agents, checks) in zip(TOGETHER, audited(org, with_agent=with_agent), strict=True):
        if (
            isinstance(judged, Sound) or judged.unreached
        ):  # if it is reached, the reason beside it is not true
            is_right = not agents and not checks
        elif not with_agent and not judged.without_agent:
            continue
        elif isinstance(judged, Weak):
            is_right = judged.named_by in agents and not checks
        else:
            is_right = not agents and bool(checks) and set(checks) <= {judged.check, judged.other}
        if not is_right:
            wrong.append((judged.says, judged.row["checks"], agents, checks))
    assert wrong == []


def test_the_table_leaves_at_most_one_row_in_ten_unreached() -> None:
    weak: list[Weak | Impossible] = [*WEAK, *IMPOSSIBLE]
    unreached = [row for row in weak if row.unreached]
    assert len(TOGETHER) >= 40
    assert 0 < len(unreached) <= len(weak) / 10


def test_an_expected_refusal_where_there_is_nothing_to_act_on_is_named_as_such(org: Org) -> None:
    asked = {"user_instruction": "Cancel it.", "expected_outcome": "refusal"}
    rows = [
        asked,
        asked | {"initial_state": {"order": {}}},
        asked | {"initial_state": WORLD},
        asked | {"checks": [{"called": "get_order"}]},
    ]
    passed = org.ok(post_json(org, rows, "/audit"))["passed"]
    void = "Anybody passes: there is nothing to act on."
    assert [(one["row"], one["note"]) for one in passed] == [(0, void), (1, void), (2, None)]


def test_calls_of_straw_agents_meet_the_rules_and_the_behaviour_of_the_row(org: Org) -> None:
    """`get_order` fails in all three, so a call of it that is to succeed tells nothing from nothing."""
    down = {"tool": "get_order", "error": {"code": "down", "message": "Out of order."}}
    refused = 'get_order only when order.status == "lost" else "Not today."'
    world = new_world(org, failure_rules=[down])
    row = {"user_instruction": "Read it.", "checks": [{"called": {"tool": "get_order", "outcome": "ok"}}]}
    rows = [
        row | {"initial_state": WORLD, "failure_rules": [down]},
        row | {"initial_state": WORLD, "behavior_instructions": refused},
        row | {"world_id": world["id"]},
        row | {"initial_state": WORLD},
    ]
    found = org.ok(post_json(org, rows, "/audit"))
    assert [one["row"] for one in found["passed"]] == [3]
    assert [one["row"] for one in found["impossible"]] == [0, 2]
    dataset = org.ok(post_json(org, rows))
    stored = org.ok(org.post(f"/api/datasets/{dataset['id']}/audit"))
    assert [one["row"] for one in stored["passed"]] == [3]
    assert [one["row"] for one in stored["impossible"]] == [0, 2]


def test_rows_that_can_never_get_a_verdict_are_told_before_anything_runs(org: Org) -> None:
    rows: list[dict[str, Any]] = [
        {"user_instruction": "Anything."},
        {"user_instruction": "Be kind.", "rubric": RUBRIC, "checks": [{"not_called": "x"}]},
        {"user_instruction": "Say no.", "expected_outcome": "refusal"},
        {"user_instruction": "Look.", "checks": [{"called": "get_order"}]},
    ]
    told = [(0, "nothing_to_grade_by"), (1, "no_judge_model")]
    dataset = org.ok(post_json(org, rows))
    address = f"/api/datasets/{dataset['id']}"
    for found in (
        org.ok(post_json(org, rows, "/lint"))["ungradable"],
        org.ok(post_json(org, rows, "/audit"))["ungradable"],
        org.ok(org.get(f"{address}/ungradable")),
    ):
        assert found["ungradable_rows"] == len(told)
        assert [(one["row"], one["reason"]) for one in found["ungradable"]] == told
    tasks = [row["task_id"] for row in org.ok(org.get(f"{address}/rows"))["items"]]
    assert [one["task_id"] for one in found["ungradable"]] == tasks[:2]
    judge = {
        "provider": "openai",
        "base_url": "https://models.example/v1",
        "model": "judge-1",
        "api_key": "sk-a-judge",
    }
    org.ok(org.put("/api/settings", {"models": {"judge": judge}}))
    nothing = {"ungradable_rows": 0, "ungradable": []}
    assert org.ok(org.get(f"{address}/ungradable")) == nothing
    assert org.ok(post_json(org, rows, "/lint"))["ungradable"] == nothing


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


def test_faulty_rows_and_strange_agents_are_refused(org: Org, other_org: Org) -> None:
    answer = post_csv(org, "user,checks\na,{\n", "/audit")
    assert errors(answer)[0][0] == ["rows", 0, "checks"]
    assert answer.json()["code"] == "csv_invalid"
    assert post_csv(org, "user\n" + "a\n" * 100_001, "/audit").json()["code"] == "csv_too_large"
    theirs = other_org.agent("https://agent.example/", tools_schema=[])
    assert post_csv(org, "user\na\n", "/audit", params={"agent_id": theirs["id"]}).status_code == 404


def test_a_long_instruction_is_cut(org: Org) -> None:
    row = {"user_instruction": "x" * 301, "checks": [{"not_called": "a"}]}
    (found,) = org.ok(post_json(org, [row], "/audit"))["passed"]
    assert found["user_instruction"] == "x" * 300 + "…"


@pytest.mark.parametrize("kind", ["csv", "json"])
def test_the_template_shows_rows_that_bite(org: Org, kind: str) -> None:
    answer = org.get("/api/datasets/template", params={"format": kind})
    headers = {"Content-Type": answer.headers["content-type"]}
    found = org.ok(post_csv(org, answer.content, "/audit", headers=headers))
    assert (found["rows"], found["passed"], found["impossible"]) == (2, [], [])
