"""`odyssey seeds lint` shares no code with the platform; one table of cases shows that both find the same."""

import json
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from support.datasets import lint, table
from support.platform import Org

from pipelines.odyssey.cli.seeds import look_at_seeds

HEADERS = (
    "user,state,behavior,failure_rules,expected_outcome,input,checks,rubric,world,random_seed",
    "user,current_state",
    "user,Current State",
    "User",
    "user_instruction",
    "prompt",
    "user,initial_state",
    "user,expected outcome",
    "user,expected",
    "user,behaviour",
    "user,behaivor",
    "user,failure_rule",
    "user,world_id",
    "user,ticket",
    "user,status",
    "user,user_id",
    "user,prompt",
    "user,turn_mode",
    "zzz",
    "user;state",
    "user,user",
    "user,",
)
GOOD_RULES: tuple[Any, ...] = (
    [],
    [{"tool": "get_*", "response": None}],
    [{"tool": ["a", "b?"], "call": 2, "error": {"code": "busy", "message": "Later."}}],
    [{"call": {"from": 2, "to": 4}, "fault": "timeout", "latency_ms": 5}],
    [{"call": {"every": 3}, "times": 1, "probability": 0.5, "response": {}}],
    [{"args": {"id": {"$in": [1, 2]}, "by": {"name": {"$regex": "^a.*z$", "$ne": "a"}}}, "response": 1}],
    [{"args": {"id": {"$exists": False}, "sum": {"$gte": 3}}, "when": "args.sum > 3", "response": 1}],
    [{"args": {"name": {"$regex": r"\pL+\z"}}, "response": 1}],
    [{"ledger": [{"op": "add", "entity_type": "order", "id": "o1"}], "response": 1}],
    [{"ledger": [{"op": "set_flag", "flag": "late"}], "response": 1}],
)
FAULTY_RULES: tuple[Any, ...] = (
    {},
    "no list",
    [1],
    [{}],
    [{"tool": "a"}],
    [{"tol": "a", "response": 1}],
    [{"response": 1, "error": {"code": "a", "message": "b"}}],
    [{"response": 1, "fault": "reset", "error": 3}],
    [{"tool": "", "response": 1}],
    [{"tool": [], "response": 1}],
    [{"tool": [1], "response": 1}],
    [{"tool": ["a"] * 257, "response": 1}],
    [{"args": [], "response": 1}],
    [{"args": {"$eq": 1}, "response": 1}],
    [{"args": {"a": {"$eq": 1, "b": 2}}, "response": 1}],
    [{"args": {"a": {"$equals": 1}}, "response": 1}],
    [{"args": {"a": {"b": {"$gt": None, "$in": 3, "$exists": 1}}}, "response": 1}],
    [{"args": {"a": {"$regex": "("}}, "response": 1}],
    [{"args": {"a": {"$regex": "(?=a)b"}}, "response": 1}],
    [{"args": {"a": {"$regex": "(?<!a)b"}}, "response": 1}],
    [{"args": {"a": {"$regex": r"(a)\1"}}, "response": 1}],
    [{"args": {"a": {"$regex": 3}}, "response": 1}],
    [{"args": {"a": {"$regex": "x" * 1001}}, "response": 1}],
    [{"call": 0, "response": 1}],
    [{"call": True, "response": 1}],
    [{"call": {}, "response": 1}],
    [{"call": {"from": 3, "to": 2}, "response": 1}],
    [{"call": {"every": 2, "from": 1}, "response": 1}],
    [{"call": {"each": 2}, "response": 1}],
    [{"call": {"to": "2"}, "response": 1}],
    [{"when": "", "response": 1}],
    [{"when": True, "response": 1}],
    [{"probability": 1.5, "response": 1}],
    [{"probability": "0.5", "response": 1}],
    [{"times": 0, "response": 1}],
    [{"times": 1.0, "response": 1}],
    [{"latency_ms": -1, "response": 1}],
    [{"latency_ms": 120_001, "response": 1}],
    [{"ledger": {}, "response": 1}],
    [{"ledger": ["add"], "response": 1}],
    [{"ledger": [{"op": "put", "entity_type": "a", "id": "b"}], "response": 1}],
    [{"ledger": [{"op": "add", "entity_type": "a"}], "response": 1}],
    [{"ledger": [{"op": "add", "entity_type": "a", "id": 3}], "response": 1}],
    [{"ledger": [{"op": "add", "entity_type": "a", "id": "b", "fields": []}], "response": 1}],
    [{"ledger": [{"op": "remove", "entity_type": "a", "id": "b", "fields": {}}], "response": 1}],
    [{"ledger": [{"op": "set_flag"}], "response": 1}],
    [{"error": "busy"}],
    [{"error": {"code": "busy"}}],
    [{"error": {"code": "", "message": "a", "status": 3}}],
    [{"fault": "timeot"}],
    [{"fault": None}],
    [{"response": 1}] * 201,
)


class Finding(NamedTuple):
    errors: list[str]
    """The place of each, as JSON."""
    warnings: list[str]


def locally(folder: Path, content: str) -> Finding:
    path = folder / "tasks.csv"
    path.write_text(content, encoding="utf-8")
    found = look_at_seeds(path)
    return Finding(*(sorted(_place(each.as_dict()) for each in faults) for faults in found[1:]))


def on_the_platform(org: Org, content: str) -> Finding:
    header = content.partition("\n")[0].split(",")
    found = lint(org, content)
    return Finding(*(sorted(_place(each, header) for each in found[kind]) for kind in Finding._fields))


def _place(note: dict[str, Any], header: list[str] | None = None) -> str:
    """A column of the header by its name, and what is within a row by its path."""
    row, column, path = note["row"], note["column"], note["loc"][3:] if note["row"] is not None else []
    if header is not None and isinstance(column, int):
        column = header[column] or None
    return json.dumps([row, column, *path])


@pytest.mark.parametrize("header", HEADERS)
def test_headers_are_judged_alike(org: Org, tmp_path: Path, header: str) -> None:
    cells = ",".join("{}" if "state" in name.lower() else "" for name in header.split(",")[1:])
    content = f"{header}\nx{',' if ',' in header else ''}{cells}\n"
    assert locally(tmp_path, content) == on_the_platform(org, content)


@pytest.mark.parametrize("rules", [*GOOD_RULES, *FAULTY_RULES], ids=lambda rules: json.dumps(rules)[:60])
def test_failure_rules_are_judged_alike(org: Org, tmp_path: Path, rules: Any) -> None:
    content = table({"user": "x", "failure_rules": rules})
    found = locally(tmp_path, content)
    assert found == on_the_platform(org, content)
    assert bool(found.errors) is (rules in FAULTY_RULES)


def test_the_guard_before_a_formula_is_taken_off_by_both(org: Org, tmp_path: Path) -> None:
    content = "user,random_seed\n'=x,'-5\nx,''-5\n"
    assert locally(tmp_path, content) == on_the_platform(org, content) == (['[1, "random_seed"]'], [])


def test_columns_of_conversations_are_refused_by_both_where_they_say_something(
    org: Org, tmp_path: Path
) -> None:
    content = "user,turn_mode,max_turns\na,,3\nb,,4\n"
    assert (
        locally(tmp_path, content).errors == on_the_platform(org, content).errors == ['[null, "max_turns"]']
    )
