"""Tables of an org's model settings and of what its model calls cost."""

from datetime import datetime
from typing import Any

from sqlalchemy import ForeignKey, Index, String, Text
from sqlalchemy.orm import Mapped, mapped_column

from odyssey.core.tables import Base, IntegerId, JsonText, UtcDateTime


class OrgSettings(Base):
    __tablename__ = "org_settings"

    org_id: Mapped[int] = mapped_column(ForeignKey("orgs.id"), primary_key=True, autoincrement=False)
    document: Mapped[dict[str, Any]] = mapped_column(JsonText)
    updated_at: Mapped[datetime] = mapped_column(UtcDateTime)


class ModelSecret(Base):
    """The API key of one model role; it is sent to this origin and to no other."""

    __tablename__ = "model_secrets"

    org_id: Mapped[int] = mapped_column(ForeignKey("orgs.id"), primary_key=True, autoincrement=False)
    role: Mapped[str] = mapped_column(String(32), primary_key=True)
    origin: Mapped[str] = mapped_column(Text)
    sealed: Mapped[str] = mapped_column(Text)
    shown: Mapped[str] = mapped_column(String(16))
    """Its last four characters behind stars."""


class ModelCall(Base):
    """One request to a model, written down before it is sent and completed by what it cost."""

    __tablename__ = "model_calls"
    __table_args__ = (Index(None, "org_id", "occurred_at"), {"sqlite_autoincrement": True})

    id: Mapped[int] = mapped_column(IntegerId, primary_key=True)
    org_id: Mapped[int] = mapped_column(ForeignKey("orgs.id"))
    purpose: Mapped[str] = mapped_column(String(32))
    run_id: Mapped[int | None] = mapped_column(IntegerId)
    provider: Mapped[str] = mapped_column(String(32))
    model: Mapped[str] = mapped_column(String(255))
    input_tokens: Mapped[int]
    output_tokens: Mapped[int]
    cost_usd: Mapped[float]
    """At most what it can cost until the answer is there, then what it did cost."""
    outcome: Mapped[str | None] = mapped_column(String(32))
    occurred_at: Mapped[datetime] = mapped_column(UtcDateTime)
