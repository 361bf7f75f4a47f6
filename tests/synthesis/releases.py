"""Releases of cohorts as folders of JSON Lines, without a nightly job before them."""

import json
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from record.document import Annotated


def write_release(folder: Path, notes: Sequence[Annotated], key: str = "abc", **more: Any) -> Path:
    """A release as a folder of JSON Lines."""
    rows: dict[str, list[dict[str, Any]]] = {
        "cdm_source": [{"cdm_etl_reference": f"cryptonym release key {key}"}],
        "note": [
            {
                "note_id": number,
                "person_id": 1000 + number,
                "note_class_concept_id": 7,
                "note_text": note.document.text,
            }
            for number, note in enumerate(notes)
        ],
        "note_span": [
            {"note_id": n, "start_offset": s.start, "end_offset": s.end, "label": s.label}
            for n, note in enumerate(notes) for s in note.spans
        ],
    }  # fmt: skip
    folder.mkdir()
    for name, some in rows.items():
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in some))
    counts = {name: {"rows": len(rows[name])} for name in ("note", "note_span")}
    manifest = {"key_id": "abc", "policy_id": "p", "tables": counts, **more}
    (folder / "manifest.json").write_text(json.dumps(manifest))
    return folder


def copy_to_database(folder: Path, path: Path) -> None:
    """Copy the tables of such a release into a database of SQLite."""
    with closing(sqlite3.connect(path)) as database, database:
        for name in ("cdm_source", "note", "note_span"):
            rows = [json.loads(line) for line in (folder / f"{name}.jsonl").open()]
            database.execute(f"create table {name} ({', '.join(rows[0])})")
            marks = ", ".join("?" * len(rows[0]))
            database.executemany(
                f"insert into {name} values ({marks})", [tuple(row.values()) for row in rows]
            )
