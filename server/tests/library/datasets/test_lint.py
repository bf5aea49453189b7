"""Looking at rows without saving them."""

from typing import Any

from support.datasets import lint, post_csv, post_json, table
from support.platform import WORLD, Org
from support.worlds import new_world

URL = "http://127.0.0.1:9/dispatch"
SCHEMA = {
    "entities": [{"type": "order", "id_field": "order_id", "fields": [{"name": "total", "type": "number"}]}]
}


def notes(found: list[dict[str, Any]]) -> list[tuple[Any, ...]]:
    return [(one["row"], one["column"]) for one in found]


def test_sound_rows_are_valid_and_nothing_is_saved(org: Org) -> None:
    row = {"user": "a", "state": WORLD, "checks": [{"called": "get_order"}], "checks_version": 2}
    ungradable = {"ungradable_rows": 0, "ungradable": []}
    assert lint(org, table(row)) == {
        "valid": True,
        "rows": 1,
        "errors": [],
        "warnings": [],
        "hints": [],
        "ungradable": ungradable,
    }
    as_json = org.ok(post_json(org, [{"user_instruction": "a"}], "/lint"))
    assert (as_json["valid"], as_json["errors"], as_json["warnings"]) == (True, [], [])
    assert as_json["ungradable"]["ungradable_rows"] == 1
    assert org.ok(org.get("/api/datasets"))["items"] == []
    assert org.ok(org.get("/api/audit-log"))["items"] == []


def test_every_fault_is_found_at_once_with_row_and_column(org: Org) -> None:
    content = table(
        {"user": "fine", "note": "n"},
        {"user": "", "state": "{", "checks": [{"called": {"tool": 5}}, {"flag": []}]},
        {"user": "x", "failure_rules": [{"tool": "a", "fault": "no such fault"}], "random_seed": "1.5"},
        {"user": "x", "world": "nowhere", "expected_outcome": "perhaps", "turn_mode": "model_as_user"},
        {"user": "x", "input": "[]", "rubric": [{"id": "UPPER"}]},
    )
    found = lint(org, content)
    assert (found["valid"], found["rows"]) == (False, 5)
    assert set(notes(found["errors"])) == {
        (1, "user"),
        (1, "state"),
        (1, "checks"),
        (2, "failure_rules"),
        (2, "random_seed"),
        (3, "world"),
        (3, "expected_outcome"),
        (4, "input"),
        (4, "rubric"),
        (None, "turn_mode"),
    }
    checks = [one["loc"] for one in found["errors"] if one["column"] == "checks"]
    assert [loc[:5] for loc in checks] == [
        ["rows", 1, "checks", 0, "called"],
        ["rows", 1, "checks", 1, "flag"],
    ]
    assert all("line 3: " in one["msg"] for one in found["errors"] if one["row"] == 1)
    assert notes(found["warnings"]) == [(None, 1)]
    assert org.ok(org.get("/api/datasets"))["items"] == []


def test_faults_of_the_form_come_with_the_others(org: Org) -> None:
    found = lint(org, b'user,initial_state\na,{\nb\nc,\xff\n"d\n')
    assert notes(found["errors"]) == [
        (None, 1),
        (0, "state"),
        (1, "initial_state"),
        (2, "initial_state"),
        (3, "user"),
    ]
    assert (found["valid"], found["rows"]) == (False, 4)
    assert notes(lint(org, "name\na\n")["errors"]) == [(None, "user")]
    assert notes(lint(org, "")["errors"]) == [(None, None)]
    assert notes(lint(org, "user\n")["errors"]) == [(None, None)]


def test_many_faults_are_cut_and_all_rows_counted(org: Org) -> None:
    found = lint(org, "user,state\n" + "a,{\n" * 3000)
    assert (found["rows"], len(found["errors"])) == (3000, 1000)


