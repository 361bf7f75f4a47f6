"""The numbers by which states, insurers and registers know a person, one entry for each."""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from locales import check_digits
from record.label import Label
from record.span import Span
from rules.matching.scanner import Pattern, Patterns

_DETECTOR = "rules.identifiers"


@dataclass(frozen=True, slots=True)
class NationalNumber:
    """One kind of number: its shape over folded text, and what makes it sure.

    `valid` is given the number as it is written. `after` are the words that have to stand before
    the number, where its shape and its check digits do not prove enough; empty where they do.
    A `cased` shape is written in capitals and sought in text whose case is kept. A shape that
    refers to a group of its own counts from 2.
    """

    name: str
    label: Label
    shape: str
    valid: Callable[[str], bool]
    after: str = ""
    cased: bool = False

    def pattern(self) -> Pattern:
        """Compile the expression whose first group is the number."""
        number = rf"({self.shape})\b(?![.,\-/][0-9])"
        if self.after:
            return Pattern(rf"\b(?:{self.after}){_LINK}{number}")
        start = r"\b(?<![0-9][.,\-/+])(?<![,+])"
        return Pattern(f"{start}{number}", cased=self.cased)


# A word for a number, then signs and blanks.
_LINK = r"(?:[ .\-]?(?:num[bm]er|n[ro°]))?[ .:#=|(\n\-]{1,6}"


def written_right(_: str) -> bool:
    """Accept a number whose shape and whose word before it are proof enough."""
    return True


# The letters of the word `clé` as well.
_OUTSIDE_A_NIR = re.compile(r"[^0-9ab]+")


def _nir(written: str) -> bool:
    """Return whether a number is built and parted like a NIR; its key may be left out or wrong."""
    number = _OUTSIDE_A_NIR.sub("", written)
    if len(number) not in (13, 15) or not check_digits.nir_shape(number):
        return False
    valid = check_digits.nir_valid(number)
    if not valid and check_digits.payment_card(number):
        return False
    if len(number) == 13 and number[0] not in "12":
        return False
    parts = written.split()
    return len(parts) == 1 or valid or _parted_like_a_nir([len(part) for part in parts])


def _parted_like_a_nir(sizes: list[int]) -> bool:
    usual = sizes[:5] == [1, 2, 2, 2, 3] or sizes[:3] == [3, 2, 2]
    return usual or sizes[0] in (13, 15) or max(sizes[:-1]) <= 1


# Prefixes that no National Insurance number has.
_NOT_ISSUED = frozenset({"BG", "GB", "KN", "NK", "NT", "TN", "ZZ"})


def _nino(written: str) -> bool:
    return written[:2] not in _NOT_ISSUED


def _taxpayer(written: str) -> bool:
    return check_digits.itin(written.replace(" ", "-"))


_NINO = r"[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z]"
_S = "[ .\\-]?"

