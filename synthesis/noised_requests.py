"""Noised counts of what notes of a corpus have, from which requests are drawn under privacy.

How many words notes have, and how many entities of each label, is counted over one note of each
patient. Every count gets noise of the two-sided geometric distribution (Ghosh, Roughgarden and
Sundararajan, STOC 2009), which is exact for whole numbers.
"""

import hashlib
import math
import secrets
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from record.errors import ConfigError
from synthesis.note_requests import NoteCounts, count_requests, request_like
from synthesis.prepared_corpus import MarkedNote

Uniform = Callable[[], float]


@dataclass(frozen=True)
class NoisedCounts(NoteCounts):
    """Counts of notes with noise, at a price in epsilon."""

    epsilon: float = field(kw_only=True)

    def to_json(self) -> dict[str, Any]:
        """Return it as plain JSON."""
        labels = {label: list(counts) for label, counts in self.labels.items()}
        return {"epsilon": self.epsilon, "lengths": list(self.lengths), "labels": labels}

    @classmethod
    def from_json(cls, held: Mapping[str, Any]) -> "NoisedCounts":
        """Read what `to_json` returned."""
        return cls(held["lengths"], held["labels"], epsilon=held["epsilon"])


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
    counted = count_notes(notes, labels, seed=seed)
    part = epsilon / (len(labels) + 1)
    system = secrets.SystemRandom()

    def noised(counts: Sequence[float]) -> list[float]:
        return [count + two_sided_geometric(part, system.random) for count in counts]

    labelled = {label: noised(some) for label, some in counted.labels.items()}
    return NoisedCounts(noised(counted.lengths), labelled, epsilon=epsilon)


def count_notes(notes: Iterable[MarkedNote], labels: Sequence[str], *, seed: int) -> NoteCounts:
    """Count one note of each patient, which a hash of the seed and the note chooses.

    Notes without a patient do not count.
    """
    chosen: dict[str, MarkedNote] = {}
    for note in notes:
        if note.patient:
            known = chosen.get(note.patient)
            if known is None or _rank(note, seed) < _rank(known, seed):
                chosen[note.patient] = note
    return count_requests((request_like(note.annotated, ()) for note in chosen.values()), labels)


def _rank(note: MarkedNote, seed: int) -> bytes:
    content = f"{seed}/{note.codes}{note.marked}".encode("utf-8", "replace")
    return hashlib.blake2b(content, digest_size=16).digest()


def two_sided_geometric(epsilon: float, uniform: Uniform) -> int:
    """Draw a whole number k with a probability proportional to e^(-epsilon |k|)."""
    return _geometric(epsilon, uniform) - _geometric(epsilon, uniform)


def _geometric(epsilon: float, uniform: Uniform) -> int:
    # 1 - u lies above 0 and does not exceed 1.
    return math.floor(math.log(1 - uniform()) / -epsilon)
