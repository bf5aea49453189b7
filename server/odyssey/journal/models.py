"""Tables of the journal: what a run was given, and everything that happened in it."""

from datetime import datetime
from typing import Any

from sqlalchemy import ForeignKey, String, Text
from sqlalchemy.orm import Mapped, mapped_column

from odyssey.core.tables import Base, IntegerId, JsonText, UtcDateTime
from odyssey.records.tools import CacheUse


class Content(Base):
    """A large JSON document kept once per org, however many runs begin with it."""

    __tablename__ = "contents"

    org_id: Mapped[int] = mapped_column(ForeignKey("orgs.id"), primary_key=True)
    hash: Mapped[str] = mapped_column(String(64), primary_key=True)
    text: Mapped[str] = mapped_column(Text)


class RunContext(Base):
    """All the proxy may know of a run; frozen when the run is made."""

    __tablename__ = "run_contexts"

    run_id: Mapped[int] = mapped_column(IntegerId, primary_key=True, autoincrement=False)
    org_id: Mapped[int] = mapped_column(ForeignKey("orgs.id"))
    agent_id: Mapped[int] = mapped_column(IntegerId)
    agent_version: Mapped[int]
    random_seed: Mapped[int] = mapped_column(IntegerId)
    initial_state_hash: Mapped[str] = mapped_column(String(64))
    failure_rules: Mapped[list[Any]] = mapped_column(JsonText)
    """The seed's own; empty if they are the world's."""
    behavior_instructions: Mapped[str] = mapped_column(Text, server_default="")
    """The seed's own; empty if they are the world's."""
    conduct_hash: Mapped[str | None] = mapped_column(String(64))
    """Of the named world's behaviour and rules, as they were when the run was made."""
    injection: Mapped[dict[str, Any] | None] = mapped_column(JsonText)
    """A text for the agent that is no part of its task (`CarriedText`); null for an ordinary run."""
    cassette: Mapped[dict[str, Any] | None] = mapped_column(JsonText)
    """What its live tools are played from, and how; null where they are asked."""
    simulator_cache: Mapped[CacheUse] = mapped_column(String(8), server_default="use")
    """Whether answers that a model gave before may, must or must not be given again: use, require or forbid."""


class Event(Base):
    """One thing that happened; `data` is JSON text in which foreign parts stand as they arrived."""

    __tablename__ = "events"

    run_id: Mapped[int] = mapped_column(ForeignKey("run_contexts.run_id"), primary_key=True)
    sequence: Mapped[int] = mapped_column(IntegerId, primary_key=True, autoincrement=False)
    attempt: Mapped[int]
    kind: Mapped[str] = mapped_column(String(16))
    occurred_at: Mapped[datetime] = mapped_column(UtcDateTime)
    actor_id: Mapped[str | None] = mapped_column(String(520))
    http_status: Mapped[int | None]
    repeats: Mapped[int | None]
    """How many refusals a counting event stands for; null on every other event."""
    data: Mapped[str] = mapped_column(Text)
