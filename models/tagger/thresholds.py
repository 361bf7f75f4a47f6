"""Least probabilities of the words that a tagger takes for identifiers, by label."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

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


def read_thresholds(settings: Mapping[str, Any]) -> SpanThresholds | None:
    """Return the thresholds that a tagger's own settings have, if any.

    Raises KeyError, TypeError or ValueError where they are none.
    """
    if "thresholds" not in settings:
        return None
    by_label = {str(label): float(least) for label, least in dict(settings["thresholds"]).items()}
    if not set(by_label) <= set(settings["design"]["labels"]):
        raise ValueError("labels differ")
    return SpanThresholds(by_label)
