"""Functions of numbers. They calculate as Python does."""

import math
from functools import cmp_to_key
from typing import Any

from odyssey.expressions.arithmetic import SumError, add, evaluate
from odyssey.expressions.facts import Facts
from odyssey.expressions.functions.function import (
    Function,
    a_list,
    a_number,
    a_text,
    a_whole_number,
)
from odyssey.expressions.values import LARGEST_INTEGER, EvaluationError, check_number, compare

_MAX_DIGITS = 15
_LONGEST_NUMBER = 400


def _sum(facts: Facts, numbers: Any) -> Any:
    total: Any = 0
    for number in a_list(numbers):
        total = add(total, a_number(number), facts.meter)
    return total


def _min(_facts: Facts, *values: Any) -> Any:
    return min(_several(values), key=cmp_to_key(compare))


def _max(_facts: Facts, *values: Any) -> Any:
    return max(_several(values), key=cmp_to_key(compare))


def _several(values: tuple[Any, ...]) -> list[Any]:
    found = a_list(values[0]) if len(values) == 1 else list(values)
    if not found:
        raise EvaluationError("the list is empty")
    if len(found) == 1:
        compare(found[0], found[0])
    return found


def _round(_facts: Facts, value: Any, digits: Any = None) -> Any:
    number = check_number(a_number(value))
    if digits is None:
        return check_number(round(number))
    places = a_whole_number(digits)
    if abs(places) > _MAX_DIGITS:
        raise EvaluationError(f"takes at most {_MAX_DIGITS} digits")
    return check_number(round(number, places))


def _abs(_facts: Facts, value: Any) -> Any:
    return check_number(abs(a_number(value)))


def _floor(_facts: Facts, value: Any) -> int:
    return int(check_number(math.floor(check_number(a_number(value)))))


def _ceil(_facts: Facts, value: Any) -> int:
    return int(check_number(math.ceil(check_number(a_number(value)))))


def _number(_facts: Facts, value: Any) -> Any:
    if type(value) is int or type(value) is float:
        return check_number(value)
    text = a_text(value).strip()
    if len(text) > _LONGEST_NUMBER or "_" in text or not text.isascii():
        raise EvaluationError("the text is no number")
    try:
        whole = int(text) if text.lstrip("+-").isdigit() else None
        return check_number(float(text) if whole is None or abs(whole) > LARGEST_INTEGER else whole)
    except ValueError:
        raise EvaluationError(f"{text[:40]!r} is no number") from None


def _calculate(facts: Facts, text: Any) -> float | None:
    """What a sum written as text comes to, worked out in decimals; null if the text is none."""
    facts.meter.spend(len(a_text(text)))
    try:
        value = float(evaluate(text))
    except (SumError, OverflowError):
        return None
    return value if math.isfinite(value) else None


NUMBERS = (
    Function("sum", 1, 1, _sum),
    Function("min", 1, 10, _min),
    Function("max", 1, 10, _max),
    Function("round", 1, 2, _round),
    Function("abs", 1, 1, _abs),
    Function("floor", 1, 1, _floor),
    Function("ceil", 1, 1, _ceil),
    Function("number", 1, 1, _number),
    Function("calculate", 1, 1, _calculate),
)
