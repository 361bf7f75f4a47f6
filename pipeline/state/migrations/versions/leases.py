"""Leases of units: who works on which unit, until when, and how often it failed."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"

_LONG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Add the columns, and an index of the units that are not done."""
    op.add_column("run_unit", sa.Column("attempt", sa.Integer))
    op.add_column("run_unit", sa.Column("lease_ends", _LONG))
    op.add_column("run_unit", sa.Column("holder", sa.Text))
    op.add_column("run_unit", sa.Column("failures", sa.Integer))
    op.add_column("run_unit", sa.Column("error", sa.Text))
    op.add_column("run_unit", sa.Column("origin", sa.Integer))
    is_open = sa.text("done = 0")
    op.create_index(
        "idx_run_unit_open",
        "run_unit",
        ["run_id", "unit"],
        sqlite_where=is_open,
        postgresql_where=is_open,
    )
