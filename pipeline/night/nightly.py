"""The nightly run from start to end: plan, process, reconcile, judge, publish, verify, report."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from functools import partial
from importlib.metadata import version
from itertools import combinations
from pathlib import Path
from typing import Any

from sqlalchemy.engine import make_url

from pipeline.config.energy import EnergyMeter
from pipeline.config.exit_codes import EXIT_DONE, EXIT_GATE, EXIT_QUARANTINE
from pipeline.config.peak_memory import measure_peak_kilobytes
from pipeline.config.progress import Progress
from pipeline.config.settings import OutputSettings, Settings, load
from pipeline.night.backfill import BackfillPlan, BackfillProgress, plan_backfill
from pipeline.night.objections import check_objections, withdraw_objecting
from pipeline.night.output_versions import (
    RebaseHeld,
    check_origin,
    check_rebase,
    find_algorithm,
    find_rebased,
    make_source,
    read_written_tables,
    restart_output,
)
from pipeline.night.publishing import fence, is_output_complete, publish_run, withdraw_unknown
from pipeline.night.release_history import read_release_history
from pipeline.night.run_history import read_finished_runs, serialize_run, to_compared
from pipeline.night.structured_tables import StructuredTables, list_nightly_tables
from pipeline.night.withdrawals import find_withdrawals, hold_withdrawals, judge_withdrawals
from pipeline.notes.detection import DETECTOR_VERSION
from pipeline.notes.worker_admission import make_proof
from pipeline.notes.worker_resources import (
    config_hash,
    describe_detection,
    describe_detectors,
    documents_folder,
    find_stale,
    open_master,
    resolve_urls,
    seal_state,
    with_id_bits,
)
from pipeline.quality.conformance import check_conformance
from pipeline.quality.gate import (
    BACKFILL,
    COUNT_ONLY,
    Assessment,
    Gate,
    assess_backfill,
    assess_run,
    load_assessment,
)
from pipeline.quality.notifications import send_notifications
from pipeline.quality.page import make_label_panels
from pipeline.quality.reevaluation import reevaluate
from pipeline.reports.run_report import RunBackground, write_report
from pipeline.state.audit_records import read_audit_series
from pipeline.state.detection_register import WorkerRefusal
from pipeline.state.ledger import RunRecord, Scope, State, open_state
from pipeline.state.new_notes import find_new_units
from pipeline.state.quality_counts import sum_detected
from pipeline.state.quality_series import RunCounts
from pipeline.state.run_lock import RunLock, make_run_lock
from pipeline.state.run_summary import Outcome, RunSummary, Tally, merge_tallies
from pipeline.state.span_sealing import Seal, StateKeys
from pipeline.warehouse.databases import connect, database_path, retrying
from pipeline.warehouse.export_source import FORMATS
from pipeline.warehouse.findings import NOTE_NLP
from pipeline.warehouse.id_range import check_finding_ids, check_nightly_ids, check_table_ids
from pipeline.warehouse.note_rows import Unit
from pipeline.warehouse.sql_output import CdmSource, Output
from pipeline.warehouse.vocabulary import copy_vocabulary
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
_EARLIER_RUNS = 13
"""Number of releases and decisions shown on the page of a run."""


class Incomplete(CryptonymError):
    """Notes are unaccounted for at the end of a run: nothing was released (exit code 1)."""


@dataclass(frozen=True)
class Job:
    """The units of one run, and what a job runner needs to process them.

    `scratch` is a folder for the workers' summaries; `lock_fd` is the descriptor of the run's
    lock, which child processes inherit so that the lock lasts as long as any of them; `watch`
    reports progress and is called regularly. `program` is the module that a worker process runs,
    and `stdin_line` a line that it reads from its standard input. `take_from` takes the units of a
    worker that died, by its name, counts them as failed or not, and returns how many it had.
    `is_finished` returns whether all units are done. `arguments` are those of Beam for each worker.
    `refuse` stores why a worker, by its name, was refused that could not do so itself.
    `task` is what a task of Spark does, given the name of its worker, instead of the nightly
    stages: it is sent, so it holds no secret. `title` names the job on the pages of a cluster.
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
    is_finished: Callable[[], bool] = lambda: False
    arguments: Sequence[Sequence[str]] = ()
    take_from: Callable[[str, bool], int] = lambda worker, as_failed: 0
    refuse: Callable[[str, WorkerRefusal], None] = lambda worker, refusal: None
    task: Callable[[str], None] | None = None
    title: str = ""


JobRunner = Callable[[Job], dict[str, int]]
"""Processes the pending units of a job; returns the peak memory of each worker in kilobytes."""


