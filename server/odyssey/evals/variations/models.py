"""Table of the variations organisations wrote themselves."""

from datetime import datetime
from typing import Any

from sqlalchemy import ForeignKey, Index, String
from sqlalchemy.orm import Mapped, mapped_column

from odyssey.core.tables import Base, JsonText, UtcDateTime


class CustomVariation(Base):
    """Runs keep the texts they were given, so one may change or go at any time."""

    __tablename__ = "custom_variations"
    __table_args__ = (Index(None, "org_id", "name", unique=True),)

    id: Mapped[str] = mapped_column(String(36), primary_key=True)
    org_id: Mapped[int] = mapped_column(ForeignKey("orgs.id"))
    name: Mapped[str] = mapped_column(String(64))
    content: Mapped[dict[str, Any]] = mapped_column(JsonText)
    """Its description and, by dose, its texts."""
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)
    updated_at: Mapped[datetime] = mapped_column(UtcDateTime)
