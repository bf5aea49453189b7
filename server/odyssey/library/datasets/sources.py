"""Rows as they are sent: a CSV table or a JSON list. Read one at a time, as often as wanted."""

from collections.abc import Iterator
from typing import Any, NamedTuple, Protocol

import msgspec

from odyssey.core.errors import JsonRefusedError, ValidationFailedError
from odyssey.kit.ids import MAX_INTEGER_ID
from odyssey.kit.json_reader import JsonInvalidError, read_json
from odyssey.library.datasets.columns import BY_NAME, MAX_ROWS, Column, CsvTooLargeError, meant_column
from odyssey.library.seeds import read_seed
from odyssey.library.tables import Table, TableRow
from odyssey.records.faults import Faults, did_you_mean, shown
from odyssey.records.problems import FieldError

_MOST_WARNINGS = 100


class GivenRow(NamedTuple):
    position: int
    line: int | None
    """Of the file it comes from, if lines say anything about it."""
    seed: Any
    """As a request for runs would give it, but for the world of a table; None if the row cannot be read."""
    world: str | None
    """As a table names it: by id or by name."""
    errors: list[FieldError]
    """Of cells that are not what their column wants; each is located within the row."""
    size: int


class RowSource(Protocol):
    is_csv: bool
    warnings: list[FieldError]

    def rows(self, faults: Faults) -> Iterator[GivenRow]:
        """Give every row; what is wrong with their form goes to `faults`."""

    def worlds(self) -> tuple[set[str], set[int]]:
        """Return the worlds that rows speak of, by what a table says and by id."""


class CsvSource:
    is_csv = True

    def __init__(self, body: bytes, faults: Faults) -> None:
        self._table = Table(body, faults, guarded=True)
        self.warnings: list[FieldError] = []
        self._columns: list[Column | str | None] = []
        """What each column stands for: a column of ours, the name of one for later, or nothing."""
        if self._table.header:
            self._columns = [self._understand(*each, faults) for each in enumerate(self._table.header)]
            if BY_NAME["user"] not in self._columns:
                self._columns = []
                faults.add(f"line 1: there is no column 'user'{_hint(self._table.header)}", "header", "user")

    def rows(self, faults: Faults) -> Iterator[GivenRow]:
        if not self._columns:
            return
        for row in self._table.rows(faults):
            if row.position >= MAX_ROWS:
                raise CsvTooLargeError
            yield self._read(row)

    def worlds(self) -> tuple[set[str], set[int]]:
        column = BY_NAME["world"]
        if column not in self._columns:
            return set(), set()
        at = self._columns.index(column)
        rows = self._table.rows(Faults(limit=0))
        texts = {row.cells[at] for row in rows if row.cells is not None and row.position < MAX_ROWS}
        return {text for text in texts if text.strip()}, set()

    def _understand(self, position: int, name: str, faults: Faults) -> Column | str | None:
        if name in BY_NAME:
            return BY_NAME[name]
        if name in read_seed({name: ""}, None, {}).later:
            return name
        meant = meant_column(name)
        if meant is not None:
            faults.add(f"line 1: {name!r} is no column; did you mean {meant!r}?", "header", position)
            return BY_NAME[meant] if meant not in self._table.header else None
        if len(self.warnings) < _MOST_WARNINGS:
            hint = did_you_mean(name, BY_NAME)
            message = f"column {shown(name)} is not known and left out{hint}"
            self.warnings.append(FieldError(loc=("header", position), msg=message))
        return None

    def _read(self, row: TableRow) -> GivenRow:
        if row.cells is None:
            return GivenRow(row.position, row.line, None, None, [], 0)
        seed: dict[str, Any] = {}
        world: str | None = None
        errors: list[FieldError] = []
        for column, cell in zip(self._columns, row.cells, strict=True):
            if column is None or not cell or (isinstance(column, Column) and _is_blank(column, cell)):
                continue
            if isinstance(column, str):
                seed[column] = cell
            elif column.name == "world":
                world = cell
            elif not column.is_json:
                seed[column.member] = cell
            else:
                try:
                    seed[column.member] = read_json(cell)
                except JsonInvalidError as error:
                    errors.append(FieldError(loc=(column.name,), msg=f"{column.name} is not JSON: {error}"))
        return GivenRow(row.position, row.line, seed, world, errors, sum(map(len, row.cells)))


class JsonSource:
    is_csv = False

    def __init__(self, body: bytes) -> None:
        self._rows = _listed(body)
        self.warnings: list[FieldError] = []
        if len(self._rows) > MAX_ROWS:
            raise CsvTooLargeError

    def rows(self, faults: Faults) -> Iterator[GivenRow]:  # noqa: ARG002  a list has no form to get wrong
        for position, raw in enumerate(self._rows):
            text = bytes(raw)
            try:
                seed = read_json(text)
            except JsonInvalidError as error:
                raise JsonRefusedError(
                    f"The body is not valid JSON: {error}, within row {position}."
                ) from error
            yield GivenRow(position, None, [] if seed is None else seed, None, [], len(text))

    def worlds(self) -> tuple[set[str], set[int]]:
        return set(), {found for raw in self._rows if (found := _world_of(raw)) is not None}


def _listed(body: bytes) -> list[msgspec.Raw]:
    """Find the rows without reading them."""
    try:
        return msgspec.json.decode(body, type=list[msgspec.Raw])
    except msgspec.ValidationError:
        pass
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise _not_json(error) from error
    try:
        msgspec.json.decode(body, type=msgspec.Raw)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise _not_json(error) from error
    message = "send a list of rows, each an object with at least user_instruction"
    raise ValidationFailedError([FieldError(loc=("body",), msg=message)])


def _not_json(error: Exception) -> JsonRefusedError:
    message = "nested too deeply" if isinstance(error, RecursionError) else str(error)
    return JsonRefusedError(f"The body is not valid JSON: {message}.")


class _WorldOnly(msgspec.Struct):
    world_id: int | None = None


def _world_of(raw: msgspec.Raw) -> int | None:
    """Look at one member only; whatever is wrong with the row is found when it is read."""
    try:
        found = msgspec.json.decode(raw, type=_WorldOnly).world_id
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    return found if found is not None and 0 < found <= MAX_INTEGER_ID else None


def _is_blank(column: Column, cell: str) -> bool:
    """Text is kept as it stands; around everything else space means nothing."""
    return (column.is_json or column.name == "world") and not cell.strip()


def _hint(header: list[str]) -> str:
    if len(header) == 1 and (";" in header[0] or "\t" in header[0]):
        return "; separate the columns by commas"
    near = [name for name in header if name not in BY_NAME and did_you_mean(name, ["user"])]
    return f"; did you mean {shown(near[0])}?" if near else "; it holds what the agent is asked to do"
