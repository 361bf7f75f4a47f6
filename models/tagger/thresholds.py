"""Least probabilities of the words that a tagger takes for identifiers, by label."""

from collections.abc import Mapping
from dataclasses import dataclass

NEVER = 2.0
"""A threshold that no probability reaches."""


@dataclass(frozen=True)
class SpanThresholds:
    """What a tagger reports beside, and instead of, its best sequence of tags.

    A span of the best sequence whose label has a threshold is left out if its score is below. A
    word outside the best sequence is reported if the probability that it is in any span reaches
    the threshold of the label that is likeliest there. For labels without a threshold the best
    sequence stays as it is, and words are added from `others`. With `joins`, neighbouring words of
    one label are one span with the lowest of their probabilities; without, each is a span of its
    own, as calibration needs them.
    """

    by_label: Mapping[str, float]
    others: float = NEVER
    joins: bool = True
