"""Reading and validation shared by the parsers of annotated files (BRAT, i2b2, CoNLL)."""

from collections.abc import Sequence
from pathlib import Path

from record.errors import ConfigError, Unavailable
from record.span import Span

MAX_BYTES = 64_000_000
"""Maximum size of a file; no note is larger, and a file of many notes can be split."""


def list_files(folder: Path, ending: str) -> list[Path]:
    """Return the files with an extension in a folder and its subfolders, except hidden ones.

    Archives made on a Mac hold a hidden `._note.ann` beside every `note.ann`.
    """
    found = folder.rglob(f"*{ending}")
    return sorted(path for path in found if not path.name.startswith("."))


def read_bytes(path: Path) -> bytes:
    """Read a file; raises ConfigError if it is missing or too large, Unavailable on I/O errors."""
    try:
        if path.stat().st_size > MAX_BYTES:
            problem = f"larger than {MAX_BYTES:,} bytes"
            raise ConfigError(str(path), problem, "split it into smaller files")
        return path.read_bytes()
    except (FileNotFoundError, IsADirectoryError, NotADirectoryError, PermissionError) as error:
        problem = (error.strerror or "cannot be read").lower()
        raise ConfigError(str(path), problem, "give the path of a readable file") from None
    except OSError as error:
        problem = error.strerror or "cannot be read"
        raise Unavailable(str(path), problem, "check the disk or mount") from None


def read_text(path: Path) -> str:
    """Read a file in UTF-8 without changes: offsets count its line breaks and byte order mark.

    Raises ConfigError and Unavailable as `read_bytes`, and ConfigError if it is not UTF-8.
    """
    data = read_bytes(path)
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise ConfigError(
            f"{path}, line {line}", "not valid UTF-8", "convert the file to UTF-8"
        ) from None


def make_span(where: str, label: str, offsets: tuple[int, int], text: str) -> Span:
    """Return a gold span; raises ConfigError if its offsets are outside the text."""
    start, end = offsets
    if not 0 <= start < end <= len(text):
        problem = f"offsets {start} to {end} are outside the text of {len(text)} characters"
        raise ConfigError(where, problem, "count characters from 0, end exclusive")
    return Span(start, end, label)


def check_covered_text(where: str, text: str, pieces: Sequence[Span], written: str) -> None:
    """Raise ConfigError unless the text at the offsets is the annotated text but for whitespace.

    Offsets in bytes, or with other line endings, would make every score wrong. The message holds
    neither text.
    """
    found = " ".join(text[piece.start : piece.end] for piece in pieces)
    if "".join(found.split()) != "".join(written.split()):
        problem = "the text at the offsets differs from the annotated text"
        remedy = "count Unicode characters; export text and annotations together"
        raise ConfigError(where, problem, remedy)
