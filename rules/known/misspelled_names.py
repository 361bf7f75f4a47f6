"""Known names that are misspelt or misread: a letter wrong, missing, doubled or exchanged."""

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from ahocorasick_rs import BytesAhoCorasick
from rapidfuzz.distance import OSA

from record.folding import fold
from record.label import Label
from rules.known.context import (
    Hit,
    Neighbours,
    has_cue_before,
    has_staff_title_before,
    is_eponym,
    opens_sentence,
)
from rules.known.variants import EVERYDAY, NAMES, Known, Match
from rules.known.words import begins_word, ends_word
from rules.matching.lexicon import lexicons
from rules.matching.normalization import View, misread

_LABELS = frozenset((Label.FIRST_NAME.value, Label.LAST_NAME.value, Label.CITY.value))
_PERSON = frozenset((Label.FIRST_NAME.value, Label.LAST_NAME.value))
# Letters a name must have before one of them may be wrong, and before two may be.
_SHORT, _LONG = 5, 9
_MOST_WRONG = 2
# What stands before a long unknown word in the middle of a sentence needs no title.
_UNMISTAKABLE = 6
# So many different words of one text at most are taken for misspelt names.
_MOST = 100
_LINE_BREAK = 10
_NEXT_NAME = re.compile(r"[ \-]([A-ZÀ-ÖØ-Þ][^\W\d_]{2,})")


class MisspelledNames:
    """The names of some persons, ready to be looked for with a letter or two wrong.

    Damerau-Levenshtein distance (optimal string alignment) of one for names of five letters and
    more, two from nine on; the first two letters or the last two must be right, and where the
    first letter is wrong, only one. `staff` is set where they are members of the staff: a
    doctor's title before a name speaks for these and against a patient.
    """

    __slots__ = ("_automaton", "_ends", "_exact", "_names", "_read", "_staff")

    def __init__(self, forms: Iterable[Known], *, staff: bool = False) -> None:
        self._names: dict[str, Known] = {}
        self._exact: set[str] = set()
        for known in forms:
            name = known.form.replace(" ", "")
            if known.label not in _LABELS:
                continue
            self._exact.update((name, *known.form.split(" ")))
            plain = name.isascii() and name.isalpha() and known.match is not Match.GUARDED
            if plain and len(name) >= _SHORT:
                self._names.setdefault(name, known)
        ends: dict[bytes, list[str]] = {}
        for name in self._names:
            ends.setdefault(b"\n" + name[:2].encode(), []).append(name)
            ends.setdefault(name[-2:].encode() + b"\n", []).append(name)
        self._ends = [
            (min(map(len, names)) - _MOST_WRONG, max(map(len, names)) + _MOST_WRONG, names)
            for names in ends.values()
        ]
        self._automaton = BytesAhoCorasick(list(ends)) if ends else None
        self._read = [
            (misread(name.encode()), b"\n%s\n" % name.encode(), name) for name in self._names
        ]
        self._staff = staff

    def find(self, view: View, hits: list[Hit], doubtful: list[Hit]) -> Iterator[Hit]:
        """Yield misspelt names; `hits` are the values found in the view as they are known.

        Of those that may be mere words, the `doubtful`, what stands beside is yielded as well.
        """
        close = self._close_spellings(view)
        if not close:
            return
        known_near, doubtful_near = Neighbours(view, hits), Neighbours(view, doubtful)
        for written, name in close.items():
            known = self._names[name]
            doubt = self._other_meaning(written)
            at = view.folded.find(written)
            while at >= 0:
                hit = Hit(at, at + len(written), known)
                start, end, _ = hit
                if begins_word(view.plain, start) and ends_word(view.plain, start, end):
                    yield from self._accepted_hits(
                        view, hit, _Around(known_near, doubtful_near, doubt)
                    )
                at = view.folded.find(written, at + 1)

    def _close_spellings(self, view: View) -> dict[str, str]:
        """Return the words of a view that come close to a name, each with the name."""
        if self._automaton is None:
            return {}
        capitals = view.capitals
        found: dict[str, str] = {}
        words, data = capitals.words, capitals.data
        for index, start, stop in self._automaton.find_matches_as_indexes(data, overlapping=True):
            if data[start] == _LINE_BREAK:
                first, end = start + 1, words.find("\n", stop)
            else:
                first, end = words.rfind("\n", 0, start) + 1, stop - 1
            shortest, longest, names = self._ends[index]
            if not shortest <= end - first <= longest:
                continue
            word = words[first:end]
            if word not in self._exact:
                if len(found) >= _MOST:
                    break
                size = len(word)
                for name in names:
                    if abs(size - len(name)) <= _MOST_WRONG and _is_close_spelling(word, name):
                        found.setdefault(capitals.compounds.get(word, word), name)
        ways = capitals.ways
        for way, exact, name in [one for one in self._read if one[0] in ways]:
            # Names as they are known read alike: only what is left over is misread.
            if capitals.read.count(b"\n%s\n" % way) > data.count(exact):
                for word in capitals.read_as(way) - self._exact:
                    found[word] = name
        return found

    def _other_meaning(self, written: str) -> str:
        """Return whether words mean something else: `word`, `name` or nothing at all."""
        everyday, names = lexicons(*EVERYDAY, "function_words"), lexicons(*NAMES)
        word = written.replace("-", "").replace("'", "")
        if word in everyday or (word[-1] in "se" and word[:-1] in everyday):
            return "word"
        others = [part for part in written.split("-") if part not in self._exact]
        return "name" if word in names or any(part in names for part in others) else ""

    def _accepted_hits(self, view: View, hit: Hit, around: "_Around") -> Iterator[Hit]:
        label = hit.known.label
        next_to = _completing_name(around.hits, hit)
        first = min(hit.start, next_to.start) if next_to else hit.start
        if has_staff_title_before(view, first) != self._staff or is_eponym(
            view, hit, frequent=True
        ):
            return
        if next_to:
            if around.doubt != "word" or _is_adjacent_capital(view, hit, next_to):
                yield hit
            return
        if around.doubt or label not in _PERSON:
            return
        other = _completing_name(around.doubtful, hit)
        if other and view.plain[other.start].isupper():
            yield other
            yield hit
            return
        announced = self._staff or has_cue_before(view, hit.start) or _is_unmistakable(view, hit)
        if announced and not _precedes_other_name(view, hit):
            yield hit


