"""Documents stored by what they contain."""

import hashlib
from typing import Any, NamedTuple

import msgspec
from sqlalchemy import select
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.asyncio import AsyncSession

from odyssey.journal.models import Content
from odyssey.records.canonical import canonical_json


class Document(NamedTuple):
    """Canonical JSON and its hash."""

    text: str
    hash: str
    bytes: int


def document(canonical: bytes) -> Document:
    return Document(canonical.decode("utf-8"), hashlib.sha256(canonical).hexdigest(), len(canonical))


async def store_document(session: AsyncSession, org_id: int, kept: Document) -> None:
    """Keep a document once."""
    insert = sqlite.insert if session.get_bind().dialect.name == "sqlite" else postgresql.insert
    row = {"org_id": org_id, "hash": kept.hash, "text": kept.text}
    await session.execute(insert(Content).values(row).on_conflict_do_nothing())


async def store_content(session: AsyncSession, org_id: int, value: Any) -> str:
    """Keep a value once; returns its hash."""
    made = document(canonical_json(value))
    await store_document(session, org_id, made)
    return made.hash


async def load_text(session: AsyncSession, org_id: int, digest: str) -> str:
    statement = select(Content.text).where(Content.org_id == org_id, Content.hash == digest)
    return (await session.scalars(statement)).one()


async def load_content(session: AsyncSession, org_id: int, digest: str) -> Any:
    return msgspec.json.decode(await load_text(session, org_id, digest))
