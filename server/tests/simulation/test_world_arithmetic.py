from contextlib import suppress
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.asking import ask, refusal

from odyssey.expressions.arithmetic import SumError, evaluate
from odyssey.worlds.ledger import Ledger

WORLD = Ledger.boot({})


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("2 + 2", "4"),
        ("0.1 + 0.2", "0.3"),
        ("2 + 3 * 4 - 6 / 3", "12"),
        ("(2 + 3) * -4", "-20"),
        ("-2 ** 2", "-4"),
        ("2 ** -1", "0.5"),
        ("2 ^ 3 ** 2", "512"),
        ("7 % 3", "1"),
        ("-7 % 3", "2"),
        ("7 // 2", "3"),
        ("6 × 2 ÷ 4 − 1", "2"),
        ("1e3 + .5", "1000.5"),
        ("--3", "3"),
    ],
)
def test_values(expression: str, value: str) -> None:
    assert evaluate(expression) == Decimal(value)


@pytest.mark.parametrize(
    ("expression", "problem"),
    [
        ("", "it ends where a number was expected"),
        ("1 +", "it ends where a number was expected"),
        ("(1", "a parenthesis is not closed"),
        ("1 2", "'2' was not expected"),
        ("1 / 0", "divided by zero"),
        ("5 % 0", "divided by zero"),
        ("__import__('os')", "'_' is no number and no operator"),
        ("9 ** 9 ** 9", "a power above 1000 is too much"),
        ("* 2", "'*' stands where a number was expected"),
        ("(" * 200 + "1" + ")" * 200, "it is nested too deeply"),
        ("2**" * 200 + "1", "it is nested too deeply"),
        ("1+" * 600 + "1", "it is longer than 1000 characters"),
        ("(-1) ** 0.5", "the result is out of bounds"),
    ],
)
def test_what_is_no_sum_is_refused(expression: str, problem: str) -> None:
    with pytest.raises(SumError) as caught:
        evaluate(expression)
    assert str(caught.value) == problem


SUMS = st.recursive(
    st.integers(0, 99).map(str),
    lambda inner: st.tuples(inner, st.sampled_from("+-*/"), inner).map(lambda three: f"({' '.join(three)})"),
    max_leaves=12,
)


@given(SUMS)
def test_it_is_what_fractions_say(expression: str) -> None:
    exact = "".join(f"Fraction({part})" if part.isdigit() else part for part in _split(expression))
    try:
        expected = eval(exact, {"Fraction": Fraction})  # made of digits, signs and parentheses above
    except ZeroDivisionError:
        with pytest.raises(SumError):
            evaluate(expression)
        return
    assert abs(Fraction(evaluate(expression)) - expected) <= abs(expected) * Fraction(1, 10**20) + Fraction(
        1, 10**12
    )


def _split(expression: str) -> list[str]:
    return expression.replace("(", "( ").replace(")", " )").split()


@given(st.text(max_size=40))
def test_any_text_has_a_value_or_a_reason(text: str) -> None:
    with suppress(SumError):
        evaluate(text)


@pytest.mark.parametrize(
    ("output", "response"),
    [
        (None, "14.33"),
        ({"type": "string"}, "14.33"),
        ({"type": "number"}, 14.33),
        (
            {"type": "object", "properties": {"result": {"type": "number"}}, "required": ["result"]},
            {"result": 14.33},
        ),
    ],
)
def test_a_tool_for_sums_answers_in_its_shape(output: Any, response: Any) -> None:
    answer = ask(WORLD, "calculate", {"expression": "43 / 3"}, output=output)
    assert answer.response == response
    assert answer.certainty > 0.5
    assert answer.operations == ()


def test_a_whole_number_shows_a_place_as_text() -> None:
    assert ask(WORLD, "calculate", {"expression": "1 + 1"}).response == "2.0"


def test_what_cannot_be_calculated_is_refused() -> None:
    assert refusal(ask(WORLD, "evaluate", {"formula": "two"})) == (
        "bad_value",
        "'two' cannot be calculated: 't' is no number and no operator.",
    )
