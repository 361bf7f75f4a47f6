"""Notes planted ten times are found in a model, and are not where its training was private."""

from pathlib import Path

import pytest

from benchmarks.synthesis.canaries import attack_canaries
from models.language.training.recipe import make_recipe
from models.language.training.serialization import load
from pipeline.synthetic.generator_training import train_on_corpus
from synthesis.corpus_splitting import split_notes
from synthesis.prepared_corpus import save_corpus
from tests.synthesis.letters import letters

TINY: dict[str, float] = {
    "width": 32,
    "layers": 1,
    "heads": 2,
    "context": 256,
    "vocabulary_size": 400,
}
TINY |= {"step_tokens": 256, "peak": 0.01, "seed": 3}
PLANTED = (20, 10)


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("planted") / "corpus"
    save_corpus(split_notes(letters(150), seed=3), folder, {"inside": True})
    return folder


def trained(corpus: Path, out: Path, **changes: float) -> Path:
    """Train a model on the corpus with planted notes in it."""
    train_on_corpus(corpus, make_recipe("gpt-small", {**TINY, **changes}), out, canaries=PLANTED)
    return out


def test_they_are_found_where_training_was_not_private(corpus: Path, tmp_path: Path) -> None:
    found = attack_canaries(trained(corpus, tmp_path / "model", epochs=8))
    assert found.auc >= 0.9 and found.low > 0.5


def test_they_are_not_told_apart_where_it_was(
    corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    private = pytest.importorskip(
        "models.language.training.differential_privacy", reason="opacus is not installed"
    )
    # One interval of twenty lies beside a half that is there: chance must not decide a test.
    monkeypatch.setattr(private.secrets, "randbits", lambda bits: 7)
    found = attack_canaries(trained(corpus, tmp_path / "model", epochs=2, epsilon=4.0))
    assert load(tmp_path / "model").about["privacy"]["epsilon"] <= 4
    assert found.low <= 0.5 <= found.high < 0.9
