"""Readers of gold annotations for scoring and training: JSON Lines, BRAT, i2b2 XML, CoNLL."""

import re
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from xml.etree.ElementTree import Element

from extractors.word.xml_tree import find_all, find_first, parse_xml
from pipeline.files.annotation_parsing import (
    check_covered_text,
    list_files,
    make_span,
    read_bytes,
    read_text,
)
from pipeline.files.brat import read_brat
from pipeline.files.jsonl import BadLine, read_notes
from pipeline.files.note_files import describe_bad_lines
from record.document import Annotated, Document
from record.errors import ConfigError, Unreadable
from record.span import Span

_NUMBER = re.compile(r"\d{1,9}")


def read_i2b2(path: Path) -> Iterator[Annotated]:
    """Read the notes of a folder's `.xml` files and its subfolders', or the note of a single file.

    The note id is the file's path below the folder without extension. The label is the tag's
    `TYPE`, or its name if it has none. Raises ConfigError with file and tag number for invalid
    input, including document type declarations, since entities are never expanded.
    """
    if not path.is_dir():
        yield _read_i2b2_note(path, path.stem)
        return
    for file in list_files(path, ".xml"):
        yield _read_i2b2_note(file, file.relative_to(path).with_suffix("").as_posix())


def _read_i2b2_note(file: Path, note_id: str) -> Annotated:
    try:
        root = parse_xml(read_bytes(file), {})
    except Unreadable as error:
        problem = f"not valid XML ({error.reason})"
        remedy = "give well-formed XML in UTF-8 without a document type declaration"
        raise ConfigError(str(file), problem, remedy) from None
    held = find_first(root, "TEXT")
    if held is None or len(held):
        # The corpus of 2006 has inline tags.
        problem = "must have a TEXT element without child elements"
        raise ConfigError(str(file), problem, "export standoff tags: TEXT beside TAGS")
    text = held.text or ""
    spans = [
        _parse_i2b2_tag(f"{file}, tag {number}", tag, text)
        for number, tag in enumerate(
            (tag for tags in find_all(root, "TAGS") for tag in tags), start=1
        )
    ]
    return Annotated(Document(note_id, text), tuple(dict.fromkeys(spans)))


def _parse_i2b2_tag(where: str, tag: Element, text: str) -> Span:
    start, end = (tag.get(name, "") for name in ("start", "end"))
    if not (_NUMBER.fullmatch(start) and _NUMBER.fullmatch(end)):
        problem = "start and end must be integers"
        raise ConfigError(where, problem, 'write start="0" end="4", counted in characters')
    span = make_span(where, tag.get("TYPE") or tag.tag, (int(start), int(end)), text)
    written = tag.get("text")
    if written is not None:
        check_covered_text(where, text, [span], written)
    return span


TAG = re.compile(r"O|[BIELSU]-\S+")
"""A tag of the schemes BIO (IOB1, IOB2), BIOES and BILOU."""

_NAMED = re.compile(r"# *(?:note_id|newdoc(?: id)?)(?: *= *(.*))?")
_START = "-DOCSTART-"
_BEGINS, _ENDS = frozenset("BSU"), frozenset("ELSU")


@dataclass
class _TokenNote:
    """A note built from tokens: its text so far, and the spans of its tags."""

    note_id: str = ""
    parts: list[str] = field(default_factory=list)
    spans: list[Span] = field(default_factory=list)
    length: int = 0
    between: str = ""
    label: str = ""
    """Label of the span that the next token may continue."""

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

    def end_sentence(self) -> None:
        self.label = ""
        if self.parts:
            self.between = "\n"

    def build(self) -> Annotated:
        return Annotated(Document(self.note_id, "".join(self.parts)), tuple(self.spans))


