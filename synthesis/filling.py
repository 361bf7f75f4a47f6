"""Filling of masked letters with words predicted by a masked language model.

The two algorithms of Belkadi et al. (2023), section 3.3, with one difference: their iterative one
shows the model the originals of places that are filled later, identifiers among them. Here an
identifier is a surrogate from the start, or hidden until it is filled.
"""

import hashlib
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from itertools import zip_longest
from random import Random
from typing import Protocol

from record.errors import ConfigError, Unsafe
from record.folding import fold
from record.span import Span
from synthesis.masking import MaskedDocument, MaskingDecision, Phase
from synthesis.tag_repair import DETECTOR

Window = Sequence[str | None]
"""Words around the places to fill; None is a place."""

Candidates = Sequence[tuple[str, float]]
"""Whole words for one place with their probabilities, likeliest first."""


WordClasses = Mapping[str, Collection[str]]
"""Words by the class for which they may stand, such as NOUN; any word may for other classes."""


WordFilter = Callable[[str], bool]
"""Tells whether a word must not be written."""


class Filler(Protocol):
    """A masked language model."""

    def candidates(self, windows: Sequence[Window], top: int) -> Sequence[Sequence[Candidates]]:
        """Return the `top` likeliest words for every place of every window, in order."""


class PassageFinder(Protocol):
    """Knows the runs of words that few patients' notes have."""

    def find(self, text: str, spans: Sequence[Span]) -> Sequence[Sequence[tuple[int, int]]]:
        """Return each such run in a text as the ranges of its words; spans are identifiers."""


class FillingMethod(StrEnum):
    """Whether places are filled at once or one after the other."""

    SIMULTANEOUS = "simultaneous"
    """All places of a stretch are filled at once, seeing none of each other."""
    ITERATIVE = "iterative"
    """One place after the other, seeing what was chosen before it."""


@dataclass(frozen=True)
class Filling:
    """How places are filled.

    `top` is how many of the likeliest words are drawn from by their probability, renormalized; 1
    takes the likeliest. `window` is the number of words that are seen at a time, `batch` the
    number of windows that the model is asked about together. The iterative method fills `together`
    places of a letter at a time: 1 as published, with more it is as many times faster, and those
    places do not see one another.
    """

    method: FillingMethod = FillingMethod.SIMULTANEOUS
    top: int = 1
    window: int = 160
    seed: int = 1
    batch: int = 32
    together: int = 1

    def __post_init__(self) -> None:
        for name in ("top", "window", "batch", "together"):
            if getattr(self, name) < 1:
                raise ConfigError(name, "must be at least 1", "give a higher number")


@dataclass(frozen=True)
class FillingRequest:
    """A letter to fill: its masked source, surrogates for identifiers, and copy number.

    An identifier without a surrogate is left to the filler. `copy` decides chance, beside the seed
    and the letter. `barred` says which words must not be written: names in the source.
    """

    masked: MaskedDocument
    surrogates: Mapping[MaskingDecision, str] = field(default_factory=dict, repr=False)
    copy: str = "0"
    barred: WordFilter | None = field(default=None, repr=False)


@dataclass(frozen=True)
class FilledDocument:
    """A filled letter: its text, its identifiers, and how many places it had.

    `fills` are the words that were filled in outside of identifiers. `opened` counts the places
    among them that were not masked, and were filled to break a passage, `medical` the words of
    medicine and how many of them are as they were.
    """

    text: str = field(repr=False)
    spans: tuple[Span, ...]
    places: int
    fills: tuple[str, ...] = field(default=(), repr=False)
    opened: int = 0
    medical: tuple[int, int] = (0, 0)


@dataclass
class _LetterState:
    """A letter being filled: words, places among them, and the text between words."""

    words: list[str | None] = field(repr=False)
    originals: list[str | None] = field(repr=False)
    decisions: list[MaskingDecision] = field(repr=False)
    between: list[str] = field(repr=False)
    places: list[int]
    rng: Random
    barred: WordFilter | None = field(repr=False)
    opened: set[int] = field(default_factory=set)
    tried: defaultdict[int, set[str]] = field(default_factory=lambda: defaultdict(set), repr=False)
    """Words that a place must not get, folded: its own, and those that left a passage."""


