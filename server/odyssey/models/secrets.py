"""The API key of a model: write-only, sealed, and sent to the one origin it was given for."""

from collections.abc import Sequence

from sqlalchemy import delete, select
from sqlalchemy.ext.asyncio import AsyncSession

from odyssey.identity.vault import Vault, hint_of
from odyssey.models.document import Role
from odyssey.models.models import ModelSecret


async def find_key(session: AsyncSession, org_id: int, role: Role) -> ModelSecret | None:
    return await session.get(ModelSecret, (org_id, role))


async def drop_key(session: AsyncSession, org_id: int, role: Role) -> None:
    await session.execute(delete(ModelSecret).where(ModelSecret.org_id == org_id, ModelSecret.role == role))


async def store_key(
    session: AsyncSession, vault: Vault, *, org_id: int, role: Role, origin: str, api_key: str
) -> None:
    await drop_key(session, org_id, role)
    sealed = await vault.seal(session, org_id, _purpose(role, origin), api_key)
    session.add(ModelSecret(org_id=org_id, role=role, origin=origin, sealed=sealed, shown=hint_of(api_key)))
    await session.flush()


async def open_key(
    session: AsyncSession, vault: Vault, *, org_id: int, role: Role, origin: str
) -> str | None:
    row = await find_key(session, org_id, role)
    return None if row is None or row.origin != origin else await open_stored_key(session, vault, row)


async def open_stored_key(session: AsyncSession, vault: Vault, row: ModelSecret) -> str:
    return await vault.open(session, row.org_id, _purpose(row.role, row.origin), row.sealed)


async def all_keys(session: AsyncSession, org_id: int) -> Sequence[ModelSecret]:
    return (await session.scalars(select(ModelSecret).where(ModelSecret.org_id == org_id))).all()


def _purpose(role: str, origin: str) -> str:
    return f"{role} model key for {origin}"
