"""The history of runs, samples of notes for human review, and the quality gate."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"

_LONG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Add what is known of a run at its end, and the tables of reviews and of the gate."""
    # Not as a batch: SQLite would copy the table, and these columns need no copy.
    op.add_column("run", sa.Column("scope", sa.Text))
    op.add_column("run", sa.Column("attempts", sa.Integer))
    op.add_column("run", sa.Column("ended", sa.Text))
    op.add_column("run", sa.Column("about", sa.Text))
    op.create_table(
        "audit_sample",
        sa.Column("sample_id", _LONG, primary_key=True, autoincrement=False),
        sa.Column("drawn", sa.Text, nullable=False),
        sa.Column("seed", sa.Text, nullable=False),
        sa.Column("per_kind", sa.Integer, nullable=False),
        sa.Column("format", sa.Text, nullable=False),
        sa.Column("strata", sa.Text, nullable=False),
        sa.Column("about", sa.Text, nullable=False),
    )
    op.create_table(
        "audit_note",
        sa.Column("sample_id", _LONG, primary_key=True, autoincrement=False),
        sa.Column("note_id", _LONG, primary_key=True, autoincrement=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("content", sa.LargeBinary, nullable=False),
        sa.Column("digest", sa.LargeBinary, nullable=False),
        sa.Column("sealed", sa.LargeBinary, nullable=False),
    )
    op.create_table(
        "audit_review",
        sa.Column("sample_id", _LONG, primary_key=True, autoincrement=False),
        sa.Column("reviewer", sa.Text, primary_key=True),
        sa.Column("read", sa.Text, nullable=False),
        sa.Column("result", sa.Text, nullable=False),
    )
    _add_quality()


def _add_quality() -> None:
    op.create_table(
        "quality_run",
        sa.Column("run_id", _LONG, primary_key=True, autoincrement=False),
        sa.Column("night", sa.Text, nullable=False),
        sa.Column("config", sa.Text, nullable=False),
        sa.Column("version", sa.Text, nullable=False),
        sa.Column("notes", sa.Integer, nullable=False),
        sa.Column("verdict", sa.Text, nullable=False),
        sa.Column("alarms", sa.Text, nullable=False),
    )
    names = ("measure", "name", "detector", "kind", "site", "extractor", "day")
    op.create_table(
        "quality_count",
        sa.Column("run_id", _LONG, primary_key=True, autoincrement=False),
        *(sa.Column(name, sa.Text, primary_key=True) for name in names),
        sa.Column("count", sa.BigInteger, nullable=False),
    )
    op.create_table(
        "quality_print",
        sa.Column("note_id", _LONG, primary_key=True, autoincrement=False),
        sa.Column("print", sa.BigInteger, nullable=False),
        sa.Column("run_id", _LONG, nullable=False),
        *(sa.Column(name, sa.Text, nullable=False) for name in names[3:]),
    )
    op.create_index("idx_quality_print", "quality_print", ["print"])
    op.create_index("idx_quality_print_run", "quality_print", ["run_id"])
    op.create_table(
        "quality_held",
        sa.Column("note_id", _LONG, primary_key=True, autoincrement=False),
        sa.Column("run_id", _LONG, nullable=False),
        sa.Column("accepted", sa.SmallInteger, nullable=False),
    )
    op.create_index("idx_quality_held_run", "quality_held", ["run_id"])
    op.create_table(
        "quality_decision",
        sa.Column("number", _LONG, primary_key=True, autoincrement=False),
        sa.Column("run_id", _LONG, nullable=False),
        sa.Column("decision", sa.Text, nullable=False),
        sa.Column("new_normal", sa.SmallInteger, nullable=False),
        sa.Column("again", sa.SmallInteger, nullable=False),
        sa.Column("decided_by", sa.Text, nullable=False),
        sa.Column("reason", sa.Text, nullable=False),
        sa.Column("decided_at", sa.Text, nullable=False),
    )
