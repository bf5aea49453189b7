"""Eval runs that stand in for one whose failure said nothing of the agent."""

import sqlalchemy as sa
from alembic import op

from odyssey.core.tables import IntegerId

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("eval_runs", sa.Column("replaces", IntegerId, nullable=True))
    op.create_index(op.f("ix_eval_runs_replaces"), "eval_runs", ["replaces"], unique=True)
