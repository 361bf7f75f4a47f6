"""The nightly run from start to end: plan, process, reconcile, judge, publish, verify, report."""

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from importlib.metadata import version
from itertools import combinations
from pathlib import Path

from sqlalchemy.engine import make_url

from models.tagger.shipped_model import digest, folder_of
from pipeline.config.energy import EnergyMeter
from pipeline.config.exit_codes import EXIT_DONE, EXIT_GATE, EXIT_QUARANTINE
from pipeline.config.peak_memory import measure_peak_kilobytes
from pipeline.config.progress import Progress
from pipeline.config.settings import OutputSettings, Settings, load
from pipeline.night.objections import check_objections, withdraw_objecting
from pipeline.night.output_versions import (
    RebaseHeld,
    check_origin,
    check_rebase,
    find_algorithm,
    find_rebased,
    make_source,
    restart_output,
)
from pipeline.night.publishing import is_output_complete, publish_run, withdraw_unknown
from pipeline.night.release_history import read_release_history
from pipeline.night.run_history import serialize_run
from pipeline.night.withdrawals import find_withdrawals, hold_withdrawals, judge_withdrawals
from pipeline.notes.detection import DETECTOR_VERSION
from pipeline.notes.worker_resources import (
    config_hash,
    documents_folder,
    open_master,
    resolve_urls,
    seal_state,
    with_id_bits,
)
from pipeline.quality.gate import COUNT_ONLY, Assessment, Gate, assess_run, load_assessment
from pipeline.quality.notifications import send_notifications
from pipeline.quality.page import make_label_panels
from pipeline.reports.run_report import RunBackground, write_report
from pipeline.state.audit_records import read_last_review
from pipeline.state.ledger import RunRecord, Scope, State, open_state
from pipeline.state.new_notes import find_new_units
from pipeline.state.quality_series import RunCounts
from pipeline.state.run_lock import RunLock, make_run_lock
from pipeline.state.run_summary import Outcome, RunSummary, Tally, merge_tallies
from pipeline.state.span_sealing import Seal, StateKeys
from pipeline.warehouse.databases import database_path, retrying
from pipeline.warehouse.export_source import FORMATS
from pipeline.warehouse.id_range import check_nightly_ids
from pipeline.warehouse.note_rows import Unit
from pipeline.warehouse.sql_output import Output
from pipeline.warehouse.warehouse import (
    JSONL,
    PARQUET,
    Source,
    open_output,
    open_source,
    reread_objections,
)
from record.algorithms import ALGORITHM
from record.errors import ConfigError, CryptonymError, Unavailable
from surrogates.keys.keys import CohortKey, MasterKey

_SHOWN = 20
"""Number of releases and decisions shown on the page of a run."""


class Incomplete(CryptonymError):
    """Notes are unaccounted for at the end of a run: nothing was released (exit code 1)."""


@dataclass(frozen=True)
class Job:
    """The units of one run, and what a job runner needs to process them.

    `scratch` is a folder for the workers' summaries; `lock_fd` is the descriptor of the run's
    lock, which child processes inherit so that the lock lasts as long as any of them; `watch`
    reports progress and is called regularly. `program` is the module that a worker process runs,
    and `stdin_line` a line that it reads from its standard input.
    """

    config: Path
    settings: Settings
    run_id: int
    workers: int
    scratch: Path
    lock_fd: int
    watch: Callable[[], None]
    program: str = "pipeline.beam.worker"
    stdin_line: str = field(default="", repr=False)


JobRunner = Callable[[Job], dict[str, int]]
"""Processes the pending units of a job; returns the peak memory of each worker in kilobytes."""


@dataclass(frozen=True)
class NightlyResult:
    """The result of a run: summary, path of the report, exit code.

    `assessment` is the verdict of the quality gate.
    """

    summary: RunSummary
    report: Path
    exit_code: int
    resumed: bool
    assessment: Assessment | None = None
    warnings: tuple[str, ...] = ()


