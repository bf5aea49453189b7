"""The `args` of a rule: subset matching and every operator."""

from typing import Any

import pytest

from odyssey.records.tools import Tool
from odyssey.simulation.engine import ToolCall
from odyssey.simulation.rules import RuleCounters, decide, read_rules
from odyssey.worlds.ledger import Ledger

ABSENT: Any = object()


def is_match(args: Any, arguments: dict[str, Any]) -> bool:
    rules, errors = read_rules([{"args": args, "response": 1}])
    assert errors == []
    call = ToolCall(Tool("any_tool", {}), arguments, None, random_seed=1, sequence=1)
    return decide(rules, RuleCounters.start(rules), call, Ledger.boot({})).fired is not None


@pytest.mark.parametrize(
    ("args", "arguments", "matches"),
    [
        ({}, {"a": 1}, True),
        ({"a": 1}, {"a": 1, "b": 2}, True),
        ({"a": 1}, {"b": 1}, False),
        ({"a": 1}, {"a": 1.0}, True),
        ({"a": 1}, {"a": True}, False),
        ({"a": True}, {"a": 1}, False),
        ({"a": None}, {}, False),
        ({"a": None}, {"a": None}, True),
        ({"a": {"b": 1}}, {"a": {"b": 1, "c": 2}}, True),
        ({"a": {"b": 1}}, {"a": {"c": 2}}, False),
        ({"a": {"b": 1}}, {"a": 1}, False),
        ({"a": {}}, {"a": {"c": 2}}, True),
        ({"a": {}}, {"a": []}, False),
        ({"a": {}}, {}, False),
        ({"a": [1]}, {"a": [1, 2]}, False),
        ({"a": [{"b": 1}]}, {"a": [{"b": 1, "c": 2}]}, False),
        ({"a": [{"b": 1}]}, {"a": [{"b": 1.0}]}, True),
        ({"a": {"b": {"$gt": 3}}}, {"a": {"b": 4, "c": 0}}, True),
        ({"a": {"b": {"$gt": 3}}, "d": 1}, {"a": {"b": 4}}, False),
        ({"a": {"b": {"$exists": False}}}, {"a": {}}, True),
        ({"a": {"b": {"$exists": False}}}, {}, False),
        ({"a": [{"$gt": 1}]}, {"a": [2]}, False),
        ({"a": [{"$gt": 1}]}, {"a": [{"$gt": 1}]}, True),
        ({"a": {"$eq": {"$gt": 1}}}, {"a": {"$gt": 1}}, True),
    ],
)
def test_args_match_as_a_subset(args: Any, arguments: Any, matches: bool) -> None:
    assert is_match(args, arguments) == matches


