"""Sums: a tool whose only argument is an expression gets its value, worked out in decimals.

Written in binary floats 0.1 + 0.2 is not 0.3; people who keep books, and the back ends that do it for them, round.
So does this: to two places, half away from zero. Without an output schema the answer is text that always shows a
place (`"2.0"`, `"41.92"`); with one it is what the schema asks for.
"""

import re
from decimal import ROUND_HALF_UP, Decimal, DecimalException, localcontext
from typing import Any

from odyssey.simulation.engine import Answer, Reading, ToolCall
from odyssey.simulation.world.answer import CERTAIN, LIKELY, refuse
from odyssey.simulation.world.meaning import arguments_of
from odyssey.simulation.world.shape import Known, fit, fits
from odyssey.simulation.world.words import tokens, word_set

_WORDS = word_set("calculate calculator compute evaluate math arithmetic expression formula eval sum")
_TOKEN = re.compile(r"\s*(?:(\d+(?:\.\d*)?(?:[eE][+-]?\d{1,3})?|\.\d+)|(\*\*|//|[-+*/%^()×÷−·]))")
_SPELLINGS = {"×": "*", "·": "*", "÷": "/", "−": "-", "^": "**"}
_LONGEST = 1000
_DEEPEST = 50
_LARGEST_POWER = 1000
_PLACES = Decimal("0.01")
_LARGEST = Decimal(10) ** 15


class ExpressionError(ValueError):
    """The text is no sum; the message says why, for whoever wrote it."""


def calculate(call: ToolCall) -> Answer | None:
    """The value of the expression, if that is what the tool is for; None if it is not."""
    expression = _expression(call)
    if expression is None:
        return None
    reading = Reading("calculate", by=tuple(call.arguments))
    try:
        value = evaluate(expression)
    except ExpressionError as error:
        return refuse("bad_value", f"{expression!r} cannot be calculated: {error}.", reading)
    rounded = value.quantize(_PLACES, ROUND_HALF_UP) if abs(value) < _LARGEST else value
    number: Any = int(rounded) if rounded == rounded.to_integral_value() else float(rounded)
    schema = call.tool.output_schema
    text = str(float(rounded))
    shown = next((each for each in (text, number, float(value)) if fits(each, schema)), None)
    fitted = fit({"result": number}, schema, Known("result", {"value": number, "answer": number}))
    return Answer(
        response=fitted.value if shown is None else shown,
        confidence=LIKELY if shown is None else CERTAIN,
        explanation=reading.in_words(),
        reading=reading,
    )


def evaluate(expression: str) -> Decimal:
    """Plus, minus, times, divided by, remainder, powers and parentheses; nothing else is understood."""
    if len(expression) > _LONGEST:
        raise ExpressionError(f"it is longer than {_LONGEST} characters")
    with localcontext() as context:
        context.prec = 34
        parser = _Parser(_read(expression))
        try:
            value = parser.sum(0)
        except DecimalException as error:
            zero = "divided by zero" if "Zero" in type(error).__name__ else "the result is out of bounds"
            raise ExpressionError(zero) from None
        if parser.rest:
            raise ExpressionError(f"{parser.rest[-1]!r} was not expected")
        return value


def _expression(call: ToolCall) -> str | None:
    names = arguments_of(call)
    if len(names) != 1 or not isinstance(call.arguments.get(names[0]), str):
        return None
    said = {*tokens(call.tool.name), *tokens(names[0])}
    return str(call.arguments[names[0]]) if said & _WORDS else None


def _read(expression: str) -> list[str]:
    found, at = [], 0
    text = expression.strip()
    while at < len(text):
        token = _TOKEN.match(text, at)
        if token is None:
            raise ExpressionError(f"{text[at:].strip()[:1]!r} is no number and no operator")
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
            raise ExpressionError("it is nested too deeply")
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
            raise ExpressionError(f"a power above {_LARGEST_POWER} is too much")
        return value**exponent

    def _signed_power(self, depth: int) -> Decimal:
        if depth > _DEEPEST:
            raise ExpressionError("it is nested too deeply")
        return self._signed(depth)

    def _atom(self, depth: int) -> Decimal:
        if not self.rest:
            raise ExpressionError("it ends where a number was expected")
        read = self.rest.pop()
        if read == "(":
            value = self.sum(depth + 1)
            if self._next(")") is None:
                raise ExpressionError("a parenthesis is not closed")
            return value
        if read[0] not in "0123456789.":
            raise ExpressionError(f"{read!r} stands where a number was expected")
        return Decimal(read)
