"""The tables of the state database, and lists of ids packed into a few bytes."""

import struct
import zlib
from collections.abc import Collection
from itertools import accumulate

from sqlalchemy import (
    Column,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    SmallInteger,
    String,
    Table,
    Text,
)

from pipeline.warehouse.omop_tables import LONG

STATE = MetaData()

REVISION = "0003"
"""The migration that these tables are at; a change of them needs one in `pipeline.migrations`."""

SCHEMA = Table("alembic_version", MetaData(), Column("version_num", String(32), primary_key=True))
"""Where Alembic keeps the migration that a database is at; not among the tables it compares."""

STAGED, RELEASED, QUARANTINED = 1, 2, 3
OUTCOMES = {STAGED: "staged", RELEASED: "released", QUARANTINED: "quarantined"}

RUN = Table(
    "run",
    STATE,
    Column("run_id", LONG, primary_key=True, autoincrement=False),
    Column("config", LargeBinary, nullable=False),
    Column("phase", Text, nullable=False),
    Column("started", Text, nullable=False),
    Column("summary", Text),
    Column("scope", Text),
    Column("attempts", Integer),
    Column("ended", Text),
    Column("about", Text),
)
"""One row a run; `phase` ends as `finished` or `abandoned`.

`scope` is `new` for a batch that looked at some notes alone, which tells nothing about deleted
ones; nothing, as in runs of earlier versions, stands for all notes. `attempts` counts how often the
run was taken up. `about` is JSON: keys' ids, versions and counts.
"""

RUN_UNIT = Table(
    "run_unit",
    STATE,
    Column("run_id", LONG, primary_key=True, autoincrement=False),
    Column("unit", Integer, primary_key=True, autoincrement=False),
    Column("part", Text, nullable=False),
    Column("low", LONG, nullable=False),
    Column("high", LONG, nullable=False),
    Column("count", Integer, nullable=False),
    Column("first_id", LONG),
    Column("last_id", LONG),
    Column("planned", LargeBinary, nullable=False),
    Column("done", SmallInteger, nullable=False),
    Column("read_ids", LargeBinary),
    Column("accounted", LargeBinary),
    Column("tally", Text),
)
"""The units of a run with the ids they were planned to hold and the ids that came out of them."""

LEDGER = Table(
    "ledger",
    STATE,
    Column("note_id", LONG, primary_key=True, autoincrement=False),
    Column("content", LargeBinary, nullable=False),
    Column("identity", LargeBinary, nullable=False),
    Column("config", LargeBinary, nullable=False),
    Column("outcome", SmallInteger, nullable=False),
    Column("was_released", SmallInteger, nullable=False),
)
"""The version of each note that was last seen to; `was_released`: the output holds some version."""

SPAN_STORE = Table(
    "span_store",
    STATE,
    Column("note_id", LONG, primary_key=True, autoincrement=False),
    Column("content", LargeBinary, nullable=False),
    Column("config", LargeBinary, nullable=False),
    Column("sealed", LargeBinary, nullable=False),
)
"""The spans of each note, under seal, with the version of the note they were found in."""

STAGE = Table(
    "stage",
    STATE,
    Column("note_id", LONG, primary_key=True, autoincrement=False),
    Column("person_id", LONG),
    Column("payload", LargeBinary, nullable=False),
    Column("kind", Text, nullable=False),
    Column("day", Text),
    Column("characters", Integer, nullable=False),
)
"""De-identified notes that wait until the whole run is accounted for."""

QUARANTINE = Table(
    "quarantine",
    STATE,
    Column("note_id", LONG, primary_key=True, autoincrement=False),
    Column("person_id", LONG),
    Column("stage", Text, nullable=False),
    Column("error", Text, nullable=False),
    Column("reason", Text, nullable=False),
    Column("kind", Text, nullable=False),
    Column("day", Text),
)
"""Why notes were refused; never what they say."""

AUDIT_SAMPLE = Table(
    "audit_sample",
    STATE,
    Column("sample_id", LONG, primary_key=True, autoincrement=False),
    Column("drawn", Text, nullable=False),
    Column("seed", Text, nullable=False),
    Column("per_kind", Integer, nullable=False),
    Column("format", Text, nullable=False),
    Column("strata", Text, nullable=False),
    Column("about", Text, nullable=False),
)
"""Samples for human review; `strata` is JSON: kind of note to how many there were and are in it."""

AUDIT_NOTE = Table(
    "audit_note",
    STATE,
    Column("sample_id", LONG, primary_key=True, autoincrement=False),
    Column("note_id", LONG, primary_key=True, autoincrement=False),
    Column("kind", Text, nullable=False),
    Column("content", LargeBinary, nullable=False),
    Column("digest", LargeBinary, nullable=False),
    Column("sealed", LargeBinary, nullable=False),
)
"""The notes of a sample: version, hash of the exported text, and the exported spans under seal."""

AUDIT_REVIEW = Table(
    "audit_review",
    STATE,
    Column("sample_id", LONG, primary_key=True, autoincrement=False),
    Column("reviewer", Text, primary_key=True),
    Column("read", Text, nullable=False),
    Column("result", Text, nullable=False),
)
"""What reviewers found in a sample: counts and rates as JSON, never text."""

COHORT_RELEASE = Table(
    "cohort_release",
    STATE,
    Column("release_id", LONG, primary_key=True, autoincrement=False),
    Column("cohort", Text, nullable=False),
    Column("account", Text, nullable=False),
    Column("place", Text, nullable=False),
    Column("phase", Text, nullable=False),
    Column("started", Text, nullable=False),
    Column("ended", Text),
    Column("exit_code", Integer),
    Column("about", Text, nullable=False),
)
"""One row a release of a cohort that was begun; rows are never removed.

`account` is that of the system under which the program ran, `place` where the release went, without
a password. `phase` is `working`, `publishing`, `finished`, `refused` or `failed`. `about` is JSON:
keys' ids, versions, counts, and the message of the error that ended it.
"""

Index("idx_run_unit_ids", RUN_UNIT.c.run_id, RUN_UNIT.c.first_id)

_MASK = 2**64 - 1


def pack_ids(ids: Collection[int]) -> bytes:
    """Pack a set of 64-bit numbers: sorted, as differences, compressed."""
    ordered = sorted(set(ids))
    steps = [(b - a) & _MASK for a, b in zip([0, *ordered], ordered, strict=False)]
    return zlib.compress(struct.pack(f"<{len(steps)}Q", *steps))


def unpack_ids(packed: bytes | None) -> list[int]:
    """Return the sorted numbers; none for nothing."""
    if packed is None:
        return []
    data = zlib.decompress(packed)
    steps = struct.unpack(f"<{len(data) // 8}Q", data)
    values = (value & _MASK for value in accumulate(steps))
    return [value - 2**64 if value > _MASK >> 1 else value for value in values]
