"""The exchange formats of annotation tools (BRAT, Label Studio, doccano), by name."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol
from xml.sax.saxutils import quoteattr

from pipeline.audit.private_files import find_export, parse_json, write_private
from pipeline.files.annotation_parsing import make_span, read_text
from pipeline.files.brat import read_brat
from pipeline.files.jsonl import dump_line
from record.document import Annotated, Document
from record.errors import ConfigError
from record.label import Label
from record.span import Span

READ = "READ"
"""A label of no identifier: a reader puts it on any word of a note that was read to its end."""

_TASKS = "tasks.json"
_NOTES = "notes.jsonl"
_FROM, _TO = "label", "text"
_CONFIGURATION = """\
[entities]
{labels}
[relations]
<OVERLAP>\tArg1:<ENTITY>, Arg2:<ENTITY>, <OVL-TYPE>:<ANY>
[events]
[attributes]
"""


class AnnotationFormat(Protocol):
    """A format that an annotation tool imports and exports.

    `how_to_mark` is what readers do to each note that they read.
    """

    @property
    def how_to_mark(self) -> str: ...

    def write(self, folder: Path, notes: Sequence[Annotated], /) -> None:
        """Write notes with their spans into an existing folder."""
        ...

    def read(self, path: Path, /) -> list[Annotated]:
        """Read the notes that a reader marked as read, with their corrected spans.

        `path` is the tool's export, or the written folder with the export in it. Raises
        ConfigError that names what cannot be read.
        """
        ...

    def locate(self, path: Path, note_id: str, /) -> Path:
        """Return the file that `read` takes a note's text from, to be named in errors."""
        ...


class BratFolder:
    """A folder of BRAT: a text and an annotation file for each note."""

    how_to_mark = f"in each note that was read, mark any word as {READ}"

    def write(self, folder: Path, notes: Sequence[Annotated]) -> None:
        """Write `ID.txt` and `ID.ann` for each note; spans over several lines are split.

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

    def read(self, path: Path) -> list[Annotated]:
        """Read the notes that hold a `READ`: BRAT itself does not record what was read."""
        return _keep_read(read_brat(path, []))

    def locate(self, path: Path, note_id: str) -> Path:
        """Return the text file of a note."""
        return path / f"{note_id}.txt" if path.is_dir() else path.with_suffix(".txt")


class LabelStudioExport:
    """Tasks with predictions of Label Studio, and its export in JSON.

    https://labelstud.io/guide/tasks and https://labelstud.io/guide/predictions
    """

    how_to_mark = "submit each task that was read, also where nothing had to be corrected"

    def write(self, folder: Path, notes: Sequence[Annotated]) -> None:
        """Write `tasks.json` to import, and `labels.xml`, the project's labelling interface."""
        labels = {str(label) for label in Label} | {s.label for note in notes for s in note.spans}
        choices = "".join(f"    <Label value={quoteattr(label)}/>\n" for label in sorted(labels))
        interface = (
            f'<View>\n  <Labels name="{_FROM}" toName="{_TO}">\n{choices}  </Labels>\n'
            f'  <Text name="{_TO}" value="$text"/>\n</View>\n'
        )
        write_private(folder / "labels.xml", interface)
        write_private(
            folder / _TASKS, json.dumps([_to_task(note) for note in notes], indent=1) + "\n"
        )

    def read(self, path: Path) -> list[Annotated]:
        """Read an export in the format JSON; tasks that nobody submitted were not reviewed.

        An annotation counts where it names who completed it and was not cancelled; of several the
        last one. Offsets are code
        points, or UTF-16 code units in versions before 2022; the exported words show which.
        """
        file = find_export(path, ".json", _TASKS)
        tasks = parse_json(str(file), read_text(file))
        if not isinstance(tasks, list):
            raise ConfigError(str(file), "not a list of tasks", "export in the format JSON")
        found = []
        for number, task in enumerate(tasks, start=1):
            try:
                note = _parse_task(f"{file}, task {number}", task)
            except (KeyError, TypeError, AttributeError, ValueError):
                problem, remedy = "not a task of a sample", "export in the format JSON"
                raise ConfigError(f"{file}, task {number}", problem, remedy) from None
            found += [note] if note else []
        return found

    def locate(self, path: Path, _note_id: str) -> Path:
        """Return the export, which holds all notes."""
        return find_export(path, ".json", _TASKS)


