"""Of how many runs the match rates of a review item are."""

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("review_items", sa.Column("match_runs", sa.Integer(), nullable=True))
    op.add_column("review_items", sa.Column("baseline_match_runs", sa.Integer(), nullable=True))
