"""Reading rows into seeds: every fault at once with row and column, any dataset in bounded memory."""

import json
import tracemalloc
from typing import Any

import pytest
from support.datasets import table

from odyssey.core.errors import JsonRefusedError, ValidationFailedError
from odyssey.library.datasets.columns import MAX_ROWS, CsvTooLargeError
from odyssey.library.datasets.reading import TableCheck, WorldLookup, check_rows, read_rows
from odyssey.library.datasets.sources import CsvSource, JsonSource, RowSource
from odyssey.library.seeds import Seed
from odyssey.records.faults import Faults

NONE = WorldLookup({}, {})
STATE = {"order": {"ord_1": {"status": "shipped", "total": 79.5}}}


def check(content: str | bytes, limit: int = 100) -> TableCheck:
    faults = Faults(limit=limit)
    source = CsvSource(content.encode() if isinstance(content, str) else content, faults)
    return check_rows(source, NONE, faults)


def faults_of(content: str | bytes) -> list[tuple[Any, ...]]:
    return [(*fault.loc, fault.msg) for fault in check(content).errors]


def seeds(source: RowSource) -> list[Seed | None]:
    return [row.seed for row in read_rows(source, NONE, Faults())]


def test_a_row_is_a_seed() -> None:
    row = {
        "user": ' Cancel it, "please".\nNow. ',
        "behavior": "Be slow.",
        "state": STATE,
        "failure_rules": [{"tool": "get_*", "fault": "timeout"}],
        "expected_outcome": "refusal",
        "input": {"today": "2026-01-01"},
        "checks": [{"called": "get_order"}],
        "rubric": [{"id": "polite", "question": "Polite?", "answer": "yes_no"}],
        "random_seed": -(2**63),
    }
    (seed,) = seeds(CsvSource(table(row).encode(), Faults()))
    assert seed is not None
    assert json.loads(seed.initial_state.text) == STATE
    assert seed._asdict() == {
        "user_instruction": row["user"],
        "behavior_instructions": "Be slow.",
        "initial_state": seed.initial_state,
        "types": frozenset(STATE),
        "failure_rules": row["failure_rules"],
        "expected_outcome": "refusal",
        "input": row["input"],
        "checks": row["checks"],
        "checks_version": 1,
        "rubric": row["rubric"],
        "random_seed": -(2**63),
        "world": None,
    }
    as_json = {"user_instruction": row["user"], "behavior_instructions": "Be slow.", "initial_state": STATE}
    as_json |= {name: row[name] for name in list(row)[3:]}
    assert seeds(JsonSource(json.dumps([as_json]).encode())) == [seed]


def test_an_empty_cell_says_nothing() -> None:
    columns = ["user", "behavior", "state", "failure_rules", "expected_outcome", "input", "checks", "rubric"]
    content = table({"user": "x"}, columns=[*columns, "world", "random_seed"])
    (seed,) = seeds(CsvSource(content.encode(), Faults()))
    assert seed == Seed("x", "", [], "completion", {}, [], [], None, None, checks_version=1)
    spaces = table({"user": "x", "state": "  ", "checks": "\n", "world": " ", "random_seed": " "})
    assert seeds(CsvSource(spaces.encode(), Faults())) == [seed]
    assert check(content).columns == ["user"]


def test_the_columns_are_those_that_are_filled_in_the_order_of_the_template() -> None:
    found = check('random_seed,input,state,user,note,checks\n,,,a,n,[]\n0,{},"{""a"": {}}",b,,\n')
    assert (found.row_count, found.columns, found.errors) == (2, ["user", "state", "random_seed"], [])


