"""Named worlds, how faithful they were found to be, and runs that go by them."""

import sqlalchemy as sa
from alembic import op

from odyssey.core.tables import IntegerId, JsonText, UtcDateTime

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("tasks", sa.Column("conduct_hash", sa.String(length=64), nullable=True))
    op.add_column("run_contexts", sa.Column("conduct_hash", sa.String(length=64), nullable=True))
    op.create_table(
        "worlds",
        sa.Column("id", IntegerId, nullable=False),
        sa.Column("org_id", IntegerId, nullable=False),
        sa.Column("name", sa.String(length=255), nullable=False),
        sa.Column("state_hash", sa.String(length=64), nullable=False),
        sa.Column("conduct_hash", sa.String(length=64), nullable=False),
        sa.Column("entity_counts", JsonText(), nullable=False),
        sa.Column("bytes", IntegerId, nullable=False),
        sa.Column("rules", sa.Integer(), nullable=False),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.Column("updated_at", UtcDateTime(), nullable=False),
        sa.Column("deleted_at", UtcDateTime(), nullable=True),
        sa.ForeignKeyConstraint(["org_id"], ["orgs.id"], name=op.f("fk_worlds_org_id_orgs")),
        sa.ForeignKeyConstraint(
            ["org_id", "state_hash"],
            ["contents.org_id", "contents.hash"],
            name=op.f("fk_worlds_org_id_state_hash_contents"),
        ),
        sa.ForeignKeyConstraint(
            ["org_id", "conduct_hash"],
            ["contents.org_id", "contents.hash"],
            name=op.f("fk_worlds_org_id_conduct_hash_contents"),
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_worlds")),
        sqlite_autoincrement=True,
    )
    op.create_index(op.f("ix_worlds_org_id_id"), "worlds", ["org_id", "id"], unique=False)
    op.create_table(
        "fidelities",
        sa.Column("org_id", IntegerId, nullable=False),
        sa.Column("state_hash", sa.String(length=64), nullable=False),
        sa.Column("report", JsonText(), nullable=False),
        sa.Column("measured_at", UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(
            ["org_id", "state_hash"],
            ["contents.org_id", "contents.hash"],
            name=op.f("fk_fidelities_org_id_state_hash_contents"),
        ),
        sa.PrimaryKeyConstraint("org_id", "state_hash", name=op.f("pk_fidelities")),
    )
