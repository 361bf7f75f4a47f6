"""Known numbers and codes in a text, whatever separates their digits."""

import re
from collections.abc import Iterable, Iterator
from itertools import islice, pairwise
from typing import NamedTuple

from record.label import Label
from rules.known.digit_gaps import DigitRuns, is_gap
from rules.known.spoken_numbers import find_spoken, spell_digits, spoken_languages
from rules.known.variants import COUNTRY_CODES, Known, Match
from rules.matching.normalization import View

_DIGITS = re.compile(r"[0-9]+")
# A number this long is not met by chance inside another one.
_LONG = 8
_SHORTEST = 4
# This one is the person's, whatever letters stand beside it.
_UNIQUE = 10
# From this length on a misread number is still the number.
_READABLE = 7
_FEWEST_DIGITS = 4
_MOST_MISREAD = 50
# How far the letters of a code and the prefix of a telephone number may stand off.
_WIDEST_IN_CODE = 48
_LONGEST_PREFIX = 6
# From this length on the signs between the groups of a number may be any, if they are the same.
_GROUPED = 6
_ACCOUNT = re.compile(r"[a-z]{2}[0-9]{2}([0-9]{10,30})")


class _Needle(NamedTuple):
    known: Known
    digits: str
    data: bytes
    before: str
    after: str
    spoken: tuple[bytes, ...] = ()


class _Found(NamedTuple):
    """A needle in a text: `text` has digits where it was misread, `places` are their offsets."""

    text: str
    places: list[int]
    needle: _Needle


class Numbers:
    """The numbers and codes of one person, ready to be looked for."""

    __slots__ = ("_needles",)

    def __init__(self, known: Iterable[Known]) -> None:
        self._needles = [needle for form in known for needle in _needles(form)]

    def find(self, view: View) -> Iterator[tuple[int, int, Known]]:
        """Yield where a number stands, as offsets of the view.

        Of a number of eight digits and more, any signs, blanks and ends of lines may stand
        between the digits, or none.
        """
        digits, confused, letters = view.digits, view.confused, view.stream.letters
        languages = spoken_languages(letters)
        exact, misread = DigitRuns(view), DigitRuns(view, right=_FEWEST_DIGITS)
        for needle in self._needles:
            if needle.data in digits:
                for places in exact.find(needle.data):
                    yield from _whole_number(view, _Found(view.folded, places, needle))
            for rank in languages if needle.spoken else ():
                for place in find_spoken(view, needle.spoken[rank]):
                    yield (*place, needle.known)
            if len(needle.data) >= _READABLE and needle.data in confused:
                for places in islice(misread.find(needle.data), _MOST_MISREAD):
                    text = _correct_misread(view.folded, places, needle)
                    yield from _whole_number(view, _Found(text, places, needle))


def _needles(known: Known) -> Iterator[_Needle]:
    needle = _needle(known)
    if needle:
        yield needle
        account = _ACCOUNT.fullmatch(known.form)
        if account:  # without its country
            yield _Needle(known, account[1], account[1].encode("ascii"), "", "")
        if needle.digits[0] == "0" and len(needle.digits) > _LONG:
            # As a spreadsheet shows it, which drops the zeros.
            for short in {needle.digits[1:], needle.digits.lstrip("0")}:
                if len(short) >= _READABLE:
                    yield needle._replace(digits=short, data=short.encode("ascii"), spoken=())


def _needle(known: Known) -> _Needle | None:
    if known.match is Match.DIGITS:
        digits, before, after = known.form, "", ""
    elif known.match is Match.CODE:
        core = max(_DIGITS.finditer(known.form), key=lambda run: len(run.group()))
        digits, before, after = core.group(), known.form[: core.start()], known.form[core.end() :]
    else:
        return None
    if len(digits) < 2:
        return None
    spoken = spell_digits(digits) if len(digits) >= _LONG else ()
    return _Needle(known, digits, digits.encode("ascii"), before, after, spoken)


