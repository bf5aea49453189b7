"""One life cycle for batches and matrices: what both had of it moves into a table of campaigns.

The campaign of a batch gets the batch's number; those of matrices follow after the last batch, in their order.
"""

import sqlalchemy as sa
from alembic import op

from odyssey.core.tables import IntegerId, JsonText, UtcDateTime

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None


def upgrade() -> None:
    _create_campaigns()
    _fill_campaigns()
    for table in ("batches", "matrices"):
        op.add_column(table, sa.Column("campaign_id", IntegerId, nullable=True))
    op.execute("UPDATE batches SET campaign_id = id")
    op.execute("UPDATE matrices SET campaign_id = number + (SELECT COALESCE(MAX(id), 0) FROM batches)")
    _move("batches", ("state", "lease_until", "error_class", "ping", "planned_runs", "made_runs"))
    _move("matrices", ("state", "lease_until", "planned_runs", "made_runs", "again", "turn"))
    _find_campaigns_of_runs()


def _create_campaigns() -> None:
    op.create_table(
        "campaigns",
        sa.Column("id", IntegerId, nullable=False),
        sa.Column("kind", sa.String(length=16), nullable=False),
        sa.Column("org_id", IntegerId, nullable=False),
        sa.Column("agent_id", IntegerId, nullable=False),
        sa.Column("agent_version", sa.Integer(), nullable=False),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("lease_until", UtcDateTime(), nullable=True),
        sa.Column("ping", JsonText(), nullable=True),
        sa.Column("planned_runs", sa.Integer(), nullable=False),
        sa.Column("made_runs", sa.Integer(), nullable=False),
        sa.Column("again", JsonText(), nullable=False),
        sa.Column("turn", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["org_id"], ["orgs.id"], name=op.f("fk_campaigns_org_id_orgs")),
        sa.ForeignKeyConstraint(["agent_id"], ["agents.id"], name=op.f("fk_campaigns_agent_id_agents")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_campaigns")),
        sqlite_autoincrement=True,
    )
    op.create_index(op.f("ix_campaigns_state"), "campaigns", ["state"])


def _fill_campaigns() -> None:
    op.execute(
        "INSERT INTO campaigns (id, kind, org_id, agent_id, agent_version, state, lease_until, ping, planned_runs, "
        "made_runs, again, turn) SELECT id, 'batch', org_id, agent_id, agent_version, CASE WHEN state = 'running' "
        "AND made_runs = planned_runs AND NOT EXISTS (SELECT 1 FROM runs WHERE runs.batch_id = batches.id "
        "AND runs.status IN ('pending', 'running')) THEN 'completed' ELSE state END, "
        "lease_until, ping, planned_runs, made_runs, '[]', 0 FROM batches"
    )
    op.execute(
        "INSERT INTO campaigns (id, kind, org_id, agent_id, agent_version, state, lease_until, ping, planned_runs, "
        "made_runs, again, turn) SELECT number + (SELECT COALESCE(MAX(id), 0) FROM batches), 'matrix', org_id, "
        "agent_id, agent_version, state, lease_until, NULL, planned_runs, made_runs, again, turn FROM matrices"
    )
    if op.get_bind().dialect.name == "postgresql":  # SQLite counts on from the highest number by itself
        op.execute(
            "SELECT setval(pg_get_serial_sequence('campaigns', 'id'), MAX(id)) FROM campaigns HAVING MAX(id) > 0"
        )


def _move(table: str, moved: tuple[str, ...]) -> None:
    """Let each row name its campaign, and drop what stands there now."""
    op.drop_index(op.f(f"ix_{table}_state"), table)
    with op.batch_alter_table(table, table_kwargs={"sqlite_autoincrement": True}) as change:
        change.alter_column("campaign_id", existing_type=IntegerId, nullable=False)
        change.create_foreign_key(
            op.f(f"fk_{table}_campaign_id_campaigns"), "campaigns", ["campaign_id"], ["id"]
        )
        for column in moved:
            change.drop_column(column)
    op.create_index(op.f(f"ix_{table}_campaign_id"), table, ["campaign_id"], unique=True)


def _find_campaigns_of_runs() -> None:
    waiting = sa.text("status = 'pending'")
    op.add_column("runs", sa.Column("campaign_id", IntegerId, nullable=True))
    op.execute("UPDATE runs SET campaign_id = batch_id WHERE batch_id IS NOT NULL")
    op.execute(
        "UPDATE runs SET campaign_id = (SELECT campaign_id FROM matrices WHERE matrices.id = runs.lane) "
        "WHERE lane IS NOT NULL"
    )
    op.drop_index("ix_runs_waiting", "runs")
    op.create_index(
        "ix_runs_waiting",
        "runs",
        ["campaign_id", "id"],
        sqlite_where=waiting,
        postgresql_where=waiting,
    )
