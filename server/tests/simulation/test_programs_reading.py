"""Reading programs: every fault at once, at its place, in words that say what to mend."""

from typing import Any

import pytest

from odyssey.expressions import Facts
from odyssey.records.faults import Faults
from odyssey.records.tools import Tool
from odyssey.simulation.programs import MAX_BYTES, read_program
from odyssey.simulation.programs.template import read_template
from odyssey.worlds.ledger import Ledger

TOOL = Tool("lend_book", {"type": "object", "properties": {"book_id": {"type": "string"}, "days": {}}})
OPERATION = {"op": "update", "entity_type": "book", "id": "= args.book_id", "fields": {}}
EXPRESSION = "CEL"


def faults_of(raw: Any, tool: Tool = TOOL) -> list[tuple[tuple[str | int, ...], str]]:
    faults = Faults()
    assert (read_program(raw, faults, tool=tool) is None) == bool(faults.found)
    return [(fault.loc, fault.msg) for fault in faults.found]


def operation(**members: Any) -> dict[str, Any]:
    return {"operations": [OPERATION | members]}


FAULTY: list[tuple[Any, tuple[str | int, ...], str]] = [
    ([], (), "a program is an object"),
    ("x", (), "a program is an object"),
    ({"resonse": 1}, ("resonse",), "did you mean 'response'?"),
    ({"describe": 5}, ("describe",), "must be a string"),
    ({"describe": "x" * 10_001}, ("describe",), "at most 10000"),
    ({"let": []}, ("let",), "must be an object of names"),
    ({"let": {"a": 5}}, ("let", "a"), EXPRESSION),
    ({"let": {"a": "1 +"}}, ("let", "a"), "not a CEL expression"),
    ({"let": {"a b": "1"}}, ("let", "a b"), "is not a name"),
    ({"let": {"_a": "1"}}, ("let", "_a"), "is not a name"),
    ({"let": {"args": "1"}}, ("let", "args"), "is there already"),
    ({"let": {"in": "1"}}, ("let", "in"), "a word of the language"),
    ({"let": {"a": "b"}}, ("let", "a"), "'b'"),
    ({"let": {"book": "1", "a": "bok"}}, ("let", "a"), "did you mean 'book'?"),
    ({"let": {"a": "a"}}, ("let", "a"), "stands on itself: a → a"),
    ({"let": {"a": "b + 1", "b": "c", "c": "a"}}, ("let", "a"), "stands on itself: a → b → c → a"),
    ({"let": {f"n{i}": "1" for i in range(51)}}, ("let",), "51 names; at most 50"),
    ({"let": {"a": "args.boo_id"}}, ("let", "a"), "no argument 'boo_id'; did you mean 'book_id'?"),
    ({"let": {"a": "args.xyz"}}, ("let", "a"), "it has book_id, days"),
    ({"require": {}}, ("require",), "must be a list"),
    ({"require": [5]}, ("require", 0), "a requirement is an object"),
    ({"require": [{"else": "x"}]}, ("require", 0, "that"), "that is missing"),
    ({"require": [{"that": "true"}]}, ("require", 0, "else"), "else is missing"),
    ({"require": [{"that": "true", "els": "x", "else": "x"}]}, ("require", 0, "els"), "did you mean 'else'?"),
    ({"require": [{"that": "args.dais", "else": "x"}]}, ("require", 0, "that"), "did you mean 'days'?"),
    ({"require": [{"that": "true", "else": 5}]}, ("require", 0, "else"), "must be a text"),
    ({"require": [{"that": "true", "else": ""}]}, ("require", 0, "else"), "not empty"),
    ({"require": [{"that": "true", "else": "{x}"}]}, ("require", 0, "else"), "'x'"),
    ({"require": [{"that": "true", "else": "{1"}]}, ("require", 0, "else"), "not closed"),
    (
        {"require": [{"that": "true", "else": {"code": "conflict"}}]},
        ("require", 0, "else", "message"),
        "missing",
    ),
    (
        {"require": [{"that": "true", "else": {"code": "gone", "message": "x"}}]},
        ("require", 0, "else", "code"),
        "'not_found', 'conflict' or 'bad_value'",
    ),
    ({"require": [{"that": "true", "else": "x"}] * 51}, ("require",), "51 requirements; at most 50"),
    ({"operations": {}}, ("operations",), "must be a list"),
    ({"operations": [5]}, ("operations", 0), "an operation is an object"),
    ({"operations": [{}]}, ("operations", 0, "op"), "op must be"),
    (operation(op="updat"), ("operations", 0, "op"), "did you mean 'update'?"),
    (operation(op="remove"), ("operations", 0, "fields"), "has no member 'fields'"),
    (operation(entity_type=None), ("operations", 0, "entity_type"), "entity_type is missing"),
    (operation(entity_type=5), ("operations", 0, "entity_type"), "must be a string"),
    (operation(id=None), ("operations", 0, "id"), "id is missing"),
    (operation(id=[]), ("operations", 0, "id"), "id must be a text"),
    (operation(id=""), ("operations", 0, "id"), "not empty"),
    (operation(let={"x": "1 +"}, when="x"), ("operations", 0, "let", "x"), "not a CEL"),
    (operation(id="= nobody"), ("operations", 0, "id"), "'nobody'"),
    ({"operations": [{"op": "set_flag"}]}, ("operations", 0, "flag"), "flag is missing"),
    ({"operations": [{"op": "set_flag", "flag": "x", "id": "y"}]}, ("operations", 0, "id"), "no member 'id'"),
    (operation(fields=5), ("operations", 0, "fields"), "must be an object or an expression"),
    (operation(fields="x"), ("operations", 0, "fields"), "must be an object or an expression"),
    (operation(fields={"a": [{"b": "= 1 +"}]}), ("operations", 0, "fields", "a", 0, "b"), "not a CEL"),
    (operation(when="nobody"), ("operations", 0, "when"), "'nobody'"),
    (operation(when=True), ("operations", 0, "when"), EXPRESSION),
    (operation(each=[]), ("operations", 0, "each"), "one member"),
    (operation(each={}), ("operations", 0, "each"), "one member"),
    (operation(each={"a": "[]", "b": "[]"}), ("operations", 0, "each"), "one member"),
    (operation(each={"state": "[]"}), ("operations", 0, "each", "state"), "is there already"),
    (operation(each={"x": "x"}), ("operations", 0, "each", "x"), "'x'"),
    (operation(let={"x": "y"}), ("operations", 0, "let", "x"), "'y'"),
    ({"operations": [OPERATION] * 51}, ("operations",), "51 operations; at most 50"),
    ({"after": 5}, ("after",), "must be an object of names"),
    ({"after": {"a": "a"}}, ("after", "a"), "stands on itself"),
    ({"response": "= x"}, ("response",), "'x'"),
    ({"response": {"a": ["= 1", "= args.boo"]}}, ("response", "a", 1), "no argument 'boo'"),
    ({"response": "=" + "1" * 2001}, ("response",), "at most 2000"),
    ({"response": "x" * (MAX_BYTES + 1)}, (), f"at most {MAX_BYTES} bytes"),
]


