"""Tables of tasks, runs and attempts. The run table is the truth about work."""

from datetime import datetime
from typing import Any

from sqlalchemy import ForeignKey, Index, String, text
from sqlalchemy.orm import Mapped, mapped_column

from odyssey.core.tables import Base, IntegerId, JsonText, UtcDateTime


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
            "batch_id",
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