NATIONAL_NUMBERS: tuple[NationalNumber, ...] = (
    NationalNumber(
        "NIR, France: sex, year, month, department, commune, order, key",
        Label.SSN,
        rf"[123478](?:{_S}[0-9]){{5}}{_S}[0-9ab](?:{_S}[0-9]){{6}}"
        r"(?: {0,2}(?:[\-/|.]|cle ?:?|\(cle ?:?)? {0,2}[0-9] ?[0-9](?![0-9]))?",
        _nir,
    ),
    NationalNumber(
        "SSN, United States", Label.SSN, r"[0-8][0-9]{2}-[0-9]{2}-[0-9]{4}", check_digits.us_ssn
    ),
    NationalNumber(
        "SSN, United States, masked but for its end",
        Label.SSN,
        r"[x*]{3}-?[x*]{2}-?[0-9]{4}",
        written_right,
        after=r"ssn|social security",
    ),
    NationalNumber(
        "SSN, United States, its last four digits",
        Label.SSN,
        r"[0-9]{4}",
        written_right,
        after=r"(?:ssn|social security)[ ,(:#]{0,3}(?:last (?:4|four)(?: digits)?|ending in)"
        r"|last (?:4|four)(?: digits)? of (?:[a-z]{3} )?(?:ssn|social security)",
    ),
    NationalNumber(
        "ITIN, United States", Label.SSN, r"9[0-9]{2}-[5-9][0-9]-[0-9]{4}", _taxpayer
    ),
    NationalNumber(
        "DNI, Spain",
        Label.SSN,
        r"[0-9]{1,2}\.?[0-9]{3}\.?[0-9]{3}[ \-]{0,2}[a-z]",
        check_digits.dni_or_nie,
    ),
    NationalNumber(
        "NIE, Spain",
        Label.SSN,
        r"[xyz][ \-]?[0-9]\.?[0-9]{3}\.?[0-9]{3}[ \-]?[a-z]",
        check_digits.dni_or_nie,
    ),
    NationalNumber(
        "NUSS, Spain: province, person, check digits",
        Label.INSURANCE_ID,
        r"[0-6][0-9]([ /\-])[0-9]{8}\2[0-9]{2}",
        check_digits.nuss,
    ),
    NationalNumber(
        "CIP, Spain: the card of a region or of the whole country",
        Label.INSURANCE_ID,
        r"[a-z]{3,4}(?: ?[0-9]){10,12}|[a-z]{8,10}[0-9]{6,8}",
        written_right,
        after=r"cip|cip sns|cip autonomico|tsi|tarjeta sanitaria",
    ),
    NationalNumber(
        "CURP, Mexico",
        Label.SSN,
        r"[a-z]{4}[0-9]{6}[hm][a-z]{5}[0-9a-z][0-9]",
        written_right,
    ),
    NationalNumber(
        "RUT, Chile", Label.SSN, r"[0-9]{1,2}\.[0-9]{3}\.[0-9]{3}-[0-9k]", written_right
    ),
    NationalNumber(
        "RVNR, Germany: area, birth, initial, serial number",
        Label.SSN,
        r"[0-9]{2} ?[0-3][0-9][01][0-9]{3} ?[a-z] ?[0-9]{3}",
        check_digits.rvnr,
    ),
    NationalNumber(
        "KVNR, Germany", Label.INSURANCE_ID, r"[A-Z][0-9]{9}", check_digits.kvnr, cased=True
    ),
    NationalNumber(
        "AHV, Switzerland",
        Label.SSN,
        r"756\.[0-9]{4}\.[0-9]{4}\.[0-9]{2}|756[0-9]{10}",
        check_digits.ahv,
    ),
    NationalNumber(
        "Rijksregisternummer, Belgium",
        Label.SSN,
        r"[0-9]{2}\.[0-9]{2}\.[0-9]{2}-[0-9]{3}\.[0-9]{2}",
        check_digits.rijksregister,
    ),
    NationalNumber(
        "Codice fiscale, Italy",
        Label.SSN,
        r"[a-z]{3} ?[a-z]{3} ?[0-9]{2}[a-ehlmprst][0-9]{2} ?[a-z][0-9]{3} ?[a-z]",
        check_digits.codice_fiscale,
    ),
    NationalNumber(
        "CHI number, Scotland: day of birth, serial number",
        Label.PATIENT_ID,
        r"[0-3][0-9][01][0-9]{3} ?[0-9]{4}",
        written_right,
        after="chi",
    ),
    NationalNumber(
        "NINO, United Kingdom",
        Label.SSN,
        rf"{_NINO} ?[0-9]{{2}} ?[0-9]{{2}} ?[0-9]{{2}} ?[A-D]",
        _nino,
        cased=True,
    ),
    NationalNumber(
        "NINO, United Kingdom, of an example",
        Label.SSN,
        r"[a-z]{2} ?[0-9]{2} ?[0-9]{2} ?[0-9]{2} ?[a-d]",
        written_right,
        after=r"ni|national insurance|n\.i\.",
    ),
    NationalNumber(
        "SIN, Canada",
        Label.SSN,
        r"[0-9]{3}([ \-]?)[0-9]{3}\2[0-9]{3}",
        lambda written: check_digits.is_luhn("".join(filter(str.isdigit, written))),
        after=r"sin|social insurance",
    ),
    NationalNumber(
        "Assurance-maladie number of a French professional",
        Label.PROVIDER_ID,
        r"[0-9]{2} ?[0-9] ?[0-9]{5} ?[0-9]",
        written_right,
        after="am",
    ),
)  # fmt: skip


class NationalNumbers:
    """A set of kinds of numbers, compiled: those of folded text apart from those with case."""

    __slots__ = ("_sought",)

    def __init__(self, kinds: Iterable[NationalNumber]) -> None:
        both = tuple(kinds)
        alike = [[kind for kind in both if kind.cased is cased] for cased in (False, True)]
        self._sought = [(Patterns(kind.pattern() for kind in one), one) for one in alike if one]

    def patterns(self) -> tuple[Pattern, ...]:
        """Return the expressions of all kinds."""
        return tuple(one for patterns, _ in self._sought for one in patterns)

    def find(self, folded: str, cased: str) -> Iterator[Span]:
        """Yield the numbers that are of one of the kinds in a text, folded and with its case."""
        for patterns, kinds in self._sought:
            for index, match in patterns.finditer(cased if kinds[0].cased else folded):
                if kinds[index].valid(match[1]) and not _in_boxes(folded, match):
                    yield Span(match.start(1), match.end(1), kinds[index].label, _DETECTOR)


_FOLLOWED = re.compile(r" {1,2}[0-9](?![0-9])")
_PRECEDED = re.compile(r"[0-9] \Z")


def _in_boxes(folded: str, match: re.Match[str]) -> bool:
    """Return whether single digits go on before or after: boxes of a form are read as a whole."""
    if match[1].count(" ") <= 8:
        return False
    start, end = match.span(1)
    after = _FOLLOWED.match(folded, end)
    return bool(after or _PRECEDED.search(folded, max(0, start - 2), start))


NUMBERS = NationalNumbers(NATIONAL_NUMBERS)
_PATTERNS = NUMBERS.patterns()