def fill(
    requests: Sequence[FillingRequest],
    filler: Filler,
    filling: Filling,
    classes: WordClasses | None = None,
    passages: PassageFinder | None = None,
) -> list[FilledDocument]:
    """Fill letters, in batches.

    With `passages`, each run of words that is one is broken: a word of it is filled again, or one
    that was not masked is filled, by another word than stood there. Raises Unsafe
    (`copied-passages`) where that does not help.

    All text outside masked words stays as it is. A place gets a word of the class that was masked
    there, if any of `classes` is likely, and of its case: a noun for a noun. The same seed gives
    the same letters, in whatever company and batches they are filled. Raises Unsafe (`not-filled`)
    where the filler has no word for a place.
    """
    letters = [_open_letter(request, filling) for request in requests]
    barred_candidates = _BARRED_CANDIDATES if any(letter.barred for letter in letters) else 0
    classed = _ClassFilter(filler, classes or {}, barred_candidates)
    if filling.method is FillingMethod.SIMULTANEOUS:
        # Fill every window of the letters that has a place, all its places at once
        stretches = [
            (letter, start)
            for letter in letters
            for start in range(0, len(letter.words), filling.window)
            if None in letter.words[start : start + filling.window]
        ]
        windows = [letter.words[start : start + filling.window] for letter, start in stretches]
        found = classed.candidates_for(windows, filling)
        for (letter, start), window, each in zip(stretches, windows, found, strict=True):
            holes = [start + number for number, word in enumerate(window) if word is None]
            for place, candidates in zip(holes, each, strict=True):
                words = classed.suitable(candidates, letter, place, filling)
                letter.words[place] = draw(words, filling.top, letter.rng)
    else:
        _fill_iteratively(letters, classed, filling)
    if passages is not None:
        _break_passages(letters, classed, filling, passages)
    return [_join(letter) for letter in letters]


_CLASS_CANDIDATES = 64  # words among which those of the right class are looked for
_BARRED_CANDIDATES = 16  # likely words of which, at the most, are names of the source


class _ClassFilter:
    """Filters a model's candidates by word class, letter case and barred words."""

    def __init__(self, filler: Filler, classes: WordClasses, barred_candidates: int) -> None:
        self._filler = filler
        self._classes = classes
        self._barred_candidates = barred_candidates

    def candidates_for(
        self, windows: Sequence[Window], filling: Filling, more: int = 0
    ) -> list[Sequence[Candidates]]:
        """Return candidates for every place of every window, `more` than are looked at."""
        top = self._candidate_count(filling) + self._barred_candidates + more
        found: list[Sequence[Candidates]] = []
        for start in range(0, len(windows), filling.batch):
            found += self._filler.candidates(windows[start : start + filling.batch], top)
        return found

    def suitable(
        self, candidates: Candidates, letter: "_LetterState", place: int, filling: Filling
    ) -> Candidates:
        """Leave out barred words, words of other classes, and then those of other case.

        The latter two never leave nothing. As many words are looked at in whatever company.
        """
        decision, original = letter.decisions[place], letter.originals[place]
        if letter.barred is not None:
            is_barred = letter.barred
            candidates = [each for each in candidates if not is_barred(each[0])]
        if (tried := letter.tried.get(place)) is not None:
            candidates = [each for each in candidates if fold(each[0]) not in tried]
        candidates = candidates[: self._candidate_count(filling)]
        right = self._classes.get(decision.reason)
        if right is None or original is None:
            return candidates
        suitable = [each for each in candidates if each[0] in right] or candidates
        is_capital = original[:1].isupper()
        return [each for each in suitable if each[0][:1].isupper() is is_capital] or suitable

    def _candidate_count(self, filling: Filling) -> int:
        return filling.top + (_CLASS_CANDIDATES if self._classes else 0)


def draw(candidates: Candidates, top: int, rng: Random) -> str:
    """Draw one of the `top` most probable words; raises Unsafe if there is none."""
    first = candidates[:top]
    if not first:
        raise Unsafe("not-filled")
    if len(first) == 1:
        return first[0][0]
    return rng.choices([word for word, _ in first], [share for _, share in first])[0]


