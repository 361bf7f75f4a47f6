"""What Alembic runs: the migrations, in the transaction of the connection it was handed."""

from alembic import context

context.configure(connection=context.config.attributes["connection"])
context.run_migrations()
