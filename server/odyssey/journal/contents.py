"""Documents stored by what they contain."""

from typing import Any

import msgspec
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.asyncio import AsyncSession

from odyssey.journal.models import Content
from odyssey.records.canonical import canonical_json, content_hash


async def store_content(session: AsyncSession, org_id: int, value: Any) -> str:
    """Keep a document once; returns its hash."""
    digest = content_hash(value)
    insert = sqlite.insert if session.get_bind().dialect.name == "sqlite" else postgresql.insert
    row = {"org_id": org_id, "hash": digest, "text": canonical_json(value).decode("utf-8")}
    await session.execute(insert(Content).values(row).on_conflict_do_nothing())
    return digest


async def load_content(session: AsyncSession, org_id: int, digest: str) -> Any:
    row = await session.get_one(Content, (org_id, digest))
    return msgspec.json.decode(row.text)
