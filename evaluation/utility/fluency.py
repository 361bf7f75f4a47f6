"""Whether made notes read like real ones: words, repetition, likelihood, forms of identifiers.

Every number stands beside the same number of held-out real notes, which the writer has not learnt.
"""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from evaluation.gate import Axis, Measured
from record.document import Annotated

Floats = NDArray[np.float64]

NGRAM = 4
"""Words in a row whose repetition across notes is measured."""

LONG = 4
"""Letters of a word that is looked up; shorter ones are abbreviations as often as words."""

PERPLEXITIES = ("perplexity-at-most", "perplexity-at-least")
"""The names of a ratio of perplexities, which is given twice: it must be neither high nor low."""

_DRAWS = 1_000
_WORD = re.compile(r"[^\W\d_]+")
_LETTERS, _DIGITS = re.compile(r"[^\W\d_]+"), re.compile(r"\d+")
_VARIABLE = frozenset(("DATE", "BIRTH_DATE", "AGE"))
_FORMED = _VARIABLE | frozenset(
    (
        *("ZIP", "PHONE", "FAX", "SSN", "PATIENT_ID", "VISIT_ID", "PROVIDER_ID", "INSURANCE_ID"),
        *("ACCOUNT", "DEVICE_ID", "VEHICLE_ID", "ID", "EMAIL"),
    )
)
"""Labels whose values have a form: not names and places."""


@dataclass(frozen=True)
class FluencyNotes:
    """Made notes, and real ones: those that were learnt from, and others. `data` names the made."""

    made: Sequence[Annotated] = field(repr=False)
    learnt: Sequence[Annotated] = field(repr=False)
    unseen: Sequence[Annotated] = field(repr=False)
    data: str


def measure_fluency(
    notes: FluencyNotes, is_word: Callable[[str], bool] | None, *, seed: int = 1
) -> list[Measured]:
    """Measure non-words, where there is a list of words, repetition and forms of identifiers.

    Raises ValueError where there are no made or no held-out notes.
    """
    if not notes.made or not notes.unseen:
        raise ValueError("there must be made notes and held-out real ones")
    found = [_measure_distinct(notes), _measure_forms(notes)]
    if is_word is not None:
        found.append(_measure_non_words(notes, is_word, seed))
    return found


def words_outside(note: Annotated) -> list[str]:
    """Return the words of a note outside of its spans, in small letters."""
    text, parts, at = note.document.text, [], 0
    for span in sorted(note.spans):
        parts.append(text[at : span.start])
        at = max(at, span.end)
    return [word.casefold() for word in _WORD.findall(" | ".join([*parts, text[at:]]))]


def bootstrap_ratio(hits: Floats, totals: Floats, seed: int) -> tuple[float, float, float]:
    """Return sum of hits over sum of totals with its 95 % interval; both are [notes]."""
    value = hits.sum() / max(totals.sum(), 1e-12)
    rng = np.random.default_rng(seed)
    rows = rng.integers(0, len(hits), (_DRAWS, len(hits)))
    ratios = hits[rows].sum(1) / np.maximum(totals[rows].sum(1), 1e-12)
    low, high = np.quantile(ratios, (0.025, 0.975))
    return float(value), float(min(low, value)), float(max(high, value))


def _measure_non_words(notes: FluencyNotes, is_word: Callable[[str], bool], seed: int) -> Measured:
    known = {word for note in notes.learnt for word in words_outside(note)}
    looked_up: dict[str, bool] = {}

    def is_none(word: str) -> bool:
        if word not in looked_up:
            looked_up[word] = word not in known and not is_word(word)
        return looked_up[word]

    def count(some: Iterable[Annotated]) -> tuple[Floats, Floats]:
        words = [[word for word in words_outside(note) if len(word) >= LONG] for note in some]
        wrong = [sum(map(is_none, each)) for each in words]
        return np.array(wrong, np.float64), np.array(list(map(len, words)), np.float64)

    value, low, high = bootstrap_ratio(*count(notes.made), seed)
    wrong, total = count(notes.unseen)
    null = float(wrong.sum() / max(total.sum(), 1))
    return Measured("non-words", Axis.RESEMBLANCE, value, low, high, notes.data, null=null)


