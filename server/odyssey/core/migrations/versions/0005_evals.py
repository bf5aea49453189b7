"""Scenarios with their versions, variations of an organisation's own, eval runs, and texts that runs carry."""

import sqlalchemy as sa
from alembic import op

from odyssey.core.tables import IntegerId, JsonText, UtcDateTime

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("run_contexts", sa.Column("injection", JsonText(), nullable=True))
    _scenarios()
    op.create_table(
        "custom_variations",
        sa.Column("id", sa.String(length=36), nullable=False),
        sa.Column("org_id", IntegerId, nullable=False),
        sa.Column("name", sa.String(length=64), nullable=False),
        sa.Column("content", JsonText(), nullable=False),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.Column("updated_at", UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(["org_id"], ["orgs.id"], name=op.f("fk_custom_variations_org_id_orgs")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_custom_variations")),
    )
    op.create_index(
        op.f("ix_custom_variations_org_id_name"), "custom_variations", ["org_id", "name"], unique=True
    )
    _eval_runs()


def _scenarios() -> None:
    op.create_table(
        "scenarios",
        sa.Column("number", IntegerId, nullable=False),
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("org_id", IntegerId, nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(length=255), nullable=False),
        sa.Column("description", sa.Text(), nullable=False),
        sa.Column("risk_level", sa.String(length=16), nullable=False),
        sa.Column("tags", JsonText(), nullable=False),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.Column("updated_at", UtcDateTime(), nullable=False),
        sa.Column("deleted_at", UtcDateTime(), nullable=True),
        sa.ForeignKeyConstraint(["org_id"], ["orgs.id"], name=op.f("fk_scenarios_org_id_orgs")),
        sa.PrimaryKeyConstraint("number", name=op.f("pk_scenarios")),
        sqlite_autoincrement=True,
    )
    op.create_index(op.f("ix_scenarios_org_id_number"), "scenarios", ["org_id", "number"])
    op.create_index(op.f("ix_scenarios_id"), "scenarios", ["id"], unique=True)
    op.create_table(
        "scenario_versions",
        sa.Column("scenario_number", IntegerId, nullable=False),
        sa.Column("version", sa.Integer(), nullable=False, autoincrement=False),
        sa.Column("content", JsonText(), nullable=False),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(
            ["scenario_number"],
            ["scenarios.number"],
            name=op.f("fk_scenario_versions_scenario_number_scenarios"),
        ),
        sa.PrimaryKeyConstraint("scenario_number", "version", name=op.f("pk_scenario_versions")),
    )


def _eval_runs() -> None:
    op.create_table(
        "eval_runs",
        sa.Column("run_id", IntegerId, nullable=False, autoincrement=False),
        sa.Column("org_id", IntegerId, nullable=False),
        sa.Column("scenario_number", IntegerId, nullable=False),
        sa.Column("scenario_version", sa.Integer(), nullable=False),
        sa.Column("agent_id", IntegerId, nullable=False),
        sa.Column("agent_version", sa.Integer(), nullable=False),
        sa.Column("risk_level", sa.String(length=16), nullable=False),
        sa.Column("matrix_id", sa.String(length=36), nullable=True),
        sa.Column("variation_type", sa.String(length=64), nullable=True),
        sa.Column("dose", sa.String(length=16), nullable=True),
        sa.Column("delivery", sa.String(length=16), nullable=True),
        sa.Column("step", sa.Integer(), nullable=True),
        sa.Column("placebo", sa.Boolean(), nullable=False),
        sa.Column("paraphrase", sa.Integer(), nullable=True),
        sa.Column("repeat", sa.Integer(), nullable=False),
        sa.Column("injection", JsonText(), nullable=True),
        sa.Column("observed_at", UtcDateTime(), nullable=True),
        sa.Column("behaviour", JsonText(), nullable=True),
        sa.Column("matched", sa.Boolean(), nullable=True),
        sa.Column("findings", JsonText(), nullable=True),
        sa.Column("delivered", sa.String(length=16), nullable=True),
        sa.Column("raw_shift", sa.Double(), nullable=True),
        sa.Column("flagged", sa.Boolean(), nullable=False, server_default=sa.false()),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name=op.f("fk_eval_runs_run_id_runs")),
        sa.ForeignKeyConstraint(["org_id"], ["orgs.id"], name=op.f("fk_eval_runs_org_id_orgs")),
        sa.ForeignKeyConstraint(
            ["scenario_number"],
            ["scenarios.number"],
            name=op.f("fk_eval_runs_scenario_number_scenarios"),
        ),
        sa.PrimaryKeyConstraint("run_id", name=op.f("pk_eval_runs")),
    )
    op.create_index(op.f("ix_eval_runs_org_id_run_id"), "eval_runs", ["org_id", "run_id"])
    op.create_index(op.f("ix_eval_runs_observed_at"), "eval_runs", ["observed_at"])
    op.create_index(
        op.f("ix_eval_runs_scenario_number_scenario_version_agent_id_agent_version"),
        "eval_runs",
        ["scenario_number", "scenario_version", "agent_id", "agent_version"],
    )
