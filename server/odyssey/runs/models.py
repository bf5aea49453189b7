"""Tables of runs, their attempts and grades, and what many of them belong to. The run table is the truth about work."""

from datetime import datetime
from typing import Any

from sqlalchemy import Double, ForeignKey, Index, String, Text, text
from sqlalchemy.orm import Mapped, mapped_column, relationship

from odyssey.core.tables import Base, IntegerId, JsonText, UtcDateTime
from odyssey.records.tools import CacheUse


class Campaign(Base):
    """The life of many runs of one agent, whatever they are for; `kind` says which table has the rest."""

    __tablename__ = "campaigns"
    __table_args__ = (Index(None, "state"), {"sqlite_autoincrement": True})

    id: Mapped[int] = mapped_column(IntegerId, primary_key=True)
    kind: Mapped[str] = mapped_column(String(16))
    """batch or matrix: which source says what its runs are and what is done at the end."""
    org_id: Mapped[int] = mapped_column(ForeignKey("orgs.id"))
    agent_id: Mapped[int] = mapped_column(ForeignKey("agents.id"))
    agent_version: Mapped[int]
    state: Mapped[str] = mapped_column(String(16))
    """checking, running, completed, failed or cancelled."""
    lease_until: Mapped[datetime | None] = mapped_column(UtcDateTime)
    """Until when somebody pings the agent."""
    ping: Mapped[dict[str, Any] | None] = mapped_column(JsonText)
    """What was found before the first dispatch."""
    planned_runs: Mapped[int]
    made_runs: Mapped[int]
    """The runs below this number were made; they are made in their order while the campaign goes on."""
    again: Mapped[list[int]] = mapped_column(JsonText)
    """Numbers of runs that were cancelled with the campaign and are to be made once more."""
    turn: Mapped[int]
    """Goes up whenever runs are made or are to be made again: whoever saw an older one makes nothing."""

    @property
    def is_whole(self) -> bool:
        """Whether all its runs were made."""
        return self.made_runs == self.planned_runs and not self.again


class Batch(Base):
    """A request that makes more than one run: of seeds, or of the rows of a dataset."""

    __tablename__ = "batches"
    __table_args__ = (
        Index(None, "org_id", "id"),
        Index(None, "campaign_id", unique=True),
        {"sqlite_autoincrement": True},
    )

    id: Mapped[int] = mapped_column(IntegerId, primary_key=True)
    campaign_id: Mapped[int] = mapped_column(ForeignKey("campaigns.id"))
    campaign: Mapped[Campaign] = relationship(lazy="joined", innerjoin=True)
    org_id: Mapped[int] = mapped_column(ForeignKey("orgs.id"))
    agent_id: Mapped[int] = mapped_column(ForeignKey("agents.id"))
    agent_version: Mapped[int]
    dataset_id: Mapped[int | None] = mapped_column(ForeignKey("datasets.id"))
    revision: Mapped[int | None]
    repeats: Mapped[int]
    cassette: Mapped[dict[str, Any] | None] = mapped_column(JsonText)
    """What the live tools of its runs are played from, and how; null where they are asked."""
    simulator_cache: Mapped[CacheUse] = mapped_column(String(8), server_default="use")
    max_unmeasured: Mapped[float] = mapped_column(Double, server_default="0.1")
    """The share of its runs that may say nothing of the agent before a gate cannot tell."""
    created_by: Mapped[int] = mapped_column(IntegerId)
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)


class Lane(Base):
    """Runs that go one after another, or a few at once, whichever processes execute them."""

    __tablename__ = "lanes"

    id: Mapped[str] = mapped_column(String(36), primary_key=True)
    most_at_once: Mapped[int]


