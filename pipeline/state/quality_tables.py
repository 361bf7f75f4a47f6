"""Table definitions of the quality gate: counts, verdicts, fingerprints, held notes, decisions."""

from sqlalchemy import BigInteger, Column, Index, Integer, SmallInteger, Table, Text

from pipeline.state.tables import STATE
from pipeline.warehouse.omop_tables import LONG

QUALITY_RUN = Table(
    "quality_run",
    STATE,
    Column("run_id", LONG, primary_key=True, autoincrement=False),
    Column("night", Text, nullable=False),
    Column("config", Text, nullable=False),
    Column("version", Text, nullable=False),
    Column("notes", Integer, nullable=False),
    Column("verdict", Text, nullable=False),
    Column("alarms", Text, nullable=False),
)
"""One row per counted run.

`night` is the ISO date on which it started, `config` a short digest of all settings that affect
the output, `version` that of detectors and model. `verdict` is `unjudged`, `learning`, `clean`,
`warned` or `held`. `alarms` is JSON: names and numbers, never text.
"""

QUALITY_COUNT = Table(
    "quality_count",
    STATE,
    Column("run_id", LONG, primary_key=True, autoincrement=False),
    Column("measure", Text, primary_key=True),
    Column("name", Text, primary_key=True),
    Column("detector", Text, primary_key=True),
    Column("kind", Text, primary_key=True),
    Column("site", Text, primary_key=True),
    Column("extractor", Text, primary_key=True),
    Column("day", Text, primary_key=True),
    Column("count", BigInteger, nullable=False),
)
"""Counts per run; `day` is the date on which the notes were written, empty if unknown or several.

The version of the model is that of the run.
"""

QUALITY_PRINT = Table(
    "quality_print",
    STATE,
    Column("note_id", LONG, primary_key=True, autoincrement=False),
    Column("print", BigInteger, nullable=False),
    Column("run_id", LONG, nullable=False),
    Column("kind", Text, nullable=False),
    Column("site", Text, nullable=False),
    Column("extractor", Text, nullable=False),
    Column("day", Text, nullable=False),
)
"""A keyed fingerprint of each note's patient and text, to find duplicates with other ids."""

QUALITY_HELD = Table(
    "quality_held",
    STATE,
    Column("note_id", LONG, primary_key=True, autoincrement=False),
    Column("run_id", LONG, nullable=False),
    Column("accepted", SmallInteger, nullable=False),
)
"""Held notes of a run with an alarm, and whether the run was accepted since.

A note in the stage waits to be published, any other to be withdrawn.
"""

QUALITY_DECISION = Table(
    "quality_decision",
    STATE,
    Column("number", LONG, primary_key=True, autoincrement=False),
    Column("run_id", LONG, nullable=False),
    Column("decision", Text, nullable=False),
    Column("new_normal", SmallInteger, nullable=False),
    Column("again", SmallInteger, nullable=False),
    Column("decided_by", Text, nullable=False),
    Column("reason", Text, nullable=False),
    Column("decided_at", Text, nullable=False),
    Column("notes", Integer),
)
"""Decisions on runs with an alarm: by whom and why; rows are only ever added.

`notes` is the number of notes held at that moment; null in rows of earlier versions.
"""

TABLES = (QUALITY_RUN, QUALITY_COUNT, QUALITY_PRINT, QUALITY_HELD, QUALITY_DECISION)

Index("idx_quality_print", QUALITY_PRINT.c.print)
Index("idx_quality_print_run", QUALITY_PRINT.c.run_id)
Index("idx_quality_held_run", QUALITY_HELD.c.run_id)
