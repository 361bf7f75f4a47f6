"""The nightly run from start to end: plan, work, reconcile, publish, read back, report."""

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from importlib.metadata import version
from itertools import combinations
from pathlib import Path

from sqlalchemy.engine import make_url

from models.tagger.shipped_model import digest, folder_of
from pipeline.config.energy import Meter
from pipeline.config.exit_codes import EXIT_DONE, EXIT_GATE, EXIT_QUARANTINE
from pipeline.config.memory import peak_kilobytes
from pipeline.config.policy_table import in_short
from pipeline.config.progress import Progress
from pipeline.config.settings import OutputSettings, Settings, load
from pipeline.night.gate_notifications import tell_all
from pipeline.night.publishing import publish, read_back, withdraw_strays
from pipeline.night.quality_gate import OPEN, Assessment, Gate, assess, recall
from pipeline.night.quality_page import label_panels
from pipeline.night.release_history import read_past
from pipeline.night.run_history import tell
from pipeline.notes.detection import DETECTOR_VERSION
from pipeline.notes.worker_resources import config_hash, documents_folder, open_master, settled
from pipeline.reports.run_report import RunBackground, write_report
from pipeline.state.audit_records import last_review
from pipeline.state.count_history import Counted
from pipeline.state.ledger import RunRecord, Scope, State, open_state
from pipeline.state.lock import RunLock, run_lock
from pipeline.state.new_notes import find_new
from pipeline.state.run_summary import Outcome, RunSummary, Tally, merge_all
from pipeline.warehouse.databases import database_path, retrying
from pipeline.warehouse.note_rows import Unit
from pipeline.warehouse.sql_output import CdmSource, Output
from pipeline.warehouse.warehouse import JSONL, PARQUET, Source, open_output, open_source
from record.errors import ConfigError, CryptonymError, Unavailable
from surrogates.keys.keys import CohortKey

_SHOWN = 20
"""Releases and decisions on the page of a run."""


class Incomplete(CryptonymError):
    """Notes are missing after the work was done: nothing was released (exit code 1)."""


@dataclass(frozen=True)
class Job:
    """What whoever drives the workers is told.

    `scratch` is a folder for the workers' summaries; `lock_fd` is the descriptor of the run's
    lock, which children inherit so that the lock lasts as long as any of them; `watch` is to be
    called now and then while they work. `program` is the module that a worker process runs, and
    `told` a line that it reads from its standard input.
    """

    config: Path
    settings: Settings
    run_id: int
    workers: int
    scratch: Path
    lock_fd: int
    watch: Callable[[], None]
    program: str = "pipeline.beam.worker"
    told: str = field(default="", repr=False)


Drive = Callable[[Job], dict[str, int]]
"""Works through the pending units of a job; gives the peak memory of each worker in kilobytes."""


@dataclass(frozen=True)
class Ended:
    """How a run ended: what it did, where the report is and the exit code it asks for.

    `assessment` is what the quality gate says of it.
    """

    summary: RunSummary
    report: Path
    exit_code: int
    resumed: bool
    assessment: Assessment | None = None
    warnings: tuple[str, ...] = ()


