"""Expressions: CEL values and conditions over one call and the world, with functions of ours, within bounds."""

from odyssey.simulation.expressions.compiling import MAX_EXPRESSION
from odyssey.simulation.expressions.errors import EvaluationError
from odyssey.simulation.expressions.facts import Facts, Lazy
from odyssey.simulation.expressions.reading import Expression, read_expression
from odyssey.simulation.expressions.text import Text, read_text

__all__ = [
    "MAX_EXPRESSION",
    "EvaluationError",
    "Expression",
    "Facts",
    "Lazy",
    "Text",
    "read_expression",
    "read_text",
]
