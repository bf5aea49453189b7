"""Failed sign-ins are counted by person too, and over a longer time."""

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("signin_failures", sa.Column("email_hash", sa.String(length=64), nullable=True))
    for columns in (["email_hash", "occurred_at"], ["occurred_at"]):
        name = op.f(f"ix_signin_failures_{'_'.join(columns)}")
        op.create_index(name, "signin_failures", columns, unique=False)
