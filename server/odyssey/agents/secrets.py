"""The auth header value of an agent: write-only, sealed, and bound to scheme, host and port."""

from urllib.parse import urlsplit

from sqlalchemy.ext.asyncio import AsyncSession

from odyssey.agents.models import AgentSecret
from odyssey.agents.repository import delete_secret, find_secret
from odyssey.identity.vault import Vault

_DEFAULT_PORTS = {"http": 80, "https": 443}


def origin_of(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{(parts.hostname or '').lower()}:{parts.port or _DEFAULT_PORTS[parts.scheme]}"


async def store_secret(
    session: AsyncSession, vault: Vault, *, org_id: int, agent_id: int, origin: str, value: str | None
) -> None:
    await delete_secret(session, agent_id, origin)
    if value is not None:
        sealed = await vault.seal(session, org_id, _purpose(agent_id, origin), value)
        session.add(AgentSecret(agent_id=agent_id, origin=origin, sealed=sealed))


async def open_secret(
    session: AsyncSession, vault: Vault, *, org_id: int, agent_id: int, origin: str
) -> str | None:
    row = await find_secret(session, agent_id, origin)
    if row is None:
        return None
    return await unseal_secret(
        session, vault, org_id=org_id, agent_id=agent_id, origin=origin, sealed=row.sealed
    )


async def unseal_secret(
    session: AsyncSession, vault: Vault, *, org_id: int, agent_id: int, origin: str, sealed: str
) -> str:
    """Open a secret that was read already."""
    return await vault.open(session, org_id, _purpose(agent_id, origin), sealed)


def _purpose(agent_id: int, origin: str) -> str:
    return f"agent {agent_id} auth header for {origin}"
