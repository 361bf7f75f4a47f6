"""Agreement of two reviewers on pairs of real and synthetic notes, on a five-point scale.

The four questions and the measures are those of Libbi et al. (2021), section 4.4.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np
from scipy.stats import binomtest, mannwhitneyu, permutation_test, spearmanr

from evaluation.detection.annotator_agreement import cohens_kappa
from evaluation.gate import Axis, Measured

QUESTIONS = ("real_identifies", "synthetic_identifies", "linked")
"""Questions about each pair: does the real note single out a person, does the synthetic one, does
the synthetic one lead to the person of the real one; from 1 (surely not) to 5 (surely)."""

SCALE = (1, 2, 3, 4, 5)
YES = 4
"""Least answer that means yes."""

COPY, UNRELATED = "copy", "unrelated"
"""The kinds of pairs whose answer is known: a real note and itself, and two drawn at random."""

_LINKED = QUESTIONS[2]
_FEWEST, _SHUFFLES = 3, 999


@dataclass(frozen=True, slots=True)
class ReviewerAnswer:
    """The answers of one reviewer about one pair, and why, in the reviewer's own words."""

    pair: int
    reviewer: str
    scores: Mapping[str, int]
    reason: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True)
class Agreement:
    """One question over the pairs that two reviewers answered.

    `kappa` is Cohen's, `rho` Spearman's; NaN if all answers are equal. `breaches` counts the pairs
    for which both answered yes, `cleared` those for which both answered no.
    """

    question: str
    pairs: int
    kappa: float
    rho: float
    breaches: int
    cleared: int


def measure_agreement(answers: Iterable[ReviewerAnswer]) -> list[Agreement]:
    """Compare the two reviewers of every pair, question by question.

    Reviewers are ordered by name. Raises ValueError if a pair has more than two reviewers, one of
    them answered twice, or an answer is off the scale.
    """
    pairs: defaultdict[int, dict[str, Mapping[str, int]]] = defaultdict(dict)
    for answer in answers:
        if answer.reviewer in pairs[answer.pair]:
            raise ValueError(f"pair {answer.pair}: two answers by the same reviewer")
        if set(answer.scores) != set(QUESTIONS) or not set(answer.scores.values()) <= set(SCALE):
            raise ValueError(f"pair {answer.pair}: answers must be between 1 and 5")
        pairs[answer.pair][answer.reviewer] = answer.scores
    if any(len(by) > len(("one", "other")) for by in pairs.values()):
        raise ValueError("a pair must not have more than two reviewers")
    both = [[by[name] for name in sorted(by)] for _, by in sorted(pairs.items()) if len(by) == 2]
    return [
        _agreement(question, [(one[question], other[question]) for one, other in both])
        for question in QUESTIONS
    ]


@dataclass(frozen=True, slots=True)
class ReaderAgreement:
    """One question over the pairs that two named reviewers both answered.

    `p` is the p-value of `rho`, two-sided, by permutation of one's answers: the chance that
    reviewers who do not look at the same thing agree as much. NaN where one gives the same answer
    to all, or with fewer than three pairs.
    """

    question: str
    one: str
    other: str
    pairs: int
    kappa: float
    rho: float
    p: float


def compare_readers(answers: Iterable[ReviewerAnswer]) -> list[ReaderAgreement]:
    """Compare every two reviewers who answered some pair both: a matrix for each question.

    Reviewers are in order of their names.
    """
    by: defaultdict[str, dict[int, Mapping[str, int]]] = defaultdict(dict)
    for answer in answers:
        by[answer.reviewer][answer.pair] = answer.scores
    found = []
    for question in QUESTIONS:
        for one, other in combinations(sorted(by), 2):
            common = sorted(by[one].keys() & by[other].keys())
            if common:
                first, second = (
                    [by[who][pair][question] for pair in common] for who in (one, other)
                )
                found.append(_reader_agreement(question, (one, other), first, second))
    return found


def _reader_agreement(
    question: str, who: tuple[str, str], first: Sequence[int], second: Sequence[int]
) -> ReaderAgreement:
    scores = list(zip(first, second, strict=True))
    is_constant = len(set(first)) < 2 or len(set(second)) < 2
    rho = p = math.nan
    if not is_constant and len(scores) >= _FEWEST:
        rho = float(spearmanr(first, second).statistic)
        p = float(
            permutation_test(
                (np.array(first),),
                lambda some: spearmanr(some, second).statistic,
                permutation_type="pairings",
                n_resamples=_SHUFFLES,
                rng=np.random.default_rng(1),
            ).pvalue
        )
    return ReaderAgreement(question, *who, len(scores), cohen(scores), rho, p)


