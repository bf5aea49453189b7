"""All SQL of named worlds. Every look-up names the org; a deleted world does not exist."""

from collections.abc import Collection
from datetime import datetime
from typing import Any

from sqlalchemy import select, tuple_
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.asyncio import AsyncSession

from odyssey.core.errors import NotFoundError
from odyssey.core.paging import ListOrder, PageRequest
from odyssey.kit.pagination import Page
from odyssey.library.fidelity import FidelityOut, figures
from odyssey.library.models import MeasuredFidelity, StoredWorld

WORLD_ORDER = ListOrder(
    StoredWorld.id,
    {
        "id": StoredWorld.id,
        "name": StoredWorld.name,
        "bytes": StoredWorld.bytes,
        "rules": StoredWorld.rules,
        "created_at": StoredWorld.created_at,
        "updated_at": StoredWorld.updated_at,
    },
)


async def get_world(session: AsyncSession, org_id: int, world_id: int, *, lock: bool = False) -> StoredWorld:
    statement = select(StoredWorld).where(
        StoredWorld.id == world_id, StoredWorld.org_id == org_id, StoredWorld.deleted_at.is_(None)
    )
    if lock:
        statement = statement.with_for_update().execution_options(populate_existing=True)
    world = (await session.scalars(statement)).first()
    if world is None:
        raise NotFoundError
    return world


async def find_worlds(
    session: AsyncSession, org_id: int, world_ids: Collection[int]
) -> dict[int, StoredWorld]:
    statement = select(StoredWorld).where(
        StoredWorld.id.in_(world_ids), StoredWorld.org_id == org_id, StoredWorld.deleted_at.is_(None)
    )
    return {world.id: world for world in await session.scalars(statement)}


async def types_of_worlds(
    session: AsyncSession, org_id: int, state_hashes: Collection[str]
) -> dict[str, frozenset[str]]:
    """Return the types of those of the states that any world has, also of worlds whose name is gone."""
    statement = select(StoredWorld.state_hash, StoredWorld.entity_counts).where(
        StoredWorld.org_id == org_id, StoredWorld.state_hash.in_(state_hashes)
    )
    return {state_hash: frozenset(counts) for state_hash, counts in await session.execute(statement)}


async def list_worlds(
    session: AsyncSession, org_id: int, page: PageRequest, *, q: str | None
) -> Page[StoredWorld]:
    statement = select(StoredWorld).where(StoredWorld.org_id == org_id, StoredWorld.deleted_at.is_(None))
    if q:
        statement = statement.where(StoredWorld.name.icontains(q, autoescape=True))
    return await WORLD_ORDER.page(session, statement, page)


async def find_report(session: AsyncSession, org_id: int, state_hash: str) -> MeasuredFidelity | None:
    return await session.get(MeasuredFidelity, (org_id, state_hash))


async def fidelities(
    session: AsyncSession, org_id: int, state_hashes: Collection[str]
) -> dict[str, FidelityOut]:
    """Return what was measured on each of these states."""
    key = tuple_(MeasuredFidelity.org_id, MeasuredFidelity.state_hash)
    statement = select(MeasuredFidelity).where(key.in_([(org_id, each) for each in state_hashes]))
    found = await session.scalars(statement)
    return {row.state_hash: figures(row.report, row.measured_at) for row in found}


async def store_report(
    session: AsyncSession, org_id: int, state_hash: str, report: dict[str, Any], now: datetime
) -> None:
    """Keep the newest report of a state."""
    insert = sqlite.insert if session.get_bind().dialect.name == "sqlite" else postgresql.insert
    row = {"org_id": org_id, "state_hash": state_hash, "report": report, "measured_at": now}
    newest = {"report": report, "measured_at": now}
    statement = insert(MeasuredFidelity).values(row)
    await session.execute(
        statement.on_conflict_do_update(index_elements=["org_id", "state_hash"], set_=newest)
    )
