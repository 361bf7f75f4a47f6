"""A dry run of the nightly job: what would appear, change and go; nothing is detected or written.

Notes are read and compared with the ledger by their hashes. Which of them would go to quarantine is
known only after detection.
"""

import tempfile
from array import array
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from sqlalchemy import inspect

from pipeline.config.progress import Progress
from pipeline.config.settings import OutputSettings, Settings, StateSettings, load
from pipeline.night.nightly import check_distinct_places, check_documents_folder
from pipeline.night.objections import check_objections
from pipeline.night.output_versions import check_origin
from pipeline.night.withdrawals import contains, make_released_id
from pipeline.notes.batch import Batch
from pipeline.notes.stages import attach_patients, fetch_documents, read_batch, skip_unchanged
from pipeline.notes.worker_resources import WorkerResources, open_resources, resolve_urls
from pipeline.quality.gate import describe_alarm
from pipeline.quality.withdrawal_limit import WithdrawalCounts, find_excesses
from pipeline.state.run_lock import make_run_lock
from pipeline.state.schema_version import check_state_tables, has_state_tables
from pipeline.warehouse.databases import chunks, connect, database_path, transaction
from pipeline.warehouse.id_range import check_nightly_ids
from pipeline.warehouse.note_rows import parse_integer
from pipeline.warehouse.warehouse import PARQUET, Output, open_output

_PAGE = 10_000


@dataclass(frozen=True)
class ForeseenRun:
    """What a run would do.

    `notes` and `persons` count those that would appear, change and go, and notes that are
    unchanged. `held` are the reasons for which the run would be held, `waiting` the withdrawals
    that an earlier run holds. `objections` counts objecting persons and their notes, None without
    a list.
    """

    notes: dict[str, int]
    persons: dict[str, int]
    held: tuple[str, ...] = ()
    waiting: int = 0
    objections: dict[str, int] | None = None


def foresee_run(config: Path, progress: Progress | None = None) -> ForeseenRun:
    """Compare source, ledger and output; raises ConfigError or Unavailable as a run does."""
    settings = load(config)
    check_documents_folder(settings)
    check_distinct_places(resolve_urls(settings))
    with ExitStack() as stack:
        known = resolve_urls(settings)
        if has_state_tables(known.state, settings.base):
            check_state_tables(known.state, settings.base)
            stack.enter_context(make_run_lock(known.state.url, settings.base))
        else:
            # Nobody runs yet, and nothing may be created.
            settings = stack.enter_context(with_empty_state(settings))
        tools = open_resources(settings, release=settings.cohort, is_trial=True)
        stack.callback(tools.close)
        check_objections(tools.source, tools.state, settings.quality)
        check_nightly_ids(tools.source, tools.cohort)
        output = open_existing_output(known.output, settings.base)
        if output is not None:
            stack.callback(output.close)
            check_origin(output, tools.cohort)
        comparison = _Comparison(tools, output, progress or Progress())
        comparison.read_source()
        return comparison.conclude(settings)


@contextmanager
def with_empty_state(settings: Settings) -> Iterator[Settings]:
    """Give settings with an empty state database in another place, which is deleted at the end."""
    with tempfile.TemporaryDirectory() as folder:
        yield replace(settings, state=StateSettings(f"sqlite:///{folder}/state.db"))


def open_existing_output(settings: OutputSettings, base: Path) -> Output | None:
    """Open an output that is there; None for one that an opening would create."""
    if not settings.url.startswith(PARQUET):
        path = database_path(settings.url, base, what="output.url")
        if path is not None and not path.is_file():
            return None
        engine = connect(
            settings.url, base, what="output.url", use="output", schema=settings.schema
        )
        try:
            with transaction(engine, "output") as connection:
                if not inspect(connection).has_table("note", settings.schema):
                    return None
        finally:
            engine.dispose()
    # To open it with its other tables would create them.
    return open_output(replace(settings, tables=()), base)


@dataclass
class _Comparison:
    """The notes of the source compared with the ledger, and the persons that they belong to."""

    tools: WorkerResources
    output: Output | None
    progress: Progress
    notes: Counter[str] = field(default_factory=Counter)
    seen: "array[int]" = field(default_factory=lambda: array("q"), repr=False)
    active: set[int] = field(default_factory=set, repr=False)

    def read_source(self) -> None:
        """Read every note, and count those that would appear or change."""
        self.progress.phase("comparing")
        size = self.tools.settings.limits.notes_per_unit
        for unit, note_ids in self.tools.source.plan(size):
            self.seen.extend(note_ids)
            batch = read_batch(unit, self.tools)
            self._compare(fetch_documents(attach_patients(batch, self.tools), self.tools))
            self.progress.advance(len(self.seen), 0)
        self.seen = array("q", sorted(self.seen))

    def _compare(self, batch: Batch) -> None:
        batch = skip_unchanged(batch, self.tools)
        self.notes["unchanged"] += len(batch.unchanged)
        items = [*batch.items, *(refused.item for refused in batch.refused)]
        ids = sorted(item.row.note_id for item in items)
        released = set(self.tools.state.withdrawals.keep_released(ids))
        for item in items:
            self.notes["change" if item.row.note_id in released else "appear"] += 1
            person = parse_integer(item.row.person_id)
            if person is not None:
                self.active.add(self.tools.cohort.pseudonym("person", str(person)))

    def conclude(self, settings: Settings) -> ForeseenRun:
        """Count what would go, and judge it by the limit."""
        state, source = self.tools.state, self.tools.source
        gone, asked = array("q"), 0
        for note_id in self._find_gone():
            gone.append(note_id)
            asked += note_id in source.hidden_notes if source.objecting else 0
        persons, counts = self._count_persons(gone, asked)
        waiting = sum(state.withdrawals.count_waiting().values())
        excesses = find_excesses(counts, settings.quality)
        objections = {"persons": len(source.objecting), "notes": len(source.hidden_notes)}
        notes = {name: self.notes[name] for name in ("appear", "change", "unchanged")}
        return ForeseenRun(
            notes | {"go": len(gone)},
            persons,
            tuple(describe_alarm(alarm) for alarm in excesses),
            waiting,
            objections if settings.source.objections is not None else None,
        )

    def _find_gone(self) -> Iterator[int]:
        """Return the released notes that the source no longer has, unless they wait already."""
        state = self.tools.state
        missing = [n for n in state.read_released_ids() if not contains(self.seen, n)]
        for some in chunks(missing, _PAGE):
            waiting = state.withdrawals.find_held(some)
            yield from (note_id for note_id in some if note_id not in waiting)

    def _count_persons(
        self, gone: "array[int]", asked: int
    ) -> tuple[dict[str, int], WithdrawalCounts]:
        """Count persons by what would become of them, and what counts for the limit."""
        cohort, source = self.tools.cohort, self.tools.source
        ids = array("q", sorted(make_released_id(cohort, note_id) for note_id in gone))
        touched: set[int] = set()
        kept: set[int] = set()
        for note_id, person_id in self.output.note_persons() if self.output else ():
            (touched if contains(ids, note_id) else kept).add(person_id)
        present = touched | kept
        leaving = touched - kept - self.active
        objecting = {cohort.pseudonym("person", str(each)) for each in source.objecting}
        counts = WithdrawalCounts(
            notes=len(gone) - asked,
            all_notes=self.tools.state.withdrawals.count_released(),
            persons=len(touched - kept - objecting),
            all_persons=len(present),
        )
        persons = {
            "appear": len(self.active - present),
            "change": len((self.active | touched) & present - leaving),
            "go": len(leaving),
        }
        return persons, counts
