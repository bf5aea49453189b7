"""Documents stored by what they contain."""

import hashlib
from collections.abc import Collection, Iterable
from typing import Any, NamedTuple

import msgspec
from sqlalchemy import select
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.asyncio import AsyncSession

from odyssey.core.tables import table_of
from odyssey.journal.models import Content, RunContext
from odyssey.records.canonical import canonical_json

_CONTENTS = table_of(Content)


class Document(NamedTuple):
    """Canonical JSON and its hash."""

    text: str
    hash: str
    bytes: int


def document(canonical: bytes) -> Document:
    return Document(canonical.decode("utf-8"), hashlib.sha256(canonical).hexdigest(), len(canonical))


async def store_document(session: AsyncSession, org_id: int, kept: Document) -> None:
    """Keep a document once."""
    await store_documents(session, org_id, [kept])


async def store_documents(session: AsyncSession, org_id: int, documents: Iterable[Document]) -> None:
    """Keep each of several documents once."""
    rows = {kept.hash: {"org_id": org_id, "hash": kept.hash, "text": kept.text} for kept in documents}
    if rows:
        insert = sqlite.insert if session.get_bind().dialect.name == "sqlite" else postgresql.insert
        ordered = [
            rows[digest] for digest in sorted(rows)
        ]  # two who keep the same must not wait for each other
        await (await session.connection()).execute(insert(_CONTENTS).on_conflict_do_nothing(), ordered)


async def store_content(session: AsyncSession, org_id: int, value: Any) -> str:
    """Keep a value once; returns its hash."""
    made = document(canonical_json(value))
    await store_document(session, org_id, made)
    return made.hash


async def load_text(session: AsyncSession, org_id: int, digest: str) -> str:
    statement = select(Content.text).where(Content.org_id == org_id, Content.hash == digest)
    return (await session.scalars(statement)).one()


async def load_texts(session: AsyncSession, org_id: int, hashes: Collection[str]) -> dict[str, str]:
    statement = select(Content.hash, Content.text).where(Content.org_id == org_id, Content.hash.in_(hashes))
    return dict((await session.execute(statement)).all())


async def load_content(session: AsyncSession, org_id: int, digest: str) -> Any:
    return msgspec.json.decode(await load_text(session, org_id, digest))


# How a world behaves, apart from what is in it: kept once, however many runs go by it.


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
