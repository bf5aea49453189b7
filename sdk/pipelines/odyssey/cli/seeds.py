"""Looking at a table of tasks without a platform: every fault with its row, column and line."""

import csv
import io
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from pipelines.odyssey.cli.behaviour_lines import faulty_rules, odd_lines
from pipelines.odyssey.cli.failures import CommandFailedError
from pipelines.odyssey.cli.seed_columns import (
    BY_MEMBER,
    BY_NAME,
    COLUMNS,
    EMPTY,
    FROM_WORLD,
    LATER,
    Column,
    meant_column,
)
from pipelines.odyssey.cli.seed_values import MAX_TEXT, Steps, did_you_mean, shown
from pipelines.odyssey.cli.strict_json import NotJsonError, read_next, read_strictly, skip_space
from pipelines.odyssey.cli.yaml_text import read_document

MOST_BYTES = 50 * 1024 * 1024
MOST_ROWS = 100_000
MOST_FAULTS = 1000

_YAML = (".yaml", ".yml")
_TOO_LONG = f"a cell has more than {MAX_TEXT} characters, or its quote is not closed"
_FORMULA = re.compile("'*[=+\\-@\\t\\r\\n\\0＝＋－＠]")


class Fault(NamedTuple):
    row: int | None
    """From 0, as the platform counts them; None for the file or its header."""
    column: str | None
    line: int | None
    """Of the file, from 1."""
    msg: str
    path: Steps = ()
    """Where in the value, if it is JSON."""
    is_odd: bool = False
    """Rather odd than wrong."""

    @property
    def loc(self) -> list[str | int]:
        """Its place as the API writes it."""
        if self.row is None:
            return [] if self.column is None else ["header", self.column]
        return ["rows", self.row, *(() if self.column is None else (self.column,)), *self.path]

    def as_dict(self) -> dict[str, Any]:
        return {"row": self.row, "column": self.column, "line": self.line, "loc": self.loc, "msg": self.msg}


class Linted(NamedTuple):
    rows: int
    errors: list[Fault]
    """At most a thousand."""
    warnings: list[Fault]


def lint_seeds(path: Path) -> list[Fault]:
    """Say everything that is wrong with a CSV table, or a JSON or YAML list of seeds; empty if nothing is."""
    return look_at_seeds(path).errors


def look_at_seeds(path: Path) -> Linted:
    """Say everything that is wrong or odd. Raises CommandFailedError if the file cannot be read at all."""
    try:
        if path.stat().st_size > MOST_BYTES:
            return Linted(0, [Fault(None, None, None, "the file has more than 50 MiB; split it")], [])
        content = path.read_bytes()
    except OSError as error:
        raise CommandFailedError(f"{path} cannot be read: {error.strerror}.") from None
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        return Linted(0, [Fault(None, None, 1, "the file is UTF-16; save it as UTF-8")], [])
    if path.suffix.lower() in _YAML or path.suffix.lower() == ".json" or _begins_as_json(content):
        return _collect(_ListReader(path, content))
    return _collect(_TableReader(content))


def _begins_as_json(content: bytes) -> bool:
    return content.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] in (b"[", b"{")


def _collect(reader: "_TableReader | _ListReader") -> Linted:
    count, errors = 0, list[Fault]()
    of_table: set[tuple[str | None, str]] = set()
    """What is told once, however many rows it is about."""
    for found in reader.read():
        if isinstance(found, Fault) and found.is_odd:
            if len(reader.warnings) < MOST_FAULTS:
                reader.warnings.append(found)
        elif isinstance(found, Fault):
            if found.row is None and (found.column, found.msg) in of_table:
                continue
            of_table.add((found.column, found.msg))
            errors.append(found)
            if len(errors) >= MOST_FAULTS:
                break
        else:
            count = found
    if not count and not errors:
        errors.append(Fault(None, None, None, "there are no rows"))
    return Linted(count, errors, reader.warnings)


class _Stopped(Exception):  # noqa: N818 - not an error of ours: the file ends here for us
    def __init__(self, fault: Fault) -> None:
        self.fault = fault


