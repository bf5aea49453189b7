"""`odyssey seeds lint`: what is wrong with a table of tasks, told without a platform."""

import json
from pathlib import Path
from typing import Any

import pytest
from support.process import odyssey_here

from pipelines.odyssey.cli.failures import CommandFailedError
from pipelines.odyssey.cli.seed_values import MAX_TEXT
from pipelines.odyssey.cli.seeds import MOST_BYTES, MOST_FAULTS, Fault, lint_seeds, look_at_seeds

GOOD = """user,state,behavior,failure_rules,expected_outcome,input,checks,rubric,random_seed,turn_mode,max_turns
"Cancel, please","{""order"": {""o1"": {""status"": ""new""}}}",,,completion,"{""a"": 1}","[{""called"": ""get""}]",,7,,
Refuse this,,get returns args.a,"[{""tool"": ""get"", ""fault"": ""reset""}]",refusal,,,"[]",,,
"""


def lint(folder: Path, text: str | bytes, name: str = "tasks.csv") -> list[Fault]:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return lint_seeds(path)


def only(faults: list[Fault]) -> Fault:
    assert len(faults) == 1, faults
    return faults[0]


def test_a_good_table_has_no_faults(tmp_path: Path) -> None:
    assert lint(tmp_path, GOOD) == []
    assert lint(tmp_path, b"\xef\xbb\xbf" + GOOD.replace("\n", "\r\n").encode()) == []


@pytest.mark.parametrize(
    ("header", "said"),
    [
        ("user_instruction", "did you mean 'user'?"),
        ("prompt", "did you mean 'user'?"),
        ("User", "did you mean 'user'?"),
        ("user,initial_state", "did you mean 'state'?"),
        ("user,expected outcome", "did you mean 'expected_outcome'?"),
        ("user,behaviour", "did you mean 'behavior'?"),
        ("user,world_id", "did you mean 'world'?"),
        ("user,current_state", "did you mean 'input'?"),
        ("user,behaivor", "did you mean 'behavior'?"),
        ("user;state", "separate the columns by commas"),
        ("user,user", "two columns are called 'user'"),
        ("user,", "a column has no name"),
        ("zzz", "there is no column 'user'; it holds what the agent is asked to do"),
    ],
)
def test_a_header_is_mended(tmp_path: Path, header: str, said: str) -> None:
    cells = ",".join("x" for _ in header.split(","))
    found = [fault for fault in lint(tmp_path, f"{header}\n{cells}\n") if fault.line == 1]
    assert any(said in fault.msg for fault in found), found


def test_a_column_nobody_knows_is_odd_and_not_wrong(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("user,ticket\nx,1\n")
    found = look_at_seeds(tmp_path / "a.csv")
    assert (found.rows, found.errors) == (1, [])
    assert "'ticket' is not known" in only(found.warnings).msg


@pytest.mark.parametrize(
    ("column", "cell", "said"),
    [
        ("state", "{'order': 1}", "is not JSON: Expecting property name"),
        ("state", '{"a": {}, "a": {}}', "is not JSON: the key 'a' is there twice"),
        ("state", '{"a": {"b": {"c": NaN}}}', "is not JSON: NaN"),
        ("state", '{"a": {"b": {"c": 1e400}}}', "beyond"),
        ("state", '{"a": {"b": {"c": 99999999999999999999}}}', "beyond"),
        ("state", '{"a": {"b": {"c": "\\ud800"}}}', "lone surrogate"),
        ("state", "[" * 200 + "]" * 200, "nested deeper than 100"),
        ("state", "[" * 100_000, "is not JSON"),
        ("state", "{} {}", "something follows the value"),
        ("state", '{"order": ["o1"]}', "must be an object of entity ids, not a list"),
        ("state", '{"order": {"o1": 3}}', "an entity must be an object of its fields, not 3"),
        ("checks", '{"called": "x"}', "must be a list of at most 100 checks"),
        ("checks", '[{"calls": "x"}]', "there is no check 'calls'; did you mean 'called'?"),
        ("checks", '[{"called": 1, "flag": 2}]', "exactly one member"),
        ("input", "[]x", "is not JSON"),
        ("input", "3", "must be an object, not 3"),
        ("expected_outcome", "complete", "must be 'completion' or 'refusal', not 'complete'; did you mean"),
        ("random_seed", "1.5", "must be a 64-bit integer"),
    ],
)
def test_a_cell_is_checked_at_its_row_column_and_line(
    tmp_path: Path, column: str, cell: str, said: str
) -> None:
    quoted = '"' + cell.replace('"', '""') + '"'
    fault = only(lint(tmp_path, f'user,{column}\n"two\nlines",\nsecond,{quoted}\n'))
    assert said in fault.msg
    assert (fault.row, fault.column, fault.line) == (1, column, 4)
    assert fault.loc[:3] == ["rows", 1, column]


def test_the_place_within_json_is_told(tmp_path: Path) -> None:
    fault = only(lint(tmp_path, 'user,checks\nx,"[{""called"": ""a""}, {""calld"": 1}]"\n'))
    assert fault.loc == ["rows", 0, "checks", 1, "calld"]


@pytest.mark.parametrize("cell", ["", "   "])
def test_every_row_asks_for_something(tmp_path: Path, cell: str) -> None:
    fault = only(lint(tmp_path, f"user,behavior\n{cell},x\n"))
    assert (fault.row, fault.column) == (0, "user")
    assert "say what the agent is asked to do" in fault.msg


def test_a_world_is_not_mixed_with_what_it_brings(tmp_path: Path) -> None:
    fault = only(lint(tmp_path, 'user,world,state\nx,shop,"{""a"": {}}"\ny,shop,\n'))
    assert (fault.row, fault.column) == (0, "state")
    assert "leave it or world out" in fault.msg


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (b"", "the table is empty"),
        (b"user\n", "there are no rows"),
        (b"user\nx,y\n", "has 2 cells, but there are 1 columns"),
        (b'user\n"open\n', "a quote is not closed"),
        (b'user\n"a" b\n', "a quote is not closed, or not followed by a comma"),
        (b"user\nna\xefve\n", "is not UTF-8"),
        (b"user\nnu\0l\n", "NUL"),
        ("user\nx\n".encode("utf-16"), "the file is UTF-16"),
        (b"user\n" + b"x" * (MAX_TEXT + 1) + b"\n", "a cell has more than"),
    ],
)
def test_what_is_no_table_is_told_in_one_fault(tmp_path: Path, text: bytes, said: str) -> None:
    assert said in only(lint(tmp_path, text)).msg


