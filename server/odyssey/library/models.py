"""The table of tasks: what runs are made from."""

from datetime import datetime
from typing import Any

from sqlalchemy import ForeignKey, Index, String
from sqlalchemy.orm import Mapped, mapped_column

from odyssey.core.tables import Base, IntegerId, JsonText, UtcDateTime


class Task(Base):
    """One seed; repeats of it share the task."""

    __tablename__ = "tasks"
    __table_args__ = (Index(None, "dataset_id", "revision", "position"), {"sqlite_autoincrement": True})

    id: Mapped[int] = mapped_column(IntegerId, primary_key=True)
    org_id: Mapped[int] = mapped_column(ForeignKey("orgs.id"))
    seed: Mapped[dict[str, Any]] = mapped_column(JsonText)
    """The seed as given, but for `initial_state` and all that comes from a named world, which are kept by hash."""
    initial_state_hash: Mapped[str] = mapped_column(String(64))
    conduct_hash: Mapped[str | None] = mapped_column(String(64))
    """Of the named world's behaviour and rules; null if the seed has its own."""
    dataset_id: Mapped[int | None] = mapped_column(IntegerId)
    """A task of a dataset is one of its rows; null for a seed of a request."""
    revision: Mapped[int | None]
    position: Mapped[int | None]
    """The row's number in that revision, from 0."""
    row_hash: Mapped[str | None] = mapped_column(String(64))
    """Of all the row says, so that equal rows of two revisions are known as equal."""
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)
