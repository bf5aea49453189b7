"""HTML made so that text stays text: whatever is not markup of our own is escaped where it is put in."""

from collections.abc import Iterable
from html import escape

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