def _open_letter(request: FillingRequest, filling: Filling) -> _LetterState:
    """Split a letter at its masked words; the text between words is kept unchanged."""
    masked = request.masked
    text = masked.document.text
    name = f"{filling.seed}/{request.copy}/{masked.document.note_id}".encode()
    seed = int.from_bytes(hashlib.blake2b(name, digest_size=16).digest())
    rng = Random(seed)  # noqa: S311 - what is drawn is no secret
    letter = _LetterState([], [], [], [""], [], rng, request.barred)
    widths = iter(masked.widths)
    at = 0
    for decision in masked.decisions:
        letter.between[-1] += text[at : decision.start]
        at = decision.end
        width = next(widths) if decision.is_masked else 1
        if not decision.is_masked:
            own = text[decision.start : decision.end]
            _add(letter, decision, own, own)
        elif decision in request.surrogates:
            _add(letter, decision, request.surrogates[decision])
        else:
            # Only what does not identify may be seen before its turn.
            hidden = decision.phase is Phase.IDENTIFIER
            shown = None if hidden else text[decision.start : decision.end]
            for number in range(width):
                letter.places.append(len(letter.words))
                _add(letter, decision, None, shown, "" if number == width - 1 else " ")
    letter.between[-1] += text[at:]
    return letter


def _add(
    letter: _LetterState,
    decision: MaskingDecision,
    word: str | None,
    shown: str | None = None,
    gap: str = "",
) -> None:
    letter.words.append(word)
    letter.originals.append(shown)
    letter.decisions.append(decision)
    letter.between.append(gap)


def _fill_iteratively(
    letters: Sequence[_LetterState], filler: _ClassFilter, filling: Filling
) -> None:
    """Fill the first places of every letter, then the next; letters share batches."""
    for turn in zip_longest(*(_groups(letter.places, filling) for letter in letters)):
        going = [(letter, places) for letter, places in zip(letters, turn, strict=True) if places]
        views = [_window_around(letter, places, filling.window) for letter, places in going]
        found = filler.candidates_for([window for window, _ in views], filling)
        for (letter, places), (_, which), each in zip(going, views, found, strict=True):
            for place, number in zip(places, which, strict=True):
                words = filler.suitable(each[number], letter, place, filling)
                letter.words[place] = draw(words, filling.top, letter.rng)


_ROUNDS = 12  # fills of a place that share a passage with some patient, each another word
_TRIED = 2 * _ROUNDS  # likely words of which so many were tried, or are those that stood there
_NOUNS = frozenset(("NOUN", "PROPN", "CONTENT"))


def _break_passages(
    letters: Sequence[_LetterState],
    filler: _ClassFilter,
    filling: Filling,
    passages: PassageFinder,
) -> None:
    """Fill words of each passage again until a letter has none; raises Unsafe."""
    going = list(letters)
    for _ in range(_ROUNDS):
        turns = []
        left = []
        for letter in going:
            made = _join(letter)
            if runs := passages.find(made.text, made.spans):
                left.append(letter)
                turns += [
                    (letter, group) for group in _groups(_choose(letter, runs), _wide(filling))
                ]
        going = left
        if not going:
            return
        _fill_again(turns, filler, filling)
    raise Unsafe("copied-passages")


def _fill_again(
    turns: Sequence[tuple[_LetterState, Sequence[int]]], filler: _ClassFilter, filling: Filling
) -> None:
    """Fill places of letters by words that were not tried, in the case of what stood there."""
    for letter, places in turns:
        for place in places:
            for word in (letter.originals[place], letter.words[place]):
                letter.tried[place].add(fold(word or ""))
            letter.words[place] = None
    views = [_window_around(letter, places, filling.window) for letter, places in turns]
    found = filler.candidates_for([window for window, _ in views], filling, more=_TRIED)
    for (letter, places), (_, which), each in zip(turns, views, found, strict=True):
        for place, number in zip(places, which, strict=True):
            words = filler.suitable(each[number], letter, place, filling)
            word = draw(words, filling.top, letter.rng)
            letter.words[place] = _in_case_of(letter.originals[place] or "", word)


