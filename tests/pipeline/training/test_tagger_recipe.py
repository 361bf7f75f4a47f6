"""The recipes that the options of training ask for."""

from pathlib import Path

import pytest

from models.tagger.encoders.encoder import EncoderConfig
from models.tagger.encoders.windows import WindowConfig
from models.tagger.training.recipe import default_recipe
from pipeline.training.pretraining import plan_pretraining
from pipeline.training.tagger import plan_recipe
from record.errors import ConfigError

ENCODER = EncoderConfig("e5-small", 40_000, True)


def test_what_is_left_out_is_what_suits_the_encoder() -> None:
    usual = default_recipe(ENCODER)
    assert plan_recipe(ENCODER, usual.cut.pieces, usual.cut.context, {}) == usual
    changed = plan_recipe(ENCODER, 100, 10, {"seed": 7, "patience": 2})
    assert (changed.seed, changed.patience, changed.cut) == (7, 2, WindowConfig(100, 10))
    assert changed.least_steps == usual.least_steps > 0


def test_a_number_of_epochs_is_never_extended() -> None:
    assert plan_recipe(ENCODER, 100, 10, {"epochs": 1}).least_steps == 0


def test_a_window_must_hold_more_than_context() -> None:
    with pytest.raises(ConfigError, match="--window"):
        plan_recipe(ENCODER, 10, 10, {})
    with pytest.raises(ConfigError, match="--window"):
        plan_pretraining([Path("notes")], Path("out"), 0, {})


def test_pretraining_takes_the_changes_it_is_given() -> None:
    request = plan_pretraining([Path("notes")], Path("out"), 100, {"guessed": 0.3})
    assert (request.recipe.guessed, request.recipe.cut) == (0.3, WindowConfig(100, 0))
