"""Notes for review in doccano: sequence labelling as JSON Lines, in and out.

https://doccano.github.io/doccano/tutorial/
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pipeline.audit.private_files import export_in, parsed, write_private
from pipeline.files.annotation_parsing import make_span, read_text
from pipeline.files.jsonl import dump_line
from record.document import Annotated, Document
from record.errors import ConfigError
from record.label import Label

NOTES = "notes.jsonl"


def write(folder: Path, notes: Sequence[Annotated]) -> None:
    """Write `notes.jsonl` to import as JSONL, and `labels.json`, the project's labels."""
    labels = {str(label) for label in Label} | {s.label for note in notes for s in note.spans}
    listed = [{"text": label} for label in sorted(labels)]
    write_private(folder / "labels.json", json.dumps(listed, indent=1) + "\n")
    write_private(folder / NOTES, "".join(dump_line(_line(note)) + "\n" for note in notes))


def read(path: Path) -> list[Annotated]:
    """Read an export as JSONL; every note in it counts as looked at."""
    file = export_in(path, ".jsonl", NOTES)
    found = []
    for number, line in enumerate(read_text(file).split("\n"), start=1):
        where = f"{file}, line {number}"
        if line.strip():
            try:
                record = parsed(where, line)
                # Columns of the import come back beside the text, in earlier versions under `meta`.
                told = {**(record.get("meta") or {}), **record}
                text = str(told["text"] if "text" in told else told["data"])
                marks: list[Any] = next(
                    (told[key] for key in ("label", "labels", "entities") if key in told), []
                )
                spans = [
                    make_span(where, label, offsets, text) for label, offsets in map(_mark, marks)
                ]
                document = Document(str(told["note_id"]), text, kind=str(told.get("kind") or ""))
                found.append(Annotated(document, tuple(dict.fromkeys(spans))))
            except (KeyError, TypeError, AttributeError, ValueError):
                problem, remedy = "is no note of a sample", "export it as JSONL"
                raise ConfigError(where, problem, remedy) from None
    return found


def _line(note: Annotated) -> dict[str, Any]:
    document = note.document
    return {
        "text": document.text,
        "label": [[span.start, span.end, span.label] for span in note.spans],
        "note_id": document.note_id,
        "kind": document.kind,
    }


def _mark(mark: Any) -> tuple[str, tuple[int, int]]:
    if isinstance(mark, Mapping):
        return str(mark["label"]), (int(mark["start_offset"]), int(mark["end_offset"]))
    start, end, label = mark
    return str(label), (int(start), int(end))
