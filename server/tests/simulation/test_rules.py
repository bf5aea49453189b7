"""Reading rules and deciding calls by them: every field but `args` and `when`, which have files of their own."""

from collections.abc import Iterator, Sequence
from typing import Any, overload

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from odyssey.expressions.facts import EarlierCall
from odyssey.records.ledger import Add, SetFlag
from odyssey.records.tools import Tool
from odyssey.simulation.engine import ToolCall
from odyssey.simulation.rules import (
    MAX_RULES,
    AnsweredCall,
    FiredRule,
    RuleCounters,
    Rules,
    advance,
    decide,
    draw,
    read_rules,
    replay,
)
from odyssey.worlds.ledger import Ledger

EMPTY = Ledger.boot({})


def read(*raw: dict[str, Any]) -> Rules:
    found = read_rules(list(raw))
    assert found.errors == []
    return found.rules


def call(tool: str = "get_order", args: dict[str, Any] | None = None, random_seed: int = 7) -> ToolCall:
    return ToolCall(Tool(tool, {}), args or {}, None, random_seed, sequence=1)


def fired(rules: Rules, *calls: ToolCall) -> list[int | None]:
    """The index that fired at each call of a run."""
    counters = RuleCounters.start(rules)
    found = []
    for each in calls:
        decision = decide(rules, counters, each, EMPTY)
        counters = decision.counters
        found.append(decision.fired.index if decision.fired else None)
    return found


def first(*raw: dict[str, Any]) -> FiredRule | None:
    rules = read(*raw)
    return decide(rules, RuleCounters.start(rules), call(), EMPTY).fired


class TestTool:
    def test_the_first_match_wins(self) -> None:
        rules = read(
            {"tool": "get_user", "response": 0}, {"response": 1}, {"tool": "get_order", "response": 2}
        )
        assert fired(rules, call("get_order"), call("get_user")) == [1, 0]

    @pytest.mark.parametrize(
        ("tool", "matching", "other"),
        [
            ("get_order", "get_order", "get_orders"),
            ("get_*", "get_order", "forget_order"),
            ("get_?", "get_x", "get_xy"),
            ("[gs]et_x", "set_x", "let_x"),
            (["get_*", "list_orders"], "list_orders", "list_users"),
            (["get_*", "list_orders"], "get_users", "list_users"),
            ("Get_*", "Get_x", "get_x"),
        ],
    )
    def test_is_a_name_a_glob_or_a_list(self, tool: Any, matching: str, other: str) -> None:
        assert fired(read({"tool": tool, "response": None}), call(matching), call(other)) == [0, None]

    def test_without_one_a_rule_is_about_every_tool(self) -> None:
        assert fired(read({"response": 1}), call("a"), call("b")) == [0, 0]

    @given(glob=st.text(min_size=1, max_size=20))
    def test_any_text_is_a_glob_that_compiles(self, glob: str) -> None:
        fired(read({"tool": glob, "response": 1}), call())

    def test_more_tools_than_are_remembered_are_still_told_apart(self) -> None:
        rules = read({"tool": "tool_5", "response": 1})
        for number in [*range(1100), 5]:
            assert rules.about(f"tool_{number}") == ((0,) if number == 5 else ())


class TestCall:
    @pytest.mark.parametrize(
        ("choice", "chosen"),
        [
            (1, [1]),
            (3, [3]),
            ({"from": 2, "to": 4}, [2, 3, 4]),
            ({"from": 5}, [5, 6]),
            ({"to": 2}, [1, 2]),
            ({"from": 2, "to": 2}, [2]),
            ({"every": 1}, [1, 2, 3, 4, 5, 6]),
            ({"every": 3}, [3, 6]),
        ],
    )
    def test_chooses_among_the_calls_that_pass(self, choice: Any, chosen: list[int]) -> None:
        found = fired(read({"call": choice, "response": 1}), *[call()] * 6)
        assert [number for number, index in enumerate(found, 1) if index == 0] == chosen

    def test_counts_only_calls_that_pass_tool_and_args(self) -> None:
        rules = read({"tool": "a", "args": {"x": 1}, "call": 2, "response": 1})
        calls = [call("a", {"x": 1}), call("b", {"x": 1}), call("a", {"x": 2}), call("a", {"x": 1})]
        assert fired(rules, *calls) == [None, None, None, 0]

    def test_counts_behind_the_rule_that_fired(self) -> None:
        rules = read({"call": 1, "response": 0}, {"call": 2, "response": 1})
        assert fired(rules, call(), call(), call()) == [0, 1, None]

    def test_counts_calls_that_times_when_or_probability_held_back(self) -> None:
        rules = read(
            {"times": 1, "call": {"every": 2}, "response": 0},
            {"when": "false", "response": 1},
            {"probability": 0, "response": 2},
        )
        counters = RuleCounters.start(rules)
        for _ in range(4):
            counters = decide(rules, counters, call(), EMPTY).counters
        assert counters == RuleCounters(seen=(4, 4, 4), fired=(1, 0, 0))


