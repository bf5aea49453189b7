"""Whether an agent is there: what its last ping found."""

from collections.abc import Collection
from datetime import datetime
from typing import Protocol

from sqlalchemy import select
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.asyncio import AsyncSession

from odyssey.agents.models import AgentHealth


class Pinged(Protocol):
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


async def store_health(session: AsyncSession, agent_id: int, found: Pinged, now: datetime) -> None:
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
