"""Regular expressions found at the speed of an automaton and read with lookaround and groups."""

import re
from collections.abc import Callable, Iterator
from typing import TypeVar

import re2

_T = TypeVar("_T")


class Pattern:
    """A regular expression over folded text: RE2 finds where it may start, `re` decides.

    RE2 runs a looser form without lookaround, so it never passes over a
    place where the expression matches; time stays linear in the text for expressions of bounded
    length. Matches come from left to right and do not overlap, as with `re.finditer`.
    """

    def __init__(self, pattern: str) -> None:
        self._exact = re.compile(pattern)
        options = re2.Options()
        options.never_capture = True
        self._loose = re2.compile(loosen(pattern).encode("ascii"), options)

    def match(self, text: str, at: int) -> re.Match[str] | None:
        """Match at an offset of a text and nowhere else."""
        return self._exact.match(text, at)

    def finditer(self, text: str) -> Iterator[re.Match[str]]:
        """Yield the matches in a text."""
        data = _bytes(text)
        match = self._next(text, data, 0)
        while match:
            yield match
            match = self._next(text, data, max(match.end(), match.start() + 1))

    def convert(self, text: str, read: Callable[[str, re.Match[str]], _T | None]) -> Iterator[_T]:
        """Yield what `read` makes of matches; of one it refuses, only the first group is passed."""
        data = _bytes(text)
        match = self._next(text, data, 0)
        while match:
            found = read(text, match)
            if found is not None:
                yield found
            match = self._next(text, data, match.end(1) if found is None else match.end())

    def _next(self, text: str, data: bytes, at: int) -> re.Match[str] | None:
        while (hit := self._loose.search(data, at)) is not None:
            match = self._exact.match(text, hit.start())
            if match:
                return match
            at = hit.start() + 1
        return None


def _bytes(text: str) -> bytes:
    """Write a text with one byte for each code point, so that offsets hold in both."""
    return text.encode("ascii", "replace")


# What stands for a code point beyond ASCII in the bytes that RE2 sees.
_UNKNOWN = r"\x3f"
_LOOKAROUND = ("(?=", "(?!", "(?<=", "(?<!")


def loosen(pattern: str) -> str:
    """Drop from an expression what RE2 cannot do, so that it matches at least where it did.

    Lookaround and anchors go; a reference to a group becomes any character. A word boundary must
    stand beside a letter or digit of ASCII, as it may lie elsewhere beside other letters.
    """
    out: list[str] = []
    at = 0
    while at < len(pattern):
        if pattern.startswith(_LOOKAROUND, at):
            at = _closing(pattern, at) + 1
            continue
        piece = (
            _class(pattern, at) if pattern[at] == "[" else pattern[at : at + _width(pattern, at)]
        )
        out.append(_loose_class(piece) if piece[0] == "[" else _loose_piece(piece))
        at += len(piece)
    return "".join(out)


def _width(pattern: str, at: int) -> int:
    return 2 if pattern[at] == "\\" else 1


def _class(pattern: str, at: int) -> str:
    """Cut out a bracketed set of characters."""
    end = at + 1
    if pattern[end] == "^":
        end += 1
    if pattern[end] == "]":
        end += 1
    while pattern[end] != "]":
        end += _width(pattern, end)
    return pattern[at : end + 1]


def _closing(pattern: str, at: int) -> int:
    """Find the parenthesis that closes the one at an offset."""
    depth = 0
    while True:
        if pattern[at] == "[":
            at += len(_class(pattern, at))
            continue
        depth += {"(": 1, ")": -1}.get(pattern[at], 0)
        if not depth:
            return at
        at += _width(pattern, at)


def _loose_class(piece: str) -> str:
    negated = piece[1] == "^"
    ascii_only = "".join(char if char.isascii() else "" for char in piece)
    if negated:
        return ascii_only
    unknown = ascii_only != piece or r"\w" in piece
    return ascii_only[:-1] + (_UNKNOWN if unknown else "") + "]"


def _loose_piece(piece: str) -> str:
    if piece in (r"\B", r"\A", r"\Z", "^", "$"):
        return ""
    if piece == r"\w":
        return rf"[\w{_UNKNOWN}]"
    if piece[0] == "\\" and piece[1:].isdigit():
        return "."
    return piece if piece.isascii() else _UNKNOWN
