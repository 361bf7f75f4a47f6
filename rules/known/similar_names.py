"""Known names with several damages: letters wrong twice over, or wrong and parted or glued."""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import accumulate, combinations, pairwise

from ahocorasick_rs import BytesAhoCorasick
from rapidfuzz import process
from rapidfuzz.distance import OSA, LCSseq

from record.label import Label
from record.patient import PersonName
from rules.known.context import Hit, Neighbours, has_cue_before, has_title_before, is_eponym
from rules.known.everyday_names import comes_from
from rules.known.strange_words import Strange, StrangeWords, is_word, strange_words
from rules.known.variants import Known, Match, words
from rules.matching.normalization import View

_LABELS = frozenset((Label.FIRST_NAME.value, Label.LAST_NAME.value, Label.CITY.value))
_SHORTEST, _FIVE = 4, 5
# Letters a name must have before two may be wrong, and before three may be.
_LONG, _LONGER = 6, 9
_MOST_WRONG = 2
# Letters of a word up to which two may be wrong: longer ones have too many rests.
_LONGEST = 18
_REMEMBERED = 1 << 12
# So many characters beside what is found already are rather of other words.
_LEFT_OVER = 3
# What recognition and hands take for each other, as one letter.
_ALIKE = bytes.maketrans(b"i1|05386$@2y7", b"lllosebbsazzt")
_PAIRS = ((b"rn", b"m"), (b"cl", b"d"), (b"vv", b"w"))
# What sounds alike, the longer first.
_SOUNDS = (
    *((b"sch", b"k"), (b"ch", b"k"), (b"ault", b"o"), (b"eau", b"o"), (b"au", b"o")),
    *((b"ph", b"f"), (b"ck", b"k"), (b"qu", b"k"), (b"th", b"t"), (b"dt", b"t")),
    *((b"ai", b"e"), (b"ei", b"e"), (b"an", b"en")),
)
_HEARD = bytes.maketrans(b"cqwyjz", b"kkvils")
_DOUBLED = re.compile(rb"(.)\1+", re.DOTALL)
_SIGNS = bytes(code for code in range(256) if not chr(code).isalnum())
_LETTERS = b"abcdefghijklmnopqrstuvwxyz"


@lru_cache(maxsize=1 << 13)
def fold_alike(letters: bytes) -> bytes:
    """Write letters that recognition, keyboards and haste confuse in one way, doubled ones once."""
    read = letters.translate(_ALIKE)
    for pair, letter in _PAIRS:
        if pair in read:
            read = read.replace(pair, letter)
    return _DOUBLED.sub(rb"\1", read)


@lru_cache(maxsize=1 << 13)
def fold_sounds(letters: bytes) -> bytes:
    """Write letters that sound alike in one way, doubled ones once."""
    heard = _DOUBLED.sub(rb"\1", letters)
    for pair, letter in _SOUNDS:
        if pair in heard:
            heard = heard.replace(pair, letter)
    return _DOUBLED.sub(rb"\1", heard.translate(_HEARD))


@lru_cache(maxsize=1 << 11)
def deletions(letters: bytes, most: int) -> frozenset[bytes]:
    """Return what is left of letters without up to so many of them.

    Two words with an edit distance of so many share one of these (symmetric deletion).
    """
    size = len(letters)
    found = {letters}
    for count in range(1, min(most, size) + 1):
        for gone in combinations(range(size), count):
            edges = (-1, *gone, size)
            found.add(b"".join(letters[a + 1 : b] for a, b in pairwise(edges)))
    return frozenset(found)


@lru_cache(maxsize=1 << 11)
def _word_deletions(letters: bytes) -> frozenset[bytes]:
    read = letters.replace(b"?", b"")
    most = _MOST_WRONG if len(read) <= _LONGEST else 1
    return deletions(fold_alike(read), most) | deletions(fold_sounds(read), 1)


@lru_cache(maxsize=1 << 12)
def _fold_place(text: bytes) -> bytes:
    """Return the letters around a place in both ways that a name is compared in."""
    letters = text.translate(None, _SIGNS)
    return b"%b\n%b" % (fold_alike(letters), fold_sounds(letters))


