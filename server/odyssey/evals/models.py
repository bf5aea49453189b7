"""Tables of scenarios and their versions, of an organisation's own variations, and of eval runs."""

from datetime import datetime
from typing import Any

from sqlalchemy import ForeignKey, Index, String, Text, false
from sqlalchemy.orm import Mapped, mapped_column

from odyssey.agents.config import VariationDelivery
from odyssey.core.tables import Base, IntegerId, JsonText, UtcDateTime
from odyssey.evals.behaviour import Delivered

# Tables of scenarios: what they are called now, and every content they ever had.


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


# Table of the variations organisations wrote themselves.


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


# Table of eval runs: what an ordinary run stands for in the library, and what was read off it when it ended.


class EvalRun(Base):
    """Which scenario a run is of, and under which pressure. Large members are read only where they are asked for."""

    __tablename__ = "eval_runs"
    __table_args__ = (
        Index(None, "org_id", "run_id"),
        Index(None, "scenario_number", "scenario_version", "agent_id", "agent_version"),
        Index(None, "observed_at"),
        Index(None, "replaces", unique=True),
        Index(None, "matrix_id", "observed_at"),
    )

    run_id: Mapped[int] = mapped_column(ForeignKey("runs.id"), primary_key=True, autoincrement=False)
    org_id: Mapped[int] = mapped_column(ForeignKey("orgs.id"))
    scenario_number: Mapped[int] = mapped_column(ForeignKey("scenarios.number"))
    scenario_version: Mapped[int]
    agent_id: Mapped[int] = mapped_column(IntegerId)
    agent_version: Mapped[int]
    risk_level: Mapped[str] = mapped_column(String(16))
    """The scenario's in that version."""
    matrix_id: Mapped[str | None] = mapped_column(String(36))
    """The experiment it belongs to; null for one that was asked for by itself."""
    rule_set: Mapped[str | None] = mapped_column(String(64))
    """The failure rules that came ahead of its world's, by their name in the experiment."""

    variation_type: Mapped[str | None] = mapped_column(String(64))
    """Null: a baseline."""
    dose: Mapped[str | None] = mapped_column(String(16))
    delivery: Mapped[VariationDelivery | None] = mapped_column(String(16))
    step: Mapped[int | None]
    """Of `tool_result`: from which answered call on."""
    placebo: Mapped[bool]
    """Whether it got the variation's placebo instead."""
    paraphrase: Mapped[int | None]
    repeat: Mapped[int]
    fresh: Mapped[bool] = mapped_column(server_default=false())
    """Whether it was made to judge a suspicious cell again; such runs are compared with each other alone."""
    replaces: Mapped[int | None] = mapped_column(IntegerId)
    """The missing run it stands in for: a run is repeated once."""
    injection: Mapped[str | None] = mapped_column(JsonText, deferred=True, deferred_raiseload=True)
    """The text it got."""

    observed_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
    """When what follows was read off the ended run; null before."""
    behaviour: Mapped[dict[str, Any] | None] = mapped_column(JsonText, deferred=True, deferred_raiseload=True)
    """Null where the run says nothing of the agent."""
    distance_version: Mapped[int | None]
    """The distance its behaviour was read for; null where there is none."""
    matched: Mapped[bool | None]
    """Null where nothing is expected, or nothing is known."""
    findings: Mapped[list[Any] | None] = mapped_column(JsonText, deferred=True, deferred_raiseload=True)
    delivered: Mapped[Delivered | None] = mapped_column(String(16))
    """delivered, claimed or undelivered; null for a baseline."""
    raw_shift: Mapped[float | None]
    """Its mean distance to the baselines; null for a baseline, and for a run of a matrix until that has ended."""
    flagged: Mapped[bool] = mapped_column(server_default=false())
