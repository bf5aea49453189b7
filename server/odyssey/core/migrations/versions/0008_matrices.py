"""Matrices, and which rule set an eval run of one goes by."""

import sqlalchemy as sa
from alembic import op

from odyssey.core.tables import IntegerId, JsonText, UtcDateTime

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "matrices",
        sa.Column("number", IntegerId, nullable=False),
        sa.Column("id", sa.String(length=36), nullable=False),
        sa.Column("org_id", IntegerId, nullable=False),
        sa.Column("agent_id", IntegerId, nullable=False),
        sa.Column("agent_version", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(length=255), nullable=False),
        sa.Column("seed", IntegerId, nullable=False),
        sa.Column("snapshot", JsonText(), nullable=False),
        sa.Column("scenarios", sa.Integer(), nullable=False),
        sa.Column("variations", sa.Integer(), nullable=False),
        sa.Column("budget_runs", sa.Integer(), nullable=True),
        sa.Column("warnings", JsonText(), nullable=False),
        sa.Column("rerun_of", sa.String(length=36), nullable=True),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("lease_until", UtcDateTime(), nullable=True),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("planned_runs", sa.Integer(), nullable=False),
        sa.Column("made_runs", sa.Integer(), nullable=False),
        sa.Column("again", JsonText(), nullable=False),
        sa.Column("turn", sa.Integer(), nullable=False),
        sa.Column("began_at", UtcDateTime(), nullable=True),
        sa.Column("ended_before", sa.Integer(), nullable=False),
        sa.Column("missing_runs", sa.Integer(), nullable=True),
        sa.Column("summary", sa.Text(), nullable=True),
        sa.Column("cells", sa.Text(), nullable=True),
        sa.Column("created_by", IntegerId, nullable=False),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.Column("finished_at", UtcDateTime(), nullable=True),
        sa.ForeignKeyConstraint(["org_id"], ["orgs.id"], name=op.f("fk_matrices_org_id_orgs")),
        sa.ForeignKeyConstraint(["agent_id"], ["agents.id"], name=op.f("fk_matrices_agent_id_agents")),
        sa.PrimaryKeyConstraint("number", name=op.f("pk_matrices")),
        sqlite_autoincrement=True,
    )
    op.create_index(op.f("ix_matrices_org_id_number"), "matrices", ["org_id", "number"])
    op.create_index(op.f("ix_matrices_id"), "matrices", ["id"], unique=True)
    op.create_index(op.f("ix_matrices_state"), "matrices", ["state"])
    op.add_column("eval_runs", sa.Column("rule_set", sa.String(length=64), nullable=True))
    op.create_index(op.f("ix_eval_runs_matrix_id_observed_at"), "eval_runs", ["matrix_id", "observed_at"])
