"""Table of batches: requests that make more than one run."""

from datetime import datetime
from typing import Any

from sqlalchemy import Double, ForeignKey, Index, String
from sqlalchemy.orm import Mapped, mapped_column

from odyssey.core.tables import Base, IntegerId, JsonText, UtcDateTime
from odyssey.records.tools import CacheUse


class Batch(Base):
    __tablename__ = "batches"
    __table_args__ = (Index(None, "org_id", "id"), Index(None, "state"), {"sqlite_autoincrement": True})

    id: Mapped[int] = mapped_column(IntegerId, primary_key=True)
    org_id: Mapped[int] = mapped_column(ForeignKey("orgs.id"))
    agent_id: Mapped[int] = mapped_column(ForeignKey("agents.id"))
    agent_version: Mapped[int]
    dataset_id: Mapped[int | None] = mapped_column(ForeignKey("datasets.id"))
    revision: Mapped[int | None]
    repeats: Mapped[int]
    planned_runs: Mapped[int]
    made_runs: Mapped[int]
    """Runs are made row by row while the batch goes on; a batch is whole when all planned ones are made."""
    state: Mapped[str] = mapped_column(String(16))
    """checking, running, failed or cancelled; whether it is over is read off its runs."""
    lease_until: Mapped[datetime | None] = mapped_column(UtcDateTime)
    """Until when somebody pings the agent."""
    error_class: Mapped[str | None] = mapped_column(String(32))
    ping: Mapped[dict[str, Any] | None] = mapped_column(JsonText)
    """What was found before the first dispatch."""
    cassette: Mapped[dict[str, Any] | None] = mapped_column(JsonText)
    """What the live tools of its runs are played from, and how; null where they are asked."""
    simulator_cache: Mapped[CacheUse] = mapped_column(String(8), server_default="use")
    max_unmeasured: Mapped[float] = mapped_column(Double, server_default="0.1")
    """The share of its runs that may say nothing of the agent before a gate cannot tell."""
    created_by: Mapped[int] = mapped_column(IntegerId)
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)
