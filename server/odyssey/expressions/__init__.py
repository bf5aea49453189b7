"""Expressions: CEL values and conditions over one call and the world, with functions of ours, within bounds."""

from odyssey.expressions.facts import Facts, Lazy
from odyssey.expressions.reading import Expression, Text, read_expression, read_text
from odyssey.expressions.tokens import MAX_EXPRESSION
from odyssey.expressions.values import EvaluationError

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
