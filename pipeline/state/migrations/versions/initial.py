"""The tables of the first version: runs and their units, ledger, spans, stage, quarantine."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None

_LONG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Make the tables."""
    op.create_table(
        "run",
        sa.Column("run_id", _LONG, primary_key=True, autoincrement=False),
        sa.Column("config", sa.LargeBinary, nullable=False),
        sa.Column("phase", sa.Text, nullable=False),
        sa.Column("started", sa.Text, nullable=False),
        sa.Column("summary", sa.Text),
    )
    op.create_table(
        "run_unit",
        sa.Column("run_id", _LONG, primary_key=True, autoincrement=False),
        sa.Column("unit", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("part", sa.Text, nullable=False),
        sa.Column("low", _LONG, nullable=False),
        sa.Column("high", _LONG, nullable=False),
        sa.Column("count", sa.Integer, nullable=False),
        sa.Column("first_id", _LONG),
        sa.Column("last_id", _LONG),
        sa.Column("planned", sa.LargeBinary, nullable=False),
        sa.Column("done", sa.SmallInteger, nullable=False),
        sa.Column("read_ids", sa.LargeBinary),
        sa.Column("accounted", sa.LargeBinary),
        sa.Column("tally", sa.Text),
    )
    op.create_index("idx_run_unit_ids", "run_unit", ["run_id", "first_id"])
    op.create_table(
        "ledger",
        sa.Column("note_id", _LONG, primary_key=True, autoincrement=False),
        sa.Column("content", sa.LargeBinary, nullable=False),
        sa.Column("identity", sa.LargeBinary, nullable=False),
        sa.Column("config", sa.LargeBinary, nullable=False),
        sa.Column("outcome", sa.SmallInteger, nullable=False),
        sa.Column("was_released", sa.SmallInteger, nullable=False),
    )
    op.create_table(
        "span_store",
        sa.Column("note_id", _LONG, primary_key=True, autoincrement=False),
        sa.Column("content", sa.LargeBinary, nullable=False),
        sa.Column("config", sa.LargeBinary, nullable=False),
        sa.Column("sealed", sa.LargeBinary, nullable=False),
    )
    op.create_table(
        "stage",
        sa.Column("note_id", _LONG, primary_key=True, autoincrement=False),
        sa.Column("person_id", _LONG),
        sa.Column("payload", sa.LargeBinary, nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("day", sa.Text),
        sa.Column("characters", sa.Integer, nullable=False),
    )
    op.create_table(
        "quarantine",
        sa.Column("note_id", _LONG, primary_key=True, autoincrement=False),
        sa.Column("person_id", _LONG),
        sa.Column("stage", sa.Text, nullable=False),
        sa.Column("error", sa.Text, nullable=False),
        sa.Column("reason", sa.Text, nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("day", sa.Text),
    )
