"""What made text gives away about the notes it was made from, without a look at the model.

Every number is taken three times: for the made notes, for real notes of other patients, which
cannot have been copied from training, and for training notes themselves, which are copies.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from statistics import fmean

import numpy as np
from scipy.stats import binomtest

from evaluation.attacks.memorization import attack
from evaluation.attacks.proximity import SIZES, Nearest, WordCorpus, words_of
from evaluation.detection.intervals import CONFIDENCE, percentile_interval
from evaluation.gate import Axis, Measured

VERBATIM = 8
"""Words in a row that only one patient's notes hold: as good as a copy of them."""

CANDIDATES = 500
"""Members, and as many others, that the membership attack is tried on."""

Words = Sequence[str]


@dataclass(frozen=True)
class RealNotes:
    """Notes that a model learnt from, with their patients, and notes of other patients."""

    trained: Sequence[Words] = field(repr=False)
    patients: Sequence[str] = field(repr=False)
    held_out: Sequence[Words] = field(repr=False)

    def __post_init__(self) -> None:
        if len(self.trained) != len(self.patients):
            raise ValueError("one patient for each note of training is needed")
        if min(len(self.trained), len(self.held_out)) < 2:
            raise ValueError("at least two notes of training and two held out are needed")


@dataclass(frozen=True)
class Nearness:
    """The nearest training notes of made notes by ROUGE, and what the nearness is worth."""

    found: dict[int, list[Nearest]] = field(repr=False)
    measured: tuple[Measured, ...]


def nearness(made: Sequence[Words], real: RealNotes, corpus: WordCorpus, data: str) -> Nearness:
    """Measure the mean ROUGE recall of made notes against training notes.

    `corpus` indexes the training notes, `data` names what was measured. The bounds are those of
    the percentile bootstrap over notes.
    """
    found = {size: corpus.rouge(made, size) for size in SIZES}
    measured = []
    for size, near in found.items():
        scores = [each.score for each in near]
        low, high = percentile_interval(scores)
        measured.append(
            Measured(
                name=f"nearest-rouge-{size}",
                axis=Axis.PRIVACY,
                value=fmean(scores),
                low=low,
                high=high,
                data=data,
                null=fmean(each.score for each in corpus.rouge(real.held_out, size)),
                control=fmean(each.score for each in corpus.rouge(_some(real.trained), size)),
                detail={"largest": max(scores), "median": float(np.median(scores))},
            )
        )
    return Nearness(found, tuple(measured))


def verbatim(made: Sequence[Words], real: RealNotes, data: str) -> Measured:
    """Measure the share of made notes with `VERBATIM` words in a row that one patient alone has."""
    owners: dict[tuple[str, ...], str | None] = {}
    for note, patient in zip(real.trained, real.patients, strict=True):
        for gram in _grams(note):
            known = owners.setdefault(gram, patient)
            if known != patient:
                owners[gram] = None  # of several patients: a phrase of the house
    single = frozenset(gram for gram, owner in owners.items() if owner is not None)

    def copies(notes: Sequence[Words]) -> int:
        return sum(any(gram in single for gram in _grams(note)) for note in notes)

    count, some = copies(made), _some(real.trained)
    bounds = binomtest(count, len(made)).proportion_ci(CONFIDENCE, method="exact")
    return Measured(
        name=f"verbatim-{VERBATIM}-words",
        axis=Axis.PRIVACY,
        value=count / len(made),
        low=float(bounds.low),
        high=float(bounds.high),
        data=data,
        null=copies(real.held_out) / len(real.held_out),
        control=copies(some) / len(some),
        detail={"notes": count},
    )


def membership(made: Sequence[Words], real: RealNotes, data: str, *, seed: int = 1) -> Measured:
    """Attack the made notes: whose real notes they were made from, by what they repeat of them.

    The score of a candidate is the share of its n-grams found in the nearest made note, the attack
    that needs nothing but the made notes (Meeus et al. 2025, section 4). The area under the curve
    is 0.5 where members cannot be told from others. The number for what cannot leak parts the
    held-out notes in two at random; the one for a known leak attacks the training notes themselves.
    """
    chance = np.random.default_rng(seed)
    members, others = (
        [notes[place] for place in chance.permutation(len(notes))[:CANDIDATES]]
        for notes in (real.trained, real.held_out)
    )
    size = min(SIZES)

    def told(source: Sequence[Words], notes: Sequence[Words]) -> list[float]:
        return [near.score for near in WordCorpus(source).rouge(notes, size)]

    scored = told(made, others)
    found = attack(told(made, members), scored, seed=seed)
    half = len(scored) // 2
    null = attack(scored[:half], scored[half:], seed=seed).auc if half > 1 else float("nan")
    leak = attack(told(real.trained, members), told(real.trained, others), seed=seed)
    return Measured(
        name="membership-auc",
        axis=Axis.PRIVACY,
        value=found.auc,
        low=found.low,
        high=found.high,
        data=data,
        null=null,
        control=leak.auc,
        detail={"members": len(members), "others": len(others)},
    )


def parted(texts: Iterable[str]) -> list[list[str]]:
    """Part notes into words."""
    return [words_of(text) for text in texts]


def _grams(note: Words) -> set[tuple[str, ...]]:
    return {tuple(note[at : at + VERBATIM]) for at in range(len(note) - VERBATIM + 1)}


def _some(notes: Sequence[Words]) -> Sequence[Words]:
    return notes[:CANDIDATES]
