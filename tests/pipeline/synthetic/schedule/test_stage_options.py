"""Tables of options say what the options of the commands say, or are refused with a remedy."""

import argparse
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from models.language.decoding.generation import Decoding
from models.language.training.recipe import LanguageRecipe
from pipeline.commands.synthesize import generate, train
from pipeline.config.settings import SynthesisSettings
from pipeline.synthetic.schedule.stage_options import read_generation, read_training
from record.errors import ConfigError

OWN_RECIPE = {
    *("kind", "streams", "sequence", "divisor", "floor", "gain", "chunks", "clip", "stages"),
    *("checkpoint_steps",),
}
"""What a recipe has and no option of the command changes."""


def settings(**given: Any) -> SynthesisSettings:
    return SynthesisSettings(cohort="study", output="out", **given)


def test_options_of_generation_mean_what_they_mean_to_the_command(tmp_path: Path) -> None:
    (tmp_path / "shares.toml").write_text("NAME = 3\nDATE = 1\n")
    (tmp_path / "words.txt").write_text("fever\n")
    given: dict[str, Any] = {"tags": "asked", "ending": "free", "unmasked": True, "candidates": 3}
    given |= {"identifiers": "surrogates", "shares": "shares.toml", "known_words": "words.txt"}
    found = read_generation(settings(generation={**given, "batch": 7}), tmp_path)
    assert found.decoding == Decoding(masked=False, enforced=False, rounded=False)
    assert (found.batch, found.candidates) == (7, 3)
    assert found.shares == {"NAME": 3.0, "DATE": 1.0}
    assert found.known_words == str(tmp_path / "words.txt")
    plain = {"tags": "enforced", "ending": "sentence", "unmasked": False}
    assert read_generation(settings(generation=plain), tmp_path).decoding == Decoding()
    fields = {"enforced": False, "rounded": False, "masked": False}
    assert read_generation(settings(generation=fields), tmp_path).decoding == found.decoding


def test_options_of_training_are_changes_of_the_recipe(tmp_path: Path) -> None:
    asked = settings(training={"epochs": 2, "peak": 1, "epsilon": 8.0, "requests_epsilon": 0.5})
    with pytest.raises(ConfigError, match=r"synthesis\.public"):
        read_training(asked, tmp_path)
    found = read_training(
        settings(public="public", training=dict(asked.training), recipe="gpt-small"), tmp_path
    )
    assert (found.recipe, found.requests_epsilon, found.pretrained) == ("gpt-small", 0.5, None)
    assert found.changes == {"epochs": 2, "peak": 1, "epsilon": 8.0}
    found = read_training(settings(training={"pretrained": "base"}), tmp_path)
    assert (found.recipe, found.pretrained) == ("pretrained", tmp_path / "base")


@pytest.mark.parametrize(
    ("table", "name", "value", "told"),
    [
        ("training", "canaries", 20, "never leave"),
        ("training", "vocabulary_text", "public", "synthesis.public"),
        ("training", "recipe", "gpt", "synthesis.recipe"),
        ("training", "psi", 0.5, "masked"),
        ("training", "width", True, "not a value"),
        ("training", "epsilon", False, "not a value"),
        ("training", "requests_epsilon", 0.0, "not a value"),
        ("training", "wide", 3, "unknown option"),
        ("generation", "identifiers", "model", "synthesize generate"),
        ("generation", "notes", 3, "synthesis.notes"),
        ("generation", "workers", 3, "--workers"),
        ("generation", "tags", "none", "not a value"),
        ("generation", "ending", False, "not a value"),
        ("generation", "unmasked", 1, "not a value"),
        ("generation", "batch", 0, "not a value"),
        ("generation", "candidates", 2, "tags asked"),
        ("generation", "shares", "shares.toml", "shares.toml"),
        ("generation", "known_words", "xx", "known_words"),
    ],
)
def test_what_has_no_place_is_refused_by_its_name(
    tmp_path: Path, table: str, name: str, value: Any, told: str
) -> None:
    read = {"training": read_training, "generation": read_generation}[table]
    with pytest.raises(ConfigError) as caught:
        read(settings(**{table: {name: value}}), tmp_path)
    assert told in str(caught.value) and name in str(caught.value).replace("-", "_")


def test_two_words_for_one_thing_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="says the same as tags"):
        read_generation(settings(generation={"tags": "asked", "enforced": True}), tmp_path)


def is_unknown(read: Any, asked: SynthesisSettings, base: Path) -> bool:
    """Whether the table knows nothing of the option: neither how to read nor to refuse it."""
    try:
        read(asked, base)
    except ConfigError as error:
        return error.problem == "unknown option"
    return False


@pytest.mark.parametrize(("command", "table"), [(train, "training"), (generate, "generation")])
def test_every_option_of_the_commands_is_read_or_refused(
    command: Any, table: str, tmp_path: Path
) -> None:
    parser = argparse.ArgumentParser()
    command.add_options(parser)
    read = {"training": read_training, "generation": read_generation}[table]
    names = {action.dest for action in parser._actions if action.option_strings}
    names -= {"help", "json", "output", "plain"}
    unknown = {
        name for name in names if is_unknown(read, settings(**{table: {name: "x"}}), tmp_path)
    }
    assert not unknown and len(names) > 10


def test_every_field_but_the_recipes_own_has_an_option_of_the_command() -> None:
    parser = argparse.ArgumentParser()
    train.add_options(parser)
    names = {action.dest for action in parser._actions}
    assert asdict(LanguageRecipe()).keys() - names == OWN_RECIPE
