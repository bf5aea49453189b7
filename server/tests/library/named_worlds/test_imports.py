"""Entities from files: tables and JSON, with every fault named by row and column."""

from typing import Any
from uuid import uuid4

import pytest
from support.platform import WORLD, Org
from support.worlds import errors, import_csv, import_json, new_world, read_world


def rows(org: Org, table: str | bytes, **query: Any) -> dict[str, Any]:
    """What an empty world holds after importing a table."""
    world = new_world(org, initial_state={})
    org.ok(import_csv(org, world, table, **query))
    found: dict[str, Any] = read_world(org, world)["initial_state"]
    return found["order"]  # type: ignore[no-any-return]


def test_a_table_is_merged_into_the_world(org: Org) -> None:
    world = new_world(org)
    done = org.ok(
        import_csv(org, world, "order_id,status,total\nord_1,lost,\nord_3,new,5\nord_2,pending,12\n")
    )
    left = read_world(org, world)
    assert left["initial_state"] == {
        "order": {
            "ord_1": WORLD["order"]["ord_1"] | {"status": "lost"},
            "ord_2": WORLD["order"]["ord_2"],
            "ord_3": {"order_id": "ord_3", "status": "new", "total": 5},
        }
    }
    assert {name: value for name, value in done.items() if name != "world"} == {
        "imported": 3,
        "added": 1,
        "changed": 1,
        "removed": 0,
        "warnings": [],
    }
    assert done["world"] == {name: left[name] for name in done["world"]}


def test_replacing_leaves_only_what_the_table_has_of_the_type(org: Org) -> None:
    world = new_world(org, initial_state=WORLD | {"customer": {"c": {"name": "Ada"}}})
    done = org.ok(import_csv(org, world, "order_id,status\nord_1,lost\nord_3,new\n", mode="replace"))
    assert (done["added"], done["changed"], done["removed"]) == (1, 1, 1)
    assert read_world(org, world)["initial_state"] == {
        "customer": {"c": {"name": "Ada"}},
        "order": {
            "ord_1": {"order_id": "ord_1", "status": "lost"},
            "ord_3": {"order_id": "ord_3", "status": "new"},
        },
    }


def test_a_dry_run_tells_and_saves_nothing(org: Org) -> None:
    world = new_world(org)
    told = org.ok(import_csv(org, world, "order_id\nord_9\n", mode="replace", dry_run="true"))
    assert (told["added"], told["removed"]) == (1, 2)
    assert told["world"]["entity_counts"] == {"order": 1}
    assert told["world"]["hash"] != world["hash"]
    assert read_world(org, world) == world
    done = org.ok(import_csv(org, world, "order_id\nord_9\n", mode="replace"))
    assert done["world"]["hash"] == told["world"]["hash"]


@pytest.mark.parametrize(
    ("cells", "values"),
    [
        (["1", "2.5", "-3"], [1, 2.5, -3]),
        (["true", "false", "null"], [True, False, None]),
        (['"{""a"": [1]}"', "[]", "{}"], [{"a": [1]}, [], {}]),
        (["1", "true", "[2]"], [1, True, [2]]),
        (["1", "007", "3"], ["1", "007", "3"]),
        (["1", "1e400", "3"], ["1", "1e400", "3"]),
        (["1", "NaN", "3"], ["1", "NaN", "3"]),
        (["1", "9223372036854775809", "3"], ["1", "9223372036854775809", "3"]),
        (["1", "+2", "3"], ["1", "+2", "3"]),
        (["1", "two", "3"], ["1", "two", "3"]),
        (["True", "1", "1"], ["True", "1", "1"]),
        (['"""1"""', "2", "3"], ['"1"', "2", "3"]),
        (["0", "0.5", "-0.25"], [0, 0.5, -0.25]),
        (["{broken", "[", "x"], ["{broken", "[", "x"]),
        (["[" * 101 + "]" * 101, "1", "1"], ["[" * 101 + "]" * 101, "1", "1"]),
        (["2026-01-01", "2026-01-02", "x"], ["2026-01-01", "2026-01-02", "x"]),
        ([" 5", "6 ", "7"], [5, 6, 7]),
        (["=1+1", "@x", "-"], ["=1+1", "@x", "-"]),
    ],
)
def test_a_column_is_json_if_every_cell_is(org: Org, cells: list[str], values: list[Any]) -> None:
    table = "id,value\n" + "".join(f"{n},{cell}\n" for n, cell in enumerate(cells))
    found = rows(org, table)
    assert [found[str(n)]["value"] for n in range(3)] == values
    assert [type(found[str(n)]["value"]) for n in range(3)] == [type(value) for value in values]


