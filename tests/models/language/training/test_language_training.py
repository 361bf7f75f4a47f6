import json
import math
from dataclasses import replace
from itertools import count
from pathlib import Path

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from models.checkpoint import CHECKPOINT
from models.language.corpus.vocabulary import END
from models.language.networks import gpt
from models.language.training.learning_rate import PlateauSchedule, group_peaks, one_cycle, stage_at
from models.language.training.recipe import RECIPES, LanguageRecipe, Stage, make_recipe
from models.language.training.serialization import load
from models.language.training.trainers import DocumentTrainer, layer_groups
from models.language.training.training import LanguageCorpora, make_network, train
from models.training_loop import TrainingCallbacks
from record.errors import ConfigError
from tests.models.prose import as_texts, notes, vocabulary

LSTM = LanguageRecipe(
    kind="lstm", width=48, layers=2, vocabulary="words", epochs=4, streams=4, sequence=16,
    rate=5.0, clip=0.25, checkpoint_steps=7,
)  # fmt: skip
GPT = LanguageRecipe(
    width=32, layers=2, heads=2, context=64, epochs=4, stages=(Stage(4, 1e-2),),
    step_tokens=256, checkpoint_steps=5, dropout=0.1,
)  # fmt: skip


def check_private(folder: Path, holds: str = "weights.safetensors") -> None:
    """Nobody else may open a folder of a model, nor its weights where they are copied."""
    assert folder.stat().st_mode & 0o777 == 0o700
    assert (folder / holds).stat().st_mode & 0o777 == 0o600


class Interrupted(Exception):
    """Stands for a process that was killed."""


@pytest.fixture(scope="module")
def corpora() -> LanguageCorpora:
    words = vocabulary()
    return LanguageCorpora(
        words, as_texts(words, notes(100)), as_texts(words, notes(20, seed=2)), {"x": 1}
    )


@pytest.mark.parametrize("recipe", [LSTM, GPT], ids=["lstm", "gpt"])
def test_a_language_is_learnt_and_an_interrupted_training_ends_the_same(
    recipe: LanguageRecipe, corpora: LanguageCorpora, tmp_path: Path
) -> None:
    scores = train(corpora, recipe, tmp_path / "whole")
    check_private(tmp_path / "whole")
    assert scores["perplexity"] * 5 < scores["unigram"]
    assert scores["per_character"] < scores["unigram_per_character"]
    steps = 0

    def interrupt(done: int, planned: int) -> None:
        nonlocal steps
        steps += 1
        if steps in (13, 40):
            check_private(tmp_path / "parts", holds=CHECKPOINT)
            raise Interrupted

    for _ in range(2):
        with pytest.raises(Interrupted):
            train(corpora, recipe, tmp_path / "parts", TrainingCallbacks(interrupt))
    again = train(corpora, recipe, tmp_path / "parts", TrainingCallbacks(interrupt))
    assert again == scores
    weights = [
        (tmp_path / name / "weights.safetensors").read_bytes() for name in ("whole", "parts")
    ]
    assert weights[0] == weights[1]
    assert not (tmp_path / "parts" / CHECKPOINT).exists()
    report = json.loads((tmp_path / "parts" / "training.json").read_text())
    assert report["best"] == scores and report["notes"] == {"x": 1}
    assert len(report["history"]) == recipe.epochs
    assert load(tmp_path / "whole").about["perplexity"] == scores["perplexity"]
    with pytest.raises(ConfigError, match="already"):
        train(corpora, recipe, tmp_path / "whole")


def test_other_notes_or_settings_do_not_go_on(corpora: LanguageCorpora, tmp_path: Path) -> None:
    def interrupt(done: int, planned: int) -> None:
        if (tmp_path / CHECKPOINT).exists():
            raise Interrupted

    with pytest.raises(Interrupted):
        train(corpora, GPT, tmp_path, TrainingCallbacks(interrupt))
    with pytest.raises(ConfigError, match="other notes or settings"):
        train(corpora, replace(GPT, seed=2), tmp_path)
    (tmp_path / CHECKPOINT).write_bytes(b"nothing")
    with pytest.raises(ConfigError, match="corrupt"):
        train(corpora, GPT, tmp_path)


def test_time_can_end_a_training(corpora: LanguageCorpora, tmp_path: Path) -> None:
    scores = train(corpora, replace(GPT, epochs=10_000, stages=(), max_minutes=0.01), tmp_path)
    assert scores["perplexity"] < 1_000
    assert len(json.loads((tmp_path / "training.json").read_text())["history"]) >= 1


