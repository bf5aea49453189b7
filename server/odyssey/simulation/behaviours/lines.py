"""The lines of a text as their author sees them: comments left out, indented lines joined to the one they continue."""

from typing import NamedTuple


class LogicalLine(NamedTuple):
    number: int
    """Of the first line of the text that belongs to it, counted from 1."""
    text: str
    """As it stands in the text, so that a column points at the same place in both."""
    source: str
    """The same with every comment inside it blanked out: as long, and ready to be read."""


def split_lines(text: str) -> list[LogicalLine]:
    """Every line that says something. A blank line ends what goes before it."""
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