def read_conll(path: Path) -> Iterator[Annotated]:
    """Read the notes of a CoNLL file: the first column is the token, the last its tag.

    Columns are separated by tabs if the line has one, else by whitespace. The text is the tokens
    joined with spaces, with a line break between sentences. A note begins at `-DOCSTART-` or at a
    comment `# note_id = ...` or `# newdoc id = ...`; other comments (`# ` without a tag) are
    ignored. A note without an id gets the name of the file, with a number if there are several.
    A span begins at `B`, `S` and `U`, and at any other tag that does not continue a span of its
    label. Raises ConfigError with the line number for invalid lines.
    """
    notes = [_TokenNote()]
    for number, raw in enumerate(read_text(path).removeprefix("\ufeff").split("\n"), start=1):
        line = raw.rstrip("\r")
        columns = [part.strip() for part in line.split("\t")] if "\t" in line else line.split()
        named = _NAMED.fullmatch(line)
        if named or line.startswith(_START):
            if notes[-1].parts:
                notes.append(_TokenNote())
            notes[-1].note_id = (named[1] or "").strip() if named else notes[-1].note_id
        elif not line.strip():
            notes[-1].end_sentence()
        elif len(columns) > 1 and columns[0] and TAG.fullmatch(columns[-1]):
            notes[-1].add(columns[0], columns[-1])
        elif not line.startswith("# "):
            problem = "not a token with a tag"
            remedy = "write TOKEN<tab>TAG, with O, B-LABEL, I-LABEL, E-, L-, S- or U-LABEL"
            raise ConfigError(f"{path}, line {number}", problem, remedy)
    yield from _name_notes(path, [note for note in notes if note.parts or note.note_id])


def _name_notes(path: Path, notes: Sequence[_TokenNote]) -> Iterator[Annotated]:
    for number, note in enumerate(notes, start=1):
        if not note.note_id:
            note.note_id = f"{path.stem}-{number}" if len(notes) > 1 else path.stem
        yield note.build()


_ENDINGS = {
    **dict.fromkeys((".jsonl", ".ndjson", ".json"), "jsonl"),
    **dict.fromkeys((".ann", ".txt"), "brat"),
    **dict.fromkeys((".conll", ".bio", ".iob", ".bioes", ".bilou", ".tsv"), "conll"),
    ".xml": "i2b2",
}
_IN_FOLDERS = {"brat": ".ann", "i2b2": ".xml"}
_HEAD = 4096


def read_annotated(path: Path, warnings: list[str]) -> Iterator[Annotated]:
    """Read notes with their spans from JSON Lines, BRAT, i2b2 XML or CoNLL columns.

    The format is detected by extension, else by content; a folder holds files of BRAT or of i2b2.
    A warning is added for what is left out: invalid lines of JSON, texts without annotations.
    Raises ConfigError with file and line.
    """
    match _find_format(path):
        case "brat":
            yield from read_brat(path, warnings)
        case "i2b2":
            yield from read_i2b2(path)
        case "conll":
            yield from read_conll(path)
        case _:
            yield from _read_json_lines(path, warnings)


def read_label_map(path: Path) -> dict[str, str]:
    """Read a TOML file of `LABEL = "OTHER_LABEL"`; raises ConfigError with the key."""
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError):
        raise ConfigError(str(path), "cannot be read", "give a TOML file in UTF-8") from None
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(str(path), f"not valid TOML ({error})", "correct it") from None
    for label, other in table.items():
        if not isinstance(other, str) or not other:
            raise ConfigError(f"{path}: {label}", "must be a label", f'write {label} = "LABEL"')
    return table


def _read_json_lines(path: Path, warnings: list[str]) -> Iterator[Annotated]:
    bad = []
    for line in read_notes(path):
        if isinstance(line, BadLine):
            bad.append(line.number)
        else:
            yield line.annotated
    warnings += describe_bad_lines(path, bad)


def _find_format(path: Path) -> str:
    if path.is_dir():
        held = [name for name in _IN_FOLDERS if list_files(path, _IN_FOLDERS[name])]
        if len(held) == 1:
            return held[0]
        problem = "contains both .ann and .xml files" if held else "contains no .ann or .xml files"
        raise ConfigError(str(path), problem, "give a folder of BRAT or i2b2 files, or a file")
    known = _ENDINGS.get(path.suffix.lower())
    if known or not path.is_file():  # a pipe can be read only once
        return known or "jsonl"
    try:
        with path.open("rb") as file:
            head = file.read(_HEAD).decode("utf-8-sig", "replace").lstrip()
    except OSError:
        return "jsonl"  # its reader raises the error
    if head.startswith("<"):
        return "i2b2"
    lines = [line.split() for line in head.split("\n") if line.strip()]
    tagged = [line for line in lines if len(line) > 1 and TAG.fullmatch(line[-1])]
    return "conll" if tagged and not head.startswith("{") else "jsonl"
