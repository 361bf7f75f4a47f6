"""Numbers that their own shape and check digits betray, whatever stands around them."""

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

from record.label import Label
from record.span import Span
from rules import checksums
from rules.scan import Pattern
from rules.spaced import boxes

_DETECTOR = "rules.identifiers"

_S = "[ .]?"
_NIR = Pattern(
    rf"[123478](?:{_S}[0-9]){{5}}{_S}[0-9ab](?:{_S}[0-9]){{6}}"
    r"(?: {0,2}(?:[\-/|.]|cle ?:?|\(cle ?:?)? {0,2}[0-9] ?[0-9](?![0-9]))?(?![0-9])"
)

_FOLLOWED = re.compile(r" {1,2}[0-9](?![0-9])")
_US_SSN = Pattern(r"[0-8][0-9]{2}[\- ][0-9]{2}[\- ][0-9]{4}(?![0-9]|-[0-9])")
_DNI = Pattern(r"[0-9]{1,2}\.?[0-9]{3}\.?[0-9]{3}[ \-]{0,2}[a-z](?![a-z0-9])")
_NIE = Pattern(r"[xyz][ \-]?[0-9]\.?[0-9]{3}\.?[0-9]{3}[ \-]?[a-z](?![a-z0-9])")
_IBAN = Pattern(r"[a-z]{2}[0-9]{2}(?:[ \-]?[a-z0-9]){11,30}")
_CARD = Pattern(r"[2-6][0-9]{3}(?:[ \-]?[0-9]{4}){2}[ \-]?[0-9]{1,7}|[1-6][0-9]{11,18}")
_AMEX = Pattern(r"3[47][0-9]{2}[ \-][0-9]{6}[ \-][0-9]{5}(?![0-9])")
_PLATE = re.compile(
    r"(?<![A-Z0-9\-])[A-HJ-NP-TV-Z]{2}[-–][0-9]{3}[-–][A-HJ-NP-TV-Z]{2}(?![A-Z0-9\-])"
)
_UDI = Pattern(r"\(01\) ?[0-9]{14}(?: ?\([0-9]{2,3}\) ?[a-z0-9\-]{1,20}){0,4}")
# Year, kind of examination, serial number: how laboratories number specimens.
_SPECIMEN = Pattern(r"[0-4][0-9][a-df-wyz][0-9]{5,6}(?:-[0-9]{1,2})?(?![0-9a-z]|-[0-9])")
_LONG = Pattern(r"[0-9]{9,24}(?![0-9])")
_NOT_OF_A_PERSON = re.compile(
    r"(?:\b(?:doi|pmid|pmc|nct|isbn|issn|eudract|arxiv|cas|ean|gtin|atc)[ :.n°]{0,3}"
    r"|(?:tele?p?h?(?:one)?|fax|tfno|tlf\w?|tfn|phone|movil|mobile|portable)[^0-9\n]{0,16}"
    r"|[/=_,.+\-*])\Z"
)
_COUNT = re.compile(r"[/_=@]|[.,\-][0-9]| ?(?:ui|copies|cop|cellules|cells|/|%|eq|cfu|ufc|ge|g\b)")


def find(folded: str, text: str, patient_numbers: tuple[str, ...]) -> Iterator[Span]:
    """Yield numbers known by their shape; `text` shows the capitals of plates."""
    yield from _nir(folded)
    yield from _boxed(folded)
    yield from _checked(folded)
    yield from _iban(folded)
    yield from _cards(folded)
    for pattern in _compiled(patient_numbers):
        for match in pattern.finditer(folded):
            if _stands_alone(folded, match.start(), match.end()):
                yield Span(match.start(), match.end(), Label.PATIENT_ID, _DETECTOR)
    for match in _PLATE.finditer(text):
        yield Span(match.start(), match.end(), Label.VEHICLE_ID, _DETECTOR)
    for match in _SPECIMEN.finditer(folded):
        if _free(folded, match.start()):
            yield Span(match.start(), match.end(), Label.VISIT_ID, _DETECTOR)
    for match in _UDI.finditer(folded):
        yield Span(match.start(), match.end(), Label.DEVICE_ID, _DETECTOR)


def long_runs(folded: str, others: Iterable[Span]) -> Iterator[Span]:
    """Yield unbroken runs of nine digits and more that no other span covers, as ID.

    Counts end in zeros; numbers of publications and telephones are told by the word before.
    """
    covered = bytearray(len(folded))
    for span in others:
        covered[span.start : span.end] = b"\1" * (span.end - span.start)
    for match in _LONG.finditer(folded):
        start, end = match.span()
        if any(covered[start:end]) or match[0].endswith("0000") or _COUNT.match(folded, end):
            continue
        if start and folded[start - 1].isalnum():
            continue
        telephone = match[0][0] == "0" and end - start == 10
        if telephone or _NOT_OF_A_PERSON.search(folded, max(0, start - 32), start):
            continue
        yield Span(start, end, Label.ID, _DETECTOR, 0.5)


