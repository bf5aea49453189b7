"""Table of matrices: experiments with what they go by, how far they are, and what came of them."""

from datetime import datetime
from typing import Any

from sqlalchemy import ForeignKey, Index, String, Text
from sqlalchemy.orm import Mapped, mapped_column

from odyssey.core.tables import Base, IntegerId, JsonText, UtcDateTime


class Matrix(Base):
    """Large members are read only where they are asked for."""

    __tablename__ = "matrices"
    __table_args__ = (
        Index(None, "org_id", "number"),
        Index(None, "id", unique=True),
        Index(None, "state"),
        {"sqlite_autoincrement": True},
    )

    number: Mapped[int] = mapped_column(IntegerId, primary_key=True)
    """For pages; people see `id`."""
    id: Mapped[str] = mapped_column(String(36))
    org_id: Mapped[int] = mapped_column(ForeignKey("orgs.id"))
    agent_id: Mapped[int] = mapped_column(ForeignKey("agents.id"))
    agent_version: Mapped[int]
    name: Mapped[str] = mapped_column(String(255))
    seed: Mapped[int] = mapped_column(IntegerId)
    snapshot: Mapped[dict[str, Any]] = mapped_column(JsonText, deferred=True, deferred_raiseload=True)
    scenarios: Mapped[int]
    variations: Mapped[int]
    budget_runs: Mapped[int | None]
    warnings: Mapped[list[str]] = mapped_column(JsonText)
    """What the plan cannot show."""
    rerun_of: Mapped[str | None] = mapped_column(String(36))

    state: Mapped[str] = mapped_column(String(16))
    """checking, running, completed or cancelled."""
    lease_until: Mapped[datetime | None] = mapped_column(UtcDateTime)
    """Until when somebody pings the agent."""
    reason: Mapped[str | None] = mapped_column(Text)
    """Why it was cancelled, where nobody asked for it."""
    planned_runs: Mapped[int]
    made_runs: Mapped[int]
    """The runs below this number were made; they are made in their order while the matrix goes on."""
    again: Mapped[list[int]] = mapped_column(JsonText)
    """Numbers of runs that were cancelled with the matrix and are to be made once more."""
    turn: Mapped[int]
    """Goes up whenever runs are made or are to be made again: whoever saw an older one makes nothing."""
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
