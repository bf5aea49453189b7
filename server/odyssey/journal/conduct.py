"""How a world behaves, apart from what is in it: kept once, however many runs go by it."""

from typing import Any

import msgspec
from sqlalchemy.ext.asyncio import AsyncSession

from odyssey.journal.contents import Document, document, load_content
from odyssey.journal.models import RunContext
from odyssey.records.canonical import canonical_json


class Conduct(msgspec.Struct, frozen=True):
    behavior_instructions: str
    failure_rules: list[Any]

    def document(self) -> Document:
        return document(canonical_json(msgspec.to_builtins(self)))


async def load_conduct(session: AsyncSession, org_id: int, digest: str) -> Conduct:
    return msgspec.convert(await load_content(session, org_id, digest), Conduct)


async def behaviour_of(session: AsyncSession, context: RunContext) -> str:
    """Return how the tools of a run behave, as its seed or its world says."""
    if context.conduct_hash is None:
        return context.behavior_instructions
    return (await load_conduct(session, context.org_id, context.conduct_hash)).behavior_instructions


async def rules_of(session: AsyncSession, context: RunContext) -> list[Any]:
    """Return a run's failure rules, its own or those of its world."""
    if context.conduct_hash is None:
        return context.failure_rules
    return (await load_conduct(session, context.org_id, context.conduct_hash)).failure_rules
