"""HTML made so that text stays text: whatever is not markup of our own is escaped where it is put in."""

from base64 import b64encode
from collections.abc import Iterable, Sequence
from hashlib import sha256
from html import escape
from math import floor
from pathlib import Path
from typing import NamedTuple

_EMPTY = frozenset({"meta", "col", "line", "circle", "rect"})


class Html(str):
    """Markup that was made here and is put in as it is."""

    __slots__ = ()


Child = str | int | None | Iterable["Child"]


def element(tag: str, /, *children: Child, **attributes: str | int | None) -> Html:
    """Make one element. `class_` is class, `aria_label` is aria-label; an attribute that is None is left out."""
    given = "".join(
        f' {attribute.rstrip("_").replace("_", "-")}="{escape(str(value))}"'
        for attribute, value in attributes.items()
        if value is not None
    )
    inside = join(children)
    return Html(f"<{tag}{given}/>" if tag in _EMPTY else f"<{tag}{given}>{inside}</{tag}>")


def join(children: Child) -> Html:
    """Put markup and text one after the other."""
    if children is None:
        return Html("")
    if isinstance(children, Html):
        return children
    if isinstance(children, str):
        return Html(escape(_visible(children)))
    if isinstance(children, int):
        return Html(children)
    return Html("".join(map(join, children)))


def name_of(text: str) -> Html:
    """A name that somebody else chose: it cannot turn around the direction of what stands beside it."""
    return element("bdi", text)


def _visible(text: str) -> str:
    """Keep out what no HTML parser takes as text."""
    return (
        "".join(
            char if char in "\t\n" or (char >= " " and not "\x7f" <= char <= "\x9f") else "\ufffd"
            for char in text.replace("\r\n", "\n")
        )
        .encode("utf-8", "replace")
        .decode("utf-8")
    )


# The shell of a page that is one file: its style stands in it by hash, and nothing else is allowed to load or
# run.

_STYLE = Path(__file__).with_name("page.css").read_text("utf-8")
_HASH = b64encode(sha256(_STYLE.encode()).digest()).decode()

POLICY = f"default-src 'none'; style-src 'sha256-{_HASH}'; base-uri 'none'; form-action 'none'"
"""What the page may do, wherever it is opened: show itself."""


def page(title: str, *body: Child) -> str:
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=POLICY),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="referrer", content="no-referrer"),
        element("title", title),
        element("style", Html(_STYLE)),
    )
    return f"<!doctype html>\n{element('html', head, element('body', element('main', *body)), lang='en')}\n"


def scrolling(label: str, table: Html) -> Html:
    """Let a wide table scroll by itself, also by keyboard."""
    return element("div", table, class_="scroll", role="region", aria_label=label, tabindex=0)


# Plots that grow with the page: lines and dots of an SVG at percentages of its width.

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


# Where the interface shows what a report speaks of.


def matrix_address(base_url: str, matrix_id: str) -> str:
    return f"{base_url.rstrip('/')}/matrices/{matrix_id}"


def run_address(base_url: str, run_id: int) -> str:
    return f"{base_url.rstrip('/')}/runs/{run_id}"
