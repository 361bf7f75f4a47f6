"""Continuous operation (`cryptonym watch`): small complete runs in a loop until stopped."""

import logging
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event

import tenacity

from pipeline.config.progress import Progress
from pipeline.config.settings import Settings, load
from pipeline.night.engine import process_units
from pipeline.night.event_log import EventLog
from pipeline.night.nightly import Job, JobRunner, NightlyResult, run_backfill, run_nightly
from pipeline.notes.worker_resources import WorkerResources, open_resources, resolve_urls
from pipeline.quality.gate import COUNT_ONLY, Gate
from pipeline.state.ledger import open_state
from pipeline.state.new_notes import has_new_notes
from pipeline.state.run_lock import Held
from pipeline.state.run_summary import Outcome
from pipeline.warehouse.warehouse import open_source, reread_objections
from record.errors import Unavailable

_LONGEST_PAUSE = 60.0


@dataclass(frozen=True)
class WatchOptions:
    """Options of continuous operation; times are in seconds.

    The source is polled for new notes every `interval`. A batch has at most about `max_notes`
    notes, so that a note that arrives waits for no more than a batch. A full run looks for changed
    and deleted notes every `sweep`. `patience` is how long an unavailable service is retried.

    Notes that earlier detectors read are detected again while nothing is new, for an `interval` at
    a time, until the minutes of a night are used up since the last full run.
    """

    config: Path
    interval: float = 60.0
    max_notes: int = 500
    sweep: float = 86_400.0
    patience: float = 3_600.0
    workers: int = 1


class InProcessRunner:
    """Runs jobs in this process with resources that stay open from one batch to the next.

    A model is loaded once. Resources are reopened when the configuration has changed, or after a
    batch that failed.
    """

    def __init__(self) -> None:
        self._resources: WorkerResources | None = None

    def __call__(self, job: Job) -> dict[str, int]:
        """Run a job."""
        resources = self._resources
        if resources is None or not self._are_of(resources, job):
            self.close()
            resources = self._resources = open_resources(job.settings)
        try:
            self._reread_objections(resources)
            process_units(job, resources)
        except BaseException:
            self.close()
            raise
        return {}

    @staticmethod
    def _are_of(resources: WorkerResources, job: Job) -> bool:
        # Files that the settings name, a model or rules, may have other contents now.
        config = resources.state.read_config(job.run_id)
        return resources.settings == job.settings and resources.config == config

    @staticmethod
    def _reread_objections(resources: WorkerResources) -> None:
        settings = resources.settings
        place = resolve_urls(settings).source
        resources.source = reread_objections(resources.source, place, settings.base)

    def close(self) -> None:
        """Close the resources."""
        resources, self._resources = self._resources, None
        if resources is not None:
            resources.close()


@dataclass
class Watcher:
    """Polls for work and runs it in batches, one at a time, until `stop` is set.

    `on_result` is called with the result of each batch; `clock` is monotonic, in seconds.
    """

    options: WatchOptions
    run_job: JobRunner
    stop: Event
    event_log: EventLog
    on_result: Callable[[NightlyResult], None] = lambda result: None
    progress: Progress = field(default_factory=Progress)
    gate: Gate = COUNT_ONLY
    clock: Callable[[], float] = time.monotonic
    _swept: float | None = None
    _seconds_to_backfill: float = 0.0
    _is_unfinished: bool = False

    def run(self) -> None:
        """Poll until `stop` is set; the current batch is completed first.

        Raises Unavailable when a service is unavailable for longer than `patience`, ConfigError,
        and Incomplete: errors that a further attempt does not resolve.
        """
        while not self.stop.is_set():
            try:
                has_worked = self._retry_unavailable(self._run_if_due)
            except Held as error:
                # A nightly run or a release holds the lock: wait until it has ended.
                self.event_log.write("waiting", reason=error.problem)
                has_worked = False
            except Unavailable:
                if self.stop.is_set():
                    break
                raise
            if not has_worked:
                self.progress.idle()
                self.stop.wait(self.options.interval)
        self.event_log.write("stopped")

    def _retry_unavailable(self, step: Callable[[], bool]) -> bool:
        retrying = tenacity.Retrying(
            retry=tenacity.retry_if_exception_type(Unavailable),
            stop=tenacity.stop_any(
                tenacity.stop_after_delay(self.options.patience),
                tenacity.stop_when_event_set(self.stop),
            ),
            wait=tenacity.wait_exponential(multiplier=1, max=_LONGEST_PAUSE),
            sleep=tenacity.sleep_using_event(self.stop),
            before_sleep=self._log_unavailable,
            reraise=True,
        )
        return retrying(step)

    def _log_unavailable(self, attempt: tenacity.RetryCallState) -> None:
        error = attempt.outcome.exception() if attempt.outcome else None
        pause = attempt.next_action.sleep if attempt.next_action else 0.0
        self.event_log.write("away", logging.WARNING, message=str(error), pause=round(pause, 1))

    def _run_if_due(self) -> bool:
        """Run one batch if there is work; return whether notes were released or refused."""
        is_due = self._swept is None or self.clock() - self._swept >= self.options.sweep
        if not is_due and not self._is_unfinished and not self._has_new(load(self.options.config)):
            return self._backfill_some()
        # Set until the batch has ended: one that failed is resumed even without new notes.
        was_unfinished, self._is_unfinished = self._is_unfinished, True
        try:
            result = self._run_batch(None if is_due else self.options.max_notes)
        except Held:
            self._is_unfinished = was_unfinished
            raise
        self._is_unfinished = False
        if is_due:
            self._swept = self.clock()
            minutes = load(self.options.config).backfill.minutes
            self._seconds_to_backfill = 0.0 if result.summary.held else minutes * 60
        self.event_log.log_result(result)
        self.on_result(result)
        outcomes = result.summary.tally.outcomes
        return bool(outcomes[Outcome.RELEASED.value] or outcomes[Outcome.QUARANTINED.value])

    def _run_batch(self, most_new: int | None) -> NightlyResult:
        return run_nightly(
            self.options.config,
            self.run_job,
            workers=self.options.workers,
            progress=self.event_log.wrap_progress(self.progress),
            most_new=most_new,
            gate=self.gate,
            backfills=False,
        )

    def _backfill_some(self) -> bool:
        """Detect some notes again that earlier detectors read; return whether any are left."""
        seconds = min(self._seconds_to_backfill, max(self.options.interval, 1.0))
        if seconds <= 0:
            return False
        started = self.clock()
        result = run_backfill(
            self.options.config,
            self.run_job,
            minutes=seconds / 60,
            workers=self.options.workers,
            progress=self.event_log.wrap_progress(self.progress),
        )
        self._seconds_to_backfill -= max(self.clock() - started, seconds)
        if result is None or not (result.summary.backfill or {}).get("left"):
            self._seconds_to_backfill = 0.0
        if result is None:
            return False
        self.event_log.log_result(result)
        self.on_result(result)
        return bool((result.summary.backfill or {})["done"])

    def _has_new(self, settings: Settings) -> bool:
        resolved = resolve_urls(settings)
        with (
            closing(open_source(resolved.source, settings.base)) as source,
            closing(open_state(resolved.state, settings.base)) as state,
        ):
            return has_new_notes(source, state)
