import json
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from models.language.corpus.batching import collate_texts
from models.language.corpus.vocabulary import END
from models.language.training.serialization import build, load
from models.language.training.training import LanguageCorpora, train
from models.training_loop import TrainingCallbacks
from record.errors import ConfigError
from tests.models.language.training.test_language_training import GPT, LSTM, Interrupted
from tests.models.prose import as_texts, notes, vocabulary

private = pytest.importorskip(
    "models.language.training.differential_privacy", reason="opacus is not installed"
)
WORDS = vocabulary()
SECRET = replace(GPT, layers=1, dropout=0.0, epsilon=8.0, delta=1e-3, epochs=1, stages=(), clip=0.5)


def test_gradients_of_notes_are_those_of_a_loop() -> None:
    torch.manual_seed(1)
    network = build(
        {"kind": "gpt", "vocabulary": WORDS.size, "width": 16, "layers": 2, "heads": 2,
         "context": 64, "dropout": 0.0}
    )  # fmt: skip
    texts = as_texts(WORDS, notes(6))
    end = WORDS.mark(END)
    found = private.gradient_norms(network, texts, end)
    for text, norm in zip(texts, found, strict=True):
        network.zero_grad()
        batch = collate_texts([text], end)
        private.note_losses(network(batch.inputs), batch).sum().backward()
        gradients = [each.grad for each in network.parameters()]
        total = sum(float(each.square().sum()) for each in gradients if each is not None)
        assert norm == pytest.approx(total**0.5, rel=1e-4)


def test_the_budget_is_what_another_accountant_finds() -> None:
    accountants = pytest.importorskip("opacus.accountants")
    rate, steps, delta = 0.1, 10, 1e-3
    for epsilon in (8.0,):
        noise = private.noise_multiplier_for(epsilon, delta, rate, steps)
        found = {}
        for kind in (accountants.RDPAccountant, accountants.PRVAccountant):
            accountant = kind()
            accountant.history = [(noise, rate, steps)]
            found[kind] = accountant.get_epsilon(delta)
        renyi, numeric = found.values()
        assert renyi <= epsilon + 1e-6 and renyi == pytest.approx(epsilon, abs=0.02)
        assert 0.6 * renyi < numeric <= renyi + 0.01  # the tighter one, and not far
    assert private.noise_multiplier_for(2.0, delta, rate, steps) > noise


def test_a_private_training_keeps_its_budget(tmp_path: Path) -> None:
    corpora = LanguageCorpora(WORDS, as_texts(WORDS, notes(40)), as_texts(WORDS, notes(2, seed=2)))
    steps = 0

    def interrupt(done: int, planned: int) -> None:
        nonlocal steps
        steps += 1
        if steps == 7:
            raise Interrupted

    with pytest.raises(Interrupted):
        train(corpora, SECRET, tmp_path, TrainingCallbacks(interrupt))
    train(corpora, SECRET, tmp_path, TrainingCallbacks(interrupt))  # what was spent before counts
    told = load(tmp_path).about["privacy"]
    assert told == json.loads((tmp_path / "training.json").read_text())["privacy"]
    assert (told["unit"], told["delta"], told["steps"]) == ("note", 1e-3, 10)
    assert 7.5 < told["epsilon"] <= 8.0 and told["noise_multiplier"] > 0


def test_what_cannot_be_private_is_refused(tmp_path: Path) -> None:
    corpora = LanguageCorpora(WORDS, as_texts(WORDS, notes(10)), as_texts(WORDS, notes(3)))
    for recipe in (replace(LSTM, epsilon=8.0), replace(SECRET, epsilon=1e-9)):
        with pytest.raises(ConfigError, match="--epsilon"):
            train(corpora, recipe, tmp_path)
