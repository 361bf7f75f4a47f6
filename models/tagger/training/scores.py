"""Scores of predicted spans against gold, and which of two scores is better."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import sqrt

from models.tagger.encoders.words import words
from record.document import Annotated
from record.span import Span, merge_spans


@dataclass(frozen=True, order=True, slots=True)
class Scores:
    """Metrics from 0 to 1; compare by order.

    `zero_leak` is the share of notes with gold spans of which every word that a span touches was
    found, whatever the label; then comes F1 of spans with the same start, end and label, and what
    it is made of. `redacted` is the share of such words that were found.
    """

    zero_leak: float
    f1: float
    precision: float
    recall: float
    redacted: float


def is_better(new: Scores, best: Scores, highest: float, notes: int) -> bool:
    """Return whether new scores should replace the best so far.

    `highest` is the greatest share of notes without a leak so far, that of the new scores included.
    Where both come within one standard error of it, the greater F1 decides: of so many notes no
    smaller difference is significant (the one-standard-error rule, Breiman et al., 1984).
    """
    floor = highest - sqrt(highest * (1 - highest) / max(notes, 1))
    if best.zero_leak < floor <= new.zero_leak:
        return True
    return new.zero_leak >= floor and (new.f1, new) > (best.f1, best)


def score(pairs: Iterable[tuple[Annotated, Sequence[Span]]]) -> Scores:
    """Compare gold notes with what was predicted for them."""
    safe = notes = hits = gold = predicted = words_found = words_wanted = 0
    for note, found in pairs:
        gold_spans = {(span.start, span.end, span.label) for span in note.spans}
        predicted_spans = {(span.start, span.end, span.label) for span in found}
        hits, gold, predicted = (
            hits + len(gold_spans & predicted_spans),
            gold + len(gold_spans),
            predicted + len(predicted_spans),
        )
        if not gold_spans:
            continue
        gold_words = _words_in_spans(note.document.text, note.spans)
        missed = gold_words - _words_in_spans(note.document.text, found)
        notes, safe = notes + 1, safe + (not missed)
        words_wanted, words_found = (
            words_wanted + len(gold_words),
            words_found + len(gold_words) - len(missed),
        )
    return Scores(
        zero_leak=_ratio(safe, notes),
        f1=_ratio(2 * hits, gold + predicted),
        precision=_ratio(hits, predicted),
        recall=_ratio(hits, gold),
        redacted=_ratio(words_found, words_wanted),
    )


def _words_in_spans(text: str, spans: Iterable[Span]) -> set[int]:
    """Return the words that spans touch, by their number."""
    intervals = iter([*merge_spans(spans), (len(text), len(text) + 1)])
    start, end = next(intervals)
    touched = set()
    for number, (first, last) in enumerate(words(text)):
        while end <= first:
            start, end = next(intervals)
        if start < last:
            touched.add(number)
    return touched


def _ratio(part: int, whole: int) -> float:
    return part / whole if whole else 0.0
