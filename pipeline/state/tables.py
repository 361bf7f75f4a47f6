"""Table definitions of the state database: runs, ledger, spans, stage, quarantine, audits."""

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

REVISION = "0009"
"""Revision of these tables; changing them requires a step in `pipeline/state/migrations`."""

SCHEMA = Table("alembic_version", MetaData(), Column("version_num", String(32), primary_key=True))
"""Alembic's table with the revision of a database; not among the tables it compares."""

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
"""One row per run; `phase` ends as `finished` or `abandoned`.

`scope` is `new` for a batch of new notes, which does not detect deleted ones, and `backfill` for
notes that earlier detectors read; null, as in runs of
earlier versions, stands for all notes. `attempts` counts how often the run was begun or resumed.
`about` is JSON: key ids, versions and counts.
"""

WORKING, ABANDONED = "working", "abandoned"

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
    Column("attempt", Integer),
    Column("lease_ends", LONG),
    Column("holder", Text),
    Column("failures", Integer),
    Column("error", Text),
    Column("origin", Integer),
    Column("worked", Integer),
)
"""The units of a run, with the ids planned, read and accounted for.

`done` is 1 when the result is stored, and `UNRETURNED` where a worker returned a unit without one.
`attempt` counts the claims; `lease_ends` is when the last of them ends, in milliseconds since 1970
by the clock of the database, 0 where it was taken away; null without a claim. `failures` counts the
claims that ended without a result, `error` tells how the last one did. `origin` is the planned unit
that this one is a part of; such parts have negative numbers. `worked` is about how many notes of it
are through extraction and detection, told for a display with each renewal of the lease.
"""

OPEN, DONE, UNRETURNED = 0, 1, 2
REOPENED = {"done": OPEN, "read_ids": None, "accounted": None, "tally": None}
"""The values of a unit that is processed again: nothing of its earlier result counts."""

LEDGER = Table(
    "ledger",
    STATE,
    Column("note_id", LONG, primary_key=True, autoincrement=False),
    Column("content", LargeBinary, nullable=False),
    Column("identity", LargeBinary, nullable=False),
    Column("config", LargeBinary, nullable=False),
    Column("outcome", SmallInteger, nullable=False),
    Column("was_released", SmallInteger, nullable=False),
    Column("digest", LargeBinary),
)
"""The last processed version of each note; `was_released`: a version of it is in the output.

`content` and `identity` are digests of note and patient, keyed: see `StateKeys.key_digest`.
`digest` is what the source's database computed of the same content, keyed likewise and bound to
both note and `content`; null where it computes none, and in rows of earlier versions.
"""

SPAN_STORE = Table(
    "span_store",
    STATE,
    Column("note_id", LONG, primary_key=True, autoincrement=False),
    Column("content", LargeBinary, nullable=False),
    Column("config", LargeBinary, nullable=False),
    Column("sealed", LargeBinary, nullable=False),
)
"""The sealed spans of each note, with the version of the note."""

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
"""De-identified notes waiting for the reconciliation of the run; `payload` is sealed."""

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
"""Refused notes with stage, error and reason; never their text."""

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
"""Samples for review; `strata` is JSON: kind of note -> numbers of notes in total and sampled."""

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
"""The notes of a sample: version, hash of the exported text, and the exported spans, sealed."""

AUDIT_REVIEW = Table(
    "audit_review",
    STATE,
    Column("sample_id", LONG, primary_key=True, autoincrement=False),
    Column("reviewer", Text, primary_key=True),
    Column("read", Text, nullable=False),
    Column("result", Text, nullable=False),
)
"""Results of reviewers for a sample: counts and rates as JSON, never text."""

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
"""One row per cohort release; rows are never removed.

`account` is the system account that ran the program, `place` the destination without its password.
`phase` is `working`, `publishing`, `finished`, `held`, `refused` or `failed`. `about` is JSON: key
ids, versions, counts, and the message of the error that ended it.
"""

SYNTHESIS_RUN = Table(
    "synthesis_run",
    STATE,
    Column("run_id", LONG, primary_key=True, autoincrement=False),
    Column("cohort", Text, nullable=False),
    Column("account", Text, nullable=False),
    Column("phase", Text, nullable=False),
    Column("started", Text, nullable=False),
    Column("ended", Text),
    Column("exit_code", Integer),
    Column("about", Text, nullable=False),
)
"""One row per run that makes synthetic notes of a cohort's release; rows are never removed.

`phase` is `working`, `publishing`, `finished`, `held`, `refused` or `failed`. `about` is JSON:
digests, counts, seconds of the stages, the reasons of the gate, and the message of the error that
ended it.
"""

ROW_CODE = Table(
    "row_code",
    STATE,
    Column("block", LONG, primary_key=True, autoincrement=False),
    Column("total", LargeBinary, nullable=False),
    Column("code", LargeBinary, nullable=False),
)
"""Authentication codes of ledger and spans: one row per block of ids, and one over all of them."""

SEALING = Table(
    "sealing",
    STATE,
    Column("part", String(32), primary_key=True),
    Column("version", SmallInteger, nullable=False),
    Column("after", LONG),
    Column("done", SmallInteger, nullable=False),
)
"""How far the rows of earlier versions are sealed: `after` is the last note of each part."""

ACCEPTED_CONFIG = Table(
    "accepted_config",
    STATE,
    Column("config", LargeBinary, primary_key=True),
    Column("accepted", LargeBinary, nullable=False),
    Column("code", LargeBinary, nullable=False),
    Column("about", Text),
)
"""The configurations (hashes of 16 bytes) whose spans are accepted under a configuration.

`about` is JSON: detectors, key and policy of the configuration, and when a run last had it; null in
rows of earlier versions.
"""

Index("idx_run_unit_ids", RUN_UNIT.c.run_id, RUN_UNIT.c.first_id)
_IS_OPEN = RUN_UNIT.c.done == OPEN
Index(
    "idx_run_unit_open",
    RUN_UNIT.c.run_id,
    RUN_UNIT.c.unit,
    sqlite_where=_IS_OPEN,
    postgresql_where=_IS_OPEN,
)

_MASK = 2**64 - 1


def pack_ids(ids: Collection[int]) -> bytes:
    """Pack a set of 64-bit integers: sorted, delta-encoded, compressed."""
    ordered = sorted(set(ids))
    steps = [(b - a) & _MASK for a, b in zip([0, *ordered], ordered, strict=False)]
    return zlib.compress(struct.pack(f"<{len(steps)}Q", *steps))


def unpack_ids(packed: bytes | None) -> list[int]:
    """Return the sorted integers; an empty list for None."""
    if packed is None:
        return []
    data = zlib.decompress(packed)
    steps = struct.unpack(f"<{len(data) // 8}Q", data)
    values = (value & _MASK for value in accumulate(steps))
    return [value - 2**64 if value > _MASK >> 1 else value for value in values]