class DoccanoExport:
    """Sequence labelling of doccano, in JSON Lines.

    https://doccano.github.io/doccano/tutorial/
    """

    how_to_mark = f"in each note that was read, mark any word as {READ}"

    def write(self, folder: Path, notes: Sequence[Annotated]) -> None:
        """Write `notes.jsonl` to import as JSONL, and `labels.json`, the project's labels."""
        labels = {str(label) for label in Label} | {s.label for note in notes for s in note.spans}
        labels.add(READ)
        listed = [{"text": label} for label in sorted(labels)]
        write_private(folder / "labels.json", json.dumps(listed, indent=1) + "\n")
        write_private(
            folder / _NOTES, "".join(dump_line(_to_record(note)) + "\n" for note in notes)
        )

    def read(self, path: Path) -> list[Annotated]:
        """Read the notes of a JSONL export that hold a `READ`.

        doccano's own "confirmed" is not among what it exports.
        """
        file = find_export(path, ".jsonl", _NOTES)
        found = []
        for number, line in enumerate(read_text(file).split("\n"), start=1):
            where = f"{file}, line {number}"
            if line.strip():
                try:
                    record = parse_json(where, line)
                    # Imported columns stand beside the text, in earlier versions under `meta`.
                    fields = {**(record.get("meta") or {}), **record}
                    text = str(fields["text"] if "text" in fields else fields["data"])
                    marks: list[Any] = next(
                        (fields[key] for key in ("label", "labels", "entities") if key in fields),
                        [],
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
        return _keep_read(found)

    def locate(self, path: Path, _note_id: str) -> Path:
        """Return the export, which holds all notes."""
        return find_export(path, ".jsonl", _NOTES)


FORMATS: dict[str, AnnotationFormat] = {
    "brat": BratFolder(),
    "label-studio": LabelStudioExport(),
    "doccano": DoccanoExport(),
}
"""Name on the command line -> format."""


def _keep_read(notes: Iterable[Annotated]) -> list[Annotated]:
    """Return the notes that hold the mark, without it."""
    return [
        replace(note, spans=tuple(span for span in note.spans if span.label != READ))
        for note in notes
        if any(span.label == READ for span in note.spans)
    ]


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


def _to_task(note: Annotated) -> dict[str, Any]:
    document = note.document
    result = [
        {
            "id": f"{document.note_id}-{number}",
            "from_name": _FROM,
            "to_name": _TO,
            "type": "labels",
            "value": {
                "start": span.start,
                "end": span.end,
                "text": document.text[span.start : span.end],
                "labels": [span.label],
            },
            "score": span.score,
        }
        for number, span in enumerate(note.spans, start=1)
    ]
    return {
        "data": {"text": document.text, "note_id": document.note_id, "kind": document.kind},
        "predictions": [{"model_version": "cryptonym", "result": result}],
    }


def _parse_task(where: str, task: Mapping[str, Any]) -> Annotated | None:
    data = task["data"]
    text = str(data["text"])
    document = Document(str(data["note_id"]), text, kind=str(data.get("kind") or ""))
    done = [
        annotation
        for annotation in task.get("annotations", [])
        if annotation.get("completed_by") is not None and not annotation.get("was_cancelled")
    ]
    if not done:
        return None
    regions = [region for region in done[-1]["result"] if region["type"] == "labels"]
    spans = [span for region in regions for span in _parse_region(where, region["value"], text)]
    return Annotated(document, tuple(dict.fromkeys(spans)))


def _parse_region(where: str, value: Mapping[str, Any], text: str) -> list[Span]:
    start, end, words = int(value["start"]), int(value["end"]), value.get("text")
    if isinstance(words, str) and text[start:end] != words:
        # A browser counts UTF-16 code units.
        units = text.encode("utf-16-le", "surrogatepass")
        pieces = (units[: 2 * start], units[2 * start : 2 * end])
        before, inner = (piece.decode("utf-16-le", "surrogatepass") for piece in pieces)
        if inner.split() != words.split():
            problem = "the text of a region does not match its offsets"
            raise ConfigError(where, problem, "export again from the project of this sample")
        start, end = len(before), len(before) + len(inner)
    return [make_span(where, str(label), (start, end), text) for label in value["labels"]]


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
