"""How much the expressions of one call may do together, whatever they are and however they nest.

A unit is the evaluation of one small part of an expression, up to half a microsecond.
"""

from odyssey.expressions.errors import TooMuchError

MAX_WORK = 500_000
CHARACTERS_PER_UNIT = 64


class Meter:
    __slots__ = ("left",)

    def __init__(self, work: int = MAX_WORK) -> None:
        self.left = work

    def spend(self, units: int) -> None:
        """Count work before it is done; raises TooMuchError when none is left."""
        self.left -= units
        if self.left < 0:
            raise TooMuchError("the expressions go through too many values; let them walk through less")

    def spend_characters(self, count: int) -> None:
        self.spend(1 + count // CHARACTERS_PER_UNIT)
