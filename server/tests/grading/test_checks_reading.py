"""Checks are refused when a row is accepted, with every fault at its place."""

from typing import Any

import pytest

from odyssey.grading.checks import MAX_CHECKS, read_checks


def faults(raw: Any) -> list[tuple[tuple[str | int, ...], str]]:
    return [(error.loc, error.msg) for error in read_checks(raw).errors]


@pytest.mark.parametrize(
    ("check", "loc", "words"),
    [
        ("called", (), "exactly one member"),
        ({}, (), "exactly one member"),
        ({"called": "a", "flag": "b"}, (), "exactly one member"),
        ({"caled": "a"}, ("caled",), "did you mean 'called'?"),
        ({"called": None}, ("called",), "write a tool name"),
        ({"called": ""}, ("called", "tool"), "write a tool name"),
        ({"called": {"args": {}}}, ("called", "tool"), "tool is missing"),
        ({"called": {"tool": 1}}, ("called", "tool"), "write a tool name"),
        ({"called": {"tool": "a", "argz": {}}}, ("called", "argz"), "did you mean 'args'?"),
        (
            {"called": {"tool": "a", "args": {"x": {"$gtt": 1}}}},
            ("called", "args", "x", "$gtt"),
            "did you mean",
        ),
        ({"called": {"tool": "a", "count": -1}}, ("called", "count"), "how often"),
        ({"called": {"tool": "a", "count": True}}, ("called", "count"), "how often"),
        ({"called": {"tool": "a", "count": {}}}, ("called", "count"), "how often"),
        ({"called": {"tool": "a", "count": {"gte": 1}}}, ("called", "count", "gte"), "did you mean '$gte'?"),
        ({"called": {"tool": "a", "count": {"$gte": "1"}}}, ("called", "count", "$gte"), "compare with"),
        (
            {"not_called": {"tool": "a", "count": {"$in": 1}}},
            ("not_called", "count", "$in"),
            "list of integers",
        ),
        ({"order": []}, ("order",), "list of tool names"),
        ({"order": ["a", 1]}, ("order", 1), "write a tool name"),
        ({"policy": {}}, ("policy",), "exactly one of before and never"),
        ({"policy": {"after": ["a", "b"]}}, ("policy", "after"), "no member 'after'"),
        ({"policy": {"before": ["a"]}}, ("policy", "before"), "two tools"),
        ({"policy": {"before": ["a", "a"]}}, ("policy", "before"), "two different tools"),
        ({"policy": {"before": ["a", 2]}}, ("policy", "before", 1), "write a tool name"),
        ({"policy": {"never": {}}}, ("policy", "never"), "write a tool name"),
        ({"flag": []}, ("flag",), "at least one flag"),
        ({"no_flag": ["a", 1]}, ("no_flag", 1), "must be a text"),
        ({"final_response": "done"}, ("final_response",), "is an object"),
        ({"final_response": {"contains": "a", "regex": "b"}}, ("final_response",), "exactly one"),
        ({"final_response": {"contain": "a"}}, ("final_response", "contain"), "did you mean 'contains'?"),
        ({"final_response": {"contains": ""}}, ("final_response", "contains", 0), "must be a text"),
        ({"final_response": {"contains": []}}, ("final_response", "contains"), "at least one text"),
        ({"final_response": {"regex": "(?=a)"}}, ("final_response", "regex"), "not a pattern RE2 takes"),
        ({"final_response": {"regex": 1}}, ("final_response", "regex"), "as a string"),
        (
            {"final_response": {"json_schema": {"type": "objekt"}}},
            ("final_response", "json_schema"),
            "unknown type",
        ),
        (
            {"final_response": {"json_schema": []}},
            ("final_response", "json_schema"),
            "a JSON Schema is an object",
        ),
        ({"ledger": {}}, ("ledger",), "object of JSONPaths"),
        ({"ledger": {"order.A1": 1}}, ("ledger", "order.A1"), "not a JSONPath"),
        ({"ledger": {"$.a": {"$gt": []}}}, ("ledger", "$.a", "$gt"), "compare with a number or a string"),
        ({"ledger": {"$.a": {"$exists": 1}}}, ("ledger", "$.a", "$exists"), "true or false"),
        ({"ledger": {"$.a": {"$exists": False, "$gt": 1}}}, ("ledger", "$.a"), "$exists false alone"),
        ({"ledger": {"$.a": {"$exists": True, "b": 1}}}, ("ledger", "$.a"), "not both"),
    ],
)
def test_a_fault_is_placed_and_says_what_to_write(check: Any, loc: tuple[Any, ...], words: str) -> None:
    found = faults([{"flag": "fine"}, check])
    assert any(place == ("checks", 1, *loc) and words in message for place, message in found), found


def test_every_fault_is_told_at_once() -> None:
    raw = [{"flag": 1}, {"called": {"tool": "a", "count": "x", "more": 1}}, {"order": "a"}]
    assert [place[:2] for place, _ in faults(raw)] == [
        ("checks", 0),
        ("checks", 1),
        ("checks", 1),
        ("checks", 2),
    ]
    assert read_checks(raw).checks == ()


def test_a_list_is_wanted_and_not_too_long_a_one() -> None:
    assert faults({"called": "a"}) == [(("checks",), "checks is a list of checks")]
    assert "at most 100" in faults([{"flag": "a"}] * (MAX_CHECKS + 1))[0][1]
    assert faults([{"flag": "a"}] * MAX_CHECKS) == []


def test_a_check_knows_the_tools_it_mentions() -> None:
    raw = [
        {"called": {"tool": ["a", "b_*"]}},
        {"order": ["c", "d"]},
        {"policy": {"before": ["e", "f"]}},
        {"policy": {"never": "g"}},
        {"flag": "h"},
    ]
    assert [check.tools for check in read_checks(raw).checks] == [
        ("a", "b_*"),
        ("c", "d"),
        ("e", "f"),
        ("g",),
        (),
    ]