@dataclass
class Night:
    """One run over open databases; each method is one phase."""

    config: Path
    settings: Settings
    cohort: CohortKey
    source: Source
    state: State
    output: Output
    progress: Progress
    peaks: dict[str, int] = field(default_factory=dict)
    most_new: int | None = None
    gate: Gate = OPEN

    def claim(self) -> None:
        """Put the cohort's name on the output; raises ConfigError if another key made it.

        Notes under another key have other ids: this run could neither replace nor withdraw them.
        """
        policy = self.settings.make_policy()
        mine = f"cryptonym key {self.cohort.key_id}"
        if self.output.origin() not in (None, mine):
            raise ConfigError(
                "output.url",
                "holds notes made under another key or cohort",
                "name an output and a state of its own for each cohort, or empty both",
            )
        self.output.describe(
            CdmSource(
                cdm_source_name=self.settings.cohort,
                cdm_source_abbreviation=self.settings.cohort[:25],
                cdm_holder="",
                source_description=in_short(policy),
                cdm_etl_reference=mine,
            )
        )

    def plan(self) -> RunRecord:
        """Begin a run or take up the one that was interrupted, and plan its units of work."""
        scope: Scope = "all" if self.most_new is None else "new"
        run = self.state.begin(config_hash(self.settings, self.cohort), scope=scope)
        if run.phase == "planning":
            self.progress.phase("planning")
            # As a whole: a plan is one transaction, and the source is read while it is open.
            retrying(lambda: self.state.plan(run.run_id, self._units(run)))()
        return run

    def _units(self, run: RunRecord) -> Iterator[tuple[Unit, list[int]]]:
        size = self.settings.limits.notes_per_unit
        if self.state.scope(run.run_id) == "all":
            return self.source.plan(size)
        return find_new(self.source, self.state, self.most_new or size)

    def work(self, run: RunRecord, drive: Drive, workers: int, lock_fd: int) -> None:
        """Let the workers go through the units that are not done."""
        self.progress.phase("working")

        def watch() -> None:
            self.progress.advance(*self.state.progress(run.run_id))

        scratch = self.settings.base / ".cryptonym" / f"run-{run.run_id}"
        job = Job(self.config, self.settings, run.run_id, workers, scratch, lock_fd, watch)
        self.peaks = drive(job)
        watch()

    def reconcile(self, run: RunRecord) -> None:
        """Account for every planned note by id; raises Incomplete when one is missing."""
        self.progress.phase("reconciling")
        result = self.state.reconcile(run.run_id, self.source)
        if not result.ok:
            raise Incomplete(
                f"{result.missing} of {result.planned} planned notes are missing at the end of run "
                f"{run.run_id} (first ids: {', '.join(map(str, result.missing_ids)) or 'none'}), "
                f"{result.astray} are not where the ledger says; nothing was released. Remedy: run "
                "again, everything is then done anew; if notes go missing again, report it"
            )

    def count(self, run: RunRecord) -> Tally:
        """Add up what the units of the run counted."""
        return merge_all(
            Tally.from_json(json.loads(text)) for text in self.state.tallies(run.run_id)
        )

    def judge(self, run: RunRecord, tally: Tally) -> Assessment:
        """Compare the counts of the run with earlier ones; what is held is not published."""
        self.progress.phase("judging")
        quality = self.settings.quality
        config = config_hash(self.settings, self.cohort).hex()[:16]
        counted = Counted(run.run_id, self.gate.night_of(run), config, tally.cells)
        if run.phase == "publishing":
            return recall(self.state.quality, counted, quality, self.gate)
        folder = self.settings.model.folder
        model = f" {digest(folder_of(folder, self.settings.base))[:12]}" if folder else ""
        found = f"{DETECTOR_VERSION}{model}"
        return assess(self.state.quality, counted, found, quality, self.gate)

    def publish(self, run: RunRecord) -> int:
        """Put what is staged into the output, withdraw what must go; returns the deleted notes."""
        self.progress.phase("publishing")
        self.state.phase(run.run_id, "publishing")
        deleted = publish(run.run_id, self.state, self.output, self.cohort)
        self.progress.phase("reading back")
        where = (self.state, self.output, self.cohort)
        if not read_back(*where) and not (withdraw_strays(*where) and read_back(*where)):
            raise Incomplete(
                f"the output of run {run.run_id} does not hold exactly the notes the ledger calls "
                "released. Remedy: run again; if it persists, restore the output from a backup or "
                "delete it together with the state database, and run anew"
            )
        return deleted

    def summary(
        self, run: RunRecord, tally: Tally, deleted: int, workers: int, meter: Meter
    ) -> RunSummary:
        """Return what the run did; `tally` is completed, `meter` counts since it began."""
        # The gate's counts have a table of their own.
        tally.cells.clear()
        tally.add(Outcome.DELETED, deleted)
        malformed = self.source.malformed() if self.state.scope(run.run_id) == "all" else []
        for failure in malformed:
            tally.add_failure(failure)
        tally.add(Outcome.PLANNED, self.state.progress(run.run_id)[1] + len(malformed))
        for worker, kilobytes in self.peaks.items():
            tally.add_memory(worker, kilobytes)
        return RunSummary(
            run_id=str(run.run_id),
            cohort=self.settings.cohort,
            key_id=self.cohort.key_id,
            policy_id=self.settings.make_policy().policy_id,
            code_version=version("cryptonym"),
            detector_version=DETECTOR_VERSION,
            started=run.started,
            ended=datetime.now(UTC),
            workers=workers,
            tally=tally,
            max_quarantine_share=self.settings.limits.max_quarantine_share,
            review=last_review(settled(self.settings).state, self.settings.base),
            energy=meter.read(self.settings.energy, sum(self.peaks.values()) or peak_kilobytes()),
        )


