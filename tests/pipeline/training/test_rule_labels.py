"""Which labels of a tagger rules are given beside it: measured, and kept with the tagger."""

import json
from dataclasses import replace
from pathlib import Path
from random import Random

from models.tagger.folder import FOLDER_FORMAT
from models.tagger.sequences.alignment import TrainingNote
from pipeline.cli import main
from pipeline.training.rule_labels import RuleLabelTally
from record.document import Annotated, Document
from record.span import Span
from tests.models.tagger.toy import FILLERS, toy_note, toy_notes
from tests.models.tagger.training.test_training_command import QUICK, read, write


def note_of(*spans: Span) -> TrainingNote:
    return TrainingNote(Annotated(Document("1", "x" * 100), spans))


def test_a_rule_is_mapped_where_what_it_adds_is_right() -> None:
    tally = RuleLabelTally()
    dates = [Span(10 * number, 10 * number + 5, "DATE", "rules.dates") for number in range(4)]
    gold = [replace(span, label="FECHAS") for span in dates]
    tally.add(note_of(*gold), dates, None)
    assert tally.choose() == {}  # nothing is known of what it adds
    tally.add(note_of(*gold), dates, [])
    assert tally.choose() == {"DATE": "FECHAS"}
    tally.add(note_of(gold[0]), dates[:2], [])
    assert tally.choose() == {}  # five of six may be less than half of many


def test_what_the_tagger_finds_itself_is_no_addition() -> None:
    tally = RuleLabelTally()
    city = Span(0, 5, "CITY", "rules.places")
    for _ in range(9):
        tally.add(note_of(Span(0, 5, "LUGAR")), [city], [Span(4, 9, "LUGAR", "model")])
    assert tally.matches["CITY", "LUGAR"] == 9
    assert tally.choose() == {}


def test_labels_of_a_site_are_mapped_or_marked_from_training_to_detection(tmp_path: Path) -> None:
    random = Random(5)

    def with_mail(annotated: Annotated) -> Annotated:
        document, mail = annotated.document, f"{random.choice(FILLERS)}@example.org"
        start = len(document.text) + len("mail ")
        spans = [replace(span, label=f"MY_{span.label}") for span in annotated.spans]
        text = f"{document.text}mail {mail}\n"
        return Annotated(
            replace(document, text=text), (*spans, Span(start, start + len(mail), "CORREO"))
        )

    train = [with_mail(note.annotated) for note in toy_notes(20)]
    # The tagger cannot learn what only the notes of development have.
    bare = [replace(note, spans=note.spans[:-1]) for note in train[1:]]
    dev = [with_mail(toy_note(str(number), random, 2)) for number in range(9)]
    files = [
        write(tmp_path / "train.jsonl", [train[0], *bare]),
        write(tmp_path / "dev.jsonl", dev, lang="en"),
    ]
    tagger = tmp_path / "tagger"
    asked = ["train", "--train", files[0], "--dev", files[1], "-o", tagger, *QUICK]
    assert main([str(word) for word in asked]) == 0
    assert FOLDER_FORMAT.read(tagger)["rule_labels"] == {"EMAIL": "CORREO"}
    assert json.loads((tagger / "training.json").read_text())["labels"] == [
        "CORREO", "MY_ID", "MY_NAME"
    ]  # fmt: skip

    note = dev[0].document
    note = replace(note, text=f"{note.text}http://www.example.org/x\n")
    notes = write(tmp_path / "new.jsonl", [replace(dev[0], document=note)], lang="en")
    found = tmp_path / "found.jsonl"
    assert main(["detect", str(notes), "-o", str(found), "--model", str(tagger), "--plain"]) == 0
    (line,) = read(found)
    assert {(s["label"], s["detector"].partition(".")[0]) for s in line["spans"]} == {
        ("CORREO", "rules"), ("rule:URL", "rules"), ("MY_ID", "model"), ("MY_NAME", "model"),
    }  # fmt: skip
