"""The options of `synthesize train` and `synthesize generate` as tables of `[synthesis]`."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from models.language.decoding.generation import Decoding
from models.language.training.recipe import PRETRAINED, LanguageRecipe, make_recipe
from pipeline.config.settings import AboveZero, Count, SynthesisSettings, check_options
from pipeline.files.word_lists import load_words
from pipeline.synthetic.note_generation import check_candidates, read_label_shares
from record.errors import ConfigError

_TRAINING, _GENERATION = "synthesis.training", "synthesis.generation"
_BATCH = 64

_MORE_TRAINING = {"peak": float, "requests_epsilon": AboveZero}
_MORE_GENERATION = {
    "batch": Count,
    "batch_tokens": Count,
    "known_words": str,
    "tags": Literal["enforced", "asked"],
    "ending": Literal["sentence", "free"],
    "unmasked": bool,
    "identifiers": Literal["surrogates", "model"],
    "candidates": Count,
    "shares": str,
}
"""Options that are no field of a recipe, or of the decoding, with the values that they take."""

_DECODING_OF = {"tags": "enforced", "ending": "rounded", "unmasked": "masked"}
"""Options of the command, and the field of the decoding that each of them sets."""

_PLANTED = "notes of a model that learnt planted ones never leave: use `cryptonym synthesize train`"
_MASKED = "of the recipe masked, whose letters `synthesize run` does not fill: leave it out"
_PROCESSES = "processes of this machine make the notes of `synthesize run`: leave it out"
_REFUSED = {
    _TRAINING: {
        "recipe": "name it as synthesis.recipe",
        "vocabulary_text": "name the corpus of public notes as synthesis.public",
        "canaries": _PLANTED,
        "canary_repeats": _PLANTED,
        **dict.fromkeys(("psi", "phi", "encoder", "grid", "batch"), _MASKED),
    },
    _GENERATION: {
        **dict.fromkeys(("notes", "words"), "give the number of notes as synthesis.notes"),
        "seed": "give it as synthesis.seed",
        "requests": "name the corpus of public notes as synthesis.public",
        "workers": "give --workers to `cryptonym synthesize run`",
        **dict.fromkeys(("engine", "master", "runner"), _PROCESSES),
    },
}
"""Options of the commands that have no place in the tables, and what to do instead."""


@dataclass(frozen=True)
class TrainingOptions:
    """What differs from the recipe, and what noised counts of requests may cost."""

    recipe: str
    changes: Mapping[str, Any]
    requests_epsilon: float | None = None

    @property
    def pretrained(self) -> Path | None:
        """The folder of the model that the generator begins with, if it does."""
        named = self.changes.get("pretrained")
        return None if named is None else Path(named)


@dataclass(frozen=True)
class GenerationOptions:
    """How notes are written: `known_words` is a file or a language, `shares` are by label."""

    decoding: Decoding = field(default_factory=Decoding)
    batch: int = _BATCH
    batch_tokens: int | None = None
    candidates: int = 1
    shares: Mapping[str, float] | None = None
    known_words: str | None = None


def read_training(asked: SynthesisSettings, base: Path) -> TrainingOptions:
    """Read `[synthesis.training]`, whose paths are relative to `base`; raises ConfigError."""
    given = dict(asked.training)
    _refuse(_TRAINING, given)
    check_options(_TRAINING, given, LanguageRecipe, _MORE_TRAINING)
    if "pretrained" in given:
        given["pretrained"] = str(base / str(given["pretrained"]))
    requests_epsilon: Any = given.pop("requests_epsilon", None)
    name = asked.recipe or (PRETRAINED if "pretrained" in given else "gpt")
    recipe = make_recipe(name, dict(given))
    if requests_epsilon is not None and (recipe.epsilon is None or asked.public is None):
        problem = "requires epsilon, and a corpus of public notes"
        remedy = "give synthesis.training.epsilon and synthesis.public, or leave it out"
        raise ConfigError(f"{_TRAINING}.requests_epsilon", problem, remedy)
    return TrainingOptions(name, given, requests_epsilon)


def read_generation(asked: SynthesisSettings, base: Path) -> GenerationOptions:
    """Read `[synthesis.generation]`, whose paths are relative to `base`; raises ConfigError."""
    given: dict[str, Any] = dict(asked.generation)
    _refuse(_GENERATION, given)
    check_options(_GENERATION, given, Decoding, _MORE_GENERATION)
    if given.pop("identifiers", "surrogates") == "model":
        problem = "would publish identifiers as the model wrote them, which may be a patient's"
        remedy = "leave it out; `cryptonym synthesize generate` writes such notes to compare"
        raise ConfigError(f"{_GENERATION}.identifiers", problem, remedy)
    for name, sets in _DECODING_OF.items():
        if name in given and sets in given:
            problem = f"says the same as {name}"
            raise ConfigError(f"{_GENERATION}.{sets}", problem, "leave out one of the two")
    if "tags" in given:
        given["enforced"] = given.pop("tags") == "enforced"
    if "ending" in given:
        given["rounded"] = given.pop("ending") == "sentence"
    if "unmasked" in given:
        given["masked"] = not given.pop("unmasked")
    if "batch" in given and "batch_tokens" in given:
        problem = "says the same as batch"
        raise ConfigError(f"{_GENERATION}.batch_tokens", problem, "leave out one of the two")
    batch, candidates = given.pop("batch", _BATCH), given.pop("candidates", 1)
    tokens = given.pop("batch_tokens", None)
    shares, words = given.pop("shares", None), given.pop("known_words", None)
    decoding = Decoding(**given)
    check_candidates(candidates, decoding)
    if words is not None:
        path = base / words
        words = str(path.absolute()) if path.is_file() else words
        load_words(words, f"{_GENERATION}.known_words")
    named = None if shares is None else read_label_shares(base / shares)
    return GenerationOptions(decoding, batch, tokens, candidates, named, words)


def _refuse(table: str, given: Mapping[str, Any]) -> None:
    """Raise ConfigError for an option of the command that the table does not have."""
    for name in given:
        if remedy := _REFUSED[table].get(name):
            raise ConfigError(f"{table}.{name}", "has no place here", remedy)
