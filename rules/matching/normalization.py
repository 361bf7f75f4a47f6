"""Normalized forms of a text, undoing typography, with offsets back to the original."""

import re
from bisect import bisect_right
from collections.abc import Iterator
from functools import lru_cache
from itertools import islice

from record.folding import fold
from rules.matching.normalized_document import fold_once

# Letters that are written as two: the two stand for them on both sides of a comparison.
_EXPANSIONS = {
    "œ": "oe", "Œ": "OE", "æ": "ae", "Æ": "AE", "ß": "ss", "ẞ": "SS", "ĳ": "ij", "Ĳ": "IJ",
    "ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "st", "ﬆ": "st",
    "þ": "th", "Þ": "TH",
}  # fmt: skip

_ACCENTS = "\u0300-\u036f"
# Combining accents, soft hyphens, joiners and direction marks carry no letter.
_INVISIBLE = f"\u00ad\u200b-\u200f\u202a-\u202e\u2060\ufeff{_ACCENTS}"
_ODD = re.compile(f"[{_INVISIBLE}{''.join(_EXPANSIONS)}]")
# The bytes of Latin-1 among these, folded; what lies beyond Latin-1 is a question mark there.
_ODD_BYTES = (b"\xe6", b"\xdf", b"\xfe")
_HYPHENATION = re.compile(r"(?<=[^\W\d_])[-‐\u00ad][ \t]*\r?\n[ \t]*(?=[^\W\d_])")
_REJOINED = re.compile(f"(?:{_HYPHENATION.pattern})|(?:{_ODD.pattern})")
# What a letter, a blank or full stop, the end of a line, a hyphen and all else become.
_MARKS = {" ": " ", ".": " ", "\n": "\n", "\r": "\n", "-": "-"}
_KINDS = "".join(
    "a" if char.isalpha() or char == "?" else _MARKS.get(char, ",") for char in map(chr, range(256))
).encode("ascii")
# A hyphen that ends a line, and three letters that stand alone: cheaper to look for than what
# they announce, and by `re` more than by `in`.
_BREAK = re.compile(b"- ?\n")
_HINT = re.compile(b" a a a")
_SPACED = re.compile(r"(?<![^\W_])[^\W\d_](?:([ .\u00a0])[^\W\d_](?![^\W\d_])){2,}")
# How far before and after a broken word its name may reach.
_AROUND = 96
_BLANK = re.compile(r"[ \n]")
_LAST_BLANK = re.compile(r".*[ \n]", re.DOTALL)
_APART = "\0\0"
_BLOCK = 256
_CAPITALISED = re.compile(r"[A-ZÀ-ÖØ-Þ][a-zA-ZÀ-ſ0-9'’‐‑\-]{3,40}")
# `O'Brien` is a name; `L'` and most letters else before an apostrophe are articles.
_NAME_PREFIXES = frozenset(("o'", "n'", "m'", "d'"))
_PIECES = bytes.maketrans(b"-'", b"\n\n")
_JOIN = str.maketrans("", "", "-'")
_NO_DIGITS = bytes(code for code in range(256) if not 0x30 <= code <= 0x39)
_CONFUSED_LETTERS = b"oilsbzag|"
CONFUSED = bytes.maketrans(_CONFUSED_LETTERS, b"011582461")
"""Turns the letters that recognition takes for digits into those digits, in folded bytes."""
_NOT_CONFUSED = bytes(code for code in _NO_DIGITS if code not in _CONFUSED_LETTERS)
_ANY_DIGIT = re.compile(rb"[0-9]")
_ANY_CONFUSED = re.compile(b"[0-9%s]" % _CONFUSED_LETTERS)


