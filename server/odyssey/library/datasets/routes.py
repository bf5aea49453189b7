"""Datasets over HTTP (wire-contract.md#d10)."""

from collections.abc import AsyncIterator
from typing import Annotated, Any, Literal

import msgspec
from fastapi import Depends, Query, Request, Response
from fastapi.responses import StreamingResponse

from odyssey.agents.compiled import AgentsDep, compile_agent
from odyssey.agents.repository import get_agent, get_version
from odyssey.core.depends import (
    ClockDep,
    Cursor,
    DatabaseDep,
    Limit,
    ObjectId,
    ReadAhead,
    ReadSession,
    SortedCursor,
    WorkerDep,
    WriteSession,
)
from odyssey.core.errors import ValidationFailedError
from odyssey.core.paging import PageRequest, start_of
from odyssey.core.wire import PlainText
from odyssey.identity.guard import GuardedRouter, Member, Viewer
from odyssey.kit.pagination import DEFAULT_LIMIT, encode_cursor
from odyssey.library.datasets.audit import Auditor
from odyssey.library.datasets.columns import about_columns, template
from odyssey.library.datasets.keep import BODY, DatasetKeeper, RawRows, Upload, named_in, read_sent, receive
from odyssey.library.datasets.lint import MOST_NOTES, lint
from odyssey.library.datasets.reading import Spool, WorldLookup, look_up
from odyssey.library.datasets.render import as_csv, as_json, page_of_rows, shown, values
from odyssey.library.datasets.repository import DATASET_ORDER, get_dataset, list_datasets
from odyssey.library.datasets.schemas import (
    AuditOut,
    DatasetOut,
    DatasetsPage,
    LintOut,
    RowsPage,
    UngradableOut,
)
from odyssey.library.datasets.ungradable import ungradable_of
from odyssey.models.roles import has_judge_model
from odyssey.records.faults import Faults
from odyssey.records.problems import FieldError
from odyssey.records.tools import LedgerSchema
from odyssey.worlds.repository import WorldsDep

router = GuardedRouter(prefix="/api/datasets", tags=["datasets"])

Format = Literal["csv", "json"]
_MEDIA_TYPES = {"csv": "text/csv; charset=utf-8", "json": "application/json"}
_FILES: dict[int | str, dict[str, Any]] = {
    200: {
        "content": {
            "text/csv": {"schema": {"type": "string"}},
            "application/json": {"schema": {"type": "array", "items": {"type": "object"}}},
        }
    }
}


def _keeper(session: WriteSession, caller: Member, clock: ClockDep) -> DatasetKeeper:
    return DatasetKeeper(session, clock, caller)


KeeperDep = Annotated[DatasetKeeper, Depends(_keeper, scope="function")]
Name = Query(min_length=1, max_length=255)


@router.post(
    "",
    status_code=201,
    openapi_extra={"requestBody": BODY},
    description="Upload rows: all of them or none. One row is one task. In a table an empty cell says nothing, an "
    "unknown column is a warning, and a ' before a cell that begins like a formula (= + - @) is the spreadsheet's and "
    "taken off.\n\n" + about_columns(),
)
async def upload_dataset(
    keeper: KeeperDep,
    read_ahead: ReadAhead,
    worker: WorkerDep,
    request: Request,
    name: Annotated[PlainText, Name],
) -> DatasetOut:
    with Spool() as spool:
        async with read_ahead() as ahead:
            checked = await receive(request, ahead, worker, keeper.caller.org_id, spool)
        return shown(await keeper.create(name, Upload(checked, spool)))


@router.get("")
async def get_datasets(
    caller: Viewer,
    session: ReadSession,
    cursor: SortedCursor = None,
    limit: Limit = DEFAULT_LIMIT,
    sort: Annotated[str | None, DATASET_ORDER] = None,
    q: Annotated[PlainText | None, Query(max_length=200)] = None,
) -> DatasetsPage:
    """List datasets, newest first or sorted; `q` is part of the name, the case of A to Z does not matter."""
    page = await list_datasets(session, caller.org_id, PageRequest(limit, cursor, sort), q=q)
    return DatasetsPage(items=[shown(dataset) for dataset in page.items], next_cursor=page.next_cursor)


@router.get("/template", response_class=Response, responses=_FILES)
async def get_template(caller: Viewer, format: Format = "csv") -> Response:
    """Two rows to begin with, as a file to fill in and upload."""
    return Response(template(format), media_type=_MEDIA_TYPES[format], headers=_file("template", format))


@router.get("/{dataset_id}")
async def get_one_dataset(dataset_id: ObjectId, caller: Viewer, session: ReadSession) -> DatasetOut:
    return shown(await get_dataset(session, caller.org_id, dataset_id))


@router.put("/{dataset_id}", openapi_extra={"requestBody": BODY | {"required": False}})
async def change_dataset(
    dataset_id: ObjectId,
    keeper: KeeperDep,
    read_ahead: ReadAhead,
    worker: WorkerDep,
    request: Request,
    name: Annotated[PlainText | None, Name] = None,
) -> DatasetOut:
    """Give it another name, other rows, or both. Other rows are a new revision; runs keep the rows they had."""
    with Spool() as spool:
        upload: Upload | None = None
        async with read_ahead() as ahead:
            await get_dataset(ahead, keeper.caller.org_id, dataset_id)
            if await request.body():
                upload = Upload(await receive(request, ahead, worker, keeper.caller.org_id, spool), spool)
            elif name is None:
                message = "send rows as the body, or a name in the query"
                raise ValidationFailedError([FieldError(loc=("body",), msg=message)])
        return shown(await keeper.change(dataset_id, name, upload))