def _correct_misread(folded: str, places: list[int], needle: _Needle) -> str:
    """Write a number as it is known, and a trunk zero before it that was misread."""
    chars = list(folded)
    for at, digit in zip(places, needle.digits, strict=True):
        chars[at] = digit
    zero = places[0] - 1
    if zero >= 0 and chars[zero] == "o" and not (zero and chars[zero - 1].isalpha()):
        chars[zero] = "0"
    return "".join(chars)


def _whole_number(view: View, found: _Found) -> Iterator[tuple[int, int, Known]]:
    text, places, needle = found
    start, end, count = places[0], places[-1] + 1, len(places)
    if needle.before or needle.after:
        extent = _match_code(view.folded, start, end, needle)
        if extent is None and count >= _UNIQUE:
            extent = start, end  # its letters are damaged, or others stand there
        if extent:
            yield *extent, needle.known
        return
    if needle.known.label == Label.PHONE:
        start = _prefix_start(text, start)
    while count >= _LONG and start and text[start - 1] == "0":
        start -= 1  # a field that is padded
    if count < _LONG and not _stands_alone(text, places, start):
        return
    if count < _SHORTEST and not _has_number_word(text[max(0, start - 12) : start]):
        return
    yield start, end, needle.known


# What stands before a number so short that it is one only there.
_NUMBER_SIGNS = frozenset(("n°", "nº", "no", "no.", "n.", "n"))
_NUMBER_WORDS = frozenset("id ip ipp nip nda mrn nhc numero number nr".split())


def _has_number_word(before: str) -> bool:
    word = before.rstrip()
    if word.endswith((":", "#")):
        return True
    last = word.rpartition(" ")[2]
    return last in _NUMBER_SIGNS or last in _NUMBER_WORDS


def _prefix_start(text: str, first: int) -> int:
    before = _digits_before(text, first)
    digits = "".join(text[at] for at in before)
    start = first
    for skipped, begins in enumerate(before):
        glued = begins > 0 and "0" <= text[begins - 1] <= "9"
        if not glued and _is_dialling_prefix(digits[skipped:]):
            start = begins
            break
    while start > 0 and text[start - 1] in "+(":
        start -= 1
    return start


def _is_dialling_prefix(digits: str) -> bool:
    """Return whether digits are a country code, a trunk zero, or both."""
    code = digits.removeprefix("00")
    return digits == "0" or code in COUNTRY_CODES or code.removesuffix("0") in COUNTRY_CODES


def _digits_before(text: str, first: int) -> list[int]:
    places: list[int] = []
    at, near = first - 1, first
    while at >= 0 and len(places) < _LONGEST_PREFIX and near - at < _WIDEST_IN_CODE:
        if "0" <= text[at] <= "9":
            if not is_gap(text[at + 1 : near]):
                break
            places.append(at)
            near = at
        at -= 1
    return places[::-1]


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
    return _is_regularly_grouped(folded, places)


def _is_regularly_grouped(folded: str, places: list[int]) -> bool:
    gaps = [b - a - 1 for a, b in pairwise(places)]
    split = sum(gap > 0 for gap in gaps)
    if split == 0:
        return True
    separators = {folded[a + 1 : b] for a, b in pairwise(places)} - {""}
    sign = next(iter(separators))
    usual = sign in (" ", "-", ".") or (len(places) >= _GROUPED and sign != ",")
    return len(separators) == 1 and usual and (split == len(gaps) or split <= 2)


def _match_code(folded: str, start: int, end: int, needle: _Needle) -> tuple[int, int] | None:
    for char in reversed(needle.before):
        at = folded.rfind(char, max(0, start - _WIDEST_IN_CODE), start)
        if at < 0 or not is_gap(folded[at + 1 : start]):
            return None
        start = at
    for char in needle.after:
        at = folded.find(char, end, end + _WIDEST_IN_CODE)
        if at < 0 or not is_gap(folded[end:at]):
            return None
        end = at + 1
    if len(needle.data) >= _LONG:
        return start, end
    glued_before = start > 0 and folded[start].isalpha() and folded[start - 1].isalpha()
    glued_after = end < len(folded) and folded[end - 1].isalpha() and folded[end].isalpha()
    return None if glued_before or glued_after else (start, end)
