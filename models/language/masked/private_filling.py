"""Differentially private choice of masked words by the exponential mechanism.

The exponential mechanism (McSherry and Talwar 2007) over the words of a masked language model, as
in DP-MLM (Meisenbacher et al. 2024, arXiv 2407.00637): scores are clipped to a range of width
`clip`, divided by a temperature and turned into probabilities.

Why epsilon = 2 x clip / temperature: let u(x, w) be the clipped score of the word w for the window
x. For any two windows x and y, |u(x, w) - u(y, w)| <= clip. With P(w | x) = exp(u(x, w) / T) /
Z(x), exp(u(x, w) / T) <= exp(clip / T) exp(u(y, w) / T), and so, summed over words,
Z(y) <= exp(clip / T) Z(x). Hence P(w | x) / P(w | y) <= exp(2 clip / T). The bound is nearly
reached where one word of many changes from the lowest score to the highest.

The guarantee requires that every window has the same candidate words, so there is no cut to the
most probable ones, and that the system's random numbers are not stored: whoever has the seed of a
draw can reconstruct its input.
"""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from secrets import SystemRandom
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from record.errors import ConfigError

Floats = NDArray[np.float64]

CLIP = 8.0
"""The width of the range of scores, in nats: what is e^8 times less likely than the likeliest word
counts as no likelier than any other."""

_MAX_EPSILON = 50.0  # of epsilon: a draw of 53 bits would miss words that the promise needs


class Scorer(Protocol):
    """A masked language model that scores every word it may output."""

    @property
    def writable(self) -> Sequence[str]:
        """The words, the same ones for every place."""

    def scores(self, windows: Sequence[Sequence[str | None]]) -> Sequence[Floats]:
        """Return natural logarithms of odds for each window: [places, words]."""


@dataclass(frozen=True, slots=True)
class ExponentialMechanism:
    """A score range and a temperature, which together guarantee `epsilon` per word."""

    temperature: float
    clip: float = CLIP

    def __post_init__(self) -> None:
        for name, value in (("temperature", self.temperature), ("clip", self.clip)):
            if not (math.isfinite(value) and value > 0):
                raise ConfigError(name, "must be above 0", "give a positive number")
        if self.epsilon > _MAX_EPSILON:
            problem = f"{self.epsilon:g} per word is too high to guarantee any privacy"
            raise ConfigError("epsilon", problem, f"give at most {_MAX_EPSILON:g}")

    @classmethod
    def of(cls, epsilon: float, clip: float = CLIP) -> "ExponentialMechanism":
        """Choose the temperature for an epsilon for each word; raises ConfigError."""
        if not (math.isfinite(epsilon) and epsilon > 0):
            raise ConfigError("epsilon", "must be above 0", "give a positive number")
        return cls(2 * clip / epsilon, clip)

    @property
    def epsilon(self) -> float:
        """The privacy loss of one word: probabilities change by at most a factor of e^epsilon."""
        return 2 * self.clip / self.temperature

    def probabilities(self, scores: Floats) -> Floats:
        """Return the probability of each word: [places, words] to [places, words].

        Scores are taken from the highest of their place, which changes no probability without
        clipping, and lets the range follow the model. A word without a finite score counts as one
        at the end of the range. Raises ValueError where a place has no finite score.
        """
        finite_scores = np.asarray(scores, np.float64)
        highest = np.where(np.isfinite(finite_scores), finite_scores, -np.inf).max(
            -1, keepdims=True
        )
        if not np.isfinite(highest).all():
            raise ValueError("at least one word per position must have a finite score")
        clipped = np.clip(np.nan_to_num(finite_scores - highest, nan=-np.inf), -self.clip, 0.0)
        odds = np.exp(clipped / self.temperature)
        chances: Floats = odds / odds.sum(-1, keepdims=True)
        return chances


class PrivateFiller:
    """Chooses one word for each place privately; a drop-in replacement of `MaskedFiller`."""

    def __init__(self, scorer: Scorer, mechanism: ExponentialMechanism) -> None:
        self._scorer = scorer
        self._mechanism = mechanism
        self._random = SystemRandom()

    @property
    def mechanism(self) -> ExponentialMechanism:
        """What is promised for each word."""
        return self._mechanism

    def candidates(
        self,
        windows: Sequence[Sequence[str | None]],
        top: int,  # noqa: ARG002 - what it stands in for takes it
    ) -> list[list[list[tuple[str, float]]]]:
        """Return for each place (None) of every window the one word that was drawn for it.

        Its probability is given as 1: there is nothing left to draw from. `top` does not count,
        since a cut to the most probable words would reveal which they were.
        """
        words = self._scorer.writable
        return [
            [[(words[number], 1.0)] for number in self._draw(scores)]
            for scores in self._scorer.scores(windows)
        ]

    def _draw(self, scores: Floats) -> list[int]:
        if not len(scores):
            return []
        sums = self._mechanism.probabilities(scores).cumsum(-1)
        # The last sum is 1 but for rounding; a draw beyond it is a draw of the last word.
        return [
            min(int(np.searchsorted(row, self._random.random(), side="right")), len(row) - 1)
            for row in sums
        ]


WORD = "word"
"""The unit of a budget of filled letters: neither a letter nor its patient."""


class PrivacyAccountant:
    """Accumulates the privacy loss of the words drawn for each letter.

    Words are drawn one after the other, each may depend on those before it, and every one of them
    may tell `epsilon`: by sequential composition (Dwork and Roth 2014, theorem 3.16) a letter of
    n drawn words may tell n x epsilon. Letters of one source add up: whoever holds several has
    their sum.
    """

    def __init__(self, mechanism: ExponentialMechanism) -> None:
        self._mechanism = mechanism
        self._words: Counter[tuple[str, str]] = Counter()

    def charge(self, source: str, letter: str, words: int) -> None:
        """Record that so many words of a letter were drawn; raises ValueError if negative."""
        if words < 0:
            raise ValueError("the number of words must not be negative")
        self._words[source, letter] += words

    def letters(self) -> dict[tuple[str, str], float]:
        """Return the epsilon of each letter, by source and letter."""
        return {key: words * self._mechanism.epsilon for key, words in self._words.items()}

    def sources(self) -> dict[str, float]:
        """Return the epsilon of all letters of each source together."""
        # Words are whole numbers: multiplied once, their epsilons add up without rounding.
        totals: Counter[str] = Counter()
        for (source, _), words in self._words.items():
            totals[source] += words
        return {source: words * self._mechanism.epsilon for source, words in totals.items()}

    def to_json(self) -> dict[str, float | int | str]:
        """Return the figures of the manifest, over all letters."""
        return {
            "unit": WORD,
            "clip": self._mechanism.clip,
            "temperature": self._mechanism.temperature,
            "epsilon_of_word": self._mechanism.epsilon,
            "words": self._words.total(),
            "letters": len(self._words),
            "largest_epsilon_of_letter": max(self.letters().values(), default=0.0),
            "largest_epsilon_of_source": max(self.sources().values(), default=0.0),
        }
