"""Training of private representations: it learns, and goes on where it was interrupted."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from models.private import deidentifier_training
from models.private.deidentifier import Deidentifier, EncodedSentence
from models.private.embeddings import Embeddings
from models.private.recipe import RepresenterRecipe, SentenceCorpus
from models.private.representer_training import train
from models.private.sentences import Sentence, sentences
from models.private.serialization import digest, load
from models.training_loop import TrainingCallbacks
from record.errors import ConfigError
from tests.models.tagger.toy import FILLERS, NAMES, toy_notes


class Interrupted(Exception):
    """Somebody pulled the plug."""


def after(epochs: int) -> TrainingCallbacks:
    """Return callbacks that interrupt a training after some epochs."""
    seen = []

    def evaluated(entry: object) -> None:
        seen.append(entry)
        if len(seen) == epochs:
            raise Interrupted

    return TrainingCallbacks(evaluated=evaluated)


def held(count: int, seed: int) -> list[Sentence]:
    notes = [note.annotated for note in toy_notes(count, seed=seed, lines=1)]
    return [one for note in notes for one in sentences(note.document.text, note.spans)]


@pytest.fixture(scope="module")
def corpus() -> SentenceCorpus:
    words = [name.casefold() for name in (*NAMES, *FILLERS)] + ["dr", "code"]
    drawn = np.random.default_rng(1).normal(size=(len(words), 6)).astype(np.float32)
    return SentenceCorpus(
        held(6, 1), held(2, 2), Embeddings(words, drawn, np.zeros((0, 6), np.float32))
    )


SMALL = RepresenterRecipe(
    size=5, neighbours=3, units=6, adversary_units=4, epochs=(1, 1, 2), batch=3, rate=1e-2
)


@pytest.fixture(scope="module")
def whole(corpus: SentenceCorpus, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("whole")
    scores = train(corpus, SMALL, out)
    assert 0 <= scores["f1"] <= 1
    return out


@pytest.mark.parametrize("epochs", [1, 3])
def test_an_interrupted_training_gives_the_same_bits(
    corpus: SentenceCorpus, whole: Path, tmp_path: Path, epochs: int
) -> None:
    with pytest.raises(Interrupted):
        train(corpus, SMALL, tmp_path, after(epochs))
    torch.manual_seed(999)
    train(corpus, SMALL, tmp_path)
    assert digest(tmp_path) == digest(whole)


def test_the_curves_are_kept(whole: Path) -> None:
    history = load(whole).about["history"]
    assert [entry["phase"] for entry in history] == ["first", "second", "third", "third"]
    assert {"deidentifier", "dev_deidentifier", "dev_accuracy"} <= set(history[0])
    assert "representer" in history[-1] and "representer" not in history[2]
    assert len({entry["dev_deidentifier"] for entry in history[:2]}) == 1  # it was frozen


def test_no_text_is_kept_but_in_the_words(whole: Path) -> None:
    for path in whole.rglob("*"):
        if path.is_file() and path.name != "words.json":
            assert not any(name.encode() in path.read_bytes() for name in NAMES)


def test_a_kit_encodes(whole: Path, corpus: SentenceCorpus) -> None:
    kit = load(whole)
    found = kit.encode(corpus.dev, torch.Generator().manual_seed(1))
    assert [one.shape for one in found] == [(len(one), 5) for one in corpus.dev]
    assert kit.embeddings.digest == corpus.embeddings.digest


def test_other_notes_do_not_go_on_there(corpus: SentenceCorpus, tmp_path: Path) -> None:
    with pytest.raises(Interrupted):
        train(corpus, SMALL, tmp_path, after(1))
    with pytest.raises(ConfigError, match="other notes or settings"):
        train(replace(corpus, train=corpus.train[1:]), SMALL, tmp_path)


def test_what_cannot_be_trained_is_refused(
    corpus: SentenceCorpus, whole: Path, tmp_path: Path
) -> None:
    with pytest.raises(ConfigError, match="already"):
        train(corpus, SMALL, whole)
    plain = [replace(one, spans=()) for one in corpus.train]
    with pytest.raises(ConfigError, match="no sentence"):
        train(replace(corpus, train=plain), SMALL, tmp_path)
    for wrong in ({"way": "no"}, {"neighbours": 1}, {"size": 0}, {"noise": -1.0}, {"hiding": -1.0}):
        with pytest.raises(ConfigError):
            replace(SMALL, **wrong)


@pytest.mark.parametrize("name", ["weights.safetensors", "private.json", "embeddings/words.json"])
def test_a_damaged_kit_is_refused(
    corpus: SentenceCorpus, whole: Path, tmp_path: Path, name: str
) -> None:
    for path in whole.rglob("*"):
        if path.is_file():
            copy = tmp_path / path.relative_to(whole)
            copy.parent.mkdir(exist_ok=True)
            copy.write_bytes(path.read_bytes())
    content = (tmp_path / name).read_bytes()
    (tmp_path / name).write_bytes(content[:-4] + b"0000")
    with pytest.raises(ConfigError):
        load(tmp_path)


def test_hiding_lays_twins_together(corpus: SentenceCorpus, tmp_path: Path) -> None:
    plan = replace(SMALL, epochs=(5, 1, 1), hiding=2.0)
    with pytest.raises(Interrupted):
        train(corpus, plan, tmp_path, after(5))
    train(corpus, plan, tmp_path)
    told = [entry["dev_told"] for entry in load(tmp_path).about["history"]]
    assert 0 < told[4] < told[0] / 2
    with pytest.raises(ConfigError, match="without noise"):
        replace(plan, noise=0.0)


def test_reversal_trains_at_once(corpus: SentenceCorpus, tmp_path: Path) -> None:
    train(corpus, replace(SMALL, way="reversal", epochs=(1, 1, 1)), tmp_path)
    history = load(tmp_path).about["history"]
    assert [entry["phase"] for entry in history] == ["joint"] * 3
    assert {"deidentifier", "adversaries"} <= set(history[0])


def made(count: int, seed: int) -> list[EncodedSentence]:
    """Sentences in which the first number of a token's vector tells whether it is a name."""
    drawn = np.random.default_rng(seed)
    found = []
    for _ in range(count):
        vectors = drawn.normal(size=(5, 3)).astype(np.float32)
        at = int(drawn.integers(0, 5))
        vectors[:, 0] = -1
        vectors[at, 0] = 1
        found.append(EncodedSentence(vectors, drawn.integers(0, 7, 5), ((at, at + 1, "PHI"),)))
    return found


