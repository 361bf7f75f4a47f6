"""How far reviewers agree, and what they found: answers on a scale of five points.

The four questions and the measures are those of Libbi et al. (2021), section 4.4.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.stats import spearmanr

QUESTIONS = ("real_identifies", "synthetic_identifies", "linked")
"""Asked of each pair: does the real note single out a person, does the synthetic one, does the
synthetic one lead to the person of the real one; 1 surely not, 5 surely."""

SCALE = (1, 2, 3, 4, 5)
YES = 4
"""From here on an answer says yes."""


@dataclass(frozen=True, slots=True)
class ReviewerAnswer:
    """What one reviewer said of one pair."""

    pair: int
    reviewer: str
    scores: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Agreement:
    """One question over the pairs that two reviewers answered.

    `kappa` is Cohen's, `rho` Spearman's; not a number where all answers are the same. `breaches`
    counts the pairs of which both said yes, `cleared` those of which both said no.
    """

    question: str
    pairs: int
    kappa: float
    rho: float
    breaches: int
    cleared: int


def agreement(answers: Iterable[ReviewerAnswer]) -> list[Agreement]:
    """Compare the two reviewers of every pair, question by question.

    Which of the two comes first is their order by name. Raises ValueError where a pair has more
    than two reviewers, or one that answered twice, or an answer is off the scale.
    """
    pairs: defaultdict[int, dict[str, Mapping[str, int]]] = defaultdict(dict)
    for answer in answers:
        if answer.reviewer in pairs[answer.pair]:
            raise ValueError(f"pair {answer.pair} was answered twice by one reviewer")
        if set(answer.scores) != set(QUESTIONS) or not set(answer.scores.values()) <= set(SCALE):
            raise ValueError(f"pair {answer.pair} has an answer that is none of 1 to 5")
        pairs[answer.pair][answer.reviewer] = answer.scores
    if any(len(by) > len(("one", "other")) for by in pairs.values()):
        raise ValueError("a pair has more than two reviewers")
    both = [[by[name] for name in sorted(by)] for _, by in sorted(pairs.items()) if len(by) == 2]
    return [
        _agreement(question, [(one[question], other[question]) for one, other in both])
        for question in QUESTIONS
    ]


def _agreement(question: str, scores: Sequence[tuple[int, int]]) -> Agreement:
    return Agreement(
        question=question,
        pairs=len(scores),
        kappa=cohen(scores),
        rho=_spearman(scores),
        breaches=sum(min(both) >= YES for both in scores),
        cleared=sum(max(both) < YES - 1 for both in scores),
    )


def cohen(scores: Sequence[tuple[int, int]]) -> float:
    """Return Cohen's kappa (1960), unweighted; not a number where chance alone would agree."""
    if not scores:
        return math.nan
    total = len(scores)
    first, second = Counter(one for one, _ in scores), Counter(other for _, other in scores)
    expected = sum(first[value] * second[value] for value in SCALE) / total**2
    if expected == 1:
        return math.nan
    observed = sum(one == other for one, other in scores) / total
    return (observed - expected) / (1 - expected)


def _spearman(scores: Sequence[tuple[int, int]]) -> float:
    table = np.array(scores, np.float64).reshape(-1, 2)
    if len(table) < 2 or (np.ptp(table, axis=0) == 0).any():
        return math.nan
    return float(spearmanr(table[:, 0], table[:, 1]).statistic)
