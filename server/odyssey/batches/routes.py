"""Batches over HTTP: many runs asked for at once."""

from collections.abc import AsyncIterator
from typing import Annotated, Any, Literal

from fastapi import Query, Response
from fastapi.responses import StreamingResponse

from odyssey.batches.cancel import cancel_batch
from odyssey.batches.compare import compare
from odyssey.batches.exports.junit import junit_export
from odyssey.batches.exports.junit_xml import tally_of
from odyssey.batches.exports.runs import csv_export, json_export
from odyssey.batches.render import batch_out, batches_out
from odyssey.batches.repository import BATCH_ORDER, BatchFilter, get_batch, list_batches
from odyssey.batches.row_schemas import BatchRowsPage, ComparisonOut
from odyssey.batches.rows import rows_page
from odyssey.batches.schemas import BatchesPage, BatchOut
from odyssey.core.depends import (
    ClockDep,
    Cursor,
    DatabaseDep,
    Limit,
    ObjectId,
    ReadSession,
    SignalsDep,
    SortedCursor,
    WriteSession,
)
from odyssey.core.paging import PageRequest, start_of
from odyssey.identity.guard import GuardedRouter, Member, Viewer
from odyssey.kit.pagination import DEFAULT_LIMIT

router = GuardedRouter(prefix="/api/batches", tags=["batches"])

Number = Annotated[int | None, Query(ge=1, le=2**63 - 1)]
Format = Literal["csv", "json", "junit"]
_FILES: dict[int | str, dict[str, Any]] = {
    200: {
        "content": {
            "text/csv": {"schema": {"type": "string"}},
            "application/json": {"schema": {"type": "object", "required": ["batch", "runs"]}},
            "application/xml": {"schema": {"type": "string"}},
        }
    }
}


@router.get("")
async def get_batches(
    caller: Viewer,
    session: ReadSession,
    cursor: SortedCursor = None,
    limit: Limit = DEFAULT_LIMIT,
    sort: Annotated[str | None, BATCH_ORDER] = None,
    agent_id: Number = None,
    dataset_id: Number = None,
) -> BatchesPage:
    """List batches, newest first or sorted.

    A request for runs makes one when it has a dataset or makes more than one run.
    """
    wanted = BatchFilter(agent_id=agent_id, dataset_id=dataset_id)
    page = await list_batches(session, caller.org_id, PageRequest(limit, cursor, sort), wanted)
    return BatchesPage(items=await batches_out(session, page.items), next_cursor=page.next_cursor)


@router.get("/{batch_id}")
async def get_one_batch(batch_id: ObjectId, caller: Viewer, session: ReadSession) -> BatchOut:
    return await batch_out(session, await get_batch(session, caller.org_id, batch_id))


@router.post("/{batch_id}/cancel")
async def cancel_one_batch(
    batch_id: ObjectId,
    caller: Member,
    session: WriteSession,
    signals: SignalsDep,
    clock: ClockDep,
) -> BatchOut:
    """End a batch: no more runs are made, those that wait are cancelled, and so is soon every one that goes on."""
    return await batch_out(session, await cancel_batch(session, signals, clock, caller, batch_id))


@router.get("/{batch_id}/rows")
async def get_rows(
    batch_id: ObjectId,
    caller: Viewer,
    session: ReadSession,
    cursor: Cursor = None,
    limit: Limit = DEFAULT_LIMIT,
) -> BatchRowsPage:
    """List the rows in their order, each with the runs of all its repeats."""
    after = start_of(cursor)
    batch = await get_batch(session, caller.org_id, batch_id)
    return await rows_page(session, batch, after=-1 if after is None else after, limit=limit)


@router.get("/{batch_id}/export", response_class=StreamingResponse, responses=_FILES)
async def export_batch(
    batch_id: ObjectId,
    caller: Viewer,
    session: ReadSession,
    database: DatabaseDep,
    file_format: Annotated[Format, Query(alias="format")] = "csv",
) -> Response:
    """Download the runs: a table that is safe in spreadsheets, JSON, or JUnit XML for continuous integration."""
    batch = await get_batch(session, caller.org_id, batch_id)
    if file_format == "csv":
        return _file(f"batch-{batch_id}.csv", "text/csv", csv_export(database, batch_id))
    shown = await batch_out(session, batch)
    if file_format == "json":
        return _file(f"batch-{batch_id}.json", "application/json", json_export(database, shown))
    junit = junit_export(database, shown, await tally_of(session, batch_id))
    return _file(f"batch-{batch_id}.xml", "application/xml", junit)


@router.get("/{batch_id}/compare")
async def compare_batches(
    batch_id: ObjectId,
    caller: Viewer,
    session: ReadSession,
    other: Annotated[ObjectId, Query(alias="with", description="The batch that is held against this one.")],
    cursor: Cursor = None,
    limit: Limit = DEFAULT_LIMIT,
) -> ComparisonOut:
    """Hold another batch (b, say of the new version) against this one (a), by the rows that both have.

    Rows are the same when they say the same. A regression passes less often in b than in a.
    """
    a = await get_batch(session, caller.org_id, batch_id)
    b = await get_batch(session, caller.org_id, other)
    return await compare(session, a, b, start=start_of(cursor) or 0, limit=limit)


def _file(name: str, media_type: str, content: AsyncIterator[bytes]) -> Response:
    headers = {"Content-Disposition": f'attachment; filename="{name}"', "Cache-Control": "no-store"}
    return StreamingResponse(content, media_type=media_type, headers=headers)
