"""The review queue."""

import sqlalchemy as sa
from alembic import op

from odyssey.core.tables import IntegerId, JsonText, UtcDateTime

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "review_items",
        sa.Column("number", IntegerId, nullable=False),
        sa.Column("id", sa.String(length=36), nullable=False),
        sa.Column("org_id", IntegerId, nullable=False),
        sa.Column("source", sa.String(length=16), nullable=False),
        sa.Column("rank", sa.Integer(), nullable=False),
        sa.Column("scenario_id", sa.String(length=40), nullable=False),
        sa.Column("scenario_name", sa.String(length=255), nullable=False),
        sa.Column("risk_level", sa.String(length=16), nullable=False),
        sa.Column("variation_type", sa.String(length=64), nullable=True),
        sa.Column("rule_set", sa.String(length=64), nullable=True),
        sa.Column("agent_id", IntegerId, nullable=False),
        sa.Column("agent_version", sa.Integer(), nullable=False),
        sa.Column("matrix_id", sa.String(length=36), nullable=True),
        sa.Column("run_id", IntegerId, nullable=False),
        sa.Column("baseline_run_id", IntegerId, nullable=True),
        sa.Column("shift", sa.Double(), nullable=True),
        sa.Column("interval", JsonText(), nullable=True),
        sa.Column("q_value", sa.Double(), nullable=True),
        sa.Column("match_rate", sa.Double(), nullable=True),
        sa.Column("baseline_match_rate", sa.Double(), nullable=True),
        sa.Column("threshold", sa.Double(), nullable=True),
        sa.Column("confirmed", sa.Boolean(), nullable=False),
        sa.Column("reason", sa.String(length=32), nullable=True),
        sa.Column("notes", sa.Text(), nullable=False),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.Column("verdict", sa.String(length=16), nullable=True),
        sa.Column("verdict_notes", sa.Text(), nullable=True),
        sa.Column("reviewer_id", IntegerId, nullable=True),
        sa.Column("reviewer", sa.Text(), nullable=True),
        sa.Column("decided_at", UtcDateTime(), nullable=True),
        sa.ForeignKeyConstraint(["org_id"], ["orgs.id"], name=op.f("fk_review_items_org_id_orgs")),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name=op.f("fk_review_items_run_id_runs")),
        sa.ForeignKeyConstraint(
            ["baseline_run_id"], ["runs.id"], name=op.f("fk_review_items_baseline_run_id_runs")
        ),
        sa.PrimaryKeyConstraint("number", name=op.f("pk_review_items")),
        sqlite_autoincrement=True,
    )
    op.create_index(op.f("ix_review_items_id"), "review_items", ["id"], unique=True)
    op.create_index(op.f("ix_review_items_run_id"), "review_items", ["run_id"])
    op.create_index(
        op.f("ix_review_items_org_id_decided_at_number"), "review_items", ["org_id", "decided_at", "number"]
    )
    _where("ix_review_items_queue", ["org_id", "rank", "number"], "verdict IS NULL")
    _where("ix_review_items_found", ["run_id", "source"], "source <> 'manual'", unique=True)
    _where("ix_review_items_asked", ["run_id"], "source = 'manual' AND verdict IS NULL", unique=True)


def _where(name: str, columns: list[str], condition: str, *, unique: bool = False) -> None:
    where = sa.text(condition)
    op.create_index(name, "review_items", columns, unique=unique, sqlite_where=where, postgresql_where=where)
