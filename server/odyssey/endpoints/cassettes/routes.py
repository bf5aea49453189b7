"""Cassettes over HTTP: recorded from runs, replayed by runs, compared with what is live."""

from collections.abc import Sequence
from typing import Annotated
from uuid import UUID

from fastapi import Response
from sqlalchemy.ext.asyncio import AsyncSession

from odyssey.core.depends import (
    ClockDep,
    Cursor,
    DatabaseDep,
    Limit,
    ReadAhead,
    ReadSession,
    SortedCursor,
    WriteSession,
)
from odyssey.core.errors import ValidationFailedError
from odyssey.core.paging import PageRequest, start_of
from odyssey.endpoints.cassettes.compare import compare
from odyssey.endpoints.cassettes.record import keep_recording, read_recording
from odyssey.endpoints.cassettes.repository import (
    CASSETTE_ORDER,
    EMPTY,
    as_interaction,
    get_cassette,
    list_cassettes,
    list_interactions,
    remove_cassette,
    sizes,
    users_of,
)
from odyssey.endpoints.cassettes.schemas import (
    MOST_COMPARED,
    CassetteIn,
    CassetteOut,
    CassettesPage,
    DiffIn,
    DiffOut,
    InteractionOut,
    InteractionsPage,
)
from odyssey.endpoints.errors import CassetteInUseError
from odyssey.endpoints.models import Cassette, CassetteInteraction
from odyssey.endpoints.registry import UpstreamsDep
from odyssey.identity.caller import record_change
from odyssey.identity.guard import GuardedRouter, Member, Viewer
from odyssey.kit.pagination import DEFAULT_LIMIT, cut_page
from odyssey.records.problems import FieldError

# Cassettes as the API shows them.


async def cassettes_out(session: AsyncSession, cassettes: Sequence[Cassette]) -> list[CassetteOut]:
    found = await sizes(session, [cassette.id for cassette in cassettes])
    return [
        CassetteOut(
            id=cassette.id,
            name=cassette.name,
            run_id=cassette.run_id,
            attempt=cassette.attempt,
            agent_id=cassette.agent_id,
            agent_version=cassette.agent_version,
            interactions=found.get(cassette.id, EMPTY).interactions,
            bytes=found.get(cassette.id, EMPTY).bytes,
            created_by=cassette.created_by,
            created_at=cassette.created_at,
        )
        for cassette in cassettes
    ]


async def cassette_out(session: AsyncSession, cassette: Cassette) -> CassetteOut:
    return (await cassettes_out(session, [cassette]))[0]


def interaction_out(cassette: Cassette, row: CassetteInteraction) -> InteractionOut:
    one = as_interaction(row)
    placed = {"run_id": row.run_id, "sequence": row.sequence, "occurred_at": row.occurred_at}
    shown = {name: getattr(one, name) for name in InteractionOut.model_fields if hasattr(one, name)}
    return InteractionOut.model_validate(shown | placed | {"captured": row.run_id != cassette.run_id})


router = GuardedRouter(prefix="/api/cassettes", tags=["cassettes"])


@router.post("", status_code=201)
async def record(
    body: CassetteIn, caller: Member, session: WriteSession, read_ahead: ReadAhead, clock: ClockDep
) -> CassetteOut:
    """Keep the passthrough calls of a run's last attempt, with what came of each, to be replayed by other runs."""
    async with read_ahead() as ahead:
        run, interactions = await read_recording(ahead, caller.org_id, body.run_id)
    cassette = await keep_recording(session, clock, caller, body, run, interactions)
    return await cassette_out(session, cassette)


@router.get("")
async def get_cassettes(
    caller: Viewer,
    session: ReadSession,
    cursor: SortedCursor = None,
    limit: Limit = DEFAULT_LIMIT,
    sort: Annotated[str | None, CASSETTE_ORDER] = None,
) -> CassettesPage:
    """List cassettes, newest first or sorted."""
    page = await list_cassettes(session, caller.org_id, PageRequest(limit, cursor, sort))
    return CassettesPage(items=await cassettes_out(session, page.items), next_cursor=page.next_cursor)


@router.get("/{cassette_id}")
async def get_one_cassette(cassette_id: UUID, caller: Viewer, session: ReadSession) -> CassetteOut:
    return await cassette_out(session, await get_cassette(session, caller.org_id, str(cassette_id)))


@router.delete("/{cassette_id}", status_code=204)
async def delete_cassette(
    cassette_id: UUID, caller: Member, session: WriteSession, clock: ClockDep
) -> Response:
    """Delete a cassette. Runs that replayed it keep their traces; while one goes on it is refused."""
    cassette = await get_cassette(session, caller.org_id, str(cassette_id), lock="alone")
    users = await users_of(session, cassette)
    if users is not None:
        raise CassetteInUseError(users)
    before = {"name": cassette.name, "run_id": cassette.run_id, "attempt": cassette.attempt}
    await remove_cassette(session, cassette)
    record_change(
        session,
        caller,
        clock,
        "cassette.delete",
        object_type="cassette",
        object_id=cassette.id,
        before=before,
    )
    return Response(status_code=204)


@router.get("/{cassette_id}/interactions")
async def get_interactions(
    cassette_id: UUID,
    caller: Viewer,
    session: ReadSession,
    cursor: Cursor = None,
    limit: Limit = DEFAULT_LIMIT,
) -> InteractionsPage:
    """Read what a cassette holds, in the order of the calls."""
    cassette = await get_cassette(session, caller.org_id, str(cassette_id))
    rows = await list_interactions(session, cassette, after=start_of(cursor), limit=limit + 1)
    page = cut_page(rows, limit, lambda row: row.number)
    return InteractionsPage(
        items=[interaction_out(cassette, row) for row in page.items], next_cursor=page.next_cursor
    )


@router.post("/{cassette_id}/diff")
async def diff(
    cassette_id: UUID,
    body: DiffIn,
    caller: Member,
    database: DatabaseDep,
    clock: ClockDep,
    upstreams: UpstreamsDep,
) -> DiffOut:
    """Ask the live endpoints again and say, by path, where their answers are no longer those of the cassette.

    Only tools that change nothing are asked, unless `include_changing` says otherwise.
    """
    async with database.read() as session:
        cassette = await get_cassette(session, caller.org_id, str(cassette_id))
        rows = await list_interactions(session, cassette, numbers=body.numbers, limit=MOST_COMPARED)
        held = (await sizes(session, [cassette.id]))[cassette.id].interactions
    _check_numbers(body.numbers, rows)
    if body.include_changing:
        async with database.write() as session:
            record_change(
                session,
                caller,
                clock,
                "cassette.ask_again",
                object_type="cassette",
                object_id=cassette.id,
                after=[row.number for row in rows],
            )
    return await compare(
        upstreams,
        caller.org_id,
        [as_interaction(row) for row in rows],
        include_changing=body.include_changing,
        left_out=held - len(rows),
    )


def _check_numbers(numbers: Sequence[int] | None, rows: Sequence[CassetteInteraction]) -> None:
    found = {row.number for row in rows}
    faults = [
        FieldError(loc=("numbers", place), msg=f"the cassette has no interaction {number}")
        for place, number in enumerate(numbers or ())
        if number not in found
    ]
    if faults:
        raise ValidationFailedError(faults)
