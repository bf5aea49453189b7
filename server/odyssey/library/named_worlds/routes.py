"""Named worlds over HTTP (wire-contract.md#d10)."""

import asyncio
from collections.abc import Sequence
from typing import Annotated, Any, NamedTuple

import msgspec
from fastapi import Depends, Query, Request, Response
from sqlalchemy.ext.asyncio import AsyncSession

from odyssey.agents.compiled import AgentsDep
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
    part,
)
from odyssey.core.errors import JsonRefusedError, NotFoundError, UnsupportedMediaTypeError
from odyssey.core.paging import PageRequest, start_of
from odyssey.core.wire import PlainText, packed
from odyssey.identity.guard import GuardedRouter, Member, Viewer
from odyssey.journal.contents import load_conduct, load_text
from odyssey.kit.json_reader import JsonInvalidError, read_json
from odyssey.kit.pagination import DEFAULT_LIMIT, encode_cursor
from odyssey.library.behaviours import known_of, unclear_lines
from odyssey.library.fidelity import FidelityIn, FidelityOut, ReportOut
from odyssey.library.models import StoredWorld
from odyssey.library.named_worlds.keep import WorldChangedError, WorldKeeper
from odyssey.library.named_worlds.repository import (
    WORLD_ORDER,
    fidelities,
    find_report,
    get_world,
    list_worlds,
)
from odyssey.library.named_worlds.rows import (
    ImportCounts,
    ImportRow,
    Mode,
    read_csv_rows,
    read_json_rows,
    take_in,
)
from odyssey.library.named_worlds.schemas import (
    EntitiesPage,
    ImportedOut,
    TriedOut,
    TryIn,
    WorldChange,
    WorldEdit,
    WorldIn,
    WorldOut,
    WorldsPage,
    WorldSummary,
)
from odyssey.library.named_worlds.state import LONGEST_TYPE, Prepared, edit, prepare, read_edits
from odyssey.library.named_worlds.try_call import TryingParts, try_call
from odyssey.simulation.llm import LlmEngine
from odyssey.worlds.repository import WorldsDep
from odyssey.worlds.stored_state import StoredState

# Worlds as the API shows them.


async def summaries(session: AsyncSession, org_id: int, worlds: Sequence[StoredWorld]) -> list[WorldSummary]:
    measured = await fidelities(session, org_id, {world.state_hash for world in worlds})
    return [_summary(world, measured.get(world.state_hash)) for world in worlds]


async def summary(session: AsyncSession, world: StoredWorld) -> WorldSummary:
    return (await summaries(session, world.org_id, [world]))[0]


async def would_be(session: AsyncSession, world: StoredWorld, state: Prepared) -> WorldSummary:
    """Show a world as it would be with another state."""
    measured = await fidelities(session, world.org_id, {state.document.hash})
    other = {"hash": state.document.hash, "entity_counts": state.counts, "bytes": state.document.bytes}
    return _summary(world, measured.get(state.document.hash)).model_copy(update=other)


async def whole(session: AsyncSession, world: StoredWorld) -> bytes:
    """Show a world with all it holds; its state goes from the database to the wire as it is."""
    conduct = await load_conduct(session, world.org_id, world.conduct_hash)
    state = await load_text(session, world.org_id, world.state_hash)
    members = (await summary(session, world)).model_dump(mode="json")
    known = known_of(None, None, world.entity_counts)
    unclear = await asyncio.to_thread(unclear_lines, conduct.behavior_instructions, known)
    contents = {
        "initial_state": msgspec.Raw(state.encode("utf-8")),
        "behavior_instructions": conduct.behavior_instructions,
        "behavior_problems": [each._asdict() for each in unclear],
        "failure_rules": conduct.failure_rules,
    }
    return msgspec.json.encode(members | contents)


def _summary(world: StoredWorld, fidelity: FidelityOut | None) -> WorldSummary:
    return WorldSummary(
        id=world.id,
        name=world.name,
        hash=world.state_hash,
        entity_counts=world.entity_counts,
        bytes=world.bytes,
        rules=world.rules,
        fidelity=fidelity,
        created_at=world.created_at,
        updated_at=world.updated_at,
    )


router = GuardedRouter(prefix="/api/worlds", tags=["worlds"])


def _keeper(session: WriteSession, caller: Member, clock: ClockDep) -> WorldKeeper:
    return WorldKeeper(session, clock, caller)


async def _trying_parts(
    database: DatabaseDep,
    worlds: WorldsDep,
    agents: AgentsDep,
    llm: Annotated[LlmEngine, part(LlmEngine)],
) -> TryingParts:
    return TryingParts(database, worlds, agents, llm)