@dataclass(frozen=True)
class NightlyResult:
    """The result of a run: summary, path of the report, exit code.

    `assessment` is the verdict of the quality gate, `backfill` the result of the backfill that
    followed, None if there was nothing to detect again.
    """

    summary: RunSummary
    report: Path
    exit_code: int
    resumed: bool
    assessment: Assessment | None = None
    warnings: tuple[str, ...] = ()
    backfill: "NightlyResult | None" = None


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
    written_tables: tuple[str, ...] = ()
    left_out: dict[str, dict[str, int]] = field(default_factory=dict)
    backfill: BackfillPlan | None = None
    minutes: float = 0.0
    refused: dict[str, WorkerRefusal] = field(default_factory=dict)

    @property
    def scope(self) -> Scope:
        """Which notes the run processes."""
        if self.backfill is not None:
            return "backfill"
        return "all" if self.most_new is None else "new"

    def claim(self) -> None:
        """Write the cohort and key id to the output; raises ConfigError if another key made it.

        Notes under another key have other ids: this run could neither replace nor withdraw them.
        An output under an earlier version of the surrogate algorithm stays as it is until all notes
        are staged under the new one.
        """
        self.rebased_from = find_rebased(self.output, self.cohort)
        if self.rebased_from is None:
            check_origin(self.output, self.cohort)
            self.output.describe(self._describe())

    def _describe(self) -> CdmSource:
        today = datetime.now(UTC).date()
        return make_source(self.settings, self.cohort, self.source, today, self.written_tables)

    def secure(self, master: MasterKey) -> None:
        """Seal what earlier versions stored, and check that nobody else has changed the rows."""
        self.progress.phase("checking")
        seal_state(self.settings, master, self.state)
        # Small batches between two nights do not read all rows.
        if self.most_new is None:
            self.state.check_rows()
        config, before = config_hash(self.settings, self.cohort), self.rebased_from
        accepted = [config_hash(self.settings, before)] if before is not None else []
        detectors = describe_detectors(self.settings, self.cohort)
        self.state.detections.register(config, accepted, detectors)

    def find_stale(self) -> list[bytes]:
        """Return the configurations with other detectors whose notes wait for a backfill."""
        config = config_hash(self.settings, self.cohort)
        earlier = self.state.detections.read_earlier(config)
        stale = find_stale(earlier, describe_detectors(self.settings, self.cohort))
        return self.state.detections.forget_unused(sorted(stale))

    def plan(self) -> RunRecord:
        """Begin a run, or resume the interrupted one, and plan its units of work."""
        config = config_hash(self.settings, self.cohort)
        changes = self.settings.source.changes
        since = None
        if changes is not None and self.scope == "all":
            since = self.state.find_since(changes.full_every)
        run = self.state.begin(
            config, scope=self.scope, algorithm=self.cohort.algorithm, since=since
        )
        if run.phase == "planning":
            self.progress.phase("planning")
            # Retried as a whole: the plan is one transaction, open while the source is read.
            retrying(lambda: self.state.plan(run.run_id, self._units(run)))()
        return run

    def _units(self, run: RunRecord) -> Iterator[tuple[Unit, list[int]]]:
        size = self.settings.limits.notes_per_unit
        if self.backfill is not None:
            return self.backfill.planned()
        if self.state.scope(run.run_id) == "all":
            return self.source.plan(size)
        return find_new_units(self.source, self.state, self.most_new or size)

    def work(self, run: RunRecord, run_job: JobRunner, workers: int, lock_fd: int) -> None:
        """Process the units that are not done; those of a backfill for as long as it has time."""
        self.progress.phase("working" if self.backfill is None else "backfilling")

        def watch() -> None:
            self.progress.advance(*self.state.progress(run.run_id))

        scratch = self.settings.base / ".cryptonym" / f"run-{run.run_id}"
        leases = self.state.leases
        job = Job(
            config=self.config,
            settings=self.settings,
            run_id=run.run_id,
            workers=workers,
            scratch=scratch,
            lock_fd=lock_fd,
            watch=watch,
            is_finished=lambda: leases.is_finished(run.run_id),
            take_from=lambda worker, as_failed: leases.take_from(
                run.run_id, worker, as_failed=as_failed
            ),
            refuse=partial(self.state.workers.refuse, run.run_id),
        )
        # Who holds a unit now is dead, or cut off: a note may have ended the whole run.
        leases.revoke(run.run_id, as_failed=True)
        self.state.workers.demand(run.run_id, make_proof(self.settings, self.cohort))
        try:
            if self.backfill is None:
                self.peaks = run_job(job)
            else:
                self.peaks = self._work_off(self.backfill, job, run_job)
        except BaseException:
            with suppress(CryptonymError):
                leases.revoke(run.run_id, as_failed=False)
                self.state.retry_condemned(run.run_id)
            raise
        watch()
        self.refused = self.state.workers.read_refused(run.run_id)
        if self.refused and not job.is_finished():
            worker, refusal = min(self.refused.items())
            problem = f"{refusal.problem}; {worker} was refused, and no other could end the run"
            raise ConfigError(refusal.key, problem, f"{refusal.remedy}, then run again")

    def _work_off(self, plan: BackfillPlan, job: Job, run_job: JobRunner) -> dict[str, int]:
        """Process a backfill, a cohort after another; what is not done leaves the plan."""
        peaks: dict[str, int] = {}
        ends = datetime.now(UTC) + timedelta(minutes=self.minutes)
        for _, first, before in plan.parts():
            if first < before and datetime.now(UTC) < ends:
                # A runner may process units in any order: the next cohort waits for the job's end.
                self.state.limit_backfill(job.run_id, ends, before)
                peaks |= run_job(job)
        self.state.drop_pending(job.run_id)
        return peaks

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
        withdrawals = find_withdrawals(run.run_id, self.state)
        excesses = judge_withdrawals(
            withdrawals, self.state, self.output, cohort=self.cohort, settings=quality
        )
        gate = replace(self.gate, excesses=excesses)
        if self.backfill is None:
            found = describe_detectors(self.settings, self.cohort).label
            counted = replace(counted, version=found)
            assessment = assess_run(self.state.quality, counted, quality, gate)
        else:
            # Notes of any day and kind, in the order of their cohorts: no night is like this.
            counted = replace(counted, version=BACKFILL, cells={})
            assessment = assess_backfill(self.state.quality, counted, quality, gate)
        if excesses:
            hold_withdrawals(run.run_id, withdrawals, self.state)
        return assessment

    def publish(self, run: RunRecord) -> int:
        """Publish staged notes, withdraw others; return how many were deleted at the source."""
        self.progress.phase("publishing")
        self.state.set_phase(run.run_id, "publishing")
        if self.rebased_from is not None:
            restart_output(self.state, self.output, self._describe())
            self.rebased_from = None
        policy = self.settings.make_policy().under(self.cohort.algorithm)
        names = list_nightly_tables(self.settings.output.tables, self.source, policy)
        # Rows of notes are written with them.
        written_with_notes = {NOTE_NLP} & set(self.settings.output.tables)
        earlier = frozenset(self.written_tables) - written_with_notes
        tables = StructuredTables(self.source, self.output, self.cohort, policy, names, earlier)
        deleted = publish_run(run.run_id, self.state, tables, self.cohort, self.seal)
        self.left_out = {name: dict(found) for name, found in tables.refused_facts.items()}
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

    def check_foreign_tables(self) -> None:
        """Raise ConfigError if a table that is to be written has rows that no run has written."""
        listed, earlier = set(self.settings.output.tables), read_written_tables(self.output)
        self.written_tables = tuple(sorted(listed | earlier))
        if foreign := sorted(self.output.filled_tables() & listed - earlier):
            problem = f"the output has rows of {', '.join(foreign)} that this program did not write"
            remedy = "move them to another place, or leave these tables out of output.tables"
            raise ConfigError("output.tables", problem, remedy)

    def check_tables(self, run: RunRecord) -> dict[str, Any] | None:
        """Return the checks of the output's tables, and the rows of tables of facts left out.

        None after a run of new notes alone.
        """
        if self.state.scope(run.run_id) != "all":
            return None
        self.progress.phase("checking tables")
        output = resolve_urls(self.settings).output
        # A server that is restarted meanwhile costs a further look.
        check = retrying(check_conformance)
        found = check(output, self.settings.base, self.source).to_json()
        return found | {"left_out": self.left_out}

    def summary(
        self, run: RunRecord, tally: Tally, deleted: int, workers: int, meter: EnergyMeter
    ) -> RunSummary:
        """Return the summary of the run; adds deleted, malformed and planned notes to `tally`."""
        # The gate's counts have a table of their own; the report shows what each detector found.
        tally.cells = sum_detected(tally.cells)
        tally.add(Outcome.DELETED, deleted)
        malformed = self.source.malformed() if self.state.scope(run.run_id) == "all" else []
        for failure in malformed:
            tally.add_failure(failure)
        tally.add(Outcome.PLANNED, self.state.progress(run.run_id)[1] + len(malformed))
        for worker, kilobytes in self.peaks.items():
            tally.add_memory(worker, kilobytes)
        ended = datetime.now(UTC)
        audits = read_audit_series(resolve_urls(self.settings).state, self.settings.base)
        return RunSummary(
            run_id=str(run.run_id),
            cohort=self.settings.cohort,
            key_id=self.cohort.key_id,
            policy_id=self.settings.make_policy().under(self.cohort.algorithm).policy_id,
            algorithm=self.cohort.algorithm,
            code_version=version("cryptonym"),
            detector_version=DETECTOR_VERSION,
            detection=describe_detection(self.settings, []),
            started=run.started,
            ended=ended,
            workers=workers,
            tally=tally,
            max_quarantine_share=self.settings.limits.max_quarantine_share,
            review=audits.summarize_last(),
            reevaluation=reevaluate(audits, self.settings.quality, ended.date()),
            objections=self.objections,
            tables=self.check_tables(run),
            energy=meter.read(
                self.settings.energy, sum(self.peaks.values()) or measure_peak_kilobytes()
            ),
            backfill=self._progress_of_backfill(run),
        )

    def _progress_of_backfill(self, run: RunRecord) -> dict[str, Any] | None:
        """Return what a backfill has done and left, as JSON; None for other runs."""
        plan = self.backfill
        if plan is None:
            return None
        parts = {name: (first, before) for name, first, before in plan.parts()}
        done = {name: self.state.count_done(run.run_id, *units) for name, units in parts.items()}
        left = {name: plan.count(*units) - done[name] for name, units in parts.items()}
        seconds = (datetime.now(UTC) - run.started).total_seconds()
        minutes = self.settings.backfill.minutes
        return BackfillProgress(minutes, seconds, done, left).to_json()


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
    backfills: bool = True,
) -> NightlyResult:
    """Process the notes that are new or changed since the last run, and release them.

    With `most_new`, only about that many new notes are processed; changed and deleted ones wait
    for a run without it. If the gate holds the run, nothing new is published and the exit code
    is 1. With `rebase`, an output made under an earlier version of the surrogate algorithm is
    published whole under the newest one, from the stored spans; if that is interrupted, the next
    run completes it. Afterwards notes that earlier detectors read are detected again, for the time
    that is configured, unless the run is held or `backfills` is off.

    Raises ConfigError, Unavailable, ObjectionsLost where many fewer persons object than in the
    last run, unless that is accepted, or Incomplete when notes are unaccounted for, in which case
    nothing is released. Quarantine above the configured share gives exit code 3.
    """
    settings = load(config)
    if workers < 1:
        raise ConfigError("--workers", "must be at least 1", "give a number of processes")
    with ExitStack() as stack:
        night, master, lock = _open_night(
            config, settings, stack, progress=progress, is_rebase=rebase, most_new=most_new
        )
        night.most_new, night.gate = most_new, gate
        night.output.check_writable()
        if not accept_fewer_objections:
            check_objections(night.source, night.state, settings.quality)
        check_nightly_ids(night.source, night.cohort)
        listed = set(settings.output.tables)
        if NOTE_NLP in listed:
            check_finding_ids(night.cohort)
        # The source's own rows of that table are not read.
        check_table_ids(night.source, night.cohort, sorted(listed - {NOTE_NLP}))
        night.check_foreign_tables()
        night.claim()
        if settings.output.vocabulary and most_new is None:
            night.progress.phase("copying vocabulary")
            _copy_vocabulary(resolve_urls(settings))
        night.secure(master)
        ended = _execute(night, run_job, workers, lock)
        master.adopt(settings.cohort, night.cohort.algorithm)
        if ended.resumed:
            # The plan of an interrupted run does not include notes that arrived since.
            second = _execute(night, run_job, workers, lock, quiet=True)
            if _has_changes(second):
                is_held = ended.exit_code == EXIT_GATE
                ended = replace(second, exit_code=EXIT_GATE) if is_held else second
        if most_new is not None or not backfills:
            return ended
        minutes = 0.0 if ended.summary.held else settings.backfill.minutes
        redone = _execute_backfill(night, run_job, workers, lock, minutes=minutes)
        return ended if redone is None else _report_backfill(night, ended, redone)


