"""The register of cohort releases, and how many notes a decision of the gate was about."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"

_LONG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Add the register, and a column to decisions."""
    op.create_table(
        "cohort_release",
        sa.Column("release_id", _LONG, primary_key=True, autoincrement=False),
        sa.Column("cohort", sa.Text, nullable=False),
        sa.Column("account", sa.Text, nullable=False),
        sa.Column("place", sa.Text, nullable=False),
        sa.Column("phase", sa.Text, nullable=False),
        sa.Column("started", sa.Text, nullable=False),
        sa.Column("ended", sa.Text),
        sa.Column("exit_code", sa.Integer),
        sa.Column("about", sa.Text, nullable=False),
    )
    op.add_column("quality_decision", sa.Column("notes", sa.Integer))
