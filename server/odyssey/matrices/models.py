"""Table of matrices: experiments with what they go by and what came of them; how far they are is their campaign's."""

from datetime import datetime
from typing import Any

from sqlalchemy import ForeignKey, Index, String, Text
from sqlalchemy.orm import Mapped, mapped_column, relationship

from odyssey.core.tables import Base, IntegerId, JsonText, UtcDateTime
from odyssey.runs.models import Campaign


class Matrix(Base):
    """Large members are read only where they are asked for."""

    __tablename__ = "matrices"
    __table_args__ = (
        Index(None, "org_id", "number"),
        Index(None, "id", unique=True),
        Index(None, "campaign_id", unique=True),
        {"sqlite_autoincrement": True},
    )

    number: Mapped[int] = mapped_column(IntegerId, primary_key=True)
    """For pages; people see `id`."""
    id: Mapped[str] = mapped_column(String(36))
    campaign_id: Mapped[int] = mapped_column(ForeignKey("campaigns.id"))
    campaign: Mapped[Campaign] = relationship(lazy="joined", innerjoin=True)
    org_id: Mapped[int] = mapped_column(ForeignKey("orgs.id"))
    agent_id: Mapped[int] = mapped_column(ForeignKey("agents.id"))
    agent_version: Mapped[int]
    name: Mapped[str] = mapped_column(String(255))
    seed: Mapped[int] = mapped_column(IntegerId)
    distance_version: Mapped[int] = mapped_column(server_default="1")
    """The distance its cells are measured with."""
    snapshot: Mapped[dict[str, Any]] = mapped_column(JsonText, deferred=True, deferred_raiseload=True)
    scenarios: Mapped[int]
    variations: Mapped[int]
    budget_runs: Mapped[int | None]
    confirmation: Mapped[dict[str, Any] | None] = mapped_column(JsonText)
    """Which cells get fresh runs; null until the first runs have ended, and where none does."""
    warnings: Mapped[list[str]] = mapped_column(JsonText)
    """What the plan cannot show."""
    rerun_of: Mapped[str | None] = mapped_column(String(36))

    reason: Mapped[str | None] = mapped_column(Text)
    """Why it was cancelled, where nobody asked for it."""
    began_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
    """When it began, or went on after it was cancelled; for the time that is left."""
    ended_before: Mapped[int]
    """How many runs had ended by then."""

    missing_runs: Mapped[int | None]
    """Of a completed one: runs that said nothing of the agent, also when repeated."""
    summary: Mapped[str | None] = mapped_column(Text)
    """Of a completed one; canonical JSON, so that equal experiments have equal bytes."""
    cells: Mapped[str | None] = mapped_column(Text, deferred=True, deferred_raiseload=True)
    """Of a completed one; canonical JSON."""
    created_by: Mapped[int] = mapped_column(IntegerId)
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)
    finished_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
