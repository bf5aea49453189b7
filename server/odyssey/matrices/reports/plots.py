"""Plots that grow with the page: lines and dots of an SVG at percentages of its width."""

from collections.abc import Sequence
from math import floor
from typing import NamedTuple

from odyssey.matrices.reports.markup import Child, Html, element

_HEIGHT = 22
_MIDDLE = _HEIGHT // 2
_EDGE = 2.0
"""Percent kept free on both sides, so that a dot at the end is whole."""


class Axis(NamedTuple):
    low: float
    high: float
    ticks: Sequence[float]

    def at(self, value: float) -> str:
        inside = min(max(value, self.low), self.high)
        share = (inside - self.low) / (self.high - self.low)
        return f"{_EDGE + share * (100 - 2 * _EDGE):.2f}%"

    def wide(self, value: float) -> str:
        """Give the width of a bar that starts at `low`."""
        share = min(max(value - self.low, 0), self.high - self.low) / (self.high - self.low)
        return f"{share * (100 - 2 * _EDGE):.2f}%"


SHARE = Axis(0, 1, (0, 0.5, 1))


def shift_axis(lowest: float) -> Axis:
    """From a little below 0, as unclamped shifts go there, to 1."""
    low = max(-0.5, min(-0.1, floor(lowest * 10) / 10))
    return Axis(low, 1, (0, 0.2, 0.5, 1))


def scale(axis: Axis, label: str) -> Html:
    """Write the ticks of an axis below its name."""
    ticks = [
        element("text", f"{tick:g}", x=axis.at(tick), y=12, text_anchor="middle", aria_hidden="true")
        for tick in axis.ticks
    ]
    return element("svg", ticks, height=16, role="img", aria_label=label)


def plot(axis: Axis, label: str, *marks: Child) -> Html:
    grid = (line(axis, tick, "zero" if tick == 0 else "axis") for tick in axis.ticks)
    return element("svg", grid, marks, height=_HEIGHT, role="img", aria_label=label)


def line(axis: Axis, value: float, look: str) -> Html:
    return element("line", x1=axis.at(value), x2=axis.at(value), y1=0, y2=_HEIGHT, class_=look)


def whisker(axis: Axis, ends: Sequence[float], look: str = "whisker", above: int = 0) -> Html:
    y = _MIDDLE + above
    return element("line", x1=axis.at(ends[0]), x2=axis.at(ends[1]), y1=y, y2=y, class_=look)


def dot(axis: Axis, value: float, look: str, above: int = 0) -> Html:
    return element("circle", cx=axis.at(value), cy=_MIDDLE + above, r=5, class_=f"dot {look}")


def bar(axis: Axis, value: float, look: str, top: int, height: int) -> Html:
    return element("rect", x=axis.at(axis.low), y=top, width=axis.wide(value), height=height, class_=look)