def test_a_file_that_is_too_large_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "tasks.csv"
    with path.open("wb") as file:
        file.truncate(MOST_BYTES + 1)
    assert "more than 50 MiB" in only(lint_seeds(path)).msg


def test_of_very_many_faults_the_first_are_told(tmp_path: Path) -> None:
    assert len(lint(tmp_path, "user,input\n" + "x,3\n" * (MOST_FAULTS + 5))) == MOST_FAULTS


@pytest.mark.parametrize("name", ["tasks.json", "tasks.yaml", "tasks"])
def test_lists_of_seeds_are_read_with_the_members_of_the_api(tmp_path: Path, name: str) -> None:
    seeds: list[Any] = [
        {"user_instruction": "x", "checks": [{"called": "get"}]},
        {"user": "x"},
        {"user_instruction": "x", "max_turns": 0},
        7,
    ]
    faults = lint(tmp_path, json.dumps(seeds, indent=1), name)
    assert [(fault.row, fault.column) for fault in faults] == [
        (1, "user"),
        (1, "user_instruction"),
        (None, "max_turns"),
        (3, None),
    ]
    assert "did you mean 'user_instruction'?" in faults[0].msg
    assert [fault.line for fault in faults] == [10, 10, 13, 17]


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("a.json", '{"user_instruction": "x"}', "must be a list of seeds"),
        ("a.json", '[{"user_instruction": "x"}', "neither ',' nor ']'"),
        ("a.json", '[{"user_instruction": "x",}]', "is not JSON"),
        ("a.json", '[{"user_instruction": "x"}] 1', "something follows the list"),
        ("a.json", "[]", "there are no rows"),
        ("a.yaml", "user_instruction: x", "must be a list of seeds"),
        ("a.yaml", "- user_instruction: x\n- [", "is not YAML"),
        ("a.yaml", "- user_instruction: x\n  user_instruction: y\n", "is there twice"),
    ],
)
def test_what_is_no_list_of_seeds_is_told(tmp_path: Path, name: str, text: str, said: str) -> None:
    assert any(said in fault.msg for fault in lint(tmp_path, text, name))


def test_a_file_that_is_not_there_is_no_fault_of_its_rows(tmp_path: Path) -> None:
    with pytest.raises(CommandFailedError, match="cannot be read"):
        lint_seeds(tmp_path / "none.csv")


