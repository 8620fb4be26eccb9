"""Run by Alembic, with the connection that `upgrade` has opened."""

from alembic import context

context.configure(connection=context.config.attributes["connection"], transactional_ddl=False)
context.run_migrations()
