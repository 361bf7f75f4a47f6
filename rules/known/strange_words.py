"""What no list of words or names holds: the words of a text that may be damaged names.

Strange words stand alone, within glued ones (`mmeLambrt`, `Lambrt75ans`), or in pieces beside each
other, whatever parts them (`L amebrt`, `**Lam**bret`).
"""

import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from rules.known.context import CUES, VERBS
from rules.known.everyday_names import STATES
from rules.matching.lexicon import given_rank, lexicons, surname_rank, term_kind, word_rank
from rules.matching.normalization import View

# Letters that a damaged name has at least, and at most.
_SHORTEST, _LONGEST = 4, 26
# Pieces of so many letters may stand between strange ones.
_SHORT = 3
# So many pieces at most are put together, and so many where longer words are among them.
_MOST_PIECES, _MOST_WORDS = 14, 3
_WIDEST_GAP = 12
# How far around a piece the rest of its name may stand, and a capital that shows a name.
_NEAR_WORD, _NEAR_SIGNS, _NEAR = 16, 30, 6
_BREAK = 10
# Within a word these part no words; with a blank beside them those part words.
_TIGHT = frozenset((b"'", b"-", b".", b":", b";", b",", b"/"))
_STOPS = b'.,;:/"()\xab\xbb'
_LETTER = re.compile(rb"[a-z\xdf-\xff]")
_AGE = re.compile(rb"(?<=[a-z?\xdf-\xff])[0-9]{1,3}(?:ans?|a|yo|y|j|jahre|anos)?\Z")
_INFLECTIONS = ("sches", "sche", "scher", "s")
_COUNTRIES = ("fra", "deu", "esp", "usa", "gbr", "aut", "irl", "can")
# Words from this many letters on are read off the beginning and the end of a longer one.
_SHORTEST_GLUE, _GLUE = 2, 12
_REMEMBERED = 1 << 16


def _kind(char: str) -> str:
    if char.isalpha():
        return "a"
    if char.isdigit():
        return "1"
    if char in "\n\r\x0b\x0c":
        return "\n"
    marks = {" ": " ", "\t": " ", "-": "-", "'": "'", "(": "(", ")": "("}
    return marks.get(char, "," if char in '.,;:/"' else "*")


_KINDS = "".join(_kind(char) for char in map(chr, range(256))).encode()
# Signs that part no words, behind a letter; and ends of lines and signs within words, which
# do where no capital is near.
_ODD_KINDS = (b"a*", b"a(", b"a,,", b"a\n*", b"a *\n*", b"a \n*", b"a,*", b"a-*", b"a'*")
_TIGHT_KINDS = (
    *(b"aaa'a", b" a-a", b"-a-a", b" aa-a", b"a-a ", b"a-aa ", b"a-a-", b"a-aa-"),
    *(b" a\na", b"\na\na", b"a\na ", b"a\na\n", b"a\n\na", b"a\n\n\na"),
    *(b" aa\na", b"\naa\na", b"a\naa ", b"a\naa\n", b"a \na", b"a\n a"),
)
_ODD_GAP = re.compile(
    b"(?:[^a ]{1,12}|[^a]{0,6},,[^a]{0,6}|[^a]{1,12}(?<=[\n*])|[^a]{0,8}\n[^a]{0,8})a"
)
_CASES = bytes(
    65 if char.isupper() else 97 if char.islower() else 49 if char.isdigit() else 32
    for char in map(chr, range(256))
)
_INITIALS_APART = (b" A aa", b" A  aa")


class Strange(NamedTuple):
    """A strange word, or what pieces make together; offsets of the view, half open.

    It is `damaged` where signs part its letters that stand between no words, `joined` where it is
    put together or cut out of a longer word, `cued` where a word that announces a name is glued to
    it.
    """

    letters: bytes
    start: int
    end: int
    damaged: bool
    joined: bool
    cued: bool


class _Piece(NamedTuple):
    letters: bytes
    start: int
    end: int


_ordinary: set[bytes] = set()
_strange: set[bytes] = set()


def _find_strange(words: set[bytes]) -> set[bytes]:
    """Return the words that no list holds; what was looked up before is remembered."""
    new = words - _ordinary - _strange
    if new:
        if len(_ordinary) + len(_strange) > _REMEMBERED:
            _ordinary.clear()
            _strange.clear()
            new = words
        found = {word for word in new if _is_strange(word)}
        _strange.update(found)
        _ordinary.update(new - found)
    return words & _strange


def _is_strange(word: bytes) -> bool:
    if len(word) < 2 or word.isdigit() or len(word) > _LONGEST + _GLUE:
        return False
    if _LETTER.search(word) is None:
        return False
    written = word.decode("latin-1")
    if not written.isalpha():
        return True
    return not is_listed(written)


