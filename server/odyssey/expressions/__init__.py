"""Expressions: CEL values and conditions over one call and the world, with functions of ours, within bounds."""

from odyssey.expressions.compiling import MAX_EXPRESSION
from odyssey.expressions.errors import EvaluationError
from odyssey.expressions.facts import Facts, Lazy
from odyssey.expressions.reading import Expression, read_expression
from odyssey.expressions.text import Text, read_text

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
