"""Tables of tool endpoints, of the agents' tools bound to them, and of cassettes."""

from datetime import datetime
from typing import Any

from sqlalchemy import ForeignKey, ForeignKeyConstraint, Index, String, Text
from sqlalchemy.orm import Mapped, mapped_column

from odyssey.core.tables import Base, IntegerId, JsonText, UtcDateTime


class ToolEndpoint(Base):
    """Somebody else's service, and the tools it said it has."""

    __tablename__ = "tool_endpoints"
    __table_args__ = (
        Index(None, "id", unique=True),
        Index(None, "org_id", "name", unique=True),
        Index(None, "org_id", "number"),
        ForeignKeyConstraint(["org_id", "credential_name"], ["credentials.org_id", "credentials.name"]),
        {"sqlite_autoincrement": True},
    )

    number: Mapped[int] = mapped_column(IntegerId, primary_key=True)
    """For pages; people see `id`."""
    id: Mapped[str] = mapped_column(String(36))
    org_id: Mapped[int] = mapped_column(ForeignKey("orgs.id"))
    name: Mapped[str] = mapped_column(String(255))
    description: Mapped[str] = mapped_column(Text)
    type: Mapped[str] = mapped_column(String(16))
    config: Mapped[dict[str, Any]] = mapped_column(JsonText)
    """As written (`config.EndpointConfig`), without the secret and without the document."""
    document_hash: Mapped[str | None] = mapped_column(String(64))
    """Of the OpenAPI document as it was pasted, or fetched last; its text is in `contents`."""
    document_bytes: Mapped[int | None]
    base_url: Mapped[str | None] = mapped_column(Text)
    """Where calls go; null until a document was read that says so."""
    credential_name: Mapped[str | None] = mapped_column(String(128))
    tools: Mapped[list[Any]] = mapped_column(JsonText)
    """Of the last discovery that succeeded."""
    tool_count: Mapped[int]
    notes: Mapped[list[str]] = mapped_column(JsonText)
    discovered_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
    discovery_error: Mapped[dict[str, str] | None] = mapped_column(JsonText)
    drift: Mapped[dict[str, Any] | None] = mapped_column(JsonText)
    revision: Mapped[int]
    """Counts changes of any kind."""
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)
    updated_at: Mapped[datetime] = mapped_column(UtcDateTime)


class AgentEndpoint(Base):
    """A tool of an agent's newest or published version that names an endpoint, which therefore stays."""

    __tablename__ = "agent_endpoints"

    agent_id: Mapped[int] = mapped_column(IntegerId, primary_key=True, autoincrement=False)
    version: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    tool_name: Mapped[str] = mapped_column(String(128), primary_key=True)
    endpoint_id: Mapped[str] = mapped_column(ForeignKey("tool_endpoints.id"), index=True)
    agent_name: Mapped[str] = mapped_column(Text)
    """Of this version."""
    by_name: Mapped[bool]
    """Bound by the endpoint's name rather than its id."""


# Tables of cassettes: what live services answered in a run, kept to be played again.


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
