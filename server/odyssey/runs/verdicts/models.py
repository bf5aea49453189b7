"""Table of grades: every verdict a run was ever given."""

from datetime import datetime
from typing import Any

from sqlalchemy import ForeignKey, String, Text
from sqlalchemy.orm import Mapped, mapped_column

from odyssey.core.tables import Base, IntegerId, JsonText, UtcDateTime


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
