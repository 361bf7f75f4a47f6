"""Alignment of annotated notes with words, subwords and windows, and the gold tags of words."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from models.tagger.encoders.subword_tokenizer import SubwordTokenizer
from models.tagger.encoders.windows import Window, WindowConfig, windows
from models.tagger.sequences.tags import TagScheme, WordSpan
from record.document import Annotated
from record.errors import ConfigError
from record.span import Span
from record.tokens import Token, is_break

Booleans = NDArray[np.bool_]

UNSURE = "?"
"""Stands for a label where it is not known whether there is a span, nor which: any may be."""


@dataclass(frozen=True)
class TrainingNote:
    """A note with gold spans, and the labels that its annotators looked for.

    `labels` is None where that is every label of the whole corpus. What a span of UNSURE covers
    teaches nothing.
    """

    annotated: Annotated
    labels: frozenset[str] | None = None


@dataclass(frozen=True, slots=True)
class SegmentedText:
    """A text as network input: words, their subwords, and windows over them."""

    words: list[Token] = field(repr=False)
    pieces: list[tuple[int, ...]] = field(repr=False)
    breaks: list[int]
    windows: list[Window]


def segment_text(text: str, subwords: SubwordTokenizer, cut: WindowConfig) -> SegmentedText:
    """Cut a text into words, pieces and windows; all but white space is in one of each."""
    words, pieces = subwords.of(text)
    breaks = [at for at, word in enumerate(words) if is_break(text, word)]
    return SegmentedText(words, pieces, breaks, windows([len(ids) for ids in pieces], breaks, cut))


def word_spans(
    spans: Iterable[Span], words: Sequence[Token], losses: Counter[str]
) -> list[WordSpan]:
    """Return spans in words, extended to word boundaries.

    Counts in `losses` the spans that grew (`grown`) and those that hold no word (`empty`).
    """
    starts = np.array([start for start, _ in words], dtype=np.int64)
    ends = np.array([end for _, end in words], dtype=np.int64)
    found = []
    for span in spans:
        first = int(np.searchsorted(ends, span.start, side="right"))
        end = int(np.searchsorted(starts, span.end))
        if first >= end:
            losses["empty"] += 1
            continue
        losses["grown"] += bool(starts[first] < span.start or ends[end - 1] > span.end)
        found.append((first, end, span.label))
    return found


def keep_disjoint(spans: Iterable[WordSpan], losses: Counter[str]) -> list[WordSpan]:
    """Of overlapping spans keep the longest, then the first, then the first label.

    Counts the others in `losses` (`overlapping`).
    """
    kept: list[WordSpan] = []
    taken: set[int] = set()
    for span in sorted(set(spans), key=lambda one: (one[0] - one[1], one)):
        inside = range(span[0], span[1])
        if taken.isdisjoint(inside):
            taken.update(inside)
            kept.append(span)
        else:
            losses["overlapping"] += 1
    return sorted(kept)


@dataclass(frozen=True)
class GoldTags:
    """Which tags words may have, for one tag sequence or for one per label.

    `labels` are those of the whole corpus; where a note's annotators did not look for one of
    them, its tags are allowed wherever they found nothing else.
    """

    labels: tuple[str, ...]
    stacked: bool

    def allowed(self, note: TrainingNote, words: Sequence[Token], losses: Counter[str]) -> Booleans:
        """Return which tags are allowed. (words, tags), or (words, labels, 5) where stacked."""
        every = word_spans(note.annotated.spans, words, losses)
        spans = [span for span in every if span[2] != UNSURE]
        known = set(self.labels) if note.labels is None else note.labels & set(self.labels)
        allowed_tags = self._allowed_by_spans(spans, known, len(words), losses)
        for first, end, label in every:
            if label == UNSURE:
                allowed_tags[first:end] = True
        return allowed_tags

    def _allowed_by_spans(
        self, spans: Sequence[WordSpan], known: Set[str], words: int, losses: Counter[str]
    ) -> Booleans:
        if not self.stacked:
            scheme = TagScheme(self.labels)
            tags = np.array(scheme.encode(keep_disjoint(spans, losses), words), dtype=np.int64)
            free = np.array([tag[0] != "O" and tag[2:] not in known for tag in scheme.tags])
            allowed_tags: Booleans = np.eye(len(scheme), dtype=bool)[tags]
            allowed_tags |= (tags == 0)[:, None] & free
            return allowed_tags
        each = []
        for label in self.labels:
            own = keep_disjoint([span for span in spans if span[2] == label], losses)
            tags = np.array(TagScheme((label,)).encode(own, words), dtype=np.int64)
            unknown = (tags == 0)[:, None] & (label not in known)
            each.append(np.eye(5, dtype=bool)[tags] | unknown)
        return np.stack(each, axis=1)


def labels_of(notes: Iterable[TrainingNote]) -> tuple[str, ...]:
    """Return the labels of a corpus in alphabetical order. Raises ConfigError where it has none."""
    found: set[str] = set()
    for note in notes:
        found.update(span.label for span in note.annotated.spans if span.label != UNSURE)
        found.update(note.labels or ())
    if not found:
        raise ConfigError("--train", "contains no annotated spans", "give annotated notes")
    return tuple(sorted(found))


def group_windows(found: Sequence[Window], spans: Sequence[WordSpan], most: int) -> Iterator[range]:
    """Group the windows of a note so that each group's cores have at most so many words.

    No span lies in two groups, so a group has more words where its spans leave no choice.
    """
    inside = {word for first, end, _ in spans for word in range(first + 1, end)}
    start = 0
    for number, window in enumerate(found):
        last = number + 1 == len(found)
        too_long = not last and found[number + 1].core_end - found[start].core > most
        if last or (too_long and window.core_end not in inside):
            yield range(start, number + 1)
            start = number + 1
