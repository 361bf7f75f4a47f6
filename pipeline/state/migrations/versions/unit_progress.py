"""How far the units that are being worked on are, for the progress of a run."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    """Add the column."""
    op.add_column("run_unit", sa.Column("worked", sa.Integer))
