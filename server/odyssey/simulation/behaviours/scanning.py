"""Words, quoted texts and signs of a line with their places, as far as dividing it into clauses needs them."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

_TOKEN = re.compile(
    r"""
      (?P<space>\s+)
    | (?P<quoted>[bBrR]{0,2}(?: \"{3}[\s\S]*?\"{3} | '{3}[\s\S]*?'{3}
                              | "(?:\\[\s\S]|[^"\\])*" | '(?:\\[\s\S]|[^'\\])*' ))
    | (?P<open>["'][\s\S]*)
    | (?P<name>[A-Za-z_][A-Za-z0-9_]*)
    | (?P<sign>[0-9.]+ | && | \|\| | [=!<>]= | // | [\s\S])
    """,
    re.VERBOSE,
)
_OPEN = {"(": ")", "[": "]", "{": "}"}
_CLOSE = frozenset(_OPEN.values())
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|([\s\S]))")
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", '"': '"', "'": "'", "\\": "\\", "/": "/"}


class Mark(NamedTuple):
    """One token."""

    text: str
    start: int
    end: int
    depth: int
    """How many brackets are open around it; an opening or closing bracket is outside of itself."""
    kind: str
    """`quoted`, `name`, `sign`, or `open`: a quote that does not end, with all that follows."""
    is_member: bool
    """Whether it is a name that is selected from something: the `to` of `args.to`."""


# `close sets order.to = f(args.to, "a to b")` has the word `to` three times, and none of them divides the line:
# the first two are members, the third is inside a quoted text. Marks carry what it takes to see that; `(` and `)`
# are at depth 0, all between them is at depth 1.
def scan(text: str, start: int = 0) -> list[Mark]:
    return list(_marks(text, start))


def _marks(text: str, start: int) -> Iterator[Mark]:
    depth = 0
    before = ""
    for match in _TOKEN.finditer(text, start):
        kind, token = match.lastgroup or "", match.group()
        if kind == "space":
            continue
        if token in _CLOSE:
            depth = max(depth - 1, 0)
        is_member = kind == "name" and before == "."
        yield Mark(token, match.start(), match.end(), depth, kind, is_member)
        if token in _OPEN:
            depth += 1
        before = token


def is_word(mark: Mark, *words: str) -> bool:
    """Whether this is one of these words of the grammar: outside of brackets and quotes, and no member."""
    return mark.kind == "name" and mark.depth == 0 and not mark.is_member and mark.text in words


def find_word(marks: Sequence[Mark], *words: str, last: bool = False) -> int | None:
    """The position of the first or last mark that is one of these words."""
    found = [position for position, mark in enumerate(marks) if is_word(mark, *words)]
    return (found[-1] if last else found[0]) if found else None


def split_at(marks: Sequence[Mark], sign: str, depth: int) -> list[list[Mark]]:
    """The marks between the signs of this depth."""
    parts: list[list[Mark]] = [[]]
    for mark in marks:
        if mark.text == sign and mark.depth == depth and mark.kind == "sign":
            parts.append([])
        else:
            parts[-1].append(mark)
    return parts


def unclosed(marks: Sequence[Mark]) -> Mark | None:
    """The last bracket that is not closed, or the one that closes none, or a quote without its partner."""
    pending: list[Mark] = []
    for mark in marks:
        if mark.kind == "open":
            return mark
        if mark.kind == "sign" and mark.text in _OPEN:
            pending.append(mark)
        elif (
            mark.kind == "sign"
            and mark.text in _CLOSE
            and (not pending or _OPEN[pending.pop().text] != mark.text)
        ):
            return mark
    return pending[-1] if pending else None


def one_line(text: str) -> str:
    """An expression as it is kept: what was broken over several lines on one."""
    return " ".join(piece for _, piece in _pieces(text)).strip()


def place_in(source: str, start: int, offset: int) -> int:
    """Translate an offset in the joined line (`one_line` of the source from `start`) to one in the source."""
    # The expression "a ==\n  b" is joined to "a == b". Its `b`, at offset 5 there, stands at start + 7 in the source.
    before = 0
    for position, piece in _pieces(source[start:]):
        if offset <= before + len(piece):
            return start + position + offset - before
        before += len(piece) + 1
    return len(source)


def _pieces(text: str) -> Iterator[tuple[int, str]]:
    """What stands on each line, with its place: without the space around line breaks."""
    first, *rest = text.split("\n")
    yield 0, first.rstrip() if rest else first
    position = len(first) + 1
    for number, line in enumerate(rest, start=1):
        piece = line.lstrip() if number == len(rest) else line.strip()
        if piece:
            yield position + len(line) - len(line.lstrip()), piece
        position += len(line) + 1


def read_quoted(token: str) -> str | None:
    """What a text in quotes says; None if it is no such text or has an escape nobody knows."""
    if len(token) < 2 or token[0] not in "\"'" or token[:3] in ('"""', "'''"):
        return None
    inner = " ".join(piece for _, piece in _pieces(token[1:-1]))
    if not all(_is_known(match) for match in _ESCAPE.finditer(inner)):
        return None
    return _ESCAPE.sub(lambda match: chr(int(match[1], 16)) if match[1] else _ESCAPED[match[2]], inner)


def _is_known(escape: re.Match[str]) -> bool:
    if escape[1] is None:
        return escape[2] in _ESCAPED
    code = int(escape[1], 16)
    return code != 0 and not 0xD800 <= code <= 0xDFFF  # neither NUL nor half a character


# The lines of a text as their author sees them: comments left out, indented lines joined to the one they continue.


class LogicalLine(NamedTuple):
    number: int
    """Of the first line of the text that belongs to it, counted from 1."""
    text: str
    """As it stands in the text, so that a column points at the same place in both."""
    source: str
    """The same with every comment inside it blanked out: as long, and ready to be read."""


def split_lines(text: str) -> list[LogicalLine]:
    """Every line that says something. A blank line ends what goes before it."""
    # "a fails when x", "  # why", "  && y" are one logical line: indented lines continue it, and the comment between
    # them is blanked out rather than cut, so that columns still point at the author's text.
    found: list[list[tuple[int, str]]] = []
    is_open = False
    lines = text.replace("\r\n", "\n").split("\n")
    indent = _shared_indent(lines)
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            is_open = False
        elif line[indent : indent + 1].isspace() and is_open:
            found[-1].append((number, line))
        elif not is_comment(line):
            found.append([(number, line)])
            is_open = True
        else:
            is_open = False
    return [_join(group) for group in found]


def is_comment(line: str) -> bool:
    return line.lstrip().startswith("#")


def _shared_indent(lines: list[str]) -> int:
    """How far the whole text is indented: that continues nothing."""
    said = (line for line in lines if line.strip() and not is_comment(line))
    return min((len(line) - len(line.lstrip()) for line in said), default=0)


def _join(group: list[tuple[int, str]]) -> LogicalLine:
    while is_comment(group[-1][1]) and len(group) > 1:
        group = group[:-1]
    text = "\n".join(line for _, line in group).rstrip()
    source = "\n".join(" " * len(line) if is_comment(line) else line for _, line in group)
    return LogicalLine(group[0][0], text, source.rstrip())
