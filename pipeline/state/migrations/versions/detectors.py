"""Which detectors, key and policy a configuration had, and when a run last had it."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    """Add the column; rows without it are read together with the history of runs."""
    op.add_column("accepted_config", sa.Column("about", sa.Text))
