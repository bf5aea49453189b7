"""Cassettes, and which of them a run replays."""

import sqlalchemy as sa
from alembic import op

from odyssey.core.tables import IntegerId, JsonText, UtcDateTime

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "cassettes",
        sa.Column("number", IntegerId, nullable=False),
        sa.Column("id", sa.String(length=36), nullable=False),
        sa.Column("org_id", IntegerId, nullable=False),
        sa.Column("name", sa.String(length=255), nullable=False),
        sa.Column("run_id", IntegerId, nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("agent_id", IntegerId, nullable=False),
        sa.Column("agent_version", sa.Integer(), nullable=False),
        sa.Column("created_by", IntegerId, nullable=False),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(["org_id"], ["orgs.id"], name=op.f("fk_cassettes_org_id_orgs")),
        sa.ForeignKeyConstraint(
            ["run_id"], ["run_contexts.run_id"], name=op.f("fk_cassettes_run_id_run_contexts")
        ),
        sa.PrimaryKeyConstraint("number", name=op.f("pk_cassettes")),
        sa.UniqueConstraint("id", name=op.f("uq_cassettes_id")),
        sqlite_autoincrement=True,
    )
    op.create_index(op.f("ix_cassettes_org_id_number"), "cassettes", ["org_id", "number"])
    op.create_table(
        "cassette_interactions",
        sa.Column("number", IntegerId, nullable=False),
        sa.Column("cassette_id", sa.String(length=36), nullable=False),
        sa.Column("run_id", IntegerId, nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("sequence", IntegerId, nullable=False),
        sa.Column("occurred_at", UtcDateTime(), nullable=False),
        sa.Column("tool_name", sa.String(length=128), nullable=False),
        sa.Column("arguments_hash", sa.String(length=64), nullable=False),
        sa.Column("source", sa.String(length=16), nullable=False),
        sa.Column("endpoint_id", sa.String(length=36), nullable=True),
        sa.Column("endpoint_name", sa.Text(), nullable=True),
        sa.Column("endpoint_type", sa.String(length=32), nullable=True),
        sa.Column("upstream_tool", sa.Text(), nullable=True),
        sa.Column("status", sa.Integer(), nullable=True),
        sa.Column("is_error", sa.Boolean(), nullable=False),
        sa.Column("read_only", sa.Boolean(), nullable=False),
        sa.Column("bytes", sa.Integer(), nullable=False),
        sa.Column("arguments", sa.Text(), nullable=False),
        sa.Column("response", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["cassette_id"], ["cassettes.id"], name=op.f("fk_cassette_interactions_cassette_id_cassettes")
        ),
        sa.PrimaryKeyConstraint("number", name=op.f("pk_cassette_interactions")),
        sqlite_autoincrement=True,
    )
    op.create_index(
        op.f("ix_cassette_interactions_cassette_id_number"),
        "cassette_interactions",
        ["cassette_id", "number"],
    )
    op.add_column("run_contexts", sa.Column("cassette", JsonText(), nullable=True))
    op.add_column("batches", sa.Column("cassette", JsonText(), nullable=True))
