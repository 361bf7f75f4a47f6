"""The text that a model learnt from is read in parts that end between words."""

from pathlib import Path

import pytest

from pipeline.synthetic.measurements import base_overlap
from pipeline.synthetic.measurements.base_overlap import read_texts
from record.errors import ConfigError


def test_no_word_of_a_plain_text_is_cut(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(base_overlap, "_BLOCK", 16)
    path = tmp_path / "web.txt"
    words = ["short", "words", "and", "on", "a", "further\nline", "to", "the", "end"]
    path.write_text(" ".join(words))
    ((*parts,),) = [list(text) for text in read_texts(path, [])]
    assert "".join(parts) == " ".join(words)
    assert len(parts) > 2
    assert all(part[-1].isspace() for part in parts[:-1])


def test_other_files_hold_notes(tmp_path: Path) -> None:
    path = tmp_path / "notes.jsonl"
    path.write_text('{"note_id": "1", "text": "one"}\n{"note_id": "2", "text": "two"}\n')
    assert [list(text) for text in read_texts(path, [])] == [["one"], ["two"]]
    with pytest.raises(ConfigError):
        list(read_texts(tmp_path / "missing.txt", []))
