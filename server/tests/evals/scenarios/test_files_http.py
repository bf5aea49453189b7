import json
from typing import Any

import httpx
import pytest
import yaml
from support.evals import SCENARIO, SCENARIOS, refusal, scenario
from support.platform import Org

YAML = {"Content-Type": "application/yaml"}
JSON = {"Content-Type": "application/json"}


def put_in(org: Org, content: str | bytes, headers: dict[str, str] = YAML) -> httpx.Response:
    return org.client.post(f"{SCENARIOS}/import", content=content, headers=headers)


def taken_out(org: Org, **query: str | list[str]) -> str:
    answer = org.get(f"{SCENARIOS}/export", params=query)
    assert answer.status_code == 200, answer.text
    return answer.text


@pytest.mark.parametrize("kind", ["yaml", "json"])
def test_a_file_that_comes_back_changes_nothing(org: Org, other_org: Org, kind: str) -> None:
    scenario(org)
    scenario(
        org,
        name="Zwei: „ja“",
        description="two\nlines\n",
        expected_behavior={"$text": [], "n": {"$lte": 1.5}},
    )
    text, headers = taken_out(org, format=kind), YAML if kind == "yaml" else JSON
    assert text == taken_out(org, format=kind)
    back = org.ok(put_in(org, text, headers))
    assert (back["created"], back["changed"], back["unchanged"]) == (0, 0, 2)
    there = other_org.ok(put_in(other_org, text, headers))
    assert (there["created"], [item["name"] for item in there["items"]]) == (2, ["Late return", "Zwei: „ja“"])
    again = other_org.ok(put_in(other_org, text, headers))
    assert (again["created"], again["changed"], again["unchanged"]) == (0, 0, 2)
    here, elsewhere = (yaml.safe_load(taken_out(one, format=kind))["scenarios"] for one in (org, other_org))
    assert [item | {"id": ""} for item in here] == [item | {"id": ""} for item in elsewhere]


def test_the_file_is_made_for_people_and_git(org: Org) -> None:
    made = scenario(org, user_instruction="First line.\nSecond line.\n", tags=[])
    assert taken_out(org) == (
        "scenarios:\n"
        f"- id: {made['id']}\n"
        "  name: Late return\n"
        "  description: A customer wants to return goods after the deadline.\n"
        "  risk_level: critical\n"
        "  user_instruction: |\n"
        "    First line.\n"
        "    Second line.\n"
        "  input_context:\n"
        "    order_id: ord_1\n"
        "    days: 40\n"
        "  expected_behavior:\n"
        "    decision: refuse\n"
    )


@pytest.mark.both_databases
def test_an_edited_file_makes_new_versions_of_what_was_edited(org: Org) -> None:
    first, second = scenario(org), scenario(org, name="Other")
    text = taken_out(org).replace("days: 40", "days: 41", 1).replace("name: Other", "name: Renamed")
    items = org.ok(put_in(org, text))["items"]
    assert [(item["id"], item["version"], item["outcome"]) for item in items] == [
        (first["id"], 2, "changed"),
        (second["id"], 2, "changed"),
    ]
    assert org.ok(org.get(f"{SCENARIOS}/{second['id']}"))["name"] == "Renamed"
    assert taken_out(org, q="Renamed").count("- id:") == 1


@pytest.mark.both_databases
def test_chosen_scenarios_are_a_file(org: Org, other_org: Org) -> None:
    first, _, third = (scenario(org, name=name) for name in ("a", "b", "c"))
    foreign = scenario(other_org, name="d")
    text = taken_out(org, id=[third["id"], first["id"], foreign["id"]])
    assert [item["name"] for item in yaml.safe_load(text)["scenarios"]] == ["a", "c"]
    assert refusal(org.get(f"{SCENARIOS}/export", params={"id": "5"})) == (422, "validation_failed")


@pytest.mark.both_databases
def test_one_scenario_or_a_list_of_them_is_a_file_too(org: Org) -> None:
    assert org.ok(put_in(org, json.dumps(SCENARIO), JSON))["created"] == 1
    both = [SCENARIO | {"name": "a"}, SCENARIO | {"name": "b"}]
    assert org.ok(put_in(org, yaml.safe_dump(json.loads(json.dumps(both)))))["created"] == 2


