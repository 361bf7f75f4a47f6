"""The event log: one line of JSON per event, with counts and codes, never text of notes."""

import json
import logging
import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from logging.handlers import WatchedFileHandler
from pathlib import Path

from pipeline.config.progress import Progress
from pipeline.night.nightly import NightlyResult
from record.errors import ConfigError, CryptonymError

STDERR = "-"
"""Path that stands for standard error."""

EventValue = str | int | float | bool | None


class JsonLineFormatter(logging.Formatter):
    """Formats a record as time, level, event and values; no traceback, which could quote a note."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the record as one line."""
        facts: Mapping[str, EventValue] = getattr(record, "facts", {})
        time = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        head = {"time": time, "level": record.levelname.lower(), "event": record.msg}
        return json.dumps(head | {"pid": record.process} | dict(facts), ensure_ascii=True)


class EventLog:
    """The events of one command; without a handler, events are discarded."""

    def __init__(self, handler: logging.Handler | None = None) -> None:
        # Not registered with `logging`: other code cannot write here, and records do not propagate.
        self._logger = logging.Logger("cryptonym")
        self._logger.addHandler(handler or logging.NullHandler())

    def write(self, event: str, level: int = logging.INFO, **facts: EventValue) -> None:
        """Log an event with its values."""
        self._logger.log(level, event, extra={"facts": facts})

    def wrap_progress(self, progress: Progress) -> Progress:
        """Return a progress that forwards to another one and logs each phase."""

        def phase(name: str) -> None:
            self.write("phase", name=name)
            progress.phase(name)

        return Progress(phase, progress.advance, progress.idle)

    def log_result(self, ended: NightlyResult) -> None:
        """Log the outcome of a run."""
        summary, told = ended.summary, ended.summary.backfill or {}
        self.write(
            "run ended",
            logging.WARNING if ended.exit_code else logging.INFO,
            run=summary.run_id,
            exit_code=ended.exit_code,
            resumed=ended.resumed,
            seconds=round(summary.seconds, 3),
            key_id=summary.key_id,
            policy_id=summary.policy_id,
            **{f"backfill_{name}": int(told[name]) for name in ("done", "left") if name in told},
            **{name: int(count) for name, count in summary.tally.outcomes.items()},
        )

    @contextmanager
    def log_command(self, command: str) -> Iterator[None]:
        """Log the start of a command and the error that ends it."""
        self.write("started", command=command)
        try:
            yield
        except CryptonymError as error:
            # Their messages name keys, problems and remedies: see record.errors.
            kind = type(error).__name__
            self.write("failed", logging.ERROR, command=command, error=kind, message=str(error))
            raise


@contextmanager
def open_event_log(place: str | None, base: Path) -> Iterator[EventLog]:
    """Open the log at a path relative to `base`, on standard error for `-`, or a null log for None.

    A new file is readable by its owner only. The file is reopened when it was moved, as logrotate
    requires. Raises ConfigError when the file cannot be written.
    """
    if place is None:
        yield EventLog()
        return
    handler: logging.Handler = logging.StreamHandler(sys.stderr)
    if place != STDERR:
        path = base / place
        try:
            os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600))
            handler = WatchedFileHandler(path, encoding="utf-8")
        except OSError as error:
            problem = f"{path} cannot be written ({error.strerror})"
            raise ConfigError("log.file", problem, "choose a file in a writable folder") from None
    handler.setFormatter(JsonLineFormatter())
    try:
        yield EventLog(handler)
    finally:
        handler.close()