class TestTimes:
    def test_counts_firings_only(self) -> None:
        rules = read({"call": {"from": 2}, "times": 2, "response": 0})
        assert fired(rules, *[call()] * 5) == [None, 0, 0, None, None]

    def test_lets_the_next_rule_have_its_turn(self) -> None:
        assert fired(read({"times": 1, "response": 0}, {"response": 1}), call(), call()) == [0, 1]


class TestProbability:
    def test_draws_are_the_documented_hash(self) -> None:
        assert draw(7, 0, 1) == 0.6172565676159795
        assert draw(-1, 3, 2) == 0.04295002487500399

    def test_fires_when_the_draw_is_below(self) -> None:
        rules = read({"response": 0, "probability": 0}, {"response": 1, "probability": 0.4})
        expected = [1 if draw(7, 1, number) < 0.4 else None for number in range(1, 51)]
        assert fired(rules, *[call()] * 50) == expected
        assert 10 < expected.count(1) < 30

    def test_the_same_seed_gives_the_same_draws(self) -> None:
        rules = read({"response": 0, "probability": 0.5})
        runs = [tuple(fired(rules, *[call(random_seed=seed)] * 30)) for seed in (1, 2, 1)]
        assert runs[0] == runs[2]
        assert runs[0] != runs[1]

    @pytest.mark.parametrize(("probability", "expected"), [(0, None), (0.0, None), (1, 0), (1.0, 0)])
    def test_never_and_always(self, probability: float, expected: int | None) -> None:
        rules = read({"response": 0, "probability": probability})
        assert fired(rules, *[call()] * 20) == [expected] * 20

    @given(seed=st.integers(-(2**63), 2**63 - 1), index=st.integers(0, 199), number=st.integers(1, 10**6))
    def test_a_draw_is_at_least_0_and_below_1(self, seed: int, index: int, number: int) -> None:
        assert 0 <= draw(seed, index, number) < 1


class TestOutcome:
    def test_a_response_is_given_as_it_is(self) -> None:
        assert first({"response": None}) == FiredRule(0, 0, (), None, None)
        assert first({"response": {"a": [1]}}) == FiredRule(0, 0, (), {"a": [1]}, None)

    def test_an_error_is_wrapped(self) -> None:
        found = first({"error": {"code": "gone", "message": "It is gone."}})
        assert found == FiredRule(0, 0, (), {"error": {"code": "gone", "message": "It is gone."}}, None)

    @pytest.mark.parametrize("fault", ["timeout", "reset", "empty", "garbage"])
    def test_a_fault_has_no_response(self, fault: Any) -> None:
        assert first({"fault": fault}) == FiredRule(0, 0, (), None, fault)

    def test_latency_and_operations_go_with_any_outcome(self) -> None:
        operations = [
            {"op": "add", "entity_type": "charge", "id": "c1", "fields": {"amount": 5}},
            {"op": "set_flag", "flag": "charged"},
        ]
        found = first({"fault": "timeout", "latency_ms": 120000, "ledger": operations})
        expected = (Add("charge", "c1", {"amount": 5}), SetFlag("charged"))
        assert found == FiredRule(0, 120000, expected, None, "timeout")

    def test_what_is_handed_out_is_a_copy(self) -> None:
        raw: dict[str, Any] = {"args": {"a": {"b": [1]}}, "response": {"items": [1]}}
        rules = read(raw)
        raw["response"]["items"].append(2)
        raw["args"]["a"]["b"].append(2)
        for _ in range(2):
            found = decide(rules, RuleCounters.start(rules), call(args={"a": {"b": [1]}}), EMPTY).fired
            assert found is not None
            assert found.response == {"items": [1]}
            found.response["items"].clear()


