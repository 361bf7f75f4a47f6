"""What spans look like without what they say: `Aaaa 99/99`, the most frequent first."""

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from evaluation.detection.alignment import Pair
from evaluation.detection.span_counts import missed
from record.span import Span

_LONGEST = 32
_SIGNS = frozenset("!\"#%&'()*+,-./:;<=>?@[]_’–")
_PER_LABEL = 5


@dataclass(frozen=True, slots=True)
class Example:
    """A shape that spans of one label have, and how many of them have it."""

    label: str
    shape: str
    count: int


def shape(text: str) -> str:
    """Return capitals as `A`, other letters as `a`, digits as `9`, and rare signs as `?`.

    White space is a blank; longer shapes are cut at 32 signs.
    """
    shown = "".join(map(_sign, text[:_LONGEST]))
    return shown + "…" * (len(text) > _LONGEST)


def leaked(pairs: Iterable[Pair]) -> list[Example]:
    """Return the shapes of gold spans that are not wholly covered,
    the five most frequent a label.
    """
    return _ranked((pair, span) for pair in pairs for span in missed(pair))


def invented(pairs: Iterable[Pair]) -> list[Example]:
    """Return the shapes of predicted spans that touch no gold span."""
    return _ranked(
        (pair, span)
        for pair in pairs
        for span in sorted(set(pair.predicted))
        if not any(span.overlaps(other) for other in pair.gold)
    )


def _ranked(found: Iterable[tuple[Pair, Span]]) -> list[Example]:
    by_label: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for pair, span in found:
        by_label[span.label][shape(pair.text[span.start : span.end])] += 1
    examples = []
    for label, shapes in sorted(by_label.items()):
        ranked = sorted(shapes.items(), key=lambda item: (-item[1], item[0]))
        examples += [Example(label, *item) for item in ranked[:_PER_LABEL]]
    return examples


def _sign(char: str) -> str:
    if char.isspace():
        return " "
    if char.isdecimal():
        return "9"
    if char.isalpha():
        return "A" if char.isupper() or char.istitle() else "a"
    return char if char in _SIGNS else "?"