def measure_review(
    answers: Iterable[ReviewerAnswer], known: Mapping[int, str], *, data: str, review: str
) -> Measured | None:
    """Measure the share of pairs that a reviewer called linked; None unless all have two answers.

    `known` maps the pairs that count to their kind, empty for those that are asked about. The null
    value is the share of unrelated pairs that a reviewer called linked, the control that of copies
    that both did. `data` identifies the notes, `review` the pairs.
    """
    scores: defaultdict[int, list[int]] = defaultdict(list)
    for answer in answers:
        scores[answer.pair].append(answer.scores[_LINKED])
    if any(len(scores[pair]) != len(("one", "other")) for pair in known):
        return None
    by_kind: defaultdict[str, list[list[int]]] = defaultdict(list)
    for pair, kind in known.items():
        by_kind[kind].append(scores[pair])
    linked, chance = ([max(both) >= YES for both in by_kind[kind]] for kind in ("", UNRELATED))
    seen = [min(both) >= YES for both in by_kind[COPY]]
    share = sum(linked) / len(linked) if linked else 0.0
    return Measured(
        name="review-breaches",
        axis=Axis.PRIVACY,
        value=share,
        low=share,
        high=share,
        data=data,
        null=sum(chance) / len(chance) if chance else math.nan,
        control=sum(seen) / len(seen) if seen else math.nan,
        detail={"pairs": len(linked), "linked": sum(linked), "review_sha256": review},
    )


SOUND = "sound"
"""The question about single notes: does the note make sense to a clinician, from 1 to 5."""

SOUND_SHARE = "sound-notes"
"""The name of the share of synthetic notes that make sense."""

SOUND_SHA256 = "sound_sha256"
"""The detail that names the notes that were read for their soundness."""

MADE, REAL = "synthetic", "real"
"""The kinds of notes that are read for their soundness, which readers are not told."""


@dataclass(frozen=True, slots=True)
class SoundnessAnswer:
    """The answer of one reader about one note, and why, in the reader's own words."""

    note: int
    reader: str
    score: int
    reason: str = field(default="", repr=False)


def measure_soundness(
    answers: Iterable[SoundnessAnswer], known: Mapping[int, str], *, data: str, review: str
) -> Measured | None:
    """Measure the share of synthetic notes that make sense; None unless all notes have an answer.

    A note makes sense where the mean of its answers is `YES` or more. The null value is the same
    share of real notes, read among them; bounds are exact (Clopper and Pearson). `p` in the detail
    is that of the Mann-Whitney test of both kinds' means. `known` maps notes to their kind.
    """
    scores: defaultdict[int, list[int]] = defaultdict(list)
    for answer in answers:
        if answer.score not in SCALE or answer.note not in known:
            raise ValueError(f"note {answer.note}: answers must be between 1 and 5")
        scores[answer.note].append(answer.score)
    if any(not scores[note] for note in known):
        return None
    means = {
        kind: [sum(scores[note]) / len(scores[note]) for note in known if known[note] == kind]
        for kind in (MADE, REAL)
    }
    if not all(means.values()):
        return None
    sound = {kind: sum(mean >= YES for mean in some) for kind, some in means.items()}
    bounds = binomtest(sound[MADE], len(means[MADE])).proportion_ci(method="exact")
    return Measured(
        name=SOUND_SHARE,
        axis=Axis.RESEMBLANCE,
        value=sound[MADE] / len(means[MADE]),
        low=float(bounds.low),
        high=float(bounds.high),
        data=data,
        null=sound[REAL] / len(means[REAL]),
        detail={
            "synthetic notes": len(means[MADE]),
            "real notes": len(means[REAL]),
            "mean of synthetic": sum(means[MADE]) / len(means[MADE]),
            "mean of real": sum(means[REAL]) / len(means[REAL]),
            "p": float(mannwhitneyu(means[MADE], means[REAL]).pvalue),
            SOUND_SHA256: review,
        },
    )


def _agreement(question: str, scores: Sequence[tuple[int, int]]) -> Agreement:
    table = np.array(scores, np.float64).reshape(-1, 2)
    constant = len(table) < 2 or (np.ptp(table, axis=0) == 0).any()
    return Agreement(
        question=question,
        pairs=len(scores),
        kappa=cohen(scores),
        rho=math.nan if constant else float(spearmanr(table[:, 0], table[:, 1]).statistic),
        breaches=sum(min(both) >= YES for both in scores),
        cleared=sum(max(both) < YES - 1 for both in scores),
    )


def cohen(scores: Sequence[tuple[int, int]]) -> float:
    """Return Cohen's kappa (1960), unweighted; NaN if expected agreement is 1."""
    return cohens_kappa(Counter(scores))