class _TableReader:
    """CSV: the columns of the header, then row by row; gives faults, and after each row how many there are."""

    def __init__(self, content: bytes) -> None:
        csv.field_size_limit(MAX_TEXT + 1)
        # What is not UTF-8 becomes lone surrogates, so that its cell is known.
        text = io.TextIOWrapper(io.BytesIO(content), "utf-8-sig", errors="surrogateescape", newline="")
        self._reader = csv.reader(text, strict=True)
        self.warnings: list[Fault] = []

    def read(self) -> Iterator[Fault | int]:
        try:
            columns, faults = self._header()
            yield from faults
            if BY_NAME["user"] in columns:
                yield from self._rows(columns)
        except _Stopped as stopped:
            yield stopped.fault

    def _rows(self, columns: list[Column | str | None]) -> Iterator[Fault | int]:
        row = 0
        while (record := self._record(row)) is not None:
            line, cells = record
            if row >= MOST_ROWS:
                raise _Stopped(
                    Fault(None, None, line, f"there are more than {MOST_ROWS} rows; split the file")
                )
            if len(cells) != len(columns):
                message = (
                    f"has {len(cells)} cells, but there are {len(columns)} columns; quote cells with commas"
                )
                yield Fault(row, None, line, message)
            else:
                yield from _check_cells(row, line, columns, cells)
            row += 1
            yield row

    def _header(self) -> tuple[list[Column | str | None], list[Fault]]:
        record = self._record(None)
        if record is None:
            raise _Stopped(Fault(None, None, None, "the table is empty; its first line names the columns"))
        line, names = record[0], [name.strip() for name in record[1]]
        faults: list[Fault] = []
        columns: list[Column | str | None] = []
        """What each column stands for: a column of ours, the name of one for later, or nothing."""
        for name in names:
            columns.append(name if name in LATER else _column(name, names))
            fault = self._header_fault(name, names, line)
            if fault is not None:
                faults.append(fault)
        if BY_NAME["user"] not in columns:
            faults.append(Fault(None, "user", line, f"there is no column 'user'{_separators(names)}"))
        is_ambiguous = len(set(names)) < len(names)
        return [] if is_ambiguous else columns, faults

    def _header_fault(self, name: str, names: list[str], line: int) -> Fault | None:
        if not name:
            return Fault(None, None, line, "a column has no name")
        if (problem := _unreadable(name)) is not None:
            return Fault(None, shown(name), line, problem)
        if names.count(name) > 1:
            return Fault(None, name, line, f"two columns are called {shown(name)}")
        if name in BY_NAME or name in LATER:
            return None
        meant = meant_column(name)
        if meant is not None:
            return Fault(None, name, line, f"{shown(name)} is no column; did you mean {meant!r}?")
        message = f"column {shown(name)} is not known and left out{did_you_mean(name, BY_NAME)}"
        self.warnings.append(Fault(None, name, line, message))
        return None

    def _record(self, row: int | None) -> tuple[int, list[str]] | None:
        """Return the next record that is not blank, and the line it begins in."""
        while True:
            line = self._reader.line_num + 1
            try:
                cells = next(self._reader, None)
            except csv.Error as error:
                message = (
                    "a quote is not closed, or not followed by a comma; write a quote within quotes twice"
                )
                raise _Stopped(
                    Fault(row, None, line, _TOO_LONG if "limit" in str(error) else message)
                ) from None
            if cells is None:
                return None
            if row is not None:
                cells = [unguarded(cell) for cell in cells]
            if any(len(cell) > MAX_TEXT for cell in cells):
                raise _Stopped(Fault(row, None, line, _TOO_LONG))
            if cells:
                return line, cells


def unguarded(cell: str) -> str:
    """Take off the ' that keeps a spreadsheet from calculating a cell, as the platform does."""
    return cell[1:] if cell.startswith("'") and _FORMULA.match(cell) else cell


def _column(name: str, names: list[str]) -> Column | None:
    """Take a column for the one that is meant, so that its cells are looked at too."""
    meant = name if name in BY_NAME else meant_column(name)
    return BY_NAME[meant] if meant is not None and (meant == name or meant not in names) else None


def _not_yet(name: str, line: int | None) -> Fault:
    return Fault(None, name, line, f"{name} is not available yet; leave it out")


def _check_cells(
    row: int, line: int, columns: list[Column | str | None], cells: list[str]
) -> Iterator[Fault]:
    seed: dict[str, Any] = {}
    unread: set[str] = set()
    for column, cell in zip(columns, cells, strict=True):
        if isinstance(column, str) and cell:
            yield _not_yet(column, line)
        if column is None or isinstance(column, str):
            continue
        problem = _unreadable(cell)
        if problem is None and column.is_json and cell.strip():
            try:
                seed[column.name] = read_strictly(cell)
            except NotJsonError as error:
                problem = f"is not JSON: {error}"
        elif problem is None and (column.name in ("user", "behavior") or cell.strip()):
            seed[column.name] = cell
        if problem is not None:
            unread.add(column.name)
            yield Fault(row, column.name, line, problem)
    yield from _check_seed(row, line, seed, unread, {column.name: column.name for column in COLUMNS})


