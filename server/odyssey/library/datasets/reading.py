"""From rows as they come to rows ready to be stored, with every fault at its row and column."""

import re
import tempfile
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice
from typing import Any, NamedTuple, TypeVar

import msgspec
from sqlalchemy.ext.asyncio import AsyncSession

from odyssey.core.errors import NotAvailableYetError, OdysseyError, ValidationFailedError
from odyssey.grading.checks import ChecksVersion, depend_on_version
from odyssey.kit.ids import MAX_INTEGER_ID
from odyssey.library.datasets.columns import BY_MEMBER, BY_NAME, COLUMNS, NOTHING, CsvInvalidError
from odyssey.library.datasets.repository import worlds_by_name
from odyssey.library.datasets.sources import GivenRow, RowSource
from odyssey.library.named_worlds.keep import seed_worlds
from odyssey.library.seeds import Seed, SeedWorld, read_seed
from odyssey.library.tables import MAX_FIELD
from odyssey.library.unclear import FirstUnclear
from odyssey.records.faults import Faults, shown
from odyssey.records.problems import FaultList, FieldError
from odyssey.records.tools import LedgerSchema

# The named worlds that rows speak of, looked up once: by id, or in a table also by name.

_AT_ONCE = 1000

Key = TypeVar("Key", str, int)


class WorldLookup(NamedTuple):
    worlds: Mapping[int, SeedWorld]
    by_text: Mapping[str, int | str]
    """The id, or what is wrong with what a table says."""


async def look_up(
    session: AsyncSession,
    org_id: int,
    spoken_of: tuple[set[str], set[int]],
    schema: LedgerSchema | None = None,
) -> WorldLookup:
    """Find the worlds that rows speak of, by text or by id, as they are now.

    A row goes by what its world holds when it is uploaded.
    """
    texts, ids = spoken_of
    named = {text: _as_id(text) for text in texts}
    worlds = await _worlds(session, org_id, ids | set(filter(None, named.values())), schema)
    others = [text for text, world_id in named.items() if world_id not in worlds]
    by_name: dict[str, list[int]] = {}
    for part in _parts(others):
        by_name |= await worlds_by_name(session, org_id, part)
    worlds |= await _worlds(
        session, org_id, {found[0] for found in by_name.values() if len(found) == 1}, schema
    )
    by_text: dict[str, int | str] = {text: _by_name(text, by_name.get(text, [])) for text in others}
    for text, world_id in named.items():
        if world_id is not None and text not in by_text:
            by_text[text] = world_id
    return WorldLookup(worlds, by_text)


async def _worlds(
    session: AsyncSession, org_id: int, ids: Collection[int], schema: LedgerSchema | None
) -> dict[int, SeedWorld]:
    found: dict[int, SeedWorld] = {}
    for part in _parts(ids):
        found |= await seed_worlds(session, org_id, part, schema)
    return found


def _as_id(text: str) -> int | None:
    plain = text.strip()
    if not plain.isascii() or not plain.isdecimal() or len(plain) > len(str(MAX_INTEGER_ID)):
        return None
    return int(plain) if 0 < int(plain) <= MAX_INTEGER_ID else None


def _by_name(text: str, found: list[int]) -> int | str:
    if len(found) == 1:
        return found[0]
    if not found:
        return f"there is no world {shown(text)}; write the id or the exact name of one"
    ids = ", ".join(map(str, found[:5]))
    return f"{len(found)} worlds are called {shown(text)}; write the id of one: {ids}"


def _parts(values: Collection[Key]) -> Iterator[list[Key]]:
    rest = iter(values)
    while part := list(islice(rest, _AT_ONCE)):
        yield part


# Rows made ready to be stored, on disk until they are: a transaction then only writes, and memory stays bounded.

_ROWS_AT_ONCE = 500
_SIZE_AT_ONCE = 4 * 1024 * 1024
_LENGTH_BYTES = 8


class ReadyRow(msgspec.Struct, array_like=True):
    position: int
    seed: bytes
    """As `Seed.stored()`, in JSON."""
    initial_state_hash: str
    conduct_hash: str | None
    row_hash: str


class SpoolPart(msgspec.Struct, array_like=True):
    rows: list[ReadyRow]
    documents: dict[str, str]
    """Initial states by hash, each once."""


class SpoolWriter:
    """Writes rows to the file of a spool, in whatever process they are read. Use it in `with`."""

    def __init__(self, path: str) -> None:
        self._file = open(path, "wb")  # noqa: SIM115  `__exit__` closes it
        self._part = SpoolPart([], {})
        self._size = 0

    def __enter__(self) -> "SpoolWriter":
        return self

    def __exit__(self, *error: object) -> None:
        self._put_away()
        self._file.close()

    def add(self, position: int, seed: Seed, size: int) -> None:
        self._part.rows.append(_ready(position, seed, self._part.documents))
        self._size += size
        if len(self._part.rows) >= _ROWS_AT_ONCE or self._size >= _SIZE_AT_ONCE:
            self._put_away()

    def _put_away(self) -> None:
        if self._part.rows:
            packed = msgspec.msgpack.encode(self._part)
            self._file.write(len(packed).to_bytes(_LENGTH_BYTES))
            self._file.write(packed)
        self._part, self._size = SpoolPart([], {}), 0


