"""Datasets after their upload: listed, paged, changed, deleted, exported."""

import csv
import io
import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import text
from support.datasets import CSV, post_csv, post_json, rows_of, table, values_of
from support.platform import WORLD, Org, Platform
from support.worlds import errors, new_world


def change(org: Org, dataset: dict[str, Any], content: str = "", **params: str) -> Any:
    return org.client.put(
        f"/api/datasets/{dataset['id']}", content=content.encode(), params=params, headers=CSV
    )


def export(org: Org, dataset: dict[str, Any], **params: Any) -> bytes:
    answer = org.get(f"/api/datasets/{dataset['id']}/export", params=params)
    assert answer.status_code == 200, answer.text
    return answer.content


def test_datasets_are_listed_newest_first_and_found_by_name(org: Org) -> None:
    made = [org.ok(post_csv(org, "user\na\n", name=name)) for name in ("Shop A", "shop b", "100%", "other")]
    listed = org.ok(org.get("/api/datasets"))
    assert listed == {"items": made[::-1], "next_cursor": None}
    first = org.ok(org.get("/api/datasets", params={"limit": 3}))
    rest = org.ok(org.get("/api/datasets", params={"limit": 3, "cursor": first["next_cursor"]}))
    assert first["items"] + rest["items"] == made[::-1]
    found = org.ok(org.get("/api/datasets", params={"q": "SHOP"}))["items"]
    assert [one["name"] for one in found] == ["shop b", "Shop A"]
    assert [one["name"] for one in org.ok(org.get("/api/datasets", params={"q": "%"}))["items"]] == ["100%"]
    for params in ({"cursor": "x"}, {"limit": "0"}, {"q": "a\0"}):
        assert org.get("/api/datasets", params=params).status_code == 422


def test_rows_come_in_pages_in_their_order(org: Org) -> None:
    dataset = org.ok(post_csv(org, table(*({"user": f"Row {n}."} for n in range(7)))))
    path = f"/api/datasets/{dataset['id']}/rows"
    seen, cursor = [], None
    for size in (3, 3, 1):
        page = org.ok(org.get(path, params={"limit": 3} | ({"cursor": cursor} if cursor else {})))
        assert len(page["items"]) == size
        seen += page["items"]
        cursor = page["next_cursor"]
    assert cursor is None
    assert [(row["position"], row["values"]["user"]) for row in seen] == [(n, f"Row {n}.") for n in range(7)]
    assert org.get(path, params={"cursor": "!"}).status_code == 422


def test_a_page_of_large_rows_ends_early(org: Org) -> None:
    state = {"order": {"a": {"text": "x" * 900_000}}}
    rows = [{"user": f"Row {n}.", "state": state | {"n": {str(n): {}}}} for n in range(8)]
    dataset = org.ok(post_csv(org, table(*rows)))
    page = org.ok(org.get(f"/api/datasets/{dataset['id']}/rows"))
    assert 1 <= len(page["items"]) < 8
    assert values_of(org, dataset) == rows


def test_other_rows_are_a_new_revision_and_the_old_ones_stay_tasks(org: Org) -> None:
    dataset = org.ok(post_csv(org, table({"user": "a"}, {"user": "b", "state": WORLD}), name="first"))
    old = rows_of(org, dataset)
    other = org.ok(change(org, dataset, table({"user": "c", "checks": [{"flag": "x"}], "note": "n"})))
    assert (other["id"], other["name"], other["revision"]) == (dataset["id"], "first", 2)
    assert (other["row_count"], other["columns"]) == (1, ["user", "checks"])
    assert other["warnings"] == ["column 'note' is not known and left out"]
    assert other["updated_at"] > dataset["updated_at"]
    (row,) = rows_of(org, dataset)
    assert row["values"] == {"user": "c", "checks": [{"flag": "x"}]}
    assert row["task_id"] not in [one["task_id"] for one in old]
    both = org.ok(change(org, dataset, "user\nd\n", name="second"))
    assert (both["name"], both["revision"]) == ("second", 3)


def test_a_name_alone_is_no_new_revision(org: Org) -> None:
    dataset = org.ok(post_csv(org, "user\na\n"))
    renamed = org.ok(change(org, dataset, name="renamed"))
    assert renamed == dataset | {"name": "renamed", "updated_at": renamed["updated_at"]}
    assert org.ok(org.put(f"/api/datasets/{dataset['id']}", params={"name": "renamed"})) == renamed
    actions = [entry["action"] for entry in org.ok(org.get("/api/audit-log"))["items"]]
    assert actions[:2] == ["dataset.change", "dataset.create"]


def test_a_change_that_is_refused_changes_nothing(org: Org) -> None:
    dataset = org.ok(post_csv(org, "user\na\n"))
    assert errors(change(org, dataset, "user,state\nb,{\n", name="new"))[0][0] == ["rows", 0, "state"]
    assert errors(change(org, dataset))[0][0] == ["body"]
    assert errors(change(org, dataset, "user\nb\n", name=""))[0][0] == ["query", "name"]
    assert org.ok(org.get(f"/api/datasets/{dataset['id']}")) == dataset
    assert values_of(org, dataset) == [{"user": "a"}]


def test_a_deleted_dataset_is_not_there(org: Org) -> None:
    dataset = org.ok(post_csv(org, "user\na\n"))
    path = f"/api/datasets/{dataset['id']}"
    assert org.client.delete(path).status_code == 204
    for answer in (
        org.get(path),
        org.get(f"{path}/rows"),
        org.get(f"{path}/export"),
        org.post(f"{path}/audit"),
        change(org, dataset, "user\nb\n"),
        org.client.delete(path),
    ):
        assert answer.status_code == 404
    assert org.ok(org.get("/api/datasets"))["items"] == []