@pytest.mark.parametrize(("raw", "place", "words"), FAULTY)
def test_names_the_fault_and_its_place(raw: Any, place: tuple[str | int, ...], words: str) -> None:
    found = faults_of(raw)
    assert len(found) == 1, found
    assert found[0][0] == place
    assert words in found[0][1]
    assert len(found[0][1]) < 400


def test_every_fault_comes_in_one_pass() -> None:
    raw = {
        "let": {"a": "1 +", "b": "b"},
        "require": [{"that": "x", "else": {"code": "y"}}],
        "operations": [{"op": "add", "entity_type": "book", "fields": {"z": "= z"}}],
        "after": {"c": "args.d"},
        "response": ["= e"],
        "f": 1,
    }
    assert {loc for loc, _ in faults_of(raw)} == {
        ("let", "a"),
        ("let", "b"),
        ("require", 0, "that"),
        ("require", 0, "else", "message"),
        ("operations", 0, "id"),
        ("operations", 0, "fields", "z"),
        ("after", "c"),
        ("response", 0),
        ("f",),
    }


def test_members_that_are_null_are_absent() -> None:
    assert (
        faults_of({"let": None, "require": None, "operations": None, "after": None, "response": None}) == []
    )


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "object"},
        {"type": "object", "properties": {}, "additionalProperties": {"type": "string"}},
        {"type": "object", "properties": {}, "patternProperties": {"^x": {}}},
        {"type": "object", "properties": {"a": {}}, "allOf": [{"properties": {"xyz": {}}}]},
    ],
)
def test_a_schema_that_leaves_arguments_open_is_no_measure_of_them(schema: dict[str, Any]) -> None:
    assert faults_of({"response": "= args.xyz"}, Tool("t", schema)) == []
    assert faults_of({"response": "= args.xyz"}, Tool("t", {"type": "object", "properties": {}}))


def test_words_about_arguments_are_no_use_of_them() -> None:
    raw = {
        "describe": "args.other",
        "let": {"note": "'args.other'", "own": "{'args': {'other': 1}}.args.other"},
        "require": [{"that": "true", "else": "args.other is wrong"}],
        "response": {"let": "args.other", "own": "= own"},
    }
    assert faults_of(raw) == []


def test_a_template_keeps_what_is_written_and_works_out_the_rest() -> None:
    faults = Faults()
    raw = {"a": [1, None, "x = y", {"b": "= n + 1"}], "c": "= '=x'", "d": "=n", "e": " =n"}
    template = read_template(raw, faults, names=["n"])
    assert faults.found == []
    assert template is not None
    facts = Facts(args={}, ledger=Ledger.boot({}))
    facts.define("n", 1)
    value = template.evaluate(facts)
    assert value == {"a": [1, None, "x = y", {"b": 2}], "c": "=x", "d": 1, "e": " =n"}
    value["a"].append("mine")
    assert template.evaluate(facts)["a"] == [1, None, "x = y", {"b": 2}]
    assert template.raw == raw
