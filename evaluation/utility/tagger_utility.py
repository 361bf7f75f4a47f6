"""Utility of synthetic notes for training taggers, which are scored on real notes.

The three settings of Libbi et al. (2021), section 4.2: real notes only, synthetic notes only, and
both; or those of Belkadi et al. (2023), section 4.2, for letters made from single real ones: as
many synthetic letters as real ones, and twice as many. All settings use the same real notes for
selecting weights and for scoring.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from statistics import fmean
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import permutation_test

from evaluation.detection.alignment import Pair
from evaluation.detection.intervals import student_interval
from evaluation.detection.span_counts import count_note
from evaluation.gate import LEAST_F1, Axis, Measured
from models.tagger.encoders.encoder import EncoderConfig
from models.tagger.runtime import Tagger
from models.tagger.sequences.alignment import TrainingNote
from models.tagger.training.recipe import TaggerRecipe, default_recipe
from models.tagger.training.training import TRAINING, Corpora, train
from models.training_loop import TrainingCallbacks
from record.document import Annotated, Document
from record.span import Span

Counts = NDArray[np.float64]
Places = NDArray[np.int64]
Score = Callable[[Counts], Counts]

SHUFFLES = 9999


def precision(counts: Counts) -> Counts:
    """Return the precision from hits, false positives and misses along the last axis."""
    return _ratio(counts[..., 0], counts[..., 0] + counts[..., 1])


def recall(counts: Counts) -> Counts:
    """Return the recall from hits, false positives and misses along the last axis."""
    return _ratio(counts[..., 0], counts[..., 0] + counts[..., 2])


def f1(counts: Counts) -> Counts:
    """Return the F1 from hits, false positives and misses along the last axis."""
    hits = 2 * counts[..., 0]
    return _ratio(hits, hits + counts[..., 1] + counts[..., 2])


def permutation_p_value(
    one: ArrayLike, other: ArrayLike, score: Score, *, shuffles: int = SHUFFLES, seed: int = 1
) -> float:
    """Return the p-value of the difference of two systems by a paired permutation test.

    `one` and `other` are [notes, 3]: hits, false positives and misses of each system in each note.
    The outputs for whole notes are swapped at random, two-sided; all permutations are enumerated if
    there are no more than `shuffles`. Raises ValueError where the notes differ.
    """
    first, second = np.asarray(one, np.float64), np.asarray(other, np.float64)
    if first.shape != second.shape or first.ndim != 2 or first.shape[1] != 3:
        raise ValueError("counts must be of shape [notes, 3] and of the same notes")
    if np.array_equal(first, second):
        return 1.0
    both = np.concatenate((first, second))

    def difference(left: Places, right: Places, *, axis: int) -> Counts:
        sums = (both[side.astype(np.int64)].sum(axis=axis - 1) for side in (left, right))
        return np.subtract(*map(score, sums))

    # A note's three counts belong together, so the indices of notes are permuted.
    places = np.arange(len(both))
    found = permutation_test(
        (places[: len(first)], places[len(first) :]), difference, permutation_type="samples",
        vectorized=True, n_resamples=shuffles, batch=256, rng=np.random.default_rng(seed),
    )  # fmt: skip
    return float(found.pvalue)


def _ratio(above: Counts, below: Counts) -> Counts:
    """Divide; 0 / 0 is a perfect score, as for a note without identifiers."""
    ratio: Counts = np.where(below > 0, above / np.where(below > 0, below, 1), 1.0)
    return ratio


REAL, SYNTHETIC, BOTH = "real", "synthetic", "both"
SETTINGS = (REAL, SYNTHETIC, BOTH)
TWICE = "twice"

SCORES = {"precision": precision, "recall": recall, "f1": f1}


class SpanFinder(Protocol):
    """Finds spans in documents, such as a tagger."""

    def spans(self, documents: Sequence[Document]) -> Sequence[Sequence[Span]]:
        """Find the spans of each document."""


@dataclass(frozen=True)
class UtilityTrial:
    """Annotated real notes, split by patient, and synthetic ones.

    With `twice`, a superset of `synthetic`, this setting replaces the one with both; without
    `with_both` there is none of them.
    """

    real: Sequence[Annotated] = field(repr=False)
    synthetic: Sequence[Annotated] = field(repr=False)
    dev: Sequence[Annotated] = field(repr=False)
    test: Sequence[Annotated] = field(repr=False)
    twice: Sequence[Annotated] = field(default=(), repr=False)
    with_both: bool = field(default=True, kw_only=True)

    def learnt(self) -> Mapping[str, Sequence[Annotated]]:
        """Return the training notes of each setting."""
        alone = {REAL: self.real, SYNTHETIC: self.synthetic}
        if self.twice:
            return {**alone, TWICE: self.twice}
        if not self.with_both:
            return alone
        return {**alone, BOTH: [*self.real, *self.synthetic]}


@dataclass(frozen=True)
class Utility:
    """The counts of every setting: [seeds, test notes, 3], hits, false positives and misses."""

    counts: Mapping[str, Counts] = field(repr=False)

    def scores(self, setting: str, name: str) -> list[float]:
        """Return a score for each seed: `precision`, `recall` or `f1` of exact spans and labels."""
        return [float(each) for each in SCORES[name](self.counts[setting].sum(1))]

    def differ(self, one: str, other: str, name: str) -> float:
        """Return the p-value of the difference of two settings.

        A note's outputs for all seeds are swapped together.
        """
        first, second = (self.counts[setting].sum(0) for setting in (one, other))
        return permutation_p_value(first, second, SCORES[name])

    def measured(self, data: str, name: str = "utility-of-real") -> Measured:
        """Return the F1 with synthetic notes only as a ratio of that with real notes only.

        `name` says by which task. Bounded by Student's t over seeds, which share notes and differ
        in training only.
        """
        real, synthetic = (self.scores(setting, "f1") for setting in (REAL, SYNTHETIC))
        ratios = [one / other if other else 0.0 for one, other in zip(synthetic, real, strict=True)]
        low, high = student_interval(ratios)
        return Measured(
            name, Axis.UTILITY, fmean(ratios), low, high, data, len(ratios),
            detail=self._means(),
        )  # fmt: skip

    @property
    def has_learnt(self) -> bool:
        """Whether taggers learnt enough from real notes for others to be compared with them."""
        return fmean(self.scores(REAL, "f1")) >= LEAST_F1

    def gained(self, name: str, one: str, other: str, data: str) -> Measured:
        """Return the difference of the F1 of two settings, bounded in the same way.

        0.01 is a point of F1.
        """
        pairs = zip(self.scores(one, "f1"), self.scores(other, "f1"), strict=True)
        gains = [first - second for first, second in pairs]
        low, high = student_interval(gains)
        return Measured(
            name, Axis.UTILITY, fmean(gains), low, high, data, len(gains), detail=self._means()
        )

    def _means(self) -> dict[str, float | int | str]:
        return {f"f1 of {s}": round(fmean(self.scores(s, "f1")), 4) for s in self.counts}


def recipe_for(
    encoder: str, *, epochs: int | None, max_minutes: float | None, rate: float | None = None
) -> TaggerRecipe:
    """Return the default recipe for an encoder, with the given limits and learning rate."""
    bounds = {
        "epochs": epochs,
        "max_minutes": max_minutes,
        "encoder_rate": rate,
        "head_rate": rate,
    }
    given: dict[str, Any] = {name: value for name, value in bounds.items() if value is not None}
    return replace(default_recipe(EncoderConfig(encoder)), **given)


def train_and_score(
    trial: UtilityTrial,
    recipe: TaggerRecipe,
    seeds: Sequence[int],
    out: Path,
    make_watch: Callable[[str], TrainingCallbacks] = lambda name: TrainingCallbacks(),
    *,
    shared: Path | None = None,
) -> Utility:
    """Train a tagger for each setting and seed in a folder, and score it on the test notes.

    Those of real notes alone go to the folder `shared`, if given, where other comparisons find
    them. Existing taggers are loaded, interrupted trainings resumed. Raises ConfigError, and
    ValueError for duplicate seeds.
    """
    if len(set(seeds)) < len(seeds):
        raise ValueError("seeds must be distinct")
    learnt = trial.learnt()
    found: dict[str, list[Counts]] = {setting: [] for setting in learnt}
    for setting, seed in ((setting, seed) for seed in seeds for setting in learnt):
        folder = (shared or out if setting == REAL else out) / f"{setting}-{seed}"
        if not (folder / TRAINING).exists():
            corpora = Corpora(_to_training_notes(learnt[setting]), _to_training_notes(trial.dev))
            train(corpora, replace(recipe, seed=seed), folder, make_watch(folder.name))
        found[setting].append(score_finder(Tagger.load(folder), trial.test))
    return Utility({setting: np.stack(each) for setting, each in found.items()})


def _to_training_notes(notes: Sequence[Annotated]) -> list[TrainingNote]:
    return [TrainingNote(note) for note in notes]


def score_finder(finder: SpanFinder, notes: Sequence[Annotated]) -> Counts:
    """Count exact spans and labels: [notes, 3], hits, false positives and misses."""
    return count_exact(notes, finder.spans([note.document for note in notes]))


def count_exact(notes: Sequence[Annotated], found: Sequence[Sequence[Span]]) -> Counts:
    """Count exact spans and labels among those found: [notes, 3], like `score_finder`."""
    rows = []
    for note, spans in zip(notes, found, strict=True):
        document = note.document
        pair = Pair(document.note_id, document.text, tuple(note.spans), tuple(spans))
        exact = count_note(pair).strict
        rows.append((exact.tp, exact.fp, exact.fn))
    return np.array(rows, np.float64)
