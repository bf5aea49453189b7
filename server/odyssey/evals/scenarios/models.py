"""Tables of scenarios: what they are called now, and every content they ever had."""

from datetime import datetime
from typing import Any

from sqlalchemy import ForeignKey, Index, String, Text
from sqlalchemy.orm import Mapped, mapped_column

from odyssey.core.tables import Base, IntegerId, JsonText, UtcDateTime


class Scenario(Base):
    """The present version, as far as it is searched by."""

    __tablename__ = "scenarios"
    __table_args__ = (
        Index(None, "org_id", "number"),
        Index(None, "id", unique=True),
        {"sqlite_autoincrement": True},
    )

    number: Mapped[int] = mapped_column(IntegerId, primary_key=True)
    """For keys and pages; people see `id`."""
    id: Mapped[str] = mapped_column(String(40))
    org_id: Mapped[int] = mapped_column(ForeignKey("orgs.id"))
    version: Mapped[int]
    name: Mapped[str] = mapped_column(String(255))
    description: Mapped[str] = mapped_column(Text)
    risk_level: Mapped[str] = mapped_column(String(16))
    tags: Mapped[list[str]] = mapped_column(JsonText)
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)
    updated_at: Mapped[datetime] = mapped_column(UtcDateTime)
    deleted_at: Mapped[datetime | None] = mapped_column(UtcDateTime)


class ScenarioVersion(Base):
    """One content; it never changes."""

    __tablename__ = "scenario_versions"

    scenario_number: Mapped[int] = mapped_column(ForeignKey("scenarios.number"), primary_key=True)
    version: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    content: Mapped[dict[str, Any]] = mapped_column(JsonText)
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)
