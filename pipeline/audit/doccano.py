"""Writes and reads notes for review in doccano: sequence labelling in JSON Lines.

https://doccano.github.io/doccano/tutorial/
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pipeline.audit.private_files import find_export, parse_json, write_private
from pipeline.audit.reader_mark import READ, keep_read
from pipeline.files.annotation_parsing import make_span, read_text
from pipeline.files.jsonl import dump_line
from record.document import Annotated, Document
from record.errors import ConfigError
from record.label import Label

NOTES = "notes.jsonl"
HOW_TO_MARK = f"in each note that was read, mark any word as {READ}"


def write(folder: Path, notes: Sequence[Annotated]) -> None:
    """Write `notes.jsonl` to import as JSONL, and `labels.json`, the project's labels."""
    labels = {str(label) for label in Label} | {s.label for note in notes for s in note.spans}
    labels.add(READ)
    listed = [{"text": label} for label in sorted(labels)]
    write_private(folder / "labels.json", json.dumps(listed, indent=1) + "\n")
    write_private(folder / NOTES, "".join(dump_line(_to_record(note)) + "\n" for note in notes))


def read(path: Path) -> list[Annotated]:
    """Read the notes of a JSONL export that hold a `READ`.

    doccano's own "confirmed" is not among what it exports.
    """
    file = find_export(path, ".jsonl", NOTES)
    found = []
    for number, line in enumerate(read_text(file).split("\n"), start=1):
        where = f"{file}, line {number}"
        if line.strip():
            try:
                record = parse_json(where, line)
                # Imported columns are exported beside the text, in earlier versions under `meta`.
                fields = {**(record.get("meta") or {}), **record}
                text = str(fields["text"] if "text" in fields else fields["data"])
                marks: list[Any] = next(
                    (fields[key] for key in ("label", "labels", "entities") if key in fields), []
                )
                spans = [
                    make_span(where, label, offsets, text)
                    for label, offsets in map(_parse_mark, marks)
                ]
                document = Document(
                    str(fields["note_id"]), text, kind=str(fields.get("kind") or "")
                )
                found.append(Annotated(document, tuple(dict.fromkeys(spans))))
            except (KeyError, TypeError, AttributeError, ValueError):
                problem, remedy = "not a note of a sample", "export the project as JSONL"
                raise ConfigError(where, problem, remedy) from None
    return keep_read(found)


def _to_record(note: Annotated) -> dict[str, Any]:
    document = note.document
    return {
        "text": document.text,
        "label": [[span.start, span.end, span.label] for span in note.spans],
        "note_id": document.note_id,
        "kind": document.kind,
    }


def _parse_mark(mark: Any) -> tuple[str, tuple[int, int]]:
    if isinstance(mark, Mapping):
        return str(mark["label"]), (int(mark["start_offset"]), int(mark["end_offset"]))
    start, end, label = mark
    return str(label), (int(start), int(end))
