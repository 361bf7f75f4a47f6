"""What the source's database computes of a note's row, so that an unchanged one is not read."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    """Add the column; notes without it are read once more, and found to be unchanged."""
    op.add_column("ledger", sa.Column("digest", sa.LargeBinary))
