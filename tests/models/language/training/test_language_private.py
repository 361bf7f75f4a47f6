import json
import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from models.language.corpus.batching import Text, collate_texts
from models.language.corpus.contributions import Contribution, group_by_patient
from models.language.corpus.vocabulary import END, PretrainedVocabulary, Vocabulary
from models.language.networks.pretrained import load_vocabulary
from models.language.training.recipe import LanguageRecipe, make_recipe
from models.language.training.serialization import load
from models.language.training.training import LanguageCorpora, make_network, train
from models.training_loop import TrainingCallbacks
from record.errors import ConfigError
from tests.models.language.training.test_language_training import GPT, LSTM, Interrupted
from tests.models.pretrained import save_causal
from tests.models.prose import MARKS, as_texts, notes, vocabulary

private = pytest.importorskip(
    "models.language.training.differential_privacy", reason="opacus is not installed"
)
WORDS = vocabulary()
SECRET = replace(GPT, layers=1, dropout=0.0, epsilon=8.0, delta=1e-3, epochs=1, stages=(), clip=0.5)
RECURRENT = replace(LSTM, epsilon=8.0, delta=1e-3, epochs=1, clip=0.5)
KINDS = ("gpt", "lstm", "pretrained")
PATIENTS = 12


def owned(words: Vocabulary, count: int, *, each: int = 2, seed: int = 1) -> list[Text]:
    """So many notes of one patient after the other."""
    texts = as_texts(words, notes(count * each, seed=seed))
    return [replace(text, owner=f"p{number // each}") for number, text in enumerate(texts)]


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("base") / "llama"
    save_causal(folder, "llama")
    return folder


@pytest.fixture(scope="module", params=KINDS)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def settings_of(kind: str, base: Path) -> tuple[LanguageRecipe, Vocabulary]:
    """A recipe and its vocabulary."""
    if kind != "pretrained":
        return {"gpt": SECRET, "lstm": RECURRENT}[kind], WORDS
    changes = {"pretrained": str(base), "lora": 2, "epsilon": 8.0, "delta": 1e-3, "epochs": 1}
    recipe = make_recipe("pretrained", {**changes, "context": 48, "peak": 0.01})
    return replace(recipe, clip=0.5), load_vocabulary(base, MARKS)


def trainer_of(recipe: LanguageRecipe, words: Vocabulary, texts: Sequence[Text]) -> Any:
    """A trainer, its network in the form that learns."""
    network = make_network(recipe, words)
    return private.PrivateTrainer(network, texts, recipe, words.mark(END))


# Whose notes count, and how many


def test_a_patient_has_no_more_notes_than_the_cap() -> None:
    texts = [*owned(WORDS, 3, each=5), *as_texts(WORDS, notes(4, seed=3))]
    found = group_by_patient(texts, notes=2, context=9, seed=1)
    assert [len(each) for each in found] == [2, 2, 2]  # nobody's notes are left out
    assert all(len(text.ids) <= 9 for each in found for text in each)
    assert all(len({text.owner for text in each}) == 1 for each in found)


@given(st.permutations(range(10)), st.integers(1, 6), st.integers(0, 3))
def test_which_notes_count_depends_on_nobody_else(order: list[int], most: int, seed: int) -> None:
    texts = owned(WORDS, 2, each=5)
    mixed = [texts[at] for at in order]
    both = group_by_patient(mixed, notes=most, context=64, seed=seed)
    alone = [
        group_by_patient(
            [text for text in mixed if text.owner == owner], notes=most, context=64, seed=seed
        )[0]
        for owner in ("p0", "p1")
    ]
    assert [*map(set, map(_ids, both))] == [*map(set, map(_ids, alone))]


def _ids(texts: Contribution) -> Iterator[tuple[int, ...]]:
    return (tuple(text.ids) for text in texts)


# A patient weighs no more than the clip


