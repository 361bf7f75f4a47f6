"""The digits of known numbers and dates in a text, whatever damage put between them."""

import re
from collections.abc import Iterator

from rules.matching.normalization import CONFUSED, View

# A line break of HL7; other marks are taken out of the text before.
_MARK = re.compile(r"\\[.]?[a-z]{1,3}\\")
# What labels the parts of a date, or says that a number goes on.
_LABEL = re.compile(r"[^a-z]+([a-z]{1,6}(?: [a-z]{4})?)[^a-z]+")
_LABELS = frozenset(
    "mois annee month year mes ano monat jahr m a j y et puis then suite cont luego dann".split()
) | {"and then"}
# Letters that stand for a slash.
_STROKES = frozenset("li")
# The widest gap, so many signs within a line, and beside the ends of so many lines at most.
_WIDEST, _WIDEST_IN_LINE, _WIDEST_BESIDE, _MOST_LINES = 72, 8, 24, 4
# What stands before the extension of a telephone number.
_EXTENSION = re.compile(r"(?:x|ext|poste)[. ]?[0-9oil]")
_APART = "\0\0"  # what a view puts between two places of a text
_ZERO, _NINE = 0x30, 0x39


def is_gap(text: str) -> bool:
    """Return whether a text may stand between two digits of one number.

    Signs, blanks, ends of lines and pages with what indents or quotes the next line, entities,
    and words that label parts.
    """
    if not text or text in _STROKES:
        return True
    if _APART in text:
        return False
    signs = _MARK.sub("", text)
    label = _LABEL.fullmatch(signs)
    if label and label[1] in _LABELS:
        signs = signs.replace(label[1], "", 1)
    if any(map(str.isalnum, signs)):
        return False
    lines = signs.splitlines()
    widest = _WIDEST_BESIDE if len(lines) > 1 else _WIDEST_IN_LINE
    return len(lines) <= _MOST_LINES and all(len(line) <= widest for line in lines)


class DigitRuns:
    """The digits of a view; with `right`, those that are partly read as letters.

    So many digits must then be right.
    """

    __slots__ = ("_confused", "_data", "_right", "_view", "stream")

    def __init__(self, view: View, *, right: int = 0) -> None:
        self._view = view
        self._right = right
        self._confused = right > 0
        self.stream = view.confused if right else view.digits
        self._data = b""

    def find(self, digits: bytes) -> Iterator[list[int]]:
        """Yield the offsets of digits wherever nothing but gaps stands between them.

        Of those with letters for digits, none that is part of a word.
        """
        rank = self.stream.find(digits)
        if rank < 0:
            return
        if not self._confused and self._view.data.count(digits) == self.stream.count(digits):
            yield from self._find_in_one_piece(digits)
            return
        view, length = self._view, len(digits)
        if not self._data:
            self._data = view.data.translate(CONFUSED) if self._confused else view.data
        while rank >= 0:
            at = view.digit(rank, confused=self._confused)
            rank = self.stream.find(digits, rank + 1)
            if self._confused and view.data.startswith(digits, at):
                continue
            places = self._offsets(at, length)
            if places and (not self._confused or self._is_misread(places)):
                yield places

    def _find_in_one_piece(self, digits: bytes) -> Iterator[list[int]]:
        data, length = self._view.data, len(digits)
        at = data.find(digits)
        while at >= 0:
            yield list(range(at, at + length))
            at = data.find(digits, at + 1)

    def _offsets(self, at: int, count: int) -> list[int]:
        """Return the offsets of so many digits from one on; none where something else stands."""
        data, folded = self._data, self._view.folded
        places = [at]
        while len(places) < count:
            last = at
            at += 1
            while not _ZERO <= data[at] <= _NINE:
                at += 1
            if at - last > 1 and (at - last > _WIDEST or not is_gap(folded[last + 1 : at])):
                return []
            places.append(at)
        return places

    def _is_misread(self, places: list[int]) -> bool:
        data, folded = self._view.data, self._view.folded
        if not self._right <= sum(_ZERO <= data[at] <= _NINE for at in places) < len(places):
            return False
        first, last = places[0], places[-1]
        before = folded[first].isalpha() and first > 0 and folded[first - 1].isalpha()
        after = folded[last].isalpha() and folded[last + 1 : last + 2].isalpha()
        return not (before or (after and not _EXTENSION.match(folded, last + 1)))
