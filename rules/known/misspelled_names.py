"""Known names that are misspelt or misread: a letter wrong, missing, doubled or exchanged."""

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

from ahocorasick_rs import BytesAhoCorasick
from rapidfuzz.distance import OSA

from record.label import Label
from rules.known.context import (
    Hit,
    Neighbours,
    has_cue_before,
    has_title_before,
    is_eponym,
    opens_sentence,
    word_before,
)
from rules.known.everyday_names import ARTICLES, tells_of_person
from rules.known.variants import EVERYDAY, NAMES, Known, Match
from rules.matching.lexicon import lexicons, term_kind, word_rank
from rules.matching.normalization import View, WordStream, misread

_LABELS = frozenset((Label.FIRST_NAME.value, Label.LAST_NAME.value, Label.CITY.value))
_PERSON = frozenset((Label.FIRST_NAME.value, Label.LAST_NAME.value))
# Letters a name must have before one of them may be wrong, and before two may be.
_SHORT, _LONG = 5, 9
_MOST_WRONG = 2
# Shorter names are looked for as recognition misreads them.
_SHORTEST = 3
# So many different words of one text at most are taken for misspelt names.
_MOST = 100
_LINE_BREAK = 10
# Words up to this class of frequency are rather words than misspelt names.
_FREQUENT = 3
# Where nothing announces a name in small letters, it must be as long.
_TELLING = 5
# Digits that stand for letters.
_TRIPLE = re.compile(r"(.)\1\1")
_LETTERS = str.maketrans("0134578@$", "oleastbas")


class MisspelledNames:
    """The names of some persons, ready to be looked for with a letter or two wrong.

    Damerau-Levenshtein distance (optimal string alignment) of one for names of five letters and
    more, two from nine on; where the first letter is wrong, only one.
    """

    __slots__ = ("_automaton", "_ends", "_exact", "_names", "_read", "_short")

    def __init__(self, forms: Iterable[Known]) -> None:
        self._names: dict[str, Known] = {}
        self._short: dict[str, Known] = {}
        self._exact: set[str] = set()
        for known in forms:
            name = known.form.replace(" ", "")
            if known.label not in _LABELS:
                continue
            self._exact.update((name, *known.form.split(" ")))
            plain = name.isascii() and name.isalpha() and known.match is not Match.GUARDED
            if plain and len(name) >= _SHORT:
                self._names.setdefault(name, known)
            elif plain and len(name) >= _SHORTEST:
                self._short.setdefault(name, known)
        ends: dict[bytes, list[str]] = {}
        for name in self._names:
            for end in _telling_ends(name):
                ends.setdefault(end, []).append(name)
        self._ends = [
            (min(map(len, names)) - _MOST_WRONG, max(map(len, names)) + _MOST_WRONG, names)
            for names in ends.values()
        ]
        self._automaton = BytesAhoCorasick(list(ends)) if ends else None
        self._read = [
            (b"\n%s\n" % misread(name.encode()), b"\n%s\n" % name.encode(), name)
            for name in self._short | self._names
        ]

    def find(self, view: View, hits: list[Hit], doubtful: list[Hit]) -> Iterator[Hit]:
        """Yield misspelt names; `hits` are the values found in the view as they are known.

        Of those that may be mere words, the `doubtful`, what stands beside is yielded as well.
        """
        if self._automaton is None:
            return
        close = self._close_spellings(view.stream) | self._find_misread(view.stream)
        if not close:
            return
        around = _Around(Neighbours(view, hits), Neighbours(view, doubtful))
        for (start, end), name in close.items():
            known = self._names.get(name) or self._short[name]
            yield from _accepted_hits(view, Hit(start, end, known), around)

    def _close_spellings(self, stream: WordStream) -> dict[tuple[int, int], str]:
        """Return where words come close to a name, each with the name."""
        found: dict[tuple[int, int], str] = {}
        if self._automaton is None:
            return found
        ends, exact, data = self._ends, self._exact, stream.data
        for index, start, stop in self._automaton.find_matches_as_indexes(data, overlapping=True):
            shortest, longest, names = ends[index]
            if data[start] == _LINE_BREAK:
                first, end = start + 1, data.find(b"\n", stop, start + longest + 2)
            else:
                first, end = data.rfind(b"\n", max(0, stop - longest - 2), start) + 1, stop - 1
            if not shortest <= end - first <= longest or not first:
                continue
            word = data[first:end].decode("latin-1")
            if word in exact and (first < stream.size or word not in self._names):
                continue
            for name in names:
                if _is_close_spelling(word, name):
                    found.setdefault(stream.place(first, end), name)
            if len(found) >= _MOST:
                break
        return found

    def _find_misread(self, stream: WordStream) -> dict[tuple[int, int], str]:
        """Find the words that recognition may have made of a name: `rn` for `m`, `cl` for `d`."""
        read, data = stream.read, stream.data
        # Names as they are known read alike: only what is left over is misread.
        ways = [
            (way[1:-1], name)
            for way, exact, name in self._read
            if way[1:-1] in read and read.count(way) > data.count(exact)
        ]
        return {
            stream.place(*extent): name
            for way, name in ways
            for extent in stream.read_as(way)
            if data[slice(*extent)].decode("latin-1") not in self._exact
        }


