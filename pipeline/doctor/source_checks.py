"""Checks of the source: rights, tables, ids, encoding, and how fast its notes can be processed."""

import os
import random
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from sqlalchemy import Engine, text

from pipeline.config.settings import KeySettings, ModelSettings, Settings, StateSettings
from pipeline.doctor.check_results import CheckResult, failed, passed, warned
from pipeline.notes.batch import Batch
from pipeline.notes.model_detection import SpanTagger
from pipeline.notes.stages import STAGES, run_stage, start_batch
from pipeline.notes.worker_resources import WorkerResources, documents_folder, open_resources
from pipeline.reports.run_report import format_duration
from pipeline.setup.source_inspection import (
    NoteClass,
    SourceContents,
    find_version_problem,
    inspect_contents,
)
from pipeline.warehouse.databases import (
    SOURCE_DRIVERS,
    connect,
    database_path,
    read_encoding,
    transaction,
)
from pipeline.warehouse.export_source import find_format
from pipeline.warehouse.id_range import check_ids, check_night_ids, list_keys
from pipeline.warehouse.note_rows import NoteRow, Unit, parse_integer
from pipeline.warehouse.warehouse import PARQUET, Source, open_source
from record.algorithms import ALGORITHM
from record.columns import TABLES
from surrogates.ciphers.id_permutation import ID_BITS
from surrogates.keys.keys import MasterKey, new_master

_SECONDS_APART = 60
_MOST_NAMED = 10
_SAMPLED, _MOST_AT_ONCE = 200, 32
_LONG_NIGHT = 8 * 3600
"""Seconds: a first night that takes longer does not fit into a night."""

# Optional tables: what a night does not know without them.
_USES = {
    "provider": "the names of the notes' authors",
    "visit_occurrence": "visit numbers, and the care sites of notes",
}


def check_source_ids(settings: Settings, master: MasterKey) -> Iterator[CheckResult]:
    """Check that pseudonyms have a place for the ids of every table."""
    recorded = master.recorded_algorithm(settings.cohort) or ALGORITHM
    bits = settings.make_policy().under(recorded).id_bits or ID_BITS[0]
    if recorded != ALGORITHM:
        yield passed("ids", f"hashed: the cohort has version {recorded} of the surrogates")
        return
    with closing(open_source(settings.source, settings.base)) as source:
        check_ids(source, bits, list_keys(TABLES))
        check_night_ids(source, bits)
    yield passed("ids", f"within 1 to 2^{bits} - 1")


def check_source(settings: Settings) -> Iterator[CheckResult]:
    """Check that the source can be read, and cannot be written."""
    with closing(open_source(settings.source, settings.base)) as source:
        is_empty = next(iter(source.plan(1)), None) is None
    if is_empty:
        yield warned("source", "contains no notes", "check source.url and source.schema")
    else:
        yield passed("source", "notes are readable")
    yield from _check_source_rights(settings)
    folder = documents_folder(settings)
    if folder is not None and not folder.is_dir():
        yield failed("documents", "folder not found", "mount it or correct source.documents")
    elif folder is not None and not os.access(folder, os.R_OK | os.X_OK):
        yield failed("documents", "folder not readable", "grant this account read permission")
    elif folder is not None:
        yield passed("documents", "folder readable")


def _check_source_rights(settings: Settings) -> Iterator[CheckResult]:
    url, name = settings.source.url, "source rights"
    remedy = "grant this account read-only access to the source"
    if url.startswith(PARQUET) or find_format(url) is not None:
        return
    path = database_path(url, settings.base, what="source.url")
    if path is not None:
        if os.geteuid() and os.access(path, os.W_OK):
            yield warned(name, "this account can write to the source", remedy)
        return
    engine = connect(url, settings.base, what="source.url", use="source")
    if engine.dialect.name in SOURCE_DRIVERS:
        engine.dispose()
        yield warned(name, "not checked on this kind of database", remedy)
        return
    place = f"{settings.source.schema}.note" if settings.source.schema else "note"
    has_write_privilege = text("select has_table_privilege(:place, 'INSERT, UPDATE, DELETE')")
    with dispose_after(engine), transaction(engine, "source.url") as connection:
        if connection.scalar(has_write_privilege, {"place": place}):
            yield warned(name, "this account can write to the source", remedy)
        else:
            yield passed(name, "read-only for this account")
        apart = abs(
            float(connection.scalar(text("select extract(epoch from now())")) or 0) - time.time()
        )
        if apart > _SECONDS_APART:
            seen = f"the clocks of this machine and of the source differ by {apart:.0f} seconds"
            yield warned("clock", seen, "synchronize both with the same time server")


