"""A toy task that a tagger learns at once: names stand behind a title, codes behind a word."""

from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

from models.tagger.encoders.encoder import EncoderConfig
from models.tagger.encoders.windows import WindowConfig
from models.tagger.sequences.alignment import TrainingNote
from models.tagger.training.recipe import TaggerRecipe, default_recipe
from models.tagger.training.scores import Scores
from models.tagger.training.training import Corpora, train
from models.training_loop import TrainingCallbacks
from record.document import Annotated, Document
from record.span import Span

NAMES = ("Zorblax", "Quendolyn", "Xyvarth", "Plimsko", "Thurnwix")
FILLERS = ("seen", "today", "in", "the", "ward", "without", "fever", "or", "pain", "and", "home")
CANARY = "Zorblax"


def toy_notes(count: int, *, seed: int = 1, lines: int = 4) -> list[TrainingNote]:
    """Notes in which all is told by the word before."""
    random = Random(seed)
    return [TrainingNote(toy_note(str(number), random, lines)) for number in range(count)]


def toy_note(note_id: str, random: Random, lines: int) -> Annotated:
    text, spans = "", []
    for _ in range(lines):
        for before, value, label in (
            ("Dr ", " ".join(random.sample(NAMES, random.choice((1, 2)))), "NAME"),
            (" code ", str(random.randrange(1000, 9999)), "ID"),
        ):
            text += before
            spans.append(Span(len(text), len(text) + len(value), label))
            text += value
            text += "".join(f" {random.choice(FILLERS)}" for _ in range(random.randrange(1, 6)))
        text += "\n"
    return Annotated(Document(note_id, text), tuple(spans))


def toy_recipe(**changes: Any) -> TaggerRecipe:
    recipe = default_recipe(EncoderConfig("tiny-1x32"))
    quick: dict[str, Any] = {
        "step_tokens": 128,
        "encoder_rate": 3e-3,
        "head_rate": 1e-2,
        "epochs": 4,
    }
    return replace(recipe, **{"cut": WindowConfig(48, 8), **quick, **changes})


def toy_corpora() -> Corpora:
    return Corpora(toy_notes(20), toy_notes(10, seed=2))


def toy_training(out: Path, watch: TrainingCallbacks | None = None, **changes: Any) -> Scores:
    return train(toy_corpora(), toy_recipe(**changes), out, watch)
