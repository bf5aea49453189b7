"""All SQL of agents. Every look-up names the org; a deleted agent does not exist."""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Protocol

from sqlalchemy import Connection, bindparam, delete, literal, select, tuple_
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.asyncio import AsyncSession

from odyssey.agents.models import Agent, AgentHealth, AgentSecret, AgentVersion
from odyssey.core.errors import NotFoundError
from odyssey.core.paging import ListOrder, PageRequest
from odyssey.core.tables import IntegerId, json_member, table_of
from odyssey.kit.pagination import Page

AGENT_ORDER = ListOrder(
    Agent.id,
    {
        "id": Agent.id,
        "name": json_member(AgentVersion.content, "name"),
        "mode": json_member(AgentVersion.content, "mode"),
        "version": Agent.version,
        "published_version": Agent.published_version,
        "created_at": Agent.created_at,
        "updated_at": Agent.updated_at,
    },
)
_SECRETS = table_of(AgentSecret)
_SEALED = select(_SECRETS).where(_SECRETS.c.agent_id.in_(bindparam("agent_ids", expanding=True)))


async def get_agent(session: AsyncSession, org_id: int, agent_id: int, *, lock: bool = False) -> Agent:
    statement = select(Agent).where(Agent.id == agent_id, Agent.org_id == org_id, Agent.deleted_at.is_(None))
    agent = (await session.scalars(statement.with_for_update() if lock else statement)).first()
    if agent is None:
        raise NotFoundError
    return agent


async def get_version(session: AsyncSession, agent_id: int, version: int) -> AgentVersion:
    return await session.get_one(AgentVersion, (agent_id, version))


async def find_version(session: AsyncSession, agent_id: int, version: int) -> AgentVersion | None:
    wanted = AgentVersion.version == literal(version, IntegerId)  # an id may exceed what the column can hold
    statement = select(AgentVersion).where(AgentVersion.agent_id == agent_id, wanted)
    return (await session.scalars(statement)).first()


async def names_of_versions(
    session: AsyncSession, versions: Collection[tuple[int, int]]
) -> dict[tuple[int, int], str]:
    """Return the name each (agent, version) has, also of deleted agents."""
    key = tuple_(AgentVersion.agent_id, AgentVersion.version)
    name = json_member(AgentVersion.content, "name")
    statement = select(AgentVersion.agent_id, AgentVersion.version, name).where(key.in_(versions))
    return {(agent_id, version): text for agent_id, version, text in await session.execute(statement)}


async def list_agents(
    session: AsyncSession,
    org_id: int,
    page: PageRequest,
    *,
    status: str | None = None,
    q: str | None = None,
) -> Page[tuple[Agent, AgentVersion]]:
    statement = (
        select(Agent, AgentVersion)
        .join(AgentVersion, (AgentVersion.agent_id == Agent.id) & (AgentVersion.version == Agent.version))
        .where(Agent.org_id == org_id, Agent.deleted_at.is_(None))
    )
    if status is not None:
        is_draft = Agent.published_version.is_(None)
        statement = statement.where(is_draft if status == "draft" else ~is_draft)
    if q:
        name = json_member(AgentVersion.content, "name")
        statement = statement.where(name.icontains(q, autoescape=True))
    return await AGENT_ORDER.rows(session, statement, page)


async def list_versions(
    session: AsyncSession, agent_id: int, after: int, limit: int
) -> Sequence[AgentVersion]:
    later = AgentVersion.version > literal(after, IntegerId)  # a cursor may exceed what the column can hold
    statement = select(AgentVersion).where(AgentVersion.agent_id == agent_id, later)
    return (await session.scalars(statement.order_by(AgentVersion.version).limit(limit))).all()


async def find_secret(session: AsyncSession, agent_id: int, origin: str) -> AgentSecret | None:
    return await session.get(AgentSecret, (agent_id, origin))


async def agents_with_secrets(session: AsyncSession, agent_ids: Sequence[int]) -> set[tuple[int, str]]:
    statement = select(AgentSecret.agent_id, AgentSecret.origin).where(AgentSecret.agent_id.in_(agent_ids))
    return {(agent_id, origin) for agent_id, origin in await session.execute(statement)}


def sealed_secrets(connection: Connection, agent_ids: Collection[int]) -> dict[tuple[int, str], str]:
    """Read all secrets of agents, sealed as they are, by agent and origin."""
    rows = connection.execute(_SEALED, {"agent_ids": list(agent_ids)})
    return {(row.agent_id, row.origin): row.sealed for row in rows}


async def delete_secret(session: AsyncSession, agent_id: int, origin: str) -> None:
    await session.execute(
        delete(AgentSecret).where(AgentSecret.agent_id == agent_id, AgentSecret.origin == origin)
    )


async def delete_secrets(session: AsyncSession, agent_id: int, keep: Sequence[str] = ()) -> None:
    """Delete the secrets of every origin but those to keep."""
    stale = delete(AgentSecret).where(AgentSecret.agent_id == agent_id, AgentSecret.origin.not_in(keep))
    await session.execute(stale)


# Whether an agent is there: what its last ping found.


class PingReport(Protocol):
    """What a ping found; `dispatch`, which pings, stands above."""

    @property
    def ok(self) -> bool: ...
    @property
    def status(self) -> int | None: ...
    @property
    def latency_ms(self) -> int: ...
    @property
    def detail(self) -> str: ...
    @property
    def error_class(self) -> str | None: ...


async def store_health(session: AsyncSession, agent_id: int, found: PingReport, now: datetime) -> None:
    """Keep what the newest ping found."""
    insert = sqlite.insert if session.get_bind().dialect.name == "sqlite" else postgresql.insert
    values = {
        "ok": found.ok,
        "status": found.status,
        "error_class": found.error_class,
        "latency_ms": found.latency_ms,
        "detail": found.detail,
        "checked_at": now,
    }
    statement = insert(AgentHealth).values(agent_id=agent_id, **values)
    await session.execute(statement.on_conflict_do_update(index_elements=["agent_id"], set_=values))


async def healths_of(session: AsyncSession, agent_ids: Collection[int]) -> dict[int, AgentHealth]:
    found = await session.scalars(select(AgentHealth).where(AgentHealth.agent_id.in_(agent_ids)))
    return {health.agent_id: health for health in found}
