"""Tables of tasks, of datasets, and of named worlds with how faithful a state was found to be."""

from datetime import datetime
from typing import Any

from sqlalchemy import ForeignKey, ForeignKeyConstraint, Index, String
from sqlalchemy.orm import Mapped, mapped_column

from odyssey.core.tables import Base, IntegerId, JsonText, UtcDateTime

# The table of tasks: what runs are made from.


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


# Table of datasets; their rows are tasks.


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


# Tables of named worlds and of how faithful a state was found to be.


class StoredWorld(Base):
    """A name for contents; they are kept once per org and outlive it, because runs go by their hashes."""

    __tablename__ = "worlds"
    __table_args__ = (
        Index(None, "org_id", "id"),
        ForeignKeyConstraint(["org_id", "state_hash"], ["contents.org_id", "contents.hash"]),
        ForeignKeyConstraint(["org_id", "conduct_hash"], ["contents.org_id", "contents.hash"]),
        {"sqlite_autoincrement": True},
    )

    id: Mapped[int] = mapped_column(IntegerId, primary_key=True)
    org_id: Mapped[int] = mapped_column(ForeignKey("orgs.id"))
    name: Mapped[str] = mapped_column(String(255))
    state_hash: Mapped[str] = mapped_column(String(64))
    conduct_hash: Mapped[str] = mapped_column(String(64))
    """Of its behaviour and rules."""
    entity_counts: Mapped[dict[str, int]] = mapped_column(JsonText)
    bytes: Mapped[int] = mapped_column(IntegerId)
    """Of the state's text."""
    rules: Mapped[int]
    """How many there are."""
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)
    updated_at: Mapped[datetime] = mapped_column(UtcDateTime)
    deleted_at: Mapped[datetime | None] = mapped_column(UtcDateTime)


class MeasuredFidelity(Base):
    """How faithful the engine was on one state; every world and run that begins with that state has it."""

    __tablename__ = "fidelities"
    __table_args__ = (ForeignKeyConstraint(["org_id", "state_hash"], ["contents.org_id", "contents.hash"]),)

    org_id: Mapped[int] = mapped_column(IntegerId, primary_key=True, autoincrement=False)
    state_hash: Mapped[str] = mapped_column(String(64), primary_key=True)
    report: Mapped[dict[str, Any]] = mapped_column(JsonText)
    measured_at: Mapped[datetime] = mapped_column(UtcDateTime)
