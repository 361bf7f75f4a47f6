"""Notes that teachers label: what all found is learnt, what some found is left open."""

import json
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from models.tagger.sequences.alignment import UNSURE, GoldTags, TrainingNote, labels_of
from models.tagger.sequences.crf import LinearChainCRF, StackedCRF
from models.tagger.sequences.tags import TagScheme
from models.tagger.training.augmentation import make_augmenter
from pipeline.cli import main
from pipeline.training.tagger import SURE, taught
from record.document import Annotated, Document
from record.span import Span
from tests.models.tagger.toy import NAMES, toy_notes
from tests.models.tagger.training.test_training_command import QUICK, read, toys, write

LABELS = ("ID", "NAME")
DOCUMENT = Document("1", "a b c d e f g h i j")


def at(first: int, last: int, label: str = "NAME", score: float = 1.0) -> Span:
    """A span over the words from `first` to `last`, which are letters with blanks between."""
    return Span(2 * first, 2 * last + 1, label, "model", score)


def places(note: TrainingNote, label: str) -> list[tuple[int, int]]:
    spans = note.annotated.spans
    return [((s.start + 1) // 2, (s.end - 1) // 2) for s in spans if s.label == label]


def test_what_all_found_is_learnt_and_what_some_found_is_left_open() -> None:
    one = [at(0, 1), at(3, 3, "ID"), at(5, 6), at(9, 9, score=SURE / 2)]
    other = [at(0, 1), at(3, 3), at(6, 7), at(9, 9)]
    note = taught(DOCUMENT, [one, other], None)
    assert places(note, "NAME") == [(0, 1)]
    assert places(note, "ID") == []
    assert places(note, UNSURE) == [(3, 3), (5, 7), (9, 9)]


def test_most_of_three_teach_and_what_one_found_beside_them_is_left_open() -> None:
    note = taught(DOCUMENT, [[at(1, 2)], [at(1, 2), at(5, 5)], [at(0, 4, "ID")]], None)
    assert places(note, "NAME") == [(1, 2)]
    assert places(note, "ID") == []
    assert places(note, UNSURE) == [(0, 0), (3, 4), (5, 5)]
    note = taught(DOCUMENT, [[at(1, 2), at(3, 3)], [at(1, 2)], [at(1, 3)]], None)
    assert places(note, "NAME") == [(1, 2)]
    assert places(note, UNSURE) == [(3, 3)]


def test_one_teacher_is_believed_where_it_is_sure() -> None:
    note = taught(DOCUMENT, [[at(0, 0, score=SURE), at(2, 2, score=SURE * 0.9)]], None)
    assert places(note, "NAME") == [(0, 0)]
    assert places(note, UNSURE) == [(2, 2)]


WORD = st.integers(0, 9)
SPAN = st.builds(
    lambda first, more, label, score: at(first, min(9, first + more), label, score),
    *(WORD, st.integers(0, 3), st.sampled_from(LABELS), st.floats(0, 1)),
)


def apart(spans: list[Span]) -> list[Span]:
    """Those that overlap none before them, as a tagger with one sequence of tags finds them."""
    kept: list[Span] = []
    for span in spans:
        if all(span.end <= other.start or other.end <= span.start for other in kept):
            kept.append(span)
    return kept


TEACHERS = st.lists(st.lists(SPAN, max_size=6).map(apart), min_size=1, max_size=3)


@given(TEACHERS)
def test_nothing_is_learnt_that_most_teachers_did_not_see(found: list[list[Span]]) -> None:
    note = taught(DOCUMENT, found, None)
    words = [(2 * place, 2 * place + 1) for place in range(10)]
    allowed = GoldTags(LABELS, stacked=False).allowed(note, words, Counter())
    scheme = TagScheme(LABELS)
    for place, row in enumerate(allowed):
        covering = [
            {(s.start, s.end, s.label) for s in each if s.start <= 2 * place < s.end}
            for each in found
        ]
        if row.all():
            assert any(covering), "somebody found something there"
            continue
        (tag,) = np.flatnonzero(row)
        if scheme.tags[tag] == "O":
            assert not any(covering), "nobody found anything there"
        else:
            label = scheme.tags[tag][2:]
            agreeing = sum(any(label == seen[2] for seen in each) for each in covering)
            assert 2 * agreeing > len(found)


@given(TEACHERS, st.booleans())
def test_some_legal_sequence_is_always_left(found: list[list[Span]], stacked: bool) -> None:
    note = taught(DOCUMENT, found, None)
    words = [(2 * place, 2 * place + 1) for place in range(10)]
    allowed = torch.from_numpy(GoldTags(LABELS, stacked=stacked).allowed(note, words, Counter()))[
        None
    ]
    chain = StackedCRF(LABELS) if stacked else LinearChainCRF(TagScheme(LABELS), learned=True)
    shape = allowed.shape
    lost = chain.negative_log_likelihood(torch.zeros(shape), torch.tensor([10]), allowed)
    assert torch.isfinite(lost).all()
    assert (lost < 100).all(), "an illegal sequence costs 1e30"
    assert (lost > -1e-6).all()


def test_what_is_unsure_is_no_label_and_no_text_to_swap() -> None:
    note = Annotated(DOCUMENT, (at(0, 1), Span(4, 5, UNSURE)))
    assert labels_of([TrainingNote(note)]) == ("NAME",)
    assert set(make_augmenter([note], 1.0).surfaces) == {"NAME"}


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with two teachers, who learnt from ten notes, and notes without annotation."""
    folder = tmp_path_factory.mktemp("teachers")
    train, dev = toys(folder / "train.jsonl", 10, 1), toys(folder / "dev.jsonl", 10, 2)
    for seed in ("1", "2"):
        command = ["train", "--train", str(train), "--dev", str(dev), "--seed", seed]
        assert main([*command, "-o", str(folder / f"teacher-{seed}"), *QUICK]) == 0
    bare = [Annotated(note.annotated.document, ()) for note in toy_notes(20, seed=5)]
    write(folder / "more.jsonl", bare)
    return folder


def asked(place: Path, out: Path, *more: str) -> list[str]:
    learning = ["train", "--train", str(place / "train.jsonl"), "--dev", str(place / "dev.jsonl")]
    return [*learning, "-o", str(out), *QUICK, *more]


def test_a_student_learns_from_notes_without_annotation(place: Path, tmp_path: Path) -> None:
    teachers = [str(place / f"teacher-{seed}") for seed in (1, 2)]
    more = ["--unannotated", str(place / "more.jsonl"), "--teacher", *teachers]
    assert main(asked(place, tmp_path / "student", *more)) == 0
    told = json.loads((tmp_path / "student" / "training.json").read_text())
    about = told["notes"]["unannotated"]
    assert about["notes"] == 20
    assert sum(about["spans"].values()) > 50
    assert UNSURE not in told["labels"]
    for path in (tmp_path / "student").iterdir():
        held = path.read_bytes()
        assert not [name for name in NAMES if name.encode() in held], path.name
    found = tmp_path / "found.jsonl"
    command = ["detect", str(place / "dev.jsonl"), "-o", str(found), "--plain"]
    model = ["--model", str(tmp_path / "student"), "--detectors", "model"]
    assert main([*command, *model]) == 0
    assert sum(len(line["spans"]) for line in read(found)) > 20


def test_teachers_and_notes_come_together(
    place: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for more in (
        ["--unannotated", str(place / "more.jsonl")],
        ["--teacher", str(place / "teacher-1")],
    ):
        assert main(asked(place, tmp_path / "student", *more)) == 2
        assert "give both" in capsys.readouterr().err


def test_a_teacher_of_other_labels_is_refused(
    place: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "map.toml").write_text('NAME = "LAST_NAME"\nID = "PATIENT_ID"\n')
    more = ["--unannotated", str(place / "more.jsonl"), "--teacher", str(place / "teacher-1")]
    more += ["--label-map", str(tmp_path / "map.toml")]
    assert main(asked(place, tmp_path / "student", *more)) == 2
    assert "finds labels that --train has not: ID, NAME" in capsys.readouterr().err