def _measure_distinct(notes: FluencyNotes) -> Measured:
    """Compare how many different runs of words as many words of made and of real notes have."""

    def runs(some: Iterable[Annotated]) -> Iterator[tuple[str, ...]]:
        for note in some:
            words = words_outside(note)
            yield from (tuple(words[at : at + NGRAM]) for at in range(len(words) - NGRAM + 1))

    made, real = list(runs(notes.made)), list(runs(notes.unseen))
    count = min(len(made), len(real))
    shares = [len(set(some[:count])) / count if count else math.nan for some in (made, real)]
    value = shares[0] / shares[1] if count else math.nan
    detail = {"made": shares[0], "real": shares[1], "runs": count}
    return Measured(
        "distinct-4-grams", Axis.RESEMBLANCE, value, value, value, notes.data, detail=detail
    )


def _measure_forms(notes: FluencyNotes) -> Measured:
    """Measure the share of values whose form a value of the label has in real notes.

    Labels that real notes do not have are left out. The null value is that of held-out notes.
    """
    forms: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for note in notes.learnt:
        for label, form in _forms(note):
            forms[label][form] += 1

    def count(some: Sequence[Annotated]) -> tuple[Floats, Floats]:
        told = [[pair for pair in _forms(note) if pair[0] in forms] for note in some]
        good = [sum(form in forms[label] for label, form in each) for each in told]
        return np.array(good, np.float64), np.array(list(map(len, told)), np.float64)

    good, total = count(notes.made)
    if not total.sum():
        return Measured("well-formed-identifiers", Axis.DETECTION, 1.0, 1.0, 1.0, notes.data)
    value = float(good.sum() / total.sum())
    real, of_real = count(notes.unseen)
    null = float(real.sum() / of_real.sum()) if of_real.sum() else None
    detail = {"values": int(total.sum()), "malformed": int(total.sum() - good.sum())}
    return Measured(
        "well-formed-identifiers", Axis.DETECTION, value, value, value, notes.data,
        null=null, detail=detail,
    )  # fmt: skip


def _forms(note: Annotated) -> Iterator[tuple[str, str]]:
    for span in note.spans:
        if span.label in _FORMED:
            value = note.document.text[span.start : span.end]
            yield span.label, form_of(span.label, value)


def form_of(label: str, value: str) -> str:
    """Return a value with its runs of letters as `a` and digits as `0`.

    How many digits there are counts but for dates and ages.
    """
    letters = _LETTERS.sub("a", " ".join(value.split()))
    if label in _VARIABLE:
        return _DIGITS.sub("0", letters)
    if label == "EMAIL":
        return re.sub(r"[a0._-]+", "a", _DIGITS.sub("0", letters))
    return _DIGITS.sub(lambda digits: "0" * len(digits[0]), letters)


def measure_perplexity(
    made: Sequence[Floats], unseen: Sequence[Floats], data: str, *, seed: int = 1
) -> list[Measured]:
    """Compare the perplexity of made notes with that of held-out real ones.

    Each entry has the natural logarithms of the probabilities of a note's pieces, under a model
    that wrote none of them. The ratio is given twice, see `PERPLEXITIES`.
    """
    counted = [[each for each in some if len(each)] for some in (made, unseen)]
    if not all(counted):
        raise ValueError("there must be made notes and held-out real ones")
    sums, pieces = (
        [np.array([measure(each) for each in some], np.float64) for some in counted]
        for measure in (lambda each: -float(each.sum()), len)
    )
    rng = np.random.default_rng(seed)
    means = []
    for nats, count in zip(sums, pieces, strict=True):
        rows = rng.integers(0, len(nats), (_DRAWS, len(nats)))
        means.append(nats[rows].sum(1) / count[rows].sum(1))
    low, high = np.quantile(np.exp(means[0] - means[1]), (0.025, 0.975))
    one, other = (math.exp(n.sum() / c.sum()) for n, c in zip(sums, pieces, strict=True))
    value = one / other
    detail = {"made": one, "real": other}
    low, high = min(float(low), value), max(float(high), value)
    return [
        Measured(name, Axis.RESEMBLANCE, value, low, high, data, detail=detail)
        for name in PERPLEXITIES
    ]


def measure_share(
    name: str, found: Sequence[bool], null: Sequence[bool], data: str, *, seed: int = 1
) -> Measured:
    """Measure the share of made notes of which something holds, beside that of real ones."""
    hits = np.array(found, np.float64)
    value, low, high = bootstrap_ratio(hits, np.ones(len(hits)), seed)
    base = sum(null) / len(null) if null else None
    return Measured(name, Axis.RESEMBLANCE, value, low, high, data, null=base)
