"""Readings of a text in which typography no longer hides a word, with offsets back to the text."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from record.folding import fold

# Letters that are written as two: the two stand for them on both sides of a comparison.
_EXPANSIONS = {
    "œ": "oe", "Œ": "OE", "æ": "ae", "Æ": "AE", "ß": "ss", "ẞ": "SS", "ĳ": "ij", "Ĳ": "IJ",
    "ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "st", "ﬆ": "st",
    "þ": "th", "Þ": "TH",
}  # fmt: skip

# Combining accents, soft hyphens, joiners and direction marks carry no letter.
_INVISIBLE = "\u00ad\u200b-\u200f\u202a-\u202e\u2060\ufeff\u0300-\u036f"
_ODD = re.compile(f"[{_INVISIBLE}{''.join(_EXPANSIONS)}]")
_HYPHENATION = re.compile(r"(?<=[^\W\d_])[-‐\u00ad][ \t]*\r?\n[ \t]*(?=[^\W\d_])")
_BREAKS = ("-\n", "- \n", "-\r", "- \r", "-\t", "‐", "\u00ad")
# Two letters that stand alone: cheaper to look for than what it announces.
_HINT = re.compile(r"[ .\u00a0][^\W\d_][ .\u00a0][^\W\d_](?!\w)")
_SPACED = re.compile(r"(?<![^\W_])[^\W\d_](?:([ .\u00a0])[^\W\d_](?![^\W\d_])){2,}")


@dataclass(frozen=True, slots=True)
class View:
    """A text made plain: `plain` keeps the case, `folded` does not; both have the same length.

    `span` turns offsets of the view (code points, half open) into offsets of the text it was
    made from. In a `loose` view words may be glued: the ends of words prove nothing there.
    """

    plain: str = field(repr=False)
    folded: str = field(repr=False)
    offsets: tuple[int, ...] | None = field(default=None, repr=False)
    loose: bool = False

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Give the stretch of the original text that a stretch of the view stands for."""
        if self.offsets is None:
            return start, end
        return self.offsets[start], self.offsets[end - 1] + 1


def plain(value: str) -> str:
    """Drop what carries no letter and write ligatures as two letters."""
    if value.isascii():
        return value
    return _ODD.sub(lambda odd: _EXPANSIONS.get(odd.group(), ""), value)


def views(text: str) -> Iterator[View]:
    """Yield the text made plain and, where they differ, the same text with words rejoined.

    The second view closes words that a hyphen breaks over two lines; the third closes letters
    set apart (`D U P O N T`). Each is yielded only where the text has such a thing, since it
    glues words that the first view tells apart.
    """
    yield _view(text, _ODD) if not text.isascii() else View(text, fold(text))
    if any(mark in text for mark in _BREAKS) and _HYPHENATION.search(text):
        yield _view(text, _REJOINED)
    if _HINT.search(text) and _SPACED.search(text):
        yield _closed(text)


_REJOINED = re.compile(f"{_HYPHENATION.pattern}|{_ODD.pattern}")


def _view(text: str, odd: re.Pattern[str]) -> View:
    pieces: list[str] = []
    offsets: list[int] = []
    last = 0
    for match in odd.finditer(text):
        start, end = match.span()
        pieces.append(text[last:start])
        offsets.extend(range(last, start))
        expansion = _EXPANSIONS.get(match.group(), "")
        pieces.append(expansion)
        offsets.extend([start] * len(expansion))
        last = end
    if last == 0:
        return View(text, fold(text))
    pieces.append(text[last:])
    offsets.extend(range(last, len(text)))
    made = "".join(pieces)
    return View(made, fold(made), tuple(offsets))


def _closed(text: str) -> View:
    pieces: list[str] = []
    offsets: list[int] = []
    for match in _SPACED.finditer(text):
        start, end = match.span()
        letters = [at for at in range(start, end) if text[at].isalpha()]
        pieces.append("".join(text[at] for at in letters) + " ")
        offsets.extend([*letters, end - 1])
    made = "".join(pieces)
    return View(made, fold(made), tuple(offsets), loose=True)