def is_listed(word: str) -> bool:
    """Return whether a folded word is one of everyday or medical language, or a name."""
    return is_word(word) or bool(surname_rank(word) or given_rank(word))


@lru_cache(maxsize=1 << 12)
def is_word(word: str) -> bool:
    """Return whether a folded word is one of everyday or medical language."""
    if word in lexicons("words_fr", "words_en", "words_es", "words_clinical", "function_words"):
        return True
    singular = word[:-1] if word[-1] in "sxe" else word
    return any(
        map(bool, (word_rank(word), term_kind(word), word_rank(singular), term_kind(singular)))
    )


class StrangeWords:
    """The strange words of one view, and the places where a name may stand in pieces.

    `words` are strange words by their letters, `places` the text around each place.
    """

    __slots__ = ("_data", "_pieces", "_signs", "_strange", "places", "words")

    def __init__(self, view: View) -> None:
        stream = view.stream
        data = self._data = stream.data[: stream.size]
        # As written: folded, blanks of all kinds are alike.
        signs = self._signs = view.plain.encode("latin-1", "replace")
        self.words: dict[bytes, list[Strange]] = {}
        strange = self._strange = _find_strange(set(data.split(b"\n")))
        pieces: dict[int, _Piece] = {}
        for word in strange:
            for at in _find_all(data, b"\n%b\n" % word):
                piece = _Piece(word, at, at + len(word))
                for one in _cut_out(signs, [piece], strange):
                    self.words.setdefault(one.letters, []).append(one)
                if _is_capital_near(view.plain, at):
                    pieces[at] = piece
        self.places = [_around(view, one, _NEAR_WORD) for one in pieces.values()]
        for at in _damaged_places(view, signs):
            if (other := _piece_at(data, at)) and other.start not in pieces:
                pieces[other.start] = other
                self.places.append(_around(view, other, _NEAR_SIGNS))
        for at in view.breaks_in_words():
            other = _piece_at(data, at)
            if other and _SHORTEST <= len(other.letters) <= _LONGEST:
                self.words.setdefault(other.letters, []).append(
                    Strange(*other, damaged=True, joined=True, cued=False)
                )
        self._pieces = list(pieces.values())

    def readings(self, index: int, seen: set[tuple[int, int]]) -> Iterator[Strange]:
        """Yield what the pieces at a place make together, but for the extents seen before."""
        data, strange, piece = self._data, self._strange, self._pieces[index]
        before = [piece, *_pieces_beside(data, piece, strange, _piece_before)]
        after = [piece, *_pieces_beside(data, piece, strange, _piece_after)]
        for left, first in enumerate(before):
            for right, last in enumerate(after):
                extent = first.start, last.end
                if not left + right or extent in seen:
                    continue
                seen.add(extent)
                made = [*before[left:0:-1], piece, *after[1 : right + 1]]
                if left + right < _MOST_WORDS or all(_is_short(one, strange) for one in made):
                    yield from _cut_out(self._signs, made, strange)

    def __repr__(self) -> str:
        return f"StrangeWords({len(self.words)} words, {len(self.places)} places)"


strange_words = lru_cache(maxsize=16)(StrangeWords)


def _around(view: View, piece: _Piece, width: int) -> bytes:
    return view.data[max(0, piece.start - width) : piece.end + width]


def _piece_at(data: bytes, at: int) -> _Piece | None:
    # Words are one byte further in the stream than in the view.
    first, end = data.rfind(b"\n", 0, at + 1), data.find(b"\n", at + 1)
    return _Piece(data[first + 1 : end], first, end - 1) if end - first > 1 else None


def _find_all(data: bytes, sought: bytes) -> Iterator[int]:
    at = data.find(sought)
    while at >= 0:
        yield at
        at = data.find(sought, at + 1)


def _is_capital_near(plain: str, at: int) -> bool:
    near = plain[max(0, at - _NEAR) : at + 1]
    return near != near.lower()


def _damaged_places(view: View, signs: bytes) -> Iterator[int]:
    """Yield offsets of letters beside which something stands that parts no words."""
    kinds, plain = signs.translate(_KINDS), view.plain
    for pattern in _ODD_KINDS:
        for at in _find_all(kinds, pattern):
            if _ODD_GAP.match(kinds, at + 1, at + 24):
                yield at
    for pattern in _TIGHT_KINDS:
        for at in _find_all(kinds, pattern):
            if _is_capital_near(plain, at):
                yield at + pattern.index(b"a")
    cases = b" " + signs.translate(_CASES)
    for pattern in _INITIALS_APART:
        for at in _find_all(cases, pattern):
            after = _piece_at(view.stream.data, at + len(pattern) - 2)
            if after and not is_word(after.letters.decode("latin-1")):
                yield at
    if view.whole:
        yield from view.breaks_in_words()


