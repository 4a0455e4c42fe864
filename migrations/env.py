"""Alembic's entry: runs inside the connection and transaction that `webapp.db.migrate` opened."""

from alembic import context

import webapp.db.models  # noqa: F401  fills the metadata
from webapp.db.base import Base

connection = context.config.attributes["connection"]
connection.exec_driver_sql("SET LOCAL lock_timeout = '5s'")
connection.exec_driver_sql("SET LOCAL statement_timeout = '15min'")
context.configure(connection=connection, target_metadata=Base.metadata, compare_server_default=False)
with context.begin_transaction():
    context.run_migrations()