def _copy_vocabulary(settings: Settings) -> None:
    """Copy the vocabulary tables; raises ConfigError unless source and output are databases."""
    source, output = settings.source, settings.output
    if any(place.url.startswith((PARQUET, *FORMATS)) for place in (source, output)):
        problem = "vocabulary tables are copied from a database to a database only"
        raise ConfigError("output.vocabulary", problem, "remove the setting")
    base = settings.base
    read = connect(source.url, base, what="source.url", schema=source.schema)
    with ExitStack() as stack:
        stack.callback(read.dispose)
        written = connect(output.url, base, what="output.url", use="output", schema=output.schema)
        stack.callback(written.dispose)
        copy_vocabulary((read, source.schema), (written, output.schema))


def run_backfill(
    config: Path,
    run_job: JobRunner,
    *,
    minutes: float,
    workers: int = 1,
    progress: Progress | None = None,
) -> NightlyResult | None:
    """Detect notes again that earlier detectors read, for some time; None if there are none.

    Between two nights, for continuous operation. Raises as `run_nightly` does.
    """
    settings = load(config)
    with ExitStack() as stack:
        night, master, lock = _open_night(config, settings, stack, progress=progress)
        night.output.check_writable()
        check_objections(night.source, night.state, settings.quality)
        night.check_foreign_tables()
        night.claim()
        night.most_new = 0  # secure() then checks no rows, as between two nights
        night.secure(master)
        return _execute_backfill(night, run_job, workers, lock, minutes=minutes)


