"""How far a unit is, as its stages tell it while they work."""

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from pipeline.notes import stages
from pipeline.notes.batch import Batch, BatchNote
from pipeline.warehouse.note_rows import NoteRow, Unit
from record.document import Document


def test_documents_count_half_when_they_are_extracted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of six notes one was unchanged, three are texts and two documents, one of them unreadable."""
    told: list[int] = []
    leases = SimpleNamespace(note_progress=lambda unit, worked: told.append(worked))
    resources: Any = SimpleNamespace(state=SimpleNamespace(leases=leases))
    values: list[Any] = [None] * len(NoteRow.__dataclass_fields__)
    row = NoteRow(*values)
    items = tuple(
        BatchNote(replace(row, note_id=number), data=b"%PDF" if number > 3 else None)
        for number in range(1, 6)
    )
    batch = Batch(Unit(0, "", 1, 6, 6), tuple(range(1, 7)), items)

    def extract(item: BatchNote, *_: object) -> BatchNote:
        if item.note_id == "5":
            raise ValueError
        origin = "pymupdf" if item.data else stages.NOTE_TEXT
        return replace(item, document=Document(item.note_id, "", origin=origin), data=None)

    monkeypatch.setattr(stages, "_extract_note", extract)
    extracted = stages.extract_texts(batch, resources)
    assert told == [1, 1, 1, 1]
    told.clear()

    def weigh(item: BatchNote) -> float:
        return 1.0 - stages._extracted_share(item)

    done = sum(map(stages._extracted_share, extracted.items))
    step = stages._tell_progress(lambda item: item, extracted, resources, weigh, done=done)
    extracted.apply("detect", step)
    assert told == [3, 4, 5, 6]