@dataclass
class NightlyRun:
    """One run with its open databases; each method is one phase."""

    config: Path
    settings: Settings
    cohort: CohortKey
    seal: Seal
    source: Source
    state: State
    output: Output
    progress: Progress
    peaks: dict[str, int] = field(default_factory=dict)
    most_new: int | None = None
    gate: Gate = COUNT_ONLY
    objections: dict[str, int] | None = None
    rebased_from: CohortKey | None = None

    def claim(self) -> None:
        """Write the cohort and key id to the output; raises ConfigError if another key made it.

        Notes under another key have other ids: this run could neither replace nor withdraw them.
        An output under an earlier version of the surrogate algorithm stays as it is until all notes
        are staged under the new one.
        """
        self.rebased_from = find_rebased(self.output, self.cohort)
        if self.rebased_from is None:
            check_origin(self.output, self.cohort)
            self.output.describe(make_source(self.settings, self.cohort))

    def secure(self, master: MasterKey) -> None:
        """Seal what earlier versions stored, and check that nobody else has changed the rows."""
        self.progress.phase("checking")
        seal_state(self.settings, master, self.state)
        # Small batches between two nights do not read all rows.
        if self.most_new is None:
            self.state.check_rows()
        config, before = config_hash(self.settings, self.cohort), self.rebased_from
        accepted = [config_hash(self.settings, before)] if before is not None else []
        self.state.accept_config(config, accepted)

    def plan(self) -> RunRecord:
        """Begin a run, or resume the interrupted one, and plan its units of work."""
        scope: Scope = "all" if self.most_new is None else "new"
        config = config_hash(self.settings, self.cohort)
        run = self.state.begin(config, scope=scope, algorithm=self.cohort.algorithm)
        if run.phase == "planning":
            self.progress.phase("planning")
            # Retried as a whole: the plan is one transaction, open while the source is read.
            retrying(lambda: self.state.plan(run.run_id, self._units(run)))()
        return run

    def _units(self, run: RunRecord) -> Iterator[tuple[Unit, list[int]]]:
        size = self.settings.limits.notes_per_unit
        if self.state.scope(run.run_id) == "all":
            return self.source.plan(size)
        return find_new_units(self.source, self.state, self.most_new or size)

    def work(self, run: RunRecord, run_job: JobRunner, workers: int, lock_fd: int) -> None:
        """Process the units that are not done."""
        self.progress.phase("working")

        def watch() -> None:
            self.progress.advance(*self.state.progress(run.run_id))

        scratch = self.settings.base / ".cryptonym" / f"run-{run.run_id}"
        job = Job(self.config, self.settings, run.run_id, workers, scratch, lock_fd, watch)
        self.peaks = run_job(job)
        watch()

    def reconcile(self, run: RunRecord) -> None:
        """Account for every planned note by id; raises Incomplete when one is missing."""
        self.progress.phase("reconciling")
        # Workers may have read a later list than the plan.
        self.source = reread_objections(
            self.source, resolve_urls(self.settings).source, self.settings.base
        )
        result = self.state.reconcile(run.run_id, self.source)
        if not result.ok:
            raise Incomplete(
                f"{result.missing} of {result.planned} planned notes are unaccounted for at the "
                f"end of run {run.run_id} (first ids: "
                f"{', '.join(map(str, result.missing_ids)) or 'none'}); {result.inconsistent} "
                "notes do not match the ledger; nothing was released. Remedy: run again, these "
                "notes are then processed anew; if it happens again, report a bug"
            )

    def withdraw_objecting(self) -> None:
        """Withdraw the notes of persons who object, and count them; never held."""
        if self.settings.source.objections is None:
            return
        withdrawn = withdraw_objecting(self.source, self.state, self.output, self.cohort)
        self.objections = {
            "persons": len(self.source.objecting),
            "notes": len(self.source.hidden_notes),
            "withdrawn": withdrawn,
        }

    def count(self, run: RunRecord) -> Tally:
        """Return the sum of the tallies of the run's units."""
        return merge_tallies(
            Tally.from_json(json.loads(text)) for text in self.state.read_tallies(run.run_id)
        )

    def judge(self, run: RunRecord, tally: Tally) -> Assessment:
        """Compare the counts of the run with those of earlier nights; hold it if they drifted."""
        self.progress.phase("judging")
        quality = self.settings.quality
        config = config_hash(self.settings, self.cohort).hex()[:16]
        counted = RunCounts(run.run_id, self.gate.night_of(run), config, tally.cells)
        if run.phase == "publishing":
            return load_assessment(self.state.quality, counted, quality, self.gate)
        folder = self.settings.model.folder
        model = f" {digest(folder_of(folder, self.settings.base))[:12]}" if folder else ""
        found = f"{DETECTOR_VERSION}{model}"
        withdrawals = find_withdrawals(run.run_id, self.state)
        excesses = judge_withdrawals(
            withdrawals, self.state, self.output, cohort=self.cohort, settings=quality
        )
        gate = replace(self.gate, excesses=excesses)
        assessment = assess_run(self.state.quality, counted, found, quality, gate)
        if excesses:
            hold_withdrawals(run.run_id, withdrawals, self.state)
        return assessment

    def publish(self, run: RunRecord) -> int:
        """Publish staged notes, withdraw others; return how many were deleted at the source."""
        self.progress.phase("publishing")
        self.state.set_phase(run.run_id, "publishing")
        if self.rebased_from is not None:
            restart_output(self.state, self.output, make_source(self.settings, self.cohort))
            self.rebased_from = None
        deleted = publish_run(run.run_id, self.state, self.output, self.cohort, self.seal)
        self.progress.phase("reading back")
        where = (self.state, self.output, self.cohort)
        if not is_output_complete(*where) and not (
            withdraw_unknown(*where) and is_output_complete(*where)
        ):
            raise Incomplete(
                f"output and ledger do not match after run {run.run_id}: the set of released "
                "notes differs. Remedy: run again; if the error persists, restore the output from "
                "a backup, or delete it together with the state database and run again"
            )
        return deleted

    def summary(
        self, run: RunRecord, tally: Tally, deleted: int, workers: int, meter: EnergyMeter
    ) -> RunSummary:
        """Return the summary of the run; adds deleted, malformed and planned notes to `tally`."""
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
            policy_id=self.settings.make_policy().under(self.cohort.algorithm).policy_id,
            algorithm=self.cohort.algorithm,
            code_version=version("cryptonym"),
            detector_version=DETECTOR_VERSION,
            started=run.started,
            ended=datetime.now(UTC),
            workers=workers,
            tally=tally,
            max_quarantine_share=self.settings.limits.max_quarantine_share,
            review=read_last_review(resolve_urls(self.settings).state, self.settings.base),
            objections=self.objections,
            energy=meter.read(
                self.settings.energy, sum(self.peaks.values()) or measure_peak_kilobytes()
            ),
        )


