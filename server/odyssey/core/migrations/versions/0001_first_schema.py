"""The first schema, room by room."""

import sqlalchemy as sa
from alembic import op

from odyssey.core.tables import IntegerId, JsonText, UtcDateTime

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    _orgs_and_people()
    _tokens_and_records_of_identity()
    _agents()
    _journal_and_ledger()
    _runs()


def _orgs_and_people() -> None:
    op.create_table(
        "orgs",
        sa.Column("id", IntegerId, nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_orgs")),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "data_keys",
        sa.Column("id", sa.String(length=36), nullable=False),
        sa.Column("org_id", IntegerId, nullable=False),
        sa.Column("master_key_id", sa.String(length=16), nullable=False),
        sa.Column("wrapped", sa.LargeBinary(), nullable=False),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(["org_id"], ["orgs.id"], name=op.f("fk_data_keys_org_id_orgs")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_data_keys")),
    )
    op.create_index(op.f("ix_data_keys_org_id"), "data_keys", ["org_id"], unique=False)
    op.create_table(
        "people",
        sa.Column("id", IntegerId, nullable=False),
        sa.Column("org_id", IntegerId, nullable=False),
        sa.Column("email", sa.Text(), nullable=False),
        sa.Column("role", sa.String(length=16), nullable=False),
        sa.Column("password_hash", sa.Text(), nullable=True),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(["org_id"], ["orgs.id"], name=op.f("fk_people_org_id_orgs")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_people")),
        sa.UniqueConstraint("org_id", "email", name=op.f("uq_people_org_id_email")),
        sqlite_autoincrement=True,
    )
    op.create_index(op.f("ix_people_email"), "people", ["email"], unique=False)
    op.create_table(
        "api_keys",
        sa.Column("id", sa.String(length=36), nullable=False),
        sa.Column("org_id", IntegerId, nullable=False),
        sa.Column("person_id", IntegerId, nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("last_four", sa.String(length=4), nullable=False),
        sa.Column("key_hash", sa.String(length=64), nullable=False),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(["org_id"], ["orgs.id"], name=op.f("fk_api_keys_org_id_orgs")),
        sa.ForeignKeyConstraint(
            ["person_id"], ["people.id"], name=op.f("fk_api_keys_person_id_people"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_api_keys")),
        sa.UniqueConstraint("key_hash", name=op.f("uq_api_keys_key_hash")),
    )
    op.create_index(op.f("ix_api_keys_org_id"), "api_keys", ["org_id"], unique=False)
    op.create_index(op.f("ix_api_keys_person_id"), "api_keys", ["person_id"], unique=False)


def _tokens_and_records_of_identity() -> None:
    op.create_table(
        "run_tokens",
        sa.Column("token_hash", sa.String(length=64), nullable=False),
        sa.Column("jti", sa.String(length=32), nullable=False),
        sa.Column("org_id", IntegerId, nullable=False),
        sa.Column("run_id", IntegerId, nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("expires_at", UtcDateTime(), nullable=False),
        sa.Column("revoked_at", UtcDateTime(), nullable=True),
        sa.ForeignKeyConstraint(["org_id"], ["orgs.id"], name=op.f("fk_run_tokens_org_id_orgs")),
        sa.PrimaryKeyConstraint("token_hash", name=op.f("pk_run_tokens")),
        sa.UniqueConstraint("jti", name=op.f("uq_run_tokens_jti")),
    )
    op.create_index(op.f("ix_run_tokens_run_id"), "run_tokens", ["run_id"], unique=False)
    op.create_table(
        "audit_log",
        sa.Column("id", IntegerId, nullable=False),
        sa.Column("org_id", IntegerId, nullable=False),
        sa.Column("person_id", IntegerId, nullable=True),
        sa.Column("key_id", sa.String(length=36), nullable=True),
        sa.Column("action", sa.String(length=64), nullable=False),
        sa.Column("object_type", sa.String(length=32), nullable=False),
        sa.Column("object_id", sa.String(length=64), nullable=False),
        sa.Column("before_hash", sa.String(length=64), nullable=True),
        sa.Column("after_hash", sa.String(length=64), nullable=True),
        sa.Column("request_id", sa.String(length=64), nullable=False),
        sa.Column("occurred_at", UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(["org_id"], ["orgs.id"], name=op.f("fk_audit_log_org_id_orgs")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_audit_log")),
        sqlite_autoincrement=True,
    )
    op.create_index(op.f("ix_audit_log_org_id_id"), "audit_log", ["org_id", "id"], unique=False)
    op.create_table(
        "signin_failures",
        sa.Column("id", IntegerId, nullable=False),
        sa.Column("address", sa.String(length=64), nullable=False),
        sa.Column("occurred_at", UtcDateTime(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_signin_failures")),
        sqlite_autoincrement=True,
    )
    op.create_index(
        op.f("ix_signin_failures_address_occurred_at"),
        "signin_failures",
        ["address", "occurred_at"],
        unique=False,
    )
    op.create_table(
        "idempotent_responses",
        sa.Column("scope", sa.String(length=64), nullable=False),
        sa.Column("org_id", IntegerId, nullable=False),
        sa.Column("body_hmac", sa.String(length=64), nullable=False),
        sa.Column("sealed", sa.Text(), nullable=False),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(["org_id"], ["orgs.id"], name=op.f("fk_idempotent_responses_org_id_orgs")),
        sa.PrimaryKeyConstraint("scope", name=op.f("pk_idempotent_responses")),
    )
    op.create_index(
        op.f("ix_idempotent_responses_created_at"), "idempotent_responses", ["created_at"], unique=False
    )


def _agents() -> None:
    op.create_table(
        "agents",
        sa.Column("id", IntegerId, nullable=False),
        sa.Column("org_id", IntegerId, nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("published_version", sa.Integer(), nullable=True),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.Column("updated_at", UtcDateTime(), nullable=False),
        sa.Column("deleted_at", UtcDateTime(), nullable=True),
        sa.ForeignKeyConstraint(["org_id"], ["orgs.id"], name=op.f("fk_agents_org_id_orgs")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_agents")),
        sqlite_autoincrement=True,
    )
    op.create_index(op.f("ix_agents_org_id_id"), "agents", ["org_id", "id"], unique=False)
    op.create_table(
        "agent_versions",
        sa.Column("agent_id", IntegerId, nullable=False),
        sa.Column("version", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("content", JsonText(), nullable=False),
        sa.Column("content_hash", sa.String(length=64), nullable=False),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.Column("created_by", IntegerId, nullable=False),
        sa.ForeignKeyConstraint(["agent_id"], ["agents.id"], name=op.f("fk_agent_versions_agent_id_agents")),
        sa.PrimaryKeyConstraint("agent_id", "version", name=op.f("pk_agent_versions")),
    )
    op.create_table(
        "agent_secrets",
        sa.Column("agent_id", IntegerId, nullable=False),
        sa.Column("origin", sa.Text(), nullable=False),
        sa.Column("sealed", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["agent_id"], ["agents.id"], name=op.f("fk_agent_secrets_agent_id_agents")),
        sa.PrimaryKeyConstraint("agent_id", "origin", name=op.f("pk_agent_secrets")),
    )


def _journal_and_ledger() -> None:
    op.create_table(
        "contents",
        sa.Column("org_id", IntegerId, nullable=False),
        sa.Column("hash", sa.String(length=64), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["org_id"], ["orgs.id"], name=op.f("fk_contents_org_id_orgs")),
        sa.PrimaryKeyConstraint("org_id", "hash", name=op.f("pk_contents")),
    )
    op.create_table(
        "run_contexts",
        sa.Column("run_id", IntegerId, autoincrement=False, nullable=False),
        sa.Column("org_id", IntegerId, nullable=False),
        sa.Column("agent_id", IntegerId, nullable=False),
        sa.Column("agent_version", sa.Integer(), nullable=False),
        sa.Column("random_seed", IntegerId, nullable=False),
        sa.Column("initial_state_hash", sa.String(length=64), nullable=False),
        sa.Column("failure_rules", JsonText(), nullable=False),
        sa.ForeignKeyConstraint(["org_id"], ["orgs.id"], name=op.f("fk_run_contexts_org_id_orgs")),
        sa.PrimaryKeyConstraint("run_id", name=op.f("pk_run_contexts")),
    )
    op.create_table(
        "events",
        sa.Column("run_id", IntegerId, nullable=False),
        sa.Column("sequence", IntegerId, autoincrement=False, nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(length=16), nullable=False),
        sa.Column("occurred_at", UtcDateTime(), nullable=False),
        sa.Column("actor_id", sa.String(length=520), nullable=True),
        sa.Column("http_status", sa.Integer(), nullable=True),
        sa.Column("repeats", sa.Integer(), nullable=True),
        sa.Column("data", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["run_id"], ["run_contexts.run_id"], name=op.f("fk_events_run_id_run_contexts")
        ),
        sa.PrimaryKeyConstraint("run_id", "sequence", name=op.f("pk_events")),
    )
    op.create_table(
        "ledger_entries",
        sa.Column("run_id", IntegerId, nullable=False),
        sa.Column("sequence", IntegerId, autoincrement=False, nullable=False),
        sa.Column("position", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("op", sa.String(length=16), nullable=False),
        sa.Column("entity_type", JsonText(), nullable=True),
        sa.Column("entity_id", JsonText(), nullable=True),
        sa.Column("flag", JsonText(), nullable=True),
        sa.Column("before", JsonText(), nullable=True),
        sa.Column("after", JsonText(), nullable=True),
        sa.ForeignKeyConstraint(
            ["run_id"], ["run_contexts.run_id"], name=op.f("fk_ledger_entries_run_id_run_contexts")
        ),
        sa.PrimaryKeyConstraint("run_id", "sequence", "position", name=op.f("pk_ledger_entries")),
    )


def _runs() -> None:
    op.create_table(
        "tasks",
        sa.Column("id", IntegerId, nullable=False),
        sa.Column("org_id", IntegerId, nullable=False),
        sa.Column("seed", JsonText(), nullable=False),
        sa.Column("initial_state_hash", sa.String(length=64), nullable=False),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(["org_id"], ["orgs.id"], name=op.f("fk_tasks_org_id_orgs")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_tasks")),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "runs",
        sa.Column("id", IntegerId, nullable=False),
        sa.Column("org_id", IntegerId, nullable=False),
        sa.Column("task_id", IntegerId, nullable=False),
        sa.Column("agent_id", IntegerId, nullable=False),
        sa.Column("agent_version", sa.Integer(), nullable=False),
        sa.Column("random_seed", IntegerId, nullable=False),
        sa.Column("status", sa.String(length=16), nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("owner", sa.String(length=64), nullable=True),
        sa.Column("lease_until", UtcDateTime(), nullable=True),
        sa.Column("verdict", sa.String(length=16), nullable=False),
        sa.Column("error_class", sa.String(length=32), nullable=True),
        sa.Column("error_json", JsonText(), nullable=True),
        sa.Column("final_response", JsonText(), nullable=True),
        sa.Column("messages", JsonText(), nullable=True),
        sa.Column("metadata", JsonText(), nullable=True),
        sa.Column("soft_warnings", JsonText(), nullable=False),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.Column("started_at", UtcDateTime(), nullable=True),
        sa.Column("finished_at", UtcDateTime(), nullable=True),
        sa.ForeignKeyConstraint(["agent_id"], ["agents.id"], name=op.f("fk_runs_agent_id_agents")),
        sa.ForeignKeyConstraint(["org_id"], ["orgs.id"], name=op.f("fk_runs_org_id_orgs")),
        sa.ForeignKeyConstraint(["task_id"], ["tasks.id"], name=op.f("fk_runs_task_id_tasks")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_runs")),
        sqlite_autoincrement=True,
    )
    op.create_index(op.f("ix_runs_org_id_id"), "runs", ["org_id", "id"], unique=False)
    op.create_index(op.f("ix_runs_status_lease_until"), "runs", ["status", "lease_until"], unique=False)
    op.create_table(
        "run_attempts",
        sa.Column("run_id", IntegerId, nullable=False),
        sa.Column("attempt", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("owner", sa.String(length=64), nullable=False),
        sa.Column("outcome", sa.String(length=16), nullable=True),
        sa.Column("started_at", UtcDateTime(), nullable=False),
        sa.Column("ended_at", UtcDateTime(), nullable=True),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name=op.f("fk_run_attempts_run_id_runs")),
        sa.PrimaryKeyConstraint("run_id", "attempt", name=op.f("pk_run_attempts")),
    )