class View:
    """A text made plain: `plain` keeps the case, `folded` does not; both have the same length.

    `data` is the folded text with one byte for each code point (`?` beyond Latin-1). A
    `whole` view holds the entire text, others only the places where words were rejoined; in a
    `loose` view words may be joined: the ends of words prove nothing there.
    """

    __slots__ = (
        "_breaks",
        "_capitals",
        "_confused",
        "_digits",
        "_marks",
        "_shifts",
        "_text",
        "data",
        "folded",
        "loose",
        "plain",
        "whole",
    )

    def __init__(
        self,
        plain: str,
        folded: str,
        origin: "_Origin | None" = None,
        *,
        whole: bool = True,
        loose: bool = False,
    ) -> None:
        self.plain = plain
        self.folded = folded
        self.data = folded.encode("latin-1", "replace")
        self.whole = whole
        self.loose = loose
        self._text = origin.text if origin else ""
        self._breaks = origin.breaks if origin else ()
        self._shifts = origin.shifts if origin else ()
        self._digits: bytes | None = None
        self._confused: bytes | None = None
        self._capitals: Capitals | None = None
        self._marks: dict[bool, list[int]] = {}

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return the stretch of the original text that a stretch of the view stands for."""
        if not self._breaks:
            return start, end
        last = self._original_offset(end - 1) + 1
        while last < len(self._text) and "\u0300" <= self._text[last] <= "\u036f":
            last += 1
        return self._original_offset(start), last

    @property
    def shifted(self) -> bool:
        """Whether offsets of the view are not those of the text."""
        return bool(self._breaks)

    @property
    def digits(self) -> bytes:
        """The digits of the text and nothing else."""
        if self._digits is None:
            self._digits = self.data.translate(None, _NO_DIGITS)
        return self._digits

    @property
    def confused(self) -> bytes:
        """The digits of the text and the letters recognition confuses with them, as digits."""
        if self._confused is None:
            self._confused = self.data.translate(CONFUSED, _NOT_CONFUSED)
        return self._confused

    def digit(self, rank: int, *, confused: bool = False) -> int:
        """Return the offset of a digit of `digits`, or of `confused`, by its rank there."""
        marks = self._marks.get(confused)
        if marks is None:
            others = _NOT_CONFUSED if confused else _NO_DIGITS
            marks = self._marks[confused] = _count_before_blocks(self.data, others)
        block = bisect_right(marks, rank) - 1
        digits = (_ANY_CONFUSED if confused else _ANY_DIGIT).finditer(self.data, block * _BLOCK)
        return next(islice(digits, rank - marks[block], None)).start()

    @property
    def capitals(self) -> "Capitals":
        """The words that begin with a capital."""
        if self._capitals is None:
            self._capitals = Capitals(self.plain)
        return self._capitals

    def _original_offset(self, at: int) -> int:
        found = bisect_right(self._breaks, at) - 1
        return at + self._shifts[found] if found >= 0 else at

    def __repr__(self) -> str:
        return f"View({len(self.plain)} code points)"


class Capitals:
    """The words of at least four letters that begin with a capital, folded.

    `words` has each between two line breaks, those with hyphens or apostrophes in pieces and once
    more without these, `data` the same in bytes; `compounds` maps the latter to what is written.
    `read` are the words as `misread` writes them, `ways` the different ones among these.
    """

    __slots__ = ("compounds", "data", "read", "ways", "words")

    def __init__(self, plain: str) -> None:
        written = fold("\n".join(_CAPITALISED.findall(plain)).replace("’", "'"))
        self.compounds = dict(_compounds(written))
        data = "\n".join(("", written, *self.compounds, "")).encode("latin-1", "replace")
        self.data = data.translate(_PIECES)
        self.words = self.data.decode("latin-1")
        self.read = misread(self.data)
        self.ways = frozenset(self.read.split(b"\n"))

    def read_as(self, read: bytes) -> set[str]:
        """Return the words that `misread` writes in one way."""
        pairs = zip(self.read.split(b"\n"), self.words.split("\n"), strict=True)
        return {word for other, word in pairs if other == read}

    def __repr__(self) -> str:
        return f"Capitals({self.words.count(chr(10)) - 1})"


def _compounds(written: str) -> Iterator[tuple[str, str]]:
    for mark in "-'":
        at = written.find(mark)
        while at >= 0:
            start = written.rfind("\n", 0, at) + 1
            end = written.find("\n", at)
            word = written[start : end if end >= 0 else len(written)]
            if mark == "-" or word[:2] in _NAME_PREFIXES:
                yield word.translate(_JOIN), word
            at = written.find(mark, start + len(word))


_MISREAD = bytes.maketrans(b"01i58|", b"ollsbl")


def misread(folded: bytes) -> bytes:
    """Write what recognition confuses in one way: `rn` as `m`, `cl` as `d`, `1` as `l`."""
    read = folded.translate(_MISREAD)
    return read.replace(b"rn", b"m").replace(b"cl", b"d").replace(b"vv", b"w")


class _Origin:
    """Where the pieces of a view stand in the text: from each break on, add the shift."""

    __slots__ = ("breaks", "shifts", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self.breaks: list[int] = []
        self.shifts: list[int] = []

    def add(self, at: int, stands: int) -> None:
        self.breaks.append(at)
        self.shifts.append(stands - at)


def _count_before_blocks(data: bytes, others: bytes) -> list[int]:
    """Count what stands before each block of bytes, `others` left out."""
    marks = [0]
    for at in range(0, len(data), _BLOCK):
        marks.append(marks[-1] + len(data[at : at + _BLOCK].translate(None, others)))
    return marks


def plain(value: str) -> str:
    """Drop what carries no letter and write ligatures as two letters."""
    if value.isascii():
        return value
    return _ODD.sub(lambda odd: _EXPANSIONS.get(odd.group(), ""), value)


@lru_cache(maxsize=1)
def views(text: str) -> tuple[View, ...]:
    """Return the text made plain and, where they differ, its places with words rejoined.

    The second view closes words that a hyphen breaks over two lines; the third closes letters
    set apart (`D U P O N T`). Each is there only where the text has such a thing, since it
    joins words that are separate in the first view. The last text's views stay in memory.
    """
    return tuple(_views(text))


def _views(text: str) -> Iterator[View]:
    folded = fold_once(text)
    first = View(text, folded)
    data = first.data
    yield (
        _rejoined_view(text, folded, _ODD, [(0, len(text))])
        if _has_odd_characters(text, data)
        else first
    )
    kinds = data.translate(_KINDS)
    if _BREAK.search(kinds):
        broken = _widen_to_words(text, [match.span() for match in _HYPHENATION.finditer(text)])
        if broken:
            yield _rejoined_view(text, folded, _REJOINED, broken, whole=False)
    if _HINT.search(kinds) and _SPACED.search(text):
        yield _close_spaced_letters(text)


def _has_odd_characters(text: str, data: bytes) -> bool:
    if text.isascii():
        return False
    if "\u00ad" in text or any(odd in data for odd in _ODD_BYTES):
        return True
    return data.count(b"?") > text.count("?") and _ODD.search(text) is not None


def _widen_to_words(text: str, places: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Widen places to whole words around them, and join those that then touch."""
    joined: list[tuple[int, int]] = []
    for start, end in places:
        before = _BLANK.search(text, start - _AROUND, start) if start > _AROUND else None
        after = _LAST_BLANK.match(text, end, end + _AROUND) if end + _AROUND < len(text) else None
        first = before.end() if before else max(0, start - _AROUND)
        last = after.end() if after else min(len(text), end + _AROUND)
        if joined and first <= joined[-1][1]:
            joined[-1] = (joined[-1][0], last)
        else:
            joined.append((first, last))
    return joined


