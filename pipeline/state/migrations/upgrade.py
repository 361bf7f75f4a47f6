"""Brings a state database of an earlier version to the tables of this one, with Alembic."""

from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.script import ScriptDirectory
from sqlalchemy import Connection

from record.errors import ConfigError

FIRST = "0001"
"""The tables as they were before their migration was written down in the database."""


def upgrade(connection: Connection, found: str | None) -> None:
    """Run the migrations that are missing, within the transaction of the connection.

    `found` is the migration the database is at; None for one that was made before there were any.
    Raises ConfigError for a database that a later version has changed.
    """
    config = _config(connection)
    if found is None:
        command.stamp(config, FIRST)
    elif found not in revisions():
        raise ConfigError(
            "state.url",
            "the state database was changed by a later version of cryptonym",
            "install that version again, or put back a backup of the state database from before",
        )
    command.upgrade(config, "head")


def revisions() -> list[str]:
    """Return the names of all migrations, the first one first."""
    scripts = ScriptDirectory.from_config(_config(None))
    return [script.revision for script in scripts.walk_revisions()][::-1]


def _config(connection: Connection | None) -> Config:
    # No file: where the migrations are is where this module is, also in a wheel.
    config = Config(attributes={"connection": connection})
    config.set_main_option("script_location", str(Path(__file__).parent).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    return config
