"""The runs of a batch as a table that does nothing in a spreadsheet."""

import csv
import io
from collections.abc import AsyncIterator, Iterable

import msgspec

from odyssey.core.database import Database
from odyssey.library.tables import guarded
from odyssey.runs.batches.exports.runs import ExportedRun, exported_runs


async def csv_export(database: Database, batch_id: int) -> AsyncIterator[bytes]:
    yield _lines([ExportedRun.__struct_fields__])
    async for page in exported_runs(database, batch_id):
        yield csv_lines(page)


def csv_lines(runs: Iterable[ExportedRun]) -> bytes:
    return _lines(map(_cells, runs))


def _cells(run: ExportedRun) -> list[str]:
    return ["" if value is None else guarded(str(value)) for value in msgspec.structs.astuple(run)]


def _lines(rows: Iterable[Iterable[str]]) -> bytes:
    """Quote every cell (RFC 4180): in some countries a spreadsheet would part them at a semicolon."""
    text = io.StringIO(newline="")
    csv.writer(text, quoting=csv.QUOTE_ALL).writerows(rows)
    return text.getvalue().encode("utf-8")