def test_all_or_none_is_taken_and_every_fault_is_named(org: Org) -> None:
    rows: list[Any] = [
        SCENARIO,
        SCENARIO | {"risk_level": "huge", "name": ""},
        5,
        {**SCENARIO, "extra": 1},
    ]
    answer = put_in(org, json.dumps({"scenarios": rows}), JSON)
    assert refusal(answer) == (422, "validation_failed")
    assert [error["loc"] for error in answer.json()["errors"]] == [
        ["scenarios", 1, "name"],
        ["scenarios", 1, "risk_level"],
        ["scenarios", 2],
        ["scenarios", 3, "extra"],
    ]
    deeper = put_in(org, json.dumps([SCENARIO, SCENARIO | {"expected_behavior": {"$x": 1}}]), JSON)
    assert deeper.json()["errors"][0]["loc"] == ["scenarios", 1, "expected_behavior", "$x"]
    assert org.ok(org.get(SCENARIOS))["items"] == []


def test_two_of_one_name_are_told_apart_by_their_ids_or_not_at_all(org: Org) -> None:
    scenario(org)
    twice = put_in(org, json.dumps([SCENARIO, SCENARIO]), JSON)
    assert refusal(twice) == (422, "validation_failed")
    scenario(org, description="its twin")
    assert org.ok(put_in(org, taken_out(org)))["unchanged"] == 2


@pytest.mark.parametrize(
    ("content", "headers", "status", "code"),
    [
        (b"a: [", YAML, 400, "yaml_invalid"),
        (b"a: &x [1]\nb: [*x, *x]", YAML, 400, "yaml_invalid"),
        (b"!!python/object/apply:os.system ['true']", YAML, 400, "yaml_invalid"),
        (b"[" * 200_000, YAML, 400, "yaml_invalid"),
        (b'{"a": 1, "a": 2}', JSON, 400, "json_invalid"),
        (b"[]", JSON, 422, "validation_failed"),
        (b"5", YAML, 422, "validation_failed"),
        (b"", YAML, 422, "validation_failed"),
        (b"scenarios: 5", YAML, 422, "validation_failed"),
        (json.dumps([{}] * 1001).encode(), JSON, 422, "validation_failed"),
        (b"x" * (16 * 1024 * 1024 + 1), YAML, 413, "body_too_large"),
        (b"a: b", {"Content-Type": "text/plain"}, 415, "unsupported_media_type"),
        (b"a: b", YAML | {"Content-Encoding": "gzip"}, 415, "unsupported_media_type"),
    ],
)
def test_what_is_no_file_is_refused(
    org: Org, content: bytes, headers: dict[str, str], status: int, code: str
) -> None:
    assert refusal(put_in(org, content, headers)) == (status, code)


def test_what_the_checks_of_a_scenario_mean_is_kept_where_it_makes_a_difference(org: Org) -> None:
    calls = {"$calls": [{"called": "get_order"}]}
    new, plain = scenario(org, name="New", expected_behavior=calls), scenario(org, name="Plain")
    assert (new["checks_version"], plain["checks_version"]) == (2, 2)
    rows = {row["name"]: row for row in yaml.safe_load(taken_out(org))["scenarios"]}
    assert (rows["New"]["checks_version"], "checks_version" in rows["Plain"]) == (2, False)
    assert org.ok(put_in(org, taken_out(org)))["warnings"] == []

    def of(name: str, expected: Any, **members: Any) -> dict[str, Any]:
        return SCENARIO | {"name": name, "expected_behavior": expected} | members

    unsaid = [of("a", calls), of("b", {"decision": "refuse"}), of("c", calls, checks_version=1)]
    back = org.ok(put_in(org, json.dumps(unsaid), JSON))
    assert [warning[:40] for warning in back["warnings"]] == ["One scenario has checks of calls and no "]
    said = org.ok(put_in(org, json.dumps({"checks_version": 2, "scenarios": [of("d", calls)]}), JSON))
    assert said["warnings"] == []
    ids = {item["name"]: item["id"] for item in (*back["items"], *said["items"])}
    kept = {name: org.ok(org.get(f"{SCENARIOS}/{each}"))["checks_version"] for name, each in ids.items()}
    assert kept == {"a": 1, "b": 2, "c": 1, "d": 2}
    changed = org.ok(org.put(f"{SCENARIOS}/{ids['a']}", {"checks_version": 2}))
    assert (changed["checks_version"], changed["version"]) == (2, 2)
