"""Records of audits in the state database: samples drawn for review, and reviewers' results."""

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from sqlalchemy import Engine, func, insert, select

from pipeline.config.settings import StateSettings
from pipeline.state.schema_version import connect_state
from pipeline.state.tables import AUDIT_NOTE, AUDIT_REVIEW, AUDIT_SAMPLE, RUN
from pipeline.warehouse.databases import retrying, transaction, upsert
from record.errors import ConfigError

_WHAT = "state"


@dataclass(frozen=True)
class AuditSample:
    """A sample: how it was drawn, with the numbers of notes per kind, in total and sampled."""

    sample_id: int
    drawn: datetime
    seed: str
    per_kind: int
    format: str
    strata: dict[str, dict[str, int]]
    about: dict[str, Any]


@dataclass(frozen=True)
class SampledNote:
    """A note of a sample: hash of the exported text, and the exported spans, sealed."""

    note_id: int
    kind: str
    content: bytes
    digest: bytes
    sealed: bytes = field(repr=False)


@dataclass(frozen=True)
class AuditReview:
    """The result of one reviewer for a sample: counts and rates."""

    sample_id: int
    reviewer: str
    read: datetime
    result: dict[str, Any]


@dataclass(frozen=True)
class AuditSeries:
    """The audits of a site: each sample that was reviewed with its latest review, oldest first.

    `last_read` is the review that was read last, perhaps of an earlier sample. `unread` is the
    latest sample, where nobody has reviewed it yet; `first_run` is when the first run began.
    """

    audits: tuple[tuple[AuditSample, AuditReview], ...] = ()
    last_read: AuditReview | None = None
    unread: AuditSample | None = None
    first_run: datetime | None = None

    def summarize_last(self) -> dict[str, Any] | None:
        """Return the last review as shown in reports: reviewer, time, number of notes, rate."""
        latest = self.last_read
        if latest is None:
            return None
        return {
            "sample": latest.sample_id,
            "reviewer": latest.reviewer,
            "read": latest.read.isoformat(timespec="seconds"),
            "notes": latest.result["notes"],
            "zero_leak": latest.result["zero_leak"],
        }


class AuditRecords:
    """Access to the tables of samples and reviews."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def add(self, sample: AuditSample, notes: Sequence[SampledNote]) -> AuditSample:
        """Store a sample; return it with its assigned number."""
        with transaction(self._engine, _WHAT, write=True) as connection:
            last = connection.scalar(select(func.max(AUDIT_SAMPLE.c.sample_id))) or 0
            row = {
                "sample_id": last + 1,
                "drawn": sample.drawn.isoformat(),
                "seed": sample.seed,
                "per_kind": sample.per_kind,
                "format": sample.format,
                "strata": json.dumps(sample.strata, sort_keys=True),
                "about": json.dumps(sample.about, sort_keys=True),
            }
            connection.execute(insert(AUDIT_SAMPLE), [row])
            names = [column.name for column in AUDIT_NOTE.columns if column.name != "sample_id"]
            rows = [{n: getattr(note, n) for n in names} for note in notes]
            if rows:
                connection.execute(insert(AUDIT_NOTE), [{"sample_id": last + 1} | r for r in rows])
        return _make_sample(row)

    @retrying
    def sample(self, sample_id: int) -> AuditSample:
        """Read a sample; raises ConfigError if it does not exist."""
        found = select(AUDIT_SAMPLE).where(AUDIT_SAMPLE.c.sample_id == sample_id)
        with transaction(self._engine, _WHAT) as connection:
            row = connection.execute(found).mappings().first()
        if row is None:
            problem = f"no sample {sample_id} in the state database"
            raise ConfigError("--sample", problem, "draw a sample: cryptonym audit sample")
        return _make_sample(row)

    @retrying
    def notes(self, sample_id: int) -> dict[int, SampledNote]:
        """Read the notes of a sample, by id."""
        columns = [column for column in AUDIT_NOTE.columns if column.name != "sample_id"]
        found = select(*columns).where(AUDIT_NOTE.c.sample_id == sample_id)
        with transaction(self._engine, _WHAT) as connection:
            rows = connection.execute(found.order_by(AUDIT_NOTE.c.note_id))
            return {row.note_id: SampledNote(**row._mapping) for row in rows}

    @retrying
    def add_review(self, sample_id: int, reviewer: str, result: dict[str, Any]) -> None:
        """Store a reviewer's result, replacing an earlier one of the same reviewer."""
        row = {"sample_id": sample_id, "reviewer": reviewer}
        row |= {"read": datetime.now(UTC).isoformat(), "result": json.dumps(result, sort_keys=True)}
        with transaction(self._engine, _WHAT, write=True) as connection:
            upsert(connection, AUDIT_REVIEW, [row])

    @retrying
    def reviews(self) -> list[AuditReview]:
        """Read all reviews, latest first.

        Those without a count of marked notes, stored before readers marked them, are left out.
        """
        with transaction(self._engine, _WHAT) as connection:
            rows = connection.execute(select(AUDIT_REVIEW).order_by(AUDIT_REVIEW.c.read.desc()))
            return [
                AuditReview(
                    row.sample_id,
                    row.reviewer,
                    datetime.fromisoformat(row.read),
                    json.loads(row.result),
                )
                for row in rows
                if json.loads(row.result).get("marked")
            ]

    @retrying
    def series(self) -> AuditSeries:
        """Read all samples and their reviews in the order in which samples were drawn."""
        reviews = self.reviews()
        latest = {review.sample_id: review for review in reviews[::-1]}
        with transaction(self._engine, _WHAT) as connection:
            drawn = select(AUDIT_SAMPLE).order_by(AUDIT_SAMPLE.c.sample_id)
            samples = [_make_sample(row) for row in connection.execute(drawn).mappings()]
            first = connection.scalar(select(RUN.c.started).order_by(RUN.c.run_id).limit(1))
        is_unread = bool(samples) and samples[-1].sample_id not in latest
        return AuditSeries(
            tuple((each, latest[each.sample_id]) for each in samples if each.sample_id in latest),
            reviews[0] if reviews else None,
            samples[-1] if is_unread else None,
            datetime.fromisoformat(first) if first else None,
        )


@contextmanager
def open_audit_records(settings: StateSettings, base: Path) -> Iterator[AuditRecords]:
    """Open the tables of reviews; raises as opening the state database does."""
    engine = connect_state(settings, base)
    try:
        yield AuditRecords(engine)
    finally:
        engine.dispose()


def read_audit_series(settings: StateSettings, base: Path) -> AuditSeries:
    """Read the audits of a site; raises as opening the state database does."""
    with open_audit_records(settings, base) as records:
        return records.series()


def _make_sample(row: Any) -> AuditSample:
    return AuditSample(
        sample_id=row["sample_id"],
        drawn=datetime.fromisoformat(row["drawn"]),
        seed=row["seed"],
        per_kind=row["per_kind"],
        format=row["format"],
        strata=json.loads(row["strata"]),
        about=json.loads(row["about"]),
    )
