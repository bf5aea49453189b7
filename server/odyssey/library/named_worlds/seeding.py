"""Named worlds as seeds use them: each is looked up and checked once per request, however many seeds name it."""

import asyncio
from collections.abc import Collection

import msgspec
from sqlalchemy.ext.asyncio import AsyncSession

from odyssey.agents.ledger_schema import check_initial_state
from odyssey.journal.contents import load_conduct, load_text
from odyssey.library.named_worlds.models import World
from odyssey.library.named_worlds.repository import find_worlds
from odyssey.library.seeds import SeedWorld
from odyssey.records.tools import LedgerSchema

_MOST_FAULTS = 10


async def seed_worlds(
    session: AsyncSession, org_id: int, ids: Collection[int], schema: LedgerSchema | None
) -> dict[int, SeedWorld]:
    """Return those of the worlds that exist. A state is read only if there is a ledger schema to check it by."""
    found = await find_worlds(session, org_id, ids) if ids else {}
    return {world_id: await _seed_world(session, world, schema) for world_id, world in found.items()}


async def _seed_world(session: AsyncSession, world: World, schema: LedgerSchema | None) -> SeedWorld:
    conduct = await load_conduct(session, world.org_id, world.conduct_hash)
    faults: list[str] = []
    if schema is not None:
        text = await load_text(session, world.org_id, world.state_hash)
        faults = await asyncio.to_thread(_contradictions, world.id, text, schema)
    return SeedWorld(
        id=world.id,
        state_hash=world.state_hash,
        conduct_hash=world.conduct_hash,
        behavior=conduct.behavior_instructions,
        types=frozenset(world.entity_counts),
        faults=faults,
    )


def _contradictions(world_id: int, text: str, schema: LedgerSchema) -> list[str]:
    found = check_initial_state(msgspec.json.decode(text), schema)[:_MOST_FAULTS]
    return [f"world {world_id}, {'.'.join(map(str, fault.loc))}: {fault.msg}" for fault in found]
