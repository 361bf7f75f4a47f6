"""Codes of rows, accepted configurations, and how far rows of earlier versions are sealed."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"

_LONG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Add the tables; rows are sealed by the next run, which has the key."""
    op.create_table(
        "row_code",
        sa.Column("block", _LONG, primary_key=True, autoincrement=False),
        sa.Column("total", sa.LargeBinary, nullable=False),
        sa.Column("code", sa.LargeBinary, nullable=False),
    )
    op.create_table(
        "sealing",
        sa.Column("part", sa.String(32), primary_key=True),
        sa.Column("version", sa.SmallInteger, nullable=False),
        sa.Column("after", _LONG),
        sa.Column("done", sa.SmallInteger, nullable=False),
    )
    op.create_table(
        "accepted_config",
        sa.Column("config", sa.LargeBinary, primary_key=True),
        sa.Column("accepted", sa.LargeBinary, nullable=False),
        sa.Column("code", sa.LargeBinary, nullable=False),
    )
