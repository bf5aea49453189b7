"""Worlds as the API shows them."""

import asyncio
from collections.abc import Sequence

import msgspec
from sqlalchemy.ext.asyncio import AsyncSession

from odyssey.journal.contents import load_conduct, load_text
from odyssey.library.behaviours.reading import known_of, unclear_lines
from odyssey.library.fidelity import FidelityOut
from odyssey.library.named_worlds.models import World
from odyssey.library.named_worlds.repository import fidelities
from odyssey.library.named_worlds.schemas import WorldSummary
from odyssey.library.named_worlds.state import Prepared


async def summaries(session: AsyncSession, org_id: int, worlds: Sequence[World]) -> list[WorldSummary]:
    measured = await fidelities(session, org_id, {world.state_hash for world in worlds})
    return [_summary(world, measured.get(world.state_hash)) for world in worlds]


async def summary(session: AsyncSession, world: World) -> WorldSummary:
    return (await summaries(session, world.org_id, [world]))[0]


async def would_be(session: AsyncSession, world: World, state: Prepared) -> WorldSummary:
    """Show a world as it would be with another state."""
    measured = await fidelities(session, world.org_id, {state.document.hash})
    other = {"hash": state.document.hash, "entity_counts": state.counts, "bytes": state.document.bytes}
    return _summary(world, measured.get(state.document.hash)).model_copy(update=other)


async def whole(session: AsyncSession, world: World) -> bytes:
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


def _summary(world: World, fidelity: FidelityOut | None) -> WorldSummary:
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
