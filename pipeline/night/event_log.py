"""The log of what the program does: one line of JSON for each event, counts and codes, no text."""

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
from pipeline.night.nightly import Ended
from record.errors import ConfigError, CryptonymError

STDERR = "-"
"""Stands for standard error in the place of a file."""

Fact = str | int | float | bool | None


class JsonLines(logging.Formatter):
    """Writes time, level, event and facts; never a traceback, which could quote a note."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the record as one line."""
        facts: Mapping[str, Fact] = getattr(record, "facts", {})
        time = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        told = {"time": time, "level": record.levelname.lower(), "event": record.msg}
        return json.dumps(told | {"pid": record.process} | dict(facts), ensure_ascii=True)


class Journal:
    """Events of one command; a journal without a place keeps nothing."""

    def __init__(self, handler: logging.Handler | None = None) -> None:
        # Not among the loggers of the process: nobody else writes here, and nothing is passed on.
        self._logger = logging.Logger("cryptonym")
        self._logger.addHandler(handler or logging.NullHandler())

    def note(self, event: str, level: int = logging.INFO, **facts: Fact) -> None:
        """Write down an event with its facts."""
        self._logger.log(level, event, extra={"facts": facts})

    def listening(self, progress: Progress) -> Progress:
        """Return a progress that is told on and whose phases are written down."""

        def phase(name: str) -> None:
            self.note("phase", name=name)
            progress.phase(name)

        return Progress(phase, progress.advance)

    def ended(self, ended: Ended) -> None:
        """Write down what a run did."""
        summary = ended.summary
        self.note(
            "run ended",
            logging.WARNING if ended.exit_code else logging.INFO,
            run=summary.run_id,
            exit_code=ended.exit_code,
            resumed=ended.resumed,
            seconds=round(summary.seconds, 3),
            key_id=summary.key_id,
            policy_id=summary.policy_id,
            **{name: int(count) for name, count in summary.tally.outcomes.items()},
        )

    @contextmanager
    def watching(self, command: str) -> Iterator[None]:
        """Write down that a command begins, and the error that ends it."""
        self.note("started", command=command)
        try:
            yield
        except CryptonymError as error:
            # Their messages name keys, problems and remedies: see record.errors.
            kind = type(error).__name__
            self.note("failed", logging.ERROR, command=command, error=kind, message=str(error))
            raise


@contextmanager
def open_journal(place: str | None, base: Path) -> Iterator[Journal]:
    """Open the log at a path that starts at `base`, `-` for standard error, or none at all.

    A new file is for its owner alone; one that was moved away is begun again, as logrotate wants
    it. Raises ConfigError where it cannot be written.
    """
    if place is None:
        yield Journal()
        return
    handler: logging.Handler = logging.StreamHandler(sys.stderr)
    if place != STDERR:
        path = base / place
        try:
            os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600))
            handler = WatchedFileHandler(path, encoding="utf-8")
        except OSError as error:
            problem = f"{path} cannot be written ({error.strerror})"
            raise ConfigError("log.file", problem, "choose a writable folder") from None
    handler.setFormatter(JsonLines())
    try:
        yield Journal(handler)
    finally:
        handler.close()