def _rejoined_view(
    text: str,
    folded: str,
    odd: re.Pattern[str],
    places: list[tuple[int, int]],
    *,
    whole: bool = True,
) -> View:
    kept: list[str] = []
    low: list[str] = []
    origin = _Origin(text)
    length = 0
    for first, stop in places:
        origin.add(length, first)
        last = first
        for match in odd.finditer(text, first, stop):
            start, end = match.span()
            expansion = _EXPANSIONS.get(match.group(), "")
            kept += (text[last:start], expansion)
            low += (folded[last:start], expansion.lower())
            length += start - last
            for index in range(1, len(expansion)):
                origin.add(length + index, start)
            length += len(expansion)
            origin.add(length, end)
            last = end
        kept += (text[last:stop], _APART)
        low += (folded[last:stop], _APART)
        length += stop - last + len(_APART)
    made = "".join(kept)[: -len(_APART)]
    return View(made, "".join(low)[: -len(_APART)], origin, whole=whole)


def _close_spaced_letters(text: str) -> View:
    kept: list[str] = []
    origin = _Origin(text)
    length = 0
    for match in _SPACED.finditer(text):
        start, end = match.span()
        letters = [at for at in range(start, end) if text[at].isalpha()]
        kept.append("".join(text[at] for at in letters) + " ")
        for index, at in enumerate((*letters, end - 1)):
            origin.add(length + index, at)
        length += len(letters) + 1
    made = "".join(kept)
    return View(made, fold(made), origin, whole=False, loose=True)