class TestCounters:
    def test_a_call_nothing_is_about_leaves_them_as_they_are(self) -> None:
        rules = read({"tool": "a", "response": 1}, {"args": {"x": 1}, "response": 2})
        counters = RuleCounters.start(rules)
        assert decide(rules, counters, call("b"), EMPTY).counters is counters
        assert advance(rules, counters, AnsweredCall("b", {}, None)) is counters

    def test_deciding_changes_nothing_it_was_given(self) -> None:
        rules = read({"times": 1, "response": 1})
        counters = RuleCounters.start(rules)
        assert decide(rules, counters, call(), EMPTY) == decide(rules, counters, call(), EMPTY)
        assert counters == RuleCounters((0,), (0,))

    def test_advance_counts_as_deciding_does(self) -> None:
        rules = read({"call": 1, "response": 0}, {"tool": "a", "response": 1}, {"response": 2})
        counters = RuleCounters.start(rules)
        counters = advance(rules, counters, AnsweredCall("a", {}, 0))
        counters = advance(rules, counters, AnsweredCall("b", {}, None))
        assert counters == RuleCounters(seen=(2, 1, 2), fired=(1, 0, 0))

    def test_replay_goes_on_from_counters_it_is_given(self) -> None:
        rules = read({"call": 2, "response": 0})
        calls = [AnsweredCall("a", {}, None), AnsweredCall("a", {}, 0), AnsweredCall("a", {}, None)]
        assert replay(rules, calls) == RuleCounters((3,), (1,))
        assert replay(rules, calls[1:], replay(rules, calls[:1])) == replay(rules, calls)

    def test_earlier_calls_are_left_alone_unless_a_rule_asks_for_them(self) -> None:
        class Untouchable(Sequence[EarlierCall]):
            @overload
            def __getitem__(self, index: int) -> EarlierCall: ...
            @overload
            def __getitem__(self, index: slice) -> Sequence[EarlierCall]: ...
            def __getitem__(self, index: int | slice) -> Any:
                raise AssertionError

            def __iter__(self) -> Iterator[EarlierCall]:
                raise AssertionError

            def __len__(self) -> int:
                raise AssertionError

        rules = read({"when": "args.calls == 1", "response": 0}, {"tool": "b", "when": "size(calls) > 0"} | R)
        unasked = msgspec.structs.replace(call(args={"calls": 2}), calls=Untouchable())
        asked = msgspec.structs.replace(call("b"), calls=Untouchable())
        decide(rules, RuleCounters.start(rules), unasked, EMPTY)
        with pytest.raises(AssertionError):
            decide(rules, RuleCounters.start(rules), asked, EMPTY)


R = {"response": 1}
TOO_MANY = [{"op": "set_flag", "flag": "x"}] * 101


