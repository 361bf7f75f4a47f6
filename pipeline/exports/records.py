"""What an export of resources or messages holds: records of files, as rows of OMOP CDM."""

import base64
import binascii
import errno
import gzip
import hashlib
import os
import re
import stat
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any, Protocol, cast

from record.errors import Unavailable, Unreadable
from record.label import Label

MOST_BYTES = 128 << 20
"""Longest record that is read, a line or a message: a document of 90 MB in base64 fits."""

KEY_BITS = 53
"""Numbers that stand for keys are below 2**KEY_BITS: doubles, and so JSON and R, hold them."""

IDENTITY = "patient_identity"
"""The table of what an export knows of patients; its columns are fields of the record, or labels.

Beside them it has `person_id`, `patient` (the patient's key in the export) and `full_name`.
"""

IDENTITY_LABELS = tuple(
    label.value
    for label in (
        *(Label.PATIENT_ID, Label.SSN, Label.INSURANCE_ID, Label.ACCOUNT, Label.VISIT_ID),
        *(Label.ID, Label.URL),
    )
)
"""The labels among the columns of that table."""

_PERSON = b"export key"
_CHARSET = re.compile(r"charset\s*=\s*\"?([\w.:-]+)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class FileRecord:
    """One record of a file: where it starts, its bytes, its number in the file from 1.

    A record longer than `MOST_BYTES` has no data but a reason.
    """

    start: int
    size: int
    number: int
    data: bytes = field(default=b"", repr=False)
    reason: str = ""


@dataclass(frozen=True, slots=True)
class ExportedRow:
    """A row of a table, with the key it has in the export.

    `updated` orders versions of the same key, the latest of which counts; where that `is_withdrawn`
    there is no such row. `item` is the place within the record, where that has several.
    """

    table: str
    key: str = field(repr=False)
    values: Mapping[str, Any] = field(repr=False)
    updated: str = ""
    item: int = 0
    is_withdrawn: bool = False


@dataclass(frozen=True, slots=True)
class DocumentContent:
    """What a note of an export consists of: text, or the bytes of a document, or where that is."""

    text: str = field(default="", repr=False)
    data: bytes | None = field(default=None, repr=False)
    location: str = field(default="", repr=False)


class ExportFormat(Protocol):
    """A format of exports."""

    @property
    def suffixes(self) -> tuple[str, ...]:
        """The suffixes of files that are read; each may be followed by `.gz`."""
        ...

    def split(self, name: str, file: IO[bytes], /) -> Iterator[FileRecord]:
        """Yield the records of an open file."""
        ...

    def read_rows(self, data: bytes) -> tuple[list[ExportedRow], list[str]]:
        """Return the rows of a record, and the reasons for which parts of it were refused."""
        ...

    def read_content(self, data: bytes, item: int) -> DocumentContent:
        """Return what the note at a place of a record consists of; raises Unreadable."""
        ...


def make_number(key: str) -> int:
    """Return the number that stands for a key in all tables: 53 bits of its BLAKE2b hash.

    The same key has the same number in every export and every night. That two keys have the same
    one is improbable (once in 180 exports of ten million notes), and whoever uses it must check.
    """
    digest = hashlib.blake2b(key.encode(), digest_size=8, person=_PERSON).digest()
    return int.from_bytes(digest) >> (64 - KEY_BITS) or 1


def list_files(folder: Path, suffixes: Sequence[str]) -> list[str]:
    """Return the names of the files of an export, sorted; folders inside it are not looked into.

    Raises Unavailable if the folder does not exist.
    """
    if not folder.is_dir():
        raise Unavailable("source.url", "not a directory", "check the path or mount")
    wanted = (*suffixes, *(f"{suffix}.gz" for suffix in suffixes))
    names = (path.name for path in folder.iterdir())
    return sorted(name for name in names if name.lower().endswith(wanted))


@contextmanager
def open_export_file(path: Path, *, hard_links: bool = False) -> Iterator[IO[bytes]]:
    """Open a file of an export, unpacked where its name ends with `.gz`.

    Raises Unreadable `not-a-file` for links and whatever else is not a regular file, `forbidden`,
    and `hard-link` for a file with a second name unless `hard_links` allows it; Unavailable for a
    damaged archive, whose rest would be lost.
    """
    with os.fdopen(_open_regular(path, hard_links), "rb") as file:
        if path.suffix.lower() != ".gz":
            yield file
            return
        try:
            with gzip.GzipFile(fileobj=file) as unpacked:
                yield cast(IO[bytes], unpacked)
        except (EOFError, gzip.BadGzipFile, zlib.error):
            problem = "a compressed file of the export is damaged or not complete"
            raise Unavailable("source.url", problem, "copy the export again") from None


def _open_regular(path: Path, hard_links: bool) -> int:
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        is_denied = error.errno in (errno.EACCES, errno.EPERM)
        raise Unreadable("forbidden" if is_denied else "not-a-file") from None
    found = os.fstat(handle)
    is_regular = stat.S_ISREG(found.st_mode)
    if is_regular and (found.st_nlink == 1 or hard_links):
        return handle
    os.close(handle)
    raise Unreadable("hard-link" if is_regular else "not-a-file")


def split_lines(file: IO[bytes]) -> Iterator[FileRecord]:
    """Yield the lines of a file that are not blank; those that are too long without their data."""
    start = number = 0
    while line := file.readline(MOST_BYTES + 1):
        number, size, is_whole = number + 1, len(line), len(line) <= MOST_BYTES
        end = line
        while not is_whole and not end.endswith(b"\n") and (end := file.readline(MOST_BYTES)):
            size += len(end)
        if not is_whole:
            yield FileRecord(start, size, number, reason="too-large")
        elif line.strip():
            yield FileRecord(start, size, number, line)
        start += size


def decode_base64(value: str) -> bytes:
    """Return decoded base64, with or without line breaks; raises Unreadable `broken`."""
    try:
        return base64.b64decode("".join(value.split()), validate=True)
    except (binascii.Error, ValueError):
        raise Unreadable("broken") from None


def read_plain_text(data: bytes, content_type: str) -> str:
    """Return plain text in the named character set, else in UTF-8; empty if it is in neither."""
    named = _CHARSET.search(content_type)
    try:
        return data.decode(named[1] if named else "utf-8-sig")
    except (LookupError, UnicodeError):
        return ""


def make_order(moment: str | None) -> str:
    """Return a moment as text whose order is that of time; empty where it is none."""
    try:
        found = datetime.fromisoformat(moment or "")
    except ValueError:
        return ""
    aware = found if found.tzinfo else found.replace(tzinfo=UTC)
    return aware.astimezone(UTC).isoformat(timespec="microseconds")
