"""Writes and reads notes for review in Label Studio: tasks with predictions, and the JSON export.

https://labelstud.io/guide/tasks and https://labelstud.io/guide/predictions
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from xml.sax.saxutils import quoteattr

from pipeline.audit.private_files import find_export, parse_json, write_private
from pipeline.files.annotation_parsing import make_span, read_text
from record.document import Annotated, Document
from record.errors import ConfigError
from record.label import Label
from record.span import Span

TASKS = "tasks.json"
HOW_TO_MARK = "submit each task that was read, also where nothing had to be corrected"
_FROM, _TO = "label", "text"


def write(folder: Path, notes: Sequence[Annotated]) -> None:
    """Write `tasks.json` to import, and `labels.xml`, the project's labelling interface."""
    labels = {str(label) for label in Label} | {s.label for note in notes for s in note.spans}
    choices = "".join(f"    <Label value={quoteattr(label)}/>\n" for label in sorted(labels))
    interface = (
        f'<View>\n  <Labels name="{_FROM}" toName="{_TO}">\n{choices}  </Labels>\n'
        f'  <Text name="{_TO}" value="$text"/>\n</View>\n'
    )
    write_private(folder / "labels.xml", interface)
    write_private(folder / TASKS, json.dumps([_to_task(note) for note in notes], indent=1) + "\n")


def read(path: Path) -> list[Annotated]:
    """Read an export in the format JSON; tasks that nobody submitted were not reviewed.

    An annotation counts where it names who completed it and was not cancelled; of several the
    last one. Offsets are code
    points, or UTF-16 code units in versions before 2022; the exported words show which.
    """
    file = find_export(path, ".json", TASKS)
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