@pytest.mark.parametrize(
    ("operator", "value", "matches"),
    [
        ({"$eq": 1}, 1.0, True),
        ({"$eq": 1}, True, False),
        ({"$eq": {"b": 1}}, {"b": 1, "c": 2}, False),
        ({"$eq": {"b": 1, "c": 2}}, {"c": 2, "b": 1}, True),
        ({"$eq": None}, None, True),
        ({"$eq": None}, ABSENT, False),
        ({"$ne": 1}, 2, True),
        ({"$ne": 1}, 1.0, False),
        ({"$ne": 1}, True, True),
        ({"$ne": 1}, None, True),
        ({"$ne": 1}, ABSENT, False),
        ({"$gt": 1}, 1.5, True),
        ({"$gt": 1}, 1, False),
        ({"$gt": 1}, "2", False),
        ({"$gt": 0}, True, False),
        ({"$gt": 0}, None, False),
        ({"$gt": 0}, [1], False),
        ({"$gt": 0}, ABSENT, False),
        ({"$gt": "a"}, "b", True),
        ({"$gt": "a"}, 5, False),
        ({"$gt": "Z"}, "a", True),
        ({"$gt": "\uffff"}, "\U00010000", True),
        ({"$gt": 2**62}, 2**62 + 1, True),
        ({"$gte": 1}, 1, True),
        ({"$gte": 1}, 0.99, False),
        ({"$gte": "a"}, "a", True),
        ({"$lt": 1}, 0, True),
        ({"$lt": 1}, 1, False),
        ({"$lt": 1}, False, False),
        ({"$lt": "b"}, "a", True),
        ({"$lte": 1}, 1.0, True),
        ({"$lte": 1}, 2, False),
        ({"$lte": ""}, "", True),
        ({"$gt": 1, "$lt": 5}, 3, True),
        ({"$gt": 1, "$lt": 5}, 5, False),
        ({"$gt": 1, "$lt": 5, "$ne": 3}, 3, False),
        ({"$in": [1, "a", None]}, 1.0, True),
        ({"$in": [1, "a", None]}, None, True),
        ({"$in": [1, "a", None]}, True, False),
        ({"$in": [{"b": 1}]}, {"b": 1.0}, True),
        ({"$in": []}, 1, False),
        ({"$in": [None]}, ABSENT, False),
        ({"$nin": [1, "a"]}, "b", True),
        ({"$nin": [1, "a"]}, "a", False),
        ({"$nin": []}, 1, True),
        ({"$nin": [1]}, ABSENT, False),
        ({"$contains": "an"}, "banana", True),
        ({"$contains": "x"}, "banana", False),
        ({"$contains": ""}, "banana", True),
        ({"$contains": 1}, "1", False),
        ({"$contains": 1}, [0, 1.0], True),
        ({"$contains": 1}, [True], False),
        ({"$contains": {"a": 1}}, [{"a": 1}], True),
        ({"$contains": {"a": 1}}, [{"a": 1, "b": 2}], False),
        ({"$contains": "a"}, {"a": 1}, False),
        ({"$contains": "a"}, None, False),
        ({"$contains": "a"}, ABSENT, False),
        ({"$regex": "an+"}, "banana", True),
        ({"$regex": "^an"}, "banana", False),
        ({"$regex": "(?i)^BAN"}, "banana", True),
        ({"$regex": "^\\p{L}+$"}, "Grüße", True),
        ({"$regex": ""}, "", True),
        ({"$regex": "1"}, 1, False),
        ({"$regex": "1"}, ["1"], False),
        ({"$regex": ".*"}, ABSENT, False),
        ({"$regex": "^(a+)+$"}, "a" * 40 + "b", False),
        ({"$exists": True}, None, True),
        ({"$exists": True}, ABSENT, False),
        ({"$exists": False}, ABSENT, True),
        ({"$exists": False}, None, False),
        ({"$exists": False, "$ne": 1}, ABSENT, False),
    ],
)
def test_operators(operator: dict[str, Any], value: Any, matches: bool) -> None:
    assert is_match({"a": operator}, {} if value is ABSENT else {"a": value}) == matches
    nested = {"b": {}} if value is ABSENT else {"b": {"a": value}}
    assert is_match({"b": {"a": operator}}, nested) == matches


@pytest.mark.parametrize(
    ("args", "path", "message"),
    [
        ([], (), "args is an object"),
        (None, (), "args is an object"),
        ({"$gt": 1}, (), "an operator stands below the argument"),
        ({"a": {"$gtt": 1}}, ("a", "$gtt"), "did you mean '$gt"),
        ({"a": {"$xyz": 1}}, ("a", "$xyz"), "unknown operator '$xyz'"),
        ({"a": {"b": {"$where": 1}}}, ("a", "b", "$where"), "unknown operator"),
        ({"a": {"$gt": 1, "b": 2}}, ("a",), "either operators or members"),
        ({"a": {"$gt": True}}, ("a", "$gt"), "a number or a string"),
        ({"a": {"$gte": None}}, ("a", "$gte"), "a number or a string"),
        ({"a": {"$lt": [1]}}, ("a", "$lt"), "a number or a string"),
        ({"a": {"$lte": {}}}, ("a", "$lte"), "a number or a string"),
        ({"a": {"$in": "abc"}}, ("a", "$in"), "a list"),
        ({"a": {"$nin": {}}}, ("a", "$nin"), "a list"),
        ({"a": {"$exists": 1}}, ("a", "$exists"), "true or false"),
        ({"a": {"$regex": 1}}, ("a", "$regex"), "as a string"),
        ({"a": {"$regex": "x" * 1001}}, ("a", "$regex"), "at most 1000"),
        ({"a": {"$regex": "("}}, ("a", "$regex"), "RE2 takes: missing )"),
        ({"a": {"$regex": "(?=x)"}}, ("a", "$regex"), "RE2 takes"),
        ({"a": {"$regex": "(a)\\1"}}, ("a", "$regex"), "RE2 takes"),
        ({"a": {"$regex": "((a{100}){100}){100}"}}, ("a", "$regex"), "RE2 takes"),
        ({"a": {"$regex": "\ud800"}}, ("a", "$regex"), "RE2 takes"),
        ({"a": {"$eq": float("inf")}}, ("a", "$eq"), "not a JSON value"),
        ({"a": {"$in": [1, float("nan")]}}, ("a", "$in", 1), "not a JSON value"),
    ],
)
def test_says_what_is_wrong_and_where(args: Any, path: tuple[Any, ...], message: str) -> None:
    (error,) = read_rules([{"args": args, "response": 1}]).errors
    assert error.loc == ("failure_rules", 0, "args", *path)
    assert message in error.msg


def test_a_pattern_of_a_thousand_characters_is_read() -> None:
    assert is_match({"a": {"$regex": "x" * 1000}}, {"a": "x" * 1000})