@lru_cache(maxsize=8)
def _compiled(patterns: tuple[str, ...]) -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(pattern) for pattern in patterns)


def _stands_alone(folded: str, start: int, end: int) -> bool:
    """Tell whether no digit stands beside a number, not even over a blank or a sign."""
    before, after = folded[max(0, start - 2) : start], folded[end : end + 2]
    if before[-1:].isalnum() or after[:1].isalnum():
        return False
    if before[-1:] in {" ", ".", ",", "-", "/", "+"} and before[:1].isdigit() and len(before) == 2:
        return folded[start:end].isdigit() and before[-1] == " "
    return not (after[:1] in {".", ",", "-", "/"} and after[1:].isdigit()) and not (
        " " in folded[start:end] and after[:1] == " " and after[1:].isdigit()
    )


def _nir(folded: str) -> Iterator[Span]:
    for match in _NIR.finditer(folded):
        start, end = match.span()
        if start and (folded[start - 1].isalnum() or folded[start - 1] in ",+"):
            continue
        if match[0].count(" ") > 8 and _FOLLOWED.match(folded, end):
            continue  # boxes of a form: they are read as a whole
        if start > 1 and folded[start - 1] in " .-/" and folded[start - 2].isdigit():
            continue
        number = "".join(c for c in match[0].replace("cle", "") if c.isalnum())
        if len(number) not in (13, 15) or not checksums.nir_shape(number):
            continue
        if checksums.payment_card(number) and not checksums.nir_valid(number):
            continue
        parts = match[0].split()
        if len(parts) > 1 and not _grouped(parts, number):
            continue
        yield Span(start, end, Label.SSN, _DETECTOR)


def _grouped(parts: list[str], number: str) -> bool:
    """Tell whether blanks part a number as a NIR is parted, or its key says that it is one."""
    sizes = [len(part) for part in parts]
    usual = sizes[:5] == [1, 2, 2, 2, 3] or max(sizes[:-1]) <= 1 or sizes[0] in (13, 15)
    return usual or sizes[:3] == [3, 2, 2] or (len(number) == 15 and checksums.nir_valid(number))


def _boxed(folded: str) -> Iterator[Span]:
    for box in boxes(folded):
        if len(set(box.digits)) == 1:
            continue
        if len(box.digits) >= 12:
            yield Span(box.start, box.end, Label.SSN, _DETECTOR)
        elif len(box.digits) == 10 and box.digits[0] != "0":
            yield Span(box.start, box.end, Label.PATIENT_ID, _DETECTOR)


def _checked(folded: str) -> Iterator[Span]:
    for match in _US_SSN.finditer(folded):
        dashed = match[0].replace(" ", "-")
        if match[0] == dashed and _free(folded, match.start()) and checksums.us_ssn(dashed):
            yield Span(match.start(), match.end(), Label.SSN, _DETECTOR)
    for pattern in (_DNI, _NIE):
        for match in pattern.finditer(folded):
            if _free(folded, match.start()) and checksums.dni_or_nie(match[0]):
                yield Span(match.start(), match.end(), Label.SSN, _DETECTOR)


def _free(folded: str, start: int) -> bool:
    if not start:
        return True
    glued = folded[start - 1].isalnum() or folded[start - 1] in ".,-/+"
    return not glued


def _iban(folded: str) -> Iterator[Span]:
    for match in _IBAN.finditer(folded):
        start = match.start()
        if start and folded[start - 1].isalnum():
            continue
        ends = (end for end in range(match.end(), start + 14, -1) if _word_ends(folded, end))
        whole = next((end for end in ends if checksums.iban(folded[start:end])), None)
        if whole:
            yield Span(start, whole, Label.ACCOUNT, _DETECTOR)


def _word_ends(folded: str, at: int) -> bool:
    return folded[at - 1].isalnum() and not folded[at : at + 1].isalnum()


def _cards(folded: str) -> Iterator[Span]:
    for pattern in (_CARD, _AMEX):
        for match in pattern.finditer(folded):
            start, end = match.span()
            digits = "".join(filter(str.isdigit, match[0]))
            if not _stands_alone(folded, start, end) or len(digits) < 13:
                continue
            if checksums.payment_card(digits) and not checksums.nir_valid(digits):
                yield Span(start, end, Label.ACCOUNT, _DETECTOR)