def test_an_agent_says_what_it_has_none_of(org: Org) -> None:
    agent = org.agent(URL, ledger_schema=SCHEMA)
    world = new_world(org, name="shop", initial_state={"customer": {"c": {}}})
    content = table(
        {
            "user": "a",
            "state": {"order": {"a": {"order_id": "a", "total": "much"}}, "ordr": {}},
            "checks": [
                {"called": "get_ordr"},
                {"not_called": {"tool": ["get_*", "refund_*"]}},
                {"order": ["get_order", "ship"]},
                {"policy": {"before": ["list_orders", "charge"]}},
                {"policy": {"never": "delete_*"}},
                {"final_response": {"contains": "x"}},
            ],
            "checks_version": 2,
            "failure_rules": [{"fault": "timeout"}, {"tool": ["get_order", "pay"], "fault": "timeout"}],
        },
        {"user": "b", "world": "shop"},
        {"user": "c", "state": WORLD, "checks": [{"called": "get_order"}], "checks_version": 2},
    )
    plain = lint(org, content)
    assert (plain["valid"], plain["warnings"]) == (True, [])
    found = lint(org, content, agent_id=agent["id"])
    assert (found["valid"], found["errors"]) == (True, [])
    assert notes(found["warnings"]) == [(0, "state")] * 2 + [(0, "checks")] * 4 + [
        (0, "failure_rules"),
        (1, "world"),
    ]
    said = [one["msg"] for one in found["warnings"]]
    assert said[2] == "the agent has no tool 'get_ordr'; did you mean 'get_order'?"
    assert said[3].startswith("the agent has no tool like 'refund_*'")
    assert found["warnings"][-2]["loc"] == ["rows", 0, "failure_rules", 1, "tool"]
    assert f"world {world['id']}" in said[-1]
    as_json = [{"user_instruction": "a", "initial_state": {"ordr": {}}}]
    (warning,) = org.ok(post_json(org, as_json, "/lint", params={"agent_id": agent["id"]}))["warnings"]
    assert warning["loc"][:3] == ["rows", 0, "initial_state"]


def test_a_file_that_does_not_say_what_its_checks_mean_is_warned_about(org: Org) -> None:
    rows: list[dict[str, Any]] = [
        {"user": "a", "checks": [{"flag": "x"}]},
        {"user": "b", "checks": [{"called": "get_order"}]},
        {"user": "c", "checks": [{"order": ["get_order"]}], "checks_version": 1},
        {"user": "d", "checks": [{"policy": {"never": "x"}}]},
    ]
    (warning,) = lint(org, table(*rows))["warnings"]
    assert (warning["row"], warning["column"]) == (1, "checks_version")
    assert warning["msg"].startswith("2 rows have checks of calls and no checks_version")
    dataset = org.ok(post_csv(org, table(*rows)))
    assert dataset["warnings"] == [warning["msg"]]
    for version in ("3", "true", '"2"'):
        found = lint(org, table({"user": "a", "checks_version": version}))
        assert [each["msg"] for each in found["errors"]] == ["line 2: checks_version must be 1 or 2"]


def test_a_row_that_looks_at_the_ledger_alone_gets_a_hint_of_what_it_does_not_notice(org: Org) -> None:
    ledger = {"ledger": {"$.order.ord_2.status": "cancelled"}}
    rows: list[dict[str, Any]] = [
        {"user": "a", "state": WORLD, "checks": [{"flag": "x"}, ledger]},
        {"user": "b", "state": WORLD, "checks": [ledger, {"only_changed": ["$.order.ord_2"]}]},
    ]
    found = lint(org, table(*rows), agent_id=org.agent(URL)["id"])
    assert (found["valid"], found["warnings"]) == (True, [])
    (hint,) = found["hints"]
    assert (hint["row"], hint["column"], hint["loc"]) == (0, "checks", ["rows", 0, "checks", 1])
    assert "such as by update_order or by create_order;" in hint["msg"]
    assert lint(org, table(rows[1]))["hints"] == []


def test_an_agent_that_is_not_there_is_404(org: Org, other_org: Org) -> None:
    for agent_id in (other_org.agent(URL)["id"], 2**62, 2**63):
        assert post_csv(org, "user\na\n", "/lint", params={"agent_id": agent_id}).status_code == 404
    assert post_csv(org, "user\na\n", "/lint", params={"agent_id": "x"}).status_code == 422