KeeperDep = Annotated[WorldKeeper, Depends(_keeper, scope="function")]
TryingPartsDep = Annotated[TryingParts, Depends(_trying_parts)]
Search = Annotated[PlainText | None, Query(max_length=200)]


@router.post("", status_code=201, response_model=WorldOut)
async def create_world(body: WorldIn, keeper: KeeperDep, session: WriteSession) -> Response:
    """Keep a state, its behaviour and its failure rules under a name; equal states are stored once."""
    return _json(await whole(session, await keeper.create(body)), 201)


@router.get("")
async def get_worlds(
    caller: Viewer,
    session: ReadSession,
    cursor: SortedCursor = None,
    limit: Limit = DEFAULT_LIMIT,
    sort: Annotated[str | None, WORLD_ORDER] = None,
    q: Search = None,
) -> WorldsPage:
    """List worlds, newest first or sorted; `q` is part of the name, the case of A to Z does not matter."""
    page = await list_worlds(session, caller.org_id, PageRequest(limit, cursor, sort), q=q)
    items = await summaries(session, caller.org_id, page.items)
    return WorldsPage(items=items, next_cursor=page.next_cursor)


@router.get("/{world_id}", response_model=WorldOut)
async def get_one_world(world_id: ObjectId, caller: Viewer, session: ReadSession) -> Response:
    return _json(await whole(session, await get_world(session, caller.org_id, world_id)))


@router.put("/{world_id}", response_model=WorldOut)
async def change_world(
    world_id: ObjectId, body: WorldChange, keeper: KeeperDep, session: WriteSession
) -> Response:
    """Change what is given; runs keep the world they were made with."""
    return _json(await whole(session, await keeper.change(world_id, body)))


@router.delete("/{world_id}", status_code=204)
async def delete_world(world_id: ObjectId, keeper: KeeperDep) -> None:
    """Delete a world; its runs stay whole."""
    await keeper.delete(world_id)


@router.get("/{world_id}/entities", response_model=EntitiesPage)
async def get_entities(
    world_id: ObjectId,
    caller: Viewer,
    session: ReadSession,
    worlds: WorldsDep,
    entity_type: Annotated[PlainText | None, Query(alias="type", max_length=LONGEST_TYPE)] = None,
    q: Search = None,
    cursor: Cursor = None,
    limit: Limit = DEFAULT_LIMIT,
) -> Response:
    """List entities by type and id; `q` is part of the id or of a value, in any case. Pages end early at 4 MiB."""
    start = start_of(cursor) or 0
    world = await get_world(session, caller.org_id, world_id)
    catalogue = await worlds.catalogue(session, world.org_id, world.state_hash)
    rows, total = await asyncio.to_thread(
        catalogue.find, entity_type=entity_type, q=q, start=start, limit=limit
    )
    end = start + len(rows)
    page = {
        "items": [row._asdict() for row in rows],
        "next_cursor": encode_cursor(end) if end < total else None,
        "total": total,
    }
    return _json(msgspec.json.encode(page))


@router.post("/{world_id}/operations")
async def edit_world(
    world_id: ObjectId,
    body: WorldEdit,
    keeper: KeeperDep,
    session: WriteSession,
    read_ahead: ReadAhead,
    worker: WorkerDep,
) -> WorldSummary:
    """Add, update and remove entities: all or none. What contradicts the world is 422 and names its operation."""
    async with read_ahead() as ahead:
        world = await get_world(ahead, keeper.caller.org_id, world_id)
        if world.state_hash != body.hash:
            raise WorldChangedError(world.state_hash)
        text = await load_text(ahead, world.org_id, world.state_hash)
    operations = packed(body.operations)
    state = await worker.read(len(text) + len(operations), _edited, text, operations)
    return await summary(session, await keeper.put_state(world_id, body.hash, state, "world.edit"))


@router.post("/{world_id}/try", response_model=TriedOut)
async def try_tool(world_id: ObjectId, body: TryIn, caller: Member, parts: TryingPartsDep) -> Response:
    """Answer a tool call as a run would be answered, on a fork that is thrown away."""
    tried = await try_call(parts, caller.org_id, world_id, body)
    return _json(msgspec.json.encode(tried))


@router.get("/{world_id}/fidelity")
async def get_fidelity(world_id: ObjectId, caller: Viewer, session: ReadSession) -> ReportOut:
    """Read how faithful the engine was found to be on the world's present state; 404 if nobody measured."""
    world = await get_world(session, caller.org_id, world_id)
    found = await find_report(session, world.org_id, world.state_hash)
    if found is None:
        raise NotFoundError
    return ReportOut(**found.report, measured_at=found.measured_at)


