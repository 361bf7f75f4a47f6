"""The language of a note, identified by function words and headings: offline, in microseconds.

Every word of `lexicons/language_*.txt` counts for the languages that have it, the more the fewer
have it. Distinct words count, not their repetitions: a letterhead said twice is no better proof.
Where a second language has proof enough as well, the note is cut at the ends of lines and
sentences, and the likeliest sequence of languages is found, where each change costs (Viterbi).
"""

import re
from collections.abc import Iterable
from functools import cache, lru_cache

from locales import registry
from rules.matching.lexicon import lexicon
from rules.matching.normalized_document import RECENT_TEXTS, fold_once

LANGUAGES = tuple(registry.LANGUAGES)
"""The languages that rules speak, as ISO 639-1 codes: those of `locales`."""

NEIGHBOURS = ("it", "pt", "ca")
"""Languages that are identified as well, so that they are not taken for one of ours."""

Stretch = tuple[int, int, str]
"""Start and end in code points, half open, and the language: ISO 639-1, or empty when unsure."""

_CANDIDATES = LANGUAGES + NEIGHBOURS
# What a word counts for each of the languages that have it, by their number; in more, nothing.
_WEIGHTS = {1: 6, 2: 2, 3: 1}
# Where the points of each language stand in one number, so that one sum adds them all. No list
# has words enough to fill its bits.
_BITS = 14
_PLACES = range(0, _BITS * len(_CANDIDATES), _BITS)
_FULL = (1 << _BITS) - 1
# A language is sure with this many points, and with this ratio, beyond the next one.
_MARGIN = 6
_RATIO = 1.3
# What a change of language costs: a paragraph inside needs twice as many points, about ten
# words that no other language has, and so a short quote does not part a note.
_CHANGE = 30
_PIECE = re.compile(r"[^\n.]{1,400}[\n.]?|[\n.]")
WORD = re.compile(rb"[^\s']*'|[^\s']+")
"""A word of `encode_words`, as `split_once` parts them."""
# No word of a text, whose bytes are as below.
_PART = b"|"
# Letters, digits and apostrophes of Latin-1 stay; all else parts words.
_WORDS_ALONE = bytes(code if chr(code).isalnum() or code == 0x27 else 0x20 for code in range(256))


def language(text: str) -> str:
    """Return the language of a text as ISO 639-1: of LANGUAGES or NEIGHBOURS; empty when unsure.

    Of a text in several languages it is the one that most of it is in.
    """
    lengths: dict[str, int] = {}
    for start, end, lang in stretches(text):
        lengths[lang] = lengths.get(lang, 0) + end - start
    return max(lengths, key=lambda lang: lengths[lang], default="")


def stretches(text: str) -> list[Stretch]:
    """Cut a text into stretches of one language each.

    Offsets are code points of the text. Stretches are in order, cover the text from its first
    character to its last, and neighbours differ in language. Words of another language within a
    paragraph, or a quoted sentence, have no stretch of their own. A text in one language is one
    stretch, and so is a text whose language is not sure, with an empty language.
    """
    return list(_identify_stretches(text))


@lru_cache(maxsize=RECENT_TEXTS)
def _identify_stretches(text: str) -> tuple[Stretch, ...]:
    if not text:
        return ()
    points = _count_points(split_once(text)[1])
    scores = [points >> place & _FULL for place in _PLACES]
    best, second = sorted(scores, reverse=True)[:2]
    if second >= _CHANGE:
        rivals = [at for at, score in enumerate(scores) if score >= _CHANGE]
        found = _cut_at_changes(fold_once(text), encode_words(text), rivals)
        if len(found) > 1:
            return found
    sure = best - second >= _MARGIN and best >= _RATIO * second
    return ((0, len(text), _CANDIDATES[scores.index(best)] if sure else ""),)


def encode_words(text: str) -> bytes:
    """Return the folded text with one byte for each code point, and blanks for all but words:
    split and looked up at twice the speed of text.
    """
    return fold_once(text).encode("latin-1", "replace").translate(_WORDS_ALONE)


@lru_cache(maxsize=RECENT_TEXTS)
def split_once(text: str) -> tuple[list[bytes], frozenset[bytes]]:
    """Split a text into folded words of Latin-1, in order and as a set, or give what was just made.

    An apostrophe ends a word. The last texts stay in memory.
    """
    words = encode_words(text).replace(b"'", b"' ").split()
    return words, frozenset(words)


def _count_points(held: frozenset[bytes]) -> int:
    """Return the points of distinct words, of all languages side by side in one number."""
    words, points = _known_words()
    return sum(map(points.__getitem__, words & held))


@cache
def _known_words() -> tuple[frozenset[bytes], dict[bytes, int]]:
    """Return the words that count, and their points for all languages side by side in
    one number.
    """
    lists = [lexicon(f"language_{lang}") for lang in _CANDIDATES]
    points: dict[bytes, int] = {}
    for word in frozenset[str]().union(*lists):
        has = [place for place, words in zip(_PLACES, lists, strict=True) if word in words]
        if weight := _WEIGHTS.get(len(has), 0):
            points[word.encode("latin-1")] = sum(weight << place for place in has)
    return frozenset(points), points


def _count_points_of_each(parts: Iterable[bytes]) -> list[int]:
    """Return the points of each of many parts, in a tenth of the time of one after the other."""
    _, points = _known_words()
    found: list[int] = []
    seen: set[bytes] = set()
    total = 0
    joined = (b" %s " % _PART).join([*parts, b""])
    for word in joined.replace(b"'", b"' ").split():
        if word in points:
            if word not in seen:
                seen.add(word)
                total += points[word]
        elif word == _PART:
            found.append(total)
            seen.clear()
            total = 0
    return found


def _cut_at_changes(folded: str, data: bytes, rivals: list[int]) -> tuple[Stretch, ...]:
    """Cut a text where its language changes, among the rivals (places in `_CANDIDATES`)."""
    pieces = [match.span() for match in _PIECE.finditer(folded)]
    points = _count_points_of_each([data[start:end] for start, end in pieces])
    path = _likeliest_path(points, [_PLACES[rival] for rival in rivals])
    found: list[Stretch] = []
    for (start, end), place in zip(pieces, path, strict=True):
        lang = _CANDIDATES[rivals[place]]
        if found and found[-1][2] == lang:
            found[-1] = (found[-1][0], end, lang)
        else:
            found.append((start, end, lang))
    return tuple(found)


def _likeliest_path(points: Iterable[int], places: list[int]) -> list[int]:
    """Find the sequence of languages with the most points, less the cost of its changes.

    A language is given by its index among the `places` where its points stand in each number.
    """
    totals = [0] * len(places)
    steps: list[list[int]] = []
    for number in points:
        best = max(totals)
        top, changed = totals.index(best), best - _CHANGE
        # Of equals the later change counts: a blank line belongs to what stands before it.
        steps.append([top if changed >= total else at for at, total in enumerate(totals)])
        totals = [max(total, changed) for total in totals]
        if number:
            totals = [
                total + (number >> place & _FULL)
                for total, place in zip(totals, places, strict=True)
            ]
    at = totals.index(max(totals))
    path: list[int] = []
    for came in reversed(steps):
        path.append(at)
        at = came[at]
    return path[::-1]
