"""Surrogates of ages: unchanged up to the policy's cap, a single value above it."""

import re

from locales.registry import LANGUAGES, alternatives
from surrogates.dates.number_words import count_longest, list_cardinals
from surrogates.patient.patient import Mention, Subject
from surrogates.patient.text_normalization import WORD, fold, read_misread_digits

# A decade ends in `s`: `90s`.
_NUMBER = re.compile(r"(\d+)(?:[.,]\d+)?(s(?![^\W_]))?")
_HUNDREDS = {"cent": 100, "hundred": 100, "cien": 100, "ciento": 100}
# German and Dutch write numbers over 100 as one word.
_JOINED = re.compile(r"(?:ein|een)?(?:hundert|honderd)(?:und|en)?(.*)")
# `dreiundneunzigjährige`: a number and an age suffix in one word.
_COMPOUND = re.compile(r"(.{3,})(jahrig\w*|jarig\w*|jahre|jaar)")
# Units smaller than a year: `95 semanas` is less than two years.
_SMALL = re.compile(rf"\b(?:{alternatives(lambda each: each.ages.units_span_pattern)})\b")
# The unit of an age, or of a range, whose span ends with its number: `[95] semaines`. Only
# unambiguous words: an uncapped age would reveal too much.
_UNIT_AFTER = re.compile(
    r"(?:[ \t]?(?:-|a|et|ou|to|and|or|y|o|bis|und|tot|en)[ \t]?\d{1,3})?(?:[ \t\n]|-)?"
    rf"(?P<unit>(?:{alternatives(lambda each: each.ages.unit_after_pattern)})\b)"
)
_SHORT_UNIT_AFTER = re.compile(r"[ \t]?(?P<unit>SA|j)(?![\w'’])")
_FAR = 24
# `92 J.` in German; days are a small letter in French: `92 j`.
_J_OF_YEARS = re.compile(r"\d[ \t]?J(?![^\W_])")
_YEARS_ARE_J = ("de", "nl")
_WITH_DIGITS = re.compile(r"[^\W_]*\d[^\W_]*")
_YEARS = re.compile(rf"\b(?:{alternatives(lambda each: each.ages.years_span_pattern)})\b")
# Words for a decade of life -> the last year of it.
# A word for a number that has digits for letters, as recognition puts them: `n1nety`.
_MISREAD_WORD = re.compile(r"[^\W_]*[^\W\d_][01][^\W_]*|[01][^\W\d_][^\W_]*")
_LETTERS_OF_DIGITS = str.maketrans("01", "oi")
_DECADES = {word: last for each in LANGUAGES.values() for word, last in each.ages.decades.items()}


def replace(mention: Mention, subject: Subject) -> str:
    """Return the age; over the cap it becomes the cap plus one and a plus sign.

    Ages up to the cap are exact by design: birth dates and dates are shifted by the same days, and
    45 CFR 164.514(b)(2)(i)(C) requires no more. A decade of life counts by its last year. An age in
    words over the cap is written in digits. Weeks, days and months are not capped, even where the
    unit follows the span. Letters that recognition put for digits are read as these, and digits in
    a word for a number as letters.
    """
    digits = _WITH_DIGITS.sub(lambda match: read_misread_digits(match[0]), mention.text)
    text, cap = _MISREAD_WORD.sub(_read_word, digits), subject.policy.age_cap
    folded = fold(text)
    if (
        not _YEARS.search(folded)
        and not _J_OF_YEARS.search(text)
        and _is_small(mention, folded, mention.lang or subject.locale)
    ):
        return mention.text
    read = text
    text = _NUMBER.sub(lambda match: _cap(match, cap), text)
    text = _cap_words(text, cap)
    return mention.text if text == read else text.replace("++", "+")


def _is_small(mention: Mention, folded: str, lang: str) -> bool:
    """Return whether an age is in units smaller than a year; a German or Dutch `j` is a year."""
    small = _SMALL.search(folded)
    if lang in _YEARS_ARE_J and ((small and small[0] == "j") or mention.after == "j"):
        return False
    return bool(small or (mention.after and folded[-1:].isalnum()))


def _read_word(match: re.Match[str]) -> str:
    """Return a word with letters for digits, if that is a number: `f1ve`."""
    word = match[0].translate(_LETTERS_OF_DIGITS)
    return word if _spelt([fold(word)])[0] or _compound(fold(word))[0] else match[0]


def unit_after(text: str, end: int) -> str:
    """Return the folded unit smaller than a year that follows an age; empty without one."""
    rest = text[end : end + _FAR]
    found = _UNIT_AFTER.match(fold(rest)) or _SHORT_UNIT_AFTER.match(rest)
    return fold(found["unit"]) if found else ""


def _cap(match: re.Match[str], cap: int) -> str:
    age = int(match[1]) + (9 if match[2] else 0)
    return f"{cap + 1}+" if age > cap else match[0]


def _cap_words(text: str, cap: int) -> str:
    words = list(WORD.finditer(text))
    folded = [fold(word[0]) for word in words]
    place = 0
    while place < len(words):
        value, length = _spelt(folded[place:])
        start, end = words[place].start(), words[place + max(1, length) - 1].end()
        if folded[place] in _DECADES:
            value = _DECADES[folded[place]]
        elif not value:
            value, width = _compound(folded[place])
            end = start + width
        if value > cap:
            joint = "-" if end < len(text) and text[end].isalpha() else ""
            return text[:start] + f"{cap + 1}+{joint}" + _cap_words(text[end:], cap)
        place += max(1, length)
    return text


def _compound(word: str) -> tuple[int, int]:
    """Read the number at the start of a word: value and length."""
    match = _COMPOUND.fullmatch(word)
    if match is None:
        return 0, len(word)
    value, _ = _spelt([match[1]])
    return value, len(match[1])


def _spelt(folded: list[str]) -> tuple[int, int]:
    """Read a number in words at the start: value and number of words; 0 where there is none."""
    hundred = _HUNDREDS.get(folded[0], 0)
    if folded[0] in ("one", "a") and folded[1:2] == ["hundred"]:
        value, length = _spelt(folded[1:])
        return value, 1 + length
    if hundred:
        start = 2 if folded[1:2] == ["and"] else 1
        value, length = _spelt(folded[start:]) if len(folded) > start else (0, 0)
        return (hundred + value, start + length) if 0 < value < hundred else (hundred, 1)
    cardinals = list_cardinals()
    for length in range(min(count_longest(), len(folded)), 0, -1):
        known = cardinals.get(tuple(folded[:length]))
        if known and known[0][1] < _HUNDREDS["cent"]:
            return known[0][1], length
    joined = _JOINED.fullmatch(folded[0])
    if joined and (not joined[1] or (joined[1],) in cardinals):
        return 100 + (cardinals[joined[1],][0][1] if joined[1] else 0), 1
    return 0, 0
