"""Tables of cassettes: what live services answered in a run, kept to be played again."""

from datetime import datetime

from sqlalchemy import ForeignKey, Index, String, Text
from sqlalchemy.orm import Mapped, mapped_column

from odyssey.core.tables import Base, IntegerId, UtcDateTime


class Cassette(Base):
    __tablename__ = "cassettes"
    __table_args__ = (Index(None, "org_id", "number"), {"sqlite_autoincrement": True})

    number: Mapped[int] = mapped_column(IntegerId, primary_key=True)
    id: Mapped[str] = mapped_column(String(36), unique=True)
    org_id: Mapped[int] = mapped_column(ForeignKey("orgs.id"))
    name: Mapped[str] = mapped_column(String(255))
    run_id: Mapped[int] = mapped_column(ForeignKey("run_contexts.run_id"))
    """The run it was recorded from."""
    attempt: Mapped[int]
    agent_id: Mapped[int] = mapped_column(IntegerId)
    agent_version: Mapped[int]
    created_by: Mapped[int] = mapped_column(IntegerId)
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)


class CassetteInteraction(Base):
    """One call of a run and what came of it; the order of the numbers is the order of the calls."""

    __tablename__ = "cassette_interactions"
    __table_args__ = (Index(None, "cassette_id", "number"), {"sqlite_autoincrement": True})

    number: Mapped[int] = mapped_column(IntegerId, primary_key=True)
    cassette_id: Mapped[str] = mapped_column(ForeignKey("cassettes.id"))
    run_id: Mapped[int] = mapped_column(IntegerId)
    """Where it happened: the recorded run, or a later one that captured it."""
    attempt: Mapped[int]
    sequence: Mapped[int] = mapped_column(IntegerId)
    occurred_at: Mapped[datetime] = mapped_column(UtcDateTime)
    tool_name: Mapped[str] = mapped_column(String(128))
    arguments_hash: Mapped[str] = mapped_column(String(64))
    """Of their canonical form: equal arguments, equal hash."""
    source: Mapped[str] = mapped_column(String(16))
    endpoint_id: Mapped[str | None] = mapped_column(String(36))
    endpoint_name: Mapped[str | None] = mapped_column(Text)
    endpoint_type: Mapped[str | None] = mapped_column(String(32))
    upstream_tool: Mapped[str | None] = mapped_column(Text)
    status: Mapped[int | None]
    is_error: Mapped[bool]
    read_only: Mapped[bool]
    bytes: Mapped[int]
    """Of arguments and response."""
    arguments: Mapped[str] = mapped_column(Text)
    """JSON as it arrived."""
    response: Mapped[str] = mapped_column(Text)
    """JSON as the journal has it: the clean value, without a notice it may have carried."""