def test_an_empty_cell_is_a_field_that_is_not_there(org: Org) -> None:
    found = rows(org, "id,number,text,nothing\na,1,,\nb,,x,\n")
    assert found == {"a": {"id": "a", "number": 1}, "b": {"id": "b", "text": "x"}}


def test_quotes_lines_and_other_alphabets_are_kept(org: Org) -> None:
    table = '\ufeffid , name\r\n"a","He said ""no"", twice\r\nand left"\r\n\r\nb,Łódź 🧭\r\n'
    assert rows(org, table) == {
        "a": {"id": "a", "name": 'He said "no", twice\r\nand left'},
        "b": {"id": "b", "name": "Łódź 🧭"},
    }


@pytest.mark.parametrize(
    ("table", "query", "found"),
    [
        ("id\n7\n8\n", {}, {"7": {"id": 7}, "8": {"id": 8}}),
        ("id\n007\n8\n", {}, {"007": {"id": "007"}, "8": {"id": "8"}}),
        ("order_id,id\na,b\n", {}, {"b": {"order_id": "a", "id": "b"}}),
        ("order_id\na\n", {}, {"a": {"order_id": "a"}}),
        ("id,code\na,b\n", {"id_field": "code"}, {"b": {"id": "a", "code": "b"}}),
        ("__proto__,id\nx,a\n", {}, {"a": {"__proto__": "x", "id": "a"}}),
    ],
)
def test_the_id_comes_from_its_column(org: Org, table: str, query: dict[str, str], found: Any) -> None:
    assert rows(org, table, **query) == found


def test_what_is_odd_is_a_warning(org: Org) -> None:
    world = new_world(org, initial_state={})
    done = org.ok(import_csv(org, world, "id,zip,note\na,1,\nb,02,\n"))
    assert done["warnings"] == [
        "column 'zip' is kept as text: row 1 has '02'",
        "column 'note' is empty and left out",
    ]
    none = org.ok(import_csv(org, world, "id\n", mode="replace"))
    assert (none["imported"], none["removed"], none["warnings"]) == (0, 2, ["there are no rows"])


@pytest.mark.parametrize(
    ("table", "query", "places"),
    [
        (b"", {}, [["body"]]),
        (b"\r\n\r\n", {}, [["body"]]),
        (b"id\n\xff\n", {}, [["rows", 0, "id"]]),
        ("id\na\n".encode("utf-16"), {}, [["header", 0]]),
        (b'id\n"a\n', {}, [["rows", 0, "id"]]),
        (b'id\n"a"b\n', {}, [["rows", 0, "id"]]),
        (b"id\n" + b"x" * (1024 * 1024 + 1), {}, [["rows", 0, "id"]]),
        (b"id,,x\na,b,c\n", {}, [["header", 1]]),
        (b"id,x,x\na,b,c\n", {}, [["header", 2]]),
        (b"name\na\n", {}, [["query", "id_field"]]),
        (b"id;name\na;b\n", {}, [["query", "id_field"]]),
        (b"id\na\n", {"id_field": "code"}, [["query", "id_field"]]),
        (b"id,x\na\nb,1\nc,1,2\n", {}, [["rows", 0, "x"], ["rows", 2, 2]]),
        (b"id,x\n,1\nb,1\n,2\n", {}, [["rows", 0, "id"], ["rows", 2, "id"]]),
        (b"id\na\nb\na\na\n", {}, [["rows", 2, "id"], ["rows", 3, "id"]]),
        (b"id\n1.5\n2\n", {}, [["rows", 0, "id"]]),
        (b"id\ntrue\n[]\nnull\n", {}, [["rows", 0, "id"], ["rows", 1, "id"], ["rows", 2, "id"]]),
    ],
)
def test_a_faulty_table_is_refused_with_every_place(
    org: Org, table: bytes, query: dict[str, str], places: list[list[Any]]
) -> None:
    world = new_world(org)
    for dry_run in ("true", "false"):
        answer = import_csv(org, world, table, dry_run=dry_run, **query)
        assert [loc for loc, _ in errors(answer)] == places
    assert read_world(org, world) == world


