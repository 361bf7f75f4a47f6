"""What a tagger learns from synthetic notes, beside what it learns from real ones."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evaluation.gate import Measured
from evaluation.utility.tagger_utility import (
    REAL,
    SYNTHETIC,
    TWICE,
    Utility,
    UtilityTrial,
    recipe_for,
    train_and_score,
)
from models.training_loop import TrainingCallbacks
from pipeline.config.progress import Progress
from pipeline.config.signing import hash_file
from pipeline.files.gold import read_annotated
from pipeline.synthetic.filled_letters import is_filled, read_filled
from pipeline.synthetic.measurements.files import read_manifest
from pipeline.synthetic.measurements.silver_labels import mark_terms
from pipeline.synthetic.measurements.tag_agreement import AGREEMENT_COUNTS, DISAGREEING
from record.document import Annotated, Document
from record.errors import ConfigError
from synthesis.corpus_splitting import SPLITS
from synthesis.generation_files import NOTES, manifest_digest
from synthesis.markup import decode
from synthesis.prepared_corpus import load_corpus

MEDICAL_OF_REAL = "medical-of-real"
"""As `utility-of-real`, by taggers of words of medicine."""

FILLED_OVER_REAL = "filled-over-real"
"""The F1 that is lost where a tagger learns from filled letters, and not from their sources."""

SCORES = ("precision", "recall", "f1")
UTILITY_UNFILTERED = "utility-unfiltered"
"""As `utility-of-real`, with the notes that were left out for their annotations. Nothing requires
it: beside the other it tells what leaving them out is worth."""

TAGGERS, MEDICAL, UNFILTERED = "taggers", "medical", "unfiltered"
"""The folders, under that of the results, in which taggers are kept to resume: of identifiers, of
words of medicine, and of notes with those that were left out for their annotations."""


@dataclass(frozen=True)
class UtilityRequest:
    """Synthetic notes with their corpus, where taggers go, and how each of them is trained.

    With `medical` taggers of words of medicine are trained, too, beside those of identifiers.
    Without `with_both` none learns from real and synthetic notes together. `rate` replaces the
    learning rate of the encoder's recipe; `shared` is the folder of the taggers of real notes,
    where several comparisons with one corpus share them.
    """

    synthetic: Path
    corpus: Path
    out: Path
    encoder: str
    seeds: int
    max_minutes: float | None = None
    epochs: int | None = None
    medical: bool = False
    with_both: bool = True
    rate: float | None = None
    shared: Path | None = None


@dataclass(frozen=True)
class UtilityResult:
    """The scores of all taggers, and the measurements made of them.

    The first measurement is the share of the F1 of real notes that synthetic ones reach.
    `manifest` is the digest of the notes' manifest (see `manifest_digest`), `corpus` of the corpus.
    `is_unlearnt` where taggers learnt too little from real notes to say what filled letters lose.
    """

    utility: Utility
    measured: Sequence[Measured]
    manifest: str
    corpus: str
    is_unlearnt: bool = False

    def to_json(self) -> dict[str, Any]:
        """Return what the gate reads, with the p-value of every difference by score."""
        measured = [each.to_json() for each in self.measured]
        return {
            "format": 1,
            "corpus": self.corpus,
            "manifest": self.manifest,
            "measured": measured,
            "tests": {
                f"{setting} against {REAL}": {
                    name: self.utility.differ(setting, REAL, name) for name in SCORES
                }
                for setting in self.utility.counts
                if setting != REAL
            },
        }


def measure_utility(request: UtilityRequest, progress: Progress) -> UtilityResult:
    """Train taggers on real notes, on synthetic notes and on both, and score them on real notes.

    Taggers that are there already are not trained again. Raises ConfigError where the notes came
    from another corpus, or where there is but one seed.
    """
    if request.seeds < 2:
        problem = f"must be at least 2 for a confidence interval, not {request.seeds}"
        raise ConfigError("--seeds", problem, "give 2 or more")
    manifest = read_manifest(request.synthetic, request.corpus)
    notes = request.synthetic / NOTES
    filled = is_filled(manifest)
    real, dev, test = _read_real(request.corpus)
    if filled:
        # One letter of each source, and two of each where there are two
        letters = list(read_filled(notes))
        first, second = ([e.annotated for e in letters if e.copy == copy] for copy in range(2))
        synthetic, twice = (first, [*first, *second] if second else [])
    else:
        synthetic, twice = (list(read_annotated(notes, [])), [])
    left_out = None if filled else _read_left_out(request.synthetic, manifest)

    def watch(name: str) -> TrainingCallbacks:
        progress.phase(name)
        return TrainingCallbacks(progress.advance)

    recipe = recipe_for(
        request.encoder, epochs=request.epochs, max_minutes=request.max_minutes, rate=request.rate
    )
    seeds = range(1, request.seeds + 1)
    trial = UtilityTrial(real, synthetic, dev, test, twice, with_both=request.with_both)
    taggers = request.out / TAGGERS
    utility = train_and_score(trial, recipe, seeds, taggers, watch, shared=request.shared)
    data = hash_file(notes)
    measured = list(_measure(utility, data, filled=filled))
    if left_out:
        whole = UtilityTrial(real, [*synthetic, *left_out], dev, test, with_both=False)
        found = train_and_score(
            whole, recipe, seeds, request.out / UNFILTERED,
            lambda name: watch(f"{UNFILTERED} {name}"), shared=request.shared or taggers,
        )  # fmt: skip
        measured.append(found.measured(data, UTILITY_UNFILTERED))
    elif left_out is not None:
        measured.append(utility.measured(data, UTILITY_UNFILTERED))
    if request.medical:
        parts = (list(map(mark_terms, part)) for part in (real, synthetic, dev, test))
        terms = train_and_score(UtilityTrial(*parts), recipe, seeds, request.out / MEDICAL, watch)
        measured.append(terms.measured(data, MEDICAL_OF_REAL))
    return UtilityResult(
        utility, measured, manifest_digest(manifest), manifest["corpus_sha256"],
        is_unlearnt=filled and not utility.has_learnt,
    )  # fmt: skip


def _measure(utility: Utility, data: str, *, filled: bool) -> Iterator[Measured]:
    yield utility.measured(data)
    # Where nothing is learnt from real notes, nothing can be lost: then it is not measured.
    if filled and utility.has_learnt:
        yield utility.gained(FILLED_OVER_REAL, SYNTHETIC, REAL, data)
    if TWICE in utility.counts:
        yield utility.gained("twice-over-once", TWICE, SYNTHETIC, data)


def _read_left_out(synthetic: Path, manifest: Mapping[str, Any]) -> list[Annotated] | None:
    """Return the notes that were left out for their annotations; None where nobody compared them.

    Raises ConfigError where they were changed. What was published has them no more.
    """
    counts = (manifest.get("filtered") or {}).get(AGREEMENT_COUNTS)
    path = synthetic / DISAGREEING
    if counts is None or not path.is_file():
        return None
    if hash_file(path) != counts["dropped_sha256"]:
        raise ConfigError(str(path), "has changed since it was written", "filter the notes again")
    return list(read_annotated(path, []))


def _read_real(corpus: Path) -> list[list[Annotated]]:
    """Return the real notes of train, dev and test."""
    notes = load_corpus(corpus).notes
    return [
        [_annotate(f"{split}-{number}", each.marked) for number, each in enumerate(notes[split])]
        for split in SPLITS
    ]


def _annotate(note_id: str, marked: str) -> Annotated:
    text, spans = decode(marked)
    return Annotated(Document(note_id=note_id, text=text), spans)
