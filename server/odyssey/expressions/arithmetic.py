"""Arithmetic: CEL's, except that integers and doubles go together; an integer stays one among integers.

Doubles may become infinite on the way, as in CEL; they are refused where they leave the expression.
"""

import math
import re
from collections.abc import Callable
from datetime import datetime, timedelta
from decimal import Decimal, DecimalException, localcontext
from typing import Any

from odyssey.expressions.values import (
    MAX_TEXT,
    EvaluationError,
    Meter,
    TooMuchError,
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


# The value of a sum that somebody wrote as text, worked out in decimals: `12 * (3.50 + 1)` is 54.

_TOKEN = re.compile(r"\s*(?:(\d+(?:\.\d*)?(?:[eE][+-]?\d{1,3})?|\.\d+)|(\*\*|//|[-+*/%^()×÷−·]))")
_SPELLINGS = {"×": "*", "·": "*", "÷": "/", "−": "-", "^": "**"}
_LONGEST = 1000
_DEEPEST = 50
_LARGEST_POWER = 1000


class SumError(ValueError):
    """The text is no sum; the message says why, for whoever wrote it."""


def evaluate(expression: str) -> Decimal:
    """Plus, minus, times, divided by, remainder, powers and parentheses; nothing else is understood."""
    if len(expression) > _LONGEST:
        raise SumError(f"it is longer than {_LONGEST} characters")
    with localcontext() as context:
        context.prec = 34
        parser = _Parser(_read(expression))
        try:
            value = parser.sum(0)
        except DecimalException as error:
            zero = "divided by zero" if "Zero" in type(error).__name__ else "the result is out of bounds"
            raise SumError(zero) from None
        if parser.rest:
            raise SumError(f"{parser.rest[-1]!r} was not expected")
        return value


def _read(expression: str) -> list[str]:
    found, at = [], 0
    text = expression.strip()
    while at < len(text):
        token = _TOKEN.match(text, at)
        if token is None:
            raise SumError(f"{text[at:].strip()[:1]!r} is no number and no operator")
        found.append(_SPELLINGS.get(token[2] or "", token[1] or token[2]))
        at = token.end()
    return found


class _Parser:
    """Reads from the end of a reversed list; each level knows what binds tighter."""

    def __init__(self, read: list[str]) -> None:
        self.rest = read[::-1]

    def _next(self, *wanted: str) -> str | None:
        return self.rest.pop() if self.rest and self.rest[-1] in wanted else None

    def sum(self, depth: int) -> Decimal:
        if depth > _DEEPEST:
            raise SumError("it is nested too deeply")
        value = self._product(depth)
        while (operator := self._next("+", "-")) is not None:
            right = self._product(depth)
            value = value + right if operator == "+" else value - right
        return value

    def _product(self, depth: int) -> Decimal:
        value = self._signed(depth)
        while (operator := self._next("*", "/", "//", "%")) is not None:
            right = self._signed(depth)
            if operator == "*":
                value *= right
            elif operator == "/":
                value /= right
            else:
                # Rounded down, as most languages have it, not toward zero as Decimal does.
                whole = (value / right).to_integral_value("ROUND_FLOOR")
                value = whole if operator == "//" else value - whole * right
        return value

    def _signed(self, depth: int) -> Decimal:
        sign = 1
        while (operator := self._next("+", "-")) is not None:
            sign = -sign if operator == "-" else sign
        value = self._power(depth)
        return -value if sign < 0 else value

    def _power(self, depth: int) -> Decimal:
        value = self._atom(depth)
        if self._next("**") is None:
            return value
        exponent = self._signed_power(depth + 1)
        if abs(exponent) > _LARGEST_POWER:
            raise SumError(f"a power above {_LARGEST_POWER} is too much")
        return value**exponent

    def _signed_power(self, depth: int) -> Decimal:
        if depth > _DEEPEST:
            raise SumError("it is nested too deeply")
        return self._signed(depth)

    def _atom(self, depth: int) -> Decimal:
        if not self.rest:
            raise SumError("it ends where a number was expected")
        read = self.rest.pop()
        if read == "(":
            value = self.sum(depth + 1)
            if self._next(")") is None:
                raise SumError("a parenthesis is not closed")
            return value
        if read[0] not in "0123456789.":
            raise SumError(f"{read!r} stands where a number was expected")
        return Decimal(read)
