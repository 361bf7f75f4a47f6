"""Annotations in columns: a token and its tag a line, a blank line between sentences."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pipeline.files.annotations import read_text
from record.document import Annotated, Document
from record.errors import ConfigError
from record.span import Span

TAG = re.compile(r"O|[BIELSU]-\S+")
"""A tag of the schemes BIO (IOB1, IOB2), BIOES and BILOU."""

_NAMED = re.compile(r"# *(?:note_id|newdoc(?: id)?)(?: *= *(.*))?")
_START = "-DOCSTART-"
_BEGINS, _ENDS = frozenset("BSU"), frozenset("ELSU")


@dataclass
class _Note:
    """The tokens of a note so far: the text they make, and the spans their tags make."""

    note_id: str = ""
    parts: list[str] = field(default_factory=list)
    spans: list[Span] = field(default_factory=list)
    length: int = 0
    between: str = ""
    label: str = ""
    """Of the span that the next token may go on with."""

    def add(self, token: str, tag: str) -> None:
        start = self.length + len(self.between)
        self.parts += (self.between, token)
        self.length, self.between = start + len(token), " "
        kind, _, label = tag.partition("-")
        if label and label == self.label and kind not in _BEGINS:
            self.spans[-1] = Span(self.spans[-1].start, self.length, label)
        elif label:
            self.spans.append(Span(start, self.length, label))
        self.label = "" if kind in _ENDS else label

    def rest(self) -> None:
        self.label = ""
        if self.parts:
            self.between = "\n"

    def done(self) -> Annotated:
        return Annotated(Document(self.note_id, "".join(self.parts)), tuple(self.spans))


def read_conll(path: Path) -> Iterator[Annotated]:
    """Read the notes of a file in columns: the first holds the token, the last its tag.

    Columns are parted by tabs where a line has one, else by white space. The text is the tokens
    with one blank between them and a line break between sentences. A note begins at `-DOCSTART-`
    or at a comment `# note_id = ...` or `# newdoc id = ...`; other comments (`# ` and no tag) are
    ignored. A note without a name has that of the file, with a number where there are several. A
    span begins at `B`, `S` and `U`, and at any other tag that no span of its label precedes.
    Raises ConfigError with the number of the line for what cannot be read.
    """
    notes = [_Note()]
    for number, raw in enumerate(_lines(path), start=1):
        line = raw.rstrip("\r")
        columns = [part.strip() for part in line.split("\t")] if "\t" in line else line.split()
        named = _NAMED.fullmatch(line)
        if named or line.startswith(_START):
            if notes[-1].parts:
                notes.append(_Note())
            notes[-1].note_id = (named[1] or "").strip() if named else notes[-1].note_id
        elif not line.strip():
            notes[-1].rest()
        elif len(columns) > 1 and columns[0] and TAG.fullmatch(columns[-1]):
            notes[-1].add(columns[0], columns[-1])
        elif not line.startswith("# "):
            problem = "is no token with a tag"
            remedy = "write TOKEN<tab>TAG, with O, B-LABEL, I-LABEL, E-, L-, S- or U-LABEL"
            raise ConfigError(f"{path}, line {number}", problem, remedy)
    yield from _named(path, [note for note in notes if note.parts or note.note_id])


def _lines(path: Path) -> Sequence[str]:
    return read_text(path).removeprefix("\ufeff").split("\n")


def _named(path: Path, notes: Sequence[_Note]) -> Iterator[Annotated]:
    for number, note in enumerate(notes, start=1):
        if not note.note_id:
            note.note_id = f"{path.stem}-{number}" if len(notes) > 1 else path.stem
        yield note.done()
