"""Datasets and their rows as the API shows them; also as files that can be uploaded again."""

from collections.abc import AsyncIterator, Collection, Sequence
from typing import Any

import msgspec
from sqlalchemy.ext.asyncio import AsyncSession

from odyssey.core.database import Database
from odyssey.library.datasets.columns import COLUMNS, NOTHING, Column
from odyssey.library.datasets.repository import StoredRow, load_rows, row_sizes
from odyssey.library.datasets.schemas import DatasetOut
from odyssey.library.models import Dataset
from odyssey.library.tables import csv_line

_ROWS_AT_ONCE = 200
_SIZE_AT_ONCE = 4 * 1024 * 1024
_EMPTY_STATE = "{}"


def shown(dataset: Dataset) -> DatasetOut:
    return DatasetOut.model_validate(dataset, from_attributes=True)


async def page_of_rows(
    session: AsyncSession, dataset: Dataset, *, start: int, limit: int
) -> Sequence[StoredRow]:
    """Read rows from a position on; a page of large rows ends early, but never empty while rows are left."""
    sizes = await row_sizes(session, dataset.id, dataset.revision, start=start, limit=limit)
    taken, size = start - 1, 0
    for position, length in sizes:
        size += length
        if size > _SIZE_AT_ONCE and taken >= start:
            break
        taken = position
    if taken < start:
        return []
    return await load_rows(session, dataset.id, dataset.revision, first=start, last=taken)


async def all_rows(database: Database, dataset: Dataset) -> AsyncIterator[Sequence[StoredRow]]:
    """Give all rows, some at a time. A revision never changes, so nothing is held between."""
    position = 0
    while position < dataset.row_count:
        async with database.read() as session:
            rows = await page_of_rows(session, dataset, start=position, limit=_ROWS_AT_ONCE)
        yield rows
        position += len(rows)


def values(row: StoredRow, columns: Collection[str]) -> dict[str, Any]:
    """Return what a row says, by column. An expected outcome stands where anybody wrote one."""
    found = {column.name: _value(row, column) for column in COLUMNS if column.name in columns}
    return {name: value for name, value in found.items() if value is not None}


async def as_csv(database: Database, dataset: Dataset, *, formula_safe: bool) -> AsyncIterator[bytes]:
    columns = [column for column in COLUMNS if column.name in dataset.columns]
    yield csv_line([column.name for column in columns], formula_safe=formula_safe).encode("utf-8")
    async for rows in all_rows(database, dataset):
        lines = (
            csv_line([_cell(_value(row, column)) for column in columns], formula_safe=formula_safe)
            for row in rows
        )
        yield "".join(lines).encode("utf-8")


async def as_json(database: Database, dataset: Dataset) -> AsyncIterator[bytes]:
    columns = [column for column in COLUMNS if column.name in dataset.columns]
    before = b"[\n"
    async for rows in all_rows(database, dataset):
        for row in rows:
            members = {column.member: _value(row, column) for column in columns}
            yield before + msgspec.json.encode(
                {name: value for name, value in members.items() if value is not None}
            )
            before = b",\n"
    yield b"\n]\n"


def _value(row: StoredRow, column: Column) -> Any:
    """None if the row says nothing there."""
    if column.member == "initial_state":
        return None if row.state in (None, _EMPTY_STATE) else msgspec.Raw(row.state.encode("utf-8"))
    value = row.seed.get(column.member)
    return None if value in NOTHING else value


def _cell(value: Any) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else msgspec.json.encode(value).decode("utf-8")