class TestReading:
    @pytest.mark.parametrize(
        ("rule", "path", "message"),
        [
            ("x", (), "a rule is an object"),
            (None, (), "a rule is an object"),
            ({}, ("response",), "one outcome: response, error or fault"),
            (
                R | {"error": {"code": "a", "message": "b"}},
                ("error",),
                "'response' is given already",
            ),
            ({"fault": "reset"} | R, ("fault",), "'response' is given already"),
            (R | {"arg": {}}, ("arg",), "did you mean 'args'?"),
            (R | {"xyzzy": {}}, ("xyzzy",), "unknown member 'xyzzy'"),
            (R | {"x" * 300: {}}, ("x" * 80,), "unknown member"),
            (R | {"tool": ""}, ("tool",), "write a tool name"),
            (R | {"tool": []}, ("tool",), "write a tool name"),
            (R | {"tool": ["a", 1]}, ("tool",), "write a tool name"),
            (R | {"tool": None}, ("tool",), "write a tool name"),
            (R | {"tool": ["a"] * 257}, ("tool",), "at most 256 names"),
            (R | {"tool": "a" * 257}, ("tool",), "at most 256 characters"),
            (R | {"call": 0}, ("call",), "counted from 1"),
            (R | {"call": True}, ("call",), "counted from 1"),
            (R | {"call": 1.0}, ("call",), "counted from 1"),
            (R | {"call": "3"}, ("call",), "counted from 1"),
            (R | {"call": None}, ("call",), "counted from 1"),
            (R | {"call": {}}, ("call",), "at least one of from, to and every"),
            (R | {"call": {"from": 0}}, ("call", "from"), "at least 1"),
            (R | {"call": {"to": True}}, ("call", "to"), "at least 1"),
            (R | {"call": {"every": 1.5}}, ("call", "every"), "at least 1"),
            (R | {"call": {"every": 2, "from": 1}}, ("call", "every"), "either every, or from and to"),
            (R | {"call": {"from": 3, "to": 2}}, ("call", "to"), "to is at least 3"),
            (R | {"call": {"evry": 2, "to": 3}}, ("call", "evry"), "did you mean 'every'?"),
            (R | {"probability": -0.1}, ("probability",), "from 0 to 1"),
            (R | {"probability": 1.1}, ("probability",), "from 0 to 1"),
            (R | {"probability": True}, ("probability",), "from 0 to 1"),
            (R | {"probability": "0.5"}, ("probability",), "from 0 to 1"),
            (R | {"probability": float("nan")}, ("probability",), "from 0 to 1"),
            (R | {"times": 0}, ("times",), "at least 1"),
            (R | {"times": True}, ("times",), "at least 1"),
            (R | {"times": 2.0}, ("times",), "at least 1"),
            (R | {"latency_ms": -1}, ("latency_ms",), "from 0 to 120000"),
            (R | {"latency_ms": 120001}, ("latency_ms",), "from 0 to 120000"),
            (R | {"latency_ms": 1.5}, ("latency_ms",), "from 0 to 120000"),
            (R | {"latency_ms": False}, ("latency_ms",), "from 0 to 120000"),
            (R | {"ledger": {}}, ("ledger",), "a list of operations"),
            (R | {"ledger": TOO_MANY}, ("ledger",), "at most 100"),
            (R | {"ledger": [TOO_MANY[0], 5]}, ("ledger", 1), "an operation is an object"),
            (R | {"ledger": [{"op": "ad"}]}, ("ledger", 0), "op: 'ad' is not one of"),
            (
                R | {"ledger": [{"op": "remove", "entity_type": "a", "id": 1}]},
                ("ledger", 0),
                "id: expected str, got int",
            ),
            ({"fault": "timeuot"}, ("fault",), "did you mean 'timeout'?"),
            ({"fault": None}, ("fault",), "one of timeout, reset, empty, garbage"),
            ({"fault": ["reset"]}, ("fault",), "one of timeout, reset, empty, garbage"),
            ({"error": "boom"}, ("error",), 'error is an object {"code", "message"}'),
            ({"error": {"code": "a"}}, ("error", "message"), "message is a string"),
            ({"error": {"code": 1, "message": "b"}}, ("error", "code"), "code is a string"),
            ({"error": {"code": "", "message": "b"}}, ("error", "code"), "code is a string"),
            (
                {"error": {"code": "a", "message": "b", "mesage": "c"}},
                ("error", "mesage"),
                "did you mean 'message'?",
            ),
        ],
    )
    def test_says_which_rule_and_field(self, rule: Any, path: tuple[Any, ...], message: str) -> None:
        found = read_rules([R, rule])
        (error,) = found.errors
        assert error.loc == ("failure_rules", 1, *path)
        assert message in error.msg
        assert found.rules == ()

    def test_reports_every_fault_at_once(self) -> None:
        found = read_rules(
            [
                {"tool": 1, "args": 2, "colour": 3, "call": {"from": 0, "to": 0}, "when": 4, "times": 0},
                {"args": {"a": {"$x": 1, "$regex": "("}}, "fault": "x", "ledger": [1, 2]},
                4,
            ]
        )
        assert [error.loc[1:] for error in found.errors] == [
            (0, "colour"),
            (0, "tool"),
            (0, "args"),
            (0, "call", "from"),
            (0, "call", "to"),
            (0, "when"),
            (0, "times"),
            (0, "response"),
            (1, "args", "a", "$x"),
            (1, "args", "a", "$regex"),
            (1, "ledger", 0),
            (1, "ledger", 1),
            (1, "fault"),
            (2,),
        ]

    def test_takes_the_bounds(self) -> None:
        read(
            R | {"probability": 0, "latency_ms": 0, "ledger": [], "call": 1, "times": 1},
            R | {"probability": 1, "latency_ms": 120000, "ledger": TOO_MANY[1:], "tool": ["a" * 256] * 256},
        )

    @pytest.mark.parametrize("raw", [None, {}, "[]", 1])
    def test_only_a_list_holds_rules(self, raw: Any) -> None:
        (error,) = read_rules(raw).errors
        assert error.loc == ("failure_rules",)

    def test_takes_at_most_two_hundred(self) -> None:
        assert len(read_rules([{"response": 1}] * MAX_RULES).rules) == MAX_RULES
        (error,) = read_rules([{"response": 1}] * (MAX_RULES + 1)).errors
        assert "at most 200" in error.msg

    def test_no_rules_are_fine(self) -> None:
        assert read_rules([]) == ((), [])
        assert fired(read(), call()) == [None]
