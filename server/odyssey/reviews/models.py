"""Table of the review queue: what should be looked at, what was known of it then, and what somebody said of it."""

from datetime import datetime

from sqlalchemy import ForeignKey, Index, String, Text, text
from sqlalchemy.orm import Mapped, mapped_column

from odyssey.core.tables import Base, IntegerId, JsonText, UtcDateTime
from odyssey.evals.incidents import IncidentKind
from odyssey.evals.scenarios.content import RiskLevel
from odyssey.reviews.schemas import Source, Verdict
from odyssey.statistics.cells import Reason

_OPEN = text("verdict IS NULL AND superseded_at IS NULL")
_FOUND = text("source <> 'manual' AND source <> 'incident'")
_INCIDENT = text("source = 'incident'")
_ASKED = text("source = 'manual' AND verdict IS NULL")


class ReviewRow(Base):
    """Later settings, versions and baselines do not touch it; only the verdict is added, once."""

    __tablename__ = "review_items"
    __table_args__ = (
        Index(
            "ix_review_items_queue", "org_id", "rank", "number", sqlite_where=_OPEN, postgresql_where=_OPEN
        ),
        Index(None, "org_id", "decided_at", "number"),
        Index(None, "id", unique=True),
        Index(None, "run_id"),
        # A cell is flagged by its typical run, so this is also one item per cell.
        Index(
            "ix_review_items_found",
            "run_id",
            "source",
            unique=True,
            sqlite_where=_FOUND,
            postgresql_where=_FOUND,
        ),
        # An incident is told by the first run that shows it, so this is also one item per cell and kind.
        Index(
            "ix_review_items_incident",
            "run_id",
            "incident",
            unique=True,
            sqlite_where=_INCIDENT,
            postgresql_where=_INCIDENT,
        ),
        Index("ix_review_items_asked", "run_id", unique=True, sqlite_where=_ASKED, postgresql_where=_ASKED),
        {"sqlite_autoincrement": True},
    )

    number: Mapped[int] = mapped_column(IntegerId, primary_key=True)
    """For pages; people see `id`."""
    id: Mapped[str] = mapped_column(String(36))
    org_id: Mapped[int] = mapped_column(ForeignKey("orgs.id"))
    source: Mapped[Source] = mapped_column(String(16))
    rank: Mapped[int]
    """Its place in the queue, see `priority`; of equals the older one is first."""
    scenario_id: Mapped[str] = mapped_column(String(40))
    scenario_name: Mapped[str] = mapped_column(String(255))
    risk_level: Mapped[RiskLevel] = mapped_column(String(16))
    variation_type: Mapped[str | None] = mapped_column(String(64))
    rule_set: Mapped[str | None] = mapped_column(String(64))
    agent_id: Mapped[int] = mapped_column(IntegerId)
    agent_version: Mapped[int]
    matrix_id: Mapped[str | None] = mapped_column(String(36))
    run_id: Mapped[int] = mapped_column(ForeignKey("runs.id"))
    baseline_run_id: Mapped[int | None] = mapped_column(ForeignKey("runs.id"))
    shift: Mapped[float | None]
    distance_version: Mapped[int] = mapped_column(server_default="1")
    """The distance the shift is measured with."""
    interval: Mapped[list[float] | None] = mapped_column(JsonText)
    """Only where the shift was measured; null where it is the raw one."""
    q_value: Mapped[float | None]
    match_rate: Mapped[float | None]
    match_runs: Mapped[int | None]
    """Of how many runs that is the rate; null too of an item from before it was kept."""
    baseline_match_rate: Mapped[float | None]
    baseline_match_runs: Mapped[int | None]
    threshold: Mapped[float | None]
    confirmed: Mapped[bool]
    reason: Mapped[Reason | None] = mapped_column(String(32))
    incident: Mapped[IncidentKind | None] = mapped_column(String(32))
    """Of an incident its kind."""
    sentence: Mapped[str | None] = mapped_column(Text)
    """Of an incident what was done, and how often."""
    notes: Mapped[str] = mapped_column(Text)
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)

    superseded_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
    """When what it was put here for turned out to be no more; then it waits for nothing."""
    verdict: Mapped[Verdict | None] = mapped_column(String(16))
    """Null: it waits for one, or is superseded. What follows comes with it, and none of it is ever changed."""
    verdict_notes: Mapped[str | None] = mapped_column(Text)
    reviewer_id: Mapped[int | None] = mapped_column(IntegerId)
    reviewer: Mapped[str | None] = mapped_column(Text)
    """As named then."""
    decided_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
