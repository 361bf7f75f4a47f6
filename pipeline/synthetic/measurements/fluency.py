"""Whether synthetic notes read like the real notes of other patients."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from evaluation.gate import Axis, Measured
from evaluation.utility.fluency import (
    FluencyNotes,
    measure_fluency,
    measure_perplexity,
    measure_share,
)
from models.language.training.gpt2_weights import digest as base_digest
from models.language.training.masked_reader import load_scorer
from pipeline.config.progress import Progress
from pipeline.config.signing import hash_file
from pipeline.files.gold import read_annotated
from pipeline.synthetic.measurements.consistency import contradicts_itself
from pipeline.synthetic.measurements.files import read_manifest
from record.document import Annotated
from record.errors import ConfigError
from synthesis.corpus_splitting import SPLITS
from synthesis.generation_files import NOTES, manifest_digest
from synthesis.prepared_corpus import load_corpus

FLUENCY = "fluency.json"
"""The file of these measurements."""


@dataclass(frozen=True)
class FluencyRequest:
    """Synthetic notes with their corpus, a list of words, and a model that wrote none of them.

    `is_word` tells whether a word, in small letters, is in the list; `model` is the folder of a
    causal or masked language model as Hugging Face saves it. It reads at most `scored`
    notes of each kind.
    """

    synthetic: Path
    corpus: Path
    is_word: Callable[[str], bool] | None = None
    words: str = ""
    model: Path | None = None
    scored: int = 200
    seed: int = 1


def measure_reading(request: FluencyRequest, progress: Progress) -> dict[str, Any]:
    """Measure whether notes read like real ones; returns what the gate reads, without any text.

    Raises ConfigError where the notes came from another corpus, there are none, or the model is
    the one that the writer began with.
    """
    manifest = read_manifest(request.synthetic, request.corpus)
    _refuse_writer(request, manifest)
    progress.phase("reading")
    corpus = load_corpus(request.corpus)
    data = hash_file(request.synthetic / NOTES)
    lang = str(corpus.manifest["origin"].get("lang") or "")
    learnt, *others = ([note.annotated for note in corpus.notes[split]] for split in SPLITS)
    unseen = [note for part in others for note in part]
    notes = FluencyNotes(list(read_annotated(request.synthetic / NOTES, [])), learnt, unseen, data)
    progress.phase("comparing")
    try:
        measured = [
            *measure_fluency(notes, request.is_word, seed=request.seed),
            _measure_consistency(notes, lang, request.seed),
            *_measure_drops(manifest, data),
        ]
    except ValueError as error:
        raise ConfigError(str(request.synthetic), str(error), "generate some") from None
    if request.model is not None:
        progress.phase("scoring")
        measured += _score(request.model, notes, request, progress)
    return {
        "format": 1,
        "data": data,
        "corpus": manifest["corpus_sha256"],
        "manifest": manifest_digest(manifest),
        "words": request.words,
        "model": base_digest(request.model) if request.model is not None else None,
        "measured": [each.to_json() for each in measured],
    }


def _refuse_writer(request: FluencyRequest, manifest: Mapping[str, Any]) -> None:
    if request.model is not None and base_digest(request.model) == manifest.get("base_sha256"):
        problem = "the model that the writer of these notes began with"
        raise ConfigError("--model", problem, "give another model of the language")


def _measure_consistency(notes: FluencyNotes, lang: str, seed: int) -> Measured:
    made, real = (
        [contradicts_itself(note, lang) for note in some] for some in (notes.made, notes.unseen)
    )
    return measure_share("self-contradictions", made, real, notes.data, seed=seed)


def _measure_drops(manifest: Mapping[str, Any], data: str) -> Iterator[Measured]:
    """Return the share of notes that were left out while they were written: refused, or empty."""
    left_out = sum(manifest.get("refused", {}).values()) + manifest.get("dropped", 0)
    filtered = manifest.get("filtered")
    written = filtered["read"] if filtered else manifest["notes"]
    share = left_out / max(1, left_out + written)
    yield Measured("refused-share", Axis.RESEMBLANCE, share, share, share, data)


def _score(
    folder: Path, notes: FluencyNotes, request: FluencyRequest, progress: Progress
) -> list[Measured]:
    model = load_scorer(folder)
    chance = Random(request.seed)  # noqa: S311 - what is drawn is no secret
    some = [_draw(each, request.scored, chance) for each in (notes.made, notes.unseen)]
    total, done = sum(map(len, some)), 0
    scores = []
    for texts in some:
        found = []
        for each in model.log_probabilities(texts):
            found.append(each)
            done += 1
            progress.advance(done, total)
        scores.append(found)
    made, unseen = scores
    return measure_perplexity(made, unseen, notes.data, seed=request.seed)


def _draw(notes: Sequence[Annotated], count: int, chance: Random) -> list[str]:
    texts = [note.document.text for note in notes if note.document.text.strip()]
    return chance.sample(texts, min(count, len(texts)))
