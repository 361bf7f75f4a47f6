"""Noised counts of what notes of a corpus have, from which requests are drawn under privacy.

How many words notes have, and how many entities of each label, is counted over one note of each
patient. Every count gets noise of the two-sided geometric distribution (Ghosh, Roughgarden and
Sundararajan, STOC 2009), which is exact for whole numbers.
"""

import hashlib
import math
import secrets
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from random import Random
from typing import Any

from record.errors import ConfigError
from synthesis.corpus_statistics import words_in
from synthesis.note_requests import MAX_COUNT, Request
from synthesis.prepared_corpus import MarkedNote

EDGES = (1, 25, 50, 100, 200, 400, 800, 1600, 3200)
"""Bounds of classes of length, in words; longer notes are of the last class."""

Uniform = Callable[[], float]


@dataclass(frozen=True)
class NoisedCounts:
    """Notes by class of length, and by number of entities of each label, at a price in epsilon."""

    epsilon: float
    lengths: Sequence[int] = field(repr=False)
    labels: Mapping[str, Sequence[int]] = field(repr=False)

    def to_json(self) -> dict[str, Any]:
        """Return it as plain JSON."""
        labels = {label: list(counts) for label, counts in self.labels.items()}
        return {"epsilon": self.epsilon, "lengths": list(self.lengths), "labels": labels}

    @classmethod
    def from_json(cls, held: Mapping[str, Any]) -> "NoisedCounts":
        """Read what `to_json` returned."""
        return cls(held["epsilon"], held["lengths"], held["labels"])

    def drawn(self, request: Request, rng: Random) -> Request:
        """Return the request with length and counts drawn, each for itself.

        A count whose noise left nothing stays as it was asked for.
        """
        counts = {}
        for label, noised in sorted(self.labels.items()):
            number = _draw(noised, rng)
            counts[label] = request.counts.get(label, 0) if number is None else number
        words, at = request.words, _draw(self.lengths, rng)
        if at is not None:
            words = rng.randint(EDGES[at], EDGES[at + 1] - 1)
        return replace(request, counts=counts, words=words)


def _draw(noised: Sequence[int], rng: Random) -> int | None:
    weights = [max(0, count) for count in noised]
    return rng.choices(range(len(weights)), weights)[0] if any(weights) else None


def noise_counts(
    notes: Iterable[MarkedNote], labels: Sequence[str], epsilon: float, *, seed: int
) -> NoisedCounts:
    """Count over one note of each patient, and add noise from the system's randomness.

    A patient more or less changes one count of each label and one of length by one, so that each
    kind of count is given an equal part of epsilon. `labels` must not depend on the notes. Raises
    ConfigError.
    """
    if not (math.isfinite(epsilon) and epsilon > 0):
        raise ConfigError("--requests-epsilon", "must be above 0", "give a positive number")
    lengths, counted = count_notes(notes, labels, seed=seed)
    part = epsilon / (len(labels) + 1)
    system = secrets.SystemRandom()

    def noised(counts: Sequence[int]) -> list[int]:
        return [count + two_sided_geometric(part, system.random) for count in counts]

    return NoisedCounts(
        epsilon, noised(lengths), {label: noised(some) for label, some in counted.items()}
    )


def count_notes(
    notes: Iterable[MarkedNote], labels: Sequence[str], *, seed: int
) -> tuple[list[int], dict[str, list[int]]]:
    """Count one note of each patient, which a hash of the seed and the note chooses.

    Notes without a patient do not count.
    """
    chosen: dict[str, MarkedNote] = {}
    for note in notes:
        if note.patient:
            known = chosen.get(note.patient)
            if known is None or _rank(note, seed) < _rank(known, seed):
                chosen[note.patient] = note
    lengths = [0] * (len(EDGES) - 1)
    counted = {label: [0] * (MAX_COUNT + 1) for label in sorted(labels)}
    for note in chosen.values():
        annotated = note.annotated
        words = len(words_in(annotated.document.text))
        lengths[_class_of(words)] += 1
        for label, counts in counted.items():
            number = sum(span.label == label for span in annotated.spans)
            counts[min(number, MAX_COUNT)] += 1
    return lengths, counted


def _rank(note: MarkedNote, seed: int) -> bytes:
    content = f"{seed}/{note.codes}{note.marked}".encode("utf-8", "replace")
    return hashlib.blake2b(content, digest_size=16).digest()


def _class_of(words: int) -> int:
    for number, (_, above) in enumerate(pairwise(EDGES)):
        if words < above:
            return number
    return len(EDGES) - 2


def two_sided_geometric(epsilon: float, uniform: Uniform) -> int:
    """Draw a whole number k with a probability proportional to e^(-epsilon |k|)."""
    return _geometric(epsilon, uniform) - _geometric(epsilon, uniform)


def _geometric(epsilon: float, uniform: Uniform) -> int:
    # 1 - u lies above 0 and does not exceed 1.
    return math.floor(math.log(1 - uniform()) / -epsilon)
