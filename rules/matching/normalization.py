"""Normalized forms of a text, undoing typography, with offsets back to the original."""

import re
from bisect import bisect_right
from collections.abc import Iterator
from functools import lru_cache
from itertools import chain, islice

from ahocorasick_rs import BytesAhoCorasick

from record.folding import fold
from rules.matching.normalized_document import fold_once
from rules.matching.repaired_text import RepairedText, repair

# Letters that are written as two: the two stand for them on both sides of a comparison.
_EXPANSIONS = {
    "œ": "oe", "Œ": "OE", "æ": "ae", "Æ": "AE", "ß": "ss", "ẞ": "SS", "ĳ": "ij", "Ĳ": "IJ",
    "ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "st", "ﬆ": "st",
    "þ": "th", "Þ": "TH",
}  # fmt: skip

_ACCENTS = "\u0300-\u036f"
# Combining accents, soft hyphens, joiners and direction marks carry no letter.
_INVISIBLE = (
    f"\u00ad\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f"
    f"\u3164\ufe00-\ufe0f\ufeff\uffa0\U000e0000-\U000e01ef{_ACCENTS}"
)
_ODD = re.compile(f"[{_INVISIBLE}{''.join(_EXPANSIONS)}]")
# The bytes of Latin-1 among these, folded; what lies beyond Latin-1 is a question mark there.
_ODD_BYTES = (b"\xe6", b"\xdf", b"\xfe")
_HYPHENATION = re.compile(r"(?<=[^\W\d_])[-‐\u00ad][ \t]*\r?\n[ \t]*(?=[^\W\d_])")
_REJOINED = re.compile(f"(?:{_HYPHENATION.pattern})|(?:{_ODD.pattern})")
# What a letter, a blank or full stop, the end of a line, a hyphen, an apostrophe become, and else.
_MARKS = {" ": " ", ".": " ", "\n": "\n", "\r": "\n", "-": "-", "'": "'"}
_KINDS = "".join(
    "a" if char.isalpha() or char == "?" else _MARKS.get(char, ",") for char in map(chr, range(256))
).encode("ascii")
# A hyphen that ends a line, and three letters that stand alone: cheaper to look for than what
# they announce.
_BREAK = re.compile(b"- ?\n")
_ALONE = re.compile(rb" a {1,3}a {1,3}a ")
_APART_LETTERS = bytes(
    97 if chr(code).isalpha() else 49 if chr(code).isdigit() else 32 for code in range(256)
)
_SPACED = re.compile(
    r"(?<![^\W_])[^\W\d_](?:(?:[\W_]{1,3}[^\W_](?![^\W_])){4,}|(?:[\W_]{1,3}[^\W\d_](?![^\W_])){2,})"
)
_SPACE = re.compile(r"[\W_]+")
# How far before and after a broken word its name may reach.
_AROUND = 96
_BLANK = re.compile(r"[ \n]")
_LAST_BLANK = re.compile(r".*[ \n]", re.DOTALL)
_APART = "\0\0"
_BLOCK = 256
_RECENT = 32


def _stands_for_letter(char: str) -> bool:
    """Return whether a sign may be a letter that was lost, within a word."""
    return char in "?~*^_#" or "\xa1" <= char <= "\xbf" or char in "\xd7\xf7"


# Letters and digits, and what stands for letters; all else parts words.
_WORD_BYTES = bytes(
    code
    if chr(code).isalnum() or chr(code) in "@$"
    else 63
    if _stands_for_letter(chr(code))
    else 10
    for code in range(256)
)
_NO_LETTERS = bytes(code for code in range(256) if not chr(code).isalnum())
_FEWEST, _LONGEST_WORD = 5, 40
_FEWEST_DICTATED = 3
# What stands between the parts of a word.
_NO_PART_OF_WORDS = b"\n -'\r\t\x0c>|="
# Of the alphabet of radio: a name spelt with it has a vowel, and `echo` is a word of notes beside
# which another stands.
_TELLING_WORDS = BytesAhoCorasick(b"india oscar uniform alpha romeo tango sierra yankee".split())
# The last letter of Latin Extended-B: what shows Latin letters beyond it is a symbol.
_LAST_LATIN = 0x24F
# Letters, by kind, between which a line ends, and those that a mark joins.
_BROKEN = (b"a\na", b"a \na", b"a\n a", b"a\n\na")
_JOINED = (b"a-a", b"aa'a", b" a'a")
# Capitals, small letters, digits; where letters of another case, or digits, are glued to a word.
_CASES = bytes(
    65 if char.isupper() else 97 if char.islower() else 49 if "0" <= char <= "9" else 32
    for char in map(chr, range(256))
)
# The same, but for `l` among capitals and `I` among small letters, which take each other's place.
_SMALL_L = 108
_EXCHANGED = bytes(code if chr(code) in "lI" else case for code, case in enumerate(_CASES))
_GLUED = ((b"aAA", 1), (b"AAAaaa", 3), (b"aaa1", 3), (b"AAA1", 3))
# Letters between which a quoted mail, a table or a page breaks a line, and parts of file names.
_BROKEN_FAR = re.compile(rb"(?<=[a-z])(?:=?\n>{1,3} ?| ?\|\n\| ?|\n\x0c\n|\n[ \t]{2,12})(?=[a-z])")
_OF_FILES = re.compile(rb"(?<=_)[a-z?\xdf-\xff]{4,}(?=[_.\n ]|\Z)")
_FAR_SIGNS = (b"\n>", b"|\n|", b"\n\x0c", b"\n  ", b"\n\t")
_BLANK_BYTE, _LETTER_O = 32, 111
_NO_DIGITS = bytes(code for code in range(256) if not 0x30 <= code <= 0x39)
_CONFUSED_LETTERS = b"oilsbzag|"
CONFUSED = bytes.maketrans(_CONFUSED_LETTERS, b"011582461")
"""Turns the letters that recognition takes for digits into those digits, in folded bytes."""
_NOT_CONFUSED = bytes(code for code in _NO_DIGITS if code not in _CONFUSED_LETTERS)
_ANY_DIGIT = re.compile(rb"[0-9]")
_ANY_CONFUSED = re.compile(b"[0-9%s]" % _CONFUSED_LETTERS)


