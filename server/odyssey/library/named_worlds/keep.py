"""Creating, changing and deleting worlds: a name and the hashes of what it stands for."""

import asyncio
from collections.abc import Collection
from typing import Any

import msgspec
from sqlalchemy.ext.asyncio import AsyncSession

from odyssey.agents.ledger_schema import check_initial_state
from odyssey.core.errors import ConflictError
from odyssey.identity.caller import Caller, record_change
from odyssey.journal.contents import Conduct, load_conduct, load_text, store_document
from odyssey.kit.clock import Clock
from odyssey.library.fidelity import FidelityIn
from odyssey.library.models import StoredWorld
from odyssey.library.named_worlds.repository import find_worlds, get_world, store_report
from odyssey.library.named_worlds.schemas import WorldChange, WorldIn
from odyssey.library.named_worlds.state import Prepared
from odyssey.library.seeds import SeedWorld
from odyssey.records.tools import LedgerSchema

# What can stand in the way of changing a world.


class WorldChangedError(ConflictError):
    code, title = "world_changed", "The world is not the one that was seen"

    def __init__(self, current: str) -> None:
        super().__init__(
            f"The world was changed meanwhile; its hash is now {current}. Read it again and repeat the change."
        )


class WorldKeeper:
    """The acts on worlds, with what they all need. Contents were checked before."""

    def __init__(self, session: AsyncSession, clock: Clock, caller: Caller) -> None:
        self._session = session
        self._clock = clock
        self.caller = caller

    async def create(self, body: WorldIn) -> StoredWorld:
        now = self._clock()
        world = StoredWorld(org_id=self.caller.org_id, name=body.name, created_at=now, updated_at=now)
        await self._set_state(world, body.initial_state)
        await self._set_conduct(world, Conduct(body.behavior_instructions, body.failure_rules))
        self._session.add(world)
        await self._session.flush()
        self._audit(world, "world.create", after=_shown(world))
        return world

    async def change(self, world_id: int, body: WorldChange) -> StoredWorld:
        world = await get_world(self._session, self.caller.org_id, world_id, lock=True)
        before = _shown(world)
        if body.name is not None:
            world.name = body.name
        if body.initial_state is not None:
            await self._set_state(world, body.initial_state)
        conduct = await self._changed_conduct(world, body.behavior_instructions, body.failure_rules)
        await self._set_conduct(world, conduct)
        await self._note(world, "world.change", before)
        return world

    async def put_state(self, world_id: int, seen: str, state: Prepared, action: str) -> StoredWorld:
        """Give a world another state, unless it is no longer the one that was seen."""
        world = await get_world(self._session, self.caller.org_id, world_id, lock=True)
        if world.state_hash != seen:
            raise WorldChangedError(world.state_hash)
        before = _shown(world)
        await self._set_state(world, state)
        await self._note(world, action, before)
        return world

    async def delete(self, world_id: int) -> None:
        """Take the name away; what it stood for stays, because runs go by it."""
        world = await get_world(self._session, self.caller.org_id, world_id, lock=True)
        world.deleted_at = self._clock()
        self._audit(world, "world.delete", before=_shown(world))

    async def measure(self, world_id: int, report: FidelityIn) -> StoredWorld:
        """Keep how faithful the world was found to be, by its state."""
        world = await get_world(self._session, self.caller.org_id, world_id, lock=True)
        if report.state_hash not in (None, world.state_hash):
            raise WorldChangedError(world.state_hash)
        kept = report.model_dump(exclude={"state_hash"}, exclude_none=False)
        await store_report(self._session, world.org_id, world.state_hash, kept, self._clock())
        self._audit(world, "world.fidelity", after=kept)
        return world

    async def _changed_conduct(
        self, world: StoredWorld, behaviour: str | None, rules: list[Any] | None
    ) -> Conduct:
        kept = await load_conduct(self._session, world.org_id, world.conduct_hash)
        return Conduct(
            kept.behavior_instructions if behaviour is None else behaviour,
            kept.failure_rules if rules is None else rules,
        )

    async def _set_state(self, world: StoredWorld, state: Prepared) -> None:
        await store_document(self._session, world.org_id, state.document)
        world.state_hash = state.document.hash
        world.bytes = state.document.bytes
        world.entity_counts = state.counts

    async def _set_conduct(self, world: StoredWorld, conduct: Conduct) -> None:
        kept = conduct.document()
        await store_document(self._session, world.org_id, kept)
        world.conduct_hash = kept.hash
        world.rules = len(conduct.failure_rules)

    async def _note(self, world: StoredWorld, action: str, before: dict[str, str]) -> None:
        if _shown(world) != before:
            world.updated_at = self._clock()
            self._audit(world, action, before=before, after=_shown(world))
            await self._session.flush()

    def _audit(self, world: StoredWorld, action: str, *, before: Any = None, after: Any = None) -> None:
        record_change(
            self._session,
            self.caller,
            self._clock,
            action,
            object_type="world",
            object_id=world.id,
            before=before,
            after=after,
        )


def _shown(world: StoredWorld) -> dict[str, str]:
    return {"name": world.name, "state": world.state_hash, "conduct": world.conduct_hash}


# Named worlds as seeds use them: each is looked up and checked once per request, however many seeds name it.

_MOST_FAULTS = 10


async def seed_worlds(
    session: AsyncSession, org_id: int, ids: Collection[int], schema: LedgerSchema | None
) -> dict[int, SeedWorld]:
    """Return those of the worlds that exist. A state is read only if there is a ledger schema to check it by."""
    found = await find_worlds(session, org_id, ids) if ids else {}
    return {world_id: await _seed_world(session, world, schema) for world_id, world in found.items()}


async def _seed_world(session: AsyncSession, world: StoredWorld, schema: LedgerSchema | None) -> SeedWorld:
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
