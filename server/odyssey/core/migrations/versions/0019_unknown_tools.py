"""Agents that were registered before keep the smallest answer for calls that nothing understands.

A new agent is told that such a tool is not simulated; what these were measured with stays as it was.
"""

import sqlalchemy as sa
from alembic import op

from odyssey.core.tables import JsonText
from odyssey.records.canonical import content_hash

revision = "0019"
down_revision = "0018"
branch_labels = None
depends_on = None

_VERSIONS = sa.table(
    "agent_versions",
    sa.column("agent_id", sa.BigInteger),
    sa.column("version", sa.Integer),
    sa.column("content", JsonText()),
    sa.column("content_hash", sa.String),
)


def upgrade() -> None:
    connection = op.get_bind()
    keys = connection.execute(sa.select(_VERSIONS.c.agent_id, _VERSIONS.c.version)).all()
    for agent_id, version in keys:
        is_this = (_VERSIONS.c.agent_id == agent_id) & (_VERSIONS.c.version == version)
        content = connection.execute(sa.select(_VERSIONS.c.content).where(is_this)).scalar_one()
        content["config"] = {**content["config"], "unknown_tools": "empty"}
        connection.execute(
            _VERSIONS.update().where(is_this).values(content=content, content_hash=content_hash(content))
        )
