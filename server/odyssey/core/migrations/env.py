"""Alembic's entry: migrations run on the connection that `odyssey.core.migrate` hands over."""

from alembic import context

connection = context.config.attributes["connection"]
context.configure(connection=connection, target_metadata=context.config.attributes.get("metadata"))
context.run_migrations()
