"""Table of datasets; their rows are tasks."""

from datetime import datetime

from sqlalchemy import ForeignKey, Index, String
from sqlalchemy.orm import Mapped, mapped_column

from odyssey.core.tables import Base, IntegerId, JsonText, UtcDateTime


class Dataset(Base):
    """A name for rows. A changed dataset is a new revision; old rows stay, because runs go by them."""

    __tablename__ = "datasets"
    __table_args__ = (Index(None, "org_id", "id"), {"sqlite_autoincrement": True})

    id: Mapped[int] = mapped_column(IntegerId, primary_key=True)
    org_id: Mapped[int] = mapped_column(ForeignKey("orgs.id"))
    name: Mapped[str] = mapped_column(String(255))
    revision: Mapped[int]
    row_count: Mapped[int]
    columns: Mapped[list[str]] = mapped_column(JsonText)
    """Those that any row fills, in the order of the template."""
    warnings: Mapped[list[str]] = mapped_column(JsonText)
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)
    updated_at: Mapped[datetime] = mapped_column(UtcDateTime)
    deleted_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
