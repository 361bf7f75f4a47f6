"""Attacks on synthetic notes without access to the model: nearness and membership.

Each number is measured for the synthetic notes, for real notes of other patients, which cannot
have been copied from training, and for the training notes themselves, which are copies.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean

import numpy as np

from evaluation.attacks.memorization import separate_members
from evaluation.attacks.proximity import SIZES, Nearest, WordCorpus, words_of
from evaluation.detection.intervals import percentile_interval
from evaluation.gate import DETECTABLE, Axis, Measured

CANDIDATES = 500
"""Number of members, and of non-members, in the membership attack."""

Words = Sequence[str]
Scores = Sequence[float]


@dataclass(frozen=True)
class RealNotes:
    """The training notes of a model with their patients, and notes of other patients."""

    trained: Sequence[Words] = field(repr=False)
    patients: Sequence[str] = field(repr=False)
    held_out: Sequence[Words] = field(repr=False)
    others: Sequence[str] = ()
    """The patients of held-out notes; each is one's own where none are given."""

    def __post_init__(self) -> None:
        if len(self.trained) != len(self.patients):
            raise ValueError("each training note must have a patient")
        if self.others and len(self.others) != len(self.held_out):
            raise ValueError("each held-out note must have a patient")
        if min(len(self.trained), len(self.held_out)) < 2:
            raise ValueError("there must be at least two training and two held-out notes")


@dataclass(frozen=True)
class Nearness:
    """The nearest training note of each synthetic note by ROUGE, and the measured means.

    `scores` are those behind the means by size: of the synthetic notes, of notes of other patients
    and of copies.
    """

    found: dict[int, list[Nearest]] = field(repr=False)
    measured: tuple[Measured, ...]
    scores: Mapping[int, tuple[Scores, Scores, Scores]] = field(default_factory=dict, repr=False)


def measure_nearness(
    made: Sequence[Words], real: RealNotes, corpus: WordCorpus, data: str
) -> Nearness:
    """Measure the mean ROUGE recall of synthetic notes against training notes.

    `corpus` indexes the training notes, `data` identifies what was measured. The bounds are those
    of the percentile bootstrap over notes.
    """
    found = {size: corpus.rouge(made, size) for size in SIZES}
    measured = []
    behind: dict[int, tuple[Scores, Scores, Scores]] = {}
    for size, near in found.items():
        scores = [each.score for each in near]
        others, copies = (
            [each.score for each in corpus.rouge(notes, size)]
            for notes in (real.held_out, _sample(real.trained))
        )
        behind[size] = scores, others, copies
        low, high = percentile_interval(scores)
        measured.append(
            Measured(
                name=f"nearest-rouge-{size}",
                axis=Axis.PRIVACY,
                value=fmean(scores),
                low=low,
                high=high,
                data=data,
                null=fmean(others),
                control=fmean(copies),
                detail={"largest": max(scores), "median": float(np.median(scores))},
            )
        )
    return Nearness(found, tuple(measured), behind)


@dataclass(frozen=True)
class MembershipAttack:
    """What a membership attack measured, and the scores of members and of others behind it."""

    measured: Measured
    members: Scores = field(repr=False)
    others: Scores = field(repr=False)


def attack_membership(
    made: Sequence[Words], real: RealNotes, data: str, *, seed: int = 1
) -> MembershipAttack:
    """Attack membership: which real notes the synthetic ones were made from.

    The score of a candidate is the share of its n-grams found in the nearest synthetic note, an
    attack that needs nothing but the synthetic notes (Meeus et al. 2025, section 4). The area under
    the curve is 0.5 where members cannot be distinguished. The null value comes from a random split
    of the held-out notes, the control from attacking the training notes themselves. The bounds are
    those of the bootstrap over patients.
    """
    chance = np.random.default_rng(seed)
    chosen = [
        chance.permutation(len(notes))[:CANDIDATES] for notes in (real.trained, real.held_out)
    ]
    members, others = (
        [notes[place] for place in places]
        for notes, places in zip((real.trained, real.held_out), chosen, strict=True)
    )
    whose = real.others or [f"{place}" for place in range(len(real.held_out))]
    patients = (
        [real.patients[place] for place in chosen[0]],
        [whose[place] for place in chosen[1]],
    )
    size = min(SIZES)

    def score_candidates(source: Sequence[Words], notes: Sequence[Words]) -> list[float]:
        return [near.score for near in WordCorpus(source).rouge(notes, size)]

    scored, inside = score_candidates(made, others), score_candidates(made, members)
    found = separate_members(inside, scored, patients=patients, seed=seed)
    half = len(scored) // 2
    null = (
        separate_members(scored[:half], scored[half:], seed=seed).auc if half > 1 else float("nan")
    )
    leak = separate_members(
        score_candidates(real.trained, members), score_candidates(real.trained, others), seed=seed
    )
    measured = Measured(
        name="membership-auc",
        axis=Axis.PRIVACY,
        value=found.auc,
        low=found.low,
        high=found.high,
        data=data,
        null=null,
        control=leak.auc,
        detail={
            "members": len(members),
            "others": len(others),
            "patients": len(set(patients[0])),
            "other patients": len(set(patients[1])),
            DETECTABLE: found.detectable,
        },
    )
    return MembershipAttack(measured, inside, scored)


def split_words(texts: Iterable[str]) -> list[list[str]]:
    """Split notes into words."""
    return [words_of(text) for text in texts]


def _sample(notes: Sequence[Words]) -> Sequence[Words]:
    return notes[:CANDIDATES]
