"""Every note is looked through for copies, and notes without a patient count as one patient's."""

import json
import random
from pathlib import Path
from typing import Any

import pytest

from evaluation.attacks.passages import OTHERS, views
from pipeline.config.progress import Progress
from pipeline.synthetic.corpus_passages import passage_index
from pipeline.synthetic.measurements.screening import screen_notes
from record.document import Annotated, Document
from record.errors import ConfigError
from synthesis.corpus_splitting import split_notes
from synthesis.prepared_corpus import digest, load_corpus, save_corpus

PASSAGE = "he fell on the stairs while he carried damp logs to the cellar"


def notes(persons: list[str | None]) -> list[Annotated]:
    """Notes of so many persons, with one passage in the first of them, and other words."""
    chance = random.Random(1)
    texts = [" ".join(f"w{chr(97 + chance.randrange(26))}" for _ in range(20)) for _ in persons]
    for number in range(OTHERS + 2):
        texts[number] += f" {PASSAGE}"
    return [
        Annotated(Document(f"n{number}", text, person), ())
        for number, (text, person) in enumerate(zip(texts, persons, strict=True))
    ]


def generated(folder: Path, *records: dict[str, Any]) -> Path:
    """Notes of a model that learnt from the corpus beside their folder."""
    folder.mkdir()
    (folder / "notes.jsonl").write_text("".join(json.dumps(each) + "\n" for each in records))
    manifest = {
        "format": 1, "corpus_sha256": digest(folder.parent / "corpus"),
        "well_formed": 1.0, "tags": {"distance": 0.0},
    }  # fmt: skip
    (folder / "manifest.json").write_text(json.dumps(manifest))
    return folder


@pytest.mark.parametrize(("is_known", "most"), [(True, 1), (False, None)])
def test_what_notes_without_a_patient_share_is_a_passage(
    tmp_path: Path, is_known: bool, most: int | None
) -> None:
    persons = [f"p{number}" if is_known else None for number in range(60)]
    manifest = save_corpus(split_notes(notes(persons), seed=1), tmp_path / "corpus", {})
    assert manifest["most_notes_of_a_patient"] == most
    index = passage_index(load_corpus(tmp_path / "corpus"))
    assert bool(index.patients(views(Annotated(Document("s", PASSAGE), ())))) is not is_known
    made = generated(tmp_path / "made", {"note_id": "s", "text": PASSAGE, "spans": []})
    found = screen_notes(made, tmp_path / "corpus", Progress(), seed=1)
    (copied,) = (each.value for each in found.measured if each.name == "copied-passages")
    assert bool(copied) is not is_known


@pytest.mark.parametrize(
    "record",
    [
        {"note_id": "t", "text": PASSAGE, "spans": [{"start": 0, "end": 999, "label": "NAME"}]},
        {"text": PASSAGE, "spans": []},
    ],
)
def test_a_line_that_cannot_be_read_is_not_left_out(tmp_path: Path, record: dict[str, Any]) -> None:
    persons: list[str | None] = [f"p{number}" for number in range(60)]
    save_corpus(split_notes(notes(persons), seed=1), tmp_path / "corpus", {})
    made = generated(tmp_path / "made", {"note_id": "s", "text": "a b c", "spans": []}, record)
    with pytest.raises(ConfigError, match="not a valid note: line 2") as refused:
        screen_notes(made, tmp_path / "corpus", Progress(), seed=1)
    assert PASSAGE not in str(refused.value)


def test_one_note_without_a_patient_leaves_the_number_of_notes_unknown(tmp_path: Path) -> None:
    persons: list[str | None] = [f"p{number // 2}" for number in range(60)]
    known = save_corpus(split_notes(notes(persons), seed=1), tmp_path / "known", {})
    persons[-1] = None
    unknown = save_corpus(split_notes(notes(persons), seed=1), tmp_path / "unknown", {})
    assert (known["most_notes_of_a_patient"], unknown["most_notes_of_a_patient"]) == (2, None)