def run_nightly(
    config: Path,
    drive: Drive,
    *,
    workers: int = 1,
    progress: Progress | None = None,
    most_new: int | None = None,
    gate: Gate = OPEN,
) -> Ended:
    """Process what is new or changed since the last run, and release it.

    With `most_new` only notes that were never seen, about so many: changed and deleted ones wait
    for a run without it. Where the gate says no, nothing new is published and the exit code is 1.

    Raises ConfigError, Unavailable, or Incomplete when notes are missing at the end, in which
    case nothing is released. Quarantine above the configured share gives exit code 3.
    """
    settings = load(config)
    if workers < 1:
        raise ConfigError("--workers", "must be at least 1", "give a number of processes")
    cohort = open_master(settings).cohort(settings.cohort)
    check_documents(settings)
    check_apart(settled(settings))
    with ExitStack() as stack:
        lock = stack.enter_context(run_lock(settled(settings).state.url, settings.base))
        source = open_source(settled(settings).source, settings.base)
        stack.callback(source.close)
        state = open_state(settled(settings).state, settings.base)
        stack.callback(state.close)
        output = open_output(settled(settings).output, settings.base)
        stack.callback(output.close)
        night = Night(config, settings, cohort, source, state, output, progress or Progress())
        night.most_new, night.gate = most_new, gate
        night.output.check_writable()
        night.claim()
        ended = _through(night, drive, workers, lock)
        if not ended.resumed:
            return ended
        # The plan of an interrupted run does not hold what has come since.
        since = _through(night, drive, workers, lock, quiet=True)
        if not _did_something(since):
            return ended
        return replace(since, exit_code=EXIT_GATE) if ended.exit_code == EXIT_GATE else since


def _through(
    night: Night, drive: Drive, workers: int, lock: RunLock, *, quiet: bool = False
) -> Ended:
    """Take one run through its phases; a quiet one reports only if there was anything to do."""
    meter = Meter()
    run = night.plan()
    if run.phase != "publishing":
        night.work(run, drive, workers, lock.fileno())
        lock.keep()
        night.reconcile(run)
    lock.keep()
    tally = night.count(run)
    assessment = night.judge(run, tally)
    deleted = night.publish(run)
    summary = night.summary(run, tally, deleted, workers, meter)
    code = EXIT_DONE if summary.within_limit else EXIT_QUARANTINE
    if assessment.is_held:
        code = EXIT_GATE
        summary = replace(summary, held=assessment.reasons)
    folder = night.settings.base / night.settings.report.folder
    ended = Ended(summary, folder / "report.html", code, run.resumed, assessment)
    if not quiet or _did_something(ended):
        past = read_past(night.settings)
        background = RunBackground(label_panels(assessment), past.lately(_SHOWN))
        write_report(summary, folder, background)
        warnings = tell_all(night.state.quality, assessment, night.settings)
        ended = replace(ended, warnings=warnings)
    night.state.finish(run.run_id, json.dumps(summary.tally.to_json()), tell(summary, code))
    return ended


def _did_something(ended: Ended) -> bool:
    outcomes = ended.summary.tally.outcomes
    done = (Outcome.RELEASED, Outcome.QUARANTINED, Outcome.DELETED)
    return any(outcomes[outcome.value] for outcome in done)


def check_apart(settings: Settings, release: tuple[OutputSettings, Path] | None = None) -> None:
    """Refuse to write into the source, or to mix what is restricted with what research reads.

    `release` is one more output, with the folder that its relative path starts at. URLs are
    themselves, not `env:NAME`. Raises ConfigError.
    """
    urls = {
        "source.url": (settings.source.url, settings.source.schema, settings.base),
        "output.url": (settings.output.url, settings.output.schema, settings.base),
        "state.url": (settings.state.url, None, settings.base),
    }
    if release is not None:
        urls["--output"] = (release[0].url, release[0].schema, release[1])
    places = {name: name_place(name, *where) for name, where in urls.items()}
    for first, second in combinations(places, 2):
        if places[first] == places[second]:
            raise ConfigError(
                second,
                f"names the same place as {first}",
                "give each a database or schema of its own",
            )


def name_place(name: str, url: str, schema: str | None, base: Path) -> str:
    """Name the place behind the URL of a setting, the same for every way to write it."""
    for form in (PARQUET, JSONL):
        if url.startswith(form):
            return str((base / url.removeprefix(form)).resolve())
    path = database_path(url, base, what=name)
    if path is not None:
        return str(path.resolve())
    parsed = make_url(url)
    return f"{parsed.host} {parsed.port} {parsed.database} {schema} {sorted(parsed.query.items())}"


def check_documents(settings: Settings) -> None:
    """Raise Unavailable where the folder of documents is not there."""
    folder = documents_folder(settings)
    if folder is not None and not folder.is_dir():
        raise Unavailable(
            "source.documents",
            "the folder of documents is not there",
            "mount it or correct the path",
        )
