"""How much language synthetic notes hold: tasks learnt from them, and from the real notes."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evaluation.gate import Measured
from evaluation.utility.language_tasks import (
    TaskTexts,
    measure_case_restoration,
    measure_entailment,
    measure_word_likeness,
    read_entailment,
    read_rated_pairs,
)
from pipeline.config.progress import Progress
from pipeline.config.signing import hash_file
from pipeline.files.gold import read_annotated
from pipeline.synthetic.measurements.files import read_manifest
from record.errors import ConfigError
from synthesis.generation_files import NOTES, manifest_digest
from synthesis.markup import decode
from synthesis.prepared_corpus import load_corpus


@dataclass(frozen=True)
class LanguageTasks:
    """The tasks beside restored capitals, and how they are learnt.

    `least` is how often both words of a pair must occur in the real notes, `characters` how
    many characters capitalization is learnt from, `entailment` the files to train and to test on.
    """

    word_pairs: Path | None = None
    least: int = 20
    entailment: tuple[Path, Path] | None = None
    characters: int = 1_000_000
    seed: int = 1


@dataclass(frozen=True)
class LanguageQuality:
    """The measurements of each task, and the digests of the notes' manifest and of their corpus."""

    measured: Sequence[Measured]
    manifest: str
    corpus: str

    def to_json(self) -> dict[str, Any]:
        """Return what the gate reads."""
        return {
            "format": 1,
            "corpus": self.corpus,
            "manifest": self.manifest,
            "measured": [each.to_json() for each in self.measured],
        }


def measure_language(
    synthetic: Path, corpus: Path, tasks: LanguageTasks, progress: Progress
) -> LanguageQuality:
    """Learn each task from synthetic notes, from real ones and from word frequencies alone.

    Raises ConfigError where the notes came from another corpus, or are too few.
    """
    manifest = read_manifest(synthetic, corpus)
    pairs = read_rated_pairs(tasks.word_pairs) if tasks.word_pairs else None
    sentences = [read_entailment(path) for path in tasks.entailment or ()]
    notes = load_corpus(corpus).notes
    real, test = ([decode(each.marked)[0] for each in notes[s]] for s in ("train", "test"))
    made = synthetic / NOTES
    texts = [note.document.text for note in read_annotated(made, [])]
    sources, data = TaskTexts(real, texts, tasks.seed), hash_file(made)
    progress.phase("capitals")
    try:
        measured = [measure_case_restoration(sources, test, data, characters=tasks.characters)]
    except ValueError as error:
        raise ConfigError("the notes", str(error), "give more") from None
    if pairs is not None:
        progress.phase("word similarity")
        measured.append(measure_word_likeness(sources, pairs, data, least=tasks.least))
    if sentences:
        progress.phase("entailment")
        measured.append(measure_entailment(sources, sentences[0], sentences[1], data))
    return LanguageQuality(measured, manifest_digest(manifest), manifest["corpus_sha256"])