class _Around(NamedTuple):
    """What is known around a word: hits, and hits that may be mere words."""

    hits: Neighbours
    doubtful: Neighbours


def _telling_ends(name: str) -> tuple[bytes, bytes]:
    """Return the first and the last letters of a name: one edit leaves one of them as it is."""
    size = len(name)
    first = 3 if _SHORT < size < _LONG else 2
    last = 3 if _SHORT + 1 < size < _LONG else 2
    return b"\n" + name[:first].encode(), name[-last:].encode() + b"\n"


@lru_cache(maxsize=1 << 12)
def _other_meaning(word: str) -> str:
    """Return what else a word means: a `drug`, a `word`, a `listed` or `rare` one, or nothing.

    The lists of words hold names, too: those of the lists of names are rarely words.
    """
    everyday = lexicons(*EVERYDAY, "function_words")
    if "d" in term_kind(word):
        return "drug"
    singular = word[:-1] if word[-1] in "se" else word
    if word in everyday or singular in everyday:
        return "word"
    if term_kind(word):
        return "listed"
    if word in lexicons(*NAMES):
        return "rare"
    rank = word_rank(word)
    return ("listed" if rank <= _FREQUENT else "rare") if rank else ""


def _accepted_hits(view: View, hit: Hit, around: _Around) -> Iterator[Hit]:
    if is_eponym(view, hit, frequent=True):
        return
    start, end, known = hit
    written = view.folded[start:end]
    meaning = _other_meaning(written.replace("-", "").replace("'", "").replace("\n", ""))
    next_to = _completing_name(around.hits, hit)
    capital = view.plain[start:end] != view.plain[start:end].lower()
    if next_to:
        if meaning in ("", "rare") or _is_adjacent_capital(view, hit, next_to):
            yield hit
        return
    title = has_title_before(view, start) or (capital and has_cue_before(view, start))
    if _is_far(written, known.form) and written in lexicons(*NAMES):
        return
    if len(known.form) < _SHORT:
        accepted = meaning == "" and not written.isalpha()
        accepted |= _is_odd_case(view, start, end)
    elif meaning == "":
        accepted = title or capital or end - start >= _TELLING
    elif meaning == "rare":
        accepted = title or capital
    else:
        accepted = title and capital and known.label in _PERSON
        accepted |= meaning != "drug" and capital and _stands_out(view, start, end)
        accepted |= meaning == "listed" and capital and tells_of_person(view, hit)
    if accepted:
        other = _completing_name(around.doubtful, hit)
        if other and view.plain[other.start].isupper():
            yield other
        yield hit


def _is_odd_case(view: View, start: int, end: int) -> bool:
    """Return whether an `l` stands among capitals or an `I` among small letters."""
    written = view.plain[start:end]
    if written[1].islower():
        return "I" in written[1:]
    return "l" in written and written.replace("l", "I").isupper()


def _stands_out(view: View, start: int, end: int) -> bool:
    """Return whether one capital shows a name: in the middle of a sentence in small letters."""
    written = view.plain[start:end]
    if written.isupper() or not written[0].isupper() or opens_sentence(view, start):
        return False
    word, until = word_before(view.folded, start)
    return bool(word) and word not in ARTICLES and view.plain[until - 1].islower()


def _is_far(word: str, form: str) -> bool:
    name = form.replace(" ", "")
    return len(name) >= _LONG and OSA.distance(word, name, score_cutoff=1) > 1


def _completing_name(others: Neighbours, hit: Hit) -> Hit | None:
    for one in others.beside(hit):
        if one.known.label in _PERSON and one.known.form != hit.known.form:
            return one
    return None


def _is_adjacent_capital(view: View, hit: Hit, other: Hit) -> bool:
    first, second = sorted((hit, other))
    return view.plain[first.end : second.start] == " " and view.plain[second.start].isupper()


def _is_close_spelling(word: str, name: str) -> bool:
    limit = _MOST_WRONG if len(name) >= _LONG and word[:1] == name[:1] else 1
    if OSA.distance(word, name, score_cutoff=limit) <= limit:
        return True
    if not word.isalpha() and OSA.distance(word.translate(_LETTERS), name, score_cutoff=1) <= 1:
        return True
    if len(word) <= len(name):
        return False
    return OSA.distance(_TRIPLE.sub(r"\1\1", word), name, score_cutoff=1) <= 1
