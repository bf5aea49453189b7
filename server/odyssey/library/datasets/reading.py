"""Reading rows into seeds, with every fault at its row and column."""

import re
from collections.abc import Iterator
from functools import partial
from typing import Any, NamedTuple

import msgspec

from odyssey.core.errors import NotAvailableYetError, OdysseyError, ValidationFailedError
from odyssey.library.datasets.columns import BY_MEMBER, BY_NAME, COLUMNS, NOTHING
from odyssey.library.datasets.errors import CsvInvalidError
from odyssey.library.datasets.references import Referred
from odyssey.library.datasets.sources import GivenRow, RowSource
from odyssey.library.datasets.spool import SpoolWriter
from odyssey.library.datasets.unclear import FirstUnclear
from odyssey.library.seeds import Seed, read_seed
from odyssey.library.tables import MAX_FIELD
from odyssey.records.faults import Faults, shown
from odyssey.records.problems import FaultList, FieldError

_MEMBER = re.compile(r"\b(user_instruction|behavior_instructions|initial_state|world_id)\b")
_TEXTS = ("user_instruction", "behavior_instructions")


class ReadRow(NamedTuple):
    position: int
    seed: Seed | None
    """None if there are errors."""
    errors: FaultList
    later: frozenset[str]
    filled: frozenset[str]
    """The columns it says something in."""
    size: int


class Checked(NamedTuple):
    """What a first look at all rows says."""

    row_count: int
    columns: list[str]
    errors: FaultList
    warnings: list[FieldError]
    later: list[str]

    def refusal(self, *, is_csv: bool) -> OdysseyError | None:
        if self.errors:
            return CsvInvalidError(self.errors) if is_csv else ValidationFailedError(self.errors)
        return NotAvailableYetError(self.later) if self.later else None


def read_rows(source: RowSource, referred: Referred, faults: Faults) -> Iterator[ReadRow]:
    """Give every row. Of rows that are no rows the faults are collected aside."""
    for given in source.rows(faults):
        if given.seed is None:
            yield ReadRow(given.position, None, FaultList(), frozenset(), frozenset(), given.size)
        else:
            yield _read(given, referred, is_csv=source.is_csv)


def check_rows(
    source: RowSource, referred: Referred, faults: Faults, spool: SpoolWriter | None = None
) -> Checked:
    """Look at all rows; as long as there is no fault they go to the spool, if there is one."""
    count, filled, later = 0, set[str](), set[str]()
    unclear = FirstUnclear()
    for row in read_rows(source, referred, faults):
        count += 1
        filled |= row.filled
        later |= row.later
        if spool is not None and row.seed is not None and not faults.found:
            spool.add(row.position, row.seed, row.size)
            unclear.look(row.position, row.seed)
        faults.found += row.errors.under("rows", row.position)
    if not count and not faults.found:
        faults.add("there are no rows", "rows")
    columns = [column.name for column in COLUMNS if column.name in filled]
    warnings = [*source.warnings, *unclear.warnings]
    return Checked(count, columns, faults.found, warnings, sorted(later))


def _read(given: GivenRow, referred: Referred, *, is_csv: bool) -> ReadRow:
    raw, errors = given.seed, FaultList(given.errors)
    if given.world is not None:
        found = referred.by_text[given.world]
        if isinstance(found, int):
            raw["world_id"] = found
        else:
            errors.append(FieldError(loc=("world",), msg=found))
    read = read_seed(raw, None, referred.worlds)
    errors += read.errors.each(_of_column if is_csv else _of_member)
    if not errors and read.seed is not None:
        errors += _own_limits(raw, read.seed, given.size)
    if given.line is not None:
        errors = errors.each(partial(_at_line, given.line))
    seed = None if errors else read.seed
    return ReadRow(given.position, seed, errors, read.later, _filled(raw), given.size)


def _at_line(line: int, error: FieldError) -> FieldError:
    return FieldError(error.loc, f"line {line}: {error.msg}", error.tool)


def _filled(raw: Any) -> frozenset[str]:
    if not isinstance(raw, dict):
        return frozenset()
    given = (member for member, value in raw.items() if value not in NOTHING)
    return frozenset(BY_MEMBER[member].name for member in given if member in BY_MEMBER)


def _own_limits(raw: dict[str, Any], seed: Seed, size: int) -> list[FieldError]:
    """Find what no table could hold: a dataset can always be had as one."""
    errors = [
        FieldError(loc=(member,), msg=f"{member} must not contain the NUL character")
        for member in _TEXTS
        if "\0" in getattr(seed, member)
    ]
    for member, value in raw.items() if size > MAX_FIELD else ():
        length = len(value) if isinstance(value, str) else len(msgspec.json.encode(value))
        if length > MAX_FIELD:
            errors.append(
                FieldError(loc=(member,), msg=f"{member} has {length} characters; at most {MAX_FIELD}")
            )
    return errors


def _of_column(error: FieldError) -> FieldError:
    """Say it in the words of the table."""
    member, *path = error.loc
    column = BY_MEMBER.get(str(member))
    if column is None:
        return error
    message = error.msg if path else _MEMBER.sub(lambda found: BY_MEMBER[found[0]].name, error.msg)
    return FieldError(loc=(column.name, *path), msg=message, tool=error.tool)


def _of_member(error: FieldError) -> FieldError:
    """Help those who write the names of columns where JSON has members."""
    column = BY_NAME.get(str(error.loc[0])) if len(error.loc) == 1 else None
    if column is None or column.name == column.member:
        return error
    message = f"a row has no member {shown(column.name)}; in JSON it is {column.member!r}"
    return FieldError(loc=error.loc, msg=message)
