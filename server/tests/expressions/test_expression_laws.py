"""What holds for every expression: only its own error, the same again, nothing changed, CEL's own answers."""

import json
import math
from typing import Any

import cel
from hypothesis import assume, given
from hypothesis import strategies as st

from odyssey.expressions import EvaluationError, Facts, read_expression, read_text
from odyssey.expressions.facts import EarlierCall
from odyssey.expressions.functions import ALL_FUNCTIONS
from odyssey.expressions.tokens import tokenize
from odyssey.records.faults import Faults
from odyssey.worlds.ledger import Ledger, json_equal

WORDS = st.sampled_from(
    ["", "a", "b", "id", "o1", "u1", "order", "{", "1.5", "é", "2026-01-02T03:04:05Z", "a.b"]
)
LEAVES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**63), 2**63 - 1),
    st.integers(-3, 12),
    st.floats(-(2.0**63), 2.0**63),
    st.sampled_from([0.5, 2.0, -0.0]),
    WORDS,
)
JSON = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(WORDS, inner, max_size=4),
    max_leaves=6,
)
FIELDS = st.dictionaries(WORDS, JSON, max_size=4)
VARIABLES = ("a", "b", "c")
PIECES = [
    *tokenize("state.order[args.a].exists(x, has(x.y)) && 'a' in flags ? -1 : {'b': [1, 2.5]} + calls"),
    *(
        "a",
        "b",
        "c",
        "x",
        "==",
        "<",
        "*",
        "/",
        "%",
        "!",
        "null",
        ".map(x,",
        ".filter(x,",
        "actor",
        "timestamp(",
    ),
    *(f"{name}(" for name in ALL_FUNCTIONS),
]
FACTS = st.tuples(FIELDS, FIELDS, st.fixed_dictionaries(dict.fromkeys(VARIABLES, JSON)))
EXPRESSIONS = st.one_of(
    st.lists(st.sampled_from(PIECES), min_size=1, max_size=9).map(" ".join),
    st.builds(
        lambda name, count: f"{name}({', '.join(VARIABLES[:count])})",
        st.sampled_from(sorted(ALL_FUNCTIONS)),
        st.integers(1, 3),
    ),
    st.builds(
        lambda function, operator: f"{function}(a) {operator} b == c",
        st.sampled_from(sorted(ALL_FUNCTIONS)),
        st.sampled_from(["+", "-", "*", "/", "%", "in", "<", "=="]),
    ),
)


def make_facts(args: dict[str, Any], fields: dict[str, Any], defined: dict[str, Any]) -> Facts:
    ledger = Ledger.boot({"order": {"o1": fields, "a": {}}, "a": {"id": {"a": 1}}}, {"vip"})
    facts = Facts(args=args, ledger=ledger, calls=(EarlierCall("t", args, "odyssey"),), sequence=2)
    for name, value in defined.items():
        facts.define(name, value)
    return facts


def outcome(text: str, facts: Facts) -> tuple[str, Any] | None:
    expression = read_expression(text, Faults(), names=VARIABLES)
    if expression is None:
        return None
    try:
        return "value", expression.evaluate(facts)
    except EvaluationError as error:
        return "error", str(error)


def turned(value: Any) -> Any:
    """An equal value whose maps were written in the opposite order."""
    if isinstance(value, dict):
        return {key: turned(value[key]) for key in reversed(value)}
    return [turned(item) for item in value] if isinstance(value, list) else value


class TestEveryExpression:
    @given(EXPRESSIONS, FACTS)
    def test_has_a_value_or_an_evaluation_error_and_changes_nothing(
        self, text: str, given_facts: Any
    ) -> None:
        before = repr(given_facts)
        facts = make_facts(*given_facts)
        ledger_hash = facts.call.ledger.hash()
        found = outcome(text, facts)
        assert repr(given_facts) == before
        assert Ledger.boot(facts.call.ledger.to_state(), {"vip"}).hash() == ledger_hash
        if found is not None and found[0] == "value":
            assert json_equal(found[1], json.loads(json.dumps(found[1], allow_nan=False)))

    @given(EXPRESSIONS, FACTS)
    def test_gives_the_same_on_equal_facts_in_whatever_order_maps_are_written(
        self, text: str, given_facts: Any
    ) -> None:
        args, fields, defined = given_facts
        found = outcome(text, make_facts(args, fields, defined))
        again = outcome(text, make_facts(turned(args), turned(fields), turned(defined)))
        if found is None or found[0] == "error":
            assert again is None or again[0] == "error"
        else:
            assert again is not None
            assert json_equal(found[1], again[1])

    @given(st.text())
    def test_reading_says_a_fault_or_gives_an_expression(self, text: str) -> None:
        faults = Faults()
        assert (read_expression(text, faults) is None) == bool(faults.found)

    @given(st.text(alphabet=st.characters(exclude_categories=["Cs"]) | st.sampled_from("{}{}{}'\"")))
    def test_braces_written_twice_come_back_once(self, plain: str) -> None:
        text = read_text(plain.replace("{", "{{").replace("}", "}}"), Faults())
        assert text is not None
        assert text.render(make_facts({}, {}, {})) == plain

    @given(st.lists(st.text(alphabet="ab{}'\" ") | st.integers()))
    def test_texts_put_each_value_in_its_place(self, parts: list[str | int]) -> None:
        raw = "".join(
            part.replace("{", "{{").replace("}", "}}") if isinstance(part, str) else f"{{args.n{number}}}"
            for number, part in enumerate(parts)
        )
        args = {f"n{number}": part for number, part in enumerate(parts) if isinstance(part, int)}
        assume(all(abs(number) < 2**63 for number in args.values()))
        text = read_text(raw, Faults())
        assert text is not None
        assert text.render(make_facts(args, {}, {})) == "".join(str(part) for part in parts)