@pytest.mark.parametrize(
    ("content", "faults"),
    [
        ("user,state\na,{\n", [("rows", 0, "state", "line 2: state is not JSON: ")]),
        ('user,state\na,"{""a"": 1, ""a"": 2}"\n', [("rows", 0, "state", "line 2: state is not JSON: dup")]),
        ("user,input\na,NaN\n", [("rows", 0, "input", "line 2: input is not JSON: NaN")]),
        ("user,input\na,[]\n", [("rows", 0, "input", "line 2: input must be an object")]),
        ("user,state\na,[]\n", [("rows", 0, "state", "line 2: state must be an object of entity types")]),
        ("user,state\n,{}\n", [("rows", 0, "user", "line 2: user must be a non-empty string")]),
        ("user,state\n  ,{}\n", [("rows", 0, "user", "line 2: user must be a non-empty string")]),
        ("user,expected_outcome\na,maybe\n", [("rows", 0, "expected_outcome", "line 2: expected_outcome")]),
        ("user,random_seed\na,1.5\n", [("rows", 0, "random_seed", "line 2: random_seed must be a 64-bit")]),
        ("user,random_seed\na,9223372036854775808\n", [("rows", 0, "random_seed", "line 2: random_seed")]),
        ("user,rubric\na,{}\n", [("rows", 0, "rubric", "line 2: ")]),
    ],
)
def test_a_faulty_cell_has_row_and_column(content: str, faults: list[tuple[Any, ...]]) -> None:
    found = faults_of(content)
    assert [one[:-1] for one in found] == [one[:-1] for one in faults]
    for one, expected in zip(found, faults, strict=True):
        assert one[-1].startswith(expected[-1])


def test_every_fault_of_every_row_is_named_at_once() -> None:
    content = table(
        {"user": "a", "checks": [{"called": "x"}, {"calld": "x"}], "failure_rules": [{"tool": "x"}]},
        {"user": "", "state": "{", "checks": "["},
        {"user": "fine"},
        {"user": "b", "expected_outcome": "no", "random_seed": "x"},
    )
    assert [one[:-1] for one in faults_of(content)] == [
        ("rows", 0, "failure_rules", 0, "response"),
        ("rows", 0, "checks", 1, "calld"),
        ("rows", 1, "checks"),
        ("rows", 1, "state"),
        ("rows", 1, "user"),
        ("rows", 3, "random_seed"),
        ("rows", 3, "expected_outcome"),
    ]


def test_faults_of_form_and_of_content_come_together() -> None:
    places = [one[:-1] for one in faults_of(b"user,state\na,{\nb\nc,\xff\n")]
    assert places == [("rows", 0, "state"), ("rows", 1, "state"), ("rows", 2, "state")]


@pytest.mark.parametrize(
    ("header", "place", "message"),
    [
        ("user_instruction", 0, "'user_instruction' is no column; did you mean 'user'?"),
        ("user,behavior_instructions", 1, "did you mean 'behavior'?"),
        ("user,initial_state", 1, "did you mean 'state'?"),
        ("user,world_id", 1, "did you mean 'world'?"),
        ("name", "user", "there is no column 'user'"),
        ("User,state", 0, "'User' is no column; did you mean 'user'?"),
        ("user,current_state", 1, "'current_state' is no column; did you mean 'input'?"),
        ("user,expectd_outcome", 1, "did you mean 'expected_outcome'?"),
        ("user_id,state", "user", "there is no column 'user'; did you mean 'user_id'?"),
        ("user;state;checks", "user", "there is no column 'user'; separate the columns by commas"),
        ("user\tstate", "user", "separate the columns by commas"),
    ],
)
def test_a_wrong_header_is_one_fault_with_a_hint(header: str, place: str | int, message: str) -> None:
    ((where, at, found),) = faults_of(f"{header}\nx{',' * header.count(',')}\n")
    assert (where, at) == ("header", place)
    assert message in found
    assert found.startswith("line 1: ")


def test_what_stands_under_a_wrong_name_is_looked_at_all_the_same() -> None:
    places = [one[:-1] for one in faults_of("user_instruction,initial_state\na,{\n")]
    assert places == [("header", 0), ("header", 1), ("rows", 0, "state")]


def test_an_unknown_column_is_a_warning_with_a_hint() -> None:
    found = check("user,chekcs,note\na,b,c\n")
    assert found.errors == []
    assert [(warning.loc, warning.msg) for warning in found.warnings] == [
        (("header", 1), "column 'chekcs' is not known and left out; did you mean 'checks'?"),
        (("header", 2), "column 'note' is not known and left out"),
    ]


