"""Telephone numbers that their own shape makes known, whatever stands before them."""

import re
from collections.abc import Iterator
from itertools import pairwise

from rules.contacts.phone_context import (
    extension,
    follows_other_number_word,
    follows_phone_word,
    follows_relative,
    is_date,
    is_measure,
)
from rules.matching.scanner import Pattern

# Between groups of digits: one separator with blanks around it or not, or the end of a line.
_GAP = r"(?: {0,2}[.\-/·_]? {0,2}|[ .\-]?\r?\n)"
# A digit as a scanner may have read it.
_DIGIT = "[0-9oil]"

# France and whoever else has ten digits: five pairs, however they are parted.
_PAIRS = Pattern(rf"(\(?[0o](?:\) ?)?[1-9il])(?:{_GAP}{_DIGIT}{{2}}){{4}}(?![0-9])")
_FRENCH = Pattern(
    r"(0)(?: [1-9](?:[0-9]{2}(?: [0-9]{3}){2}|(?: [0-9]){8})"
    r"|(?:1|44) [0-9]{2,3} [0-9]{3,4} [0-9]{4})(?![0-9])"
)
# After the code of an area that begins with the trunk zero: what a subscriber's number looks like.
_SUBSCRIBER = (
    r"(?:[0-9]{2}(?:[ .][0-9]{2}){2,3}|[0-9]{2} [0-9]{2} [0-9]{3}|[0-9]{3}[ .][0-9]{2}[ .][0-9]{2}"
    r"|[0-9]{3}[ \-][0-9]{4}|(?<![0-9]{4} )[0-9]{4}[ \-][0-9]{4}|[0-9]{3} [0-9]{3} [0-9]{2}"
    r"|[0-9]{3} [0-9]{2,3}|[0-9]{6,8}"
    r"|(?<!-)[0-9]{2,5}-[0-9]{1,5})(?![0-9])"
)
_AFTER_AREA = r"(?:\) ?[\-/]? ?| ?[/\-] ?|[ .])"
_AREA = Pattern(rf"(\(?0[1-9][0-9]{{1,4}}{_AFTER_AREA}){_SUBSCRIBER}")
_SHORT_AREA = Pattern(
    rf"(\(?0[1-9]{_AFTER_AREA})"
    r"(?:[0-9]{3}[ .][0-9]{2}[ .][0-9]{2}|[0-9]{3} (?:[0-9]{2} [0-9]{3}|[0-9]{3} [0-9]{2})"
    r"|[0-9]{3}[ \-]?[0-9]{4}|[0-9]{4}[ .\-]?[0-9]{4}"
    r"|[0-9]{5}[ \-][0-9]{2,5}|[0-9]{3} [0-9]{2}-[0-9])(?![0-9])"
)
# Eleven digits in one piece are written in these languages only.
_ELEVEN = Pattern(r"(?<![0-9])(0[1-9])[0-9]{9}(?![0-9])")
_LONG_NUMBERS = ("en", "de", "")
# A prefix of a country, with the zero of the national number in or out of parentheses.
_SEP = r" {0,2}[.\-/·_]? {0,2}"
_REST = rf"(?: ?\([0-9]{{1,5}}\))?{_SEP}[0-9](?:{_GAP}[0-9o]){{5,12}}(?![0-9a-z])"
_ABROAD = Pattern(
    rf"(?:\(?\+ ?[1-9][0-9]{{0,2}}\)?|\(?00 ?[1-9][0-9]{{0,2}}\)?(?=[ .\-/(0-9])){_REST}"
)
_BRACKETED = Pattern(
    rf"(\()(?:(?:33|34)\){_SEP}[0-9](?:[ .\-/]{{0,3}}[0-9]){{8,9}}(?![0-9])"
    rf"|[89][0-9]{{2}}\) ?[0-9]{{2}}(?:[ .][0-9]{{2}}){{2}}(?![0-9])"
    r"|[1-9][0-9]{0,2}\) ?-? ?"
    r"(?:[0-9]{3}[ .][0-9]{2}[ .][0-9]{2}|[0-9]{3,4}[ \-][0-9]{4}|[0-9]{7,8})(?![0-9]))"
)
_SPANISH = Pattern(
    r"[6-9][0-9]{2}(?:[ .\-\n][0-9]{3}){2}(?![0-9])|[6-9][0-9]{2}(?:[ .\-][0-9]{2}){3}(?![0-9])"
    r"|[6-9][0-9][ .\-/][0-9]{3}(?:[ .\-][0-9]{2}){2}(?![0-9])"
    r"|[6-9][0-9]{2}[ .\-/][0-9]{6}(?![0-9])|[89][0-9][ .\-][0-9]{7}(?![0-9])"
    r"|[6-9][0-9] [0-9]{3} [0-9]{4}(?![0-9])"
)
_AMERICAN = Pattern(
    r"((?:1[ .\-]{1,2})?)(?:\([2-9][0-9]{2}\)(?:[ .\-]{0,3}|\n)"
    r"|[2-9][0-9]{2}(?:[ .\-/]{1,2}| - |-?\n))"
    r"(?:(?<=3[0-9]{2} )[1-9]|[2-9])[0-9]{2}(?:[ .\-]{1,2}| - )[0-9]{3}[0-9o](?![0-9])"
)

