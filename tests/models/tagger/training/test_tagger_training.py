import json
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from models.checkpoint import CHECKPOINT
from models.tagger.encoders.encoder import EncoderConfig
from models.tagger.encoders.subword_tokenizer import SubwordTokenizer
from models.tagger.encoders.vocabulary_training import text_outside_spans, train_vocabulary
from models.tagger.encoders.windows import WindowConfig
from models.tagger.encoders.words import words
from models.tagger.prediction import predict
from models.tagger.runtime import Tagger
from models.tagger.sequences.alignment import GoldTags, TrainingNote, word_spans
from models.tagger.sequences.tags import TagScheme
from models.tagger.training.augmentation import Augmenter, make_augmenter
from models.tagger.training.batching import TrainingBatches
from models.tagger.training.recipe import TaggerRecipe
from models.tagger.training.training import TRAINING, Corpora, train
from models.training_loop import TrainingCallbacks
from record.document import Document
from record.errors import ConfigError
from tests.models.tagger.toy import CANARY, NAMES, toy_corpora, toy_notes, toy_recipe, toy_training

WEIGHTS = "weights.safetensors"


class Interrupted(Exception):
    """Stands for a process that was killed."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("tagger") / "single"
    assert toy_training(out, epochs=6).f1 == 1.0
    return out


@pytest.mark.parametrize(
    "changes",
    [
        {"head": "stacked"},
        {"convolution": True, "augmented": 0.3},
        {"encoder": EncoderConfig("bilstm"), "encoder_rate": 1e-2, "patience": 1},
    ],
)
def test_a_simple_task_is_learnt_whole(changes: dict[str, Any], tmp_path: Path) -> None:
    assert toy_training(tmp_path / "out", **changes).f1 == 1.0


def test_without_a_sequence_names_are_found_but_not_always_as_one(tmp_path: Path) -> None:
    found = toy_training(tmp_path / "out", head="softmax")
    assert found.redacted == 1.0
    assert 0.7 < found.f1 < 1.0


def test_what_was_learnt_is_found_in_new_notes(folder: Path) -> None:
    tagger = Tagger.load(folder)
    assert tagger.labels == ("ID", "NAME")
    notes = [note.annotated for note in toy_notes(5, seed=3)]
    found = tagger.spans([note.document for note in notes])
    for note, spans in zip(notes, found, strict=True):
        assert [(s.start, s.end, s.label) for s in spans] == [
            (s.start, s.end, s.label) for s in note.spans
        ]
        assert {span.detector for span in spans} == {"model"}
        assert all(0.8 < span.score <= 1 for span in spans)


@pytest.mark.parametrize(
    "text", ["", " \n ", "\x00\x07", "🩺🩺", "\u202eשלום", "ж" * 2000, "." * 3000, "Dr\n" * 900]
)
def test_any_text_can_be_tagged(folder: Path, text: str) -> None:
    (spans,) = Tagger.load(folder).spans([Document("1", text)])
    assert all(0 <= span.start < span.end <= len(text) for span in spans)


def test_half_the_precision_finds_the_same(folder: Path) -> None:
    tagger = Tagger.load(folder)
    documents = [note.annotated.document for note in toy_notes(6, seed=4)]
    exact = tagger.spans(documents)
    tagger._trained.network.in_bfloat16 = not tagger._trained.network.in_bfloat16
    for spans, others in zip(exact, tagger.spans(documents), strict=True):
        assert [(s.start, s.end) for s in spans] == [(s.start, s.end) for s in others]


def test_a_note_does_not_change_what_is_found_in_another(folder: Path) -> None:
    tagger = Tagger.load(folder)
    documents = [note.annotated.document for note in toy_notes(6, seed=4)]
    documents.insert(3, Document("empty", ""))
    together = tagger.spans(documents)
    for document, spans in zip(documents, together, strict=True):
        (alone,) = tagger.spans([document])
        assert [(s.start, s.end, s.label) for s in alone] == [
            (s.start, s.end, s.label) for s in spans
        ]


def test_a_long_note_is_tagged_as_its_parts(folder: Path) -> None:
    tagger = Tagger.load(folder)
    parts = [note.annotated.document for note in toy_notes(150, seed=5)]
    whole = Document("long", "".join(part.text for part in parts))
    assert len(whole.text.split()) > 5000
    at, apart = 0, []
    for part, spans in zip(parts, tagger.spans(parts), strict=True):
        apart += [replace(s, start=s.start + at, end=s.end + at) for s in spans]
        at += len(part.text)
    cut = words(whole.text)
    found, wanted = (
        TagScheme(tagger.labels).encode(word_spans(spans, cut, Counter()), len(cut))
        for spans in (tagger.spans([whole])[0], apart)
    )
    same = sum(one == other for one, other in zip(found, wanted, strict=True))
    assert same >= 0.995 * len(cut)


@pytest.mark.parametrize("head", ["single", "stacked", "softmax"])
def test_an_interrupted_training_goes_on_to_the_same_weights(head: str, tmp_path: Path) -> None:
    changes: dict[str, Any] = {"head": head, "epochs": 2, "augmented": 0.5, "checkpoint_steps": 3}
    toy_training(tmp_path / "whole", **changes)
    steps = 0

    def stop(done: int, planned: int) -> None:
        nonlocal steps
        steps += 1
        if steps in (4, 11, 30):
            raise Interrupted

    for _ in range(3):
        with pytest.raises(Interrupted):
            toy_training(tmp_path / "parts", TrainingCallbacks(advance=stop), **changes)
        kept = (tmp_path / "parts" / CHECKPOINT).read_bytes()
        assert not any(name.encode() in kept for name in NAMES)
        with pytest.raises(ConfigError, match="other notes or settings"):
            toy_training(tmp_path / "parts", **{**changes, "seed": 9})
    toy_training(tmp_path / "parts", **changes)
    whole, parts = ((tmp_path / name / WEIGHTS).read_bytes() for name in ("whole", "parts"))
    assert whole == parts
    assert sorted(path.name for path in (tmp_path / "parts").iterdir()) == [
        "tagger.json", TRAINING, "vocabulary.json", WEIGHTS
    ]  # fmt: skip


def test_one_seed_gives_one_tagger_and_another_another(tmp_path: Path) -> None:
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        toy_training(tmp_path / name, epochs=1, seed=seed)
    for file in (WEIGHTS, "vocabulary.json", "tagger.json"):
        one, same = ((tmp_path / name / file).read_bytes() for name in "ab")
        assert one == same
    assert (tmp_path / "a" / WEIGHTS).read_bytes() != (tmp_path / "c" / WEIGHTS).read_bytes()


@pytest.mark.parametrize(("least", "epochs"), [(0, 4), (3, 4), (50, 25)])
def test_few_notes_are_seen_as_often_as_makes_enough_steps(
    least: int, epochs: int, tmp_path: Path
) -> None:
    corpora = Corpora(toy_notes(2), toy_notes(1))
    recipe = toy_recipe(least_steps=least, patience=100, step_tokens=48)
    steps = TrainingBatches(corpora.train, *_prepared(corpora, recipe)).steps(0)
    assert len(steps) == 2
    train(corpora, recipe, tmp_path / "out")
    told = json.loads((tmp_path / "out" / TRAINING).read_text())
    assert told["recipe"]["epochs"] == epochs
    assert told["history"][-1]["epochs"] == epochs


def test_training_learns_every_piece_once_an_epoch() -> None:
    corpora = Corpora(toy_notes(3, lines=20), [])
    recipe = toy_recipe(cut=WindowConfig(48, 16))
    samples = TrainingBatches(corpora.train, *_prepared(corpora, recipe))
    passages = [one for step in samples.steps(0) for one in step]
    learnt = sum(window.end - window.first for one in passages for window in one.windows)
    assert learnt == sum(len(one.allowed) for one in passages)
    assert learnt == sum(len(words(note.annotated.document.text)) for note in corpora.train)


def _prepared(
    corpora: Corpora, recipe: TaggerRecipe
) -> tuple[SubwordTokenizer, GoldTags, TaggerRecipe, Augmenter]:
    plain = [note.annotated for note in corpora.train]
    subwords = train_vocabulary(text_outside_spans(plain), size=500)
    return subwords, GoldTags(("ID", "NAME"), stacked=False), recipe, make_augmenter(plain, 0.0)


def test_no_time_left_still_gives_a_whole_tagger(tmp_path: Path) -> None:
    toy_training(tmp_path / "out", max_minutes=1e-4)
    assert Tagger.load(tmp_path / "out").labels == ("ID", "NAME")
    held = json.loads((tmp_path / "out" / TRAINING).read_text())
    assert len(held["history"]) == 1


def test_nothing_of_a_note_is_written(folder: Path, tmp_path: Path) -> None:
    for path in folder.iterdir():
        content = path.read_bytes().lower()
        for name in NAMES:
            assert name.lower().encode() not in content
            assert name.lower() not in path.name
    assert CANARY not in repr(toy_corpora())


def test_labels_of_two_corpora_are_learnt_from_either(tmp_path: Path) -> None:
    def only(label: str, seed: int) -> list[TrainingNote]:
        return [
            TrainingNote(
                replace(
                    note.annotated,
                    spans=tuple(s for s in note.annotated.spans if s.label == label),
                ),
                frozenset({label}),
            )
            for note in toy_notes(20, seed=seed)
        ]

    corpora = Corpora([*only("ID", 1), *only("NAME", 2)], toy_notes(10, seed=3))
    scores = train(corpora, toy_recipe(), tmp_path / "out")
    assert scores.recall > 0.95


def test_a_folder_that_is_done_is_not_trained_over(folder: Path) -> None:
    with pytest.raises(ConfigError, match="already"):
        toy_training(folder)


def test_what_cannot_be_trained_is_refused(tmp_path: Path) -> None:
    bare = [TrainingNote(replace(note.annotated, spans=())) for note in toy_notes(2)]
    for train_on, dev, key in ((bare, toy_notes(1), "--train"), (toy_notes(1), [], "--dev")):
        with pytest.raises(ConfigError, match=key):
            train(Corpora(train_on, dev), toy_recipe(), tmp_path / "out")
    with pytest.raises(ConfigError, match="--window"):
        toy_training(tmp_path / "out", cut=WindowConfig(4000, 8))
    for name, value in (("head", "none"), ("max_minutes", 0), ("masked", 1), ("epochs", 0)):
        with pytest.raises(ConfigError, match=f"--{name.replace('_', '-')}"):
            toy_recipe(**{name: value})


def _copied(folder: Path, out: Path) -> Path:
    out.mkdir()
    for path in folder.iterdir():
        (out / path.name).write_bytes(path.read_bytes())
    return out


@pytest.mark.parametrize("file", ["tagger.json", "vocabulary.json", WEIGHTS])
@pytest.mark.parametrize("damage", ["missing", "cut", "empty", "changed"])
def test_a_damaged_folder_names_the_file(
    folder: Path, tmp_path: Path, file: str, damage: str
) -> None:
    path = _copied(folder, tmp_path / "copy") / file
    content = path.read_bytes()
    if damage == "missing":
        path.unlink()
    else:
        changed = {"cut": content[:-10], "empty": b"", "changed": b"[" + content[1:]}
        path.write_bytes(changed[damage])
    with pytest.raises(ConfigError, match=file):
        Tagger.load(path.parent)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("format", 99),
        ("design", {"labels": ["ID"], "head": "single"}),
        ("design", {}),
        ("cut", {"pieces": 3, "context": 2}),
        ("encoder", {}),
        ("sha256", {}),
    ],
)
def test_settings_that_do_not_fit_are_refused(
    folder: Path, tmp_path: Path, key: str, value: object
) -> None:
    path = _copied(folder, tmp_path / "copy") / "tagger.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), key: value}))
    with pytest.raises(ConfigError, match=r"tagger\.json"):
        Tagger.load(path.parent)


def test_spans_are_the_same_whatever_shares_their_batch(folder: Path) -> None:
    trained = Tagger.load(folder)._trained
    documents = [note.annotated.document for note in toy_notes(3, seed=6, lines=30)]
    first = predict(trained.network, trained.subwords, trained.cut, documents)
    second = predict(trained.network, trained.subwords, trained.cut, documents[::-1])
    assert [[s.start for s in spans] for spans in first] == [
        [s.start for s in spans] for spans in second[::-1]
    ]


def test_scores_are_those_of_what_detection_makes_of_the_spans(tmp_path: Path) -> None:
    scores = train(
        toy_corpora(),
        toy_recipe(epochs=6),
        tmp_path / "out",
        refine=lambda spans, document: [span for span in spans if span.label == "ID"],
    )
    assert (scores.precision, scores.zero_leak) == (1.0, 0.0)
    assert 0 < scores.recall < 1
