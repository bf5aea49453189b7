"""Uploading datasets: what is taken, what is refused with its place, all or nothing."""

import json
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from uuid import uuid4

import httpx
import pytest
from support.datasets import CSV, post_csv, post_json, rows_of, table, values_of
from support.platform import WORLD, Org
from support.worlds import edit_world, errors, new_world

from odyssey.library.datasets.columns import MAX_BYTES


def refused(answer: httpx.Response, status: int, code: str) -> dict[str, Any]:
    assert (answer.status_code, answer.json()["code"]) == (status, code), answer.text
    body: dict[str, Any] = answer.json()
    return body


def has_none(org: Org) -> bool:
    return not org.ok(org.get("/api/datasets"))["items"]


ROW = {
    "user": "Cancel ord_1.",
    "behavior": "get_order returns order",
    "state": WORLD,
    "failure_rules": [{"tool": "get_order", "fault": "timeout"}],
    "expected_outcome": "refusal",
    "input": {"today": "2026-01-01"},
    "checks": [{"not_called": "delete_order"}],
    "checks_version": 2,
    "rubric": [{"id": "polite", "question": "Polite?", "answer": "yes_no"}],
    "random_seed": 5,
}


def test_a_table_becomes_a_dataset(org: Org) -> None:
    done = post_csv(org, table(ROW, {"user": "Do it."}), name="shop 1")
    assert done.status_code == 201
    dataset = done.json()
    assert {name: dataset[name] for name in ("name", "revision", "row_count", "columns", "warnings")} == {
        "name": "shop 1",
        "revision": 1,
        "row_count": 2,
        "columns": list(ROW),
        "warnings": [],
    }
    assert dataset == org.ok(org.get(f"/api/datasets/{dataset['id']}"))
    assert org.ok(org.get("/api/datasets"))["items"] == [dataset]
    rows = rows_of(org, dataset)
    assert [row["position"] for row in rows] == [0, 1]
    assert len({row["task_id"] for row in rows}) == 2
    assert [row["values"] for row in rows] == [
        ROW,
        {"user": "Do it.", "expected_outcome": "completion"},
    ]
    audit = org.ok(org.get("/api/audit-log"))["items"]
    assert (audit[0]["action"], audit[0]["object_id"]) == ("dataset.create", str(dataset["id"]))


def test_json_is_taken_as_requests_for_runs_are(org: Org) -> None:
    row: dict[str, Any] = {
        "user_instruction": "Cancel ord_1.",
        "behavior_instructions": "get_order returns order",
        "initial_state": WORLD,
    }
    row |= {name: value for name, value in ROW.items() if name not in ("user", "behavior", "state")}
    dataset = org.ok(post_json(org, [row, {"user_instruction": "x", "checks": None}]))
    assert values_of(org, dataset) == [ROW, {"user": "x", "expected_outcome": "completion"}]


BIG = "x" * 200_000


@pytest.mark.parametrize(
    ("content", "users"),
    [
        (b"\xef\xbb\xbfuser,state\na,{}\n", ["a"]),
        (b"user,state\r\na,{}\r\n\r\nb,\r\n", ["a", "b"]),
        (b'user,state\n"two\nlines",{}\n"and\r\nmore",\n', ["two\nlines", "and\r\nmore"]),
        (f"user,state\n{BIG},{{}}\n".encode(), [BIG]),
        (b"user\nno newline at the end", ["no newline at the end"]),
        ("user\nŁódź 🧭\n".encode(), ["Łódź 🧭"]),
    ],
    ids=["BOM", "CRLF", "quoted newline", "200,000 characters", "no last newline", "Unicode"],
)
def test_tables_as_programs_write_them_are_taken(org: Org, content: bytes, users: list[str]) -> None:
    dataset = org.ok(post_csv(org, content))
    assert dataset["row_count"] == len(users)
    assert [row["user"] for row in values_of(org, dataset)] == users


@pytest.mark.parametrize(
    ("content", "place", "words"),
    [
        (b"user,state\na,{}\nb\0,{}\n", ["rows", 1, "user"], "line 3: the field contains the NUL character"),
        (b"name,state\na,{}\n", ["header", "user"], "line 1: there is no column 'user'"),
        (b"user,state,user\na,{},b\n", ["header", 2], "two columns are called 'user'"),
        (b"user,state\na,{}\nb\n", ["rows", 1, "state"], "line 3 has 1 cells, but there are 2 columns"),
        (b"user,state\na,{},c\n", ["rows", 0, 2], "line 2 has 3 cells, but there are 2 columns"),
        ("user,state\ncafé,{}\n".encode("latin-1"), ["rows", 0, "user"], "line 2: the field is not UTF-8"),
        (b"user;state\na;{}\n", ["header", "user"], "separate the columns by commas"),
        (b'user,state\n"a,{}\n', ["rows", 0, "user"], "line 2: a quote is not closed"),
        (b"user\n" + b"x" * (2**20 + 1), ["rows", 0, "user"], "line 2: the field has more than 1048576"),
        (b"user,state\na,{\n", ["rows", 0, "state"], "line 2: state is not JSON"),
        (b"user\n", ["rows"], "there are no rows"),
        (b"", ["body"], "the table is empty"),
    ],
    ids=lambda value: "" if isinstance(value, bytes) else None,
)
def test_a_broken_table_is_refused_with_row_and_column(
    org: Org, content: bytes, place: list[Any], words: str
) -> None:
    body = refused(post_csv(org, content), 422, "csv_invalid")
    ((found, message),) = [(fault["loc"], fault["msg"]) for fault in body["errors"]]
    assert found == place
    assert words in message
    assert has_none(org)


