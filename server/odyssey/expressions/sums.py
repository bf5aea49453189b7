"""The value of a sum that somebody wrote as text, worked out in decimals: `12 * (3.50 + 1)` is 54."""

import re
from decimal import Decimal, DecimalException, localcontext

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
