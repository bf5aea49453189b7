from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from odyssey.simulation.rules import MAX_RULES, Rule, match, read_rules


def rules(*raw: dict[str, Any]) -> tuple[Rule, ...]:
    read = read_rules(list(raw))
    assert (read.errors, read.not_available_yet) == ([], [])
    return read.rules


class TestMatching:
    def test_the_first_match_wins(self) -> None:
        read = rules(
            {"tool": "get_user", "response": 0}, {"response": 1}, {"tool": "get_order", "response": 2}
        )
        found = match(read, "get_order", {})
        assert found is not None
        assert (found.index, found.response) == (1, 1)

    @pytest.mark.parametrize(
        ("tool", "matching", "other"),
        [
            ("get_order", "get_order", "get_orders"),
            ("get_*", "get_order", "forget_order"),
            ("get_?", "get_x", "get_xy"),
            ("[gs]et_x", "set_x", "let_x"),
            (["get_*", "list_orders"], "list_orders", "list_users"),
            ("Get_*", "Get_x", "get_x"),
        ],
    )
    def test_a_tool_is_a_name_a_glob_or_a_list(self, tool: Any, matching: str, other: str) -> None:
        read = rules({"tool": tool, "response": None})
        assert match(read, matching, {}) is not None
        assert match(read, other, {}) is None

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
            ({"a": {}}, {"a": {"c": 2}}, True),
            ({"a": {}}, {"a": []}, False),
            ({"a": [1]}, {"a": [1, 2]}, False),
            ({"a": [{"b": 1}]}, {"a": [{"b": 1, "c": 2}]}, False),
            ({"a": [{"b": 1}]}, {"a": [{"b": 1.0}]}, True),
        ],
    )
    def test_args_match_as_a_subset(self, args: Any, arguments: Any, matches: bool) -> None:
        assert (match(rules({"args": args, "response": "no"}), "any_tool", arguments) is not None) == matches

    def test_an_error_is_wrapped(self) -> None:
        found = match(rules({"error": {"code": "gone", "message": "It is gone."}}), "x", {})
        assert found is not None
        assert found.response == {"error": {"code": "gone", "message": "It is gone."}}

    def test_null_is_a_response(self) -> None:
        found = match(rules({"response": None}), "x", {})
        assert found is not None
        assert found.response is None

    def test_what_is_handed_out_is_a_copy(self) -> None:
        raw: dict[str, Any] = {"args": {"a": {"b": 1}}, "response": {"items": [1]}}
        read = rules(raw)
        raw["response"]["items"].append(2)
        raw["args"]["a"]["b"] = 2
        first = match(read, "x", {"a": {"b": 1}})
        assert first is not None
        first.response["items"].clear()
        second = match(read, "x", {"a": {"b": 1}})
        assert second is not None
        assert second.response == {"items": [1]}

    @given(glob=st.text(min_size=1, max_size=20))
    def test_any_text_is_a_glob_that_compiles(self, glob: str) -> None:
        match(rules({"tool": glob, "response": 1}), "get_order", {})


class TestReading:
    @pytest.mark.parametrize(
        ("rule", "loc", "message"),
        [
            ("x", ("failure_rules", 1), "a rule is an object"),
            ({}, ("failure_rules", 1, "response"), "one outcome: response or error"),
            (
                {"response": 1, "error": {"code": "a", "message": "b"}},
                ("failure_rules", 1, "error"),
                "'response' is given already",
            ),
            ({"response": 1, "arg": {}}, ("failure_rules", 1, "arg"), "did you mean 'args'?"),
            ({"response": 1, "xyzzy": {}}, ("failure_rules", 1, "xyzzy"), "unknown member 'xyzzy'"),
            ({"response": 1, "tool": ""}, ("failure_rules", 1, "tool"), "write a tool name"),
            ({"response": 1, "tool": []}, ("failure_rules", 1, "tool"), "write a tool name"),
            ({"response": 1, "tool": ["a", 1]}, ("failure_rules", 1, "tool"), "write a tool name"),
            ({"response": 1, "tool": None}, ("failure_rules", 1, "tool"), "write a tool name"),
            ({"response": 1, "args": []}, ("failure_rules", 1, "args"), "args is an object"),
            ({"response": 1, "args": {"a": {"$gtt": 1}}}, ("failure_rules", 1, "args"), "did you mean '$gt"),
            ({"error": "boom"}, ("failure_rules", 1, "error"), 'error is an object {"code", "message"}'),
            ({"error": {"code": "a"}}, ("failure_rules", 1, "error"), "message is a string"),
            ({"error": {"code": 1, "message": "b"}}, ("failure_rules", 1, "error"), "code is a string"),
            (
                {"error": {"code": "a", "message": "b", "mesage": "c"}},
                ("failure_rules", 1, "error"),
                "did you mean 'message'?",
            ),
        ],
    )
    def test_says_which_rule_and_field(self, rule: Any, loc: tuple[Any, ...], message: str) -> None:
        read = read_rules([{"response": 1}, rule])
        (error,) = read.errors
        assert error.loc == loc
        assert message in error.msg
        assert read.rules == ()

    def test_reports_every_fault_at_once(self) -> None:
        read = read_rules([{"tool": 1, "args": 2, "colour": 3}, 4])
        assert [error.loc for error in read.errors] == [
            ("failure_rules", 0, "colour"),
            ("failure_rules", 0, "tool"),
            ("failure_rules", 0, "args"),
            ("failure_rules", 0, "response"),
            ("failure_rules", 1),
        ]

    def test_names_what_is_not_available_yet(self) -> None:
        read = read_rules(
            [
                {"response": 1},
                {"response": 1, "when": "true", "probability": 0.5, "call": 1, "times": 2},
                {"fault": "timeout", "latency_ms": 10, "ledger": []},
                {"response": 1, "args": {"total": {"$gt": 3}, "address": {"zip": {"$regex": "^1"}}}},
            ]
        )
        assert read.errors == []
        assert read.rules == ()
        assert read.not_available_yet == [
            "failure_rules[1].when",
            "failure_rules[1].probability",
            "failure_rules[1].call",
            "failure_rules[1].times",
            "failure_rules[2].fault",
            "failure_rules[2].latency_ms",
            "failure_rules[2].ledger",
            "failure_rules[3].args.total.$gt",
            "failure_rules[3].args.address.zip.$regex",
        ]

    @pytest.mark.parametrize("raw", [None, {}, "[]", 1])
    def test_only_a_list_holds_rules(self, raw: Any) -> None:
        (error,) = read_rules(raw).errors
        assert error.loc == ("failure_rules",)

    def test_takes_at_most_two_hundred(self) -> None:
        assert len(read_rules([{"response": 1}] * MAX_RULES).rules) == MAX_RULES
        (error,) = read_rules([{"response": 1}] * (MAX_RULES + 1)).errors
        assert "at most 200" in error.msg

    def test_no_rules_are_fine(self) -> None:
        assert read_rules([]) == ((), [], [])