def test_one_row_too_many_is_413_and_so_is_one_byte(org: Org) -> None:
    refused(post_csv(org, "user\n" + "a\n" * 100_001), 413, "csv_too_large")
    refused(post_csv(org, b"user\n" + b"a" * MAX_BYTES), 413, "csv_too_large")
    refused(post_json(org, [1] * 100_001), 413, "csv_too_large")
    pieces = (b"user\n" if n == 0 else b"x" * 2**20 for n in range(52))
    unannounced = org.client.post("/api/datasets", params={"name": "x"}, content=pieces, headers=CSV)
    refused(unannounced, 413, "csv_too_large")
    assert has_none(org)


def test_one_bad_row_keeps_all_out_and_every_fault_is_named(org: Org) -> None:
    rows = [{"user": f"Row {n}.", "checks": [{"called": "get_order"}]} for n in range(600)]
    rows[3]["checks"] = [{"calld": "x"}]
    rows[599]["user"] = " "
    body = refused(post_csv(org, table(*rows)), 422, "csv_invalid")
    assert [fault["loc"] for fault in body["errors"]] == [
        ["rows", 3, "checks", 0, "calld"],
        ["rows", 599, "user"],
    ]
    assert "line 601: " in body["errors"][1]["msg"]
    many = refused(post_json(org, [{}] * 1000), 422, "validation_failed")
    assert len(many["errors"]) == 100
    assert has_none(org)


def test_what_is_no_json_is_400(org: Org) -> None:
    for content in (b"[", b"{} {}", b'[{"user_instruction": "a", "user_instruction": "b"}]', b"\xff", b""):
        answer = org.client.post(
            "/api/datasets",
            params={"name": "x"},
            content=content,
            headers={"Content-Type": "application/json"},
        )
        refused(answer, 400, "json_invalid")
    assert errors(post_json(org, {"rows": []}))[0][0] == ["body"]
    assert has_none(org)


def test_the_request_itself_must_be_right(org: Org) -> None:
    for headers in ({"Content-Type": "text/plain"}, {"Content-Type": ""}, {"Content-Encoding": "gzip"}):
        refused(post_csv(org, "user\na\n", headers=headers), 415, "unsupported_media_type")
    for name in (None, "", "x" * 256, "a\0b"):
        params = {} if name is None else {"name": name}
        answer = post_csv(org, "user\na\n", name=None, params=params)
        assert errors(answer)[0][0] == ["query", "name"]
    assert has_none(org)


def test_columns_of_several_turns_are_not_available_yet(org: Org) -> None:
    body = refused(post_csv(org, "user,turn_mode\na,model_as_user\n"), 422, "not_available_yet")
    assert body["errors"][0]["loc"] == ["turn_mode"]
    refused(post_json(org, [{"user_instruction": "x", "max_turns": 3}]), 422, "not_available_yet")
    assert org.ok(post_csv(org, "user,turn_mode\na,\n"))["columns"] == ["user"]


def test_unknown_columns_are_kept_as_warnings(org: Org) -> None:
    dataset = org.ok(post_csv(org, "user,note,chekcs\na,b,c\n"))
    assert dataset["warnings"] == [
        "column 'note' is not known and left out",
        "column 'chekcs' is not known and left out; did you mean 'checks'?",
    ]
    assert org.ok(org.get(f"/api/datasets/{dataset['id']}"))["warnings"] == dataset["warnings"]


def test_a_world_is_named_by_id_or_name_and_pinned(org: Org, other_org: Org) -> None:
    first, second = new_world(org, name="first"), new_world(org, name="second, with a comma")
    number = new_world(org, name="2024")
    new_world(other_org, name="elsewhere")
    content = table(
        {"user": "a", "world": str(first["id"])},
        {"user": "b", "world": "second, with a comma"},
        {"user": "c", "world": "2024"},
        {"user": "d", "world": ""},
    )
    dataset = org.ok(post_csv(org, content))
    by_id = [row.get("world") for row in values_of(org, dataset)]
    assert by_id == [first["id"], second["id"], number["id"], None]
    before = [row["task_id"] for row in rows_of(org, dataset)]
    org.ok(edit_world(org, first, {"op": "remove", "entity_type": "order", "id": "ord_1"}))
    assert [row["task_id"] for row in rows_of(org, dataset)] == before
    as_json = [{"user_instruction": "a", "world_id": first["id"]}]
    assert values_of(org, org.ok(post_json(org, as_json))) == [{"user": "a", "world": first["id"]}]