def shards(folded: bytes) -> Iterator[tuple[bytes, int]]:
    """Yield what a name with one letter wrong holds at least one of, and where it begins there."""
    size = len(folded)
    if size >= _LONG:
        yield folded[: size // 2], 0
        yield folded[size // 2 :], size // 2
        return
    yield folded, 0
    if size < _SHORTEST:
        return
    yield folded[:3], 0
    yield folded[-3:], size - 3
    if size == _FIVE:
        first, last = folded[:2], folded[3:]
        yield first + last, 0
        yield folded[:1] + folded[2:0:-1] + last, 0
        yield first + folded[3:1:-1] + folded[4:], 0
        for letter in _LETTERS:
            yield b"%b%c%b" % (first, letter, last), 0


class SimilarNames:
    """The names of some persons, ready to be looked for among the strange words of a text."""

    __slots__ = ("_alike", "_cleared", "_close", "_deletions", "_heard", "_known", "_names",
                 "_shards", "_sought", "_variants")  # fmt: skip

    def __init__(self, forms: Iterable[Known], people: Sequence[PersonName] = ()) -> None:
        names: dict[bytes, Known] = {}
        for known in forms:
            name = known.form.replace(" ", "")
            plain = name.isalpha() and known.match is not Match.GUARDED
            if known.label in _LABELS and plain and len(name) >= _SHORTEST:
                names.setdefault(name.encode("latin-1", "replace"), known)
        for name, known in _joined_names(people):
            names.setdefault(name.encode("latin-1", "replace"), known)
        self._names = list(names)
        self._known = list(names.values())
        self._alike: list[bytes] = []
        self._heard: list[bytes] = []
        self._variants: list[tuple[int, int]] = []
        self._deletions: set[bytes] = set()
        self._shards: BytesAhoCorasick | None = None
        self._cleared: set[bytes] = set()
        self._close: dict[bytes, tuple[int, int] | None] = {}

    def _compile(self) -> BytesAhoCorasick:
        parts: dict[bytes, list[tuple[bytes, int]]] = {}
        for index, name in enumerate(self._names):
            most = _MOST_WRONG if len(name) >= _LONG else 1
            for written, cost in _cut_by_fields(name):
                self._variants.append((index, cost))
                self._alike.append(fold_alike(written))
                self._heard.append(fold_sounds(written))
                self._deletions |= deletions(self._alike[-1], most)
                self._deletions |= deletions(self._heard[-1], 1)
                for folded in {self._alike[-1], self._heard[-1]}:
                    for part, at in shards(folded):
                        parts.setdefault(part, []).append((folded, at))
        self._sought = list(parts.values())
        self._shards = BytesAhoCorasick(list(parts))
        return self._shards

    def find(self, view: View, hits: list[Hit]) -> Iterator[Hit]:
        """Yield names that strange words come close to; `hits` are those found there already."""
        if not self._names:
            return
        around: Neighbours | None = None
        close: list[tuple[int, Hit]] = []
        for word in self._candidates(strange_words(view)):
            found = self._closest(word.letters)
            if found is None:
                continue
            index, wrong = found
            around = around or Neighbours(view, hits)
            hit = Hit(word.start, word.end, self._known[index])
            if _is_name(view, word, hit, (wrong, len(self._names[index])), around):
                close.append((wrong, hit))
        yield from _without_wider(close, hits)

    def _candidates(self, strange: StrangeWords) -> Iterator[Strange]:
        """Yield the words and pieces that may come close to a name."""
        parts = self._shards or self._compile()
        if len(self._cleared) > _REMEMBERED:
            self._cleared.clear()
        for letters in strange.words.keys() - self._cleared:
            if self._deletions.isdisjoint(_word_deletions(letters)):
                self._cleared.add(letters)
            else:
                yield from strange.words[letters]
        if strange.places:
            folded = [_fold_place(place) for place in strange.places]
            ends = list(accumulate(len(one) + 1 for one in folded))
            text = b"\n".join(folded)
            found = parts.find_matches_as_indexes(text, overlapping=True)
            near = {
                bisect_right(ends, start)
                for index, start, _ in found
                if any(_may_be(text, start - at, name) for name, at in self._sought[index])
            }
            seen: set[tuple[int, int]] = set()
            for index in near:
                yield from strange.readings(index, seen)

    def _closest(self, letters: bytes) -> tuple[int, int] | None:
        """Return the name that letters come closest to, and how many of them are wrong."""
        if letters in self._close:
            return self._close[letters]
        if len(self._close) > _REMEMBERED:
            self._close.clear()
        found = self._closest_whole(letters)
        if b"?" in letters:
            other = self._closest_whole(letters.replace(b"?", b""))
            found = min(
                (one for one in (found, other) if one), key=lambda one: one[1], default=None
            )
        self._close[letters] = found
        return found

    def _closest_whole(self, letters: bytes) -> tuple[int, int] | None:
        best: tuple[int, int] | None = None
        for names, written, more in (
            (self._alike, fold_alike(letters), 0),
            (self._heard, fold_sounds(letters), 1),
        ):
            for _, distance, at in process.extract_iter(
                written, names, scorer=OSA.distance, score_cutoff=_MOST_WRONG - more
            ):
                index, cost = self._variants[at]
                wrong = int(distance) + more + cost
                if wrong <= _most_wrong(len(self._names[index]), len(letters)) and (
                    best is None or wrong < best[1]
                ):
                    best = index, wrong
        return best


def _may_be(text: bytes, start: int, name: bytes) -> bool:
    """Return whether a name may begin at a place or one beside it, a letter wrong."""
    near = text[max(0, start - 1) : start + len(name) + 1]
    return bool(LCSseq.similarity(near, name, score_cutoff=len(name) - 1))


def _cut_by_fields(name: bytes) -> Iterator[tuple[bytes, int]]:
    """Yield a name, and a long one as a field cuts it; with what that costs."""
    yield name, 0
    if len(name) >= _LONGER:
        yield name[:-2], 1


def _without_wider(close: list[tuple[int, Hit]], hits: list[Hit]) -> Iterator[Hit]:
    """Leave hits out that hold one with as few letters wrong, or little beside what is found."""
    if not close:
        return
    starts: dict[int, list[tuple[int, Hit]]] = {}
    for wrong, hit in (*close, *((-1, hit) for hit in hits)):
        starts.setdefault(hit.start, []).append((wrong, hit))
    for wrong, hit in close:
        inner = [
            (less, one)
            for at in range(hit.start, hit.end)
            for less, one in starts.get(at, ())
            if one.end <= hit.end
        ]
        covered = len({at for less, one in inner if less < 0 for at in range(*one[:2])})
        narrower = any(
            0 <= less <= wrong and one.end - one.start < hit.end - hit.start for less, one in inner
        )
        if not narrower and hit.end - hit.start - covered > _LEFT_OVER * (covered > 0):
            yield hit


def _most_wrong(size: int, found: int) -> int:
    if found < _SHORTEST:
        return 0
    if size < _FIVE:
        return 1
    return 1 + (size >= _LONG) + (size >= _LONGER)


def _joined_names(people: Iterable[PersonName]) -> Iterator[tuple[str, Known]]:
    """Yield the given names and family names of persons in one word, and their user names."""
    for person in people:
        for family in person.family_names:
            last = "".join(words(family))
            for given in person.given_names:
                first = "".join(words(given))
                if not (first and last):
                    continue
                known = Known(Label.LAST_NAME, f"{first} {last}", Match.WORDS, "family_names")
                yield first + last, known
                yield last + first, known
                if len(last) >= _LONG - 1:
                    yield first[0] + last, known
                    yield last + first[0], known


def _is_name(
    view: View, word: Strange, hit: Hit, size: tuple[int, int], around: Neighbours
) -> bool:
    """Return whether a word that comes close to a name stands for it: by damage or context."""
    wrong, letters = size
    if is_eponym(view, hit, frequent=True):
        return False
    written = view.plain[word.start : word.end]
    capital = written != written.lower()
    damaged = word.damaged or view.loose or view.is_damaged(word.start, word.end)
    announced = (
        word.cued
        or has_title_before(view, word.start)
        or has_cue_before(view, word.start)
        or comes_from(view, word.start)
        or next(around.beside(hit), None) is not None
    )
    sure = hit.known.match is Match.WORDS
    if word.joined and not damaged and (wrong > 1 or not (sure or word.cued)):
        return False
    found = word.letters.decode("latin-1")
    # `Garnerol` is rather a drug than Garner.
    derived = wrong > 1 and found.startswith(hit.known.form.replace(" ", ""))
    if derived and not (announced or damaged):
        return False
    if is_word(found):
        return capital and announced and wrong < 2 and (damaged or word.joined)
    if letters < _FIVE:
        return capital and (damaged or announced) and not any(map(str.isdigit, written))
    return announced or (capital and (sure or wrong < 2)) or (damaged and wrong < 2)
