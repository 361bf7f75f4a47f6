"""The stages of the path of a note: when Python's collector of cycles rests."""

import contextlib
import gc

import pytest

from pipeline import recall, stages
from pipeline.batch import Batch, Item
from pipeline.note import NoteRow, Unit
from record.document import Document

# Documents are read by libraries that make cycles, and taggers run in them.
COLLECTED = {"fetch", "extract", "detect"}
STAGES = dict(stages.STAGES) | dict(recall.STAGES)


class Probe:
    """Stands for the tools; tells whether the collector was on when one was asked for."""

    def __init__(self) -> None:
        self.seen: list[bool] = []

    def __getattr__(self, name):
        self.seen.append(gc.isenabled())
        raise KeyError(name)


@pytest.mark.parametrize("name", sorted(STAGES))
def test_the_collector_rests_where_nothing_makes_cycles(name):
    document = Document(note_id="1", text="Vu ce jour.")
    row = NoteRow(note_id=1, person_id=1, note_source_value="a.pdf")
    item = Item(row=row, document=document, title=document)
    probe = Probe()
    with contextlib.suppress(KeyError):
        STAGES[name](Batch(Unit(0, "", 1, 1, 1), items=(item,)), probe)
    assert probe.seen or name in ("extract", "residue"), "no tool was asked for"
    assert all(is_on is (name in COLLECTED) for is_on in probe.seen)
    assert gc.isenabled()
