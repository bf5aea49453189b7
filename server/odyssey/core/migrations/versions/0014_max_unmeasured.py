"""The share of a batch's runs that may be unmeasured."""

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("batches", sa.Column("max_unmeasured", sa.Double(), nullable=False, server_default="0.1"))
