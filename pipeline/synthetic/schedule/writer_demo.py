"""The demonstration of a pretrained writer: what is asked of `synthesize run` in its hospital."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from models.language.training.recipe import PRETRAINED, make_recipe
from pipeline.config.settings import load
from pipeline.release.released_notes import open_release
from pipeline.release.request import ReleaseRequest, complete_request
from pipeline.release.targets import locate_release
from pipeline.synthetic.schedule.register_demo import COHORT
from record.atomic_write import OWNER_FILE, write_atomically
from record.errors import ConfigError

UNSEEN = "unseen.jsonl"
"""The file of another hospital's released notes."""

OUTPUT = "synthetic-notes"
"""The folder that notes are published in where they may leave."""

_ENCODER, _SEEDS, _MINUTES = "tiny-1x64", 2, 0.5
_STEP, _PEAK = 2048, 5e-4  # many small steps, since minutes are few
_READ = 40  # notes of each kind that the reader reads: of a large vocabulary, seconds each
_LONGEST = 900  # ids, which nine notes in ten need
_TEMPERATURE = 0.85  # at which another model finds the notes left about as likely as real ones


@dataclass(frozen=True)
class WriterDemo:
    """A pretrained model that learns to write the notes of a demonstration, and for how long.

    `reader` is another one, which tells how likely it finds them; `words` a list of words, to count
    those that are none, and beside which only those of many patients are written; `epochs` the
    training of each tagger that measures the utility; `unseen` a file of notes that the model
    cannot have seen.
    """

    cohort: str
    pretrained: Path
    lora: int | None = None
    minutes: float = 8.0
    notes: int = 100
    seed: int = 1
    reader: Path | None = None
    words: str | None = None
    epochs: int | None = None
    unseen: Path | None = None

    def check(self) -> None:
        """Raise ConfigError for options that the training would refuse, before anything is made."""
        make_recipe(PRETRAINED, self.training())
        if not (self.pretrained / "config.json").is_file():
            problem = "not the folder of a causal language model"
            raise ConfigError("--pretrained", problem, "give the folder of a Hugging Face model")

    def training(self) -> dict[str, Any]:
        """Return the options of the training."""
        changes: dict[str, Any] = {
            "pretrained": str(self.pretrained.absolute()),
            "max_minutes": self.minutes,
            "step_tokens": _STEP,
            "peak": _PEAK,
        }
        if self.lora is not None:
            changes["lora"] = self.lora
        return changes


def write_unseen(config: Path) -> Path:
    """Write the released notes of another demonstration's hospital as a file of notes."""
    settings = load(config)
    asked = complete_request(ReleaseRequest(config, COHORT), settings)
    place = locate_release(asked, settings)
    out = config.parent / UNSEEN
    lines = [
        json.dumps({"note_id": note.document.note_id, "text": note.document.text}) + "\n"
        for note in open_release(place).notes()
    ]
    write_atomically(out, "".join(lines).encode("utf-8"), mode=OWNER_FILE)
    return out


def add_synthesis(config: Path, demo: WriterDemo) -> None:
    """Add `[synthesis]` to a demonstration's configuration, whose last table is its cohort."""
    asked: dict[str, Any] = {
        "cohort": demo.cohort,
        "output": OUTPUT,
        "notes": demo.notes,
        "seed": demo.seed,
        "utility_encoder": _ENCODER,
        "utility_seeds": _SEEDS,
        "utility_minutes": _MINUTES,
    }
    if demo.reader is not None:
        asked |= {"reader": str(demo.reader.absolute()), "reader_notes": _READ}
    if demo.words is not None:
        asked["words"] = demo.words
    if demo.unseen is not None:
        asked |= {"unseen": str(demo.unseen.absolute()), "unseen_notes": _READ}
    if demo.epochs is not None:
        asked["utility_epochs"] = demo.epochs
    generation: dict[str, Any] = {"max_length": _LONGEST, "temperature": _TEMPERATURE}
    if demo.words is not None:
        generation["known_words"] = demo.words
    lines = [
        "spans = true",
        *_table("synthesis", asked),
        *_table("synthesis.training", demo.training()),
        *_table("synthesis.generation", generation),
    ]
    content = config.read_text("utf-8") + "\n".join(lines) + "\n"
    write_atomically(config, content.encode("utf-8"))


def _table(name: str, values: Mapping[str, Any]) -> Iterator[str]:
    yield f"\n[{name}]"
    for key, value in values.items():
        yield f"{key} = {json.dumps(value)}"