# A postcode, a date or another whole number may stand before a number written with blanks.
_WHOLE_BEFORE = re.compile(
    r"(?:(?<![0-9 .\-])[0-9]{5}|[/.\-][0-9]{4}"
    r"|(?<![0-9])0[1-9](?:[ .\-]?[0-9]{2}){4}|(?<![0-9])[0-9]{3}[ .\-][0-9]{4})[ /]\Z"
)
_MORE_GROUPS = re.compile(r" (?:[0-9](?![0-9a-z])|[0-9]{2}(?![0-9a-z])(?! ?[a-z/:]))")
_ANOTHER_BEHIND = re.compile(
    r"[/\-,](?:(?<!,)[0-9]{2}(?![0-9])|0[1-9][0-9]{8}"
    r"|[0-9]{3}[ .\-][0-9]{3}[ .\-][0-9]{4})"
)
_GROUP = re.compile(r"[0-9]+")
_LAST_GROUP = re.compile(r" ([0-9]+)\Z")
_PARTED = re.compile(r"[0-9()]([^0-9()\n]+)(?=[0-9])")
# Nine or ten digits in one piece.
_PIECE = Pattern(r"(?<![.,/\-])\b[2-9][0-9]{8,9}\b(?![.,/\-][0-9])")
# The power of a lens and what is read through it: `+2.00   6/9   6/6`.
_LENS = re.compile(r"\+ ?[0-9]{1,2}[.,][0-9]{2} {2,}[0-9]{1,2}/")
# Digits of the national number after the code of a country.
_LONGEST = {
    "1": 10,
    "31": 9,
    "32": 9,
    "33": 9,
    "34": 9,
    "41": 9,
    "44": 10,
    "351": 9,
}


def find_formats(folded: str, lang: str) -> Iterator[tuple[int, int]]:
    """Yield stretches that look like a whole telephone number; they may overlap.

    Formats that are measures in other languages need their own language, or none known.
    """
    for match in _ABROAD.finditer(folded):
        start, end = match.span()
        end = _national_end(folded, start, end)
        if _is_part_of_longer_number(folded, start, end) or _is_identifier(match[0]):
            continue
        if _LENS.match(match[0]):
            continue
        if "+" in match[0][:2] or not follows_other_number_word(folded, start):
            yield start, end
    for pattern in (_AMERICAN, _BRACKETED, _PAIRS, _AREA, _SHORT_AREA, _FRENCH):
        yield from _plausible_matches(pattern, folded)
    if lang in _LONG_NUMBERS:
        yield from _plausible_matches(_ELEVEN, folded)
    for match in _SPANISH.finditer(folded):
        if _is_plausible(folded, match) and _is_spanish_phone(folded, lang, match):
            yield match.span()
    for match in _PIECE.finditer(folded):
        start, end = match.span()
        named = follows_relative(folded, start) or extension(folded, end) > end
        enclosed = lang == "es" and folded[start - 1 : start] + folded[end : end + 1] == "()"
        if (named or enclosed) and not follows_other_number_word(folded, start):
            yield start, end


def _plausible_matches(pattern: Pattern, folded: str) -> Iterator[tuple[int, int]]:
    for start, end in pattern.convert(folded, _plausible_span):
        if start < end:
            yield start, end


def _plausible_span(folded: str, match: re.Match[str]) -> tuple[int, int] | None:
    """Return a number's stretch, an empty one for what is none, or nothing to look within it.

    A number may begin within what is none where a date or a count runs into it.
    """
    if _is_plausible(folded, match):
        return match.span()
    return None if _MIXED.match(match[0]) else (match.end(), match.end())


_MIXED = re.compile(r"[^ ]*[./\-][^ ]* ")


def _national_end(folded: str, start: int, end: int) -> int:
    """End a number where its country's numbers end, if what follows stands apart."""
    code = ""
    left = 0
    for at in range(start, end):
        if not folded[at].isdigit() and folded[at] != "o":
            continue
        if left == 0:
            code = (code + folded[at]).lstrip("0")
            left = _LONGEST.get(code, 0)
            continue
        if left == _LONGEST[code] and folded[at] == "0":
            continue
        left -= 1
        if left == 0:
            return end if folded[at + 1 : at + 2].isalnum() else at + 1
    return end


def _is_identifier(written: str) -> bool:
    """Return whether a number that begins with two zeros is too short, or like no neighbour's."""
    digits = "".join(_GROUP.findall(written))
    if written[0] == "+" or written[1] == "+":
        return False
    if not written.isdigit():
        return len(digits) < 10
    return not any(
        digits.startswith(code, 2) and len(digits) - 2 - len(code) in (size, size + 1)
        for code, size in (*_LONGEST.items(), ("49", 10), ("43", 10))
    )


