"""Detection of streets whose kind stands behind their name: `12 Oak St., Apt 4B`."""

import re

from rules.matching.lexicon import lexicon
from rules.matching.scanner import Pattern
from rules.names.words import clinical, common
from rules.places.gazetteer import listed
from rules.places.street_parts import annex_end, cue_before

Place = tuple[int, int]

# Kinds that need no proof beyond a number, and those that are also enough without one.
_FULL = "street avenue road boulevard lane parkway highway terrace drive".split()
_PLAIN = (
    "court place circle trail way square crescent close row ave rd blvd ln pkwy hwy cir st dr ct pl"
).split()
_RARE = sorted(lexicon("street_suffixes_en") - {*_FULL, *_PLAIN})
_WITH_DOT = frozenset("st dr ave rd blvd ln ct pl pkwy hwy cir".split())


def _capitalised(words: list[str]) -> str:
    longest_first = sorted(words, key=len, reverse=True)
    return "|".join(
        word[0].upper() + "".join(f"[{letter}{letter.upper()}]" for letter in word[1:])
        for word in longest_first
    )


_SUFFIX = Pattern(
    rf"\b(?<=[A-Za-z.'0-9][ ])({_capitalised([*_FULL, *_PLAIN, *_RARE])})\b(?!')",
    cased=True,
)
# `County Road 12`: here the kind stands before its number.
_ROUTE = Pattern(
    r"\b(?<![.,/])[0-9]{1,5} (?:(?:county|state) (?:road|route)|highway|route) [0-9]{1,4}(?![0-9])"
)
_SMALL = Pattern(
    r"[0-9] (?:[a-z][a-z'.]{1,14} ){1,3}?(?:street|avenue|road|lane|drive)"
    r"(?![a-z])"
)
_NUMBER = re.compile(r"[0-9]{1,6}[A-Za-z]?(?:-[0-9]{1,4})?\Z")
_ORDINAL = re.compile(r"[0-9]{1,3}(?:st|nd|rd|th|ST|ND|RD|TH)\Z")
_WORD = re.compile(r"[A-Z][^\W\d_]*(?:['.\-][^\W\d_]*){0,3}\Z")
_GAP = re.compile(r", |,?\n| - ")
_POSTCODE = re.compile(r"(?:[A-Z][A-Za-z.]+,? ){0,3}(?:[A-Z]{2},? )?(?:[0-9]{5}|[A-Z]{1,2}[0-9])")
_FLAT = re.compile(r"(?:Flat|Unit|Apt\.?|Apartment|Suite) [0-9A-Za-z]{1,4}, ?\Z")
_COMPASS = frozenset("north south east west".split())
_NEAR = frozenset("on at of near".split())
_OPENS = re.compile(r"(?:^|[\n:;,|(]|(?<![a-z])(?:at|of|is|to|-))[ ]{0,4}\Z")
_CLOSES = re.compile(r"[ ]?(?:[,\-\n;|)]|apt|suite|unit|\.?\Z)")
_QUARTER = re.compile(r" (?:[NS][EW]?|[EW])(?![A-Za-z]|\.[A-Z])")
_DOT = re.compile(r"\.(?:,|[ ](?:[a-z0-9#]|Apt|Suite|Unit|[NSEW]{1,2}(?![A-Za-z])))")


def english_streets(cased: str, folded: str) -> list[Place]:
    """Find streets in the English order; offsets are code points of the text, half open.

    `cased` is the text without accents, `folded` without case too. House numbers, flats and
    points of the compass belong to the street.
    """
    found = [
        span
        for match in _SUFFIX.finditer(cased)
        if (span := _before_suffix(cased, folded, match.span(1)))
    ]
    found += [(match.start(), annex_end(folded, match.end())) for match in _ROUTE.finditer(folded)]
    return found + [
        (start, annex_end(folded, match.end()))
        for match in _SMALL.finditer(folded)
        if cue_before(folded, start := _number_start(folded, match.start()))
    ]


def _number_start(folded: str, at: int) -> int:
    while at and folded[at - 1].isdigit():
        at -= 1
    return at


def _before_suffix(cased: str, folded: str, place: Place) -> Place | None:
    start, end = place
    low = max(0, start - 40)
    previous = max(cased.rfind(" ", low, start - 1), cased.rfind("\n", low, start - 1), low - 1) + 1
    if not (cased[previous].isupper() or cased[previous].isdigit()):
        return None
    first, numbered = _first(cased, start)
    if first == start:
        return None
    kind = folded[start:end]
    words = folded[first:start].split()
    names = words[1:] if numbered else words
    if kind in _WITH_DOT and _DOT.match(cased, end):
        end += 1
    if not _proved(cased, folded, (first, end), kind, names, numbered=numbered):
        return None
    quarter = _QUARTER.match(cased, end)
    end = annex_end(folded, quarter.end() if quarter else end)
    flat = _FLAT.search(cased[max(0, first - 20) : first])
    return first - len(flat.group()) if flat else first, end


def _first(cased: str, start: int) -> tuple[int, bool]:
    """Go back over the name: gives where it begins and whether a house number is its first word."""
    low = max(0, start - 60)
    words = cased[max(cased.rfind("\n", low, start) + 1, low) : start - 1].split(" ")
    at = start
    for count, word in enumerate(reversed(words)):
        if count and _NUMBER.match(word):
            before = cased[at - len(word) - 2 : at - len(word) - 1]
            return (start, False) if before in (".", "/") else (at - len(word) - 1, True)
        if count == 5 or not (_WORD.match(word) or _ORDINAL.match(word)):
            near = count > 0 and word.lower() in _NEAR
            return (at, False) if near else (start, False)
        at -= len(word) + 1
    return start, False


def _proved(
    cased: str, folded: str, place: Place, kind: str, names: list[str], *, numbered: bool
) -> bool:
    start, end = place
    if any(clinical(name) for name in names if name.isalpha() and name not in _COMPASS):
        return False
    if not numbered:
        return kind in _FULL and not any(common(name) for name in names)
    annexed = annex_end(folded, end) > end or _QUARTER.match(cased, end) is not None
    if kind in ("dr", "st") and cased[end : end + 2].strip(" .")[:1].isupper() and not annexed:
        return False  # a doctor or a saint follows
    if kind in _FULL or kind in _PLAIN:
        return any(len(name.strip(".")) > 2 for name in names) or kind in _FULL
    opens = _OPENS.search(folded[max(0, start - 6) : start]) is not None
    if not opens or not _CLOSES.match(folded, end):
        return False
    if annexed or cue_before(folded, start) or _goes_on(cased, folded, end):
        return True
    return folded[start : start + 3].isdigit() and not any(common(name) for name in names)


def _goes_on(cased: str, folded: str, end: int) -> bool:
    """Return whether a town follows, or a line begins with one."""
    gap = _GAP.match(cased, end)
    return gap is not None and (
        listed(folded, gap.end()) is not None or _POSTCODE.match(cased, gap.end()) is not None
    )
