"""Lanes: runs of which only so many may go at once."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "lanes",
        sa.Column("id", sa.String(length=36), nullable=False),
        sa.Column("most_at_once", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_lanes")),
    )
    op.add_column("runs", sa.Column("lane", sa.String(length=36), nullable=True))
    op.create_index(
        op.f("ix_runs_lane_id"),
        "runs",
        ["lane", "id"],
        sqlite_where=sa.text("status = 'pending'"),
        postgresql_where=sa.text("status = 'pending'"),
    )
