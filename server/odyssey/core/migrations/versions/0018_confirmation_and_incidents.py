"""Matrices run suspicious cells again, and incidents are review items of their own.

A run may show incidents of several kinds, so what was found by itself is unique by run and source only where it is no
incident; an incident is unique by run and kind. An item whose reason is gone is superseded.
"""

import sqlalchemy as sa
from alembic import op

from odyssey.core.tables import JsonText, UtcDateTime

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("matrices", sa.Column("confirmation", JsonText(), nullable=True))
    op.add_column("eval_runs", sa.Column("fresh", sa.Boolean(), nullable=False, server_default=sa.false()))
    op.add_column("review_items", sa.Column("incident", sa.String(32), nullable=True))
    op.add_column("review_items", sa.Column("sentence", sa.Text(), nullable=True))
    op.add_column("review_items", sa.Column("superseded_at", UtcDateTime(), nullable=True))
    op.drop_index("ix_review_items_queue", table_name="review_items")
    waits = sa.text("verdict IS NULL AND superseded_at IS NULL")
    op.create_index(
        "ix_review_items_queue",
        "review_items",
        ["org_id", "rank", "number"],
        sqlite_where=waits,
        postgresql_where=waits,
    )
    op.drop_index("ix_review_items_found", table_name="review_items")
    found = sa.text("source <> 'manual' AND source <> 'incident'")
    op.create_index(
        "ix_review_items_found",
        "review_items",
        ["run_id", "source"],
        unique=True,
        sqlite_where=found,
        postgresql_where=found,
    )
    incident = sa.text("source = 'incident'")
    op.create_index(
        "ix_review_items_incident",
        "review_items",
        ["run_id", "incident"],
        unique=True,
        sqlite_where=incident,
        postgresql_where=incident,
    )