def _cut_out(signs: bytes, made: list[_Piece], strange: set[bytes]) -> Iterator[Strange]:
    """Yield what pieces make together, with and without what is glued to the first and last."""
    first, last = made[0], made[-1]
    letters = b"".join(one.letters for one in made)
    size, joined = len(letters), len(made) > 1
    if not _SHORTEST <= size <= _LONGEST + _GLUE:
        return
    odd = _joined(signs, made)
    if odd is None:
        return
    after = len(last.letters)
    begins = _glue_before(first.letters) if first.letters in strange else (0,)
    ends = _glue_after(last.letters) if last.letters in strange else (after,)
    for begin in begins:
        for end in ends:
            glued = begin > 0 or end < after
            rest = letters[begin : size - after + end]
            if _SHORTEST <= len(rest) <= _LONGEST or not glued:
                yield Strange(
                    rest, first.start + begin, last.start + end, odd, joined or glued, begin > 0
                )


def _is_short(piece: _Piece, strange: set[bytes]) -> bool:
    return len(piece.letters) <= _SHORT or piece.letters in strange


def _pieces_beside(
    data: bytes,
    piece: _Piece,
    strange: set[bytes],
    step: Callable[[bytes, _Piece], _Piece | None],
) -> Iterator[_Piece]:
    """Yield the pieces on one side of one, the nearest first, as far as they may belong to it."""
    size, words = len(piece.letters), 0
    for _ in range(_MOST_PIECES):
        one = step(data, piece)
        if one is None or (len(one.letters) > 1 and one.letters.isdigit()):
            return
        size += len(one.letters)
        words += not _is_short(one, strange)
        if size > _LONGEST + _GLUE or words > 1:
            return
        yield one
        piece = one


def _piece_before(data: bytes, piece: _Piece) -> _Piece | None:
    # Words are one byte further in the stream than in the view.
    end = piece.start
    furthest = max(0, end - _WIDEST_GAP)
    while end > furthest and data[end] == _BREAK:
        end -= 1
    if data[end] == _BREAK:
        return None
    first = data.rfind(b"\n", 0, end)
    return _Piece(data[first + 1 : end + 1], first, end)


def _piece_after(data: bytes, piece: _Piece) -> _Piece | None:
    first = piece.end + 1
    furthest = min(len(data), first + _WIDEST_GAP)
    while first < furthest and data[first] == _BREAK:
        first += 1
    if first == furthest:
        return None
    end = data.find(b"\n", first)
    return _Piece(data[first:end], first - 1, end - 1)


def _joined(signs: bytes, pieces: list[_Piece]) -> bool | None:
    """Return whether signs show that pieces are of one word; None where signs part words."""
    gaps = [signs[one.end : other.start] for one, other in pairwise(pieces)]
    kinds = set(map(_gap_kind, gaps))
    single = all(len(one.letters) == 1 for one in pieces)
    if None in kinds and not (single and len(set(gaps)) == 1):
        return None
    return True in kinds or (
        len(pieces) > _SHORT and all(len(one.letters) <= _SHORT for one in pieces)
    )


@lru_cache(maxsize=1 << 12)
def _gap_kind(gap: bytes) -> bool | None:
    """Return whether signs part no words; False for those that part both words and letters."""
    signs = gap.translate(None, b" \n\r\t")
    if not signs or signs == b"-":
        return False
    if b".." in signs:
        return True
    if len(signs) < len(gap):
        return True if b"\n" in gap and signs.translate(None, _STOPS) else None
    if signs in _TIGHT:
        return False
    return True if signs.translate(None, b' \n\r\t.,;:/"') else None


@lru_cache(maxsize=1 << 12)
def _glue_before(letters: bytes) -> tuple[int, ...]:
    """Return where a piece may begin: behind a word that is glued to it."""
    written = letters.decode("latin-1")
    found = {0}
    if written.startswith(_BEFORE):
        found |= {len(word) for word in _BEFORE if written.startswith(word)}
    found |= {at + 1 for at, char in enumerate(written) if char == "?"}
    return tuple(sorted(at for at in found if at < len(letters)))


@lru_cache(maxsize=1 << 12)
def _glue_after(letters: bytes) -> tuple[int, ...]:
    """Return where a piece may end: before a word, an age or an ending that is glued to it."""
    written = letters.decode("latin-1")
    found = {len(letters)}
    age = _AGE.search(letters)
    if age:
        found.add(age.start())
    if written.endswith(_AFTER):
        found |= {len(letters) - len(word) for word in _AFTER if written.endswith(word)}
    found |= {at for at, char in enumerate(written) if char == "?"}
    return tuple(sorted(at for at in found if at > 0))


_BEFORE = tuple(
    sorted({word for word in CUES if len(word) >= _SHORTEST_GLUE} | {"dossier", "x", *_COUNTRIES})
)
_AFTER = tuple(
    sorted({word for word in VERBS | STATES if len(word) >= _SHORTEST_GLUE} | {"x", *_INFLECTIONS})
)
