"""Datasets, batches, grades, model settings and the health of agents."""

import sqlalchemy as sa
from alembic import op

from odyssey.core.tables import IntegerId, JsonText, UtcDateTime

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    _rows_and_runs()
    _datasets_and_batches()
    _grades()
    _models()
    op.create_table(
        "agent_health",
        sa.Column("agent_id", IntegerId, nullable=False, autoincrement=False),
        sa.Column("ok", sa.Boolean(), nullable=False),
        sa.Column("status", sa.Integer(), nullable=True),
        sa.Column("error_class", sa.String(length=32), nullable=True),
        sa.Column("latency_ms", sa.Integer(), nullable=False),
        sa.Column("detail", sa.Text(), nullable=False),
        sa.Column("checked_at", UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(["agent_id"], ["agents.id"], name=op.f("fk_agent_health_agent_id_agents")),
        sa.PrimaryKeyConstraint("agent_id", name=op.f("pk_agent_health")),
    )


def _rows_and_runs() -> None:
    op.add_column("tasks", sa.Column("dataset_id", IntegerId, nullable=True))
    op.add_column("tasks", sa.Column("revision", sa.Integer(), nullable=True))
    op.add_column("tasks", sa.Column("position", sa.Integer(), nullable=True))
    op.add_column("tasks", sa.Column("row_hash", sa.String(length=64), nullable=True))
    op.create_index(
        op.f("ix_tasks_dataset_id_revision_position"), "tasks", ["dataset_id", "revision", "position"]
    )
    op.add_column("runs", sa.Column("batch_id", IntegerId, nullable=True))
    op.add_column("runs", sa.Column("repeat", sa.Integer(), nullable=False, server_default="1"))
    op.add_column("runs", sa.Column("failure_mode", sa.String(length=64), nullable=True))
    op.add_column("runs", sa.Column("score", sa.Double(), nullable=True))
    op.add_column("runs", sa.Column("cost_usd", sa.Double(), nullable=False, server_default="0"))
    op.add_column("runs", sa.Column("grading_until", UtcDateTime(), nullable=True))
    op.create_index(
        op.f("ix_runs_batch_id_task_id_repeat"), "runs", ["batch_id", "task_id", "repeat"], unique=True
    )
    waiting = sa.text("status = 'pending'")
    op.create_index(
        "ix_runs_waiting", "runs", ["batch_id", "id"], sqlite_where=waiting, postgresql_where=waiting
    )
    ungraded = sa.text("verdict = 'PENDING'")
    op.create_index("ix_runs_ungraded", "runs", ["id"], sqlite_where=ungraded, postgresql_where=ungraded)


def _datasets_and_batches() -> None:
    op.create_table(
        "datasets",
        sa.Column("id", IntegerId, nullable=False),
        sa.Column("org_id", IntegerId, nullable=False),
        sa.Column("name", sa.String(length=255), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("row_count", sa.Integer(), nullable=False),
        sa.Column("columns", JsonText(), nullable=False),
        sa.Column("warnings", JsonText(), nullable=False),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.Column("updated_at", UtcDateTime(), nullable=False),
        sa.Column("deleted_at", UtcDateTime(), nullable=True),
        sa.ForeignKeyConstraint(["org_id"], ["orgs.id"], name=op.f("fk_datasets_org_id_orgs")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_datasets")),
        sqlite_autoincrement=True,
    )
    op.create_index(op.f("ix_datasets_org_id_id"), "datasets", ["org_id", "id"])
    op.create_table(
        "batches",
        sa.Column("id", IntegerId, nullable=False),
        sa.Column("org_id", IntegerId, nullable=False),
        sa.Column("agent_id", IntegerId, nullable=False),
        sa.Column("agent_version", sa.Integer(), nullable=False),
        sa.Column("dataset_id", IntegerId, nullable=True),
        sa.Column("revision", sa.Integer(), nullable=True),
        sa.Column("repeats", sa.Integer(), nullable=False),
        sa.Column("planned_runs", sa.Integer(), nullable=False),
        sa.Column("made_runs", sa.Integer(), nullable=False),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("lease_until", UtcDateTime(), nullable=True),
        sa.Column("error_class", sa.String(length=32), nullable=True),
        sa.Column("ping", JsonText(), nullable=True),
        sa.Column("created_by", IntegerId, nullable=False),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(["org_id"], ["orgs.id"], name=op.f("fk_batches_org_id_orgs")),
        sa.ForeignKeyConstraint(["agent_id"], ["agents.id"], name=op.f("fk_batches_agent_id_agents")),
        sa.ForeignKeyConstraint(["dataset_id"], ["datasets.id"], name=op.f("fk_batches_dataset_id_datasets")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_batches")),
        sqlite_autoincrement=True,
    )
    op.create_index(op.f("ix_batches_org_id_id"), "batches", ["org_id", "id"])
    op.create_index(op.f("ix_batches_state"), "batches", ["state"])


def _grades() -> None:
    op.create_table(
        "grades",
        sa.Column("run_id", IntegerId, nullable=False),
        sa.Column("number", sa.Integer(), nullable=False, autoincrement=False),
        sa.Column("org_id", IntegerId, nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("verdict", sa.String(length=16), nullable=False),
        sa.Column("score", sa.Double(), nullable=True),
        sa.Column("failure_mode", sa.String(length=64), nullable=True),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("report", JsonText(), nullable=False),
        sa.Column("cost_usd", sa.Double(), nullable=False),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name=op.f("fk_grades_run_id_runs")),
        sa.PrimaryKeyConstraint("run_id", "number", name=op.f("pk_grades")),
    )


def _models() -> None:
    op.create_table(
        "org_settings",
        sa.Column("org_id", IntegerId, nullable=False, autoincrement=False),
        sa.Column("document", JsonText(), nullable=False),
        sa.Column("updated_at", UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(["org_id"], ["orgs.id"], name=op.f("fk_org_settings_org_id_orgs")),
        sa.PrimaryKeyConstraint("org_id", name=op.f("pk_org_settings")),
    )
    op.create_table(
        "model_secrets",
        sa.Column("org_id", IntegerId, nullable=False, autoincrement=False),
        sa.Column("role", sa.String(length=32), nullable=False),
        sa.Column("origin", sa.Text(), nullable=False),
        sa.Column("sealed", sa.Text(), nullable=False),
        sa.Column("shown", sa.String(length=16), nullable=False),
        sa.ForeignKeyConstraint(["org_id"], ["orgs.id"], name=op.f("fk_model_secrets_org_id_orgs")),
        sa.PrimaryKeyConstraint("org_id", "role", name=op.f("pk_model_secrets")),
    )
    op.create_table(
        "model_calls",
        sa.Column("id", IntegerId, nullable=False),
        sa.Column("org_id", IntegerId, nullable=False),
        sa.Column("purpose", sa.String(length=32), nullable=False),
        sa.Column("run_id", IntegerId, nullable=True),
        sa.Column("provider", sa.String(length=32), nullable=False),
        sa.Column("model", sa.String(length=255), nullable=False),
        sa.Column("input_tokens", sa.Integer(), nullable=False),
        sa.Column("output_tokens", sa.Integer(), nullable=False),
        sa.Column("cost_usd", sa.Double(), nullable=False),
        sa.Column("outcome", sa.String(length=32), nullable=True),
        sa.Column("occurred_at", UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(["org_id"], ["orgs.id"], name=op.f("fk_model_calls_org_id_orgs")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_model_calls")),
        sqlite_autoincrement=True,
    )
    op.create_index(op.f("ix_model_calls_org_id_occurred_at"), "model_calls", ["org_id", "occurred_at"])
