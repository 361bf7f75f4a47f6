"""The register of runs that make synthetic notes of a cohort's release."""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"

_LONG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Add the register."""
    op.create_table(
        "synthesis_run",
        sa.Column("run_id", _LONG, primary_key=True, autoincrement=False),
        sa.Column("cohort", sa.Text, nullable=False),
        sa.Column("account", sa.Text, nullable=False),
        sa.Column("phase", sa.Text, nullable=False),
        sa.Column("started", sa.Text, nullable=False),
        sa.Column("ended", sa.Text),
        sa.Column("exit_code", sa.Integer),
        sa.Column("about", sa.Text, nullable=False),
    )