@router.delete("/{dataset_id}", status_code=204)
async def delete_dataset(dataset_id: ObjectId, keeper: KeeperDep) -> None:
    """Delete a dataset; runs of its rows stay whole."""
    await keeper.delete(dataset_id)


@router.get("/{dataset_id}/rows", response_model=RowsPage)
async def get_rows(
    dataset_id: ObjectId,
    caller: Viewer,
    session: ReadSession,
    cursor: Cursor = None,
    limit: Limit = DEFAULT_LIMIT,
) -> Response:
    """List the rows of the present revision in their order. Pages end early at 4 MiB."""
    dataset = await get_dataset(session, caller.org_id, dataset_id)
    rows = await page_of_rows(session, dataset, start=start_of(cursor) or 0, limit=limit)
    following = rows[-1].position + 1 if rows else dataset.row_count
    page = {
        "items": [
            {"position": row.position, "task_id": row.task_id, "values": values(row, dataset.columns)}
            for row in rows
        ],
        "next_cursor": encode_cursor(following) if following < dataset.row_count else None,
    }
    return Response(msgspec.json.encode(page), media_type="application/json")


@router.get("/{dataset_id}/export", response_class=StreamingResponse, responses=_FILES)
async def export_dataset(
    dataset_id: ObjectId,
    caller: Viewer,
    session: ReadSession,
    database: DatabaseDep,
    format: Format = "csv",
    safe: Annotated[
        bool,
        Query(
            description="Put a ' before cells that a spreadsheet would take for a formula (= + - @ and the like); an "
            "upload takes it off again. With `false` they stay as they are."
        ),
    ] = True,
) -> Response:
    """Read the present revision as a file.

    Uploaded again it gives the same rows, and in a spreadsheet a table does nothing: it has a ' before what would be
    a formula.
    """
    dataset = await get_dataset(session, caller.org_id, dataset_id)
    body: AsyncIterator[bytes] = (
        as_csv(database, dataset, formula_safe=safe) if format == "csv" else as_json(database, dataset)
    )
    headers = _file(f"dataset-{dataset.id}", format)
    return StreamingResponse(body, media_type=_MEDIA_TYPES[format], headers=headers)


def _file(name: str, kind: Format) -> dict[str, str]:
    return {"Content-Disposition": f'attachment; filename="{name}.{kind}"'}


# Looking at rows over HTTP before anything runs: lint and audit. Nothing is saved.


@router.post("/lint", openapi_extra={"requestBody": BODY})
async def lint_rows(
    caller: Member,
    session: ReadSession,
    worker: WorkerDep,
    agents: AgentsDep,
    request: Request,
    agent_id: Annotated[
        ObjectId | None,
        Query(
            description="Also say what contradicts this agent's ledger schema, tools it does not have, and lines of "
            "behaviours that speak of them."
        ),
    ] = None,
) -> LintOut:
    """Say everything that is wrong with rows, at once, and save nothing."""
    content: dict[str, Any] | None = None
    schema: LedgerSchema | None = None
    if agent_id is not None:
        found = await get_agent(session, caller.org_id, agent_id)
        version = found.published_version or found.version
        content = (await get_version(session, found.id, version)).content
        schema = (await agents.get(session, found.id, version)).ledger_schema
    sent = await read_sent(request)
    spoken_of = await worker.read(len(sent.body), named_in, sent)
    referred = await look_up(session, caller.org_id, spoken_of, schema)
    judged = await has_judge_model(session, caller.org_id)
    return await worker.read(len(sent.body), _lint, sent, referred, content, judged)


def _lint(sent: RawRows, referred: WorldLookup, content: dict[str, Any] | None, judged: bool) -> LintOut:
    faults = Faults(limit=MOST_NOTES)
    agent = None if content is None else compile_agent(content)
    return lint(sent.source(faults), referred, faults, agent, judged=judged)


async def _auditor(
    caller: Member,
    session: ReadSession,
    worlds: WorldsDep,
    agents: AgentsDep,
    agent_id: Annotated[
        ObjectId | None,
        Query(
            description="Let the useless agents have the tools of this agent; else they have those that a row demands "
            "calls of."
        ),
    ] = None,
) -> Auditor:
    agent = None
    if agent_id is not None:
        found = await get_agent(session, caller.org_id, agent_id)
        agent = await agents.get(session, found.id, found.published_version or found.version)
    judged = await has_judge_model(session, caller.org_id)
    return Auditor(session, worlds, caller.org_id, agent, judged=judged)


AuditorDep = Annotated[Auditor, Depends(_auditor, scope="function")]


@router.post("/audit", openapi_extra={"requestBody": BODY})
async def audit_given_rows(auditor: AuditorDep, worker: WorkerDep, request: Request) -> AuditOut:
    """Name the rows that useless agents pass, by the checks alone, and those that nobody can; save nothing."""
    with Spool() as spool:
        await receive(request, auditor.session, worker, auditor.org_id, spool)
        return await auditor.audit_rows(spool)


@router.post("/{dataset_id}/audit")
async def audit_one_dataset(dataset_id: ObjectId, auditor: AuditorDep) -> AuditOut:
    """Name the rows that useless agents pass, by the checks alone, and those that nobody can."""
    return await auditor.audit_dataset(await get_dataset(auditor.session, auditor.org_id, dataset_id))


@router.get("/{dataset_id}/ungradable")
async def get_ungradable_rows(dataset_id: ObjectId, caller: Viewer, session: ReadSession) -> UngradableOut:
    """Name the rows of the present revision that can never get a PASS, before anything runs."""
    dataset = await get_dataset(session, caller.org_id, dataset_id)
    judged = await has_judge_model(session, caller.org_id)
    return await ungradable_of(session, dataset, judged=judged)