class _Around(NamedTuple):
    """What is known around a word: hits, hits that may be words, and what else it may mean."""

    hits: Neighbours
    doubtful: Neighbours
    doubt: str


def _completing_name(others: Neighbours, hit: Hit) -> Hit | None:
    for one in others.beside(hit):
        if one.known.label in _PERSON and one.known.form != hit.known.form:
            return one
    return None


def _precedes_other_name(view: View, hit: Hit) -> bool:
    """Return whether a name of somebody else follows: then a title before proves nothing."""
    follows = _NEXT_NAME.match(view.plain, hit.end)
    return follows is not None and fold(follows[1]) not in lexicons(*EVERYDAY, "function_words")


def _is_adjacent_capital(view: View, hit: Hit, other: Hit) -> bool:
    first, second = sorted((hit, other))
    return view.plain[first.end : second.start] == " " and view.plain[second.start].isupper()


def _is_unmistakable(view: View, hit: Hit) -> bool:
    """Return whether a word is a name without any title: only its middle may be wrong."""
    start, end, known = hit
    name = known.form.replace(" ", "")
    word = view.folded[start:end]
    middle = word[:1] == name[:1] and word[-1:] == name[-1:]
    return middle and len(name) >= _UNMISTAKABLE and not opens_sentence(view, start)


def _is_close_spelling(word: str, name: str) -> bool:
    limit = _MOST_WRONG if len(name) >= _LONG and word[:1] == name[:1] else 1
    if not -limit <= len(word) - len(name) <= limit:
        return False
    return OSA.distance(word, name, score_cutoff=limit) <= limit
