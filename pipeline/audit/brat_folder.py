"""Writes and reads notes for review in BRAT: a text and an annotation file for each note."""

from collections.abc import Sequence
from pathlib import Path

from pipeline.audit.private_files import write_private
from pipeline.audit.reader_mark import READ, keep_read
from pipeline.files.brat import read_brat
from record.document import Annotated
from record.label import Label
from record.span import Span

HOW_TO_MARK = f"in each note that was read, mark any word as {READ}"

_CONFIGURATION = """\
[entities]
{labels}
[relations]
<OVERLAP>\tArg1:<ENTITY>, Arg2:<ENTITY>, <OVL-TYPE>:<ANY>
[events]
[attributes]
"""


def write(folder: Path, notes: Sequence[Annotated]) -> None:
    """Write `ID.txt` and `ID.ann` for each note; spans over several lines are split into pieces.

    https://brat.nlplab.org/standoff.html
    """
    labels = {str(label) for label in Label} | {s.label for note in notes for s in note.spans}
    labels.add(READ)
    configuration = _CONFIGURATION.format(labels="\n".join(sorted(labels)))
    write_private(folder / "annotation.conf", configuration)
    for note in notes:
        name, text = note.document.note_id, note.document.text
        write_private(folder / f"{name}.txt", text)
        lines = [
            _format_line(number, span, text) for number, span in enumerate(note.spans, start=1)
        ]
        write_private(folder / f"{name}.ann", "".join(lines))


def read(path: Path) -> list[Annotated]:
    """Read the notes of a folder that hold a `READ`; BRAT itself does not record what was read."""
    return keep_read(read_brat(path, []))


def _format_line(number: int, span: Span, text: str) -> str:
    pieces, start = [], span.start
    for line in text[span.start : span.end].splitlines(keepends=True):
        kept = len(line.rstrip("\r\n\v\f\x1c\x1d\x1e\x85\u2028\u2029"))
        if kept:
            pieces.append((start, start + kept))
        start += len(line)
    pieces = pieces or [(span.start, span.end)]
    offsets = ";".join(f"{first} {last}" for first, last in pieces)
    # A tab would end the field, and a line break the line.
    words = " ".join(text[first:last] for first, last in pieces)
    return f"T{number}\t{span.label} {offsets}\t{_replace_whitespace(words)}\n"


def _replace_whitespace(words: str) -> str:
    return "".join(" " if char.isspace() else char for char in words)