class Spool:
    """Reads rows that were written, some at a time. Use it in `with`: its file ends with the block."""

    def __init__(self) -> None:
        self._file = tempfile.NamedTemporaryFile()  # noqa: SIM115  `__exit__` closes it

    def __enter__(self) -> "Spool":
        return self

    def __exit__(self, *error: object) -> None:
        self._file.close()

    @property
    def path(self) -> str:
        return self._file.name

    def next_part(self) -> SpoolPart | None:
        length = self._file.read(_LENGTH_BYTES)
        if not length:
            return None
        return msgspec.msgpack.decode(self._file.read(int.from_bytes(length)), type=SpoolPart)


def _ready(position: int, seed: Seed, documents: dict[str, str]) -> ReadyRow:
    if seed.world is None:
        documents[seed.initial_state.hash] = seed.initial_state.text
        state_hash, conduct_hash = seed.initial_state.hash, None
    else:
        state_hash, conduct_hash = seed.world.state_hash, seed.world.conduct_hash
    row_hash = seed.row_hash(state_hash, conduct_hash)
    return ReadyRow(position, msgspec.json.encode(seed.stored()), state_hash, conduct_hash, row_hash)


# Reading rows into seeds, with every fault at its row and column.

_MEMBER = re.compile(r"\b(user_instruction|behavior_instructions|initial_state|world_id)\b")
_TEXTS = ("user_instruction", "behavior_instructions")


_UNSAID_VERSION: ChecksVersion = 1
"""Of checks in a file that does not say: files from before there was a second keep their meaning."""


class ReadRow(NamedTuple):
    position: int
    seed: Seed | None
    """None if there are errors."""
    errors: FaultList
    later: frozenset[str]
    filled: frozenset[str]
    """The columns it says something in."""
    size: int


class TableCheck(NamedTuple):
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


def read_rows(source: RowSource, referred: WorldLookup, faults: Faults) -> Iterator[ReadRow]:
    """Give every row. Of rows that are no rows the faults are collected aside."""
    for given in source.rows(faults):
        if given.seed is None:
            yield ReadRow(given.position, None, FaultList(), frozenset(), frozenset(), given.size)
        else:
            yield _read(given, referred, is_csv=source.is_csv)


def check_rows(
    source: RowSource,
    referred: WorldLookup,
    faults: Faults,
    spool: SpoolWriter | None = None,
    look: Callable[[int, Seed], None] | None = None,
) -> TableCheck:
    """Look at all rows; as long as there is no fault they go to the spool, if there is one.

    `look` gets every row that is without a fault of its own.
    """
    count, filled, later = 0, set[str](), set[str]()
    unclear = FirstUnclear()
    unversioned: list[int] = []
    for row in read_rows(source, referred, faults):
        count += 1
        filled |= row.filled
        later |= row.later
        if look is not None and row.seed is not None:
            look(row.position, row.seed)
        if spool is not None and row.seed is not None and not faults.found:
            spool.add(row.position, row.seed, row.size)
            unclear.look(row.position, row.seed)
        if row.seed is not None and "checks_version" not in row.filled and depend_on_version(row.seed.checks):
            unversioned.append(row.position)
        faults.found += row.errors.under("rows", row.position)
    if not count and not faults.found:
        faults.add("there are no rows", "rows")
    columns = [column.name for column in COLUMNS if column.name in filled]
    warnings = [*source.warnings, *unclear.warnings, *_of_old_meaning(unversioned)]
    return TableCheck(count, columns, faults.found, warnings, sorted(later))


def _of_old_meaning(rows: Sequence[int]) -> list[FieldError]:
    """Say once of all rows that do not say what their checks of calls mean."""
    if not rows:
        return []
    message = (
        f"{'one row has' if len(rows) == 1 else f'{len(rows)} rows have'} checks of calls and no checks_version, so a "
        "call that failed counts as done. Write checks_version 2 to have only calls that succeed count, "
        'and "outcome": "any" at a check where a failed one should.'
    )
    return [FieldError(loc=("rows", rows[0], "checks_version"), msg=message)]


def _read(given: GivenRow, referred: WorldLookup, *, is_csv: bool) -> ReadRow:
    raw, errors = given.seed, FaultList(given.errors)
    if given.world is not None:
        found = referred.by_text[given.world]
        if isinstance(found, int):
            raw["world_id"] = found
        else:
            errors.append(FieldError(loc=("world",), msg=found))
    read = read_seed(raw, None, referred.worlds, checks_version=_UNSAID_VERSION)
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
