"""Arithmetic: CEL's, except that integers and doubles go together; an integer stays one among integers.

Doubles may become infinite on the way, as in CEL; they are refused where they leave the expression.
"""

import math
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

from odyssey.expressions.errors import EvaluationError, TooMuchError
from odyssey.expressions.meter import Meter
from odyssey.expressions.values import (
    MAX_TEXT,
    check_integer,
    described,
    is_list,
    is_number,
    kind_of,
)

MAX_ELEMENTS = 10_000


def add(left: Any, right: Any, meter: Meter) -> Any:
    if is_number(left) and is_number(right):
        return _checked(left, right, lambda: left + right)
    kind = type(left)
    if kind is type(right) and kind in (str, bytes):
        if len(left) + len(right) > MAX_TEXT:
            raise TooMuchError(f"a text would have more than {MAX_TEXT} characters")
        meter.spend_characters(len(left) + len(right))
        return left + right
    if is_list(left) and is_list(right):
        if len(left) + len(right) > MAX_ELEMENTS:
            raise TooMuchError(f"a list would have more than {MAX_ELEMENTS} elements")
        meter.spend(len(left) + len(right))
        return [*left, *right]
    if _is_time(left) and _is_time(right):
        return _checked(left, right, lambda: left + right)
    raise _no_overload("+", left, right)


def subtract(left: Any, right: Any, _meter: Meter) -> Any:
    if (is_number(left) and is_number(right)) or (_is_time(left) and _is_time(right)):
        return _checked(left, right, lambda: left - right)
    raise _no_overload("-", left, right)


def multiply(left: Any, right: Any, _meter: Meter) -> Any:
    if is_number(left) and is_number(right):
        return _checked(left, right, lambda: left * right)
    raise _no_overload("*", left, right)


def divide(left: Any, right: Any, _meter: Meter) -> Any:
    """Between integers what is left over is dropped, toward zero; else exactly."""
    if not (is_number(left) and is_number(right)):
        raise _no_overload("/", left, right)
    if type(left) is int and type(right) is int:
        if right == 0:
            raise EvaluationError("division by zero")
        return check_integer(_towards_zero(left, right))
    if right == 0:
        return (
            math.nan
            if left == 0 or math.isnan(left)
            else math.copysign(math.inf, left) * math.copysign(1, right)
        )
    return _checked(left, right, lambda: left / right)


def remainder(left: Any, right: Any, _meter: Meter) -> Any:
    """What `/` between integers drops: it has the sign of the left one."""
    if not (is_number(left) and is_number(right)):
        raise _no_overload("%", left, right)
    if right == 0:
        raise EvaluationError("modulo by zero")
    if type(left) is int and type(right) is int:
        return left - right * _towards_zero(left, right)
    return _checked(left, right, lambda: math.fmod(left, right))


def negate(value: Any) -> Any:
    if not is_number(value):
        raise EvaluationError(f"No such overload: - takes a number, not {described(value)}")
    return check_integer(-value) if type(value) is int else -value


OPERATORS: dict[str, Callable[[Any, Any, Meter], Any]] = {
    "+": add,
    "-": subtract,
    "*": multiply,
    "/": divide,
    "%": remainder,
}


def _is_time(value: Any) -> bool:
    return isinstance(value, datetime | timedelta)


def _towards_zero(left: int, right: int) -> int:
    whole = abs(left) // abs(right)
    return whole if (left < 0) == (right < 0) else -whole


def _checked(left: Any, right: Any, work: Callable[[], Any]) -> Any:
    try:
        result = work()
        return check_integer(result) if type(result) is int else result
    except (ArithmeticError, TypeError, ValueError):
        raise EvaluationError(
            f"overflow, or no such overload: {kind_of(left)} and {kind_of(right)}"
        ) from None


def _no_overload(operator: str, left: Any, right: Any) -> EvaluationError:
    return EvaluationError(
        f"No such overload: {kind_of(left)} {operator} {kind_of(right)}; text(…) and number(…) turn one into the other"
    )