def check_contents(settings: Settings) -> Iterator[CheckResult]:
    """Check rows, CDM version, optional tables and kinds of notes of a source that can be read."""
    found = inspect_contents(settings.source, settings.base)
    shown = ", ".join(f"{count} {name}" for name, count in found.counts.items())
    if found.counts.get("note") and not found.counts.get("person"):
        remedy = "fill person, or correct source.schema: notes of unknown persons are not released"
        yield warned("rows", f"{shown}: no persons", remedy)
    else:
        yield passed("rows", shown)
    if not found.is_export:
        yield from _check_tables(found)
    yield from _check_kinds(found, settings)


def _check_tables(found: SourceContents) -> Iterator[CheckResult]:
    problem = find_version_problem(found.version)
    if problem:
        remedy = "upgrade to OMOP CDM 5.4, or create views with its columns; see docs/sources.md"
        if not found.version:
            remedy = "add the row of this CDM to cdm_source, with its cdm_version"
        yield warned("cdm version", problem, remedy)
    else:
        yield passed("cdm version", found.version)
    missing = {table: use for table, use in _USES.items() if table not in found.counts}
    if missing:
        seen = "; ".join(f"no table {table}, so not known: {use}" for table, use in missing.items())
        yield warned("tables", seen, "create the tables or views, if the hospital has these data")
    else:
        yield passed("tables", f"{', '.join(_USES)} are there")


def _check_kinds(found: SourceContents, settings: Settings) -> Iterator[CheckResult]:
    unnamed = [kind for kind in found.kinds if str(kind.concept) not in settings.source.kinds]
    if unnamed:
        counted = ", ".join(
            f"{kind.concept} ({kind.notes} {'note' if kind.notes == 1 else 'notes'})"
            for kind in unnamed
        )
        seen = f"{len(unnamed)} of {len(found.kinds)} note classes have no name: {counted}"
        lines = ", ".join(map(_name_kind, unnamed[:_MOST_NAMED]))
        yield warned("kinds", seen, f"name them in [source.kinds], for reports: {lines}")
    else:
        yield passed("kinds", f"{len(found.kinds)} note classes, all named")


def _name_kind(kind: NoteClass) -> str:
    return f'{kind.concept} = "{kind.name or "name-it"}"'


def check_encodings(settings: Settings) -> Iterator[CheckResult]:
    """Check the encodings of databases on a PostgreSQL server."""
    for name, url in (
        ("source", settings.source.url),
        ("state", settings.state.url),
        ("output", settings.output.url),
    ):
        if not url.startswith(("postgres:", "postgresql:", "postgresql+")):
            continue
        engine = connect(
            url, settings.base, what=f"{name}.url", use="source" if name == "source" else "output"
        )
        with dispose_after(engine):
            encoding, holds_all = read_encoding(engine, f"{name}.url")
        if encoding == "UTF8" or (name == "source" and holds_all is False):
            yield passed(f"{name} encoding", encoding)
        elif name == "source":
            seen = f"{encoding}: nobody declared how text is encoded"
            remedy = "store it in a database with encoding UTF8: what is not UTF-8 is not released"
            yield warned(f"{name} encoding", seen, remedy)
        else:
            seen = f"{encoding}, which {'nobody declared' if holds_all else 'lacks characters'}"
            yield warned(f"{name} encoding", seen, "create the database with encoding UTF8")


