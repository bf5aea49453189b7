"""Tool endpoints, credentials, and which agents are bound to which endpoint."""

import sqlalchemy as sa
from alembic import op

from odyssey.core.tables import IntegerId, JsonText, UtcDateTime

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    _create_credentials()
    _create_endpoints()
    op.create_table(
        "agent_endpoints",
        sa.Column("agent_id", IntegerId, nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("tool_name", sa.String(length=128), nullable=False),
        sa.Column("endpoint_id", sa.String(length=36), nullable=False),
        sa.Column("agent_name", sa.Text(), nullable=False),
        sa.Column("by_name", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(
            ["endpoint_id"], ["tool_endpoints.id"], name=op.f("fk_agent_endpoints_endpoint_id_tool_endpoints")
        ),
        sa.PrimaryKeyConstraint("agent_id", "version", "tool_name", name=op.f("pk_agent_endpoints")),
    )
    op.create_index(op.f("ix_agent_endpoints_endpoint_id"), "agent_endpoints", ["endpoint_id"])


def _create_credentials() -> None:
    op.create_table(
        "credentials",
        sa.Column("number", IntegerId, nullable=False),
        sa.Column("org_id", IntegerId, nullable=False),
        sa.Column("name", sa.String(length=128), nullable=False),
        sa.Column("sealed", sa.Text(), nullable=False),
        sa.Column("shown", sa.String(length=16), nullable=False),
        sa.Column("origin", sa.Text(), nullable=True),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.Column("updated_at", UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(["org_id"], ["orgs.id"], name=op.f("fk_credentials_org_id_orgs")),
        sa.PrimaryKeyConstraint("number", name=op.f("pk_credentials")),
        sqlite_autoincrement=True,
    )
    op.create_index(op.f("ix_credentials_org_id_name"), "credentials", ["org_id", "name"], unique=True)


def _create_endpoints() -> None:
    op.create_table(
        "tool_endpoints",
        sa.Column("number", IntegerId, nullable=False),
        sa.Column("id", sa.String(length=36), nullable=False),
        sa.Column("org_id", IntegerId, nullable=False),
        sa.Column("name", sa.String(length=255), nullable=False),
        sa.Column("description", sa.Text(), nullable=False),
        sa.Column("type", sa.String(length=16), nullable=False),
        sa.Column("config", JsonText(), nullable=False),
        sa.Column("document_hash", sa.String(length=64), nullable=True),
        sa.Column("document_bytes", sa.Integer(), nullable=True),
        sa.Column("base_url", sa.Text(), nullable=True),
        sa.Column("credential_name", sa.String(length=128), nullable=True),
        sa.Column("tools", JsonText(), nullable=False),
        sa.Column("tool_count", sa.Integer(), nullable=False),
        sa.Column("notes", JsonText(), nullable=False),
        sa.Column("discovered_at", UtcDateTime(), nullable=True),
        sa.Column("discovery_error", JsonText(), nullable=True),
        sa.Column("drift", JsonText(), nullable=True),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.Column("updated_at", UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(["org_id"], ["orgs.id"], name=op.f("fk_tool_endpoints_org_id_orgs")),
        sa.ForeignKeyConstraint(
            ["org_id", "credential_name"],
            ["credentials.org_id", "credentials.name"],
            name=op.f("fk_tool_endpoints_org_id_credential_name_credentials"),
        ),
        sa.PrimaryKeyConstraint("number", name=op.f("pk_tool_endpoints")),
        sqlite_autoincrement=True,
    )
    op.create_index(op.f("ix_tool_endpoints_id"), "tool_endpoints", ["id"], unique=True)
    op.create_index(op.f("ix_tool_endpoints_org_id_name"), "tool_endpoints", ["org_id", "name"], unique=True)
    op.create_index(op.f("ix_tool_endpoints_org_id_number"), "tool_endpoints", ["org_id", "number"])
