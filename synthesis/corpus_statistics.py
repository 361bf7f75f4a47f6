"""Statistics of a corpus, and the distance of two corpora."""

import math
import statistics
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from record.document import Annotated
from record.tokens import is_break, tokens

_ENDS = ".!?"


@dataclass(frozen=True)
class CorpusStatistics:
    """Counts of a corpus; `labels` counts its entities. Words are tokens but line breaks."""

    documents: int
    words: int
    vocabulary: int
    sentences: int
    characters: int
    words_per_document: float
    median_words: float
    words_per_sentence: float
    entities_per_document: float
    labels: Mapping[str, int] = field(default_factory=dict)

    @property
    def shares(self) -> dict[str, float]:
        """The share of each label in all entities."""
        return shares_of(self.labels)

    def to_json(self) -> dict[str, Any]:
        """Return it as plain JSON, with shares."""
        return {**vars(self), "labels": dict(sorted(self.labels.items())), "shares": self.shares}


def corpus_statistics(notes: Iterable[Annotated]) -> CorpusStatistics:
    """Count a corpus. A sentence ends at `.`, `!` or `?` that a blank follows, or at a line's
    end, and has a word in it."""
    vocabulary: set[str] = set()
    labels: Counter[str] = Counter()
    lengths: list[int] = []
    sentences = characters = 0
    for note in notes:
        text = note.document.text
        words = words_in(text)
        vocabulary.update(words)
        labels.update(span.label for span in note.spans)
        lengths.append(len(words))
        characters += len(text)
        sentences += _sentences(text, tokens(text))
    total = sum(lengths)
    return CorpusStatistics(
        documents=len(lengths),
        words=total,
        vocabulary=len(vocabulary),
        sentences=sentences,
        characters=characters,
        words_per_document=total / len(lengths) if lengths else 0.0,
        median_words=statistics.median(lengths) if lengths else 0.0,
        words_per_sentence=total / sentences if sentences else 0.0,
        entities_per_document=labels.total() / len(lengths) if lengths else 0.0,
        labels=dict(labels),
    )


def words_in(text: str) -> list[str]:
    """Return the words of a text, including punctuation."""
    found = tokens(text)
    return [text[start:end] for start, end in found if not is_break(text, (start, end))]


def _sentences(text: str, found: Iterable[tuple[int, int]]) -> int:
    count, has_word = 0, False
    for start, end in found:
        is_last = is_break(text, (start, end))
        if text[start:end] in _ENDS:
            is_last = end == len(text) or text[end].isspace()
        elif not is_last:
            has_word = True
        if is_last and has_word:
            count, has_word = count + 1, False
    return count + has_word


def shares_of(counts: Mapping[str, float]) -> dict[str, float]:
    """Return each count as a share of the total; empty if all are 0."""
    total = sum(counts.values())
    return {name: counts[name] / total for name in sorted(counts)} if total else {}


def changes(before: CorpusStatistics, after: CorpusStatistics) -> dict[str, float]:
    """Return the relative change of every figure, and of each label's count as `labels.LABEL`.

    A corpus compared with itself gives 0 everywhere; what came from nothing is infinite.
    """
    first, second = _flat(before), _flat(after)
    return {
        name: _change(first.get(name, 0.0), second.get(name, 0.0))
        for name in sorted(first.keys() | second.keys())
    }


def _flat(found: CorpusStatistics) -> dict[str, float]:
    plain = {name: float(value) for name, value in vars(found).items() if name != "labels"}
    return plain | {f"labels.{name}": float(count) for name, count in found.labels.items()}


def _change(before: float, after: float) -> float:
    if before == after:
        return 0.0
    return (after - before) / before if before else math.inf


def distance(first: Mapping[str, float], second: Mapping[str, float]) -> float:
    """Return the Jensen-Shannon distance of two counts or shares, from 0 to 1.

    The square root of the divergence to base 2 (Endres and Schindelin, 2003).
    """
    one, other = shares_of(first), shares_of(second)
    if not one or not other:
        return 0.0 if one == other else 1.0
    total = 0.0
    for name in one.keys() | other.keys():
        here, there = one.get(name, 0.0), other.get(name, 0.0)
        middle = (here + there) / 2
        total += sum(p * math.log2(p / middle) for p in (here, there) if p)
    return math.sqrt(max(0.0, total / 2))
