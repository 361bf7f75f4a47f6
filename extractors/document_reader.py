"""`DocumentReader`, which extracts any document through the sandbox, and safe opening of files."""

import errno
import os
import stat
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path, PurePosixPath
from types import TracebackType
from typing import Self

from extractors.confinement import Confinement
from extractors.document.file_type import FileType, sniff
from extractors.document.limits import Extracted, Limits
from extractors.document.options import Engine, Layout, Options
from extractors.document.quality import judge_text
from extractors.layout.line_classifier import LineClassifier
from extractors.plain import plain_text
from extractors.sandbox import Sandbox
from record.errors import ConfigError, Unavailable, Unreadable

_LONG_TEXT = 200_000
"""Bytes; longer plain texts go to the sandbox too, as detecting their encoding takes long."""

_NO_PLAIN_TEXT = (".pdf", ".rtf", ".docx", ".doc", ".odt")


class DocumentReader:
    """Extracts documents of any supported format, all but short plain texts in the sandbox.

    Use it as a context manager, or call `close`. Not thread-safe.
    Raises ConfigError for an invalid file of weights and for an engine that is not installed.
    """

    def __init__(self, limits: Limits, options: Options | None = None) -> None:
        self.limits = limits
        self.options = options or Options()
        if self.options.boxes is not None or self.options.layout is Layout.BODY:
            # Fail at start-up: a missing or invalid file is not the fault of a document.
            LineClassifier.load(Path(self.options.boxes) if self.options.boxes else None)
        if self.options.engine is Engine.PYMUPDF and find_spec("pymupdf") is None:
            remedy = 'install it, or set extraction.engine = "pdfplumber"'
            raise ConfigError("extraction.engine", "PyMuPDF is not installed", remedy)
        if self.options.engine is Engine.PDFPLUMBER and self.options.draw_classes:
            remedy = 'set extraction.engine = "pymupdf", or do not ask for page images'
            raise ConfigError("extraction.engine", "pdfplumber cannot render pages", remedy)
        self._sandbox = Sandbox(limits, self.options)

    def read(self, data: bytes, *, name: str = "") -> Extracted:
        """Read one document.

        The format is detected from the content; the suffix of `name` is used only to refuse a
        damaged PDF or word document that would pass for plain text. Raises Unreadable, and
        Unavailable when the sandbox cannot be started.
        """
        if len(data) > self.limits.max_bytes:
            raise Unreadable("too-large")
        if sniff(data) is not FileType.PLAIN:
            return self._sandbox.extract(data)
        if name.lower().endswith(_NO_PLAIN_TEXT):
            raise Unreadable("broken")
        if len(data) > _LONG_TEXT:
            return self._sandbox.extract(data)
        extracted = plain_text.extract(data, self.limits)
        if not extracted.text.strip():
            raise Unreadable("no-text")
        return replace(extracted, quality=judge_text(extracted.text))

    @property
    def confinement(self) -> Confinement:
        """What the kernel enforces on the sandbox; raises Unavailable when it cannot be started."""
        return self._sandbox.confinement

    def close(self) -> None:
        """Stop the sandbox; the next document starts another."""
        self._sandbox.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def read_file(name: str, base: Path, limits: Limits, *, hard_links: bool = False) -> bytes:
    """Read the file at the relative path `name` under the folder `base`.

    Raises Unreadable: `outside-folder` for an absolute path, one with `..`, or a link that leads
    out; `hard-link` for a file with a second name, which may be outside, unless `hard_links` allows
    it; `missing-document`; `not-a-file`; `forbidden`; `too-large`. Raises Unavailable when the
    folder does not exist.
    """
    path = _resolve_inside(name, base)
    try:
        data = _read_regular(path, limits.max_bytes + 1, hard_links)
    except OSError as error:
        raise _to_unreadable(error) from None
    if len(data) > limits.max_bytes:
        raise Unreadable("too-large")
    return data


def _read_regular(path: Path, most: int, hard_links: bool) -> bytes:
    # Without O_NONBLOCK, opening a named pipe would wait for a writer.
    handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        found = os.fstat(handle)
        if not stat.S_ISREG(found.st_mode):
            raise Unreadable("not-a-file")
        if found.st_nlink > 1 and not hard_links:
            raise Unreadable("hard-link")
        with os.fdopen(handle, "rb", closefd=False) as file:
            return file.read(most)
    finally:
        os.close(handle)


def _resolve_inside(name: str, base: Path) -> Path:
    relative = PurePosixPath(name)
    if relative.is_absolute() or ".." in relative.parts or "\\" in name or "\0" in name:
        raise Unreadable("outside-folder")
    if not relative.parts:
        raise Unreadable("missing-document")
    try:
        folder = base.resolve(strict=True)
    except OSError as error:
        remedy = "mount the folder, or correct the setting"
        raise Unavailable("folder of documents", type(error).__name__, remedy) from None
    try:
        path = (folder / relative).resolve(strict=True)
    except (OSError, RuntimeError, ValueError) as error:
        raise _to_unreadable(error) from None
    if not path.is_relative_to(folder):
        raise Unreadable("outside-folder")
    return path


def _to_unreadable(error: Exception) -> Unreadable:
    number = getattr(error, "errno", None)
    if number in (errno.EACCES, errno.EPERM):
        return Unreadable("forbidden")
    if number in (errno.EISDIR, errno.ENXIO):
        return Unreadable("not-a-file")
    return Unreadable("missing-document")