def _open_night(
    config: Path,
    settings: Settings,
    stack: ExitStack,
    *,
    progress: Progress | None,
    is_rebase: bool = False,
    most_new: int | None = None,
) -> tuple[NightlyRun, MasterKey, RunLock]:
    """Open everything under the run lock, until the stack closes it."""
    master = open_master(settings)
    keys = StateKeys(master)
    check_documents_folder(settings)
    resolved = resolve_urls(settings)
    check_distinct_places(resolved)
    lock = stack.enter_context(make_run_lock(resolved.state.url, settings.base))
    source = open_source(resolved.source, settings.base)
    stack.callback(source.close)
    state = open_state(resolved.state, settings.base, keys)
    stack.callback(state.close)
    output = fence(open_output(resolved.output, settings.base), lock.keep)
    stack.callback(output.close)
    if is_rebase:
        check_rebase(state, most_new)
    algorithm = ALGORITHM if is_rebase else find_algorithm(master, settings, state, output)
    cohort = master.cohort(settings.cohort, algorithm=algorithm)
    cohort = with_id_bits(cohort, settings.make_policy())
    shown = progress or Progress()
    night = NightlyRun(config, settings, cohort, keys.seal, source, state, output, shown)
    return night, master, lock


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
        if night.backfill is None:
            _write_report(night, ended)
        warnings: list[str] = []
        describe_detection(night.settings, warnings)
        warnings += [
            f"worker {holder} was refused: {refusal}"
            for holder, refusal in sorted(night.refused.items())
        ]
        warnings += send_notifications(night.state.quality, assessment, night.settings)
        ended = replace(ended, warnings=tuple(warnings))
    night.state.finish(
        run.run_id,
        json.dumps(summary.tally.to_json()),
        serialize_run(summary, code),
    )
    return ended


