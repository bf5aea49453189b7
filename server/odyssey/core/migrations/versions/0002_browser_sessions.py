"""Sessions of browsers, sign-in links, and a count of password changes."""

import sqlalchemy as sa
from alembic import op

from odyssey.core.tables import IntegerId, UtcDateTime

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("people", sa.Column("password_version", sa.Integer(), server_default="0", nullable=False))
    op.create_table(
        "sessions",
        sa.Column("token_hash", sa.String(length=64), nullable=False),
        sa.Column("org_id", IntegerId, nullable=False),
        sa.Column("person_id", IntegerId, nullable=False),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.Column("expires_at", UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(["org_id"], ["orgs.id"], name=op.f("fk_sessions_org_id_orgs")),
        sa.ForeignKeyConstraint(
            ["person_id"], ["people.id"], name=op.f("fk_sessions_person_id_people"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("token_hash", name=op.f("pk_sessions")),
    )
    op.create_index(op.f("ix_sessions_person_id"), "sessions", ["person_id"], unique=False)
    op.create_table(
        "signin_links",
        sa.Column("token_hash", sa.String(length=64), nullable=False),
        sa.Column("org_id", IntegerId, nullable=False),
        sa.Column("person_id", IntegerId, nullable=False),
        sa.Column("expires_at", UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(["org_id"], ["orgs.id"], name=op.f("fk_signin_links_org_id_orgs")),
        sa.ForeignKeyConstraint(
            ["person_id"], ["people.id"], name=op.f("fk_signin_links_person_id_people"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("token_hash", name=op.f("pk_signin_links")),
    )
    op.create_index(op.f("ix_signin_links_person_id"), "signin_links", ["person_id"], unique=False)
