"""The functions an expression may call, by name."""

from odyssey.expressions.functions.cel_own import CEL_OWN
from odyssey.expressions.functions.function import MAX_LIST, Function
from odyssey.expressions.functions.lists import LISTS, TEXTS
from odyssey.expressions.functions.numbers import NUMBERS
from odyssey.expressions.functions.world import WORLD

CEL_FUNCTIONS = {function.name: function for function in CEL_OWN}
ALL_FUNCTIONS = CEL_FUNCTIONS | {function.name: function for function in (*NUMBERS, *LISTS, *TEXTS, *WORLD)}

__all__ = ["ALL_FUNCTIONS", "CEL_FUNCTIONS", "MAX_LIST", "Function"]
