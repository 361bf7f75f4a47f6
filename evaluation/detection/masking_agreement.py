"""Recall and precision of masked tokens against identifiers annotated by people."""

from collections.abc import Iterable

import numpy as np

from evaluation.detection.alignment import Pair
from evaluation.detection.intervals import ratio_intervals
from evaluation.detection.span_counts import Counts, count_note
from evaluation.gate import Axis, Measured


def measure_masker(pairs: Iterable[Pair], data: str) -> list[Measured]:
    """Measure a masker, whose masked identifiers are the predicted spans, over tokens.

    `masker-recall` is the share of tokens of gold spans that are masked as identifiers, whatever
    the label, with `detail` by gold label; `masker-precision` the share of masked tokens within
    gold spans; `letters-masked` the share of letters with gold spans of which no token was missed.
    Bounds come from resampling persons. Measures without data are not reported.
    """
    total, by_person = Counts(), dict[str, Counts]()
    for pair in pairs:
        found = count_note(pair)
        total.add(found)
        person = f"note {pair.note_id}" if pair.person_id is None else f"person {pair.person_id}"
        by_person.setdefault(person, Counts()).add(found)
    parts = np.array([_ratio_parts(each) for each in by_person.values()], np.float64)
    recalls = {
        f"{label} ({found.gold_tokens})": round(found.redacted / found.gold_tokens, 4)
        for label, found in sorted(total.labels.items())
        if found.gold_tokens
    }
    measured = []
    names = ("masker-recall", "masker-precision", "letters-masked")
    for number, (name, (above, below)) in enumerate(zip(names, _ratio_parts(total), strict=True)):
        if below:
            low, high = ratio_intervals(parts)[number].tolist()
            detail = {**(recalls if not number else {}), "persons": len(by_person)}
            value = above / below
            measured.append(Measured(name, Axis.DETECTION, value, low, high, data, detail=detail))
    return measured


def _ratio_parts(counts: Counts) -> list[tuple[int, int]]:
    """Return numerator and denominator of each share."""
    numbers = counts.numbers
    hits = numbers["redacted"]
    return [
        (hits, numbers["gold"]),
        (hits, hits + numbers["over"]),
        (numbers["safe"], numbers["documents"]),
    ]
