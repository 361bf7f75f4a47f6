"""What the readers of annotated files share: reading bytes, and errors that name a place."""

from collections.abc import Sequence
from pathlib import Path

from record.errors import ConfigError, Unavailable
from record.span import Span

MAX_BYTES = 64_000_000
"""A larger file is refused: no note is so large, and a file of many can be cut."""


def list_files(folder: Path, ending: str) -> list[Path]:
    """Return the files of one ending in a folder and below, sorted; hidden ones are not
    annotations.

    Archives made on a Mac hold a hidden `._note.ann` beside every `note.ann`.
    """
    found = folder.rglob(f"*{ending}")
    return sorted(path for path in found if not path.name.startswith("."))


def read_bytes(path: Path) -> bytes:
    """Read a whole file; raises ConfigError where it is missing or too large, else Unavailable."""
    try:
        if path.stat().st_size > MAX_BYTES:
            remedy = f"cut it into files of at most {MAX_BYTES:,} bytes"
            raise ConfigError(str(path), "is too large", remedy)
        return path.read_bytes()
    except (FileNotFoundError, IsADirectoryError, NotADirectoryError, PermissionError) as error:
        problem = (error.strerror or "cannot be read").lower()
        raise ConfigError(str(path), problem, "give a file that can be read") from None
    except OSError as error:
        problem = error.strerror or "cannot be read"
        raise Unavailable(str(path), problem, "check the disk or mount") from None


def read_text(path: Path) -> str:
    """Read a whole file in UTF-8 as it is: offsets count its line breaks and marks as they stand.

    Raises ConfigError and Unavailable as `read_bytes`, and ConfigError where it is not UTF-8.
    """
    data = read_bytes(path)
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise ConfigError(f"{path}, line {line}", "is not UTF-8", "convert the file") from None


def make_span(where: str, label: str, offsets: tuple[int, int], text: str) -> Span:
    """Make a gold span; raises ConfigError where its offsets do not lie in the text."""
    start, end = offsets
    if not 0 <= start < end <= len(text):
        problem = f"offsets {start} to {end} do not lie in a text of {len(text)} characters"
        raise ConfigError(where, problem, "count characters from 0, the end not included")
    return Span(start, end, label)


def check_covered_text(where: str, text: str, pieces: Sequence[Span], written: str) -> None:
    """Compare what an annotation says it covers with what it covers, but for white space.

    Raises ConfigError where they differ: offsets that count bytes, or lines of another system,
    would make every score wrong. Neither text is shown.
    """
    found = " ".join(text[piece.start : piece.end] for piece in pieces)
    if "".join(found.split()) != "".join(written.split()):
        problem = "the text at its offsets is not the one that the annotation holds"
        remedy = "count Unicode characters of the very text; export text and annotation together"
        raise ConfigError(where, problem, remedy)