def test_fewer_notes_are_to_come_where_time_bounds_a_training(
    corpora: LanguageCorpora, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = count()
    monkeypatch.setattr("models.training_loop.monotonic", lambda: float(next(clock)))
    told: list[tuple[int, int]] = []
    watch = TrainingCallbacks(lambda done, planned: told.append((done, planned)))
    train(corpora, replace(GPT, epochs=1_000, stages=(), max_minutes=2), tmp_path, watch)
    assert all(done <= planned <= 100_000 for done, planned in told)
    done, planned = told[-1]
    assert planned <= 1.2 * done < 1_000


def test_seeds_decide_the_weights(corpora: LanguageCorpora) -> None:
    words = corpora.vocabulary
    first, same, other = (
        make_network(replace(GPT, seed=seed), words).get_parameter("embed.weight")
        for seed in (1, 1, 2)
    )
    assert torch.equal(first, same) and not torch.equal(first, other)


# Schedules


def test_the_rate_is_divided_where_perplexity_does_not_fall() -> None:
    plateau = PlateauSchedule(20.0, 4.0, 0.1)
    readings = [100.0, 90.0, 90.0, 95.0, 80.0, 85.0, 86.0, 87.0]
    assert [plateau.read(each) for each in readings] == [20, 20, 5, 1.25, 1.25, 0.3125, 0.1, 0.1]
    careful = PlateauSchedule(20.0, 1.2, 0.1, gain=0.1)  # MedText-103
    rates = [careful.read(each) for each in (50.0, 40.0, 39.95, 39.0)]
    assert rates == pytest.approx([20, 20, 20 / 1.2, 20 / 1.2])


@given(st.lists(st.floats(1, 1e4), max_size=30))
def test_a_rate_never_rises_nor_falls_below_the_floor(readings: list[float]) -> None:
    plateau = PlateauSchedule(20.0, 4.0, 0.1)
    rates = [20.0, *map(plateau.read, readings)]
    assert rates == sorted(rates, reverse=True) and rates[-1] >= 0.1


def test_a_cycle_rises_and_falls() -> None:
    rates = [one_cycle(1.0, at / 100) for at in range(101)]
    assert rates[0] == pytest.approx(1 / 25) and max(rates) == rates[25] == 1.0
    assert rates[100] == pytest.approx(1e-5)
    assert rates[:26] == sorted(rates[:26]) and rates[25:] == sorted(rates[25:], reverse=True)


def test_layers_learn_stage_by_stage() -> None:
    stages = RECIPES["gpt2"]["stages"]
    assert group_peaks(stages[0], 4) == [None, None, None, 2e-3]
    spread = 2.6**4
    assert group_peaks(stages[1], 4) == [None, None, pytest.approx(1e-3 / spread), 1e-3]
    assert group_peaks(stages[3], 3) == [1e-4 / spread, pytest.approx(1e-4 / spread**0.5), 1e-4]
    assert group_peaks(stages[3], 4)[0] == pytest.approx(1e-4 / spread)
    assert group_peaks(stages[2], 4)[2] == pytest.approx(5e-4 / spread**0.5)
    assert [stage_at(stages, at / 10)[0] for at in range(10)] == [0, 0, 1, 1, 2, 2, 3, 3, 3, 3]
    assert stage_at(stages, 0.7)[1] == pytest.approx(0.5)
    assert stage_at(stages, 0.8)[1] == pytest.approx(0, abs=1e-9)  # a second cycle begins
    assert stage_at(stages, 1.0) == (3, 1.0)


def test_only_the_layers_of_a_stage_change(corpora: LanguageCorpora) -> None:
    stages = tuple(replace(stage, cycles=1) for stage in RECIPES["gpt2"]["stages"])
    recipe = replace(GPT, layers=3, stages=stages, epochs=4, dropout=0.0)
    network = make_network(recipe, corpora.vocabulary)
    assert isinstance(network, gpt.GPT)
    course = DocumentTrainer(network, corpora.train, recipe, corpora.vocabulary.mark(END))
    course.begin_epoch(0)
    groups = layer_groups(network)
    assert [len(group) for group in groups] == [12, 12, 12, 4]
    assert sum(len(group) for group in groups) == len(list(network.parameters()))
    for number in range(4):
        before = [[each.detach().clone() for each in group] for group in groups]
        course.train_step(0, (number + 0.3) / 4)
        changed = [
            any(not torch.equal(a, b) for a, b in zip(group, old, strict=True))
            for group, old in zip(groups, before, strict=True)
        ]
        assert changed == [place >= 3 - number for place in range(4)]


def test_recipes_are_the_published_ones() -> None:
    lstm, medtext = make_recipe("lstm", {}), make_recipe("medtext-2", {})
    for recipe in (lstm, medtext):
        assert (recipe.width, recipe.layers, recipe.rate, recipe.clip) == (650, 2, 20.0, 0.25)
        assert (recipe.streams, recipe.sequence, recipe.divisor, recipe.floor) == (20, 35, 4.0, 0.1)
    assert (lstm.epochs, lstm.rare, medtext.epochs, medtext.rare) == (50, 10, 20, 3)
    large = make_recipe("medtext-103", {})
    assert (large.epochs * large.chunks, large.divisor, large.gain) == (80, 1.2, 0.1)
    gpt2 = make_recipe("gpt2", {})
    assert gpt2.epochs == 5 and gpt2.vocabulary_size == 50_257
    assert make_recipe("gpt", {"epochs": 3}).plan() == (Stage(3, 1e-3),)
    for changes, key in (
        ({"width": 0}, "--width"),
        ({"dropout": 1.0}, "--dropout"),
        ({"heads": 7}, "--heads"),
    ):
        with pytest.raises(ConfigError, match=key):
            make_recipe("gpt", changes)
    for name, changes in (("none", {}), ("gpt2", {"epochs": 3})):
        with pytest.raises(ConfigError):
            make_recipe(name, changes)
    assert math.isinf(PlateauSchedule(1, 2, 0.1).best)