def measure_speed(
    settings: Settings, tagger: SpanTagger | None, seconds: float
) -> Iterator[CheckResult]:
    """Process a sample of notes for some seconds, and estimate how long the first night takes.

    Nothing of it is stored, and a random key is used: no key is derived and no use logged.
    """
    with _open_trial(settings) as resources:
        resources.tagger = tagger
        rows = _draw_sample(resources.source)
        if not rows:
            yield passed("sample", "no notes to try")
            return
        trial = _try_notes(rows, resources, seconds)
        notes = inspect_contents(settings.source, settings.base).counts.get("note", 0)
    refused = ", ".join(f"{reason} {count}" for reason, count in trial.reasons.most_common())
    if trial.reasons:
        seen = f"{sum(trial.reasons.values())} of {trial.notes} notes would go to quarantine"
        remedy = "correct the reason; the first night sends such notes to quarantine"
        yield warned("sample", f"{seen}: {refused}", remedy)
    else:
        yield passed("sample", f"none of {trial.notes} notes would go to quarantine")
    speed = trial.notes / trial.seconds
    estimate = notes / speed
    seen = f"{speed:.3g} notes/s in one process: {notes} notes take {format_duration(estimate)}"
    if estimate > _LONG_NIGHT:
        remedy = "give the first night more processes (--workers) or machines; it can be resumed"
        yield warned("speed", seen, remedy)
    else:
        yield passed("speed", seen)


@dataclass(frozen=True)
class _Trial:
    """How many notes were processed in which time, and why some were refused."""

    notes: int
    seconds: float
    reasons: Counter[str]


def _try_notes(rows: list[NoteRow], resources: WorkerResources, seconds: float) -> _Trial:
    # What is loaded and compiled at the first note would count for each.
    _process(rows[:1], resources)
    reasons: Counter[str] = Counter()
    started = time.perf_counter()
    done, size = 0, 1
    while done < len(rows) and size:
        some = rows[done : done + size]
        batch = _process(some, resources)
        reasons.update(each.failure.reason or each.failure.error for each in batch.refused)
        done += len(some)
        spent = time.perf_counter() - started
        # As many as the time that is left allows: a bound, unless single notes take longer.
        size = min(_MOST_AT_ONCE, int(done / spent * (seconds - spent))) if spent < seconds else 0
    return _Trial(done, time.perf_counter() - started, reasons)


def _process(rows: list[NoteRow], resources: WorkerResources) -> Batch:
    batch = start_batch(Unit(0, "", 0, 0, len(rows)), rows, resources)
    for name, stage in STAGES:
        batch = run_stage(name, stage, batch, resources)
    return batch


@contextmanager
def _open_trial(settings: Settings) -> Iterator[WorkerResources]:
    with TemporaryDirectory() as folder:
        key = Path(folder, "master.key")
        new_master(key)
        trial = replace(
            settings,
            state=StateSettings(f"sqlite:///{folder}/state.db"),
            key=KeySettings(f"file:{key}"),
            model=ModelSettings("none"),
        )
        with open_resources(trial) as resources:
            yield resources


def _draw_sample(source: Source) -> list[NoteRow]:
    """Read notes from all over the source, in random order; from its beginning if ids are sparse.

    The same notes each time.
    """
    ends = [parse_integer(end) for end in source.store.extremes("note", ["note_id"])["note_id"]]
    least, most = ends
    if least is None or most is None:
        return []
    step = max(1, (most - least) // _SAMPLED)
    spread = range(least, most + 1, step)
    rows = [row for some in source.pick(list(spread), _SAMPLED) for row in some]
    if len(rows) < _SAMPLED // 2:
        first = next(iter(source.plan(_SAMPLED)), None)
        rows = source.read(first[0]) if first else []
    random.Random(0).shuffle(rows)  # noqa: S311 - a sample, no secret
    return rows[:_SAMPLED]


@contextmanager
def dispose_after(engine: Engine) -> Iterator[None]:
    """Close the connections of an engine at the end."""
    try:
        yield
    finally:
        engine.dispose()
