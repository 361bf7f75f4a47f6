"""Masked letters written anew: what a masked language model puts where words were taken out.

The two algorithms of Belkadi et al. (2023), section 3.3, with one difference: their iterative one
shows the model the originals of places that are filled later, identifiers among them. Here an
identifier is a surrogate from the start, or hidden until it is filled.
"""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import zip_longest
from random import Random
from typing import Protocol

from record.errors import ConfigError, Unsafe
from synthesis.masking import Decision, Masked, Phase

Window = Sequence[str | None]
"""Words around the places to fill; None is a place."""

Candidates = Sequence[tuple[str, float]]
"""Whole words for one place with their probabilities, likeliest first."""


class Filler(Protocol):
    """A masked language model."""

    def candidates(self, windows: Sequence[Window], top: int) -> Sequence[Sequence[Candidates]]:
        """Give the `top` likeliest words for every place of every window, in order."""


class Method(StrEnum):
    """How places see one another."""

    SIMULTANEOUS = "simultaneous"
    """All places of a stretch are filled at once, seeing none of each other."""
    ITERATIVE = "iterative"
    """One place after the other, seeing what was chosen before it."""


@dataclass(frozen=True)
class Filling:
    """How places are filled.

    `top` is how many of the likeliest words are drawn from by their probability, renormalized; 1
    takes the likeliest. `window` is the number of words that are seen at a time.
    """

    method: Method = Method.SIMULTANEOUS
    top: int = 1
    window: int = 160
    seed: int = 1
    batch: int = 32

    def __post_init__(self) -> None:
        for name in ("top", "window", "batch"):
            if getattr(self, name) < 1:
                raise ConfigError(name, "must be at least 1", "give more")


@dataclass
class _Letter:
    """A letter under way: its words, which of them are places, and what stands between words."""

    words: list[str | None] = field(repr=False)
    originals: list[str | None] = field(repr=False)
    between: list[str] = field(repr=False)
    places: list[int]
    chance: Random


def fill(
    letters: Sequence[Masked],
    filler: Filler,
    filling: Filling,
    surrogates: Sequence[Mapping[Decision, str]],
    copies: int = 1,
) -> Iterator[list[str]]:
    """Write `copies` new letters for each masked one; gives the texts of one letter at a time.

    `surrogates` hold, for each letter, what stands for identifiers; one without a surrogate is
    left to the filler. All text outside masked words stays as it is. The same seed gives the same
    letters, in whatever company and batches they are filled. Raises Unsafe (`not-filled`) where
    the filler has no word for a place.
    """
    for start in range(0, len(letters), filling.batch):
        group = range(start, min(start + filling.batch, len(letters)))
        begun = [
            [_begin(letters[n], surrogates[n], filling, copy) for copy in range(copies)]
            for n in group
        ]
        flat = [letter for each in begun for letter in each]
        if filling.method is Method.SIMULTANEOUS:
            _at_once(flat, filler, filling)
        else:
            _one_by_one(flat, filler, filling)
        for each in begun:
            yield [_text(letter) for letter in each]


def draw(candidates: Candidates, top: int, chance: Random) -> str:
    """Draw one of the `top` likeliest words by its probability; raises Unsafe where none is."""
    first = candidates[:top]
    if not first:
        raise Unsafe("not-filled")
    if len(first) == 1:
        return first[0][0]
    return chance.choices([word for word, _ in first], [share for _, share in first])[0]


def _begin(
    masked: Masked, surrogates: Mapping[Decision, str], filling: Filling, copy: int
) -> _Letter:
    """Cut a letter at its masked words; what stands between words is kept as it is."""
    text = masked.document.text
    words: list[str | None] = []
    originals: list[str | None] = []
    between = [""]
    places: list[int] = []
    widths = iter(masked.widths)
    at = 0
    for decision in masked.decisions:
        gap = text[at : decision.start]
        between[-1] += gap
        at = decision.end
        if not decision.is_masked:
            words.append(text[decision.start : decision.end])
            originals.append(None)
            between.append("")
            continue
        width = next(widths)
        if decision in surrogates:
            words.append(surrogates[decision])
            originals.append(None)
            between.append("")
            continue
        # Only what does not identify may be seen before its turn.
        shown = text[decision.start : decision.end] if decision.phase is not _HIDDEN else None
        for number in range(width):
            places.append(len(words))
            words.append(None)
            originals.append(shown)
            between.append("" if number == width - 1 else " ")
    between[-1] += text[at:]
    name = f"{filling.seed}/{copy}/{masked.document.note_id}".encode()
    seed = int.from_bytes(hashlib.blake2b(name, digest_size=16).digest())
    chance = Random(seed)  # noqa: S311 - what is drawn is no secret
    return _Letter(words, originals, between, places, chance)


_HIDDEN = Phase.IDENTIFIER


def _at_once(letters: Sequence[_Letter], filler: Filler, filling: Filling) -> None:
    """Fill every stretch of the letters that has a place, all its places at once."""
    stretches = [
        (letter, start)
        for letter in letters
        for start in range(0, len(letter.words), filling.window)
        if None in letter.words[start : start + filling.window]
    ]
    windows = [letter.words[start : start + filling.window] for letter, start in stretches]
    found = _asked(filler, windows, filling)
    for (letter, start), window, each in zip(stretches, windows, found, strict=True):
        holes = [start + number for number, word in enumerate(window) if word is None]
        for place, candidates in zip(holes, each, strict=True):
            letter.words[place] = draw(candidates, filling.top, letter.chance)


def _one_by_one(letters: Sequence[_Letter], filler: Filler, filling: Filling) -> None:
    """Fill the first place of every letter, then the second; letters share batches."""
    for turn in zip_longest(*(letter.places for letter in letters)):
        going = [
            (letter, place)
            for letter, place in zip(letters, turn, strict=True)
            if place is not None
        ]
        views = [_view(letter, place, filling.window) for letter, place in going]
        found = _asked(filler, [window for window, _ in views], filling)
        for (letter, place), (_, which), each in zip(going, views, found, strict=True):
            letter.words[place] = draw(each[which], filling.top, letter.chance)


def _view(letter: _Letter, place: int, width: int) -> tuple[Window, int]:
    """Give the words around a place, and which of the places among them it is."""
    start = max(0, min(place - width // 2, len(letter.words) - width))
    end = start + width
    window = [
        letter.originals[number] if word is None and number != place else word
        for number, word in enumerate(letter.words[start:end], start)
    ]
    return window, window[: place - start].count(None)


def _asked(
    filler: Filler, windows: Sequence[Window], filling: Filling
) -> list[Sequence[Candidates]]:
    found: list[Sequence[Candidates]] = []
    for start in range(0, len(windows), filling.batch):
        found += filler.candidates(windows[start : start + filling.batch], filling.top)
    return found


def _text(letter: _Letter) -> str:
    parts = [letter.between[0]]
    for word, gap in zip(letter.words, letter.between[1:], strict=True):
        if word is None:
            raise Unsafe("not-filled")
        parts += (word, gap)
    return "".join(parts)
