"""Lines of behaviour: what each means, and what is said of one that means nothing here."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from support.lines import TOOLS, TYPES

from odyssey.simulation.behaviours import EMPTY, MAX_BYTES, MAX_LINES, Line, read_behaviours

RETAIL = Path(__file__).parents[3] / "benchmarks" / "retail" / "behaviours.txt"


def lines(text: str) -> tuple[Line, ...]:
    reading = read_behaviours(text, tools=TOOLS, types=TYPES)
    assert reading.errors == []
    assert reading.text == text
    return reading.lines


def rule(text: str) -> dict[str, Any]:
    (line,) = lines(text)
    assert line.problem is None, line
    assert line.rule is not None
    return line.rule


def problem(text: str) -> tuple[str, str | None, str | None]:
    """What is wrong, where (the text from that column on) and the hint."""
    (line,) = lines(text)
    assert line.rule is None
    assert line.problem is not None
    return line.problem, None if line.column is None else line.text[line.column - 1 :], line.hint


CANCEL = ["cancel_order"]


class TestActs:
    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("only when order.status == 'x'", {"only_when": "order.status == 'x'"}),
            (
                'only when order.total > 3 else "No: {order.total}"',
                {
                    "only_when": "order.total > 3",
                    "else": {"code": "conflict", "message": "No: {order.total}"},
                },
            ),
            (
                'only when order != null else not_found "x"',
                {"only_when": "order != null", "else": {"code": "not_found", "message": "x"}},
            ),
            (
                "fails when args.n < 0 with bad_value 'too few'",
                {"fails_when": "args.n < 0", "with": {"code": "bad_value", "message": "too few"}},
            ),
            ("let n = size(order.items)", {"let": {"n": "size(order.items)"}}),
            ('sets order.status = "x"', {"sets": {"order.status": '"x"'}}),
            (
                "sets order.status = args.to, order.address.city = [1, 2][0]",
                {"sets": {"order.status": "args.to", "order.address.city": "[1, 2][0]"}},
            ),
            (
                "when order.total == 0 sets order.status = 'free'",
                {"when": "order.total == 0", "sets": {"order.status": "'free'"}},
            ),
            (
                'appends {"to": args.to} to order.history',
                {"appends": {"order.history": '{"to": args.to}'}},
            ),
            (
                "adds payment {amount: order.total, 'odd name': true ? 1 : 2}",
                {"adds": {"payment": {"amount": "order.total", "odd name": "true ? 1 : 2"}}},
            ),
            ("adds payment {}", {"adds": {"payment": {}}}),
            ("removes order", {"removes": "order"}),
            ('when true sets flag "a:{args.x}"', {"when": "true", "sets_flag": "a:{args.x}"}),
            ('clears flag "a"', {"clears_flag": "a"}),
            ("returns {'ok': order.status}", {"returns": "{'ok': order.status}"}),
            ("changes nothing else", {"changes_nothing_else": True}),
        ],
    )
    def test_each_is_read(self, text: str, expected: dict[str, Any]) -> None:
        assert rule(f"cancel_order {text}") == {"tools": CANCEL, **expected}

    def test_a_line_is_about_one_tool_several_or_all(self) -> None:
        assert rule("cancel_order,refund_order , get_order removes order")["tools"] == [
            *("cancel_order", "refund_order", "get_order"),
        ]
        assert rule("* removes order")["tools"] == ["*"]

    @pytest.mark.parametrize(
        "expression",
        [
            "'else' == args.x",
            '"a \\" else \\" b" == args.x',
            "args.else == 1",
            "[args.with, args.sets].exists(to, to == 1)",
            "args.x == '''else'''",
        ],
    )
    def test_words_of_the_grammar_count_only_outside_of_quotes_and_brackets_and_not_as_members(
        self, expression: str
    ) -> None:
        found = rule(f'cancel_order only when {expression} else "no"')
        assert found == {
            "tools": CANCEL,
            "only_when": expression,
            "else": {"code": "conflict", "message": "no"},
        }

    def test_a_text_has_the_escapes_of_json(self) -> None:
        assert rule(r'cancel_order sets flag "a\n\"b\" \u00e9"')["sets_flag"] == 'a\n"b" é'

    def test_a_type_may_be_called_like_a_word_of_the_grammar(self) -> None:
        reading = read_behaviours("cancel_order sets flag.x = 1, list.y = 2", types=["flag", "list"])
        assert [line.rule for line in reading.lines] == [
            {"tools": CANCEL, "sets": {"flag.x": "1", "list.y": "2"}}
        ]

    def test_a_type_that_a_line_adds_is_known_to_all(self) -> None:
        first, second = lines(
            "refund_order only when note == null\ncancel_order adds note {text: 'cancelled'}"
        )
        assert first.problem is None
        assert second.problem is None

    def test_without_tools_and_types_any_name_may_be_one(self) -> None:
        (line,) = read_behaviours("frob only when thing.size > 3 && thing.parts.all(x, x.ok)").lines
        assert line.rule is not None


class TestLines:
    def test_comments_and_blank_lines_say_nothing(self) -> None:
        assert lines("# one\n\n   \n  # two\n") == ()

    def test_an_indented_line_continues_the_one_before(self) -> None:
        text = (
            'cancel_order only when\n  order.total > 3 &&\n # why\n\torder.total < 9\n  else "two\n  words"'
        )
        (line,) = lines(text)
        assert line.number == 1
        assert line.text == text
        assert line.rule == {
            "tools": CANCEL,
            "only_when": "order.total > 3 && order.total < 9",
            "else": {"code": "conflict", "message": "two words"},
        }

    def test_a_comment_after_a_line_is_no_part_of_it(self) -> None:
        (line,) = lines("cancel_order\n  removes order\n  # for good")
        assert line.text == "cancel_order\n  removes order"

    def test_a_text_that_is_indented_as_a_whole_is_read_as_if_it_were_not(self) -> None:
        found = lines("\n    cancel_order removes order\n    get_order returns\n      order\n")
        assert [(line.number, line.rule) for line in found] == [
            (2, {"tools": CANCEL, "removes": "order"}),
            (3, {"tools": ["get_order"], "returns": "order"}),
        ]

    def test_a_blank_line_ends_what_goes_before(self) -> None:
        assert [line.number for line in lines("cancel_order removes order\n\n  get_order returns 1")] == [
            1,
            3,
        ]

    def test_line_ends_of_other_systems_are_line_ends(self) -> None:
        assert [line.number for line in lines("get_order returns 1\r\nget_user returns 2\r\n")] == [1, 2]

    def test_the_lines_of_the_shop_of_the_benchmark_are_understood(self) -> None:
        reading = read_behaviours(RETAIL.read_text(), types=["order", "user", "product"])
        assert len(reading.lines) > 20
        assert [line for line in reading.lines if line.problem is not None] == []


class TestProblems:
    @pytest.mark.parametrize(
        ("text", "message", "at", "hint"),
        [
            (
                "The shop is closed.",
                "not one of the acts",
                "The shop is closed.",
                "a rule begins with a tool",
            ),
            ("Kunden, die zahlen", "not one of the acts", "Kunden, die zahlen", "a rule begins"),
            ("- cancel_order removes order", "not one of the acts", None, "without a bullet"),
            ("cancel_order must refund", "'must' is not one of the acts", "must refund", "after the tool"),
            ("cancel_order", "not one of the acts", "", "after the tool comes an act"),
            ("cancel_order set order.x = 1", "'set' is not one of the acts", "set order.x", "mean 'sets'?"),
            (
                "cancel_oder removes order",
                "no tool is called 'cancel_oder'",
                "cancel_oder",
                "mean 'cancel_order'?",
            ),
            ("get_order, xyz removes order", "no tool is called 'xyz'", "xyz removes", "left to a model"),
            ("cancel_order sets oder.x = 1", "no type 'oder'", "oder.x", "mean 'order'?"),
            ("cancel_order removes zebra", "no type 'zebra'", "zebra", "it has order, payment, team, user"),
            ("cancel_order sets args.x = 1", "no type 'args'", "args.x", "it has"),
            ("cancel_order only when oder.x", "unknown name 'oder'", "oder.x", "mean 'order'?"),
            ("cancel_order only when (\n  1 ==\n  oder)", "unknown name 'oder'", "oder)", "mean 'order'?"),
            ("cancel_order only when frob(1)", "unknown function 'frob'", "frob(1)", None),
            (
                "cancel_order only when the order is new",
                "unknown name 'the'",
                "the order",
                "write == in place",
            ),
            (
                "cancel_order only when order pending",
                "unknown name 'pending'",
                "pending",
                "write an expression",
            ),
            ("cancel_order only when order.x = 1", "not a CEL expression", "= 1", "write == to compare"),
            ("cancel_order only when order.x == 1.", "", None, "full stop"),
            (
                "cancel_order only when order.x == 1 else no",
                "comes one text",
                "no",
                "write the text in quotes",
            ),
            ("cancel_order only when order.x == 1 else", "text after 'else' is missing", "", "in quotes"),
            ("cancel_order only when order.x == 1 else ''", "the text is empty", "''", None),
            ("cancel_order only when order.x == 1 else '\\q'", "cannot be read", "'\\q'", "simple quotes"),
            (
                "cancel_order only when order.x == 1 else '{order.}'",
                "not a CEL",
                None,
                "a brace is written {{",
            ),
            ("cancel_order only when order.x == 1 with 'x'", "does not go with 'only'", "with 'x'", "else"),
            ("cancel_order only when order.x == 1 else oops 'x'", "not a code", "oops 'x'", "codes are"),
            ("cancel_order only when", "the condition is missing", "", None),
            (
                "cancel_order only if order.x",
                "after 'only' comes 'when'",
                " if order.x",
                "only when CONDITION",
            ),
            ("cancel_order let 3 = 4", "comes a name", " 3 = 4", "let NAME"),
            ("cancel_order let x 4", "comes =", " 4", "let NAME"),
            ("cancel_order let order = 4", "is a type of this world", "order = 4", None),
            ("cancel_order let when = 4", "is a word of the grammar", "when = 4", None),
            ("cancel_order changes everything", "not an act of its own", "changes", "changes nothing else"),
            ("cancel_order when order.x", "followed by no act", "when order.x", "acts are sets"),
            ("cancel_order clears order", "after 'clears' comes 'flag'", " order", "clears flag"),
            ("cancel_order sets order.x", "sets needs FIELD", "order.x", "TYPE.FIELD = EXPRESSION"),
            ("cancel_order sets order = 1", "'order' is not TYPE.FIELD", "order = 1", "TYPE.FIELD"),
            ("cancel_order sets order.x = 1, order.x = 2", "order.x is set twice", "order.x = 2", None),
            ("cancel_order sets order.x = 1, ", "sets needs FIELD", None, None),
            ("cancel_order appends 1", "appends needs 'to'", "appends 1", "appends EXPRESSION to"),
            ("cancel_order appends to order.x", "the expression is missing", " to order.x", None),
            ("cancel_order adds 3 to order.x", "adds needs a type", " 3 to", "write TOOL appends"),
            ("cancel_order adds payment", "adds needs a type", " payment", "TOOL adds TYPE {FIELD"),
            ("cancel_order adds payment {x: 1} 2", "adds needs a type", None, "TOOL adds TYPE"),
            ("cancel_order adds payment {x}", "NAME: EXPRESSION", "x}", None),
            ("cancel_order adds payment {x: 1, x: 2}", "'x' is given twice", "x: 2}", None),
            ("cancel_order removes order now", "removes needs a type", " order now", None),
            ("cancel_order returns", "the expression is missing", "", None),
            ("cancel_order returns (1", "( has no partner", "(1", "opened and closed"),
            ("cancel_order returns 1)", ") has no partner", ")", "opened and closed"),
            ("cancel_order returns [1)", ") has no partner", ")", "opened and closed"),
            ("cancel_order sets flag '''x'''", "cannot be read", "'''x", "simple quotes"),
            ("cancel_order returns 'x", "does not end", "'x", "close it with '"),
            ("cancel_order returns 1 // one", "a comment cannot stand", "// one", "begin a line of its own"),
        ],
    )
    def test_each_says_what_is_wrong_where_and_what_to_do(
        self, text: str, message: str, at: str | None, hint: str | None
    ) -> None:
        found, place, said = problem(text)
        assert message in found
        assert at is None or (place or "").startswith(at)
        assert hint is None or hint in (said or "")

    def test_a_let_is_a_name_for_later_lines_of_its_tools_only(self) -> None:
        found = lines(
            "cancel_order sets order.total = n\n"
            "cancel_order let n = 1\n"
            "cancel_order let n = 2\n"
            "cancel_order sets order.total = n\n"
            "refund_order sets order.total = n\n"
            "refund_order let n = 3\n"
            "cancel_order, refund_order sets order.total = n\n"
            "* sets order.total = n\n"
            "cancel_order sets n.total = 1\n"
        )
        assert [line.problem for line in found] == [
            "unknown name 'n'",
            None,
            "'n' is named already; choose another name",
            None,
            "'n' is not a name for every tool of this line",
            None,
            None,
            "'n' is not a name for every tool of this line",
            "'n' is a name, not a type",
        ]
        assert found[4].hint == "it is one for cancel_order"

    def test_where_any_name_may_be_a_type_no_let_comes_after_its_use(self) -> None:
        found = read_behaviours("a let x = y\na let y = x\nb let y = 1\na only when x == 1").lines
        assert [line.problem for line in found] == [None, "'y' is used before it is named", None, None]

    def test_a_line_that_is_not_understood_is_no_error_and_hurts_no_other(self) -> None:
        reading = read_behaviours("Be nice.\ncancel_order removes order", tools=TOOLS, types=TYPES)
        assert reading.errors == []
        assert reading.behaviours.about("cancel_order") is not None

    def test_such_a_line_is_unclear_for_the_tools_it_names_or_for_all(self) -> None:
        one = read_behaviours("After cancel_order, a letter is sent.", tools=TOOLS).behaviours
        assert [tool for tool in TOOLS if one.is_unclear(tool)] == CANCEL
        every = read_behaviours("Orders are sacred.", tools=TOOLS).behaviours
        assert all(every.is_unclear(tool) for tool in TOOLS)
        broken = read_behaviours(
            "cancel_order, get_order sets oder.x = 1", tools=TOOLS, types=TYPES
        ).behaviours
        assert [tool for tool in TOOLS if broken.is_unclear(tool)] == ["get_order", "cancel_order"]
        unknown = read_behaviours("cancel_order only when +").behaviours
        assert [tool for tool in TOOLS if unknown.is_unclear(tool)] == CANCEL
        assert read_behaviours("Be nice.").behaviours.is_unclear("cancel_order")
        clear = read_behaviours("cancel_order removes order", tools=TOOLS, types=TYPES).behaviours
        assert not any(clear.is_unclear(tool) for tool in TOOLS)


class TestWhole:
    def test_nothing_at_all_is_empty(self) -> None:
        nothing: list[Any] = [None, "", "\n # only a comment\n", []]
        for raw in nothing:
            reading = read_behaviours(raw)
            assert not reading.behaviours
            assert reading.errors == []
            assert reading.behaviours.about("cancel_order") is None
            assert not reading.behaviours.is_unclear("cancel_order")
        assert not EMPTY
        assert read_behaviours("Be nice.").behaviours

    def test_calls_are_asked_for_only_where_a_line_looks_at_them(self) -> None:
        assert not read_behaviours("a removes order\nb returns args.calls").behaviours.uses_calls
        for text in (
            "a only when size(calls) < 3",
            "a only when true else 'again: {size(calls)}'",
            "a let n = calls",
            "a when size(calls) == 1 removes order",
            "a sets order.x = calls",
            "a adds order {x: calls}",
            "a sets flag '{size(calls)}'",
            "a returns calls",
        ):
            assert read_behaviours(text).behaviours.uses_calls, text

    @pytest.mark.parametrize(
        ("raw", "message"),
        [
            (3, "must be a text of lines or a list of rules, not 3"),
            ({}, "must be a text of lines or a list of rules, not an object"),
            ("x" * (MAX_BYTES + 1), f"has {MAX_BYTES + 1} bytes; at most {MAX_BYTES} are read"),
            ("x\n" * (MAX_LINES + 1), f"has {MAX_LINES + 1} lines; at most {MAX_LINES} are read"),
            ("a\0b", "must not contain the NUL character"),
        ],
    )
    def test_what_is_no_text_or_too_much_is_an_error(self, raw: Any, message: str) -> None:
        reading = read_behaviours(raw)
        assert [(error.loc, error.msg) for error in reading.errors] == [(("behavior_instructions",), message)]

    def test_a_text_that_is_too_long_leaves_every_tool_unclear(self) -> None:
        assert read_behaviours("x\n" * (MAX_LINES + 1)).behaviours.is_unclear("cancel_order")

    def test_as_many_lines_as_are_allowed_are_read(self) -> None:
        assert len(lines("# c\n" + "get_order returns 1\n" * MAX_LINES)) == MAX_LINES

    @pytest.mark.parametrize("long", ["'\\'", '"""', " ", "a,", "{", "\n +"])
    def test_a_line_as_long_as_a_text_may_be_is_read(self, long: str) -> None:
        text = "cancel_order returns 1" + long * ((MAX_BYTES - 23) // len(long)) + "1"
        (line,) = lines(text)
        assert line.problem is not None

    def test_an_expression_has_an_end(self) -> None:
        message, _, hint = problem(f"cancel_order returns '{'x' * 2000}'")
        assert message == "the expression has 2002 characters; at most 2000 are read"
        assert hint == "give parts of it a name with let"

    def test_a_world_without_types_may_get_any(self) -> None:
        (line,) = read_behaviours("cancel_order removes order", types=[]).lines
        assert line.problem is None

    def test_a_text_is_compiled_once(self) -> None:
        text = "get_order returns 'once'"
        first, again = (read_behaviours(text, tools=[*TOOLS], types=TYPES) for _ in range(2))
        assert first.behaviours is again.behaviours
        assert read_behaviours(text, tools=[], types=TYPES).behaviours is not first.behaviours


WORDS = st.sampled_from(
    [
        *("cancel_order", "order", "only", "when", "else", "fails", "with", "sets", "appends", "to", "adds"),
        *(
            "removes",
            "returns",
            "let",
            "changes",
            "nothing",
            "flag",
            "clears",
            "order.x",
            "=",
            "==",
            ",",
            "*",
        ),
        *(
            "{",
            "}",
            "(",
            ")",
            "[",
            "]",
            '"text"',
            "'",
            '"',
            "\\",
            "#",
            "\n",
            "\n  ",
            "\t",
            "\r",
            "1",
            "{x: 1}",
        ),
        *("args.x", "-", ".", "//", "&&", "conflict", "\u2028", "é", "\x85", '"""', "{order.x}", "map(x, x)"),
    ]
)


@given(st.one_of(st.text(max_size=200), st.lists(WORDS, max_size=30).map(" ".join)))
@example("cancel_order only when order.x else '{{'")
@example("cancel_order sets , = ,")
@example("a\n b\n# c\n d")
def test_any_text_is_read_and_every_line_that_says_something_is_a_rule_or_a_problem(text: str) -> None:
    reading = read_behaviours(text, tools=TOOLS, types=TYPES)
    assert reading.text == text
    if reading.errors:
        assert "\0" in text
        return
    covered: set[int] = set()
    for line in reading.lines:
        assert (line.rule is None) != (line.problem is None)
        assert line.column is None or 1 <= line.column <= len(line.text) + 1
        covered.update(range(line.number, line.number + line.text.count("\n") + 1))
    for number, written in enumerate(text.replace("\r\n", "\n").split("\n"), start=1):
        if written.strip() and not written.lstrip().startswith("#"):
            assert number in covered
