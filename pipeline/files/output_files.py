"""Output files of a command, notes and quarantine: written completely or not at all."""

import fcntl
import glob
import os
import re
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self

from pipeline.files.jsonl import dump_line
from record.errors import ConfigError, Unavailable
from record.failure import Failure


@dataclass
class FileResult:
    """Result of a command: numbers of notes read, written and refused by cause.

    `spans` counts the written spans by label; `detection` says what found them. `warnings` contain
    no text of notes. `origin` holds the versions, key and policy that surrogates were made with.
    """

    read: int = 0
    written: int = 0
    causes: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    spans: Counter[str] = field(default_factory=Counter)
    warnings: list[str] = field(default_factory=list)
    detection: tuple[str, ...] = ()
    origin: dict[str, str] = field(default_factory=dict)

    @property
    def refused(self) -> int:
        """The number of notes in quarantine."""
        return self.causes.total()

    def within(self, share: float) -> bool:
        """Return whether at most this share of the notes went to quarantine."""
        return self.refused <= share * self.read

    def to_json(self) -> dict[str, Any]:
        """Return the counts as an object for JSON."""
        return {
            "notes": self.read,
            "written": self.written,
            "quarantined": self.refused,
            "causes": [
                {"stage": stage, "error": error, "reason": reason, "notes": count}
                for (stage, error, reason), count in sorted(self.causes.items())
            ],
            "spans": dict(sorted(self.spans.items())),
            "detection": list(self.detection),
            "warnings": self.warnings,
            **({"origin": self.origin} if self.origin else {}),
        }


def make_quarantine_path(out: Path) -> Path:
    """Return the path of an output's quarantine: `OUT.quarantine.jsonl` for `OUT.jsonl`."""
    return out.with_name(f"{out.stem}.quarantine.jsonl")


class OutputFiles:
    """Writes notes and quarantine to temporary files and renames them on success.

    The files are readable by their owner only. Raises ConfigError if an output would overwrite
    an input or cannot be created, Unavailable on write errors.
    """

    def __init__(self, out: Path, inputs: Sequence[Path]) -> None:
        self.done = FileResult()
        self._paths = (make_quarantine_path(out), out)
        self._files: list[IO[str]] = []
        self._made: list[Path] = []
        for path in self._paths:
            check_output_path(path, inputs)

    def note(self, record: Mapping[str, Any]) -> None:
        """Write a note and count its spans."""
        self._write(1, record)
        self.done.written += 1
        self.done.spans.update(span["label"] for span in record.get("spans", ()))

    def refuse(self, failure: Failure) -> None:
        """Write a refused note: id, stage, error class and reason."""
        self._write(0, asdict(failure))
        self.done.causes[failure.stage, failure.error, failure.reason] += 1

    def __enter__(self) -> Self:
        try:
            for path in self._paths:
                _remove_left(path)
                handle, made = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
                with suppress(OSError):
                    fcntl.flock(handle, fcntl.LOCK_EX)
                self._made.append(Path(made))
                self._files.append(os.fdopen(handle, "w", encoding="utf-8", newline="\n"))
        except OSError as error:
            self._discard()
            problem = f"cannot be written ({error.strerror})"
            raise ConfigError(str(path), problem, "choose a file in a writable folder") from None
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            if kind is None:
                self._publish()
        finally:
            self._discard()

    def _write(self, number: int, record: Mapping[str, Any]) -> None:
        with self._guarded(number):
            self._files[number].write(dump_line(record) + "\n")

    def _publish(self) -> None:
        # The quarantine first: once the notes exist, so does the list of refused ones.
        for number, file in enumerate(self._files):
            with self._guarded(number):
                file.flush()
                os.fsync(file.fileno())
        for number, path in enumerate(self._paths):
            with self._guarded(number):
                self._made[number].replace(path)

    def _discard(self) -> None:
        for file in self._files:
            with suppress(OSError):
                file.close()
        for path in self._made:
            path.unlink(missing_ok=True)

    @contextmanager
    def _guarded(self, number: int) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            problem = error.strerror or "cannot be written"
            raise Unavailable(
                str(self._paths[number]), problem, "check the disk, then run again"
            ) from None


def _remove_left(path: Path) -> None:
    """Remove the temporary files of this output that killed processes left: they hold notes.

    Those of a process that still writes are locked, and stay.
    """
    named = re.compile(rf"\.{re.escape(path.name)}\.[a-z0-9_]{{8}}")
    for left in path.parent.glob(f".{glob.escape(path.name)}.*"):
        if not named.fullmatch(left.name) or left.is_symlink():
            continue
        with suppress(OSError), left.open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            left.unlink()


def check_output_path(path: Path, inputs: Sequence[Path]) -> None:
    """Raise ConfigError if an output would overwrite an input, or is not a regular file."""
    if path.exists() and not path.is_file():
        raise ConfigError(str(path), "not a regular file", "choose another path")
    if any(path.exists() and given.exists() and path.samefile(given) for given in inputs):
        raise ConfigError(str(path), "must not be an input of this command", "choose another path")
