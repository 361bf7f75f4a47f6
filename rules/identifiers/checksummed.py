"""Numbers recognized by their own shape and check digits, whatever their context."""

import re
from collections.abc import Iterable, Iterator
from functools import cache

from locales import check_digits
from record.label import Label
from record.span import Span, merge_spans
from rules.dates.spaced_digits import digit_boxes
from rules.matching.scanner import Pattern

_DETECTOR = "rules.identifiers"

_IBAN = Pattern(r"\b[a-z]{2}[0-9]{2}(?:[ \-]?[a-z0-9]){11,30}")
_CCC = Pattern(r"\b[0-9]{4}([ \-])[0-9]{4}\1[0-9]{2}\1[0-9]{10}\b")
_CARD = Pattern(r"\b[2-6][0-9]{3}([ \-])[0-9]{4}\1[0-9]{4}\1[0-9]{1,7}\b")
_AMEX = Pattern(r"\b3[47][0-9]{2}([ \-])[0-9]{6}\1[0-9]{5}\b")
# GS1 element strings: product, dates, batch, serial number.
_UDI = Pattern(r"\(01\) ?[0-9]{14}(?: ?\([0-9]{2,3}\) ?[a-z0-9\-]{1,20}){0,6}")
_MAC = Pattern(r"\b(?<!:)[0-9a-f]{2}(?::[0-9a-f]{2}){5}\b(?!:)")
# Year, kind of examination, serial number: how laboratories number specimens.
_SPECIMEN = Pattern(r"\b(?<![.,\-/+])[0-4][0-9][a-df-wyz][0-9]{5,6}(?:-[0-9]{1,2})?\b(?!-[0-9])")
_PATHOLOGY = Pattern(r"\b(?<![.,\-/+])[a-z]{1,2}[0-3][0-9]-[0-9]{5,6}\b(?!-[0-9])")
_LONG = Pattern(r"\b(?<![/=,.+\-*])[0-9]{9,24}\b")
_NOT_OF_A_PERSON = re.compile(
    r"(?:\b(?:pmid|isbn|ean|gtin|cip|ucd|sctid|snomed(?: ?ct)?|chr[0-9xy]{0,2})[ :.n°]{0,3}(?:13)?"
    r"[ :]{0,3}|(?:tel(?:eph)?|fax|tfno?|tlf\w?|phone|movil|mob(?:ile)?|portable|gsm)"
    r"[^0-9\n]{0,16})\Z"
)
_COUNT = re.compile(r"@|[.,\-][0-9]| ?(?:ui|cop|cell|/|%|eq|[cu]f[cu]|ge?\b)")


def find(folded: str) -> Iterator[Span]:
    """Yield the numbers of folded text known by their shape, except those of persons."""
    for box in digit_boxes(folded):
        if len(set(box.digits)) == 1:
            continue
        if len(box.digits) >= 12:
            yield Span(box.start, box.end, Label.SSN, _DETECTOR)
        elif len(box.digits) == 10 and box.digits[0] != "0":
            yield Span(box.start, box.end, Label.PATIENT_ID, _DETECTOR)
    yield from _find_ibans(folded)
    yield from _find_accounts(folded)
    for pattern, label in (
        (_SPECIMEN, Label.VISIT_ID),
        (_PATHOLOGY, Label.VISIT_ID),
        (_UDI, Label.DEVICE_ID),
        (_MAC, Label.DEVICE_ID),
    ):
        for match in pattern.finditer(folded):
            yield Span(match.start(), match.end(), label, _DETECTOR)


def long_runs(folded: str, others: Iterable[Span]) -> Iterator[Span]:
    """Yield unbroken runs of nine digits and more that no other span covers, as ID.

    Counts end in zeros; numbers of publications and telephones are recognized by the word before.
    """
    taken: list[tuple[int, int]] | None = None
    reach = place = 0
    for match in _LONG.finditer(folded):
        start, end = match.span()
        taken = merge_spans(others) if taken is None else taken
        while place < len(taken) and taken[place][0] < end:
            reach = max(reach, taken[place][1])
            place += 1
        if reach <= start and _may_name_somebody(folded, match):
            yield Span(start, end, Label.ID, _DETECTOR, 0.5)


def _may_name_somebody(folded: str, match: re.Match[str]) -> bool:
    counts = match[0].endswith("0000") or _COUNT.match(folded, match.end())
    return not counts and not _identifies_thing(folded, match)


def _identifies_thing(folded: str, match: re.Match[str]) -> bool:
    start, digits = match.start(), match[0]
    if digits[0] == "0" and len(digits) == 10:
        return True  # a telephone
    if digits.startswith(("34009", "978", "979")) and check_digits.is_ean(digits):
        return True  # a French medicine, a book
    return bool(_NOT_OF_A_PERSON.search(folded, max(0, start - 32), start))


def stands_alone(folded: str, start: int, end: int) -> bool:
    """Return whether no digit stands beside a number, not even over a blank or a sign."""
    before, after = folded[max(0, start - 2) : start], folded[end : end + 2]
    if before[-1:].isalnum() or after[:1].isalnum():
        return False
    if before[-1:] in {" ", ".", ",", "-", "/", "+"} and before[:1].isdigit() and len(before) == 2:
        return folded[start:end].isdigit() and before[-1] == " "
    return not (after[:1] in {".", ",", "-", "/"} and after[1:].isdigit()) and not (
        " " in folded[start:end] and after[:1] == " " and after[1:].isdigit()
    )


def accounts_in_line(line: str, *, hyphen: bool) -> Iterator[tuple[int, int]]:
    """Yield the bank accounts and cards of a short stretch without the aid of the automaton.

    A card in one piece counts only with a `hyphen`, which says that it goes on in the next line.
    """
    for match in _read(_IBAN).finditer(line):
        whole = _whole_iban(line, match)
        if whole:
            yield match.start(), whole
    for pattern in (_LONG, _CARD, _AMEX, _CCC) if hyphen else (_CARD, _AMEX, _CCC):
        for match in _read(pattern).finditer(line):
            if _is_account(line, match):
                yield match.span()


@cache
def _read(pattern: Pattern) -> re.Pattern[str]:
    return re.compile(pattern.pattern)


def _find_ibans(folded: str) -> Iterator[Span]:
    for match in _IBAN.finditer(folded):
        whole = _whole_iban(folded, match)
        if whole:
            yield Span(match.start(), whole, Label.ACCOUNT, _DETECTOR)


def _whole_iban(folded: str, match: re.Match[str]) -> int | None:
    """Return where the account ends that begins like an IBAN."""
    start = match.start()
    ends = (end for end in range(match.end(), start + 14, -1) if _word_ends(folded, end))
    return next((end for end in ends if check_digits.iban(folded[start:end])), None)


def _word_ends(folded: str, at: int) -> bool:
    return folded[at - 1].isalnum() and not folded[at : at + 1].isalnum()


def _find_accounts(folded: str) -> Iterator[Span]:
    for pattern in (_LONG, _CARD, _AMEX, _CCC):
        for match in pattern.finditer(folded):
            if _is_account(folded, match):
                yield Span(match.start(), match.end(), Label.ACCOUNT, _DETECTOR)


def _is_account(folded: str, match: re.Match[str]) -> bool:
    if len(match[0]) < 13 or not stands_alone(folded, match.start(), match.end()):
        return False
    digits = "".join(filter(str.isdigit, match[0]))
    card = check_digits.payment_card(digits) and not check_digits.nir_valid(digits)
    return card or check_digits.ccc(digits)
