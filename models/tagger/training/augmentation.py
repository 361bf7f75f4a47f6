"""Data augmentation of training notes: swapped names, changed case, OCR errors."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import zip_longest
from random import Random

from models.tagger.sequences.alignment import UNSURE
from record.document import Annotated
from record.folding import strip_accents

Edit = tuple[int, int, str]
"""Start and end in code points, and what stands there afterwards."""

_SWAPPED_SPANS = 0.5
_SWAPPED_NOTES = 0.7
_CASED = 0.3
_UNACCENTED = 0.3
_RESPACED = 0.3
_SCANNED = 0.3
_BLANKS = 0.03
_SIGNS = 0.01
_LONGEST_SURFACE = 200

# What recognition mixes up, by shape (both ways) and by lost accents.
_CONFUSABLE = "O0 l1 I1 S5 B8 Z2 ce ao uv nh ,. éè êe ñn íi".split()
_CONFUSIONS: dict[str, str] = {}
for _pair in _CONFUSABLE:
    _CONFUSIONS.update({_pair[0]: _pair[1], _pair[1]: _pair[0]})


@dataclass(frozen=True)
class Augmenter:
    """Augments a share of notes; deterministic for the same note, seed and epoch.

    `surfaces` are the texts of spans by label, in a fixed order: what names are swapped for.
    """

    share: float
    surfaces: Mapping[str, Sequence[str]] = field(repr=False)

    def __call__(self, note: Annotated, seed: str) -> Annotated:
        """Return the note, or a change of it whose spans cover what they covered."""
        random = Random(seed)  # noqa: S311 - to be repeatable, not secret
        if random.random() >= self.share:
            return note
        if random.random() < _SWAPPED_NOTES:
            found: list[Edit] = []
            # Other texts of their label to some spans; those that overlap others keep theirs
            ordered, reached = sorted(note.spans), 0
            for span, after in zip_longest(ordered, ordered[1:]):
                is_alone = reached <= span.start and (after is None or span.end <= after.start)
                reached = max(reached, span.end)
                if is_alone and random.random() < _SWAPPED_SPANS and self.surfaces.get(span.label):
                    found.append((span.start, span.end, random.choice(self.surfaces[span.label])))
            note = apply_edits(note, found)
        if random.random() < _RESPACED:
            note = apply_edits(note, _change_spacing(note, random))
        for probability, change in (
            (_CASED, random.choice([str.upper, str.lower])),
            (_UNACCENTED, lambda char: strip_accents(char)[:1] if char.isalpha() else char),
        ):
            if random.random() < probability:
                note = _map_characters(note, change)
        if random.random() < _SCANNED:
            note = _map_characters(
                note, lambda char: _CONFUSIONS.get(char, char) if random.random() < _SIGNS else char
            )
        return note


def make_augmenter(notes: Iterable[Annotated], share: float) -> Augmenter:
    """Collect the surfaces of the spans of training notes."""
    found: defaultdict[str, set[str]] = defaultdict(set)
    for note in notes:
        for span in note.spans:
            if span.label != UNSURE and span.end - span.start <= _LONGEST_SURFACE:
                found[span.label].add(note.document.text[span.start : span.end])
    return Augmenter(share, {label: sorted(texts) for label, texts in found.items()})


def apply_edits(note: Annotated, edits: Iterable[Edit]) -> Annotated:
    """Replace parts of a text and move its spans along.

    Edits are in order and disjoint, none empties a text, and none reaches over the border of a
    span: each lies inside a span or beside it, or covers one or several in whole.
    """
    text, parts, borders, at, moved = note.document.text, [], {}, 0, 0
    points = sorted({point for span in note.spans for point in (span.start, span.end)})
    waiting = iter([*points, len(text) + 1])
    point = next(waiting)
    for start, end, new in [*edits, (len(text), len(text), "")]:
        while point <= start:
            borders[point] = point + moved
            point = next(waiting)
        parts += [text[at:start], new]
        moved += len(new) - (end - start)
        at = end
    while point <= len(text):
        borders[point] = point + moved
        point = next(waiting)
    spans = tuple(
        replace(span, start=borders[span.start], end=borders[span.end]) for span in note.spans
    )
    return Annotated(replace(note.document, text="".join(parts)), spans)


def _change_spacing(note: Annotated, random: Random) -> Iterator[Edit]:
    """Double some blanks, break some lines, and glue words that a change of kind still parts."""
    text = note.document.text
    alone = {span.start for span in note.spans if span.end == span.start + 1}
    for at in range(1, len(text) - 1):
        if text[at] != " " or random.random() >= _BLANKS:
            continue
        before, after = text[at - 1], text[at + 1]
        glued = (before.islower() and after.isupper()) or before.isdigit() != after.isdigit()
        glued = glued and before.isalnum() and after.isalnum()
        glued = glued and at not in alone
        yield at, at + 1, random.choice(["  ", "\n", *[""] * glued])


def _map_characters(note: Annotated, change: Callable[[str], str]) -> Annotated:
    """Change sign by sign; a sign stays that would become none or several."""
    changed = ((char, change(char)) for char in note.document.text)
    text = "".join(new if len(new) == 1 else char for char, new in changed)
    return replace(note, document=replace(note.document, text=text))
