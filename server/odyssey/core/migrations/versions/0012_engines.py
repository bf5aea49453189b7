"""Behaviours of runs, kept answers of models, and what a run's simulated answers contradicted."""

import sqlalchemy as sa
from alembic import op

from odyssey.core.tables import IntegerId, UtcDateTime

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column(
        "run_contexts", sa.Column("behavior_instructions", sa.Text(), nullable=False, server_default="")
    )
    op.add_column(
        "run_contexts",
        sa.Column("simulator_cache", sa.String(length=8), nullable=False, server_default="use"),
    )
    op.add_column(
        "batches", sa.Column("simulator_cache", sa.String(length=8), nullable=False, server_default="use")
    )
    op.add_column("runs", sa.Column("tool_calls", sa.Integer(), nullable=False, server_default="0"))
    op.add_column("runs", sa.Column("violations", sa.Integer(), nullable=False, server_default="0"))
    op.create_index(
        "ix_runs_consistency",
        "runs",
        ["org_id", "agent_id", "agent_version", "tool_calls", "violations"],
        sqlite_where=sa.text("tool_calls > 0"),
        postgresql_where=sa.text("tool_calls > 0"),
    )
    op.create_table(
        "simulated_answers",
        sa.Column("org_id", IntegerId, nullable=False),
        sa.Column("key", sa.String(length=64), nullable=False),
        sa.Column("answer", sa.Text(), nullable=False),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(["org_id"], ["orgs.id"], name=op.f("fk_simulated_answers_org_id_orgs")),
        sa.PrimaryKeyConstraint("org_id", "key", name=op.f("pk_simulated_answers")),
    )
