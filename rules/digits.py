"""Known numbers and codes in a text, whatever separates their digits."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise

from record.label import Label
from rules.variants import Known, Match

_SEPARATORS = " \n\r.,-/()|_:'"
_RUN = re.compile(rf"[0-9](?:[{re.escape(_SEPARATORS)}]{{0,3}}[0-9])+")
_DROP = dict.fromkeys(map(ord, _SEPARATORS))
_DIGITS = re.compile(r"[0-9]+")
# Country code and trunk zero before the national part of a telephone number.
_PREFIX = re.compile(
    r"(?:00)?(?:33|34|1|32|41|352|44|49|39|351|212|213|216|221|225|237|262|590|594|596)0?$|0$"
)
# A number this long is not met by chance inside another one.
_LONG = 8
_SHORTEST = 4


@dataclass(frozen=True, slots=True)
class _Needle:
    known: Known
    digits: str
    before: str = ""
    after: str = ""


class Numbers:
    """The numbers and codes of one person, ready to be looked for."""

    __slots__ = ("_needles",)

    def __init__(self, known: Iterable[Known]) -> None:
        self._needles = [needle for form in known if (needle := _needle(form))]

    def find(self, folded: str) -> Iterator[tuple[int, int, Known]]:
        """Yield where a number stands, as offsets of the folded text."""
        runs = "\0".join(_RUN.findall(folded)).translate(_DROP)
        wanted = [needle for needle in self._needles if needle.digits in runs]
        if not wanted:
            return
        for run in _RUN.finditer(folded):
            compact = run.group().translate(_DROP)
            for needle in wanted:
                if needle.digits in compact:
                    yield from _occurrences(folded, run.start(), compact, needle)


def _needle(known: Known) -> _Needle | None:
    if known.match is Match.DIGITS:
        return _Needle(known, known.form) if len(known.form) >= 2 else None
    if known.match is Match.DATE:
        return None
    core = max(_DIGITS.finditer(known.form), key=lambda run: len(run.group()), default=None)
    if known.match is not Match.CODE or core is None or len(core.group()) < 2:
        return None
    return _Needle(known, core.group(), known.form[: core.start()], known.form[core.end() :])


def _occurrences(
    folded: str, origin: int, compact: str, needle: _Needle
) -> Iterator[tuple[int, int, Known]]:
    # The positions of the run's digits in the text, in order.
    places: list[int] = []
    at = origin
    while len(places) < len(compact):
        if "0" <= folded[at] <= "9":
            places.append(at)
        at += 1
    found = compact.find(needle.digits)
    while found >= 0:
        last = found + len(needle.digits) - 1
        extent = _extent(folded, places, found, last, needle)
        if extent:
            yield extent[0], extent[1], needle.known
        found = compact.find(needle.digits, found + 1)


def _extent(
    folded: str, places: list[int], first: int, last: int, needle: _Needle
) -> tuple[int, int] | None:
    if needle.before or needle.after:
        return _code(folded, places[first], places[last] + 1, needle)
    start, end = places[first], places[last] + 1
    if needle.known.label == Label.PHONE:
        start = _with_prefix(folded, places, first)
    if last - first + 1 < _LONG and not _stands_alone(folded, places[first : last + 1], start):
        return None
    if last - first + 1 < _SHORTEST and not _NUMBERED.search(folded[max(0, start - 12) : start]):
        return None
    return start, end


_NUMBERED = re.compile(r"(?:\bn[o°º]?\.?|:|#|\b(?:id|ip|ipp|nip|nda|mrn|nhc|numero|number))\s*$")


def _with_prefix(folded: str, places: list[int], first: int) -> int:
    start = places[first]
    before = places[max(0, first - 6) : first]
    digits = "".join(folded[at] for at in before)
    for skipped in range(len(before)):
        begins = before[skipped]
        glued = begins > 0 and folded[begins - 1].isdigit()
        if not glued and _PREFIX.match(digits[skipped:]) and start - before[-1] <= 4:
            start = begins
            break
    while start > 0 and folded[start - 1] in "+(":
        start -= 1
    return start


def _stands_alone(folded: str, places: list[int], start: int) -> bool:
    end = places[-1] + 1
    before, after = folded[max(0, start - 2) : start], folded[end : end + 2]
    if before[-1:].isdigit() or after[:1].isdigit():
        return False
    # A part of a decimal number is no number of its own.
    if before[-1:] in (".", ",") and before[:1].isdigit():
        return False
    if after[:1] in (".", ",") and after[1:].isdigit():
        return False
    return _grouped(folded, places)


def _grouped(folded: str, places: list[int]) -> bool:
    gaps = [b - a - 1 for a, b in pairwise(places)]
    split = sum(gap > 0 for gap in gaps)
    separators = {folded[a + 1 : b] for a, b in pairwise(places)} - {""}
    if split == 0:
        return True
    regular = len(separators) == 1 and next(iter(separators)) in (" ", "-", ".")
    return regular and (split == len(gaps) or split <= 2)


def _code(folded: str, start: int, end: int, needle: _Needle) -> tuple[int, int] | None:
    for char in reversed(needle.before):
        start -= 1
        while start > 0 and folded[start] in _SEPARATORS:
            start -= 1
        if start < 0 or folded[start] != char:
            return None
    for char in needle.after:
        while end < len(folded) and folded[end] in _SEPARATORS:
            end += 1
        if end >= len(folded) or folded[end] != char:
            return None
        end += 1
    glued_before = start > 0 and folded[start].isalpha() and folded[start - 1].isalpha()
    glued_after = end < len(folded) and folded[end - 1].isalpha() and folded[end].isalpha()
    return None if glued_before or glued_after else (start, end)
