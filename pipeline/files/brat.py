"""Reader of BRAT annotations: text files with standoff annotation files beside them.

https://brat.nlplab.org/standoff.html
"""

import re
from collections.abc import Iterator
from pathlib import Path

from pipeline.files.annotation_parsing import check_covered_text, list_files, make_span, read_text
from record.document import Annotated, Document
from record.errors import ConfigError
from record.span import Span

# `T3<tab>LABEL 11 15;20 24<tab>the words`; anything after a further tab is ignored.
_MARK = re.compile(r"T\d+\t(\S+) (\d{1,9} \d{1,9}(?:;\d{1,9} \d{1,9})*)\t([^\t]*)(?:\t.*)?")


def read_brat(path: Path, warnings: list[str]) -> Iterator[Annotated]:
    """Read the notes of a folder and its subfolders, or the note of a single `.ann` or `.txt` file.

    The note id is the file's path below the folder without extension (`ward/note1`). Each fragment
    of a discontinuous annotation becomes a span. Relations, events, attributes and comments are
    ignored. A warning is added for texts without `.ann`, which are left out. Raises ConfigError
    with file and line for invalid annotations.
    """
    if not path.is_dir():
        yield _read_note(path.with_suffix(".ann"), path.stem)
        return
    for file in list_files(path, ".ann"):
        yield _read_note(file, file.relative_to(path).with_suffix("").as_posix())
    unannotated = sum(not text.with_suffix(".ann").exists() for text in list_files(path, ".txt"))
    if unannotated:
        warnings.append(f"{path}: {unannotated} texts without an .ann file were left out")


def _read_note(file: Path, note_id: str) -> Annotated:
    text = read_text(file.with_suffix(".txt"))
    spans: list[Span] = []
    for number, line in enumerate(read_text(file).split("\n"), start=1):
        if line.startswith("T"):
            spans += _parse_mark(f"{file}, line {number}", line.rstrip("\r"), text)
    return Annotated(Document(note_id, text), tuple(dict.fromkeys(spans)))


def _parse_mark(where: str, line: str, text: str) -> list[Span]:
    found = _MARK.fullmatch(line)
    if found is None:
        problem = "invalid text-bound annotation"
        raise ConfigError(where, problem, "write T1<tab>LABEL START END<tab>the words")
    pieces = []
    for piece in found[2].split(";"):
        start, end = map(int, piece.split(" "))
        pieces.append(make_span(where, found[1], (start, end), text))
    check_covered_text(where, text, pieces, found[3])
    return pieces
