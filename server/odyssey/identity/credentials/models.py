"""Table of credentials."""

from datetime import datetime

from sqlalchemy import ForeignKey, Index, String, Text
from sqlalchemy.orm import Mapped, mapped_column

from odyssey.core.tables import Base, IntegerId, UtcDateTime


class Credential(Base):
    """A secret under a name; it is sent to its origin and to no other."""

    __tablename__ = "credentials"
    __table_args__ = (Index(None, "org_id", "name", unique=True), {"sqlite_autoincrement": True})

    number: Mapped[int] = mapped_column(IntegerId, primary_key=True)
    """For pages; people see `name`."""
    org_id: Mapped[int] = mapped_column(ForeignKey("orgs.id"))
    name: Mapped[str] = mapped_column(String(128))
    sealed: Mapped[str] = mapped_column(Text)
    shown: Mapped[str] = mapped_column(String(16))
    origin: Mapped[str | None] = mapped_column(Text)
    """Scheme, host and port; null is sent to none."""
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)
    updated_at: Mapped[datetime] = mapped_column(UtcDateTime)