class Run(Base):
    __tablename__ = "runs"
    __table_args__ = (
        Index(None, "org_id", "id"),
        Index(None, "status", "lease_until"),
        Index(None, "batch_id", "task_id", "repeat", unique=True),
        Index(
            "ix_runs_waiting",
            "campaign_id",
            "id",
            sqlite_where=text("status = 'pending'"),
            postgresql_where=text("status = 'pending'"),
        ),
        Index(
            None,
            "lane",
            "id",
            sqlite_where=text("status = 'pending'"),
            postgresql_where=text("status = 'pending'"),
        ),
        Index(
            "ix_runs_ungraded",
            "id",
            sqlite_where=text("verdict = 'PENDING'"),
            postgresql_where=text("verdict = 'PENDING'"),
        ),
        Index(
            "ix_runs_consistency",
            "org_id",
            "agent_id",
            "agent_version",
            "tool_calls",
            "violations",
            sqlite_where=text("tool_calls > 0"),
            postgresql_where=text("tool_calls > 0"),
        ),
        {"sqlite_autoincrement": True},
    )

    id: Mapped[int] = mapped_column(IntegerId, primary_key=True)
    org_id: Mapped[int] = mapped_column(ForeignKey("orgs.id"))
    task_id: Mapped[int] = mapped_column(ForeignKey("tasks.id"))
    agent_id: Mapped[int] = mapped_column(ForeignKey("agents.id"))
    agent_version: Mapped[int]
    random_seed: Mapped[int] = mapped_column(IntegerId)
    campaign_id: Mapped[int | None] = mapped_column(IntegerId)
    """What it is one of many of; null: it stands alone. It goes only while the campaign does."""
    batch_id: Mapped[int | None] = mapped_column(IntegerId)
    repeat: Mapped[int] = mapped_column(server_default="1")
    """Which of the task's repeats in its batch, from 1."""
    lane: Mapped[str | None] = mapped_column(String(36))
    """Where it waits its turn; null: it goes as soon as there is room. A lane without a row has no limit."""

    status: Mapped[str] = mapped_column(String(16))
    attempt: Mapped[int]
    owner: Mapped[str | None] = mapped_column(String(64))
    lease_until: Mapped[datetime | None] = mapped_column(UtcDateTime)

    verdict: Mapped[str] = mapped_column(String(16))
    """PENDING until it is graded: ended and PENDING is the queue of the graders."""
    failure_mode: Mapped[str | None] = mapped_column(String(64))
    score: Mapped[float | None]
    cost_usd: Mapped[float] = mapped_column(server_default="0")
    grading_until: Mapped[datetime | None] = mapped_column(UtcDateTime)
    """Until when somebody grades it."""
    error_class: Mapped[str | None] = mapped_column(String(32))
    error_json: Mapped[dict[str, Any] | None] = mapped_column(JsonText)
    final_response: Mapped[str | None] = mapped_column(JsonText)
    messages: Mapped[list[Any] | None] = mapped_column(JsonText)
    reply_metadata: Mapped[dict[str, Any] | None] = mapped_column("metadata", JsonText)
    soft_warnings: Mapped[list[str]] = mapped_column(JsonText)
    tool_calls: Mapped[int] = mapped_column(server_default="0")
    """Answered calls of the last attempt; counted when it is over."""
    violations: Mapped[int] = mapped_column(server_default="0")
    """What of its simulated answers contradicted the world."""

    created_at: Mapped[datetime] = mapped_column(UtcDateTime)
    started_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
    finished_at: Mapped[datetime | None] = mapped_column(UtcDateTime)


class RunAttempt(Base):
    """One dispatch of a run, listed for ever: retries are never hidden."""

    __tablename__ = "run_attempts"

    run_id: Mapped[int] = mapped_column(ForeignKey("runs.id"), primary_key=True)
    attempt: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    owner: Mapped[str] = mapped_column(String(64))
    outcome: Mapped[str | None] = mapped_column(String(16))
    """completed, failed, cancelled, lost or released; empty while it runs."""
    started_at: Mapped[datetime] = mapped_column(UtcDateTime)
    ended_at: Mapped[datetime | None] = mapped_column(UtcDateTime)


class Grade(Base):
    """One grading of one run; a run's verdict is that of its newest grade."""

    __tablename__ = "grades"

    run_id: Mapped[int] = mapped_column(ForeignKey("runs.id"), primary_key=True)
    number: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    org_id: Mapped[int] = mapped_column(IntegerId)
    attempt: Mapped[int]
    verdict: Mapped[str] = mapped_column(String(16))
    score: Mapped[float | None]
    failure_mode: Mapped[str | None] = mapped_column(String(64))
    reason: Mapped[str] = mapped_column(Text)
    report: Mapped[dict[str, Any]] = mapped_column(JsonText)
    """What each grader said, with its version."""
    cost_usd: Mapped[float]
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)
