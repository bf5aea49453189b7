"""Tables of named worlds and of how faithful a state was found to be."""

from datetime import datetime
from typing import Any

from sqlalchemy import ForeignKey, ForeignKeyConstraint, Index, String
from sqlalchemy.orm import Mapped, mapped_column

from odyssey.core.tables import Base, IntegerId, JsonText, UtcDateTime


class World(Base):
    """A name for contents; they are kept once per org and outlive it, because runs go by their hashes."""

    __tablename__ = "worlds"
    __table_args__ = (
        Index(None, "org_id", "id"),
        ForeignKeyConstraint(["org_id", "state_hash"], ["contents.org_id", "contents.hash"]),
        ForeignKeyConstraint(["org_id", "conduct_hash"], ["contents.org_id", "contents.hash"]),
        {"sqlite_autoincrement": True},
    )

    id: Mapped[int] = mapped_column(IntegerId, primary_key=True)
    org_id: Mapped[int] = mapped_column(ForeignKey("orgs.id"))
    name: Mapped[str] = mapped_column(String(255))
    state_hash: Mapped[str] = mapped_column(String(64))
    conduct_hash: Mapped[str] = mapped_column(String(64))
    """Of its behaviour and rules."""
    entity_counts: Mapped[dict[str, int]] = mapped_column(JsonText)
    bytes: Mapped[int] = mapped_column(IntegerId)
    """Of the state's text."""
    rules: Mapped[int]
    """How many there are."""
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)
    updated_at: Mapped[datetime] = mapped_column(UtcDateTime)
    deleted_at: Mapped[datetime | None] = mapped_column(UtcDateTime)


class MeasuredFidelity(Base):
    """How faithful the engine was on one state; every world and run that begins with that state has it."""

    __tablename__ = "fidelities"
    __table_args__ = (ForeignKeyConstraint(["org_id", "state_hash"], ["contents.org_id", "contents.hash"]),)

    org_id: Mapped[int] = mapped_column(IntegerId, primary_key=True, autoincrement=False)
    state_hash: Mapped[str] = mapped_column(String(64), primary_key=True)
    report: Mapped[dict[str, Any]] = mapped_column(JsonText)
    measured_at: Mapped[datetime] = mapped_column(UtcDateTime)