@settings(max_examples=8, deadline=None)
@given(
    st.lists(st.integers(0, PATIENTS - 1), min_size=1, max_size=6, unique=True),
    st.integers(0, 5),
    st.sampled_from((1e-3, 0.5, 50.0)),
)
def test_one_patient_less_changes_the_sum_by_no_more_than_the_clip(
    kind: str, base: Path, chosen: list[int], place: int, clip: float
) -> None:
    recipe, words = settings_of(kind, base)
    recipe = replace(recipe, clip=clip)
    left = chosen[place % len(chosen)]
    sums = []
    for some in (chosen, [each for each in chosen if each != left]):
        trainer = trainer_of(recipe, words, owned(words, PATIENTS))
        trainer.network.eval()
        trainer.accumulate([trainer.patients[at] for at in some], is_last=False)
        sums.append(torch.cat([each.flatten() for each in trainer.summed()]))
    change = float((sums[0] - sums[1]).norm())
    assert change <= clip * (1 + 1e-4)
    if clip < 0.01:
        assert change == pytest.approx(clip, rel=0.02)  # the bound is reached


def test_the_gradient_of_a_patient_is_that_of_all_its_notes_together(
    kind: str, base: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(private, "has_bfloat16", lambda device: False)
    recipe, words = settings_of(kind, base)
    recipe = replace(recipe, clip=1e6, dropout=0.0)
    trainer = trainer_of(recipe, words, owned(words, 2, each=3))
    trainer.accumulate(trainer.patients[:1], is_last=False)
    found = torch.cat([each.flatten() for each in trainer.summed()])
    network = trainer.network
    network.zero_grad()
    for text in trainer.patients[0]:
        batch = collate_texts([text], words.mark(END))
        (private.note_losses(network(batch.inputs), batch).sum() / 3).backward()
    told = []
    for name, weights in network.named_parameters():
        if weights.requires_grad:
            rows = network.learning_rows.get(name)
            told.append(weights.grad[:rows].flatten())
    assert torch.allclose(found, torch.cat(told), atol=1e-5)


def test_a_gradient_that_is_not_finite_counts_as_none(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    trainer = trainer_of(SECRET, WORDS, owned(WORDS, 3))

    def broken(scores: Tensor, batch: object) -> Tensor:
        return scores.sum((1, 2)) * math.nan

    monkeypatch.setattr(private, "note_losses", broken)
    trainer.accumulate(trainer.patients, is_last=False)
    assert all(not each.any() for each in trainer.summed())


# Who is drawn


def test_patients_are_drawn_each_for_itself_with_all_their_notes() -> None:
    trainer = trainer_of(SECRET, WORDS, owned(WORDS, 60, each=3))
    told = trainer.place()["privacy"]
    assert (told["patients"], told["notes"], told["sample_rate"]) == (60, 180, 0.1)
    rounds = 2000
    drawn: Counter[str] = Counter()
    sizes = []
    together = 0
    for _ in range(rounds):
        sample = trainer.sample()
        owners = {notes[0].owner for notes in sample}
        assert len(owners) == len(sample) and all(len(notes) == 3 for notes in sample)
        drawn.update(owners)
        sizes.append(len(sample))
        together += {"p0", "p1"} <= owners
    error = (0.1 * 0.9 / rounds) ** 0.5
    assert all(abs(count / rounds - 0.1) < 6 * error for count in drawn.values())
    assert abs(together / rounds - 0.01) < 6 * (0.01 / rounds) ** 0.5
    # Binomial: a sample of a fixed size would not vary, and need another accountant.
    spread = torch.tensor(sizes, dtype=torch.float64)
    assert float(spread.var()) == pytest.approx(60 * 0.1 * 0.9, rel=0.2)


def test_nobody_drawn_is_a_step_of_noise(monkeypatch: pytest.MonkeyPatch) -> None:
    trainer = trainer_of(SECRET, WORDS, owned(WORDS, 5))
    monkeypatch.setattr(trainer, "sample", list)
    before = trainer.network.embed.weight.clone()
    assert trainer.train_step(0, 0.5) == 0
    assert not torch.equal(before, trainer.network.embed.weight)
    assert trainer.place()["privacy"]["steps"] == 1


# What is spent


@pytest.mark.parametrize(("epsilon", "rate", "steps"), [(8.0, 0.1, 10), (2.0, 0.1, 30)])
def test_the_budget_is_what_another_accountant_finds(
    epsilon: float, rate: float, steps: int
) -> None:
    accountants = pytest.importorskip("opacus.accountants")
    delta = 1e-3
    noise = private.noise_multiplier_for(epsilon, delta, rate, steps)
    found = {}
    for kind in (accountants.RDPAccountant, accountants.PRVAccountant):
        accountant = kind()
        accountant.history = [(noise, rate, steps)]
        found[kind] = accountant.get_epsilon(delta)
    renyi, numeric = found.values()
    assert renyi <= epsilon + 1e-6 and renyi == pytest.approx(epsilon, abs=0.02)
    assert 0.6 * renyi < numeric <= renyi + 0.01  # the tighter one, and not far


def test_the_accountant_counts_patients_not_notes() -> None:
    accountants = pytest.importorskip("opacus.accountants")
    trainer = trainer_of(replace(SECRET, delta=None), WORDS, owned(WORDS, 50, each=4))
    for step in range(3):
        trainer.train_step(step, 0.1)
    told = trainer.place()["privacy"]
    assert (told["delta"], told["sample_rate"], told["steps"]) == (1 / 500, 5 / 50, 3)
    same = accountants.RDPAccountant()
    for _ in range(3):
        same.step(noise_multiplier=told["noise_multiplier"], sample_rate=0.1)
    assert told["epsilon"] == pytest.approx(same.get_epsilon(1 / 500), rel=1e-9)


def test_a_private_training_keeps_its_budget(kind: str, base: Path, tmp_path: Path) -> None:
    recipe, words = settings_of(kind, base)
    recipe = replace(recipe, checkpoint_steps=5, patient_notes=2)
    held_out = as_texts(words, notes(2, seed=2))
    corpora = LanguageCorpora(words, [*owned(words, 40, each=3), *held_out], held_out)
    steps = 0

    def interrupt(done: int, planned: int) -> None:
        nonlocal steps
        steps += 1
        if steps == 7:
            raise Interrupted

    with pytest.raises(Interrupted):
        train(corpora, recipe, tmp_path, TrainingCallbacks(interrupt))
    train(corpora, recipe, tmp_path, TrainingCallbacks(interrupt))  # what was spent before counts
    told = load(tmp_path).about["privacy"]
    assert told == json.loads((tmp_path / "training.json").read_text())["privacy"]
    assert (told["unit"], told["delta"], told["steps"]) == ("patient", 1e-3, 10)
    assert (told["patients"], told["notes"], told["patient_notes"]) == (40, 80, 2)
    assert (told["clip"], told["notes_without_patient"]) == (0.5, 2)
    assert 7.5 < told["epsilon"] <= 8.0 and told["noise_multiplier"] > 0


def test_of_a_pretrained_model_only_adapters_and_new_tokens_learn(base: Path) -> None:
    recipe, words = settings_of("pretrained", base)
    assert isinstance(words, PretrainedVocabulary)
    trainer = trainer_of(recipe, words, owned(words, 12))
    before = {name: each.clone() for name, each in trainer.network.state_dict().items()}
    for step in range(3):
        trainer.train_step(step, 0.5)
    after = trainer.network.state_dict()
    changed = {name for name, each in after.items() if not torch.equal(each, before[name])}
    tables = set(trainer.network.learning_rows)
    assert tables and tables <= changed
    # A tied output layer has the same weights under another name.
    assert all("lora_" in name or "embed_tokens" in name or "lm_head" in name for name in changed)
    for name in tables:
        assert torch.equal(after[name][len(MARKS) :], before[name][len(MARKS) :])
        assert (after[name][: len(MARKS)] != before[name][: len(MARKS)]).any(1).all()


def test_what_the_optimizer_keeps_of_new_tokens_is_taken_up_again(base: Path) -> None:
    recipe, words = settings_of("pretrained", base)
    texts = owned(words, 12)
    one, other = (trainer_of(recipe, words, texts) for _ in range(2))
    one.train_step(0, 0.5)
    kept = {name: value.clone() for name, value in one.tensors().items()}
    assert {name.rpartition("/")[2] for name in kept} == {"step", "exp_avg", "exp_avg_sq"}
    other.restore_tensors(kept)
    again = other.tensors()
    assert again.keys() == kept.keys()
    assert all(torch.equal(again[name], value) for name, value in kept.items())


def test_what_cannot_be_private_is_refused(tmp_path: Path) -> None:
    nobodys = as_texts(WORDS, notes(10))
    dev = as_texts(WORDS, notes(3))
    for recipe, texts in ((SECRET, nobodys), (replace(SECRET, epsilon=1e-9), owned(WORDS, 10))):
        with pytest.raises(ConfigError, match="--epsilon"):
            train(LanguageCorpora(WORDS, texts, dev), recipe, tmp_path)