def test_the_command_tells_people_and_programs(tmp_path: Path) -> None:
    path = tmp_path / "tasks.csv"
    path.write_text(GOOD)
    good = odyssey_here("seeds", "lint", str(path))
    assert (good.returncode, good.stdout) == (0, "2 rows, nothing wrong.\n")
    path.write_text("user,state,ticket\nx,{,1\n")
    bad = odyssey_here("seeds", "lint", str(path))
    assert bad.returncode == 1
    assert "line 2: is not JSON" in bad.stdout
    assert "1 row: 1 error, 1 warning." in bad.stdout
    told = odyssey_here("seeds", "lint", str(path), "--json")
    assert told.returncode == 1
    found = json.loads(told.stdout)
    assert (found["valid"], found["rows"]) == (False, 1)
    assert found["errors"][0] == {
        "row": 0,
        "column": "state",
        "line": 2,
        "loc": ["rows", 0, "state"],
        "msg": found["errors"][0]["msg"],
    }
    missing = odyssey_here("seeds", "lint", str(tmp_path / "none.csv"))
    assert (missing.returncode, missing.stdout) == (2, "")


RULES = [
    'cancel_order only when order.status == "pending" else "Too late."',
    'cancel_order, refund_order only when order != null else not_found "No such order."',
    '* fails when args.order_id == "ord_9" with conflict "Locked."',
    "refund_order let paid = order.payments.map(p, p.amount)",
    'cancel_order sets order.status = "cancelled", order.reason = args.reason',
    'cancel_order when order.total > 10 appends {"amount": order.total} to order.payments',
    "refund_order adds payment {order_id: args.order_id,\n  amount: sum(paid)}",
    "delete_order removes order",
    'ship_order sets flag "shipped"',
    'ship_order when order.late clears flag "shipped"',
    "get_order returns {'id': order.order_id}",
    "cancel_order changes nothing else",
]


def odd(folder: Path, behaviour: Any) -> list[Fault]:
    (folder / "tasks.json").write_text(
        json.dumps([{"user_instruction": "x", "behavior_instructions": behaviour}])
    )
    found = look_at_seeds(folder / "tasks.json")
    assert found.errors == []
    return found.warnings


def test_a_behaviour_of_rules_is_not_odd(tmp_path: Path) -> None:
    assert odd(tmp_path, "# how the shop works\n\n" + "\n".join(RULES) + "\n") == []


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("Refunds take a day.", "is no rule such as 'TOOL only when …'"),
        ("cancel_order set order.status = 1", "did you mean 'sets'?"),
        ("cancel_order only if order.status", "is no rule"),
        ("cancel_order removes", "is no rule"),
        ("cancel_order", "is no rule"),
        ("cancel_order sets order = 1", "is no rule"),
    ],
)
def test_a_line_that_is_no_rule_is_odd_and_not_wrong(tmp_path: Path, line: str, said: str) -> None:
    fault = only(odd(tmp_path, f"# one\n{RULES[6]}\n{line}\n"))
    assert (fault.row, fault.column) == (0, "behavior_instructions")
    assert fault.msg.startswith("line 4 of the behaviour is no rule")
    assert said in fault.msg


@pytest.mark.parametrize(
    ("rules", "loc", "said"),
    [
        ([5], [0], "a rule is an object, not 5"),
        ([{"tools": ["a"]}], [0], "a rule has exactly one of only_when, "),
        ([{"tools": ["a"], "returns": "1", "removes": "order"}], [0], "a rule has exactly one of"),
        ([{"tools": ["a"], "returns": "1"}, {"tools": "a", "returns": "1"}], [1, "tools"], "must be a list"),
        ([{"tools": ["a"], "only_when": "true", "els": "x"}], [0, "els"], "did you mean 'else'?"),
        ([{"tools": ["a"], "only_when": "true", "when": "x"}], [0, "when"], "has no member 'when'"),
        ([{"tools": ["a"], "returns": "1"}] * 501, [], "has 501 rules; at most 500"),
    ],
)
def test_rules_of_a_list_are_checked_in_a_list_and_in_a_cell(
    tmp_path: Path, rules: list[Any], loc: list[str | int], said: str
) -> None:
    seeds = [{"user_instruction": "x", "behavior_instructions": rules}]
    in_a_list = only(lint(tmp_path, json.dumps(seeds), "tasks.json"))
    assert in_a_list.loc == ["rows", 0, "behavior_instructions", *loc]
    assert said in in_a_list.msg
    if rules != [5]:  # in a cell that is a text like any other
        cell = json.dumps(rules).replace('"', '""')
        assert only(lint(tmp_path, f'user,behavior\nx,"{cell}"\n')).loc == ["rows", 0, "behavior", *loc]


def test_good_rules_of_a_list_have_no_faults(tmp_path: Path) -> None:
    rules = [
        {"tools": ["a", "b"], "only_when": "true", "else": {"code": "conflict", "message": "No."}},
        {"tools": ["*"], "when": "true", "sets": {"order.status": "'x'"}},
        {"tools": ["a"], "changes_nothing_else": True},
    ]
    assert odd(tmp_path, rules) == []
    cell = json.dumps(rules).replace('"', '""')
    assert lint(tmp_path, f'user,behavior\nx,"{cell}"\ny,[not JSON\n') == []