def run_nightly(
    config: Path,
    run_job: JobRunner,
    *,
    workers: int = 1,
    progress: Progress | None = None,
    most_new: int | None = None,
    gate: Gate = COUNT_ONLY,
    accept_fewer_objections: bool = False,
    rebase: bool = False,
) -> NightlyResult:
    """Process the notes that are new or changed since the last run, and release them.

    With `most_new`, only about that many new notes are processed; changed and deleted ones wait
    for a run without it. If the gate holds the run, nothing new is published and the exit code
    is 1. With `rebase`, an output made under an earlier version of the surrogate algorithm is
    published whole under the newest one, from the stored spans; if that is interrupted, the next
    run completes it.

    Raises ConfigError, Unavailable, ObjectionsLost where many fewer persons object than in the
    last run, unless that is accepted, or Incomplete when notes are unaccounted for, in which case
    nothing is released. Quarantine above the configured share gives exit code 3.
    """
    settings = load(config)
    if workers < 1:
        raise ConfigError("--workers", "must be at least 1", "give a number of processes")
    master = open_master(settings)
    keys = StateKeys(master)
    check_documents_folder(settings)
    check_distinct_places(resolve_urls(settings))
    with ExitStack() as stack:
        lock = stack.enter_context(make_run_lock(resolve_urls(settings).state.url, settings.base))
        source = open_source(resolve_urls(settings).source, settings.base)
        stack.callback(source.close)
        state = open_state(resolve_urls(settings).state, settings.base, keys)
        stack.callback(state.close)
        output = open_output(resolve_urls(settings).output, settings.base)
        stack.callback(output.close)
        if rebase:
            check_rebase(state, most_new)
        algorithm = ALGORITHM if rebase else find_algorithm(master, settings, state, output)
        cohort = master.cohort(settings.cohort, algorithm=algorithm)
        cohort = with_id_bits(cohort, settings.make_policy())
        night = NightlyRun(
            config, settings, cohort, keys.seal, source, state, output, progress or Progress()
        )
        night.most_new, night.gate = most_new, gate
        night.output.check_writable()
        if not accept_fewer_objections:
            check_objections(source, state, settings.quality)
        check_nightly_ids(source, cohort)
        night.claim()
        night.secure(master)
        ended = _execute(night, run_job, workers, lock)
        master.adopt(settings.cohort, cohort.algorithm)
        if not ended.resumed:
            return ended
        # The plan of an interrupted run does not include notes that arrived since.
        second = _execute(night, run_job, workers, lock, quiet=True)
        if not _has_changes(second):
            return ended
        return replace(second, exit_code=EXIT_GATE) if ended.exit_code == EXIT_GATE else second