def _write_report(night: NightlyRun, ended: NightlyResult) -> None:
    past = read_release_history(night.settings)
    panels = make_label_panels(ended.assessment) if ended.assessment else ()
    state = resolve_urls(night.settings).state
    earlier = read_finished_runs(state, night.settings.base, night.scope, limit=_EARLIER_RUNS)
    beside = RunBackground(panels, past.latest(_SHOWN), list(map(to_compared, earlier)))
    mode = night.settings.report.file_mode
    write_report(ended.summary, ended.report.parent, beside, mode=mode)


def _execute_backfill(
    night: NightlyRun, run_job: JobRunner, workers: int, lock: RunLock, *, minutes: float
) -> NightlyResult | None:
    """Detect notes again that earlier detectors read; None if there are none.

    The time is that of the work, without planning; units that are begun are completed, so that it
    may take longer by one of them.
    """
    stale = night.find_stale()
    if not stale:
        return None
    night.progress.phase("planning")
    plan = plan_backfill(night.source, night.state, night.settings, stale)
    if not plan.units:
        return None
    redone = replace(night, backfill=plan, minutes=minutes, peaks={})
    return _execute(redone, run_job, workers, lock)


def _report_backfill(
    night: NightlyRun, ended: NightlyResult, redone: NightlyResult
) -> NightlyResult:
    """Add a backfill to the result of the run before it, and to its report."""
    waiting = sum(night.state.withdrawals.count_waiting().values())
    waiting = 0 if ended.summary.held else waiting
    summary = replace(ended.summary, backfill=redone.summary.backfill, waiting=waiting)
    code = ended.exit_code or redone.exit_code
    ended = replace(ended, summary=summary, exit_code=code, backfill=redone)
    _write_report(night, ended)
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
