"""Named worlds over HTTP (wire-contract.md#d10)."""

import asyncio
from typing import Annotated

import msgspec
from fastapi import Depends, Query, Request, Response

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
from odyssey.core.errors import NotFoundError
from odyssey.core.paging import PageRequest, start_of
from odyssey.core.wire import PlainText, packed
from odyssey.identity.guard import GuardedRouter, Member, Viewer
from odyssey.journal.contents import load_text
from odyssey.kit.pagination import DEFAULT_LIMIT, encode_cursor
from odyssey.library.fidelity import FidelityIn, ReportOut
from odyssey.library.named_worlds.edit import edit, read_edits
from odyssey.library.named_worlds.errors import WorldChangedError
from odyssey.library.named_worlds.keep import WorldKeeper
from odyssey.library.named_worlds.render import summaries, summary, whole
from odyssey.library.named_worlds.repository import WORLD_ORDER, find_report, get_world, list_worlds
from odyssey.library.named_worlds.schemas import (
    EntitiesPage,
    TriedOut,
    TryIn,
    WorldChange,
    WorldEdit,
    WorldIn,
    WorldOut,
    WorldsPage,
    WorldSummary,
)
from odyssey.library.named_worlds.state import LONGEST_TYPE, Prepared, prepare
from odyssey.library.named_worlds.try_call import TryingParts, try_call
from odyssey.worlds.shared import SharedWorlds
from odyssey.worlds.stored_state import StoredState

router = GuardedRouter(prefix="/api/worlds", tags=["worlds"])


def _keeper(session: WriteSession, caller: Member, clock: ClockDep) -> WorldKeeper:
    return WorldKeeper(session, clock, caller)


KeeperDep = Annotated[WorldKeeper, Depends(_keeper, scope="function")]
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
    request: Request,
    entity_type: Annotated[PlainText | None, Query(alias="type", max_length=LONGEST_TYPE)] = None,
    q: Search = None,
    cursor: Cursor = None,
    limit: Limit = DEFAULT_LIMIT,
) -> Response:
    """List entities by type and id; `q` is part of the id or of a value, in any case. Pages end early at 4 MiB."""
    worlds: SharedWorlds = request.app.state.worlds
    start = start_of(cursor) or 0
    world = await get_world(session, caller.org_id, world_id)
    catalogue = await worlds.catalogue(session, world.org_id, world.state_hash)
    found = await asyncio.to_thread(catalogue.find, entity_type=entity_type, q=q, start=start, limit=limit)
    end = start + len(found.items)
    page = {
        "items": [row._asdict() for row in found.items],
        "next_cursor": encode_cursor(end) if end < found.total else None,
        "total": found.total,
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
async def try_tool(
    world_id: ObjectId, body: TryIn, caller: Member, database: DatabaseDep, request: Request
) -> Response:
    """Answer a tool call as a run would be answered, on a fork that is thrown away."""
    state = request.app.state
    parts = TryingParts(database, state.worlds, state.agents, state.llm)
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
