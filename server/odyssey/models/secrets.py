"""The API key of a model: write-only, sealed, and sent to the one origin it was given for."""

from sqlalchemy import delete
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
    if row is None or row.origin != origin:
        return None
    return await vault.open(session, org_id, _purpose(role, origin), row.sealed)


def _purpose(role: Role, origin: str) -> str:
    return f"{role} model key for {origin}"