def _execute(
    night: NightlyRun, run_job: JobRunner, workers: int, lock: RunLock, *, quiet: bool = False
) -> NightlyResult:
    """Execute all phases of one run; a quiet one reports only if it changed anything."""
    meter = EnergyMeter()
    run = night.plan()
    if run.phase != "publishing":
        night.work(run, run_job, workers, lock.fileno())
        lock.keep()
        night.reconcile(run)
    lock.keep()
    night.withdraw_objecting()
    tally = night.count(run)
    assessment = night.judge(run, tally)
    if night.rebased_from is not None and assessment.is_held:
        raise RebaseHeld(
            f"the quality gate holds the rebase: {'; '.join(assessment.reasons)}. The output is "
            "as it was. Remedy: restore what is missing at the source, or correct the limits "
            "under [quality], and run again"
        )
    deleted = night.publish(run)
    summary, code = _conclude(
        night.summary(run, tally, deleted, workers, meter),
        assessment,
        night.state.withdrawals.count_waiting(),
    )
    folder = night.settings.base / night.settings.report.folder
    ended = NightlyResult(summary, folder / "report.html", code, run.resumed, assessment)
    if not quiet or _has_changes(ended):
        past = read_release_history(night.settings)
        beside = RunBackground(make_label_panels(assessment), past.latest(_SHOWN))
        write_report(summary, folder, beside, mode=night.settings.report.file_mode)
        warnings = send_notifications(night.state.quality, assessment, night.settings)
        ended = replace(ended, warnings=warnings)
    night.state.finish(
        run.run_id, json.dumps(summary.tally.to_json()), serialize_run(summary, code)
    )
    return ended


def _conclude(
    summary: RunSummary, assessment: Assessment, waiting: Mapping[int, int]
) -> tuple[RunSummary, int]:
    """Return the summary with what holds the run, and the exit code.

    `waiting` counts held withdrawals by run: as long as earlier runs hold any, no run ends well.
    """
    earlier = sum(n for run_id, n in waiting.items() if run_id != assessment.run.run_id)
    held = assessment.reasons if assessment.is_held else ()
    code = EXIT_DONE if summary.within_limit else EXIT_QUARANTINE
    return replace(summary, held=held, waiting=earlier), EXIT_GATE if held or earlier else code


def _has_changes(ended: NightlyResult) -> bool:
    outcomes = ended.summary.tally.outcomes
    done = (Outcome.RELEASED, Outcome.QUARANTINED, Outcome.DELETED)
    is_asked = bool((ended.summary.objections or {}).get("withdrawn"))
    return bool(ended.summary.held) or is_asked or any(outcomes[each.value] for each in done)


def check_distinct_places(
    settings: Settings, release: tuple[OutputSettings, Path] | None = None
) -> None:
    """Raise ConfigError if source, state and outputs are not all different places.

    `release` is a further output, with the folder that its path is relative to. URLs must be
    resolved, not `env:NAME`.
    """
    urls = {
        "source.url": (settings.source.url, settings.source.schema, settings.base),
        "output.url": (settings.output.url, settings.output.schema, settings.base),
        "state.url": (settings.state.url, None, settings.base),
    }
    if release is not None:
        urls["--output"] = (release[0].url, release[0].schema, release[1])
    places = {name: resolve_place(name, *where) for name, where in urls.items()}
    for first, second in combinations(places, 2):
        if places[first] == places[second]:
            raise ConfigError(
                second,
                f"must not be the same database or folder as {first}",
                "use a separate database or schema for each",
            )


def resolve_place(name: str, url: str, schema: str | None, base: Path) -> str:
    """Return a canonical name of the place that a URL refers to."""
    for form in (PARQUET, JSONL, *FORMATS):
        if url.startswith(form):
            return str((base / url.removeprefix(form)).resolve())
    path = database_path(url, base, what=name)
    if path is not None:
        return str(path.resolve())
    parsed = make_url(url)
    return f"{parsed.host} {parsed.port} {parsed.database} {schema} {sorted(parsed.query.items())}"


def check_documents_folder(settings: Settings) -> None:
    """Raise Unavailable when the folder of documents does not exist."""
    folder = documents_folder(settings)
    if folder is not None and not folder.is_dir():
        raise Unavailable(
            "source.documents",
            "not a directory",
            "mount the folder or correct the path",
        )
