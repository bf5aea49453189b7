"""Writing for people: what others sent is shown as text, never obeyed, and fitted to the width."""

import io
import json
import os
import re
import shutil
import sys
import unicodedata
from collections.abc import Sequence
from typing import Any, NamedTuple

from rich.cells import cell_len, set_cell_size
from rich.console import Console
from rich.text import Text

PIPE_WIDTH = 100
LEAST_WIDTH = 40
DETAIL = "      "
MOST_LINES = 20

_LABEL = 10
_WORD = re.compile(r"[A-Za-z0-9_.:/@+-]+")


class Part(NamedTuple):
    """A piece of a line that is kept together."""

    text: str
    style: str = ""


def clean(text: str) -> str:
    """Write out whatever would steer a terminal or hide: controls, escapes, direction marks, the invisible."""
    if text.isprintable():
        return text
    return "".join(
        char if char.isprintable() or unicodedata.category(char) == "Zs" else _escape(char) for char in text
    )


def as_json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def word(text: object) -> str:
    """A name as it is where that cannot be misread, else in quotes."""
    name = str(text)
    return name if _WORD.fullmatch(name) else clean(as_json(name))


def many(number: int, noun: str) -> str:
    """Count something: `1 run`, `2 runs`."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


class Screen:
    """Standard output, with colour only on a terminal that wants it."""

    def __init__(self, *, full: bool = False) -> None:
        self.full = full
        self.was_cut = False
        self.width = max(shutil.get_terminal_size((PIPE_WIDTH, 24)).columns, LEAST_WIDTH)
        self.is_fitted = sys.stdout.isatty() or "COLUMNS" in os.environ
        """Whether rows must keep to the width: what reads a pipe wants a line per row."""
        if isinstance(sys.stdout, io.TextIOWrapper):
            sys.stdout.reconfigure(errors="backslashreplace")
        is_terminal = sys.stdout.isatty()
        self._console = Console(
            file=sys.stdout,
            width=self.width,
            force_terminal=is_terminal,
            color_system="auto" if is_terminal and not os.environ.get("NO_COLOR") else None,
            markup=False,
            highlight=False,
            emoji=False,
        )

    def json(self, value: Any) -> None:
        """Print JSON in ASCII, so that nothing in it can steer a terminal."""
        self._console.out(json.dumps(value, indent=2), highlight=False)

    def line(self, text: str = "") -> None:
        """Print one line as it is; the caller has cleaned it."""
        self._console.print(Text(text), soft_wrap=True)

    def parts(self, lead: str, parts: Sequence[Part]) -> None:
        """Print parts after a lead, going on in the next line where the width ends."""
        self._flow(lead, parts, self.width)

    def table(self, rows: Sequence[Sequence[str]]) -> None:
        """Print rows in columns; only a given width breaks one."""
        cells = [[clean(cell) for cell in row] for row in rows]
        widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
        for row in cells:
            padded = [Part(cell.ljust(width)) for cell, width in zip(row, widths, strict=True)]
            self._flow("", padded, self.width if self.is_fitted else sys.maxsize)

    def row(self, parts: Sequence[Part]) -> None:
        """Print parts on one line as they are, two spaces apart; the caller has cleaned and fitted them."""
        self._end(Text("  ").join(Text(part.text, part.style) for part in parts))

    def _flow(self, lead: str, parts: Sequence[Part], room: int) -> None:
        line, gap = Text(lead), ""
        for part in parts:
            text = part.text if self.full else self.shorten(part.text, room - len(DETAIL))
            if line.cell_len + len(gap) + cell_len(text.rstrip()) > room and line:
                self._end(line)
                line, gap = Text(DETAIL), ""
            line.append(gap)
            line.append(text, part.style)
            gap = "  "
        self._end(line)

    def _end(self, line: Text) -> None:
        line.rstrip()
        self._console.print(line, soft_wrap=True)

    def value(self, label: str, value: Any) -> None:
        """Print a labelled JSON value: one line of it, or all."""
        lead = f"{DETAIL}{label:<{_LABEL}} "
        room = self.width - len(lead)
        compact = as_json(value)
        if not self.full:
            self.line(lead + self.shorten(compact, room))
        elif len(compact) <= room or not isinstance(value, dict | list):
            self.line(lead + clean(compact))
        else:
            self.line(lead.rstrip())
            for row in json.dumps(value, ensure_ascii=False, indent=2).split("\n"):
                self.line(f"{DETAIL}  {clean(row)}")

    def text(self, text: str, lead: str = "  ") -> None:
        """Print prose with its own line breaks, wrapped after the lead, long prose only in part."""
        indent = " " * len(lead)
        rows: list[str] = []
        for paragraph in text.replace("\r\n", "\n").split("\n"):
            rows += self._wrap(paragraph, self.width - len(lead))
            if not self.full and len(rows) > MOST_LINES:
                break
        if not self.full and len(rows) > MOST_LINES:
            self.was_cut = True
            rows = [*rows[:MOST_LINES], "…"]
        for number, row in enumerate(rows):
            self.line(((indent if number else lead) + row).rstrip())

    def _wrap(self, paragraph: str, room: int) -> list[str]:
        if self.full:
            return [clean(paragraph)]
        start = Text(self.shorten(paragraph, room * (MOST_LINES + 1)))
        return [str(row).rstrip() for row in start.wrap(self._console, room, overflow="fold")] or [""]

    def shorten(self, text: str, room: int) -> str:
        """Clean a text and cut it to a number of columns; a cut one ends in "…"."""
        start = clean(text[: room + 1])
        if len(text) <= room + 1 and cell_len(start) <= room:
            return start
        self.was_cut = True
        return set_cell_size(start, min(cell_len(start), room - 1)).rstrip() + "…"


def _escape(char: str) -> str:
    return char.encode("unicode_escape", "surrogatepass").decode("ascii")
