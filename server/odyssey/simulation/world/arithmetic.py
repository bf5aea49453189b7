"""Sums: a tool whose only argument is an expression gets its value, worked out in decimals.

Written in binary floats 0.1 + 0.2 is not 0.3; people who keep books, and the back ends that do it for them, round.
So does this: to two places, half away from zero. Without an output schema the answer is text that always shows a
place (`"2.0"`, `"41.92"`); with one it is what the schema asks for.
"""

from decimal import ROUND_HALF_UP, Decimal
from typing import Any

from odyssey.expressions.arithmetic import SumError, evaluate
from odyssey.kit.words import tokens, word_set
from odyssey.simulation.engine import Answer, Reading, ToolCall
from odyssey.simulation.world.answer import CERTAIN, LIKELY, refuse
from odyssey.simulation.world.meaning import arguments_of
from odyssey.simulation.world.shape import Known, fit, fits

_WORDS = word_set("calculate calculator compute evaluate math arithmetic expression formula eval sum")
_PLACES = Decimal("0.01")
_LARGEST = Decimal(10) ** 15


def calculate(call: ToolCall) -> Answer | None:
    """The value of the expression, if that is what the tool is for; None if it is not."""
    expression = _expression(call)
    if expression is None:
        return None
    reading = Reading("calculate", by=tuple(call.arguments))
    try:
        value = evaluate(expression)
    except SumError as error:
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


def _expression(call: ToolCall) -> str | None:
    names = arguments_of(call)
    if len(names) != 1 or not isinstance(call.arguments.get(names[0]), str):
        return None
    said = {*tokens(call.tool.name), *tokens(names[0])}
    return str(call.arguments[names[0]]) if said & _WORDS else None
