"""Tables of agents, their immutable versions and the secrets bound to their addresses."""

from datetime import datetime
from typing import Any

from sqlalchemy import ForeignKey, Index, String, Text
from sqlalchemy.orm import Mapped, mapped_column

from odyssey.core.tables import Base, IntegerId, JsonText, UtcDateTime


class Agent(Base):
    __tablename__ = "agents"
    __table_args__ = (Index(None, "org_id", "id"), {"sqlite_autoincrement": True})

    id: Mapped[int] = mapped_column(IntegerId, primary_key=True)
    org_id: Mapped[int] = mapped_column(ForeignKey("orgs.id"))
    version: Mapped[int]
    """The newest version, draft or not."""
    published_version: Mapped[int | None]
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)
    updated_at: Mapped[datetime] = mapped_column(UtcDateTime)
    deleted_at: Mapped[datetime | None] = mapped_column(UtcDateTime)


class AgentVersion(Base):
    __tablename__ = "agent_versions"

    agent_id: Mapped[int] = mapped_column(ForeignKey("agents.id"), primary_key=True)
    version: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    content: Mapped[dict[str, Any]] = mapped_column(JsonText)
    content_hash: Mapped[str] = mapped_column(String(64))
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)
    created_by: Mapped[int] = mapped_column(IntegerId)


class AgentSecret(Base):
    """The value of an agent's auth header; it is sent to this origin and to no other."""

    __tablename__ = "agent_secrets"

    agent_id: Mapped[int] = mapped_column(ForeignKey("agents.id"), primary_key=True)
    origin: Mapped[str] = mapped_column(Text, primary_key=True)
    sealed: Mapped[str] = mapped_column(Text)


class AgentHealth(Base):
    """What the last ping of an agent found."""

    __tablename__ = "agent_health"

    agent_id: Mapped[int] = mapped_column(ForeignKey("agents.id"), primary_key=True, autoincrement=False)
    ok: Mapped[bool]
    status: Mapped[int | None]
    error_class: Mapped[str | None] = mapped_column(String(32))
    latency_ms: Mapped[int]
    detail: Mapped[str] = mapped_column(Text)
    checked_at: Mapped[datetime] = mapped_column(UtcDateTime)