LESSON = deidentifier_training.DeidentifierRecipe(units=8, epochs=8, batch=8, rate=2e-2)


def test_a_deidentifier_learns_from_vectors_alone(tmp_path: Path) -> None:
    train_on, dev = made(80, 1), made(20, 2)
    curve: list[Any] = []
    scores = deidentifier_training.train_deidentifier(
        train_on, dev, LESSON, tmp_path / "a", TrainingCallbacks(evaluated=curve.append)
    )
    assert scores.f1 > 0.95
    assert len(curve) == 8
    network = deidentifier_training.load_deidentifier(tmp_path / "a")
    assert deidentifier_training.token_scores(network, dev) == scores
    with pytest.raises(Interrupted):
        deidentifier_training.train_deidentifier(train_on, dev, LESSON, tmp_path / "b", after(3))
    deidentifier_training.train_deidentifier(train_on, dev, LESSON, tmp_path / "b")
    weights = [(tmp_path / name / deidentifier_training.WEIGHTS).read_bytes() for name in "ab"]
    assert weights[0] == weights[1]
    with pytest.raises(ConfigError, match="already"):
        deidentifier_training.train_deidentifier(train_on, dev, LESSON, tmp_path / "a")
    with pytest.raises(ConfigError):
        deidentifier_training.train_deidentifier([], dev, LESSON, tmp_path / "c")
    (tmp_path / "a" / deidentifier_training.WEIGHTS).write_bytes(b"")
    with pytest.raises(ConfigError):
        deidentifier_training.load_deidentifier(tmp_path / "a")


def test_learning_goes_on_from_a_network_at_a_rate_that_falls(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    train_on, dev = made(20, 1), made(5, 2)
    torch.manual_seed(5)
    start = Deidentifier(3, ("PHI",), 6)
    lesson = replace(LESSON, epochs=4).for_fine_tuning(start)
    rates: list[float] = []

    def noted(network: Any, optimizer: Any, loss: Any) -> float:
        rates.append(optimizer.param_groups[0]["lr"])
        return minimize(network, optimizer, loss)

    minimize = deidentifier_training.minimize
    monkeypatch.setattr(deidentifier_training, "minimize", noted)
    deidentifier_training.train_deidentifier(train_on, dev, lesson, tmp_path / "a", start=start)
    assert rates == pytest.approx([lesson.rate * (1 - step / 12) for step in range(12)])
    with pytest.raises(Interrupted):
        deidentifier_training.train_deidentifier(
            train_on, dev, lesson, tmp_path / "b", after(3), start
        )
    with pytest.raises(ConfigError, match="other notes or settings"):  # it began elsewhere
        deidentifier_training.train_deidentifier(train_on, dev, lesson, tmp_path / "b")
    deidentifier_training.train_deidentifier(train_on, dev, lesson, tmp_path / "b", start=start)
    assert rates[12:] == rates[:12]
    weights = [(tmp_path / name / deidentifier_training.WEIGHTS).read_bytes() for name in "ab"]
    assert weights[0] == weights[1]


@pytest.mark.parametrize("labels", [("PHI",), ("NAME", "PHI")])
def test_tags_are_taken_over_where_labels_are_the_same(
    tmp_path: Path, labels: tuple[str, ...]
) -> None:
    torch.manual_seed(5)
    start = Deidentifier(3, ("PHI",), 8)
    still = replace(LESSON, epochs=1, rate=1e-12, labels=labels)
    deidentifier_training.train_deidentifier(made(4, 1), made(2, 2), still, tmp_path, start=start)
    found = deidentifier_training.load_deidentifier(tmp_path).state_dict()
    for name, value in start.state_dict().items():
        alike = found[name].shape == value.shape and torch.allclose(found[name], value, atol=1e-6)
        assert alike == (name.startswith("layers.") or len(labels) == 1), name


def test_scores_are_counted_by_token() -> None:
    class Said:
        def eval(self) -> None: ...

        def collate(self, asked: list[EncodedSentence]) -> list[EncodedSentence]:
            return asked

        def predict(self, asked: list[EncodedSentence]) -> list[Any]:
            return [[(0, 2, "PHI")]] * len(asked)

    one = replace(made(1, 1)[0], spans=((1, 4, "NAME"),))
    found = deidentifier_training.token_scores(Said(), [one])  # type: ignore[arg-type]
    assert (found.precision, found.recall, found.f1) == (0.5, 1 / 3, 0.4)
    empty = replace(one, spans=())
    counts = deidentifier_training.token_counts(Said(), [one, empty])  # type: ignore[arg-type]
    assert counts.tolist() == [[1, 1, 2], [0, 2, 0]]