def test_columns_for_later_are_refused_where_they_say_something() -> None:
    content = "user,turn_mode,max_turns\na,,\nb,model_as_user,\n"
    found = check(content)
    assert (found.errors, found.warnings, found.later) == ([], [], ["turn_mode"])
    refusal = found.refusal(is_csv=True)
    assert refusal is not None
    assert refusal.code == "not_available_yet"
    assert check("user,turn_mode\na,\n").refusal(is_csv=True) is None


def test_no_rows_are_no_dataset() -> None:
    assert faults_of("user\n") == [("rows", "there are no rows")]
    found = check_rows(JsonSource(b"[]"), NONE, faults := Faults())
    assert (found.row_count, [fault.loc for fault in faults.found]) == (0, [("rows",)])


def test_one_row_too_many_is_too_large_whatever_else_is_wrong() -> None:
    check("user\n" + "a\n" * 1000)
    for cell in ("a", "a,b"):
        with pytest.raises(CsvTooLargeError):
            check("user\n" + f"{cell}\n" * (MAX_ROWS + 1))
    with pytest.raises(CsvTooLargeError):
        JsonSource(b"[" + b"1," * MAX_ROWS + b"1]")


def test_json_is_strict_in_every_row() -> None:
    for row in (b'{"a": 1, "a": 2}', b"NaN", b'"\\ud800"', b"9" * 40, b"[" * 99 + b"{}" * 2 + b"]" * 99):
        with pytest.raises(JsonRefusedError):
            check_rows(JsonSource(b'[{"user_instruction": "x"},' + row + b"]"), NONE, Faults())
    for body in (b"", b"[", b"[1] 2", b"\xff", b"[" * 100_000, b'["\xff"]', b"\xef\xbb\xbf[]"):
        with pytest.raises(JsonRefusedError):
            check_rows(JsonSource(body), NONE, Faults())
    for body in (b"{}", b'"x"', b"5", b"null"):
        with pytest.raises(ValidationFailedError) as refused:
            JsonSource(body)
        assert refused.value.errors[0].loc == ("body",)


def test_faults_of_json_have_row_and_member() -> None:
    rows = [
        {"user_instruction": "x", "user": "x"},
        5,
        None,
        {"user_instruction": "x", "state": {}, "chekcs": []},
        {"user_instruction": "nul\0"},
        {"user_instruction": "x" * (2**20 - 1), "input": {"a": "x" * 2**20}},
    ]
    found = check_rows(JsonSource(json.dumps(rows).encode()), NONE, Faults()).errors
    assert [fault.loc[:3] for fault in found] == [
        ("rows", 0, "user"),
        ("rows", 1),
        ("rows", 2),
        ("rows", 3, "state"),
        ("rows", 3, "chekcs"),
        ("rows", 4, "user_instruction"),
        ("rows", 5, "input"),
    ]
    assert "in JSON it is 'user_instruction'" in found[0].msg
    assert "did you mean 'checks'?" in found[4].msg


@pytest.mark.parametrize("count", [10_000, pytest.param(20_000, marks=pytest.mark.full)])
@pytest.mark.parametrize("kind", ["csv", "json"])
def test_many_rows_are_looked_at_without_being_held(kind: str, count: int) -> None:
    text = "Where is my order, and when does it come? " * 5
    if kind == "csv":
        line = table({"user": text, "state": STATE}).split("\r\n")
        body = ("\r\n".join([line[0], *[line[1]] * count])).encode()
    else:
        body = json.dumps([{"user_instruction": text, "initial_state": STATE}] * count).encode()
    faults = Faults()
    tracemalloc.start()
    source = CsvSource(body, faults) if kind == "csv" else JsonSource(body)
    found = check_rows(source, NONE, faults)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert (found.row_count, faults.found) == (count, [])
    assert len(body) > 250 * count
    assert peak < (600_000 if kind == "csv" else len(body) / 2)