def test_a_world_that_is_not_there_or_not_one_is_named(org: Org, other_org: Org) -> None:
    foreign = new_world(other_org, name="elsewhere")
    twins = [new_world(org, name="twin") for _ in range(2)]
    content = table(
        {"user": "a", "world": "elsewhere"},
        {"user": "b", "world": str(foreign["id"])},
        {"user": "c", "world": "9" * 30},
        {"user": "d", "world": "twin"},
        {"user": "e", "world": str(twins[0]["id"]), "state": WORLD},
    )
    found = errors(post_csv(org, content))
    assert [loc for loc, _ in found] == [["rows", n, "world"] for n in range(4)] + [["rows", 4, "state"]]
    assert "there is no world 'elsewhere'" in found[0][1]
    assert "2 worlds are called 'twin'" in found[3][1]
    assert found[4][1] == "line 6: state comes from the world; leave it or world out"
    for world_id in (foreign["id"], 0, -1, 2**63 - 1):
        (fault,) = errors(post_json(org, [{"user_instruction": "x", "world_id": world_id}]))
        assert fault == (["rows", 0, "world_id"], f"there is no world {world_id}")
    assert has_none(org)


def test_more_names_than_one_look_up_takes(org: Org) -> None:
    world = new_world(org, name="the last")
    rows = [{"user": "a", "world": f"world {n}"} for n in range(1100)]
    assert len(errors(post_csv(org, table(*rows)))) == 100
    rows = [{"user": "a", "world": "the last" if n % 2 else str(world["id"])} for n in range(1100)]
    assert org.ok(post_csv(org, table(*rows)))["row_count"] == 1100


def test_uploads_that_share_states_do_not_stand_in_each_others_way(org: Org) -> None:
    rows = [{"user": str(n), "state": {"n": {str(n): {}}}} for n in range(1500)]
    contents = [table(*rows), table(*rows[::-1]), table(*rows[500:], *rows[:500])] * 2
    with ThreadPoolExecutor(len(contents)) as pool:
        answers = list(pool.map(lambda content: post_csv(org, content), contents))
    assert [answer.status_code for answer in answers] == [201] * len(contents)
    assert {answer.json()["row_count"] for answer in answers} == {1500}


def test_a_repeat_has_one_effect_and_another_body_is_another_request(org: Org) -> None:
    headers = {"Idempotency-Key": str(uuid4())}
    content = table(ROW)
    first, second = (post_csv(org, content, headers=headers) for _ in range(2))
    assert (first.status_code, first.content) == (201, second.content)
    assert len(org.ok(org.get("/api/datasets"))["items"]) == 1
    refused(post_csv(org, content + "x\r\n", headers=headers), 409, "idempotency_key_reused")
    refused(post_csv(org, content, name="other", headers=headers), 409, "idempotency_key_reused")
    broken = {"Idempotency-Key": str(uuid4())}
    refused(post_csv(org, "x\n", headers=broken), 422, "csv_invalid")
    assert post_csv(org, content, headers=broken).status_code == 201


def test_equal_states_are_stored_once_and_many_rows_are_all_there(org: Org) -> None:
    rows: list[dict[str, Any]] = [
        {"user": f"Row {n}.", "state": WORLD if n % 2 else {"n": {str(n): {}}}} for n in range(1201)
    ]
    dataset = org.ok(post_csv(org, table(*rows)))
    assert dataset["row_count"] == 1201
    assert values_of(org, dataset) == rows


@pytest.mark.parametrize("count", [3000, pytest.param(20_000, marks=pytest.mark.full)])
def test_many_rows_go_in_at_once(org: Org, count: int) -> None:
    body = "user,checks\n" + "".join(f'Row {n}.,"[{{""called"": ""get_order""}}]"\n' for n in range(count))
    dataset = org.ok(post_csv(org, body))
    assert dataset["row_count"] == count
    last = org.ok(org.get(f"/api/datasets/{dataset['id']}/rows", params={"limit": 1}))
    assert last["items"][0]["values"]["user"] == "Row 0."
    exported = org.get(f"/api/datasets/{dataset['id']}/export", params={"format": "json"}).json()
    assert [row["user_instruction"] for row in exported] == [f"Row {n}." for n in range(count)]


def test_json_rows_may_hold_any_text_that_a_table_can(org: Org) -> None:
    odd = '\r\n\t"quoted", and \u2028 \x85 \x0b 🧭 \ufeff =1+1'
    dataset = org.ok(post_json(org, [{"user_instruction": odd, "input": {"nul": "\0", odd: odd}}]))
    assert values_of(org, dataset) == [{"user": odd, "input": {"nul": "\0", odd: odd}}]
    found = errors(post_json(org, [{"user_instruction": "\0"}]))
    assert found == [(["rows", 0, "user_instruction"], "user_instruction must not contain the NUL character")]
    assert json.loads(json.dumps(odd)) == odd
