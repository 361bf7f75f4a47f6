"""Annotations in the XML of i2b2 2014, n2c2 and MEDDOCAN: a text, and tags with offsets into it."""

import re
from collections.abc import Iterator
from pathlib import Path
from xml.etree.ElementTree import Element

from extractors.word.xml_tree import (
    each,
    first,
    parse,
)
from pipeline.files.annotations import (
    check_words,
    listed_files,
    make_span,
    read_bytes,
)
from record.document import Annotated, Document
from record.errors import ConfigError, Unreadable
from record.span import Span

_NUMBER = re.compile(r"\d{1,9}")


def read_i2b2(path: Path) -> Iterator[Annotated]:
    """Read the notes of a folder's `.xml` files and those below it, or the one note of a file.

    A note is named after its file, without the ending and from the folder on. The label is the
    tag's `TYPE`, or its name where it has none. Raises ConfigError with file and number of the tag
    for what cannot be read: also for a document type, since entities are never expanded.
    """
    if not path.is_dir():
        yield _note(path, path.stem)
        return
    for file in listed_files(path, ".xml"):
        yield _note(file, file.relative_to(path).with_suffix("").as_posix())


def _note(file: Path, note_id: str) -> Annotated:
    try:
        root = parse(read_bytes(file), {})
    except Unreadable as error:
        problem = f"cannot be read as XML ({error.reason})"
        remedy = "give well-formed XML in UTF-8, without a document type"
        raise ConfigError(str(file), problem, remedy) from None
    held = first(root, "TEXT")
    if held is None or len(held):
        # The corpus of 2006 marks identifiers within the text itself.
        problem = "has no TEXT that holds text alone"
        raise ConfigError(str(file), problem, "export stand-off tags: TEXT beside TAGS")
    text = held.text or ""
    spans = [
        _span(f"{file}, tag {number}", tag, text)
        for number, tag in enumerate((tag for tags in each(root, "TAGS") for tag in tags), start=1)
    ]
    return Annotated(Document(note_id, text), tuple(dict.fromkeys(spans)))


def _span(where: str, tag: Element, text: str) -> Span:
    start, end = (tag.get(name, "") for name in ("start", "end"))
    if not (_NUMBER.fullmatch(start) and _NUMBER.fullmatch(end)):
        problem = "has no start and end that are numbers"
        raise ConfigError(where, problem, 'write start="0" end="4", counted in characters')
    span = make_span(where, tag.get("TYPE") or tag.tag, (int(start), int(end)), text)
    written = tag.get("text")
    if written is not None:
        check_words(where, text, [span], written)
    return span
