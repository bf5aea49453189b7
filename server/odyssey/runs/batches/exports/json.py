"""A batch as one JSON document: what `GET /api/batches/{id}` says, and its runs."""

from collections.abc import AsyncIterator

import msgspec

from odyssey.core.database import Database
from odyssey.runs.batches.exports.runs import exported_runs
from odyssey.runs.batches.schemas import BatchOut


async def json_export(database: Database, batch: BatchOut) -> AsyncIterator[bytes]:
    yield b'{"batch": ' + batch.model_dump_json(by_alias=True).encode() + b',\n"runs": ['
    before = b"\n"
    async for page in exported_runs(database, batch.id):
        yield before + b",\n".join(map(msgspec.json.encode, page))
        before = b",\n"
    yield b"\n]}\n"