@router.put("/{world_id}/fidelity")
async def put_fidelity(
    world_id: ObjectId, body: FidelityIn, keeper: KeeperDep, session: WriteSession
) -> ReportOut:
    """Keep the report of `odyssey fidelity --json`; every run that begins with this state carries its figures."""
    world = await keeper.measure(world_id, body)
    found = await find_report(session, world.org_id, world.state_hash)
    assert found is not None
    return ReportOut(**found.report, measured_at=found.measured_at)


def _edited(text: str, operations: bytes) -> Prepared:
    edits = read_edits(msgspec.json.decode(operations))
    state = StoredState.read(text)
    edit(state, edits)
    return prepare(state)


def _json(body: bytes, status: int = 200) -> Response:
    return Response(body, status_code=status, media_type="application/json")


# Importing entities from a file over HTTP.

_BODY: dict[str, Any] = {
    "required": True,
    "content": {
        "text/csv": {
            "schema": {"type": "string", "description": "UTF-8, separated by commas, with a header."}
        },
        "application/json": {
            "schema": {
                "anyOf": [
                    {"type": "array", "items": {"type": "object"}},
                    {"type": "object", "additionalProperties": {"type": "object"}},
                ],
                "description": "A list of objects, or objects by id.",
            }
        },
    },
}


class _ImportResult(NamedTuple):
    imported: int
    warnings: list[str]
    taken: ImportCounts
    state: Prepared


@router.post("/{world_id}/import", openapi_extra={"requestBody": _BODY})
async def import_entities(
    world_id: ObjectId,
    caller: Member,
    session: WriteSession,
    read_ahead: ReadAhead,
    clock: ClockDep,
    worker: WorkerDep,
    request: Request,
    entity_type: Annotated[PlainText, Query(min_length=1, max_length=LONGEST_TYPE)],
    id_field: Annotated[
        PlainText | None,
        Query(min_length=1, max_length=256, description="Default: `id`, else the type followed by `_id`."),
    ] = None,
    mode: Annotated[
        Mode,
        Query(description="`merge` adds and updates; `replace` also removes what the file does not have."),
    ] = "merge",
    dry_run: Annotated[bool, Query(description="Say what would happen and save nothing.")] = False,
) -> ImportedOut:
    """Take entities of one type from a table or from JSON. A fault names its row, counted from 0, and its column.

    In a table an empty cell is a field the entity does not have, and a column is JSON where each of its cells is a
    number, true, false, null, an object or an array.
    """
    async with read_ahead() as ahead:
        world = await get_world(ahead, caller.org_id, world_id)
        text = await load_text(ahead, world.org_id, world.state_hash)
    into = _from_csv if _media_type(request) == "text/csv" else _from_json
    body = await request.body()
    size = len(text) + len(body)
    done = await worker.read(size, into, text, body, entity_type, id_field, mode)
    if dry_run:
        after = await would_be(session, world, done.state)
    else:
        keeper = WorldKeeper(session, clock, caller)
        after = await summary(
            session, await keeper.put_state(world_id, world.state_hash, done.state, "world.import")
        )
    counts = done.taken._asdict()
    return ImportedOut(imported=done.imported, warnings=done.warnings, world=after, **counts)


def _media_type(request: Request) -> str:
    media_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if media_type not in ("text/csv", "application/json"):
        raise UnsupportedMediaTypeError("Send the rows as Content-Type: text/csv or application/json.")
    if request.headers.get("content-encoding", "identity").lower() != "identity":
        raise UnsupportedMediaTypeError("Send the body as it is, without Content-Encoding.")
    return media_type


def _from_csv(text: str, body: bytes, entity_type: str, id_field: str | None, mode: Mode) -> _ImportResult:
    rows, warnings = read_csv_rows(body, entity_type, id_field)
    return _into(text, entity_type, rows, warnings, mode)


def _from_json(text: str, body: bytes, entity_type: str, id_field: str | None, mode: Mode) -> _ImportResult:
    try:
        document = read_json(body)
    except JsonInvalidError as error:
        raise JsonRefusedError(f"The body is not valid JSON: {error}.") from error
    rows, warnings = read_json_rows(document, entity_type, id_field)
    return _into(text, entity_type, rows, warnings, mode)


def _into(
    text: str, entity_type: str, rows: list[ImportRow], warnings: list[str], mode: Mode
) -> _ImportResult:
    state = StoredState.read(text)
    taken = take_in(state, entity_type, rows, mode)
    return _ImportResult(len(rows), warnings, taken, prepare(state))