def _check_seed(
    row: int, line: int | None, seed: Mapping[str, Any], unread: set[str], names: Mapping[str, str]
) -> Iterator[Fault]:
    """Check values by column; `names` is what each column is called where they are written."""
    for name, column in BY_NAME.items():
        if name in unread or (name not in seed and name != "user"):
            continue
        value = seed.get(name)
        if value in (None, "") and name != "user":
            continue
        if name == "user" and value is None:
            yield Fault(row, names[name], line, "is missing; say what the agent is asked to do")
            continue
        for path, message in column.check(value):
            yield Fault(row, names[name], line, message, path)
        if name == "behavior":
            yield from _check_behaviour(row, names[name], line, value)
    if seed.get("world") not in EMPTY:
        for name in FROM_WORLD:
            if seed.get(name) not in EMPTY:
                yield Fault(row, names[name], line, f"comes from the world; leave it or {names['world']} out")


def _check_behaviour(row: int, name: str, line: int | None, value: Any) -> Iterator[Fault]:
    for path, message in faulty_rules(value):
        yield Fault(row, name, line, message, path)
    for odd in odd_lines(value):
        message = f"line {odd.number} of the behaviour {odd.msg}"
        yield Fault(row, name, line, message, is_odd=True)


class _ListReader:
    """JSON or YAML: a list of seeds, whose members have the names of the API."""

    def __init__(self, path: Path, content: bytes) -> None:
        self._path = path
        self._content = content
        self.warnings: list[Fault] = []

    def read(self) -> Iterator[Fault | int]:
        row = 0
        try:
            text = self._text()
            items = _yaml_items(self._path, text) if self._path.suffix.lower() in _YAML else _json_items(text)
            for line, item in items:
                if row >= MOST_ROWS:
                    raise _Stopped(
                        Fault(None, None, line, f"there are more than {MOST_ROWS} rows; split them")
                    )
                yield from _check_item(row, line, item)
                row += 1
                yield row
        except _Stopped as stopped:
            yield stopped.fault

    def _text(self) -> str:
        try:
            return self._content.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            line = self._content.count(b"\n", 0, error.start) + 1
            raise _Stopped(Fault(None, None, line, "the file is not UTF-8 here; save it as UTF-8")) from None


def _json_items(text: str) -> Iterator[tuple[int, Any]]:
    """Give each item of a list with its line."""
    at, line, counted = skip_space(text, 0), 1, 0
    if text[at : at + 1] != "[":
        raise _Stopped(
            Fault(None, None, None, "must be a list of seeds, each an object with user_instruction")
        )
    at = skip_space(text, at + 1)
    is_over = text[at : at + 1] == "]"
    while not is_over:
        at = skip_space(text, at)
        line, counted = line + text.count("\n", counted, at), at
        try:
            item, end = read_next(text, at)
        except NotJsonError as error:
            raise _Stopped(Fault(None, None, line, f"is not JSON: {error}")) from None
        yield line, item
        at = skip_space(text, end)
        if text[at : at + 1] not in (",", "]"):
            raise _Stopped(Fault(None, None, line, "is not JSON: after this seed comes neither ',' nor ']'"))
        is_over = text[at] == "]"
        at += 1
    if skip_space(text, at if text[at - 1] == "]" else at + 1) < len(text):
        raise _Stopped(Fault(None, None, None, "is not JSON: something follows the list"))


def _yaml_items(path: Path, text: str) -> Iterator[tuple[int, Any]]:
    try:
        items = read_document(path)
    except CommandFailedError as error:
        raise _Stopped(Fault(None, None, None, str(error).rstrip("."))) from None
    if not isinstance(items, list):
        message = "must be a list of seeds, each an object with user_instruction"
        raise _Stopped(Fault(None, None, None, message))
    node = yaml.compose(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    yield from ((place.start_mark.line + 1, item) for place, item in zip(node.value, items, strict=True))


def _check_item(row: int, line: int, item: Any) -> Iterator[Fault]:
    if not isinstance(item, dict):
        yield Fault(row, None, line, f"a seed is an object with at least user_instruction, not {shown(item)}")
        return
    seed: dict[str, Any] = {}
    for member, value in item.items():
        column = BY_MEMBER.get(member)
        if column is not None:
            seed[column.name] = value
            continue
        if member in LATER:
            yield _not_yet(member, line)
            continue
        meant = BY_NAME[member].member if member in BY_NAME else None
        hint = f"; did you mean {meant!r}?" if meant else did_you_mean(member, BY_MEMBER)
        yield Fault(row, member, line, f"a seed has no member {shown(member)}{hint}")
    yield from _check_seed(row, line, seed, set(), {column.name: column.member for column in COLUMNS})


def _separators(names: list[str]) -> str:
    if len(names) == 1 and (";" in names[0] or "\t" in names[0]):
        return "; separate the columns by commas"
    return "; it holds what the agent is asked to do"


def _unreadable(cell: str) -> str | None:
    if "\0" in cell:
        return "holds the NUL character; save the table as UTF-8"
    if not cell.isascii() and any("\ud800" <= char <= "\udfff" for char in cell):
        return "is not UTF-8; save the table as UTF-8"
    return None
