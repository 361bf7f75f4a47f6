"""Continuous operation: small complete runs in a loop until a stop is requested."""

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
from pipeline.night.engine import go_through
from pipeline.night.event_log import Journal
from pipeline.night.nightly import Drive, Ended, Job, run_nightly
from pipeline.notes.worker_resources import Tools, open_tools, settled
from pipeline.quality.gate import OPEN, Gate
from pipeline.state.ledger import open_state
from pipeline.state.new_notes import has_new
from pipeline.state.run_lock import Held
from pipeline.state.run_summary import Outcome
from pipeline.warehouse.warehouse import open_source
from record.errors import Unavailable

_LONGEST_PAUSE = 60.0


@dataclass(frozen=True)
class Vigil:
    """How to keep watch; times are seconds.

    Every `interval` the source is asked for new notes; at most about `most` make one batch, so
    that one that comes in waits for no more than a batch. Every `sweep` a whole run looks for what
    was changed or deleted. What is away is waited for, at most `patience`.
    """

    config: Path
    interval: float = 60.0
    most: int = 500
    sweep: float = 86_400.0
    patience: float = 3_600.0
    workers: int = 1


class Resident:
    """Drives jobs in this process with tools that stay open from one batch to the next.

    A model is loaded once. Tools are opened anew when the configuration has changed, or after a
    batch that failed.
    """

    def __init__(self) -> None:
        self._tools: Tools | None = None

    def __call__(self, job: Job) -> dict[str, int]:
        """Work through a job."""
        if self._tools is None or self._tools.settings != job.settings:
            self.close()
            self._tools = open_tools(job.settings)
        try:
            go_through(job, self._tools)
        except BaseException:
            self.close()
            raise
        return {}

    def close(self) -> None:
        """Close what is open."""
        tools, self._tools = self._tools, None
        if tools is not None:
            tools.close()


@dataclass
class Watcher:
    """Looks for work and does it in batches, one at a time, until `stop` is raised.

    `tell` is called with each batch that ended; `clock` gives seconds that never go back.
    """

    vigil: Vigil
    drive: Drive
    stop: Event
    journal: Journal
    tell: Callable[[Ended], None] = lambda ended: None
    progress: Progress = field(default_factory=Progress)
    gate: Gate = OPEN
    clock: Callable[[], float] = time.monotonic
    _swept: float | None = None
    _is_open: bool = False

    def run(self) -> None:
        """Keep watch; comes back once `stop` is raised, and after the batch that was going on.

        Raises Unavailable when a service stays away for longer than the patience, ConfigError, and
        Incomplete: what no further attempt makes good.
        """
        while not self.stop.is_set():
            try:
                did = self._patiently(self._step)
            except Held as error:
                # A nightly run or a release is at work: it is theirs until they have ended.
                self.journal.note("waiting", reason=error.problem)
                did = False
            except Unavailable:
                if self.stop.is_set():
                    break
                raise
            if not did:
                self.stop.wait(self.vigil.interval)
        self.journal.note("stopped")

    def _patiently(self, step: Callable[[], bool]) -> bool:
        away = tenacity.Retrying(
            retry=tenacity.retry_if_exception_type(Unavailable),
            stop=tenacity.stop_any(
                tenacity.stop_after_delay(self.vigil.patience),
                tenacity.stop_when_event_set(self.stop),
            ),
            wait=tenacity.wait_exponential(multiplier=1, max=_LONGEST_PAUSE),
            sleep=tenacity.sleep_using_event(self.stop),
            before_sleep=self._tell_away,
            reraise=True,
        )
        return away(step)

    def _tell_away(self, attempt: tenacity.RetryCallState) -> None:
        error = attempt.outcome.exception() if attempt.outcome else None
        pause = attempt.next_action.sleep if attempt.next_action else 0.0
        self.journal.note("away", logging.WARNING, message=str(error), pause=round(pause, 1))

    def _step(self) -> bool:
        """Do one batch, if there is anything to do; tells whether there was."""
        is_due = self._swept is None or self.clock() - self._swept >= self.vigil.sweep
        if not is_due and not self._is_open and not self._has_new(load(self.vigil.config)):
            return False
        # Until it has ended: a batch that failed halfway is taken up, new notes or not.
        was_open, self._is_open = self._is_open, True
        try:
            ended = self._batch(None if is_due else self.vigil.most)
        except Held:
            self._is_open = was_open
            raise
        self._is_open = False
        if is_due:
            self._swept = self.clock()
        self.journal.ended(ended)
        self.tell(ended)
        outcomes = ended.summary.tally.outcomes
        return bool(outcomes[Outcome.RELEASED.value] or outcomes[Outcome.QUARANTINED.value])

    def _batch(self, most_new: int | None) -> Ended:
        return run_nightly(
            self.vigil.config,
            self.drive,
            workers=self.vigil.workers,
            progress=self.journal.listening(self.progress),
            most_new=most_new,
            gate=self.gate,
        )

    def _has_new(self, settings: Settings) -> bool:
        known = settled(settings)
        with (
            closing(open_source(known.source, settings.base)) as source,
            closing(open_state(known.state, settings.base)) as state,
        ):
            return has_new(source, state)