NUMBERS = st.integers(-50, 50) | st.integers(-50, 50).map(lambda number: number / 4)


@st.composite
def sums(draw: st.DrawFn, depth: int = 4) -> tuple[str, int | float]:
    """An expression in numbers, written down, and what Python makes of it."""
    if depth == 0 or draw(st.booleans()):
        number = draw(NUMBERS)
        return f"({number})", number
    left, left_value = draw(sums(depth=depth - 1))
    right, right_value = draw(sums(depth=depth - 1))
    match draw(st.sampled_from("+-*/")):
        case "+":
            return f"({left} + {right})", left_value + right_value
        case "-":
            return f"({left} - {right})", left_value - right_value
        case "*":
            return f"({left} * {right})", left_value * right_value
    assume(right_value != 0)
    return f"(double({left}) / {right})", left_value / right_value


class TestNumbers:
    @given(sums())
    def test_integers_and_doubles_calculate_as_in_python(self, written: tuple[str, int | float]) -> None:
        text, expected = written
        assume(len(text) <= 2000 and math.isfinite(expected) and abs(expected) < 2**63)
        kind, found = outcome(text, make_facts({}, {}, {})) or ("", None)
        assert (kind, repr(found)) == ("value", repr(expected))

    @given(st.lists(NUMBERS), st.integers(-3, 6))
    def test_functions_calculate_as_in_python(self, numbers: list[int | float], digits: int) -> None:
        facts = make_facts({"numbers": numbers, "digits": digits}, {}, {})
        assert outcome("sum(args.numbers)", facts) == ("value", sum(numbers))
        assert outcome("sorted(args.numbers)", facts) == ("value", sorted(numbers))
        rounded = [round(number, digits) for number in numbers]
        assert outcome("args.numbers.map(n, round(n, args.digits))", facts) == ("value", rounded)
        if numbers:
            extremes = [min(numbers), max(numbers)]
            assert outcome("[min(args.numbers), max(args.numbers)]", facts) == ("value", extremes)


INTEGERS = st.sampled_from(["1", "2", "-3", "i", "size(l)", "size(s)", "l[0]", "m.k", "7"])
TEXTS = st.sampled_from(["'a'", "'b'", "s", "m.t", "'ab' + s", "string(i)"])
LISTS = st.sampled_from(["l", "[1, 2]", "l + [4]", "[]", "l.filter(x, x > i)", "l.map(x, x * i)"])
ATOMS = st.sampled_from(["true", "false", "y", "has(m.k)", "has(m.z)", "'k' in m", "type(i) == int"])
WRONG = st.sampled_from(["l[9]", "m.z", "s + 1", "1 / 0", "i.k", "-s", "1 in s", "s[0]", "!i"])


def grow(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    order = st.sampled_from(["==", "!=", "<", "<=", ">", ">="])
    return st.one_of(
        st.builds(lambda a, o, b: f"({a} {o} {b})", INTEGERS, order, INTEGERS),
        st.builds(lambda a, o, b: f"({a} {o} {b})", TEXTS, order, TEXTS),
        st.builds(lambda a, o, b: f"({a} {o} {b})", inner, st.sampled_from(["&&", "||", "=="]), inner),
        st.builds(lambda a, o, b: f"{a} {o} {b}", inner, st.sampled_from(["&&", "||"]), inner),
        st.builds(lambda a: f"!({a})", inner),
        st.builds(lambda a, b, c: f"({a} ? {b} : {c})", inner, inner, inner),
        st.builds(lambda a, b: f"{a} in {b}", INTEGERS, LISTS),
        st.builds(
            lambda a, macro, b: f"{a}.{macro}(e, e > 1 && {b})",
            LISTS,
            st.sampled_from(["all", "exists", "exists_one"]),
            inner,
        ),
        st.builds(
            lambda a, o, b, p, c: f"{a} {o} {b} {p} {c} > 0",
            *[INTEGERS, st.sampled_from("+-*/%"), INTEGERS, st.sampled_from("+-*/%"), INTEGERS],
        ),
        st.builds(
            lambda a, b: f"{a}.{b}",
            TEXTS.filter(lambda text: "+" not in text),
            st.sampled_from(
                ["startsWith('a')", "contains('b')", "endsWith(s)", "matches('^a+')", "size() == 1"]
            ),
        ),
        st.builds(lambda a, b: f"{a} == {b}", LISTS, LISTS),
    )


CONDITIONS = st.recursive(ATOMS | WRONG, grow, max_leaves=6)
GIVEN = {"i": 2, "s": "ab", "l": [1, 2, 3], "m": {"k": 1, "t": "a"}, "y": True}


class TestCel:
    @given(CONDITIONS)
    def test_an_expression_has_the_value_that_the_cel_library_finds(self, text: str) -> None:
        """Errors as well: nothing here mixes kinds of numbers, the one thing in which they are to differ."""
        expression = read_expression(text, Faults(), names=GIVEN)
        assume(expression is not None)
        assert expression is not None
        facts = make_facts({}, {}, GIVEN)
        try:
            expected: Any = cel.evaluate(text, GIVEN)
        except (ArithmeticError, LookupError, RuntimeError, TypeError, ValueError):
            expected = EvaluationError
        try:
            found: Any = expression.evaluate(facts)
        except EvaluationError:
            found = EvaluationError
        assert found == expected
        assert type(found) is type(expected)
