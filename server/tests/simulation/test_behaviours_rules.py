"""Structured rules: the same as lines, there and back again, and every fault of those that are none."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.lines import TOOLS, TYPES

from odyssey.simulation.behaviours import read_behaviours, render_rule, rules
from odyssey.simulation.behaviours.words import RESERVED

RULES: list[dict[str, Any]] = [
    {
        "tools": ["cancel_order"],
        "only_when": "order.status == 'new'",
        "else": {"code": "conflict", "message": "x"},
    },
    {"tools": ["cancel_order", "get_order"], "fails_when": "order == null"},
    {"tools": ["cancel_order"], "let": {"n": "size(order.items)"}},
    {"tools": ["cancel_order"], "when": "n > 1", "sets": {"order.status": "'x'", "user.balance": "n"}},
    {"tools": ["cancel_order"], "appends": {"order.history": "{'n': n}"}},
    {"tools": ["cancel_order"], "adds": {"payment": {"amount": "n", "a name": "1"}}},
    {"tools": ["refund_order"], "removes": "order"},
    {"tools": ["*"], "sets_flag": 'seen "{args.order_id}"\n'},
    {"tools": ["*"], "when": "actor != null", "clears_flag": "seen"},
    {"tools": ["get_order"], "returns": "order"},
    {"tools": ["get_order"], "changes_nothing_else": True},
]


def faults(*rules: Any) -> list[tuple[tuple[str | int, ...], str]]:
    reading = read_behaviours(list(rules))
    assert reading.lines == ()
    assert not reading.behaviours
    assert {error.loc[0] for error in reading.errors} == {"behavior_instructions"}
    return [(error.loc[1:], error.msg) for error in reading.errors]


def test_rules_are_kept_as_the_lines_that_mean_them() -> None:
    reading = read_behaviours(RULES, tools=TOOLS, types=TYPES)
    assert reading.errors == []
    assert [line.rule for line in reading.lines] == RULES
    assert reading.text.splitlines() == [
        "cancel_order only when order.status == 'new' else \"x\"",
        "cancel_order, get_order fails when order == null",
        "cancel_order let n = size(order.items)",
        "cancel_order when n > 1 sets order.status = 'x', user.balance = n",
        "cancel_order appends {'n': n} to order.history",
        'cancel_order adds payment {amount: n, "a name": 1}',
        "refund_order removes order",
        r'* sets flag "seen \"{args.order_id}\"\n"',
        '* when actor != null clears flag "seen"',
        "get_order returns order",
        "get_order changes nothing else",
    ]
    again = read_behaviours(reading.text, tools=TOOLS, types=TYPES)
    assert again.behaviours is reading.behaviours


def test_a_text_alone_is_a_refusal_with_the_usual_code_and_an_expression_may_have_several_lines() -> None:
    (line,) = read_behaviours([{"tools": ["a"], "fails_when": " args.x ==\n   1 ", "with": "no"}]).lines
    assert line.rule == {
        "tools": ["a"],
        "fails_when": "args.x == 1",
        "with": {"code": "conflict", "message": "no"},
    }


def test_a_tool_or_type_that_is_not_there_is_a_problem_of_the_line_and_no_error() -> None:
    reading = read_behaviours(
        [{"tools": ["cancel_oder"], "removes": "order"}, {"tools": ["get_order"], "returns": "oder.x"}],
        tools=TOOLS,
        types=TYPES,
    )
    assert reading.errors == []
    assert [line.problem for line in reading.lines] == [
        "no tool is called 'cancel_oder'",
        "unknown name 'oder'",
    ]


@pytest.mark.parametrize(
    ("rule", "place", "message"),
    [
        (3, (0,), "a rule is an object with tools and one act, not 3"),
        ({"tools": ["a"]}, (0,), "this has none"),
        ({"tools": ["a"], "removes": "b", "returns": "1"}, (0,), "this has removes, returns"),
        ({"tools": ["a"], "remove": "b"}, (0, "remove"), "did you mean 'removes'?"),
        ({"tools": ["a"], "removes": "b", "else": "x"}, (0, "else"), "a rule with removes has no member"),
        ({"tools": ["a"], "let": {"n": "1"}, "when": "true"}, (0, "when"), "has no member 'when'"),
        ({"removes": "b"}, (0, "tools"), "tools is missing"),
        ({"tools": "a", "removes": "b"}, (0, "tools"), "must be a list of tool names"),
        ({"tools": [], "removes": "b"}, (0, "tools"), "at least one"),
        ({"tools": ["a b"], "removes": "b"}, (0, "tools", 0), "is not the name of a tool"),
        ({"tools": ["*", "a"], "removes": "b"}, (0, "tools"), "stands alone"),
        ({"tools": ["a"], "returns": 3}, (0, "returns"), "must be an expression, written as a text, not 3"),
        ({"tools": ["a"], "returns": "1 // x"}, (0, "returns"), "a comment cannot stand"),
        ({"tools": ["a"], "returns": "1" * 2001}, (0, "returns"), "has 2001 characters; at most 2000"),
        ({"tools": ["a"], "returns": "(1"}, (0, "returns"), "( at column 1 has no partner"),
        ({"tools": ["a"], "returns": "1 +"}, (0,), "not a CEL expression"),
        ({"tools": ["a"], "returns": "frob(1)"}, (0,), "unknown function 'frob'"),
        ({"tools": ["a"], "when": "1 1", "removes": "b"}, (0,), "not a CEL expression"),
        ({"tools": ["a"], "only_when": "true", "else": 3}, (0, "else"), 'a text or {"code", "message"}'),
        ({"tools": ["a"], "only_when": "true", "else": {"msg": "x"}}, (0, "else", "msg"), "has no member"),
        (
            {"tools": ["a"], "only_when": "true", "else": {"code": "notfound", "message": "x"}},
            (0, "else", "code"),
            "did you mean 'not_found'?",
        ),
        ({"tools": ["a"], "only_when": "true", "else": ""}, (0, "else", "message"), "a text of 1 to"),
        ({"tools": ["a"], "sets_flag": "x\0"}, (0, "sets_flag"), "a text of 1 to"),
        ({"tools": ["a"], "sets_flag": "{"}, (0,), "is not closed"),
        ({"tools": ["a"], "let": {"n": "1", "m": "2"}}, (0, "let"), "a rule gives one name"),
        ({"tools": ["a"], "let": {"1n": "1"}}, (0, "let"), "'1n' is not a name"),
        ({"tools": ["a"], "let": {"args": "1"}}, (0,), "is a word of the grammar"),
        ({"tools": ["a"], "let": []}, (0, "let"), "must be an object of"),
        ({"tools": ["a"], "sets": {"order": "1"}}, (0, "sets"), "'order' is not TYPE.FIELD"),
        ({"tools": ["a"], "sets": {"o.x": 1}}, (0, "sets", "o.x"), "must be an expression"),
        ({"tools": ["a"], "sets": {"args.x": "1"}}, (0,), "no type 'args'"),
        ({"tools": ["a"], "appends": {"o.x": "1", "o.y": "1"}}, (0, "appends"), "appends to one field"),
        ({"tools": ["a"], "adds": {"a": {}, "b": {}}}, (0, "adds"), "one type and its fields"),
        ({"tools": ["a"], "adds": {"a b": {}}}, (0, "adds"), "is not a type an expression can name"),
        ({"tools": ["a"], "adds": {"b": {"": "1"}}}, (0, "adds", "b"), "is not the name of a field"),
        ({"tools": ["a"], "removes": 3}, (0, "removes"), "must be the name of a type, not 3"),
        ({"tools": ["a"], "changes_nothing_else": False}, (0, "changes_nothing_else"), "only ever true"),
    ],
)
def test_every_fault_says_its_place(rule: Any, place: tuple[str | int, ...], message: str) -> None:
    found = faults(rule)
    assert place in [loc for loc, _ in found]
    assert any(message in text for loc, text in found if loc == place), found


def test_all_faults_of_all_rules_are_said_at_once() -> None:
    assert [loc for loc, _ in faults({"tools": ["a"], "removes": 1}, {"tools": ["a"], "removes": 2})] == [
        (0, "removes"),
        (1, "removes"),
    ]
    assert len(faults(*[3] * 500)) == 100
    assert [message for _, message in faults("x" * 300_000)] == [
        "is too large; rules may come to 65536 bytes of lines"
    ]
    long = {"tools": ["a"], "returns": f"'{'x' * 1900}'"}
    assert ["bytes; at most 65536 are read" in message for _, message in faults(*[long] * 40)] == [True]
    assert [message for _, message in faults(*[{}] * 501)] == ["has 501 rules; at most 500 are read"]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["tools", "when", "else", "code", "message", *rules.ACTS]) | st.text(max_size=3),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(st.lists(JSON, max_size=3))
def test_any_list_is_read_as_rules_or_has_errors(raw: list[Any]) -> None:
    reading = read_behaviours(raw)
    assert len(reading.lines) == (0 if reading.errors else len(raw))


NAMES = st.from_regex(r"[a-z_][a-z0-9_]{0,8}", fullmatch=True).filter(lambda name: name not in RESERVED)
TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\0{}"), min_size=1, max_size=20)
ATOMS = st.one_of(
    st.integers(0, 99).map(str),
    st.sampled_from(["true", "null", "args.x", "args.to", "order.status", "size(flags)", "1.5"]),
    st.sampled_from(['"else \\" with"', "'sets, to'", "''", '"""a"""', "'''to'''"]),
    st.just("args.list.map(each, {'to': [each]})"),
)


def _combine(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    signs = st.sampled_from([" + ", "==", " != ", " && ", "||", " < ", " in ", "-", " ? 1 : "])
    return st.one_of(
        st.builds("{}{}{}".format, inner, signs, inner),
        inner.map("({})".format),
        inner.map("[{}, 1]".format),
        inner.map('{{"a, b": {}}}'.format),
    )


EXPRESSIONS = st.recursive(ATOMS, _combine, max_leaves=4)
PATHS = st.lists(NAMES, min_size=2, max_size=4).map(".".join)
REFUSALS = st.fixed_dictionaries(
    {"code": st.sampled_from(["not_found", "conflict", "bad_value"]), "message": TEXTS}
)
ACTS = st.one_of(
    st.fixed_dictionaries({"only_when": EXPRESSIONS}, optional={"else": REFUSALS}),
    st.fixed_dictionaries({"fails_when": EXPRESSIONS}, optional={"with": REFUSALS}),
    st.fixed_dictionaries({"let": st.dictionaries(NAMES, EXPRESSIONS, min_size=1, max_size=1)}),
    st.just({"changes_nothing_else": True}),
    st.builds(
        dict.__or__,
        st.fixed_dictionaries({}, optional={"when": EXPRESSIONS}),
        st.one_of(
            st.fixed_dictionaries({"sets": st.dictionaries(PATHS, EXPRESSIONS, min_size=1, max_size=3)}),
            st.fixed_dictionaries({"appends": st.dictionaries(PATHS, EXPRESSIONS, min_size=1, max_size=1)}),
            st.fixed_dictionaries(
                {
                    "adds": st.dictionaries(
                        NAMES, st.dictionaries(NAMES | TEXTS, EXPRESSIONS, max_size=3), min_size=1, max_size=1
                    )
                }
            ),
            st.fixed_dictionaries({"removes": NAMES}),
            st.fixed_dictionaries({"sets_flag": TEXTS}),
            st.fixed_dictionaries({"clears_flag": TEXTS}),
            st.fixed_dictionaries({"returns": EXPRESSIONS}),
        ),
    ),
)
TOOL_NAMES = st.from_regex(r"[A-Za-z_][A-Za-z0-9_\-]{0,8}", fullmatch=True)
GENERATED = st.builds(
    lambda tools, act: {"tools": tools, **act},
    st.just(["*"]) | st.lists(TOOL_NAMES, min_size=1, max_size=3, unique=True),
    ACTS,
)


@given(GENERATED)
def test_a_rule_written_as_a_line_and_read_again_is_the_same_rule(rule: dict[str, Any]) -> None:
    text = render_rule(rule)
    from_line, from_rule = read_behaviours(text), read_behaviours([rule])
    assert "\n" not in text
    (line,) = from_line.lines
    assert line.rule == rule
    assert from_rule.text == text
    assert from_rule.lines == from_line.lines