def test_json_comes_as_a_list_or_by_id(org: Org) -> None:
    world = new_world(org, initial_state={})
    listed = org.ok(import_json(org, world, [{"order_id": "a", "n": {"x": [1]}}, {"order_id": 7}]))
    assert (listed["added"], listed["warnings"]) == (2, [])
    keyed = org.ok(import_json(org, world, {"b": {"n": None}, "a": {"n": 2}}))
    assert (keyed["added"], keyed["changed"]) == (1, 1)
    assert read_world(org, world)["initial_state"] == {
        "order": {"7": {"order_id": 7}, "a": {"order_id": "a", "n": 2}, "b": {"n": None}}
    }
    empty = org.ok(import_json(org, world, []))
    assert (empty["imported"], empty["warnings"]) == (0, ["there are no rows"])


@pytest.mark.parametrize(
    ("document", "query", "places"),
    [
        ("text", {}, [["body"]]),
        (5, {}, [["body"]]),
        ([5], {}, [["rows", 0]]),
        ([{"name": "a"}], {}, [["query", "id_field"]]),
        ([{"id": "a"}, 5, {}, {"id": ""}], {}, [["rows", 1], ["rows", 2, "id"], ["rows", 3, "id"]]),
        ([{"id": "1"}, {"id": 1}], {}, [["rows", 1, "id"]]),
        ({"a": 5, "": {}}, {}, [["rows", "a"], ["rows", ""]]),
        ({"a": {"id": "b"}}, {"id_field": "id"}, [["rows", "a", "id"]]),
    ],
)
def test_faulty_json_is_refused_with_every_place(
    org: Org, document: Any, query: dict[str, str], places: list[list[Any]]
) -> None:
    world = new_world(org)
    assert [loc for loc, _ in errors(import_json(org, world, document, **query))] == places
    assert read_world(org, world) == world


def test_the_request_itself_must_be_right(org: Org) -> None:
    world = new_world(org)
    path = f"/api/worlds/{world['id']}/import"
    for query, name in (
        ({}, "entity_type"),
        ({"entity_type": ""}, "entity_type"),
        ({"entity_type": "x" * 257}, "entity_type"),
        ({"entity_type": "a\x00"}, "entity_type"),
        ({"entity_type": "a", "mode": "append"}, "mode"),
        ({"entity_type": "a", "dry_run": "perhaps"}, "dry_run"),
        ({"entity_type": "a", "id_field": ""}, "id_field"),
    ):
        answer = org.client.post(path, params=query, content=b"id\n1\n", headers={"Content-Type": "text/csv"})
        assert errors(answer)[0][0] == ["query", name]
    query = {"entity_type": "a"}
    for headers in (
        {"Content-Type": "text/plain"},
        {"Content-Type": ""},
        {"Content-Type": "text/csv", "Content-Encoding": "gzip"},
    ):
        answer = org.client.post(path, params=query, content=b"id\n1\n", headers=headers)
        assert (answer.status_code, answer.json()["code"]) == (415, "unsupported_media_type")
    twice = org.client.post(
        path, params=query, content=b'[{"id": 1, "id": 2}]', headers={"Content-Type": "application/json"}
    )
    assert (twice.status_code, twice.json()["code"]) == (400, "json_invalid")
    assert read_world(org, world) == world


def test_a_repeat_has_one_effect_and_another_query_is_another_request(org: Org) -> None:
    world = new_world(org)
    options = {
        "content": b"order_id\nord_9\n",
        "headers": {"Content-Type": "text/csv", "Idempotency-Key": str(uuid4())},
    }
    path = f"/api/worlds/{world['id']}/import"
    first, second = (org.client.post(path, params={"entity_type": "order"}, **options) for _ in range(2))  # type: ignore[arg-type]
    assert (first.status_code, first.content) == (200, second.content)
    assert first.json()["added"] == 1
    other = org.client.post(path, params={"entity_type": "order", "mode": "replace"}, **options)  # type: ignore[arg-type]
    assert (other.status_code, other.json()["code"]) == (409, "idempotency_key_reused")


def test_twenty_thousand_rows_are_taken_in(org: Org) -> None:
    table = "id,name,total\n" + "".join(f"o{n},Name {n},{n}\n" for n in range(20_000))
    world = new_world(org)
    assert org.ok(import_csv(org, world, table))["added"] == 20_000
    again = org.ok(import_csv(org, world, table))
    assert (again["added"], again["changed"]) == (0, 0)
