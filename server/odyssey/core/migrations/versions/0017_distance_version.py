"""Behaviours, matrices and review items say which distance they are measured with.

What was observed before keeps its figures, as version 1. The runs of matrices that are not completed are observed
again, from the journal, so that no matrix mixes two distances.
"""

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("eval_runs", sa.Column("distance_version", sa.Integer(), nullable=True))
    op.execute("UPDATE eval_runs SET distance_version = 1 WHERE behaviour IS NOT NULL")
    for table in ("matrices", "review_items"):
        op.add_column(table, sa.Column("distance_version", sa.Integer(), nullable=False, server_default="1"))
    op.execute(
        "UPDATE matrices SET distance_version = 2 "
        "WHERE campaign_id IN (SELECT id FROM campaigns WHERE state <> 'completed')"
    )
    op.execute(
        "UPDATE eval_runs SET observed_at = NULL, behaviour = NULL, distance_version = NULL, matched = NULL, "
        "findings = NULL, delivered = NULL "
        "WHERE matrix_id IN (SELECT id FROM matrices WHERE distance_version = 2)"
    )
