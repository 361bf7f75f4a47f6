"""How well predicted spans match gold: what decides which weights training keeps."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import sqrt

from models.tagger.encoders.words import words
from record.document import Annotated
from record.span import Span, covered


@dataclass(frozen=True, order=True, slots=True)
class Scores:
    """Shares from 0 to 1; what compares greater is better.

    `zero_leak` is the share of notes with gold spans of which every word that a span touches was
    found, whatever the label; then comes F1 of spans with the same start, end and label, and what
    it is made of. `redacted` is the share of such words that were found.
    """

    zero_leak: float
    f1: float
    precision: float
    recall: float
    redacted: float


def is_better(new: Scores, kept: Scores, most: float, notes: int) -> bool:
    """Return whether new scores are to be kept instead of others.

    `most` is the greatest share of notes without a leak so far, that of the new scores included.
    Where both come within one standard error of it, the greater F1 decides: of so many notes no
    smaller difference tells anything (the rule of one standard error, Breiman et al., 1984).
    """
    floor = most - sqrt(most * (1 - most) / max(notes, 1))
    if kept.zero_leak < floor <= new.zero_leak:
        return True
    return new.zero_leak >= floor and (new.f1, new) > (kept.f1, kept)


def score(pairs: Iterable[tuple[Annotated, Sequence[Span]]]) -> Scores:
    """Compare gold notes with what was predicted for them."""
    safe = notes = hits = gold = predicted = seen = wanted = 0
    for note, found in pairs:
        right = {(span.start, span.end, span.label) for span in note.spans}
        given = {(span.start, span.end, span.label) for span in found}
        hits, gold, predicted = hits + len(right & given), gold + len(right), predicted + len(given)
        if not right:
            continue
        should = _touched(note.document.text, note.spans)
        missed = should - _touched(note.document.text, found)
        notes, safe = notes + 1, safe + (not missed)
        wanted, seen = wanted + len(should), seen + len(should) - len(missed)
    return Scores(
        zero_leak=_share(safe, notes),
        f1=_share(2 * hits, gold + predicted),
        precision=_share(hits, predicted),
        recall=_share(hits, gold),
        redacted=_share(seen, wanted),
    )


def _touched(text: str, spans: Iterable[Span]) -> set[int]:
    """Return the words that spans touch, by their number."""
    intervals = iter([*covered(spans), (len(text), len(text) + 1)])
    start, end = next(intervals)
    touched = set()
    for number, (first, last) in enumerate(words(text)):
        while end <= first:
            start, end = next(intervals)
        if start < last:
            touched.add(number)
    return touched


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0