def _choose(letter: _LetterState, runs: Sequence[Sequence[tuple[int, int]]]) -> list[int]:
    """Choose words such that each run has one of them: masked ones first, words of medicine last.

    Of words alike the last one is taken, which most of the runs after it have too. Raises Unsafe
    where a run has none but numbers and identifiers.
    """
    starts = []
    at = len(letter.between[0])
    for word, gap in zip(letter.words, letter.between[1:], strict=True):
        starts.append(at)
        at += len(word or "") + len(gap)
    chosen: set[int] = set()
    for run in sorted(runs, key=lambda each: each[-1][1]):
        inside = {
            number
            for start, end in run
            for number in range(bisect_right(starts, start) - 1, bisect_left(starts, end))
            if number >= 0
        }
        if inside & chosen:
            continue
        costs = {number: _cost(letter, number) for number in inside}
        open_ = [number for number in inside if costs[number] is not None]
        if not open_:
            raise Unsafe("copied-passages")
        chosen.add(min(open_, key=lambda number: (costs[number], -number)))
    masked = set(letter.places)
    letter.opened |= chosen - masked
    return sorted(chosen)


def _cost(letter: _LetterState, number: int) -> int | None:
    """Return how much a letter loses with a word, 0 if it is masked; None if it may not go."""
    decision, word = letter.decisions[number], letter.words[number] or ""
    tries = len(letter.tried.get(number, ()))
    if decision.phase is Phase.IDENTIFIER or not any(map(str.isalpha, word)) or tries >= _ROUNDS:
        return None
    if decision.is_masked or number in letter.opened:
        return 0
    if decision.phase is Phase.MEDICAL:
        return 4
    if decision.phase is Phase.REST:
        return 1
    return 3 if decision.reason in _NOUNS else 2


def _wide(filling: Filling) -> Filling:
    """Return a filling that takes as many neighbours together as a window has."""
    return replace(filling, together=filling.window)


def _in_case_of(original: str, word: str) -> str:
    if len(original) > 1 and original.isupper():
        return word.upper()
    return word[:1].upper() + word[1:] if original[:1].isupper() else word


def _groups(places: Sequence[int], filling: Filling) -> list[list[int]]:
    """Part places into those that are filled together: neighbours, half a window apart at most."""
    groups: list[list[int]] = []
    for place in places:
        last = groups[-1] if groups else []
        if last and len(last) < filling.together and place - last[0] <= filling.window // 2:
            last.append(place)
        else:
            groups.append([place])
    return groups


def _window_around(
    letter: _LetterState, places: Sequence[int], width: int
) -> tuple[Window, list[int]]:
    """Return the words around some places, and which of the places among them they are."""
    middle = (places[0] + places[-1]) // 2
    start = max(0, min(middle - width // 2, len(letter.words) - width), places[-1] - width + 1)
    window = [
        letter.originals[number] if word is None and number not in places else word
        for number, word in enumerate(letter.words[start : start + width], start)
    ]
    holes = [start + number for number, word in enumerate(window) if word is None]
    return window, [holes.index(place) for place in places]


def _join(letter: _LetterState) -> FilledDocument:
    """Join the words; those of one identifier are one span."""
    parts = [letter.between[0]]
    spans: list[Span] = []
    length = len(parts[0])
    last: MaskingDecision | None = None
    for word, each, gap in zip(letter.words, letter.decisions, letter.between[1:], strict=True):
        if word is None:
            raise Unsafe("not-filled")
        if each.phase is Phase.IDENTIFIER and word:
            start = spans.pop().start if each is last else length
            spans.append(Span(start, length + len(word), each.reason, DETECTOR))
            last = each
        parts += (word, gap)
        length += len(word) + len(gap)
    medical = [
        number for number, each in enumerate(letter.decisions) if each.phase is Phase.MEDICAL
    ]
    kept = sum(letter.words[number] == letter.originals[number] for number in medical)
    fills = [
        letter.words[place] or ""
        for place in (*letter.places, *sorted(letter.opened))
        if letter.decisions[place].phase is not Phase.IDENTIFIER
    ]
    return FilledDocument(
        "".join(parts),
        tuple(spans),
        len(letter.places) + len(letter.opened),
        tuple(fills),
        len(letter.opened),
        (kept, len(medical)),
    )
