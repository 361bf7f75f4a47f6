"""Known names whose accents a wrong encoding has garbled: `Cßndido`, `Ad‡n`, `El+AOk-na`."""

import re
import unicodedata
from collections.abc import Iterable, Iterator

from record.folding import fold
from record.label import Label
from record.patient import PersonName
from rules.known.context import Hit
from rules.known.variants import Known, Match
from rules.matching.normalization import View

_WORD = re.compile(r"[^\W\d_]{3,}")
# Letters a name has where a plain letter may stand for an accented one, or none.
_LONG = 5
# A piece of a name that is shorter is looked at only where an odd sign stands beside it.
_TELLING = 3
_USUAL = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 .,:;-'()/\n")
# How far from its longest piece a name may reach.
_WIDEST = 48
_SIGN = r"(?:[^a-z0-9\s]|\xa0)"
# At its ends, what is no quotation mark or bracket around it.
_OUTER = r"[^\x00->@-\x7f«»“”‘’‹›–—]"
_ESCAPED = r"&\#?[a-z0-9]{2,7}[; ]?|\+[a-z0-9]{2,4}-|\\['x]?[0-9a-f]{2}\\?"


class GarbledNames:
    """The names of some persons that have letters beyond ASCII, ready to be looked for."""

    __slots__ = ("_names",)

    def __init__(self, people: Iterable[PersonName], source: str) -> None:
        self._names: list[tuple[bytes, bytes, Known, str]] = []
        for person in people:
            for label, values in (
                (Label.FIRST_NAME, person.given_names),
                (Label.LAST_NAME, person.family_names),
            ):
                for word in _WORD.findall(" ".join(values)):
                    if not word.isascii():
                        self._add(word, label, source)

    def _add(self, word: str, label: Label, source: str) -> None:
        written = unicodedata.normalize("NFC", word)
        pieces = re.split(r"[^a-z]+", written.lower())
        longest = max(pieces, key=len)
        if len(longest) > 1:
            known = Known(label, fold(written), Match.WORDS, source)
            exact = fold(written).encode("latin-1", "replace")
            self._names.append((longest.encode("ascii"), exact, known, written.lower()))

    def find(self, view: View) -> Iterator[Hit]:
        """Yield the names with anything in the places of their accented letters."""
        # Where ligatures were written as two letters, one of them may stand beside.
        data, telling = view.data, view.shifted
        for piece, exact, known, written in self._names:
            at, offset = data.find(piece), exact.find(piece)
            while at >= 0:
                beside = (
                    view.plain[max(0, at - 1) : at]
                    + view.plain[at + len(piece) : at + len(piece) + 1]
                )
                odd = telling or len(piece) >= _TELLING or not _USUAL.issuperset(beside)
                if odd and not data.startswith(exact, max(0, at - offset)):
                    near = max(0, at - _WIDEST), at + _WIDEST
                    match = _garbled(written).search(view.plain, *near)
                    if match and fold(match[0]) != known.form:
                        yield Hit(*match.span(), known)
                at = data.find(piece, at + 1)


def _garbled(written: str) -> re.Pattern[str]:
    """Return an expression of a name; `re` keeps what it compiled last."""
    letter = "|[a-z]{1,2}" if len(written) >= _LONG else ""
    parts = []
    for at, char in enumerate(written):
        base = re.escape(fold(char))
        if at in (0, len(written) - 1):
            signs = f"{base}|{_OUTER}{{1,8}}|{_ESCAPED}{letter}"
        else:
            lost = "|" if letter else ""
            signs = f"{_SIGN}{{0,2}}{base}{_SIGN}{{0,2}}|{_SIGN}{{1,8}}|{_ESCAPED}{letter}{lost}"
        parts.append(char if char.isascii() else f"(?:{signs})")
    return re.compile(rf"(?<![^\W_]){''.join(parts)}(?![^\W_])", re.IGNORECASE)