# Digits of Chinese: beside other characters of that script they are words or names.
_CHINESE = dict(zip(map(ord, "〇零一二三四五六七八九"), "00123456789", strict=True))
_CHINESE_NUMBER = re.compile(
    r"(?<![〇\u4e00-\u9fff])[〇零一二三四五六七八九]+(?![〇\u4e00-\u9fff])"
)


def _has_chinese_digits(folded: str, data: bytes) -> bool:
    """Return whether a text has one; `data` are its bytes, with `?` for what is beyond Latin-1."""
    at = data.find(b"?")
    while at >= 0:
        if ord(folded[at]) in _CHINESE:
            return True
        at = data.find(b"?", at + 1)
    return False


class View:
    """A text made plain: `plain` keeps the case, `folded` does not; both have the same length.

    `data` is the folded text with one byte for each code point (`?` beyond Latin-1). A
    `whole` view holds the entire text, others only the places where words were rejoined, and a
    `complete` one every character of its places, the entire text or what was repaired of it; in a
    `loose` view words may be joined: the ends of words prove nothing there.
    """

    __slots__ = (
        "_breaks",
        "_confused",
        "_digits",
        "_marks",
        "_repaired",
        "_shifts",
        "_stream",
        "_text",
        "complete",
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
        if b"?" in self.data and not folded.isascii() and _has_chinese_digits(folded, self.data):
            digits = _CHINESE_NUMBER.sub(lambda run: run[0].translate(_CHINESE), folded)
            self.folded, self.data = digits, digits.encode("latin-1", "replace")
        self.whole = self.complete = whole
        self.loose = loose
        self._text = origin.text if origin else ""
        self._breaks = origin.breaks if origin else ()
        self._shifts = origin.shifts if origin else ()
        self._repaired: RepairedText | None = None
        self._digits: bytes | None = None
        self._confused: bytes | None = None
        self._stream: WordStream | None = None
        self._marks: dict[bool, list[int]] = {}

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return the stretch of the original text that a stretch of the view stands for."""
        if self._breaks:
            last = self._original_offset(end - 1) + 1
            while last < len(self._text) and "\u0300" <= self._text[last] <= "\u036f":
                last += 1
            start, end = self._original_offset(start), last
        if self._repaired is None:
            return start, end
        return self._repaired.original(start, end)

    def within(self, repaired: RepairedText) -> "View":
        """Return the view as one of the text that was repaired."""
        self._repaired = repaired
        self.whole = False
        return self

    @property
    def shifted(self) -> bool:
        """Whether offsets of the view are not those of the text."""
        return bool(self._breaks) or self._repaired is not None

    def is_damaged(self, start: int, end: int) -> bool:
        """Return whether a stretch is not written in the letters that it shows."""
        if self.loose:
            return True
        if self._repaired is None:
            return any(ord(char) > _LAST_LATIN for char in self.plain[start:end])
        first, last = self.span(start, end)
        return self._repaired.source[first:last] != self.plain[start:end]

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
    def stream(self) -> "WordStream":
        """The words as bytes."""
        if self._stream is None:
            self._stream = WordStream(self)
        return self._stream

    def _original_offset(self, at: int) -> int:
        found = bisect_right(self._breaks, at) - 1
        return at + self._shifts[found] if found >= 0 else at

    def __repr__(self) -> str:
        return f"View({len(self.plain)} code points)"


class WordStream:
    """The words of a view as bytes: each between line breaks, one byte further than in the view.

    Behind them, from `size` on, stand words that a line break parts; `compounds` go on with those
    of hyphens and apostrophes in one.
    """

    __slots__ = ("_data", "_extents", "_kinds", "_letters", "_mixed", "_places", "_plain",
                 "_spelt", "compounds", "data", "size")  # fmt: skip

    def __init__(self, view: View) -> None:
        data = self._data = view.data
        self._plain = view.plain
        self._kinds = data.translate(_KINDS)
        self.data = b"\n%s\n\n" % _trim_marks(data.translate(_WORD_BYTES))
        self.size = len(self.data)
        self._letters: bytes | None = None
        self._spelt: bool | None = None
        self._mixed: list[tuple[int, int, bytes]] | None = None
        self._places: list[int] = []
        self._extents: list[tuple[int, int]] = []
        plain = view.plain
        extents = chain(self._broken(plain), self._glued(plain), self._broken_far())
        self.data += self._in_one(extents, self.size)
        self.compounds = b""

    def with_compounds(self) -> bytes:
        """Return the words, those of hyphens and apostrophes in one as well."""
        if not self.compounds:
            self.compounds = self.data + self._in_one(self._joined(), len(self.data))
        return self.compounds

    def _in_one(self, extents: Iterator[tuple[int, int]], size: int) -> bytes:
        pieces: list[bytes] = []
        for first, last in extents:
            if _FEWEST <= last - first <= _LONGEST_WORD:
                self._places.append(size)
                self._extents.append((first, last))
                pieces.append(
                    self._data[first:last].translate(_WORD_BYTES, _NO_PART_OF_WORDS) + b"\n"
                )
                size += len(pieces[-1])
        return b"".join(pieces)

    @property
    def mixed(self) -> list[tuple[int, int, bytes]]:
        """The words of letters and digits, or with `l` and `I` exchanged: extents and words."""
        if self._mixed is None:
            words, kinds = self.data, self._data.translate(_APART_LETTERS)
            found = {
                (words.rfind(b"\n", 0, at + 1), words.find(b"\n", at + 1) - 1)
                for pattern in (b"a1", b"1a")
                for at in _find_all(kinds, pattern)
            }
            cases = self._plain.encode("latin-1", "replace").translate(_EXCHANGED)
            for at in chain(_find_all(cases, b"AlA"), _find_all(cases, b"aI")):
                if cases[at + 2 : at + 3] != b"A" or cases[at + 1] == _SMALL_L:
                    found.add((words.rfind(b"\n", 0, at + 2), words.find(b"\n", at + 2) - 1))
            self._mixed = [(first, last, self._data[first:last]) for first, last in sorted(found)]
        return self._mixed

    def _broken(self, plain: str) -> Iterator[tuple[int, int]]:
        """Yield the extents of two words that may be one with a line break between its letters."""
        words = self.data
        for pattern in _BROKEN:
            for at in _find_all(self._kinds, pattern):
                after = at + len(pattern) - 1
                if plain[after].islower() or plain[at].isupper():
                    yield words.rfind(b"\n", 0, at + 1), words.find(b"\n", after + 1) - 1

    def _glued(self, plain: str) -> Iterator[tuple[int, int]]:
        """Yield the parts of glued words: `dossierMARTIN`, `MARTINsorti`, `Martin64ans`."""
        words, cases = self.data, plain.encode("latin-1", "replace").translate(_CASES)
        for pattern, size in _GLUED:
            for at in _find_all(cases, pattern):
                parts = at + size
                first = words.rfind(b"\n", 0, parts)
                yield first, parts
                if pattern[-1:] != b"1":
                    yield parts, words.find(b"\n", parts + 1) - 1

    def _broken_far(self) -> Iterator[tuple[int, int]]:
        """Yield the extents of two words between which a line of a quotation or table ends."""
        words, data = self.data, self._data
        if any(sign in data for sign in _FAR_SIGNS):
            for match in _BROKEN_FAR.finditer(data):
                first, last = words.rfind(b"\n", 0, match.start()), match.end()
                yield first, words.find(b"\n", last + 1) - 1
        if b"_" in data:
            yield from (match.span() for match in _OF_FILES.finditer(data))

    def _joined(self) -> Iterator[tuple[int, int]]:
        """Yield the extents of words with hyphens or apostrophes between letters.

        One letter before an apostrophe is rather an article, but for `O'Brien`.
        """
        words, data, kinds = self.data, self._data, self._kinds
        for pattern in _JOINED:
            until = 0
            for at in _find_all(kinds, pattern):
                mark = at + len(pattern) - 2
                if mark >= until and (pattern[0] != _BLANK_BYTE or data[at + 1] == _LETTER_O):
                    first, until = words.rfind(b"\n", 0, mark), mark
                    while kinds[until : until + 2] in (b"-a", b"'a"):
                        until = words.find(b"\n", until + 2) - 1
                    yield first, until

    @property
    def letters(self) -> bytes:
        """The letters and digits of the view and nothing else."""
        if self._letters is None:
            self._letters = self._data.translate(None, _NO_LETTERS)
        return self._letters

    @property
    def spelt(self) -> bool:
        """Whether a name may be spelt by the alphabet of radio."""
        if self._spelt is None:
            self._spelt = bool(_TELLING_WORDS.find_matches_as_indexes(self.letters))
        return self._spelt

    def dictated(self) -> list[int]:
        """Return which of `letters` are dictated, as in `L comme Louis`; few are none."""
        letters = self.letters
        if letters.count(b"comme") < _FEWEST_DICTATED and letters.count(b"como") < _FEWEST_DICTATED:
            return []
        return sorted(
            at - 1 for word in (b"comme", b"como") for at in _find_all(letters, word) if at
        )

    def place(self, start: int, end: int) -> tuple[int, int]:
        """Return the stretch of the view that a word of the stream stands for."""
        if start < self.size:
            return start - 1, end - 1
        return self._extents[bisect_right(self._places, start) - 1]

    def pieces(self, start: int) -> list[str]:
        """Return the words that a word of the stream from `size` on was put together from."""
        first, last = self._extents[bisect_right(self._places, start) - 1]
        return self._data[first:last].translate(_WORD_BYTES).decode("latin-1").split()

    def __repr__(self) -> str:
        return f"WordStream({len(self.data)} bytes)"


def _find_all(data: bytes, pattern: bytes) -> Iterator[int]:
    at = data.find(pattern)
    while at >= 0:
        yield at
        at = data.find(pattern, at + 1)


def _trim_marks(words: bytes) -> bytes:
    """Leave what cannot be read as a letter within words alone: `F?lix`, not `Lambert ?`."""
    if b"\n@" in words:
        words = words.replace(b"\n@", b"\n\n")
    if b"?" in words:
        words = words.replace(b"??", b"\n\n").replace(b"?\n", b"\n\n").replace(b"\n?", b"\n\n")
    return words


_MISREAD = bytes.maketrans(b"0123456789i|@$", b"olzeasbtbgllas")


def misread(folded: bytes) -> bytes:
    """Write what recognition confuses in one way: `m` as `rn`, `d` as `cl`, `1` as `l`."""
    read = folded.translate(_MISREAD).replace(b"m", b"rn").replace(b"n", b"rl")
    return read.replace(b"h", b"ll").replace(b"d", b"cl").replace(b"w", b"vv")


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


@lru_cache(maxsize=_RECENT)
def views(text: str) -> tuple[View, ...]:
    """Return the text made plain and, where they differ, its places with words rejoined.

    The second view closes words that a hyphen breaks over two lines; the third closes letters
    set apart (`D U P O N T`); further ones are the same of the places that were repaired. Each is
    there only where the text has such a thing, since it joins words that are separate in the first
    view. Those of the last texts stay in memory: titles of notes repeat.
    """
    found = tuple(_views(text, fold_once(text)))
    repaired = repair(
        text,
        found[0].data if not found[0].shifted else fold_once(text).encode("latin-1", "replace"),
    )
    if repaired is None:
        return found
    more = _views(repaired.text, fold(repaired.text))
    return (*found, *(view.within(repaired) for view in more))


def _views(text: str, folded: str) -> Iterator[View]:
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
    if spaced := list(_find_spaced_letters(text, data)):
        yield _close_spaced_letters(text, spaced)


def _find_spaced_letters(text: str, data: bytes) -> Iterator[re.Match[str]]:
    alone = b" %s " % data.translate(_APART_LETTERS)
    found = _ALONE.search(alone)
    while found:
        match = _SPACED.match(text, found.start())
        if match:
            yield match
        found = _ALONE.search(alone, match.end() if match else found.start() + 1)


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


def _close_spaced_letters(text: str, spaced: list[re.Match[str]]) -> View:
    """Close letters set apart; what stands but once between them parts words."""
    kept: list[str] = []
    origin = _Origin(text)
    length = 0
    for match in spaced:
        gaps = list(_SPACE.finditer(text, *match.span()))
        signs = ["", *(gap[0] for gap in gaps), ""]
        at = match.start()
        for index, gap in enumerate(gaps, 1):
            parted = signs[index] not in (signs[index - 1], signs[index + 1])
            origin.add(length, at)
            kept.append(text[at] + " " * parted)
            length += 1 + parted
            at = gap.end()
        origin.add(length, at)
        kept.append(text[at] + _APART)
        length += 1 + len(_APART)
    made = "".join(kept)
    return View(made, fold(made), origin, whole=False, loose=True)