def _is_plausible(folded: str, match: re.Match[str]) -> bool:
    start, end = match.span()
    written = match[0]
    if not written.isdigit() and not _is_evenly_written(written):
        return False
    if _is_part_of_longer_number(folded, start, end) or is_date(folded, start):
        return False
    if follows_phone_word(folded, start):
        return True
    if _FOUR_FOUR.match(written) or _is_page_range(written):
        return False
    if is_measure(folded, end) or (
        not _FRENCH_PAIRS.fullmatch(written) and follows_other_number_word(folded, start)
    ):
        return False
    return not _is_number_series(written)


# What bank accounts, packages of drugs and pages of journals look like.
_FOUR_FOUR = re.compile(r"\(?[0-9]{4}[ .\-][0-9]{4}[ .\-][0-9]{2}\Z")
_PAGES = re.compile(r"\([0-9]{1,3}\) ?([0-9]{3,4})-([0-9]{3,4})\Z")


def _is_page_range(written: str) -> bool:
    pages = _PAGES.match(written)
    return pages is not None and 0 < int(pages[2]) - int(pages[1]) < 100


_FRENCH_PAIRS = re.compile(r"0[1-9](?:([ .\-])[0-9]{2})(?:\1[0-9]{2}){3}")
_TRIPLES = re.compile(r"[0-9]{3}(?: [0-9]{3}){2}|[0-9]{3}(?:-[0-9]{3}){2}")
_WORD_BEFORE = re.compile(r"([a-z]+)[ :]{1,3}\Z")
# What is measured in hundreds, and words that stand before a number that is none of these.
_MEASURED = re.compile(r"plaquet|plt|trombo|leuco|ferritin|gluco|dosis|ldh|cpk|trigl")
_LINKS = frozenset(("au", "le", "at", "on", "op", "unter", "is", "est", "ou", "or", "et", "and"))


def _is_spanish_phone(folded: str, lang: str, match: re.Match[str]) -> bool:
    """Return whether three groups of three digits may be a telephone number and no measures."""
    start = match.start()
    if not _TRIPLES.fullmatch(match[0]):
        return True
    if follows_phone_word(folded, start) or follows_relative(folded, start):
        return True
    word = _WORD_BEFORE.search(folded, max(0, start - 30), start)
    if lang in ("es", ""):
        return word is None or not _MEASURED.match(word[1])
    return word is not None and word[1] in _LINKS


_LETTER = re.compile("[a-z]")


def _is_evenly_written(written: str) -> bool:
    """Return whether a number has few letters for digits and at most one end of line in it."""
    if len(_LETTER.findall(written)) > 2:
        return False
    if "\n" not in written:
        return True
    return written.count("\n") == 1 and len(set(_PARTED.findall(written))) <= 1


def _is_number_series(written: str) -> bool:
    """Return whether groups are steps of a series: 900 800 700, 600-700-800, 05 10 15 20 25."""
    groups = _GROUP.findall(written)
    spaced = written.count(" ") == len(groups) - 1 or _TRIPLES.fullmatch(written)
    if len(groups) < 3 or not spaced or (groups[0][0] == "0" and len(groups[0]) > 2):
        return False
    values = [int(group) for group in groups]
    steps = {after - before for before, after in pairwise(values)}
    rounded = 5 if len(groups[-1]) < 4 else 10
    return not any(value % rounded for value in values) or (
        len(steps) == 1 and abs(steps.pop()) <= 10
    )


def _is_part_of_longer_number(folded: str, start: int, end: int) -> bool:
    """Return whether more digits stand so close that the number is part of something longer."""
    if _continues_number(folded, start, end):
        return True
    first = start < 2 or not folded[start - 2].isdigit()
    after = folded[end : end + 2]
    if after[:1].isdigit():
        return True
    if after[1:].isdigit() and after[0] in ".-/,":
        return _ANOTHER_BEHIND.match(folded, end) is None or after[0] in folded[start:end]
    last = _LAST_GROUP.search(folded, start, end)
    if after[:1] != " " or last is None:
        return False
    another = first and _PAIRS.match(folded, end + 1)
    alike = _GROUP.match(folded, end + 1)
    if alike and len(alike[0]) == len(last[1]) > 2:
        return True
    return not another and bool(_MORE_GROUPS.match(folded, end))


# An IBAN goes on so after its country.
_FOURS = re.compile(r"[0-9]{2} [0-9]{4} [0-9]{4}")


def _continues_number(folded: str, start: int, end: int) -> bool:
    before = folded[max(0, start - 3) : start]
    if not before:
        return False
    if before[-1].isdigit() or (before[-1].isalpha() and folded[start] == "o"):
        return True
    if before[-1].isalpha():
        glued = before[-2:].isalpha() and not _FOURS.match(folded, start)
        return folded[start] not in "+(" and not glued
    if not before[-2:-1].isdigit():
        return False
    if before[-1] in ".,-:" or (before[-1] == "/" and "/" in folded[start:end]):
        return True
    if before[-1] == "/" or (before[-1] == " " and not _has_phone_punctuation(folded, start, end)):
        return _WHOLE_BEFORE.search(folded, max(0, start - 20), start) is None
    return False


def _has_phone_punctuation(folded: str, start: int, end: int) -> bool:
    written = folded[start:end]
    return written[0] in "+(" or any(char in written for char in ".-/")
