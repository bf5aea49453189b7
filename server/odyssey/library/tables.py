"""Tables as people have them in CSV files: UTF-8, commas, a header. Read line by line, as often as wanted."""

import csv
import io
import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from odyssey.records.faults import Faults, shown

MAX_FIELD = 1024 * 1024
csv.field_size_limit(
    MAX_FIELD + 1
)  # with a guard; of the whole process: all who read CSV in it want the same

_TOO_LONG = f"the field has more than {MAX_FIELD} characters, or its quote is not closed"
_UNREADABLE = re.compile("[\0\ud800-\udfff]")
_ENDED_FIELD = re.compile(r'(?:"((?:[^"]++|"")*+)"|(?!")([^,\r\n]*+)),')
_FORMULA = re.compile("'*[=+\\-@\\t\\r\\n\\0＝＋－＠]")
"""What a spreadsheet would calculate, also behind guards."""
_PARTED = re.compile('[",;\\t\\r\\n]')


class TableRow(NamedTuple):
    position: int
    """From 0, the header not counted."""
    line: int
    """Where it begins in the file, from 1."""
    cells: list[str] | None
    """As many as there are columns; None if the row is faulty."""


class Table:
    """A table by its bytes; no more than one row of it is held at a time. Faults go where the caller collects them.

    `guarded`: what `csv_line` put before formulas is taken off again.
    """

    def __init__(self, body: bytes, faults: Faults, *, guarded: bool = False) -> None:
        self._body = body
        self._guarded = guarded
        self.header: list[str] = []
        """Empty if it is faulty."""
        self._read_header(faults)

    def rows(self, faults: Faults) -> Iterator[TableRow]:
        """Give every row, also the faulty ones; what no quote ends is the end of the table."""
        position = -1
        try:
            for position, (line, cells) in enumerate(_records(self._body), start=-1):
                if position >= 0:
                    if self._guarded:
                        cells[:] = map(unguarded, cells)
                    sound = self._is_sound(line, cells, faults.at("rows", position))
                    yield TableRow(position, line, cells if sound else None)
        except _BrokenError as error:
            place = faults.at("rows", position + 1)
            place.add(f"line {error.line}: {error}", self._name(error.column))
            yield TableRow(position + 1, error.line, None)

    def _read_header(self, faults: Faults) -> None:
        try:
            first = next(_records(self._body), None)
        except _BrokenError as error:
            faults.add(f"line {error.line}: {error}", "header", error.column)
            return
        if first is None:
            faults.add("the table is empty; its first line names the columns", "body")
            return
        line, cells = first
        header = [name.strip() for name in cells]
        seen: set[str] = set()
        before = faults.count()
        for position, name in enumerate(header):
            problem = _unreadable(name)
            if problem is not None:
                faults.add(f"line {line}: {problem}", "header", position)
            elif not name:
                faults.add("a column has no name", "header", position)
            elif name in seen:
                faults.add(f"two columns are called {shown(name)}", "header", position)
            seen.add(name)
        if faults.count() == before:
            self.header = header

    def _is_sound(self, line: int, cells: list[str], faults: Faults) -> bool:
        wanted = len(self.header)
        if len(cells) != wanted:
            message = f"line {line} has {len(cells)} cells, but there are {wanted} columns"
            faults.add(message, self._name(min(len(cells), wanted)))
            return False
        sound = True
        for position, cell in enumerate(cells):
            problem = _unreadable(cell) if len(cell) <= MAX_FIELD else _TOO_LONG
            if problem is not None:
                faults.add(f"line {line}: {problem}", self._name(position))
                sound = False
        return sound

    def _name(self, position: int) -> str | int:
        return self.header[position] if position < len(self.header) else position


def csv_line(cells: Iterable[str], *, formula_safe: bool = True) -> str:
    """Write one line (RFC 4180) that a guarded `Table` reads as it was, safe in a spreadsheet or not.

    A cell with ; is quoted too: in some countries a spreadsheet would part it there.
    """
    written = [guarded(cell) if formula_safe or cell.startswith("'") else cell for cell in cells]
    if written == [""]:
        return '""\r\n'  # an empty line would be no row
    return ",".join(map(_quoted, written)) + "\r\n"


def guarded(cell: str) -> str:
    """Keep a spreadsheet from taking text for a formula: `=1` becomes `'=1`, and `'=1`, to be told apart, `''=1`."""
    return f"'{cell}" if _FORMULA.match(cell) else cell


def unguarded(cell: str) -> str:
    """Take off what `guarded` put there."""
    return cell[1:] if cell.startswith("'") and _FORMULA.match(cell) else cell


def _quoted(cell: str) -> str:
    return '"{}"'.format(cell.replace('"', '""')) if _PARTED.search(cell) else cell


class _BrokenError(Exception):
    """The text is no CSV from here on."""

    def __init__(self, message: str, line: int, column: int) -> None:
        super().__init__(message)
        self.line = line
        self.column = column


class _Lines:
    """The lines of a text as the reader asks for them; those of the present record are at hand."""

    def __init__(self, body: bytes) -> None:
        # What is not UTF-8 becomes lone surrogates, which valid text cannot have: so its cell is known.
        self._text = io.TextIOWrapper(io.BytesIO(body), "utf-8-sig", errors="surrogateescape", newline="")
        self.taken: list[str] = []

    def __iter__(self) -> "_Lines":
        return self

    def __next__(self) -> str:
        self.taken.append(next(self._text))
        return self.taken[-1]


def _records(body: bytes) -> Iterator[tuple[int, list[str]]]:
    """Give each record that is not blank: the line it begins on, and its cells."""
    lines = _Lines(body)
    reader = csv.reader(lines, strict=True)
    while True:
        first = reader.line_num + 1
        lines.taken.clear()
        try:
            cells = next(reader, None)
        except csv.Error as error:
            raise _broken("".join(lines.taken), first, str(error)) from error
        if cells is None:
            return
        if cells:
            yield first, cells


def _broken(record: str, line: int, reason: str) -> _BrokenError:
    """Find the first field that does not end as a field should."""
    at = column = 0
    while (field := _ENDED_FIELD.match(record, at)) is not None:
        if len(field[1] or field[2] or "") > MAX_FIELD:
            break
        at, column = field.end(), column + 1
    message = "a quote is not closed, or not followed by a comma; write a quote within quotes twice"
    if "limit" in reason:
        message = _TOO_LONG
    return _BrokenError(message, line, column)


def _unreadable(cell: str) -> str | None:
    found = _UNREADABLE.search(cell)
    if found is None:
        return None
    if found[0] == "\0":
        return "the field contains the NUL character"
    return "the field is not UTF-8; save the table as UTF-8"
