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
from rules.known.everyday_names import ARTICLES, comes_from, tells_of_person
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
# What sounds alike, the longer first.
_SOUNDS = (
    *(("eau", "o"), ("au", "o"), ("ph", "f"), ("qu", "k"), ("ck", "k"), ("ain", "en")),
    ("ein", "en"),
)
_FROM = frozenset(b"de d from by von van por".split())
# Letters that other alphabets lack.
_OTHER_ALPHABETS = str.maketrans("cqw", "kkv")
_TRIPLE = re.compile(r"(.)\1\1")


class MisspelledNames:
    """The names of some persons, ready to be looked for with a letter or two wrong.

    Damerau-Levenshtein distance (optimal string alignment) of one for names of five letters and
    more, two from nine on; where the first letter is wrong, only one.
    """

    __slots__ = ("_automaton", "_compound", "_ends", "_exact", "_heard", "_names", "_read")

    def __init__(self, forms: Iterable[Known]) -> None:
        self._names: dict[str, Known] = {}
        self._compound = False
        short: dict[str, Known] = {}
        self._exact: set[str] = set()
        for known in forms:
            name = known.form.replace(" ", "")
            if known.label not in _LABELS:
                continue
            self._exact.add(name)
            self._exact.update(part for part in known.form.split(" ") if len(part) >= _SHORTEST)
            plain = name.isascii() and name.isalpha() and known.match is not Match.GUARDED
            if plain and len(name) >= _SHORT:
                self._names.setdefault(name, known)
                self._compound |= " " in known.form
            elif plain and len(name) >= _SHORTEST:
                short.setdefault(name, known)
        ends: dict[bytes, list[str]] = {}
        for name in self._names:
            for end in _telling_ends(name):
                ends.setdefault(end, []).append(name)
        self._ends = [
            (min(map(len, names)) - _MOST_WRONG, max(map(len, names)) + _MOST_WRONG, names)
            for names in ends.values()
        ]
        # Other spellings of a whole name stand behind the ends.
        self._heard = [
            (b"\n%b\n" % heard.encode(), name)
            for name in self._names
            for heard in {_write_as_heard(name), name.translate(_OTHER_ALPHABETS)} - {name}
            if len(heard) >= _SHORT
        ]
        wholes = [whole for whole, _ in self._heard]
        self._automaton = BytesAhoCorasick([*ends, *wholes]) if ends else None
        self._read = {
            misread(name.encode()): known for name, known in (short | self._names).items()
        }

    def find(self, view: View, hits: list[Hit], doubtful: list[Hit]) -> Iterator[Hit]:
        """Yield misspelt names; `hits` are the values found in the view as they are known.

        Of those that may be mere words, the `doubtful`, what stands beside is yielded as well.
        """
        close = self._close_spellings(view)
        if self._read:
            close += self._find_misread(view.stream)
        if not close:
            return
        around = _Around(Neighbours(view, hits), Neighbours(view, doubtful))
        for hit in close:
            yield from _accepted_hits(view, hit, around)

    def _close_spellings(self, view: View) -> list[Hit]:
        """Return where words come close to a name."""
        found: dict[tuple[int, int], str] = {}
        stream = view.stream
        if self._automaton is None:
            return []
        ends, exact, common = self._ends, self._exact, _common_words()
        data = stream.with_compounds() if self._compound else stream.data
        for index, start, stop in self._automaton.find_matches_as_indexes(data, overlapping=True):
            if index >= len(ends):
                found.setdefault(
                    stream.place(start + 1, stop - 1), self._heard[index - len(ends)][1]
                )
                continue
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
            if word in common and not (
                view.plain[stream.place(first, end)[0]].isupper()
                or _follows_preposition(data, first)
            ):
                continue
            if first >= stream.size and not exact.isdisjoint(stream.pieces(first)):
                continue  # a name, and the word behind or before it
            for name in names:
                if _is_close_spelling(word, name):
                    found.setdefault(stream.place(first, end), name)
            if len(found) >= _MOST:
                break
        return [Hit(*extent, self._names[name]) for extent, name in found.items()]

    def _find_misread(self, stream: WordStream) -> list[Hit]:
        """Find the words of letters and digits that recognition has made of a name."""
        return [
            Hit(first, last, known)
            for first, last, word in stream.mixed
            if (known := self._read.get(misread(word)) or self._read_six(word))
        ]

    def _read_six(self, word: bytes) -> Known | None:
        """Return the name that a word is whose 6 stands for a `g`, rather than for a `b`."""
        return self._read.get(misread(word.replace(b"6", b"g"))) if b"6" in word else None


def _follows_preposition(words: bytes, first: int) -> bool:
    """Return whether the word before is one with which a message comes from somebody."""
    return words[words.rfind(b"\n", 0, first - 1) + 1 : first - 1] in _FROM


def _write_as_heard(name: str) -> str:
    """Write a name as somebody does who only heard it: `Bonno`, `Filipp`, `Jackes`."""
    for written, heard in _SOUNDS:
        name = name.replace(written, heard)
    return name


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


def _common_words() -> frozenset[str]:
    return lexicons("words_fr", "words_en", "words_es", "words_clinical", "function_words")


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
    sent = comes_from(view, start)
    title |= sent
    if _is_far(written, known.form) and written in lexicons(*NAMES):
        return
    if written in _common_words():
        accepted = title and (capital or sent) and known.label in _PERSON
    elif len(known.form) < _SHORT:
        accepted = meaning == ""
    elif meaning == "":
        accepted = title or capital or end - start >= _TELLING
    elif meaning == "rare":
        accepted = title or capital or tells_of_person(view, hit)
    else:
        accepted = title and (capital or sent) and known.label in _PERSON
        accepted |= meaning != "drug" and capital and _stands_out(view, start, end)
        accepted |= meaning == "listed" and capital and tells_of_person(view, hit)
    if accepted:
        other = _completing_name(around.doubtful, hit)
        if other and view.plain[other.start].isupper():
            yield other
        yield hit


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
    distance = OSA.distance(word, name, score_cutoff=_MOST_WRONG)
    if distance <= limit:
        return True
    if distance > _MOST_WRONG and word.isalpha():
        return False
    read = misread(word.encode("latin-1")), misread(name.encode("latin-1"))
    return read[0] == read[1] or OSA.distance(_TRIPLE.sub(r"\1\1", word), name) <= 1