def test_an_export_is_a_file(org: Org) -> None:
    dataset = org.ok(post_csv(org, "user,state\na,{}\n"))
    for kind, media_type in (("csv", "text/csv; charset=utf-8"), ("json", "application/json")):
        answer = org.get(f"/api/datasets/{dataset['id']}/export", params={"format": kind})
        assert answer.headers["content-type"] == media_type
        assert (
            answer.headers["content-disposition"] == f'attachment; filename="dataset-{dataset["id"]}.{kind}"'
        )
    assert export(org, dataset) == b"user\r\na\r\n"
    assert org.get(f"/api/datasets/{dataset['id']}/export", params={"format": "xml"}).status_code == 422


def test_a_world_is_exported_by_its_id(org: Org) -> None:
    world = new_world(org, name="shop")
    dataset = org.ok(post_csv(org, table({"user": "a", "world": "shop"}, {"user": "b", "state": WORLD})))
    assert export(org, dataset).splitlines()[1] == f"a,,{world['id']}".encode()
    assert values_of(org, org.ok(post_csv(org, export(org, dataset)))) == values_of(org, dataset)
    as_json = org.get(f"/api/datasets/{dataset['id']}/export", params={"format": "json"}).json()
    assert as_json == [
        {"user_instruction": "a", "world_id": world["id"]},
        {"user_instruction": "b", "initial_state": WORLD},
    ]


def test_a_table_calculates_nothing_unless_that_is_asked_for(org: Org) -> None:
    users = ["=1+1", "+1", "-1", "@x", "\tx", "\rx", "＝1", "'=x", "x=1"]
    dataset = org.ok(post_json(org, [{"user_instruction": user} for user in users]))
    files = [export(org, dataset, **asked) for asked in ({}, {"safe": "false"})]
    safe, plain = (
        [row["user"] for row in csv.DictReader(io.StringIO(file.decode(), newline=""))] for file in files
    )
    assert safe == [f"'{user}" for user in users[:8]] + users[8:]
    assert plain == [*users[:7], "''=x", "x=1"]
    for file in files:
        assert values_of(org, org.ok(post_csv(org, file))) == values_of(org, dataset)


TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=30)
SAID = TEXT.filter(str.strip) | st.sampled_from(
    ["=1+1", "-2", "'-2", "@SUM(A1)", "+cmd|' /C calc'!A0", "＝1", "\tx", '"', "a,b"]
)
ANY_TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=10)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63) | st.floats(-1e15, 1e15) | ANY_TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(ANY_TEXT, inner, max_size=3),
    max_leaves=6,
)
NAMES = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=10)
STATES = st.dictionaries(
    NAMES, st.dictionaries(NAMES, st.dictionaries(ANY_TEXT, VALUES, max_size=2), max_size=2), max_size=2
)
SEEDS = st.fixed_dictionaries(
    {"user_instruction": SAID},
    optional={
        "behavior_instructions": TEXT,
        "initial_state": STATES,
        "failure_rules": st.lists(st.fixed_dictionaries({"tool": NAMES, "response": VALUES}), max_size=2),
        "expected_outcome": st.sampled_from(["completion", "refusal"]),
        "input": st.dictionaries(ANY_TEXT, VALUES, max_size=2),
        "checks": st.lists(
            st.fixed_dictionaries({"final_response": st.just({"contains": "=1+1"})}), max_size=2
        ),
        "rubric": st.just([{"id": "ok", "question": "=Is it?", "answer": "yes_no"}]),
        "random_seed": st.integers(-(2**63), 2**63 - 1),
    },
)


@given(st.lists(SEEDS, min_size=1, max_size=4))
@settings(
    max_examples=10,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
def test_an_export_uploaded_again_gives_the_same_rows(
    platform: Platform, org: Org, rows: list[dict[str, Any]]
) -> None:
    given_rows = org.ok(post_json(org, rows))
    hashes = _hashes(platform, given_rows)
    for kind, content_type in (("csv", "text/csv"), ("json", "application/json")):
        content = export(org, given_rows, format=kind)
        again = org.ok(post_csv(org, content, headers={"Content-Type": content_type}))
        assert _hashes(platform, again) == hashes
        assert values_of(org, again) == values_of(org, given_rows)
        assert export(org, again, format=kind) == content


def _hashes(platform: Platform, dataset: dict[str, Any]) -> list[str]:
    """What the platform knows equal rows by."""

    async def read() -> list[str]:
        async with platform.database.read() as session:
            asked = text("SELECT row_hash FROM tasks WHERE dataset_id = :id ORDER BY position")
            return list((await session.scalars(asked, {"id": dataset["id"]})).all())

    return platform.do(read())


@pytest.mark.parametrize("kind", ["csv", "json"])
def test_the_template_can_be_uploaded_and_is_what_an_export_gives(org: Org, kind: str) -> None:
    answer = org.get("/api/datasets/template", params={"format": kind})
    assert answer.status_code == 200
    assert f"template.{kind}" in answer.headers["content-disposition"]
    headers = {"Content-Type": answer.headers["content-type"]}
    dataset = org.ok(post_csv(org, answer.content, headers=headers))
    assert (dataset["row_count"], dataset["warnings"]) == (2, [])
    linted = org.ok(post_csv(org, answer.content, "/lint", headers=headers))
    assert (linted["valid"], linted["errors"], linted["warnings"]) == (True, [], [])
    exported = export(org, dataset, format=kind)
    assert exported == answer.content if kind == "csv" else json.loads(exported) == answer.json()
